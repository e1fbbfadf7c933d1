//! Streams: flow, input and output side, the contents of the pipes, and what a process does with them.
//!
//! In: the reuse direction of a stream, the place, and the statements of a process. Out: a [`Stream`] in closed form.
//! The elements of the pipe through a process are numbered: for a moving stream element `k` is the one of the (perhaps
//! absent) statement `base + k * increment`, so the numbers of the statements of the process are those of its elements; for
//! a stationary stream element `t` is the one that the process `t` hops on holds. Then soaking, draining, loading and
//! recovering are differences of ends. Report, Theorem 10, sections 7.3 to 7.5.

use super::Loading;
use super::admission::{Reuse, streams};
use super::cases::{Case, Cases};
use super::context::Context;
use super::lattice::{Chart, Lattice};
use super::range::Range;
use crate::mapping::FlowRole;
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Matrix, Name, Polyhedron, Vector, dot, gcd, name};
use systole_equations::recurrence::Space;

/// A variable of the kernel on its way through the array.
#[derive(Clone, Debug)]
pub struct Stream {
    /// The variable.
    pub tensor: Name,
    /// The operand, or the output.
    pub role: FlowRole,
    /// The subscripts, over the indices.
    pub access: Vec<Affine>,
    /// Their linear part (the report's `M_s`).
    pub index_map: Matrix,
    /// From a user of an element to the next: the primitive vector that the index map sends to zero.
    pub reuse: Vector,
    /// Processes per step as reduced fractions, numerator and denominator; zero where the stream is stationary.
    pub flow: Vec<(i64, i64)>,
    /// Steps from a process to the next (`q`); 1 for a stationary stream. A channel has room for as many words.
    pub denominator: i64,
    /// From a process to the next in the pipe (`h`): a hop, or the loading and recovery vector.
    pub direction: Vector,
    /// From an element of a pipe to the next (`increment_s`).
    pub increment: Vector,
    /// The first element of the pipe through a process (`first_s`).
    pub first: Cases<Vec<Affine>>,
    /// The last one (`last_s`).
    pub last: Cases<Vec<Affine>>,
    /// How many elements the pipe has: what a null process passes. No case where the pipe is empty.
    pub count: Cases<Affine>,
    /// Moving: what a process passes on before its statements (soak). Stationary: after them (recover).
    pub before: Cases<Affine>,
    /// Moving: what it passes on after its statements (drain). Stationary: after the one it keeps, before them (load).
    pub after: Cases<Affine>,
    /// Where the pipe through a process can be; the first one numbers the elements from the process itself.
    pub pipes: Vec<Pipe>,
}

/// The elements of the pipe through a process, where the process is `shift` hops from the lattice of the place.
#[derive(Clone, Debug)]
pub struct Pipe {
    /// A point of the process, less `shift` hops.
    pub chart: Chart,
    /// The numbers of the elements.
    pub numbers: Range,
    /// From the point of an element to that of the next.
    pub pace: Vector,
}

impl Stream {
    /// Whether the elements stay on their processes.
    pub fn is_stationary(&self) -> bool {
        self.flow.iter().all(|(numerator, _)| *numerator == 0)
    }

    /// The element with this number in a pipe, over coordinates, sizes and the number.
    pub fn element(&self, indices: &[Name], pipe: &Pipe, number: &Affine) -> Vec<Affine> {
        element(indices, &self.access, pipe, number)
    }
}

/// What all streams of a scheme share.
pub(super) struct Builder<'a> {
    pub space: &'a Space,
    pub place: &'a Matrix,
    pub step: &'a [i64],
    pub coordinates: &'a [Name],
    pub lattice: &'a Lattice,
    /// The numbers of the statements of a process, and its chart.
    pub statements: &'a Range,
    pub chart: &'a Chart,
}

