//! All ways to run a program on so many workers, and how long each would take.
//!
//! In: a program for ranks, and what may be chosen: grids of workers, distributions, orders of tiles, slots of channels, shapes of broadcasts.
//! Out: a prediction for each way, in a fixed order. Every way is weighed; a program is passed over whole where its leaves alone take
//! longer than what is known already.
//! Paper: Cyclotron section 9.2, where these are chosen by hand.

use super::{Prediction, predict};
use crate::exec::Settings;
use crate::exec::footprint::{Footprint, check_footprints};
use crate::exec::sharing::broadcast::Broadcast;
use crate::exec::sharing::owners::arrangements;
use crate::leaf::LeafBackend;
use rayon::prelude::*;
use systole_base::diagnostic::{Checked, Diagnostic, counted};
use systole_base::integer::Bindings;
use systole_base::machine::Cluster;
use systole_equations::recurrence::{Distribution, LeafOrder};
use systole_program::array::Program;

/// How PEs may be distributed where nobody says it.
const USUAL: [Distribution; 3] = [Distribution::Block, Distribution::Cyclic, Distribution::BlockCyclic(2)];

/// In which orders tiles may be computed where nobody says it.
const USUAL_ORDERS: [LeafOrder; 3] =
    [LeafOrder::STEPS, LeafOrder::TURNS, LeafOrder { together: 4, ..LeafOrder::TURNS }];

/// What may be chosen, and what is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices {
    /// How many workers there are, at least 1.
    pub workers: usize,
    /// Grids of them; all that there are where none is named.
    pub arrangements: Vec<Vec<usize>>,
    /// How PEs may be distributed; where none is named, as the program says, or in all of three ways where it says nothing.
    pub distributions: Vec<Distribution>,
    /// In which orders tiles may be computed; where none is named, as the program says, or in all of three where it says nothing.
    pub orders: Vec<LeafOrder>,
    /// Slots of every channel; none for the depths of the program.
    pub capacities: Vec<Option<u64>>,
    /// How words on buses may get to all who listen, at least one.
    pub broadcasts: Vec<Broadcast>,
    /// Where operands begin and results end; none for what programs say.
    pub layout: Option<Distribution>,
    /// What runs the leaves.
    pub leaves: LeafBackend,
    /// The most bytes that a rank may hold.
    pub memory: Option<u64>,
}

impl Choices {
    /// All ways to run a program. One worker has all PEs, however they are distributed; two have one way to hand on a word.
    pub fn ways(&self, program: &Program) -> Vec<Settings> {
        let axes = program.grid.len();
        let (grids, distributions) = match self.workers {
            1 => (vec![vec![1; axes]], &self.distributions(program)[..1]),
            _ => (self.grids(axes), self.distributions(program)),
        };
        let shapes = if program.buses.is_empty() || self.workers < 3 { 1 } else { Broadcast::ALL.len() };
        let mut ways = vec![];
        for (grid, distribution) in
            grids.iter().flat_map(|grid| distributions.iter().map(move |distribution| (grid, *distribution)))
        {
            for broadcast in self.broadcasts.iter().take(shapes) {
                let of_order = |order: Option<LeafOrder>| self.of_order(grid, distribution, *broadcast, order);
                ways.extend(self.orders(program).into_iter().flat_map(of_order));
            }
        }
        ways
    }

    /// At least one.
    fn distributions<'a>(&'a self, program: &'a Program) -> &'a [Distribution] {
        match (&self.distributions[..], &program.fold) {
            ([], None) => &USUAL,
            ([], Some(fold)) => std::slice::from_ref(fold),
            (named, _) => named,
        }
    }

    /// At least one; numbers have none.
    fn orders(&self, program: &Program) -> Vec<Option<LeafOrder>> {
        let orders = match (&self.orders[..], &program.order) {
            _ if !program.is_over_tiles() => return vec![None],
            ([], None) => &USUAL_ORDERS,
            ([], Some(order)) => std::slice::from_ref(order),
            (named, _) => named,
        };
        orders.iter().copied().map(Some).collect()
    }

    /// The grids that an array of so many axes can have.
    fn grids(&self, axes: usize) -> Vec<Vec<usize>> {
        match &self.arrangements[..] {
            [] => arrangements(axes, self.workers),
            named => named.iter().filter(|grid| grid.len() == axes).cloned().collect(),
        }
    }

    fn of_order(
        &self,
        grid: &[usize],
        distribution: Distribution,
        broadcast: Broadcast,
        order: Option<LeafOrder>,
    ) -> Vec<Settings> {
        let Choices { workers, layout, leaves, .. } = *self;
        let (distribution, way) = (Some(distribution), Settings::default());
        let arrangement = Some(grid.to_vec()).filter(|grid| !grid.is_empty());
        let settings =
            Settings { workers, apart: true, distribution, arrangement, layout, order, broadcast, leaves, ..way };
        self.capacities.iter().map(|capacity| Settings { capacity: *capacity, ..settings.clone() }).collect()
    }
}

/// Seconds that no way to run a program can take less than: those of its leaves, shared evenly.
///
/// # Errors
/// As for [`predict`].
pub fn least_seconds(program: &Program, sizes: &Bindings, choices: &Choices, cluster: &Cluster) -> Checked<f64> {
    let rates = Cluster { rates: cluster.rates.clone(), ..Cluster::default() };
    let alone = Settings { leaves: choices.leaves, ..Settings::default() };
    Ok(predict(program, sizes, &alone, &rates)?.seconds / choices.workers as f64)
}

/// Predicts every way to run a program; ways in which it deadlocks, or holds too much, are left out.
///
/// # Errors
/// As for [`predict`]; grids of which none has as many axes as the array; ways that all hold too much.
pub fn weigh(
    program: &Program,
    sizes: &Bindings,
    choices: &Choices,
    cluster: &Cluster,
) -> Checked<Vec<(Settings, Prediction)>> {
    let ways = choices.ways(program);
    if ways.is_empty() {
        let axes = program.grid.len();
        return Diagnostic::usage(format!("no grid that was named has the {} of the array", counted(axes, "axis")))
            .alone();
    }
    let weigh = |way: Settings| predict(program, sizes, &way, cluster).map(|prediction| (way, prediction));
    let weighed: Vec<(Settings, Prediction)> = ways.into_par_iter().map(weigh).collect::<Checked<_>>()?;
    let goes_on = |(_, prediction): &(Settings, Prediction)| prediction.deadlock.is_none();
    fitting(weighed.into_iter().filter(goes_on).collect(), choices.memory)
}

/// The ways in which no rank would hold more than it may.
fn fitting(all: Vec<(Settings, Prediction)>, limit: Option<u64>) -> Checked<Vec<(Settings, Prediction)>> {
    let least = all.iter().map(|(_, prediction)| prediction.memory).min_by_key(Footprint::total);
    let Some(least) = least else { return Ok(vec![]) };
    check_footprints(&[("a rank".to_owned(), least, limit)])?;
    let fits = |(_, prediction): &(Settings, Prediction)| limit.is_none_or(|limit| prediction.memory.total() <= limit);
    Ok(all.into_iter().filter(fits).collect())
}
