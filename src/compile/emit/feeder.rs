//! Buses from memory: what their feeders do, and how the points that listen take their words.
//!
//! The words of a bus are a space of their own: its points are those that listen, its place is the feeder's and its times
//! are theirs. So a feeder has loops like any other space; at a point it loads the word and drives it, with the point's
//! coordinates as the tag, and the step goes on: what else the PE does in it comes after. Paper: Cyclotron, Figure 11.

use super::body::Body;
use super::names::Names;
use super::scan::Scan;
use super::work::since;
use crate::mapping::{Design, Feeder, FlowRole, MappedSpace};
use crate::rewrite::{Dataflow, Transport};
use std::collections::BTreeMap;
use systole_base::diagnostic::Checked;
use systole_base::integer::{Affine, Name, Polyhedron};
use systole_equations::recurrence::{Chain, Scalar, Space};
use systole_program::array::{Bus, IndexExpr, Instruction, Joins};

/// The words of one bus as a space.
pub struct Words {
    /// Who listens: a space and the position of the operand in it.
    pub listener: (usize, usize),
    space: Space,
    feeder: Feeder,
    /// The feeder's PE, over the parameters.
    place: Vec<Affine>,
    /// What is added to the step, over the parameters.
    starts: Vec<Affine>,
    /// The step at which the word of a point is due, over the indices and the parameters; of its round, where there are rounds.
    time: Affine,
}

impl Words {
    /// Those of every bus that has listeners.
    ///
    /// # Errors
    /// Buses without a feeder.
    pub fn of(design: &Design) -> Checked<Vec<Words>> {
        design.check_feeders()?;
        let words = |listener: (usize, usize)| {
            let (space, part) = (&design.system.spaces[listener.0], &design.parts[listener.0]);
            let feeder = Feeder::of(space, &part.map).filter(Feeder::has_listeners)?;
            let place = feeder.place.iter().zip(&part.origin).map(|(place, origin)| place.clone() + origin.clone());
            let time = design.time(listener.0, &design.point(listener.0)).pop()?;
            let (words, starts) = (taken(space, listener.1, &feeder), part.starts.clone());
            Some(Words { listener, space: words, place: place.collect(), starts, feeder, time })
        };
        Ok(design.bus_operands().filter_map(words).collect())
    }

    /// The words as a design: where and when the feeder drives them.
    pub fn design(&self) -> MappedSpace<'_> {
        let dataflow = Dataflow { transports: vec![Transport::Feed], chain: Chain::along(vec![]) };
        MappedSpace { space: &self.space, dataflow, map: self.feeder.map.clone(), boundary_io: false }
    }
}

/// The points that listen, each with the one word that it takes.
fn taken(space: &Space, operand: usize, feeder: &Feeder) -> Space {
    let mut words = space.clone();
    words.domain.set = feeder.listeners(space);
    words.operands = vec![space.operands[operand].clone()];
    words.body = Scalar::Operand(0);
    words.reduction = None;
    words.reduced = vec![];
    words
}

/// The feeder of one bus, with its points.
pub struct Feed<'a> {
    /// The words.
    design: &'a MappedSpace<'a>,
    names: &'a Names,
    /// The bus that they are driven on.
    bus: Name,
    /// All words.
    all: Scan,
    /// Those of a round, where there are rounds.
    scan: Scan,
    /// The step of a point over coordinates and loop indices.
    pub time: Affine,
}

impl<'a> Feed<'a> {
    /// The feeder of these words, which are `design`; `None` where two of them have one time.
    pub fn new(words: &Words, design: &'a MappedSpace<'a>, names: &'a Names, bus: Name) -> Option<Feed<'a>> {
        let of_pes = |mut scan: Scan| {
            if !scan.loops.is_empty() {
                // Sizes without listeners need no class: there the loop is empty.
                let forms = scan.pes.constraints().iter().filter(|form| form.mentions(&names.coordinates)).cloned();
                scan.pes = Polyhedron::new(forms);
            }
            scan
        };
        let all = of_pes(Scan::new(design.space, &design.map, &words.place, names)?);
        let scan = of_pes(Scan::in_round(design.space, &design.map, (&words.place, &words.starts), names)?);
        let time = scan.image(&words.time);
        Some(Feed { design, names, bus, all, scan, time })
    }

    /// The feeder's work, for an array whose first operation is at `start`.
    pub fn body(&self, start: &IndexExpr) -> Body<'_> {
        Body {
            design: self.design,
            names: self.names,
            feeds: Some(self.bus.clone()),
            outbound: BTreeMap::new(),
            all: self.all.clone(),
            scan: self.scan.clone(),
            flows: &[],
            taken: vec![],
            given: vec![],
            at: since(self.scan.expression(&self.time), start),
            keeps: None,
            shares: None,
            is_output: false,
            shares_step: false,
            is_undivided: self.all.loops.len() == self.scan.loops.len(),
        }
    }
}

/// The bus of an operand of a design, where some point listens to it.
pub fn declare(design: &MappedSpace, name: Name) -> Option<Bus> {
    let feeder = Feeder::of(design.space, &design.map).filter(Feeder::has_listeners)?;
    Some(Bus { name, joins: Joins::Line(feeder.direction), latency: 0 })
}

impl Body<'_> {
    /// The word of a point goes from memory to the bus.
    pub fn feed(&self, bus: &Name) -> Vec<Instruction> {
        let register = self.names.register(FlowRole::Operand(0));
        vec![self.load(0), Instruction::Drive(bus.clone(), register, self.tag())]
    }

    /// A word comes off the bus, or from memory on the PE that feeds it.
    pub fn hear(&self, operand: usize, known: &Polyhedron) -> Vec<Instruction> {
        let role = FlowRole::Operand(operand);
        let listen = Instruction::Listen(self.names.register(role), self.names.channel(role), self.tag());
        self.when(&self.is_feeder(), known, |_| vec![self.load(operand)], |_| vec![listen.clone()])
    }

    /// The condition under which the PE of a point feeds the buses of its space.
    pub fn is_feeder(&self) -> Vec<Affine> {
        let feeder = Feeder::of(self.design.space, &self.design.map);
        feeder.map(|feeder| self.scan.image(&feeder.own)).into_iter().collect()
    }

    /// The point, which no other word of the bus is for.
    fn tag(&self) -> Vec<IndexExpr> {
        let indices = self.design.space.indices().iter();
        indices.map(|index| self.scan.expression(&self.scan.image(&Affine::variable(index)))).collect()
    }
}