impl Builder<'_> {
    /// The operands in their order, then the output; `None` where a pipe has no end.
    pub fn streams(&self, reuses: &[Reuse], loading: &[Loading], context: &mut Context) -> Option<Vec<Stream>> {
        let accesses: Vec<&[Affine]> = streams(self.space).map(|(_, access, _)| access).collect();
        let stream = |(position, reuse): (usize, &Reuse)| {
            let is_output = position == self.space.operands.len();
            let role = if is_output { FlowRole::Reduction(0) } else { FlowRole::Operand(position) };
            self.stream(role, reuse, accesses[position], &self.loading_vector(loading, reuse.tensor), context)
        };
        reuses.iter().enumerate().map(stream).collect()
    }

    /// The vector that is given, else the first axis, forwards.
    fn loading_vector(&self, loading: &[Loading], tensor: &Name) -> Vector {
        match loading.iter().find(|loading| loading.tensor == *tensor) {
            Some(given) => given.along.clone(),
            None => (0..self.coordinates.len()).map(|axis| i64::from(axis == 0)).collect(),
        }
    }

    /// One stream; `loading` is used where it is stationary.
    fn stream(
        &self,
        role: FlowRole,
        reuse: &Reuse,
        access: &[Affine],
        loading: &[i64],
        context: &mut Context,
    ) -> Option<Stream> {
        let hop = self.place.apply(&reuse.direction);
        let stays = hop.iter().all(|entry| *entry == 0);
        let steps = dot(self.step, &reuse.direction);
        let direction = if stays { loading.to_vec() } else { hop.clone() };
        let pipes = match stays {
            true => self.loading_pipes(&direction, context)?,
            false => vec![self.moving_pipe(reuse, access, context)?],
        };
        let (before, after) = if stays { self.held(&pipes[0]) } else { self.propagated(&pipes[0]) };
        let element = |pipe: &Pipe, number: &Affine| element(self.space.indices(), access, pipe, number);
        Some(Stream {
            tensor: reuse.tensor.clone(),
            role,
            access: access.to_vec(),
            index_map: reuse.index_map.clone(),
            reuse: reuse.direction.clone(),
            flow: hop.iter().map(|entry| reduced(*entry, steps)).collect(),
            denominator: if stays { 1 } else { steps },
            direction,
            increment: reuse.index_map.apply(&pipes[0].pace),
            first: contents(&pipes, Range::first, element),
            last: contents(&pipes, Range::last, element),
            count: contents(&pipes, Range::count, |_, count| count.clone()),
            before,
            after,
            pipes,
        })
    }

    /// Statements `base + k * increment + l * reuse`, whatever `l`, have the elements of the pipe.
    fn moving_pipe(&self, reuse: &Reuse, access: &[Affine], context: &mut Context) -> Option<Pipe> {
        let (number, hops) = (name("the number of the element"), name("hops along the pipe"));
        let pace = self.lattice.increment.clone();
        let ways = [(&number, pace.as_slice()), (&hops, reuse.direction.as_slice())];
        let numbers = self.shadow(self.chart, ways, access, context)?;
        Some(Pipe { chart: self.chart.clone(), numbers, pace })
    }

    /// One pipe for each number of hops that a process can be off the lattice.
    fn loading_pipes(&self, direction: &[i64], context: &mut Context) -> Option<Vec<Pipe>> {
        let (number, statement) = (name("the number of the element"), name("the number of the statement"));
        let (period, pace) = self.lattice.reach(direction);
        let pipe = |shift: i64, context: &mut Context| {
            let moved = self.coordinates.iter().zip(direction);
            let process: Vec<Affine> = moved.map(|(y, h)| Affine::variable(y) - Affine::constant(shift * h)).collect();
            let chart = self.lattice.chart(&process, context);
            let ways = [(&number, pace.as_slice()), (&statement, self.lattice.increment.as_slice())];
            let numbers = self.shadow(&chart, ways, &[], context)?;
            Some(Pipe { chart, numbers, pace: pace.clone() })
        };
        (0..period).map(|shift| pipe(shift, context)).collect()
    }

    /// The numbers of the first way for which some number of the second gives a point of the domain.
    ///
    /// Where the second has coefficients beyond one, some of these numbers may belong to no point; then the elements must
    /// at least exist, so the shape of the variable bounds them too (the report's own rule, equations 6 and 7).
    fn shadow(
        &self,
        chart: &Chart,
        ways: [(&Name, &[i64]); 2],
        access: &[Affine],
        context: &mut Context,
    ) -> Option<Range> {
        let point = self.point(chart, &ways);
        let mut set = self.space.domain.set.substitute(&point);
        if set.constraints().iter().any(|form| form.coefficient(ways[1].0).abs() > 1) {
            self.inside_shape(access).iter().for_each(|form| set.add(form.substitute(&point)));
        }
        Range::of(&set.eliminate(ways[1].0), ways[0].0, context)
    }

    fn point(&self, chart: &Chart, ways: &[(&Name, &[i64]); 2]) -> BTreeMap<Name, Affine> {
        let entry = |(position, index): (usize, &Name)| {
            let terms = ways.iter().map(|(number, along)| Affine::term(number, along[position]));
            (index.clone(), terms.fold(chart.base[position].clone(), |sum, term| sum + term))
        };
        self.space.indices().iter().enumerate().map(entry).collect()
    }

    /// The subscripts lie within the variable that has them.
    fn inside_shape(&self, access: &[Affine]) -> Vec<Affine> {
        let mine = streams(self.space).find(|(_, forms, _)| *forms == access);
        let shape = mine.and_then(|(tensor, ..)| self.space.shapes.iter().find(|(name, _)| name == tensor));
        let Some((_, extents)) = shape else { return vec![] };
        let sides =
            |(form, extent): (&Affine, &Affine)| [form.clone(), extent.clone() - form.clone() - Affine::constant(1)];
        access.iter().zip(extents).flat_map(sides).collect()
    }

    /// Soak and drain: how far the statements of the process are from the ends of the pipe (equations 8 and 9).
    fn propagated(&self, pipe: &Pipe) -> (Cases<Affine>, Cases<Affine>) {
        let on = |cases: Cases<Affine>| on_lattice(&cases, self.chart);
        let soak = self.statements.first().join(&pipe.numbers.first(), |mine, first| mine.clone() - first.clone());
        let drain = self.statements.last().join(&pipe.numbers.last(), |mine, last| last.clone() - mine.clone());
        (on(soak), on(drain))
    }

    /// Recover and load: how far the process, which holds element 0, is from the ends of the pipe.
    fn held(&self, pipe: &Pipe) -> (Cases<Affine>, Cases<Affine>) {
        let mut holds = Polyhedron::new(pipe.numbers.conditions_for(&Affine::default()));
        pipe.chart.lattice.iter().for_each(|form| [form.clone(), -form.clone()].into_iter().for_each(|f| holds.add(f)));
        let cases = |ends: Cases<Affine>, sign: i64| {
            ends.join(&Cases::new(vec![Case { guard: holds.clone(), value: () }]), |end, ()| end.clone() * sign)
        };
        (cases(pipe.numbers.first(), -1), cases(pipe.numbers.last(), 1))
    }
}

