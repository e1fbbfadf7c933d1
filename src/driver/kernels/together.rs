//! The front of the designs of all forms together, with the form that each comes from.
//!
//! In: the front of each form. Out: the designs that no design of any form beats, best first, as a table and as objects. Invariant: ties
//! stay, in the order of the forms; costs are compared only where they were counted at the same sizes.

use crate::cost::{Cost, Objective};
use crate::driver::shown::output::Output;
use crate::driver::shown::show::{TITLES, costs};
use crate::integer::Bindings;
use serde_json::{Value, json};

/// A design on the front of a form.
#[derive(Clone, Debug)]
pub struct Design {
    /// The number of the form.
    pub form: usize,
    /// What it costs.
    pub cost: Cost,
    /// The sizes at which that was counted.
    pub counted: Bindings,
    /// The design on one line, where it has one; a line for each of several spaces.
    pub lines: Vec<String>,
    /// The design for programs.
    pub object: Value,
}

/// The front of all forms.
#[derive(Clone, Debug)]
pub struct Together {
    designs: Vec<Design>,
}

impl Together {
    /// What none beats; nothing where costs were counted at different sizes.
    pub fn of(designs: Vec<Design>, objective: Objective) -> Option<Together> {
        if designs.windows(2).any(|pair| pair[0].counted != pair[1].counted) {
            return None;
        }
        let beats = |one: &Cost, other: &Cost| one != other && one.is_within(other);
        let is_beaten = |design: &Design| designs.iter().any(|other| beats(&other.cost, &design.cost));
        let mut front: Vec<Design> = designs.iter().filter(|design| !is_beaten(design)).cloned().collect();
        front.sort_by_key(|design| (objective.key(&design.cost), design.form));
        Some(Together { designs: front })
    }

    /// Prints the first `most` of them.
    pub fn print(&self, most: usize, output: &Output) {
        output.line(&format!("\n  {} designs on the front of all forms together", self.designs.len()));
        output.line(&format!("  form {TITLES}"));
        for design in self.designs.iter().take(most) {
            output.line(&format!("  {:>4} {}", design.form, costs(&design.cost)));
            design.lines.iter().for_each(|line| output.line(&format!("           {line}")));
        }
        if self.designs.len() > most {
            output.line(&format!("  and {} more: --most {}, or --json", self.designs.len() - most, self.designs.len()));
        }
    }

    /// The same for programs: each design as it stands on the front of its form, with the form's number.
    pub fn to_json(&self) -> Value {
        let object = |design: &Design| {
            let mut object = design.object.clone();
            object["form"] = json!(design.form);
            object
        };
        self.designs.iter().map(object).collect()
    }
}
