//! `systole explain`: the chain of rules from the equations to the schedule.

use super::arguments::{ExplainArguments, SoughtArguments};
use super::kernel::Kernel;
use super::output::Output;
use super::pipeline::{KernelCommand, LIMIT, Loaded, prove_best};
use super::setting::Setting;
use super::{Done, Verdict, show};
use crate::rewrite;
use serde_json::json;

impl KernelCommand for ExplainArguments {
    fn sought(&self) -> &SoughtArguments {
        &self.sought
    }

    fn run<K: Kernel>(&self, Loaded { kernel, mut lowered }: Loaded<K>, output: &Output) -> Done {
        let setting = Setting::new(&kernel, &self.sought.space)?;
        let searched = kernel.search(&setting, false, output)?;
        let design = prove_best(&searched, &mut lowered, LIMIT, output)?.design;
        let rules = rewrite::load_rules(self.sought.kernel.rules.as_deref())?;
        let (words, recurrences) = (K::words(&design), K::recurrences(&design));
        let steps = K::explain(&mut lowered, &design);
        output.line(&words.title(&kernel.system().name));
        words.spaces().iter().chain(&recurrences).for_each(|line| output.line(&format!("  {line}")));
        output.line("");
        show::print_steps(&steps, &rules, output);
        output.object(&json!({
            "recurrences": recurrences,
            "steps": steps.iter().map(|step| show::step_json(step, &rules)).collect::<Vec<_>>(),
        }));
        Ok(Verdict::Good)
    }
}
