//! `i div 2` and `i mod 2` in equations.
//!
//! In: an equation in whose forms names stand for quotients and rests. Out: equations without them, which together say the same: one
//! for each rest, in which `2*i + 1` stands for `i`, `i` for `i div 2` and 1 for `i mod 2`. An index that a reduction binds becomes two,
//! since the order of its values is kept: `sum(k in 0..2*N) x[k div 2]` is `sum(k in 0..N, k_rest in 0..2) x[k]`.

use super::Lowering;
use super::equations::Scope;
use super::reductions::Level;
use crate::recurrence::Expr;
use crate::syntax::ast::Half;
use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::{Affine, Name, Polyhedron, lcm, name, unused};
use systole_base::span::Span;

/// How many equations one may stand for.
const CASE_LIMIT: i64 = 32;

/// A quotient or a rest of a form.
#[derive(Clone)]
pub(super) struct Divided {
    /// What stands for it in forms.
    pub(super) name: Name,
    pub(super) form: Affine,
    pub(super) by: i64,
    pub(super) half: Half,
    pub(super) span: Span,
}

/// What names of indices, quotients and rests stand for.
pub(super) type Image = BTreeMap<Name, Affine>;

impl Lowering<'_> {
    /// A quotient or a rest: the form that it is if there is nothing to divide, else a name for it.
    pub(super) fn lower_half(&mut self, half: Half, form: Affine, by: i64, span: Span) -> Option<Affine> {
        if by < 1 {
            let blamed = self.blame(span, "a division by 0".to_owned(), "has no value");
            self.report(blamed.help("divide by a whole number of 1 or more"));
            return None;
        }
        let text = if form.as_variable().is_some() { form.to_string() } else { format!("({form})") };
        let name = name(&format!("{text} {} {by}", half.keyword()));
        let Some(known) = &mut self.divided else {
            let message = format!("`{name}` cannot stand here");
            let help = "equations divide indices; sizes are what the kernel is called with: declare one, as in `kernel f(H)` for `2*H`";
            self.report(self.blame(span, message, "not in an equation").help(help));
            return None;
        };
        let divided = Divided { name: name.clone(), form, by, half, span };
        if known.iter().all(|known| known.name != name) {
            known.push(divided);
        }
        Some(Affine::variable(&name))
    }

    /// What is divided of this index.
    pub(super) fn divided_by_name(&self, index: &Name) -> Vec<Divided> {
        let all = self.divided.iter().flatten();
        all.filter(|divided| divided.form.mentions([index])).cloned().collect()
    }

    /// Whether a form names an index, by itself or divided.
    pub(super) fn mentions_whole(&self, form: &Affine, index: &Name) -> bool {
        let is_divided = |divided: &Divided| form.mentions([&divided.name]) && divided.form.mentions([index]);
        form.mentions([index]) || self.divided.iter().flatten().any(is_divided)
    }

    /// A reduction over an index of which quotients and rests stand in it: over the quotient, and within over the rest.
    pub(super) fn divide_reduced(&mut self, level: Level, body: Expr, scope: &mut Scope) -> Option<Expr> {
        let divided = self.divided_by_name(&level.index);
        let Some(first) = divided.first().cloned() else { return Some(level.around(body)) };
        let is_own = |divided: &&Divided| divided.form.as_variable() == Some(&level.index) && divided.by == first.by;
        if let Some(strange) = divided.iter().find(|divided| !is_own(divided)) {
            let message = format!("`{}` divides what a reduction binds in more than one way", strange.name);
            let help =
                "divide the index alone and by one number, or let two make one: `sum(p in 0..N, q in 0..2) x[2*p + q]`";
            self.report(self.blame(strange.span, message, "in a reduction").help(help));
            return None;
        }
        if let Some(known) = &mut self.divided {
            known.retain(|known| divided.iter().all(|own| own.name != known.name));
        }
        let taken = self.parameters.iter().chain(self.tensors.iter().map(|tensor| &tensor.name)).cloned();
        let taken: Vec<Name> = taken.chain(scope.names()).chain(bound_in(&body)).collect();
        let rest = unused(&format!("{}_rest", level.index), &taken);
        let image = self.image_over(&level.index, &rest, &divided);
        scope.target.substitute(&image);
        let within =
            Polyhedron::new([Affine::variable(&rest), Affine::constant(first.by - 1) - Affine::variable(&rest)]);
        let is_divided = |form: &&Affine| divided.iter().any(|divided| form.mentions([&divided.name]));
        let outer = level.range.constraints().iter().filter(|form| !is_divided(form));
        let outer = Polyhedron::new(outer.map(|form| widest(&form.substitute(&image), &rest, first.by)));
        let known = outer.intersect(&within).intersect(&Polyhedron::sizes(&self.parameters));
        let all = level.range.substitute(&image);
        let inner = all.constraints().iter().filter(|form| !known.implies(form)).cloned();
        let inner = within.intersect(&Polyhedron::new(inner));
        let Level { operator, span, index, .. } = level;
        let inner = Expr::Reduce { operator, index: rest, range: inner, body: Box::new(body.substitute(&image)), span };
        Some(Expr::Reduce { operator, index, range: outer, body: Box::new(inner), span })
    }

    /// What an index and its quotients and rests are, where the index counts quotients.
    fn image_over(&self, index: &Name, rest: &Name, divided: &[Divided]) -> Image {
        let by = divided.first().map_or(1, |divided| divided.by);
        let halves = divided.iter().map(|divided| match divided.half {
            Half::Quotient => (divided.name.clone(), Affine::variable(index)),
            Half::Rest => (divided.name.clone(), Affine::variable(rest)),
        });
        halves.chain([(index.clone(), Affine::term(index, by) + Affine::variable(rest))]).collect()
    }

    /// For each rest of the indices that are divided what all names stand for then; one way where nothing is divided.
    pub(super) fn images(&mut self, divided: &[Divided], free: &[Name], span: Span) -> Option<Vec<Image>> {
        let mut counts: BTreeMap<Name, i64> = BTreeMap::new();
        for Divided { name, form, by, span, .. } in divided {
            if let Some((size, _)) = form.terms().find(|(size, factor)| !free.contains(size) && factor % by != 0) {
                let message = format!("`{name}` depends on the rest of `{size}`, which is any");
                let help = format!(
                    "count from 0, or make the size a multiple: `kernel f({size})` with arrays of `{by}*{size}`"
                );
                self.report(self.blame(*span, message, "of a size").help(help));
                return None;
            }
            for (index, _) in form.terms().filter(|(_, factor)| *factor % by != 0) {
                let count = counts.entry(index.clone()).or_insert(1);
                *count = lcm(*count, *by).unwrap_or(i64::MAX);
            }
        }
        let total = counts.values().try_fold(1i64, |total, count| total.checked_mul(*count));
        if total.is_none_or(|total| total > CASE_LIMIT) {
            let message = format!("an equation with more than {CASE_LIMIT} cases");
            let help = "let two indices make one, as in `y[64*i + r] = x[i] where 0 <= r < 64`";
            self.report(self.blame(span, message, "has so many rests").help(help));
            return None;
        }
        let mut images: Vec<Vec<(Name, i64, i64)>> = vec![vec![]];
        for (index, count) in counts {
            let with = |image: Vec<(Name, i64, i64)>| {
                let index = index.clone();
                (0..count).map(move |rest| image.iter().cloned().chain([(index.clone(), count, rest)]).collect())
            };
            images = images.into_iter().flat_map(with).collect();
        }
        Some(images.into_iter().map(|rests| image_at(&rests, divided)).collect())
    }
}

