//! Equations: the target, the free indices and their domain, the right-hand side.

use super::Lowering;
use super::definitions::all_within;
use super::halves::{Divided, Image};
use super::ranges::{Use, half_open};
use super::replace::Replaced;
use crate::recurrence::{Domain, Equation, Expr, Role, Strip, Tensor};
use crate::syntax::ast;
use crate::syntax::ast::{Ident, Relation, Spanned, Term};
use systole_base::integer::{Affine, Name, Polyhedron};
use systole_base::span::Span;

/// How many indices an equation may have.
const INDEX_LIMIT: usize = 10;

/// An equation while it is lowered: where it is, what it defines and the indices in scope with their places.
pub(super) struct Scope {
    /// The target as an access, to infer ranges from.
    pub(super) target: Use,
    /// The free indices, then those bound by the enclosing reductions.
    pub(super) indices: Vec<Ident>,
    /// How many are free.
    pub(super) free: usize,
}

/// An equation in whose forms names stand for quotients and rests.
pub(super) struct Undivided {
    pub(super) tensor: Tensor,
    pub(super) indices: Vec<Ident>,
    /// The points, without what the target's extents say of several indices.
    pub(super) set: Polyhedron,
    pub(super) target: Use,
    pub(super) value: Expr,
}

impl Scope {
    /// The names of the indices in scope.
    pub(super) fn names(&self) -> Vec<Name> {
        self.indices.iter().map(|index| index.node.clone()).collect()
    }
}

