//! What one choice costs at one place, and what it asks of a step.

use crate::cost::Cost;
use crate::mapping::is_in_time;
use systole_base::integer::{Matrix, Vector, dot, lexicographic_sign};

/// How the delay of a choice is judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Timing {
    /// A moving or stationary flow: at least so many steps; storage is slots a link, or a register a PE.
    Flow { least: i64, response: i64 },
    /// All listeners and the driver at one step.
    Together,
    /// No demand on time.
    Free,
}

/// One choice at one place.
#[derive(Clone, Debug)]
pub struct Priced {
    /// Along which its words go in the space.
    pub direction: Vector,
    /// The same in the array.
    pub displacement: Vector,
    /// What is the same at all points of the flow, as rows.
    pub fixed: Vec<Vector>,
    /// What it asks of a step.
    pub timing: Timing,
    /// Links of the flow, or PEs that hold its register.
    pub carriers: u64,
    /// What it costs but for slots.
    pub cost: Cost,
}

impl Priced {
    /// Whether it asks of a step what another one asks.
    pub fn asks_as(&self, other: &Priced) -> bool {
        self.timing == other.timing && (self.timing == Timing::Free || self.direction == other.direction)
    }

    /// Whether it is in time under a step, whatever its storage.
    pub fn is_in_time(&self, step: &Matrix) -> bool {
        match self.timing {
            Timing::Free => true,
            Timing::Together => step.rows().iter().all(|row| dot(row, &self.direction) == 0),
            Timing::Flow { least, .. } => {
                let Some((last, leading)) = step.rows().split_last() else { return false };
                let lag = |row: &Vector| dot(row, &self.direction);
                let whole_rows = leading.iter().map(lag).find(|rows| *rows != 0).unwrap_or(0);
                is_in_time(&[whole_rows, lag(last)], least)
            }
        }
    }

    /// Whether it is in time where rows of a vector time are long enough.
    pub fn is_in_long_rows(&self, step: &Matrix) -> bool {
        let delay = step.apply(&self.direction);
        let is_later_row = lexicographic_sign(&delay[..delay.len().saturating_sub(1)]) > 0;
        self.is_in_time(step) || (matches!(self.timing, Timing::Flow { .. }) && is_later_row)
    }

    /// A choice that asks nothing of a step.
    pub fn free(cost: Cost) -> Priced {
        let (direction, displacement, fixed) = (vec![], vec![], vec![]);
        Priced { direction, displacement, fixed, timing: Timing::Free, carriers: 0, cost }
    }
}
