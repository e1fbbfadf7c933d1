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

/// One equation of such a tensor.
pub(super) struct Statement {
    /// The equation, whose target is what it replaces elements of.
    pub(super) equation: Equation,
    /// For each subscript the index that stands there alone; of the others the step says what they are.
    pub(super) axes: Vec<Option<Name>>,
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

/// A moment of the work: before a statement writes its element at a point of a step.
pub(super) struct Moment<'a> {
    pub(super) statement: usize,
    pub(super) step: Affine,
    /// The values of the statement's indices.
    pub(super) point: &'a [Name],
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

    /// That a statement writes an element in a step.
    fn writes(&self, place: usize, step: &Affine, element: &[Affine]) -> Polyhedron {
        let Statement { equation, axes, .. } = &self.statements[place];
        let mut image: BTreeMap<Name, Affine> =
            axes.iter().zip(element).filter_map(|(axis, form)| Some((axis.clone()?, form.clone()))).collect();
        image.insert(self.step.clone(), step.clone());
        let said = equation.subscripts.iter().zip(axes).zip(element).filter(|((_, axis), _)| axis.is_none());
        let equal = said.flat_map(|((form, _), element)| {
            let apart = form.substitute(&image) - element.clone();
            [apart.clone(), -apart]
        });
        Polyhedron::new(equal).intersect(&equation.domain.set.substitute(&image))
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
        if is_of(&moment.statement) {
            let own = self.writes(moment.statement, &moment.step, element);
            for earlier in self.earlier_points(element, moment) {
                take(&mut open, moment.statement, own.intersect(&earlier));
            }
        }
        for place in (0..moment.statement).rev().filter(is_of) {
            take(&mut open, place, self.writes(place, &moment.step, element));
        }
        for part in open {
            found.extend(self.past(part, (tensor, element), &(moment.step.clone() - Affine::constant(1)))?);
        }
        Some(found)
    }

    /// That a statement comes to an element before it comes to a point: one set for each index at which they differ first.
    fn earlier_points(&self, element: &[Affine], moment: &Moment) -> Vec<Polyhedron> {
        let axes = &self.statements[moment.statement].axes;
        let own = axes.iter().zip(element).filter(|(axis, _)| axis.is_some()).map(|(_, form)| form.clone());
        let apart: Vec<Affine> =
            moment.point.iter().zip(own).map(|(index, form)| Affine::variable(index) - form).collect();
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

    /// For each equation of a tensor the steps that may be the last, up to `last`, in which it writes an element.
    fn ends(&self, tensor: &Name, element: &[Affine], last: &Affine) -> Option<Vec<End>> {
        let time = name("any step");
        let is_of = |place: &usize| self.statements[*place].equation.target == *tensor;
        let mut ends = vec![];
        for place in (0..self.statements.len()).filter(is_of) {
            let mut all = self.writes(place, &Affine::variable(&time), element);
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
