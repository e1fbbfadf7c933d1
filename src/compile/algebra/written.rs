//! What a kernel's equations say, as terms over one frame.
//!
//! In: a system. Out: [`Written`]: a term for each equation that hands something out, in which every tensor that one equation defines
//! as a whole stands for its definition, and so does an element of one of several equations where it is known which of them is about
//! it. Tensors that need themselves stay names. Bound indices get names by their axis and range ([`Frame`]), so that reductions over
//! the same elements reduce over the same index wherever the user wrote them. Paper: Cyclotron section 4.1.

use super::axes::Axes;
use super::coordinates::Compounds;
use super::inline::{cases, inlined};
use super::text::sides;
use crate::rewrite::{Frame, FrameIndex, Id, Language, Literal, RecExpr, Term, TermNames};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use systole_base::integer::{Affine, Name, Polyhedron, name};
use systole_base::scalar::Function;
use systole_equations::recurrence::{Equation, Expr, Operator, RecurrenceSystem, Role};

/// The equations of a kernel as terms.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub frame: Frame,
    /// Equations that may be rewritten.
    pub roots: Vec<Root>,
    /// Tensors that stand for their definitions, with their terms.
    pub definitions: Vec<Root>,
}

/// An equation as a term over the frame.
#[derive(Clone, Debug)]
pub(super) struct Root {
    pub target: Name,
    /// Its subscripts over the frame.
    pub subscripts: Vec<Affine>,
    /// Its points, over indices of the frame.
    pub domain: Polyhedron,
    pub term: RecExpr<Term>,
}

/// The terms of all equations of `system` that are not inlined, and of those that are. Reductions over all elements of an axis are one.
pub(super) fn written(system: &RecurrenceSystem, compounds: &Compounds) -> Written {
    let mut writer = Writer { compounds: compounds.clone(), ..Writer::new(system) };
    let (mut roots, mut definitions) = (vec![], vec![]);
    for (position, equation) in system.equations.iter().enumerate() {
        let is_local = system.tensor(&equation.target).is_some_and(|tensor| tensor.role == Role::Local);
        let is_inlined = writer.inlined.contains_key(&equation.target);
        if is_inlined {
            definitions.push(writer.root(position, equation));
        }
        if !(is_inlined && is_local) {
            roots.push(writer.root(position, equation));
        }
    }
    definitions.extend(writer.case_definitions());
    writer.define_recursions(&roots, &definitions);
    writer.define_cases();
    writer.name_parts(&roots, &definitions);
    Written { frame: writer.frame, roots, definitions }
}

/// Two tensors of one shape as terms at the same point, with their frame and what definitions call the terms; `None` where one of them does
/// not stand for its definition.
pub(super) fn written_pair(
    system: &RecurrenceSystem,
    one: &Name,
    other: &Name,
) -> Option<(Frame, TermNames, [RecExpr<Term>; 2])> {
    let mut writer = Writer::new(system);
    let rank = system.tensor(one)?.shape.len();
    writer.axes = Axes::of_pair(system, one, other, rank);
    let (first, second) = (*writer.inlined.get(one)?, *writer.inlined.get(other)?);
    let root = writer.root(first, &system.equations[first]);
    let subscripts = root.subscripts.clone();
    let term = writer.term_of(second, &subscripts);
    let definitions: Vec<(usize, &Equation)> = system.equations.iter().enumerate().collect();
    let inlined = definitions.into_iter().filter(|(_, equation)| equation.target != *one && equation.target != *other);
    let inlined: Vec<usize> =
        inlined.map(|(at, _)| at).filter(|at| writer.inlined.values().any(|known| known == at)).collect();
    let known: Vec<Root> = inlined.into_iter().map(|at| writer.root(at, &system.equations[at])).collect();
    Some((writer.frame, super::show::known(&known), [root.term, term]))
}

/// The forms that the indices of an equation stand for.
type Scope = BTreeMap<Name, Affine>;

