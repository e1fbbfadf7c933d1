//! Whole designs as text: the schedule that says of every space where and when its points run and how its values move.
//!
//! In: a [`Design`]; out: the lines of a schedule, and back. What is read is held against the spaces and against what the rules offer, and
//! is then taken as it stands: whether it is legal is for the proofs to say. Law: a design that is written and read is the same design.

use super::wanted::is_bus_along;
use crate::mapping::{Axis, Design, Fold, SpaceDesign, SpaceTimeMap};
use crate::rewrite::{Choices, Dataflow, Transport};
use std::fmt::Write;
use std::sync::Arc;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, counted};
use systole_base::integer::{Affine, Matrix, Name, Vector};
use systole_base::span::{Source, Span};
use systole_equations::recurrence::spaces::SpaceSystem;
use systole_equations::recurrence::{Chain, Directive, Move, PlacedSpace, Schedule, Space, TwoSided};

/// The parts of a design that a schedule states, and its fold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// One part a space.
    pub parts: Vec<SpaceDesign>,
    /// Which PEs of the maps' array are one.
    pub fold: Fold,
    /// The lines of the spaces.
    spans: Vec<Span>,
}

/// The lines of a schedule that is this design, without its header.
pub fn design_text(design: &Design) -> String {
    let splits = design.system.splits.iter().map(|split| format!("{split}\n"));
    let mut text: String = splits.collect();
    if !design.fold.is_none() {
        let axes = (0..design.rank()).map(|axis| design.fold.axis(axis));
        let (factors, phases): (Vec<String>, Vec<String>) =
            axes.map(|axis| (axis.factor.to_string(), axis.phase.to_string())).unzip();
        let _ = writeln!(text, "fold ({})   phase ({})", factors.join(", "), phases.join(", "));
    }
    if design.boundary_io {
        text += "io boundary\n";
    }
    text.extend(design.rooms.lines().map(|line| line + "\n"));
    text += &two_sided_text(design.system);
    for (position, (space, part)) in design.system.spaces.iter().zip(&design.parts).enumerate() {
        text += &space_text(
            space,
            part,
            &design.place(position, &design.point(position)),
            &design.time(position, &design.point(position)),
        );
    }
    text
}

/// A line for each tensor that streams both ways from where it is computed: only then are there such spaces.
fn two_sided_text(system: &SpaceSystem) -> String {
    let mut lines: Vec<(&Name, String)> = vec![];
    for TwoSided { tensor, index } in &system.two_sided {
        match lines.iter_mut().find(|(known, _)| *known == tensor) {
            Some((_, line)) => *line += &format!(", {index}"),
            None => lines.push((tensor, format!("stream {tensor} both {index}"))),
        }
    }
    lines.into_iter().map(|(_, line)| line + "\n").collect()
}

fn space_text(space: &Space, part: &SpaceDesign, place: &[Affine], time: &[Affine]) -> String {
    let time = match time {
        [time] => time.to_string(),
        several => format!("({})", list(several)),
    };
    let position = if part.position == 0 { String::new() } else { format!("   position {}", part.position) };
    let mut text = format!("space {}   place ({})   time {time}{position}\n", space.name, list(place));
    let along = |direction: &Vector| Affine::from_row(space.indices(), direction).to_string();
    let all = |directions: &[Vector]| directions.iter().map(along).collect::<Vec<_>>().join(", ");
    let moves = space.operands.iter().zip(&part.dataflow.transports).map(|(operand, transport)| {
        let tensor = &operand.tensor;
        match transport {
            Transport::Stream(direction) => format!("stream {tensor} along {}", along(direction)),
            Transport::Tree(directions) => format!("stream {tensor} along {}", all(directions)),
            Transport::Broadcast(direction) => format!("broadcast {tensor} along {}", along(direction)),
            Transport::Prefetch => format!("prefetch {tensor}"),
            Transport::Feed => format!("feed {tensor}"),
            Transport::Bus => format!("bus {tensor}"),
            Transport::Handoff => format!("handoff {tensor}"),
            Transport::Local => format!("local {tensor}"),
            Transport::Memory => format!("memory {tensor}"),
        }
    });
    let levels = &part.dataflow.chain.directions;
    let reduced = (!levels.is_empty()).then(|| format!("reduce along {}", all(levels)));
    let kept = part.dataflow.chain.is_kept.then(|| format!("local {}", space.output));
    let lines: Vec<String> = moves.chain(reduced).chain(kept).collect();
    if !lines.is_empty() {
        text += &format!("  {}\n", lines.join("   "));
    }
    text
}

fn list(forms: &[Affine]) -> String {
    forms.iter().map(Affine::to_string).collect::<Vec<_>>().join(", ")
}

