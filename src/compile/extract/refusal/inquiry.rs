//! A question of which nothing came, asked again with fewer lines of its schedule or on a larger machine.
//!
//! In: the question, its schedule, and how the lines of one restrict a search. Out: a [`Refusal`]. Limit: a search with fewer lines has a
//! part of the budget only. What is said to be refused by itself is searched once more with all of it.

use super::clash::fewest_refused;
use super::order::{Order, affine_order};
use super::times;
use crate::extract::solve::Room;
use crate::extract::{Constraint, Limits, Problem, Question, Survey, search_every_way};
use std::cell::RefCell;
use std::collections::BTreeMap;
use systole_base::diagnostic::{Checked, Diagnostics, refused};
use systole_base::machine::Machine;
use systole_base::network::Network;
use systole_base::refusal::{Clash, NamedDirective, Refusal, WithoutOne};
use systole_base::span::Span;
use systole_equations::recurrence::{Directive, Schedule};

/// A search with fewer lines has one part in so many of the budget.
const SHARE: u64 = 16;

/// How a schedule restricts a search.
pub type Constrain<'q> = &'q dyn Fn(&Schedule) -> Checked<Constraint>;

/// Hears how many of how many places a search has looked at, and says whether to go on.
pub type Progress<'q> = &'q (dyn Fn(usize, usize) -> bool + Sync);

/// What came of a question.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// There is a design.
    Design,
    /// None was found, and there may be one beyond the limits.
    NotFound,
    /// There is none.
    Ruled,
}

/// A question of which nothing came.
pub struct Inquiry<'q> {
    /// The question; what its schedule fixes is asked of `constrain` each time.
    pub question: Question<'q>,
    /// The schedule, if there is one.
    pub schedule: Option<&'q Schedule>,
    /// What some of its lines fix.
    pub constrain: Constrain<'q>,
    /// The network where no line of the schedule says one.
    pub unscheduled: Network,
    /// Whether a search is to go on.
    pub progress: Progress<'q>,
}

