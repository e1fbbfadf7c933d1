//! The front of the designs of all forms together, with the form that each comes from.
//!
//! In: the front of each form, counted at the same sizes. Out: the designs that no design of any form beats, best first, as a table and as
//! objects. Invariant: ties stay, in the order of the forms.

use crate::driver::kernels::forms::Front;
use crate::driver::shown::columns::comma_separated;
use crate::driver::shown::output::Output;
use crate::driver::shown::show;
use serde_json::{Value, json};
use systole_base::diagnostic::counted;
use systole_base::integer::Bindings;
use systole_compile::cost::{Cost, Objective};

/// A design on the front of a form.
#[derive(Clone, Debug)]
pub struct Design {
    /// The number of the form.
    pub form: usize,
    /// What it costs.
    pub cost: Cost,
    /// Its rows in a table.
    pub rows: Vec<String>,
    /// The design in one line.
    pub line: String,
    /// The design for programs.
    pub object: Value,
}

/// The front of all forms.
#[derive(Clone, Debug)]
pub struct Together {
    /// The designs, best first.
    designs: Vec<Design>,
    /// The sizes at which they were counted.
    counted: Bindings,
}

impl Together {
    /// What none beats.
    pub fn of(fronts: Vec<Front>) -> Together {
        let counted = fronts.first().map(|front| front.counted.clone()).unwrap_or_default();
        let objective = fronts.first().map_or(Objective::Cycles, |front| front.objective);
        let all: Vec<Design> = fronts.into_iter().flat_map(|front| front.designs).collect();
        let costs: Vec<Cost> = all.iter().map(|design| design.cost).collect();
        let is_beaten = |cost: &Cost| costs.iter().any(|other| other != cost && other.is_within(cost));
        let mut designs: Vec<Design> = all.into_iter().filter(|design| !is_beaten(&design.cost)).collect();
        designs.sort_by_key(|design| (objective.key(&design.cost), design.form));
        Together { designs, counted }
    }

    /// Prints the first `most` of them.
    pub fn print(&self, most: usize, output: &Output) {
        output.line(&format!("\n  {} on the front of all forms", counted(self.designs.len(), "design")));
        output.line(&format!("  form  {}", show::TITLES));
        for design in self.designs.iter().take(most) {
            let numbers = std::iter::once(design.form.to_string()).chain(std::iter::repeat(String::new()));
            design.rows.iter().zip(numbers).for_each(|(row, number)| output.line(&format!("  {number:>4}  {row}")));
        }
        show::print_rest(self.designs.len(), most, output);
    }

    /// The same as comma-separated values, all of them, with the number of the form in front.
    pub fn csv(&self) -> String {
        let titles = ["form"].into_iter().chain(show::FRONT).map(str::to_owned).collect();
        let row = |one: &Design| [vec![one.form.to_string()], show::front_row(&one.cost, &one.line)].concat();
        comma_separated(std::iter::once(titles).chain(self.designs.iter().map(row)))
    }

    /// The same for programs: each design as it stands on the front of its form, with the form's number.
    pub fn to_json(&self) -> Value {
        let object = |design: &Design| {
            let mut object = design.object.clone();
            object["form"] = json!(design.form);
            object
        };
        let front: Vec<Value> = self.designs.iter().map(object).collect();
        json!({ "front": front, "counted_at": show::sizes_json(&self.counted) })
    }
}