impl Given {
    /// The design that a schedule is; `None` where it names no space, and leaves something to a search.
    ///
    /// # Errors
    /// Spaces that the kernel has not, or that are left out; places, times and moves that do not fit a space.
    pub fn of(system: &SpaceSystem, schedule: &Schedule) -> Checked<Option<Given>> {
        if schedule.spaces.is_empty() {
            return Ok(None);
        }
        let mut problems: Diagnostics = vec![];
        let named = |placed: &PlacedSpace| system.spaces.iter().any(|space| space.name == placed.name);
        for strange in schedule.spaces.iter().filter(|placed| !named(placed)) {
            let known: Vec<String> = system.spaces.iter().map(|space| format!("`{}`", space.name)).collect();
            let said = Diagnostic::new(format!("`{}` has no space `{}`", system.kernel, strange.name));
            let said = said.label(&system.source, strange.span, "placed here");
            problems.push(said.help(format!("its spaces are {}", known.join(", "))));
        }
        let rank = schedule.spaces.first().map_or(0, |placed| placed.place.len());
        let (mut parts, mut spans) = (vec![], vec![]);
        for space in &system.spaces {
            let Some(placed) = schedule.spaces.iter().find(|placed| placed.name == space.name) else {
                let said = Diagnostic::new(format!("the design does not place the space `{}`", space.name));
                problems.push(said.label(&system.source, schedule.span, "says it of other spaces"));
                continue;
            };
            match (Reader { system, space, placed, rank }).part() {
                Ok(part) => parts.push(part),
                Err(problem) => problems.push(*problem),
            }
            spans.push(placed.span);
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Some(Given { parts, fold: fold(&system.source, schedule, rank)?, spans }))
    }

    /// Whether the rules offer what the design says of every operand and every reduction.
    ///
    /// # Errors
    /// What they do not offer, with what they do.
    pub(super) fn check(&self, system: &SpaceSystem, choices: &[Choices]) -> Checked<()> {
        let mut problems: Diagnostics = vec![];
        for (((space, part), choices), span) in system.spaces.iter().zip(&self.parts).zip(choices).zip(&self.spans) {
            let mut refuse = |tensor: &Name, wanted: String, offered: Vec<String>| {
                let message = format!("no rule offers `{wanted}` for `{tensor}` in the space `{}`", space.name);
                let said = Diagnostic::new(message).label(&system.source, *span, "in this space");
                problems.push(said.help(format!("on offer: {}", offered.join("; "))));
            };
            let offers = space.operands.iter().zip(&part.dataflow.transports).zip(&choices.transports);
            for ((operand, wanted), offered) in offers.filter(|((_, wanted), offered)| !offers_it(offered, wanted)) {
                let shown = offered.iter().map(|transport| transport.show(space)).collect();
                refuse(&operand.tensor, wanted.show(space), shown);
            }
            let chain = &part.dataflow.chain;
            if choices.chains.iter().all(|offered| offered.directions != chain.directions) {
                let show = |chain: &Chain| {
                    let levels: Vec<String> =
                        chain.directions.iter().map(|along| space.show_direction(along)).collect();
                    format!("reduce {}", levels.join(", "))
                };
                refuse(&space.output, show(chain), choices.chains.iter().map(show).collect());
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }
}

/// Whether a transport is among those offered. A bus has no direction of travel; one from memory is a feed of all PEs.
fn offers_it(offered: &[Transport], wanted: &Transport) -> bool {
    match wanted {
        Transport::Bus => offered.contains(&Transport::Feed),
        Transport::Broadcast(along) => offered.iter().any(|choice| is_bus_along(choice, along)),
        wanted => offered.contains(wanted),
    }
}

/// The fold and where its blocks begin.
fn fold(source: &Arc<Source>, schedule: &Schedule, rank: usize) -> Checked<Fold> {
    let find = |wanted: &dyn Fn(&Directive) -> Option<Vec<i64>>| {
        schedule.directives.iter().find_map(|(directive, span)| Some((wanted(directive)?, *span)))
    };
    let factors = find(&|directive| match directive {
        Directive::FoldBy(factors) => Some(factors.clone()),
        _ => None,
    });
    let phases = find(&|directive| match directive {
        Directive::Phase(phases) => Some(phases.clone()),
        _ => None,
    });
    let Some((factors, span)) = factors else { return Ok(Fold::default()) };
    let (phases, _) = phases.unwrap_or_else(|| (vec![0; factors.len()], span));
    let fits = factors.len() == rank && phases.len() == rank;
    if !fits || factors.iter().zip(&phases).any(|(factor, phase)| phase >= factor) {
        let message =
            format!("a fold of an array of {} has as many numbers, each phase below its factor", counted(rank, "axis"));
        return Diagnostic::new(message).label(source, span, "not this one").alone();
    }
    Ok(Fold::new(factors.into_iter().zip(phases).map(|(factor, phase)| Axis { factor, phase }).collect()))
}

/// What is said of one space, while it is read.
struct Reader<'a> {
    system: &'a SpaceSystem,
    space: &'a Space,
    placed: &'a PlacedSpace,
    /// Of the array.
    rank: usize,
}

impl Reader<'_> {
    fn part(&self) -> Result<SpaceDesign, Box<Diagnostic>> {
        let (place, origin) = self.rows(&self.placed.place)?;
        if origin.len() != self.rank {
            return Err(self.refuse("the places of a design have one rank", self.placed.span, "not that of the first"));
        }
        let (step, starts) = self.rows(&self.placed.time)?;
        if starts.is_empty() {
            return Err(self.refuse("no time is given", self.placed.span, "of this space"));
        }
        let dataflow = Dataflow { transports: self.transports()?, chain: self.chain()? };
        Ok(SpaceDesign { map: SpaceTimeMap { place, step }, origin, starts, position: self.placed.position, dataflow })
    }

