//! The flows of a design: everything that moves from point to point, with how far and how long.
//!
//! A streamed operand is one flow over the whole space; a reduction is one flow a level, the second and later ones over the
//! ends of the lines of the level before. A tree is one flow for each set that one of its streams runs over. A flow's edges join each point `x` of its set to `x + direction`, where both lie
//! in the set.

use super::tree::tree_sets;
use super::{MappedSpace, SpaceTimeMap};
use crate::rewrite::Transport;
use std::cmp::Ordering;
use systole_base::integer::{Matrix, Name, Polyhedron, Vector, lexicographic_sign};
use systole_base::network::Links;
use systole_equations::recurrence::{Chain, Space, ends};

/// What a flow carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FlowRole {
    /// The operand at this position of `Space::operands`.
    Operand(usize),
    /// The operand at this position on its way to the heads of its lines: the stream with this number, counted from 0, over
    /// the faces that a tree of streams branches on.
    Face(usize, usize),
    /// The running value of this level of the reduction, innermost first.
    Reduction(usize),
}

/// One value moving along one direction.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The tensor that moves.
    pub of: Name,
    /// As what.
    pub role: FlowRole,
    /// From a point to the next.
    pub direction: Vector,
    /// The points the flow runs over.
    pub set: Polyhedron,
    /// PEs from a point to the next; zero where the value stays.
    pub displacement: Vector,
    /// Steps from a point to the next, lexicographic.
    pub delay: Vector,
    /// Whether it is partial results that wait in the PE's scratchpad, each under its element.
    pub is_kept: bool,
    /// The least lexicographically positive time between two points of the set on one PE; `None` where a PE has only one.
    spacing: Option<Vector>,
}

impl Flow {
    /// Whether the value stays on its PE.
    pub fn is_stationary(&self) -> bool {
        self.displacement.iter().all(|entry| *entry == 0)
    }

    /// The least delay that physics allows: one step on a PE, the latency of every hop between PEs; `None` where the
    /// network has no such link.
    pub fn least_delay(&self, links: &Links) -> Option<i64> {
        links.cycles(&self.displacement)
    }

    /// Whether every word has the time it needs, for all sizes: the delay is at least the least delay, or, in vector time,
    /// a whole row and no more than one step less (a row may be as short as one step).
    pub fn is_in_time(&self, links: &Links) -> bool {
        let Some(least) = self.least_delay(links) else { return false };
        is_in_time(&self.delay, least)
    }

    /// The words that hold a slot of the flow's channel at one time, for sizes large enough; a register holds one.
    ///
    /// A word holds its slot from the send until `response` cycles after the receive. On one PE the sends follow each
    /// other at `spacing`, so the depth is the number of multiples of the spacing, zero among them, that lie before
    /// `delay + response`. `None` where that number grows with the sizes.
    pub fn depth(&self, response: i64) -> Option<u64> {
        let response = if self.is_stationary() { 0 } else { response };
        depth_of(&self.delay, self.spacing.as_deref(), response)
    }
}

/// How many sends that follow each other at `spacing` fall within `delay + response`; see [`Flow::depth`].
///
/// In vector time the sizes decide how long a row is. More sends fall within the window where rows are longest, which is
/// the lexicographic order, or where they are shortest: one step.
pub fn depth_of(delay: &[i64], spacing: Option<&[i64]>, response: i64) -> Option<u64> {
    let mut window = delay.to_vec();
    *window.last_mut()? += response;
    let Some(spacing) = spacing else { return Some(1) };
    let in_long_rows = within_window(&window, spacing)?;
    let (pace, length): (i64, i64) = (spacing.iter().sum(), window.iter().sum());
    let in_short_rows = if pace > 0 { (length.max(0).unsigned_abs()).div_ceil(pace.unsigned_abs()) } else { 1 };
    Some(in_long_rows.max(in_short_rows))
}

/// How many multiples of a spacing, none among them, come before `window` in lexicographic order; `None` where all do.
pub(super) fn within_window(window: &[i64], spacing: &[i64]) -> Option<u64> {
    let first = |vector: &[i64]| vector.iter().position(|entry| *entry != 0).unwrap_or(vector.len());
    if first(window) < first(spacing) {
        return None;
    }
    let before = |count: i64| spacing.iter().map(|entry| entry * count).cmp(window.iter().copied());
    Some(1 + (1..).take_while(|count| before(*count) == Ordering::Less).count() as u64)
}

/// Whether a delay, compared lexicographically, is at least `least` steps for all sizes.
pub fn is_in_time(delay: &[i64], least: i64) -> bool {
    let Some((last, leading)) = delay.split_last() else { return false };
    match lexicographic_sign(leading) {
        0 => *last >= least,
        sign => sign > 0 && *last + 1 >= least,
    }
}

