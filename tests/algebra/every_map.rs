//! Brute force over the times and places of all spaces of a program.
//!
//! In: the points of a program at two sizes, a number of cycles, and one of PEs. Out: whether there are maps that take no more at the smaller
//! sizes. What makes a design right at all sizes is asked for at the larger ones too, where a fixed queue says what is added there.

use crate::waits::{Graph, Node, Wait};
use std::collections::{BTreeMap, BTreeSet};
use systole::integer::Vector;

/// Times of the points of a space.
type Times = Vec<i64>;

/// A PE of a grid; those of a line are `[p, 0]`.
type Pe = [i64; 2];

/// Something of each point, at both sizes; at the larger ones what is added is still open.
type Both<T> = [Vec<T>; 2];

/// Every linear function on some points, entries within `most`.
fn linear(points: [&[Vector]; 2], most: i64) -> BTreeSet<Both<i64>> {
    let mut rows: Vec<Vector> = vec![vec![]];
    for is_spread in axes(points[1]) {
        let entries = if is_spread { -most..=most } else { 0..=0 };
        rows = rows.iter().flat_map(|row| entries.clone().map(|entry| [row.clone(), vec![entry]].concat())).collect();
    }
    let product = |point: &Vector, row: &Vector| point.iter().zip(row).map(|(a, b)| a * b).sum();
    rows.iter().map(|row| points.map(|points| points.iter().map(|point| product(point, row)).collect())).collect()
}

/// For each axis whether points differ in it.
fn axes(points: &[Vector]) -> Vec<bool> {
    let first = points.first().cloned().unwrap_or_default();
    (0..first.len()).map(|axis| points.iter().any(|point| point[axis] != first[axis])).collect()
}

/// Every affine time of some points from `low` to `high` of each.
fn times(points: [&[Vector]; 2], cycles: i64, (low, high): (&Times, &Times)) -> Vec<Both<i64>> {
    let shifted = |[small, large]: Both<i64>| {
        let least = small.iter().zip(low).map(|(value, low)| low - value).max().unwrap_or(0);
        let greatest = small.iter().zip(high).map(|(value, high)| high - value).min().unwrap_or(0);
        (least..=greatest).map(move |shift| [moved(&small, shift), large.clone()])
    };
    linear(points, cycles).into_iter().flat_map(shifted).collect()
}

/// Every place of some points on an array of so many dimensions, the least coordinates 0 at the smaller sizes. A space of `n` axes takes
/// `n - 1` dimensions at least, or its points are not apart at all sizes.
fn places(points: [&[Vector]; 2], dimensions: usize) -> Vec<Both<Pe>> {
    let at_zero = |[small, large]: Both<i64>| {
        let least = small.iter().min().copied().unwrap_or(0);
        [moved(&small, -least), large]
    };
    let of = |dimension: usize| -> BTreeSet<Both<i64>> {
        linear(points, i64::from(dimension < dimensions)).into_iter().map(at_zero).collect()
    };
    let paired = |one: &Both<i64>, other: &Both<i64>| {
        [0, 1].map(|size| one[size].iter().zip(&other[size]).map(|(x, y)| [*x, *y]).collect::<Vec<Pe>>())
    };
    let (first, second) = (of(0), of(1));
    let all = first.iter().flat_map(|one| second.iter().map(move |other| paired(one, other)));
    let needed = axes(points[1]).iter().filter(|axis| **axis).count().saturating_sub(1).min(dimensions);
    all.filter(|pes| rank(&pes[1]) >= needed).collect()
}

/// The dimensions that PEs take: none if there is one, one if they lie on a line.
fn rank(pes: &[Pe]) -> usize {
    let from = |pe: &Pe| difference(*pe, pes[0]);
    let Some(along) = pes.iter().map(from).find(|by| *by != [0, 0]) else { return 0 };
    1 + usize::from(pes.iter().map(from).any(|by| by[0] * along[1] != by[1] * along[0]))
}

