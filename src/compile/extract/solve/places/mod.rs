//! Places for all families of a system, each a constant number of PEs from those it takes values from.

use crate::extract::MOST_FREE;
use crate::mapping::candidates::{self, Leading};
use crate::memo::Memo;
use crate::rewrite::{Choices, Transport};
use std::cmp::Ordering;
use std::sync::Arc;
use systole_base::integer::{Affine, Matrix, Vector, lexicographic_sign};
use systole_base::network::Network;
use systole_equations::recurrence::spaces::SpaceSystem;

mod edges;

pub use edges::{Edge, Reach, edges};

mod in_order;

pub use in_order::{Kept, in_order};

mod room;

pub use room::{Room, range};

/// A place for each family: rows over its coordinates, and what is added to each, over the parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// One matrix a family.
    pub places: Vec<Matrix>,
    /// One list of shifts a family.
    pub origins: Vec<Vec<Affine>>,
    /// One matrix a family: the rows of time that number the rounds.
    pub rounds: Vec<Matrix>,
    /// One list of shifts of these a family.
    pub starts: Vec<Vec<Affine>>,
}

/// What a placement has a row for: the axes of the array, then the rows of time above the finest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Axes {
    /// The axes of the array.
    pub rank: usize,
    /// The rows that number the rounds.
    pub rounds: usize,
}

/// For each family the rows that the schedule, or one line for all families, gives it; `None` for any.
#[derive(Clone, Debug, Default)]
pub struct GivenRows {
    /// Those of places.
    pub places: Vec<Option<Matrix>>,
    /// Those that number the rounds.
    pub rounds: Vec<Option<Matrix>>,
}

impl Placement {
    /// The rows of a family with their shifts, axis by axis.
    pub fn rows(&self, family: usize) -> Vec<Row> {
        let places = self.places[family].rows().iter().zip(&self.origins[family]);
        let rounds = self.rounds[family].rows().iter().zip(&self.starts[family]);
        places.chain(rounds).map(|(row, shift)| (row.clone(), shift.clone())).collect()
    }
}

/// So many rows of families are tried after the last placement that is listed: of those that fit some families, none may fit all.
const MOST_IN_VAIN: usize = 10_000;

/// To find out which rows a family may have is as much as to try so many.
const ROWS_OF_A_FAMILY: usize = 16;

/// So many rows are tried between two looks whether to go on.
const TRIED_AT_ONCE: usize = 64;

/// Placements that are listed.
pub struct Listed {
    /// The placements.
    pub placements: Vec<Placement>,
    /// Whether there were more than the most.
    pub are_more: bool,
    /// Whether not all rows were tried.
    pub is_cut_short: bool,
}

/// A list of placements while it is made.
struct Listing<'a> {
    found: Vec<Placement>,
    /// How many rows of families were tried since the last placement.
    tried: usize,
    /// Whether no more are tried.
    is_over: bool,
    goes_on: &'a dyn Fn() -> bool,
}

impl Listing<'_> {
    /// Counts so many rows of a family that are tried now, and ends the list where too many were.
    fn count(&mut self, rows: usize) {
        let before = self.tried / TRIED_AT_ONCE;
        self.tried += rows;
        let is_stopped = self.tried / TRIED_AT_ONCE > before && !(self.goes_on)();
        self.is_over |= is_stopped || self.tried > MOST_IN_VAIN;
    }
}

/// A row of a place with its shift.
pub type Row = (Vector, Affine);

/// Rows for a family, one choice after the other.
type RowChoices<'a> = Box<dyn Iterator<Item = Vec<Row>> + 'a>;

