//! The workers of a calibration as ranks of MPI.

use super::{Host, WORKERS};
use crate::exec::{Settings, Stopped, World, execute_on_ranks};
use std::time::Duration;
use systole_base::diagnostic::Checked;
use systole_base::integer::Bindings;
use systole_equations::recurrence::Distribution;
use systole_program::array::elements::{Sinks, sources_of};
use systole_program::array::{Program, Tensors};

/// All ranks measure, by the clock of rank 0.
pub struct Ranks<'w> {
    /// Of [`WORKERS`] ranks.
    pub world: &'w World,
}

impl Host for Ranks<'_> {
    type Fault = Stopped;

    fn run(
        &mut self,
        program: &Program,
        sizes: &Bindings,
        inputs: &Tensors,
        distribution: Distribution,
    ) -> Result<Duration, Stopped> {
        let settings = Settings { workers: WORKERS, distribution: Some(distribution), ..Settings::default() };
        let (mut sources, mut sinks) = (sources_of(inputs), Sinks::new());
        let files = self.world.is_first().then_some((&mut sources, &mut sinks));
        let execution = execute_on_ranks(self.world, program, sizes, files, &settings)?;
        let elapsed = execution.map_or(0.0, |execution| execution.elapsed.as_secs_f64());
        Ok(Duration::from_secs_f64(self.world.share_number(elapsed)))
    }

    fn settle<T>(&mut self, mine: Checked<T>) -> Result<T, Stopped> {
        self.world.settle(mine)
    }
}
