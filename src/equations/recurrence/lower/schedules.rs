//! Schedules: each directive speaks of indices and tensors that exist, says one thing once, and can be true.

use super::Lowering;
use super::equations::{collect_names, count};
use crate::recurrence::split::reductions;
use crate::recurrence::{
    Directive, Distribution, Equation, Expr, LeafOrder, Move, Operator, PlacedSpace, Role, Schedule, Split, Strip,
};
use crate::syntax::ast;
use crate::syntax::ast::{Ident, Spanned};
use systole_base::integer::{Affine, Matrix, Name, dot};
use systole_base::refusal::{Clash, Refusal};
use systole_base::span::Span;

/// The largest tile.
const TILE_LIMIT: f64 = 2_147_483_648.0;

const BOUNDARIES: [&str; 2] = ["boundary", "anywhere"];
const NETWORKS: [&str; 6] = ["line", "wire", "mesh", "hex", "king", "torus"];

type Strips = Vec<(Strip, Span)>;
type Splits = Vec<(Split, Span)>;

/// What the equations offer to a schedule.
struct Offer {
    indices: Vec<Name>,
    accesses: Vec<(Name, Vec<Affine>, Span)>,
    /// The tensors that splits add.
    parts: Vec<Name>,
}

impl Lowering<'_> {
    pub(super) fn lower_schedules(&mut self, schedules: &[ast::Schedule], equations: &[Equation]) -> Vec<Schedule> {
        let offer = survey(equations);
        for (position, schedule) in schedules.iter().enumerate() {
            if let Some(first) = schedules[..position].iter().find(|other| other.name == schedule.name) {
                let message = format!("schedule `{}` is declared twice", schedule.name.node);
                let diagnostic = self.blame(first.name.span, message, "first here");
                self.report(diagnostic.label(self.source, schedule.name.span, "again here"));
            }
        }
        // Where an equation is wrong, its indices are missing and every directive would seem wrong too.
        if !self.errors.is_empty() {
            return vec![];
        }
        schedules.iter().map(|schedule| self.lower_schedule(schedule, &offer, equations)).collect()
    }

    fn lower_schedule(&mut self, schedule: &ast::Schedule, offer: &Offer, equations: &[Equation]) -> Schedule {
        let strips = self.lower_strips(schedule, offer);
        let offer = &offer.in_strips(&strips);
        let splits = self.lower_splits(schedule, offer, equations);
        let (strips, splits) = with_reduced_strips(strips, splits, equations);
        let offer = &offer.with_parts(&splits, equations);
        let mut directives: Vec<(Directive, Span)> = vec![];
        let is_space = |directive: &Spanned<ast::Directive>| matches!(directive.node, ast::Directive::Space(_));
        let of_all = schedule.directives.iter().position(is_space).unwrap_or(schedule.directives.len());
        for directive in &schedule.directives[..of_all] {
            if let ast::Directive::Split(..) = directive.node {
                continue;
            }
            let Some(lowered) = self.lower_directive(directive, offer) else { continue };
            match directives.iter().find(|(other, _)| subject(other) == subject(&lowered)) {
                Some((_, first)) => {
                    let message = format!("schedule `{}` fixes {} twice", schedule.name.node, subject(&lowered));
                    let diagnostic = self.blame(*first, message, "first here");
                    self.report(diagnostic.label(self.source, directive.span, "again here"));
                }
                None => directives.push((lowered, directive.span)),
            }
        }
        let spaces = self.lower_spaces(&schedule.directives[of_all..]);
        self.check_rooms(&directives, &spaces);
        Schedule { name: schedule.name.node.clone(), directives, strips, splits, spaces, span: schedule.header.span }
    }

    fn lower_directive(&mut self, directive: &Spanned<ast::Directive>, offer: &Offer) -> Option<Directive> {
        match &directive.node {
            ast::Directive::Place(forms) => self.lower_place(forms, directive.span, offer),
            ast::Directive::Time(forms) => self.lower_rows(forms, offer).map(Directive::Time),
            ast::Directive::Stream(tensor, along) => self
                .lower_tree((tensor, directive.span), along, offer)
                .map(|(tensor, along)| Directive::Stream(tensor, along)),
            ast::Directive::StreamBoth(tensor, indices) => self.lower_both(tensor, indices, offer),
            ast::Directive::Broadcast(tensor, along) => self
                .lower_flow((tensor, directive.span), along.as_ref(), offer)
                .map(|(tensor, along)| Directive::Broadcast(tensor, along)),
            ast::Directive::Local(tensor) => Some(Directive::Local(self.find_computed(tensor, offer)?)),
            ast::Directive::Memory(tensor) => Some(Directive::Memory(self.find_computed(tensor, offer)?)),
            ast::Directive::Room(tensor, words) => self.lower_room(tensor, words, offer),
            ast::Directive::Prefetch(tensor) => Some(Directive::Prefetch(self.find_tensor(tensor)?.name)),
            ast::Directive::Feed(tensor) => Some(Directive::Feed(self.find_tensor(tensor)?.name)),
            ast::Directive::Tile(index, size) => self.lower_tile(index, size, offer),
            ast::Directive::Fold(word) => self.lower_distribution("fold", word).map(Directive::Fold),
            ast::Directive::FoldBy(factors) => {
                let factors: Vec<_> = factors.iter().map(|factor| self.lower_count(factor, "a fold")).collect();
                factors.into_iter().collect::<Option<_>>().map(Directive::FoldBy)
            }
            ast::Directive::Layout(tensor, word) => self.lower_layout(tensor, word),
            ast::Directive::Order(word) => self.lower_order(word).map(Directive::Order),
            ast::Directive::Io(word) => {
                self.choose("io", word, &BOUNDARIES).map(|word| Directive::BoundaryIo(&*word == "boundary"))
            }
            ast::Directive::Load(tensor, along) => self.lower_loading(tensor, along),
            ast::Directive::Network(word) => self.choose("network", word, &NETWORKS).map(Directive::Network),
            ast::Directive::Phase(phases) => {
                let phases: Vec<_> = phases.iter().map(|phase| self.lower_phase(phase)).collect();
                phases.into_iter().collect::<Option<_>>().map(Directive::Phase)
            }
            ast::Directive::Space(_)
            | ast::Directive::Handoff(_)
            | ast::Directive::Bus(_)
            | ast::Directive::Reduce(_)
            | ast::Directive::Split(..)
            | ast::Directive::Position(_) => {
                let message = "this line speaks of one space of a design".to_owned();
                let help = "write it behind a line such as `space S`, in a schedule that says of every space where, when and how";
                self.report(self.blame(directive.span, message, "of no space").help(help));
                None
            }
        }
    }

    /// The strips of which a schedule names a half; each index has one kind. A space of a design may have strips that no equation has:
    /// those of what is written by strides.
    fn lower_strips(&mut self, schedule: &ast::Schedule, offer: &Offer) -> Vec<(Strip, Span)> {
        let mut names = vec![];
        let is_design = schedule.directives.iter().any(|directive| matches!(directive.node, ast::Directive::Space(_)));
        let forms = schedule.directives.iter().flat_map(|directive| forms(&directive.node).iter());
        let levels = schedule.directives.iter().flat_map(|directive| levels(&directive.node));
        let forms = forms.chain(levels.flat_map(|level| &level.indices));
        forms.for_each(|form| collect_names(form, &mut names));
        let mut strips: Vec<(Strip, Span)> = vec![];
        for (half, strip) in names.iter().filter_map(|half| Some((half, Strip::of(&half.node)?))) {
            if !offer.indices.contains(&strip.index) {
                if !is_design {
                    self.report_unknown("index", &strip.index, half.span, offer.indices.iter().map(|name| &**name));
                }
                continue;
            }
            if strip.size < 1 {
                let message = "a strip of no points".to_owned();
                self.report(self.blame(half.span, message, "nothing divides by 0").help("strips are 1 long or more"));
                continue;
            }
            match strips.iter().find(|(known, _)| known.index == strip.index) {
                Some((known, _)) if *known == strip => {}
                Some((known, first)) => {
                    let message =
                        format!("`{}` is in strips of {} and in strips of {}", strip.index, known.size, strip.size);
                    let message = self.blame(*first, message, "first here").label(self.source, half.span, "again here");
                    self.report(message.help("an index has one length of strips in a schedule"));
                    // Its halves are names all the same: one message is enough.
                    strips.push((strip, half.span));
                }
                None => strips.push((strip, half.span)),
            }
        }
        strips
    }

    /// The reductions that a schedule splits, each once, of those that the equations have.
    fn lower_splits(&mut self, schedule: &ast::Schedule, offer: &Offer, equations: &[Equation]) -> Vec<(Split, Span)> {
        let mut splits: Vec<(Split, Span)> = vec![];
        for directive in &schedule.directives {
            let ast::Directive::Split(whole, levels) = &directive.node else { continue };
            let Some(split) = self.lower_split((whole, levels), directive.span, offer) else { continue };
            let is_same = |other: &Split| other.is_of(split.operator, &split.whole());
            if !equations.iter().any(|equation| has_reduction(equation, &split)) {
                let message =
                    format!("no equation has a {} over ({})", split.operator.keyword(), split.whole().join(", "));
                self.report(
                    self.blame(directive.span, message, "splits it")
                        .help("name all indices of the reduction, also those of reductions right inside it"),
                );
            } else if let Some((_, first)) = splits.iter().find(|(other, _)| is_same(other)) {
                let message = format!("schedule `{}` splits this reduction twice", schedule.name.node);
                let message = self.blame(*first, message, "first here");
                self.report(message.label(self.source, directive.span, "again here"));
            } else {
                splits.push((split, directive.span));
            }
        }
        splits
    }

    fn lower_split(
        &mut self,
        (whole, levels): (&ast::Level, &[ast::Level]),
        span: Span,
        offer: &Offer,
    ) -> Option<Split> {
        let Some(operator) = Operator::from_keyword(&whole.operator.node) else {
            let known = Operator::ALL.map(|(_, word)| word).join("`, `");
            let message = format!("`{}` cannot be split", whole.operator.node);
            self.report(
                self.blame(whole.operator.span, message, "no reduction").help(format!("choose one of `{known}`")),
            );
            return None;
        };
        if let Some(other) = levels.iter().find(|level| level.operator.node != whole.operator.node) {
            let message = format!("a {} is not one of `{}`", operator.keyword(), other.operator.node);
            self.report(
                self.blame(other.operator.span, message, "another operator").help("split it into its own kind"),
            );
            return None;
        }
        let wanted = self.lower_level(whole, offer)?;
        let levels: Vec<Option<Vec<Name>>> = levels.iter().map(|level| self.lower_level(level, offer)).collect();
        let split = Split { operator, levels: levels.into_iter().collect::<Option<_>>()? };
        let mut wanted_once = wanted.clone();
        wanted_once.sort();
        let all: Vec<&Name> = split.levels.iter().flatten().collect();
        let is_once = all.iter().enumerate().all(|(number, name)| !all[..number].contains(name));
        let halves: usize = split.strips().len();
        if split.whole() != wanted_once || !is_once || all.len() != wanted.len() + halves {
            let message = format!("a {} over ({}) is split into other indices", operator.keyword(), wanted.join(", "));
            self.report(self.blame(span, message, "each index once, or both halves of it").help(
                "write it as in `split sum(c, k) as sum(k) sum(c)` or `split sum(k) as sum(k div 16) sum(k mod 16)`",
            ));
            return None;
        }
        if split.levels.len() < 2 {
            let message = "a reduction that is split into one is whole".to_owned();
            self.report(self.blame(span, message, "nothing is split").help("leave the line out"));
            return None;
        }
        Some(split)
    }

    /// The indices of one reduction, or halves of them.
    fn lower_level(&mut self, level: &ast::Level, offer: &Offer) -> Option<Vec<Name>> {
        let mut indices = vec![];
        for index in &level.indices {
            let row = self.lower_linear(index, offer)?;
            let Some(index) = row.as_variable() else {
                let message = format!("`{row}` is no index");
                self.report(self.blame(index.span, message, "reduced over").help("name indices alone"));
                return None;
            };
            indices.push(index.clone());
        }
        Some(indices)
    }

    /// A tensor that is declared, or that a split adds.
    fn find_computed(&mut self, tensor: &Ident, offer: &Offer) -> Option<Name> {
        if offer.parts.contains(&tensor.node) {
            return Some(tensor.node.clone());
        }
        Some(self.find_tensor(tensor)?.name)
    }

    /// How many words there are along each dimension.
    fn lower_room(&mut self, tensor: &Ident, words: &[Option<Spanned<f64>>], offer: &Offer) -> Option<Directive> {
        let found = self.find_computed(tensor, offer);
        let mut counted = |words: &Option<Spanned<f64>>| match words {
            Some(words) => self.lower_count(words, "a room").map(Some),
            None => Some(None),
        };
        let words: Option<Vec<Option<i64>>> = words.iter().map(&mut counted).collect();
        Some(Directive::Room(found?, words?))
    }

    /// Only what PEs keep has a room.
    fn check_rooms(&mut self, directives: &[(Directive, Span)], spaces: &[PlacedSpace]) {
        let by_line = |tensor: &Name| directives.iter().any(|(line, _)| *line == Directive::Local(tensor.clone()));
        let by_space = |tensor: &Name| {
            let mut moves = spaces.iter().flat_map(|space| &space.moves);
            moves.any(|(movement, _)| *movement == Move::Local(tensor.clone()))
        };
        for (directive, span) in directives {
            if let Directive::Room(tensor, _) = directive
                && !by_line(tensor)
                && !by_space(tensor)
            {
                let message = format!("`{tensor}` has a room, and no PE keeps it");
                let help = format!("say `local {tensor}` too, or leave the line out");
                self.report(self.blame(*span, message, "words for what is kept").help(help));
            }
        }
    }

    fn lower_phase(&mut self, phase: &Spanned<f64>) -> Option<i64> {
        let message = format!("a fold cannot begin with PE `{}`", phase.node);
        self.lower_whole(phase, TILE_LIMIT, message)
    }

    /// A whole number from 0 on, below a limit; else this is the message.
    pub(super) fn lower_whole(&mut self, number: &Spanned<f64>, limit: f64, message: String) -> Option<i64> {
        if number.node.fract() == 0.0 && (0.0..limit).contains(&number.node) {
            return Some(number.node as i64);
        }
        self.report(self.blame(number.span, message, "no whole number from 0 on"));
        None
    }

    fn lower_place(&mut self, forms: &[ast::Expr], span: Span, offer: &Offer) -> Option<Directive> {
        if forms.len() > offer.indices.len() {
            let room = count(offer.indices.len(), "index").replace("indexs", "indices");
            let message = format!("a place of {} for {room}", count(forms.len(), "coordinate"));
            self.report(self.blame(span, message, "more coordinates than indices"));
            return None;
        }
        self.lower_rows(forms, offer).map(Directive::Place)
    }

    fn lower_rows(&mut self, forms: &[ast::Expr], offer: &Offer) -> Option<Vec<Affine>> {
        let rows: Vec<Option<Affine>> = forms.iter().map(|form| self.lower_linear(form, offer)).collect();
        rows.into_iter().collect()
    }

    /// A computed tensor that streams both ways along these indices.
    fn lower_both(&mut self, tensor: &Ident, indices: &[Ident], offer: &Offer) -> Option<Directive> {
        let found = self.find_tensor(tensor)?;
        if found.role == Role::Input {
            let message = format!("`{}` is given, so it comes from the border and not from within", found.name);
            let index = indices.first().map_or("..", |index| &*index.node);
            let help = format!("stream it one way, such as `stream {} along {index}`", found.name);
            self.report(self.blame(tensor.span, message, "an input").help(help));
            return None;
        }
        if let Some(strange) = indices.iter().find(|index| !offer.indices.contains(&index.node)) {
            self.report_unknown("index", &strange.node, strange.span, offer.indices.iter().map(|name| &**name));
            return None;
        }
        Some(Directive::StreamBoth(found.name, indices.iter().map(|index| index.node.clone()).collect()))
    }

    /// A form of indices only: shifting a whole design changes nothing, so constants are refused.
    fn lower_linear(&mut self, form: &ast::Expr, offer: &Offer) -> Option<Affine> {
        let row = self.lower_affine(form, &offer.indices)?;
        let shifted = row.constant_term() != 0 || row.mentions(&self.parameters);
        if shifted || row.is_constant() {
            let label = if shifted { "has a term without an index" } else { "names no index" };
            let message = "places, times and directions are made of indices alone".to_owned();
            self.report(self.blame(form.span, message, label).help("leave the constant terms out"));
            return None;
        }
        Some(row)
    }

    /// A tensor that moves, with the directions that are given: independent ones, or a later stream has nothing left to do.
    fn lower_tree(
        &mut self,
        (tensor, line): (&Ident, Span),
        along: &[ast::Expr],
        offer: &Offer,
    ) -> Option<(Name, Vec<Affine>)> {
        let found = self.find_tensor(tensor)?.name;
        let flows: Vec<_> = along.iter().map(|along| self.lower_flow((tensor, line), Some(along), offer)).collect();
        let forms: Vec<Affine> = flows.into_iter().map(|flow| flow?.1).collect::<Option<_>>()?;
        let rows: Vec<Vec<i64>> = forms.iter().map(|form| form.row(&offer.indices)).collect();
        let rank = |count: usize| Matrix::new(rows[..count].to_vec(), offer.indices.len()).rank();
        if let Some(last) = (1..=rows.len()).find(|count| rank(*count) < *count) {
            let message = format!("`{found}` cannot be streamed along `{}` as well", forms[last - 1]);
            let diagnostic = self.blame(along[last - 1].span, message, "the directions before it lead there already");
            self.report(diagnostic.help("the directions of a stream are independent, as in `stream W along i, j`"));
            return None;
        }
        Some((found, forms))
    }

    /// A tensor that moves, with the direction where one is given.
    fn lower_flow(
        &mut self,
        (tensor, line): (&Ident, Span),
        along: Option<&ast::Expr>,
        offer: &Offer,
    ) -> Option<(Name, Option<Affine>)> {
        let found = self.find_tensor(tensor);
        let Some(along) = along else { return Some((found?.name, None)) };
        let direction = self.lower_linear(along, offer);
        let (found, direction) = (found?.name, direction?);
        self.moves((tensor, line), &found, (along, &direction), offer).then_some((found, Some(direction)))
    }

    /// A tensor moves only along a direction in which its value does not change.
    fn moves(
        &mut self,
        (tensor, line): (&Ident, Span),
        found: &Name,
        (along, direction): (&ast::Expr, &Affine),
        offer: &Offer,
    ) -> bool {
        let accesses: Vec<_> = offer.accesses.iter().filter(|(name, ..)| name == found).collect();
        let step = direction.row(&offer.indices);
        let stays = |forms: &[Affine]| forms.iter().all(|form| dot(&form.row(&offer.indices), &step) == 0);
        let Some((_, _, changes)) = accesses.first() else {
            let message = format!("`{found}` is not used, so it cannot move");
            self.report(self.blame(tensor.span, message, "no equation uses it"));
            return false;
        };
        if accesses.iter().all(|(_, forms, _)| !stays(forms)) {
            let message = format!("`{found}` cannot move along `{direction}`: its elements change that way");
            let diagnostic = self
                .blame(*changes, message, "a different element at each step")
                .label(self.source, along.span, "the direction")
                .help("a value can pass only between points that use the same element")
                .of_refusal(Refusal::Contradiction(Clash::of_one(self.source, line)));
            self.report(diagnostic);
            return false;
        }
        true
    }

    /// A direction of the array: to a neighbour.
    fn lower_loading(&mut self, tensor: &Ident, along: &[ast::Expr]) -> Option<Directive> {
        let found = self.find_tensor(tensor);
        let entries: Vec<Option<i64>> = along.iter().map(|entry| self.lower_hop(entry)).collect();
        Some(Directive::Load(found?.name, entries.into_iter().collect::<Option<Vec<i64>>>()?))
    }

    fn lower_hop(&mut self, entry: &ast::Expr) -> Option<i64> {
        let form = self.lower_affine(entry, &[])?;
        if form.is_constant() && form.constant_term().abs() <= 1 {
            return Some(form.constant_term());
        }
        let message = "a loading direction leads to a neighbour".to_owned();
        self.report(
            self.blame(entry.span, message, "neither -1, 0 nor 1").help("write it as in `load c along (1, 0)`"),
        );
        None
    }

    fn lower_tile(&mut self, index: &Ident, size: &Spanned<f64>, offer: &Offer) -> Option<Directive> {
        if !offer.indices.contains(&index.node) {
            self.report_unknown("index", &index.node, index.span, offer.indices.iter().map(|name| &**name));
            return None;
        }
        self.lower_count(size, "a tile").map(|size| Directive::Tile(index.node.clone(), size))
    }

    /// How many indices or PEs are taken together.
    fn lower_count(&mut self, count: &Spanned<f64>, what: &str) -> Option<i64> {
        if count.node.fract() == 0.0 && (1.0..=TILE_LIMIT).contains(&count.node) {
            return Some(count.node as i64);
        }
        let message = format!("{what} of `{}` is not a whole number from 1 to {TILE_LIMIT}", count.node);
        self.report(self.blame(count.span, message, &format!("the size of {what}")));
        None
    }

    /// Where an array begins or ends; what is neither read nor written has no place of its own.
    fn lower_layout(&mut self, tensor: &Ident, word: &Ident) -> Option<Directive> {
        let (found, distribution) = (self.find_tensor(tensor), self.lower_distribution("layout", word));
        let found = found?;
        if found.role == Role::Local {
            let message = format!("`{}` has no layout, since it is neither an input nor an output", found.name);
            self.report(self.blame(tensor.span, message, "named here").help("remove the line"));
            return None;
        }
        Some(Directive::Layout(found.name, distribution?))
    }

    fn lower_distribution(&mut self, what: &str, word: &Ident) -> Option<Distribution> {
        let known = Distribution::from_keyword(&word.node);
        if known.is_none() {
            self.choose(what, word, &Distribution::WORDS);
        }
        known
    }

    fn lower_order(&mut self, word: &Ident) -> Option<LeafOrder> {
        let known = LeafOrder::from_keyword(&word.node);
        if known.is_none() {
            self.choose("order", word, &LeafOrder::WORDS);
        }
        known
    }

    /// One of the few words that may follow `what`.
    pub(super) fn choose(&mut self, what: &str, word: &Ident, known: &[&str]) -> Option<Name> {
        if known.contains(&&*word.node) {
            return Some(word.node.clone());
        }
        let message = format!("`{what} {}` is unknown", word.node);
        let help = format!("choose one of `{}`", known.join("`, `"));
        self.report(self.blame(word.span, message, "not known here").help(help));
        None
    }
}