/// What is enumerated.
pub struct Places<'a> {
    /// The system.
    pub system: &'a SpaceSystem,
    /// Its edges.
    pub edges: &'a [Edge],
    /// What has a row.
    pub axes: Axes,
    /// The largest entry of a place, in magnitude.
    pub bound: i64,
    /// The network.
    pub network: Network,
    /// The rows that are given.
    pub fixed: GivenRows,
    /// Whether all families that have the indices of a line stay on it, whatever is in reach: where a schedule has the line, and where
    /// nothing may be left out. Else values that no constant number of links carries from the point that computes them, but streams of
    /// other families do, are not followed.
    pub stays: bool,
    /// For each space and operand whether its values can come from the point that computes them only, as no stream of the
    /// tensor passes elsewhere.
    pub strict: Vec<Vec<bool>>,
    /// No more placements than this are listed.
    pub most: usize,
    /// What is known of rows near others.
    pub near: &'a NearRows,
}

/// What rows of a family near others along one axis depend on: the family, whether the axis is one of the array, the first round or a later
/// one, the row that is given, and those of all families that are placed.
type Neighbours = (usize, Ordering, Option<Vector>, Vec<Option<Row>>);

/// Rows near others that were met before: lines of places differ in one axis or two, and share the others.
#[derive(Debug, Default)]
pub struct NearRows(Memo<Neighbours, Arc<Vec<Row>>>);

impl NearRows {
    /// The rows beside these neighbours, made once.
    fn of(&self, neighbours: Neighbours, make: impl FnOnce() -> Vec<Row>) -> Arc<Vec<Row>> {
        self.0.of(neighbours, |_| Arc::new(make()))
    }
}

/// Which operands have no other way than from the point that computes them: those that no stream carries, and those whose
/// tensor no other stream carries.
pub fn strict_operands(system: &SpaceSystem, choices: &[Choices]) -> Vec<Vec<bool>> {
    let streams = |space: usize, operand: usize| {
        choices[space].transports[operand].iter().any(|choice| matches!(choice, Transport::Stream(_)))
    };
    let carried = |space: usize, operand: usize| {
        let tensor = &system.spaces[space].operands[operand].tensor;
        let others = system.spaces.iter().enumerate().flat_map(|(other, reader)| {
            (0..reader.operands.len()).map(move |position| (other, position, &reader.operands[position].tensor))
        });
        others
            .filter(|(_, _, read)| *read == tensor)
            .any(|(other, position, _)| (other, position) != (space, operand) && streams(other, position))
    };
    let strict = |space: usize, operand: usize| !(streams(space, operand) && carried(space, operand));
    let of_space =
        |space: usize| (0..system.spaces[space].operands.len()).map(|operand| strict(space, operand)).collect();
    (0..system.spaces.len()).map(of_space).collect()
}

