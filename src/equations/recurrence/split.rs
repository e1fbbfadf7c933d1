//! Reductions that are split: `sum(c, k, l) f` is `sum(k, l) sum(c) f`.
//!
//! In: equations, and how reductions over these indices are split. Out: equations in which each inner reduction defines a local
//! tensor of its own, `Y.c`, that the outer one reads. So it is a space of its own, and what it leaves is handed on like all that
//! is computed: over links, in the memory of a PE, or through one that all share. An operator is associative and commutative, so
//! values are those of the whole but for rounding.
//!
//! An index in strips is split alike: `sum(k)` is `sum(k div 16) sum(k mod 16)`. Lines along a strip end where the strip does, or
//! where the last one does. Each is an equation of its own, so that all its lines end on one face.

use super::{Domain, Equation, Expr, Operator, RecurrenceSystem, Role, Strip, Tensor, scattered_indices};
use std::fmt;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics};
use systole_base::integer::{Affine, Name, Polyhedron, name};
use systole_base::span::Span;

/// How a reduction is split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The operator.
    pub operator: Operator,
    /// The indices of each reduction that it becomes, the outermost first; those in strips as their halves.
    pub levels: Vec<Vec<Name>>,
}

impl Split {
    /// A reduction over these indices with those in strips divided: over the numbers of strips, and within them over positions.
    pub(super) fn in_strips(operator: Operator, indices: &[Name], strips: &[Strip]) -> Split {
        let strip = |index: &Name| strips.iter().find(|strip| strip.index == *index);
        let outer = indices.iter().map(|index| strip(index).map_or_else(|| index.clone(), Strip::number));
        let inner = indices.iter().filter_map(|index| Some(strip(index)?.position()));
        Split { operator, levels: vec![outer.collect(), inner.collect()] }
    }

    /// The strips of which it names both halves.
    pub fn strips(&self) -> Vec<Strip> {
        let names: Vec<&Name> = self.levels.iter().flatten().collect();
        let strips = names.iter().filter_map(|half| Strip::of(half));
        let mut both: Vec<Strip> =
            strips.filter(|strip| names.contains(&&strip.number()) && names.contains(&&strip.position())).collect();
        both.sort();
        both.dedup();
        both
    }

    /// The indices of the reduction that is split, in the order of the alphabet; one in strips once.
    pub fn whole(&self) -> Vec<Name> {
        let strips = self.strips();
        let of = |half: &Name| strips.iter().find(|strip| strip.number() == *half || strip.position() == *half);
        let names = self.levels.iter().flatten();
        sorted(names.map(|half| of(half).map_or_else(|| half.clone(), |strip| strip.index.clone())).collect())
    }

    /// Whether this is the reduction that it splits.
    pub(super) fn is_of(&self, operator: Operator, indices: &[Name]) -> bool {
        self.operator == operator && self.whole() == sorted(indices.to_vec())
    }

    /// The tensors that it adds to an equation of this target, the innermost first; other equations have some already.
    pub(super) fn names(&self, target: &Name, taken: &[Tensor]) -> Vec<Name> {
        let mut names: Vec<Name> = taken.iter().map(|tensor| tensor.name.clone()).collect();
        for level in self.levels[1..].iter().rev() {
            let indices = level.iter().map(|half| Strip::of(half).map_or_else(|| half.clone(), |strip| strip.index));
            let plain = format!("{target}.{}", indices.collect::<Vec<_>>().join("."));
            let numbered = (2..).map(|number| format!("{plain}.{number}"));
            let is_free = |text: &String| !names.iter().any(|known| **known == **text);
            let free = std::iter::once(plain.clone()).chain(numbered).find(is_free);
            names.push(name(&free.unwrap_or(plain)));
        }
        names.split_off(taken.len())
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.operator.keyword();
        let levels = self.levels.iter().map(|level| format!("{word}({})", level.join(", ")));
        write!(f, "split {word}({}) as {}", self.whole().join(", "), levels.collect::<Vec<_>>().join(" "))
    }
}

impl RecurrenceSystem {
    /// The system with these reductions split.
    ///
    /// # Errors
    /// A reduction that scatters; parts whose ends have no closed form.
    pub fn split(&self, splits: &[(Split, Span)]) -> Checked<RecurrenceSystem> {
        let mut splitting = Splitting { system: self, splits, tensors: vec![], equations: vec![] };
        let mut problems: Diagnostics = vec![];
        for equation in &self.equations {
            splitting.equation(equation).unwrap_or_else(|problem| problems.push(*problem));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let Splitting { tensors, equations, .. } = splitting;
        let tensors = self.tensors.iter().cloned().chain(tensors).collect();
        Ok(RecurrenceSystem { tensors, equations, ..self.clone() })
    }
}

/// Reductions by one operator right inside each other.
struct Nest<'a> {
    operator: Operator,
    /// Their indices and ranges, the outermost first.
    levels: Vec<(&'a Name, &'a Polyhedron)>,
    /// What they reduce.
    body: &'a Expr,
}

