//! Watches a run and keeps what a page can show of it.
//!
//! In: the events of a run. Out: a [`Film`], or none of an array too large to be drawn PE by PE. Invariant: a film holds
//! at most [`BUDGET`] cycles of all PEs together, and [`MOST`] words and accesses each; it is cut at a cycle, so that what
//! it shows it shows whole.

use super::lit::{Lit, LitInstructions};
use super::record::{Access, BusRead, Doing, Film, Line, Number, Span, Wire, Word};
use std::collections::VecDeque;
use systole_program::array::{Code, Layout, Wiring};
use systole_run::sim::observe::{Event, Observer};

/// The cycles of all PEs together that are shown at most.
pub const BUDGET: u64 = 1 << 17;

/// The words, and the accesses, that are shown at most.
pub const MOST: usize = 150_000;

/// The longest side of a grid that is drawn PE by PE, and the longest row.
const LONGEST: (usize, usize) = (32, 128);

/// Keeps what is shown of a run.
#[derive(Debug, Default)]
pub struct Recorder {
    film: Film,
    layouts: Vec<Layout>,
    /// For each wire the words that are not received, as positions in the film.
    under_way: Vec<VecDeque<usize>>,
    /// The instructions of each PE.
    lines: LitInstructions,
    /// The first cycle that is not shown.
    horizon: u64,
}

/// The smallest box around points: its smallest coordinates and its extents.
pub fn grid_of(points: &[&[i64]]) -> (Vec<i64>, Vec<usize>) {
    let rank = points.first().map_or(0, |point| point.len());
    let side = |axis: usize| {
        let entries = points.iter().filter_map(|point| point.get(axis).copied());
        let (low, high) = (entries.clone().min().unwrap_or(0), entries.max().unwrap_or(0));
        (low, usize::try_from(high.saturating_sub(low)).unwrap_or(0).saturating_add(1))
    };
    (0..rank).map(side).unzip()
}

/// Whether every PE of a grid of these extents is drawn.
pub fn is_drawn(extents: &[usize]) -> bool {
    match extents {
        [] => true,
        [length] => *length <= LONGEST.1,
        [rows, columns] => (*rows).max(*columns) <= LONGEST.0,
        _ => false,
    }
}

impl Recorder {
    /// The film of a run of so many cycles; `None` where the array is too large.
    pub fn finish(self, cycles: u64) -> Option<Film> {
        let (mut film, horizon) = (self.film, self.horizon);
        if horizon == 0 {
            return None;
        }
        film.words.retain(|word| word.1 < horizon);
        film.words.sort_by_key(|word| word.1);
        film.heard.retain(|heard| heard.2 < horizon);
        film.accesses.retain(|access| access.1 < horizon);
        film.accesses.sort_by_key(|access| access.1);
        film.spans.iter_mut().for_each(|spans| cut(spans, horizon));
        film.began.iter_mut().for_each(|began| began.retain(|clock| *clock < horizon));
        (film.sets, film.lit) = self.lines.finish();
        film.lit.iter_mut().for_each(|spans| cut_lit(spans, horizon));
        film.cycles = cycles.min(horizon);
        Some(film)
    }

    fn work(&mut self, pe: usize, doing: Doing, (from, to): (u64, u64)) {
        let to = to.min(self.horizon);
        let Some(spans) = self.film.spans.get_mut(pe).filter(|_| from < to) else { return };
        match spans.last_mut() {
            Some(Span(last, _, end)) if *last == doing && *end == from => *end = to,
            _ => spans.push(Span(doing, from, to)),
        }
    }

    /// Whether something at this cycle is kept; the horizon comes closer where there is too much.
    fn keeps(&mut self, clock: u64) -> bool {
        let full = self.film.words.len() >= MOST || self.film.heard.len().max(self.film.accesses.len()) >= MOST;
        if full {
            self.horizon = self.horizon.min(clock);
        }
        clock < self.horizon
    }

