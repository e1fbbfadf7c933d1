//! Why a run did not take the cycles that were predicted, in words and as JSON.
//!
//! In: a run, and its prediction. Out: nothing where they agree, else by how much they differ, and what was waited for. The run
//! is run once more before an observer, which costs time only where something is to be told.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use systole_base::diagnostic::Checked;
use systole_base::integer::{Bindings, Vector};
use systole_program::array::{Program, Tensors, show_point};
use systole_run::sim;
use systole_run::sim::lateness::{Lateness, Resource, Wait};
use systole_run::sim::{Outcome, Settings};

/// A prediction that was missed.
pub struct Missed {
    predicted: u64,
    cycles: u64,
    waits: Vec<Wait>,
    /// The names of the channels.
    channels: Vec<String>,
}

impl Missed {
    /// What is to be told of a run; `None` where it is as predicted, or a deadlock, which is told by itself.
    ///
    /// # Errors
    /// Those of the run, which had none.
    pub fn find(
        (program, sizes, inputs): (&Program, &Bindings, &Tensors),
        settings: &Settings,
        outcome: &Outcome,
        predicted: u64,
    ) -> Checked<Option<Missed>> {
        if outcome.deadlock.is_some() || outcome.cycles == predicted {
            return Ok(None);
        }
        let mut lateness = Lateness::new(program, settings, outcome.step);
        sim::simulate_observed(program, sizes, inputs, settings, &mut lateness)?;
        let waits = lateness.waits(outcome.cycles.saturating_sub(predicted));
        let channels = program.channels.iter().map(|channel| channel.name.to_string()).collect();
        Ok(Some(Missed { predicted, cycles: outcome.cycles, waits, channels }))
    }

    /// `13 more, PE (3, 2) waited 13 cycles for its memory port`.
    pub fn text(&self) -> String {
        let Some(more) = self.cycles.checked_sub(self.predicted) else {
            return format!("{} fewer", self.predicted - self.cycles);
        };
        let mut groups: BTreeMap<Resource, Vec<&Wait>> = BTreeMap::new();
        self.waits.iter().for_each(|wait| groups.entry(wait.resource).or_default().push(wait));
        let mut groups: Vec<(Resource, Vec<&Wait>)> = groups.into_iter().collect();
        groups.sort_by_key(|(_, waits)| std::cmp::Reverse(sum(waits)));
        let reasons = groups.iter().map(|(resource, waits)| self.reason(*resource, waits));
        std::iter::once(format!("{more} more")).chain(reasons).collect::<Vec<_>>().join(", ")
    }

    /// Who waited for one resource.
    fn reason(&self, resource: Resource, waits: &[&Wait]) -> String {
        let who = waits.first().map_or_else(String::new, |longest| format!("PE {}", show_point(&longest.pe)));
        let (who, whose, port) = match waits.len() {
            0 | 1 => (who, "its", "port"),
            2 => (format!("{who} and another"), "their", "ports"),
            count => (format!("{who} and {} others", count - 1), "their", "ports"),
        };
        let cycles = match sum(waits) {
            1 => "1 cycle".to_owned(),
            cycles => format!("{cycles} cycles"),
        };
        let channel = |number: usize| self.channels.get(number).map_or("", String::as_str);
        match resource {
            Resource::Port => format!("{who} waited {cycles} for {whose} memory {port}"),
            Resource::Work => format!("{who} worked {cycles} longer than a step"),
            Resource::Slot(number) => format!("{who} waited {cycles} for slots of `{}`", channel(number)),
            Resource::Pace(number) => format!("{who} waited {cycles} for the bandwidth of `{}`", channel(number)),
        }
    }

    /// The prediction, by how much it was missed, and every wait.
    pub fn to_json(&self) -> Value {
        let wait = |wait: &Wait| {
            let (kind, channel) = match wait.resource {
                Resource::Port => ("port", None),
                Resource::Work => ("work", None),
                Resource::Slot(number) => ("slot", self.channels.get(number)),
                Resource::Pace(number) => ("bandwidth", self.channels.get(number)),
            };
            let pe: &Vector = &wait.pe;
            json!({ "pe": pe, "for": kind, "channel": channel, "cycles": wait.cycles })
        };
        let waits: Vec<Value> = self.waits.iter().map(wait).collect();
        json!({ "predicted": self.predicted, "cycles": self.cycles, "waits": waits })
    }
}

fn sum(waits: &[&Wait]) -> u64 {
    waits.iter().map(|wait| wait.cycles).sum()
}
