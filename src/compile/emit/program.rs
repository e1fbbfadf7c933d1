//! Emission of a design.
//!
//! In: a [`Design`] whose obligations hold, and the links it was proved for. Out: one [`Program`]. Each space has a
//! scan and a body of its own, one for each residue where the design is folded, and so has each bus from memory; handoffs
//! are channels between them, and so are streams between residues. Paper: Cyclotron section 6 with the interface maps of section 4.4.

use super::body::Body;
use super::classes::classes;
use super::feeder::{Feed, Words};
use super::givens::fill_known;
use super::grid::Side;
use super::names::{Names, fresh};
use super::passage::{Passage, Storage};
use super::reduce::partial;
use super::scan::Scan;
use super::timetable::{first_time, timetable};
use super::work::{Work, since};
use super::{buses, channels};
use crate::mapping::{Carrier, Design, Flow, FlowRole, Handoff, MappedSpace, Rounds};
use crate::rewrite::Transport;
use std::collections::{BTreeMap, BTreeSet};
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Name, Polyhedron, Vector, name};
use systole_base::network::Links;
use systole_equations::recurrence::spaces::SpaceSystem;
use systole_equations::recurrence::{Role, Space, Strip};
use systole_program::array::{ArrayDecl, Bus, Channel, IndexExpr, Instruction, Joins, Loads, Program, Scratchpad};

/// Writes the program of a design.
///
/// # Errors
/// Two points of a space at one time on one PE, values that no constant link carries, FIFOs that grow with the sizes, buses and memories of values that are computed, folds under which words would need longer links.
pub fn emit(design: &Design, links: &Links) -> Checked<Program> {
    let residues = design.fold.residues();
    let alone: Vec<MappedSpace> = (0..design.parts.len()).map(|space| design.alone(space)).collect();
    let mut naming = Naming::new(design);
    let names: Vec<Vec<Names>> =
        alone.iter().map(|part| residues.iter().map(|_| naming.name_space(part)).collect()).collect();
    let block = Block { design, residues: &residues };
    let parts = block.wholes(&alone, &names)?;
    let handoffs = design.handoffs(links.network)?;
    design.check_fold(&handoffs)?;
    let stores = naming.name_stores(design);
    let passages = block.passages(&parts, (&handoffs, &stores), &mut naming.taken)?;
    let rounds = rounds(design, &handoffs, links, &naming)?;
    let words = Words::of(design)?;
    let fed: Vec<MappedSpace> = words.iter().map(Words::design).collect();
    let fed_names: Vec<Names> = fed.iter().map(|words| naming.name_space(words)).collect();
    let feeds = feeds(&words, &fed, (&names, &fed_names))?;
    let mut work = gather(design, (&parts, &feeds), (&passages, &stores), &naming, (rounds, fill_known(design.system)));
    work.shares_steps = links.cell.is_shared();
    Ok(Program {
        kernel: design.system.kernel.clone(),
        parameters: design.system.parameters.clone(),
        tiles: vec![],
        scratchpads: stores.scratchpads(design).into_iter().chain(partials(design, &alone)?).collect(),
        leaves: vec![],
        arrays: loaded_ahead(arrays(design.system), design, links),
        grid: work.sides.iter().map(Side::coordinate).collect(),
        network: links.network.measure(),
        cell: links.cell,
        fold: None,
        order: None,
        channels: all_channels(design, &parts, &passages, links)?,
        buses: parts.iter().flat_map(Whole::buses).chain(stores.memories(links)).collect(),
        classes: classes(&work),
    })
}

/// The scratchpads of partial results that wait on their PE, each with the room of the tensor of the result.
fn partials(design: &Design, alone: &[MappedSpace]) -> Checked<Vec<Scratchpad>> {
    let mut pads = vec![];
    for part in alone {
        let kept = part.flows().unwrap_or_default().into_iter().filter(|flow| flow.is_kept);
        let levels =
            kept.filter_map(|flow| if let FlowRole::Reduction(level) = flow.role { Some(level) } else { None });
        let tensor = design.system.tensors.iter().find(|tensor| tensor.name == part.space.output);
        for level in levels {
            let Some(tensor) = tensor.filter(|_| design.fold.is_none()) else {
                return Err(vec![not_kept(part.space)]);
            };
            pads.push(design.rooms.scratchpad(partial(part.space, level), tensor));
        }
    }
    Ok(pads)
}

