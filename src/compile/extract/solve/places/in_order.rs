//! PEs that run all spaces one after the other, in loops: what a kernel with an affine order can always do on one PE, and what
//! many can do where the strips of an index lie along the axes of an array.
//!
//! In: a system, its edges, one order for each reduction, and places. Out: placements whose rounds keep the order of all
//! dependences but those that are left to the finest row. At each level families share a loop over one index of each, in which no
//! dependence runs backwards; what is later in that loop is settled (Feautrier 1992, part II). Where there is no such loop for
//! all, those that need each other share one, and one begins where the other ends (Allen and Kennedy 1987). Placements in which
//! no others share a loop are looked at as well: a short loop does not wait there for a long one beside it.
//!
//! Nothing is weighed: this is looked at where no other search has found a design.

use super::edges::{Edge, Reach, along};
use super::{Placement, Row};
use crate::mapping::ends::Ranged;
use crate::rewrite::Choices;
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use std::collections::{BTreeMap, VecDeque};
use systole_base::integer::{Affine, Matrix, Name, Polyhedron, Vector};
use systole_equations::recurrence::spaces::{Family, SpaceSystem};

/// So many rows of families are tried in all.
const MOST_TRIED: usize = 10_000;

/// One part in so many of what may still be tried is for the families of one loop, so that something is left for those within it.
const SHARE_OF_A_LOOP: usize = 4;

/// So many choices of rows are looked at for the families of one loop.
const MOST_ROWS: usize = 16;

/// What placements in order keep to.
#[derive(Clone, Copy)]
pub struct Kept<'a> {
    /// A place for each family.
    pub places: &'a [Matrix],
    /// Whether what is handed on waits for the same number of rounds in every row: its queue has a length then. Else only in the rows
    /// up to the one in which its reader is later.
    pub is_tight: bool,
}

/// Placements of all families at these places: half of `most` in loops that are shared where they can be, half in loops that are not;
/// and how many rows were tried for them.
pub fn in_order(
    system: &SpaceSystem,
    choices: &[Choices],
    edges: &[Edge],
    (kept, most): (Kept, usize),
) -> (Vec<Placement>, u64) {
    let Kept { places, is_tight } = kept;
    // A place leaves so many indices to a PE, of which the finest row counts one.
    let left = system.families.iter().zip(places).map(|(family, place)| family.indices.len() - place.rank());
    let rounds = left.max().unwrap_or(0).saturating_sub(1);
    let open = dependences(system, choices, edges);
    let inwards: Vec<Vec<usize>> = (0..system.families.len()).map(|family| inwards(system, choices, family)).collect();
    let of = |shares: bool| {
        let families: Vec<usize> = (0..system.families.len()).collect();
        let rows = vec![vec![]; families.len()];
        let (most, inwards) = (most.div_ceil(2), &inwards[..]);
        let mut search = Search { system, places, is_tight, rounds, shares, inwards, most, tried: 0, found: vec![] };
        let (open, queue) = (open.clone(), VecDeque::new());
        search.extend(Partial { rows, open, queue, groups: vec![families], end: None });
        (search.found, search.tried as u64)
    };
    let ((mut found, shared), (others, apart)) = (of(true), of(false));
    found.extend(others.into_iter().filter(|other| !found.contains(other)).collect::<Vec<_>>());
    (found, shared + apart)
}

/// That one family needs another, at the points of a set.
#[derive(Clone)]
struct Dependence {
    reader: usize,
    /// The point that reads, as coordinates of its family.
    taken: Vec<Affine>,
    giver: usize,
    /// The point that is needed.
    given: Vec<Affine>,
    set: Polyhedron,
    /// Whether the value is handed on, so that it may wait for a fixed number of rounds only.
    is_handed_on: bool,
    /// Whether the reader is later at all points already.
    is_settled: bool,
}

impl Dependence {
    fn is_among(&self, families: &[usize]) -> bool {
        families.contains(&self.reader) && families.contains(&self.giver)
    }

    /// How much later the reader is, under these rows.
    fn delay(&self, reader: &Row, giver: &Row) -> Affine {
        along(&self.taken, &reader.0) + reader.1.clone() - along(&self.given, &giver.0) - giver.1.clone()
    }
}

