//! A program with what it is run on and held against, as the flags of `sim` and `exec` name them.

use crate::array::elements::Sources;
use crate::array::{self, Program, Tensors};
use crate::diagnostic::Checked;
use crate::driver::flags::arguments::ProgramArguments;
use crate::driver::pipeline;
use crate::driver::runs::agreement::check_numbers;
use crate::driver::runs::inputs;
use crate::driver::shown::output::Output;
use crate::integer::Bindings;
use crate::recurrence::{self, Precision, RecurrenceSystem};
use crate::span::Source;

/// What is to be run.
pub struct Job {
    pub program: Program,
    pub sizes: Bindings,
    /// Where the inputs come from.
    pub sources: Sources<'static>,
    reference: Option<RecurrenceSystem>,
}

impl Job {
    /// Opens all that the flags name; `source` is the text of the program.
    pub fn new(arguments: &ProgramArguments, source: &Source, output: &Output) -> Checked<Job> {
        let program = program(source, output)?;
        let sizes = inputs::sizes(&arguments.size, &program.parameters, None)?;
        let reference =
            arguments.reference.as_deref().map(|kernel| recurrence::load(&pipeline::source(kernel)?)).transpose()?;
        let arrays = &arguments.arrays;
        let sources = inputs::sources(&program, reference.as_ref(), &sizes, &arrays.input, arrays.seed)?;
        Ok(Job { program, sizes, sources, reference })
    }

    /// The inputs, whole.
    pub fn inputs(&mut self) -> Checked<Tensors> {
        inputs::read_all(&mut self.sources)
    }

    /// Whether there is a reference to compare with, for which arrays are held whole.
    pub fn is_compared(&self) -> bool {
        self.reference.is_some()
    }

    /// The sequential meaning of the reference in this precision, as far as it can be compared with; `None` where there is no reference.
    pub fn expected(&self, inputs: &Tensors, precision: Precision) -> Checked<Option<Tensors>> {
        let Some(system) = &self.reference else { return Ok(None) };
        let expected = recurrence::evaluate_in(precision, system, &self.sizes, inputs)?;
        expected.iter().try_for_each(|(name, array)| check_numbers(name, array))?;
        Ok(Some(expected))
    }
}

/// The program; of a text that was changed by hand with a warning.
pub fn program(source: &Source, output: &Output) -> Checked<Program> {
    let program = array::parse(&source.name, &source.text)?;
    if array::is_untouched(&source.text) != Some(true) {
        output.error(&format!(
            "warning: `{}` is not the text that was proved; its proofs do not cover this run",
            source.name
        ));
    }
    Ok(program)
}
