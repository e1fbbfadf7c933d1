//! From the e-graph of forms to goals.
//!
//! In: [`Forms`], the sizes at which costs are counted. Out: [`Goals`], in which every node that says how to compute a number is a way;
//! and the goal of each class. A component of a reduction by a declared monoid is a goal of its own, beside those components that its
//! value uses, so two reductions with one key share the key's component.

use super::goals::{Combination, ComponentReduction, Goal, GoalId, Goals, Value, Way};
use super::written::{Root, Written};
use crate::rewrite::{
    AccessText, Forms, Frame, FrameIndex, Graph, Id, Language, Monoid, Symbol, Term, access_text, components,
    is_shifted,
};
use std::collections::{BTreeMap, BTreeSet};
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Bindings, Name, Polyhedron, name};
use systole_base::scalar::Function;
use systole_equations::recurrence::{Operator, RecurrenceSystem, Role};

/// How many axes a kernel may have.
const MOST_AXES: usize = 64;

/// What the equations of a kernel compute.
pub(super) struct Computed {
    pub goals: Goals,
    /// The goal of each equation that may be rewritten.
    pub equations: Vec<GoalId>,
    /// Which goal is whose.
    pub classes: BTreeMap<Id, GoalId>,
}

/// The goals of all classes below the equations that may be rewritten; outputs must be computed, and what is read.
pub(super) fn compile(
    forms: &Forms,
    system: &RecurrenceSystem,
    written: &Written,
    sizes: &Bindings,
) -> Checked<Computed> {
    let frame = &forms.graph.analysis.context.frame;
    let axes = frame.indices().iter().map(|index| index.axis + 1).max().unwrap_or_default();
    if axes > MOST_AXES {
        return Diagnostic::new(format!("the kernel has {axes} axes, the limit is {MOST_AXES}")).alone();
    }
    let mut compiler = Compiler {
        graph: &forms.graph,
        frame,
        sizes,
        goals: Goals::default(),
        classes: BTreeMap::new(),
        folds: BTreeMap::new(),
        written: written_nodes(forms),
        equations: equations(forms, written),
    };
    compiler.goals.axes = u32::try_from(axes).unwrap_or_default();
    let equations: Vec<GoalId> =
        (0..written.roots.len()).filter_map(|position| Some(compiler.class(forms.root(position)?))).collect();
    let is_output = |root: &Root| system.tensor(&root.target).is_none_or(|tensor| tensor.role == Role::Output);
    let outputs = written.roots.iter().zip(&equations).filter(|(root, _)| is_output(root));
    compiler.goals.roots = outputs.map(|(_, goal)| *goal).collect();
    let computed = written.definitions.iter().filter(|known| frame.is_computed(&known.target));
    let computed = computed.filter_map(|known| Some((known, forms.graph.lookup_expr(&known.term)?)));
    for (known, class) in computed.collect::<Vec<(&Root, Id)>>() {
        let indices = known.subscripts.iter().filter_map(Affine::as_variable).cloned().collect();
        let goal = compiler.class(class);
        compiler.goals.folded.push((goal, indices));
    }
    Ok(Computed { goals: compiler.goals, equations, classes: compiler.classes })
}

/// The classes of the equations of each tensor, with the elements that they are about; of those that stand for their definitions where laws
/// may read their elements.
fn equations(forms: &Forms, written: &Written) -> BTreeMap<Name, Vec<(Id, AccessText)>> {
    let mut found: BTreeMap<Name, Vec<(Id, AccessText)>> = BTreeMap::new();
    for (position, root) in written.roots.iter().enumerate() {
        let class = forms.root(position).unwrap_or_default();
        found.entry(root.target.clone()).or_default().push((class, access_text(&root.subscripts)));
    }
    let frame = &forms.graph.analysis.context.frame;
    for known in written.definitions.iter().filter(|known| frame.is_computed(&known.target)) {
        let class = forms.graph.lookup_expr(&known.term);
        let equation = class.map(|class| (class, access_text(&known.subscripts)));
        found.entry(known.target.clone()).or_insert_with(|| equation.into_iter().collect());
    }
    found
}

/// A component of a reduction: what combines, over which index, from which end, and the classes that it takes.
type ComponentKey = (Combination, Name, bool, Vec<Id>);

