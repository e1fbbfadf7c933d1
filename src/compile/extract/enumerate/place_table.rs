//! What a place alone decides: PEs, links, words and reach of every choice. Steps only decide whether it is in time and how
//! deep its channels are.

use super::Task;
use super::boundary::Boundary;
use super::paces::{LaterHeads, fixed_on};
use super::priced::{Priced, Timing};
use super::timeliness::{Asked, Built, Timeliness};
use crate::cost::{Cost, Images, Region};
use crate::extract::Rejections;
use crate::mapping;
use crate::mapping::{depth_of, is_in_time};
use crate::rewrite::Transport;
use std::collections::HashMap;
use systole_base::integer::{Matrix, Polyhedron, Vector};

/// The faces that were priced at a place; trees have many in common.
type HeadsCache = HashMap<usize, Option<Priced>>;

/// All choices at one place; `None` where the machine cannot build one.
pub struct PlaceTable<'a> {
    /// What is searched.
    pub task: &'a Task<'a>,
    /// The place.
    pub place: Matrix,
    images: Images,
    boundary: Option<Boundary>,
    /// The place's cost: its PEs.
    pub base: Cost,
    /// Basis of the points that share a PE.
    pub kernel: Vec<Vector>,
    /// For each operand, for each transport offered, its streams; one entry for what is no tree.
    pub operands: Vec<Vec<Option<Built>>>,
    /// For each chain, its levels.
    pub chains: Vec<Option<Built>>,
    /// What all of these ask of a step.
    pub asked: Asked,
}

