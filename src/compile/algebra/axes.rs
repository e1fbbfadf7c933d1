//! Which indices run along the same axis.
//!
//! In: a system. Out: for each index of each equation its axis. Dimensions of tensors and indices that stand at them alone, as in
//! `A[i, k]`, belong together, whichever equation says so; `x[i + k]` joins nothing. So the keys of attention are one axis in all
//! its equations, and the inner dimensions of a chain of products are one each.

use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name};
use systole_equations::recurrence::{Expr, RecurrenceSystem};

/// What may lie along an axis.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Member {
    Dimension(Name, usize),
    Index(usize, Name),
}

/// The axes of a system.
#[derive(Clone, Debug, Default)]
pub(super) struct Axes {
    parents: BTreeMap<Member, Member>,
    numbers: BTreeMap<Member, usize>,
}

impl Axes {
    /// The axes of all indices of `system`.
    pub fn of(system: &RecurrenceSystem) -> Axes {
        let mut axes = Axes::default();
        for (number, equation) in system.equations.iter().enumerate() {
            equation.domain.indices.iter().for_each(|index| axes.note(number, index));
            axes.join_access(number, &equation.target, &equation.subscripts);
            axes.join_reads(number, &equation.value);
        }
        axes.number();
        axes
    }

    fn number(&mut self) {
        self.numbers.clear();
        let roots: Vec<Member> = self.parents.keys().map(|member| self.root(member)).collect();
        for root in roots {
            let next = self.numbers.len();
            self.numbers.entry(root).or_insert(next);
        }
    }

    /// The same with the dimensions of two tensors of one shape joined.
    pub fn of_pair(system: &RecurrenceSystem, one: &Name, other: &Name, rank: usize) -> Axes {
        let mut axes = Axes::of(system);
        for dimension in 0..rank {
            axes.join(&Member::Dimension(one.clone(), dimension), &Member::Dimension(other.clone(), dimension));
        }
        axes.number();
        axes
    }

    /// The axis of an index of an equation.
    pub fn of_index(&self, equation: usize, index: &Name) -> usize {
        let root = self.root(&Member::Index(equation, index.clone()));
        self.numbers.get(&root).copied().unwrap_or_default()
    }

    /// The axis of a dimension of a tensor; `None` where no index stands at it alone.
    pub fn of_dimension(&self, tensor: &Name, dimension: usize) -> Option<usize> {
        let member = Member::Dimension(tensor.clone(), dimension);
        self.parents.contains_key(&member).then(|| self.numbers.get(&self.root(&member)).copied()).flatten()
    }

    /// An index that stands alone nowhere has an axis of its own.
    fn note(&mut self, equation: usize, index: &Name) {
        let member = Member::Index(equation, index.clone());
        self.parents.entry(member.clone()).or_insert(member);
    }

    fn join_reads(&mut self, equation: usize, value: &Expr) {
        match value {
            Expr::Number(_) | Expr::Index(_) => {}
            Expr::Read { tensor, subscripts, .. } => self.join_access(equation, tensor, subscripts),
            Expr::Apply(_, arguments) => arguments.iter().for_each(|argument| self.join_reads(equation, argument)),
            Expr::Reduce { index, body, .. } => {
                self.note(equation, index);
                self.join_reads(equation, body);
            }
        }
    }

    fn join_access(&mut self, equation: usize, tensor: &Name, subscripts: &[Affine]) {
        for (dimension, form) in subscripts.iter().enumerate() {
            if let Some(index) = form.as_variable() {
                self.join(&Member::Dimension(tensor.clone(), dimension), &Member::Index(equation, index.clone()));
            }
        }
    }

    fn join(&mut self, one: &Member, other: &Member) {
        let (one, other) = (self.root(one), self.root(other));
        let (first, second) = if one <= other { (one, other) } else { (other, one) };
        self.parents.insert(second, first.clone());
        self.parents.insert(first.clone(), first);
    }

    fn root(&self, member: &Member) -> Member {
        let mut member = member.clone();
        while let Some(parent) = self.parents.get(&member).filter(|parent| **parent != member) {
            member = parent.clone();
        }
        member
    }
}
