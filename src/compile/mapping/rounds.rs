//! Rounds: the clock of a design whose times are vectors.
//!
//! All rows of time but the finest number a *round*; within a round steps follow each other as the finest row says. A PE
//! runs the rounds one after the other, and the array runs them with a [skew](super::skew): a PE that is behind its neighbours
//! in one round is so in all. Each round is as long as what a PE runs in it, so rounds are ragged: their starts
//! are running sums (`advance` of a program), and no weight has to be right for all of them. A later round is later by
//! construction, so proofs compare vectors. A round may be short, and its first step is another one than that of the round
//! before; so what holds from round to round rests on the cycles between rounds alone. Each ends with idle cycles (`slack`) for
//! the longest way of a word that crosses into the next one, and until slots that were read are free again.
//!
//! A design of one space on a box, not folded, has closed weights instead ([`clock`](super::clock)).

use super::clock::Clock;
use super::ends::{Ranged, least_value, range_of_values};
use super::skew::is_deep;
use super::{Design, FlowRole, Handoff, SpaceDesign, SpaceTimeMap, depth_of, is_in_time, spacing};
use crate::rewrite::Transport;
use systole_base::integer::{Affine, Bindings, Name, Polyhedron, Vector, dot, name};
use systole_base::network::Links;
use systole_equations::recurrence::Space;
use systole_program::array::{Index, IndexExpr};

/// The rounds of a design, for all sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// What numbers them: one name for each row of time but the finest.
    pub names: Vec<Name>,
    /// The first and the last value of each, over the parameters and the names before it.
    pub ranges: Vec<[IndexExpr; 2]>,
    /// The finest row of the first step of a round.
    pub first: IndexExpr,
    /// How many cycles a round takes.
    pub length: IndexExpr,
    /// What holds of the names in every round.
    pub inside: Polyhedron,
}

/// How the rounds of a design follow each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Overlap {
    /// By how many cycles a PE is behind its neighbour along each axis.
    pub skew: Vector,
    /// The idle cycles at the end of each round.
    pub slack: i64,
}

/// The rounds of a design at given sizes: by their number the cycle at which step 0 of each would begin.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Calendar {
    zeros: Zeros,
    overlap: Overlap,
    /// What a row of time weighs, where that is the same in all rounds: then nothing above is asked.
    weights: Option<Vector>,
}

/// At which cycle step 0 of each round would begin.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Zeros {
    /// Of rounds whose numbers are the same but for the finest, from the first such number on.
    Finest(i64, Vec<i64>),
    /// Of those under each number of a row, from its first on.
    Rows(i64, Vec<Zeros>),
}

impl Default for Zeros {
    fn default() -> Zeros {
        Zeros::Finest(0, vec![])
    }
}

impl Zeros {
    fn count(&self) -> usize {
        match self {
            Zeros::Finest(_, zeros) => zeros.len(),
            Zeros::Rows(_, rows) => rows.iter().map(Zeros::count).sum(),
        }
    }

    fn get(&self, round: &[i64]) -> Option<i64> {
        let (number, rest) = round.split_first()?;
        let at = |first: &i64| usize::try_from(number.checked_sub(*first)?).ok();
        match self {
            Zeros::Finest(first, zeros) if rest.is_empty() => zeros.get(at(first)?).copied(),
            Zeros::Rows(first, rows) => rows.get(at(first)?)?.get(rest),
            Zeros::Finest(..) => None,
        }
    }
}

