//! Rounds of a loop side by side, operation by operation.
//!
//! No two of them touch an element that one of them writes, so each operation is done for all rounds before the next. What
//! is the same in all rounds is computed once; elements that lie side by side are read where they are.

use super::run::Run;
use super::window::Elements;
use crate::leaf::Element;
use crate::leaf::routine::{LANES, Loop, Node, Operation, Set};
use systole_base::scalar::Function;
use systole_program::array::Trouble;

/// Values that wait for their operation.
pub(super) struct Registers<E> {
    /// Of one round.
    pub stack: Vec<E>,
    /// Of many rounds: what stands at each place of the stack.
    operands: Vec<Operand<E>>,
    lanes: Vec<Vec<E>>,
    spare: Vec<E>,
}

#[derive(Clone, Copy)]
enum Operand<E> {
    /// The same in all rounds.
    Uniform(E),
    /// Neighbours in a window, from an address on.
    Neighbours(usize, usize),
    /// In the lanes of its place.
    Lanes,
}

/// An operand's values.
#[derive(Clone, Copy)]
enum Values<'a, E> {
    Uniform(E),
    Each(&'a [E]),
}

impl<E: Element> Registers<E> {
    /// No room yet: a call that a library does needs none.
    pub fn new() -> Registers<E> {
        Registers { stack: vec![], operands: vec![], lanes: vec![], spare: vec![] }
    }

    /// Makes room for so many values at a time, where there is none yet.
    pub fn make_room(&mut self, depth: usize) {
        if self.stack.len() < depth {
            self.stack = vec![E::ZERO; depth];
            self.operands = vec![Operand::Uniform(E::ZERO); depth];
            self.lanes = vec![vec![E::ZERO; LANES]; depth];
            self.spare = vec![E::ZERO; LANES];
        }
    }

    fn values<'a>(&'a self, place: usize, windows: &'a [Elements<'_, E>], count: usize) -> Values<'a, E> {
        match self.operands[place] {
            Operand::Uniform(value) => Values::Uniform(value),
            Operand::Neighbours(window, start) => Values::Each(&windows[window].values()[start..start + count]),
            Operand::Lanes => Values::Each(&self.lanes[place][..count]),
        }
    }
}

