//! The checker of the search: recomputes a design's cost point by point and its legality edge by edge at given sizes.
//!
//! It shares nothing with the search but the types, the clock, and the depths that the proofs speak of: places and times are
//! evaluated at every point, and everything is counted with sets. Slow on purpose; used on winners of moderate size and in the tests.

use crate::cost::Cost;
use crate::extract::Found;
use crate::mapping::clock::Clock;
use crate::mapping::{Calendar, Feeder, Flow, FlowRole, MappedSpace, SpaceTimeMap};
use crate::rewrite::{Dataflow, Transport};
use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::{Affine, Bindings, Vector, dot};
use systole_base::machine::Machine;
use systole_equations::recurrence::{Chain, Space};

/// The cost of a design as counted point by point; or what is wrong with it at these sizes.
///
/// # Errors
/// One sentence naming the first law that is broken.
pub fn verify(space: &Space, machine: &Machine, sizes: &Bindings, found: &Found) -> Result<Cost, String> {
    let [part] = &found.parts[..] else { return Err("the design is not of one space".to_owned()) };
    let checker = Checker::new(space, machine, sizes, &part.map)?;
    let mut cost = checker.base()?;
    for (operand, transport) in part.dataflow.transports.iter().enumerate() {
        cost = cost.join(&checker.operand(operand, transport)?);
    }
    cost = cost.join(&checker.chain(&part.dataflow.chain)?);
    checker.joins(&part.dataflow)?;
    Ok(cost)
}

/// A map at given sizes, with all its points: counts what any lowered form costs under it.
pub struct Checker<'a> {
    space: &'a Space,
    machine: &'a Machine,
    sizes: &'a Bindings,
    map: &'a SpaceTimeMap,
    points: BTreeSet<Vector>,
    clock: PointClock<'a>,
}

/// When a point runs, in cycles.
enum PointClock<'a> {
    /// One row over the indices.
    Row(Vector),
    /// By what is added to the times, and when each round is.
    Rounds(Vector, &'a Calendar),
}

impl<'a> Checker<'a> {
    /// Lists the points and finds the clock.
    ///
    /// # Errors
    /// The domain is not bounded, or the map has no clock.
    pub fn new(
        space: &'a Space,
        machine: &'a Machine,
        sizes: &'a Bindings,
        map: &'a SpaceTimeMap,
    ) -> Result<Checker<'a>, String> {
        let points = space.domain.set.points(space.indices(), sizes).ok_or("the domain is not bounded")?;
        let clock = Clock::new(space, map).and_then(|clock| clock.row(map, sizes)).ok_or("there is no clock")?;
        let points = points.into_iter().collect();
        Ok(Checker { space, machine, sizes, map, points, clock: PointClock::Row(clock) })
    }

    /// [`Checker::new`] for a space of a design in rounds: with what is added to its times, and when each round is.
    ///
    /// # Errors
    /// The domain is not bounded, or a number does not fit.
    pub fn in_rounds(
        space: &'a Space,
        machine: &'a Machine,
        sizes: &'a Bindings,
        map: &'a SpaceTimeMap,
        (starts, calendar): (&[Affine], &'a Calendar),
    ) -> Result<Checker<'a>, String> {
        let points = space.domain.set.points(space.indices(), sizes).ok_or("the domain is not bounded")?;
        let starts = starts.iter().map(|form| form.evaluate(sizes)).collect::<Option<Vector>>();
        let clock = PointClock::Rounds(starts.ok_or("a number does not fit")?, calendar);
        Ok(Checker { space, machine, sizes, map, points: points.into_iter().collect(), clock })
    }

    /// What an operand costs under a transport.
    ///
    /// # Errors
    /// The law that the transport breaks.
    pub fn operand(&self, operand: usize, transport: &Transport) -> Result<Cost, String> {
        let operand = &self.space.operands[operand];
        match transport {
            Transport::Stream(along) => self.flow(&operand.tensor, along, &self.points, Flowing::Operand),
            Transport::Tree(directions) => self.tree(&operand.tensor, directions),
            Transport::Broadcast(along) => self.bus(&operand.tensor, along),
            Transport::Prefetch => Ok(self.held(&operand.access)),
            Transport::Feed => Ok(Cost { memory_words: self.points.len() as u64, ..Cost::default() }),
            Transport::Bus => self.one_bus(&operand.tensor),
            Transport::Handoff | Transport::Local => Ok(Cost::default()),
        }
    }

    /// What an order of the reduction costs.
    ///
    /// # Errors
    /// The law that one of its levels breaks.
    pub fn chain(&self, chain: &Chain) -> Result<Cost, String> {
        let (mut cost, mut set) = (Cost::default(), self.points.clone());
        for (level, along) in chain.directions.iter().enumerate() {
            cost = cost.join(&self.flow(&self.space.output, along, &set, Flowing::Level(chain, level))?);
            set = set.iter().filter(|point| !set.contains(&shifted(point, along, 1))).cloned().collect();
        }
        Ok(cost)
    }

    /// Whether the network has all links of a form at once.
    ///
    /// # Errors
    /// It has not.
    pub fn joins(&self, dataflow: &Dataflow) -> Result<(), String> {
        let streams = dataflow.transports.iter().flat_map(|transport| transport.streams());
        let moved: Vec<Vector> =
            streams.chain(&dataflow.chain.directions).map(|along| self.map.displacement(along)).collect();
        let joins = self.machine.links.network.joins(moved.iter().map(Vec::as_slice));
        joins.then_some(()).ok_or_else(|| "the network has no such links together".to_owned())
    }
}