impl Places<'_> {
    /// All placements, plain ones first.
    pub fn all(&self, goes_on: &dyn Fn() -> bool) -> Listed {
        let mut listing = Listing { found: vec![], tried: 0, is_over: false, goes_on };
        let mut rows = vec![None; self.system.families.len()];
        self.extend(&mut rows, &mut listing);
        let Listing { mut found, is_over, .. } = listing;
        let are_more = found.len() > self.most;
        found.truncate(self.most);
        Listed { placements: found, are_more, is_cut_short: is_over }
    }

    /// Places the next family in every way that fits those placed already; ends with the first placement too many.
    fn extend(&self, rows: &mut Vec<Option<Vec<Row>>>, listing: &mut Listing) {
        let Some(family) = self.next(rows) else {
            listing.found.extend(self.placement(rows));
            listing.tried = 0;
            return;
        };
        listing.count(ROWS_OF_A_FAMILY);
        for choice in self.choices(family, rows) {
            listing.count(1);
            if listing.is_over || listing.found.len() > self.most {
                return;
            }
            rows[family] = Some(choice);
            if self.fits(family, rows) {
                self.extend(rows, listing);
            }
            rows[family] = None;
        }
    }

    /// The families in the order in which they are placed.
    pub fn order(&self) -> Vec<usize> {
        let (mut rows, mut order) = (vec![None; self.system.families.len()], vec![]);
        while let Some(family) = self.next(&rows) {
            rows[family] = Some(vec![]);
            order.push(family);
        }
        order
    }

    /// The placements of a family that fit those placed already, plainest first, and whether there were more than the most.
    pub fn beside(&self, rows: &[Option<Vec<Row>>], family: usize) -> (Vec<Placement>, bool) {
        let guiding = self.guiding(family, rows);
        if guiding.is_empty() {
            return self.first_that_fit(rows, family, (self.plainest_free_rows(family), true));
        }
        let (alternatives, are_all) = plainest(self.guided_rows(family, rows, &guiding));
        let of = |number: u64| numbered(&alternatives, number).flatten().cloned().collect();
        self.first_that_fit(rows, family, (Box::new(plainest_first(&alternatives).map(of)), are_all))
    }

    /// The first choices of rows for a family that fit those placed already, and whether there are more; `are_all` says whether no choice is missing.
    fn first_that_fit(
        &self,
        rows: &[Option<Vec<Row>>],
        family: usize,
        (choices, are_all): (RowChoices, bool),
    ) -> (Vec<Placement>, bool) {
        let (mut rows, mut found) = (rows.to_vec(), vec![]);
        for (number, choice) in choices.enumerate() {
            rows[family] = Some(choice);
            let fits = self.fits(family, &rows).then(|| self.placement(&rows));
            found.extend(fits.flatten());
            if found.len() > self.most || number as u64 >= MOST_ORDERED {
                found.truncate(self.most);
                return (found, true);
            }
        }
        (found, !are_all)
    }

    fn placement(&self, rows: &[Option<Vec<Row>>]) -> Option<Placement> {
        let mut placement = Placement { places: vec![], origins: vec![], rounds: vec![], starts: vec![] };
        for (family, rows) in self.system.families.iter().zip(rows) {
            let (mut linear, mut shifts): (Vec<Vector>, Vec<Affine>) = rows.as_ref()?.iter().cloned().unzip();
            let (rounds, starts) = (linear.split_off(self.axes.rank), shifts.split_off(self.axes.rank));
            placement.places.push(Matrix::new(linear, family.indices.len()));
            placement.origins.push(shifts);
            placement.rounds.push(Matrix::new(rounds, family.indices.len()));
            placement.starts.push(starts);
        }
        Some(placement)
    }

    /// The next family: one that a placed family hands the results of its reduction to, or takes them from; then any that
    /// has to do with a placed one; then the one of most coordinates.
    fn next(&self, rows: &[Option<Vec<Row>>]) -> Option<usize> {
        let open = (0..rows.len()).filter(|family| rows[*family].is_none());
        let rank = |family: &usize| {
            let mine: Vec<&Edge> = self.joining(*family, rows).collect();
            let forced = mine.iter().any(|edge| edge.is_forced(self.system));
            (forced, !mine.is_empty(), self.system.families[*family].indices.len(), std::cmp::Reverse(*family))
        };
        open.max_by_key(rank)
    }

    fn family(&self, space: usize) -> usize {
        self.system.members[space].family
    }

    /// The edges between a family and those that are placed.
    fn joining<'b>(&'b self, family: usize, rows: &'b [Option<Vec<Row>>]) -> impl Iterator<Item = &'b Edge> {
        self.edges.iter().filter(move |edge| {
            let (reader, giver) = (self.family(edge.reader), self.family(edge.giver));
            reader != giver
                && ((reader == family && rows[giver].is_some()) || (giver == family && rows[reader].is_some()))
        })
    }

    /// All rows of a family.
    fn choices(&self, family: usize, rows: &[Option<Vec<Row>>]) -> RowChoices<'_> {
        let guiding = self.guiding(family, rows);
        if guiding.is_empty() {
            return Box::new(self.free_places(family).into_iter().flat_map(self.with_rounds(family)));
        }
        let all = candidates::one_of_each(self.guided_rows(family, rows, &guiding));
        Box::new(all.map(|choice| choice.concat()))
    }

    /// The edges that hold a family near those that are placed; where nothing else may be chosen these alone.
    fn guiding<'b>(&'b self, family: usize, rows: &'b [Option<Vec<Row>>]) -> Vec<&'b Edge> {
        let joining: Vec<&Edge> = self.joining(family, rows).collect();
        let forced: Vec<&Edge> = joining.iter().filter(|edge| edge.is_forced(self.system)).copied().collect();
        if forced.is_empty() { joining } else { forced }
    }

    /// The rows of a family near others: one list an axis, of which one each is chosen.
    fn guided_rows(&self, family: usize, rows: &[Option<Vec<Row>>], guiding: &[&Edge]) -> Vec<Vec<Vec<Row>>> {
        let on_axis = |axis: usize| {
            let placed = rows.iter().map(|rows| rows.as_ref().map(|rows| rows[axis].clone())).collect();
            let neighbours = (family, axis.cmp(&self.axes.rank), self.fixed_row(family, axis).cloned(), placed);
            let near = self.near.of(neighbours, || self.rows_on(family, rows, guiding, axis));
            near.iter().map(|row| vec![row.clone()]).collect()
        };
        (0..self.axes.rank + self.axes.rounds).map(on_axis).collect()
    }

    /// The rows of a family that nothing holds near another, the plainest first.
    fn plainest_free_rows(&self, family: usize) -> RowChoices<'_> {
        let places = self.free_places(family);
        let are_along_axes = places.iter().all(candidates::is_along_axes);
        let rows = places.into_iter().flat_map(self.with_rounds(family));
        if are_along_axes {
            // One is as plain as the other, and there may be hundreds of thousands.
            return Box::new(rows);
        }
        let mut rows: Vec<Vec<Row>> = rows.collect();
        rows.sort_by_cached_key(|rows| plainness(rows));
        Box::new(rows.into_iter())
    }

    /// The places of a family that nothing holds near another.
    fn free_places(&self, family: usize) -> Vec<Matrix> {
        if let Some(place) = &self.fixed.places[family] {
            return vec![place.clone()];
        }
        let dimension = self.system.families[family].indices.len();
        let ways = if self.fixed.rounds[family].is_some() { 1 } else { self.counted(family).ways() };
        let count = candidates::count_places(dimension, self.axes.rank, self.bound);
        let are_many = count.saturating_mul(u128::from(ways)) > MOST_FREE;
        candidates::places_or_axes(dimension, self.axes.rank, self.bound, are_many)
    }

    /// What rounds may count of a family.
    fn counted(&self, family: usize) -> Leading {
        Leading::new(self.system.families[family].indices.len(), self.axes.rounds, false)
    }

    /// Makes the rows of a family of a place, one choice for each of its rounds.
    fn with_rounds(&self, family: usize) -> impl Fn(Matrix) -> RowChoices<'static> + use<> {
        let counted = self.counted(family);
        let given = self.fixed.rounds[family].as_ref().map(|rounds| rounds.rows().to_vec());
        move |place: Matrix| {
            let rounds = match &given {
                Some(rounds) => Box::new(std::iter::once(rounds.clone())),
                None => besides(&counted, &place).rows(),
            };
            let plain = |row: &Vector| (row.clone(), Affine::default());
            let rows = rounds.map(move |rounds| place.rows().iter().chain(&rounds).map(plain).collect::<Vec<Row>>());
            let (dimension, count) = (counted.dimension, counted.count);
            let is_independent = move |rows: &Vec<Row>| {
                let all = || Matrix::new(rows.iter().map(|(row, _)| row.clone()).collect(), dimension);
                count == 0 || all().rank() == rows.len().min(dimension)
            };
            Box::new(rows.filter(is_independent))
        }
    }

    /// The row that is given of a family along an axis.
    fn fixed_row(&self, family: usize, axis: usize) -> Option<&Vector> {
        match axis.checked_sub(self.axes.rank) {
            None => self.fixed.places[family].as_ref().map(|place| &place.rows()[axis]),
            Some(row) => self.fixed.rounds[family].as_ref().map(|rounds| &rounds.rows()[row]),
        }
    }

    fn is_round(&self, axis: usize) -> bool {
        axis >= self.axes.rank
    }

    /// The rows that keep the family a constant distance from those placed, along one axis.
    fn rows_on(&self, family: usize, rows: &[Option<Vec<Row>>], guiding: &[&Edge], axis: usize) -> Vec<Row> {
        let dimension = self.system.families[family].indices.len();
        let mut found: Vec<Row> = vec![];
        let free = || match self.is_round(axis) {
            true => std::iter::once(vec![0; dimension])
                .chain(candidates::leading_rows(dimension, 1, false).into_iter().flatten())
                .collect(),
            false => candidates::vectors(dimension, (-self.bound, self.bound)),
        };
        // What stays on its line is there unless it has to be shifted, whether a neighbour is in reach or not.
        if let Some(row) = self.fixed_row(family, axis).filter(|_| self.stays) {
            found.push((row.clone(), Affine::default()));
        }
        for row in self.fixed_row(family, axis).map_or_else(free, |row| vec![row.clone()]) {
            let unshifted = self.is_round(axis).then(Affine::default);
            let near = guiding.iter().flat_map(|edge| self.shifts(edge, family, rows, axis, &row));
            for choice in unshifted.into_iter().chain(near).map(|origin| (row.clone(), origin)) {
                if !found.contains(&choice) {
                    found.push(choice);
                }
            }
        }
        found.retain(|row| self.keeps_distance(family, rows, axis, row));
        found.sort_by_key(|(row, origin)| (origin.terms().count(), row.iter().map(|entry| entry.abs()).sum::<i64>()));
        found
    }

    /// What may be added to a row: nothing where that leaves a constant distance, and what makes the distance zero.
    fn shifts(&self, edge: &Edge, family: usize, rows: &[Option<Vec<Row>>], axis: usize, row: &[i64]) -> Vec<Affine> {
        let reads = self.family(edge.reader) == family;
        let other = if reads { self.family(edge.giver) } else { self.family(edge.reader) };
        let Some((placed, shift)) = rows[other].as_ref().map(|rows| &rows[axis]) else { return vec![] };
        let distance = match reads {
            true => edge.distance(row, placed),
            false => edge.distance(placed, row).map(|distance| -distance),
        };
        let Some(distance) = distance else { return vec![] };
        let level = shift.clone() - distance;
        if self.is_round(axis) {
            // In the round of the other, or in the one before or after it, as it gives or reads.
            let next = Affine::constant(if reads { 1 } else { -1 });
            let mut shifts = vec![level.clone(), level.clone() + next];
            shifts.extend(level.is_constant().then(Affine::default));
            return shifts;
        }
        let plain = level.is_constant() && self.is_link(level.constant_term());
        if plain && level != Affine::default() { vec![Affine::default(), level] } else { vec![level] }
    }

    /// Whether a single axis can be crossed by so many PEs at once.
    fn is_link(&self, distance: i64) -> bool {
        self.network.hops(&[distance]).is_some() && distance.abs() <= self.bound
    }

    /// Whether a row leaves each operand that has one way only a constant distance along its axis, under some transport.
    fn keeps_distance(&self, family: usize, rows: &[Option<Vec<Row>>], axis: usize, (row, origin): &Row) -> bool {
        let along = |space: usize| match self.family(space) == family {
            true => Some((row, origin)),
            false => rows[self.family(space)].as_ref().map(|rows| (&rows[axis].0, &rows[axis].1)),
        };
        let keeps = |edge: &Edge| {
            let (Some((here, shift)), Some((there, other))) = (along(edge.reader), along(edge.giver)) else {
                return true;
            };
            let apart = edge.hops((here, shift), (there, other));
            match (edge.reach, self.is_round(axis)) {
                (Reach::Anywhere, _) => true,
                // What is kept waits for any round.
                (Reach::Own, true) => true,
                (Reach::Own, false) => apart == Some(0),
                (Reach::Link, _) => apart.is_some_and(|rounds| axis != self.axes.rank || rounds >= 0),
            }
        };
        self.every_operand(|edge| self.touches(edge, family, rows), keeps)
    }

    /// Whether the edge joins `family` to itself or to a placed one.
    fn touches(&self, edge: &Edge, family: usize, rows: &[Option<Vec<Row>>]) -> bool {
        let (reader, giver) = (self.family(edge.reader), self.family(edge.giver));
        let known = |other: usize| other == family || rows[other].is_some();
        (reader == family || giver == family) && known(reader) && known(giver)
    }

    /// Whether each strict operand has a transport under which every set of takers has an edge that passes; only operands
    /// with an edge of interest are asked.
    fn every_operand(&self, interest: impl Fn(&Edge) -> bool, passes: impl Fn(&Edge) -> bool) -> bool {
        let strict = self.edges.iter().filter(|edge| self.strict[edge.reader][edge.operand] && interest(edge));
        let mut asked: Vec<(usize, usize)> = strict.map(|edge| (edge.reader, edge.operand)).collect();
        asked.sort_unstable();
        asked.dedup();
        asked.into_iter().all(|(reader, operand)| {
            let mine: Vec<&Edge> = self
                .edges
                .iter()
                .filter(|edge| (edge.reader, edge.operand) == (reader, operand) && interest(edge))
                .collect();
            let transports: std::collections::BTreeSet<usize> = mine.iter().map(|edge| edge.transport).collect();
            transports.into_iter().any(|transport| {
                let under = || mine.iter().filter(|edge| edge.transport == transport);
                under().all(|edge| {
                    under()
                        .filter(|other| other.giver == edge.giver && other.set == edge.set)
                        .any(|other| passes(other))
                })
            })
        })
    }

    /// Whether every strict operand that joins the family to placed ones can be reached.
    fn fits(&self, family: usize, rows: &[Option<Vec<Row>>]) -> bool {
        self.every_operand(|edge| self.touches(edge, family, rows), |edge| self.reaches(edge, rows))
    }

    fn reaches(&self, edge: &Edge, rows: &[Option<Vec<Row>>]) -> bool {
        let placed = (&rows[self.family(edge.reader)], &rows[self.family(edge.giver)]);
        let (Some(reader), Some(giver)) = placed else { return true };
        let along =
            reader.iter().zip(giver).map(|((here, shift), (there, other))| edge.hops((here, shift), (there, other)));
        if edge.reach != Reach::Link {
            return edge.reach.covers(along.take(self.axes.rank), self.network);
        }
        let Some(mut displacement) = along.collect::<Option<Vector>>() else { return false };
        let rounds = displacement.split_off(self.axes.rank);
        self.network.hops(&displacement).is_some() && lexicographic_sign(&rounds) >= 0
    }
}
/// More ways to take one of each list than this are not put in order: each list is cut to its first, which are its plainest.
const MOST_ORDERED: u64 = 1 << 23;

