//! Brute force over the times and places of all spaces of a program.
//!
//! In: the points of a program at two sizes, and a number of cycles. Out: whether there are maps that take no more at the smaller sizes. What
//! makes a design right at all sizes is asked for at the larger ones too, where a fixed queue says what is added there.

use crate::waits::{Graph, Node, Wait};
use std::collections::{BTreeMap, BTreeSet};
use systole::integer::Vector;

/// Times, or PEs, of the points of a space.
type Line = Vec<i64>;

/// An affine function on the points of a space, at both sizes; at the larger ones what is added is still open.
type Both = [Line; 2];

/// Every affine function on some points with values from `low` to `high` of each; entries within `most`.
fn affine(points: [&[Vector]; 2], most: i64, (low, high): (&Line, &Line)) -> BTreeSet<Both> {
    let first = &points[1][0];
    let mut rows: Vec<Vector> = vec![vec![]];
    for axis in 0..first.len() {
        let flat = points[1].iter().all(|point| point[axis] == first[axis]);
        let entries = if flat { 0..=0 } else { -most..=most };
        rows = rows.iter().flat_map(|row| entries.clone().map(|entry| [row.clone(), vec![entry]].concat())).collect();
    }
    let mut found = BTreeSet::new();
    for row in rows {
        let linear = |points: &[Vector]| -> Line {
            points.iter().map(|point| point.iter().zip(&row).map(|(a, b)| a * b).sum()).collect()
        };
        let (small, large) = (linear(points[0]), linear(points[1]));
        let least = small.iter().zip(low).map(|(value, low)| low - value).max().unwrap_or(0);
        let greatest = small.iter().zip(high).map(|(value, high)| high - value).min().unwrap_or(0);
        found.extend((least..=greatest).map(|shift| [moved(&small, shift), large.clone()]));
    }
    found
}

fn moved(line: &Line, shift: i64) -> Line {
    line.iter().map(|value| value + shift).collect()
}

/// When and where a space runs, at both sizes.
#[derive(Clone)]
struct Map {
    times: Both,
    pes: Both,
    /// Whether it is known at the larger sizes.
    is_known: bool,
}

/// A search for maps that take so many cycles.
pub struct Maps<'g> {
    graphs: [&'g Graph; 2],
    cycles: i64,
    /// Times and places of each space that keep its own points apart and in time.
    offered: Vec<Vec<Map>>,
    order: Vec<usize>,
}

/// The maps of the spaces that have one, and the slots that they take.
#[derive(Default)]
struct Placed {
    maps: BTreeMap<usize, Map>,
    taken: [BTreeSet<(i64, i64)>; 2],
}

