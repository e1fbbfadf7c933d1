//! What a schedule fixes, as a constraint on the search.
//!
//! A directive speaks of index names. A place holds for every family that has all its indices, a time for every space that
//! has them; families and spaces without one of them follow by what they hand to each other. In a kernel of one space every
//! index must be one of that space's, and its time may be a vector.

use super::given::Given;
use super::solve::GivenRows;
use super::wanted::{Wanted, tiles_come_first};
use crate::mapping::{Fold, Rooms};
use crate::rewrite::{Choices, Transport};
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, counted};
use systole_base::integer::{Affine, Matrix, Name, Vector};
use systole_base::network::Network;
use systole_base::span::Span;
use systole_equations::recurrence::spaces::{Family, Side, SpaceSystem};
use systole_equations::recurrence::{Chain, Directive, Operand, Schedule, Space, Strip, TwoSided};
use systole_program::obligation::{Kind, Obligation};

/// The parts of a design that are given. What is `None` is searched.
#[derive(Clone, Debug, Default)]
pub struct Constraint {
    /// For each family its place, where it is given.
    pub places: Vec<Option<Matrix>>,
    /// For each family the rows of its time above the finest, where they are given: what numbers the rounds.
    pub rounds: Vec<Option<Matrix>>,
    /// For each space its step, where it is given, and where in the source.
    pub steps: Vec<Option<(Matrix, Span)>>,
    /// What tensors do, with the directive's place in the source.
    pub transports: Vec<(Directive, Span)>,
    /// Operands, by their spaces, that are to be read through memory.
    pub through_memory: Vec<(usize, usize)>,
    /// The axes of the array, where the kernel is divided into strips that lie along them: a family has the first of the forms that it can.
    pub divided: Vec<Vec<Affine>>,
    /// The network the schedule is for.
    pub network: Option<Network>,
    /// How many PEs are one along each axis, where that is given, and where in the source.
    pub fold: Option<(Vec<i64>, Span)>,
    /// Whether values may enter at the boundary only.
    pub boundary_io: bool,
    /// How many words PEs have for what they keep.
    pub rooms: Rooms,
    /// Where the room of each tensor stands in the source.
    pub room_spans: Vec<(Name, Span)>,
    /// Along which direction of the array a tensor is loaded and recovered.
    pub loading: Vec<(Name, Vector, Span)>,
    /// The whole design, where the schedule is one: nothing is searched.
    pub given: Option<Given>,
    /// Where the step, or else the schedule, stands in the source.
    pub span: Option<Span>,
    /// Where the place stands.
    pub place_span: Option<Span>,
}

impl Constraint {
    /// No constraint.
    pub fn none(system: &SpaceSystem) -> Constraint {
        Constraint {
            places: vec![None; system.families.len()],
            rounds: vec![None; system.families.len()],
            steps: vec![None; system.spaces.len()],
            ..Constraint::default()
        }
    }

    /// The constraint that a schedule states.
    ///
    /// # Errors
    /// Directives that name what no space has, and those that the mapper cannot honour yet.
    pub fn from_schedule(system: &SpaceSystem, schedule: &Schedule) -> Checked<Constraint> {
        let mut constraint = Constraint { span: Some(schedule.span), ..Constraint::none(system) };
        let mut problems = vec![];
        let strips = system.strips();
        for (directive, span) in &schedule.directives {
            let directive = &in_strips(directive, &strips);
            if let Err(problem) = constraint.add(system, directive, *span) {
                problems.push(problem);
            }
        }
        problems.extend(constraint.misfold(system));
        problems.extend(constraint.no_loading(system));
        if problems.is_empty() {
            constraint.given = Given::of(system, schedule)?;
        }
        if problems.is_empty() { Ok(constraint) } else { Err(problems) }
    }

