//! Whether a nest of loops is an instance of a definition.
//!
//! In: the shapes of both. Out: an [`Instance`], if the nest is the definition with other names: its indices renamed one to
//! one, its windows renamed one to one, the dimensions of each window in another order, all subscripts of a dimension
//! moved by the same form of what is outside, factors and summands swapped. Any of these keeps what is computed, so no
//! nest is an instance that means something else.

use super::shape::{Reset, Shape, Term};
use crate::leaf::routine::{Access, SlotAffine};
use systole_base::scalar::Function;

/// What stands for what.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    /// For each index of the definition that of the nest.
    pub indices: Vec<Option<usize>>,
    /// Accesses of the definition with those of the nest.
    pub accesses: Vec<(usize, usize)>,
}

/// A nest or a definition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'a> {
    pub shape: &'a Shape,
    pub accesses: &'a [Access],
    /// For each window whether a tile fills it, or a part of it.
    pub filled: &'a [bool],
}

/// The nest as an instance of a definition that has so many indices.
pub(super) fn instance_of(nest: Text<'_>, definition: Text<'_>, indices: usize) -> Option<Instance> {
    let matcher = Matcher { nest, definition };
    let begun = Instance { indices: vec![None; indices], accesses: vec![] };
    let found = matcher.shape(definition.shape, nest.shape, begun);
    found.into_iter().find(|instance| matcher.is_consistent(instance))
}

struct Matcher<'a> {
    nest: Text<'a>,
    definition: Text<'a>,
}

/// All ways to go on; several, since factors may be swapped.
type Ways = Vec<Instance>;

impl Matcher<'_> {
    fn shape(&self, definition: &Shape, nest: &Shape, so_far: Instance) -> Ways {
        match (definition, nest) {
            (
                Shape::Loop { index, lower, upper, body },
                Shape::Loop { index: own, lower: from, upper: to, body: inner },
            ) => {
                let so_far = with_index(so_far, *index, *own);
                let same_bounds = |so_far: &Instance| same_forms(lower, from, so_far) && same_forms(upper, to, so_far);
                so_far.filter(same_bounds).map_or(vec![], |so_far| self.block(body, inner, so_far))
            }
            (
                Shape::If { conditions, then, otherwise },
                Shape::If { conditions: own, then: own_then, otherwise: own_otherwise },
            ) if same_forms(conditions, own, &so_far) => {
                let after = self.block(then, own_then, so_far);
                after.into_iter().flat_map(|so_far| self.block(otherwise, own_otherwise, so_far)).collect()
            }
            (Shape::Set { target, value, reset }, Shape::Set { target: own, value: own_value, reset: own_reset }) => {
                let so_far = with_reset(so_far, reset.as_ref(), own_reset.as_ref());
                so_far.map_or(vec![], |mut so_far| {
                    so_far.accesses.push((*target, *own));
                    term(value, own_value, so_far)
                })
            }
            _ => vec![],
        }
    }

    fn block(&self, definition: &[Shape], nest: &[Shape], so_far: Instance) -> Ways {
        if definition.len() != nest.len() {
            return vec![];
        }
        let pairs = definition.iter().zip(nest);
        pairs.fold(vec![so_far], |ways, (definition, nest)| {
            ways.into_iter().flat_map(|so_far| self.shape(definition, nest, so_far)).collect()
        })
    }

    /// Whether windows stand for windows, one for one, each with its dimensions in one order.
    fn is_consistent(&self, instance: &Instance) -> bool {
        let window = |(a, b): &(usize, usize)| (self.definition.accesses[*a].window, self.nest.accesses[*b].window);
        let mut windows: Vec<(usize, usize)> = instance.accesses.iter().map(window).collect();
        windows.sort_unstable();
        windows.dedup();
        let one_for_one = |(a, b): &(usize, usize)| {
            windows.iter().filter(|(other, own)| other == a || own == b).count() == 1
                && (self.definition.filled[*a] || !self.nest.filled[*b])
        };
        windows.iter().all(one_for_one) && windows.iter().all(|pair| self.dimensions_agree(instance, *pair))
    }

    fn dimensions_agree(&self, instance: &Instance, (window, _): (usize, usize)) -> bool {
        let pairs = instance.accesses.iter().map(|(a, b)| (&self.definition.accesses[*a], &self.nest.accesses[*b]));
        let pairs: Vec<(&Access, &Access)> = pairs.filter(|(a, _)| a.window == window).collect();
        let Some((first, own)) = pairs.first() else { return true };
        let mut free: Vec<usize> = (0..own.subscripts.len()).collect();
        for dimension in 0..first.subscripts.len() {
            let moved = |at: usize| {
                let shift = |(a, b): &(&Access, &Access)| {
                    Some(b.subscripts[at].minus(&a.subscripts[dimension].renamed(&instance.indices)?))
                };
                is_one_outside(pairs.iter().map(shift), instance)
            };
            let Some(position) = free.iter().position(|at| moved(*at)) else { return false };
            free.remove(position);
        }
        free.into_iter().all(|at| is_one_outside(pairs.iter().map(|(_, b)| Some(b.subscripts[at].clone())), instance))
    }
}

