//! `systole run`: the main job, from equations to a checked run.

use crate::driver::commands::sim::{print_fit, with_match};
use crate::driver::files::Named;
use crate::driver::flags::arguments::{RunArguments, SoughtArguments};
use crate::driver::flags::setting::Setting;
use crate::driver::flags::typed::Typed;
use crate::driver::kernels::kernel::Loaded;
use crate::driver::kernels::origin::Origin;
use crate::driver::kernels::searched::Border;
use crate::driver::kernels::searched::Searched;
use crate::driver::kernels::shape;
use crate::driver::kernels::written::Written;
use crate::driver::pipeline::{KernelCommand, Winner, prove_best};
use crate::driver::runs::agreement::{Agreement, check_numbers, compare};
use crate::driver::runs::as_written::AsWritten;
use crate::driver::runs::finished::verdict;
use crate::driver::runs::front_pages::FrontPages;
use crate::driver::runs::missed::Missed;
use crate::driver::runs::tracing::Tracing;
use crate::driver::runs::{finite, inputs, outputs, timed, trial};
use crate::driver::shown::bound::Bound;
use crate::driver::shown::output::Output;
use crate::driver::shown::{energy, reporting, show};
use crate::driver::{Done, Failure, files};
use crate::report::Recorder;
use serde_json::json;
use std::time::Instant;
use systole_base::diagnostic::{Checked, counted};
use systole_base::integer::Name;
use systole_base::scalar::Precision;
use systole_equations::recurrence::RecurrenceSystem;
use systole_program::array;
use systole_program::array::Program;
use systole_run::sim;
use systole_run::sim::Outcome;
use systole_run::sim::fit::{Fit, fit};

impl KernelCommand for RunArguments {
    fn sought(&self) -> &SoughtArguments {
        &self.sought
    }

    fn takes_designs(&self) -> bool {
        true
    }

    fn written(&self) -> Vec<Named<'_>> {
        let own = [
            ("`--trace`", self.traces.trace.as_deref()),
            ("`--vcd`", self.traces.vcd.as_deref()),
            ("`--report`", self.report.as_deref()),
            ("`--program`", self.program.as_deref()),
        ];
        own.into_iter().chain(self.arrays.written()).collect()
    }

    fn read(&self) -> Vec<Named<'_>> {
        self.sought.read().into_iter().chain(self.arrays.read()).collect()
    }

    fn run(&self, Loaded { kernel, mut lowered }: Loaded, output: &Output) -> Done {
        self.arrays.check()?;
        let tracing = Tracing::new(&self.traces)?;
        let sought = self.sized(&kernel.origin)?;
        let setting = Setting::new(&kernel, &sought.space)?;
        inputs::check_arrays(&kernel.origin.system, &setting.given, &self.arrays)?;
        let searched = kernel.search(&setting, output)?;
        print_kernel(kernel.system(), output);
        self.print_sizes(&sought, output);
        show::print_search(&lowered.report, &searched, output);
        let winner = prove_best(&searched, &mut lowered, self.limit, output);
        let winner = winner.map_err(|failure| self.refuse(&searched, failure))?;
        print_winner(&searched, &winner, output);
        let written = Written::new(&searched, &winner)?;
        trial::check(&searched, &winner.design, &written.program, output)?;
        if let Some(path) = &self.program {
            files::write(path, &written.text)?;
        }
        print_program(&written, self, output);
        let unstated = unstated(&written.program, output);
        let mut recorder = self.report.as_ref().map(|_| Recorder::default());
        let Run { outcome, agreement, as_written, fitted, missed } =
            simulate(&searched, &winner, &written, (self, &tracing, &mut recorder), output)?;
        if let (Some(path), Some(recorder)) = (&self.report, recorder) {
            let steps = shape::explain(&mut lowered, &winner.design);
            let compared = (&agreement, as_written.as_ref());
            let mut report = reporting::of_winner(&searched, &winner, &steps, (&outcome, compared));
            report.front = Some(match self.pages {
                true => {
                    FrontPages::new(&searched, (path, self.limit), &self.arrays).write(&mut lowered, winner.index)?
                }
                false => reporting::front(&searched, winner.index),
            });
            reporting::write_run(path, report, &written.program, (&outcome, recorder))?;
        }
        let energy = energy(&searched, &winner, &written.program, &outcome, output);
        let (report, front) = (&lowered.report, ("front", &searched.front[..]));
        let mut object = json!({
            "sizes": show::sizes_json(&setting.given),
            "search": show::search_json(report, &searched, front, (Some(winner.index), output)),
            "prove": show::proofs_json(&winner.proofs),
            "sim": with_match(&outcome, Some(&agreement), energy),
            "record": winner.record,
            "unstated": unstated,
            "program": { "classes": written.classes(), "lines": written.lines() },
        });
        if let Some(as_written) = &as_written {
            object["sim"]["as_written"] = as_written.to_json();
        }
        if self.fit_fifos {
            object["sim"]["fifos"] = json!(fitted.as_ref().map(Fit::to_json));
        }
        if let Some(bound) = Bound::at(&searched, &searched.setting.sizes).filter(Bound::is_of_array) {
            object["sim"]["bound"] = bound.to_json(outcome.cycles);
        }
        if let Some(missed) = &missed {
            object["sim"]["missed"] = missed.to_json();
        }
        let unused = inputs::unused(Some(&kernel.origin.system), None, &self.arrays.given()?);
        inputs::say_unused(&unused, "  unused    ", (output, &mut object));
        let filled = inputs::filled(&written.program, &self.arrays.given()?);
        inputs::say_filled(&filled, ("  filled    ", self.arrays.seed), (output, &mut object));
        finite::say(&finite::of_outputs(&outcome.outputs), "  outputs   ", (output, &mut object["sim"]));
        let differs = agreement.difference().or_else(|| as_written.as_ref()?.difference());
        if differs.is_none() && outcome.deadlock.is_none() {
            self.say_next(&kernel.origin.system, (&sought, &unused), output);
        }
        output.object(&object);
        Ok(verdict(&outcome, differs.as_deref(), output))
    }
}

