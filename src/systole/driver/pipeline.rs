//! The stages in their order, shared by all commands that start from a kernel.
//!
//! In: the flags. Out: the e-graph, the front, a proved design. Every stage is the same for one space and for several; what
//! differs between them stands behind [`Kernel`].

use crate::driver::files::Named;
use crate::driver::flags::arguments::{SoughtArguments, SpaceArguments};
use crate::driver::flags::limit_arguments::blamed;
use crate::driver::flags::setting::{Setting, check_flags, check_threads};
use crate::driver::kernels::distributed::all_obligations;
use crate::driver::kernels::kernel::Loaded;
use crate::driver::kernels::origin::{Derived, Origin};
use crate::driver::kernels::recurrences::Claimed;
use crate::driver::kernels::searched::{Claims, Searched};
use crate::driver::kernels::shape;
use crate::driver::kernels::{both_ways, designed, forms, mistaken, partitioned, recurrences, refusal, room};
use crate::driver::shown::output::Output;
use crate::driver::shown::unused_keys;
use crate::driver::{Done, Failure, Verdict, files};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, MessageCode, refusal_of, refused};
use systole_base::machine::Machine;
use systole_base::span::{Source, Span};
use systole_compile::extract::{Found, least_rooms};
use systole_compile::mapping::Design;
use systole_compile::rewrite::Lowered;
use systole_compile::smt::Discharged;
use systole_compile::{rewrite, smt};
use systole_equations::recurrence::spaces::{SpaceSystem, spaces_of, spaces_under};
use systole_equations::recurrence::{Directive, RecurrenceSystem, Schedule, Settled};
use systole_equations::{recurrence, syntax};

/// How long one obligation may take where the command has no flag for it, in milliseconds.
pub const LIMIT: u64 = 10_000;

/// A command that starts from a kernel, of whichever form it is.
pub trait KernelCommand {
    /// Where the kernel comes from, and what the search looks at.
    fn sought(&self) -> &SoughtArguments;
    /// The files that it writes, but those of a folder of its own.
    fn written(&self) -> Vec<Named<'_>> {
        vec![]
    }
    /// The files that it reads.
    fn read(&self) -> Vec<Named<'_>> {
        self.sought().read().into()
    }
    /// Whether it takes a whole design as it stands.
    fn takes_designs(&self) -> bool {
        false
    }
    /// Whether the designs of all forms are shown, not only those of the best one.
    fn shows_all_forms(&self) -> bool {
        false
    }
    /// Whether a kernel is divided that is larger than the array of its machine.
    fn divides(&self) -> bool {
        true
    }
    /// Runs the command.
    fn run(&self, loaded: Loaded, output: &Output) -> Done;
}

/// The text of a kernel: a file, or an einsum.
///
/// # Errors
/// A file that cannot be read, or is a program.
pub fn source(kernel: &str) -> Checked<Arc<Source>> {
    Ok(source_and_claims(kernel)?.0)
}

/// The text of a kernel, and the recurrences that its file claims of a design.
///
/// # Errors
/// A file that cannot be read, or is a program; recurrences that cannot be read.
pub fn source_and_claims(kernel: &str) -> Checked<(Arc<Source>, Option<Claimed>)> {
    let Some(path) = file(kernel) else {
        let of_kernel = |fault: Diagnostic| fault.about(MessageCode::Kernel);
        let text =
            syntax::einsum(kernel).map_err(|faults| faults.into_iter().map(of_kernel).collect::<Diagnostics>())?;
        return Ok((text, None));
    };
    let source = files::read_as(path, "rec")?;
    mistaken::refuse_program(&source)?;
    recurrences::split(&source)
}

/// The file of a kernel; an einsum has none. Operands without `->` are an einsum unless a file has that name.
pub fn file(kernel: &str) -> Option<&Path> {
    let path = Path::new(kernel);
    let is_einsum = kernel.contains("->") || (kernel.contains(',') && !path.exists());
    (!is_einsum).then_some(path)
}

impl SoughtArguments {
    /// The files that are read.
    pub fn read(&self) -> [Named<'_>; 2] {
        [("the kernel", file(&self.kernel.kernel)), ("`--machine`", self.space.machine.as_deref())]
    }
}

/// Text to saturated e-graph, and the command on it.
pub fn run(command: &impl KernelCommand, output: &Output) -> Done {
    let sought = command.sought();
    check_flags(&sought.space)?;
    files::check(&command.written(), &command.read())?;
    unused_keys::say(sought.space.machine.as_deref(), output)?;
    let (source, claimed) = source_and_claims(&sought.kernel.kernel)?;
    let system = settled(&recurrence::load(&source)?, output);
    let derived =
        if sought.space.has_forms() { forms::best(&system, command, output)? } else { Derived::plain(system) };
    run_claimed(derived, claimed, command, output)
}

