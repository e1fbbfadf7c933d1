//! Which value of an element that is replaced is the last one.
//!
//! In: the equations of tensors that come in and leave, in the order in which they are carried out in each step. Out: for a read at a
//! moment the equation and the step that wrote the element last before it, or that it came in, case by case.
//! Paper: Feautrier, Dataflow analysis of array and scalar references, 1991, for one index of time.

use super::replace::Replaced;
use crate::recurrence::Equation;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron, name};

/// One equation of such a tensor, or a part of one, which differs from the others in its points.
pub(super) struct Statement {
    /// The equation, whose target is what it replaces elements of. Each index stands in a subscript in which every other one stands in one
    /// before.
    pub(super) equation: Equation,
    /// The place of the first of its parts among all statements.
    pub(super) first: usize,
    /// The indices as they are written, in the order in which they grow.
    pub(super) order: Vec<Affine>,
    /// The tensor of what it writes.
    pub(super) result: Name,
}

/// Where an element comes from.
#[derive(Clone)]
pub(super) enum Origin {
    /// It came in.
    Given,
    /// A statement wrote it in this step.
    Written(usize, Affine),
}

/// Points, and where an element comes from there.
pub(super) type Cases = Vec<(Polyhedron, Origin)>;

/// An element of a tensor.
pub(super) type Element<'a> = (&'a Name, &'a [Affine]);

/// Where an element comes from that is read at some points; nothing where that has no closed form.
pub(super) type Sources<'a> = dyn Fn(&Polyhedron, Element) -> Option<Cases> + 'a;

/// A moment of the work.
pub(super) struct Moment {
    pub(super) step: Affine,
    /// How many statements are done with in this step.
    pub(super) done: usize,
    /// The statement that is at work, where one is, before it writes its element at a point.
    pub(super) at_work: Option<usize>,
}

/// All statements of the tensors that have the same steps, in order.
pub(super) struct Work {
    pub(super) tensors: Vec<Replaced>,
    pub(super) step: Name,
    pub(super) range: (Affine, Affine),
    pub(super) statements: Vec<Statement>,
    pub(super) sizes: Polyhedron,
}

/// What stands for what came in while equations are written: the tensor itself is what is to be found.
pub(super) fn incoming(tensor: &Name) -> Name {
    name(&format!("{tensor} given"))
}

impl Work {
    pub(super) fn result_at(&self, step: &Affine, element: &[Affine]) -> Vec<Affine> {
        let number = step.clone() - self.range.0.clone();
        std::iter::once(number).chain(element.iter().cloned()).collect()
    }

    pub(super) fn read(&self, tensor: &Name, origin: &Origin, element: &[Affine]) -> (Name, Vec<Affine>) {
        match origin {
            Origin::Given => (incoming(tensor), element.to_vec()),
            Origin::Written(place, step) => (self.statements[*place].result.clone(), self.result_at(step, element)),
        }
    }

    /// The point at which a statement writes an element in a step, and that it does; `None` where that cannot be said by inequalities: an
    /// element that is every second one or not.
    fn point_of(
        &self,
        place: usize,
        step: &Affine,
        element: &[Affine],
    ) -> Option<(BTreeMap<Name, Affine>, Polyhedron)> {
        let Statement { equation, .. } = &self.statements[place];
        let mut image = BTreeMap::from([(self.step.clone(), step.clone())]);
        let mut does = Polyhedron::default();
        for (form, element) in equation.subscripts.iter().zip(element) {
            let is_open = |name: &Name| equation.domain.indices.contains(name) && !image.contains_key(name);
            let Some((index, factor)) = form.terms().find(|(name, _)| is_open(name)) else {
                let apart = form.substitute(&image) - element.clone();
                [apart.clone(), -apart].into_iter().for_each(|form| does.add(form));
                continue;
            };
            let rest = (form.clone() - Affine::term(index, factor)).substitute(&image);
            let apart = if factor > 0 { element.clone() - rest } else { rest - element.clone() };
            let by = factor.abs();
            if apart.terms().any(|(_, factor)| factor % by != 0) {
                return None;
            }
            if apart.constant_term() % by != 0 {
                does.add(Affine::constant(-1));
            }
            let whole =
                apart.terms().fold(Affine::default(), |sum, (name, factor)| sum + Affine::term(name, factor / by));
            image.insert(index.clone(), whole + Affine::constant(apart.constant_term().div_euclid(by)));
        }
        let does = does.intersect(&equation.domain.set.substitute(&image));
        Some((image, does))
    }

    /// That a statement writes an element in a step.
    fn writes(&self, place: usize, step: &Affine, element: &[Affine]) -> Option<Polyhedron> {
        self.point_of(place, step, element).map(|(_, does)| does)
    }

    /// Whether two parts of one equation write the same element in a step, as far as that can be said.
    pub(super) fn meet(&self, place: usize, other: usize) -> bool {
        let Statement { equation, .. } = &self.statements[place];
        let step = Affine::variable(&self.step);
        let writes = self.writes(other, &step, &equation.subscripts);
        let set = equation.domain.set.intersect(&self.sizes);
        writes.is_some_and(|writes| !writes.intersect(&set).is_empty())
    }

