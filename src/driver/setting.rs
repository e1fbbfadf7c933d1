//! What the flags say about a search: machine, sizes, bounds, choices, objective, and what a schedule fixes.

use super::arguments::SpaceArguments;
use super::pipeline::Loaded;
use super::{files, inputs};
use crate::cost::{Machine, Objective};
use crate::diagnostic::{Checked, Diagnostic, nearest};
use crate::extract::{Constraint, Problem};
use crate::integer::Bindings;
use crate::mapping::candidates::Bounds;
use crate::mapping::{Design, Network, SpaceTimeMap, is_in_time};
use crate::recurrence::{RecurrenceSystem, Schedule, Space};
use crate::rewrite::{Choices, Dataflow, Transport};

/// Everything the flags say about a search.
pub struct Setting {
    /// The machine with the command line's changes.
    pub machine: Machine,
    /// The sizes costed.
    pub sizes: Bindings,
    /// What the schedule fixes.
    pub constraint: Constraint,
    /// What the e-graph offers, less what the flags rule out.
    choices: Choices,
    bounds: Bounds,
    /// What is best.
    pub objective: Objective,
}

impl Setting {
    /// Reads the flags.
    pub fn new(loaded: &Loaded, arguments: &SpaceArguments) -> Checked<Setting> {
        let space = &loaded.space;
        let schedule = arguments.schedule.as_deref().map(|name| schedule(&loaded.system, name)).transpose()?;
        let constraint = schedule.map_or_else(|| Ok(Constraint::default()), |s| Constraint::from_schedule(space, s))?;
        Ok(Setting {
            machine: machine(arguments, constraint.network)?,
            sizes: inputs::sizes(&arguments.size, &loaded.system.parameters, Some(8))?,
            choices: restrict_by_flags(loaded, arguments, &constraint)?,
            constraint,
            bounds: bounds(&space.kernel, space.dimension(), arguments)?,
            objective: objective(&arguments.objective)?,
        })
    }

    /// The search that the flags ask for.
    pub fn problem<'a>(&'a self, space: &'a Space) -> Checked<Problem<'a>> {
        let (bounds, constraint) = (self.bounds.clone(), self.constraint.clone());
        Problem::new(space, &self.choices, bounds, &self.machine, &self.sizes, constraint)
    }

    /// The design that a schedule with place and time describes even when it is wrong: what it leaves open is chosen to be
    /// in time where that is possible. `None` where place or time is open.
    pub fn forced<'a>(&self, space: &'a Space) -> Checked<Option<Design<'a>>> {
        let (Some(place), Some(step)) = (&self.constraint.place, &self.constraint.step) else { return Ok(None) };
        let choices = self.constraint.restrict(space, &self.choices)?;
        let map = SpaceTimeMap { place: place.clone(), step: step.clone() };
        let in_time = |along: &Vec<i64>| is_in_time(&map.delay(along), 1);
        let chain = choices.chains.iter().find(|chain| chain.directions.iter().all(in_time));
        let stream = |choice: &&Transport| matches!(choice, Transport::Stream(along) if in_time(along));
        let transports =
            choices.transports.iter().map(|offered| offered.iter().find(stream).or(offered.first()).cloned());
        let chain = chain.or(choices.chains.first()).cloned();
        let (Some(transports), Some(chain)) = (transports.collect(), chain) else { return Ok(None) };
        let dataflow = Dataflow { transports, chain };
        Ok(Some(Design { space, dataflow, map, boundary_io: self.constraint.boundary_io }))
    }
}

/// The schedule of this name.
pub fn schedule<'a>(system: &'a RecurrenceSystem, name: &str) -> Checked<&'a Schedule> {
    let found = system.schedules.iter().find(|schedule| &*schedule.name == name);
    found.ok_or_else(|| {
        let known: Vec<&str> = system.schedules.iter().map(|schedule| &*schedule.name).collect();
        let near = nearest(name, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        let help = near.unwrap_or_else(|| match known.is_empty() {
            true => "the file has no schedules".to_owned(),
            false => format!("the file has {}", known.join(", ")),
        });
        vec![Diagnostic::new(format!("`{}` has no schedule `{name}`", system.name)).help(help)]
    })
}