/// The system less what is empty at all sizes, with a word for each equation that is left out.
pub fn settled(system: &RecurrenceSystem, output: &Output) -> RecurrenceSystem {
    let Settled { system: settled, left_out } = recurrence::settle(system);
    // What an equation of the user is written out as may be empty where that one is not.
    let is_part = |span: Span| settled.equations.iter().any(|kept| kept.span.holds(span));
    for equation in left_out.into_iter().filter(|equation| !is_part(equation.span)) {
        let (file, line) = (&system.source.name, system.source.line(equation.span.start));
        let what = format!("the equation defines no element of `{}` at any size, and is left out", equation.target);
        let said = Diagnostic::new(format!("{file}:{line}: {what}"));
        output.warning(&said.label(&system.source, equation.span, "defines nothing"));
    }
    settled
}

/// [`run`] for equations that are known, and the laws by which they come from others.
pub fn run_on(derived: Derived, command: &impl KernelCommand, output: &Output) -> Done {
    run_claimed(derived, None, command, output)
}

/// [`run_on`] where a file claims recurrences of its design, which are checked before anything else is done with it.
fn run_claimed(derived: Derived, claimed: Option<Claimed>, command: &impl KernelCommand, output: &Output) -> Done {
    let SoughtArguments { kernel, limits, space: asked } = command.sought();
    let (rules, limits) = (|| rewrite::load_rules(kernel.rules.as_deref()), limits.of_dataflows());
    let schedule = named(asked, &derived.system)?;
    if !command.takes_designs() {
        designed::refuse(schedule, &derived.system)?;
    }
    designed::check_flags(asked, schedule)?;
    let origin = Origin::new(derived, asked.schedule.as_deref(), &asked.tile)?;
    origin.lessened.iter().for_each(|said| output.warning(said));
    let schedule = named(asked, origin.searched())?;
    let cut = cut(&origin, schedule)?;
    let rules = rules()?;
    let design = schedule.filter(|schedule| &*schedule.name == designed::DESIGN).cloned();
    let loaded = Loaded::new(Arc::new(origin), cut, &rules, &limits)?;
    if let (Some(claimed), Some(design)) = (claimed, design) {
        claimed.check(&loaded.kernel.cut, &design, &loaded.lowered.choices()?)?;
    }
    let loaded = match command.divides() {
        true => {
            let origin = loaded.kernel.origin.clone();
            let schedule = named(asked, &origin.system)?;
            let divided = partitioned::divided(loaded, asked, schedule, (&rules, &limits), output)?;
            both_ways::streamed(divided, asked, schedule, (&rules, &limits), output)?
        }
        false => loaded,
    };
    // Where the command fails, and a limit ended saturation, the message says so.
    let report = loaded.lowered.report.clone();
    let blame = |failure: Failure| Failure { diagnostics: blamed(&report, failure.diagnostics), ..failure };
    command.run(loaded, output).map_err(blame)
}

/// The spaces of the equations that are searched, under a schedule of theirs.
///
/// # Errors
/// Equations that have no spaces; strips of indices that they have not.
pub fn cut(origin: &Origin, schedule: Option<&Schedule>) -> Checked<SpaceSystem> {
    let of_tiles = |why| if origin.tiled().is_some() { of_tiles(why) } else { why };
    match (recurrence::one_space(origin.searched()), schedule) {
        (Ok(space), Some(schedule)) if is_at_border(schedule) => SpaceSystem::of_one(space).in_strips(&schedule.strips),
        (_, Some(schedule)) => spaces_under(origin.searched(), schedule).map_err(of_tiles),
        (_, None) => spaces_of(origin.searched()).map_err(of_tiles),
    }
}

/// Why there are no spaces over tiles, where those over elements may be: what to write lies in the ranges that were cut.
fn of_tiles(why: Diagnostics) -> Diagnostics {
    let help = "leave this index undivided, or let its range be over sizes alone: `sum(l in 0..N)` with `l + k` for `l in k..k + N`";
    why.into_iter().map(|one| one.help(help)).collect()
}

/// Whether the schedule lets all elements in and out through the array, those without a point too.
fn is_at_border(schedule: &Schedule) -> bool {
    schedule.directives.iter().any(|(directive, _)| matches!(directive, Directive::BoundaryIo(true)))
}

