//! The stages of the pipeline that can be looked at, and what each prints.

use crate::driver::files;
use crate::driver::flags::limit_arguments::told;
use crate::driver::kernels::searched::Searched;
use crate::driver::kernels::{designed, recurrences};
use crate::driver::shown::output::Output;
use clap::ValueEnum;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use systole_base::diagnostic::Checked;
use systole_base::span::Source;
use systole_compile::mapping::Design;
use systole_compile::rewrite::Report;
use systole_compile::smt;
use systole_compile::smt::Discharged;
use systole_equations::syntax;
use systole_program::array;

/// A stage, in the order of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Stage {
    /// The kernel in normal form, which reads back; no design is searched for.
    Equations,
    /// The design and the recurrences of its dataflow, space by space, as a file for `check`.
    Spaces,
    /// What saturation did, on one line.
    Egraph,
    /// The design, as a file for `prove` and `emit`.
    Design,
    /// What is proved, as SMT-LIB for any solver.
    Obligations,
    /// The program.
    Program,
}

/// What is asked for: where to stop, and what to print on the way.
pub struct Asked<'a> {
    /// The last stage; what it prints goes where the program would.
    pub stop_after: Option<Stage>,
    /// The stages that are printed beside it.
    pub dump_after: &'a [Stage],
    /// Where the program would go.
    pub path: Option<&'a Path>,
}

/// What has been found when a design is proved.
pub struct Reached<'a> {
    /// The search.
    pub searched: &'a Searched<'a>,
    /// What saturation did.
    pub report: &'a Report,
    /// The design.
    pub design: &'a Design<'a>,
    /// Its proofs.
    pub proofs: &'a [Discharged],
    /// The schedule that was named.
    pub schedule: Option<&'a str>,
}

impl Reached<'_> {
    /// What a stage prints.
    fn text(&self, stage: Stage) -> Checked<String> {
        Ok(match stage {
            Stage::Equations => equations(&self.searched.kernel.origin.system.source)?,
            Stage::Spaces => recurrences::text(self.searched, self.design, self.schedule)?,
            Stage::Egraph => format!("{}\n", told(self.report)),
            Stage::Design => designed::text(self.searched, self.design, self.schedule)?,
            Stage::Obligations => {
                let stated: Vec<_> = self.proofs.iter().map(|proof| proof.obligation.clone()).collect();
                smt::dump(&stated)
            }
            Stage::Program => array::print(&self.searched.program(self.design)?),
        })
    }

    /// Prints the stages that are asked for; whether one of them is the last. A program that is the last is left to who writes programs.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn print(&self, asked: &Asked, output: &Output) -> Checked<bool> {
        for stage in asked.dump_after {
            output.aside(self.text(*stage)?.trim_end());
        }
        let Some(last) = asked.stop_after.filter(|stage| *stage != Stage::Program) else { return Ok(false) };
        let mut object = write(last, &self.text(last)?, asked.path, output)?;
        if last == Stage::Spaces {
            object["spaces"] = recurrences::json(&recurrences::of(self.design));
        }
        output.object(&object);
        Ok(true)
    }
}

impl Asked<'_> {
    /// Whether no stage is asked for but the equations, which need no search.
    pub fn is_of_equations(&self) -> bool {
        let is_one = |stage: &Stage| *stage == Stage::Equations;
        self.stop_after.is_some_and(|stage| is_one(&stage)) && self.dump_after.iter().all(is_one)
    }

    /// Prints the equations, where nothing else is asked for.
    ///
    /// # Errors
    /// A text that is no kernel; a file that cannot be written.
    pub fn print_equations(&self, source: &Arc<Source>, output: &Output) -> Checked<()> {
        let text = equations(source)?;
        self.dump_after.iter().for_each(|_| output.aside(text.trim_end()));
        output.object(&write(Stage::Equations, &text, self.path, output)?);
        Ok(())
    }
}

/// The kernel in normal form.
fn equations(source: &Arc<Source>) -> Checked<String> {
    Ok(syntax::print(&syntax::parse(source)?))
}

/// Writes what a stage prints; what `--json` says of it.
fn write(stage: Stage, text: &str, path: Option<&Path>, output: &Output) -> Checked<Value> {
    match path {
        Some(path) => {
            files::write(path, text)?;
            output.line(&format!("written to {}", path.display()));
        }
        None => output.line(text.trim_end()),
    }
    let name = stage.to_possible_value().map(|value| value.get_name().to_owned());
    Ok(json!({ "stage": name, "text": if path.is_none() { json!(text) } else { json!(null) } }))
}
