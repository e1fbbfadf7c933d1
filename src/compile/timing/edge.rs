//! Edge injection: with `io boundary`, values enter and leave only at the boundary of the array.
//!
//! What moves or is broadcast by `P d` enters the PE of its line's head through the side it comes from, so no point may
//! run at `P h - P d`; a result that moves leaves through the side it goes to, so none may run at `P x + P d`. What does
//! not move (prefetched, fed or stationary operands, results that stay) needs a way into or out of its own PE: some
//! neighbour along an axis must be missing. A single PE has no inside, so there the claim holds.

use super::frame::{Claim, Frame, Point, displaced};
use crate::mapping::{Flow, tree_sets};
use crate::rewrite::Transport;
use systole_base::integer::{Affine, Name, Polyhedron};
use systole_program::obligation::{Formula, Kind, Obligation, Reason};

/// A value that crosses the boundary, and where.
struct Crossing<'a> {
    of: &'a Name,
    /// `enter` or `leave`.
    verb: &'a str,
    /// The first or last point of the value's line.
    gate: Formula,
    /// From the gate's PE to where the value comes from or goes to; zero where it does not move.
    outward: Vec<i64>,
}

impl Frame<'_> {
    /// The obligations of all operands, then of the result.
    pub fn edge_injections(&self, flows: &[Flow]) -> Vec<Obligation> {
        let transports = self.design.dataflow.transports.iter().enumerate();
        let mut obligations: Vec<Obligation> =
            transports.map(|(position, transport)| self.injection(position, transport)).collect();
        obligations.push(self.departure(flows));
        obligations
    }

    fn injection(&self, position: usize, transport: &Transport) -> Obligation {
        let set = &self.space().domain.set;
        let (gate, outward) = match transport {
            Transport::Stream(direction) | Transport::Broadcast(direction) => {
                let back: Vec<i64> = direction.iter().map(|entry| -entry).collect();
                (self.at_head(set, &self.point(0), direction), self.design.map.displacement(&back))
            }
            Transport::Tree(directions) => self.roots(directions),
            Transport::Prefetch
            | Transport::Feed
            | Transport::Bus
            | Transport::Handoff
            | Transport::Local
            | Transport::Memory => (self.inside(set, &self.point(0)), self.at_rest()),
        };
        self.crossing(Crossing { of: &self.space().operands[position].tensor, verb: "enter", gate, outward })
    }

    /// The heads of the last streams of a tree, and the way they come from.
    fn roots(&self, directions: &[Vec<i64>]) -> (Formula, Vec<i64>) {
        let sets = tree_sets(self.space(), directions);
        let Some((along, sets)) = directions.last().zip(sets.last()) else {
            return (Formula::Any(vec![]), self.at_rest());
        };
        let back: Vec<i64> = along.iter().map(|entry| -entry).collect();
        let gates = sets.iter().map(|set| self.at_head(set, &self.point(0), along));
        (Formula::Any(gates.collect()), self.design.map.displacement(&back))
    }

    /// The result leaves from the end of the last level of the reduction, or from every point where nothing is reduced.
    fn departure(&self, flows: &[Flow]) -> Obligation {
        let levels = self.design.dataflow.chain.directions.len();
        let last = flows.last().filter(|_| levels > 0);
        let (gate, outward) = match last {
            Some(flow) => (self.at_end(&flow.set, &self.point(0), &flow.direction), flow.displacement.clone()),
            None => (self.inside(&self.space().domain.set, &self.point(0)), self.at_rest()),
        };
        self.crossing(Crossing { of: &self.space().output, verb: "leave", gate, outward })
    }

    fn at_rest(&self) -> Vec<i64> {
        vec![0; self.design.map.rank()]
    }

    fn crossing(&self, crossing: Crossing) -> Obligation {
        let sides = if crossing.outward.iter().any(|entry| *entry != 0) {
            vec![crossing.outward.clone()]
        } else {
            neighbours(self.design.map.rank())
        };
        let reason = self.inside_array(&crossing, &sides);
        let enclosed = self.enclosed(&self.space().domain.set, &sides);
        self.state(Claim {
            kind: Kind::EdgeInjection,
            of: crossing.of.clone(),
            points: 1 + sides.len(),
            extras: vec![],
            violation: vec![crossing.gate, enclosed],
            reason,
        })
    }

    /// On each of `sides` of point 0 another point runs: point 1 on the first, point 2 on the second, and so on.
    fn enclosed(&self, set: &Polyhedron, sides: &[Vec<i64>]) -> Formula {
        let place = self.place(&self.point(0));
        let occupied = |(number, side): (usize, &Vec<i64>)| {
            let y: Point = self.point(number + 1);
            let there = displaced(place.clone(), side, &Affine::constant(1));
            Formula::All(vec![self.inside(set, &y), Formula::same(&self.place(&y), &there)])
        };
        match sides {
            [] => Formula::Any(vec![]),
            _ => Formula::All(sides.iter().enumerate().map(occupied).collect()),
        }
    }

    fn inside_array(&self, crossing: &Crossing, sides: &[Vec<i64>]) -> Reason {
        let (of, verb) = (crossing.of, crossing.verb);
        let way = if verb == "enter" { "from" } else { "to" };
        let pe = self.show_pe(&self.point(0));
        let (there, needed) = match sides {
            [side] => {
                let beyond = self.show_pe_beside(&self.point(0), side);
                (format!("{way} {beyond}"), format!("no point on {beyond}"))
            }
            _ => ("with points on all PEs around it".to_owned(), "a side without points".to_owned()),
        };
        Reason {
            broken: format!("`{of}` {verb}s inside the array, not at its boundary"),
            blame: format!("puts points at which {of} {verb}s inside the array"),
            available: format!("{verb}s at     {pe}  {there}"),
            needed: format!("needed there  {needed}"),
            help: format!("choose a `place` that lets `{of}` {verb} at the boundary, or write `io anywhere`"),
            moments: vec![self.moment(if verb == "enter" { "enters" } else { "leaves" }, &self.point(0))],
        }
    }
}

/// The unit steps along the axes, both ways.
fn neighbours(rank: usize) -> Vec<Vec<i64>> {
    let unit = |axis: usize, sign: i64| (0..rank).map(|other| if other == axis { sign } else { 0 }).collect();
    (0..rank).flat_map(|axis| [unit(axis, -1), unit(axis, 1)]).collect()
}
