//! Why there is no design: one of five kinds, with what there is to know of each.
//!
//! In: what a stage found out. Out: a [`Refusal`], which a message carries
//! ([`Diagnostic::refuses`](crate::diagnostic::Diagnostic::refuses)), so that a program need not read its text. Invariant: four kinds
//! say that there cannot be a design, and [`Refusal::NotFound`] alone says that none was found.

use crate::span::{Source, Span};

/// Why there is no design. There is no other reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// An element is defined by itself.
    Cycle {
        /// The elements, each needed for the next and the last for the first; one of them where a run meets it.
        elements: Vec<String>,
        /// The smallest sizes at which that is so.
        sizes: String,
    },
    /// No affine order has every value computed before it is read.
    NoOrder {
        /// How many rows of an order were found before no further row was of use.
        rows: usize,
        /// The reads that are not in order after these rows: what is read, and by what.
        left: Vec<(String, String)>,
    },
    /// Lines of the schedule cannot be kept together by any design.
    Contradiction(Clash),
    /// There is a design, but not on this machine.
    Machine {
        /// Its name.
        machine: String,
        /// What a machine would have to have.
        takes: Vec<String>,
    },
    /// None was found within the limits of the search. There may be one.
    NotFound {
        /// What was not looked at.
        limits: Vec<String>,
        /// The flags that look further.
        flags: Vec<String>,
        /// The lines of the schedule without which there is a design, if it is for them.
        lines: Option<Clash>,
    },
}

/// Lines of a schedule that are refused together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    /// The lines, in the order of the text. With these alone in the schedule it is refused for the same reason.
    pub lines: Vec<NamedDirective>,
    /// What there is without one of them.
    pub without_one: WithoutOne,
}

/// What there is with all lines of a clash but any one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithoutOne {
    /// A design: the lines are as few as can be.
    Design,
    /// A design, or that none is found within the limits of the search: none is ruled out.
    Open,
    /// That was not tried.
    Unknown,
}

/// One directive of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedDirective {
    /// The directive as it is written.
    pub text: String,
    /// On which line of the file, from 1.
    pub line: usize,
    /// Where in it.
    pub span: Span,
}

impl Refusal {
    /// That something was not looked at, of which no flag speaks.
    pub fn beyond(limit: impl Into<String>) -> Refusal {
        Refusal::NotFound { limits: vec![limit.into()], flags: vec![], lines: None }
    }

    /// The word for the kind in the output for programs.
    pub fn keyword(&self) -> &'static str {
        match self {
            Refusal::Cycle { .. } => "cycle",
            Refusal::NoOrder { .. } => "no-order",
            Refusal::Contradiction(_) => "contradiction",
            Refusal::Machine { .. } => "machine",
            Refusal::NotFound { .. } => "not-found",
        }
    }

    /// The first line of a message of a kernel without a design.
    pub fn message(&self, kernel: &str) -> String {
        match self {
            Refusal::Cycle { elements, .. } => {
                let first = elements.first().map_or(kernel, |element| element);
                format!("element `{first}` is defined by itself")
            }
            Refusal::NoOrder { .. } => format!("`{kernel}` has no affine order"),
            Refusal::Contradiction(_) => format!("the schedule of `{kernel}` contradicts itself"),
            Refusal::Machine { machine, .. } => format!("`{machine}` is too small for `{kernel}`"),
            Refusal::NotFound { .. } => format!("no design of `{kernel}` was found within these limits"),
        }
    }

    /// The lines of the schedule that are at fault, if it is they.
    pub fn clash(&self) -> Option<&Clash> {
        match self {
            Refusal::Contradiction(clash) => Some(clash),
            Refusal::NotFound { lines, .. } => lines.as_ref(),
            Refusal::Cycle { .. } | Refusal::NoOrder { .. } | Refusal::Machine { .. } => None,
        }
    }

    /// A line of what is known beside the first line of a message; nothing where the stage says it all.
    pub fn note(&self) -> Option<String> {
        match self {
            Refusal::Cycle { .. } | Refusal::NotFound { lines: None, .. } => None,
            Refusal::NoOrder { rows, left } => Some(no_further_row(*rows, left)),
            Refusal::Contradiction(clash) => Some(clash.contradicts()),
            Refusal::Machine { machine, takes } => {
                Some(format!("it takes {}, more than `{machine}` has", takes.join(", ")))
            }
            Refusal::NotFound { lines: Some(clash), .. } => Some(clash.not_found()),
        }
    }
}

/// What no row of an order is of use for.
fn no_further_row(rows: usize, left: &[(String, String)]) -> String {
    let reads: Vec<String> = left.iter().map(|(tensor, by)| format!("`{tensor}` in `{by}`")).collect();
    let after = match rows {
        0 => "no row of times".to_owned(),
        1 => "after 1 row of times no further one".to_owned(),
        rows => format!("after {rows} rows of times no further one"),
    };
    format!("{after} is level or later along all of these reads, and later along one: {}", reads.join(", "))
}

impl Clash {
    /// One line that the equations refuse, so that nothing is searched for it.
    pub fn of_one(source: &Source, line: Span) -> Clash {
        Clash { lines: vec![NamedDirective::new(source, line)], without_one: WithoutOne::Unknown }
    }

    fn contradicts(&self) -> String {
        let cannot = match self.lines.len() {
            1 => "cannot be kept, whatever else the schedule says",
            2 => "cannot both be kept",
            _ => "cannot be kept together",
        };
        format!("{} {cannot}{}", self.show_lines(), self.show_without_one())
    }

    fn not_found(&self) -> String {
        format!("none was found with {}{}", self.show_lines(), self.show_without_one())
    }

    fn show_lines(&self) -> String {
        let lines: Vec<String> = self.lines.iter().map(|one| format!("`{}` (line {})", one.text, one.line)).collect();
        match lines.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, before)) => format!("{} and {last}", before.join(", ")),
            None => "the schedule".to_owned(),
        }
    }

    fn show_without_one(&self) -> String {
        let without = match self.lines.len() {
            1 => "without it",
            2 => "without either",
            _ => "without any one of them",
        };
        match self.without_one {
            WithoutOne::Design => format!("; {without} there is a design"),
            WithoutOne::Open => format!("; {without} a design is not ruled out"),
            WithoutOne::Unknown => String::new(),
        }
    }
}

impl NamedDirective {
    /// The directive that stands here.
    pub fn new(source: &Source, span: Span) -> NamedDirective {
        let words: Vec<&str> = source.slice(span).split_whitespace().collect();
        NamedDirective { text: words.join(" "), line: source.line(span.start), span }
    }
}