/// PEs that are one would share the entry of an element.
fn not_kept(space: &Space) -> Diagnostic {
    Diagnostic::new(format!("partial results of `{}` cannot be kept in scratchpads of folded PEs", space.name))
        .label(&space.source, space.span, "reduced here")
        .help("leave the fold out, or `local`")
}

/// Where tensors are stored between the points that compute them and those that read them, by the names of the tensors.
struct Stores {
    /// The scratchpads of those that PEs keep.
    own: BTreeMap<Name, Name>,
    /// The buses that are the memory of those that all PEs share.
    shared: BTreeMap<Name, Name>,
}

impl Stores {
    /// The scratchpads, each with the room of its tensor.
    fn scratchpads(&self, design: &Design) -> Vec<Scratchpad> {
        let kept = design.system.tensors.iter().filter_map(|tensor| Some((tensor, self.own.get(&tensor.name)?)));
        kept.map(|(tensor, pad)| design.rooms.scratchpad(pad.clone(), tensor)).collect()
    }

    /// The buses of what all PEs share.
    fn memories(&self, links: &Links) -> impl Iterator<Item = Bus> {
        let latency = links.memory.unsigned_abs();
        self.shared.values().map(move |name| Bus { name: name.clone(), joins: Joins::All, latency })
    }

    /// Where a tensor is, for a value that travels so.
    fn of(&self, tensor: &Name, carrier: &Carrier) -> Option<Storage> {
        match carrier {
            Carrier::Links(_) => None,
            Carrier::Kept => self.own.get(tensor).cloned().map(Storage::Own),
            Carrier::Memory => self.shared.get(tensor).cloned().map(Storage::Shared),
        }
    }
}

/// The names that all spaces share.
struct Naming {
    taken: BTreeSet<Name>,
    coordinates: Vec<Name>,
    /// What numbers the rounds, where the spaces share a clock.
    rounds: Vec<Name>,
    clock: Name,
}

impl Naming {
    fn new(design: &Design) -> Naming {
        let system = design.system;
        let indices = system.spaces.iter().flat_map(|space| space.indices());
        let known = system.known.iter().flat_map(|known| &known.domain.indices);
        let mut taken: BTreeSet<Name> = indices.chain(known).chain(&system.parameters).cloned().collect();
        let coordinates = coordinates(design, &mut taken);
        let rounds = if is_plain(design) { 0 } else { design.rounds() };
        let rounds = (0..rounds).map(|row| fresh(&mut taken, &format!("r{row}"))).collect();
        let clock = if is_plain(design) { name("t") } else { fresh(&mut taken, "t") };
        Naming { taken, coordinates, rounds, clock }
    }

    fn name_stores(&mut self, design: &Design) -> Stores {
        let mut named = |transport: Transport, what: &str| {
            let tensors = design.system.tensors.iter().map(|tensor| &tensor.name);
            let read = tensors.filter(|tensor| design.reads_by(&transport, tensor));
            read.map(|tensor| (tensor.clone(), fresh(&mut self.taken, &format!("{tensor}-{what}")))).collect()
        };
        Stores { own: named(Transport::Local, "kept"), shared: named(Transport::Memory, "memory") }
    }

    /// The names of a space, for which rounds are coordinates like others.
    fn name_space(&mut self, part: &MappedSpace) -> Names {
        let coordinates = self.coordinates.iter().chain(&self.rounds).cloned().collect();
        Names::among(&mut self.taken, coordinates, part)
    }
}

/// A name for each axis of the array. A coordinate of one space that is not folded has the name of the index that it is.
fn coordinates(design: &Design, taken: &mut BTreeSet<Name>) -> Vec<Name> {
    let index_of = |axis: usize| {
        let row = &design.parts.first().filter(|_| is_plain(design))?.map.place.rows()[axis];
        let ones = row.iter().filter(|entry| **entry != 0).count() == 1;
        let index = row.iter().position(|entry| *entry == 1).filter(|_| ones)?;
        Some(design.system.spaces[0].indices()[index].clone()).filter(|index| Strip::of(index).is_none())
    };
    (0..design.rank()).map(|axis| index_of(axis).unwrap_or_else(|| fresh(taken, &format!("p{axis}")))).collect()
}