/// What all names stand for where the indices have these rests.
fn image_at(rests: &[(Name, i64, i64)], divided: &[Divided]) -> Image {
    let value = |(index, count, rest): &(Name, i64, i64)| {
        (index.clone(), Affine::term(index, *count) + Affine::constant(*rest))
    };
    let mut image: Image = rests.iter().map(value).collect();
    for Divided { name, form, by, half, .. } in divided {
        let form = form.substitute(&image);
        let rest = form.constant_term().rem_euclid(*by);
        let whole =
            form.terms().fold(Affine::default(), |whole, (index, factor)| whole + Affine::term(index, factor / by));
        let quotient = whole + Affine::constant((form.constant_term() - rest) / by);
        let half = if *half == Half::Rest { Affine::constant(rest) } else { quotient };
        image.insert(name.clone(), half);
    }
    image
}

/// The form where a rest makes it as large as it can.
fn widest(form: &Affine, rest: &Name, by: i64) -> Affine {
    let most = if form.coefficient(rest) > 0 { by - 1 } else { 0 };
    form.substitute(&BTreeMap::from([(rest.clone(), Affine::constant(most))]))
}

/// The indices that reductions in an expression bind.
fn bound_in(value: &Expr) -> BTreeSet<Name> {
    match value {
        Expr::Number(_) | Expr::Index(_) | Expr::Read { .. } => BTreeSet::new(),
        Expr::Apply(_, arguments) => arguments.iter().flat_map(bound_in).collect(),
        Expr::Reduce { index, body, .. } => bound_in(body).into_iter().chain([index.clone()]).collect(),
    }
}
