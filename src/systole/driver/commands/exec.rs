//! `systole exec`: run a program for real.

use crate::driver::commands::predict;
use crate::driver::flags::cluster_arguments::ExecArguments;
use crate::driver::flags::way::{unknown, way};
use crate::driver::runs::agreement::{Agreement, compare};
use crate::driver::runs::finished::{say_agreement, verdict};
use crate::driver::runs::finite::Tally;
use crate::driver::runs::job::Job;
use crate::driver::runs::timed::threads;
use crate::driver::runs::{finite, inputs, memory, outputs};
use crate::driver::shown::layouts::{layouts_to_json, show_layouts};
use crate::driver::shown::output::Output;
use crate::driver::{Done, Verdict, files};
use serde_json::{Map, Value, json};
#[cfg(not(feature = "mpi"))]
use systole_base::diagnostic::Diagnostics;
use systole_base::diagnostic::{Checked, Diagnostic, counted};
use systole_base::integer::Name;
use systole_base::scalar::Precision;
use systole_program::array::{Program, Tensors};
use systole_run::exec::{
    Counts, Execution, Prediction, Settings, available_memory, check_measured, execute_in_parts, started_together,
    usual,
};
use systole_run::leaf::{LeafBackend, SERVICES, compile_natively};
use systole_run::sim;

/// The back ends, by the words of `--backend`.
pub const BACKENDS: [&str; 2] = ["threads", "mpi"];

/// Runs the command.
pub fn run(arguments: &ExecArguments, output: &Output) -> Done {
    match &*arguments.backend {
        "threads" => on_threads(arguments, output),
        #[cfg(feature = "mpi")]
        "mpi" => crate::driver::commands::exec_on_ranks::run(arguments, output),
        #[cfg(not(feature = "mpi"))]
        "mpi" => Err(no_mpi().into()),
        other => Err(unknown("back end", other, &BACKENDS).into()),
    }
}

#[cfg(not(feature = "mpi"))]
pub fn no_mpi() -> Diagnostics {
    vec![
        Diagnostic::usage("this build of systole knows no MPI")
            .help("build it with `cargo build --release --features mpi`, or say `--backend threads`"),
    ]
}

fn on_threads(arguments: &ExecArguments, output: &Output) -> Done {
    if arguments.ranks.is_some() {
        return Err(vec![
            Diagnostic::usage("`--ranks` is for `--backend mpi`").help("say `--threads` how many threads there are"),
        ]
        .into());
    }
    check_alone()?;
    arguments.check_files()?;
    let mut job = Job::new(&arguments.given, &files::read_as(&arguments.given.program, "pe")?, output)?;
    let workers = arguments.threads.unwrap_or_else(threads);
    let settings = settings(arguments, workers, available_memory())?;
    warn(&[settings.leaves], output);
    warn_of_native(&job.program, &settings, output);
    warn_of_slots(&job.program, settings.capacity, output);
    let predicted = predicted(&job, arguments, &settings)?;
    let (mut kept, mut tallies) = (kept(&job)?, finite::tallies(&job.program, &job.sizes)?);
    let mut sinks =
        outputs::sinks((&job.program, &job.sizes), &arguments.given.arrays.output, settings.precision, &mut kept)?;
    finite::add(&mut sinks, &mut tallies);
    let busy = output.busy("execute");
    let execution = execute_in_parts(&job.program, &job.sizes, (&mut job.sources, &mut sinks), &settings)?;
    drop(busy);
    drop(sinks);
    let execution = Execution { outputs: kept, ..execution };
    Ok(finish(&mut job, arguments, (&execution, &tallies), &Asked { backend: "threads", settings, predicted }, output)?)
}

/// Refuses threads where `mpirun` has started several processes, each of which would run the whole program.
fn check_alone() -> Checked<()> {
    match started_together() {
        Some((count @ 2.., _)) => Diagnostic::usage(format!(
            "MPI has started {count} of these, and each would run the whole program on threads"
        ))
        .help("say `--backend mpi`, or start it without `mpirun`")
        .alone(),
        _ => Ok(()),
    }
}

