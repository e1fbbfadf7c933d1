//! `inout A[N, N] over k in 0..N`: what comes in and what leaves under one name.
//!
//! In: equations of such tensors; those with the same steps are carried out together. They are carried out one after the other for each value of
//! `k`, and each element by element, in the order of its indices; what they read is what stands there at that moment. Equations of other
//! tensors read what leaves, or, with `k` on their left, what stands there in that step at their place in the text. Out: equations in which
//! every element has one value. Each equation of the tensor has a tensor of its own, `A_1[k, i, j]`, and each read has the last of them that is
//! written before it, or what comes in. What leaves, `A_out`, has the last of all. Which one that is may depend on the point: then an equation
//! is several. Where an equation replaces every second element, as `A[2*i]`, all of the tensor are parts by the rests of that place.

use super::Lowering;
use super::last_writes::{Element, Moment, Origin, Sources, Statement, Work, incoming};
use super::new_and_old::{Source, divided_reduction, parts_by_sources};
use super::strides::{Strided, Strides};
use crate::recurrence::{Domain, Equation, Expr, Role, Tensor};
use crate::syntax::ast;
use crate::syntax::print_expression;
use std::collections::{BTreeMap, BTreeSet};
use systole_base::diagnostic::Diagnostic;
use systole_base::integer::{Affine, Name, Polyhedron, name, unused};
use systole_base::span::Span;

/// An equation, and its place in the text.
pub(super) type Placed = (usize, Equation);

/// How many equations one may become.
pub(super) const CASE_LIMIT: usize = 64;

/// By how much the range of the steps may end before it begins: `1..N - 1` does so by one at N = 1. The tensor of their results has an element
/// more for each, since no extent may be negative. Ranges that people write stay below this.
const MOST_BEFORE: i64 = 8;

pub(super) const TOO_MANY_CASES: &str = "an equation of what is replaced has too many cases";

const NO_CLOSED_FORM: &str = "where the last value of an element was written has no closed form";

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

