//! Cuts equations into spaces.
//!
//! An equation is an expression around reductions around expressions. Each reduction becomes a space that writes a local
//! tensor of its own, read by what stands around it; an equation that is a reduction alone needs one space only.

use super::joined::join_sums;
use super::merge::merge_spaces;
use super::sources::find_sources;
use super::upper_bounds::with_one_upper_bound;
use super::{ClosedValues, Family, Member, SpaceSystem, strided};
use crate::recurrence::one_space::lower_body;
use crate::recurrence::spaces::last_point;
use crate::recurrence::{
    Chain, Domain, Equation, Expr, Operator, RecurrenceSystem, Scalar, Schedule, Space, Split, Strip, WithoutTerms,
    depends, gather, leaves_elements, lines, one_space, scattered_indices, settle, without_terms,
};
use std::collections::{BTreeMap, BTreeSet};
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Name, Polyhedron, name, unused};
use systole_base::span::Span;

/// The spaces of a system: one alone where its equation is one, and no element is without a point.
///
/// # Errors
/// As for [`cut_spaces`].
pub fn spaces_of(system: &RecurrenceSystem) -> Checked<SpaceSystem> {
    match one_space(system) {
        Ok(space) if !leaves_elements(system) => Ok(SpaceSystem::of_one(space)),
        _ => cut_spaces(system),
    }
}

/// The spaces of a system under a schedule: reductions are split, indices are in strips, and readers of what streams both ways are
/// cut where it is computed.
///
/// # Errors
/// As for [`cut_spaces`], [`RecurrenceSystem::split`] and [`SpaceSystem::in_strips`].
pub fn spaces_under(system: &RecurrenceSystem, schedule: &Schedule) -> Checked<SpaceSystem> {
    if schedule.splits.is_empty() {
        return spaces_of(system)?.in_strips(&schedule.strips)?.on_both_sides(&schedule.two_sided());
    }
    let splits: Vec<Split> = schedule.splits.iter().map(|(split, _)| split.clone()).collect();
    let divided: Vec<Strip> = splits.iter().flat_map(Split::strips).collect();
    let cut = cut_spaces(&system.split(&schedule.splits)?)?.in_strips(&schedule.strips)?;
    let mut cut = SpaceSystem { splits, ..cut };
    for space in &mut cut.spaces {
        let has = |half: &Name| space.domain.indices.contains(half);
        let both = divided.iter().filter(|strip| has(&strip.number()) && has(&strip.position()));
        let new: Vec<Strip> = both.filter(|strip| !space.strips.contains(strip)).cloned().collect();
        space.strips.extend(new);
    }
    cut.on_both_sides(&schedule.two_sided())
}

/// The spaces of a system, with the source of every value that one of them reads.
///
/// # Errors
/// Reads whose producer has no closed form, and reductions whose lines do not end on one face.
pub fn cut_spaces(system: &RecurrenceSystem) -> Checked<SpaceSystem> {
    cut_in(system, true)
}

/// [`cut_spaces`] for equations that are to be tiled: a reduction that may be empty is read by an expression around it, as a tile has
/// elements with terms and elements without.
///
/// # Errors
/// As there.
pub fn cut_for_tiles(system: &RecurrenceSystem) -> Checked<SpaceSystem> {
    cut_in(system, false)
}

/// Equations are divided by what their reductions end on where it has no closed form else where a value is computed.
fn cut_in(system: &RecurrenceSystem, splits: bool) -> Checked<SpaceSystem> {
    let settled = settle(system).system;
    cut_settled(&settled, splits).or_else(|why| match with_one_upper_bound(&settled) {
        Some(divided) => cut_settled(&settle(&divided).system, splits).or(Err(why)),
        None => Err(why),
    })
}