impl ExecArguments {
    /// Refuses files that it cannot write, or that are in each other's way.
    ///
    /// # Errors
    /// As for [`ProgramArguments::check_files`](crate::driver::flags::program_arguments::ProgramArguments::check_files).
    pub fn check_files(&self) -> Checked<()> {
        self.given.check_files(&[("`--trace`", self.trace.as_deref())], &[("`--machine`", self.machine.as_deref())])
    }
}

/// A run as it was asked for.
pub struct Asked<'a> {
    pub backend: &'a str,
    pub settings: Settings,
    /// What it would take on the machine that was named.
    pub predicted: Option<Prediction>,
}

/// Room for the outputs that are to be compared.
pub fn kept(job: &Job) -> Checked<Tensors> {
    if job.is_compared() { outputs::blank(&job.program, &job.sizes) } else { Ok(Tensors::new()) }
}

/// Writes the trace, of a run that deadlocked too; compares the outputs; says how it went on this back end.
pub fn finish(
    job: &mut Job,
    arguments: &ExecArguments,
    (execution, tallies): (&Execution, &[(Name, Tally)]),
    Asked { backend, settings, predicted }: &Asked<'_>,
    output: &Output,
) -> Checked<Verdict> {
    let kind = if *backend == "mpi" { "rank" } else { "thread" };
    if let Some(path) = &arguments.trace {
        files::write_by(path, |file| execution.timeline.write_chrome(kind, file))?;
    }
    let expected = if job.is_compared() {
        job.inputs().and_then(|inputs| job.expected(&inputs, settings.precision))?
    } else {
        None
    };
    let agreement = expected.map(|expected| compare(&expected, execution, settings.precision));
    show(&job.program, execution, (backend, settings), agreement.as_ref(), output);
    let mut object = to_json(execution, (backend, settings));
    object["distribution"] = json!(settings.distribution(&job.program).to_string());
    object["order"] = json!(job.program.is_over_tiles().then(|| settings.order(&job.program).to_string()));
    object["layout"] = layouts_to_json(&job.program, settings);
    Agreement::write_to(agreement.as_ref(), &mut object);
    if let Some(predicted) = predicted {
        show_predicted(predicted, execution, output);
        object["predicted"] = predict::to_json(predicted);
        object["measured"] = json!({ "seconds": usual(&execution.taken).as_secs_f64() });
    }
    inputs::say_unused(&job.unused, "  unused: ", (output, &mut object));
    inputs::say_filled(&job.filled, ("  filled: ", arguments.given.arrays.seed), (output, &mut object));
    finite::say(&finite::found(tallies), "  outputs: ", (output, &mut object));
    output.object(&object);
    Ok(verdict(execution, agreement.as_ref().and_then(Agreement::difference).as_deref(), output))
}

/// What the run would take on the machine that is named, if one is.
///
/// # Errors
/// A machine file that cannot be read, or lacks a rate.
pub fn predicted(job: &Job, arguments: &ExecArguments, settings: &Settings) -> Checked<Option<Prediction>> {
    let Some(machine) = &arguments.machine else { return Ok(None) };
    systole_run::exec::predict(&job.program, &job.sizes, settings, &files::cluster(machine)?).map(Some)
}

/// Prediction and measurement side by side.
fn show_predicted(predicted: &Prediction, execution: &Execution, output: &Output) {
    let (found, wanted) = (usual(&execution.taken).as_secs_f64(), predicted.seconds);
    let off = if found > 0.0 { format!(", {:+.1}% of it", 100.0 * (wanted - found) / found) } else { String::new() };
    let later = execution.taken.len().saturating_sub(1);
    let of = if later > 1 { format!(", the median of the {later} later runs") } else { String::new() };
    output.line(&format!("  predicted {wanted:.3} s, measured {found:.3} s{off}{of}"));
}