/// A value of every pipe, where it is the one through the process.
fn contents<T: Clone>(
    pipes: &[Pipe],
    ends: impl Fn(&Range) -> Cases<Affine>,
    value: impl Fn(&Pipe, &Affine) -> T,
) -> Cases<T> {
    let of_pipe = |pipe: &Pipe| on_lattice(&ends(&pipe.numbers).map(|end| value(pipe, end)), &pipe.chart);
    Cases::new(pipes.iter().flat_map(|pipe| of_pipe(pipe).iter().cloned().collect::<Vec<_>>()).collect())
}

/// The element with a number in a pipe.
fn element(indices: &[Name], access: &[Affine], pipe: &Pipe, number: &Affine) -> Vec<Affine> {
    let entry = |(base, pace): (&Affine, &i64)| base.clone() + number.clone() * *pace;
    let point = pipe.chart.base.iter().zip(&pipe.pace).map(entry);
    let image: BTreeMap<Name, Affine> = indices.iter().cloned().zip(point).collect();
    access.iter().map(|form| form.substitute(&image)).collect()
}

/// The cases, on the lattice only.
pub(super) fn on_lattice<T: Clone>(cases: &Cases<T>, chart: &Chart) -> Cases<T> {
    let both = chart.lattice.iter().flat_map(|form| [form.clone(), -form.clone()]);
    let lattice = Cases::new(vec![Case { guard: Polyhedron::new(both), value: () }]);
    cases.join(&lattice, |value, ()| value.clone())
}

fn reduced(numerator: i64, denominator: i64) -> (i64, i64) {
    let divisor = gcd(numerator, denominator).max(1);
    (numerator / divisor, denominator / divisor)
}