/// A run that has ended.
struct Run {
    outcome: Outcome,
    /// How it compares with the equations that were searched.
    agreement: Agreement,
    /// How it compares with the user's, where those are a form of them.
    as_written: Option<AsWritten>,
    fitted: Option<Fit>,
    /// What was waited for, where the cycles are not those predicted.
    missed: Option<Missed>,
}

impl RunArguments {
    /// The page of a design that is not proved is written all the same.
    fn refuse(&self, searched: &Searched, failure: Failure) -> Failure {
        match &self.report {
            Some(path) => reporting::write_refused((path, "run"), searched, self.limit, failure),
            None => failure,
        }
    }

    /// Whether no size is given.
    fn is_without_sizes(&self) -> bool {
        self.sought.space.size.iter().all(String::is_empty)
    }

    /// What is sought, with all sizes: where none is given those of the arrays, and without arrays the usual ones.
    fn sized(&self, origin: &Origin) -> Checked<SoughtArguments> {
        let (system, mut sought) = (&origin.system, self.sought.clone());
        if self.is_without_sizes() {
            let sizes = match self.arrays.input.is_empty() {
                true => inputs::sizes(&[], &system.parameters, Some(origin.usual_size()))?,
                false => inputs::sizes_of_arrays(system, &self.arrays.given()?)?,
            };
            let each = system.parameters.iter().filter_map(|size| Some(format!("{size}={}", sizes.get(size)?)));
            sought.space.size = each.collect();
        }
        inputs::sizes(&sought.space.size, &system.parameters, None)?;
        Ok(sought)
    }

    /// The sizes, where nobody gave them.
    fn print_sizes(&self, sought: &SoughtArguments, output: &Output) {
        if self.is_without_sizes() && !sought.space.size.is_empty() {
            let from = if self.arrays.input.is_empty() { "as --size says nothing" } else { "as the arrays have them" };
            output.line(&format!("  sizes     {}, {from}", sought.space.size.join(",")));
        }
    }

