//! What a place alone decides: PEs, links, words and reach of every choice. Steps only decide whether it is in time and how
//! deep its channels are.

use super::boundary::Boundary;
use super::{Problem, Rejections};
use crate::cost::{Cost, Images, Region};
use crate::integer::{Matrix, Name, Polyhedron, Vector, dot};
use crate::mapping::{self, SpaceTimeMap, depth_of, is_in_time};
use crate::rewrite::Transport;

/// How the delay of a choice is judged.
#[derive(Clone, Debug)]
enum Timing {
    /// A moving or stationary flow: at least so many steps; storage is slots a link, or a register a PE.
    Flow { least: i64, response: i64 },
    /// All listeners and the driver at one step.
    Together,
    /// No demand on time.
    Free,
}

/// One choice at one place.
#[derive(Clone, Debug)]
pub struct Priced {
    direction: Vector,
    displacement: Vector,
    /// What is the same at all points of the flow, as rows.
    fixed: Vec<Vector>,
    timing: Timing,
    /// Links of the flow, or PEs that hold its register.
    carriers: u64,
    cost: Cost,
}

/// All choices at one place; `None` where the machine cannot build one.
pub struct PlaceTable<'a> {
    problem: &'a Problem<'a>,
    place: Matrix,
    images: Images,
    boundary: Option<Boundary>,
    /// The place's cost: its PEs.
    pub base: Cost,
    /// Basis of the points that share a PE.
    pub kernel: Vec<Vector>,
    /// For each operand, for each transport offered.
    pub operands: Vec<Vec<Option<Priced>>>,
    /// For each chain, its levels.
    pub chains: Vec<Option<Vec<Priced>>>,
}

/// The spacing of sends on one PE, for each level of each chain, at one map.
pub type Spacings = Vec<Vec<Option<Vector>>>;

