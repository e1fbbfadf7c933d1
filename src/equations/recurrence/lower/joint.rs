//! Joint equations, which reduce tuples by a declared reduction, written out as plain equations.
//!
//! In: `(m[i], l[i]) = online(j) (S[i, j], 1)`. Out: for each target a local tensor with one more dimension, here
//! `m_over_j[i, j]` and `l_over_j[i, j]`, the reduction up to and including `j`. Its first element is the first term, as
//! with every reduction; each other is the declared operator of the element before and the next term. Where the operator makes something
//! else of the neutral tuple and the first term than that term, as of a mask, the first element is the neutral tuple, and each term has its
//! place one after. The invariant: every dependence along the reduction is at distance one. A local target is its tensor's last element wherever it is read; an
//! output is a copy of it. Where the range may be empty, or depends on an index of a target, the tensor has a place for every value of
//! the reduction's index, with neutral elements where there is no term, and a target is the neutral tuple where its range is empty.
//! Paper: Cyclotron section 10.3, where this is done by hand.

use super::Lowering;
use super::cases::collect_forms;
use super::equations::{collect_names, count};
use super::laws::changes_first_term;
use super::scan::{Scan, at, rewrite};
use crate::syntax::ast;
use crate::syntax::ast::{Binding, Direction, Expr, Ident, Infix, JointEquation, Reduction, Spanned, Term};
use systole_base::integer::{Affine, Name, Polyhedron, unused};
use systole_base::span::Span;