/// The schedule that the flags name.
fn named<'a>(arguments: &SpaceArguments, system: &'a RecurrenceSystem) -> Checked<Option<&'a Schedule>> {
    arguments.schedule.as_deref().map(|name| system.asked_schedule(name)).transpose()
}

/// Runs work on so many threads; one a core where the number is not given.
pub fn with_threads<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> Checked<T> {
    let Some(threads) = threads else { return Ok(work()) };
    check_threads(threads)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.clamp(1, 1024)).build();
    pool.map(|pool| pool.install(work))
        .map_err(|error| Diagnostic::new(format!("cannot start threads: {error}")).into())
}

/// All obligations of a design, discharged, and those of how its schedule distributes it; each within so many milliseconds.
pub fn prove(searched: &Searched, design: &Design, limit: u64) -> Checked<Vec<Discharged>> {
    Ok(all_obligations(searched, design, Claims::default(), &searched.kernel.origin.distributions)?.discharge(limit))
}

/// The worst of many verdicts.
pub fn verdict(proofs: &[Discharged]) -> Verdict {
    let any = |test: fn(&smt::Verdict) -> bool| proofs.iter().any(|proof| test(&proof.verdict));
    if any(|verdict| matches!(verdict, smt::Verdict::Refuted(_))) {
        Verdict::Refuted
    } else if any(|verdict| matches!(verdict, smt::Verdict::Unknown(_))) {
        Verdict::Unknown
    } else {
        Verdict::Good
    }
}

/// The best design of the front that is proved, as [`prove_best`] finds it, with its place on the front and its proofs.
pub type Proved<'a> = (usize, Found, Design<'a>, Vec<Discharged>);

/// A proved design.
pub struct Winner<'a> {
    /// Its place on the front.
    pub index: usize,
    /// The design as the search found it.
    pub found: Found,
    /// The design as it was proved.
    pub design: Design<'a>,
    /// Its proofs.
    pub proofs: Vec<Discharged>,
    /// The name of its proof record, under which it stands in the e-graph.
    pub record: String,
}

/// The best design of the front that is proved, entered into the e-graph as a `sched` node; a refuted one is passed over,
/// with a message.
///
/// # Errors
/// Nothing on the front is proved, or the front is empty: then why. Or the checker counts otherwise than the search.
pub fn prove_best<'a>(
    searched: &Searched<'a>,
    lowered: &mut Lowered,
    limit: u64,
    output: &Output,
) -> Result<Winner<'a>, Failure> {
    let (index, found, design, proofs) = first_proved(searched, limit, output)?;
    let record = format!("proved-by-{}-obligations", proofs.len());
    shape::record(lowered, &design, &record);
    Ok(Winner { index, found, design, proofs, record })
}

/// The best design of the front that is proved and that the PEs of the machine have room for; others are passed over, with
/// a message, those too of which not all claims can be stated.
///
/// # Errors
/// As for [`prove_best`].
pub fn first_proved<'a>(searched: &Searched<'a>, limit: u64, output: &Output) -> Result<Proved<'a>, Failure> {
    let mut passed_over = PassedOver::default();
    for (index, found) in searched.front.iter().enumerate() {
        let design = searched.design(found);
        let busy = output.busy("prove");
        let proofs = prove(searched, &design, limit);
        drop(busy);
        let proofs = match proofs {
            Ok(proofs) => proofs,
            Err(why) => {
                passed_over.unstated.push(why);
                continue;
            }
        };
        match verdict(&proofs) {
            Verdict::Good => {
                searched.confirm(found)?;
                match with_room(searched, (design, proofs), limit)? {
                    Ok((design, proofs)) => {
                        passed_over.say(&searched.setting.machine, output);
                        return Ok((index, found.clone(), design, proofs));
                    }
                    Err(why) => passed_over.too_large.push(why),
                }
            }
            Verdict::Unknown => {
                if proofs.iter().any(|proof| !proof.obligation.is_stated()) {
                    // Why there is no program is said with its place.
                    searched.program(&design)?;
                }
                return Err(Failure { diagnostics: messages(searched, &proofs), verdict: Verdict::Unknown });
            }
            Verdict::Refuted | Verdict::Misused => {
                if searched.problem.constraint().given.is_none() {
                    output.error(&format!("design {index} of the front is refuted; trying the next"));
                }
                passed_over.refuted = messages(searched, &proofs);
            }
        }
    }
    if !passed_over.unstated.is_empty() {
        return Err(passed_over.unstated.swap_remove(0).into());
    }
    let why = match passed_over.why() {
        Some(why) if refusal_of(&why).is_none() => refused(refusal::of_front(searched), why),
        Some(why) => why,
        None => searched.why_nothing(limit)?,
    };
    Err(on_network(searched, why).into())
}