impl Nest<'_> {
    /// Those at the top of an expression.
    fn of(expression: &Expr) -> Option<Nest<'_>> {
        let Expr::Reduce { operator: first, .. } = expression else { return None };
        let (mut levels, mut body) = (vec![], expression);
        while let Expr::Reduce { operator, index, range, body: inner, .. } = body
            && operator == first
        {
            levels.push((index, range));
            body = inner;
        }
        Some(Nest { operator: *first, levels, body })
    }

    fn indices(&self) -> Vec<Name> {
        self.levels.iter().map(|(index, _)| (*index).clone()).collect()
    }
}

/// All reductions of an expression, those by one operator right inside each other as one.
pub(super) fn reductions(expression: &Expr) -> Vec<(Operator, Vec<Name>)> {
    if let Some(nest) = Nest::of(expression) {
        return [vec![(nest.operator, nest.indices())], reductions(nest.body)].concat();
    }
    match expression {
        Expr::Apply(_, arguments) => arguments.iter().flat_map(reductions).collect(),
        _ => vec![],
    }
}

fn sorted(mut names: Vec<Name>) -> Vec<Name> {
    names.sort();
    names.dedup();
    names
}

struct Splitting<'a> {
    system: &'a RecurrenceSystem,
    splits: &'a [(Split, Span)],
    tensors: Vec<Tensor>,
    equations: Vec<Equation>,
}

/// Where a reduction stands: the indices around it, and the points there.
#[derive(Clone)]
struct Around<'a> {
    equation: &'a Equation,
    indices: Vec<Name>,
    set: Polyhedron,
}

/// One of the inner reductions.
struct InnerReduction<'a> {
    tensor: Name,
    operator: Operator,
    /// The indices around it, which are the subscripts of its tensor.
    indices: Vec<Name>,
    /// Those that it reduces over.
    level: &'a [Name],
    /// All points.
    set: &'a Polyhedron,
    span: Span,
}

impl InnerReduction<'_> {
    fn read(&self) -> Expr {
        let subscripts = self.indices.iter().map(Affine::variable).collect();
        Expr::Read { tensor: self.tensor.clone(), subscripts, span: self.span }
    }
}

/// A set with one condition more.
fn with(mut set: Polyhedron, condition: Affine) -> Polyhedron {
    set.add(condition);
    set
}