    /// What to type to see why, to keep the program, and to run that on the same arrays.
    fn say_next(&self, system: &RecurrenceSystem, (sought, unused): (&SoughtArguments, &[Name]), output: &Output) {
        let kept =
            self.program.as_ref().map_or_else(|| format!("{}.pe", system.name), |path| path.display().to_string());
        let emit = self.program.is_none().then(|| {
            let emit = Typed::command("emit").sought(sought).unless("--limit", self.limit, &10_000);
            emit.word("-o").file(&kept)
        });
        let sim = Typed::command("sim").file(&kept).list("--size", &sought.space.size);
        let sim = sim.path("--machine", sought.space.machine.as_deref()).flag("--latency", sought.space.latency);
        // Without a machine the cell of the program holds, with one that of the machine.
        let sim = match sought.space.machine {
            Some(_) => sim.flag("--cell", sought.space.cell.as_deref()),
            None => sim,
        };
        let is_used = |text: &&String| unused.iter().all(|name| text.split('=').next() != Some(&**name));
        let given = self.arrays.input.iter().filter(is_used);
        let sim = given.fold(sim, |sim, text| sim.flag("--input", Some(text))).unless("--seed", self.arrays.seed, &1);
        let explain = Typed::command("explain").sought(sought);
        for (number, command) in std::iter::once(explain).chain(emit).chain([sim]).enumerate() {
            output.line(&format!("{:<5} {}", if number == 0 { "next:" } else { "" }, command.line()));
        }
    }
}

