//! The checker of the search: recomputes a design's cost point by point and its legality edge by edge at given sizes.
//!
//! It shares nothing with the search but the types: places and times are evaluated at every point, and everything is counted
//! with sets. Slow on purpose; used on winners of moderate size and in the tests.

use super::Found;
use crate::cost::{Cost, Machine};
use crate::integer::{Bindings, Vector, dot};
use crate::mapping::clock::Clock;
use crate::recurrence::Space;
use crate::rewrite::Transport;
use std::collections::{BTreeMap, BTreeSet};

/// Everything the checker knows of one design.
struct Run<'a> {
    space: &'a Space,
    machine: &'a Machine,
    found: &'a Found,
    points: BTreeSet<Vector>,
    clock: Vector,
}

/// The cost of a design as counted point by point; or what is wrong with it at these sizes.
///
/// # Errors
/// One sentence naming the first law that is broken.
pub fn verify(space: &Space, machine: &Machine, sizes: &Bindings, found: &Found) -> Result<Cost, String> {
    let points = space.domain.set.points(space.indices(), sizes).ok_or("the domain is not bounded")?;
    let clock =
        Clock::new(space, &found.map).and_then(|clock| clock.row(&found.map, sizes)).ok_or("there is no clock")?;
    let run = Run { space, machine, found, points: points.into_iter().collect(), clock };
    let mut cost = run.base()?;
    for (operand, transport) in space.operands.iter().zip(&found.dataflow.transports) {
        let part = match transport {
            Transport::Stream(along) => run.flow(&operand.tensor, along, &run.points, true)?,
            Transport::Broadcast(along) => run.bus(&operand.tensor, along)?,
            Transport::Prefetch => run.held(&operand.access, sizes),
            Transport::Feed => Cost { memory_words: run.points.len() as u64, ..Cost::default() },
        };
        cost = cost.join(&part);
    }
    let mut set = run.points.clone();
    for along in &found.dataflow.chain.directions {
        cost = cost.join(&run.flow(&space.output, along, &set, false)?);
        set = set.iter().filter(|point| !set.contains(&shifted(point, along, 1))).cloned().collect();
    }
    run.joined()?;
    Ok(cost)
}

fn shifted(point: &[i64], by: &[i64], times: i64) -> Vector {
    point.iter().zip(by).map(|(x, d)| x + times * d).collect()
}

impl Run<'_> {
    fn pe(&self, point: &[i64]) -> Vector {
        self.found.map.place.apply(point)
    }

    fn time(&self, point: &[i64]) -> i64 {
        dot(&self.clock, point)
    }

    fn base(&self) -> Result<Cost, String> {
        let slots: BTreeSet<(Vector, i64)> = self.points.iter().map(|x| (self.pe(x), self.time(x))).collect();
        if slots.len() < self.points.len() {
            return Err("two points share a PE and a time".to_owned());
        }
        let times: BTreeSet<i64> = slots.iter().map(|(_, time)| *time).collect();
        let span = times.last().zip(times.first()).map_or(0, |(last, first)| last - first + 1);
        let pes: BTreeSet<&Vector> = slots.iter().map(|(pe, _)| pe).collect();
        Ok(Cost { cycles: span.unsigned_abs(), pes: pes.len() as u64, fanout: 1, ..Cost::default() })
    }

    fn flow(&self, of: &str, along: &[i64], set: &BTreeSet<Vector>, loads: bool) -> Result<Cost, String> {
        let links = &self.machine.links;
        let moved = self.found.map.displacement(along);
        let hops = links.network.hops(&moved).ok_or_else(|| format!("`{of}` has no link for {moved:?}"))?;
        let tokens: Vec<&Vector> = set.iter().filter(|x| set.contains(&shifted(x, along, 1))).collect();
        let mut holders: BTreeMap<Vector, Vec<(i64, i64)>> = BTreeMap::new();
        for token in &tokens {
            let (sent, used) = (self.time(token), self.time(&shifted(token, along, 1)));
            if used - sent < (hops * links.latency).max(1) {
                return Err(format!("`{of}` is late at {token:?}"));
            }
            let response = if hops > 0 { links.response } else { 0 };
            holders.entry(self.pe(token)).or_default().push((sent, used + response));
        }
        let most = holders.values().map(|held| most_at_once(held)).max().unwrap_or(0);
        if hops == 0 && most > 1 {
            return Err(format!("`{of}` needs more than one register"));
        }
        let channel_words = tokens.len() as u64 * hops.unsigned_abs();
        let memory_words = if loads { (set.len() - tokens.len()) as u64 } else { 0 };
        let pes: BTreeSet<Vector> = set.iter().map(|x| self.pe(x)).collect();
        // The depth is the one for all sizes; at sizes too small to fill a channel fewer slots are ever in use.
        let depth = self.depth(of, along, loads)?;
        if most > depth {
            return Err(format!("`{of}` needs {most} slots where {depth} were promised"));
        }
        let carriers = if hops > 0 { holders.len() } else { pes.len() } as u64;
        Ok(Cost { channel_words, memory_words, buffers: depth * carriers, fanout: 1, ..Cost::default() })
    }

    fn depth(&self, of: &str, along: &[i64], loads: bool) -> Result<u64, String> {
        let (space, map) = (self.space, self.found.map.clone());
        let design = crate::mapping::Design { space, dataflow: self.found.dataflow.clone(), map, boundary_io: false };
        let flows = design.flows().ok_or("the reduction has no faces")?;
        let operand = |flow: &crate::mapping::Flow| matches!(flow.role, crate::mapping::FlowRole::Operand(_));
        let mut mine = flows.iter().filter(|flow| *flow.of == *of && flow.direction == along && operand(flow) == loads);
        let flow = mine.next().ok_or("the flow is not in the design")?;
        flow.depth(self.machine.links.response).ok_or_else(|| format!("the FIFO of `{of}` grows with the sizes"))
    }

    fn bus(&self, of: &str, along: &[i64]) -> Result<Cost, String> {
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

    fn held(&self, access: &[crate::integer::Affine], sizes: &Bindings) -> Cost {
        let address = |point: &Vector| -> Vec<Option<i64>> {
            let bindings = self.space.bind(sizes, point);
            access.iter().map(|form| form.evaluate(&bindings)).collect()
        };
        let held: BTreeSet<(Vector, Vec<Option<i64>>)> = self.points.iter().map(|x| (self.pe(x), address(x))).collect();
        Cost { memory_words: held.len() as u64, buffers: held.len() as u64, ..Cost::default() }
    }

    fn joined(&self) -> Result<(), String> {
        let streams = self.found.dataflow.transports.iter().filter_map(|transport| match transport {
            Transport::Stream(along) => Some(along),
            _ => None,
        });
        let moved: Vec<Vector> = streams
            .chain(&self.found.dataflow.chain.directions)
            .map(|along| self.found.map.displacement(along))
            .collect();
        let joins = self.machine.links.network.joins(moved.iter().map(Vec::as_slice));
        joins.then_some(()).ok_or_else(|| "the network has no such links together".to_owned())
    }
}

/// The most half-open intervals that overlap.
fn most_at_once(held: &[(i64, i64)]) -> u64 {
    let inside = |time: i64| held.iter().filter(|(from, to)| *from <= time && time < *to).count() as u64;
    held.iter().map(|(from, _)| inside(*from)).max().unwrap_or(0)
}
