//! The specification of the report's section 6, by enumeration: everything the closed forms have to say, without them.
//!
//! Knows the points, the place, the step, the subscripts and the loading vectors; shares no code with the scheme.

use crate::common::{box_points, plus};
use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::{Bindings, Matrix, Vector, dot};
use systole_compile::mapping::SpaceTimeMap;
use systole_compile::systolize::Loading;
use systole_equations::recurrence::Space;

/// A pipe: processes from input to output, elements in the order in which they enter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipe {
    pub processes: Vec<Vector>,
    pub elements: Vec<Vector>,
}

/// A stream with all its pipes.
#[derive(Clone, Debug)]
pub struct Stream {
    pub stationary: bool,
    pub pipes: Vec<Pipe>,
    /// What a process that has statements uses, each element once, in the order of use.
    pub used: BTreeMap<Vector, Vec<Vector>>,
}

impl Stream {
    pub fn pipe(&self, process: &Vector) -> &Pipe {
        self.pipes.iter().find(|pipe| pipe.processes.contains(process)).expect("every process is in a pipe")
    }

    /// Elements of the pipe before the first and after the last that the process uses.
    pub fn around(&self, process: &Vector) -> Option<(i64, i64)> {
        let (pipe, used) = (self.pipe(process), self.used.get(process)?);
        let position = |element: &Vector| pipe.elements.iter().position(|other| other == element).expect("in its pipe");
        let (first, last) = (position(used.first()?), position(used.last()?));
        Some((first as i64, (pipe.elements.len() - 1 - last) as i64))
    }
}

/// Everything at one size.
#[derive(Clone, Debug)]
pub struct Table {
    pub minimum: Vector,
    pub maximum: Vector,
    /// The points of every process that has some, in the order of the step.
    pub statements: BTreeMap<Vector, Vec<Vector>>,
    pub streams: Vec<Stream>,
}

/// The table of a map at sizes for which the space has points.
pub fn table(space: &Space, map: &SpaceTimeMap, loading: &[Loading], sizes: &Bindings) -> Table {
    let points = space.domain.set.points(space.indices(), sizes).expect("a bounded space");
    let mut statements: BTreeMap<Vector, Vec<Vector>> = BTreeMap::new();
    for point in points {
        statements.entry(map.place.apply(&point)).or_default().push(point);
    }
    let step = &map.step.rows()[0];
    statements.values_mut().for_each(|points| points.sort_by_key(|point| dot(step, point)));
    let coordinate = |axis: usize| statements.keys().map(move |process| process[axis]);
    let minimum: Vector = (0..map.rank()).map(|axis| coordinate(axis).min().expect("some point")).collect();
    let maximum: Vector = (0..map.rank()).map(|axis| coordinate(axis).max().expect("some point")).collect();
    let mut table = Table { minimum, maximum, statements, streams: vec![] };
    let operands = space.operands.iter().map(|operand| (&operand.tensor, &operand.access));
    for (tensor, access) in operands.chain([(&space.output, &space.output_access)]) {
        let given = loading.iter().find(|loading| loading.tensor == *tensor).map(|loading| loading.along.clone());
        let element = |point: &Vector| -> Vector {
            access.iter().map(|form| form.evaluate(&space.bind(sizes, point)).expect("bound")).collect()
        };
        let stream = stream(&table, map, &element, given);
        table.streams.push(stream);
    }
    table
}

fn stream(table: &Table, map: &SpaceTimeMap, element: &dyn Fn(&Vector) -> Vector, given: Option<Vector>) -> Stream {
    let (hop, steps) = hop(map, element);
    let stationary = hop.iter().all(|entry| *entry == 0);
    let axis = (0..map.rank()).map(|axis| i64::from(axis == 0)).collect();
    let direction = if stationary { given.unwrap_or(axis) } else { hop };
    let mut used: BTreeMap<Vector, Vec<Vector>> = BTreeMap::new();
    for (process, points) in &table.statements {
        let mut elements: Vec<Vector> = points.iter().map(element).collect();
        elements.dedup();
        used.insert(process.clone(), elements);
    }
    let lines = lines(table, &direction);
    let pipes = lines.into_iter().map(|line| pipe(table, map, element, line, if stationary { 0 } else { steps }));
    Stream { stationary, pipes: pipes.collect(), used }
}

/// From a user of an element to the next: processes and steps, from the lattice of points with equal elements.
fn hop(map: &SpaceTimeMap, element: &dyn Fn(&Vector) -> Vector) -> (Vector, i64) {
    let dimension = map.place.columns();
    let origin = element(&vec![0; dimension]);
    let unit = |index: usize| (0..dimension).map(|other| i64::from(other == index)).collect::<Vector>();
    let columns: Vec<Vector> = (0..dimension).map(|index| plus(&element(&unit(index)), &origin, -1)).collect();
    let rows = (0..origin.len()).map(|row| columns.iter().map(|column| column[row]).collect()).collect();
    let along = Matrix::new(rows, dimension).null_lattice().remove(0);
    let sign = dot(&map.step.rows()[0], &along).signum();
    (map.place.apply(&along).iter().map(|entry| entry * sign).collect(), dot(&map.step.rows()[0], &along) * sign)
}

/// The maximal lines of the box along a direction, each from its first process on.
fn lines(table: &Table, direction: &[i64]) -> Vec<Vec<Vector>> {
    let processes = box_points(&table.minimum, &table.maximum);
    let known: BTreeSet<&Vector> = processes.iter().collect();
    let heads = processes.iter().filter(|process| !known.contains(&plus(process, direction, -1)));
    let line = |head: &Vector| {
        (0..).map(|hops| plus(head, direction, hops)).take_while(|process| known.contains(process)).collect()
    };
    heads.map(line).collect()
}

/// The elements used on a line, in the order in which they pass its head: a word used at hop `h` in step `t` was at the head
/// `h * steps` before.
fn pipe(table: &Table, map: &SpaceTimeMap, element: &dyn Fn(&Vector) -> Vector, line: Vec<Vector>, steps: i64) -> Pipe {
    let mut entry: BTreeMap<Vector, i64> = BTreeMap::new();
    for (hops, process) in line.iter().enumerate() {
        for point in table.statements.get(process).into_iter().flatten() {
            let time = match steps {
                0 => hops as i64,
                _ => dot(&map.step.rows()[0], point) - steps * hops as i64,
            };
            let known = *entry.entry(element(point)).or_insert(time);
            assert_eq!(known, time, "all users of an element see it at the speed of the stream");
        }
    }
    let mut elements: Vec<(i64, Vector)> = entry.into_iter().map(|(element, time)| (time, element)).collect();
    elements.sort();
    Pipe { processes: line, elements: elements.into_iter().map(|(_, element)| element).collect() }
}