/// Runs the program and compares it, bit for bit, with the meaning of the equations; where they are a form, with the kernel as written too.
fn simulate(
    searched: &Searched,
    winner: &Winner,
    written: &Written,
    (arguments, tracing, recorder): (&RunArguments, &Tracing<'_>, &mut Option<Recorder>),
    output: &Output,
) -> Checked<Run> {
    let (program, sizes, arrays) = (&written.program, &searched.setting.given, &arguments.arrays);
    array::check(program, sizes)?;
    let system = &searched.kernel.origin.system;
    let tensors = inputs::tensors(program, system, sizes, &arrays.given()?, arrays.seed)?;
    // What is too large to be compared is refused before it is simulated.
    let busy = output.busy("evaluate");
    let expected = searched.expected(&winner.design, &tensors)?;
    let as_written = AsWritten::expected(searched.kernel.origin.written.as_ref(), sizes, &tensors)?;
    drop(busy);
    if arrays.input.is_empty() {
        check_numbers(&expected)?;
    }
    let start = Instant::now();
    let token = searched.setting.end.token.clone();
    let settings = sim::Settings { token, ..timed::settings(&searched.setting.machine) };
    let busy = output.busy("simulate");
    let (outcome, trace) = tracing.simulate(program, sizes, &tensors, &settings, recorder.as_mut())?;
    drop(busy);
    let elapsed = start.elapsed().as_secs_f64() * 1e3;
    let fitted = arguments.fit_fifos.then(|| fit(program, sizes, &tensors, &settings)).transpose()?.flatten();
    let agreement = compare(&expected, &outcome, Precision::Double).strictly();
    let as_written = as_written.map(|expected| AsWritten::of(expected, &outcome));
    outputs::write(program, sizes, &outcome, &arrays.output)?;
    tracing.write(trace.as_ref())?;
    let predicted = predicted(searched, winner, &outcome).filter(|_| !matches!(searched.border, Border::Loads));
    let missed = predicted.map(|cycles| Missed::find((program, sizes, &tensors), &settings, &outcome, cycles));
    let run = Run { outcome, agreement, as_written, fitted, missed: missed.transpose()?.flatten() };
    print_run(searched, winner, &run, elapsed, output);
    if let Some(bound) = Bound::at(searched, &searched.setting.sizes).filter(Bound::is_of_array) {
        output.line(&format!("  bound     {}", bound.line(run.outcome.cycles)));
    }
    if let Some(as_written) = &run.as_written {
        output.line(&format!("  as written  {as_written}"));
    }
    print_fit(run.fitted.as_ref(), output);
    Ok(run)
}

/// The equations.
fn print_kernel(system: &RecurrenceSystem, output: &Output) {
    let parameters = system.parameters.join(", ");
    for text in show::equations(system) {
        output.line(&format!("{}({parameters})   {text}", system.name));
    }
}

fn print_winner(searched: &Searched, winner: &Winner, output: &Output) {
    let words = shape::words(&winner.design);
    let at = show::counted_elsewhere(searched).map_or_else(String::new, |sizes| format!(" at {sizes}"));
    let cost = (!searched.is_given()).then(|| show::cost(&winner.found.cost) + &at);
    let lines = words.line().into_iter().chain(cost);
    for (number, line) in lines.chain(words.spaces().iter().cloned()).enumerate() {
        output.line(&format!("  {:<9} {line}", if number == 0 { "winner" } else { "" }));
    }
    let milliseconds: f64 = winner.proofs.iter().map(|proof| proof.milliseconds).sum();
    let for_all = show::for_all(&searched.kernel.system().parameters);
    output.line(&format!("  proofs    {0} of {0} proved{for_all}{milliseconds:>33.0} ms", winner.proofs.len()));
}

/// The outputs of which it is not proved for all sizes that each element is stored once; each run looks.
fn unstated(program: &Program, output: &Output) -> Vec<String> {
    let unstated = array::outputs_without_obligations(program);
    for tensor in &unstated {
        output.line(&format!(
            "            that each element of `{tensor}` is stored once is not stated for all sizes: each run looks"
        ));
    }
    unstated.iter().map(|tensor| tensor.to_string()).collect()
}

/// What was written.
fn print_program(written: &Written, arguments: &RunArguments, output: &Output) {
    let depth = written.program.channels.iter().map(|channel| channel.depth).max();
    let fifo = depth.map_or_else(String::new, |depth| format!(", FIFO depth {depth} is enough"));
    let file = arguments.program.as_ref().map_or_else(String::new, |path| format!("   {}", path.display()));
    output.line(&format!("  program   {}{fifo}{file}", written.size()));
}

fn print_run(
    searched: &Searched,
    winner: &Winner,
    Run { outcome, agreement, missed, .. }: &Run,
    milliseconds: f64,
    output: &Output,
) {
    let compared =
        compared(searched, winner, outcome, missed.as_ref()).map_or_else(String::new, |text| format!(" ({text})"));
    timed::pace(outcome).iter().for_each(|line| output.line(&format!("  {line}")));
    let value = match agreement {
        Agreement::Bits => "matches reference bit for bit".to_owned(),
        other => other.to_string(),
    };
    // A PE may do no more than store elements that are known without an operation; a search counts those that compute.
    let is_elsewhere = !is_counted(searched) || matches!(searched.border, Border::Loads);
    let compute = winner.found.cost.pes;
    let storing = match outcome.pes > compute && !is_elsewhere {
        true => format!(" ({compute} of them compute)"),
        false => String::new(),
    };
    output.line(&format!(
        "  simulate  {}{compared} on {}{storing}, {:.0}% busy, {value}{milliseconds:>10.0} ms",
        counted(outcome.cycles, "cycle"),
        counted(outcome.pes, "PE"),
        outcome.utilisation() * 100.0
    ));
}

/// The energy of the run, in picojoules, said beside that of the search; `None` where the machine knows of none.
fn energy(searched: &Searched, winner: &Winner, program: &Program, outcome: &Outcome, output: &Output) -> Option<f64> {
    let simulated = energy::simulated(program, outcome, &searched.setting.machine)?;
    let compared = match energy::predicted(searched, &winner.found)? {
        _ if searched.is_given() => String::new(),
        predicted if predicted == simulated => " (as predicted)".to_owned(),
        predicted => format!(" (predicted {})", energy::shown(predicted)),
    };
    output.line(&format!("  energy    {}{compared}", energy::shown(simulated)));
    Some(simulated)
}

/// Whether the design was counted at these sizes: not at others, and not at none, as one that a schedule gives whole.
fn is_counted(searched: &Searched) -> bool {
    show::counted_elsewhere(searched).is_none() && !searched.is_given()
}

/// The cycles of the search; `None` where it did not count them at these sizes.
fn predicted(searched: &Searched, winner: &Winner, outcome: &Outcome) -> Option<u64> {
    is_counted(searched).then(|| outcome.cycles_of(winner.found.cost.cycles))
}

/// The cycles of the run against those of the search.
fn compared(searched: &Searched, winner: &Winner, outcome: &Outcome, missed: Option<&Missed>) -> Option<String> {
    let predicted = predicted(searched, winner, outcome)?;
    Some(match searched.border {
        Border::Loads => format!("{predicted} and the ways from and to the border"),
        _ if predicted == outcome.cycles => "as predicted".to_owned(),
        _ => missed.map_or_else(
            || format!("predicted {predicted}"),
            |missed| format!("predicted {predicted}: {}", missed.text()),
        ),
    })
}
