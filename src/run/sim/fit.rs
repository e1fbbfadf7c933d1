//! The least capacities of a program's channels at given sizes.
//!
//! In: a program, sizes, inputs and settings. Out: for each channel the fewest slots with which the run takes no more
//! cycles. A slot more never makes a send later, so the cycles fall, or stay, as capacities rise: that is what makes the
//! search exact. It has three steps.
//!
//! 1. *Alone*: for each channel, by bisection, the least capacity that keeps the cycles while the others are as declared.
//!    No smaller one is possible, whatever the others have.
//! 2. *Together*: a run with all of these at once. As a rule that is the answer.
//! 3. *Raised*: where it is not, the fewest channels are raised, and of these ways the one with the fewest slots in all;
//!    among equals the first in the order of channels. The largest depths of the run as declared are always enough: with
//!    them every word finds its slot when it did before.
//!
//! All instances of a channel have one capacity. That the cycles stay says nothing of other sizes: there the proved depth
//! stands. It may also be smaller than the largest depth, where a send may wait and nothing that is late for it matters.

use super::{Outcome, Settings, simulate};
use rayon::prelude::*;
use serde_json::{Value, json};
use systole_base::diagnostic::{Checked, WIDEST};
use systole_base::integer::{Bindings, Name};
use systole_program::array::{Program, Tensors};

/// How many runs the third step may take; after them one channel after the other is lowered as far as it goes.
const MOST_RUNS: usize = 4096;

/// The least capacities of all channels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// The cycles that are kept.
    pub cycles: u64,
    /// In the order of the program.
    pub channels: Vec<FittedChannel>,
    /// Whether the fewest slots were found; not where that would have taken too many runs: then no channel can be lowered
    /// alone.
    pub is_least: bool,
}

/// One channel with its capacities, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FittedChannel {
    /// Its name.
    pub name: Name,
    /// Words sent, over all instances.
    pub words: u64,
    /// The largest depth that was seen in the run as declared.
    pub max_depth: u64,
    /// The capacity as declared, which is the proved depth where the settings do not say otherwise.
    pub declared: u64,
    /// The least capacity with the other channels as declared.
    pub alone: u64,
    /// The least capacity with the other channels fitted.
    pub fitted: u64,
}

impl Fit {
    /// Whether what is enough for each channel alone is enough for all together.
    pub fn is_enough_alone(&self) -> bool {
        self.channels.iter().all(|channel| channel.alone == channel.fitted)
    }

    /// As rows for people, the head first, and a line on channels that need more together.
    pub fn to_table(&self) -> String {
        let head = ["channel", "words", "largest depth", "declared", "fitted"].map(str::to_owned);
        let row = |channel: &FittedChannel| {
            let FittedChannel { name, words, max_depth, declared, fitted, .. } = channel;
            [name.to_string(), words.to_string(), max_depth.to_string(), declared.to_string(), fitted.to_string()]
        };
        let rows: Vec<[String; 5]> = std::iter::once(head).chain(self.channels.iter().map(row)).collect();
        let width = rows.iter().map(|row| row[0].chars().count()).max().unwrap_or(0).min(WIDEST);
        let line = |[name, words, depth, declared, fitted]: &[String; 5]| {
            format!("{name:<width$}  {words:>9}  {depth:>13}  {declared:>8}  {fitted:>6}\n")
        };
        rows.iter().map(line).chain(self.raised().map(|text| format!("{text}\n"))).collect()
    }

    fn raised(&self) -> Option<String> {
        let raised = self.channels.iter().filter(|channel| channel.fitted > channel.alone);
        let shown: Vec<String> =
            raised.map(|channel| format!("`{}` from {} to {}", channel.name, channel.alone, channel.fitted)).collect();
        (!shown.is_empty()).then(|| format!("least alone is not enough together: raised {}", shown.join(", ")))
    }

    /// As an object for programs.
    pub fn to_json(&self) -> Value {
        let row = |channel: &FittedChannel| {
            json!({
                "channel": &*channel.name,
                "words": channel.words,
                "max_depth": channel.max_depth,
                "declared": channel.declared,
                "alone": channel.alone,
                "fitted": channel.fitted,
            })
        };
        let channels: Vec<Value> = self.channels.iter().map(row).collect();
        json!({ "cycles": self.cycles, "is_least": self.is_least, "channels": channels })
    }
}

/// Fits the capacities of a program's channels; `None` where the run deadlocks as it is declared.
///
/// # Errors
/// As for [`simulate`].
pub fn fit(program: &Program, sizes: &Bindings, inputs: &Tensors, settings: &Settings) -> Checked<Option<Fit>> {
    let outcome = simulate(program, sizes, inputs, settings)?;
    if outcome.deadlock.is_some() {
        return Ok(None);
    }
    let fitting = Fitting { program, sizes, inputs, settings, cycles: outcome.cycles };
    let most: Vec<u64> = outcome.counters.channels.iter().map(|channel| channel.max_depth.max(1)).collect();
    let alone = fitting.least_alone(&most)?;
    let (fitted, is_least) = fitting.least_together(&alone, &most)?;
    Ok(Some(Fit { cycles: outcome.cycles, channels: fitting.rows(&outcome, &alone, &fitted), is_least }))
}

