//! Right-hand sides, gone through and rebuilt.

use super::{Domain, Equation, Expr};
use std::cell::Cell;
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron};

impl Equation {
    /// The equation where indices are these forms of their own.
    pub(super) fn at(&self, image: &BTreeMap<Name, Affine>) -> Equation {
        let subscripts = self.subscripts.iter().map(|form| form.substitute(image)).collect();
        let domain = Domain { set: self.domain.set.substitute(image), ..self.domain.clone() };
        Equation { subscripts, domain, value: self.value.substitute(image), ..self.clone() }
    }

    /// Shows every form of indices and sizes: conditions, subscripts, ranges.
    pub fn visit_forms<'a>(&'a self, see: &mut impl FnMut(&'a Affine)) {
        self.domain.set.constraints().iter().chain(&self.subscripts).for_each(&mut *see);
        self.value.visit_forms(see);
    }
}

impl Expr {
    fn visit_forms<'a>(&'a self, see: &mut impl FnMut(&'a Affine)) {
        match self {
            Expr::Number(_) => {}
            Expr::Index(form) => see(form),
            Expr::Read { subscripts, .. } => subscripts.iter().for_each(see),
            Expr::Apply(_, arguments) => arguments.iter().for_each(|argument| argument.visit_forms(see)),
            Expr::Reduce { range, body, .. } => {
                range.constraints().iter().for_each(&mut *see);
                body.visit_forms(see);
            }
        }
    }

    /// Shows every read, with its subscripts, and `set` with the ranges of the reductions around it.
    pub fn visit_reads<'a>(&'a self, set: &Polyhedron, see: &mut impl FnMut(&'a Name, &'a [Affine], &Polyhedron)) {
        match self {
            Expr::Number(_) | Expr::Index(_) => {}
            Expr::Read { tensor, subscripts, .. } => see(tensor, subscripts, set),
            Expr::Apply(_, arguments) => arguments.iter().for_each(|argument| argument.visit_reads(set, see)),
            Expr::Reduce { range, body, .. } => body.visit_reads(&set.intersect(range), see),
        }
    }

    /// The expression with what it is directly made of changed: arguments, or the body of a reduction.
    pub(super) fn with_parts(&self, changed: &dyn Fn(&Expr) -> Expr) -> Expr {
        match self {
            Expr::Number(_) | Expr::Index(_) | Expr::Read { .. } => self.clone(),
            Expr::Apply(function, arguments) => Expr::Apply(*function, arguments.iter().map(changed).collect()),
            Expr::Reduce { operator, index, range, body, span } => Expr::Reduce {
                operator: *operator,
                index: index.clone(),
                range: range.clone(),
                body: Box::new(changed(body)),
                span: *span,
            },
        }
    }

    /// The expression with other elements read in place of those that `element` knows.
    pub fn redirect(&self, element: &impl Fn(&Name, &[Affine]) -> Option<(Name, Vec<Affine>)>) -> Expr {
        self.rebuild(&BTreeMap::new(), element)
    }

    /// The expression with another element in place of the first read of a tensor that is asked for.
    pub fn redirect_first(&self, is_it: &dyn Fn(&Name) -> bool, element: &(Name, Vec<Affine>)) -> Expr {
        let is_done = Cell::new(false);
        self.redirect(&|tensor, _| (is_it(tensor) && !is_done.replace(true)).then(|| element.clone()))
    }

    /// The expression with indices replaced; none of them may be bound within.
    pub fn substitute(&self, image: &BTreeMap<Name, Affine>) -> Expr {
        self.rebuild(image, &|_, _| None)
    }

    fn rebuild(
        &self,
        image: &BTreeMap<Name, Affine>,
        element: &impl Fn(&Name, &[Affine]) -> Option<(Name, Vec<Affine>)>,
    ) -> Expr {
        match self {
            Expr::Number(value) => Expr::Number(*value),
            Expr::Index(form) => Expr::Index(form.substitute(image)),
            Expr::Read { tensor, subscripts, span } => {
                let subscripts: Vec<Affine> = subscripts.iter().map(|form| form.substitute(image)).collect();
                let (tensor, subscripts) = element(tensor, &subscripts).unwrap_or((tensor.clone(), subscripts));
                Expr::Read { tensor, subscripts, span: *span }
            }
            Expr::Apply(function, arguments) => {
                Expr::Apply(*function, arguments.iter().map(|argument| argument.rebuild(image, element)).collect())
            }
            Expr::Reduce { operator, index, range, body, span } => Expr::Reduce {
                operator: *operator,
                index: index.clone(),
                range: range.substitute(image),
                body: Box::new(body.rebuild(image, element)),
                span: *span,
            },
        }
    }
}
