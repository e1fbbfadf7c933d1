//! Everything that a page shows.

use super::clash::Clash;
use super::front::Front;
use super::run::Run;
use super::schedule::{Proof, Rule, SpaceSchedule};
use super::work::Work;
use serde::Serialize;

/// A line of the summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// What it says.
    pub name: String,
    /// Its value, with its unit.
    pub value: String,
    /// `good`, `bad`, or nothing where it is neither.
    pub mood: &'static str,
}

impl Fact {
    /// A fact that is neither good nor bad.
    pub fn plain(name: &str, value: impl Into<String>) -> Fact {
        Fact { name: name.to_owned(), value: value.into(), mood: "" }
    }

    /// A fact that is good, or bad.
    pub fn judged(name: &str, value: impl Into<String>, good: bool) -> Fact {
        Fact { mood: if good { "good" } else { "bad" }, ..Fact::plain(name, value) }
    }
}

/// Lines of the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceText {
    /// The file.
    pub name: String,
    /// What the file says of itself above the kernel, with the figures of textbooks.
    pub about: Vec<String>,
    /// The number of the first line, from 1.
    pub first: usize,
    /// The lines from the kernel on, up to the first schedule.
    pub lines: Vec<String>,
}

/// What a machine says under a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MachineKey {
    /// The section and the key.
    pub key: String,
    /// The value, as a machine file says it.
    pub value: String,
    /// What it means.
    pub about: &'static str,
}

/// A number of cycles that no design goes below.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Bound {
    /// So many.
    pub cycles: u64,
    /// Why, and how near the run comes to it.
    pub text: String,
}

/// What there is to show. What a command has not is empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// The kernel.
    pub title: String,
    /// What was done: `run`, `sim` or `prove`, and of what.
    pub command: String,
    /// The equations as written.
    pub equations: Vec<String>,
    /// The sizes of the run.
    pub sizes: Vec<(String, i64)>,
    /// The summary.
    pub facts: Vec<Fact>,
    /// The schedule, a line for each space.
    pub schedule: Vec<SpaceSchedule>,
    /// The obligations.
    pub proofs: Vec<Proof>,
    /// The rules from the equations to the design.
    pub rules: Vec<Rule>,
    /// The run.
    pub run: Option<Run>,
    /// The refuted obligations.
    pub clashes: Vec<Clash>,
    /// What each PE computes.
    pub work: Option<Work>,
    /// The equations in their file.
    pub source: Option<SourceText>,
    /// The machine.
    pub machine: Vec<MachineKey>,
    /// The cycles that no design goes below.
    pub bound: Option<Bound>,
    /// The designs that no other is better than.
    pub front: Option<Front>,
}