fn cut_settled(settled: &RecurrenceSystem, splits: bool) -> Checked<SpaceSystem> {
    let system = &if splits { strided::in_strips(settled) } else { settled.clone() };
    // What reads nothing is known without a space; but where all of it is, some PE has to store it.
    let has_spaces = !system.equations.iter().all(|equation| is_closed(&equation.value));
    let mut cutter = Cutter {
        system,
        splits,
        has_spaces,
        begun: 0,
        cut: SpaceSystem {
            kernel: system.name.clone(),
            parameters: system.parameters.clone(),
            spaces: vec![],
            members: vec![],
            families: vec![],
            sources: vec![],
            known: vec![],
            splits: vec![],
            tensors: system.tensors.clone(),
            two_sided: vec![],
            source: system.source.clone(),
        },
    };
    system.equations.iter().for_each(|equation| cutter.cut_equation(equation));
    let mut cut = cutter.cut;
    merge_spaces(&mut cut);
    // In a tile the parts of an equation stand beside each other, and each names its own sum.
    if splits {
        join_sums(&mut cut);
        merge_spaces(&mut cut);
    }
    let sizes = Polyhedron::sizes(&cut.parameters);
    cut.spaces.iter_mut().for_each(|space| space.domain.set = space.domain.set.irredundant(&sizes));
    find_sources(&mut cut)?;
    if cut.spaces.is_empty() && splits {
        return Diagnostic::new(format!("kernel `{}` computes nothing", system.name))
            .help("no equation has a point at any size")
            .alone();
    }
    Ok(cut)
}

struct Cutter<'a> {
    system: &'a RecurrenceSystem,
    /// Whether elements without terms are known by themselves.
    splits: bool,
    /// Whether some equation reads or reduces.
    has_spaces: bool,
    /// How many spaces there were before those of the equation that is being cut.
    begun: usize,
    cut: SpaceSystem,
}

/// Where in an equation a reduction or an expression stands.
struct Position<'a> {
    equation: &'a Equation,
    /// The free indices and those of the reductions around.
    indices: Vec<Name>,
    set: Polyhedron,
    /// The indices of the reductions around.
    reduced: Vec<Name>,
}

/// What a space computes at a position.
struct Content<'a> {
    output: Name,
    output_access: Vec<Affine>,
    body: Expr,
    /// The reduction with its indices, outermost first.
    reduction: Option<(Operator, Vec<Name>)>,
    family: &'a str,
}

