//! The scheme: an asynchronous program for an array, in closed form over process coordinates and sizes.
//!
//! In: an admitted space and map. Out: a [`Scheme`]. No point is enumerated, now or when a size is filled in.

use super::Loading;
use super::admission::admit;
use super::cases::Cases;
use super::context::{Context, Quotient, fresh};
use super::lattice::{Chart, Lattice};
use super::process_space::ProcessSpace;
use super::range::Range;
use super::stream::{Builder, Stream, on_lattice};
use crate::mapping::SpaceTimeMap;
use std::collections::{BTreeMap, BTreeSet};
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Bindings, Matrix, Name, Parameters, Polyhedron, Vector, name};
use systole_equations::recurrence::Space;

/// One in at most so many processes may have points; a stream that stays is loaded across the others, each a case.
const MOST_GAPS: i64 = 16;

/// What every process does, for all sizes.
#[derive(Clone, Debug)]
pub struct Scheme {
    /// The kernel's name.
    pub kernel: Name,
    /// The sizes.
    pub parameters: Parameters,
    /// The indices, which name the components of points.
    pub indices: Vec<Name>,
    /// The process of a point.
    pub place: Matrix,
    /// The step of a point.
    pub step: Vector,
    /// The box of processes.
    pub processes: ProcessSpace,
    /// Divisions that guards and values mention.
    pub quotients: Vec<Quotient>,
    /// From a statement of a process to its next.
    pub increment: Vector,
    /// The first statement of a process; no case for a null process.
    pub first: Cases<Vec<Affine>>,
    /// The last one.
    pub last: Cases<Vec<Affine>>,
    /// How many there are.
    pub count: Cases<Affine>,
    /// Statement `k` of a process is `base + k * increment`, for `k` in `statements`.
    pub chart: Chart,
    /// The numbers of the statements of a process.
    pub statements: Range,
    /// The operands in their order, then the output.
    pub streams: Vec<Stream>,
}

impl Scheme {
    /// Derives the scheme.
    pub(super) fn derive(space: &Space, map: &SpaceTimeMap, loading: &[Loading]) -> Checked<Scheme> {
        let reuses = admit(space, map, loading)?;
        let mut taken: BTreeSet<Name> = space.parameters.iter().chain(space.indices()).cloned().collect();
        let coordinates: Vec<Name> = (0..map.rank()).map(|axis| fresh(&mut taken, "p", axis)).collect();
        let own: Vec<Affine> = coordinates.iter().map(Affine::variable).collect();
        let processes = ProcessSpace::new(space, &map.place, coordinates);
        let mut context = Context::new(processes.set.clone(), taken);
        let step = &map.step.rows()[0];
        let lattice = &Lattice::new(&map.place, step);
        if lattice.volume() > MOST_GAPS {
            return sparse(space, lattice.volume()).alone();
        }
        let chart = &lattice.chart(&own, &mut context);
        let statements = &statements(space, lattice, chart, &mut context).ok_or_else(|| endless(space))?;
        let place = &map.place;
        let builder = Builder { space, place, step, coordinates: &processes.coordinates, lattice, statements, chart };
        let streams = builder.streams(&reuses, loading, &mut context).ok_or_else(|| endless(space))?;
        Ok(Scheme::assemble(&builder, &processes, streams, &context).simplify(&context.known))
    }

    fn assemble(builder: &Builder, processes: &ProcessSpace, streams: Vec<Stream>, context: &Context) -> Scheme {
        let (space, chart, statements) = (builder.space, builder.chart, builder.statements);
        let points = |ends: Cases<Affine>| on_lattice(&ends.map(|number| point(chart, builder.lattice, number)), chart);
        Scheme {
            kernel: space.kernel.clone(),
            parameters: space.parameters.clone(),
            indices: space.indices().to_vec(),
            place: builder.place.clone(),
            step: builder.step.to_vec(),
            processes: processes.clone(),
            quotients: context.quotients.clone(),
            increment: builder.lattice.increment.clone(),
            first: points(statements.first()),
            last: points(statements.last()),
            count: on_lattice(&statements.count(), chart),
            chart: chart.clone(),
            statements: statements.clone(),
            streams,
        }
    }

    fn simplify(mut self, known: &Polyhedron) -> Scheme {
        self.first = self.first.simplify(known);
        self.last = self.last.simplify(known);
        self.count = self.count.simplify(known);
        let simplify = |mut stream: Stream| {
            stream.first = stream.first.simplify(known);
            stream.last = stream.last.simplify(known);
            stream.count = stream.count.simplify(known);
            stream.before = stream.before.simplify(known);
            stream.after = stream.after.simplify(known);
            stream
        };
        self.streams = self.streams.into_iter().map(simplify).collect();
        self
    }

    /// The direction in which the output is accumulated, which decides the order of the operations.
    pub fn accumulation(&self) -> &[i64] {
        self.streams.last().map_or(&[], |output| &output.reuse)
    }

    /// What holds at every process: sizes of at least 1, the box, and what the quotients are.
    pub fn known(&self) -> Polyhedron {
        let mut known = self.processes.set.clone();
        for quotient in &self.quotients {
            let remainder = quotient.numerator.clone() - Affine::term(&quotient.name, quotient.divisor);
            known.add(remainder.clone());
            known.add(Affine::constant(quotient.divisor - 1) - remainder);
        }
        known
    }

    /// Sizes, coordinates and quotients as bindings, for evaluating forms at a process; `None` where a size is missing.
    pub fn bind(&self, sizes: &Bindings, process: &[i64]) -> Option<Bindings> {
        let mut at = sizes.clone();
        at.extend(self.processes.coordinates.iter().cloned().zip(process.iter().copied()));
        for quotient in &self.quotients {
            let value = quotient.evaluate(&at)?;
            at.insert(quotient.name.clone(), value);
        }
        Some(at)
    }
}

fn statements(space: &Space, lattice: &Lattice, chart: &Chart, context: &mut Context) -> Option<Range> {
    let number = name("the number of the statement");
    let image: BTreeMap<Name, Affine> =
        space.indices().iter().cloned().zip(point(chart, lattice, &Affine::variable(&number))).collect();
    Range::of(&space.domain.set.substitute(&image), &number, context)
}

fn point(chart: &Chart, lattice: &Lattice, number: &Affine) -> Vec<Affine> {
    let entry = |(base, pace): (&Affine, &i64)| base.clone() + number.clone() * *pace;
    chart.base.iter().zip(&lattice.increment).map(entry).collect()
}

fn sparse(space: &Space, volume: i64) -> Diagnostic {
    Diagnostic::new(format!("only one in {volume} processes of `{}` has points", space.kernel))
        .label(&space.source, space.span, "this equation")
        .help(format!("choose a place with smaller entries; the scheme takes one in {MOST_GAPS}"))
}

fn endless(space: &Space) -> Diagnostic {
    Diagnostic::new(format!("a process of `{}` would have statements without end", space.kernel)).label(
        &space.source,
        space.span,
        "this equation",
    )
}
