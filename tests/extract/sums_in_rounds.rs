//! Orders of a reduction beside rounds: what [`sums_in_rounds`] says, held to counting sums at every step of every PE.

use super::spaces;
use std::collections::BTreeMap;
use systole_base::integer::{Bindings, Matrix, Vector};
use systole_compile::mapping::candidates::{Leading, combined};
use systole_compile::mapping::{SpaceTimeMap, sums_in_rounds};
use systole_equations::recurrence::{Chain, Space};

/// All extents.
const SIZE: i64 = 3;

fn plus(point: &[i64], by: &[i64]) -> Vector {
    point.iter().zip(by).map(|(entry, by)| entry + by).collect()
}

/// Whether no level of the reduction runs backwards, and each PE holds one sum of each level at most.
fn holds_one_sum(space: &Space, map: &SpaceTimeMap, chain: &Chain) -> bool {
    let sizes: Bindings = space.parameters.iter().map(|parameter| (parameter.clone(), SIZE)).collect();
    let mut level = space.domain.set.points(space.indices(), &sizes).expect("points");
    for direction in &chain.directions {
        let (inner, ends): (Vec<Vector>, Vec<Vector>) =
            level.iter().cloned().partition(|point| level.contains(&plus(point, direction)));
        // For each PE when a sum is there, and when it is gone; of two events at one time a sum goes first.
        let mut events: BTreeMap<Vector, Vec<(Vector, i64)>> = BTreeMap::new();
        for point in &inner {
            let next = plus(point, direction);
            let (from, to) = (map.step.apply(point), map.step.apply(&next));
            if to < from {
                return false;
            }
            let pe = map.place.apply(point);
            if to > from && pe == map.place.apply(&next) {
                events.entry(pe).or_default().extend([(from, 1), (to, -1)]);
            }
        }
        for mut of_pe in events.into_values() {
            of_pe.sort();
            let mut held = 0;
            if of_pe.iter().any(|(_, change)| {
                held += change;
                held > 1
            }) {
                return false;
            }
        }
        level = ends;
    }
    true
}

/// Maps with these rows, and every finest row of small entries over the indices that are left.
fn finest(place: &Matrix, rounds: &[Vector]) -> Vec<SpaceTimeMap> {
    let count = place.columns();
    let is_free = |index: usize| place.rows().iter().chain(rounds).all(|row| row[index] == 0);
    let entries: Vec<Vec<i64>> = (0..count).map(|index| if is_free(index) { vec![1, -1] } else { vec![0] }).collect();
    let step = |row: Vector| Matrix::new(rounds.iter().cloned().chain([row]).collect(), count);
    combined(&entries).into_iter().map(|row| SpaceTimeMap { place: place.clone(), step: step(row) }).collect()
}

#[test]
fn a_reduction_goes_on_in_rounds_exactly_where_each_pe_holds_one_sum() {
    let space = spaces::space("conv2d");
    let count = space.indices().len();
    let chains = spaces::choices(&space).chains;
    let unit = |index: usize| (0..count).map(|other| i64::from(other == index)).collect::<Vector>();
    let places = std::iter::once(vec![]).chain((0..count).map(|index| vec![unit(index)]));
    let (mut going, mut stuck) = (0, 0);
    for place in places.map(|rows| Matrix::new(rows, count)) {
        for rounds in Leading::new(count, count - 1 - place.rows().len(), false).beside(&place).rows() {
            let maps = finest(&place, &rounds);
            let before = going;
            for chain in chains.iter().filter(|chain| !chain.is_kept) {
                let goes_on = sums_in_rounds(&space, &maps[0], chain);
                let holds = maps.iter().any(|map| holds_one_sum(&space, map, chain));
                assert_eq!(goes_on, holds, "{chain:?} at {place:?} in rounds {rounds:?}");
                *(if goes_on { &mut going } else { &mut stuck }) += 1;
                let kept = Chain { is_kept: true, ..chain.clone() };
                assert!(!goes_on || sums_in_rounds(&space, &maps[0], &kept), "room for more is room for one");
            }
            // On one PE the rounds say which level is within which, and which way each runs but the finest.
            assert!(!place.rows().is_empty() || [0, 2].contains(&(going - before)), "rounds {rounds:?}");
        }
    }
    assert!(going > 100 && stuck > 100, "{going} orders go on, {stuck} do not");
}

#[test]
fn sums_that_wait_in_a_scratchpad_go_on_in_any_order_that_runs_forwards() {
    let space = spaces::space("conv2d");
    let place = Matrix::new(vec![], 4);
    // Rounds count k and l, and every point of i and j is met in each.
    let of = |k: i64| vec![vec![0, 0, k, 0], vec![0, 0, 0, 1], vec![1, 0, 0, 0]];
    let kept = |is_kept| Chain { is_kept, ..Chain::along(vec![vec![0, 0, 0, 1], vec![0, 0, 1, 0]]) };
    let map = |k| finest(&place, &of(k)).swap_remove(0);
    assert!(sums_in_rounds(&space, &map(1), &kept(true)));
    assert!(!sums_in_rounds(&space, &map(1), &kept(false)), "each of them would have to wait in the one register");
    assert!(!sums_in_rounds(&space, &map(-1), &kept(true)), "its rounds count downwards");
}
