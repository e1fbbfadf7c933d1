//! The ends of channels at one worker.
//!
//! A wire between two PEs of one worker is a queue of that worker. A wire between two workers has an end at each: the
//! sender's knows how many slots are free, the receiver's holds the words. A slot that is taken is free again when the
//! receiver has taken the word *and* the sender has heard of it (a credit), so never are there more words in a wire, on
//! their way included, than the program declares. Words of a wire keep their order. A word that goes back to the worker that it
//! came from is named instead of being sent (`returns.rs`), and of a tile goes the part that somebody reads.

use super::outbox::Outbox;
use super::packet::Parcel;
use super::returns::{LastReceived, Sent};
use super::word::Word;
use crate::exec::plan::Plan;
use crate::leaf::Face;
use std::collections::{HashMap, VecDeque};
use systole_program::array::{NOWHERE, Wire};

/// Where the other end of a wire is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Far {
    /// At this worker.
    Here,
    /// This worker sends to that one.
    To(usize),
    /// This worker receives from that one.
    From(usize),
}

/// A wire, as far as it is at this worker.
#[derive(Debug)]
struct End<W: Word> {
    wire: usize,
    far: Far,
    /// Words to be received here.
    queue: VecDeque<W>,
    /// Slots that a sender here may fill.
    free: u64,
    /// Slots that were freed here and that the sender has not heard of.
    owed: u64,
    /// The PE of this worker that waits; one at most, since a wire that is full is not empty.
    parked: Option<usize>,
    /// The part of a tile that goes; none where that is all of it.
    face: Option<Box<Face>>,
    /// What was sent to a PE that may send it back.
    sent: Option<Box<Sent<W>>>,
    /// What was taken by a PE that may send it back.
    taken: Option<Box<LastReceived<W>>>,
    /// The ends from which the PE that sends here may have what it sends back.
    origins: Vec<usize>,
}

/// All ends of one worker.
pub struct Wires<W: Word> {
    ends: Vec<End<W>>,
    /// The end of each wire of the whole array; [`NOWHERE`] for the wires of others.
    end_of: Vec<usize>,
    /// Ends that owe slots.
    debtors: Vec<usize>,
    /// Of the words in all queues: now, and the most there were.
    bytes: u64,
    most_bytes: u64,
}

impl<W: Word> Wires<W> {
    /// The ends of a worker, before the run.
    pub fn of(plan: &Plan<'_>, worker: usize) -> Wires<W> {
        let end_of = vec![NOWHERE; plan.wiring.wires.len()];
        // Room for all at once, as in [`Plan::of_pes`].
        let is_here = |joint: &&Wire| far_end(plan, joint, worker).is_some();
        let ends = Vec::with_capacity(plan.wiring.wires.iter().filter(is_here).count());
        let mut wires = Wires { ends, end_of, debtors: vec![], bytes: 0, most_bytes: 0 };
        for (wire, joint) in plan.wiring.wires.iter().enumerate() {
            if let Some(far) = far_end(plan, joint, worker) {
                let free = if matches!(far, Far::From(_)) { 0 } else { plan.capacities[joint.channel] };
                wires.end_of[wire] = wires.ends.len();
                let face = plan.faces[joint.channel].clone().map(Box::new);
                wires.ends.push(End { face, ..End::new(wire, far, free) });
            }
        }
        wires.find_returns(plan);
        wires
    }

    /// Readies ends for words that come back.
    fn find_returns(&mut self, plan: &Plan<'_>) {
        let mut origins = HashMap::<(usize, usize), Vec<usize>>::new();
        for (number, end) in self.ends.iter_mut().enumerate() {
            let joint = &plan.wiring.wires[end.wire];
            match end.far {
                Far::To(_) if plan.comes_back(joint) => {
                    end.sent = Some(Box::new(Sent::new(plan.capacities[joint.channel])));
                }
                Far::From(worker) if plan.comes_back(joint) => {
                    end.taken = Some(Box::new(LastReceived::new()));
                    origins.entry((joint.receiver, worker)).or_default().push(number);
                }
                _ => {}
            }
        }
        for end in &mut self.ends {
            if let Far::To(worker) = end.far {
                let sender = plan.wiring.wires[end.wire].sender;
                end.origins = origins.get(&(sender, worker)).cloned().unwrap_or_default();
            }
        }
    }

    /// The end of a wire at this worker; [`NOWHERE`] where it has none.
    pub fn end(&self, wire: usize) -> usize {
        self.end_of.get(wire).copied().unwrap_or(NOWHERE)
    }

    /// How many words a sender at this worker may send before it waits.
    pub fn room(&self, end: usize) -> u64 {
        self.ends[end].free
    }

    /// Sends a word; `None` where the wire is full, and then the PE is parked. Else the PE that may go on, if any.
    pub fn send(&mut self, number: usize, pe: usize, word: &W, outbox: &mut Outbox) -> Option<Option<usize>> {
        let end = &mut self.ends[number];
        if end.free == 0 {
            end.parked = Some(pe);
            return None;
        }
        end.free -= 1;
        if let Far::To(worker) = end.far {
            self.send_away(number, worker, word, outbox);
            return Some(None);
        }
        end.queue.push_back(word.clone());
        let freed = end.parked.take();
        self.count(word);
        Some(freed)
    }

