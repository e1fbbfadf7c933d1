//! `inout A[N, N] over k in 0..N`: what comes in and what leaves under one name.
//!
//! In: equations of such a tensor. They are carried out one after the other for each value of `k`, and each element by element, in the
//! order of the indices on the left; what they read is what stands there at that moment. Out: equations in which every element has one
//! value. Each equation of the tensor has a tensor of its own, `A_1[k, i, j]`, and each read has the last of them that is written before
//! it, or what comes in. What leaves, `A_out`, has the last of all. Which one that is may depend on the point: then an equation is several.
//! Paper: Feautrier, Dataflow analysis of array and scalar references, 1991, for one index of time.

use super::Lowering;
use crate::recurrence::{Domain, Equation, Expr, Role, Tensor};
use crate::syntax::ast;
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron, name, unused};
use systole_base::span::Span;

/// How many equations one may become.
const CASE_LIMIT: usize = 64;

/// A tensor whose elements are replaced, and the steps in which that is done.
#[derive(Clone)]
pub(super) struct Replaced {
    pub(super) tensor: Name,
    /// The index of the steps.
    pub(super) step: Name,
    /// From the first step to the one behind the last.
    pub(super) range: (Affine, Affine),
    pub(super) span: Span,
}

/// One equation of such a tensor.
struct Statement {
    equation: Equation,
    /// For each subscript the index that stands there alone; of the others the step says what they are.
    axes: Vec<Option<Name>>,
    /// The tensor of what it writes.
    result: Name,
}

/// Where an element comes from.
#[derive(Clone)]
enum Origin {
    /// It came in.
    Given,
    /// A statement wrote it in this step.
    Written(usize, Affine),
}

/// Points, and where an element comes from there.
type Cases = Vec<(Polyhedron, Origin)>;

/// A moment of the work: before a statement writes its element at a point of a step.
struct Moment<'a> {
    statement: usize,
    step: Affine,
    /// The values of the statement's indices.
    point: &'a [Name],
}

/// All statements of a tensor, in order.
struct Work {
    replaced: Replaced,
    statements: Vec<Statement>,
    sizes: Polyhedron,
}

