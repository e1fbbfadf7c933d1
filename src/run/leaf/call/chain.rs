//! Sums of products in many rounds side by side, with the sums in registers.
//!
//! A loop around `c = c + a * b`, where `c` is the same element in all its rounds, is what most leaves spend their time in. Its
//! sums start from their elements, take up one product a round in the loop's order, and are written back at the end: the
//! same operations in the same order as one after the other.

use super::run::Run;
use super::window::Elements;
use crate::leaf::Element;
use crate::leaf::recognised::parts;
use crate::leaf::routine::{Loop, Node};

/// The addresses of a factor: the first, and how far they move from round to round of the lanes and of the loop.
#[derive(Clone, Copy)]
struct Factor<'a, E> {
    values: &'a [E],
    first: i64,
    along: i64,
    step: i64,
}

impl<E: Element> Factor<'_, E> {
    /// Its values in a round of the loop, for a block of lanes from `lane` on.
    #[inline(always)]
    fn block<const BLOCK: usize>(&self, round: i64, lane: usize) -> [E; BLOCK] {
        let start = (self.first + self.step * round + self.along * lane as i64) as usize;
        match self.along {
            0 => [self.values[start]; BLOCK],
            _ => self.values[start..start + BLOCK].try_into().unwrap_or([E::NAN; BLOCK]),
        }
    }
}

impl<E: Element> Run<'_, E> {
    /// Runs a loop within lanes, if it is one of sums of products; says whether.
    pub(super) fn chain(&mut self, repeated: &Loop, index: usize, count: usize) -> bool {
        let [Node::Set(set)] = repeated.body.as_slice() else { return false };
        if repeated.falls {
            return false;
        }
        let Some((factor, [old, a, b])) = parts(set) else { return false };
        let link = |access: usize| &self.links[access];
        let (target, c) = (link(set.target), self.links[set.target].window);
        let is_sum = self.routine.accesses[old] == self.routine.accesses[set.target]
            && target.address.coefficient(index) == 1
            && target.address.coefficient(repeated.index) == 0;
        let fits = |access: usize| {
            let link = link(access);
            link.is_safe && link.window != c && matches!(link.address.coefficient(index), 0 | 1)
        };
        if !is_sum || !target.is_safe || !fits(a) || !fits(b) {
            return false;
        }
        let (first, last) = self.rounds(repeated);
        if first > last {
            return true;
        }
        self.slots[repeated.index] = first;
        let start = self.links[set.target].address.value(&self.slots) as usize;
        let mut elements = std::mem::replace(&mut self.windows[c], Elements::Shared(&[]));
        let operand = |access: usize| Factor {
            values: self.windows[self.links[access].window].values(),
            first: self.links[access].address.value(&self.slots),
            along: self.links[access].address.coefficient(index),
            step: self.links[access].address.coefficient(repeated.index),
        };
        let sums = &mut elements.values_mut()[start..start + count];
        let (a, b, rounds) = (operand(a), operand(b), last - first + 1);
        self.work.applied += 2 * count as u64 * rounds.unsigned_abs();
        match factor < 0.0 {
            true => add_up(sums, a, b, rounds, |sum, product| sum - product),
            false => add_up(sums, a, b, rounds, |sum, product| sum + product),
        }
        self.windows[c] = elements;
        true
    }
}

/// Takes up all products, for as many lanes at a time as fit.
#[inline(always)]
fn add_up<E: Element>(sums: &mut [E], a: Factor<'_, E>, b: Factor<'_, E>, rounds: i64, combine: impl Fn(E, E) -> E) {
    let wide = add_blocks::<16, E>(sums, 0, (a, b), rounds, &combine);
    let narrow = add_blocks::<4, E>(&mut sums[wide..], wide, (a, b), rounds, &combine);
    add_blocks::<1, E>(&mut sums[wide + narrow..], wide + narrow, (a, b), rounds, &combine);
}

/// The same for whole blocks of lanes, from `lane` on; gives how many lanes that were.
#[inline(always)]
fn add_blocks<const BLOCK: usize, E: Element>(
    sums: &mut [E],
    lane: usize,
    (a, b): (Factor<'_, E>, Factor<'_, E>),
    rounds: i64,
    combine: &impl Fn(E, E) -> E,
) -> usize {
    let mut done = 0;
    for block in sums.chunks_exact_mut(BLOCK) {
        let mut held = [E::ZERO; BLOCK];
        held.copy_from_slice(block);
        for round in 0..rounds {
            let (left, right) = (a.block::<BLOCK>(round, lane + done), b.block::<BLOCK>(round, lane + done));
            for (sum, (left, right)) in held.iter_mut().zip(left.iter().zip(&right)) {
                *sum = combine(*sum, *left * *right);
            }
        }
        block.copy_from_slice(&held);
        done += BLOCK;
    }
    done
}
