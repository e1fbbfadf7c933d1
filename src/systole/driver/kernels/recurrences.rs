//! Files of recurrences: a kernel and a design, as a `.design` file has them, and behind these the recurrences of the design.
//!
//! In: a design that was found, or the text of such a file. Out: the text; or what the file claims, and where the kernel under its design
//! gives something else.

use crate::driver::flags::typed::Typed;
use crate::driver::kernels::designed;
use crate::driver::kernels::searched::Searched;
use serde_json::{Value, json};
use std::sync::Arc;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics};
use systole_base::span::{Source, Span};
use systole_compile::extract::Constraint;
use systole_compile::mapping::Design;
use systole_compile::rewrite::{
    Choices, Difference, LocatedStatement, RECURRENCES, Recurrence, Statement, compare_recurrences, read_recurrences,
    recurrences, split_recurrences,
};
use systole_equations::recurrence::Schedule;
use systole_equations::recurrence::spaces::SpaceSystem;

/// The recurrences of a design: its dataflow, written out.
pub fn of(design: &Design) -> Vec<Statement> {
    let dataflows: Vec<_> = design.parts.iter().map(|part| part.dataflow.clone()).collect();
    recurrences(design.system, &dataflows)
}

/// The file: that of the design, and its recurrences.
///
/// # Errors
/// The text of the kernel cannot be read again.
pub fn text(searched: &Searched, design: &Design, named: Option<&str>) -> Checked<String> {
    let lines: String = of(design).iter().map(|line| format!("{line}\n")).collect();
    Ok(format!("{}\n{RECURRENCES}\n{lines}", designed::text(searched, design, named)?))
}

/// Recurrences as data: for each space its name, where it has one, and its recurrences in parts.
pub fn json(lines: &[Statement]) -> Value {
    let mut spaces: Vec<(Option<String>, Vec<Value>)> = vec![];
    for line in lines {
        match (line, spaces.last_mut()) {
            (Statement::Space(name), _) => spaces.push((Some(name.to_string()), vec![])),
            (Statement::Recurrence(one), Some((_, all))) => all.push(recurrence_json(one)),
            (Statement::Recurrence(one), None) => spaces.push((None, vec![recurrence_json(one)])),
        }
    }
    spaces.into_iter().map(|(space, all)| json!({ "space": space, "recurrences": all })).collect()
}

fn recurrence_json(one: &Recurrence) -> Value {
    let guard: Vec<String> = one.guard.iter().map(ToString::to_string).collect();
    json!({
        "defines": one.defined.to_string(),
        "value": one.value.to_string(),
        "carrier": one.carrier.as_ref().map(ToString::to_string),
        "where": guard,
    })
}

/// The recurrences that a file claims of its design.
pub struct Claimed {
    source: Arc<Source>,
    /// Where they begin.
    start: Span,
    lines: Vec<LocatedStatement>,
}

/// The text of a kernel, without the recurrences behind it, and these.
///
/// # Errors
/// Recurrences that cannot be read.
pub fn split(source: &Arc<Source>) -> Checked<(Arc<Source>, Option<Claimed>)> {
    let (kernel, within) = split_recurrences(source);
    let Some(within) = within else { return Ok((kernel, None)) };
    let start = Span { start: kernel.text.len(), end: kernel.text.len() + RECURRENCES.len() };
    let lines = read_recurrences(source, within)?;
    Ok((kernel, Some(Claimed { source: Arc::clone(source), start, lines })))
}

impl Claimed {
    /// How many lines there are.
    pub fn count(&self) -> usize {
        self.lines.len()
    }

    /// The lines as data.
    pub fn json(&self) -> Value {
        let lines: Vec<Statement> = self.lines.iter().map(|read| read.line.clone()).collect();
        json(&lines)
    }

    /// Where the design gives other recurrences.
    ///
    /// # Errors
    /// The schedule is no design of these spaces, or says what no rule offers.
    pub fn differences(
        &self,
        system: &SpaceSystem,
        design: &Schedule,
        offered: &[Choices],
    ) -> Checked<Vec<Difference>> {
        let constraint = Constraint::from_schedule(system, design)?;
        constraint.restrict(system, offered)?;
        let Some(given) = constraint.given else {
            let said = Diagnostic::new(format!("`{}` says of no space how its values move", design.name));
            let said = said.label(&self.source, self.start, "so it has no recurrences");
            return said.help("write such a file with `systole emit KERNEL --stop-after spaces -o FILE`").alone();
        };
        let dataflows: Vec<_> = given.parts.into_iter().map(|part| part.dataflow).collect();
        Ok(compare_recurrences(&self.lines, &recurrences(system, &dataflows)))
    }

    /// Refuses recurrences that are not those of the design.
    ///
    /// # Errors
    /// As for [`Claimed::differences`]; each line that is another one, that is missing, or that is too many.
    pub fn check(&self, system: &SpaceSystem, design: &Schedule, offered: &[Choices]) -> Checked<()> {
        let differences = self.differences(system, design, offered)?;
        if differences.is_empty() { Ok(()) } else { Err(self.messages(&differences)) }
    }

    /// What is wrong, line by line.
    pub fn messages(&self, differences: &[Difference]) -> Diagnostics {
        differences.iter().map(|one| self.message(one)).collect()
    }

    fn message(&self, difference: &Difference) -> Diagnostic {
        let (message, span, label, step) = match difference {
            Difference::Other { read, wanted } => (
                format!("`{}` is not what the kernel gives under this design", read.line),
                read.span,
                format!("the kernel has `{wanted}` here"),
                "write what the kernel has",
            ),
            Difference::Missing { behind, wanted } => (
                format!("the line `{wanted}` is missing"),
                behind.unwrap_or(self.start),
                "the kernel has it behind this line".to_owned(),
                "add it",
            ),
            Difference::Surplus { read } => (
                format!("`{}` is a line too many", read.line),
                read.span,
                "the kernel has nothing here under this design".to_owned(),
                "take it out",
            ),
        };
        let again = Typed::command("check").file(&self.source.name).line();
        Diagnostic::new(message).label(&self.source, span, label).help(format!("{step}, then `{again}`"))
    }

    /// The differences as data, each with its line in the file.
    pub fn differences_json(&self, differences: &[Difference]) -> Value {
        let line = |span: Span| self.source.line(span.start);
        let one = |difference: &Difference| match difference {
            Difference::Other { read, wanted } => {
                json!({ "line": line(read.span), "read": read.line.to_string(), "kernel": wanted.to_string() })
            }
            Difference::Missing { behind, wanted } => {
                let behind = line(behind.unwrap_or(self.start));
                json!({ "line": behind, "read": null, "kernel": wanted.to_string() })
            }
            Difference::Surplus { read } => {
                json!({ "line": line(read.span), "read": read.line.to_string(), "kernel": null })
            }
        };
        differences.iter().map(one).collect()
    }
}
