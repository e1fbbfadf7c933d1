//! `systole prove`: the obligations of a schedule, one line each.

use crate::driver::files::Named;
use crate::driver::flags::arguments::{ProveArguments, SoughtArguments};
use crate::driver::flags::limit_arguments::told;
use crate::driver::flags::setting::Setting;
use crate::driver::flags::way::{distribution, layout};
use crate::driver::kernels::distributed::{Distributions, all_obligations};
use crate::driver::kernels::kernel::Kernel;
use crate::driver::kernels::kernel::Loaded;
use crate::driver::kernels::searched::Searched;
use crate::driver::kernels::searched::{Border, Claims};
use crate::driver::kernels::{refusal, shape};
use crate::driver::pipeline::{KernelCommand, messages, on_network, verdict};
use crate::driver::shown::output::Output;
use crate::driver::shown::refusal_json::refusal_json;
use crate::driver::shown::{reporting, show};
use crate::driver::{Done, Failure, files};
use systole_base::diagnostic::{Checked, Diagnostics, refusal_of, refused};
use systole_compile::mapping::Design;
use systole_compile::smt;
use systole_compile::smt::{Discharged, Verdict};
use systole_run::exec::MOST_WORKERS;

impl KernelCommand for ProveArguments {
    fn sought(&self) -> &SoughtArguments {
        &self.sought
    }

    fn takes_designs(&self) -> bool {
        true
    }

    fn written(&self) -> Vec<Named<'_>> {
        vec![("`--dump-smt`", self.dump_smt.as_deref()), ("`--report`", self.report.as_deref())]
    }

    /// Proves the best design the schedule allows; where it allows none, the wrong one it describes.
    fn run(&self, Loaded { kernel, lowered }: Loaded, output: &Output) -> Done {
        let distributions = self.distributions(&kernel)?;
        let setting = Setting::new(&kernel, &self.sought.space)?;
        let searched = kernel.search(&setting, output)?;
        let best = searched.front.first().map(|found| searched.design(found));
        let design = match best.map_or_else(|| searched.forced(), Ok) {
            Ok(design) => design,
            Err(why) => return Err(self.refuse(&searched, on_network(&searched, why))),
        };
        let claims = Claims { depth: self.depth, outstanding: self.outstanding };
        let owed = all_obligations(&searched, &design, claims, &distributions)?;
        if let Some(path) = &self.dump_smt {
            files::write(path, &smt::dump(&owed.stated))?;
        }
        let busy = output.busy("prove");
        let proofs = owed.discharge(self.limit);
        drop(busy);
        print_design(&kernel, &design, output);
        output.line(&format!("  rewrite   {}", told(&lowered.report)));
        proofs.iter().for_each(|proof| output.line(&line(proof)));
        owed.gaps.iter().for_each(|tensor| output.line(&gap(tensor)));
        cases(&distributions).iter().for_each(|line| output.line(line));
        say_constructed(&distributions, &searched.border, output);
        if let Some(path) = &self.report {
            reporting::write_proofs((path, "prove"), &searched, &design, &proofs)?;
        }
        let mut object = show::proofs_json(&proofs);
        object["saturation"] = show::saturation_json(&kernel, &lowered.report);
        let messages = on_network(&searched, self.messages(&searched, &proofs));
        if let Some(refusal) = refusal_of(&messages) {
            object["refusal"] = refusal_json(refusal);
        }
        output.object(&object);
        if !messages.is_empty() {
            output.diagnostics(&messages);
        }
        Ok(verdict(&proofs))
    }
}

impl ProveArguments {
    /// How PEs and words are distributed: as the flags say, and else as the schedule does.
    fn distributions(&self, kernel: &Kernel) -> Checked<Distributions> {
        let fold = self.distribution.as_deref().map(distribution).transpose()?;
        let layout = self.layout.as_deref().map(layout).transpose()?;
        let origin = &kernel.origin;
        Ok(origin.distributions.unless(fold, layout, &origin.system))
    }

    /// What is not proved; of a design that is refuted, with the kind of refusal that it is.
    fn messages(&self, searched: &Searched, proofs: &[Discharged]) -> Diagnostics {
        let said = messages(searched, proofs);
        // At a depth of its own a design may be refuted that is none of a search.
        if self.depth.is_some() || verdict(proofs) != crate::driver::Verdict::Refuted {
            return said;
        }
        let refusal = if searched.front.is_empty() { searched.refusal() } else { refusal::of_front(searched) };
        refused(refusal, said)
    }

    /// Writes the page of the design that comes nearest to an impossible schedule, and passes the messages on.
    fn refuse(&self, searched: &Searched, why: Diagnostics) -> Failure {
        match &self.report {
            Some(path) => reporting::write_refused((path, "prove"), searched, self.limit, why.into()),
            None => why.into(),
        }
    }
}

fn print_design(kernel: &Kernel, design: &Design, output: &Output) {
    let words = shape::words(design);
    output.line(&words.title(&kernel.system().name));
    let lines = words.moves().into_iter().chain(words.spaces().iter().map(String::as_str));
    lines.for_each(|line| output.line(&format!("  {line}")));
}

/// What needs no proof.
fn say_constructed(distributions: &Distributions, border: &Border, output: &Output) {
    let Border::Loads = border else { return };
    output.line("  edge-injection           by construction: what stays is loaded and recovered through the array");
    if !distributions.is_empty() {
        output
            .line("  no-deadlock              by construction: processes serve the streams in the order of the steps");
    }
}

/// What of a distribution is proved for each of a list of numbers of workers, and not of all at once.
fn cases(distributions: &Distributions) -> Vec<String> {
    if distributions.is_empty() {
        return vec![];
    }
    let case = |kinds: &str, of: &str| format!("  {kinds:<24} for 1 to {MOST_WORKERS} workers {of}, a case each");
    let of_blocks = distributions.has_blocks().then(|| case("owner-cover, owner-apart", "along an axis"));
    of_blocks.into_iter().chain([case("owner-number", "in a row of their grid")]).collect()
}

/// Elements of a tensor of which it cannot be stated that each is computed once.
fn gap(tensor: &str) -> String {
    format!("  element-cover   {tensor:<8} not stated: an element does not say which point stores it; each run looks")
}

/// One obligation with its verdict.
fn line(proof: &Discharged) -> String {
    let kind = proof.obligation.kind.keyword();
    let head = format!(
        "  {kind:<15} {:<8} {:<8} {:>7.1} ms",
        proof.obligation.of,
        proof.verdict.keyword(),
        proof.milliseconds
    );
    match &proof.verdict {
        Verdict::Proved => head,
        Verdict::Refuted(example) => format!("{head}   {example}"),
        Verdict::Unknown(why) => format!("{head}   {why}"),
    }
}
