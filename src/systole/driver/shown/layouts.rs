//! Where the arrays of a run begin and end, in words.

use serde_json::{Map, Value, json};
use systole_base::integer::Name;
use systole_equations::recurrence::Distribution;
use systole_program::array::Program;
use systole_run::exec::Settings;

/// `block` for all arrays alike, or `A block, C cyclic`; none where no array has a layout.
pub fn show_layouts(program: &Program, settings: &Settings) -> Option<String> {
    match &layouts(program, settings)[..] {
        [] => None,
        all if is_one(all, program) => Some(all[0].1.to_string()),
        all => Some(all.iter().map(|(array, layout)| format!("{array} {layout}")).collect::<Vec<_>>().join(", ")),
    }
}

/// The same as a text, an object by arrays, or null.
pub fn layouts_to_json(program: &Program, settings: &Settings) -> Value {
    match &layouts(program, settings)[..] {
        [] => Value::Null,
        all if is_one(all, program) => json!(all[0].1.to_string()),
        all => all
            .iter()
            .map(|(array, layout)| (array.to_string(), json!(layout.to_string())))
            .collect::<Map<_, _>>()
            .into(),
    }
}

fn layouts<'a>(program: &'a Program, settings: &Settings) -> Vec<(&'a Name, Distribution)> {
    let arrays = program.arrays.iter().map(|array| &array.name).zip(settings.layouts(program));
    arrays.filter_map(|(array, layout)| Some((array, layout?))).collect()
}

/// Whether every array has the same.
fn is_one(all: &[(&Name, Distribution)], program: &Program) -> bool {
    all.len() == program.arrays.len() && all.iter().all(|(_, layout)| *layout == all[0].1)
}