impl Cutter<'_> {
    fn cut_equation(&mut self, equation: &Equation) {
        self.begun = self.cut.spaces.len();
        if (self.has_spaces || !self.splits) && is_closed(&equation.value) {
            return self.add_known(equation);
        }
        let position = Position {
            equation,
            indices: equation.domain.indices.clone(),
            set: equation.domain.set.clone(),
            reduced: vec![],
        };
        let (output, output_access) = (equation.target.clone(), equation.subscripts.clone());
        if let Some((operator, inner, body)) = peel(&position, &equation.value)
            && let Some(empty) = self.elements_without_terms(equation, &inner, operator)
        {
            self.cut.known.extend(empty);
            let family = self.count_reduction(equation, operator, &mut 0);
            let body = self.cut_inner(&inner, body, &mut 1);
            let reduction = Some((operator, inner.reduced.clone()));
            return self.add(&inner, &Content { output, output_access, body, reduction, family: &family });
        }
        let body = self.cut_inner(&position, &equation.value, &mut 0);
        self.add(&position, &Content { output, output_access, body, reduction: None, family: &equation.target });
    }

    fn add_known(&mut self, equation: &Equation) {
        self.cut.known.push(ClosedValues {
            tensor: equation.target.clone(),
            subscripts: equation.subscripts.clone(),
            domain: equation.domain.clone(),
            value: lower_body(&equation.value, &mut vec![]),
            span: equation.span,
        });
    }

    /// The elements of an equation that is a reduction alone of which no point of it is: their value is known. `None` where it
    /// cannot be said which these are, and there may be some.
    fn elements_without_terms(
        &self,
        equation: &Equation,
        inner: &Position,
        operator: Operator,
    ) -> Option<Vec<ClosedValues>> {
        let gathered = self.system.tensor(&equation.target).map(|target| gather(equation, target))?;
        let (set, reduced) = match scattered_indices(equation).is_empty() {
            true => (inner.set.clone(), inner.reduced.clone()),
            false => lines(&gathered),
        };
        // An element that is gathered has coordinates of no name in the text.
        let names: BTreeMap<Name, Affine> =
            gathered.domain.indices.iter().filter_map(|index| self.named(index)).collect();
        let indices = gathered
            .domain
            .indices
            .iter()
            .map(|index| names.get(index).and_then(|name| name.as_variable()).unwrap_or(index).clone());
        let (indices, subscripts): (Vec<Name>, Vec<Affine>) =
            (indices.collect(), gathered.subscripts.iter().map(|form| form.substitute(&names)).collect());
        let known = |part: WithoutTerms| {
            let renamed = |(index, value): (Name, Affine)| {
                let name = names.get(&index).and_then(|name| name.as_variable()).cloned().unwrap_or(index);
                (name, value.substitute(&names))
            };
            let image: BTreeMap<Name, Affine> = part.image.into_iter().map(renamed).collect();
            ClosedValues {
                tensor: equation.target.clone(),
                subscripts: subscripts.iter().map(|form| form.substitute(&image)).collect(),
                domain: Domain { indices: indices.clone(), set: part.set.substitute(&names) },
                value: Scalar::Number(operator.neutral()),
                span: equation.span,
            }
        };
        match without_terms(&gathered.domain, &set, &reduced, &self.system.parameters) {
            Some(parts) if !parts.is_empty() && !self.splits => None,
            // Who reads a tensor finds no element of it by a division.
            Some(parts) if parts.iter().any(|part| !part.image.is_empty()) && self.system.reads(&equation.target) => {
                None
            }
            Some(parts) => Some(parts.into_iter().map(known).collect()),
            None => self.is_whole(equation, inner, operator).then(Vec::new),
        }
    }

    /// A name for an index that [`gather`] has made; none for one of the text.
    fn named(&self, index: &Name) -> Option<(Name, Affine)> {
        let number = index.strip_prefix('@')?;
        let fresh = unused(&format!("x{number}"), &self.system.parameters);
        Some((index.clone(), Affine::variable(&fresh)))
    }

    /// Whether a reduction alone computes every element of the equation: none of its lines is empty.
    fn is_whole(&self, equation: &Equation, inner: &Position, operator: Operator) -> bool {
        let scattered = equation.subscripts.iter().any(|form| form.mentions(&inner.reduced));
        let space = self.space(
            inner,
            &Content {
                output: equation.target.clone(),
                output_access: equation.subscripts.clone(),
                body: Expr::Number(0.0),
                reduction: Some((operator, inner.reduced.clone())),
                family: "",
            },
        );
        let free: Vec<Affine> = equation.domain.indices.iter().map(Affine::variable).collect();
        let plain = Space { output_access: free.clone(), ..space };
        let last = last_point(&plain, &Chain::as_written(&plain), &free);
        scattered || last.is_some_and(|last| implies_all(self.system, &equation.domain, &last.image(&inner.set)))
    }

    /// The expression with each reduction in it read from the local tensor that its space writes.
    fn cut_inner(&mut self, position: &Position, expression: &Expr, count: &mut usize) -> Expr {
        match expression {
            Expr::Number(_) | Expr::Index(_) | Expr::Read { .. } => expression.clone(),
            Expr::Apply(function, arguments) => {
                let cut = arguments.iter().map(|argument| self.cut_inner(position, argument, count)).collect();
                Expr::Apply(*function, cut)
            }
            Expr::Reduce { span, .. } => match peel(position, expression) {
                Some((operator, inner, body)) => self.cut_reduction(position, (operator, inner, body), *span, count),
                None => expression.clone(),
            },
        }
    }

    fn cut_reduction(
        &mut self,
        position: &Position,
        (operator, inner, body): (Operator, Position, &Expr),
        span: Span,
        count: &mut usize,
    ) -> Expr {
        let before = *count;
        let family = self.count_reduction(position.equation, operator, count);
        let body = self.cut_inner(&inner, body, count);
        let output = self.fresh(&family);
        let output_access: Vec<Affine> = position.indices.iter().map(Affine::variable).collect();
        let levels = inner.reduced[position.reduced.len()..].to_vec();
        let reduction = Some((operator, levels));
        let content =
            Content { output: output.clone(), output_access: output_access.clone(), body, reduction, family: &family };
        if let Some(known) = self.known_reduction(&inner, &content) {
            *count = before;
            return Expr::Read { tensor: known, subscripts: output_access, span };
        }
        self.add(&inner, &content);
        Expr::Read { tensor: output, subscripts: output_access, span }
    }

    /// What the same reduction has written that stands elsewhere in the equation, as where a function names its argument twice.
    fn known_reduction(&self, position: &Position, content: &Content) -> Option<Name> {
        let wanted = self.space(position, content);
        let reads = |space: &Space| {
            space.operands.iter().map(|read| (read.tensor.clone(), read.access.clone())).collect::<Vec<_>>()
        };
        let is_same = |space: &&Space| {
            let is_reduction = space.reduction == wanted.reduction && space.reduced == wanted.reduced;
            let is_over_it = space.domain == wanted.domain && space.output_access == wanted.output_access;
            is_reduction && is_over_it && space.body == wanted.body && reads(space) == reads(&wanted)
        };
        self.cut.spaces[self.begun..].iter().find(is_same).map(|space| space.output.clone())
    }

    /// The name of the family of the next reduction of an equation: `X.sum`, and `X.sum.2` for a second one.
    fn count_reduction(&self, equation: &Equation, operator: Operator, count: &mut usize) -> String {
        *count += 1;
        let plain = format!("{}.{}", equation.target, operator.keyword());
        if *count > 1 { format!("{plain}.{count}") } else { plain }
    }

    fn add(&mut self, position: &Position, content: &Content) {
        let family = self.family(position, content.family);
        let variables = position.reduced.iter().map(Affine::variable);
        let space = self.space(position, content);
        let embedding = space.in_halves(&position.equation.subscripts).into_iter().chain(variables).collect();
        self.cut.members.push(Member { family, embedding });
        self.cut.spaces.push(space);
    }

    fn space(&self, position: &Position, content: &Content) -> Space {
        let mut operands = vec![];
        let body = lower_body(&content.body, &mut operands);
        let used = |name: &Name| *name == content.output || operands.iter().any(|operand| operand.tensor == *name);
        let tensors = self.system.tensors.iter().filter(|tensor| used(&tensor.name));
        let shapes = tensors.map(|tensor| (tensor.name.clone(), tensor.shape.clone())).collect();
        let assumed = self.system.assumed(used);
        Space {
            kernel: self.system.name.clone(),
            name: self.fresh(if content.reduction.is_some() { content.family } else { &content.output }),
            parameters: self.system.parameters.clone(),
            domain: Domain { indices: position.indices.clone(), set: position.set.clone() },
            output: content.output.clone(),
            output_access: content.output_access.clone(),
            operands,
            body,
            reduction: content.reduction.as_ref().map(|(operator, _)| *operator),
            reduced: content.reduction.as_ref().map_or(vec![], |(_, levels)| levels.clone()),
            strips: strips_of(&position.equation.domain.indices),
            shapes,
            assumed,
            span: position.equation.span,
            source: self.system.source.clone(),
        }
    }

    /// The family of this name; a new one takes its coordinates from the first equation that belongs to it.
    fn family(&mut self, position: &Position, wanted: &str) -> usize {
        if let Some(known) = self.cut.families.iter().position(|family| &*family.name == wanted) {
            return known;
        }
        let mut subscripts = coordinate_names(self.system, &position.equation.target);
        let strips = strips_of(&position.equation.domain.indices);
        if !strips.is_empty() {
            // A tensor that is put together has one equation, over these indices.
            subscripts = position.equation.domain.indices.clone();
        }
        let indices = subscripts.into_iter().chain(position.reduced.iter().cloned()).collect();
        self.cut.families.push(Family { name: name(wanted), indices });
        self.cut.families.len() - 1
    }

    /// `wanted`, or that with a number where a space has the name already.
    fn fresh(&self, wanted: &str) -> Name {
        let taken = |text: &str| self.cut.spaces.iter().any(|space| &*space.name == text || &*space.output == text);
        let names = std::iter::once(wanted.to_owned()).chain((2..).map(|count| format!("{wanted}.{count}")));
        let free = names.take(1 + 2 * self.cut.spaces.len() + 1).find(|text| !taken(text));
        name(&free.unwrap_or_else(|| wanted.to_owned()))
    }
}