/// An index of the definition stands for one of the nest, always the same, and for no other's.
fn with_index(mut so_far: Instance, index: usize, own: usize) -> Option<Instance> {
    let fits = match so_far.indices[index] {
        Some(known) => known == own,
        None => !so_far.indices.contains(&Some(own)),
    };
    so_far.indices[index] = Some(own);
    fits.then_some(so_far)
}

/// A nest counts elements as numbers where the definition does, or nowhere.
fn with_reset(mut so_far: Instance, definition: Option<&Reset>, nest: Option<&Reset>) -> Option<Instance> {
    let Some(own) = nest else { return Some(so_far) };
    let reset = definition?;
    let same =
        same_forms(&reset.conditions, &own.conditions, &so_far) && reset.number.to_bits() == own.number.to_bits();
    so_far.accesses.push((reset.element, own.element));
    same.then_some(so_far)
}

/// Whether all are one form that no index of the nest occurs in.
fn is_one_outside(mut forms: impl Iterator<Item = Option<SlotAffine>>, instance: &Instance) -> bool {
    let indices: Vec<usize> = instance.indices.iter().flatten().copied().collect();
    match forms.next() {
        Some(Some(first)) => !first.mentions(&indices) && forms.all(|form| form.as_ref() == Some(&first)),
        _ => false,
    }
}

fn same_forms(definition: &[SlotAffine], nest: &[SlotAffine], so_far: &Instance) -> bool {
    let renamed: Option<Vec<SlotAffine>> = definition.iter().map(|form| form.renamed(&so_far.indices)).collect();
    let same =
        |renamed: &Vec<SlotAffine>| renamed.len() == nest.len() && renamed.iter().all(|form| nest.contains(form));
    renamed.is_some_and(|renamed| same(&renamed))
}

fn term(definition: &Term, nest: &Term, mut so_far: Instance) -> Ways {
    match (definition, nest) {
        (Term::Number(a), Term::Number(b)) if a.to_bits() == b.to_bits() => vec![so_far],
        (Term::Index(a), Term::Index(b)) if a.renamed(&so_far.indices).as_ref() == Some(b) => vec![so_far],
        (Term::Load(a), Term::Load(b)) => {
            so_far.accesses.push((*a, *b));
            vec![so_far]
        }
        (Term::Apply(function, a), Term::Apply(own, b)) if function == own => match (a.as_slice(), b.as_slice()) {
            ([x, y], [u, v]) if matches!(function, Function::Add | Function::Multiply) => {
                [terms(&[x, y], &[u, v], so_far.clone()), terms(&[x, y], &[v, u], so_far)].concat()
            }
            _ => terms(&a.iter().collect::<Vec<_>>(), &b.iter().collect::<Vec<_>>(), so_far),
        },
        _ => vec![],
    }
}

fn terms(definition: &[&Term], nest: &[&Term], so_far: Instance) -> Ways {
    definition
        .iter()
        .zip(nest)
        .fold(vec![so_far], |ways, (a, b)| ways.into_iter().flat_map(|so_far| term(a, b, so_far)).collect())
}
