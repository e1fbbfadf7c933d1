//! What can be computed, and the ways to: the choices that an e-graph of forms leaves, as an and-or graph.
//!
//! In: goals with options, written down by `compile`. Out: [`Goals`]; a [`Selection`] of one option for each goal that the roots
//! need. Each goal that is needed is computed once, for each point of its indices, whoever uses it: sharing is free. Invariant: what a
//! selection costs is counted here alone, from the selection and nothing else ([`Goals::cost`]).

use crate::rewrite::{AccessText, Id, Literal, Term};
use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::Name;
use systole_base::scalar::Function;
use systole_equations::recurrence::Operator;

/// A goal, by its position.
pub type GoalId = usize;

/// Something to be computed at each point of its indices.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// Its indices.
    pub indices: Vec<Name>,
    /// The axes of its indices, as bits.
    pub axes: u64,
    /// The class of the e-graph that it is, unless it is a component of a tuple there.
    pub class: Option<Id>,
    /// The ways to compute it.
    pub options: Vec<Way>,
}

/// One way to compute a goal.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    /// What it says of the value.
    pub value: Value,
    /// The node of the e-graph that says it.
    pub node: Option<Term>,
    /// Whether it is an exponential whose argument may be above 0, and so may overflow.
    pub may_overflow: bool,
    /// Applications of scalar functions, at all points together.
    pub operations: u128,
    /// What it is computed from.
    pub children: Vec<GoalId>,
    /// What runs beside it in the same pass.
    pub beside: Vec<GoalId>,
    /// The axis that a pass runs along, as a bit; 0 where none does.
    pub pass: u64,
    /// What the equations of a tensor compute that it reads: needed too, though not first. A goal that needs itself so is a recurrence.
    pub elsewhere: Vec<GoalId>,
}

impl Way {
    /// A way that needs no pass of its own and cannot overflow.
    pub fn of(value: Value, operations: u128, children: Vec<GoalId>) -> Way {
        Way { value, node: None, may_overflow: false, operations, children, beside: vec![], pass: 0, elsewhere: vec![] }
    }

    /// What has to be computed first, at the same point.
    pub fn before(&self) -> impl Iterator<Item = GoalId> + '_ {
        self.children.iter().chain(&self.beside).copied()
    }

    /// All that has to be computed where this way is taken.
    pub fn needs(&self) -> impl Iterator<Item = GoalId> + '_ {
        self.before().chain(self.elsewhere.iter().copied())
    }
}

/// What a way says of the value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A literal.
    Number(Literal),
    /// A form of the indices.
    Index(AccessText),
    /// An element of a tensor.
    Read(Name, AccessText),
    /// A scalar function of the children.
    Apply(Function),
    /// How many values an index takes.
    Count(Name),
    /// The value of its only child.
    Same,
    /// One component of a reduction.
    Fold(ComponentReduction),
    /// A reduction over `index`, whose range grows by one with the index `with`.
    Running {
        /// What combines.
        operator: Operator,
        /// The index reduced over.
        index: Name,
        /// The index along which it goes on.
        with: Name,
    },
    /// One component of a reduction over an index that takes two values: both are combined at once. Children are those of the first
    /// and the second value alike, and nothing is beside it.
    Paired(ComponentReduction),
    /// A sum over a window that slides.
    Sliding {
        /// The index within the window.
        index: Name,
        /// The index along which it slides.
        along: Name,
    },
    /// A sum of products of its two children that the exchange of two indices does not change.
    Mirrored {
        /// The index summed over.
        index: Name,
        /// The index that is not above `other` where the sum is computed.
        one: Name,
        /// The other one.
        other: Name,
    },
}

impl Value {
    /// The index that stands for its values within, and no more for that of the point.
    pub fn bound(&self) -> Option<&Name> {
        match self {
            Value::Fold(fold) | Value::Paired(fold) => Some(&fold.index),
            Value::Running { index, .. } | Value::Sliding { index, .. } | Value::Mirrored { index, .. } => Some(index),
            _ => None,
        }
    }
}

/// One component of a reduction.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ComponentReduction {
    /// What combines.
    pub operator: Combination,
    /// The index reduced over.
    pub index: Name,
    /// Whether the last term comes first.
    pub backward: bool,
    /// For each child the component of the tuple that it is.
    pub arguments: Vec<usize>,
    /// For each goal beside it the component that it is.
    pub beside: Vec<usize>,
}

/// What combines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Combination {
    /// An operator of the language.
    Built(Operator),
    /// A component of a declared monoid.
    Declared(String, usize),
}

/// All goals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Goals {
    /// Each at its position.
    pub goals: Vec<Goal>,
    /// What must be computed.
    pub roots: Vec<GoalId>,
    /// How many axes there are.
    pub axes: u32,
    /// What is computed whose elements laws may read where they come before, each with the indices of the element.
    pub folded: Vec<(GoalId, Vec<Name>)>,
}

/// For each goal that is needed the position of its way.
pub type Selection = BTreeMap<GoalId, usize>;

/// What a selection costs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FormCost {
    /// Exponentials whose arguments may be above 0.
    pub overflows: u32,
    /// Over all axes, how often the elements along it are gone through: 1 where nothing waits for a whole reduction along it.
    pub passes: u32,
    /// Applications of scalar functions.
    pub operations: u128,
}

