//! A design of some of the families.

use super::draft::Ordered;
use crate::cost::Cost;
use crate::extract::Found;
use crate::extract::solve::places::{Placement, Row};
use crate::rewrite::Dataflow;
use systole_equations::recurrence::spaces::SpaceSystem;

/// Where some families are and how the values of their spaces move, numbered as in the whole system.
#[derive(Clone, Debug)]
pub struct Partial {
    /// For each family its rows, once it is placed.
    pub rows: Vec<Option<Vec<Row>>>,
    /// For each space its dataflow, once its family is placed.
    pub dataflows: Vec<Option<Dataflow>>,
    /// Which space runs before which on the PEs that both use.
    pub order: Vec<(usize, usize)>,
    /// The design of these families alone.
    pub found: Found,
}

impl Partial {
    /// No family is placed.
    pub fn none(system: &SpaceSystem) -> Partial {
        let found = Found { cost: Cost::default(), parts: vec![], fold: Default::default() };
        Partial {
            rows: vec![None; system.families.len()],
            dataflows: vec![None; system.spaces.len()],
            order: vec![],
            found,
        }
    }

    /// With these families placed so, and these spaces as in the design that was found.
    pub fn with(
        &self,
        placement: &Placement,
        (families, spaces): (&[usize], &[usize]),
        (found, order): Ordered,
    ) -> Partial {
        let mut next = self.clone();
        for (number, family) in families.iter().enumerate() {
            next.rows[*family] = Some(placement.rows(number));
        }
        for (space, part) in spaces.iter().zip(&found.parts) {
            next.dataflows[*space] = Some(part.dataflow.clone());
        }
        next.order = order.iter().map(|(first, second)| (spaces[*first], spaces[*second])).collect();
        Partial { found, ..next }
    }
}
