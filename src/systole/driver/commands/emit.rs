//! `systole emit`: search, prove, write the program, or what it is in C.

use crate::driver::commands::emit_native;
use crate::driver::files::Named;
use crate::driver::flags::arguments::{EmitArguments, SoughtArguments, Target};
use crate::driver::flags::limit_arguments::told;
use crate::driver::flags::setting::{Setting, check_flags};
use crate::driver::kernels::kernel::Loaded;
use crate::driver::kernels::stages::{Asked, Reached};
use crate::driver::kernels::written::Written;
use crate::driver::pipeline::{KernelCommand, prove_best};
use crate::driver::runs::trial;
use crate::driver::shown::output::Output;
use crate::driver::shown::{closed_form, show};
use crate::driver::{Done, Verdict, files, pipeline};
use serde_json::json;
use systole_compile::rewrite::Report;
use systole_equations::recurrence;

/// Runs the command. The equations need no search, unless their best form is asked for.
pub fn run(arguments: &EmitArguments, output: &Output) -> Done {
    let (asked, kernel) = (arguments.asked(), &arguments.sought.kernel.kernel);
    emit_native::refuse_leaves(arguments)?;
    if arguments.target == Target::C {
        emit_native::check(arguments)?;
        if emit_native::is_program(kernel) {
            return emit_native::of_program(arguments, output);
        }
    }
    if !asked.is_of_equations() || arguments.sought.space.has_forms() {
        return pipeline::run(arguments, output);
    }
    check_flags(&arguments.sought.space)?;
    files::check(&arguments.written(), &arguments.read())?;
    let source = pipeline::source(kernel)?;
    let system = recurrence::load(&source)?;
    arguments.sought.space.schedule.as_deref().map(|name| system.asked_schedule(name)).transpose()?;
    asked.print_equations(&source, output)?;
    Ok(Verdict::Good)
}

impl KernelCommand for EmitArguments {
    fn sought(&self) -> &SoughtArguments {
        &self.sought
    }

    fn takes_designs(&self) -> bool {
        true
    }

    fn written(&self) -> Vec<Named<'_>> {
        // A folder is one of its own.
        let file = self.output.as_deref().filter(|_| self.target == Target::Program);
        vec![("`--output`", file)]
    }

    fn run(&self, Loaded { kernel, mut lowered }: Loaded, output: &Output) -> Done {
        let setting = Setting::new(&kernel, &self.sought.space)?;
        let report = lowered.report.clone();
        let saturation = show::saturation_json(&kernel, &report);
        self.say(&report, output);
        if self.closed_form {
            return closed_form::write(&kernel.scheme(&setting, output)?, self, &saturation, output);
        }
        let searched = kernel.search(&setting, output)?;
        let winner = prove_best(&searched, &mut lowered, self.limit, output)?;
        let schedule = self.sought.space.schedule.as_deref();
        let reached =
            Reached { searched: &searched, report: &report, design: &winner.design, proofs: &winner.proofs, schedule };
        if reached.print(&self.asked(), output)? {
            return Ok(Verdict::Good);
        }
        let written = Written::new(&searched, &winner)?;
        trial::check(&searched, &winner.design, &written.program, output)?;
        if self.target == Target::C {
            return emit_native::write((&written.program, &written.text), self, output);
        }
        match &self.output {
            Some(path) => {
                files::write(path, &written.text)?;
                output.line(&format!("{}: {}", path.display(), written.size()));
            }
            None => output.line(written.text.trim_end()),
        }
        output.object(&json!({
            "classes": written.classes(),
            "thin_classes": written.program.classes.len() - written.classes(),
            "lines": written.lines(),
            "program": if self.output.is_none() { json!(written.text) } else { json!(null) },
            "proofs": winner.proofs.len(),
            "saturation": saturation,
        }));
        Ok(Verdict::Good)
    }
}

impl EmitArguments {
    /// Which stages are looked at.
    fn asked(&self) -> Asked<'_> {
        Asked { stop_after: self.stop_after, dump_after: &self.dump_after, path: self.output.as_deref() }
    }

    /// What goes to standard output is the program, unless it goes to a file; then nothing is said where all is well.
    fn say(&self, report: &Report, output: &Output) {
        let line = format!("rewrite   {}", told(report));
        match &self.output {
            Some(_) => output.line(&line),
            None if report.is_saturated() => {}
            None => output.aside(&line),
        }
    }
}