impl<'g> Maps<'g> {
    /// On a line of PEs, or on a single one.
    pub fn new(graphs: [&'g Graph; 2], cycles: i64, is_line: bool) -> Maps<'g> {
        let offered = (0..graphs[0].points.len()).map(|space| offered(graphs, space, cycles, is_line)).collect();
        Maps { graphs, cycles, offered, order: order(graphs[1]) }
    }

    /// Whether there are any maps.
    pub fn are_there(&mut self) -> bool {
        self.go_on(&mut Placed::default())
    }

    fn go_on(&mut self, placed: &mut Placed) -> bool {
        let Some(space) = self.order.get(placed.maps.len()).copied() else { return true };
        let graphs = self.graphs;
        let joins = graphs.map(|graph| {
            graph.waits.iter().filter(|wait| joins(wait, space, &placed.maps)).copied().collect::<Vec<Wait>>()
        });
        for position in 0..self.offered[space].len() {
            let map = self.offered[space][position].clone();
            for shift in shifts(&joins[0], space, &map, placed, self.cycles) {
                let mut map = map.clone();
                map.pes[0] = moved(&map.pes[0], shift);
                let Some(map) = known(&joins, space, map, placed) else { continue };
                if !placed.add(space, map) {
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

fn slots(map: &Map, size: usize) -> Vec<(i64, i64)> {
    map.pes[size].iter().copied().zip(map.times[size].iter().copied()).collect()
}

impl Placed {
    /// False where a PE has two operations at a step.
    fn add(&mut self, space: usize, map: Map) -> bool {
        let meets = |size: usize| slots(&map, size).iter().any(|slot| self.taken[size].contains(slot));
        if meets(0) || (map.is_known && meets(1)) {
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
fn offered(graphs: [&Graph; 2], space: usize, cycles: i64, is_line: bool) -> Vec<Map> {
    let (before, after) = (graphs[0].longest(true), graphs[0].longest(false));
    let points = graphs.map(|graph| &graph.points[space][..]);
    let count = points[0].len();
    let low: Line = (0..count).map(|number| before[&(space, number)]).collect();
    let high: Line = (0..count).map(|number| cycles - 1 - after[&(space, number)]).collect();
    let last = if is_line { 4 * cycles } else { 0 };
    let wide = (&vec![0; count], &vec![last; count]);
    let lowest = |pes: &Both| pes[0].iter().min() == Some(&0);
    let places: Vec<Both> = affine(points, i64::from(is_line), wide).into_iter().filter(lowest).collect();
    let times = affine(points, cycles, (&low, &high));
    let all = times.iter().flat_map(|times| {
        places.iter().map(move |pes| Map { times: times.clone(), pes: pes.clone(), is_known: false })
    });
    all.filter(|map| (0..2).all(|size| is_right(graphs[size], space, &map.times[size], &map.pes[size]))).collect()
}

/// Whether the points of one space are apart, and each is in time for those that wait for it.
fn is_right(graph: &Graph, space: usize, times: &Line, pes: &Line) -> bool {
    let slots: BTreeSet<(i64, i64)> = pes.iter().copied().zip(times.iter().copied()).collect();
    let mut own = graph.waits.iter().filter(|wait| wait.giver.0 == space && wait.taker.0 == space);
    slots.len() == times.len()
        && own.all(|Wait { giver: (_, giver), taker: (_, taker), .. }| {
            times[*taker] - times[*giver] >= (pes[*taker] - pes[*giver]).abs().max(1)
        })
}

fn joins(Wait { giver, taker, .. }: &Wait, space: usize, maps: &BTreeMap<usize, Map>) -> bool {
    (giver.0 == space && maps.contains_key(&taker.0)) || (taker.0 == space && maps.contains_key(&giver.0))
}

/// A word on its way: where it leaves, how far it goes, how long it takes.
struct Word {
    way: usize,
    from: i64,
    hops: i64,
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
        Some(Word { way: wait.way, from: given.1, hops: taken.1 - given.1, wait: taken.0 - given.0 })
    };
    joins.iter().filter_map(word).collect()
}

/// Whether words are in time, those of one way go equally far, and queues are as long at all sizes. For a wait is affine in point and
/// sizes, and where a PE gives many words it must not grow with any of them: then all words of the way wait equally long.
fn are_legal(words: &[Word]) -> bool {
    let in_time = |word: &Word| word.wait >= word.hops.abs().max(1);
    let level = |way: usize| {
        let mine = || words.iter().filter(move |word| word.way == way);
        let givers: BTreeSet<i64> = mine().map(|word| word.from).collect();
        let is_one = |of: fn(&Word) -> i64| mine().map(of).collect::<BTreeSet<i64>>().len() == 1;
        is_one(|word| word.hops) && (givers.len() == mine().count() || is_one(|word| word.wait))
    };
    words.iter().all(in_time) && words.iter().map(|word| word.way).collect::<BTreeSet<usize>>().into_iter().all(level)
}

/// By how much places may be shifted at the smaller sizes.
fn shifts(joins: &[Wait], space: usize, map: &Map, placed: &Placed, cycles: i64) -> Vec<i64> {
    let mut range = if placed.maps.is_empty() { (0, 0) } else { (-2 * cycles, 2 * cycles) };
    let words = words(joins, space, map, placed, 0);
    for (wait, word) in joins.iter().zip(&words) {
        // A shift adds to the hops of what comes in, and takes from those of what goes out.
        let apart = if wait.taker.0 == space { -word.hops } else { word.hops };
        range = (range.0.max(apart - word.wait), range.1.min(apart + word.wait));
    }
    let shifted = |shift: &i64| Map { pes: [moved(&map.pes[0], *shift), vec![]], ..map.clone() };
    let legal = |shift: &i64| are_legal(&self::words(joins, space, &shifted(shift), placed, 0));
    (range.0..=range.1).filter(legal).collect()
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
        mine().filter_map(giver).collect::<BTreeSet<i64>>().len() < mine().count()
    };
    for word in small.iter().filter(|word| fixed(word.way)) {
        let of_way: Vec<Wait> = joins[1].iter().filter(|wait| wait.way == word.way).copied().collect();
        let large = words(&of_way, space, &trial, placed, 1);
        if let (Some(first), Some(wait)) = (large.first(), of_way.first()) {
            let sign = if wait.taker.0 == space { 1 } else { -1 };
            map.times[1] = moved(&map.times[1], sign * (word.wait - first.wait));
            map.pes[1] = moved(&map.pes[1], sign * (word.hops - first.hops));
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
