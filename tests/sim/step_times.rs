//! How long the steps of a program take on a machine, from the text of its classes: an oracle of its own.
//!
//! All ways through a body are followed, with loops taken no times, once and twice, and the cycles of the work on the way
//! from each `at` or `tick` to the next are summed up. What is heard of a bus has come by the latest drive of that bus.

use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::Name;
use systole_base::machine::{Bandwidth, Times};
use systole_program::array::{Instruction, Program, ScalarExpr};
use systole_run::sim::Settings;

pub struct StepTimes {
    /// Cycles of a step.
    pub step: u64,
    /// Cycles of each `let`, in the order of the text.
    pub lets: Vec<u64>,
    /// Cycles of a load.
    pub load: u64,
    port: Option<Bandwidth>,
    /// The most cycles into a step at which a word of each bus is driven.
    driven: BTreeMap<Name, u64>,
}

/// Cycles of work since the step began, and words through the port.
type State = (u64, u64);

impl StepTimes {
    pub fn of(program: &Program, settings: &Settings) -> StepTimes {
        let times = &settings.times;
        let (load, port) = (times.load_latency as u64, times.port);
        let mut found = StepTimes { step: 1, lets: vec![], load, port, driven: BTreeMap::new() };
        for _ in 0..=program.buses.len() {
            found.lets.clear();
            for class in &program.classes {
                found.walk(&class.body, BTreeSet::from([(0, 0)]), &mut Text { times, next: None });
            }
        }
        found
    }

    /// When the word with this number may pass the port.
    pub fn port_cycle(&self, number: u64) -> u64 {
        match self.port {
            None => 0,
            Some(Bandwidth::WordsACycle(words)) => number / words,
            Some(Bandwidth::CyclesAWord(cycles)) => number * cycles,
        }
    }

    /// The states in which a body may be left. `text` counts the `let`s.
    fn walk(&mut self, body: &[Instruction], mut states: BTreeSet<State>, text: &mut Text<'_>) -> BTreeSet<State> {
        for instruction in body {
            states = self.pass(instruction, states, text);
            self.step = states.iter().map(|(worked, _)| worked + 1).fold(self.step, u64::max);
        }
        states
    }

    fn pass(&mut self, instruction: &Instruction, states: BTreeSet<State>, text: &mut Text<'_>) -> BTreeSet<State> {
        let (load, port) = (self.load, |number| self.port_cycle(number));
        match instruction {
            Instruction::At(_) | Instruction::Tick(_) => BTreeSet::from([(0, 0)]),
            Instruction::Load(..) => states.iter().map(|(w, n)| ((*w).max(port(*n) + load), n + 1)).collect(),
            Instruction::Store(..) => states.iter().map(|(w, n)| ((*w).max(port(*n)), n + 1)).collect(),
            Instruction::Drive(bus, ..) => {
                let latest = self.driven.entry(bus.clone()).or_default();
                *latest = states.iter().map(|(worked, _)| *worked).fold(*latest, u64::max);
                states
            }
            Instruction::Listen(_, bus, _) => {
                let heard = self.driven.get(bus).copied().unwrap_or(0);
                states.iter().map(|(worked, words)| ((*worked).max(heard), *words)).collect()
            }
            Instruction::Let(_, value) => {
                let cycles = self.number(text, value);
                states.iter().map(|(worked, words)| (worked + cycles, *words)).collect()
            }
            Instruction::Fill(..) => {
                self.number(text, &ScalarExpr::Number(0.0));
                states
            }
            Instruction::Loop { body, .. } => {
                let start = text.next.unwrap_or(self.lets.len());
                let once = self.walk(body, states.clone(), text);
                let mut again = Text { times: text.times, next: Some(start) };
                let twice = self.walk(body, once.clone(), &mut again);
                states.into_iter().chain(once).chain(twice).collect()
            }
            Instruction::If { then, otherwise, .. } => {
                let left = self.walk(then, states.clone(), text);
                left.into_iter().chain(self.walk(otherwise, states, text)).collect()
            }
            _ => states,
        }
    }

    /// The cycles of a `let`, which is met for the first time or again.
    fn number(&mut self, text: &mut Text<'_>, value: &ScalarExpr) -> u64 {
        let cycles = longest(value, text.times).max(pause(value, text.times));
        match &mut text.next {
            Some(next) => *next += 1,
            None => self.lets.push(cycles),
        }
        cycles
    }
}

/// Where the walk is: the number of the next `let`, once it has been met before.
struct Text<'a> {
    times: &'a Times,
    next: Option<usize>,
}

fn longest(value: &ScalarExpr, times: &Times) -> u64 {
    let ScalarExpr::Apply(function, arguments) = value else { return 0 };
    let latency = times.operations.get(function).map_or(1, |time| time.latency);
    arguments.iter().map(|argument| longest(argument, times)).max().unwrap_or(0) + latency as u64 - 1
}

fn pause(value: &ScalarExpr, times: &Times) -> u64 {
    let ScalarExpr::Apply(function, arguments) = value else { return 0 };
    let interval = times.operations.get(function).map_or(1, |time| time.interval);
    arguments.iter().map(|argument| pause(argument, times)).fold(interval as u64 - 1, u64::max)
}

/// The most PEs busy in one cycle: some span begins in such a cycle.
pub fn fullest<'s>(spans: impl Iterator<Item = &'s (u64, u64)>) -> u64 {
    let mut changes: Vec<(u64, i64)> = vec![];
    for (from, to) in spans {
        changes.extend([(*from, 1), (*to, -1)]);
    }
    // Ends come before beginnings in the same cycle.
    changes.sort_unstable();
    let levels = changes.iter().scan(0, |level, (_, change)| {
        *level += change;
        Some(*level)
    });
    levels.max().unwrap_or(0).unsigned_abs()
}
