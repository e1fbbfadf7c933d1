//! The ways to lower a space, as they are handed to the search.
//!
//! In: nothing. Out: [`Choices`], a list of transports for each operand and a list of chains. Invariant: every combination is
//! a term of the e-graph, so that the designs are a product while the graph is a sum. Paper: Cyclotron section 8.

use super::dataflow::{Dataflow, Transport};
use super::levels::is_constant;
use systole_base::integer::Name;
use systole_equations::recurrence::{Chain, Space};

/// Every way to lower a space: any transport of each operand goes with any chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices {
    /// For each operand, in the order of [`Space::operands`](systole_equations::recurrence::Space::operands), its transports in ascending order.
    pub transports: Vec<Vec<Transport>>,
    /// The orders of the reduction in ascending order; one empty chain where nothing is reduced.
    pub chains: Vec<Chain>,
}

impl Choices {
    /// Numbers that are the same at all points are known before the run, unless they are `asked` to stream: one transport
    /// serves each, and to choose among its trees would multiply the designs for nothing.
    pub fn know_numbers(&mut self, space: &Space, asked: impl Fn(&Name) -> bool) {
        for (operand, offered) in space.operands.iter().zip(&mut self.transports) {
            let known = offered.iter().any(|choice| choice.streams().is_empty());
            if known && is_constant(space, operand) && !asked(&operand.tensor) {
                offered.retain(|choice| choice.streams().is_empty());
            }
        }
    }

    /// The same with one order of the reduction.
    pub fn in_order(&self, order: usize) -> Choices {
        let chains = self.chains.get(order).cloned().into_iter().collect();
        Choices { transports: self.transports.clone(), chains }
    }

    /// How many dataflows there are, or the largest number that there is.
    pub fn count(&self) -> usize {
        self.transports.iter().fold(self.chains.len(), |count, list| count.saturating_mul(list.len()))
    }

    /// All dataflows: the last operand's transport changes fastest, then the others', then the chain.
    pub fn dataflows(&self) -> impl Iterator<Item = Dataflow> + '_ {
        (0..self.count()).map(|number| self.dataflow(number))
    }

    /// The dataflow with this number, below [`Choices::count`].
    pub fn dataflow(&self, mut number: usize) -> Dataflow {
        let mut pick = |count: usize| {
            let choice = number % count;
            number /= count;
            choice
        };
        let picked: Vec<usize> = self.transports.iter().rev().map(|list| pick(list.len())).collect();
        let transports = self.transports.iter().zip(picked.iter().rev());
        let transports = transports.map(|(list, choice)| list[*choice].clone()).collect();
        Dataflow { transports, chain: self.chains[pick(self.chains.len())].clone() }
    }
}
