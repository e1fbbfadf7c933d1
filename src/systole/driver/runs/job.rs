//! A program with what it is run on and held against, as the flags of `sim` and `exec` name them.

use crate::driver::files::Named;
use crate::driver::flags::program_arguments::{ArrayArguments, ProgramArguments};
use crate::driver::kernels::mistaken;
use crate::driver::runs::agreement::check_numbers;
use crate::driver::runs::reference::check_reference;
use crate::driver::runs::{archive, inputs};
use crate::driver::shown::output::Output;
use crate::driver::{files, pipeline};
use std::path::Path;
use std::sync::Arc;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Bindings, Name};
use systole_base::scalar::Precision;
use systole_base::span::Source;
use systole_equations::recurrence;
use systole_equations::recurrence::RecurrenceSystem;
use systole_program::array;
use systole_program::array::elements::Sources;
use systole_program::array::{Program, Tensors};

/// What is to be run.
pub struct Job {
    pub program: Program,
    pub sizes: Bindings,
    /// Where the inputs come from.
    pub sources: Sources<'static>,
    /// The inputs that files are given for and that no equation of the reference reads.
    pub unused: Vec<Name>,
    /// The inputs that no file is given for, where one is given for others.
    pub filled: Vec<Name>,
    reference: Option<RecurrenceSystem>,
    /// Whether no input is a file.
    is_filled: bool,
}

impl Job {
    /// Opens all that the flags name; `source` is the text of the program.
    pub fn new(arguments: &ProgramArguments, source: &Arc<Source>, output: &Output) -> Checked<Job> {
        let program = program(source, output)?;
        // A program has no input that only what is empty at all sizes would read.
        let load = |kernel: &str| -> Checked<RecurrenceSystem> {
            Ok(recurrence::settle(&recurrence::load(&pipeline::source(kernel)?)?).system)
        };
        let reference = arguments.reference.as_deref().map(load).transpose()?;
        let sizes = inputs::sizes(&arguments.size, &program.parameters, None)?;
        reference.iter().try_for_each(|kernel| check_reference(&program, kernel, &sizes))?;
        let arrays = &arguments.arrays;
        let given = arrays.given()?;
        let sources = inputs::sources(&program, reference.as_ref(), &sizes, &given, arrays.seed)?;
        let is_filled = arrays.input.is_empty();
        let unused = inputs::unused(reference.as_ref(), Some(&program), &given);
        let filled = inputs::filled(&program, &given);
        Ok(Job { program, sizes, sources, unused, filled, reference, is_filled })
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
        if self.is_filled {
            check_numbers(&expected)?;
        }
        Ok(Some(expected))
    }
}

impl ProgramArguments {
    /// Refuses files that [`files::check`] refuses: these, arrays, the program and the reference.
    ///
    /// # Errors
    /// The two flags and the path.
    pub fn check_files(&self, written: &[Named<'_>], read: &[Named<'_>]) -> Checked<()> {
        let reference = self.reference.as_deref().map(Path::new);
        let own = [("the program", Some(&*self.program)), ("`--reference`", reference)];
        let written: Vec<Named<'_>> = written.iter().copied().chain(self.arrays.written()).collect();
        let read: Vec<Named<'_>> = read.iter().copied().chain(own).chain(self.arrays.read()).collect();
        files::check(&written, &read)?;
        self.arrays.check()
    }
}

impl ArrayArguments {
    /// Refuses what names no array or no file, and outputs in an archive, before there is anything to run.
    ///
    /// # Errors
    /// What to type instead.
    pub fn check(&self) -> Checked<()> {
        for (flag, texts) in [("input", &self.input), ("output", &self.output)] {
            let is_alone = |text: &String| flag == "input" && archive::is_archive(Path::new(text));
            let is_named = |text: &String| text.split_once('=').is_some_and(|(_, path)| !path.is_empty());
            if let Some(text) = texts.iter().find(|text| !is_named(text) && !is_alone(text)) {
                return Err(inputs::nameless(text, flag, None));
            }
        }
        let is_archived =
            |text: &&String| text.split_once('=').is_some_and(|(_, path)| archive::is_archive(Path::new(path)));
        match self.output.iter().find(is_archived) {
            Some(text) => Diagnostic::usage(format!("`--output {text}` names an archive, and an output is one array"))
                .help(format!("write --output {}.npy", &text[..text.len() - ".npz".len()]))
                .alone(),
            None => Ok(()),
        }
    }

    /// The files of arrays that are written.
    pub fn written(&self) -> impl Iterator<Item = Named<'_>> {
        paths(&self.output, "`--output`")
    }

    /// The files of arrays that are read.
    pub fn read(&self) -> impl Iterator<Item = Named<'_>> {
        paths(&self.input, "`--input`")
    }
}

/// The paths of `X=FILE.npy`, and of archives that are named alone.
fn paths<'p>(texts: &'p [String], flag: &'static str) -> impl Iterator<Item = Named<'p>> {
    let alone = |text: &'p String| Some(Path::new(text)).filter(|path| archive::is_archive(path));
    let path = move |text: &'p String| text.split_once('=').map(|(_, path)| Path::new(path)).or_else(|| alone(text));
    texts.iter().filter_map(move |text| Some((flag, Some(path(text)?))))
}

/// The program; of a text that was changed by hand with a warning.
pub fn program(source: &Arc<Source>, output: &Output) -> Checked<Program> {
    mistaken::refuse_kernel(source)?;
    let program = array::parse(&source.name, &source.text)?;
    array::changed(source).iter().for_each(|said| output.warning(said));
    Ok(program)
}