/// Designs of a front that are not taken.
#[derive(Default)]
struct PassedOver {
    /// Why the last refuted one is.
    refuted: Diagnostics,
    /// What each of those that are proved needs more of than a PE has.
    too_large: Vec<Diagnostics>,
    /// Why the claims of each of some others cannot be stated, such as that it needs a deeper channel than is proved.
    unstated: Vec<Diagnostics>,
}

impl PassedOver {
    /// What to say where none is taken: of the best that is proved, or else of the last.
    fn why(self) -> Option<Diagnostics> {
        self.too_large.into_iter().next().or(Some(self.refuted).filter(|why| !why.is_empty()))
    }

    fn say(&self, machine: &Machine, output: &Output) {
        let (count, machine) = (self.too_large.len(), &machine.name);
        if count > 0 {
            output.error(&format!("passed over {count} better on the front that need larger PEs than `{machine}` has"));
        }
        if let Some(why) = self.unstated.first().and_then(|why| why.first()) {
            let count = self.unstated.len();
            output.error(&format!("passed over {count} better on the front, the first since {}", why.message()));
        }
    }
}

/// Refuses a design whose program needs more of a PE than the machine has.
fn check_room(searched: &Searched, design: &Design) -> Checked<()> {
    let Setting { machine, given: sizes, .. } = searched.setting;
    if machine.registers.is_none() && machine.words.is_none() {
        return Ok(());
    }
    room::check(&searched.program(design)?, sizes, machine)
}

/// A proved design that the machine's PEs have room for: as it is, or with fewer words for what they keep. Else what they lack.
fn with_room<'a>(
    searched: &Searched,
    (design, proofs): (Design<'a>, Vec<Discharged>),
    limit: u64,
) -> Checked<Checked<(Design<'a>, Vec<Discharged>)>> {
    let Err(why) = check_room(searched, &design) else { return Ok(Ok((design, proofs))) };
    Ok(match in_less_room(searched, &design, limit)? {
        Some((design, proofs)) => check_room(searched, &design).map(|()| (design, proofs)),
        None => Err(why),
    })
}

/// The design with the fewest words for what PEs keep, with its proofs; `None` where the machine does not ask for it, or there are no
/// fewer.
fn in_less_room<'a>(
    searched: &Searched,
    design: &Design<'a>,
    limit: u64,
) -> Checked<Option<(Design<'a>, Vec<Discharged>)>> {
    let machine = &searched.setting.machine;
    if machine.words.is_none() {
        return Ok(None);
    }
    let rooms = least_rooms(design, &machine.links, Duration::from_millis(limit))?;
    if rooms == design.rooms {
        return Ok(None);
    }
    let design = Design { rooms, ..design.clone() };
    let proofs = prove(searched, &design, limit)?;
    Ok((verdict(&proofs) == Verdict::Good).then_some((design, proofs)))
}

/// The messages of all obligations that are not proved. A design that is refuted most often has no program: what is not stated for that
/// is said in its table, and here of one that is not refuted.
pub fn messages(searched: &Searched, proofs: &[Discharged]) -> Diagnostics {
    let line_of = |proof: &Discharged| searched.setting.constraint.line_of(&proof.obligation);
    let Some(space) = searched.kernel.spaces().first() else { return vec![] };
    let is_refuted = verdict(proofs) == Verdict::Refuted;
    let shown = proofs.iter().filter(|proof| proof.obligation.is_stated() || !is_refuted);
    shown.filter_map(|proof| smt::refutation_message(space, line_of(proof), proof)).collect()
}

/// Messages with the network in their first line, where it is another one than that the schedule is for.
pub fn on_network(searched: &Searched, said: Diagnostics) -> Diagnostics {
    let (network, machine) = (searched.setting.machine.links.network, &searched.setting.machine.name);
    match searched.setting.constraint.network.filter(|meant| *meant != network) {
        Some(meant) => {
            let where_it_is = format!("on the `{network}` network of `{machine}`, not the `{meant}` of the schedule");
            said.into_iter().map(|one| one.among(&where_it_is)).collect()
        }
        None => said,
    }
}

/// The message for a design that the search found and the separate checker refuses.
pub fn refused_by_checker(why: &str) -> Diagnostic {
    defect(format!("the checker refuses the design that the search found: {why}"))
}

/// A message for what must not happen.
pub fn defect(message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(message.into())
        .help("this is a defect of systole: please report the kernel and the flags")
        .about(MessageCode::Defect)
}