impl Lowering<'_> {
    /// The equation; one for each rest of what it divides.
    pub(super) fn lower_equation(&mut self, equation: &Spanned<ast::Equation>) -> Option<Vec<Equation>> {
        let (undivided, divided) = self.lower_before_division(equation)?;
        let indices: Vec<Name> = undivided.indices.iter().map(|index| index.node.clone()).collect();
        self.keep_whole(&undivided, &divided, equation.span);
        self.check_steps_whole(&undivided.tensor, &divided)?;
        let mut equations = vec![];
        for image in self.images(&divided, &indices, equation.span)? {
            let set = undivided.set.substitute(&image);
            equations.extend(self.of_image(&undivided, &image, &[set], equation.span)?);
        }
        Some(equations)
    }

    /// An equation before it is divided, and what is divided in it.
    pub(super) fn lower_before_division(
        &mut self,
        equation: &Spanned<ast::Equation>,
    ) -> Option<(Undivided, Vec<Divided>)> {
        self.divided = Some(vec![]);
        let is_reduction = |part: &&ast::Expr| matches!(part.node, Term::Reduce(..));
        self.reductions = all_within(&equation.node.value).filter(is_reduction).cloned().collect();
        let undivided = self.lower_undivided(&equation.node);
        let divided = self.divided.take().unwrap_or_default();
        self.reductions.clear();
        Some((undivided?, divided))
    }

    /// The equations that one is where names stand for these forms, at points of these sets over what stands in them.
    pub(super) fn of_image(
        &mut self,
        undivided: &Undivided,
        image: &Image,
        sets: &[Polyhedron],
        span: Span,
    ) -> Option<Vec<Equation>> {
        let Undivided { tensor, indices, target, value, .. } = undivided;
        let mut target = target.clone();
        target.substitute(image);
        let mut equations = vec![];
        for set in sets {
            let domain = self.lower_domain(indices, set.clone(), &target)?;
            let points = domain.set.intersect(&Polyhedron::sizes(&self.parameters));
            let value = self.close_padding(&value.substitute(image), &points);
            let (target, subscripts) = (tensor.name.clone(), target.subscripts.clone());
            let equation = Equation { target, subscripts, domain, value, span };
            if self.replaced.iter().any(|replaced| replaced.tensor == equation.target) {
                let written = indices.iter().map(|index| Affine::variable(&index.node).substitute(image)).collect();
                self.written.push((equation.clone(), written));
            }
            equations.push(equation);
        }
        Some(equations)
    }

    /// Steps are carried out one after the other, so an equation of what is replaced is not divided by their index; a report if it is.
    fn check_steps_whole(&mut self, tensor: &Tensor, divided: &[Divided]) -> Option<()> {
        let Some(steps) = self.replaced.iter().find(|replaced| replaced.tensor == tensor.name) else { return Some(()) };
        let Some(strange) = divided.iter().find(|divided| divided.form.mentions([&steps.step])) else {
            return Some(());
        };
        let message =
            format!("`{}` divides the index of the steps in which `{}` is replaced", strange.name, tensor.name);
        let help = format!(
            "declare a tensor with an index for the steps in place of `inout {}`: equations of it may divide that index",
            tensor.name
        );
        self.report(self.blame(strange.span, message, "divided here").help(help));
        None
    }

    /// Notes the elements that an equation defines which is divided because of its value alone: its parts define them by strides.
    fn keep_whole(&mut self, undivided: &Undivided, divided: &[Divided], span: Span) {
        let Undivided { tensor, indices, set, target, .. } = undivided;
        let names_half = |form: &Affine| divided.iter().any(|half| form.mentions([&half.name]));
        let mut forms = set.constraints().iter().chain(&target.subscripts);
        if divided.is_empty() || forms.any(names_half) {
            return;
        }
        let indices: Vec<Name> = indices.iter().map(|index| index.node.clone()).collect();
        let domain = Domain { set: self.within_target(&indices, set.clone(), target), indices };
        let (target, subscripts) = (tensor.name.clone(), target.subscripts.clone());
        self.wholes.push(Equation { target, subscripts, domain, value: Expr::Number(0.0), span });
    }

    fn lower_undivided(&mut self, equation: &ast::Equation) -> Option<Undivided> {
        let ast::Equation { target, subscripts, value, conditions, .. } = equation;
        let tensor = self.find_tensor(target)?;
        let whole = target.span.to(subscripts.last().map_or(target.span, |last| last.span));
        let target_fits = self.check_target(&tensor, target, subscripts.len());
        let bound = outermost_indices(value);
        let mut free = self.free_indices(subscripts, &bound);
        // The index of the steps of what is replaced is the first of its equations.
        let steps = self.replaced.iter().find(|replaced| replaced.tensor == tensor.name).cloned();
        if let Some(Replaced { step, span, .. }) = &steps {
            free.retain(|index| index.node != *step);
            free.insert(0, Spanned::new(step.clone(), *span));
        }
        let visible: Vec<Name> = free.iter().chain(bound.iter().copied()).map(|index| index.node.clone()).collect();
        let subscripts = self.lower_list(subscripts, &visible);
        let conditions = self.lower_conditions(conditions, &free, value);
        let target_use = Use { subscripts: subscripts?, shape: tensor.shape.clone(), span: whole };
        let mut scope = Scope { target: target_use, indices: free.clone(), free: free.len() };
        let value = self.lower_expression(value, &mut scope);
        let (value, conditions) = (value?, conditions?);
        if !target_fits {
            return None;
        }
        // `over` alone says where the steps are; a read that they lead out of its array is an error.
        let (of_target, set) = match &steps {
            Some(Replaced { step, range: (low, high), .. }) => (&free[1..], half_open(step, low, high)),
            None => (&free[..], Polyhedron::default()),
        };
        let set = self.within_extents(of_target, &conditions.intersect(&set), &scope, &value);
        Some(Undivided { tensor, indices: free, set, target: scope.target, value })
    }

    fn check_target(&mut self, tensor: &Tensor, target: &Ident, given: usize) -> bool {
        if tensor.role == Role::Input {
            let message = format!("`{}` is an input and cannot be defined", tensor.name);
            let diagnostic = self
                .blame(tensor.span, message, "declared as an input")
                .label(self.source, target.span, "defined here")
                .help("declare it with `out` or `local`");
            self.report(diagnostic);
            return false;
        }
        self.check_arity(tensor, target.span, given)
    }

    /// Whether as many subscripts are given as the tensor has dimensions.
    pub(super) fn check_arity(&mut self, tensor: &Tensor, span: Span, given: usize) -> bool {
        let wanted = tensor.shape.len();
        if given != wanted {
            let message = format!("`{}` has {}, {given} given", tensor.name, count(wanted, "subscript"));
            let diagnostic = self.blame(tensor.span, message, &format!("declared with {wanted}")).label(
                self.source,
                span,
                format!("used with {given}"),
            );
            self.report(diagnostic);
        }
        given == wanted
    }

    /// The names in the target's subscripts that are neither parameters nor bound by an outermost reduction.
    fn free_indices(&mut self, subscripts: &[ast::Expr], bound: &[&Ident]) -> Vec<Ident> {
        let mut names = vec![];
        subscripts.iter().for_each(|subscript| collect_indices(subscript, &mut names));
        let mut free: Vec<Ident> = vec![];
        for name in names {
            let known = self.is_parameter(&name.node) || self.tensor(&name.node).is_some();
            if !known && !free.contains(&name) && !bound.contains(&&name) {
                self.check_not_a_function(&name);
                free.push(name);
            }
        }
        free
    }

    /// All forms, or nothing where one is wrong.
    pub(super) fn lower_list(&mut self, list: &[ast::Expr], indices: &[Name]) -> Option<Vec<Affine>> {
        let forms: Vec<Option<Affine>> = list.iter().map(|form| self.lower_affine(form, indices)).collect();
        forms.into_iter().collect()
    }

    fn lower_conditions(
        &mut self,
        conditions: &[Spanned<ast::Condition>],
        free: &[Ident],
        value: &ast::Expr,
    ) -> Option<Polyhedron> {
        let names: Vec<Name> = free.iter().map(|index| index.node.clone()).collect();
        let bound: Vec<Name> = outermost_indices(value).iter().map(|index| index.node.clone()).collect();
        let mut set = Polyhedron::default();
        let mut complete = true;
        for condition in conditions {
            if self.report_bound_in_condition(condition, &names, &bound) {
                complete = false;
                continue;
            }
            match self.lower_condition(&condition.node, &names) {
                Some(forms) => forms.into_iter().for_each(|form| set.add(form)),
                None => complete = false,
            }
        }
        complete.then_some(set)
    }

    /// The constraints, each `>= 0`, that a condition over these indices stands for; all that is wrong with it is reported.
    pub(super) fn lower_condition(&mut self, condition: &ast::Condition, names: &[Name]) -> Option<Vec<Affine>> {
        let mut left = &condition.first;
        let mut all: Vec<Option<Vec<Affine>>> = vec![];
        for (relation, right) in &condition.rest {
            all.push(self.lower_relation(*relation, left, right, names));
            left = right;
        }
        all.into_iter().collect::<Option<Vec<_>>>().map(|forms| forms.concat())
    }

    /// A condition speaks of free indices only; a reduction's index is bounded by its range.
    fn report_bound_in_condition(
        &mut self,
        condition: &Spanned<ast::Condition>,
        free: &[Name],
        bound: &[Name],
    ) -> bool {
        let mut names = vec![];
        collect_indices(&condition.node.first, &mut names);
        condition.node.rest.iter().for_each(|(_, form)| collect_indices(form, &mut names));
        let Some(name) = names.iter().find(|name| bound.contains(&name.node) && !free.contains(&name.node)) else {
            return false;
        };
        let message = format!("`where` cannot bound `{}`, which a reduction binds", name.node);
        let help = format!("say it in the reduction: `({} where ..)`, or `({0} in LOW..HIGH)`", name.node);
        self.report(self.blame(name.span, message, "not an index of the target").help(help));
        true
    }

    /// The constraints, each `>= 0`, that a comparison stands for.
    fn lower_relation(
        &mut self,
        relation: Relation,
        left: &ast::Expr,
        right: &ast::Expr,
        names: &[Name],
    ) -> Option<Vec<Affine>> {
        if relation == Relation::NotEqual {
            let span = left.span.to(right.span);
            let help = "assume `<` or `>`; in the `where` of an equation `!=` may stand";
            let message = "`!=` cannot be assumed of sizes: those that are left are not convex".to_owned();
            self.report(self.blame(span, message, "cuts a hole").help(help));
            return None;
        }
        let (left, right) = (self.lower_affine(left, names), self.lower_affine(right, names));
        let (left, right) = (left?, right?);
        Some(constraints(relation, left, right))
    }

    /// The points that `where` leaves within the extents of single indices.
    ///
    /// An index that stands alone on the left has its range there; one that does not takes that of the reads in which it
    /// does, if they agree. What is read never widens a range. An index is 0 or more where nothing says from where on.
    fn within_extents(&self, free: &[Ident], conditions: &Polyhedron, scope: &Scope, value: &Expr) -> Polyhedron {
        let reads = self.uses_in(value);
        let mut set = conditions.clone();
        for index in free {
            let extents = self.extents_of(&index.node, &scope.target, &reads, is_bounded(&index.node, conditions));
            if extents.is_empty() && conditions.bounds(&index.node).0.is_empty() {
                set.add(Affine::variable(&index.node));
            }
            for extent in extents {
                set = half_open(&index.node, &Affine::default(), &extent).intersect(&set);
            }
        }
        set
    }

    /// Those of a set of points at which the target lies within its extents; each index is bounded.
    fn lower_domain(&mut self, free: &[Ident], set: Polyhedron, target: &Use) -> Option<Domain> {
        let indices: Vec<Name> = free.iter().map(|index| index.node.clone()).collect();
        let set = self.within_target(&indices, set, target);
        let mut complete = true;
        for index in free.iter().filter(|index| !is_bounded(&index.node, &shadow(&set, &indices, &index.node))) {
            let help = format!("give it a range: `where 0 <= {} < ..`", index.node);
            self.report_no_range(&index.node, index.span, "the target and `where` do not bound it", &help);
            complete = false;
        }
        complete.then_some(Domain { indices, set })
    }

    /// The points of a set at which each subscript that names indices of it lies within its extent.
    fn within_target(&self, indices: &[Name], mut set: Polyhedron, target: &Use) -> Polyhedron {
        let sizes = Polyhedron::sizes(&self.parameters);
        let is_cut = |form: &Affine| {
            let known = |name: &Name| indices.contains(name) || self.parameters.contains(name);
            form.mentions(indices) && form.terms().all(|(name, _)| known(name))
        };
        for (subscript, extent) in target.subscripts.iter().zip(&target.shape).filter(|(form, _)| is_cut(form)) {
            for form in [subscript.clone(), extent.clone() - subscript.clone() - Affine::constant(1)] {
                if !set.intersect(&sizes).implies(&form) {
                    set.add(form);
                }
            }
        }
        set
    }

    /// Whether the name of an index is that of no size and no tensor; a report if it is.
    pub(super) fn check_not_declared(&mut self, index: &Ident) -> bool {
        let is_free = !self.is_parameter(&index.node) && self.tensor(&index.node).is_none();
        if !is_free {
            let message = format!("`{}` is declared as something else and cannot be an index", index.node);
            self.report(self.blame(index.span, message, "bound here").help("choose another name"));
        }
        is_free
    }

    /// Brings an index into scope; it must be new.
    pub(super) fn bind_index(&mut self, index: &Ident, scope: &mut Scope) -> bool {
        self.check_not_a_function(index);
        if let Some(first) = scope.indices.iter().find(|other| *other == index) {
            let message = format!("index `{}` is already in scope", index.node);
            let help = "rename one; only an outermost reduction may bind indices of the target";
            let diagnostic = self
                .blame(first.span, message, "bound first here")
                .label(self.source, index.span, "and again here")
                .help(help);
            self.report(diagnostic);
            return false;
        }
        if !self.check_not_declared(index) {
            return false;
        }
        if scope.indices.len() >= INDEX_LIMIT {
            let message = format!("more than {INDEX_LIMIT} indices in one equation");
            self.report(self.blame(index.span, message, "one too many"));
            return false;
        }
        scope.indices.push(index.clone());
        true
    }
}

