//! Designs before it is known whether they are legal.
//!
//! In: the parts of a dataflow, and the order of its spaces as far as it is known. Out: the shortest steps with what they would
//! cost; on demand the legal designs, whose steps are no shorter.

use super::partial::Partial;
use crate::cost::{Cost, Objective};
use crate::extract::solve::Task;
use crate::extract::solve::places::Placement;
use crate::extract::solve::search::{conditions, joined_handoffs, legal, legal_in_turns};
use crate::extract::solve::sharing::{Successive, in_order, pairs_under};
use crate::extract::solve::steps::on_links;
use crate::extract::solve::tally::estimate;
use crate::extract::{Found, Survey, front::plainness};
use crate::mapping::{Design, SpaceDesign};

/// A partial design with the next family placed beside it.
pub struct Next<'a> {
    /// The design.
    pub partial: &'a Partial,
    /// All families that are placed then.
    pub placement: Placement,
}

/// A dataflow with its shortest steps, under which spaces may meet.
pub struct Draft<'a> {
    /// What it goes on from.
    pub next: &'a Next<'a>,
    /// What it would cost with these steps, in every best way to move its inputs.
    pub costs: Vec<Cost>,
    parts: Vec<SpaceDesign>,
}

/// A design that is legal, and the order of its spaces on the PEs that they share.
pub type Ordered = (Found, Vec<(usize, usize)>);

impl<'a> Draft<'a> {
    /// The shortest steps of these parts, with the order of spaces that is known; `None` where there are none.
    pub fn new(task: &Task, next: &'a Next, parts: Vec<SpaceDesign>, order: &[(usize, usize)]) -> Option<Draft<'a>> {
        let design = Design::new(task.system, parts);
        let handoffs = joined_handoffs(task, &design).ok()?;
        let parts = in_order(&design, conditions(task, &design, &handoffs)?, order)?.shortest_alone(&design)?;
        let costs = estimate(task, &Design { parts: parts.clone(), ..design }, &handoffs);
        (!costs.is_empty()).then_some(Draft { next, costs, parts })
    }

    /// What orders drafts that would cost the same.
    pub fn plainness(&self) -> impl Ord + use<> {
        plainness(&self.parts)
    }

    /// The best of what it would cost under an objective.
    pub fn key(&self, objective: Objective) -> Option<[u128; 6]> {
        self.costs.iter().map(|cost| objective.key(cost)).min()
    }

    /// The designs with the shortest steps under which no two spaces meet; if need be they take turns.
    pub fn legal(&self, task: &Task, order: &[(usize, usize)], in_turns: bool) -> Vec<Ordered> {
        self.apart(task, order, in_turns).unwrap_or_default()
    }

    fn apart(&self, task: &Task, order: &[(usize, usize)], in_turns: bool) -> Option<Vec<Ordered>> {
        let design = &Design::new(task.system, self.parts.clone());
        let handoffs = &joined_handoffs(task, design).ok()?;
        let mut conditions = in_order(design, conditions(task, design, handoffs)?, order)?;
        let shortest = on_links(task, design, handoffs, &mut conditions, &self.parts);
        let shortest = shortest.unwrap_or_else(|| self.parts.clone());
        let turn = Successive { conditions: conditions.clone(), order: order.to_vec(), parts: shortest.clone() };
        let none = Survey::default();
        if let Some(turn) = turn.until_none_meet(task, design, pairs_under(task, &shortest)?) {
            let found = legal(task, &turn.parts, handoffs, &none).found;
            return Some(found.into_iter().map(|found| (found, turn.order.clone())).collect());
        }
        let (legal, _) = in_turns.then(|| legal_in_turns(task, (design, handoffs, &conditions), &shortest, &none))?;
        Some(legal.found.into_iter().map(|found| (found, order.to_vec())).collect())
    }
}
