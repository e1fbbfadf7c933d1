//! `systole explain`: the chain of rules from the equations to the schedule, phase by phase, each step put to the test.

use crate::driver::files::Named;
use crate::driver::flags::arguments::{ExplainArguments, SoughtArguments};
use crate::driver::flags::limit_arguments::told;
use crate::driver::flags::setting::Setting;
use crate::driver::kernels::kernel::Loaded;
use crate::driver::kernels::searched::Searched;
use crate::driver::kernels::{recurrences, shape};
use crate::driver::pipeline::{KernelCommand, LIMIT, prove_best};
use crate::driver::runs::inputs;
use crate::driver::shown::output::Output;
use crate::driver::shown::show;
use crate::driver::shown::steps::{Chain, Link};
use crate::driver::{Done, Verdict, files};
use serde_json::json;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_compile::check::ChainReport;
use systole_compile::mapping::Design;
use systole_compile::rewrite;
use systole_equations::recurrence;
use systole_equations::recurrence::Tensors;

impl KernelCommand for ExplainArguments {
    fn sought(&self) -> &SoughtArguments {
        &self.sought
    }

    fn takes_designs(&self) -> bool {
        true
    }

    fn written(&self) -> Vec<Named<'_>> {
        vec![("`--dot`", self.dot.as_deref())]
    }

    fn run(&self, Loaded { kernel, mut lowered }: Loaded, output: &Output) -> Done {
        let setting = Setting::new(&kernel, &self.sought.space)?;
        let searched = kernel.search(&setting, output)?;
        let design = prove_best(&searched, &mut lowered, LIMIT, output)?.design;
        let rules = rewrite::load_rules(self.sought.kernel.rules.as_deref())?;
        let words = shape::words(&design);
        let recurrences: Vec<String> = recurrences::of(&design).iter().map(ToString::to_string).collect();
        let steps = shape::explain(&mut lowered, &design);
        let links = steps.iter().map(|step| Link::of_dataflow(step, &rules)).collect();
        let dataflow = Chain { links, checked: lowered.check_steps(&steps, &rules)? };
        let chain = kernel.origin.algebra.clone().and(tiling(&searched, &design)?).and(dataflow);
        output.line(&words.title(&kernel.system().name));
        words.spaces().iter().chain(&recurrences).for_each(|line| output.line(&format!("  {line}")));
        output.line(&format!("  rewrite   {}", told(&lowered.report)));
        output.line("");
        chain.print(output);
        if let Some(path) = &self.dot {
            files::write(path, &chain.dot())?;
        }
        let (steps, checked) = (chain.steps_json(), chain.checked_json());
        let saturation = show::saturation_json(&kernel, &lowered.report);
        output.object(&json!({
            "recurrences": recurrences, "steps": steps, "checked": checked, "saturation": saturation,
        }));
        Ok(Verdict::Good)
    }
}

/// More than this is another value; tiles add up in another order.
const CLOSE: f64 = 1e-9;

/// The step from elements to tiles, where there is one: both are evaluated at the sizes of the user.
fn tiling<'a>(searched: &Searched<'a>, design: &Design<'a>) -> Checked<Chain> {
    let origin = &searched.kernel.origin;
    if origin.tiled().is_none() {
        return Ok(Chain::default());
    }
    check_tiles(searched, design)?;
    let sizes = vec![searched.setting.given.clone()];
    let checked = ChainReport { steps: 1, evaluated: 1, sizes, ..ChainReport::default() };
    let sides = [&origin.system, origin.searched()].map(|system| show::equations(system).join("; "));
    Ok(Chain { links: vec![Link::of_tiles(sides)], checked })
}

fn check_tiles<'a>(searched: &Searched<'a>, design: &Design<'a>) -> Checked<()> {
    let (system, sizes) = (&searched.kernel.origin.system, &searched.setting.given);
    let tensors = inputs::tensors(&searched.program(design)?, system, sizes, &[], 1)?;
    let elements = recurrence::evaluate(system, sizes, &tensors)?;
    if are_close(&elements, &searched.expected(design, &tensors)?) {
        return Ok(());
    }
    Diagnostic::new("the equations over tiles compute something else than those over elements")
        .help("this is a defect of systole: please report the kernel and the flags")
        .alone()
}

fn are_close(one: &Tensors, other: &Tensors) -> bool {
    let near = |(a, b): (&f64, &f64)| a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= CLOSE * a.abs().max(1.0);
    one.iter().all(|(name, array)| other.get(name).is_some_and(|there| array.iter().zip(there).all(near)))
}
