//! The checker of the search: recomputes a design's cost point by point and its legality edge by edge at given sizes.
//!
//! It shares nothing with the search but the types, the clock, and the depths that the proofs speak of: places and times are
//! evaluated at every point, and everything is counted point by point. Used on winners of moderate size, in the tests, and to price
//! designs of several spaces and those in rounds; for pricing a search lists the points once for all maps ([`Points`]), `verify` lists
//! its own.

use super::points::{Numbered, Points, Shifted};
use crate::cost::Cost;
use crate::extract::Found;
use crate::mapping::clock::Clock;
use crate::mapping::{Calendar, Feeder, Flow, FlowRole, MappedSpace, SpaceTimeMap};
use crate::rewrite::{Dataflow, Transport};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use systole_base::integer::{Affine, Bindings, Polyhedron, Vector, dot, primitive};
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
        checker.loads(operand, &part.dataflow)?;
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
    points: Arc<Points>,
    /// When each point runs, in cycles.
    times: Vec<i64>,
    /// The number of the PE of each point.
    pes: Vec<usize>,
    /// The PEs.
    places: Numbered,
}

/// Some of the points, by their numbers.
type Chosen = Vec<bool>;

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
        let points = Points::of(space, sizes).ok_or("the domain is not bounded")?;
        Checker::of(&Arc::new(points), (space, machine), (sizes, map))
    }

    /// [`Checker::new`] for points that are listed already.
    ///
    /// # Errors
    /// The map has no clock.
    pub fn of(
        points: &Arc<Points>,
        (space, machine): (&'a Space, &'a Machine),
        (sizes, map): (&'a Bindings, &'a SpaceTimeMap),
    ) -> Result<Checker<'a>, String> {
        let clock = Clock::new(space, map).and_then(|clock| clock.row(map, sizes)).ok_or("there is no clock")?;
        Ok(Checker::by(points, (space, machine), (sizes, map), |point| dot(&clock, point)))
    }

    /// [`Checker::of`] for a space of a design in rounds: with what is added to its times, and when each round is.
    ///
    /// # Errors
    /// A number does not fit.
    pub fn in_rounds(
        points: &Arc<Points>,
        (space, machine): (&'a Space, &'a Machine),
        (sizes, map): (&'a Bindings, &'a SpaceTimeMap),
        (starts, calendar): (&[Affine], &Calendar),
    ) -> Result<Checker<'a>, String> {
        let starts = starts.iter().map(|form| form.evaluate(sizes)).collect::<Option<Vector>>();
        let starts = starts.ok_or("a number does not fit")?;
        Ok(Checker::by(points, (space, machine), (sizes, map), |point| {
            let time = map.step.apply(point).into_iter().zip(&starts).map(|(time, start)| time + start);
            // Each point of the space is in a round.
            calendar.clock(&time.collect::<Vector>()).unwrap_or(i64::MAX / 4)
        }))
    }

    fn by(
        points: &Arc<Points>,
        (space, machine): (&'a Space, &'a Machine),
        (sizes, map): (&'a Bindings, &'a SpaceTimeMap),
        clock: impl Fn(&Vector) -> i64,
    ) -> Checker<'a> {
        let times = points.all().iter().map(clock).collect();
        let placed: Vec<Vector> = points.all().iter().map(|point| map.place.apply(point)).collect();
        let mut places = placed.clone();
        places.sort_unstable();
        places.dedup();
        let places = Numbered::new(places);
        let pes = placed.iter().map(|place| places.number(place).unwrap_or(0)).collect();
        Checker { space, machine, sizes, map, points: points.clone(), times, pes, places }
    }

    /// What an operand costs under a transport.
    ///
    /// # Errors
    /// The law that the transport breaks.
    pub fn operand(&self, operand: usize, transport: &Transport) -> Result<Cost, String> {
        let operand = &self.space.operands[operand];
        match transport {
            Transport::Stream(along) => self.flow(&operand.tensor, along, &self.all(), Flowing::Operand),
            Transport::Tree(directions) => self.tree(&operand.tensor, directions),
            Transport::Broadcast(along) => self.bus(&operand.tensor, along),
            Transport::Prefetch => Ok(self.held(&operand.access)),
            Transport::Feed => Ok(Cost { memory_words: self.times.len() as u64, ..Cost::default() }),
            Transport::Bus => self.one_bus(&operand.tensor),
            Transport::Handoff | Transport::Local | Transport::Memory => Ok(Cost::default()),
        }
    }

    /// Whether no PE takes more words of an operand while memory answers than the design says that it has outstanding.
    ///
    /// # Errors
    /// It does.
    fn loads(&self, operand: usize, dataflow: &Dataflow) -> Result<(), String> {
        let latency = self.machine.links.load_latency();
        let transport = &dataflow.transports[operand];
        if latency == 0 || *transport == Transport::Prefetch {
            return Ok(());
        }
        let before: Vec<Arc<Shifted>> =
            transport.directions().iter().map(|along| self.points.shifted(along, -1)).collect();
        let mut clocks: Vec<Vec<i64>> = vec![vec![]; self.places.all.len()];
        for point in (0..self.times.len()).filter(|point| before.iter().all(|before| before.of(*point).is_none())) {
            // The first PE loads all words of one bus.
            let pe = if *transport == Transport::Bus { 0 } else { self.pes[point] };
            clocks[pe].push(self.times[point]);
        }
        let most = clocks.into_iter().map(|clocks| most_within(clocks, latency)).max().unwrap_or(0);
        let space =
            MappedSpace { space: self.space, dataflow: dataflow.clone(), map: self.map.clone(), boundary_io: false };
        let (of, promised) = (&self.space.operands[operand].tensor, space.outstanding(operand, latency));
        match most <= promised {
            true => Ok(()),
            false => Err(format!("`{of}` has {most} loads outstanding where {promised} were promised")),
        }
    }

    /// What an order of the reduction costs.
    ///
    /// # Errors
    /// The law that one of its levels breaks.
    pub fn chain(&self, chain: &Chain) -> Result<Cost, String> {
        let (mut cost, mut set) = (Cost::default(), self.all());
        for (level, along) in chain.directions.iter().enumerate() {
            cost = cost.join(&self.flow(&self.space.output, along, &set, Flowing::Level(chain, level))?);
            let next = self.points.shifted(along, 1);
            let ends = |point: usize| set[point] && next.of(point).is_none_or(|next| !set[next]);
            set = (0..set.len()).map(ends).collect();
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

impl Checker<'_> {
    fn all(&self) -> Chosen {
        vec![true; self.times.len()]
    }

    /// How many PEs some points lie on.
    fn count_pes(&self, set: &Chosen) -> u64 {
        let mut seen = vec![false; self.places.all.len()];
        self.pes.iter().zip(set).filter(|(_, is_in)| **is_in).for_each(|(pe, _)| seen[*pe] = true);
        seen.into_iter().filter(|seen| *seen).count() as u64
    }

    /// Cycles and PEs.
    ///
    /// # Errors
    /// Two points share a PE and a time.
    pub fn base(&self) -> Result<Cost, String> {
        let slots: BTreeSet<(usize, i64)> = self.pes.iter().copied().zip(self.times.iter().copied()).collect();
        if slots.len() < self.times.len() {
            return Err("two points share a PE and a time".to_owned());
        }
        let ends = self.times.iter().max().zip(self.times.iter().min());
        let span = ends.map_or(0, |(last, first)| last - first + 1);
        let pes = self.places.all.len() as u64;
        Ok(Cost { cycles: span.unsigned_abs(), pes, fanout: 1, ..Cost::default() })
    }

    fn flow(&self, of: &str, along: &[i64], set: &Chosen, flowing: Flowing) -> Result<Cost, String> {
        let links = &self.machine.links;
        let moved = self.map.displacement(along);
        let hops = links.network.hops(&moved).ok_or_else(|| format!("`{of}` has no link for {moved:?}"))?;
        let next = self.points.shifted(along, 1);
        let taker = |point: usize| next.of(point).filter(|next| set[point] && set[*next]);
        let tokens: Vec<(usize, usize)> = (0..set.len()).filter_map(|point| Some((point, taker(point)?))).collect();
        let mut holders: Vec<Vec<(i64, i64)>> = vec![vec![]; self.places.all.len()];
        let response = if hops > 0 { links.response } else { 0 };
        for (from, to) in &tokens {
            let (sent, used) = (self.times[*from], self.times[*to]);
            if used - sent < (hops * links.latency).max(1) {
                return Err(format!("`{of}` is late at {:?}", self.points.all()[*from]));
            }
            holders[self.pes[*from]].push((sent, used + response));
        }
        if self.do_meet(&moved, &tokens) {
            return Err(format!("two words of `{of}` meet on their way"));
        }
        if hops == 0 && self.is_kept(&flowing)? {
            return self.kept(of, &tokens);
        }
        let senders = holders.iter().filter(|held| !held.is_empty()).count();
        let most = holders.into_iter().map(most_at_once).max().unwrap_or(0);
        if hops == 0 && most > 1 {
            return Err(format!("`{of}` needs more than one register"));
        }
        let channel_words = tokens.len() as u64 * hops.unsigned_abs();
        let loads = matches!(flowing, Flowing::Operand | Flowing::Branch(_, true));
        let count = set.iter().filter(|is_in| **is_in).count();
        let memory_words = if loads { (count - tokens.len()) as u64 } else { 0 };
        // The depth is the one for all sizes; at sizes too small to fill a channel fewer slots are ever in use.
        let depth = self.depth(of, along, flowing)?;
        if most > depth {
            return Err(format!("`{of}` needs {most} slots where {depth} were promised"));
        }
        let carriers = if hops > 0 { senders as u64 } else { self.count_pes(set) };
        Ok(Cost { channel_words, memory_words, buffers: depth * carriers, fanout: 1, ..Cost::default() })
    }

    /// Whether it is partial results that wait in the PEs' scratchpads.
    fn is_kept(&self, flowing: &Flowing) -> Result<bool, String> {
        let Flowing::Level(chain, level) = flowing else { return Ok(false) };
        let flows = self.flows(vec![], (*chain).clone())?;
        Ok(flows.iter().any(|flow| flow.role == FlowRole::Reduction(*level) && flow.is_kept))
    }

    /// What words cost that wait on their PE, each under its element: an entry for each of them.
    fn kept(&self, of: &str, tokens: &[(usize, usize)]) -> Result<Cost, String> {
        let mut entries: BTreeMap<(usize, Vec<i64>), Held> = BTreeMap::new();
        for (from, to) in tokens {
            let bindings = self.space.bind(self.sizes, &self.points.all()[*from]);
            let element: Option<Vec<i64>> =
                self.space.output_access.iter().map(|form| form.evaluate(&bindings)).collect();
            let element = element.ok_or_else(|| format!("an element of `{of}` does not fit"))?;
            entries.entry((self.pes[*from], element)).or_default().push((self.times[*from], self.times[*to]));
        }
        let buffers = entries.len() as u64;
        match entries.into_values().any(|held| most_at_once(held) > 1) {
            true => Err(format!("two partial results of an element of `{of}` wait at once")),
            false => Ok(Cost { buffers, fanout: 1, ..Cost::default() }),
        }
    }

    /// Whether two of these words are on one link at one time.
    fn do_meet(&self, moved: &[i64], tokens: &[(usize, usize)]) -> bool {
        if moved.iter().all(|entry| *entry == 0) {
            return false;
        }
        let latency = self.machine.links.latency;
        let mut carried = FxHashSet::default();
        // All words move alike, so the ways of those from one PE are one way.
        let ways: Vec<Vec<(Vector, usize)>> = self.places.all.iter().map(|pe| route(pe, moved)).collect();
        let mut links: FxHashMap<&(Vector, usize), usize> = FxHashMap::default();
        let mut number = |link| {
            let next = links.len();
            *links.entry(link).or_insert(next)
        };
        let ways: Vec<Vec<usize>> = ways.iter().map(|way| way.iter().map(&mut number).collect()).collect();
        tokens.iter().any(|(from, _)| {
            let mut hops = (0..).zip(&ways[self.pes[*from]]);
            hops.any(|(hop, link)| !carried.insert((*link, self.times[*from] + hop * latency)))
        })
    }

    fn depth(&self, of: &str, along: &[i64], flowing: Flowing) -> Result<u64, String> {
        let (chain, role) = match flowing {
            Flowing::Branch(flow, _) => return self.promised(of, flow),
            Flowing::Operand => (Chain::along(vec![]), FlowRole::Operand(0)),
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
        let flows = self.flows(vec![Transport::Tree(directions.to_vec())], Chain::along(vec![]))?;
        let (mut cost, mut left) = (Cost::default(), self.all());
        let count = |set: &Chosen| set.iter().filter(|is_in| **is_in).count();
        for (level, along) in directions.iter().enumerate() {
            let (next, before) = (self.points.shifted(along, 1), self.points.shifted(along, -1));
            let mut parts = 0;
            for flow in flows.iter().filter(|flow| flow.direction == *along) {
                let inside = self.within(&flow.set);
                let part: Chosen = left.iter().zip(inside).map(|(left, inside)| *left && inside).collect();
                let leaves = |x: usize| part[x] && next.of(x).is_some_and(|next| left[next] && !part[next]);
                if (0..part.len()).any(leaves) {
                    return Err(format!("a line of `{of}` is cut"));
                }
                parts += count(&part);
                cost = cost.join(&self.flow(of, along, &part, Flowing::Branch(flow, level + 1 == directions.len()))?);
            }
            if parts != count(&left) {
                return Err(format!("a stream of `{of}` does not run over the heads of the one before"));
            }
            let is_head = |x: usize| left[x] && before.of(x).is_none_or(|before| !left[before]);
            left = (0..left.len()).map(is_head).collect();
        }
        Ok(cost)
    }

    /// Which points lie in a set.
    fn within(&self, set: &Polyhedron) -> Chosen {
        let rows: Vec<(Vector, Option<i64>)> = set.constraints().iter().map(|form| self.row_of(form)).collect();
        let holds = |point: &Vector| {
            rows.iter().all(|(row, constant)| constant.is_some_and(|constant| dot(row, point) + constant >= 0))
        };
        self.points.all().iter().map(holds).collect()
    }

    fn bus(&self, of: &str, along: &[i64]) -> Result<Cost, String> {
        let displacement = self.map.displacement(along);
        if !self.machine.buses.carries(&displacement) || self.machine.buses.latency > 0 {
            return Err(format!("no bus of the machine runs where `{of}` goes"));
        }
        let (next, before) = (self.points.shifted(along, 1), self.points.shifted(along, -1));
        let mut drives = FxHashSet::default();
        let (mut reached, mut fanout, mut heads) = (0, 1, 0);
        for head in (0..self.times.len()).filter(|point| before.of(*point).is_none()) {
            let line = std::iter::successors(Some(head), |point| next.of(*point));
            let mut listeners = 0;
            for listener in line {
                listeners += 1;
                if self.times[listener] != self.times[head] {
                    return Err(format!("the listeners of `{of}` are not all there at one time"));
                }
            }
            if !drives.insert((self.line(head, &displacement), self.times[head])) {
                return Err(format!("a bus of `{of}` is driven twice at one time"));
            }
            heads += 1;
            reached += listeners - 1;
            fanout = fanout.max(listeners);
        }
        Ok(Cost { channel_words: reached, memory_words: heads, fanout, ..Cost::default() })
    }

    /// The line of PEs on which a point runs, along a displacement: the place, moved along it to the first axis that it crosses.
    fn line(&self, point: usize, displacement: &[i64]) -> Vector {
        let mut place = self.map.place.apply(&self.points.all()[point]);
        let along = primitive(displacement);
        if let Some(axis) = along.iter().position(|entry| *entry != 0) {
            let steps = place[axis].div_euclid(along[axis]);
            place.iter_mut().zip(&along).for_each(|(entry, by)| *entry -= steps * by);
        }
        place
    }

    /// A bus from memory to all PEs: every word has a time of its own. The first PE loads all words and keeps its own.
    fn one_bus(&self, of: &str) -> Result<Cost, String> {
        let times: FxHashSet<i64> = self.times.iter().copied().collect();
        if !self.machine.buses.all || self.machine.buses.latency > 0 || times.len() < self.times.len() {
            return Err(format!("one bus does not carry all words of `{of}`"));
        }
        if Feeder::of(self.space, self.map).is_none() {
            return Err(format!("no PE can feed a bus with `{of}`"));
        }
        // PEs are numbered in their order.
        let heard = self.pes.iter().filter(|pe| **pe != 0).count() as u64;
        let memory_words = self.pes.len() as u64;
        Ok(Cost { channel_words: heard, memory_words, fanout: self.places.all.len().max(1) as u64, ..Cost::default() })
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
        let held = self.pes.iter().zip(self.points.all()).map(|(pe, point)| (*pe, address(point)));
        let held = held.collect::<FxHashSet<(usize, Vec<Option<i64>>)>>().len() as u64;
        Cost { memory_words: held, buffers: held, ..Cost::default() }
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

/// The most clocks of which each is at most so many cycles after the first of them.
pub(in crate::extract) fn most_within(clocks: Vec<i64>, cycles: u64) -> u64 {
    let end = |clock: i64| clock.saturating_add_unsigned(cycles).saturating_add(1);
    most_at_once(clocks.into_iter().map(|clock| (clock, end(clock))).collect())
}

/// When words are held: from a step on, and before another.
type Held = Vec<(i64, i64)>;

/// The most half-open intervals that overlap.
fn most_at_once(held: Held) -> u64 {
    let (mut from, mut to): (Vec<i64>, Vec<i64>) = held.into_iter().unzip();
    from.sort_unstable();
    to.sort_unstable();
    let (mut ended, mut most) = (0, 0);
    for (begun, time) in (1..).zip(&from) {
        while to.get(ended).is_some_and(|end| end <= time) {
            ended += 1;
        }
        most = most.max(begun - ended);
    }
    most as u64
}

#[cfg(test)]
mod tests {
    use super::most_within;

    #[test]
    fn clocks_within_so_many_cycles_are_counted() {
        assert_eq!(most_within(vec![], 3), 0);
        for (clocks, cycles, most) in
            [(vec![0, 1, 2, 5], 2, 3), (vec![0, 1, 2, 5], 1, 2), (vec![7, 0, 7, 3], 3, 2), (vec![4, -4, 0], 8, 3)]
        {
            let within = |first: &i64| {
                clocks.iter().filter(|clock| (*first..=first + cycles as i64).contains(clock)).count() as u64
            };
            assert_eq!(clocks.iter().map(within).max(), Some(most));
            assert_eq!(most_within(clocks, cycles), most);
        }
    }
}