impl MappedSpace<'_> {
    /// The flows: streamed operands in their order, each with those on its faces behind it, then the levels of the reduction.
    ///
    /// Returns `None` where a level's lines do not all end on one face of the domain, which is needed to reduce over
    /// a second index.
    pub fn flows(&self) -> Option<Vec<Flow>> {
        let whole = &self.space.domain.set;
        let mut flows: Vec<Flow> = vec![];
        for (position, transport) in self.dataflow.transports.iter().enumerate() {
            flows.extend(self.streams(position, transport));
        }
        let mut set = whole.clone();
        for (level, direction) in self.dataflow.chain.directions.iter().enumerate() {
            if level > 0 {
                set = ends(self.space, &set, &self.dataflow.chain.directions[level - 1])?;
            }
            flows.push(self.flow(&self.space.output, FlowRole::Reduction(level), direction, set.clone()));
        }
        Some(flows)
    }

    /// The flows of one operand.
    fn streams(&self, position: usize, transport: &Transport) -> Vec<Flow> {
        let tensor = &self.space.operands[position].tensor;
        let directions = transport.streams();
        let levels = directions.iter().zip(tree_sets(self.space, directions));
        let sets = levels.flat_map(|(along, sets)| sets.into_iter().map(move |set| (along, set)));
        let role = |number: usize| match number.checked_sub(1) {
            None => FlowRole::Operand(position),
            Some(number) => FlowRole::Face(position, number),
        };
        sets.enumerate().map(|(number, (along, set))| self.flow(tensor, role(number), along, set)).collect()
    }

    fn flow(&self, of: &Name, role: FlowRole, direction: &[i64], set: Polyhedron) -> Flow {
        let flow = Flow {
            of: of.clone(),
            role,
            direction: direction.to_vec(),
            displacement: self.map.displacement(direction),
            delay: self.map.delay(direction),
            is_kept: false,
            spacing: spacing(self.space, &self.map, &set),
            set,
        };
        let may_be_kept = self.dataflow.chain.is_kept && matches!(role, FlowRole::Reduction(_));
        let is_kept = may_be_kept && flow.is_stationary() && flow.depth(0) != Some(1);
        Flow { is_kept, ..flow }
    }
}

/// Whether a reduction may go on from round to round in this order, whatever the last row of the time is: no level runs backwards, and none
/// waits for a later round while its PE begins ever more sums. A PE keeps these in its scratchpad where the order says so.
pub fn sums_in_rounds(space: &Space, map: &SpaceTimeMap, chain: &Chain) -> bool {
    let rounds = map.step.rows().len().saturating_sub(1);
    let mut set = space.domain.set.clone();
    for (level, direction) in chain.directions.iter().enumerate() {
        if level > 0 {
            let Some(end) = ends(space, &set, &chain.directions[level - 1]) else { return false };
            set = end;
        }
        let delay = &map.delay(direction)[..rounds];
        let Some(row) = delay.iter().position(|entry| *entry != 0) else { continue };
        let is_kept = chain.is_kept && map.displacement(direction).iter().all(|entry| *entry == 0);
        let fixed = set.equations().map(|form| form.row(space.indices()));
        let alike = map.place.rows().iter().chain(&map.step.rows()[..=row]).cloned().chain(fixed).collect();
        let is_alone = || Matrix::new(alike, space.dimension()).rank() == space.dimension();
        if delay[row] < 0 || !(is_kept || is_alone()) {
            return false;
        }
    }
    true
}

/// The least positive time between two points of `set` on one PE: the last basis vector of the lattice of points that
/// share a PE, in the basis whose times are triangular.
pub fn spacing(space: &Space, map: &SpaceTimeMap, set: &Polyhedron) -> Option<Vector> {
    let rows: Vec<Vector> = set.equations().map(|form| form.row(space.indices())).collect();
    spacing_among(map, &rows)
}

/// [`spacing`] for points that differ by vectors on which every row of `fixed` is zero.
pub fn spacing_among(map: &SpaceTimeMap, fixed: &[Vector]) -> Option<Vector> {
    let normals = map.place.above(&Matrix::new(fixed.to_vec(), map.place.columns()));
    let lattice = normals.null_lattice();
    let times: Vec<Vector> = lattice.iter().map(|vector| map.delay(vector)).collect();
    let steps = map.step.rows().len();
    let by_time =
        Matrix::new((0..steps).map(|row| times.iter().map(|time| time[row]).collect()).collect(), times.len());
    let (triangular, _) = by_time.hermite();
    (0..times.len()).rev().map(|index| triangular.column(index)).find(|time| time.iter().any(|entry| *entry != 0))
}
