//! `systole emit`: search, prove, write the program.

use super::arguments::{EmitArguments, SoughtArguments};
use super::kernel::Kernel;
use super::output::Output;
use super::pipeline::{KernelCommand, Loaded, prove_best};
use super::setting::Setting;
use super::written::Written;
use super::{Done, Verdict, closed_form, files};
use serde_json::json;

impl KernelCommand for EmitArguments {
    fn sought(&self) -> &SoughtArguments {
        &self.sought
    }

    fn run<K: Kernel>(&self, Loaded { kernel, mut lowered }: Loaded<K>, output: &Output) -> Done {
        let setting = Setting::new(&kernel, &self.sought.space)?;
        if self.closed_form {
            return closed_form::write(&kernel.scheme(&setting, output)?, self, output);
        }
        let searched = kernel.search(&setting, false, output)?;
        let winner = prove_best(&searched, &mut lowered, self.limit, output)?;
        let written = Written::new(&searched, &winner)?;
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
        }));
        Ok(Verdict::Good)
    }
}