/// The run whose cycles are kept.
struct Fitting<'a> {
    program: &'a Program,
    sizes: &'a Bindings,
    inputs: &'a Tensors,
    settings: &'a Settings,
    cycles: u64,
}

impl Fitting<'_> {
    /// Whether a run with these capacities comes to its end in no more cycles.
    fn keeps(&self, capacities: &[u64]) -> Checked<bool> {
        let names = self.program.channels.iter().map(|channel| channel.name.clone());
        let capacities = names.zip(capacities.iter().copied()).collect();
        let settings = Settings { capacities, ..self.settings.clone() };
        let outcome = simulate(self.program, self.sizes, self.inputs, &settings)?;
        Ok(outcome.deadlock.is_none() && outcome.cycles <= self.cycles)
    }

    fn declared(&self) -> Vec<u64> {
        self.program.channels.iter().map(|channel| self.settings.capacity_of(channel)).collect()
    }

    /// The least capacity of each channel with the others as declared; `most` is enough.
    fn least_alone(&self, most: &[u64]) -> Checked<Vec<u64>> {
        (0..most.len()).into_par_iter().map(|channel| self.lower(&self.declared(), channel, 1, most[channel])).collect()
    }

    /// The least capacity of one channel in `low..=high` with the others as in `capacities`; `high` is enough.
    fn lower(&self, capacities: &[u64], channel: usize, mut low: u64, mut high: u64) -> Checked<u64> {
        let mut tried = capacities.to_vec();
        while low < high {
            tried[channel] = low + (high - low) / 2;
            match self.keeps(&tried)? {
                true => high = tried[channel],
                false => low = tried[channel] + 1,
            }
        }
        Ok(low)
    }

    /// From `least`, which no channel can go below, to capacities that keep the cycles; and whether no others are less.
    fn least_together(&self, least: &[u64], most: &[u64]) -> Checked<(Vec<u64>, bool)> {
        if self.keeps(least)? {
            return Ok((least.to_vec(), true));
        }
        let open: Vec<usize> = (0..least.len()).filter(|channel| least[*channel] < most[*channel]).collect();
        let mut runs = 0;
        for count in 1..=open.len() {
            let mut ways = vec![];
            for chosen in subsets(&open, count) {
                runs += 1;
                if runs > MOST_RUNS {
                    return self.lower_in_turn(least, most);
                }
                let raised = (0..least.len()).map(|at| if chosen.contains(&at) { most[at] } else { least[at] });
                if self.keeps(&raised.collect::<Vec<_>>())? {
                    ways.extend(raises(&chosen, least, most, MOST_RUNS));
                }
            }
            ways.sort_by_key(|way| (way.iter().sum::<u64>(), std::cmp::Reverse(way.clone())));
            for way in &ways {
                runs += 1;
                if runs > MOST_RUNS || ways.len() >= MOST_RUNS {
                    return self.lower_in_turn(least, most);
                }
                if self.keeps(way)? {
                    return Ok((way.clone(), true));
                }
            }
        }
        Ok((most.to_vec(), false))
    }

    /// The first channel as low as it goes with the others at `most`, then the next.
    fn lower_in_turn(&self, least: &[u64], most: &[u64]) -> Checked<(Vec<u64>, bool)> {
        let mut capacities = most.to_vec();
        for channel in 0..capacities.len() {
            capacities[channel] = self.lower(&capacities, channel, least[channel], most[channel])?;
        }
        Ok((capacities, false))
    }

    fn rows(&self, outcome: &Outcome, alone: &[u64], fitted: &[u64]) -> Vec<FittedChannel> {
        let counted = outcome.counters.channels.iter().zip(self.declared()).zip(alone.iter().zip(fitted));
        let row =
            |((counter, declared), (alone, fitted)): ((&super::ChannelCounters, u64), (&u64, &u64))| FittedChannel {
                name: counter.name.clone(),
                words: counter.words,
                max_depth: counter.max_depth,
                declared,
                alone: *alone,
                fitted: *fitted,
            };
        counted.map(row).collect()
    }
}

/// The choices of so many of these, in the order of their first, second and so on.
fn subsets(of: &[usize], count: usize) -> Vec<Vec<usize>> {
    let Some((first, rest)) = of.split_first().filter(|_| count > 0) else {
        return if count == 0 { vec![vec![]] } else { vec![] };
    };
    let with = subsets(rest, count - 1).into_iter().map(|chosen| [vec![*first], chosen].concat());
    with.chain(subsets(rest, count)).collect()
}

/// The ways to raise all of the chosen channels above `least`, up to `most`; no more than `limit` of them.
fn raises(chosen: &[usize], least: &[u64], most: &[u64], limit: usize) -> Vec<Vec<u64>> {
    let mut ways = vec![least.to_vec()];
    for channel in chosen {
        let raised = |way: &Vec<u64>, capacity| {
            let mut way = way.clone();
            way[*channel] = capacity;
            way
        };
        let levels = |way| (least[*channel] + 1..=most[*channel]).map(move |capacity| raised(way, capacity));
        ways = ways.iter().flat_map(levels).take(limit).collect();
    }
    ways
}