/// Whether a design is of one space alone, whose PEs have one body each: its loops need no common clock. A time that is a vector
/// has closed weights then.
fn is_plain(design: &Design) -> bool {
    design.plain_space().is_some() && !design.runs_in_rounds()
}

/// The rounds of a design whose spaces share a clock.
fn rounds(design: &Design, handoffs: &[Handoff], links: &Links, naming: &Naming) -> Checked<Option<Rounds>> {
    if naming.rounds.is_empty() {
        return Ok(None);
    }
    match design.overlap(handoffs, links) {
        Some(overlap) => Ok(Rounds::of(design, &naming.rounds, &overlap)),
        None => refuse(&design.system.spaces[0], "the network has no link for what it sends on").alone(),
    }
}

/// A design with the residues of its blocks.
struct Block<'a> {
    design: &'a Design<'a>,
    residues: &'a [Vector],
}

impl<'a> Block<'a> {
    /// Every space on every residue.
    fn wholes(&self, alone: &'a [MappedSpace<'a>], names: &'a [Vec<Names>]) -> Checked<Vec<Whole<'a>>> {
        let all = (0..alone.len()).flat_map(|space| (0..self.residues.len()).map(move |residue| (space, residue)));
        all.map(|(space, residue)| self.whole(&alone[space], &names[space], (space, residue))).collect()
    }

    /// Every handoff to every residue.
    fn passages(
        &self,
        parts: &[Whole],
        (handoffs, stores): (&[Handoff], &Stores),
        taken: &mut BTreeSet<Name>,
    ) -> Checked<Vec<Passage>> {
        let all = handoffs.iter().flat_map(|handoff| self.residues.iter().map(move |to| (handoff, to)));
        let meets = |space: usize, residue: &[i64], set: &Polyhedron| {
            let mut here = parts.iter().filter(|part| part.position == space && part.residue == residue);
            here.any(|part| part.scan.meets(set))
        };
        let storage = |handoff: &Handoff| {
            let operand = &self.design.system.spaces[handoff.reader].operands[handoff.operand];
            stores.of(&operand.tensor, handoff.carrier()?)
        };
        all.map(|(handoff, to)| Passage::new(self.design, handoff.clone(), to, meets, storage(handoff), taken))
            .collect()
    }

    /// What one space does on the PEs with one residue; `names` are those of the space on all residues.
    fn whole(
        &self,
        alone: &'a MappedSpace<'a>,
        names: &'a [Names],
        (space, residue): (usize, usize),
    ) -> Checked<Whole<'a>> {
        let (design, part) = (self.design, &self.design.parts[space]);
        let refuse = |what: &str| refuse(alone.space, what);
        let point = design.point(space);
        if let Some(tensor) = self.loaded_though_computed(space) {
            return refuse(&format!("`{tensor}` is computed, so it is streamed or handed over")).alone();
        }
        let Some(flows) = alone.flows() else {
            return refuse("its reduction runs over several indices of a domain that is no box").alone();
        };
        let (own, residues) = (&names[residue], self.residues);
        let all = Scan::new(alone.space, &alone.map, &part.origin, own);
        let scan = match is_plain(design) {
            true => all.clone(),
            false => Scan::in_round(alone.space, &alone.map, (&part.origin, &part.starts), own),
        };
        let (Some(all), Some(scan)) = (all, scan) else {
            return refuse("two points of a PE share a time").alone();
        };
        let [all, scan] = [all, scan].map(|scan| scan.at_residue(&design.fold, &residues[residue]));
        let time = match design.time(space, &point).pop() {
            Some(step) if !is_plain(design) => Time::Step(step),
            _ => match timetable(alone.space, &alone.map, &scan) {
                Some(at) => Time::Alone(at),
                None => return refuse("its vector time has no closed clock").alone(),
            },
        };
        let outbound = self.outbound(&flows, names, &residues[residue]);
        let (place, residue) = (design.place(space, &point), &residues[residue]);
        Ok(Whole { design: alone, position: space, residue, names: own, outbound, all, scan, flows, place, time })
    }

    /// A tensor that a space computes and another one would load.
    fn loaded_though_computed(&self, space: usize) -> Option<&'a Name> {
        let (operands, sources) = (&self.design.system.spaces[space].operands, &self.design.system.sources[space]);
        let transports = self.design.parts[space].dataflow.transports.iter();
        let mut computed = transports.zip(sources).zip(operands).filter(|((_, sources), _)| !sources.is_empty());
        let loaded = |transport: &Transport| {
            transport.streams().is_empty()
                && *transport != Transport::Handoff
                && !transport.is_stored()
                && !transport.is_bus()
        };
        computed.find(|((transport, _), _)| loaded(transport)).map(|(_, operand)| &operand.tensor)
    }

    /// For each flow that moves the channel of the PEs that its words go to.
    fn outbound(&self, flows: &[Flow], names: &[Names], from: &Vector) -> BTreeMap<FlowRole, Name> {
        let channel = |flow: &Flow| {
            let turns = self.design.fold.turns(&flow.displacement);
            let to = turns.iter().position(|turn| turn.from == *from)?;
            Some((flow.role, names[to].channel(flow.role)))
        };
        flows.iter().filter(|flow| !flow.is_stationary()).filter_map(channel).collect()
    }
}