/// What is needed: the values of other points, and within a reduction the sum so far.
fn dependences(system: &SpaceSystem, choices: &[Choices], edges: &[Edge]) -> Vec<Dependence> {
    let sizes = Polyhedron::sizes(&system.parameters);
    let family = |space: usize| system.members[space].family;
    let read = edges.iter().map(|edge| Dependence {
        reader: family(edge.reader),
        taken: edge.taken.clone(),
        giver: family(edge.giver),
        given: edge.given.clone(),
        set: edge.divided_set.intersect(&sizes),
        is_handed_on: edge.reach == Reach::Link,
        is_settled: false,
    });
    let levels = choices.iter().enumerate().flat_map(|(space, choices)| {
        let chain = choices.chains.first().map(|chain| chain.directions.clone()).unwrap_or_default();
        chain.into_iter().map(move |direction| (space, direction))
    });
    let summed = levels.map(|(space, direction): (usize, Vector)| {
        let (points, member) = (&system.spaces[space], &system.members[space]);
        let before = points.indices().iter().zip(&direction);
        let before =
            before.map(|(index, by)| (index.clone(), Affine::variable(index) - Affine::constant(*by))).collect();
        let given = member.embedding.iter().map(|form| form.substitute(&before)).collect();
        let set = points.domain.set.intersect(&points.domain.set.substitute(&before)).intersect(&sizes);
        let (reader, taken) = (member.family, member.embedding.clone());
        Dependence { reader, taken, giver: reader, given, set, is_handed_on: false, is_settled: false }
    });
    read.chain(summed).filter(|dependence| !dependence.set.is_empty()).collect()
}

/// The indices of a family, outer loops first: those that nothing is reduced along, then the levels of its reductions from the last to the
/// first. A sum in a register is added up without a break, so the loops of its reduction are the innermost, in the order of its levels.
fn inwards(system: &SpaceSystem, choices: &[Choices], family: usize) -> Vec<usize> {
    let mut levels: Vec<usize> = vec![];
    let members = system.members.iter().zip(&system.spaces).zip(choices);
    for ((member, space), choices) in members.filter(|((member, _), _)| member.family == family) {
        let directions = choices.chains.first().map(|chain| chain.directions.as_slice()).unwrap_or_default();
        for direction in directions {
            let moves = |form: &Affine| form.row(space.indices()).iter().zip(direction).any(|(a, by)| a * by != 0);
            let along = (0..member.embedding.len()).filter(|index| moves(&member.embedding[*index]));
            levels.extend(along.filter(|index| !levels.contains(index)).collect::<Vec<_>>());
        }
    }
    let others = (0..system.families[family].indices.len()).filter(|index| !levels.contains(index));
    others.chain(levels.iter().rev().copied()).collect()
}

/// Families that share a loop.
#[derive(Clone)]
struct Loop {
    families: Vec<usize>,
    /// Whether it begins where the one before it ends.
    follows: bool,
    /// Whether its families may have loops of their own instead.
    is_open: bool,
}

/// The loops that are chosen so far.
struct Partial {
    /// For each family its rows, one a level.
    rows: Vec<Vec<Row>>,
    /// What no row has settled yet.
    open: Vec<Dependence>,
    /// The loops of this level that have no rows yet.
    queue: VecDeque<Loop>,
    /// Those that have some, for the next level.
    groups: Vec<Vec<usize>>,
    /// Where the last loop with rows ends, if a form over the sizes says so.
    end: Option<Affine>,
}