impl Lowering<'_> {
    /// The file with plain equations alone.
    pub(super) fn expand(&mut self, file: &ast::File) -> ast::File {
        let sound = self.check_reductions(&file.reductions);
        let mut expanded = ast::File { reductions: vec![], joint_equations: vec![], ..file.clone() };
        let mut results: Vec<(Name, Name, Expr)> = vec![];
        let counted: Vec<Option<Spanned<JointEquation>>> =
            file.joint_equations.iter().map(|equation| self.counted(equation)).collect();
        for equation in counted.iter().flatten() {
            let Some(reduction) = self.find_reduction(file, &sound, &equation.node) else { continue };
            let Some(scan) = self.plan(file, &expanded, equation, reduction) else { continue };
            scan.write(file, &mut expanded, &mut results);
        }
        expanded.tensors.retain(|tensor| results.iter().all(|(target, ..)| *target != tensor.node.name.node));
        for equation in &mut expanded.equations {
            equation.node.value = rewrite(&equation.node.value, &|term| redirect(term, &results));
        }
        expanded
    }

    /// The equation with the number of a step in place of an index that has one: `j in N-1..-1 step -1` becomes `j in 0..N`, and
    /// `N-1 - j` stands for `j`.
    fn counted(&mut self, equation: &Spanned<JointEquation>) -> Option<Spanned<JointEquation>> {
        let Binding { index, range: Some((low, high)), step } = &equation.node.binding else {
            return Some(equation.clone());
        };
        let count = match (step, &low.node, &high.node) {
            (1, ..) => return Some(equation.clone()),
            (-1, ..) => difference(low, high),
            (_, Term::Number(first), Term::Number(end)) => {
                let count = ((end - first) / *step as f64).ceil().max(0.0);
                Spanned::new(Term::Number(count), high.span)
            }
            _ => {
                let message = "how many steps there are is no form of sizes".to_owned();
                let help = format!("read `x[{step}*{0}]` over a range of `{0}` by ones", index.node);
                self.report(self.blame(index.span, message, "of a declared reduction").help(help));
                return None;
            }
        };
        let factor = Spanned::new(Term::Number(step.unsigned_abs() as f64), index.span);
        let here = Spanned::new(Term::Name(index.node.clone()), index.span);
        let moved = match step.unsigned_abs() {
            1 => here,
            _ => Spanned::new(Term::Infix(Infix::Multiply, Box::new(factor), Box::new(here)), index.span),
        };
        let sign = if *step < 0 { Infix::Subtract } else { Infix::Add };
        let value = Spanned::new(Term::Infix(sign, Box::new(low.clone()), Box::new(moved)), index.span);
        let at = |part: &Expr| at(part, &index.node, &value);
        let zero = Spanned::new(Term::Number(0.0), low.span);
        let binding = Binding { index: index.clone(), range: Some((zero, count)), step: 1 };
        let terms = equation.node.terms.iter().map(|term| rewrite(term, &at)).collect();
        Some(Spanned::new(JointEquation { binding, terms, ..equation.node.clone() }, equation.span))
    }

    fn find_reduction<'f>(
        &mut self,
        file: &ast::File,
        sound: &[&'f Reduction],
        equation: &JointEquation,
    ) -> Option<&'f Reduction> {
        let word = &equation.reduction;
        let declared = || file.reductions.iter().map(|reduction| &reduction.node.name);
        if declared().all(|name| name != word) {
            self.report_unknown("reduction", &word.node, word.span, declared().map(|name| &*name.node));
            return None;
        }
        let reduction = *sound.iter().find(|reduction| reduction.name == *word)?;
        let (wanted, targets, terms) = (reduction.left.len(), equation.targets.len(), equation.terms.len());
        if wanted != targets || wanted != terms {
            let message = format!("`{}` reduces tuples of {}", word.node, count(wanted, "component"));
            let label = format!("{} and {} here", count(targets, "target"), count(terms, "term"));
            let diagnostic = self.blame(reduction.name.span, message, "declared here");
            self.report(diagnostic.label(self.source, word.span, label));
            return None;
        }
        Some(reduction)
    }

    /// The range, the targets' shapes and the names of what will stand for them, or a report of what is wrong.
    fn plan<'f>(
        &mut self,
        file: &ast::File,
        expanded: &ast::File,
        equation: &'f Spanned<JointEquation>,
        reduction: &'f Reduction,
    ) -> Option<Scan<'f>> {
        let JointEquation { targets, binding, terms, .. } = &equation.node;
        let fits: Vec<bool> =
            targets.iter().map(|target| self.check_joint_target(file, target, &binding.index)).collect();
        let (low, high) = self.find_range(file, binding, terms)?;
        if fits.contains(&false) {
            return None;
        }
        let is_fixed = ![&low, &high].into_iter().any(|bound| names_a_target(bound, &equation.node));
        let is_one_range = [&low, &high].iter().all(|bound| !matches!(bound.node, Term::Call(..)));
        let is_never_empty = is_fixed && is_one_range && self.has_some(&low, &high);
        let extent = if is_never_empty { None } else { Some(self.find_places(file, &equation.node, &high)?) };
        let mut taken: Vec<Name> = expanded.tensors.iter().map(|tensor| tensor.node.name.node.clone()).collect();
        taken.extend(self.parameters.iter().cloned());
        let mut steps = vec![];
        for (target, _) in targets {
            let step = unused(&format!("{}_over_{}", target.node, binding.index.node), &taken);
            taken.push(step.clone());
            steps.push(Spanned::new(step, target.span));
        }
        let span = equation.span;
        let (terms, starts_from_nothing) = (terms.clone(), changes_first_term(reduction, terms));
        Some(Scan { equation: &equation.node, reduction, span, low, high, extent, steps, terms, starts_from_nothing })
    }

    /// Whether the target is declared, is defined as a whole, and does not use the reduction's index.
    fn check_joint_target(&mut self, file: &ast::File, target: &(Ident, Vec<Expr>), index: &Ident) -> bool {
        let (tensor, subscripts) = target;
        let Some(declared) = file.tensors.iter().find(|declared| declared.node.name == *tensor) else {
            let known = file.tensors.iter().map(|declared| &*declared.node.name.node);
            self.report_unknown("tensor", &tensor.node, tensor.span, known);
            return false;
        };
        let wanted = declared.node.shape.len();
        if subscripts.len() != wanted {
            let message = format!("`{}` has {}, {} given", tensor.node, count(wanted, "subscript"), subscripts.len());
            self.report(self.blame(declared.span, message, "declared here").label(
                self.source,
                tensor.span,
                "used here",
            ));
            return false;
        }
        let is_free = |subscript: &Expr| matches!(&subscript.node, Term::Name(name) if *name != index.node);
        let distinct = subscripts.iter().enumerate().all(|(place, subscript)| !subscripts[..place].contains(subscript));
        if declared.node.direction == Direction::In || !distinct || !subscripts.iter().all(is_free) {
            let message = format!("a declared reduction defines the whole of `{}`", tensor.node);
            let help = "write an output or local tensor with one index in each place, none of them reduced";
            self.report(self.blame(tensor.span, message, "not all of it, or an input").help(help));
            return false;
        }
        true
    }

    /// The range of the binding, or the extent that a term has at the index.
    fn find_range(&mut self, file: &ast::File, binding: &Binding, terms: &[Expr]) -> Option<(Expr, Expr)> {
        if let Some(range) = &binding.range {
            return Some(range.clone());
        }
        let index = &binding.index;
        let extent = terms.iter().find_map(|term| find_extent(file, term, &index.node));
        if extent.is_none() {
            let message = format!("index `{}` has no range", index.node);
            let help = format!("give it a range: `{} in 0..N`", index.node);
            self.report(self.blame(index.span, message, "no subscript of a term is exactly this index").help(help));
        }
        Some((Spanned::new(Term::Number(0.0), index.span), extent?))
    }

    /// Whether `low < high` at all sizes; both are forms over sizes alone.
    fn has_some(&mut self, low: &Expr, high: &Expr) -> bool {
        let (low, high) = (self.lower_affine(low, &[]), self.lower_affine(high, &[]));
        let (Some(low), Some(high)) = (low, high) else { return false };
        Polyhedron::sizes(&self.parameters).implies(&(high - low - Affine::constant(1)))
    }

    /// How many values the index has at most, for every element of a target: as many as a term has elements along it, or as the range
    /// has where it is longest.
    fn find_places(&mut self, file: &ast::File, equation: &JointEquation, high: &Expr) -> Option<Expr> {
        let JointEquation { targets, binding, terms, .. } = equation;
        // What a reduction inside reads says nothing where that one is empty.
        let of_term = terms.iter().find_map(|term| find_extent(file, &without_reductions(term), &binding.index.node));
        let places = of_term.unwrap_or_else(|| largest(file, targets, &plainest(high, equation)));
        let form = self.lower_affine(&places, &[])?;
        let at_least_one =
            |form: &Affine| Polyhedron::sizes(&self.parameters).implies(&(form.clone() - Affine::constant(1)));
        Some(if at_least_one(&form) { places } else { written(&form.rising_from(1), places.span) })
    }
}

