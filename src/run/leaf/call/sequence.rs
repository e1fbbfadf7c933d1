//! Rounds of a loop one after the other, where each may need what the one before has written.
//!
//! Addresses are found once and moved by a constant from round to round.

use super::run::Run;
use crate::leaf::Element;
use crate::leaf::routine::{Operation, Set};
use systole_base::scalar::Function;
use systole_program::array::Trouble;

impl<E: Element> Run<'_, E> {
    /// Runs sets for an index from first to last value, or once.
    pub(super) fn sequence(&mut self, sets: &[&Set], range: Option<(usize, i64, i64)>) -> Result<(), Trouble> {
        self.registers.make_room(self.routine.depth);
        let accesses: Vec<usize> = sets.iter().flat_map(|set| set.accesses()).collect();
        if let Some((index, _, last)) = range {
            self.slots[index] = last;
            self.check_all(&accesses)?;
        }
        if let Some((index, first, _)) = range {
            self.slots[index] = first;
        }
        self.check_all(&accesses)?;
        let index = range.map_or(usize::MAX, |(index, _, _)| index);
        let moves: Vec<(usize, i64)> =
            accesses.iter().map(|access| (*access, self.links[*access].address.coefficient(index))).collect();
        self.cursors.resize(self.links.len(), 0);
        accesses.iter().for_each(|access| self.cursors[*access] = self.links[*access].address.value(&self.slots));
        let rounds = range.map_or(0..=0, |(_, first, last)| first..=last);
        let each: u64 = sets.iter().map(|set| set.applications()).sum();
        self.work.applied += each * rounds.clone().count() as u64;
        if self.is_dry {
            return Ok(());
        }
        for _ in rounds {
            sets.iter().for_each(|set| self.set(set));
            moves.iter().for_each(|(access, step)| self.cursors[*access] += step);
            self.slots.get_mut(index).into_iter().for_each(|slot| *slot += 1);
        }
        Ok(())
    }

    fn check_all(&self, accesses: &[usize]) -> Result<(), Trouble> {
        let unsafe_ones = accesses.iter().filter(|access| !self.links[**access].is_safe);
        unsafe_ones.into_iter().try_for_each(|access| self.check(*access))
    }

    /// One element gets its value.
    fn set(&mut self, set: &Set) {
        let stack = &mut self.registers.stack;
        let mut top = 0;
        for operation in &set.value {
            let value = match operation {
                Operation::Number(number) => E::rounded(*number),
                Operation::Index(form) => E::rounded(form.value_moved(&self.slots, &self.moved) as f64),
                Operation::Load(access) => {
                    self.windows[self.links[*access].window].values()[self.cursors[*access] as usize]
                }
                Operation::Apply(function) => {
                    top -= function.arity();
                    apply(*function, &stack[top..top + function.arity()])
                }
            };
            stack[top] = value;
            top += 1;
        }
        let (target, value) = (set.target, stack[0]);
        self.windows[self.links[target].window].values_mut()[self.cursors[target] as usize] = value;
    }
}

/// A function of what lies on a stack.
#[inline(always)]
fn apply<E: Element>(function: Function, arguments: &[E]) -> E {
    match arguments {
        [a] => function.of([*a]),
        [a, b] => function.of([*a, *b]),
        [a, b, c] => function.of([*a, *b, *c]),
        _ => E::NAN,
    }
}

impl Set {
    /// How many functions it applies.
    pub fn applications(&self) -> u64 {
        self.value.iter().filter(|operation| matches!(operation, Operation::Apply(_))).count() as u64
    }

    /// What it reads and writes.
    pub(super) fn accesses(&self) -> impl Iterator<Item = usize> {
        let loads = self.value.iter().filter_map(|operation| match operation {
            Operation::Load(access) => Some(*access),
            _ => None,
        });
        loads.chain(std::iter::once(self.target))
    }
}