/// The lists, and whether they are whole.
fn plainest(mut lists: Vec<Vec<Vec<Row>>>) -> (Vec<Vec<Vec<Row>>>, bool) {
    let are_all = candidates::ways(&lists) <= MOST_ORDERED;
    let mut most = usize::MAX;
    while candidates::ways(&lists) > MOST_ORDERED {
        most = lists.iter().map(Vec::len).max().unwrap_or(0).min(most) / 2;
        lists.iter_mut().for_each(|list| list.truncate(most.max(1)));
    }
    (lists, are_all)
}

/// Of these rounds those whose indices are not in the place, where they can all be others.
fn besides(rounds: &Leading, place: &Matrix) -> Leading {
    let others = rounds.clone().beside(place);
    if candidates::is_along_axes(place) && others.ways() > 0 { others } else { rounds.clone() }
}

/// What orders rows of a family, the plainest first: how many sizes they are shifted by, then how large their entries are.
fn plainness(rows: &[Row]) -> (i64, i64) {
    let of_row = |row: &Row| (row.1.terms().count() as i64, row.0.iter().map(|entry| entry.abs()).sum::<i64>());
    rows.iter().map(of_row).fold((0, 0), |(a, b), (c, d)| (a + c, b + d))
}

/// The ways to take one of each list by their numbers, the plainest first, then as [`candidates::one_of_each`] has them: there are
/// millions, so none is written down before its turn.
fn plainest_first(lists: &[Vec<Vec<Row>>]) -> impl Iterator<Item = u64> + use<> {
    let add = |(a, b): (i64, i64), (c, d): (i64, i64)| (a + c, b + d);
    let of_list = |list: &Vec<Vec<Row>>| list.iter().map(|rows| plainness(rows)).collect();
    let weights: Vec<Vec<(i64, i64)>> = lists.iter().map(of_list).collect();
    let weighed = |number| (numbered(&weights, number).copied().fold((0, 0), add), number);
    let mut all: Vec<((i64, i64), u64)> = (0..candidates::ways(lists)).map(weighed).collect();
    all.sort_unstable();
    all.into_iter().map(|(_, number)| number)
}