fn moved(times: &Times, shift: i64) -> Times {
    times.iter().map(|time| time + shift).collect()
}

fn moved_pes(pes: &[Pe], by: Pe) -> Vec<Pe> {
    pes.iter().map(|pe| [pe[0] + by[0], pe[1] + by[1]]).collect()
}

fn difference(one: Pe, other: Pe) -> Pe {
    [one[0] - other[0], one[1] - other[1]]
}

fn hops([x, y]: Pe) -> i64 {
    x.abs() + y.abs()
}

/// When and where a space runs, at both sizes.
#[derive(Clone)]
struct Map {
    times: Both<i64>,
    pes: Both<Pe>,
    /// Whether it is known at the larger sizes.
    is_known: bool,
}

/// What maps may take at the smaller sizes.
#[derive(Clone, Copy)]
pub struct Most {
    pub cycles: i64,
    pub pes: usize,
    /// Of the array: 0 for a single PE, 1 for a line, 2 for a grid.
    pub dimensions: usize,
}

/// A search for maps that take so many cycles and PEs.
pub struct Maps<'g> {
    graphs: [&'g Graph; 2],
    most: Most,
    /// Times and places of each space that keep its own points apart and in time.
    offered: Vec<Vec<Map>>,
    order: Vec<usize>,
}

/// The maps of the spaces that have one, and the slots that they take.
#[derive(Default)]
struct Placed {
    maps: BTreeMap<usize, Map>,
    taken: [BTreeSet<(Pe, i64)>; 2],
}

