//! `inout A[N, N] over k in 0..N`: what comes in and what leaves under one name.
//!
//! In: equations of such tensors; those with the same steps are carried out together. They are carried out one after the other for each value of `k`, and each element by element, in the
//! order of the indices on the left; what they read is what stands there at that moment. Out: equations in which every element has one
//! value. Each equation of the tensor has a tensor of its own, `A_1[k, i, j]`, and each read has the last of them that is written before
//! it, or what comes in. What leaves, `A_out`, has the last of all. Which one that is may depend on the point: then an equation is several.

use super::Lowering;
use super::last_writes::{Element, Moment, Origin, Sources, Statement, Work, incoming};
use super::new_and_old::{Source, divided_reduction, parts_by_sources};
use crate::recurrence::{Domain, Equation, Expr, Role, Tensor};
use crate::syntax::ast;
use crate::syntax::print_expression;
use std::collections::BTreeMap;
use systole_base::diagnostic::Diagnostic;
use systole_base::integer::{Affine, Name, Polyhedron, name, unused};
use systole_base::span::Span;

/// How many equations one may become.
const CASE_LIMIT: usize = 64;

/// By how much the range of the steps may end before it begins: `1..N - 1` does so by one at N = 1. The tensor of their results has an element
/// more for each, since no extent may be negative. Ranges that people write stay below this.
const MOST_BEFORE: i64 = 8;

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
    pub(super) fn write_once(&mut self, mut equations: Vec<Equation>) -> Vec<Equation> {
        let mut open = std::mem::take(&mut self.replaced);
        equations.iter().for_each(|equation| self.refuse_steps_of_others(&open, equation));
        while let Some(first) = open.first().cloned() {
            let is_along = |other: &Replaced| other.step == first.step && other.range == first.range;
            let (tensors, rest): (Vec<Replaced>, Vec<Replaced>) = open.into_iter().partition(is_along);
            open = rest;
            let is_own = |equation: &Equation| tensors.iter().any(|replaced| replaced.tensor == equation.target);
            let (own, mut others): (Vec<Equation>, Vec<Equation>) = equations.into_iter().partition(is_own);
            if let Some((names, written)) = self.write_tensors_once(&tensors, own) {
                let leaves = |read: &Name, subscripts: &[Affine]| Some((names.get(read)?.clone(), subscripts.to_vec()));
                others.iter_mut().for_each(|equation| equation.value = equation.value.redirect(&leaves));
                others.extend(written);
            }
            equations = others;
        }
        equations
    }

    /// Refuses an equation with the index of steps that are not its own which reads what they replace: it has what leaves, the same at each
    /// step, and says otherwise. What a reduction binds is a name of its own, as in `sum(k in 0..i) A[i, k]`.
    fn refuse_steps_of_others(&mut self, open: &[Replaced], equation: &Equation) {
        let of = |tensor: &Name| open.iter().find(|replaced| replaced.tensor == *tensor);
        let own = of(&equation.target);
        let is_misread = |read: &&Replaced| match own {
            Some(own) => own.step == read.step && own.range != read.range,
            None => equation.domain.indices.contains(&read.step),
        };
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

    /// What each tensor is called when it leaves, and all equations.
    fn write_tensors_once(
        &mut self,
        tensors: &[Replaced],
        own: Vec<Equation>,
    ) -> Option<(BTreeMap<Name, Name>, Vec<Equation>)> {
        let first = tensors.first()?;
        let (step, range) = (first.step.clone(), first.range.clone());
        let mut statements = vec![];
        for equation in own {
            let replaced = tensors.iter().find(|replaced| replaced.tensor == equation.target)?;
            statements.push(self.statement(replaced, equation)?);
        }
        let sizes = Polyhedron::sizes(&self.parameters);
        let work = Work { tensors: tensors.to_vec(), step, range, statements, sizes };
        let (mut names, mut written) = (BTreeMap::new(), vec![]);
        for place in 0..work.statements.len() {
            written.extend(self.write_statement_once(&work, place)?);
            written.extend(self.fill_rest(&work, place)?);
        }
        for replaced in tensors {
            let (last, equations) = self.write_last(&work, replaced)?;
            written.extend(equations);
            names.insert(replaced.tensor.clone(), last);
        }
        let given = |read: &Name, subscripts: &[Affine]| {
            let is_it = |replaced: &&Replaced| incoming(&replaced.tensor) == *read;
            tensors.iter().find(is_it).map(|replaced| (replaced.tensor.clone(), subscripts.to_vec()))
        };
        written.iter_mut().for_each(|equation| equation.value = equation.value.redirect(&given));
        Some((names, written))
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
            let help = format!(
                "write an index alone in each place, or a form of `{step}`, as in `A[i, {step}]`; `div` and `mod` divide an index"
            );
            self.report(self.blame(equation.span, message, "of a tensor that comes in and leaves").help(help));
            return None;
        }
        let taken = self.declared();
        let count =
            self.tensors.iter().filter(|known| known.name.starts_with(&format!("{}_", replaced.tensor))).count();
        let result = unused(&format!("{}_{}", replaced.tensor, count + 1), &taken);
        let shape = self.tensor(&replaced.tensor)?.shape.clone();
        let shape = std::iter::once(self.places_for_steps(replaced)?).chain(shape).collect();
        let span = replaced.span;
        self.tensors.push(Tensor { name: result.clone(), role: Role::Local, shape, assumption: None, span });
        Some(Statement { equation, axes, result })
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
        let Statement { equation, result, axes } = &work.statements[place];
        let point: Vec<Name> = axes.iter().flatten().cloned().collect();
        let step = Affine::variable(&work.step);
        let target = work.result_at(&step, &equation.subscripts);
        let whole = Equation { target: result.clone(), subscripts: target, ..equation.clone() };
        let sources = |set: &Polyhedron, (tensor, element): Element| {
            work.before(set, (tensor, element), &Moment { statement: place, step: step.clone(), point: &point })
        };
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
    fn fill_rest(&mut self, work: &Work, place: usize) -> Option<Vec<Equation>> {
        let Statement { equation, result, .. } = &work.statements[place];
        let step = Affine::variable(&work.step);
        let target = work.result_at(&step, &equation.subscripts);
        let whole = Equation { target: result.clone(), subscripts: target, ..equation.clone() };
        let extents = self.tensor(result)?.shape.clone();
        let taken = self.declared();
        let indices: Vec<Name> = (0..extents.len()).map(|axis| unused(&format!("x{axis}"), &taken)).collect();
        let subscripts: Vec<Affine> = indices.iter().map(Affine::variable).collect();
        let Some(left) = self.left_of(box_of(&indices, &extents), &subscripts, &[&whole]) else {
            return self.refuse_sources(equation, "which elements an equation replaces cannot be said by inequalities");
        };
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
    fn write_last(&mut self, work: &Work, replaced: &Replaced) -> Option<(Name, Vec<Equation>)> {
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
        Some((target, self.divide_by_sources(work, whole, &sources)?))
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