impl Rounds {
    /// The rounds of a design, with these names; `None` where times are plain.
    pub fn of(design: &Design, names: &[Name], overlap: &Overlap) -> Option<Rounds> {
        let rows = design.rounds();
        if rows == 0 {
            return None;
        }
        let names = names.get(..rows)?.to_vec();
        let mut known = Polyhedron::sizes(&design.system.parameters);
        let Overlap { skew, slack } = overlap;
        let behind: Vec<Affine> = (0..design.parts.len()).map(|space| design.behind(space, skew)).collect();
        let own_time = |(space, behind): (usize, &Affine)| {
            let mut time = design.time(space, &design.point(space));
            time.iter_mut().last().into_iter().for_each(|step| *step = step.clone() - behind.clone());
            time
        };
        let times: Vec<Vec<Affine>> = behind.iter().enumerate().map(own_time).collect();
        let sizes = known.clone();
        let ranged = |row: usize| -> Vec<Ranged> {
            let in_round = |space: &Space, time: &[Affine]| {
                let mut set = space.domain.set.intersect(&sizes);
                for (name, form) in names.iter().zip(time).take(row) {
                    let tie = Affine::variable(name) - form.clone();
                    [tie.clone(), -tie].into_iter().for_each(|form| set.add(form));
                }
                set
            };
            let all = design.system.spaces.iter().zip(&times);
            all.map(|(space, time)| Ranged {
                set: in_round(space, time),
                indices: space.indices(),
                form: time[row].clone(),
            })
            .collect()
        };
        let mut ranges = vec![];
        for row in 0..rows {
            let all = ranged(row);
            ranges.push(range_of_values(&all, &known));
            known = known.intersect(&in_all(&ranged(row + 1)));
        }
        let all = ranged(rows);
        let [first, last] = range_of_values(&all, &known);
        let length = length(&first, &last, *slack, &known);
        let first = match skew.iter().all(|cycles| *cycles == 0) {
            true => first,
            false => sum(first, least(design, &behind, &sizes)),
        };
        Some(Rounds { names, ranges, first, length, inside: known })
    }

    /// The rounds one after the other at these sizes; `None` where a number does not fit.
    fn calendar(&self, overlap: Overlap, sizes: &Bindings) -> Option<Calendar> {
        let over = |expression: &IndexExpr| Index::over(expression, sizes, &self.names);
        let at_sizes = AtSizes {
            ranges: self.ranges.iter().map(|[first, last]| [over(first), over(last)]).collect(),
            first: over(&self.first),
            length: over(&self.length),
        };
        let zeros = at_sizes.zeros(0, &mut vec![0; self.names.len()], &mut 0)?;
        Some(Calendar { zeros, overlap, weights: None })
    }
}

/// The rounds of a design at given sizes. There may be thousands, and the search counts those of many designs.
struct AtSizes {
    /// The first and the last number of each row, over those of the rows before it.
    ranges: Vec<[Index; 2]>,
    first: Index,
    length: Index,
}

impl AtSizes {
    /// Of the rounds whose numbers are known but for this row and finer ones, from a cycle on, which is then the one behind them.
    fn zeros(&self, row: usize, numbers: &mut Vec<i64>, start: &mut i64) -> Option<Zeros> {
        let [first, last] = self.ranges.get(row)?;
        let (first, last) = (first.value(numbers)?, last.value(numbers)?);
        let is_finest = row + 1 == self.ranges.len();
        let (mut finest, mut rows) = (vec![], vec![]);
        for number in first..=last {
            *numbers.get_mut(row)? = number;
            if is_finest {
                finest.push(start.checked_sub(self.first.value(numbers)?)?);
                *start = start.checked_add(self.length.value(numbers)?)?;
            } else {
                rows.push(self.zeros(row + 1, numbers, start)?);
            }
        }
        Some(if is_finest { Zeros::Finest(first, finest) } else { Zeros::Rows(first, rows) })
    }
}

/// Both together, as a form where both are one.
fn sum(one: IndexExpr, other: IndexExpr) -> IndexExpr {
    match (one.as_affine(), other.as_affine()) {
        (_, Some(form)) if form == Affine::default() => one,
        (Some(form), Some(more)) => IndexExpr::affine(&(form + more)),
        _ => IndexExpr::Sum(vec![one, other]),
    }
}

/// The cycles by which the foremost PE is behind PE 0.
fn least(design: &Design, behind: &[Affine], sizes: &Polyhedron) -> IndexExpr {
    let spaces = design.system.spaces.iter().zip(behind);
    let all: Vec<Ranged> = spaces
        .map(|(space, behind)| Ranged {
            set: space.domain.set.intersect(sizes),
            indices: space.indices(),
            form: behind.clone(),
        })
        .collect();
    least_value(&all, sizes)
}

