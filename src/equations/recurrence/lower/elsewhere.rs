//! `L[i, j] = 0 elsewhere`: what no other equation of the tensor defines.
//!
//! In: such an equation, and all others. Out: equations of the elements that are left, with disjoint sets of points. Where others define
//! elements by strides, such as `y[2*i]`, it is one for each rest of the index.

use super::Lowering;
use super::halves::Divided;
use crate::recurrence::{Equation, gather};
use crate::syntax::ast;
use crate::syntax::ast::{Half, Spanned};
use std::collections::BTreeSet;
use systole_base::integer::{Affine, Name, Polyhedron, name};
use systole_base::span::Span;

/// How many equations one may stand for.
const CASE_LIMIT: usize = 32;

impl Lowering<'_> {
    pub(super) fn lower_elsewhere(
        &mut self,
        equation: &Spanned<ast::Equation>,
        others: &[Equation],
    ) -> Option<Vec<Equation>> {
        let (whole, divided) = self.lower_before_division(equation)?;
        if self.replaced.iter().any(|replaced| replaced.tensor == whole.tensor.name) {
            let message = format!("`{}` is replaced in its place and has nothing elsewhere", whole.tensor.name);
            let help = "leave it out: an element that no equation replaces keeps its value";
            self.report(self.blame(equation.span, message, "speaks of all elements that are left").help(help));
            return None;
        }
        let indices: Vec<Name> = whole.target.subscripts.iter().filter_map(Affine::as_variable).cloned().collect();
        let is_plain = whole.indices.iter().all(|index| indices.contains(&index.node));
        let places = [whole.target.subscripts.len(), whole.indices.len()];
        if !is_plain || places.iter().any(|count| *count != indices.len()) {
            return self.refuse_elsewhere(equation, "has something else than one index in each place");
        }
        let tensor = &whole.tensor.name;
        let wholes = self.wholes.clone();
        let is_divided = |other: &&Equation| wholes.iter().any(|whole| whole.span == other.span);
        let others = others.iter().filter(|other| !is_divided(other)).chain(&wholes);
        let others: Vec<&Equation> = others.filter(|other| other.target == *tensor).collect();
        let divided: Vec<Divided> = divided.into_iter().chain(self.strides(&indices, &others, equation.span)).collect();
        let mut equations = vec![];
        for image in self.images(&divided, &indices, equation.span)? {
            let elements: Vec<Affine> =
                indices.iter().map(|index| Affine::variable(index).substitute(&image)).collect();
            if let Some(strided) = others.iter().find(|other| self.defined_by(other, &elements).is_none()) {
                let message = format!("which elements of `{}` are left cannot be said by inequalities", tensor);
                let blamed = self.blame(equation.span, message, "elsewhere than another equation says");
                let blamed = blamed.label(self.source, strided.span, "this one defines elements by strides");
                self.report(blamed.help("write an equation for the strides between, as in `y[2*i + 1] = 0`"));
                return None;
            }
            let Some(left) = self.left_of(whole.set.substitute(&image), &elements, &others) else {
                return self.refuse_elsewhere(equation, "leaves more sets of elements than can be said");
            };
            equations.extend(self.of_image(&whole, &image, &left, equation.span)?);
        }
        Some(equations)
    }

    /// What makes each index its rests by the strides of the equations: where one defines `y[2*i + 1]`, one for odd and one for even.
    fn strides(&self, indices: &[Name], others: &[&Equation], span: Span) -> Vec<Divided> {
        let stride = |other: &Equation, axis: usize| {
            let own = &other.domain.indices;
            Affine::from_row(own, &other.subscripts[axis].row(own)).content()
        };
        let of_axis = |(axis, index): (usize, &Name)| {
            let strides: BTreeSet<i64> = others.iter().map(|other| stride(other, axis)).filter(|by| *by > 1).collect();
            let divided = |by: i64| {
                let name = name(&format!("{index} mod {by}"));
                Divided { name, form: Affine::variable(index), by, half: Half::Rest, span }
            };
            strides.into_iter().map(divided).collect::<Vec<Divided>>()
        };
        indices.iter().enumerate().flat_map(of_axis).collect()
    }

    fn refuse_elsewhere<T>(&mut self, equation: &Spanned<ast::Equation>, why: &str) -> Option<T> {
        let message = format!("an equation of what is defined nowhere else {why}");
        let help = "write one index in each place on the left, as in `L[i, j] = 0 elsewhere`";
        self.report(self.blame(equation.span, message, "speaks of all elements that are left").help(help));
        None
    }

    /// The points of a set that have an element with these subscripts which no equation of the tensor defines, as disjoint sets; `None` where
    /// they cannot be said, or are too many.
    pub(super) fn left_of(
        &self,
        set: Polyhedron,
        subscripts: &[Affine],
        others: &[&Equation],
    ) -> Option<Vec<Polyhedron>> {
        let sizes = Polyhedron::sizes(&self.parameters);
        let mut left = vec![set];
        for other in others {
            let defined = self.defined_by(other, subscripts)?;
            let outside = |part: Polyhedron| match part.intersect(&defined).intersect(&sizes).is_empty() {
                true => vec![part],
                false => part.outside(&defined),
            };
            left = left.into_iter().flat_map(outside).filter(|part| !part.intersect(&sizes).is_empty()).collect();
            if left.len() > CASE_LIMIT {
                return None;
            }
        }
        Some(left)
    }

    /// The elements that an equation defines of those with these forms for subscripts, by what stands in these; `None` where they are no set
    /// of inequalities.
    fn defined_by(&self, equation: &Equation, subscripts: &[Affine]) -> Option<Polyhedron> {
        let equation = gather(equation, self.tensor(&equation.target)?);
        let own = |index: &Name| name(&format!("own {index}"));
        let renamed = |form: &Affine| {
            form.rename(|known| if equation.domain.indices.contains(known) { own(known) } else { known.clone() })
        };
        let points = equation.domain.set.constraints().iter().map(renamed);
        let at = subscripts.iter().zip(&equation.subscripts).flat_map(|(subscript, form)| {
            let apart = renamed(form) - subscript.clone();
            [apart.clone(), -apart]
        });
        let mut set = Polyhedron::new(points.chain(at));
        let mut open: Vec<Name> = equation.domain.indices.iter().map(own).collect();
        while !open.is_empty() {
            let (place, shadow) =
                open.iter().enumerate().find_map(|(place, index)| Some((place, set.eliminate_exactly(index)?)))?;
            (set, _) = (shadow, open.remove(place));
        }
        Some(set)
    }
}