/// The indices that the reductions around the whole right-hand side bind, outermost first.
fn outermost_indices(value: &ast::Expr) -> Vec<&Ident> {
    let mut indices = vec![];
    let mut value = value;
    while let Term::Reduce(_, bindings, _, body) = &value.node {
        indices.extend(bindings.iter().map(|binding| &binding.index));
        value = body;
    }
    indices
}

/// The constraints, each `>= 0`, that a comparison stands for that leaves no hole.
pub(super) fn constraints(relation: Relation, left: Affine, right: Affine) -> Vec<Affine> {
    let one = Affine::constant(1);
    match relation {
        Relation::Less => vec![right - left - one],
        Relation::LessEqual => vec![right - left],
        Relation::Greater => vec![left - right - one],
        Relation::GreaterEqual => vec![left - right],
        Relation::Equal | Relation::NotEqual => vec![left.clone() - right.clone(), right - left],
    }
}

/// The indices and sizes that an expression of an equation names, in order; of what is divided the index.
pub(super) fn collect_indices(expression: &ast::Expr, names: &mut Vec<Ident>) {
    let first = names.len();
    collect_names(expression, names);
    for name in &mut names[first..] {
        if let Some(strip) = Strip::of(&name.node) {
            name.node = strip.index;
        }
    }
}

/// Every plain name in an expression, in order.
pub(super) fn collect_names(expression: &ast::Expr, names: &mut Vec<Ident>) {
    match &expression.node {
        Term::Name(name) => names.push(Spanned::new(name.clone(), expression.span)),
        Term::Negate(operand) | Term::Divide(_, operand, _) => collect_names(operand, names),
        Term::Infix(_, left, right) | Term::Compare(_, left, right) => {
            collect_names(left, names);
            collect_names(right, names);
        }
        Term::Number(_) | Term::Access(..) | Term::Call(..) | Term::Else(..) | Term::Reduce(..) => {}
    }
}

/// What a set says of one of its indices whatever the others are.
fn shadow(set: &Polyhedron, indices: &[Name], index: &Name) -> Polyhedron {
    set.eliminate_all(indices.iter().filter(|other| *other != index))
}

/// Whether the constraints alone bound the index from both sides.
fn is_bounded(index: &Name, set: &Polyhedron) -> bool {
    let (lower, upper) = set.bounds(index);
    !lower.is_empty() && !upper.is_empty()
}

/// `1 subscript`, `2 subscripts`.
pub(super) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
