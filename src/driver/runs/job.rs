//! A program with what it is run on and held against, as the flags of `sim` and `exec` name them.

use crate::array::elements::Sources;
use crate::array::{self, Program, Tensors};
use crate::diagnostic::Checked;
use crate::driver::files;
use crate::driver::flags::arguments::{ArrayArguments, ProgramArguments};
use crate::driver::pipeline;
use crate::driver::runs::agreement::check_numbers;
use crate::driver::runs::inputs;
use crate::driver::runs::reference::check_reference;
use crate::driver::shown::output::Output;
use crate::integer::Bindings;
use crate::recurrence::{self, Precision, RecurrenceSystem};
use crate::span::Source;
use std::path::Path;

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
        let reference =
            arguments.reference.as_deref().map(|kernel| recurrence::load(&pipeline::source(kernel)?)).transpose()?;
        let sizes = inputs::sizes(&arguments.size, &program.parameters, None)?;
        reference.iter().try_for_each(|kernel| check_reference(&program, kernel, &sizes))?;
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

impl ProgramArguments {
    /// Refuses a run that would write two files to one path, or over one that it reads, and paths at which nothing can be written.
    /// Besides arrays, program and reference it writes and reads these files, each with what names it.
    ///
    /// # Errors
    /// The two flags and the path.
    pub fn check_files(&self, written: &[(&str, Option<&Path>)], read: &[(&str, Option<&Path>)]) -> Checked<()> {
        let reference = self.reference.as_deref().map(Path::new);
        let own = [("the program", Some(&*self.program)), ("`--reference`", reference)];
        self.arrays.check_files(written, &[read, &own].concat())
    }
}

impl ArrayArguments {
    /// The same for a run of arrays, which writes and reads these other files.
    ///
    /// # Errors
    /// As for [`ProgramArguments::check_files`].
    pub fn check_files(&self, written: &[(&str, Option<&Path>)], read: &[(&str, Option<&Path>)]) -> Checked<()> {
        let (mut to_write, mut to_read) = (there(written), there(read));
        to_write.iter().try_for_each(|(_, path)| files::check_writable(path))?;
        to_write.extend(paths(&self.output, "`--output`"));
        to_read.extend(paths(&self.input, "`--input`"));
        files::check_apart(&to_write, &to_read)
    }
}

/// Those files that are named.
fn there<'p>(all: &[(&'p str, Option<&'p Path>)]) -> Vec<(&'p str, &'p Path)> {
    all.iter().filter_map(|(flag, path)| Some((*flag, (*path)?))).collect()
}

/// The paths of `X=FILE.npy`.
fn paths<'p>(texts: &'p [String], flag: &'p str) -> impl Iterator<Item = (&'p str, &'p Path)> {
    texts.iter().filter_map(move |text| Some((flag, Path::new(text.split_once('=')?.1))))
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