    fn send(&mut self, wire: usize, clock: u64, value: f64) {
        if self.keeps(clock) {
            self.under_way[wire].push_back(self.film.words.len());
            self.film.words.push(Word(wire, clock, None, value.into()));
        }
    }

    /// Words are received in the order in which they are sent.
    fn receive(&mut self, wire: usize, clock: u64) {
        let word = self.under_way.get_mut(wire).and_then(VecDeque::pop_front);
        if let Some(word) = word.and_then(|position| self.film.words.get_mut(position)) {
            word.2 = Some(clock);
        }
    }

    fn hear(&mut self, line: usize, pe: usize, clock: u64, value: f64) {
        if self.keeps(clock) {
            self.film.heard.push(BusRead(line, pe, clock, value.into()));
        }
    }

    fn access(&mut self, pe: usize, clock: u64, (array, address): (usize, usize), value: f64, out: bool) {
        if self.keeps(clock) {
            let layout = &self.layouts[array];
            let subscripts = layout.subscripts(address).iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
            let element = format!("{}[{subscripts}]", layout.name);
            self.film.accesses.push(Access(pe, clock, element, Number::from(value), out));
        }
    }
}

impl Observer for Recorder {
    fn begin(&mut self, code: &Code, wiring: &Wiring) {
        if !is_drawn(&code.grid.extents) {
            return;
        }
        self.horizon = BUDGET / (code.pes.len() as u64).max(1);
        self.layouts = code.arrays.clone();
        self.under_way = vec![VecDeque::new(); wiring.wires.len()];
        self.film.spans = vec![vec![]; code.pes.len()];
        self.film.began = vec![vec![]; code.pes.len()];
        self.lines = LitInstructions::of(code.pes.len());
        self.film.wires = wiring.wires.iter().map(|wire| Wire(wire.channel, wire.sender, wire.receiver)).collect();
        let on_line = |line: usize| (0..code.pes.len()).filter(|pe| wiring.taps(*pe).contains(&line)).collect();
        self.film.lines = wiring.lines.iter().enumerate().map(|(line, bus)| Line(*bus, on_line(line))).collect();
    }

    fn see(&mut self, event: Event) {
        if self.horizon == 0 {
            return;
        }
        match event {
            Event::Busy { pe, from, to } => self.work(pe, Doing::Busy, (from, to)),
            Event::Stalled { pe, from, to, .. } => self.work(pe, Doing::Stalled, (from, to)),
            Event::Starved { pe, from, to, .. } => self.work(pe, Doing::Starved, (from, to)),
            Event::Unheard { pe, from, to, .. } => self.work(pe, Doing::Starved, (from, to)),
            Event::Sent { wire, clock, value } => self.send(wire, clock, value),
            Event::Received { wire, clock, .. } => self.receive(wire, clock),
            Event::BusRead { pe, line, clock, value } => self.hear(line, pe, clock, value),
            Event::Loaded { pe, array, address, clock, value } => {
                self.access(pe, clock, (array, address), value, false);
            }
            Event::Stored { pe, array, address, clock, value } => self.access(pe, clock, (array, address), value, true),
            Event::Began { pe, clock, due } if clock < self.horizon => self.film.began[pe].push(clock.max(due)),
            Event::Began { .. } | Event::Driven { .. } | Event::Computed { .. } => {}
        }
    }

    fn see_done(&mut self, pe: usize, instruction: usize, clock: u64) {
        if clock < self.horizon {
            self.lines.see(pe, instruction, clock);
        }
    }
}

/// The sets of instructions up to a cycle; what is done behind the last tick belongs to the end of the run.
fn cut_lit(spans: &mut Vec<Lit>, horizon: u64) {
    spans.retain(|Lit(_, from, _)| *from < horizon);
    spans.iter_mut().for_each(|span| span.2 = span.2.min(horizon));
}

/// The spans up to a cycle.
fn cut(spans: &mut Vec<Span>, horizon: u64) {
    spans.retain(|Span(_, from, _)| *from < horizon);
    spans.iter_mut().for_each(|span| span.2 = span.2.min(horizon));
}
