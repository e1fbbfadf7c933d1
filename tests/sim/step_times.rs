//! How long the steps of a program take on a machine, from the text of its classes: an oracle of its own.
//!
//! All ways through a body are followed, with loops taken no times, once and twice, and the cycles of the work on the way
//! from each `at` or `tick` to the next are summed up. What is heard of a bus has come by the latest drive of that bus.

use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::Name;
use systole_base::machine::{Bandwidth, Times};
use systole_program::array::{Instruction, Program, ScalarExpr};
use systole_run::sim::Settings;

#[derive(Clone, Default)]
pub struct StepTimes {
    /// The clock of step 0.
    pub lead: u64,
    /// Cycles of a step.
    pub step: u64,
    /// For each array whose words are asked for ahead how many loads may be outstanding, and whether that was proved to be enough.
    pub ahead: BTreeMap<Name, (u64, bool)>,
    /// So long each step waits for such words.
    waited: u64,
    /// The most loads of a step of each such array.
    loads: BTreeMap<Name, u64>,
    /// The most cycles into a step at which such a word is taken.
    latest: Option<u64>,
    /// Whether one is taken before the `at` of its step.
    is_early: bool,
    /// Cycles of each `let`, in the order of the text.
    pub lets: Vec<u64>,
    /// Cycles of a load.
    pub load: u64,
    port: Option<Bandwidth>,
    /// The most cycles into a step at which a word of each bus is driven.
    driven: BTreeMap<Name, u64>,
}

/// Where a step may be.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    /// Cycles of work since it began.
    worked: u64,
    /// Words through the port.
    words: u64,
    /// Loads since the last `tick`, of arrays whose words are asked for ahead.
    loads: BTreeMap<Name, u64>,
    /// Whether an `at` has begun it.
    is_timed: bool,
    /// Whether an operation that shares it is done.
    is_shared: bool,
}

impl State {
    fn worked(&self, worked: u64) -> State {
        State { worked, ..self.clone() }
    }
}

impl StepTimes {
    /// The shortest step that is long enough for all work, and for loads to come; and of the longest waits of a step with which it
    /// is no longer, what is left of the latency.
    pub fn of(program: &Program, settings: &Settings) -> StepTimes {
        let latency = settings.times.load_latency as u64;
        let plain = StepTimes::waiting(program, settings, 0);
        let Some(latest) = plain.latest else { return plain };
        let is_long_enough = |step: &u64| {
            let scarce = plain.loads.iter().filter(|(array, _)| !plain.ahead[*array].1);
            { scarce }.all(|(array, loads)| step * (plain.ahead[array].0 / loads).max(1) > latest + latency)
        };
        let step = (plain.step..).find(is_long_enough).unwrap();
        let waits = if plain.is_early { 0..=0 } else { 0..=latency };
        let tried = waits.rev().map(|waited| StepTimes::waiting(program, settings, waited));
        let chosen = { tried }.find(|times| times.step <= step).unwrap();
        StepTimes { step, lead: latency - chosen.waited, ..chosen }
    }

    /// Steps that wait so long for words that were asked for ahead.
    fn waiting(program: &Program, settings: &Settings, waited: u64) -> StepTimes {
        let times = &settings.times;
        let (load, port) = (times.load_latency as u64, times.port);
        let most = times.outstanding.unwrap_or(u64::MAX);
        let declared = program.arrays.iter().filter_map(|array| Some((array.name.clone(), array.loads?)));
        let ahead = declared.filter(|_| load > 0).map(|(name, loads)| {
            let is_enough = loads.outstanding <= most && load <= loads.latency;
            (name, (loads.outstanding.min(most), is_enough))
        });
        let mut found = StepTimes { step: 1, load, port, ahead: ahead.collect(), waited, ..StepTimes::default() };
        for _ in 0..=program.buses.len() {
            found.lets.clear();
            for class in &program.classes {
                found.walk(&class.body, BTreeSet::from([State::default()]), &mut Text { times, next: None });
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
            self.step = states.iter().map(|state| state.worked + 1).fold(self.step, u64::max);
        }
        states
    }

    fn pass(&mut self, instruction: &Instruction, states: BTreeSet<State>, text: &mut Text<'_>) -> BTreeSet<State> {
        match instruction {
            Instruction::At(_) => {
                self.is_early |= states.iter().any(|state| !state.is_timed && !state.loads.is_empty());
                let begun = |state: State| match state.is_shared {
                    true => state,
                    false => State { loads: state.loads, is_timed: true, ..State::default() },
                };
                states.into_iter().map(begun).collect()
            }
            Instruction::Share => states.into_iter().map(|state| State { is_shared: true, ..state }).collect(),
            Instruction::Tick(_) | Instruction::EndStep => BTreeSet::from([State::default()]),
            Instruction::Load(_, array, _) => states.into_iter().map(|state| self.load(array, state)).collect(),
            Instruction::Store(..) => {
                let stored = |state: State| State {
                    worked: state.worked.max(self.port_cycle(state.words)),
                    words: state.words + 1,
                    ..state
                };
                states.into_iter().map(stored).collect()
            }
            Instruction::Drive(bus, ..) => {
                let latest = self.driven.entry(bus.clone()).or_default();
                *latest = states.iter().map(|state| state.worked).fold(*latest, u64::max);
                states
            }
            Instruction::Listen(_, bus, _) => {
                let heard = self.driven.get(bus).copied().unwrap_or(0);
                states.iter().map(|state| state.worked(state.worked.max(heard))).collect()
            }
            Instruction::Let(_, value) => {
                let cycles = self.number(text, value);
                states.iter().map(|state| state.worked(state.worked + cycles)).collect()
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

    fn load(&mut self, array: &Name, mut state: State) -> State {
        let passed = self.port_cycle(state.words);
        state.words += 1;
        let Some((outstanding, is_enough)) = self.ahead.get(array) else {
            return state.worked(state.worked.max(passed + self.load));
        };
        let loads = state.loads.entry(array.clone()).or_default();
        let again = if *is_enough || *loads < *outstanding { 0 } else { self.load + 1 };
        *loads += 1;
        let most = self.loads.entry(array.clone()).or_default();
        *most = (*most).max(*loads);
        let worked = state.worked.max(passed + self.waited) + again;
        self.latest = self.latest.max(Some(worked));
        state.worked(worked)
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