impl<'a> PlaceTable<'a> {
    /// Prices every choice at this place.
    pub fn new(task: &'a Task<'a>, place: &Matrix) -> PlaceTable<'a> {
        let images = Images::of(place);
        let pes = images.count(&task.region);
        let mut table = PlaceTable {
            task,
            place: place.clone(),
            images,
            boundary: Boundary::new(task, place),
            base: Cost { pes, fanout: 1, ..Cost::default() },
            kernel: place.null_lattice(),
            operands: vec![],
            chains: vec![],
            asked: Asked::default(),
        };
        let (mut asked, mut known) = (Asked::default(), HeadsCache::new());
        let offered = task.choices.transports.iter().enumerate();
        table.operands = offered
            .map(|(operand, choices)| {
                let priced = (0..choices.len()).map(|choice| table.price(operand, choice, &mut known));
                priced.map(|levels| Some(asked.number(levels?))).collect()
            })
            .collect();
        let chains = (0..task.choices.chains.len()).map(|chain| table.price_chain(chain));
        table.chains = chains.map(|levels| Some(asked.number(levels?))).collect();
        table.asked = asked;
        table
    }

    /// Whether the operand may enter where this transport has it enter.
    fn enters(&self, transport: &Transport, faces: &[LaterHeads]) -> bool {
        let Some(boundary) = &self.boundary else { return true };
        match transport {
            Transport::Tree(_) => {
                faces.iter().filter(|face| face.loads).all(|face| boundary.lets_in(&face.region, Some(&face.along)))
            }
            _ => boundary.lets_in(&self.task.region, transport.direction().map(Vec::as_slice)),
        }
    }

    /// Whether the result may leave where this chain has it end.
    fn leaves(&self, chain: usize) -> bool {
        let directions = &self.task.choices.chains[chain].directions;
        let last = directions.last().zip(self.task.levels[chain].last());
        self.boundary.as_ref().is_none_or(|boundary| match last {
            Some((along, (_, region))) => boundary.lets_out(region, along),
            None => boundary.lets_in(&self.task.region, None),
        })
    }

    /// The streams of one choice.
    fn price(&self, operand: usize, choice: usize, known: &mut HeadsCache) -> Option<Vec<Priced>> {
        let (transport, faces) = (&self.task.choices.transports[operand][choice], &self.task.faces[operand][choice]);
        if !self.enters(transport, faces) {
            return None;
        }
        match transport {
            Transport::Tree(_) => self.price_tree(transport.direction()?, faces, known),
            _ => Some(vec![self.price_one(operand, transport)?]),
        }
    }

    fn price_tree(&self, along: &[i64], faces: &[LaterHeads], known: &mut HeadsCache) -> Option<Vec<Priced>> {
        let first = self.price_flow(along, &self.task.region, false);
        let later = faces.iter().map(|face| {
            let price = || {
                Some(Priced { fixed: face.fixed.clone(), ..self.price_flow(&face.along, &face.region, face.loads)? })
            };
            known.entry(face.number).or_insert_with(price).clone()
        });
        std::iter::once(first).chain(later).collect()
    }

    fn price_one(&self, operand: usize, transport: &Transport) -> Option<Priced> {
        let words = |memory_words, buffers| Cost { memory_words, buffers, fanout: 1, ..Cost::default() };
        match transport {
            Transport::Stream(along) => self.price_flow(along, &self.task.region, true),
            Transport::Broadcast(along) => self.price_bus(along),
            Transport::Prefetch => {
                let space = self.task.space;
                let access = space.operands[operand].access.iter().map(|form| form.row(space.indices())).collect();
                let held = self.place.above(&Matrix::new(access, space.dimension()));
                let words_held = Images::of(&held).count(&self.task.region);
                Some(Priced::free(words(words_held, words_held)))
            }
            Transport::Feed => Some(Priced::free(words(self.task.region.count(), 0))),
            Transport::Handoff | Transport::Local | Transport::Memory => Some(Priced::free(words(0, 0))),
            // A tree is priced by its streams.
            Transport::Tree(_) => None,
            // Whether one bus will do depends on the time, not on the place; a space alone is not offered it.
            Transport::Bus => None,
        }
    }

    fn price_flow(&self, along: &[i64], region: &Region, loads: bool) -> Option<Priced> {
        let links = &self.task.machine.links;
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
        if !self.task.machine.buses.carries(&displacement) {
            return None;
        }
        let region = &self.task.region;
        let (total, moved) = (region.count(), region.reached(along).count());
        let cost = Cost {
            channel_words: moved,
            memory_words: total - moved,
            fanout: region.longest_line(along).max(1),
            ..Cost::default()
        };
        Some(Priced { direction: along.to_vec(), timing: Timing::Together, cost, ..Priced::free(cost) })
    }

    fn price_chain(&self, chain: usize) -> Option<Vec<Priced>> {
        if !self.leaves(chain) {
            return None;
        }
        let directions = &self.task.choices.chains[chain].directions;
        let levels = directions.iter().zip(&self.task.levels[chain]);
        let level = |(along, (set, region)): (&Vector, &(Polyhedron, Region))| {
            let fixed = fixed_on(self.task.space, set);
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
        let latency = self.task.machine.links.latency;
        far && mapping::words_meet(&self.place.above(step), &choice.fixed, &choice.displacement, latency)
    }

    /// What is found out of the steps at this place.
    pub fn timeliness(&self) -> Timeliness<'_> {
        let space = self.task.space;
        let operands =
            space.operands.iter().map(|operand| &operand.tensor).zip(self.operands.iter().map(Vec::as_slice));
        let output = (&space.output, self.chains.as_slice());
        Timeliness::new(&self.asked, std::iter::once(output).chain(operands).collect())
    }

    /// Which diagonal of a hexagonal network the choice needs links along: 1, -1, or 0 for none.
    pub fn diagonal(&self, choice: &Priced) -> i64 {
        self.task.machine.links.network.diagonal(&choice.displacement)
    }

    /// Counts why this place has no design at all under any step, if an operand has no choice.
    pub fn blame(&self, rejections: &mut Rejections) {
        for (operand, choices) in self.task.space.operands.iter().zip(&self.operands) {
            if choices.iter().all(Option::is_none) {
                rejections.add_unreachable(&operand.tensor);
            }
        }
        if self.chains.iter().all(Option::is_none) {
            rejections.add_unreachable(&self.task.space.output);
        }
    }
}
