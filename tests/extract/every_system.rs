//! Every design of a system in the box, by brute force: who gives what to whom is found by element, point by point.
//!
//! The definition is the search's: one `place` line over the coordinates of the largest family; a family that has all its
//! indices takes it, any other takes any rows; families that follow may be shifted by one PE. Steps are linear. What
//! travels inside one space alone is judged and counted by the checker.

use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::{Bindings, Matrix, Name, Vector, dot, name};
use systole_base::machine::Machine;
use systole_base::network::Network;
use systole_compile::cost::Cost;
use systole_compile::extract::enumerate::Checker;
use systole_compile::mapping::{SpaceTimeMap, candidates};
use systole_compile::rewrite::{Choices, Transport};
use systole_equations::recurrence::Chain;
use systole_equations::recurrence::spaces::SpaceSystem;

/// Sizes at which a design must be right.
const LARGEST: i64 = 5;

/// Every value of a map for each space, at one set of sizes.
struct Run<'a> {
    system: &'a SpaceSystem,
    machine: &'a Machine,
    sizes: Bindings,
    points: Vec<Vec<Vector>>,
    /// The element each point writes, by space.
    written: Vec<BTreeMap<Vector, (Name, Vector)>>,
}

/// Places and steps of all spaces: rows over the indices with what is added.
#[derive(Clone)]
struct Maps {
    places: Vec<Vec<(Vector, i64)>>,
    steps: Vec<Vector>,
}

impl Maps {
    fn pe(&self, space: usize, point: &[i64]) -> Vector {
        self.places[space].iter().map(|(row, shift)| dot(row, point) + shift).collect()
    }

    fn time(&self, space: usize, point: &[i64]) -> i64 {
        dot(&self.steps[space], point)
    }

    fn map(&self, space: usize) -> SpaceTimeMap {
        let rows = self.places[space].iter().map(|(row, _)| row.clone()).collect();
        let columns = self.steps[space].len();
        SpaceTimeMap { place: Matrix::new(rows, columns), step: Matrix::new(vec![self.steps[space].clone()], columns) }
    }
}

/// Whether a way needs the diagonal of this sign; 0 is none.
fn is_along(moved: &[i64], diagonal: i64) -> bool {
    moved.len() == 2 && diagonal != 0 && (moved[0] * moved[1]).signum() == diagonal
}

fn plus(point: &[i64], by: &[i64], sign: i64) -> Vector {
    point.iter().zip(by).map(|(a, b)| a + sign * b).collect()
}

impl<'a> Run<'a> {
    fn new(system: &'a SpaceSystem, machine: &'a Machine, sizes: Bindings) -> Run<'a> {
        let listed =
            system.spaces.iter().map(|space| space.domain.set.points(space.indices(), &sizes).expect("bounded"));
        let points: Vec<Vec<Vector>> = listed.collect();
        let element = |space: usize, point: &Vector| {
            let bindings = system.spaces[space].bind(&sizes, point);
            let access = system.spaces[space].output_access.iter();
            (system.spaces[space].output.clone(), access.map(|form| form.evaluate(&bindings).expect("fits")).collect())
        };
        let written = points.iter().enumerate();
        let written =
            written.map(|(space, all)| all.iter().map(|point| (point.clone(), element(space, point))).collect());
        let written = written.collect();
        Run { system, machine, sizes, points, written }
    }

    /// Cycles and PEs; `None` where two points meet.
    fn base(&self, maps: &Maps) -> Option<Cost> {
        let mut slots = BTreeSet::new();
        let mut times = BTreeSet::new();
        for (space, all) in self.points.iter().enumerate() {
            for point in all {
                let time = maps.time(space, point);
                times.insert(time);
                if !slots.insert((maps.pe(space, point), time)) {
                    return None;
                }
            }
        }
        let pes: BTreeSet<&Vector> = slots.iter().map(|(pe, _)| pe).collect();
        let span = times.last()? - times.first()? + 1;
        Some(Cost { cycles: span.unsigned_abs(), pes: pes.len() as u64, fanout: 1, ..Cost::default() })
    }

    /// For each element the space and the point that completes it, under these orders.
    fn givers(&self, chains: &[Chain]) -> BTreeMap<(Name, Vector), (usize, Vector)> {
        let mut givers = BTreeMap::new();
        for (space, written) in self.written.iter().enumerate() {
            let is_last = |point: &Vector| {
                chains[space].directions.iter().all(|along| !written.contains_key(&plus(point, along, 1)))
            };
            for (point, element) in written.iter().filter(|(point, _)| is_last(point)) {
                givers.insert(element.clone(), (space, point.clone()));
            }
        }
        givers
    }

    /// What the handoffs of one operand cost; `None` where a value is late, far by another distance, or waits too long.
    fn handed(
        &self,
        maps: &Maps,
        chains: &[Chain],
        (reader, operand): (usize, usize),
        transport: &Transport,
        missing: i64,
    ) -> Option<Cost> {
        let access = &self.system.spaces[reader].operands[operand];
        let here: BTreeSet<&Vector> = self.points[reader].iter().collect();
        let takes = |point: &&Vector| match transport {
            Transport::Stream(along) => !here.contains(&plus(point, along, -1)),
            _ => true,
        };
        let givers = self.givers(chains);
        let mut ways: BTreeMap<usize, Vec<(Vector, Vector, i64, i64)>> = BTreeMap::new();
        for point in self.points[reader].iter().filter(takes) {
            let bindings = self.system.spaces[reader].bind(&self.sizes, point);
            let at: Vector = access.access.iter().map(|form| form.evaluate(&bindings).expect("fits")).collect();
            let Some((space, giver)) = givers.get(&(access.tensor.clone(), at)) else { continue };
            let way =
                (maps.pe(*space, giver), maps.pe(reader, point), maps.time(*space, giver), maps.time(reader, point));
            ways.entry(*space).or_default().push(way);
        }
        ways.values().try_fold(Cost::default(), |sum, ways| Some(sum.join(&self.channel(ways, missing)?)))
    }

    fn channel(&self, ways: &[(Vector, Vector, i64, i64)], missing: i64) -> Option<Cost> {
        let links = &self.machine.links;
        let moved = plus(&ways[0].1, &ways[0].0, -1);
        if is_along(&moved, missing) {
            return None;
        }
        let hops = links.network.hops(&moved)?;
        let mut held: BTreeMap<&Vector, Vec<(i64, i64)>> = BTreeMap::new();
        for (from, to, given, taken) in ways {
            if plus(to, from, -1) != moved || taken - given < (hops * links.latency).max(1) {
                return None;
            }
            held.entry(from).or_default().push((*given, taken + links.response));
        }
        for words in held.values_mut() {
            words.sort_unstable();
            // RunTime in the order given.
            if words.windows(2).any(|pair| pair[0].1 >= pair[1].1) {
                return None;
            }
        }
        let most = |words: &Vec<(i64, i64)>| {
            words.iter().map(|now| words.iter().filter(|word| word.0 <= now.0 && now.0 < word.1).count()).max()
        };
        let depth = held.values().filter_map(most).max().unwrap_or(0) as u64;
        let buffers = depth * held.len() as u64;
        Some(Cost { channel_words: ways.len() as u64 * hops.unsigned_abs(), buffers, fanout: 1, ..Cost::default() })
    }
}