/// The strips of which both halves are among these indices.
fn strips_of(indices: &[Name]) -> Vec<Strip> {
    let of = |half: &Name| Strip::of(half).filter(|strip| strip.number() == *half);
    indices.iter().filter_map(of).filter(|strip| indices.contains(&strip.position())).collect()
}

/// Whether an expression reads nothing.
fn is_closed(expression: &Expr) -> bool {
    match expression {
        Expr::Number(_) | Expr::Index(_) => true,
        Expr::Read { .. } | Expr::Reduce { .. } => false,
        Expr::Apply(_, arguments) => arguments.iter().all(is_closed),
    }
}

/// The nested reductions by one operator at the top of an expression whose ranges do not depend on each other, and the position of
/// what they reduce.
fn peel<'a, 'b>(position: &Position<'a>, expression: &'b Expr) -> Option<(Operator, Position<'a>, &'b Expr)> {
    let Expr::Reduce { operator: first, .. } = expression else { return None };
    let mut inner = Position {
        equation: position.equation,
        indices: position.indices.clone(),
        set: position.set.clone(),
        reduced: position.reduced.clone(),
    };
    // A reduction over the fibres of the target runs along lines whatever its ranges are.
    let is_fibre = position.reduced.is_empty() && !scattered_indices(position.equation).is_empty();
    let mut body = expression;
    while let Expr::Reduce { operator, index, range, body: deeper, .. } = body {
        let around = &inner.reduced[position.reduced.len()..];
        if operator != first || (!is_fibre && depends(range, around)) {
            break;
        }
        inner.indices.push(index.clone());
        inner.reduced.push(index.clone());
        inner.set = inner.set.intersect(range);
        body = deeper;
    }
    // What is inside is one reduction with this one: where it has no terms, it adds none.
    if let Some(filled) = filled(&inner.set, *first, body) {
        inner.set = filled;
    }
    Some((*first, inner, body))
}

