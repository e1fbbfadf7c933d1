//! What a schedule fixes in a design of several spaces.
//!
//! A directive speaks of index names. A place holds for every family that has all its indices, a time for every space that
//! has them; families and spaces without one of them follow by what they hand to each other.

use crate::extract::wanted::{Wanted, tiles_come_first};
use crate::mapping::Fold;
use crate::rewrite::Choices;
use systole_base::diagnostic::{Checked, Diagnostic, counted};
use systole_base::integer::{Affine, Matrix, Name};
use systole_base::network::Network;
use systole_base::span::Span;
use systole_equations::recurrence::spaces::{Family, SpaceSystem};
use systole_equations::recurrence::{Directive, Schedule};

/// The parts of a design that are given.
#[derive(Clone, Debug, Default)]
pub struct SystemConstraint {
    /// For each family its place, where it is given.
    pub places: Vec<Option<Matrix>>,
    /// For each space its step, where it is given, and where in the source.
    pub steps: Vec<Option<(Vec<i64>, Span)>>,
    /// What tensors do, with the directive's place in the source.
    pub transports: Vec<(Directive, Span)>,
    /// The network the schedule is for.
    pub network: Option<Network>,
    /// How many PEs are one along each axis, where that is given, and where in the source.
    pub fold: Option<(Vec<i64>, Span)>,
    /// Where the step, or else the schedule, stands in the source.
    pub span: Option<Span>,
    /// Where the place stands.
    pub place_span: Option<Span>,
}

impl SystemConstraint {
    /// No constraint.
    pub fn none(system: &SpaceSystem) -> SystemConstraint {
        SystemConstraint {
            places: vec![None; system.families.len()],
            steps: vec![None; system.spaces.len()],
            ..SystemConstraint::default()
        }
    }

    /// The constraint that a schedule states.
    ///
    /// # Errors
    /// Directives that name what no space has, and those that the mapper cannot honour yet.
    pub fn from_schedule(system: &SpaceSystem, schedule: &Schedule) -> Checked<SystemConstraint> {
        let mut constraint = SystemConstraint { span: Some(schedule.span), ..SystemConstraint::none(system) };
        let mut problems = vec![];
        for (directive, span) in &schedule.directives {
            if let Err(problem) = constraint.add(system, directive, *span) {
                problems.push(problem);
            }
        }
        problems.extend(constraint.misfold(system));
        if problems.is_empty() { Ok(constraint) } else { Err(problems) }
    }

    /// What is said of these families and these spaces.
    pub(super) fn among(&self, families: &[usize], spaces: &[usize]) -> SystemConstraint {
        SystemConstraint {
            places: families.iter().map(|family| self.places[*family].clone()).collect(),
            steps: spaces.iter().map(|space| self.steps[*space].clone()).collect(),
            ..self.clone()
        }
    }

    /// The rank of the array, where a place or a fold is given.
    pub fn rank(&self) -> Option<usize> {
        self.placed_rank().or(self.fold.as_ref().map(|(factors, _)| factors.len()))
    }

    fn placed_rank(&self) -> Option<usize> {
        self.places.iter().flatten().next().map(|place| place.rows().len())
    }

    /// What stands against the fold: an array of another rank, or more PEs in one than a program is written for.
    fn misfold(&self, system: &SpaceSystem) -> Option<Diagnostic> {
        let (factors, span) = self.fold.as_ref()?;
        let (axes, most) = (factors.len(), Fold::MOST);
        if let Some(rank) = self.placed_rank().filter(|rank| *rank != axes) {
            let diagnostic = Diagnostic::new(format!("a fold of {}, and an array of {rank}", counted(axes, "axis")));
            let diagnostic = diagnostic.label(&system.source, *span, "one number for each axis of the place");
            return Some(diagnostic.help("write 1 for an axis that is not folded"));
        }
        let volume = factors.iter().try_fold(1i64, |volume, factor| volume.checked_mul(*factor));
        let too_many = volume.is_none_or(|volume| volume > most);
        too_many.then(|| {
            Diagnostic::new(format!("a fold of more than {most} PEs onto one"))
                .label(&system.source, *span, "each of them has a body of its own in the program")
                .help(format!("fold {most} PEs at most"))
        })
    }

    /// Whether the time of any space is given: then steps are not slowed down.
    pub fn fixes_a_step(&self) -> bool {
        self.steps.iter().any(Option::is_some)
    }

    fn add(&mut self, system: &SpaceSystem, directive: &Directive, span: Span) -> Result<(), Diagnostic> {
        match directive {
            Directive::Place(rows) => self.place(system, rows, span),
            Directive::Time(rows) => self.time(system, rows, span),
            Directive::Stream(tensor, ..)
            | Directive::Broadcast(tensor, _)
            | Directive::Prefetch(tensor)
            | Directive::Feed(tensor) => {
                if system.tensors.iter().all(|known| known.name != *tensor) {
                    return Err(Diagnostic::new(format!("`{}` has no tensor `{tensor}`", system.kernel)).label(
                        &system.source,
                        span,
                        "named here",
                    ));
                }
                self.transports.push((directive.clone(), span));
                Ok(())
            }
            Directive::BoundaryIo(true) => Err(Diagnostic::new("`io boundary` is for kernels of one space so far")
                .label(&system.source, span, "values of several spaces enter through ports of their PEs")
                .help("remove the line")),
            Directive::BoundaryIo(false) => Ok(()),
            Directive::Network(word) => {
                self.network = Network::from_keyword(word);
                Ok(())
            }
            Directive::FoldBy(factors) => {
                self.fold = Some((factors.clone(), span));
                Ok(())
            }
            Directive::Tile(..) => Err(tiles_come_first(&system.source, span)),
            Directive::Load(tensor, _) => Err(Diagnostic::new(format!(
                "`{tensor}` is loaded through the array only in kernels of one space so far"
            ))
            .label(&system.source, span, "values of several spaces enter through ports of their PEs")
            .help("remove the line")),
            // Who runs a PE, and where arrays are, is the program's.
            Directive::Fold(_) | Directive::Layout(..) | Directive::Order(_) => Ok(()),
        }
    }