/// From the first step of a round to the last, with both and the idle cycles; nothing where there are no steps.
fn length(first: &IndexExpr, last: &IndexExpr, slack: i64, known: &Polyhedron) -> IndexExpr {
    let beyond = Affine::constant(slack + 1);
    let form = last.as_affine().zip(first.as_affine()).map(|(last, first)| last - first + beyond);
    if let Some(form) = form {
        return match known.implies(&form) {
            true => IndexExpr::affine(&form),
            false => IndexExpr::Max(vec![IndexExpr::Constant(0), IndexExpr::affine(&form)]),
        };
    }
    let sum = IndexExpr::Sum(vec![last.clone(), IndexExpr::Constant(slack + 1)]);
    let length = IndexExpr::Difference(Box::new(sum), Box::new(first.clone()));
    IndexExpr::Max(vec![IndexExpr::Constant(0), length])
}

/// What holds of the sizes and the names of rounds wherever one of these sets has a point.
fn in_all(all: &[Ranged]) -> Polyhedron {
    let shadow = |ranged: &Ranged| ranged.set.eliminate_all(ranged.indices.iter().rev());
    let shadows: Vec<Polyhedron> = all.iter().map(shadow).collect();
    let forms = shadows.iter().flat_map(|shadow| shadow.constraints());
    Polyhedron::new(forms.filter(|form| shadows.iter().all(|shadow| shadow.implies(form))).cloned())
}

/// Whether a delay is from one round to another.
fn crosses_rounds(delay: &[i64]) -> bool {
    delay.split_last().is_some_and(|(_, outer)| outer.iter().any(|rounds| *rounds != 0))
}

impl Overlap {
    /// The idle cycles that a word with this delay asks for at the end of a round, which moves so far through a channel of this depth.
    fn slack_for(&self, displacement: &[i64], delay: &[i64], depth: Option<u64>, links: &Links) -> Option<i64> {
        let behind = dot(&self.skew, displacement);
        let is_deep = behind != 0 && is_deep(depth, delay, links);
        // The receiver is so much behind the sender: a slot is free again so much later in the sender's round.
        let freed = if is_deep { 0 } else { links.response - 1 + behind };
        let arrived = if crosses_rounds(delay) { links.cycles(displacement)? - 1 - behind } else { 0 };
        Some(freed.max(arrived).max(0))
    }
}

impl Calendar {
    /// How many rounds there are whose beginning was worked out: none where a row of time weighs the same in all.
    pub fn rounds(&self) -> usize {
        self.zeros.count()
    }

    /// Whether an input that streams along these directions needs no more idle cycles at the end of rounds, nor PEs side by side.
    pub fn waits_for(&self, space: &Space, map: &SpaceTimeMap, directions: &[Vector], links: &Links) -> bool {
        let waits = |along: &Vector| {
            let (displacement, delay) = (map.displacement(along), map.delay(along));
            if self.weights.is_some() {
                return links.cycles(&displacement).is_some_and(|least| is_in_time(&delay, least));
            }
            if displacement.iter().all(|entry| *entry == 0) {
                return true;
            }
            if !self.is_level() && links.network.hops(&displacement).is_none_or(|hops| hops > 1) {
                return false;
            }
            // The branches of a tree have paces of their own.
            let pace = || spacing(space, map, &space.domain.set);
            let is_one = directions.len() == 1;
            let depth = is_one.then(|| depth_of(&delay, pace().as_deref(), links.response)).flatten();
            let slack = self.overlap.slack_for(&displacement, &delay, depth, links);
            slack.is_some_and(|slack| slack <= self.overlap.slack)
        };
        directions.iter().all(waits)
    }

    /// Whether a bus along which PEs lie so far apart drives them side by side.
    pub fn is_driven(&self, displacement: &[i64]) -> bool {
        dot(&self.overlap.skew, displacement) == 0
    }

    /// Whether all PEs run side by side, round by round.
    pub fn is_level(&self) -> bool {
        self.weights.is_none() && self.overlap.skew.iter().all(|cycles| *cycles == 0)
    }

    /// The clock of a time; a time that is plain is its own. `None` where no round has the number.
    pub fn clock(&self, time: &[i64]) -> Option<i64> {
        if let Some(weights) = &self.weights {
            let mut weighted = time.iter().zip(weights).map(|(row, weight)| row.checked_mul(*weight));
            return weighted.try_fold(0i64, |sum, part| sum.checked_add(part?));
        }
        match time {
            [step] => Some(*step),
            [round @ .., step] => self.zeros.get(round)?.checked_add(*step),
            [] => None,
        }
    }
}