impl Offer {
    /// What may be spoken of where indices are in strips: their halves too.
    fn in_strips(&self, strips: &[(Strip, Span)]) -> Offer {
        let all: Vec<Strip> = strips.iter().map(|(strip, _)| strip.clone()).collect();
        let halves = all.iter().flat_map(|strip| [strip.number(), strip.position()]);
        // An access changes along a half where it changes along the index.
        let access = |form: &Affine| {
            let halves = all.iter().map(|strip| strip.value() * form.coefficient(&strip.index));
            halves.fold(form.clone(), |sum, more| sum + more)
        };
        let accesses = self
            .accesses
            .iter()
            .map(|(tensor, forms, span)| (tensor.clone(), forms.iter().map(access).collect(), *span));
        let indices = self.indices.iter().cloned().chain(halves).collect();
        Offer { indices, accesses: accesses.collect(), parts: vec![] }
    }

    /// What may be spoken of where reductions are split: the tensors that this adds.
    fn with_parts(&self, splits: &[(Split, Span)], equations: &[Equation]) -> Offer {
        let of = |(split, _): &(Split, Span)| {
            let split_so = equations.iter().filter(|equation| has_reduction(equation, split));
            split_so.flat_map(|equation| split.names(&equation.target, &[])).collect::<Vec<_>>()
        };
        let parts = splits.iter().flat_map(of).collect();
        Offer { indices: self.indices.clone(), accesses: self.accesses.clone(), parts }
    }
}

