//! The program of a scheme: asynchronous processes, each loading and storing at the border of the array only.
//!
//! In: a space and its [`Scheme`], the links, and the order in which a process serves the streams. Out: a [`Program`] with one
//! class of processes that have statements and, where the box has others, classes of null processes that pass on. No
//! instruction names a clock: the order of sends and receives alone keeps the processes together. A flow of `1/q` gets a
//! channel of depth `q` in place of the report's `q - 1` buffer processes (its section 7.6); they keep the timing of the
//! array and change no value, so a capacity of 1 is enough to run.
//!
//! A process serves the streams together, in the order of the numbers. That never deadlocks if a channel is as deep as
//! a hop has steps. One stream after the other, as the report has it, some arrays need deeper channels.

use super::decide::negation;
use super::names::fresh;
use super::systolic_pipe::Writer;
use super::text::{Divisions, replace};
use crate::mapping::ends::{lower_expression, upper_expression};
use crate::systolize::{Scheme, Stream};
use std::collections::BTreeSet;
use systole_base::cell::Cell;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Name, Polyhedron, name};
use systole_base::network::Links;
use systole_equations::recurrence::Space;
use systole_equations::recurrence::spaces::SpaceSystem;
use systole_program::array::{Channel, Class, Coordinate, IndexExpr, Program};

/// The order in which a process serves the streams, by their positions in [`Scheme::streams`].
///
/// No order changes the arrays of a run that ends. Together, soaking and draining follow the steps of the array, and no run
/// deadlocks once a channel holds as many words as a hop has steps. Give the instructions that serve (virtual)
/// statement `x` the rank `step(x)`, and within one rank first the receives of statements, then stream by stream what is
/// received to be passed on and what is sent: a receive waits for a send of lower rank, a send for the receive of a word sent
/// so much earlier that its rank is at most the same, where receives of its stream come first, and a process works in this
/// order. One stream after the other, as in the report, more words may have to wait in a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phases {
    /// When it loads and soaks, and receives for a statement.
    pub soak: Vec<usize>,
    /// When it drains and recovers.
    pub drain: Vec<usize>,
    /// Whether moving streams are soaked, and drained, together: element by element in the order of the steps.
    pub together: bool,
}

impl Phases {
    /// Operands in their order, then the output, together.
    pub fn in_order(scheme: &Scheme) -> Phases {
        let all: Vec<usize> = (0..scheme.streams.len()).collect();
        Phases { soak: all.clone(), drain: all, together: true }
    }
}

/// Writes the program of a scheme.
///
/// # Errors
/// A network without the links that the streams need; an order that leaves a stream out.
pub fn emit_scheme(space: &Space, scheme: &Scheme, links: &Links, phases: &Phases) -> Checked<Program> {
    for order in [&phases.soak, &phases.drain] {
        let known: BTreeSet<usize> = order.iter().copied().collect();
        if order.len() != scheme.streams.len() || known != (0..scheme.streams.len()).collect() {
            return Diagnostic::new(format!("{order:?} is no order of {} streams", scheme.streams.len())).alone();
        }
    }
    let writer = writer(space, scheme);
    Ok(Program {
        kernel: space.kernel.clone(),
        parameters: space.parameters.clone(),
        tiles: vec![],
        scratchpads: vec![],
        leaves: vec![],
        arrays: super::program::arrays(&SpaceSystem::of_one(space.clone())),
        grid: grid(space, scheme),
        network: links.network.measure(),
        cell: Cell::ONE,
        fold: None,
        order: None,
        channels: channels(&writer, links)?,
        buses: vec![],
        classes: classes(&writer, phases),
    })
}

fn writer<'a>(space: &'a Space, scheme: &'a Scheme) -> Writer<'a> {
    let coordinates = &scheme.processes.coordinates;
    let mut taken: BTreeSet<Name> = space.parameters.iter().chain(coordinates).cloned().collect();
    let number = fresh(&mut taken, "n");
    let registers = scheme.streams.iter().map(|stream| fresh(&mut taken, &stream.tensor)).collect();
    let passing = fresh(&mut taken, "passing");
    let mut divisions = Divisions::new();
    for quotient in &scheme.quotients {
        let numerator = replace(&IndexExpr::affine(&quotient.numerator), &divisions);
        divisions.insert(quotient.name.clone(), IndexExpr::Floor(Box::new(numerator), quotient.divisor));
    }
    Writer { space, scheme, registers, passing, number, divisions }
}

fn grid(space: &Space, scheme: &Scheme) -> Vec<Coordinate> {
    let sizes = Polyhedron::sizes(&space.parameters);
    let processes = &scheme.processes;
    let sides = processes.coordinates.iter().zip(processes.lower.iter().zip(&processes.upper));
    let side = |(name, (lower, upper)): (&Name, (&Vec<_>, &Vec<_>))| Coordinate {
        name: name.clone(),
        first: lower_expression(lower, &sizes),
        last: upper_expression(upper, &sizes),
    };
    sides.map(side).collect()
}

fn channels(writer: &Writer, links: &Links) -> Checked<Vec<Channel>> {
    let streams = &writer.scheme.streams;
    let ways = || streams.iter().map(|stream| stream.direction.as_slice());
    let refuse = |what: String| {
        vec![Diagnostic::new(format!("the {} network {what}", links.network)).help("choose another with `--network`")]
    };
    if !links.network.joins(ways()) {
        return Err(refuse(format!(
            "has links along one diagonal only, not along all of {:?}",
            ways().collect::<Vec<_>>()
        )));
    }
    let channel = |(position, stream): (usize, &Stream)| {
        let missing = || refuse(format!("has no link along {:?} for `{}`", stream.direction, stream.tensor));
        let latency = links.cycles(&stream.direction).ok_or_else(missing)?.unsigned_abs();
        let (offset, depth) = (stream.direction.clone(), stream.denominator.unsigned_abs());
        Ok(Channel { name: writer.channel(position), offset, latency, depth })
    };
    streams.iter().enumerate().map(channel).collect()
}

/// Processes with statements, then those without: the first condition of the former that a null process breaks is its
/// class.
fn classes(writer: &Writer, phases: &Phases) -> Vec<Class> {
    let known = writer.scheme.known();
    let lattice = writer.scheme.chart.lattice.iter().map(|form| -form.clone());
    let conditions: Vec<Affine> =
        lattice.chain(writer.scheme.statements.conditions()).filter(|form| !known.implies(form)).collect();
    let mut busy = known.clone();
    conditions.iter().for_each(|form| busy.add(form.clone()));
    let body = writer.busy(phases, &busy);
    let mut classes = vec![class(writer, "busy", &conditions, body)];
    let mut kept: Vec<Affine> = vec![];
    for form in &conditions {
        let guard: Vec<Affine> = kept.iter().cloned().chain([negation(form)]).collect();
        let set = known.intersect(&Polyhedron::new(guard.iter().cloned()));
        if !set.is_empty() {
            let text = format!("null{}", classes.len() - 1);
            classes.push(class(writer, &text, &guard, writer.null(phases, &set)));
        }
        kept.push(form.clone());
    }
    classes.retain(|class| !class.body.is_empty());
    classes
}

fn class(writer: &Writer, text: &str, guard: &[Affine], body: Vec<systole_program::array::Instruction>) -> Class {
    let mut set = writer.scheme.known().intersect(&Polyhedron::new(guard.iter().cloned()));
    writer.space.parameters.iter().for_each(|p| set.add(Affine::variable(p) - Affine::constant(2)));
    let guard = guard.iter().map(|form| writer.condition(form)).collect();
    Class { name: name(text), thin: set.is_empty(), guard, body }
}
