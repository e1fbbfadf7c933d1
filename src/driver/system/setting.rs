//! What the flags say, for a kernel of several spaces.

use super::pipeline::Loaded;
use crate::cost::{Machine, Objective};
use crate::diagnostic::Checked;
use crate::driver::arguments::SpaceArguments;
use crate::driver::{inputs, setting};
use crate::extract::{SystemConstraint, SystemProblem};
use crate::integer::{Bindings, lexicographic_sign};
use crate::mapping::candidates::Bounds;
use crate::rewrite::{Choices, Transport};

/// Everything the flags say about a search.
pub struct Setting {
    /// The machine with the command line's changes.
    pub machine: Machine,
    /// The sizes asked for.
    pub sizes: Bindings,
    /// What the schedule fixes.
    pub constraint: SystemConstraint,
    /// What is best.
    pub objective: Objective,
    choices: Vec<Choices>,
    bounds: Bounds,
}

impl Setting {
    /// Reads the flags.
    pub fn new(loaded: &Loaded, arguments: &SpaceArguments) -> Checked<Setting> {
        let cut = &loaded.cut;
        let schedule = arguments.schedule.as_deref().map(|name| setting::schedule(&loaded.system, name)).transpose()?;
        let none = || Ok(SystemConstraint::none(cut));
        let constraint = schedule.map_or_else(none, |schedule| SystemConstraint::from_schedule(cut, schedule))?;
        let dimension = cut.spaces.iter().map(|space| space.dimension()).max().unwrap_or(0);
        Ok(Setting {
            machine: setting::machine(arguments, constraint.network)?,
            sizes: inputs::sizes(&arguments.size, &cut.parameters, Some(8))?,
            constraint,
            objective: setting::objective(&arguments.objective)?,
            choices: left_by_flags(loaded, arguments)?,
            bounds: setting::bounds(&cut.kernel, dimension, arguments)?,
        })
    }

    /// The search that the flags ask for.
    pub fn problem<'a>(&'a self, loaded: &'a Loaded) -> Checked<SystemProblem<'a>> {
        let (bounds, constraint) = (self.bounds.clone(), self.constraint.clone());
        SystemProblem::new(&loaded.cut, &self.choices, bounds, &self.machine, &self.sizes, constraint)
    }
}

/// The choices left by `--transports` and `--reuse`, which speak of inputs; what is computed goes where it must.
fn left_by_flags(loaded: &Loaded, arguments: &SpaceArguments) -> Checked<Vec<Choices>> {
    let mut left = loaded.choices.clone();
    let asked = setting::transports(arguments)?;
    let forward = setting::reuse_is_forward(arguments)?;
    for (choices, sources) in left.iter_mut().zip(&loaded.cut.sources) {
        for (offered, _) in choices.transports.iter_mut().zip(sources).filter(|(_, sources)| sources.is_empty()) {
            offered.retain(|choice| match choice {
                Transport::Stream(along) => asked("stream") && (!forward || lexicographic_sign(along) > 0),
                Transport::Broadcast(_) | Transport::Bus => asked("broadcast"),
                Transport::Prefetch => asked("prefetch"),
                Transport::Feed => asked("feed"),
                Transport::Handoff => true,
            });
        }
    }
    Ok(left)
}