/// The forms over indices in a directive.
fn forms(directive: &ast::Directive) -> &[ast::Expr] {
    match directive {
        ast::Directive::Place(forms)
        | ast::Directive::Time(forms)
        | ast::Directive::Stream(_, forms)
        | ast::Directive::Reduce(forms) => forms,
        ast::Directive::Broadcast(_, along) => along.as_slice(),
        _ => &[],
    }
}

/// The reductions that one is split into.
fn levels(directive: &ast::Directive) -> &[ast::Level] {
    match directive {
        ast::Directive::Split(_, levels) => levels,
        _ => &[],
    }
}

/// The strips of indices that some equation has free, and the splits with those of reductions over other indices in strips.
fn with_reduced_strips(strips: Strips, mut splits: Splits, equations: &[Equation]) -> (Strips, Splits) {
    let is_free = |index: &Name| equations.iter().any(|equation| equation.domain.indices.contains(index));
    let (free, reduced): (Vec<_>, Vec<_>) = strips.into_iter().partition(|(strip, _)| is_free(&strip.index));
    let all: Vec<Strip> = reduced.iter().map(|(strip, _)| strip.clone()).collect();
    for (operator, indices) in equations.iter().flat_map(|equation| reductions(&equation.value)) {
        let Some((_, span)) = reduced.iter().find(|(strip, _)| indices.contains(&strip.index)) else { continue };
        if !splits.iter().any(|(split, _)| split.is_of(operator, &indices)) {
            splits.push((Split::in_strips(operator, &indices, &all), *span));
        }
    }
    (free, splits)
}