/// One space on the PEs with one residue, with all that is found of it alone.
struct Whole<'a> {
    design: &'a MappedSpace<'a>,
    /// Which space.
    position: usize,
    residue: &'a Vector,
    names: &'a Names,
    outbound: BTreeMap<FlowRole, Name>,
    /// All points of a PE.
    all: Scan,
    /// Those of a round, where there are rounds.
    scan: Scan,
    flows: Vec<Flow>,
    /// The place over the indices and the parameters.
    place: Vec<Affine>,
    time: Time,
}

/// When a space runs.
enum Time {
    /// At a form over the indices and the parameters, on the clock of all spaces: the step within a round, where there are rounds.
    Step(Affine),
    /// By itself: the clock of a point, over coordinates and loop indices.
    Alone(IndexExpr),
}

impl<'a> Whole<'a> {
    fn space(&self) -> &'a Space {
        self.design.space
    }

    fn buses(&self) -> Vec<Bus> {
        buses(self.design, self.names)
    }

    /// The step over the indices and the parameters, where there is a common clock.
    fn step(&self) -> Option<&Affine> {
        match &self.time {
            Time::Step(time) => Some(time),
            Time::Alone(_) => None,
        }
    }

    /// The clock of a point, 0 at the first operation.
    fn at(&self, start: &IndexExpr) -> IndexExpr {
        match &self.time {
            Time::Step(time) => since(self.scan.expression(&self.scan.image(time)), start),
            Time::Alone(at) => at.clone(),
        }
    }

    fn body(&self, system: &SpaceSystem, (passages, stores): (&'a [Passage], &Stores), start: &IndexExpr) -> Body<'_> {
        let gives = |passage: &Passage| passage.handoff.given().is_some_and(|(space, _)| space == self.position);
        let given = |passage: &&Passage| passage.is_sent() && gives(passage) && passage.turn.from == *self.residue;
        let taken = |passage: &&Passage| passage.handoff.reader == self.position && passage.turn.to == *self.residue;
        let output = &self.space().output;
        Body {
            design: self.design,
            names: self.names,
            feeds: None,
            outbound: self.outbound.clone(),
            all: self.all.clone(),
            scan: self.scan.clone(),
            flows: &self.flows,
            taken: passages.iter().filter(taken).collect(),
            given: passages.iter().filter(given).collect(),
            at: self.at(start),
            shares_step: false,
            keeps: stores.own.get(output).cloned(),
            shares: stores.shared.get(output).cloned(),
            is_output: system.tensors.iter().any(|tensor| tensor.name == *output && tensor.role == Role::Output),
            is_undivided: self.all.loops.len() == self.scan.loops.len(),
        }
    }
}

/// The feeders of all buses from memory; `names` are those of the spaces, and those of the words. Where there are such
/// buses nothing is folded, so every space has one list of names.
fn feeds<'a>(
    words: &[Words],
    fed: &'a [MappedSpace<'a>],
    names: (&[Vec<Names>], &'a [Names]),
) -> Checked<Vec<Feed<'a>>> {
    let feed = |((words, design), own): ((&Words, &'a MappedSpace<'a>), &'a Names)| {
        let (space, operand) = words.listener;
        let bus = names.0[space].first().map(|names| names.channel(FlowRole::Operand(operand)));
        let feed = bus.and_then(|bus| Feed::new(words, design, own, bus));
        feed.ok_or_else(|| refuse(design.space, "two words of one bus share a time"))
    };
    words.iter().zip(fed).zip(names.1).map(feed).collect::<Result<_, _>>().map_err(|problem| vec![problem])
}

