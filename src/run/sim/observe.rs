//! What a run shows as it goes, for traces and pictures.
//!
//! In: the events of a run, each with its clock. Events of one PE come in the order of its clock, and so do those of one
//! end of a wire; between PEs the order is the host's and means nothing. PEs, wires and lines are the positions of
//! [`Code::pes`], [`Wiring::wires`] and [`Wiring::lines`]; arrays, addresses and operations are those of [`Code`].

use systole_program::array::{Code, Wiring};

/// Something that happened; clocks are in cycles.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// The PE began a point of the schedule, due at this clock, at its own; if that is earlier it let the cycles pass.
    Began { pe: usize, due: u64, clock: u64 },
    /// The PE worked.
    Busy { pe: usize, from: u64, to: u64 },
    /// The PE waited for a slot of a wire.
    Stalled { pe: usize, wire: usize, from: u64, to: u64 },
    /// The PE waited for a word of a wire.
    Starved { pe: usize, wire: usize, from: u64, to: u64 },
    /// The PE waited for a word of a bus line.
    Unheard { pe: usize, line: usize, from: u64, to: u64 },
    /// A `let` was done.
    Computed { pe: usize, operation: usize, clock: u64 },
    /// A word took its slot.
    Sent { wire: usize, clock: u64, value: f64 },
    /// A word was taken out; its slot is free a response later.
    Received { wire: usize, clock: u64, value: f64 },
    /// A word was put on a line.
    Driven { pe: usize, line: usize, clock: u64, value: f64 },
    /// A word was read off a line.
    BusRead { pe: usize, line: usize, clock: u64, value: f64 },
    /// An element came through a memory port.
    Loaded { pe: usize, array: usize, address: usize, clock: u64, value: f64 },
    /// An element went out through a memory port.
    Stored { pe: usize, array: usize, address: usize, clock: u64, value: f64 },
}

/// Who watches a run.
pub trait Observer {
    /// Whether anything is done with what is seen.
    const WATCHES: bool = true;

    /// The run is about to begin on these PEs.
    fn begin(&mut self, _code: &Code, _wiring: &Wiring) {}

    /// Something happened.
    fn see(&mut self, event: Event);

    /// A PE did an instruction at this clock, neither a loop nor an `if`: its number in the class, in the order of the text.
    fn see_done(&mut self, _pe: usize, _instruction: usize, _clock: u64) {}
}

/// Nobody watches, at no cost.
impl Observer for () {
    const WATCHES: bool = false;

    fn see(&mut self, _event: Event) {}
}

/// Whoever watches for another.
impl<O: Observer> Observer for &mut O {
    fn begin(&mut self, code: &Code, wiring: &Wiring) {
        (**self).begin(code, wiring);
    }

    fn see(&mut self, event: Event) {
        (**self).see(event);
    }

    fn see_done(&mut self, pe: usize, instruction: usize, clock: u64) {
        (**self).see_done(pe, instruction, clock);
    }
}

/// Two watch.
impl<A: Observer, B: Observer> Observer for (A, B) {
    fn begin(&mut self, code: &Code, wiring: &Wiring) {
        self.0.begin(code, wiring);
        self.1.begin(code, wiring);
    }

    fn see(&mut self, event: Event) {
        self.0.see(event);
        self.1.see(event);
    }

    fn see_done(&mut self, pe: usize, instruction: usize, clock: u64) {
        self.0.see_done(pe, instruction, clock);
        self.1.see_done(pe, instruction, clock);
    }
}

/// Somebody watches, or nobody does.
impl<O: Observer> Observer for Option<O> {
    fn begin(&mut self, code: &Code, wiring: &Wiring) {
        self.iter_mut().for_each(|observer| observer.begin(code, wiring));
    }

    fn see(&mut self, event: Event) {
        self.iter_mut().for_each(|observer| observer.see(event));
    }

    fn see_done(&mut self, pe: usize, instruction: usize, clock: u64) {
        self.iter_mut().for_each(|observer| observer.see_done(pe, instruction, clock));
    }
}

/// Keeps every event.
impl Observer for Vec<Event> {
    fn see(&mut self, event: Event) {
        self.push(event);
    }
}