/// How it is to be run; with `free` bytes at most where no others are asked for.
pub fn settings(arguments: &ExecArguments, workers: usize, free: Option<u64>) -> Checked<Settings> {
    let memory = arguments.memory.as_deref().map(memory::parse).transpose()?.or(free);
    let precision = precision(&arguments.precision)?;
    let (trace, repeat) = (arguments.trace.is_some(), arguments.repeat);
    let apart = arguments.backend == "mpi";
    let settings = Settings { apart, memory, trace, repeat, precision, ..way(&arguments.way, workers)? };
    arguments.machine.as_ref().map_or(Ok(()), |_| check_measured(&settings))?;
    Ok(settings)
}

/// `double` or `single`.
fn precision(text: &str) -> Checked<Precision> {
    let known = Precision::ALL.map(Precision::keyword);
    let found = Precision::ALL.into_iter().find(|precision| precision.keyword() == text);
    found.ok_or_else(|| unknown("precision", text, &known))
}

/// Says so where channels have fewer slots than those with which the program is proved.
pub fn warn_of_slots(program: &Program, capacity: Option<u64>, output: &Output) {
    let Some(deepest) = program.channels.iter().max_by_key(|channel| channel.depth) else { return };
    if let Some(slots) = capacity.filter(|slots| *slots < deepest.depth) {
        let said = Diagnostic::new(format!(
            "channel `{}` has {slots} of the {} proved to be enough; a run that stands still says who waits",
            deepest.name,
            counted(deepest.depth, "slot"),
        ));
        output.warning(&said.help(format!("leave out `--capacity`, or say `--capacity {}`", deepest.depth)));
    }
}

/// Says beforehand where a library will be slower than the processor.
pub fn warn(leaves: &[LeafBackend], output: &Output) {
    for (leaves, wider) in leaves.iter().filter_map(|leaves| Some((leaves, leaves.wider_kernels()?))) {
        let what = format!("{}, and this processor runs those for {wider}, which are faster", leaves.title());
        let help = format!("set OPENBLAS_CORETYPE={wider}, or say `--leaves faer`");
        output.warning(&Diagnostic::new(what).help(help));
    }
}

/// Says beforehand where leaves that are to be native will be interpreted, and why.
pub fn warn_of_native(program: &Program, settings: &Settings, output: &Output) {
    if settings.leaves != LeafBackend::Native || !program.is_over_tiles() {
        return;
    }
    let (compiled, help) = match settings.precision {
        Precision::Double => (compile_natively(program), "name a C compiler in `CC`, such as CC=gcc"),
        Precision::Single => (Err("native leaves are of double precision".to_owned()), "leave `--precision` out"),
    };
    if let Err(why) = compiled {
        let said = Diagnostic::new(format!("leaves are interpreted, with the same bits: {why}"));
        output.warning(&said.help(format!("{help}, or say `--leaves loops`")));
    }
}

/// The table: where it ran, how fast, what passed between workers.
fn show(
    program: &Program,
    execution: &Execution,
    (backend, settings): (&str, &Settings),
    agreement: Option<&Agreement>,
    output: &Output,
) {
    let Counts { arrangement, pes, operations, calls, work, words, returned, elements, packets } = &execution.counts;
    let sides: Vec<String> = arrangement.iter().map(usize::to_string).collect();
    let grid = if sides.len() > 1 { format!(" ({})", sides.join(" x ")) } else { String::new() };
    let kind = if backend == "mpi" { "rank" } else { "thread" };
    let workers = settings.workers;
    let seconds = execution.elapsed.as_secs_f64();
    let calls_of_leaves = if *calls > 0 { format!(" in {} of leaves", counted(*calls, "call")) } else { String::new() };
    let (done, rate) = (operations + work.applied, billions_a_second(execution));
    let done = format!("{}{calls_of_leaves} in {seconds:.3} s, {rate:.3} GFLOP/s", counted(done, "operation"));
    output.line(&format!("{} on {}{grid}   {done}", counted(*pes, "PE"), counted(workers, kind)));
    let served: Vec<String> = served(execution).map(|(service, count)| format!("{count} {service}")).collect();
    if !served.is_empty() {
        output.line(&format!("  calls of {}: {}", settings.leaves.title(), served.join(", ")));
    }
    handed_back(execution).for_each(|(service, count)| show_handed_back(service, count, output));
    let words = counted(*words, "word");
    let back = if *returned > 0 { format!(", {returned} of them back to where they came from") } else { String::new() };
    let of = if *calls > 0 { format!(" with {}", counted(*elements, "element")) } else { String::new() };
    output.line(&format!("  {words}{of} between {kind}s{back}, in {}", counted(*packets, "packet")));
    if let [_, _, ..] = &execution.taken[..] {
        let each: Vec<String> =
            execution.taken.iter().map(|taken| format!("{:.3}", taken.wall.as_secs_f64())).collect();
        output.line(&format!("  {} runs in {} s; what is shown is the last", each.len(), each.join(", ")));
    }
    if let Some(layouts) = show_layouts(program, settings) {
        output.line(&format!("  operands from a layout, results into it: {layouts}"));
    }
    let timeline = &execution.timeline;
    let [waiting, sending, receiving] =
        [timeline.waiting(), timeline.sending(), timeline.receiving()].map(|share| 100.0 * share);
    output.line(&format!("  {waiting:.1}% of their time waiting, {sending:.1}% sending, {receiving:.1}% receiving"));
    memory::show(&execution.memory, kind, output);
    say_agreement(agreement, output);
}

