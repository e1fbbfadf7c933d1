//! What a PE may send before it computes the tile at which it stands.
//!
//! In: the ops from a `let` on, and the slots. Out: the sends that will come before the PE waits for anything else, each with
//! whether its word is there already. A program hands a word on after it has used it; a tile takes long to be
//! computed, and whoever waits for that word need not.
//!
//! **Why nothing else changes.** A send that is done early is one that the PE is certain to reach: nothing on the way
//! there waits but other sends, and for each of these there is a free slot that nobody else can take, since a wire has one sender.
//! Words of one wire keep their order. So the network has the history that it had (the law of `mod.rs`).

use smallvec::SmallVec;
use systole_program::array::Op;

/// A send that is certain to be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coming {
    /// Where it goes.
    pub port: usize,
    /// The register that is sent.
    pub register: usize,
    /// Whether the register holds the word already.
    pub is_there: bool,
}

/// Sends in their order: a PE looks for them before every tile, and has few.
pub type Sends = SmallVec<[Coming; 4]>;

/// The sends after the `let` at `counter`, up to the first op that may wait for others or begins a round.
pub fn coming_sends(ops: &[Op], mut counter: usize, slots: &[i64]) -> Sends {
    let (mut written, mut sends) = (SmallVec::<[usize; 4]>::new(), Sends::new());
    while let Some(op) = ops.get(counter) {
        counter += 1;
        match op {
            Op::Let { register, .. } => written.push(*register),
            Op::Send { port, register } => {
                sends.push(Coming { port: *port, register: *register, is_there: !written.contains(register) });
            }
            Op::Store { .. } | Op::Fill { .. } | Op::Advance { .. } | Op::Tick(_) | Op::Share | Op::EndStep => {}
            Op::Jump(target) => counter = *target,
            Op::Branch { tests, otherwise } => {
                match tests.iter().try_fold(true, |hold, test| Some(test.holds(slots)? && hold)) {
                    Some(false) => counter = *otherwise,
                    Some(true) => {}
                    None => return sends,
                }
            }
            _ => return sends,
        }
    }
    sends
}

/// The sends that are left where one has been done for each of these ports, the first of its port.
pub fn not_given(mut coming: Sends, given: &[usize]) -> Sends {
    for port in given {
        if let Some(first) = coming.iter().position(|send| send.port == *port) {
            coming.remove(first);
        }
    }
    coming
}

/// The sends that can be done now where a port has this many free slots; each port's in its order.
pub fn early_sends(coming: &[Coming], mut room: impl FnMut(usize) -> u64) -> Sends {
    let mut early = Sends::new();
    for (position, send) in coming.iter().enumerate() {
        let before = coming[..position].iter().filter(|other| other.port == send.port);
        if before.clone().count() as u64 >= room(send.port) {
            break;
        }
        if send.is_there && before.clone().all(|other| other.is_there) {
            early.push(*send);
        }
    }
    early
}

#[cfg(test)]
mod tests {
    use super::*;
    use systole_program::array::{Index, Scalar};

    fn compute(register: usize) -> Op {
        Op::Let { register, value: Scalar::Number(0.0), operation: 0 }
    }

    fn send(port: usize, register: usize) -> Op {
        Op::Send { port, register }
    }

    fn coming(port: usize, register: usize, is_there: bool) -> Coming {
        Coming { port, register, is_there }
    }

    #[test]
    fn sends_come_until_something_may_wait() {
        let store = Op::Store { array: 0, at: vec![], register: 2 };
        let wait = Op::Receive { register: 0, port: 3 };
        let ops = [compute(2), store, send(0, 2), Op::Jump(5), send(1, 1), send(1, 0), Op::Tick(1), wait, send(2, 0)];
        assert_eq!(*coming_sends(&ops, 0, &[]), [coming(0, 2, false), coming(1, 0, true)]);
        let round = [compute(2), send(0, 0), Op::Again { index: 0, last: 1, start: 0 }, send(0, 0)];
        assert_eq!(*coming_sends(&round, 0, &[]), [coming(0, 0, true)]);
        let load = [compute(2), Op::Load { register: 0, array: 0, at: vec![Index::Constant(0)] }, send(0, 0)];
        assert_eq!(*coming_sends(&load, 0, &[]), []);
    }

    #[test]
    fn what_has_been_given_is_the_first_of_its_port() {
        let sends = [coming(0, 2, true), coming(1, 0, true), coming(0, 1, true)];
        assert_eq!(*not_given(Sends::from_slice(&sends), &[]), sends);
        assert_eq!(*not_given(Sends::from_slice(&sends), &[0]), sends[1..]);
        assert_eq!(*not_given(Sends::from_slice(&sends), &[1, 0]), sends[2..]);
        assert_eq!(*not_given(Sends::from_slice(&sends), &[0, 0, 7]), sends[1..2]);
    }

    #[test]
    fn nothing_passes_a_send_that_may_wait_or_one_of_its_wire() {
        let sends = [coming(0, 2, false), coming(1, 0, true), coming(0, 1, true), coming(2, 1, true)];
        assert_eq!(*early_sends(&sends, |_| 2), [sends[1], sends[3]]);
        assert_eq!(*early_sends(&sends, |port| if port == 0 { 1 } else { 2 }), [sends[1]]);
        assert_eq!(*early_sends(&sends, |port| u64::from(port != 0)), []);
        assert_eq!(*early_sends(&sends, |port| u64::from(port != 1)), []);
    }
}