impl<'a> PlaceTable<'a> {
    /// Prices every choice at this place.
    pub fn new(problem: &'a Problem<'a>, place: &Matrix) -> PlaceTable<'a> {
        let images = Images::of(place);
        let pes = images.count(&problem.region);
        let mut table = PlaceTable {
            problem,
            place: place.clone(),
            images,
            boundary: Boundary::new(problem, place),
            base: Cost { pes, fanout: 1, ..Cost::default() },
            kernel: place.null_lattice(),
            operands: vec![],
            chains: vec![],
        };
        let offered = problem.choices.transports.iter().enumerate();
        table.operands = offered
            .map(|(operand, choices)| choices.iter().map(|transport| table.price(operand, transport)).collect())
            .collect();
        table.chains = problem.choices.chains.iter().enumerate().map(|(chain, _)| table.price_chain(chain)).collect();
        table
    }

    /// Whether the operand may enter where this transport has it enter.
    fn enters(&self, transport: &Transport) -> bool {
        let along = match transport {
            Transport::Stream(along) | Transport::Broadcast(along) => Some(along.as_slice()),
            Transport::Prefetch | Transport::Feed | Transport::Bus | Transport::Handoff => None,
        };
        self.boundary.as_ref().is_none_or(|boundary| boundary.lets_in(&self.problem.region, along))
    }

    /// Whether the result may leave where this chain has it end.
    fn leaves(&self, chain: usize) -> bool {
        let directions = &self.problem.choices.chains[chain].directions;
        let last = directions.last().zip(self.problem.levels[chain].last());
        self.boundary.as_ref().is_none_or(|boundary| match last {
            Some((along, (_, region))) => boundary.lets_out(region, along),
            None => boundary.lets_in(&self.problem.region, None),
        })
    }

    fn price(&self, operand: usize, transport: &Transport) -> Option<Priced> {
        if !self.enters(transport) {
            return None;
        }
        let words = |memory_words, buffers| Cost { memory_words, buffers, fanout: 1, ..Cost::default() };
        match transport {
            Transport::Stream(along) => self.price_flow(along, &self.problem.region, true),
            Transport::Broadcast(along) => self.price_bus(along),
            Transport::Prefetch => {
                let space = self.problem.space;
                let access = space.operands[operand].access.iter().map(|form| form.row(space.indices())).collect();
                let held = self.place.above(&Matrix::new(access, space.dimension()));
                let words_held = Images::of(&held).count(&self.problem.region);
                Some(free(words(words_held, words_held)))
            }
            Transport::Feed => Some(free(words(self.problem.region.count(), 0))),
            Transport::Handoff => Some(free(words(0, 0))),
            // Whether one bus will do depends on the time, not on the place; a space alone is not offered it.
            Transport::Bus => None,
        }
    }

    fn price_flow(&self, along: &[i64], region: &Region, loads: bool) -> Option<Priced> {
        let links = &self.problem.machine.links;
        let displacement = self.place.apply(along);
        let hops = links.network.hops(&displacement)?;
        let edges = region.reached(along);
        let moved = edges.count();
        let carriers = self.images.count(if hops > 0 { &edges } else { region });
        let memory_words = if loads { region.count() - moved } else { 0 };
        let cost = Cost { channel_words: moved * hops.unsigned_abs(), memory_words, fanout: 1, ..Cost::default() };
        let response = if hops > 0 { links.response } else { 0 };
        let timing = Timing::Flow { least: (hops * links.latency).max(1), response };
        Some(Priced { direction: along.to_vec(), displacement, fixed: vec![], timing, carriers, cost })
    }

    /// A bus runs along one axis of the array.
    fn price_bus(&self, along: &[i64]) -> Option<Priced> {
        let displacement = self.place.apply(along);
        let axes = displacement.iter().filter(|entry| **entry != 0).count();
        if axes != 1 || !self.problem.machine.buses {
            return None;
        }
        let region = &self.problem.region;
        let (total, moved) = (region.count(), region.reached(along).count());
        let cost = Cost {
            channel_words: moved,
            memory_words: total - moved,
            fanout: region.longest_line(along).max(1),
            ..Cost::default()
        };
        Some(Priced { direction: along.to_vec(), timing: Timing::Together, cost, ..free(cost) })
    }

    fn price_chain(&self, chain: usize) -> Option<Vec<Priced>> {
        if !self.leaves(chain) {
            return None;
        }
        let directions = &self.problem.choices.chains[chain].directions;
        let levels = directions.iter().zip(&self.problem.levels[chain]);
        let indices = self.problem.space.indices();
        let level = |(along, (set, region)): (&Vector, &(Polyhedron, Region))| {
            let fixed = set.equations().map(|form| form.row(indices)).collect();
            Some(Priced { fixed, ..self.price_flow(along, region, false)? })
        };
        levels.map(level).collect()
    }

    /// The cost of a choice under a step, `None` where it is out of time, two of its words meet on a link, or it would need
    /// a FIFO that grows with the sizes.
    pub fn under_step(&self, choice: &Priced, step: &Matrix, spacing: Option<&[i64]>) -> Option<Cost> {
        let delay = step.apply(&choice.direction);
        match choice.timing {
            Timing::Free => Some(choice.cost),
            Timing::Together => delay.iter().all(|entry| *entry == 0).then_some(choice.cost),
            Timing::Flow { least, response } => {
                if !is_in_time(&delay, least) || self.words_meet(choice, step) {
                    return None;
                }
                let depth = depth_of(&delay, spacing, response)?;
                let stays = choice.displacement.iter().all(|entry| *entry == 0);
                (!stays || depth == 1).then(|| Cost { buffers: depth * choice.carriers, ..choice.cost })
            }
        }
    }

    fn words_meet(&self, choice: &Priced, step: &Matrix) -> bool {
        let far = choice.displacement.iter().any(|entry| entry.abs() > 1);
        let latency = self.problem.machine.links.latency;
        far && mapping::words_meet(&self.place.above(step), &choice.fixed, &choice.displacement, latency)
    }

    /// A tensor that no choice moves in time under this step, whatever its storage: a cheap test that most maps fail.
    pub fn first_late(&self, step: &Matrix) -> Option<&Name> {
        let space = self.problem.space;
        let in_time = |choice: &Priced| match choice.timing {
            Timing::Free => true,
            Timing::Together => step.rows().iter().all(|row| dot(row, &choice.direction) == 0),
            Timing::Flow { least, .. } => is_in_time(&step.apply(&choice.direction), least),
        };
        if !self.chains.iter().flatten().any(|levels| levels.iter().all(in_time)) {
            return Some(&space.output);
        }
        let mut operands = space.operands.iter().zip(&self.operands);
        operands.find(|(_, choices)| !choices.iter().flatten().any(in_time)).map(|(operand, _)| &operand.tensor)
    }

    /// The spacing of sends for every level of every chain at this map; the first level's serves the operands too.
    pub fn spacings(&self, map: &SpaceTimeMap, whole: Option<&Vector>) -> Spacings {
        let level = |index: usize, set: &Polyhedron| match index {
            0 => whole.cloned(),
            _ => mapping::spacing(self.problem.space, map, set),
        };
        let chain =
            |levels: &Vec<(Polyhedron, Region)>| levels.iter().enumerate().map(|(i, (set, _))| level(i, set)).collect();
        self.problem.levels.iter().map(chain).collect()
    }

    /// Which diagonal of a hexagonal network the choice needs links along: 1, -1, or 0 for none.
    pub fn diagonal(&self, choice: &Priced) -> i64 {
        self.problem.machine.links.network.diagonal(&choice.displacement)
    }

    /// Counts why this place has no design at all under any step, if an operand has no choice.
    pub fn blame(&self, rejections: &mut Rejections) {
        for (operand, choices) in self.problem.space.operands.iter().zip(&self.operands) {
            if choices.iter().all(Option::is_none) {
                rejections.add_unreachable(&operand.tensor);
            }
        }
        if self.chains.iter().all(Option::is_none) {
            rejections.add_unreachable(&self.problem.space.output);
        }
    }
}

fn free(cost: Cost) -> Priced {
    Priced { direction: vec![], displacement: vec![], fixed: vec![], timing: Timing::Free, carriers: 0, cost }
}