impl<'a, E: Element> Run<'a, E> {
    /// Runs nodes for so many values of an index, from `base` on.
    pub(super) fn side_by_side(
        &mut self,
        nodes: &[&'a Node],
        index: usize,
        base: i64,
        count: usize,
    ) -> Result<(), Trouble> {
        self.registers.make_room(self.routine.depth);
        self.slots[index] = base;
        nodes.iter().try_for_each(|node| self.lane_node(node, index, base, count))
    }

    fn lane_node(&mut self, node: &'a Node, index: usize, base: i64, count: usize) -> Result<(), Trouble> {
        match node {
            Node::Set(set) => self.lane_set(set, index, base, count),
            Node::If { conditions, then, otherwise } => {
                let holds = conditions.iter().all(|form| form.value(&self.slots) >= 0);
                let side = if holds { then } else { otherwise };
                side.iter().try_for_each(|node| self.lane_node(node, index, base, count))
            }
            Node::Loop(repeated) => self.lane_loop(repeated, index, base, count),
            Node::Known(known) => self.lane_loop(&known.loops, index, base, count),
        }
    }

    fn lane_loop(&mut self, repeated: &'a Loop, index: usize, base: i64, count: usize) -> Result<(), Trouble> {
        if self.is_dry && self.are_alike(repeated) {
            let body = &repeated.body;
            let mut round = |run: &mut Self| body.iter().try_for_each(|node| run.lane_node(node, index, base, count));
            return self.one_for_all(repeated, &mut round);
        }
        if !self.is_dry && self.chain(repeated, index, count) {
            return Ok(());
        }
        let (first, last) = self.rounds(repeated);
        let round = |run: &mut Self, value: i64| {
            run.slots[repeated.index] = value;
            repeated.body.iter().try_for_each(|node| run.lane_node(node, index, base, count))
        };
        match repeated.falls {
            true => (first..=last).rev().try_for_each(|value| round(self, value)),
            false => (first..=last).try_for_each(|value| round(self, value)),
        }
    }

    fn lane_set(&mut self, set: &Set, index: usize, base: i64, count: usize) -> Result<(), Trouble> {
        for end in [base + count as i64 - 1, base] {
            self.slots[index] = end;
            for access in set.accesses().filter(|access| !self.links[*access].is_safe) {
                self.check(access)?;
            }
        }
        self.work.applied = self.work.applied.saturating_add(set.applications().saturating_mul(count as u64));
        if self.is_dry {
            return Ok(());
        }
        let mut top = 0;
        for operation in &set.value {
            match operation {
                Operation::Apply(function) => {
                    top -= function.arity();
                    self.lane_apply(*function, top, count);
                }
                _ => self.lane_operand(operation, top, index, count),
            }
            top += 1;
        }
        self.lane_store(set.target, index, count);
        Ok(())
    }

    /// Puts what is read at a place of the stack.
    fn lane_operand(&mut self, operation: &Operation, place: usize, index: usize, count: usize) {
        let lanes = &mut self.registers.lanes[place][..count];
        self.registers.operands[place] = match operation {
            Operation::Number(number) => Operand::Uniform(E::rounded(*number)),
            Operation::Index(form) => {
                let (first, step) = (form.value_moved(&self.slots, &self.moved), form.coefficient(index));
                lanes.iter_mut().zip(0..).for_each(|(lane, round)| *lane = E::rounded((first + step * round) as f64));
                Operand::Lanes
            }
            Operation::Load(access) => {
                let link = &self.links[*access];
                let (first, step) = (link.address.value(&self.slots), link.address.coefficient(index));
                let values = self.windows[link.window].values();
                match step {
                    0 => Operand::Uniform(values[first as usize]),
                    1 => Operand::Neighbours(link.window, first as usize),
                    _ => {
                        let each = lanes.iter_mut().zip(0..);
                        each.for_each(|(lane, round)| *lane = values[(first + step * round) as usize]);
                        Operand::Lanes
                    }
                }
            }
            Operation::Apply(_) => return,
        };
    }

    /// Applies a function to what stands from `place` on.
    fn lane_apply(&mut self, function: Function, place: usize, count: usize) {
        let mut result = std::mem::take(&mut self.registers.spare);
        let operand = |offset: usize| self.registers.values(place + offset, &self.windows, count);
        let uniform = match function.arity() {
            1 => apply_one(function, operand(0), &mut result[..count]),
            2 => apply_two(function, operand(0), operand(1), &mut result[..count]),
            _ => apply_three(function, [operand(0), operand(1), operand(2)], &mut result[..count]),
        };
        self.registers.operands[place] = uniform.map_or(Operand::Lanes, Operand::Uniform);
        self.registers.spare = std::mem::replace(&mut self.registers.lanes[place], result);
    }

    /// Writes what stands at the bottom of the stack.
    fn lane_store(&mut self, target: usize, index: usize, count: usize) {
        let link = &self.links[target];
        let (first, step) = (link.address.value(&self.slots), link.address.coefficient(index));
        let mut values = std::mem::take(&mut self.registers.spare);
        match self.registers.values(0, &self.windows, count) {
            Values::Uniform(value) => values[..count].fill(value),
            Values::Each(each) => values[..count].copy_from_slice(each),
        }
        let elements = self.windows[link.window].values_mut();
        match step {
            1 => elements[first as usize..][..count].copy_from_slice(&values[..count]),
            _ => values[..count].iter().zip(0..).for_each(|(value, round)| {
                elements[(first + step * round) as usize] = *value;
            }),
        }
        self.registers.spare = values;
    }
}

/// A function of one argument; a number where the argument is the same in all rounds.
fn apply_one<E: Element>(function: Function, a: Values<'_, E>, result: &mut [E]) -> Option<E> {
    match a {
        Values::Uniform(a) => return Some(function.of([a])),
        Values::Each(a) => result.iter_mut().zip(a).for_each(|(result, a)| *result = function.of([*a])),
    }
    None
}

/// A function of two arguments. The common ones have loops of their own, which the compiler turns into vectors.
fn apply_two<E: Element>(function: Function, a: Values<'_, E>, b: Values<'_, E>, result: &mut [E]) -> Option<E> {
    match function {
        Function::Add => each_two(a, b, result, |a, b| a + b),
        Function::Subtract => each_two(a, b, result, |a, b| a - b),
        Function::Multiply => each_two(a, b, result, |a, b| a * b),
        Function::Divide => each_two(a, b, result, |a, b| a / b),
        Function::Maximum => each_two(a, b, result, E::larger),
        Function::Minimum => each_two(a, b, result, E::smaller),
        _ => each_two(a, b, result, |a, b| function.of([a, b])),
    }
}

#[inline(always)]
fn each_two<E: Element>(a: Values<'_, E>, b: Values<'_, E>, result: &mut [E], apply: impl Fn(E, E) -> E) -> Option<E> {
    match (a, b) {
        (Values::Uniform(a), Values::Uniform(b)) => return Some(apply(a, b)),
        (Values::Uniform(a), Values::Each(b)) => {
            result.iter_mut().zip(b).for_each(|(result, b)| *result = apply(a, *b));
        }
        (Values::Each(a), Values::Uniform(b)) => {
            result.iter_mut().zip(a).for_each(|(result, a)| *result = apply(*a, b));
        }
        (Values::Each(a), Values::Each(b)) => {
            result.iter_mut().zip(a.iter().zip(b)).for_each(|(result, (a, b))| *result = apply(*a, *b));
        }
    }
    None
}

fn apply_three<E: Element>(function: Function, operands: [Values<'_, E>; 3], result: &mut [E]) -> Option<E> {
    let lane = |values: &Values<'_, E>, round: usize| match values {
        Values::Uniform(value) => *value,
        Values::Each(each) => each[round],
    };
    let [a, b, c] = &operands;
    if let (Values::Uniform(a), Values::Uniform(b), Values::Uniform(c)) = (a, b, c) {
        return Some(function.of([*a, *b, *c]));
    }
    let each = result.iter_mut().enumerate();
    each.for_each(|(round, result)| *result = function.of([lane(a, round), lane(b, round), lane(c, round)]));
    None
}
