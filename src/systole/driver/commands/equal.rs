//! `systole equal`: whether two tensors of a kernel are equal, by laws, by an input for which they differ, or not known.

use crate::driver::commands::derive::rules;
use crate::driver::flags::law_arguments::EqualArguments;
use crate::driver::flags::limit_arguments;
use crate::driver::flags::limit_arguments::told;
use crate::driver::shown::output::Output;
use crate::driver::shown::steps::Chain;
use crate::driver::{Done, Verdict, pipeline};
use serde_json::json;
use systole_base::diagnostic::counted;
use systole_compile::algebra;
use systole_compile::algebra::Equality;
use systole_equations::recurrence;

/// Runs the command.
pub fn run(arguments: &EqualArguments, output: &Output) -> Done {
    let system = recurrence::load(&pipeline::source(&arguments.kernel)?)?;
    let (one, other) = (arguments.one.as_str(), arguments.other.as_str());
    let busy = output.busy("rewrite");
    let answer = algebra::equal(&system, (one, other), &rules(&arguments.laws)?, &arguments.laws.limits())?;
    drop(busy);
    Ok(match &answer {
        Equality::Equal(laws, report, checked) => {
            output.line(&format!("{one} = {other}, by {}; {}", counted(laws.len(), "step"), told(report)));
            let chain = Chain::of_laws(laws, checked.clone());
            chain.print(output);
            let (steps, checked) = (chain.steps_json(), chain.checked_json());
            let saturation = limit_arguments::to_json(report);
            let equal = json!({ "answer": "equal", "steps": steps, "checked": checked, "saturation": saturation });
            output.object(&equal);
            Verdict::Good
        }
        Equality::Different(where_they_do) => {
            output.line(&format!("{one} and {other} differ: {where_they_do}"));
            output.object(&json!({ "answer": "different", "counterexample": where_they_do }));
            Verdict::Refuted
        }
        Equality::Unknown(report) => {
            output.line(&format!(
                "unknown whether {one} = {other}: no law leads from one to the other; {}",
                told(report)
            ));
            let next = "allow more with --nodes and --rounds, or state the law that is missing in a file for --rules";
            output.line(&format!("  help: {next}"));
            output.object(&json!({ "answer": "unknown", "saturation": limit_arguments::to_json(report) }));
            Verdict::Unknown
        }
    })
}