impl Splitting<'_> {
    fn equation(&mut self, equation: &Equation) -> Result<(), Box<Diagnostic>> {
        let Domain { indices, set } = equation.domain.clone();
        let around = Around { equation, indices, set };
        let value = self.value(&around, &equation.value)?;
        self.equations.push(Equation { value, ..equation.clone() });
        Ok(())
    }

    fn value(&mut self, around: &Around, value: &Expr) -> Result<Expr, Box<Diagnostic>> {
        match value {
            Expr::Number(_) | Expr::Index(_) | Expr::Read { .. } => Ok(value.clone()),
            Expr::Apply(function, arguments) => {
                let arguments: Result<Vec<Expr>, _> =
                    arguments.iter().map(|argument| self.value(around, argument)).collect();
                Ok(Expr::Apply(*function, arguments?))
            }
            Expr::Reduce { operator, index, range, body, span } => {
                if let Some((split, asked)) = self.split_of(value) {
                    return self.split(around, (&split, asked), (value, *span));
                }
                let inside = Around {
                    indices: around.indices.iter().chain([index]).cloned().collect(),
                    set: around.set.intersect(range),
                    ..around.clone()
                };
                let body = Box::new(self.value(&inside, body)?);
                Ok(Expr::Reduce { operator: *operator, index: index.clone(), range: range.clone(), body, span: *span })
            }
        }
    }

    /// How the reductions at the top of an expression are split, and where that is asked for.
    fn split_of(&self, value: &Expr) -> Option<(Split, Span)> {
        let nest = Nest::of(value)?;
        self.splits.iter().find(|(split, _)| split.is_of(nest.operator, &nest.indices())).cloned()
    }

    /// The outermost of the reductions; those within define tensors of their own.
    fn split(
        &mut self,
        around: &Around,
        (split, asked): (&Split, Span),
        (value, span): (&Expr, Span),
    ) -> Result<Expr, Box<Diagnostic>> {
        let Some(nest) = Nest::of(value) else { return Ok(value.clone()) };
        let operator = nest.operator;
        let refuse = |why: &str| Box::new(self.refuse(around, asked, why));
        if !scattered_indices(around.equation).is_empty() {
            return Err(refuse("its target names indices of it"));
        }
        let strips = split.strips();
        let set = nest.levels.iter().fold(around.set.clone(), |set, (_, range)| set.intersect(range));
        let inside = Around {
            indices: around.indices.iter().cloned().chain(nest.indices()).collect(),
            set: set.clone(),
            ..around.clone()
        };
        let mut body = self.value(&inside, nest.body)?.substitute(&Strip::image(&strips));
        let mut set = self.plain(&Strip::divide(&strips, &set));
        let names = split.names(&around.equation.target, &self.tensors);
        for (number, tensor) in (1..split.levels.len()).rev().zip(names) {
            let (around_it, level) = (split.levels[..number].iter().flatten(), &split.levels[number]);
            let indices: Vec<Name> = around.indices.iter().chain(around_it).cloned().collect();
            let part = InnerReduction { tensor, operator, indices, level, set: &set, span };
            let why = "which of its parts have terms, and how far they reach, has no closed form";
            let outer = self.part(&part, &body).ok_or_else(|| Box::new(self.refuse(around, asked, why)))?;
            body = part.read();
            set = outer;
        }
        Ok(reduction(operator, (&split.levels[0], &set), body, span))
    }

    /// The equations of one of the inner reductions. Returns the points at which it is read; `None` where these have no closed form.
    fn part(&mut self, part: &InnerReduction, body: &Expr) -> Option<Polyhedron> {
        let outer = part.level.iter().try_fold(part.set.clone(), |set, index| set.eliminate_exactly(index))?;
        let outer = self.plain(&outer);
        let shape: Option<Vec<Affine>> = part.indices.iter().map(|index| self.extent(&outer, index)).collect();
        let sizes = Polyhedron::sizes(&self.system.parameters);
        for conditions in self.cases(part.set, part.level) {
            let set = self.plain(&conditions.iter().cloned().fold(part.set.clone(), with));
            if set.intersect(&sizes).is_empty() {
                continue;
            }
            let domain = conditions.into_iter().fold(outer.clone(), with);
            self.equations.push(Equation {
                target: part.tensor.clone(),
                subscripts: part.indices.iter().map(Affine::variable).collect(),
                domain: Domain { indices: part.indices.clone(), set: domain },
                value: reduction(part.operator, (part.level, &set), body.clone(), part.span),
                span: part.span,
            });
        }
        let (name, role, span) = (part.tensor.clone(), Role::Local, part.span);
        self.tensors.push(Tensor { name, role, shape: shape?, assumption: None, span });
        Some(outer)
    }

    /// A set without the constraints that the others say already.
    fn plain(&self, set: &Polyhedron) -> Polyhedron {
        set.irredundant(&Polyhedron::sizes(&self.system.parameters))
    }

    /// What holds of the parts of a set in each of which all lines along positions in strips end on one face.
    fn cases(&self, set: &Polyhedron, level: &[Name]) -> Vec<Vec<Affine>> {
        let positions = level.iter().filter(|half| Strip::of(half).is_some_and(|strip| strip.position() == **half));
        positions.fold(vec![vec![]], |cases, position| {
            let (_, ends) = set.bounds(position);
            let ends: Vec<Affine> = ends.into_iter().filter(|end| end.coefficient == 1).map(|end| end.form).collect();
            let joined = |case: &Vec<Affine>| {
                let first = (0..ends.len()).map(|number| comes_first(&ends, number));
                first.map(|more| [case.clone(), more].concat()).collect::<Vec<_>>()
            };
            cases.iter().flat_map(joined).collect()
        })
    }

    /// How far an index reaches that begins at 0 or later: a form over the sizes.
    fn extent(&self, set: &Polyhedron, index: &Name) -> Option<Affine> {
        let parameters = &self.system.parameters;
        let is_inner = |name: &&Name| *name != index && !parameters.contains(name);
        let (_, ends) = set.eliminate_all(set.variables().iter().filter(is_inner)).bounds(index);
        let last = ends.into_iter().map(|end| end.form).min_by_key(Affine::plainness)?;
        let known = set.intersect(&Polyhedron::sizes(parameters));
        known.implies(&Affine::variable(index)).then(|| last + Affine::constant(1))
    }

    fn refuse(&self, around: &Around, asked: Span, why: &str) -> Diagnostic {
        Diagnostic::new(format!("the reduction of `{}` cannot be split: {why}", around.equation.target))
            .label(&self.system.source, asked, "asked for here")
            .label(&self.system.source, around.equation.span, "this equation")
            .help("leave this reduction whole")
    }
}

/// What holds where one of several ends comes first; where two are one, that is the first of these.
fn comes_first(ends: &[Affine], number: usize) -> Vec<Affine> {
    let others = ends.iter().enumerate().filter(|(other, _)| *other != number);
    let apart = |(other, end): (usize, &Affine)| {
        end.clone() - ends[number].clone() - Affine::constant(i64::from(other < number))
    };
    others.map(apart).collect()
}

/// Reductions over the indices of one level, the first outermost; each bound stands with the innermost index that it names.
fn reduction(operator: Operator, (level, set): (&[Name], &Polyhedron), body: Expr, span: Span) -> Expr {
    level.iter().enumerate().rev().fold(body, |body, (number, index)| {
        let inner = &level[number + 1..];
        let bounds = set.constraints().iter().filter(|form| form.mentions([index]) && !form.mentions(inner));
        let range = Polyhedron::new(bounds.cloned());
        Expr::Reduce { operator, index: index.clone(), range, body: Box::new(body), span }
    })
}
