//! Times, places and values in the words of the source, for the reasons of obligations.

use super::frame::{Frame, Point, displaced};
use crate::mapping::{Flow, FlowRole};
use systole_base::diagnostic::WIDEST;
use systole_base::integer::Affine;

/// One side of a contradiction: what happens, when, and the rest of the line.
pub(super) struct Side<'a> {
    pub what: &'a str,
    pub time: String,
    pub rest: String,
}

/// Both sides with their times under each other.
pub(super) fn sides(available: &Side, needed: &Side) -> (String, String) {
    let label = available.what.len().max(needed.what.len()).min(WIDEST);
    let time = available.time.len().max(needed.time.len()).min(WIDEST);
    let line = |side: &Side| format!("{:label$}  t = {:time$}     {}", side.what, side.time, side.rest);
    (line(available), line(needed))
}

/// One form plainly, several in brackets: `i + j`, `(j, i + k)`.
pub(super) fn tuple(forms: &[Affine]) -> String {
    match forms {
        [single] => single.to_string(),
        _ => format!("({})", forms.iter().map(Affine::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// Integers in brackets: `(0, 1)`.
pub(super) fn vector(entries: &[i64]) -> String {
    format!("({})", entries.iter().map(i64::to_string).collect::<Vec<_>>().join(", "))
}

impl Frame<'_> {
    /// The time of a point.
    pub fn show_time(&self, point: &Point) -> String {
        tuple(&self.time(point))
    }

    /// The PE of a point: `PE (i, j-1)`.
    pub fn show_pe(&self, point: &Point) -> String {
        show_place(&self.place(point))
    }

    /// The PE that lies `side` away from that of a point.
    pub fn show_pe_beside(&self, point: &Point, side: &[i64]) -> String {
        show_place(&displaced(self.place(point), side, &Affine::constant(1)))
    }

    /// What a flow carries at a point: `A[i,k]`.
    pub fn show_value(&self, flow: &Flow, point: &Point) -> String {
        match flow.role {
            FlowRole::Operand(position) | FlowRole::Face(position, _) => self.show_operand(position, point),
            FlowRole::Reduction(_) => self.show_access(&flow.of, &self.space().output_access, point),
        }
    }

    /// What the operand at this position reads at a point.
    pub fn show_operand(&self, position: usize, point: &Point) -> String {
        let operand = &self.space().operands[position];
        self.show_access(&operand.tensor, &operand.access, point)
    }

    fn show_access(&self, tensor: &str, subscripts: &[Affine], point: &Point) -> String {
        let subscripts: Vec<String> = self.access(subscripts, point).iter().map(Affine::compact).collect();
        format!("{tensor}[{}]", subscripts.join(","))
    }

    /// A direction without its brackets, as messages name it: `j`, `i-k`.
    pub fn show_along(&self, direction: &[i64]) -> String {
        Affine::from_row(self.space().indices(), direction).compact()
    }

    /// The time coefficients a direction adds up: `time coefficient of j`, `time coefficients i - k`.
    pub fn show_coefficients(&self, direction: &[i64]) -> String {
        let form = Affine::from_row(self.space().indices(), direction);
        match form.as_variable() {
            Some(index) => format!("time coefficient of {index}"),
            None => format!("time coefficients {form}"),
        }
    }

    /// `steps` as a bound on times: `1`, or `(0, 1)` where time is a vector.
    pub fn show_steps(&self, steps: i64) -> String {
        let rows = self.design.map.step.rows().len();
        let mut entries = vec![0; rows.saturating_sub(1)];
        entries.push(steps);
        if entries.len() == 1 { steps.to_string() } else { vector(&entries) }
    }
}

/// Coordinates as a PE: `PE (i, j-1)`.
pub(super) fn show_place(place: &[Affine]) -> String {
    let coordinates: Vec<String> = place.iter().map(Affine::compact).collect();
    if coordinates.is_empty() { "the only PE".to_owned() } else { format!("PE ({})", coordinates.join(", ")) }
}
