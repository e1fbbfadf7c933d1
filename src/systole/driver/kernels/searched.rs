//! A search with its setting, and what the stages after it make of a design that it found.
//!
//! In: a kernel, flags. Out: the front; of a design its obligations, its program, and what the equations mean in its order.

use crate::driver::flags::setting::Setting;
use crate::driver::kernels::kernel::Kernel;
use crate::driver::kernels::{border, described, refusal};
use crate::driver::pipeline::{refused_by_checker, with_threads};
use crate::driver::shown::output::Output;
use crate::driver::shown::show;
use crate::driver::stop;
use std::time::{Duration, Instant};
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, counted};
use systole_base::integer::Bindings;
use systole_base::refusal::Refusal;
use systole_compile::extract::{Constraint, Found, Problem, Strategy, Survey, search_every_way, verify};
use systole_compile::mapping::Design;
use systole_compile::timing;
use systole_compile::timing::PeOrder;
use systole_equations::recurrence::Chain;
use systole_equations::recurrence::spaces::evaluate_system_in_order;
use systole_program::array::{Program, Tensors};
use systole_program::obligation::{Kind, Obligation};

/// How a design keeps to `io boundary`.
#[derive(Clone, Debug)]
pub enum Border {
    /// The schedule does not ask for it.
    Anywhere,
    /// Processes load and recover through the array.
    Loads,
    /// Every PE that loads or stores has a free side, which is proved; with the reasons why the scheme covers no design.
    Ports(Diagnostics),
}

/// What is claimed to be enough in place of what is needed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Claims {
    /// The depth of every channel.
    pub depth: Option<u64>,
    /// The loads of every operand that a PE may have outstanding.
    pub outstanding: Option<u64>,
}

/// A search with its setting.
pub struct Searched<'a> {
    /// What was searched for.
    pub kernel: &'a Kernel,
    /// What the flags say.
    pub setting: &'a Setting,
    /// What was searched.
    pub problem: Problem<'a>,
    /// What was seen.
    pub survey: Survey,
    /// The front, best first.
    pub front: Vec<Found>,
    /// How long it took.
    pub elapsed: Duration,
    /// How the schedule's `io` is kept to.
    pub border: Border,
}

/// Runs the search with what is fixed.
pub fn search_within<'a>(
    kernel: &'a Kernel,
    setting: &'a Setting,
    constraint: Constraint,
    all: bool,
    output: &Output,
) -> Checked<Searched<'a>> {
    let (bar, running) = (output.progress("search"), stop::Search::begin(&setting.end));
    if setting.end.at.is_none() {
        bar.set_prefix("--seconds N, or Ctrl-C, ends it with the best designs so far");
    }
    let progress = |done: usize, total: usize| {
        // Some ask only whether to go on.
        if total > 0 {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
        }
        running.goes_on()
    };
    let start = Instant::now();
    let blamed = |why| kernel.inquire(setting, setting.constraint.clone(), |inquiry| inquiry.blame(why));
    let question = kernel.question(setting, constraint);
    let seen = kernel.seen.clone().filter(|_| !all);
    let (problem, survey, elapsed) = match seen {
        Some((survey, elapsed)) => (Problem::by(survey.strategy, question).map_err(blamed)?, survey, elapsed),
        None => {
            let searched = with_threads(setting.threads, || search_every_way(question, all, &progress))?;
            let (problem, survey) = searched.map_err(blamed)?;
            (problem, survey, start.elapsed())
        }
    };
    drop(bar);
    let front = survey.sorted(setting.objective);
    Ok(Searched { kernel, setting, problem, survey, front, elapsed, border: Border::Anywhere })
}

impl<'a> Searched<'a> {
    /// The sizes at which designs were costed, where these may be others than those asked for.
    pub fn counted(&self) -> Option<&Bindings> {
        (self.problem.strategy() == Strategy::Solve).then(|| self.problem.sizes())
    }

    /// Whether the schedule is a whole design: nothing was searched, and nobody has counted what it costs.
    pub fn is_given(&self) -> bool {
        self.problem.constraint().given.is_some()
    }