impl Lowering<'_> {
    /// The steps in which the elements of a declared tensor are replaced; one where none are said.
    pub(super) fn declare_replaced(&mut self, tensor: &ast::Tensor, span: Span) {
        let taken: Vec<Name> =
            self.parameters.iter().chain(self.tensors.iter().map(|known| &known.name)).cloned().collect();
        let (step, range) = match &tensor.over {
            None => (unused("step", &taken), Some((Affine::default(), Affine::constant(1)))),
            Some(ast::Binding { index, range: Some((low, high)), step: 1 }) => {
                let (low, high) = (self.lower_affine(low, &[]), self.lower_affine(high, &[]));
                (index.node.clone(), low.zip(high))
            }
            Some(binding) => {
                let message = format!("the steps of `{}` have no range by ones", tensor.name.node);
                let help = format!("say from where to where they run: `over {} in 0..N`", binding.index.node);
                self.report(self.blame(binding.index.span, message, "of what is replaced").help(help));
                return;
            }
        };
        if let Some(range) = range {
            self.replaced.push(Replaced { tensor: tensor.name.node.clone(), step, range, span });
        }
    }

    /// All equations with one value for each element.
    pub(super) fn write_once(&mut self, equations: Vec<Equation>) -> Vec<Equation> {
        let replaced = std::mem::take(&mut self.replaced);
        replaced.into_iter().fold(equations, |equations, replaced| {
            let (own, mut others): (Vec<_>, Vec<_>) =
                equations.into_iter().partition(|equation| equation.target == replaced.tensor);
            let tensor = replaced.tensor.clone();
            let Some((last, written)) = self.write_tensor_once(replaced, own) else { return others };
            let leaves =
                |read: &Name, subscripts: &[Affine]| (*read == tensor).then(|| (last.clone(), subscripts.to_vec()));
            others.iter_mut().for_each(|equation| equation.value = equation.value.redirect(&leaves));
            others.extend(written);
            others
        })
    }

    /// The name of what leaves, and all equations.
    fn write_tensor_once(&mut self, replaced: Replaced, own: Vec<Equation>) -> Option<(Name, Vec<Equation>)> {
        let shape = self.tensor(&replaced.tensor)?.shape.clone();
        let statements: Vec<Option<Statement>> =
            own.into_iter().map(|equation| self.statement(&replaced, equation)).collect();
        let statements: Vec<Statement> = statements.into_iter().collect::<Option<_>>()?;
        let sizes = Polyhedron::sizes(&self.parameters);
        let work = Work { replaced, statements, sizes };
        let mut written = vec![];
        for place in 0..work.statements.len() {
            written.extend(self.write_statement_once(&work, place)?);
            written.extend(self.fill_rest(&work, place, &shape)?);
        }
        let (last, equations) = self.write_last(&work, &shape)?;
        written.extend(equations);
        let incoming = work.incoming();
        let given = |tensor: &Name, subscripts: &[Affine]| {
            (*tensor == incoming).then(|| (work.replaced.tensor.clone(), subscripts.to_vec()))
        };
        written.iter_mut().for_each(|equation| equation.value = equation.value.redirect(&given));
        Some((last, written))
    }

    /// An equation whose subscripts are indices, each once, or what the step says; its result gets a tensor.
    fn statement(&mut self, replaced: &Replaced, equation: Equation) -> Option<Statement> {
        let step = &replaced.step;
        let axis = |form: &Affine| form.as_variable().filter(|index| *index != step).cloned();
        let axes: Vec<Option<Name>> = equation.subscripts.iter().map(axis).collect();
        let is_said = |(form, axis): (&Affine, &Option<Name>)| {
            axis.is_some() || form.terms().all(|(name, _)| name == step || self.parameters.contains(name))
        };
        let named: Vec<&Name> = axes.iter().flatten().collect();
        let is_once = named.iter().enumerate().all(|(place, index)| !named[..place].contains(index));
        let covers = equation.domain.indices.iter().all(|index| index == step || named.contains(&index));
        if !(is_once && covers && equation.subscripts.iter().zip(&axes).all(is_said)) {
            let message = format!("what an equation of `{}` replaces is not said by single indices", replaced.tensor);
            let help = format!("write an index alone in each place, or a form of `{step}`, as in `A[i, {step}]`");
            self.report(self.blame(equation.span, message, "of a tensor that comes in and leaves").help(help));
            return None;
        }
        let taken: Vec<Name> =
            self.parameters.iter().chain(self.tensors.iter().map(|known| &known.name)).cloned().collect();
        let count =
            self.tensors.iter().filter(|known| known.name.starts_with(&format!("{}_", replaced.tensor))).count();
        let result = unused(&format!("{}_{}", replaced.tensor, count + 1), &taken);
        let (low, high) = replaced.range.clone();
        let shape = self.tensor(&replaced.tensor)?.shape.clone();
        let shape = std::iter::once(high - low).chain(shape).collect();
        let span = replaced.span;
        self.tensors.push(Tensor { name: result.clone(), role: Role::Local, shape, assumption: None, span });
        Some(Statement { equation, axes, result })
    }

    /// The equations of what a statement writes.
    fn write_statement_once(&mut self, work: &Work, place: usize) -> Option<Vec<Equation>> {
        let Statement { equation, result, axes } = &work.statements[place];
        let point: Vec<Name> = axes.iter().flatten().cloned().collect();
        let step = Affine::variable(&work.replaced.step);
        let target = work.result_at(&step, &equation.subscripts);
        let whole = Equation { target: result.clone(), subscripts: target, ..equation.clone() };
        let sources = |work: &Work, set: &Polyhedron, element: &[Affine]| {
            work.before(set, element, &Moment { statement: place, step: step.clone(), point: &point })
        };
        self.divide_by_sources(work, whole, &sources)
    }

    /// An equation with what its reads of the tensor are, one for each case.
    fn divide_by_sources(
        &mut self,
        work: &Work,
        whole: Equation,
        sources: &dyn Fn(&Work, &Polyhedron, &[Affine]) -> Option<Cases>,
    ) -> Option<Vec<Equation>> {
        let (mut open, mut done) = (vec![whole], vec![]);
        while let Some(next) = open.pop() {
            let set = next.domain.set.intersect(&work.sizes);
            let mut reads = vec![];
            next.value.visit_reads(&set, &mut |tensor, subscripts, set| {
                if *tensor == work.replaced.tensor {
                    reads.push((subscripts.to_vec(), set.clone()));
                }
            });
            let Some((element, within)) = reads.into_iter().next() else {
                done.push(next);
                continue;
            };
            let Some(cases) = sources(work, &within, &element) else {
                return self.refuse_sources(&next, "where the last value of an element was written has no closed form");
            };
            let is_reduced = within != set;
            if is_reduced && cases.len() > 1 {
                return self.refuse_sources(&next, "a reduction reads elements that were last written in several ways");
            }
            for (case, origin) in cases {
                let read = work.read(&origin, &element);
                let other = |tensor: &Name, subscripts: &[Affine]| {
                    (*tensor == work.replaced.tensor && subscripts == element).then(|| read.clone())
                };
                let value = next.value.redirect(&other);
                let set = if is_reduced { next.domain.set.clone() } else { next.domain.set.intersect(&case) };
                let domain = Domain { set, ..next.domain.clone() };
                open.push(Equation { domain, value, ..next.clone() });
            }
            if open.len() + done.len() > CASE_LIMIT {
                return self.refuse_sources(&next, "an equation of what is replaced has too many cases");
            }
        }
        Some(done)
    }

    fn refuse_sources<T>(&mut self, equation: &Equation, message: &str) -> Option<T> {
        let help = "write the values of each step as a tensor of its own: `A[k + 1, i, j] = ..`";
        self.report(self.blame(equation.span, message.to_owned(), "in this equation").help(help));
        None
    }

    /// What a statement does not write is 0 in its tensor, and is never read.
    fn fill_rest(&mut self, work: &Work, place: usize, shape: &[Affine]) -> Option<Vec<Equation>> {
        let Statement { equation, result, .. } = &work.statements[place];
        let step = Affine::variable(&work.replaced.step);
        let target = work.result_at(&step, &equation.subscripts);
        let whole = Equation { target: result.clone(), subscripts: target, ..equation.clone() };
        let extents = std::iter::once(work.steps()).chain(shape.iter().cloned()).collect::<Vec<_>>();
        let indices: Vec<Name> = (0..extents.len()).map(|axis| name(&format!("x{axis}"))).collect();
        let Some(left) = self.left_of(box_of(&indices, &extents), &indices, &[&whole]) else {
            return self.refuse_sources(equation, "which elements an equation replaces cannot be said by inequalities");
        };
        let subscripts: Vec<Affine> = indices.iter().map(Affine::variable).collect();
        let fill = |set: Polyhedron| Equation {
            target: result.clone(),
            subscripts: subscripts.clone(),
            domain: Domain { indices: indices.clone(), set },
            value: Expr::Number(0.0),
            span: equation.span,
        };
        Some(left.into_iter().map(fill).collect())
    }

    /// What leaves.
    fn write_last(&mut self, work: &Work, shape: &[Affine]) -> Option<(Name, Vec<Equation>)> {
        let tensor = &work.replaced.tensor;
        let taken: Vec<Name> =
            self.parameters.iter().chain(self.tensors.iter().map(|known| &known.name)).cloned().collect();
        let target = unused(&format!("{tensor}_out"), &taken);
        let span = work.replaced.span;
        self.tensors.push(Tensor {
            name: target.clone(),
            role: Role::Output,
            shape: shape.to_vec(),
            assumption: None,
            span,
        });
        if let Some(given) = self.tensors.iter_mut().find(|known| known.name == *tensor) {
            given.role = Role::Input;
        }
        let wanted = ["i", "j", "k", "l", "m", "n"];
        let indices: Vec<Name> = (0..shape.len())
            .map(|axis| wanted.get(axis).map_or(name(&format!("x{axis}")), |index| name(index)))
            .map(|index| unused(&index, &taken))
            .collect();
        let subscripts: Vec<Affine> = indices.iter().map(Affine::variable).collect();
        let whole = Equation {
            target: target.clone(),
            subscripts: subscripts.clone(),
            domain: Domain { indices: indices.clone(), set: box_of(&indices, shape) },
            value: Expr::Read { tensor: tensor.clone(), subscripts, span },
            span,
        };
        let sources = |work: &Work, set: &Polyhedron, element: &[Affine]| {
            work.past(set.clone(), element, work.replaced.range.1.clone() - Affine::constant(1))
        };
        Some((target, self.divide_by_sources(work, whole, &sources)?))
    }
}