impl<'g> Maps<'g> {
    /// The maps of every space on its own.
    pub fn new(graphs: [&'g Graph; 2], most: Most) -> Maps<'g> {
        let longest = [true, false].map(|is_before| graphs[0].longest(is_before));
        let offered = (0..graphs[0].points.len()).map(|space| offered(graphs, &longest, space, most)).collect();
        Maps { graphs, most, offered, order: order(graphs[1]) }
    }

    /// Whether there are any maps.
    pub fn are_there(&mut self) -> bool {
        self.go_on(&mut Placed::default())
    }

    /// Whether there are any that take no more PEs than these.
    pub fn are_on(&mut self, pes: usize) -> bool {
        self.most.pes = pes;
        self.are_there()
    }

    fn go_on(&mut self, placed: &mut Placed) -> bool {
        let Some(space) = self.order.get(placed.maps.len()).copied() else { return true };
        let graphs = self.graphs;
        let joins = graphs.map(|graph| {
            graph.waits.iter().filter(|wait| joins(wait, space, &placed.maps)).copied().collect::<Vec<Wait>>()
        });
        for position in 0..self.offered[space].len() {
            let map = self.offered[space][position].clone();
            for shift in shifts(&joins[0], space, &map, placed, self.most) {
                let mut map = map.clone();
                map.pes[0] = moved_pes(&map.pes[0], shift);
                let Some(map) = known(&joins, space, map, placed) else { continue };
                if !placed.add(space, map, self.most.pes) {
                    continue;
                }
                if self.go_on(placed) {
                    return true;
                }
                placed.remove(space);
            }
        }
        false
    }
}

fn slots(map: &Map, size: usize) -> Vec<(Pe, i64)> {
    map.pes[size].iter().copied().zip(map.times[size].iter().copied()).collect()
}

impl Placed {
    /// False where a PE has two operations at a step, or there are more PEs than this.
    fn add(&mut self, space: usize, map: Map, most_pes: usize) -> bool {
        let meets = |size: usize| slots(&map, size).iter().any(|slot| self.taken[size].contains(slot));
        if meets(0) || (map.is_known && meets(1)) {
            return false;
        }
        let pes: BTreeSet<Pe> = self.taken[0].iter().map(|slot| slot.0).chain(map.pes[0].iter().copied()).collect();
        if pes.len() > most_pes {
            return false;
        }
        (0..=usize::from(map.is_known)).for_each(|size| self.taken[size].extend(slots(&map, size)));
        self.maps.insert(space, map);
        true
    }

    fn remove(&mut self, space: usize) {
        let Some(map) = self.maps.remove(&space) else { return };
        for size in 0..=usize::from(map.is_known) {
            slots(&map, size).iter().for_each(|slot| _ = self.taken[size].remove(slot));
        }
    }
}

/// The maps of a space that keep its own points apart, and each in time for those of its own that wait for it.
fn offered(
    graphs: [&Graph; 2],
    [before, after]: &[BTreeMap<Node, i64>; 2],
    space: usize,
    Most { cycles, dimensions, .. }: Most,
) -> Vec<Map> {
    let points = graphs.map(|graph| &graph.points[space][..]);
    let low: Times = (0..points[0].len()).map(|number| before[&(space, number)]).collect();
    let high: Times = (0..points[0].len()).map(|number| cycles - 1 - after[&(space, number)]).collect();
    let (times, places) = (times(points, cycles, (&low, &high)), places(points, dimensions));
    let all = times.iter().flat_map(|times| {
        places.iter().map(move |pes| Map { times: times.clone(), pes: pes.clone(), is_known: false })
    });
    all.filter(|map| (0..2).all(|size| is_right(graphs[size], space, &map.times[size], &map.pes[size]))).collect()
}

/// Whether the points of one space are apart, and each is in time for those that wait for it.
fn is_right(graph: &Graph, space: usize, times: &Times, pes: &[Pe]) -> bool {
    let mut own = graph.waits.iter().filter(|wait| wait.giver.0 == space && wait.taker.0 == space);
    let are_in_time = own.all(|Wait { giver: (_, giver), taker: (_, taker), .. }| {
        times[*taker] - times[*giver] >= hops(difference(pes[*taker], pes[*giver])).max(1)
    });
    // Most maps are late for some point, which takes less to see than that no two points meet.
    are_in_time && {
        let slots: BTreeSet<(Pe, i64)> = pes.iter().copied().zip(times.iter().copied()).collect();
        slots.len() == times.len()
    }
}

fn joins(Wait { giver, taker, .. }: &Wait, space: usize, maps: &BTreeMap<usize, Map>) -> bool {
    (giver.0 == space && maps.contains_key(&taker.0)) || (taker.0 == space && maps.contains_key(&giver.0))
}

/// A word on its way: where it leaves, how far it goes, how long it takes.
struct Word {
    way: usize,
    from: Pe,
    by: Pe,
    wait: i64,
}

/// The words between a space and those that have a map at these sizes.
fn words(joins: &[Wait], space: usize, map: &Map, placed: &Placed, size: usize) -> Vec<Word> {
    let at = |node: &Node| {
        let map = if node.0 == space { Some(map) } else { placed.maps.get(&node.0) };
        map.filter(|map| size == 0 || map.is_known).map(|map| (map.times[size][node.1], map.pes[size][node.1]))
    };
    let word = |wait: &Wait| {
        let (given, taken) = (at(&wait.giver)?, at(&wait.taker)?);
        Some(Word { way: wait.way, from: given.1, by: difference(taken.1, given.1), wait: taken.0 - given.0 })
    };
    joins.iter().filter_map(word).collect()
}

/// Whether words are in time, those of one way go equally far, and queues are as long at all sizes. For a wait is affine in point and
/// sizes, and where a PE gives many words it must not grow with any of them: then all words of the way wait equally long.
fn are_legal(words: &[Word]) -> bool {
    let in_time = |word: &Word| word.wait >= hops(word.by).max(1);
    let level = |way: usize| {
        let mine = || words.iter().filter(move |word| word.way == way);
        let ways: BTreeSet<Pe> = mine().map(|word| word.by).collect();
        let givers: BTreeSet<Pe> = mine().map(|word| word.from).collect();
        let waits: BTreeSet<i64> = mine().map(|word| word.wait).collect();
        ways.len() == 1 && (givers.len() == mine().count() || waits.len() == 1)
    };
    words.iter().all(in_time) && words.iter().map(|word| word.way).collect::<BTreeSet<usize>>().into_iter().all(level)
}

/// By how much places may be shifted at the smaller sizes: no word that comes in or goes out is late.
fn shifts(joins: &[Wait], space: usize, map: &Map, placed: &Placed, Most { cycles, dimensions, .. }: Most) -> Vec<Pe> {
    if placed.maps.is_empty() {
        return vec![[0, 0]];
    }
    let apart = |(wait, word): (&Wait, &Word)| {
        // A shift adds to the way of what comes in, and takes from that of what goes out.
        let sign = if wait.taker.0 == space { -1 } else { 1 };
        (word.wait, word.by.map(|by| sign * by))
    };
    let words = words(joins, space, map, placed, 0);
    let (most, center) = joins.iter().zip(&words).map(apart).min().unwrap_or((2 * cycles, [0, 0]));
    let along = |dimension: usize| match dimension < dimensions {
        true => center[dimension] - most..=center[dimension] + most,
        false => 0..=0,
    };
    let shifted = |shift: &Pe| Map { pes: [moved_pes(&map.pes[0], *shift), vec![]], ..map.clone() };
    let legal = |shift: &Pe| are_legal(&self::words(joins, space, &shifted(shift), placed, 0));
    along(0).flat_map(|x| along(1).map(move |y| [x, y])).filter(legal).collect()
}

/// The map at the larger sizes as well, where a way says what is added: links are as long, and fixed queues, so waits are the same. Nothing
/// where it is not legal there.
fn known(joins: &[Vec<Wait>; 2], space: usize, mut map: Map, placed: &Placed) -> Option<Map> {
    map.is_known = placed.maps.is_empty();
    let small = words(&joins[0], space, &map, placed, 0);
    let trial = Map { is_known: true, ..map.clone() };
    let fixed = |way: usize| {
        let mine = || joins[1].iter().filter(move |wait| wait.way == way);
        let giver = |wait: &Wait| {
            let map = if wait.giver.0 == space { Some(&trial) } else { placed.maps.get(&wait.giver.0) };
            map.map(|map| map.pes[1][wait.giver.1])
        };
        mine().filter_map(giver).collect::<BTreeSet<Pe>>().len() < mine().count()
    };
    for word in small.iter().filter(|word| fixed(word.way)) {
        let of_way: Vec<Wait> = joins[1].iter().filter(|wait| wait.way == word.way).copied().collect();
        let large = words(&of_way, space, &trial, placed, 1);
        if let (Some(first), Some(wait)) = (large.first(), of_way.first()) {
            let sign = if wait.taker.0 == space { 1 } else { -1 };
            map.times[1] = moved(&map.times[1], sign * (word.wait - first.wait));
            map.pes[1] = moved_pes(&map.pes[1], difference(word.by, first.by).map(|by| sign * by));
            map.is_known = true;
            break;
        }
    }
    let large = words(&joins[1], space, &map, placed, 1);
    (!map.is_known || are_legal(&large)).then_some(map)
}

/// The spaces, each behind one that it has to do with.
fn order(graph: &Graph) -> Vec<usize> {
    let mut order = vec![0];
    let joined = |one: usize, other: usize| {
        graph
            .waits
            .iter()
            .any(|Wait { giver: a, taker: b, .. }| (a.0, b.0) == (one, other) || (a.0, b.0) == (other, one))
    };
    while order.len() < graph.points.len() {
        let open = |space: &usize| !order.contains(space);
        let ties = |space: &usize| order.iter().filter(|known| joined(*space, **known)).count();
        let size = |space: &usize| graph.points[*space].len();
        let next = (0..graph.points.len()).filter(open).max_by_key(|space| (ties(space) > 0, size(space), ties(space)));
        order.extend(next);
    }
    order
}