/// Of several bounds one of sizes alone, else the first.
fn plainest(bound: &Expr, equation: &JointEquation) -> Expr {
    let mut forms = vec![];
    collect_forms(bound, "min", &mut forms);
    let fixed = forms.iter().find(|form| !names_a_target(form, equation));
    fixed.or(forms.first()).unwrap_or(bound).clone()
}

/// A form as an expression of the text.
fn written(form: &Affine, span: Span) -> Expr {
    let number = |value: i64| Spanned::new(Term::Number(value as f64), span);
    let infix = |sign, left, right| Spanned::new(Term::Infix(sign, Box::new(left), Box::new(right)), span);
    let product = |(size, times): (&Name, i64)| {
        infix(Infix::Multiply, number(times), Spanned::new(Term::Name(size.clone()), span))
    };
    form.terms().map(product).fold(number(form.constant_term()), |sum, term| infix(Infix::Add, sum, term))
}

/// Whether a bound names an index of a target.
pub(super) fn names_a_target(bound: &Expr, equation: &JointEquation) -> bool {
    let mut names = vec![];
    collect_names(bound, &mut names);
    let subscripts: Vec<&Expr> = equation.targets.iter().flat_map(|(_, subscripts)| subscripts).collect();
    names.iter().any(|name| subscripts.iter().any(|form| form.node == Term::Name(name.node.clone())))
}