impl Work {
    fn steps(&self) -> Affine {
        self.replaced.range.1.clone() - self.replaced.range.0.clone()
    }

    /// What stands for what came in while equations are written: the tensor itself is what is to be found.
    fn incoming(&self) -> Name {
        name(&format!("{} given", self.replaced.tensor))
    }

    fn result_at(&self, step: &Affine, element: &[Affine]) -> Vec<Affine> {
        let number = step.clone() - self.replaced.range.0.clone();
        std::iter::once(number).chain(element.iter().cloned()).collect()
    }

    fn read(&self, origin: &Origin, element: &[Affine]) -> (Name, Vec<Affine>) {
        match origin {
            Origin::Given => (self.incoming(), element.to_vec()),
            Origin::Written(place, step) => (self.statements[*place].result.clone(), self.result_at(step, element)),
        }
    }

    /// That a statement writes an element in a step.
    fn writes(&self, place: usize, step: &Affine, element: &[Affine]) -> Polyhedron {
        let Statement { equation, axes, .. } = &self.statements[place];
        let mut image: BTreeMap<Name, Affine> =
            axes.iter().zip(element).filter_map(|(axis, form)| Some((axis.clone()?, form.clone()))).collect();
        image.insert(self.replaced.step.clone(), step.clone());
        let said = equation.subscripts.iter().zip(axes).zip(element).filter(|((_, axis), _)| axis.is_none());
        let equal = said.flat_map(|((form, _), element)| {
            let apart = form.substitute(&image) - element.clone();
            [apart.clone(), -apart]
        });
        Polyhedron::new(equal).intersect(&equation.domain.set.substitute(&image))
    }

