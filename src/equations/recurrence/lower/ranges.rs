//! The ranges of indices that have none of their own.
//!
//! An index takes `0 <= index < extent` from subscripts that are exactly that index. Of an index of the target those of
//! the target count, whatever else is read; of one that a reduction binds all of them must agree.

use super::Lowering;
use crate::recurrence::Expr;
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron};
use systole_base::span::Span;

/// A tensor access as ranges see it: subscripts, extents and the place in the text.
#[derive(Clone)]
pub(super) struct Use {
    pub(super) subscripts: Vec<Affine>,
    pub(super) shape: Vec<Affine>,
    pub(super) span: Span,
}

impl Use {
    /// Each name that `image` knows is replaced by its image.
    pub(super) fn substitute(&mut self, image: &BTreeMap<Name, Affine>) {
        self.subscripts.iter_mut().for_each(|form| *form = form.substitute(image));
    }
}

/// An extent and the access it comes from.
type Claim = (Affine, Span);

impl Lowering<'_> {
    /// The range that `uses` give to an index, or a report that they give none or two different ones.
    pub(super) fn infer_range(&mut self, index: &Name, span: Span, uses: &[Use], help: &str) -> Option<Polyhedron> {
        let claims = list_claims(index, uses);
        let Some((extent, first)) = claims.first() else {
            self.report_no_range(index, span, "no subscript is exactly this index", help);
            return None;
        };
        if let Some((other, second)) = claims.iter().find(|(other, _)| !self.are_same(other, extent)) {
            let message = format!("index `{index}` ranges over both `0..{extent}` and `0..{other}`");
            let diagnostic = self
                .blame(*first, message, &format!("`{index}` runs to `{extent}` here"))
                .label(self.source, *second, format!("and to `{other}` here"))
                .help(help);
            self.report(diagnostic);
            return None;
        }
        Some(half_open(index, &Affine::default(), extent))
    }

    /// A report that nothing bounds an index.
    pub(super) fn report_no_range(&mut self, index: &Name, span: Span, label: &str, help: &str) {
        self.report(self.blame(span, format!("index `{index}` has no range"), label).help(help));
    }

    /// Every read in an expression.
    pub(super) fn uses_in(&self, expression: &Expr) -> Vec<Use> {
        let mut uses = vec![];
        self.collect_uses(expression, &mut uses);
        uses
    }

    /// The extents that cut an index of the target. Where the target says none, reads do that agree; where the target and reads
    /// differ, conditions that bound the index by themselves are its range.
    pub(super) fn extents_of(&self, index: &Name, target: &Use, reads: &[Use], is_bounded: bool) -> Vec<Affine> {
        let extents =
            |uses: &[Use]| list_claims(index, uses).into_iter().map(|(extent, _)| extent).collect::<Vec<Affine>>();
        let (own, read) = (extents(std::slice::from_ref(target)), extents(reads));
        let all: Vec<&Affine> = own.iter().chain(&read).collect();
        let agree = all.windows(2).all(|pair| self.are_same(pair[0], pair[1]));
        match (agree, own.is_empty()) {
            (true, _) => own.into_iter().chain(read).take(1).collect(),
            (false, false) if !is_bounded => own,
            (false, _) => vec![],
        }
    }

    /// Whether two extents are one number at all sizes that the kernel has.
    fn are_same(&self, one: &Affine, other: &Affine) -> bool {
        let sizes = Polyhedron::sizes(&self.parameters);
        let apart = one.clone() - other.clone();
        one == other || (sizes.implies(&apart) && sizes.implies(&-apart))
    }

    fn collect_uses(&self, expression: &Expr, uses: &mut Vec<Use>) {
        match expression {
            Expr::Number(_) | Expr::Index(_) => {}
            Expr::Read { tensor, subscripts, span } => {
                let shape = self.tensor(tensor).map(|tensor| tensor.shape.clone()).unwrap_or_default();
                uses.push(Use { subscripts: subscripts.clone(), shape, span: *span });
            }
            Expr::Apply(_, arguments) => arguments.iter().for_each(|argument| self.collect_uses(argument, uses)),
            Expr::Reduce { body, .. } => self.collect_uses(body, uses),
        }
    }
}

/// `low <= index < high`.
pub(super) fn half_open(index: &Name, low: &Affine, high: &Affine) -> Polyhedron {
    let variable = Affine::variable(index);
    Polyhedron::new([variable.clone() - low.clone(), high.clone() - variable - Affine::constant(1)])
}

fn list_claims(index: &Name, uses: &[Use]) -> Vec<Claim> {
    let matching = |item: &Use| {
        let pairs = item.subscripts.iter().zip(&item.shape);
        let exact = pairs.filter(|(subscript, _)| subscript.as_variable() == Some(index));
        exact.map(|(_, extent)| (extent.clone(), item.span)).collect::<Vec<Claim>>()
    };
    uses.iter().flat_map(matching).collect()
}