    /// Sends a word to another worker, or its name where that has it.
    fn send_away(&mut self, number: usize, worker: usize, word: &W, outbox: &mut Outbox) {
        let End { wire, origins, face, .. } = &self.ends[number];
        let name = |origin: &usize| {
            let End { wire: origin, taken, .. } = &self.ends[*origin];
            Some(Parcel::Return { wire: *wire, origin: *origin, number: taken.as_ref()?.number(word)? })
        };
        let named = origins.iter().find_map(name);
        let part = || face.as_ref().and_then(|face| word.part(face));
        let sent = || match part() {
            Some((lengths, value)) => Parcel::Part { wire: *wire, lengths, value },
            None => Parcel::Word { wire: *wire, value: word.clone() },
        };
        outbox.put(worker, &named.unwrap_or_else(sent));
        if let Some(sent) = &mut self.ends[number].sent {
            self.bytes -= sent.keep(word);
            self.count(word);
        }
    }

    /// A word was put in a queue, or is kept.
    fn count(&mut self, word: &W) {
        self.bytes += word.bytes();
        self.most_bytes = self.most_bytes.max(self.bytes);
    }

    /// The most bytes that words in the queues, and those that may come back, took at a time.
    pub fn most_bytes(&self) -> u64 {
        self.most_bytes
    }

    /// Takes a word out; `None` where the wire is empty, and then the PE is parked. Else the word, and the PE that may go
    /// on, if any.
    pub fn receive(&mut self, number: usize, pe: usize) -> Option<(W, Option<usize>)> {
        let end = &mut self.ends[number];
        let Some(word) = end.queue.pop_front() else {
            end.parked = Some(pe);
            return None;
        };
        self.bytes -= word.bytes();
        if matches!(end.far, Far::From(_)) {
            end.taken.iter_mut().for_each(|taken| taken.note(&word));
            if end.owed == 0 {
                self.debtors.push(number);
            }
            end.owed += 1;
            return Some((word, None));
        }
        end.free += 1;
        Some((word, end.parked.take()))
    }

    /// A word came in from another worker; the PE that may go on, if any.
    pub fn arrive(&mut self, wire: usize, word: W) -> Option<usize> {
        self.count(&word);
        let end = self.ends.get_mut(self.end_of[wire])?;
        end.queue.push_back(word);
        end.parked.take()
    }

    /// A part of a tile came in of which nobody reads more; the PE that may go on, if any.
    pub fn arrive_in_part(&mut self, wire: usize, lengths: &[usize], part: W) -> Option<usize> {
        let end = self.ends.get(self.end_of[wire])?;
        let word = end.face.as_ref().map(|face| part.put_back(lengths, face));
        self.arrive(wire, word.unwrap_or(part))
    }

    /// A word came back that was sent on the wire `origin` under this number; the PE that may go on, if any.
    pub fn arrive_back(&mut self, wire: usize, origin: usize, number: u64) -> Option<usize> {
        let end = self.ends.get_mut(self.end_of[origin])?;
        let (word, forgotten) = end.sent.as_mut()?.named(number)?;
        self.bytes -= forgotten;
        self.arrive(wire, word)
    }

    /// Another worker freed slots; the PE that may go on, if any.
    pub fn refill(&mut self, wire: usize, slots: u64) -> Option<usize> {
        let end = self.ends.get_mut(self.end_of[wire])?;
        end.free += slots;
        end.parked.take()
    }

    /// Tells the senders which slots are free.
    pub fn pay(&mut self, outbox: &mut Outbox) {
        for number in self.debtors.drain(..) {
            let end = &mut self.ends[number];
            if let Far::From(worker) = end.far {
                outbox.put::<W>(worker, &Parcel::Credit { wire: end.wire, slots: std::mem::take(&mut end.owed) });
            }
        }
    }
}

impl<W: Word> End<W> {
    fn new(wire: usize, far: Far, free: u64) -> End<W> {
        let queue = VecDeque::new();
        End { wire, far, queue, free, owed: 0, parked: None, face: None, sent: None, taken: None, origins: vec![] }
    }
}

fn far_end(plan: &Plan<'_>, joint: &Wire, worker: usize) -> Option<Far> {
    match (plan.owner(joint.sender), plan.owner(joint.receiver)) {
        (sender, receiver) if sender == worker && receiver == worker => Some(Far::Here),
        (sender, receiver) if sender == worker => Some(Far::To(receiver)),
        (sender, receiver) if receiver == worker => Some(Far::From(sender)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::Settings;
    use systole_base::integer::Bindings;
    use systole_equations::recurrence::Distribution;
    use systole_program::array;

    /// Eleven PEs on a line, with ten wires.
    const LINE: &str = "(program line (version 1) (grid (p 0 10)) (channel right (offset 1) (latency 1) (depth 2))
        (class first (guard (= p 0)) (let x 1) (send right x))
        (class inner (guard (>= p 1) (<= p 9)) (recv x right) (send right x))
        (class last (guard (= p 10)) (recv x right)))";

    /// A list that grew would have room for a power of two.
    #[test]
    fn lists_of_a_worker_have_room_for_all_and_no_more() {
        let program = array::parse("line.pe", LINE).expect("a program");
        let code = array::compile_shared(&program, &Bindings::new(), 1).expect("code");
        for workers in [1, 2, 3] {
            let settings = Settings { workers, distribution: Some(Distribution::Cyclic), ..Settings::default() };
            let owners = settings.owners(&program, &code.grid, workers).expect("owners");
            let plan = Plan::new(&program, &code, &owners, workers, &settings);
            for worker in 0..workers {
                let pes = plan.of_pes(worker, |pe| pe);
                assert!(pes.iter().copied().eq((worker..11).step_by(workers)), "{pes:?}");
                let ends = Wires::<f64>::of(&plan, worker).ends;
                assert_eq!([pes.capacity(), ends.capacity()], [pes.len(), ends.len()], "{worker} of {workers}");
            }
        }
    }
}