    /// Where an element comes from that is read at a moment.
    fn before(&self, set: &Polyhedron, element: &[Affine], moment: &Moment) -> Option<Cases> {
        let mut found: Cases = vec![];
        let mut open = vec![set.clone()];
        let mut take = |open: &mut Vec<Polyhedron>, place: usize, region: Polyhedron| {
            let inside = open.iter().map(|part| part.intersect(&region)).filter(|part| !part.is_empty());
            found.extend(inside.map(|part| (part, Origin::Written(place, moment.step.clone()))));
            *open = open.iter().flat_map(|part| part.outside(&region)).filter(|part| !part.is_empty()).collect();
        };
        let own = self.writes(moment.statement, &moment.step, element);
        for earlier in self.earlier_points(element, moment) {
            take(&mut open, moment.statement, own.intersect(&earlier));
        }
        for place in (0..moment.statement).rev() {
            take(&mut open, place, self.writes(place, &moment.step, element));
        }
        for part in open {
            found.extend(self.past(part, element, moment.step.clone() - Affine::constant(1))?);
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
    fn past(&self, set: Polyhedron, element: &[Affine], last: Affine) -> Option<Cases> {
        let time = name("any step");
        let mut ends: Vec<(usize, Affine, Polyhedron)> = vec![];
        for place in 0..self.statements.len() {
            let mut all = self.writes(place, &Affine::variable(&time), element);
            all.add(last.clone() - Affine::variable(&time));
            let (_, upper) = all.bounds(&time);
            for bound in upper {
                if bound.coefficient != 1 {
                    return None;
                }
                let image = BTreeMap::from([(time.clone(), bound.form.clone())]);
                ends.push((place, bound.form, all.substitute(&image)));
            }
        }
        let mut found: Cases = vec![];
        for (number, (place, step, region)) in ends.iter().enumerate() {
            let mut parts = vec![set.intersect(region)];
            for (other, (other_place, other_step, other_region)) in ends.iter().enumerate() {
                let later = other_step.clone() - step.clone();
                let beats = match other_place.cmp(place) {
                    std::cmp::Ordering::Equal if other < number => other_region.clone(),
                    std::cmp::Ordering::Equal => continue,
                    std::cmp::Ordering::Greater => other_region.intersect(&Polyhedron::new([later])),
                    std::cmp::Ordering::Less => other_region.intersect(&Polyhedron::new([later - Affine::constant(1)])),
                };
                parts = parts.into_iter().flat_map(|part| part.outside(&beats)).collect();
                parts.retain(|part| !part.is_empty());
            }
            found.extend(
                parts
                    .into_iter()
                    .filter(|part| !part.is_empty())
                    .map(|part| (part, Origin::Written(*place, step.clone()))),
            );
        }
        let mut given = vec![set];
        for (.., region) in &ends {
            given = given.into_iter().flat_map(|part| part.outside(region)).filter(|part| !part.is_empty()).collect();
        }
        found.extend(given.into_iter().map(|part| (part, Origin::Given)));
        Some(found)
    }
}

/// The points from 0 to below the extents.
fn box_of(indices: &[Name], extents: &[Affine]) -> Polyhedron {
    let sides = indices.iter().zip(extents).flat_map(|(index, extent)| {
        let index = Affine::variable(index);
        [index.clone(), extent.clone() - index - Affine::constant(1)]
    });
    Polyhedron::new(sides)
}
