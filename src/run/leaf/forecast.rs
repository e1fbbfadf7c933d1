//! What a call of a leaf will do, without its tiles.
//!
//! In: a leaf and coordinates. Out: a [`Forecast`]: the elements of its result, and which operations of a library it does on how
//! much, what is left to loops. Bounds are gone through as the loops do, but a loop whose rounds are all alike is gone through
//! once. Calls that do the same, as those of all whole tiles off the diagonal do, have one forecast ([`Kept`]), so the
//! forecasts of a run cost as much as there are kinds of tiles.

use super::call::{Calls, Elements, Kept, Prepared, Remaining, Run};
use super::recognised::{Kind, Recognised};
use super::routine::{Few, Loop, Node, Routine, Span, depends};
use super::tally::Work;
use super::{LeafBackend, compile_leaves};
use std::sync::Arc;
use systole_base::diagnostic::Checked;
use systole_base::integer::Bindings;
use systole_base::machine::{OTHER, TASKS};
use systole_program::array::{Program, Trouble};

/// One operation that a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chore {
    /// Its position in [`TASKS`].
    pub task: usize,
    /// Whether the library does it that was asked for, else loops.
    pub by_library: bool,
    /// How many applications of scalar functions it stands for.
    pub applied: u64,
}

/// What a call will do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// How long the tile that it gives is along each dimension.
    pub lengths: Few<usize>,
    /// What it does, in the order of its text; all that loops do for one task is one.
    pub chores: Vec<Chore>,
}

impl Forecast {
    /// The same as a count.
    pub fn work(&self) -> Work {
        let mut work = Work { applied: self.chores.iter().map(|chore| chore.applied).sum(), ..Work::default() };
        self.chores.iter().filter(|chore| chore.by_library).for_each(|chore| work.served[chore.task] += 1);
        work
    }
}

/// The forecasts of a program's leaves at given sizes.
#[derive(Debug)]
pub struct Forecasts {
    calls: Calls,
    has_library: bool,
    kept: Vec<Kept<Arc<Forecast>>>,
}

impl Forecasts {
    /// Nothing forecast yet.
    ///
    /// # Errors
    /// Those of [`Leaves::with_backend`](super::Leaves::with_backend).
    pub fn new(program: &Program, sizes: &Bindings, backend: LeafBackend) -> Checked<Forecasts> {
        let routines = compile_leaves(program, sizes)?;
        let kept = routines.iter().map(|_| Kept::default()).collect();
        Ok(Forecasts { calls: Calls::new(routines, true)?, has_library: backend.is_library(), kept })
    }

    /// What a leaf will do at these coordinates.
    ///
    /// # Errors
    /// As for [`Leaves::known`](super::Leaves::known).
    pub fn of(&self, leaf: usize, at: &[i64]) -> Result<Arc<Forecast>, Trouble> {
        let routine = self.calls.routine(leaf, at)?;
        if let Some(forecast) = self.kept[leaf].find(at) {
            return Ok(Arc::clone(forecast));
        }
        let call = self.calls.prepare(leaf, at)?;
        let forecast = Arc::new(self.forecast(leaf, routine, &call)?);
        self.kept[leaf].keep(at, || call.region(routine, at), || Arc::clone(&forecast));
        Ok(forecast)
    }

    fn forecast(&self, leaf: usize, routine: &Routine, call: &Prepared) -> Result<Forecast, Trouble> {
        let windows = call.boxes.windows.iter().map(|_| Elements::Shared(&[])).collect();
        let mut count = Count { has_library: self.has_library, done: vec![], looped: [0; TASKS.len()] };
        count.block(&mut Run::new(leaf, routine, call, windows), call.body(routine), OTHER)?;
        let looped = count.looped.into_iter().enumerate().filter(|(_, applied)| *applied > 0);
        let looped = looped.map(|(task, applied)| Chore { task, by_library: false, applied });
        let chores = count.done.iter().copied().chain(looped).collect();
        Ok(Forecast { lengths: call.boxes.result.lengths.clone(), chores })
    }
}

/// What has been counted of a call.
struct Count {
    has_library: bool,
    /// What the library does.
    done: Vec<Chore>,
    /// What loops apply, by task.
    looped: [u64; TASKS.len()],
}

impl Count {
    /// Counts steps at the indices' values; what loops do there counts for a task.
    fn block<'a>(&mut self, run: &mut Run<'a, f64>, nodes: &'a [Node], task: usize) -> Result<(), Trouble> {
        nodes.iter().try_for_each(|node| match node {
            Node::Loop(repeated) => self.repeat(run, repeated, task),
            Node::If { conditions, then, otherwise } => {
                let holds = conditions.iter().all(|form| form.value(&run.slots) >= 0);
                self.block(run, if holds { then } else { otherwise }, task)
            }
            Node::Set(set) => {
                self.looped[task] += set.applications();
                Ok(())
            }
            Node::Known(known) => self.known(run, known),
        })
    }

    /// All rounds of a loop; one of them where they are alike.
    fn repeat<'a>(&mut self, run: &mut Run<'a, f64>, repeated: &'a Loop, task: usize) -> Result<(), Trouble> {
        let (first, last) = run.rounds(repeated);
        let are_alike = !depends(&repeated.body, repeated.index);
        let rounds: Span = if are_alike { (first, last.min(first)) } else { (first, last) };
        let before = (self.done.len(), self.looped);
        for value in rounds.0..=rounds.1 {
            run.slots[repeated.index] = value;
            self.block(run, &repeated.body, task)?;
        }
        if are_alike && last > first {
            self.multiply(before, (last - first).unsigned_abs());
        }
        Ok(())
    }

    /// Does what came after `before` so many times more.
    fn multiply(&mut self, (done, looped): (usize, [u64; TASKS.len()]), times: u64) {
        let again = self.done[done..].to_vec();
        (0..times).for_each(|_| self.done.extend_from_slice(&again));
        self.looped.iter_mut().zip(looped).for_each(|(sum, before)| *sum += (*sum - before) * times);
    }

    fn known<'a>(&mut self, run: &mut Run<'a, f64>, known: &'a Recognised) -> Result<(), Trouble> {
        let service = known.kind.service() as usize;
        match &known.kind {
            _ if !self.has_library => self.repeat(run, &known.loops, service),
            Kind::Product(product) => run.cut(product, &known.loops, &mut |run, part| match part {
                Remaining::Other => self.repeat(run, &known.loops, service).map(|()| true),
                _ => Ok(run
                    .counted(product, part)
                    .is_some_and(|(service, applied)| self.serve(service as usize, applied))),
            }),
            Kind::Task(assignment) => match run.applied(assignment) {
                None => self.repeat(run, &known.loops, service),
                Some(0) => Ok(()),
                Some(applied) => {
                    self.serve(service, applied);
                    self.block(run, &assignment.resets, OTHER)
                }
            },
        }
    }

    fn serve(&mut self, task: usize, applied: u64) -> bool {
        self.done.push(Chore { task, by_library: true, applied });
        true
    }
}