/// A bound with the last value of each target index in place of it, or its first, 0, where the bound falls with it.
fn largest(file: &ast::File, targets: &[(Ident, Vec<Expr>)], bound: &Expr) -> Expr {
    let last = |name: &Name| -> Option<Expr> {
        let found = targets.iter().find_map(|(target, subscripts)| {
            let declared = file.tensors.iter().find(|declared| declared.node.name == *target)?;
            let at = subscripts.iter().position(|form| form.node == Term::Name(name.clone()))?;
            declared.node.shape.get(at).cloned()
        });
        found.map(|extent| {
            let one = Box::new(Spanned::new(Term::Number(1.0), extent.span));
            Spanned::new(Term::Infix(Infix::Subtract, Box::new(extent.clone()), one), extent.span)
        })
    };
    rewrite(bound, &|part| match &part.node {
        Term::Name(name) => last(name),
        Term::Negate(_) | Term::Infix(Infix::Subtract, ..) => Some(rising(part, &last)),
        _ => None,
    })
}

/// A difference with the last values of the indices in what is added, and 0 in what is taken away.
fn rising(difference: &Expr, last: &dyn Fn(&Name) -> Option<Expr>) -> Expr {
    let high = |part: &Expr| {
        rewrite(part, &|inner| match &inner.node {
            Term::Name(name) => last(name),
            _ => None,
        })
    };
    let low = |part: &Expr| {
        rewrite(part, &|inner| match &inner.node {
            Term::Name(name) => last(name).map(|_| Spanned::new(Term::Number(0.0), inner.span)),
            _ => None,
        })
    };
    let node = match &difference.node {
        Term::Infix(sign, left, right) => Term::Infix(*sign, Box::new(high(left)), Box::new(low(right))),
        Term::Negate(operand) => Term::Negate(Box::new(low(operand))),
        other => other.clone(),
    };
    Spanned::new(node, difference.span)
}

/// An expression with the neutral number 0 in place of each reduction.
fn without_reductions(expression: &Expr) -> Expr {
    rewrite(expression, &|part| match &part.node {
        Term::Reduce(..) => Some(Spanned::new(Term::Number(0.0), part.span)),
        _ => None,
    })
}

fn difference(left: &Expr, right: &Expr) -> Expr {
    let node = Term::Infix(Infix::Subtract, Box::new(left.clone()), Box::new(right.clone()));
    Spanned::new(node, left.span)
}

/// The extent of the first access in the expression that has exactly this index as a subscript.
fn find_extent(file: &ast::File, expression: &Expr, index: &Name) -> Option<Expr> {
    let search = |part: &Expr| find_extent(file, part, index);
    match &expression.node {
        // What has an `else` may lie outside.
        Term::Number(_) | Term::Name(_) | Term::Else(..) => None,
        Term::Access(tensor, subscripts) => {
            let declared = file.tensors.iter().find(|declared| declared.node.name == *tensor)?;
            let mut pairs = subscripts.iter().zip(&declared.node.shape);
            let found = pairs.find(|(subscript, _)| matches!(&subscript.node, Term::Name(name) if name == index));
            found.map(|(_, extent)| extent.clone())
        }
        Term::Call(_, arguments) => arguments.iter().find_map(search),
        Term::Negate(operand) | Term::Divide(_, operand, _) | Term::Reduce(_, _, _, operand) => search(operand),
        Term::Infix(_, left, right) | Term::Compare(_, left, right) => search(left).or_else(|| search(right)),
    }
}

/// A read of a local target as a read of the last element of its tensor.
fn redirect(term: &Expr, results: &[(Name, Name, Expr)]) -> Option<Expr> {
    let (tensor, subscripts) = match &term.node {
        Term::Access(tensor, subscripts) => (&tensor.node, subscripts.as_slice()),
        Term::Name(name) => (name, &[][..]),
        _ => return None,
    };
    let (_, steps, last) = results.iter().find(|(target, ..)| target == tensor)?;
    let subscripts = subscripts.iter().chain([last]).cloned().collect();
    Some(Spanned::new(Term::Access(Spanned::new(steps.clone(), term.span), subscripts), term.span))
}