/// All bodies, feeders first, with the grid and the order of time between them.
fn gather<'a>(
    design: &Design,
    (parts, feeds): (&'a [Whole<'a>], &'a [Feed<'a>]),
    (passages, stores): (&'a [Passage], &Stores),
    naming: &Naming,
    (rounds, once): (Option<Rounds>, Vec<Instruction>),
) -> Work<'a> {
    let mut once_each: Vec<&Whole> = parts.iter().collect();
    once_each.dedup_by_key(|part| part.position);
    let timed = once_each.iter().filter_map(|part| Some((part.space(), part.step()?.clone())));
    let timed: Vec<(&Space, Affine)> = timed.collect();
    let start = match &rounds {
        Some(rounds) => rounds.first.clone(),
        None if timed.is_empty() => IndexExpr::Constant(0),
        None => first_time(&timed),
    };
    let side = |(axis, coordinate): (usize, &Name)| {
        let places = once_each.iter().map(|part| (part.space(), part.place[axis].clone()));
        Side::new(coordinate, design.fold.axis(axis), places)
    };
    let mut in_order: Vec<&Whole> = parts.iter().collect();
    in_order.sort_by_key(|part| design.turn_of(part.position));
    let bodies = in_order.iter().map(|part| part.body(design.system, (passages, stores), &start));
    let times = in_order.iter().filter_map(|part| Some(part.scan.image(part.step()?)));
    let mut work = Work {
        bodies: feeds.iter().map(|feed| feed.body(&start)).chain(bodies).collect(),
        times: feeds.iter().map(|feed| feed.time.clone()).chain(times).collect(),
        shares_steps: false,
        clock: naming.clock.clone(),
        pes: Polyhedron::sizes(&design.system.parameters),
        sides: naming.coordinates.iter().enumerate().map(side).collect(),
        start,
        rounds,
        once,
    };
    if !work.once.is_empty() {
        // Elements that are known are there at sizes at which nothing is computed, too.
        work.sides.iter_mut().for_each(Side::hold_one);
    }
    work.pes = match parts {
        [part] if is_plain(design) => part.scan.pes.clone(),
        _ => work.inside(),
    };
    work
}

fn refuse(space: &Space, what: &str) -> Diagnostic {
    Diagnostic::new(format!("no program can be written for `{}`: {what}", space.name))
        .label(&space.source, space.span, "this equation")
        .help("`systole prove` says which obligation fails")
}

pub(super) fn arrays(system: &SpaceSystem) -> Vec<ArrayDecl> {
    let handled = system.tensors.iter().filter(|tensor| tensor.role != Role::Local);
    handled.map(ArrayDecl::of).collect()
}

/// Arrays whose words are asked for ahead, where memory takes time: with as many loads outstanding as are enough.
fn loaded_ahead(mut arrays: Vec<ArrayDecl>, design: &Design, links: &Links) -> Vec<ArrayDecl> {
    let latency = links.load_latency();
    for array in arrays.iter_mut().filter(|_| latency > 0) {
        let outstanding = design.outstanding(&array.name, latency);
        array.loads = (outstanding > 0).then_some(Loads { latency, outstanding });
    }
    arrays
}

/// The channels of the streams and reductions of each space, then those of the handoffs.
fn all_channels(design: &Design, parts: &[Whole], passages: &[Passage], links: &Links) -> Checked<Vec<Channel>> {
    let mut all = vec![];
    for part in parts {
        let moved = |flow: &Flow| design.fold.turn(&flow.displacement, part.residue).displacement;
        match channels(&part.flows, part.names, links, moved) {
            Ok(channels) => all.extend(channels),
            Err(what) => return refuse(part.space(), &what).alone(),
        }
    }
    for passage in passages {
        all.extend(passage.declare(design, links)?);
    }
    Ok(all)
}