    /// Forms as a matrix over the indices, and what is added to each over the sizes.
    fn rows(&self, forms: &[Affine]) -> Result<(Matrix, Vec<Affine>), Box<Diagnostic>> {
        let indices = self.space.indices();
        let known = |name: &Name| indices.contains(name) || self.system.parameters.contains(name);
        if let Some((strange, _)) = forms.iter().flat_map(Affine::terms).find(|(name, _)| !known(name)) {
            let message = format!("`{strange}` is neither an index of the space `{}` nor a size", self.space.name);
            return Err(self.refuse(&message, self.placed.span, &format!("its indices are {}", indices.join(", "))));
        }
        let rows: Vec<Vector> = forms.iter().map(|form| form.row(indices)).collect();
        let shift = |form: &Affine| form.clone() - Affine::from_row(indices, &form.row(indices));
        Ok((Matrix::new(rows, self.space.dimension()), forms.iter().map(shift).collect()))
    }

    /// A direction over the indices.
    fn direction(&self, form: &Affine, span: Span) -> Result<Vector, Box<Diagnostic>> {
        let row = form.row(self.space.indices());
        if Affine::from_row(self.space.indices(), &row) != *form || row.iter().all(|entry| *entry == 0) {
            let message = format!("`{form}` is no direction of the space `{}`", self.space.name);
            return Err(self.refuse(&message, span, &format!("its indices are {}", self.space.indices().join(", "))));
        }
        Ok(row)
    }

    fn directions(&self, forms: &[Affine], span: Span) -> Result<Vec<Vector>, Box<Diagnostic>> {
        forms.iter().map(|form| self.direction(form, span)).collect()
    }

    fn chain(&self) -> Result<Chain, Box<Diagnostic>> {
        let directions = self.directions(&self.placed.reduced, self.placed.span)?;
        Ok(Chain { directions, is_kept: self.placed.moves.iter().any(|(movement, _)| self.keeps(movement)) })
    }

    /// Whether a line says that partial results wait in the PE: `local Y` where `Y` is reduced.
    fn keeps(&self, movement: &Move) -> bool {
        let is_read = self.space.operands.iter().any(|operand| operand.tensor == self.space.output);
        *movement == Move::Local(self.space.output.clone()) && self.space.reduction.is_some() && !is_read
    }

    /// How each operand comes, in the order in which they are read.
    fn transports(&self) -> Result<Vec<Transport>, Box<Diagnostic>> {
        let said: Vec<&(Move, Span)> = self.placed.moves.iter().filter(|(movement, _)| !self.keeps(movement)).collect();
        let read = &self.space.operands;
        let is_one =
            said.len() == read.len() && said.iter().zip(read).all(|((said, _), read)| *said.tensor() == read.tensor);
        if !is_one {
            let read: Vec<String> = read.iter().map(|operand| format!("`{}`", operand.tensor)).collect();
            let message = format!("the space `{}` reads {}, in this order", self.space.name, some(&read));
            return Err(self.refuse(&message, self.placed.span, "says something else"));
        }
        said.into_iter().map(|(movement, span)| self.transport(movement, *span)).collect()
    }

    fn transport(&self, movement: &Move, span: Span) -> Result<Transport, Box<Diagnostic>> {
        Ok(match movement {
            Move::Stream(_, along) if along.is_empty() => {
                return Err(self.refuse("a stream of a design has a direction", span, "as in `stream A along j`"));
            }
            Move::Stream(_, along) => Transport::of_streams(self.directions(along, span)?),
            Move::Broadcast(_, along) => Transport::Broadcast(self.direction(along, span)?),
            Move::Prefetch(_) => Transport::Prefetch,
            Move::Feed(_) => Transport::Feed,
            Move::Bus(_) => Transport::Bus,
            Move::Handoff(_) => Transport::Handoff,
            Move::Local(_) => Transport::Local,
            Move::Memory(_) => Transport::Memory,
        })
    }

    fn refuse(&self, message: &str, span: Span, label: &str) -> Box<Diagnostic> {
        Box::new(Diagnostic::new(message).label(&self.system.source, span, label))
    }
}

fn some(names: &[String]) -> String {
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}
