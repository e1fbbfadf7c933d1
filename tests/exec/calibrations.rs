//! A calibration finds the times of a cluster on which runs take what predictions say.

use std::time::Duration;
use systole::array::{Program, Tensors};
use systole::diagnostic::{Checked, Diagnostics};
use systole::exec::{Host, Settings, WORKERS, Wanted, calibrate, predict};
use systole::integer::Bindings;
use systole::leaf::Effort;
use systole::machine::{Cluster, Rate};
use systole::recurrence::Distribution;

/// Runs take what is predicted for this cluster.
struct Model(Cluster);

impl Host for Model {
    type Fault = Diagnostics;

    fn run(
        &mut self,
        program: &Program,
        sizes: &Bindings,
        _: &Tensors,
        distribution: Distribution,
    ) -> Checked<Duration> {
        let settings = Settings { workers: WORKERS, distribution: Some(distribution), ..Settings::default() };
        let prediction = predict(program, sizes, &settings, &self.0)?;
        Ok(Duration::from_secs_f64(prediction.seconds))
    }

    fn settle<T>(&mut self, mine: Checked<T>) -> Checked<T> {
        mine
    }
}

/// Seconds of a message, of its bytes, of taking those in, of bytes of memory, and of an op; functions of tiles at this rate.
fn cluster([message, byte, taken, memory, operation]: [f64; 5], rate: f64) -> Cluster {
    let mut cluster = Cluster { message, byte, taken, memory, operation, ..Cluster::default() };
    cluster.rates.iter_mut().flatten().for_each(|each| *each = Rate::Constant(rate));
    cluster
}

fn times(cluster: &Cluster) -> [f64; 5] {
    [cluster.message, cluster.byte, cluster.taken, cluster.memory, cluster.operation]
}

/// Ranks that share memory, with their own copy of each message; a network of 1 Gbit/s that copies by itself, beside fast and beside
/// slow work; and one whose messages take long to start.
#[test]
fn a_known_cluster_is_found_again() {
    let clusters = [
        cluster([2e-6, 0.09e-9, 0.13e-9, 0.3e-9, 40e-9], 0.2),
        cluster([50e-6, 8e-9, 0.0, 0.1e-9, 40e-9], 2.0),
        cluster([50e-6, 8e-9, 0.0, 0.1e-9, 40e-9], 0.02),
        cluster([5e-3, 1e-9, 0.2e-9, 0.1e-9, 40e-9], 0.2),
    ];
    let wanted = Wanted { libraries: vec![], sides: vec![], effort: Effort { runs: 1, applications: 1 } };
    for known in clusters {
        let found = calibrate(&mut Model(known.clone()), &wanted, &mut |_| ()).expect("runs");
        let byte = known.byte + known.taken;
        let is_near = |(found, known): (f64, f64)| (found - known).abs() <= 0.02 * known.max(0.01 * byte);
        let pairs = times(&found).into_iter().zip(times(&known));
        assert!(pairs.clone().all(is_near), "{:?}", pairs.collect::<Vec<_>>());
    }
}