impl Inquiry<'_> {
    /// Why the search of the question found nothing. `limits` are what it left out, in words, and `flags` what looks further.
    pub fn refusal(&self, problem: &Problem, survey: &Survey, (limits, flags): (&[String], &[String])) -> Refusal {
        if let Some(machine) = self.too_small(survey) {
            return machine;
        }
        let answer = if self.is_ruled_out(problem, survey) { Answer::Ruled } else { Answer::NotFound };
        let clash = self.clash(answer);
        let not_found = |lines| Refusal::NotFound { limits: limits.to_vec(), flags: flags.to_vec(), lines };
        match clash {
            Some((Answer::Ruled, clash)) => Refusal::Contradiction(clash),
            Some((_, clash)) => not_found(Some(clash)),
            None => self.no_order().unwrap_or_else(|| not_found(None)),
        }
    }

    /// Messages of a schedule that was turned down before anything was searched, as those of a contradiction with the lines that clash; the
    /// same where they are not about its lines.
    pub fn blame(&self, problems: Diagnostics) -> Diagnostics {
        match self.clash(Answer::Ruled) {
            Some((Answer::Ruled, clash)) => refused(Refusal::Contradiction(clash), problems),
            _ => problems,
        }
    }

    /// The lines of the schedule that clash, and whether they rule designs out; `None` where nothing is found without them either.
    fn clash(&self, answer: Answer) -> Option<(Answer, Clash)> {
        let schedule = self.schedule.filter(|schedule| schedule.spaces.is_empty())?;
        let lines: Vec<usize> = restricting(schedule);
        let known = RefCell::new(BTreeMap::from([(lines.clone(), answer)]));
        let limits = Limits { deepens: false, ..self.question.limits.share(SHARE) };
        let ask = |some: &[usize]| {
            // When there is no more time nothing is found out.
            if !(self.progress)(0, 1) {
                return Answer::NotFound;
            }
            let some: Vec<usize> = some.iter().filter_map(|at| lines.get(*at)).copied().collect();
            let before = known.borrow().get(&some).copied();
            before.unwrap_or_else(|| {
                let answer = self.ask(schedule, &some, limits);
                known.borrow_mut().insert(some, answer);
                answer
            })
        };
        let without_design = fewest_refused(lines.len(), |some| ask(some) != Answer::Design);
        let least = ask(&without_design);
        if !without_design.is_empty() && (least == Answer::Ruled || answer != Answer::Ruled) {
            return Some((least, self.confirmed(schedule, &lines, (&without_design, WithoutOne::Design))));
        }
        if answer != Answer::Ruled {
            return None;
        }
        let ruled = fewest_refused(lines.len(), |some| ask(some) == Answer::Ruled);
        let without = |line: &usize| ruled.iter().copied().filter(|other| other != line).collect::<Vec<_>>();
        let is_design = ruled.iter().all(|line| ask(&without(line)) == Answer::Design);
        let without_one = if is_design { WithoutOne::Design } else { WithoutOne::Open };
        (!ruled.is_empty()).then(|| (answer, self.confirmed(schedule, &lines, (&ruled, without_one))))
    }

    /// The lines at these positions, if a search with the whole budget finds nothing with them either; else all lines.
    fn confirmed(&self, schedule: &Schedule, lines: &[usize], (least, without_one): (&[usize], WithoutOne)) -> Clash {
        let some: Vec<usize> = least.iter().filter_map(|at| lines.get(*at)).copied().collect();
        let is_all = some.len() == lines.len();
        let holds = is_all || self.ask(schedule, &some, self.question.limits) != Answer::Design;
        let (named, without_one) = if holds { (&some[..], without_one) } else { (lines, WithoutOne::Unknown) };
        let directives = named.iter().filter_map(|line| schedule.directives.get(*line));
        let lines: Vec<NamedDirective> = directives.map(|(directive, span)| self.line(directive, *span)).collect();
        let splits = self.splits(schedule, &lines);
        match splits.is_empty() {
            true => Clash { lines, without_one },
            // All of this was asked of the spaces that the splits lead to, so they belong to it, whatever comes of it without them.
            false => Clash { lines: splits.into_iter().chain(lines).collect(), without_one: WithoutOne::Unknown },
        }
    }

    /// The lines that split reductions, but for those that are named already.
    fn splits(&self, schedule: &Schedule, named: &[NamedDirective]) -> Vec<NamedDirective> {
        let line = |span: &Span| NamedDirective::new(&self.question.system.source, *span);
        let lines = schedule.splits.iter().map(|(_, span)| line(span));
        lines.filter(|line| named.iter().all(|other| other.line != line.line)).collect()
    }

    fn line(&self, directive: &Directive, span: Span) -> NamedDirective {
        let line = NamedDirective::new(&self.question.system.source, span);
        match directive {
            // Its place is that of the tensor, as in a declaration.
            Directive::Local(tensor) => NamedDirective { text: format!("local {tensor}"), ..line },
            _ => line,
        }
    }

    /// What comes of these lines of the schedule alone, within some limits.
    fn ask(&self, schedule: &Schedule, lines: &[usize], limits: Limits) -> Answer {
        let directives = lines.iter().filter_map(|line| schedule.directives.get(*line)).cloned().collect();
        let fewer = Schedule { directives, ..schedule.clone() };
        let Ok(constraint) = (self.constrain)(&fewer) else { return Answer::Ruled };
        let mut machine = self.question.machine.clone();
        if constraint.network.is_none() {
            machine.links.network = self.unscheduled;
        }
        self.answer(&machine, constraint, limits).map_or(Answer::Ruled, |(answer, _)| answer)
    }

    /// What a search finds on a machine; `None` where it is refused before it begins.
    fn answer(&self, machine: &Machine, constraint: Constraint, limits: Limits) -> Option<(Answer, Vec<Vec<u64>>)> {
        let Question { system, choices, ref bounds, sizes, .. } = self.question;
        let question = Question { system, choices, bounds: bounds.clone(), machine, sizes, constraint, limits };
        let (problem, survey) = search_every_way(question, false, self.progress).ok()?;
        let front = survey.front.designs();
        let room = Room::new(system, machine, sizes);
        let sides = front.iter().map(|found| room.sides(&found.parts)).collect();
        let answer = match front.is_empty() {
            false => Answer::Design,
            true if self.is_ruled_out(&problem, &survey) => Answer::Ruled,
            true => Answer::NotFound,
        };
        Some((answer, sides))
    }

    /// Whether there is no design where a search found none.
    fn is_ruled_out(&self, problem: &Problem, survey: &Survey) -> bool {
        let (system, constraint) = (self.question.system, problem.constraint());
        let has_no_time = || {
            let left = constraint.restrict(system, self.question.choices);
            left.is_ok_and(|left| times::rule_out(system, &left, constraint))
        };
        problem.rules_out(survey) || has_no_time()
    }

    /// That the machine has too few PEs, where there is a design on one that has more.
    fn too_small(&self, survey: &Survey) -> Option<Refusal> {
        let machine = self.question.machine;
        machine.extent.as_ref().filter(|_| survey.rejections.oversized > 0)?;
        let larger = Machine { extent: None, ..machine.clone() };
        let (answer, sides) = self.answer(&larger, self.question.constraint.clone(), self.question.limits)?;
        let fewest = sides.into_iter().min_by_key(|sides| (sides.iter().product::<u64>(), sides.clone()));
        let fewest = fewest.filter(|_| answer == Answer::Design)?;
        let shown: Vec<String> = fewest.iter().map(u64::to_string).collect();
        let takes = vec![format!("an array of {} PEs", shown.join(" x "))];
        Some(Refusal::Machine { machine: machine.name.to_string(), takes })
    }

    /// That the kernel has no affine order.
    fn no_order(&self) -> Option<Refusal> {
        let system = self.question.system;
        let Order::None { rows, left } = affine_order(system) else { return None };
        let read = |(space, operand): (usize, usize)| {
            let space = system.spaces.get(space)?;
            Some((space.operands.get(operand)?.tensor.to_string(), space.name.to_string()))
        };
        Some(Refusal::NoOrder { rows, left: left.into_iter().filter_map(read).collect() })
    }
}

/// The lines of a schedule that restrict a search.
fn restricting(schedule: &Schedule) -> Vec<usize> {
    let restricts = |directive: &Directive| match directive {
        Directive::Fold(_) | Directive::Layout(..) | Directive::Order(_) | Directive::Phase(_) => false,
        // It says where words are kept, not where or when points run.
        Directive::Room(..) => false,
        Directive::BoundaryIo(is_asked) => *is_asked,
        _ => true,
    };
    let lines = schedule.directives.iter().enumerate();
    lines.filter(|(_, (directive, _))| restricts(directive)).map(|(line, _)| line).collect()
}