impl Design<'_> {
    /// How many rows of time number the rounds.
    pub fn rounds(&self) -> usize {
        self.parts.first().map_or(0, |part| part.rounds().len())
    }

    /// The space of a design of one, whose PEs have one body each and are fed by none of them.
    pub fn plain_space(&self) -> Option<(&Space, &SpaceDesign)> {
        let one = self.system.only_space().zip(self.parts.first());
        one.filter(|(_, part)| self.fold.is_none() && !part.dataflow.transports.contains(&Transport::Bus))
    }

    /// Whether times are vectors without closed weights.
    pub fn runs_in_rounds(&self) -> bool {
        let is_unclocked = |(space, part): (&Space, &SpaceDesign)| Clock::new(space, &part.map).is_none();
        self.rounds() > 0 && self.plain_space().is_none_or(is_unclocked)
    }

    /// Names for the rounds that no index and no size has.
    pub fn round_names(&self) -> Vec<Name> {
        (0..self.rounds()).map(|row| name(&format!("round {row}"))).collect()
    }

    /// How rounds follow each other. The idle cycles at the end of a round, beside the one cycle that lies between rounds anyway, are
    /// as many as the longest way of a word that crosses into another round takes, and as a slot is not free again after the last
    /// receive. `None` where a word has no link.
    pub fn overlap(&self, handoffs: &[Handoff], links: &Links) -> Option<Overlap> {
        let skew = self.skew(handoffs, links.network);
        let skew = if self.starts_at_once(&skew) { skew } else { vec![0; skew.len()] };
        let is_skewed = skew.iter().any(|cycles| *cycles != 0);
        let overlap = Overlap { skew, slack: 0 };
        let mut slack = if is_skewed { 0 } else { (links.response - 1).max(0) };
        for handoff in handoffs {
            let Some(delay) = self.handoff_delay(handoff) else { continue };
            let (_, outer) = delay.split_last()?;
            let moved = handoff.displacement();
            let behind = moved.map_or(0, |moved| dot(&overlap.skew, moved));
            if outer.iter().any(|form| *form != Affine::default()) {
                slack = slack.max(self.least_handoff_delay(handoff, links)? - 1 - behind);
            }
            // What stays on its PE passes through a channel too, but for what is kept in the PE's own memory.
            if is_skewed && moved.is_some() {
                slack = slack.max(links.response - 1 + behind);
            }
        }
        for space in 0..self.parts.len() {
            for flow in self.alone(space).flows()?.into_iter().filter(|flow| !flow.is_kept) {
                let stays = flow.is_stationary();
                let depth = if matches!(flow.role, FlowRole::Face(..)) { None } else { flow.depth(links.response) };
                if crosses_rounds(&flow.delay) || (is_skewed && !stays) {
                    slack = slack.max(overlap.slack_for(&flow.displacement, &flow.delay, depth, links)?);
                }
            }
        }
        Some(Overlap { slack, ..overlap })
    }

    /// Whether with this skew the first step of each round is one that some PE has, for all sizes. Else the array would wait for a PE
    /// that has nothing to do in the first round.
    fn starts_at_once(&self, skew: &[i64]) -> bool {
        let first = |skew: &[i64]| {
            let overlap = Overlap { skew: skew.to_vec(), slack: 0 };
            Rounds::of(self, &self.round_names(), &overlap).map(|rounds| rounds.first)
        };
        skew.iter().all(|cycles| *cycles == 0) || first(skew) == first(&vec![0; skew.len()])
    }

    /// The calendar at these sizes, empty where times are plain; `None` where a number does not fit.
    pub fn calendar(&self, handoffs: &[Handoff], links: &Links, sizes: &Bindings) -> Option<Calendar> {
        if self.rounds() == 0 {
            return Some(Calendar::default());
        }
        if !self.runs_in_rounds()
            && let Some((space, part)) = self.plain_space()
        {
            let weights = Some(Clock::new(space, &part.map)?.weights(sizes)?);
            return Some(Calendar { weights, ..Calendar::default() });
        }
        let overlap = self.overlap(handoffs, links)?;
        Rounds::of(self, &self.round_names(), &overlap)?.calendar(overlap, sizes)
    }
}