pub(super) struct Writer<'a> {
    pub system: &'a RecurrenceSystem,
    axes: Axes,
    /// The position of the equation of each tensor that stands for its definition.
    pub inlined: BTreeMap<Name, usize>,
    /// The positions of the equations of each tensor that several define.
    pub cases: BTreeMap<Name, Vec<usize>>,
    /// Elements that stand for what one of several equations says of them, each with the position of that one.
    decided: BTreeSet<(usize, Vec<Affine>)>,
    /// Elements of which it depends on the point which equation is about them.
    pub undecided: BTreeSet<(Name, Vec<Affine>)>,
    pub frame: Frame,
    /// For each index of the frame its axis, how many of that axis are in scope around it, and its range about [`SELF`].
    kinds: Vec<Kind>,
    /// Ranges as they are written, with those that say the same in fewest constraints.
    ranges: HashMap<Polyhedron, Polyhedron>,
    term: RecExpr<Term>,
    reads: BTreeMap<(Name, Vec<Affine>), Id>,
    compounds: Compounds,
}

/// An axis, how many indices of that axis are in scope around one of its indices, and the range of that about [`SELF`].
type Kind = (usize, usize, Polyhedron);

/// Stands for an index in its own range.
const SELF: &str = "(self)";

impl<'a> Writer<'a> {
    fn new(system: &'a RecurrenceSystem) -> Writer<'a> {
        Writer {
            system,
            axes: Axes::of(system),
            inlined: inlined(system),
            cases: cases(system),
            decided: BTreeSet::new(),
            undecided: BTreeSet::new(),
            frame: Frame::new(&system.name, &system.parameters),
            kinds: vec![],
            ranges: HashMap::new(),
            term: RecExpr::default(),
            reads: BTreeMap::new(),
            compounds: Compounds::default(),
        }
    }

    fn root(&mut self, position: usize, equation: &Equation) -> Root {
        let scope = self.free_scope(position, equation);
        let value = self.expression(position, &equation.value, &scope);
        let domain = equation.domain.set.substitute(&scope);
        let subscripts = equation.subscripts.iter().map(|form| form.substitute(&scope)).collect();
        let term = self.term[value].build_recexpr(|id| self.term[id].clone());
        Root { target: equation.target.clone(), subscripts, domain, term }
    }

    /// Names for the free indices: each has the range that the domain leaves it.
    fn free_scope(&mut self, position: usize, equation: &Equation) -> Scope {
        let mut scope = Scope::new();
        for index in &equation.domain.indices {
            let others = equation.domain.indices.iter().filter(|other| *other != index);
            let range = equation.domain.set.eliminate_all(others);
            let canonical = self.index(position, index, &range, &scope);
            scope.insert(index.clone(), Affine::variable(&canonical));
        }
        scope
    }

    /// The name of an index of an equation, other than all that occur in `scope`.
    fn index(&mut self, equation: usize, index: &Name, range: &Polyhedron, scope: &Scope) -> Name {
        let mut image = scope.clone();
        image.insert(index.clone(), Affine::variable(&name(SELF)));
        let range = self.irredundant(&range.substitute(&image));
        let axis = self.axes.of_index(equation, index);
        let taken = |name: &Name| scope.values().any(|form| form.mentions([name]));
        for nth in 0.. {
            let kind = (axis, nth, range.clone());
            match self.kinds.iter().position(|known| *known == kind) {
                Some(found) if taken(&self.frame.indices()[found].name) => {}
                Some(found) => return self.frame.indices()[found].name.clone(),
                None => return self.add_index(index, kind),
            }
        }
        index.clone()
    }

    /// A range without the constraints that the others imply.
    fn irredundant(&mut self, range: &Polyhedron) -> Polyhedron {
        let used = range.variables();
        let sizes: Vec<Name> = self.system.parameters.iter().filter(|size| used.contains(*size)).cloned().collect();
        let least = || range.irredundant(&Polyhedron::at_least_one(&sizes));
        self.ranges.entry(range.clone()).or_insert_with(least).clone()
    }

    /// The index with the values of another one that lie in `range`, which says no more than it has to.
    pub fn part_of(&mut self, index: &Name, range: &Polyhedron) -> Option<Name> {
        let place = self.frame.indices().iter().position(|known| known.name == *index)?;
        let itself = BTreeMap::from([(index.clone(), Affine::variable(&name(SELF)))]);
        let (axis, nth, _) = self.kinds.get(place)?.clone();
        let kind = (axis, nth, range.substitute(&itself));
        match self.kinds.iter().position(|known| *known == kind) {
            Some(found) => Some(self.frame.indices()[found].name.clone()),
            None => Some(self.add_index(index, kind)),
        }
    }

    fn add_index(&mut self, wanted: &Name, kind: Kind) -> Name {
        let is_free =
            |candidate: &Name| self.frame.index(candidate).is_none() && !self.system.parameters.contains(candidate);
        let numbered = (2..).map(|number| name(&format!("{wanted}_{number}")));
        let chosen = std::iter::once(wanted.clone()).chain(numbered).find(is_free).unwrap_or_else(|| wanted.clone());
        let image = BTreeMap::from([(name(SELF), Affine::variable(&chosen))]);
        self.frame.add_index(FrameIndex { name: chosen.clone(), axis: kind.0, range: kind.2.substitute(&image) });
        self.kinds.push(kind);
        chosen
    }

    fn expression(&mut self, equation: usize, value: &Expr, scope: &Scope) -> Id {
        match value {
            Expr::Number(number) => self.term.add(Term::Number(Literal::new(*number))),
            Expr::Index(form) => {
                let access = self.access(&[form.substitute(scope)]);
                self.term.add(Term::Index(access))
            }
            Expr::Read { tensor, subscripts, .. } => {
                self.read(tensor, subscripts.iter().map(|form| form.substitute(scope)).collect())
            }
            Expr::Apply(function, arguments) => {
                let children: Vec<Id> =
                    arguments.iter().map(|argument| self.expression(equation, argument, scope)).collect();
                self.term.add(Term::apply(*function, &children))
            }
            Expr::Reduce { operator, .. } => {
                let (index, body) = self.reduction(equation, value, scope);
                let children = [Term::name(&self.system.name), Term::operator(*operator)];
                let [frame, operator] = children.map(|leaf| self.term.add(leaf));
                self.term.add(Term::Reduce([frame, operator, index, body]))
            }
        }
    }

    /// What a reduction binds, and its body: that of the innermost one where several go through one axis.
    fn reduction(&mut self, equation: usize, value: &Expr, scope: &Scope) -> (Id, Id) {
        match value {
            Expr::Reduce { operator, index, range, body, .. } => {
                // What the body does not use may have the same name: a field over other indices knows nothing of it.
                let used = |outer: &Name| mentions(body, outer) || range.variables().contains(outer);
                let around = scope.iter().filter(|(outer, _)| used(outer));
                let around: Scope = around.map(|(outer, form)| (outer.clone(), form.clone())).collect();
                let canonical = self.index(equation, index, range, &around);
                let mut inside = scope.clone();
                inside.insert(index.clone(), Affine::variable(&canonical));
                let own = self.bound(index, &canonical, scope);
                if !self.goes_on(*operator, index, body) {
                    return (own, self.expression(equation, body, &inside));
                }
                let (rest, body) = self.reduction(equation, body, &inside);
                (self.term.add(Term::Both([own, rest])), body)
            }
            other => {
                let body = self.expression(equation, other, scope);
                (body, body)
            }
        }
    }

    /// Whether a body goes through the rest of the axis whose outer part has this index.
    fn goes_on(&self, operator: Operator, outer: &Name, body: &Expr) -> bool {
        let follows = |next: &Name| {
            let mut pairs = self.compounds.blocks.iter().flat_map(|block| block.windows(2));
            pairs.any(|pair| pair == [outer.clone(), next.clone()])
        };
        matches!(body, Expr::Reduce { operator: inner, index, .. } if *inner == operator && follows(index))
    }

    /// An index, with the one that says where it begins.
    fn bound(&mut self, index: &Name, canonical: &Name, scope: &Scope) -> Id {
        let places = self.compounds.turns.get(index);
        let place = places.and_then(|places| scope.iter().find(|(name, _)| places.contains(*name)));
        let place = place.and_then(|(_, form)| form.as_variable()).map(|place| Term::name(place));
        let own = self.term.add(Term::name(canonical));
        match place {
            Some(place) => {
                let place = self.term.add(place);
                self.term.add(Term::Turned([own, place]))
            }
            None => own,
        }
    }

    fn access(&mut self, forms: &[Affine]) -> Id {
        let text = self.frame.add_access(forms);
        self.term.add(Term::Access(text))
    }

    fn read(&mut self, tensor: &Name, subscripts: Vec<Affine>) -> Id {
        let key = (tensor.clone(), subscripts);
        if let Some(known) = self.reads.get(&key) {
            return *known;
        }
        let value = match self.inlined.get(tensor).copied().or_else(|| self.case_of(tensor, &key.1)) {
            Some(position) => self.definition(position, &key.1),
            None => {
                if self.cases.contains_key(tensor) {
                    self.undecided.insert(key.clone());
                }
                let children = [self.term.add(Term::name(tensor)), self.access(&key.1)];
                self.term.add(Term::At(children))
            }
        };
        self.reads.insert(key, value);
        value
    }

    /// The position of the one of several equations that is about an element, whatever values its indices have.
    fn case_of(&mut self, tensor: &Name, subscripts: &[Affine]) -> Option<usize> {
        let around = self.frame.surroundings(subscripts.iter());
        let is_about = |position: &&usize| {
            let equation = &self.system.equations[**position];
            let domain = equation.domain.set.substitute(&scope_of(equation, subscripts));
            domain.constraints().iter().all(|form| around.implies(form))
        };
        let position = *self.cases.get(tensor)?.iter().find(is_about)?;
        self.decided.insert((position, subscripts.to_vec()));
        Some(position)
    }

    /// The elements that stand for what one of several equations says of them, where they have an index for each subscript.
    fn case_definitions(&mut self) -> Vec<Root> {
        let has_indices = |subscripts: &[Affine]| subscripts.iter().all(|form| form.as_variable().is_some());
        let decided: Vec<(usize, Vec<Affine>)> =
            self.decided.iter().filter(|(_, subscripts)| has_indices(subscripts)).cloned().collect();
        decided.into_iter().map(|(position, subscripts)| self.case_definition(position, subscripts)).collect()
    }

    fn case_definition(&mut self, position: usize, subscripts: Vec<Affine>) -> Root {
        let equation = &self.system.equations[position];
        let domain = equation.domain.set.substitute(&scope_of(equation, &subscripts));
        let term = self.term_of(position, &subscripts);
        Root { target: equation.target.clone(), subscripts, domain, term }
    }

    /// What an equation says of an element.
    pub fn term_of(&mut self, position: usize, subscripts: &[Affine]) -> RecExpr<Term> {
        let id = self.definition(position, subscripts);
        self.term[id].build_recexpr(|id| self.term[id].clone())
    }

    /// What is said of an element by one equation where `form` is not below 0, and by the other one elsewhere.
    pub fn choice(&mut self, form: &Affine, [then, other]: [usize; 2], subscripts: &[Affine]) -> RecExpr<Term> {
        let sides = sides(form).map(|side| {
            let access = self.access(&[side]);
            self.term.add(Term::Index(access))
        });
        let condition = self.term.add(Term::apply(Function::LessEqual, &sides));
        let [then, other] = [then, other].map(|position| self.definition(position, subscripts));
        let whole = self.term.add(Term::apply(Function::Select, &[condition, then, other]));
        self.term[whole].build_recexpr(|id| self.term[id].clone())
    }

    fn definition(&mut self, position: usize, subscripts: &[Affine]) -> Id {
        let equation = &self.system.equations[position];
        self.expression(position, &equation.value, &scope_of(equation, subscripts))
    }
}

/// What the indices of an equation are where it is about the element with these subscripts.
pub(super) fn scope_of(equation: &Equation, subscripts: &[Affine]) -> Scope {
    let names = equation.subscripts.iter().filter_map(Affine::as_variable).cloned();
    names.zip(subscripts.iter().cloned()).collect()
}

/// Whether an index occurs in an expression.
fn mentions(value: &Expr, index: &Name) -> bool {
    match value {
        Expr::Number(_) => false,
        Expr::Index(form) => form.mentions([index]),
        Expr::Read { subscripts, .. } => subscripts.iter().any(|form| form.mentions([index])),
        Expr::Apply(_, arguments) => arguments.iter().any(|argument| mentions(argument, index)),
        Expr::Reduce { range, body, .. } => range.variables().contains(index) || mentions(body, index),
    }
}