/// Compiles one e-graph.
pub(super) struct Compiler<'a> {
    pub graph: &'a Graph,
    pub frame: &'a Frame,
    sizes: &'a Bindings,
    pub goals: Goals,
    classes: BTreeMap<Id, GoalId>,
    folds: BTreeMap<ComponentKey, GoalId>,
    /// The nodes of the equations as they are written: of ways that cost the same these come first.
    written: BTreeSet<Term>,
    equations: BTreeMap<Name, Vec<(Id, AccessText)>>,
}

/// All nodes of these terms, over the classes of the e-graph.
fn written_nodes(forms: &Forms) -> BTreeSet<Term> {
    let mut nodes = BTreeSet::new();
    for input in &forms.inputs {
        let mut ids: Vec<Id> = vec![];
        for node in input.as_ref() {
            let node = node.clone().map_children(|child| ids[usize::from(child)]);
            let id = forms.graph.lookup(node.clone()).unwrap_or_default();
            nodes.insert(node);
            ids.push(id);
        }
    }
    nodes
}

impl Compiler<'_> {
    pub fn class(&mut self, id: Id) -> GoalId {
        let id = self.graph.find(id);
        if let Some(known) = self.classes.get(&id) {
            return *known;
        }
        let goal = self.add_goal(&self.graph[id].data.free);
        self.goals.goals[goal].class = Some(id);
        self.classes.insert(id, goal);
        let mut nodes = self.graph[id].nodes.clone();
        nodes.sort_by_key(|node| !self.written.contains(node));
        let mut options = vec![];
        for node in &nodes {
            options.extend(self.ways(goal, node).into_iter().map(|way| Way { node: Some(node.clone()), ..way }));
        }
        self.goals.goals[goal].options = options;
        goal
    }

    fn add_goal(&mut self, indices: &BTreeSet<Symbol>) -> GoalId {
        let within = |index: &&FrameIndex| indices.contains(&Symbol::from(&*index.name));
        let indices: Vec<Name> = self.frame.indices().iter().filter(within).map(|index| index.name.clone()).collect();
        let axes = indices.iter().map(|index| self.axis(index)).fold(0, |all, axis| all | axis);
        self.goals.goals.push(Goal { indices, axes, class: None, options: vec![] });
        self.goals.goals.len() - 1
    }

    pub fn axis(&self, index: &Name) -> u64 {
        self.frame.index(index).map_or(0, |index| 1 << index.axis)
    }

    /// How many points these indices have together.
    pub fn points(&self, indices: &[Name]) -> u128 {
        self.points_within(indices, &Polyhedron::default())
    }

    /// How many of them lie in `part`.
    pub fn points_within(&self, indices: &[Name], part: &Polyhedron) -> u128 {
        let ranges = indices.iter().filter_map(|index| self.frame.index(index));
        let mut all = ranges.fold(part.clone(), |set, index| set.intersect(&index.range));
        let mut others: Vec<&FrameIndex> =
            self.frame.indices().iter().filter(|index| !indices.contains(&index.name)).collect();
        // A range may reach as far as another index does, which has a range of its own.
        let is_named = |set: &Polyhedron, other: &Name| set.constraints().iter().any(|form| form.mentions([other]));
        while let Some(at) = others.iter().position(|other| is_named(&all, &other.name)) {
            let other = others.swap_remove(at);
            all = all.intersect(&other.range).eliminate_all([&other.name]);
        }
        all.count(indices, self.sizes).map_or(u128::from(u64::MAX), u128::from)
    }

    fn ways(&mut self, goal: GoalId, node: &Term) -> Vec<Way> {
        let leaf = |value: Value| vec![Way::of(value, 0, vec![])];
        match node {
            Term::Number(number) => leaf(Value::Number(*number)),
            Term::Index(access) => self.access(*access).map_or_else(Vec::new, |text| leaf(Value::Index(text))),
            Term::At([tensor, access]) => match (self.name(*tensor), self.access(*access)) {
                (Some(tensor), Some(access)) => self.read(goal, tensor, access),
                _ => vec![],
            },
            Term::Count([_, index]) => self.name(*index).map_or_else(Vec::new, |index| leaf(Value::Count(index))),
            Term::Other(word, children) => self.apply(goal, *word, children),
            Term::Reduce([_, operator, index, body]) => self.reduce(*operator, *index, *body),
            Term::Part([number, tuple]) => self.part(goal, *number, *tuple),
            Term::Paired([_, operator, index, body]) => self.paired(goal, *operator, *index, *body),
            Term::Running([_, operator, index, body]) => self.running(goal, *operator, *index, *body),
            Term::Sliding([_, index, body]) => self.sliding(goal, *index, *body),
            Term::Mirrored([_, whole]) => self.mirrored(goal, *whole),
            _ => vec![],
        }
    }

    /// An element that is given, or that the equations of its tensor compute; none of them by a read of what it computes itself.
    fn read(&mut self, goal: GoalId, tensor: Name, access: AccessText) -> Vec<Way> {
        let equations = self.equations.get(&tensor).cloned().unwrap_or_default();
        let own = self.goals.goals[goal].class;
        if equations.iter().any(|(class, element)| *element == access && Some(self.graph.find(*class)) == own) {
            return vec![];
        }
        let elsewhere = equations.into_iter().map(|(class, _)| self.class(class)).collect();
        vec![Way { elsewhere, ..Way::of(Value::Read(tensor, access), 0, vec![]) }]
    }

    pub fn name(&self, id: Id) -> Option<Name> {
        match &self.graph[id].data.constant {
            Some(Term::Other(word, _)) => Some(name(word.as_str())),
            _ => None,
        }
    }

    pub fn access(&self, id: Id) -> Option<AccessText> {
        match self.graph[id].data.constant {
            Some(Term::Access(text)) => Some(text),
            _ => None,
        }
    }

    fn apply(&mut self, goal: GoalId, word: Symbol, children: &[Id]) -> Vec<Way> {
        let Some(function) = Function::from_keyword(word.as_str()).filter(|known| known.arity() == children.len())
        else {
            return vec![];
        };
        let operations = self.points(&self.goals.goals[goal].indices);
        let shifted = |child: &Id| is_shifted(self.graph, self.graph.find(*child));
        let may_overflow = function == Function::Exponential && !children.iter().all(shifted);
        let children = children.iter().map(|child| self.class(*child)).collect();
        vec![Way { may_overflow, ..Way::of(Value::Apply(function), operations, children) }]
    }

    /// The only value of another goal.
    fn same(child: GoalId) -> Way {
        Way::of(Value::Same, 0, vec![child])
    }

    fn reduce(&mut self, operator: Id, index: Id, body: Id) -> Vec<Way> {
        let (Some(operator), Some(index)) = (self.name(operator), self.name(index)) else { return vec![] };
        if let Some(built) = Operator::from_keyword(&operator) {
            let key = (Combination::Built(built), index, false, vec![self.graph.find(body)]);
            return vec![Compiler::same(self.fold(key, vec![0], &[], 1))];
        }
        let may_be = self.may_be_declared(&index, &[self.graph.find(body)]);
        let single = self.monoid(&operator).filter(|monoid| may_be && monoid.width() == 1).cloned();
        single.map_or_else(Vec::new, |monoid| {
            vec![Compiler::same(self.component(&monoid, 0, &index, false, &[self.graph.find(body)]))]
        })
    }

    pub fn monoid(&self, name: &str) -> Option<&Monoid> {
        self.graph.analysis.context.monoids.iter().find(|monoid| monoid.name == name)
    }

    /// A component of a reduction by a declared monoid, from each end.
    fn part(&mut self, goal: GoalId, number: Id, tuple: Id) -> Vec<Way> {
        let Some(Term::Number(number)) = self.graph[number].data.constant else { return vec![] };
        let component = number.value() as usize;
        let mut ways = vec![];
        for node in &self.graph[self.graph.find(tuple)].nodes {
            let (is_paired, [_, operator, index, body]) = match node {
                Term::Reduce(children) => (false, children),
                Term::Paired(children) => (true, children),
                _ => continue,
            };
            let (Some(operator), Some(index)) = (self.name(*operator), self.name(*index)) else { continue };
            let Some(monoid) = self.monoid(&operator).filter(|monoid| component < monoid.width()).cloned() else {
                continue;
            };
            let Some(arguments) = components(self.graph, *body, monoid.width()) else { continue };
            if is_paired {
                ways.push(self.paired_component(goal, &monoid, component, &index, &arguments));
                continue;
            }
            if !self.may_be_declared(&index, &arguments) {
                continue;
            }
            ways.push(Compiler::same(self.component(&monoid, component, &index, false, &arguments)));
            if monoid.ordered {
                ways.push(Compiler::same(self.component(&monoid, component, &index, true, &arguments)));
            }
        }
        ways
    }

    /// Whether a declared reduction of these classes can be written out: it starts from its first term, and is there for all elements of a tensor.
    fn may_be_declared(&self, index: &str, arguments: &[Id]) -> bool {
        let index = Symbol::from(index);
        let free = arguments.iter().flat_map(|class| self.graph[*class].data.free.iter().copied());
        let mut around = free.chain(self.frame.range_depends(index)).filter(|other| *other != index);
        self.frame.is_filled(index) && around.all(|other| self.frame.is_whole(other))
    }

    /// The goal of a component, with those beside it whose state its value uses.
    fn component(
        &mut self,
        monoid: &Monoid,
        component: usize,
        index: &Name,
        backward: bool,
        arguments: &[Id],
    ) -> GoalId {
        if let (Some((operator, argument)), false) = (monoid.alone(component), backward) {
            let key = (Combination::Built(operator), index.clone(), false, vec![arguments[argument]]);
            return self.fold(key, vec![0], &[], 1);
        }
        // Backward the state is on the right, and what comes next on the left.
        let states = reached(monoid, component, backward);
        let taken: BTreeSet<usize> = states.iter().flat_map(|state| monoid.uses(*state, backward)).collect();
        let combination = Combination::Declared(monoid.name.clone(), component);
        let classes = taken.iter().map(|argument| arguments[*argument]).collect();
        let beside: Vec<usize> = states.into_iter().filter(|state| *state != component).collect();
        let key = (combination, index.clone(), backward, classes);
        if let Some(known) = self.folds.get(&key) {
            return *known;
        }
        let others: Vec<(usize, GoalId)> =
            beside.iter().map(|other| (*other, self.component(monoid, *other, index, backward, arguments))).collect();
        // Backward each component is an equation of its own.
        let each = if backward { monoid.operations_alone(component) } else { monoid.operations(component) };
        self.fold(key, taken.into_iter().collect(), &others, each)
    }

    fn fold(&mut self, key: ComponentKey, arguments: Vec<usize>, beside: &[(usize, GoalId)], each: u64) -> GoalId {
        if let Some(known) = self.folds.get(&key) {
            return *known;
        }
        let (operator, index, backward, classes) = key.clone();
        let bound = Symbol::from(&*index);
        let beside_indices = beside.iter().flat_map(|(_, goal)| self.goals.goals[*goal].indices.clone());
        let beside_indices: Vec<Symbol> = beside_indices.map(|index| Symbol::from(&*index)).collect();
        let free = classes.iter().flat_map(|class| self.graph[*class].data.free.iter().copied()).chain(beside_indices);
        let mut free: BTreeSet<Symbol> = free.chain(self.frame.range_depends(bound)).collect();
        free.remove(&bound);
        let goal = self.add_goal(&free);
        self.folds.insert(key, goal);
        let mut all = self.goals.goals[goal].indices.clone();
        all.push(index.clone());
        let children = classes.iter().map(|class| self.class(*class)).collect();
        let pass = self.axis(&index);
        let (places, beside) = beside.iter().copied().unzip();
        let value = Value::Fold(ComponentReduction { operator, index, backward, arguments, beside: places });
        let way = Way { beside, pass, ..Way::of(value, self.points(&all) * u128::from(each), children) };
        self.goals.goals[goal].options = vec![way];
        goal
    }
}

/// A component and those whose state its value uses, and theirs.
fn reached(monoid: &Monoid, component: usize, backward: bool) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut open = vec![component];
    while let Some(next) = open.pop() {
        if found.insert(next) {
            open.extend(monoid.uses(next, !backward));
            // A joint equation has a component for each term that it takes.
            open.extend(if backward { BTreeSet::new() } else { monoid.uses(next, false) });
        }
    }
    found
}