/// The points of `set` at which nested reductions by an operator have terms, where linear constraints say which these are.
fn filled(set: &Polyhedron, operator: Operator, value: &Expr) -> Option<Polyhedron> {
    match value {
        Expr::Reduce { operator: own, index, range, body, .. } if *own == operator => {
            let inside = set.intersect(range);
            filled(&inside, operator, body).unwrap_or(inside).eliminate_exactly(index)
        }
        _ => None,
    }
}

/// The names of a tensor's subscripts: for each the index that stands there, alone or shifted, in the equation with most of
/// them, else in the first that has one; else `x0`, `x1`, ...
pub fn coordinate_names(system: &RecurrenceSystem, tensor: &Name) -> Vec<Name> {
    let equations = || system.equations.iter().filter(|equation| equation.target == *tensor);
    let rank = equations().next().map_or(0, |equation| equation.subscripts.len());
    let indices =
        |equation: &Equation| (0..rank).filter_map(|axis| subscript_index(equation, axis)).collect::<BTreeSet<_>>();
    let fullest = equations().rev().max_by_key(|equation| indices(equation).len());
    let mut names: Vec<Name> = vec![];
    for axis in 0..rank {
        let mut indices = fullest.into_iter().chain(equations()).filter_map(|equation| subscript_index(equation, axis));
        let found = indices.find(|index| !names.contains(index));
        names.push(found.unwrap_or_else(|| name(&format!("x{axis}"))));
    }
    names
}

/// The index that a subscript of an equation's target is, shifted or not.
fn subscript_index(equation: &Equation, axis: usize) -> Option<Name> {
    let form = &equation.subscripts[axis];
    let plain = form.clone() - Affine::constant(form.constant_term());
    plain.as_variable().filter(|index| equation.domain.indices.contains(index)).cloned()
}

/// Whether every point of `domain`, for sizes of at least 1, lies in `set`.
fn implies_all(system: &RecurrenceSystem, domain: &Domain, set: &Polyhedron) -> bool {
    let known = domain.set.intersect(&Polyhedron::sizes(&system.parameters));
    set.constraints().iter().all(|form| known.implies(form))
}