/// What is compared.
pub struct Every<'a> {
    pub system: &'a SpaceSystem,
    pub choices: &'a [Choices],
    pub machine: &'a Machine,
    pub sizes: &'a Bindings,
    pub rank: usize,
    pub steps: (i64, i64),
}

impl Every<'_> {
    /// The costs of all legal designs that no other beats.
    pub fn front(&self) -> BTreeSet<Cost> {
        let sizes =
            |n: i64| (0..).zip(&self.system.parameters).map(|(more, size)| (name(size), n + more % 2)).collect();
        let small: Vec<Run> = (1..=LARGEST).map(|n| Run::new(self.system, self.machine, sizes(n))).collect();
        let whole = Run::new(self.system, self.machine, self.sizes.clone());
        let mut costs = BTreeSet::new();
        for places in self.places() {
            for steps in self.all_steps() {
                let maps = Maps { places: places.clone(), steps };
                if small.iter().all(|run| run.base(&maps).is_some()) {
                    self.add(&small, &whole, &maps, &mut costs);
                }
            }
        }
        let beaten = |cost: &Cost| costs.iter().any(|other: &Cost| other != cost && other.is_within(cost));
        costs.iter().filter(|cost| !beaten(cost)).copied().collect()
    }

    fn add(&self, small: &[Run], whole: &Run, maps: &Maps, costs: &mut BTreeSet<Cost>) {
        let Some(base) = whole.base(maps) else { return };
        let runs: Vec<&Run> = small.iter().chain([whole]).collect();
        // A hexagonal array lacks one diagonal or the other.
        let lacks: &[i64] = if self.machine.links.network == Network::Hex { &[1, -1] } else { &[0] };
        for (chains, missing) in self.all_chains().iter().flat_map(|chains| lacks.iter().map(move |one| (chains, *one)))
        {
            let mut sums = BTreeSet::from([base]);
            for space in 0..chains.len() {
                for costs in self.of_space(&runs, maps, (chains, missing), space) {
                    sums = sums.iter().flat_map(|sum| costs.iter().map(|cost| sum.join(cost))).collect();
                }
            }
            costs.extend(sums);
        }
    }

    /// What the order of a space's reduction costs, then each operand under each legal transport.
    fn of_space(&self, runs: &[&Run], maps: &Maps, (chains, missing): (&[Chain], i64), space: usize) -> Vec<Vec<Cost>> {
        let map = maps.map(space);
        let points = &self.system.spaces[space];
        let Ok(checker) = Checker::new(points, self.machine, self.sizes, &map) else { return vec![vec![]] };
        let fits = |along: &Vector| !is_along(&map.displacement(along), missing);
        let fitting = chains[space].directions.iter().all(fits);
        let mut all = vec![checker.chain(&chains[space]).into_iter().filter(|_| fitting).collect()];
        for operand in 0..points.operands.len() {
            let offered = self.choices[space].transports[operand].iter();
            let cost = |transport: &Transport| {
                let own =
                    checker.operand(operand, transport).ok().filter(|_| transport.direction().is_none_or(fits))?;
                if self.system.sources[space][operand].is_empty() {
                    return Some(own);
                }
                let handed = runs.iter().map(|run| run.handed(maps, chains, (space, operand), transport, missing));
                let handed: Option<Vec<Cost>> = handed.collect();
                Some(Cost { memory_words: 0, ..own }.join(handed?.last()?))
            };
            all.push(offered.filter_map(cost).collect());
        }
        all
    }

    fn all_chains(&self) -> Vec<Vec<Chain>> {
        self.choices.iter().fold(vec![vec![]], |prefixes: Vec<Vec<Chain>>, choices| {
            let longer = |prefix: &Vec<Chain>| {
                choices.chains.iter().map(|chain| [prefix.clone(), vec![chain.clone()]].concat()).collect::<Vec<_>>()
            };
            prefixes.iter().flat_map(longer).collect()
        })
    }

    fn all_steps(&self) -> Vec<Vec<Vector>> {
        self.system.spaces.iter().fold(vec![vec![]], |prefixes: Vec<Vec<Vector>>, space| {
            let rows = candidates::vectors(space.dimension(), self.steps);
            let zero = space.dimension() > 0;
            let rows = rows.into_iter().chain(zero.then(|| vec![0; space.dimension()]));
            let rows: BTreeSet<Vector> = rows.collect();
            let longer = |prefix: &Vec<Vector>| {
                rows.iter().map(|row| [prefix.clone(), vec![row.clone()]].concat()).collect::<Vec<_>>()
            };
            prefixes.iter().flat_map(longer).collect()
        })
    }

    /// The places of all spaces, from every line of the largest family.
    fn places(&self) -> Vec<Vec<Vec<(Vector, i64)>>> {
        let families = &self.system.families;
        let most = families.iter().map(|family| family.indices.len()).max().expect("a family");
        let largest = families.iter().position(|family| family.indices.len() == most).expect("it is there");
        let lines = candidates::places(most, self.rank, 1);
        lines.iter().flat_map(|line| self.under(line, largest)).collect()
    }

    fn under(&self, line: &Matrix, largest: usize) -> Vec<Vec<Vec<(Vector, i64)>>> {
        let families = &self.system.families;
        let names = &families[largest].indices;
        let mut all: Vec<Vec<Vec<(Vector, i64)>>> = vec![vec![]];
        for (position, family) in families.iter().enumerate() {
            let given = |row: &Vector| {
                let missing =
                    names.iter().zip(row).any(|(index, entry)| *entry != 0 && !family.indices.contains(index));
                let entry = |index: &Name| names.iter().position(|known| known == index).map_or(0, |at| row[at]);
                (!missing).then(|| family.indices.iter().map(entry).collect::<Vector>())
            };
            let fixed: Option<Vec<Vector>> = line.rows().iter().map(given).collect();
            let shifts: &[i64] = if position == largest { &[0] } else { &[-1, 0, 1] };
            let mut rows: Vec<Vec<(Vector, i64)>> = vec![vec![]];
            for axis in 0..self.rank {
                let free = candidates::vectors(family.indices.len(), (-1, 1)).into_iter();
                let free: BTreeSet<Vector> = free.chain([vec![0; family.indices.len()]]).collect();
                let offered: Vec<Vector> =
                    fixed.as_ref().map_or(free.into_iter().collect(), |rows| vec![rows[axis].clone()]);
                let longer = |prefix: &Vec<(Vector, i64)>| {
                    let pairs = offered.iter().flat_map(|row| shifts.iter().map(move |shift| (row.clone(), *shift)));
                    pairs.map(|pair| [prefix.clone(), vec![pair]].concat()).collect::<Vec<_>>()
                };
                rows = rows.iter().flat_map(longer).collect();
            }
            all = all
                .iter()
                .flat_map(|prefix| rows.iter().map(|row| [prefix.clone(), vec![row.clone()]].concat()))
                .collect();
        }
        all.iter().map(|families| self.of_spaces(families)).collect()
    }

    /// The rows of each space: its family's, seen from its own indices.
    fn of_spaces(&self, families: &[Vec<(Vector, i64)>]) -> Vec<Vec<(Vector, i64)>> {
        let of_space = |space: usize| {
            let member = &self.system.members[space];
            let indices = self.system.spaces[space].indices();
            let seen = |(row, shift): &(Vector, i64)| {
                let mine = member.embedding.iter().zip(row);
                let form = mine
                    .fold(systole_base::integer::Affine::default(), |sum, (form, entry)| sum + form.clone() * *entry);
                (form.row(indices), form.constant_term() + shift)
            };
            families[member.family].iter().map(seen).collect()
        };
        (0..self.system.spaces.len()).map(of_space).collect()
    }
}
