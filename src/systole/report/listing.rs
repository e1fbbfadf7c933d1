//! The text of a program for the page, line by line, so that the lines that run can be lit.
//!
//! In: a program. Out: for each class its lines; those that are an instruction have its number. Invariant: at most [`MOST_LINES`] lines
//! of all classes together, else none.

use serde::Serialize;
use systole_program::array::{Program, class_lines};

/// The lines that are shown at most.
const MOST_LINES: usize = 4000;

/// A line, and the number of its instruction in the class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListingRow(pub String, pub Option<usize>);

/// What the PEs of a class do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListingClass {
    /// Its name.
    pub name: String,
    /// Its lines.
    pub lines: Vec<ListingRow>,
}

/// The classes of a program; none where they have too many lines.
pub fn listing(program: &Program) -> Vec<ListingClass> {
    let listed: Vec<ListingClass> = program
        .classes
        .iter()
        .map(|class| {
            let lines = class_lines(class).into_iter().map(|(text, number)| ListingRow(text, number)).collect();
            ListingClass { name: class.name.to_string(), lines }
        })
        .collect();
    let count: usize = listed.iter().map(|class| class.lines.len()).sum();
    if count <= MOST_LINES { listed } else { vec![] }
}