struct Search<'a> {
    system: &'a SpaceSystem,
    places: &'a [Matrix],
    is_tight: bool,
    rounds: usize,
    /// Whether families share loops that do not need each other.
    shares: bool,
    /// For each family its indices, outer loops first.
    inwards: &'a [Vec<usize>],
    most: usize,
    tried: usize,
    found: Vec<Placement>,
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        self.found.len() >= self.most || self.tried >= MOST_TRIED
    }

    /// Goes on with the next loop of a level, and then with the next level.
    fn extend(&mut self, mut partial: Partial) {
        let Some(next) = partial.queue.pop_front() else {
            if partial.rows.iter().all(|rows| rows.len() == self.rounds) {
                return self.found.push(self.placement(&partial.rows));
            }
            let groups = std::mem::take(&mut partial.groups).into_iter();
            partial.queue = groups.map(|families| Loop { families, follows: false, is_open: true }).collect();
            return self.extend(partial);
        };
        let apart = in_need_of_each_other(&next.families, &partial.open);
        let is_shared = apart.len() > 1;
        for rows in self.rows(&partial, &next.families) {
            if self.is_over() {
                return;
            }
            if is_shared && !(self.shares && self.counts_all(&partial, &rows)) {
                continue;
            }
            if let Some(more) = self.with(&partial, &next, rows) {
                self.extend(more);
            }
        }
        if is_shared && next.is_open && !self.is_over() {
            let loops = apart.into_iter().enumerate();
            let loops = loops.map(|(number, families)| Loop { families, follows: number > 0, is_open: false });
            partial.queue = loops.chain(partial.queue).collect();
            self.extend(partial);
        }
    }

    /// Whether each family counts an index, if it has one left.
    fn counts_all(&self, partial: &Partial, rows: &BTreeMap<usize, Row>) -> bool {
        let is_left = |family: usize| !self.free_indices(family, &partial.rows[family]).is_empty();
        let counts = |row: &Row| row.0.iter().any(|entry| *entry != 0);
        rows.iter().all(|(family, row)| counts(row) || !is_left(*family)) && rows.values().any(counts)
    }

    /// The loops with one more, where its values have ends.
    fn with(&self, partial: &Partial, next: &Loop, mut chosen: BTreeMap<usize, Row>) -> Option<Partial> {
        if next.follows {
            let shift = partial.end.clone()? - self.end(&chosen, -1)?;
            chosen.values_mut().for_each(|(_, start)| *start = start.clone() + shift.clone());
        }
        let end = self.end(&chosen, 1).map(|end| end + Affine::constant(1));
        let settled = |dependence: &Dependence| -> Option<Dependence> {
            if !dependence.is_among(&next.families) {
                // What another loop gives is there before this one begins.
                return (!next.families.contains(&dependence.reader)).then(|| dependence.clone());
            }
            let delay = dependence.delay(&chosen[&dependence.reader], &chosen[&dependence.giver]);
            let mut set = dependence.set.clone();
            set.add(-delay);
            match set.is_empty() {
                false if !dependence.is_settled => Some(Dependence { set, ..dependence.clone() }),
                _ if self.is_tight && dependence.is_handed_on => {
                    Some(Dependence { is_settled: true, ..dependence.clone() })
                }
                _ => None,
            }
        };
        let open = partial.open.iter().filter_map(settled).collect();
        let mut rows = partial.rows.clone();
        chosen.into_iter().for_each(|(family, row)| rows[family].push(row));
        let groups = partial.groups.iter().cloned().chain([next.families.clone()]).collect();
        Some(Partial { rows, open, queue: partial.queue.clone(), groups, end })
    }

    /// A form over the sizes that no value of these rows is beyond: the greatest for 1, the least for -1.
    fn end(&self, chosen: &BTreeMap<usize, Row>, sign: i64) -> Option<Affine> {
        let sizes = Polyhedron::sizes(&self.system.parameters);
        let members = self.system.members.iter().zip(&self.system.spaces);
        let values: Vec<(Polyhedron, Affine)> = members
            .filter_map(|(member, space)| {
                let (row, start) = chosen.get(&member.family)?;
                let value = (along(&member.embedding, row) + start.clone()) * sign;
                Some((space.domain.set.intersect(&sizes), value))
            })
            .filter(|(set, _)| !set.is_empty())
            .collect();
        let ends = values.iter().flat_map(|(set, value)| upper_ends(set, value, &self.system.parameters));
        let holds = |end: &Affine| values.iter().all(|(set, value)| set.implies(&(end.clone() - value.clone())));
        ends.filter(holds).min_by_key(Affine::plainness).map(|end| end * sign)
    }

    /// Rows for the families of a loop in which no dependence among them runs backwards.
    fn rows(&mut self, partial: &Partial, families: &[usize]) -> Vec<BTreeMap<usize, Row>> {
        let among: Vec<&Dependence> = partial.open.iter().filter(|one| one.is_among(families)).collect();
        let mut found = vec![];
        let most = self.tried + (MOST_TRIED - self.tried).div_ceil(SHARE_OF_A_LOOP);
        self.add_rows(partial, &among, (families, BTreeMap::new()), (most, &mut found));
        found
    }

    fn add_rows(
        &mut self,
        partial: &Partial,
        among: &[&Dependence],
        (families, chosen): (&[usize], BTreeMap<usize, Row>),
        (most, found): (usize, &mut Vec<BTreeMap<usize, Row>>),
    ) {
        let joins = |family: usize| {
            let others = among.iter().filter(|one| one.reader == family || one.giver == family);
            others.filter(|one| chosen.contains_key(&one.reader) || chosen.contains_key(&one.giver)).count()
        };
        let dimension = |family: usize| self.system.families[family].indices.len();
        let left = families.iter().copied().filter(|family| !chosen.contains_key(family));
        let Some(next) = left.max_by_key(|family| (joins(*family), dimension(*family), std::cmp::Reverse(*family)))
        else {
            return found.push(chosen);
        };
        for row in self.free_rows(next, &partial.rows[next]) {
            for start in starts(among, &chosen, (next, &row), &self.system.parameters) {
                if found.len() >= MOST_ROWS || self.tried >= most {
                    return;
                }
                self.tried += 1;
                let mut chosen = chosen.clone();
                chosen.insert(next, (row.clone(), start));
                let is_forwards = |one: &&&Dependence| match (chosen.get(&one.reader), chosen.get(&one.giver)) {
                    (Some(reader), Some(giver)) => {
                        let delay = one.delay(reader, giver);
                        (delay.is_constant() || !one.is_handed_on) && (one.is_settled || one.set.implies(&delay))
                    }
                    _ => true,
                };
                if among.iter().filter(|one| one.reader == next || one.giver == next).all(|one| is_forwards(&one)) {
                    self.add_rows(partial, among, (families, chosen), (most, found));
                }
            }
        }
    }

    /// The rows that a family may have beside those that it has: an index that it has not counted yet, upwards or downwards; and none
    /// where the rows that are left have room for all its indices.
    fn free_rows(&self, family: usize, before: &[Row]) -> Vec<Vector> {
        let count = self.system.families[family].indices.len();
        let free = self.free_indices(family, before);
        let unit = |index: usize, sign: i64| (0..count).map(|other| if other == index { sign } else { 0 }).collect();
        let units = free.iter().flat_map(|index| [unit(*index, 1), unit(*index, -1)]);
        // One index is left to the finest row.
        let has_room = free.len() <= self.rounds - before.len();
        units.chain(has_room.then(|| vec![0; count])).collect()
    }

    /// The indices that neither the place nor a row of a family has, outer loops first.
    fn free_indices(&self, family: usize, before: &[Row]) -> Vec<usize> {
        let counted = || self.places[family].rows().iter().chain(before.iter().map(|(row, _)| row));
        let is_free = |index: &usize| counted().all(|row| row[*index] == 0);
        self.inwards[family].iter().copied().filter(is_free).collect()
    }

    fn placement(&self, rows: &[Vec<Row>]) -> Placement {
        let families = &self.system.families;
        let linear = |(family, rows): (&Family, &Vec<Row>)| {
            Matrix::new(rows.iter().map(|(row, _)| row.clone()).collect(), family.indices.len())
        };
        Placement {
            places: self.places.to_vec(),
            origins: self.places.iter().map(|place| vec![Affine::default(); place.rows().len()]).collect(),
            rounds: families.iter().zip(rows).map(linear).collect(),
            starts: rows.iter().map(|rows| rows.iter().map(|(_, start)| start.clone()).collect()).collect(),
        }
    }
}