    /// With the design of the front alone that the flags name, where they name one.
    ///
    /// # Errors
    /// The front has no such design.
    pub fn chosen(mut self) -> Checked<Searched<'a>> {
        // Who is interrupted is told the best so far.
        let is_told = self.front.is_empty() || self.setting.end.token.is_cancelled();
        let Some(number) = self.setting.design.filter(|_| !is_told) else { return Ok(self) };
        let count = self.front.len();
        if number >= count {
            let last = count - 1;
            return Diagnostic::usage(format!(
                "the front has {}, and `--design {number}` is none",
                counted(count, "design")
            ))
            .help(format!("they are numbered from 0 to {last}, in the order in which `systole search` shows them"))
            .alone();
        }
        self.front = vec![self.front.swap_remove(number)];
        Ok(self)
    }

    /// A design of the front as one to prove.
    pub fn design(&self, found: &Found) -> Design<'a> {
        self.problem.design(found)
    }

    /// Where the front is empty: the wrong design that the schedule describes, or why there is none.
    pub fn forced(&self) -> Checked<Design<'a>> {
        if self.problem.strategy() == Strategy::Solve {
            // Where a place and a time leave a PE points of one step in more than one direction, nothing is solved for: it is shown.
            let described = if self.survey.unstated > 0 { described::design(self.kernel, self.setting)? } else { None };
            if let Some(design) = described {
                return Ok(design);
            }
            return Err(refusal::why_nothing(self, crate::driver::pipeline::LIMIT)?);
        }
        // A map that is turned down for its clock may break no law that a proof is about.
        let described = described::design(self.kernel, self.setting)?;
        let described = described.filter(|_| !self.survey.rejections.are_of_the_clock());
        described.ok_or_else(|| vec![refusal::nothing_found(self)])
    }

    /// A design that does what the schedule says and breaks as few laws as it can, where no search finds one; `None` where
    /// [`Searched::forced`] has it, or there is none.
    pub fn nearest(&self, limit: u64) -> Option<Design<'a>> {
        refusal::nearest_design(self, limit)
    }

    /// All obligations of a design, with these claims.
    pub fn obligations(&self, design: &Design, claims: Claims) -> Checked<Vec<Obligation>> {
        let links = &self.setting.machine.links;
        let mut stated = match claims.depth {
            None => timing::obligations(design, links),
            Some(depth) => timing::obligations_within(design, links, depth),
        }?;
        if claims.outstanding.is_some() {
            stated.retain(|obligation| obligation.kind != Kind::LoadDepth);
            stated.extend(timing::load_depth_obligations(design, links, claims.outstanding));
        }
        Ok(stated)
    }

    /// What must be proved of a design so that no run of its program without clocks waits for ever, whoever owns which PE; at this
    /// depth of every channel where it is given.
    pub fn no_deadlock(&self, design: &Design, depth: Option<u64>) -> Checked<Vec<Obligation>> {
        match self.border {
            // What loads and recovers through the array has a program of its own, which says itself why it ends.
            Border::Loads => Ok(vec![]),
            Border::Anywhere | Border::Ports(_) => {
                timing::no_deadlock_obligations(design, &self.setting.machine.links, depth, PeOrder::AsTheyCan)
            }
        }
    }

    /// Has the separate checker count a design again, point by point.
    pub fn confirm(&self, found: &Found) -> Checked<()> {
        verify(&self.problem, found).map_err(|why| vec![refused_by_checker(&why)])
    }

    /// What a search that was stopped has found so far, as a message.
    pub fn stopped<T>(&self) -> Checked<T> {
        let kernel = &self.kernel.cut.kernel;
        let said = Diagnostic::new(format!("the search for a design of `{kernel}` was stopped"));
        let best = self.front.first().map(|found| show::design_rows(self, found).join("\n"));
        match best {
            Some(rows) => said.note(format!("the best so far:\n{}\n{rows}", show::TITLES)),
            None => said.note("no design was found so far"),
        }
        .help("--budget with fewer maps gives an answer sooner, the same one each time")
        .alone()
    }

    /// Why the search found nothing, as one of the kinds.
    pub fn refusal(&self) -> Refusal {
        refusal::Reason::of(self).refusal
    }

    /// Why the search found nothing; what is proved for that has so many milliseconds for each obligation.
    pub fn why_nothing(&self, limit: u64) -> Checked<Diagnostics> {
        refusal::why_nothing(self, limit)
    }

    /// The program of a proved design.
    pub fn program(&self, design: &Design) -> Checked<Program> {
        Ok(self.kernel.origin.finish(border::program(self, design)?))
    }

    /// What the equations mean for these inputs, in the order of the design.
    pub fn expected(&self, design: &Design, inputs: &Tensors) -> Checked<Tensors> {
        self.expected_at(design, &self.setting.given, inputs)
    }

    /// The same at other sizes than those that were given.
    pub fn expected_at(&self, design: &Design, sizes: &Bindings, inputs: &Tensors) -> Checked<Tensors> {
        let origin = &self.kernel.origin;
        let chains = design.system.spaces.iter().zip(design.parts.iter().map(|part| &part.dataflow.chain));
        match origin.tiled() {
            Some(tiled) => origin.expected(tiled, &chains.collect::<Vec<_>>(), sizes, inputs),
            None => {
                let chains: Vec<Chain> = chains.map(|(_, chain)| chain.clone()).collect();
                evaluate_system_in_order(&origin.system, design.system, &chains, sizes, inputs)
            }
        }
    }
}