    /// What is said of these families and these spaces.
    pub(super) fn among(&self, families: &[usize], spaces: &[usize]) -> Constraint {
        Constraint {
            places: families.iter().map(|family| self.places[*family].clone()).collect(),
            rounds: families.iter().map(|family| self.rounds[*family].clone()).collect(),
            steps: spaces.iter().map(|space| self.steps[*space].clone()).collect(),
            // Choices among these spaces are restricted already.
            through_memory: vec![],
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

    /// How many rows number the rounds, where a time is given.
    pub fn rounds(&self) -> Option<usize> {
        self.rounds.iter().flatten().next().map(|rounds| rounds.rows().len())
    }

    /// The rows of places and rounds that are given.
    pub(super) fn fixed_rows(&self) -> GivenRows {
        GivenRows { places: self.places.clone(), rounds: self.rounds.clone() }
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

    /// Loading goes through the array, which is what `io boundary` asks for.
    fn no_loading(&self, system: &SpaceSystem) -> Option<Diagnostic> {
        let (tensor, _, span) = self.loading.first().filter(|_| !self.boundary_io)?;
        let said = Diagnostic::new(format!("`{tensor}` is loaded through the array only with `io boundary`"));
        let said = said.label(&system.source, *span, "no effect without it");
        Some(said.help("add `io boundary` to the schedule"))
    }

    /// The place of the only family of a kernel of one space.
    pub fn only_place(&self) -> Option<&Matrix> {
        self.places.first()?.as_ref()
    }

    /// The step of the only space of a kernel of one space.
    pub fn only_step(&self) -> Option<&Matrix> {
        self.steps.first()?.as_ref().map(|(step, _)| step)
    }

    /// Whether the schedule broadcasts a tensor whose every element has one use: over one bus from memory.
    pub fn asks_for_one_bus(&self, space: &Space) -> bool {
        let has_one_use = |operand: &Operand| {
            let rows = operand.access.iter().map(|form| form.row(space.indices())).collect();
            Matrix::new(rows, space.dimension()).null_lattice().is_empty()
        };
        self.transports.iter().any(|(directive, _)| match directive {
            Directive::Broadcast(tensor, None) => {
                let mut reads = space.operands.iter().filter(|operand| operand.tensor == *tensor).peekable();
                reads.peek().is_some() && reads.all(has_one_use)
            }
            _ => false,
        })
    }

    /// Whether the schedule has the partial results of a reduction wait on their PE.
    pub fn keeps_partial_results(&self, space: &Space) -> bool {
        let keeps = |directive: &Directive| *directive == Directive::Local(space.output.clone());
        space.reduction.is_some() && self.transports.iter().any(|(directive, _)| keeps(directive))
    }

    /// The line that an obligation is about: where a room stands, or when points run.
    pub fn line_of(&self, obligation: &Obligation) -> Option<Span> {
        let is_its = |(tensor, _): &&(Name, Span)| obligation.kind == Kind::Room && *tensor == obligation.of;
        self.room_spans.iter().find(is_its).map(|(_, span)| *span).or(self.span)
    }

    /// Whether the schedule says how a tensor moves.
    pub fn moves(&self, tensor: &Name) -> bool {
        self.transports.iter().any(|(directive, _)| subject(directive) == Some(tensor))
    }

    /// Whether the time of any space is given: then steps are not slowed down.
    pub fn fixes_a_step(&self) -> bool {
        self.steps.iter().any(Option::is_some)
    }

    /// Whether a time, a number of rounds, a fold, or where values enter is given.
    pub fn says_when(&self) -> bool {
        let has_rounds = self.rounds.iter().any(Option::is_some);
        has_rounds || self.fixes_a_step() || self.fold.is_some() || self.boundary_io || !self.loading.is_empty()
    }

    /// Whether a place is given, or anything of when it runs.
    pub fn fixes_the_array(&self) -> bool {
        self.places.iter().any(Option::is_some) || self.says_when()
    }

    fn add(&mut self, system: &SpaceSystem, directive: &Directive, span: Span) -> Result<(), Diagnostic> {
        match directive {
            Directive::Place(rows) => self.place(system, rows, span),
            Directive::Time(rows) => self.time(system, rows, span),
            Directive::Stream(tensor, ..)
            | Directive::StreamBoth(tensor, _)
            | Directive::Broadcast(tensor, _)
            | Directive::Prefetch(tensor)
            | Directive::Local(tensor)
            | Directive::Memory(tensor)
            | Directive::Feed(tensor) => {
                if let Some(space) = system.only_space() {
                    along(directive).iter().try_for_each(|form| direction(space, form, span).map(|_| ()))?;
                }
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
            Directive::BoundaryIo(boundary) => {
                if *boundary && system.only_space().is_none() {
                    return Err(through_ports(system, span, "`io boundary` is for kernels of one space so far"));
                }
                self.boundary_io = *boundary;
                Ok(())
            }
            Directive::Network(word) => {
                self.network = Network::from_keyword(word);
                Ok(())
            }
            Directive::FoldBy(factors) => {
                self.fold = Some((factors.clone(), span));
                Ok(())
            }
            Directive::Tile(..) => Err(tiles_come_first(&system.source, span)),
            Directive::Load(tensor, along) => {
                if system.only_space().is_none() {
                    let what = format!("`{tensor}` is loaded through the array only in kernels of one space so far");
                    return Err(through_ports(system, span, &what));
                }
                self.loading.push((tensor.clone(), along.clone(), span));
                Ok(())
            }
            Directive::Room(tensor, words) => self.room(system, (tensor, words), span),
            // Who runs a PE, and where arrays are, is the program's.
            Directive::Fold(_) | Directive::Layout(..) | Directive::Order(_) => Ok(()),
            // Where blocks begin a whole design says; a search tries all.
            Directive::Phase(_) => Ok(()),
        }
    }

    fn room(
        &mut self,
        system: &SpaceSystem,
        (tensor, words): (&Name, &[Option<i64>]),
        span: Span,
    ) -> Result<(), Diagnostic> {
        let Some(known) = system.tensors.iter().find(|known| known.name == *tensor) else {
            let said = Diagnostic::new(format!("`{}` has no tensor `{tensor}`", system.kernel));
            return Err(said.label(&system.source, span, "named here"));
        };
        if known.shape.len() != words.len() {
            let (rank, given) = (counted(known.shape.len(), "dimension"), words.len());
            let said = Diagnostic::new(format!("`{tensor}` has {rank}, and room for {given}"));
            let said = said.label(&system.source, span, "a number for each dimension");
            return Err(said.help("write `_` for a dimension in which each subscript has a word of its own"));
        }
        self.rooms.set(tensor, words.to_vec());
        self.room_spans.push((tensor.clone(), span));
        Ok(())
    }

    fn place(&mut self, system: &SpaceSystem, rows: &[Affine], span: Span) -> Result<(), Diagnostic> {
        self.place_span = Some(span);
        if let Some(space) = system.only_space() {
            self.places = vec![Some(matrix(space, rows, span)?)];
            return Ok(());
        }
        let mut used = false;
        for (family, place) in system.families.iter().zip(&mut self.places) {
            *place = place_of(family, rows);
            used |= place.is_some();
        }
        if used { Ok(()) } else { Err(no_space(system, rows, span)) }
    }

    fn time(&mut self, system: &SpaceSystem, rows: &[Affine], span: Span) -> Result<(), Diagnostic> {
        if let Some(space) = system.only_space() {
            self.steps = vec![Some((matrix(space, rows, span)?, span))];
            let rounds = rows.split_last().map(|(_, rounds)| matrix(space, rounds, span)).transpose()?;
            self.rounds = vec![rounds];
            self.span = Some(span);
            return Ok(());
        }
        let Some((row, rounds)) = rows.split_last() else { return Err(no_space(system, rows, span)) };
        self.span = Some(span);
        let mut used = false;
        for (family, given) in system.families.iter().zip(&mut self.rounds) {
            *given = place_of(family, rounds);
        }
        for ((space, step), member) in system.spaces.iter().zip(&mut self.steps).zip(&system.members) {
            if has_all(space.indices(), row) && self.rounds[member.family].is_some() {
                *step = Some((Matrix::new(vec![row.row(space.indices())], space.dimension()), span));
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
        if let Some(given) = &self.given {
            given.check(system, choices)?;
        }
        let apply = |(directive, span): &(Directive, Span)| apply(system, &mut left, directive, *span).err();
        let problems: Diagnostics = self.transports.iter().filter_map(apply).collect();
        if !problems.is_empty() {
            return Err(problems);
        }
        for (space, operand) in &self.through_memory {
            let offered = &mut left[*space].transports[*operand];
            if offered.contains(&Transport::Memory) {
                *offered = vec![Transport::Memory];
            }
        }
        // What the array computes is not known before the run: where all points read one element, it has to get to them.
        let moves = |tensor: &Name| self.moves(tensor) || system.spaces.iter().any(|space| space.output == *tensor);
        system.spaces.iter().zip(&mut left).for_each(|(space, choices)| choices.know_numbers(space, moves));
        Ok(left)
    }
}

/// A directive over the halves of indices in strips: a place and a time are the same, a direction leads to the next position.
fn in_strips(directive: &Directive, strips: &[Strip]) -> Directive {
    let expanded = |rows: &[Affine]| rows.iter().map(|row| Strip::expand(strips, row)).collect();
    let within = |along: &Affine| Strip::within(strips, along);
    match directive {
        Directive::Place(rows) => Directive::Place(expanded(rows)),
        Directive::Time(rows) => Directive::Time(expanded(rows)),
        Directive::Stream(tensor, along) => Directive::Stream(tensor.clone(), along.iter().map(within).collect()),
        Directive::Broadcast(tensor, along) => Directive::Broadcast(tensor.clone(), along.as_ref().map(within)),
        other => other.clone(),
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

/// Restricts the operands that read the directive's tensor and can do what it says, or else the reductions into it. In a kernel
/// of one space all of them have to.
fn apply(system: &SpaceSystem, left: &mut [Choices], directive: &Directive, span: Span) -> Result<(), Diagnostic> {
    let Some(tensor) = subject(directive) else { return Ok(()) };
    if let Directive::StreamBoth(tensor, indices) = directive {
        away_from_givers(system, left, tensor, indices);
        return Ok(());
    }
    let (mut used, mut all) = (false, true);
    let mut offered: Vec<String> = vec![];
    for (space, choices) in system.spaces.iter().zip(left.iter_mut()) {
        let wanted = Wanted::of(directive, space.indices()).map(|(_, wanted)| wanted);
        let mine = space.operands.iter().zip(&mut choices.transports);
        for (_, transports) in mine.filter(|(operand, _)| operand.tensor == *tensor) {
            offered.extend(transports.iter().map(|transport| transport.show(space)));
            let kept = wanted.as_ref().map(|wanted| wanted.among(transports)).unwrap_or_default();
            if kept.is_empty() {
                all = false;
            } else {
                *transports = kept;
                used = true;
            }
        }
    }
    let is_read = !offered.is_empty();
    let is_local = matches!(directive, Directive::Local(_));
    let reduced = system.spaces.iter().zip(left.iter_mut());
    let reduced = reduced.filter(|(space, _)| !is_read && space.output == *tensor && space.reduction.is_some());
    for (space, choices) in reduced {
        let directions = choices.chains.iter().flat_map(|chain| &chain.directions);
        offered.extend(directions.map(|along| Transport::Stream(along.clone()).show(space)));
        if is_local {
            choices.chains.iter_mut().for_each(|chain| chain.is_kept = true);
            used = true;
            continue;
        }
        let wanted = Wanted::of(directive, space.indices());
        used |= wanted.is_some_and(|(_, wanted)| keep_chains(choices, &wanted));
    }
    match system.only_space() {
        Some(space) if !used || !all => Err(not_along(space, directive, span, offered)),
        None if !used => Err(not_offered(system, tensor, span, offered)),
        _ => Ok(()),
    }
}

/// In the spaces that are cut for a tensor that streams both ways, each stream runs away from where it is computed.
fn away_from_givers(system: &SpaceSystem, left: &mut [Choices], tensor: &Name, indices: &[Name]) {
    for (space, choices) in system.spaces.iter().zip(left) {
        for (operand, transports) in space.operands.iter().zip(&mut choices.transports) {
            for index in indices {
                let asked = TwoSided { tensor: tensor.clone(), index: index.clone() };
                let sign = match asked.side(system, space, operand) {
                    Some(Side::Above) => 1,
                    Some(Side::Below) => -1,
                    Some(Side::At) | None => continue,
                };
                let along: Vector = space.indices().iter().map(|name| sign * i64::from(name == index)).collect();
                transports.retain(|transport| *transport == Transport::Stream(along.clone()));
            }
        }
    }
}

/// Keeps the orders of a reduction that run along what is wanted; false, with nothing changed, where there are none.
fn keep_chains(choices: &mut Choices, wanted: &Wanted) -> bool {
    let Wanted::Stream(along) = wanted else { return false };
    let runs_along = |chain: &&Chain| match along.as_slice() {
        [] => true,
        [along] => chain.directions.contains(along),
        _ => chain.directions == *along,
    };
    let kept: Vec<Chain> = choices.chains.iter().filter(runs_along).cloned().collect();
    let any = !kept.is_empty();
    if any {
        choices.chains = kept;
    }
    any
}

fn subject(directive: &Directive) -> Option<&Name> {
    match directive {
        Directive::Stream(tensor, _)
        | Directive::StreamBoth(tensor, _)
        | Directive::Broadcast(tensor, _)
        | Directive::Prefetch(tensor)
        | Directive::Local(tensor)
        | Directive::Memory(tensor)
        | Directive::Feed(tensor) => Some(tensor),
        _ => None,
    }
}

/// The directions that a directive names.
fn along(directive: &Directive) -> Vec<&Affine> {
    match directive {
        Directive::Stream(_, along) => along.iter().collect(),
        Directive::Broadcast(_, along) => along.iter().collect(),
        _ => vec![],
    }
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

/// What is not for several spaces, since each has ports of its own.
fn through_ports(system: &SpaceSystem, span: Span, what: &str) -> Diagnostic {
    Diagnostic::new(what)
        .label(&system.source, span, "values of several spaces enter through ports of their PEs")
        .help("remove the line")
}

/// What was asked for is not on offer in a kernel of one space.
fn not_along(space: &Space, directive: &Directive, span: Span, mut offered: Vec<String>) -> Diagnostic {
    offered.dedup();
    let (tensor, asked) = match Wanted::of(directive, space.indices()) {
        Some((tensor, wanted)) => (tensor.to_string(), wanted.show(space)),
        None => (String::new(), String::new()),
    };
    Diagnostic::new(format!("`{tensor}` cannot be moved by `{asked}`"))
        .label(&space.source, span, "the value would change along this direction, or no rule offers it")
        .help(format!("the rules offer for `{tensor}`: {}", offered.join(", ")))
}

/// What was asked for is not on offer: because the kernel computes the tensor, or because no rule has it.
fn not_offered(system: &SpaceSystem, tensor: &Name, span: Span, mut offered: Vec<String>) -> Diagnostic {
    offered.sort();
    offered.dedup();
    let defined = system.spaces.iter().find(|space| space.output == *tensor);
    let diagnostic = Diagnostic::new(format!("`{tensor}` cannot be moved so in any space of `{}`", system.kernel));
    let diagnostic = match defined {
        Some(space) => diagnostic
            .label(&system.source, span, "asks for values that are there before the run, in memory")
            .label(&system.source, space.span, format!("`{tensor}` is computed here, while the array runs")),
        None => diagnostic.label(&system.source, span, "no rule offers it"),
    };
    match &offered[..] {
        [] => diagnostic.help(format!("no space reads `{tensor}`: remove the line")),
        _ => diagnostic.help(format!("the rules offer for `{tensor}`: {}", offered.join(", "))),
    }
}
