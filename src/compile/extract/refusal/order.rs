//! Whether a system has an affine order: forms for its spaces, row by row, under which each value is computed before it is read.
//!
//! In: a [`SpaceSystem`]. Out: that there is one, or the reads that no further row puts in order. A row must not fall along any
//! dependence that is left, and those along which one can rise are satisfied by it. Rows can be added up, so one row rises along all
//! of them, and what is left when none can rise has no order. Feautrier, Some efficient solutions to the affine scheduling problem,
//! part II, 1992. All points that a reduction takes together come before what reads their sum, in whatever order it is added up.
//! Invariant: that there is none is said only where the corners of all dependences are integers, so that no rational point decides.

use crate::mapping::{Dependence, Row, Unknowns};
use crate::smt::{LinearProblem, Optimum, attempt};
use std::collections::BTreeMap;
use std::time::Duration;
use systole_base::integer::{Affine, Name, Polyhedron, generators, name};
use systole_equations::recurrence::Space;
use systole_equations::recurrence::spaces::{Division, Origin, Source, SpaceSystem};

/// How long it may take to see whether a row can rise along one dependence.
const LIMIT: Duration = Duration::from_secs(5);

/// What is known of the order of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// There is one of so many rows.
    Rows(usize),
    /// There is none.
    None {
        /// After so many rows no row is of use.
        rows: usize,
        /// The reads that are left, each by its space and operand.
        left: Vec<(usize, usize)>,
    },
    /// Not decided.
    Unknown,
}

/// A read of a computed value.
struct Read {
    dependence: Dependence,
    /// The space and the operand.
    by: (usize, usize),
}

/// Decides whether a system has an affine order.
pub fn affine_order(system: &SpaceSystem) -> Order {
    let indices = system.spaces.iter().map(|space| space.indices().to_vec()).collect();
    let unknowns = Unknowns::new(indices, system.parameters.clone());
    let mut left = reads(system);
    let is_whole = left.iter().all(|read| has_integer_corners(system, &read.dependence));
    let mut rows = 0;
    while !left.is_empty() {
        let Some(rises) = rising(&unknowns, &left) else { return Order::Unknown };
        if !rises.contains(&true) {
            let left = left.iter().map(|read| read.by).collect();
            return if is_whole { Order::None { rows, left } } else { Order::Unknown };
        }
        rows += 1;
        let mut rises = rises.into_iter();
        left.retain(|_| !rises.next().unwrap_or(false));
    }
    Order::Rows(rows)
}

/// What all reads of computed values ask of a time: that so many steps lie between a writer and a reader at least. `None` where a corner is
/// no point, or a number does not fit.
pub fn rows_of_reads(
    system: &SpaceSystem,
    unknowns: &Unknowns,
    least: impl Fn(usize, usize) -> i64,
) -> Option<Vec<Row>> {
    let rows = |Read { dependence, .. }: Read| {
        has_integer_corners(system, &dependence).then_some(())?;
        let least = least(dependence.reader, dependence.writer);
        unknowns.dependence_rows(&Dependence { least, ..dependence })
    };
    Some(reads(system).into_iter().map(rows).collect::<Option<Vec<_>>>()?.concat())
}

/// Along which of the dependences a row can rise that falls along none; `None` where that is not decided.
fn rising(unknowns: &Unknowns, left: &[Read]) -> Option<Vec<bool>> {
    let rows = |read: &Read, least| unknowns.dependence_rows(&Dependence { least, ..read.dependence.clone() });
    let level: Vec<Row> = left.iter().map(|read| rows(read, 0)).collect::<Option<Vec<_>>>()?.concat();
    let can_rise = |read: &Read| {
        let rows = level.iter().cloned().chain(rows(read, 1)?).collect();
        let bounds = vec![(None, None); unknowns.count()];
        match attempt(&LinearProblem { bounds, rows, ..LinearProblem::default() }, LIMIT) {
            Optimum::Found(_) | Optimum::Endless => Some(true),
            Optimum::Clash(_) => Some(false),
            Optimum::Unknown(_) => None,
        }
    };
    left.iter().map(can_rise).collect()
}

/// All reads of computed values.
fn reads(system: &SpaceSystem) -> Vec<Read> {
    let mut reads = vec![];
    for (reader, operands) in system.sources.iter().enumerate() {
        for (operand, sources) in operands.iter().enumerate() {
            let given = sources.iter().filter_map(|source| dependence(system, reader, source));
            reads.extend(given.map(|dependence| Read { dependence, by: (reader, operand) }));
        }
    }
    reads
}

/// The points of a space that read from a source, with all points that contribute to what they read.
fn dependence(system: &SpaceSystem, reader: usize, source: &Source) -> Option<Dependence> {
    let Origin::Space { space: writer, element } = &source.origin else { return None };
    let giver = system.spaces.get(*writer)?;
    let own = own_names(giver);
    let image: BTreeMap<Name, Affine> = giver.indices().iter().cloned().zip(own.iter().map(Affine::variable)).collect();
    let mut set = Division::of_all(&source.quotients, &source.set.intersect(&giver.domain.set.substitute(&image)));
    for (written, read) in giver.output_access.iter().zip(element) {
        let apart = written.substitute(&image) - read.clone();
        set.add(apart.clone());
        set.add(-apart);
    }
    let quotients = source.quotients.iter().map(|division| division.quotient.clone()).chain(own.clone()).collect();
    let at = own.iter().map(Affine::variable).collect();
    let is_there = !set.intersect(&Polyhedron::sizes(&system.parameters)).is_empty();
    is_there.then_some(Dependence { reader, writer: *writer, set, at, quotients, least: 0, exact: None, label: 0 })
}

/// Names for the indices of a giver that no index of a reader has.
fn own_names(giver: &Space) -> Vec<Name> {
    giver.indices().iter().map(|index| name(&format!("giver {index}"))).collect()
}

/// Whether no corner of a dependence is a fraction, at sizes of 1 or more.
fn has_integer_corners(system: &SpaceSystem, dependence: &Dependence) -> bool {
    let Some(reader) = system.spaces.get(dependence.reader) else { return false };
    let own = reader.indices().iter().chain(&system.parameters);
    let names: Vec<Name> = dependence.quotients.iter().chain(own).cloned().collect();
    let set = dependence.set.intersect(&Polyhedron::sizes(&system.parameters));
    let corners = generators(&set, &names);
    corners.is_some_and(|corners| corners.iter().all(|corner| corner.last().is_some_and(|scale| *scale <= 1)))
}