/// The machine of the flags; where they name neither a machine nor a network, on the network of the schedule.
pub fn machine(arguments: &SpaceArguments, scheduled: Option<Network>) -> Checked<Machine> {
    let mut machine = files::machine(arguments.machine.as_deref())?;
    if let (Some(network), None) = (scheduled, &arguments.machine) {
        machine.links.network = network;
    }
    if let Some(network) = &arguments.network {
        machine.links.network = keyword(network, "network", Network::from_keyword, &Network::ALL.map(|n| n.1))?;
    }
    match arguments.latency {
        Some(latency @ 1..=1_000_000) => machine.links.latency = latency,
        Some(latency) => {
            return Diagnostic::new(format!("a link cannot take {latency} cycles")).help("from 1 to 1000000").alone();
        }
        None => {}
    }
    Ok(machine)
}

fn keyword<T>(word: &str, what: &str, find: impl Fn(&str) -> Option<T>, known: &[&str]) -> Checked<T> {
    find(word).ok_or_else(|| {
        let near = nearest(word, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        let help = near.unwrap_or_else(|| format!("known: {}", known.join(", ")));
        vec![Diagnostic::new(format!("`{word}` is not a known {what}")).help(help)]
    })
}

/// What is best.
pub fn objective(word: &str) -> Checked<Objective> {
    keyword(word, "objective", Objective::from_keyword, &Objective::ALL.map(|o| o.1))
}

/// The bounds on maps of a space of this dimension.
pub fn bounds(kernel: &str, dimension: usize, arguments: &SpaceArguments) -> Checked<Bounds> {
    let mut bounds = Bounds::for_dimension(dimension);
    if !arguments.rank.is_empty() {
        bounds.ranks = arguments.rank.clone();
    }
    if let Some(rank) = bounds.ranks.iter().find(|rank| **rank >= dimension.max(1)) {
        let most = dimension.saturating_sub(1);
        let message = format!("an array of rank {rank} leaves no dimension of `{kernel}` for time");
        return Diagnostic::new(message).help(format!("ranks are 0 to {most}")).alone();
    }
    if !(1..=3).contains(&arguments.bound) {
        return Diagnostic::new("the bound on places is out of range").help("--bound is 1, 2 or 3").alone();
    }
    bounds.bound = arguments.bound;
    bounds.steps = steps(&arguments.steps)?;
    Ok(bounds)
}

fn steps(text: &str) -> Checked<(i64, i64)> {
    let parts = text.split_once("..").and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    match parts {
        Some((low, high)) if low <= high && low >= -9 && high <= 9 => Ok((low, high)),
        _ => Diagnostic::new(format!("`{text}` is not a range of steps"))
            .help("write --steps -2..2, within -9..9")
            .alone(),
    }
}

/// Whether a kind of transport is asked for: all are where the flag is not given.
pub fn transports(arguments: &SpaceArguments) -> Checked<impl Fn(&str) -> bool> {
    let words = ["stream", "broadcast", "prefetch", "feed"];
    for word in &arguments.transports {
        keyword(word, "transport", |word| words.contains(&word).then_some(()), &words)?;
    }
    Ok(|word: &str| arguments.transports.is_empty() || arguments.transports.iter().any(|asked| asked == word))
}

/// Whether reuse runs forwards only.
pub fn reuse_is_forward(arguments: &SpaceArguments) -> Checked<bool> {
    keyword(
        &arguments.reuse,
        "kind of reuse",
        |word| (word == "forward").then_some(true).or((word == "both").then_some(false)),
        &["both", "forward"],
    )
}

/// The choices left by `--transports` and `--reuse`; what the schedule names is kept whatever the flags say.
fn restrict_by_flags(loaded: &Loaded, arguments: &SpaceArguments, constraint: &Constraint) -> Checked<Choices> {
    let mut choices = loaded.choices.clone();
    let asked = transports(arguments)?;
    let forward = reuse_is_forward(arguments)?;
    let positive = |along: &Vec<i64>| !forward || crate::integer::lexicographic_sign(along) > 0;
    let kind = |choice: &Transport| match choice {
        Transport::Stream(along) => positive(along).then_some("stream"),
        Transport::Broadcast(_) => Some("broadcast"),
        Transport::Prefetch => Some("prefetch"),
        Transport::Feed => Some("feed"),
        Transport::Bus => Some("broadcast"),
        Transport::Handoff => None,
    };
    for (operand, offered) in loaded.space.operands.iter().zip(&mut choices.transports) {
        if constraint.transports.iter().all(|(tensor, ..)| *tensor != operand.tensor) {
            offered.retain(|choice| kind(choice).is_some_and(&asked));
        }
    }
    if constraint.transports.iter().all(|(tensor, ..)| *tensor != loaded.space.output) {
        choices.chains.retain(|chain| chain.directions.iter().all(positive));
    }
    Ok(choices)
}