/// What may be added to a row of a family: nothing, or what keeps it behind, or before, a family that has its row.
fn starts(
    among: &[&Dependence],
    chosen: &BTreeMap<usize, Row>,
    (family, row): (usize, &Vector),
    sizes: &[Name],
) -> Vec<Affine> {
    let plain = || (row.clone(), Affine::default());
    let mut starts = vec![Affine::default()];
    for one in among.iter().filter(|one| one.reader != one.giver) {
        let (delay, sign) = match (chosen.get(&one.reader), chosen.get(&one.giver)) {
            (None, Some(giver)) if one.reader == family => (one.delay(&plain(), giver), 1),
            (Some(reader), None) if one.giver == family => (one.delay(reader, &plain()), -1),
            _ => continue,
        };
        starts.extend(upper_ends(&one.set, &-delay, sizes).into_iter().map(|end| end * sign));
    }
    // Not shifted, if that keeps all dependences: a shifted family hands its values to another round, where they queue.
    starts.sort_by_cached_key(|start| (*start != Affine::default(), start.plainness()));
    starts.dedup();
    starts
}

/// Forms over the sizes that a form never exceeds on a set.
fn upper_ends(set: &Polyhedron, form: &Affine, sizes: &[Name]) -> Vec<Affine> {
    let inner: Vec<Name> = set.variables().into_iter().filter(|variable| !sizes.contains(variable)).collect();
    let (_, upper) = Ranged { set: set.clone(), indices: &inner, form: form.clone() }.bounds();
    let is_of_sizes = |form: &Affine| form.terms().all(|(variable, _)| sizes.contains(variable));
    upper.into_iter().filter(|bound| bound.coefficient == 1).map(|bound| bound.form).filter(is_of_sizes).collect()
}

/// The families of a group, those together that need each other or hand something on, in an order in which each needs those before it alone.
fn in_need_of_each_other(group: &[usize], open: &[Dependence]) -> Vec<Vec<usize>> {
    let mut needs: DiGraphMap<usize, ()> = DiGraphMap::new();
    group.iter().for_each(|family| {
        needs.add_node(*family);
    });
    for one in open.iter().filter(|one| one.is_among(group)) {
        needs.add_edge(one.reader, one.giver, ());
        if one.is_handed_on {
            needs.add_edge(one.giver, one.reader, ());
        }
    }
    // What is needed comes first: the order of components is the reverse of that of the arrows.
    tarjan_scc(&needs)
}