impl Goals {
    /// What `selection` costs; `None` where it is no answer: a goal without a way, or one that needs itself, at the same point or in no one
    /// order of points.
    pub fn cost(&self, selection: &Selection) -> Option<FormCost> {
        let mut counted: BTreeMap<GoalId, Option<Vec<u32>>> = BTreeMap::new();
        let computed = self.computed(selection);
        computed.iter().try_for_each(|root| self.levels(*root, selection, &mut counted).map(|_| ()))?;
        let operations = counted.keys().map(|goal| self.goals[*goal].options[selection[goal]].operations).sum();
        let passes = (0..self.axes).map(|axis| self.passes(axis, &counted)).sum();
        let overflows = counted.keys().filter(|goal| self.goals[**goal].options[selection[goal]].may_overflow).count();
        let overflows = u32::try_from(overflows).unwrap_or(u32::MAX);
        let is_whole = counted.values().all(Option::is_some);
        (is_whole && !self.mixes_orders(selection)).then_some(())?;
        Some(FormCost { overflows, passes, operations })
    }

    /// What equations compute in a selection: the roots, and what is read of tensors that have equations of their own.
    pub fn computed(&self, selection: &Selection) -> Vec<GoalId> {
        let (mut found, mut met) = (self.roots.clone(), BTreeSet::new());
        let mut open = self.roots.clone();
        while let Some(goal) = open.pop() {
            let way = selection.get(&goal).and_then(|way| self.goals[goal].options.get(*way));
            let Some(way) = way.filter(|_| met.insert(goal)) else { continue };
            let others: Vec<GoalId> = way.elsewhere.iter().copied().filter(|other| !found.contains(other)).collect();
            found.extend(others);
            open.extend(way.needs());
        }
        found
    }

    /// Whether a selection, which must be an answer, has at most so many passes along each axis.
    pub fn keeps(&self, selection: &Selection, most: &[u32]) -> bool {
        self.passes_of(selection).iter().zip(most).all(|(passes, most)| passes <= most)
    }

    /// The passes of a selection along each axis.
    pub fn passes_of(&self, selection: &Selection) -> Vec<u32> {
        let mut counted = BTreeMap::new();
        self.computed(selection).iter().for_each(|root| {
            self.levels(*root, selection, &mut counted);
        });
        (0..self.axes).map(|axis| self.passes(axis, &counted)).collect()
    }

    /// A number of steps that no schedule of a selection has fewer of, where an operation takes one: terms of a reduction come one after
    /// the other, and what waits for it comes behind. `counts` says how many terms an index has at least.
    pub fn steps(&self, selection: &Selection, counts: &dyn Fn(&str) -> u64) -> u64 {
        let mut known = BTreeMap::new();
        self.computed(selection)
            .iter()
            .map(|root| self.steps_of(*root, selection, counts, &mut known))
            .max()
            .unwrap_or(0)
            + 1
    }

    fn steps_of(
        &self,
        goal: GoalId,
        selection: &Selection,
        counts: &dyn Fn(&str) -> u64,
        known: &mut BTreeMap<GoalId, u64>,
    ) -> u64 {
        if let Some(steps) = known.get(&goal) {
            return *steps;
        }
        known.insert(goal, 0);
        let Some(way) = selection.get(&goal).map(|way| &self.goals[goal].options[*way]) else { return 0 };
        let own = match &way.value {
            Value::Fold(fold) => counts(&fold.index).saturating_sub(1),
            _ => 0,
        };
        let before = way.children.iter().map(|child| self.steps_of(*child, selection, counts, known)).max();
        let steps = own + before.unwrap_or(0);
        known.insert(goal, steps);
        steps
    }

    /// How often the elements along an axis are gone through.
    fn passes(&self, axis: u32, counted: &BTreeMap<GoalId, Option<Vec<u32>>>) -> u32 {
        let along = counted.iter().filter(|(goal, _)| self.goals[**goal].axes & (1 << axis) != 0);
        let levels = along.filter_map(|(_, levels)| levels.as_ref().and_then(|levels| levels.get(axis as usize)));
        levels.max().map_or(0, |level| level + 1)
    }

    /// For each axis how many reductions along it a goal waits for, one after the other.
    fn levels(
        &self,
        goal: GoalId,
        selection: &Selection,
        counted: &mut BTreeMap<GoalId, Option<Vec<u32>>>,
    ) -> Option<Vec<u32>> {
        if let Some(known) = counted.get(&goal) {
            return known.clone();
        }
        counted.insert(goal, None);
        let way = self.goals[goal].options.get(*selection.get(&goal)?)?;
        let mut levels = vec![0; self.axes as usize];
        for child in &way.children {
            raise(&mut levels, &self.levels(*child, selection, counted)?);
        }
        for (axis, level) in levels.iter_mut().enumerate() {
            *level += u32::from(way.pass & (1 << axis) != 0);
        }
        for beside in &way.beside {
            raise(&mut levels, &self.levels(*beside, selection, counted)?);
        }
        counted.insert(goal, Some(levels.clone()));
        Some(levels)
    }
}

/// Each entry at least as large as the other.
pub fn raise(levels: &mut [u32], other: &[u32]) {
    levels.iter_mut().zip(other).for_each(|(level, other)| *level = (*level).max(*other));
}