/// What a flow carries, and so where its promised depth stands.
#[derive(Clone, Copy)]
enum Flowing<'a> {
    Operand,
    /// A flow of a tree, and whether its heads are loaded.
    Branch(&'a Flow, bool),
    Level(&'a Chain, usize),
}

fn shifted(point: &[i64], by: &[i64], times: i64) -> Vector {
    point.iter().zip(by).map(|(x, d)| x + times * d).collect()
}

impl Checker<'_> {
    fn pe(&self, point: &[i64]) -> Vector {
        self.map.place.apply(point)
    }

    fn time(&self, point: &[i64]) -> i64 {
        match &self.clock {
            PointClock::Row(row) => dot(row, point),
            PointClock::Rounds(starts, calendar) => {
                let time = self.map.step.apply(point).into_iter().zip(starts).map(|(time, start)| time + start);
                // Each point of the space is in a round.
                calendar.clock(&time.collect::<Vector>()).unwrap_or(i64::MAX / 4)
            }
        }
    }

    /// Cycles and PEs.
    ///
    /// # Errors
    /// Two points share a PE and a time.
    pub fn base(&self) -> Result<Cost, String> {
        let slots: BTreeSet<(Vector, i64)> = self.points.iter().map(|x| (self.pe(x), self.time(x))).collect();
        if slots.len() < self.points.len() {
            return Err("two points share a PE and a time".to_owned());
        }
        let times: BTreeSet<i64> = slots.iter().map(|(_, time)| *time).collect();
        let span = times.last().zip(times.first()).map_or(0, |(last, first)| last - first + 1);
        let pes: BTreeSet<&Vector> = slots.iter().map(|(pe, _)| pe).collect();
        Ok(Cost { cycles: span.unsigned_abs(), pes: pes.len() as u64, fanout: 1, ..Cost::default() })
    }

    fn flow(&self, of: &str, along: &[i64], set: &BTreeSet<Vector>, flowing: Flowing) -> Result<Cost, String> {
        let links = &self.machine.links;
        let moved = self.map.displacement(along);
        let hops = links.network.hops(&moved).ok_or_else(|| format!("`{of}` has no link for {moved:?}"))?;
        let tokens: Vec<&Vector> = set.iter().filter(|x| set.contains(&shifted(x, along, 1))).collect();
        let mut holders: BTreeMap<Vector, Vec<(i64, i64)>> = BTreeMap::new();
        let mut carried = BTreeSet::new();
        for token in &tokens {
            let (sent, used) = (self.time(token), self.time(&shifted(token, along, 1)));
            if used - sent < (hops * links.latency).max(1) {
                return Err(format!("`{of}` is late at {token:?}"));
            }
            for (hop, link) in route(&self.pe(token), &moved).into_iter().enumerate() {
                if !carried.insert((link, sent + hop as i64 * links.latency)) {
                    return Err(format!("two words of `{of}` meet on their way"));
                }
            }
            let response = if hops > 0 { links.response } else { 0 };
            holders.entry(self.pe(token)).or_default().push((sent, used + response));
        }
        let most = holders.values().map(|held| most_at_once(held)).max().unwrap_or(0);
        if hops == 0 && most > 1 {
            return Err(format!("`{of}` needs more than one register"));
        }
        let channel_words = tokens.len() as u64 * hops.unsigned_abs();
        let loads = matches!(flowing, Flowing::Operand | Flowing::Branch(_, true));
        let memory_words = if loads { (set.len() - tokens.len()) as u64 } else { 0 };
        let pes: BTreeSet<Vector> = set.iter().map(|x| self.pe(x)).collect();
        // The depth is the one for all sizes; at sizes too small to fill a channel fewer slots are ever in use.
        let depth = self.depth(of, along, flowing)?;
        if most > depth {
            return Err(format!("`{of}` needs {most} slots where {depth} were promised"));
        }
        let carriers = if hops > 0 { holders.len() } else { pes.len() } as u64;
        Ok(Cost { channel_words, memory_words, buffers: depth * carriers, fanout: 1, ..Cost::default() })
    }

    fn depth(&self, of: &str, along: &[i64], flowing: Flowing) -> Result<u64, String> {
        let (chain, role) = match flowing {
            Flowing::Branch(flow, _) => return self.promised(of, flow),
            Flowing::Operand => (Chain { directions: vec![] }, FlowRole::Operand(0)),
            Flowing::Level(chain, level) => (chain.clone(), FlowRole::Reduction(level)),
        };
        let streams = match flowing {
            Flowing::Operand => vec![Transport::Stream(along.to_vec())],
            _ => vec![],
        };
        let flows = self.flows(streams, chain)?;
        let flow = flows.iter().find(|flow| flow.role == role).ok_or("the flow is not in the design")?;
        self.promised(of, flow)
    }

    fn promised(&self, of: &str, flow: &Flow) -> Result<u64, String> {
        flow.depth(self.machine.links.response).ok_or_else(|| format!("the FIFO of `{of}` grows with the sizes"))
    }

    /// The flows of a design whose first operands travel so.
    fn flows(&self, transports: Vec<Transport>, chain: Chain) -> Result<Vec<Flow>, String> {
        let dataflow = Dataflow { transports, chain };
        let design = MappedSpace { space: self.space, dataflow, map: self.map.clone(), boundary_io: false };
        design.flows().ok_or_else(|| "the reduction has no faces".to_owned())
    }

    /// Each stream of a tree runs over the points that the one before it does not reach; each of the sets that are promised
    /// for it has channels of its own, and no line leaves its set.
    fn tree(&self, of: &str, directions: &[Vector]) -> Result<Cost, String> {
        let flows = self.flows(vec![Transport::Tree(directions.to_vec())], Chain { directions: vec![] })?;
        let (mut cost, mut left) = (Cost::default(), self.points.clone());
        for (level, along) in directions.iter().enumerate() {
            let mut parts = 0;
            for flow in flows.iter().filter(|flow| flow.direction == *along) {
                let inside = |point: &&Vector| flow.set.contains(&self.space.bind(self.sizes, point));
                let part: BTreeSet<Vector> = left.iter().filter(inside).cloned().collect();
                let leaves =
                    |x: &&Vector| left.contains(&shifted(x, along, 1)) && !part.contains(&shifted(x, along, 1));
                if part.iter().any(|x| leaves(&x)) {
                    return Err(format!("a line of `{of}` is cut"));
                }
                parts += part.len();
                cost = cost.join(&self.flow(of, along, &part, Flowing::Branch(flow, level + 1 == directions.len()))?);
            }
            if parts != left.len() {
                return Err(format!("a stream of `{of}` does not run over the heads of the one before"));
            }
            left = left.iter().filter(|x| !left.contains(&shifted(x, along, -1))).cloned().collect();
        }
        Ok(cost)
    }

    fn bus(&self, of: &str, along: &[i64]) -> Result<Cost, String> {
        if !self.machine.buses.carries(&self.map.displacement(along)) || self.machine.buses.latency > 0 {
            return Err(format!("no bus of the machine runs where `{of}` goes"));
        }
        let heads: Vec<&Vector> =
            self.points.iter().filter(|x| !self.points.contains(&shifted(x, along, -1))).collect();
        let mut drives = BTreeSet::new();
        let (mut reached, mut fanout) = (0, 1);
        for head in &heads {
            let line = (0..).map(|m| shifted(head, along, m)).take_while(|x| self.points.contains(x));
            let listeners: Vec<Vector> = line.collect();
            if listeners.iter().any(|x| self.time(x) != self.time(head)) {
                return Err(format!("the listeners of `{of}` are not all there at one time"));
            }
            if !drives.insert((self.pe(head), self.time(head))) {
                return Err(format!("a bus of `{of}` is driven twice at one time"));
            }
            reached += listeners.len() as u64 - 1;
            fanout = fanout.max(listeners.len() as u64);
        }
        Ok(Cost { channel_words: reached, memory_words: heads.len() as u64, fanout, ..Cost::default() })
    }

    /// A bus from memory to all PEs: every word has a time of its own. The first PE loads all words and keeps its own.
    fn one_bus(&self, of: &str) -> Result<Cost, String> {
        let times: BTreeSet<i64> = self.points.iter().map(|x| self.time(x)).collect();
        if !self.machine.buses.all || self.machine.buses.latency > 0 || times.len() < self.points.len() {
            return Err(format!("one bus does not carry all words of `{of}`"));
        }
        if Feeder::of(self.space, self.map).is_none() {
            return Err(format!("no PE can feed a bus with `{of}`"));
        }
        let pes: Vec<Vector> = self.points.iter().map(|x| self.pe(x)).collect();
        let joined: BTreeSet<&Vector> = pes.iter().collect();
        let heard = pes.iter().filter(|pe| joined.first() != Some(pe)).count() as u64;
        let memory_words = pes.len() as u64;
        Ok(Cost { channel_words: heard, memory_words, fanout: joined.len().max(1) as u64, ..Cost::default() })
    }

    /// A form as a row over the indices, and what it is where all of them are 0; `None` where that does not fit.
    fn row_of(&self, form: &Affine) -> (Vector, Option<i64>) {
        let row = form.row(self.space.indices());
        let rest = form.clone() - Affine::from_row(self.space.indices(), &row);
        (row, rest.evaluate(self.sizes))
    }

    fn held(&self, access: &[Affine]) -> Cost {
        let rows: Vec<(Vector, Option<i64>)> = access.iter().map(|form| self.row_of(form)).collect();
        let address = |point: &Vector| -> Vec<Option<i64>> {
            rows.iter().map(|(row, constant)| constant.map(|constant| dot(row, point) + constant)).collect()
        };
        let held: BTreeSet<(Vector, Vec<Option<i64>>)> = self.points.iter().map(|x| (self.pe(x), address(x))).collect();
        Cost { memory_words: held.len() as u64, buffers: held.len() as u64, ..Cost::default() }
    }
}

/// The links of a word's way, one axis after the other: each by where it starts and the axis it runs along.
pub(in crate::extract) fn route(from: &[i64], moved: &[i64]) -> Vec<(Vector, usize)> {
    let mut at = from.to_vec();
    let mut links = vec![];
    for (axis, by) in moved.iter().enumerate() {
        for _ in 0..by.abs() {
            links.push((at.clone(), axis));
            at[axis] += by.signum();
        }
    }
    links
}

/// The most half-open intervals that overlap.
fn most_at_once(held: &[(i64, i64)]) -> u64 {
    let inside = |time: i64| held.iter().filter(|(from, to)| *from <= time && time < *to).count() as u64;
    held.iter().map(|(from, _)| inside(*from)).max().unwrap_or(0)
}