/// One of each list, by the number of the way in which they are taken; the last list changes fastest.
fn numbered<T>(lists: &[Vec<T>], number: u64) -> impl Iterator<Item = &T> {
    let after = |at: usize| lists[at + 1..].iter().fold(1, |ways, list| ways * list.len() as u64);
    lists.iter().enumerate().map(move |(at, list)| &list[(number / after(at) % list.len() as u64) as usize])
}
#[cfg(test)]
mod tests {
    use super::*;

    /// A row with one entry, so heavy.
    fn row(entry: i64) -> Vec<Row> {
        vec![(vec![entry], Affine::default())]
    }

    #[test]
    fn ways_are_numbered_in_the_order_in_which_they_are_listed() {
        let lists = vec![vec!['a', 'b'], vec!['c', 'd', 'e'], vec!['f']];
        let by_number = (0..candidates::ways(&lists)).map(|number| numbered(&lists, number).copied().collect());
        assert_eq!(by_number.collect::<Vec<Vec<char>>>(), candidates::combined(&lists));
    }

    #[test]
    fn the_plainest_ways_come_first_and_others_as_they_are_listed() {
        let lists = vec![vec![row(0), row(2), row(1)], vec![row(1), row(0)]];
        let mut stable: Vec<u64> = (0..6).collect();
        stable.sort_by_key(|number| numbered(&lists, *number).flatten().map(|(entries, _)| entries[0]).sum::<i64>());
        assert_eq!(plainest_first(&lists).collect::<Vec<u64>>(), stable);
        assert_eq!(plainest_first(&[]).collect::<Vec<u64>>(), [0]);
        assert_eq!(plainest_first(&[vec![row(0)], vec![]]).count(), 0);
    }

    #[test]
    fn lists_are_cut_only_where_there_are_too_many_ways() {
        let list = |length: i64| (0..length).map(row).collect::<Vec<Vec<Row>>>();
        let whole = vec![list(2048), list(4096)];
        assert_eq!(plainest(whole.clone()), (whole, true));
        let (cut, are_all) = plainest(vec![list(3000), list(3000), list(2)]);
        assert!(!are_all && candidates::ways(&cut) <= MOST_ORDERED);
        assert_eq!((cut[0][..].to_vec(), cut[2].len()), (list(1500), 2));
    }
}