    fn place(&mut self, system: &SpaceSystem, rows: &[Affine], span: Span) -> Result<(), Diagnostic> {
        self.place_span = Some(span);
        let mut used = false;
        for (family, place) in system.families.iter().zip(&mut self.places) {
            *place = place_of(family, rows);
            used |= place.is_some();
        }
        if used { Ok(()) } else { Err(no_space(system, rows, span)) }
    }

    fn time(&mut self, system: &SpaceSystem, rows: &[Affine], span: Span) -> Result<(), Diagnostic> {
        let [row] = rows else {
            return Err(Diagnostic::new(format!("`{}` has several spaces, which need plain times", system.kernel))
                .label(&system.source, span, "a vector")
                .help("write one form, such as `time i + j`"));
        };
        self.span = Some(span);
        let mut used = false;
        for (space, step) in system.spaces.iter().zip(&mut self.steps) {
            if has_all(space.indices(), row) {
                *step = Some((row.row(space.indices()), span));
                used = true;
            }
        }
        if used { Ok(()) } else { Err(no_space(system, rows, span)) }
    }

    /// The choices that the transports of the schedule leave.
    ///
    /// # Errors
    /// A transport that the rules do not offer for the tensor in any space.
    pub fn restrict(&self, system: &SpaceSystem, choices: &[Choices]) -> Checked<Vec<Choices>> {
        let mut left = choices.to_vec();
        for (directive, span) in &self.transports {
            apply(system, &mut left, directive, *span)?;
        }
        let asked = |tensor: &Name| self.transports.iter().any(|(directive, _)| subject(directive) == Some(tensor));
        // What the array computes is not known before the run: where all points read one element, it has to get to them.
        let moves = |tensor: &Name| asked(tensor) || system.spaces.iter().any(|space| space.output == *tensor);
        system.spaces.iter().zip(&mut left).for_each(|(space, choices)| choices.know_numbers(space, moves));
        Ok(left)
    }
}

/// The place of a family that has all indices of the rows.
pub fn place_of(family: &Family, rows: &[Affine]) -> Option<Matrix> {
    let known = rows.iter().all(|row| has_all(&family.indices, row));
    known.then(|| Matrix::new(rows.iter().map(|row| row.row(&family.indices)).collect(), family.indices.len()))
}

fn has_all(indices: &[Name], row: &Affine) -> bool {
    row.terms().all(|(name, _)| indices.contains(name))
}

fn no_space(system: &SpaceSystem, rows: &[Affine], span: Span) -> Diagnostic {
    let shown: Vec<String> = rows.iter().map(Affine::to_string).collect();
    let spaces = system.spaces.iter().map(|space| format!("`{}` ({})", space.name, space.indices().join(", ")));
    Diagnostic::new(format!("no space of `{}` has all indices of ({})", system.kernel, shown.join(", ")))
        .label(&system.source, span, "places, times and directions are over the indices of a space")
        .help(format!("the spaces are {}", spaces.collect::<Vec<_>>().join(", ")))
}

/// Restricts the operands that read the directive's tensor and can do what it says.
fn apply(system: &SpaceSystem, left: &mut [Choices], directive: &Directive, span: Span) -> Checked<()> {
    let Some(tensor) = subject(directive) else { return Ok(()) };
    let mut used = false;
    let mut offered: Vec<String> = vec![];
    for (space, choices) in system.spaces.iter().zip(left.iter_mut()) {
        let mine = space.operands.iter().zip(&mut choices.transports);
        for (_, transports) in mine.filter(|(operand, _)| operand.tensor == *tensor) {
            offered.extend(transports.iter().map(|transport| transport.show(space)));
            let Some((_, wanted)) = Wanted::of(directive, space.indices()) else { continue };
            let kept = wanted.among(transports);
            if !kept.is_empty() {
                *transports = kept;
                used = true;
            }
        }
    }
    offered.sort();
    offered.dedup();
    if used { Ok(()) } else { Err(vec![not_offered(system, tensor, span, &offered)]) }
}

fn subject(directive: &Directive) -> Option<&Name> {
    match directive {
        Directive::Stream(tensor, _)
        | Directive::Broadcast(tensor, _)
        | Directive::Prefetch(tensor)
        | Directive::Feed(tensor) => Some(tensor),
        _ => None,
    }
}

/// What was asked for is not on offer: because the kernel computes the tensor, or because no rule has it.
fn not_offered(system: &SpaceSystem, tensor: &Name, span: Span, offered: &[String]) -> Diagnostic {
    let defined = system.spaces.iter().find(|space| space.output == *tensor);
    let diagnostic = Diagnostic::new(format!("`{tensor}` cannot be moved so in any space of `{}`", system.kernel));
    let diagnostic = match defined {
        Some(space) => diagnostic
            .label(&system.source, span, "asks for values that are there before the run, in memory")
            .label(&system.source, space.span, format!("`{tensor}` is computed here, while the array runs")),
        None => diagnostic.label(&system.source, span, "no rule offers it"),
    };
    match offered {
        [] => diagnostic.help(format!("no space reads `{tensor}`: remove the line")),
        _ => diagnostic.help(format!("the rules offer for `{tensor}`: {}", offered.join(", "))),
    }
}