/// What a library did, with how often.
fn served(execution: &Execution) -> impl Iterator<Item = (&'static str, u64)> {
    occurring(execution.counts.work.served)
}

/// What a library could not do, with how often.
fn handed_back(execution: &Execution) -> impl Iterator<Item = (&'static str, u64)> {
    occurring(execution.counts.work.handed_back)
}

/// The services that occur, with how often.
fn occurring(counts: [u64; SERVICES.len()]) -> impl Iterator<Item = (&'static str, u64)> {
    SERVICES.into_iter().zip(counts).filter(|(_, count)| *count > 0)
}

/// Why a run is slower than its library.
fn show_handed_back(service: &str, count: u64, output: &Output) {
    let reason = if service == "potrf" { "a pivot was not positive" } else { "a matrix was singular" };
    let reason = format!("{reason}, or a number not finite");
    output.line(&format!(
        "  {count} {service} handed back to loops, which are slower: {reason}; give another input with --input"
    ));
}

/// Services with their counts, as an object.
fn to_object(counts: impl Iterator<Item = (&'static str, u64)>) -> Value {
    counts.map(|(service, count)| (service.to_owned(), json!(count))).collect::<Map<_, _>>().into()
}

/// Applications of scalar functions, those inside of leaves included, in 10^9 a second; 0 for a run too short to be timed.
fn billions_a_second(execution: &Execution) -> f64 {
    let seconds = execution.elapsed.as_secs_f64();
    let done = execution.counts.operations + execution.counts.work.applied;
    if seconds > 0.0 { done as f64 / seconds / 1e9 } else { 0.0 }
}

fn to_json(execution: &Execution, (backend, settings): (&str, &Settings)) -> Value {
    let counts = &execution.counts;
    json!({
        "backend": backend,
        "ranks": settings.workers,
        "arrangement": counts.arrangement,
        "broadcast": settings.broadcast.keyword(),
        "seconds": execution.elapsed.as_secs_f64(),
        "runs": execution.taken.iter().map(|taken| json!({
            "seconds": taken.wall.as_secs_f64(), "processor": taken.cpu.as_secs_f64(),
        })).collect::<Vec<_>>(),
        "gflops": billions_a_second(execution),
        "pes": counts.pes,
        "operations": counts.operations,
        "calls": counts.calls,
        "applied": counts.work.applied,
        "precision": settings.precision.keyword(),
        "leaves": settings.leaves.title(),
        "served": to_object(served(execution)),
        "handed_back": to_object(handed_back(execution)),
        "words": counts.words,
        "returned": counts.returned,
        "elements": counts.elements,
        "packets": counts.packets,
        "waiting": execution.timeline.waiting(),
        "sending": execution.timeline.sending(),
        "receiving": execution.timeline.receiving(),
        "memory": memory::to_json(&execution.memory),
        "deadlock": execution.deadlock.as_ref().map(sim::report::deadlock_to_json),
    })
}