impl Lowering<'_> {
    /// The steps in which the elements of a declared tensor are replaced; one where none are said.
    pub(super) fn declare_replaced(&mut self, tensor: &ast::Tensor, span: Span) {
        let taken = self.declared();
        let (step, range) = match &tensor.over {
            None => (unused("step", &taken), Some((Affine::default(), Affine::constant(1)))),
            Some(ast::Binding { index, range: Some((low, high)), step: 1 }) => {
                let (low, high) = (self.lower_affine(low, &[]), self.lower_affine(high, &[]));
                (index.node.clone(), low.zip(high))
            }
            Some(binding) => {
                self.report(self.steps_not_by_ones(tensor, binding));
                return;
            }
        };
        if let Some(range) = range {
            self.replaced.push(Replaced { tensor: tensor.name.node.clone(), step, range, span });
        }
    }

    /// What is said of steps without a range, or with one that does not run by ones.
    fn steps_not_by_ones(&self, tensor: &ast::Tensor, binding: &ast::Binding) -> Diagnostic {
        let (index, name) = (&binding.index.node, &tensor.name.node);
        let (message, help) = match (&binding.range, binding.step) {
            (None, _) => (
                format!("the steps of `{name}` have no range"),
                format!("say from where to where they run: `over {index} in 0..N`"),
            ),
            (Some((low, _)), -1) => {
                let low = print_expression(low);
                (
                    format!("the steps of `{name}` run backward"),
                    format!("count them from 0, and write `{low} - {index}` in the equations where `{index}` stood"),
                )
            }
            (Some(_), step) => (
                format!("the steps of `{name}` run by {step}"),
                format!(
                    "steps run by ones; for others declare a tensor with an index for the steps in place of `inout {name}`"
                ),
            ),
        };
        let label = format!("the steps in which `{name}` is replaced");
        self.blame(binding.index.span, message, &label).help(help)
    }

    /// The names of sizes and tensors.
    fn declared(&self) -> Vec<Name> {
        self.parameters.iter().chain(self.tensors.iter().map(|known| &known.name)).cloned().collect()
    }

    /// All equations with one value for each element.
    pub(super) fn write_once(&mut self, equations: Vec<Equation>) -> Vec<Equation> {
        let mut open = std::mem::take(&mut self.replaced);
        equations.iter().for_each(|equation| self.refuse_other_steps(&open, equation));
        let is_replaced = |open: &[Replaced], tensor: &Name| open.iter().any(|replaced| replaced.tensor == *tensor);
        let plain = equations.iter().map(|equation| &equation.target).filter(|target| !is_replaced(&open, target));
        let plain: BTreeSet<Name> = plain.cloned().collect();
        let mut placed: Vec<Placed> = equations.into_iter().enumerate().collect();
        while let Some(first) = open.first().cloned() {
            let is_along = |other: &Replaced| other.step == first.step && other.range == first.range;
            let (tensors, rest): (Vec<Replaced>, Vec<Replaced>) = open.into_iter().partition(is_along);
            open = rest;
            let (own, others): (Vec<Placed>, Vec<Placed>) =
                placed.into_iter().partition(|(_, equation)| is_replaced(&tensors, &equation.target));
            // What has a value for each step reads what stands there in its step.
            let is_within = |(_, equation): &Placed| {
                plain.contains(&equation.target) && equation.domain.indices.contains(&first.step)
            };
            let (within, after): (Vec<Placed>, Vec<Placed>) = others.into_iter().partition(is_within);
            placed = after;
            if let Some((names, written)) = self.write_tensors_once(&tensors, own, within) {
                let leaves = |read: &Name, subscripts: &[Affine]| Some((names.get(read)?.clone(), subscripts.to_vec()));
                placed.iter_mut().for_each(|(_, equation)| equation.value = equation.value.redirect(&leaves));
                placed.extend(written);
            }
        }
        placed.into_iter().map(|(_, equation)| equation).collect()
    }

    /// Refuses an equation of what is replaced which reads what is replaced in other steps of the same index: it has what leaves, the same at
    /// each step, and says otherwise.
    fn refuse_other_steps(&mut self, open: &[Replaced], equation: &Equation) {
        let of = |tensor: &Name| open.iter().find(|replaced| replaced.tensor == *tensor);
        let Some(own) = of(&equation.target) else { return };
        let is_misread = |read: &&Replaced| own.step == read.step && own.range != read.range;
        let mut misread = None;
        equation.value.visit_reads(&equation.domain.set, &mut |tensor, _, _| {
            misread = misread.or(of(tensor).filter(is_misread));
        });
        let Some(Replaced { tensor, step, .. }) = misread else { return };
        let target = &equation.target;
        let message =
            format!("`{target}` has an index `{step}`, but reads `{tensor}` as it leaves, after all steps of `{step}`");
        let help = format!(
            "call the index of `{target}` something else if that is meant; for the elements at each step declare a tensor with \
             an index for the steps in place of `inout {tensor}`"
        );
        self.report(self.blame(equation.span, message, "reads what is replaced").help(help));
    }

    /// What each tensor is called when it leaves, and all equations: those of the tensors, and those `within` that have a value for each step.
    /// All have their place in the text.
    fn write_tensors_once(
        &mut self,
        tensors: &[Replaced],
        own: Vec<Placed>,
        within: Vec<Placed>,
    ) -> Option<(BTreeMap<Name, Name>, Vec<Placed>)> {
        let first = tensors.first()?;
        let (step, range) = (first.step.clone(), first.range.clone());
        let done_before: Vec<usize> =
            within.iter().map(|(place, _)| own.iter().take_while(|(other, _)| other < place).count()).collect();
        let (mut statements, mut starts): (Vec<Statement>, Vec<usize>) = (vec![], vec![]);
        let (own, strides) = self.in_strides(own)?;
        for parts in own {
            starts.push(statements.len());
            for part in parts {
                let replaced = tensors.iter().find(|replaced| replaced.tensor == part.equation.target)?;
                let statement = self.statement(replaced, part, &statements)?;
                statements.push(statement);
            }
        }
        starts.push(statements.len());
        let sizes = Polyhedron::sizes(&self.parameters);
        let work = Work { tensors: tensors.to_vec(), step, range, statements, sizes };
        self.refuse_meeting_parts(&work)?;
        let (mut names, mut written) = (BTreeMap::new(), vec![]);
        for place in 0..work.statements.len() {
            written.extend(self.write_statement_once(&work, place)?);
            if work.statements[place].first == place {
                written.extend(self.fill_rest(&work, place, &strides)?);
            }
        }
        let mut written: Vec<Placed> = written.into_iter().map(|equation| (usize::MAX, equation)).collect();
        for ((place, equation), done) in within.into_iter().zip(done_before) {
            let order = vec![Affine::variable(&work.step)];
            for part in self.read_by_strides(&Strided { equation, order }, &strides)? {
                let moment = Moment { step: part.order[0].clone(), done: starts[done], at_work: None };
                let sources = |set: &Polyhedron, read: Element| work.before(set, read, &moment);
                let parts = self.divide_by_sources(&work, part.equation, &sources)?;
                written.extend(parts.into_iter().map(|part| (place, part)));
            }
        }
        for replaced in tensors {
            let (last, equations) = self.write_last(&work, replaced, &strides)?;
            written.extend(equations.into_iter().map(|equation| (usize::MAX, equation)));
            names.insert(replaced.tensor.clone(), last);
        }
        let given = |read: &Name, subscripts: &[Affine]| {
            let is_it = |replaced: &&Replaced| incoming(&replaced.tensor) == *read;
            tensors.iter().find(is_it).map(|replaced| (replaced.tensor.clone(), subscripts.to_vec()))
        };
        written.iter_mut().for_each(|(_, equation)| equation.value = equation.value.redirect(&given));
        Some((names, written))
    }

    /// Refuses an equation that replaces an element more than once in a step, as `A[i div 2]` does.
    fn refuse_meeting_parts(&mut self, work: &Work) -> Option<()> {
        let places = 0..work.statements.len();
        let meet = |(place, other): &(usize, usize)| {
            work.statements[*place].first == work.statements[*other].first && work.meet(*place, *other)
        };
        let met = places.clone().flat_map(|place| (0..place).map(move |other| (place, other))).find(meet);
        let Some((place, _)) = met else { return Some(()) };
        let equation = &work.statements[place].equation;
        let message = format!("an equation replaces an element of `{}` more than once in a step", equation.target);
        let help = "write an equation for each time: those in which `i mod 2` is 0, then those in which it is 1";
        self.report(self.blame(equation.span, message, "for several values of its indices").help(help));
        None
    }

    /// An equation, or a part of the one that `before` it ends with, whose subscripts say its indices one after the other; its result gets a tensor.
    fn statement(&mut self, replaced: &Replaced, part: Strided, before: &[Statement]) -> Option<Statement> {
        let Strided { equation, order } = part;
        let (mut known, mut is_said) = (BTreeSet::from([replaced.step.clone()]), true);
        let indices = &equation.domain.indices;
        let is_known = |name: &Name| indices.contains(name) || self.parameters.contains(name);
        for form in &equation.subscripts {
            let named = form.terms().map(|(name, _)| name);
            let new: Vec<Name> =
                named.filter(|name| indices.contains(name) && !known.contains(*name)).cloned().collect();
            is_said &= new.len() <= 1 && form.terms().all(|(name, _)| is_known(name));
            known.extend(new);
        }
        if !is_said || indices.iter().any(|index| !known.contains(index)) {
            let message = format!("what an equation of `{}` replaces is not said by single indices", replaced.tensor);
            let help = format!(
                "write one index in each place, beside those before it and forms of `{0}`, as in `A[i, i + j, {0}]`",
                replaced.step
            );
            self.report(self.blame(equation.span, message, "of a tensor that comes in and leaves").help(help));
            return None;
        }
        let whole =
            before.last().filter(|last| last.equation.span == equation.span && last.equation.target == equation.target);
        if let Some(Statement { first, result, .. }) = whole {
            return Some(Statement { equation, first: *first, order, result: result.clone() });
        }
        let taken = self.declared();
        let count =
            self.tensors.iter().filter(|known| known.name.starts_with(&format!("{}_", replaced.tensor))).count();
        let result = unused(&format!("{}_{}", replaced.tensor, count + 1), &taken);
        let shape = self.tensor(&replaced.tensor)?.shape.clone();
        let shape = std::iter::once(self.places_for_steps(replaced)?).chain(shape).collect();
        let span = replaced.span;
        self.tensors.push(Tensor { name: result.clone(), role: Role::Local, shape, assumption: None, span });
        Some(Statement { equation, first: before.len(), order, result })
    }

    /// How long a tensor of the results of steps is: as long as there are steps, or longer where their range can end before it begins.
    fn places_for_steps(&mut self, replaced: &Replaced) -> Option<Affine> {
        let (low, high) = replaced.range.clone();
        let count = high - low;
        let sizes = Polyhedron::sizes(&self.parameters);
        let places = (0..=MOST_BEFORE).map(|more| count.clone() + Affine::constant(more));
        let found = places.into_iter().find(|places| sizes.implies(places));
        if found.is_none() {
            let is_never = sizes.implies(&-count.clone());
            let (low, high) = &replaced.range;
            let message = match is_never {
                true => format!("`{}` has no steps at any size", replaced.tensor),
                false => format!("the steps of `{}` can end before they begin", replaced.tensor),
            };
            let help = match is_never {
                true => "let the range end behind its beginning".to_owned(),
                false => format!("say behind the sizes of the kernel that they cannot: `where {low} <= {high}`"),
            };
            self.report(self.blame(replaced.span, message, &format!("from `{low}` to before `{high}`")).help(help));
        }
        found
    }

    /// The equations of what a statement writes.
    fn write_statement_once(&mut self, work: &Work, place: usize) -> Option<Vec<Equation>> {
        let Statement { equation, result, first, .. } = &work.statements[place];
        let step = Affine::variable(&work.step);
        let target = work.result_at(&step, &equation.subscripts);
        let whole = Equation { target: result.clone(), subscripts: target, ..equation.clone() };
        let moment = Moment { step, done: *first, at_work: Some(place) };
        let sources = |set: &Polyhedron, read: Element| work.before(set, read, &moment);
        self.divide_by_sources(work, whole, &sources)
    }

    /// An equation with what its reads of the tensor are, one for each case. Each read is looked at by itself: the same element may be read by two
    /// reductions, of which only one runs over what this step has written.
    fn divide_by_sources(&mut self, work: &Work, whole: Equation, sources: &Sources) -> Option<Vec<Equation>> {
        let is_open = |tensor: &Name| work.tensors.iter().any(|replaced| replaced.tensor == *tensor);
        let (mut open, mut done) = (vec![whole], vec![]);
        while let Some(next) = open.pop() {
            let set = next.domain.set.intersect(&work.sizes);
            let mut first = None;
            next.value.visit_reads(&set, &mut |tensor, subscripts, within| {
                if first.is_none() && is_open(tensor) {
                    first = Some((tensor.clone(), subscripts.to_vec(), within.clone()));
                }
            });
            let Some((read, element, within)) = first else {
                done.push(next);
                continue;
            };
            let Some(mut cases) = sources(&within, (&read, &element)) else {
                return self.refuse_sources(&next, NO_CLOSED_FORM);
            };
            cases.retain(|(case, _)| !case.intersect(&within).is_empty());
            let of = |set: Polyhedron, value: Expr| {
                let domain = Domain { set, ..next.domain.clone() };
                Equation { domain, value, ..next.clone() }
            };
            let is_reduced = within != set;
            if is_reduced {
                let parts = parts_by_sources(&next.domain, (&set, &within), &cases);
                match &parts[..] {
                    // There is a source for a reduction that reads nothing, too.
                    [_] if cases.is_empty() => {
                        let source = work.read(&read, &Origin::Given, &element);
                        open.push(of(next.domain.set.clone(), next.value.redirect_first(&is_open, &source)));
                    }
                    [_] => {
                        let sources: Vec<Source> = cases
                            .iter()
                            .map(|(case, origin)| (case.clone(), work.read(&read, origin, &element)))
                            .collect();
                        let Some(value) = divided_reduction(&next.value, (&set, &sources), &is_open) else {
                            return self.refuse_sources(&next, NO_CLOSED_FORM);
                        };
                        open.push(of(next.domain.set.clone(), value));
                    }
                    _ => open.extend(parts.into_iter().map(|part| of(part, next.value.clone()))),
                }
            } else {
                for (case, origin) in cases {
                    let source = work.read(&read, &origin, &element);
                    let value = next.value.redirect_first(&is_open, &source);
                    open.push(of(next.domain.set.intersect(&case), value));
                }
            }
            if open.len() + done.len() > CASE_LIMIT {
                return self.refuse_sources(&next, TOO_MANY_CASES);
            }
        }
        Some(done)
    }

    pub(super) fn refuse_sources<T>(&mut self, equation: &Equation, message: &str) -> Option<T> {
        let help = "write the values of each step as a tensor of its own: `A[k + 1, i, j] = ..`";
        self.report(self.blame(equation.span, message.to_owned(), "in this equation").help(help));
        None
    }

    /// What an equation does not write is 0 in its tensor, and is never read; `place` is that of its first part.
    fn fill_rest(&mut self, work: &Work, place: usize, strides: &Strides) -> Option<Vec<Equation>> {
        let Statement { equation, result, .. } = &work.statements[place];
        let step = Affine::variable(&work.step);
        let of_part = |part: &Statement| {
            let target = work.result_at(&step, &part.equation.subscripts);
            Equation { target: result.clone(), subscripts: target, ..part.equation.clone() }
        };
        let parts: Vec<Equation> = work.statements.iter().filter(|part| part.first == place).map(of_part).collect();
        let extents = self.tensor(result)?.shape.clone();
        let taken = self.declared();
        let indices: Vec<Name> = (0..extents.len()).map(|axis| unused(&format!("x{axis}"), &taken)).collect();
        let fill = Equation {
            target: result.clone(),
            subscripts: indices.iter().map(Affine::variable).collect(),
            domain: Domain { set: box_of(&indices, &extents), indices },
            value: Expr::Number(0.0),
            span: equation.span,
        };
        let mut filled = vec![];
        // The number of the step comes first.
        for fill in self.by_strides(fill, (strides, &equation.target), 1)? {
            let Some(left) = self.left_of(fill.domain.set.clone(), &fill.subscripts, &parts.iter().collect::<Vec<_>>())
            else {
                let message = "which elements an equation replaces cannot be said by inequalities";
                return self.refuse_sources(equation, message);
            };
            let with = |set| Equation { domain: Domain { set, ..fill.domain.clone() }, ..fill.clone() };
            filled.extend(left.into_iter().map(with));
        }
        Some(filled)
    }

    /// What leaves.
    fn write_last(&mut self, work: &Work, replaced: &Replaced, strides: &Strides) -> Option<(Name, Vec<Equation>)> {
        let tensor = &replaced.tensor;
        let shape = self.tensor(tensor)?.shape.clone();
        let taken = self.declared();
        let target = unused(&format!("{tensor}_out"), &taken);
        let span = replaced.span;
        self.tensors.push(Tensor {
            name: target.clone(),
            role: Role::Output,
            shape: shape.clone(),
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
            domain: Domain { indices: indices.clone(), set: box_of(&indices, &shape) },
            value: Expr::Read { tensor: tensor.clone(), subscripts, span },
            span,
        };
        let sources = |set: &Polyhedron, read: Element| {
            work.past(set.clone(), read, &(work.range.1.clone() - Affine::constant(1)))
        };
        let mut equations = vec![];
        for part in self.by_strides(whole, (strides, tensor), 0)? {
            equations.extend(self.divide_by_sources(work, part, &sources)?);
        }
        Some((target, equations))
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