fn has_reduction(equation: &Equation, split: &Split) -> bool {
    reductions(&equation.value).iter().any(|(operator, indices)| split.is_of(*operator, indices))
}

/// What a directive fixes; a schedule may fix it once.
fn subject(directive: &Directive) -> String {
    match directive {
        Directive::Place(_) => "`place`".to_owned(),
        Directive::Time(_) => "`time`".to_owned(),
        Directive::Stream(tensor, _) | Directive::Broadcast(tensor, _) => format!("how `{tensor}` moves"),
        Directive::StreamBoth(tensor, _)
        | Directive::Prefetch(tensor)
        | Directive::Feed(tensor)
        | Directive::Local(tensor)
        | Directive::Memory(tensor) => format!("how `{tensor}` moves"),
        Directive::Room(tensor, _) => format!("the room of `{tensor}`"),
        Directive::BoundaryIo(_) => "`io`".to_owned(),
        Directive::Network(_) => "`network`".to_owned(),
        Directive::Phase(_) => "`phase`".to_owned(),
        Directive::Tile(index, _) => format!("the tile of `{index}`"),
        Directive::Fold(_) => "the `fold` onto workers".to_owned(),
        Directive::FoldBy(_) => "the `fold` of PEs".to_owned(),
        Directive::Order(_) => "the `order` of tiles".to_owned(),
        Directive::Load(tensor, _) => format!("how `{tensor}` is loaded"),
        Directive::Layout(tensor, _) => format!("the layout of `{tensor}`"),
    }
}

/// All indices of all equations, and every access with its place.
fn survey(equations: &[Equation]) -> Offer {
    let mut offer = Offer { indices: vec![], accesses: vec![], parts: vec![] };
    for equation in equations {
        equation.domain.indices.iter().for_each(|index| add_index(&mut offer, index));
        offer.accesses.push((equation.target.clone(), equation.subscripts.clone(), equation.span));
        survey_expression(&equation.value, &mut offer);
    }
    offer
}

fn survey_expression(expression: &Expr, offer: &mut Offer) {
    match expression {
        Expr::Number(_) | Expr::Index(_) => {}
        Expr::Read { tensor, subscripts, span } => offer.accesses.push((tensor.clone(), subscripts.clone(), *span)),
        Expr::Apply(_, arguments) => arguments.iter().for_each(|argument| survey_expression(argument, offer)),
        Expr::Reduce { index, body, .. } => {
            add_index(offer, index);
            survey_expression(body, offer);
        }
    }
}

fn add_index(offer: &mut Offer, index: &Name) {
    if !offer.indices.contains(index) {
        offer.indices.push(index.clone());
    }
}