    /// Where an element comes from that is read at a moment.
    pub(super) fn before(&self, set: &Polyhedron, (tensor, element): Element, moment: &Moment) -> Option<Cases> {
        let is_of = |place: &usize| self.statements[*place].equation.target == *tensor;
        let mut found: Cases = vec![];
        let mut open = vec![set.clone()];
        let mut take = |open: &mut Vec<Polyhedron>, place: usize, region: Polyhedron| {
            let inside = open.iter().map(|part| part.intersect(&region)).filter(|part| !part.is_empty());
            found.extend(inside.map(|part| (part, Origin::Written(place, moment.step.clone()))));
            *open = left_of(open, &region);
        };
        if let Some(own) = moment.at_work {
            let is_part = |place: &usize| self.statements[*place].first == self.statements[own].first;
            for place in (0..self.statements.len()).filter(is_part).filter(is_of) {
                let (point, does) = self.point_of(place, &moment.step, element)?;
                for earlier in self.earlier_points((place, &point), own) {
                    take(&mut open, place, does.intersect(&earlier));
                }
            }
        }
        for place in (0..moment.done).rev().filter(is_of) {
            take(&mut open, place, self.writes(place, &moment.step, element)?);
        }
        for part in open {
            found.extend(self.past(part, (tensor, element), &(moment.step.clone() - Affine::constant(1)))?);
        }
        Some(found)
    }

    /// That a part of an equation comes to its point before another part comes to one: one set for each index at which they differ first.
    fn earlier_points(&self, (place, point): (usize, &BTreeMap<Name, Affine>), own: usize) -> Vec<Polyhedron> {
        let orders = self.statements[own].order.iter().zip(&self.statements[place].order);
        let apart: Vec<Affine> = orders.map(|(own, other)| own.clone() - other.substitute(point)).collect();
        let first = |place: usize| {
            let same = apart[..place].iter().flat_map(|form| [form.clone(), -form.clone()]);
            Polyhedron::new(same.chain([apart[place].clone() - Affine::constant(1)]))
        };
        (0..apart.len()).map(first).collect()
    }

    /// Where an element comes from that was last written in step `last` or before; `None` where that has no closed form.
    pub(super) fn past(&self, set: Polyhedron, (tensor, element): Element, last: &Affine) -> Option<Cases> {
        let ends = self.ends(tensor, element, last)?;
        let mut found: Cases = vec![];
        for (number, end) in ends.iter().enumerate() {
            let mut parts = vec![set.intersect(&end.points)];
            for later in ends.iter().enumerate().filter_map(|(other, that)| that.beats(end, other < number)) {
                parts = left_of(&parts, &later);
            }
            parts.retain(|part| !part.is_empty());
            found.extend(parts.into_iter().map(|part| (part, Origin::Written(end.place, end.step.clone()))));
        }
        let given = ends.iter().fold(vec![set], |given, end| left_of(&given, &end.points));
        found.extend(given.into_iter().map(|part| (part, Origin::Given)));
        Some(found)
    }

    /// For each statement of a tensor the steps that may be the last, up to `last`, in which it writes an element.
    fn ends(&self, tensor: &Name, element: &[Affine], last: &Affine) -> Option<Vec<End>> {
        let time = name("any step");
        let is_of = |place: &usize| self.statements[*place].equation.target == *tensor;
        let mut ends = vec![];
        for place in (0..self.statements.len()).filter(is_of) {
            let mut all = self.writes(place, &Affine::variable(&time), element)?;
            all.add(last.clone() - Affine::variable(&time));
            let (_, upper) = all.bounds(&time);
            for bound in upper {
                if bound.coefficient != 1 {
                    return None;
                }
                let image = BTreeMap::from([(time.clone(), bound.form.clone())]);
                ends.push(End { place, step: bound.form, points: all.substitute(&image) });
            }
        }
        Some(ends)
    }
}

/// The last step in which an equation writes an element, at the points where it is this one.
struct End {
    place: usize,
    step: Affine,
    points: Polyhedron,
}

impl End {
    /// Where this is later than another; of two of one equation, which are then one step, where it `is_first` in the list.
    fn beats(&self, other: &End, is_first: bool) -> Option<Polyhedron> {
        let later = self.step.clone() - other.step.clone();
        match self.place.cmp(&other.place) {
            Ordering::Equal if is_first => Some(self.points.clone()),
            Ordering::Equal => None,
            Ordering::Greater => Some(self.points.intersect(&Polyhedron::new([later]))),
            Ordering::Less => Some(self.points.intersect(&Polyhedron::new([later - Affine::constant(1)]))),
        }
    }
}

/// What of some sets lies outside of another one; a set that does not meet it stays whole.
fn left_of(parts: &[Polyhedron], other: &Polyhedron) -> Vec<Polyhedron> {
    let outside = |part: &Polyhedron| match part.intersect(other).is_empty() {
        true => vec![part.clone()],
        false => part.outside(other),
    };
    parts.iter().flat_map(outside).filter(|part| !part.is_empty()).collect()
}
