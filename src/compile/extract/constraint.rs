//! What a schedule fixes, as a constraint on the search.

use super::wanted::{Wanted, tiles_come_first};
use crate::rewrite::{Choices, Transport};
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Matrix, Name, Vector};
use systole_base::network::Network;
use systole_base::span::Span;
use systole_equations::recurrence::{Directive, Schedule, Space};

/// The parts of a design that are given. What is `None` is searched.
#[derive(Clone, Debug, Default)]
pub struct Constraint {
    /// The place, taken as written.
    pub place: Option<Matrix>,
    /// The step, taken as written.
    pub step: Option<Matrix>,
    /// What tensors do, each with the directive and its place in the source.
    pub transports: Vec<(Name, Wanted, Span)>,
    /// The network the schedule is for.
    pub network: Option<Network>,
    /// Whether values may enter at the boundary only.
    pub boundary_io: bool,
    /// Along which direction of the array a tensor is loaded and recovered.
    pub loading: Vec<(Name, Vector, Span)>,
    /// Where the step, or else the schedule, stands in the source.
    pub span: Option<Span>,
}

impl Constraint {
    /// The constraint that a schedule states on a space.
    ///
    /// # Errors
    /// Directives that name what the space does not have, and those that the mapper cannot honour yet.
    pub fn from_schedule(space: &Space, schedule: &Schedule) -> Checked<Constraint> {
        let mut constraint = Constraint { span: Some(schedule.span), ..Constraint::default() };
        let mut problems = vec![];
        for (directive, span) in &schedule.directives {
            if let Err(problem) = constraint.add(space, directive, *span) {
                problems.push(problem);
            }
        }
        if let (Some((tensor, _, span)), false) = (constraint.loading.first(), constraint.boundary_io) {
            problems.push(
                Diagnostic::new(format!("`{tensor}` is loaded through the array only with `io boundary`"))
                    .label(&space.source, *span, "no effect without it")
                    .help("add `io boundary` to the schedule"),
            );
        }
        if problems.is_empty() { Ok(constraint) } else { Err(problems) }
    }

    fn add(&mut self, space: &Space, directive: &Directive, span: Span) -> Result<(), Diagnostic> {
        match directive {
            Directive::Place(rows) => self.place = Some(matrix(space, rows, span)?),
            Directive::Time(rows) => {
                self.step = Some(matrix(space, rows, span)?);
                self.span = Some(span);
            }
            Directive::Stream(_, along) => {
                along.iter().try_for_each(|along| direction(space, along, span).map(|_| ()))?;
                self.moves(space, directive, span);
            }
            Directive::Broadcast(_, Some(along)) => {
                direction(space, along, span)?;
                self.moves(space, directive, span);
            }
            Directive::Broadcast(..) | Directive::Prefetch(_) | Directive::Feed(_) => {
                self.moves(space, directive, span);
            }
            Directive::BoundaryIo(boundary) => self.boundary_io = *boundary,
            Directive::Load(tensor, along) => self.loading.push((tensor.clone(), along.clone(), span)),
            Directive::Network(word) => self.network = Network::from_keyword(word),
            Directive::Tile(..) => return Err(tiles_come_first(&space.source, span)),
            Directive::FoldBy(_) => {
                return Err(Diagnostic::new("designs that fold PEs are searched as those of several spaces").label(
                    &space.source,
                    span,
                    "not for one space alone",
                ));
            }
            // Who runs a PE, and where arrays are, is the program's.
            Directive::Fold(_) | Directive::Layout(..) | Directive::Order(_) => {}
        }
        Ok(())
    }

    fn moves(&mut self, space: &Space, directive: &Directive, span: Span) {
        let wanted = Wanted::of(directive, space.indices());
        self.transports.extend(wanted.map(|(tensor, wanted)| (tensor.clone(), wanted, span)));
    }

    /// What is left of the choices.
    ///
    /// # Errors
    /// A transport that the rules do not offer for the tensor, with those that they do.
    pub fn restrict(&self, space: &Space, choices: &Choices) -> Checked<Choices> {
        let mut left = choices.clone();
        let mut problems = vec![];
        for (tensor, wanted, span) in &self.transports {
            let kept = if *tensor == space.output {
                keep_chains(&mut left, wanted)
            } else {
                keep_transports(space, &mut left, tensor, wanted)
            };
            if !kept {
                problems.push(refusal(space, choices, (tensor, wanted), *span));
            }
        }
        left.know_numbers(space, |tensor| self.transports.iter().any(|(asked, ..)| asked == tensor));
        if problems.is_empty() { Ok(left) } else { Err(problems) }
    }
}

fn keep_chains(left: &mut Choices, wanted: &Wanted) -> bool {
    let Wanted::Stream(along) = wanted else { return false };
    left.chains.retain(|chain| match along.as_slice() {
        [] => true,
        [along] => chain.directions.contains(along),
        _ => chain.directions == *along,
    });
    !left.chains.is_empty()
}

fn keep_transports(space: &Space, left: &mut Choices, tensor: &Name, wanted: &Wanted) -> bool {
    let mine = space.operands.iter().zip(&mut left.transports).filter(|(operand, _)| operand.tensor == *tensor);
    mine.fold(true, |all, (_, choices)| {
        let kept = wanted.among(choices);
        choices.retain(|choice| kept.contains(choice));
        all && !choices.is_empty()
    })
}

fn refusal(space: &Space, choices: &Choices, (tensor, asked): (&Name, &Wanted), span: Span) -> Diagnostic {
    let offers = |position: usize| choices.transports[position].iter().map(|choice| choice.show(space));
    let mine = space.operands.iter().enumerate().filter(|(_, operand)| operand.tensor == *tensor);
    let mut offered: Vec<String> = mine.flat_map(|(position, _)| offers(position)).collect();
    if *tensor == space.output {
        let directions = choices.chains.iter().flat_map(|chain| &chain.directions);
        offered.extend(directions.map(|along| Transport::Stream(along.clone()).show(space)));
    }
    offered.dedup();
    Diagnostic::new(format!("`{tensor}` cannot be moved by `{}`", asked.show(space)))
        .label(&space.source, span, "the value would change along this direction, or no rule offers it")
        .help(format!("the rules offer for `{tensor}`: {}", offered.join(", ")))
}

fn matrix(space: &Space, rows: &[Affine], span: Span) -> Result<Matrix, Diagnostic> {
    let rows = rows.iter().map(|row| direction(space, row, span)).collect::<Result<Vec<Vector>, Diagnostic>>()?;
    Ok(Matrix::new(rows, space.dimension()))
}

fn direction(space: &Space, form: &Affine, span: Span) -> Result<Vector, Diagnostic> {
    let foreign = form.terms().find(|(name, _)| !space.indices().contains(name));
    if let Some((name, _)) = foreign {
        let indices: Vec<&str> = space.indices().iter().map(|index| &**index).collect();
        return Err(Diagnostic::new(format!("`{name}` is not an index of `{}`", space.kernel))
            .label(&space.source, span, "places, times and directions are over the indices")
            .help(format!("the indices are {}", indices.join(", "))));
    }
    Ok(form.row(space.indices()))
}
