//! A deadlock as a message for people.
//!
//! In: a [`Deadlock`]. Out: one [`Diagnostic`] that names the causes first, the cycles of waits and the waits that can never
//! end, then the other PEs, one by one where they are few, else by class.

use super::deadlock::{Blocked, Cause, Deadlock};
use std::collections::BTreeSet;
use systole_base::diagnostic::{Diagnostic, MessageCode, counted};
use systole_base::integer::Name;

/// How many PEs a part of the message lists one by one.
const LISTED: usize = 12;

/// How many cycles a message lists.
const CYCLES: usize = 3;

impl Deadlock {
    /// The message for people.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let count = self.blocked.len();
        let fault = match count {
            1 => Diagnostic::new("deadlock: 1 PE waits and cannot go on"),
            _ => Diagnostic::new(format!("deadlock: {count} PEs wait and none can go on")),
        };
        let notes = [self.cycle_notes(), self.end_notes(), self.other_notes()].concat();
        notes.into_iter().fold(fault, Diagnostic::note).help(self.advice()).about(MessageCode::Deadlock)
    }

    fn cycle_notes(&self) -> Vec<String> {
        let heads = ["the cycle of waits:", "another cycle of waits:"];
        let count = self.cycles().count();
        let mut notes = vec![];
        for (number, cycle) in self.cycles().take(CYCLES).enumerate() {
            notes.push(heads[number.min(1)].to_owned());
            notes.extend(self.listed(cycle));
        }
        notes.extend((count > CYCLES).then(|| format!("and {} of waits", counted(count - CYCLES, "more cycle"))));
        notes
    }

    fn end_notes(&self) -> Vec<String> {
        let ends = self.ends();
        let head = (!ends.is_empty()).then(|| "waits that nobody will end:".to_owned());
        head.into_iter().chain(self.listed(&ends)).collect()
    }

    /// Those at these positions, one by one as far as they fit.
    fn listed(&self, positions: &[usize]) -> Vec<String> {
        let shown = positions.iter().take(LISTED).map(|position| self.blocked[*position].to_string());
        let more = positions.len().saturating_sub(LISTED);
        shown.chain((more > 0).then(|| format!(".. and {more} more"))).collect()
    }

    /// The PEs that wait for the causes.
    fn other_notes(&self) -> Vec<String> {
        let causes: BTreeSet<usize> = self.cycles().flatten().copied().chain(self.ends()).collect();
        let others: Vec<usize> = (0..self.blocked.len()).filter(|position| !causes.contains(position)).collect();
        match others.len() {
            0 => vec![],
            1..=LISTED => std::iter::once("and so:".to_owned()).chain(self.listed(&others)).collect(),
            _ => self.group_notes(&self.blocked[others[0]]),
        }
    }

    /// All that wait, by class, and one of those that are no cause.
    fn group_notes(&self, one: &Blocked) -> Vec<String> {
        let show = |((class, link, cause), count): ((Name, Name, Cause), usize)| {
            let pes = if count == 1 { "PE of class" } else { "PEs of class" };
            let verb = if count == 1 { "waits" } else { "wait" };
            format!("  {count} {pes} `{class}` {verb} on `{link}`, which is {}", cause.keyword())
        };
        let groups = self.groups().into_iter().map(show);
        std::iter::once("in all:".to_owned()).chain(groups).chain([format!("  for one, {one}")]).collect()
    }

    /// What to look at: a wait that nobody ends is nearer to the mistake than a cycle.
    fn advice(&self) -> &'static str {
        let causes: BTreeSet<Cause> = self.ends().into_iter().map(|position| self.blocked[position].cause).collect();
        let is_full = |position: &usize| self.blocked[*position].cause == Cause::Full;
        match causes.first() {
            Some(Cause::Empty) => "every word that is received must have been sent, in the same order",
            Some(Cause::Full) => "every word that is sent must be received, in the same order",
            Some(Cause::Undriven) => "every tag that is listened for must be driven, once on each line",
            None if self.cycles().all(|cycle| cycle.iter().any(is_full)) => {
                "a larger `--capacity` may resolve a full channel; the proved depth always does"
            }
            None => "on a cycle, one PE must send or drive before it receives or listens",
        }
    }
}
