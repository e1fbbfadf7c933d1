//! Designs as files: a kernel with one schedule, called `design`, that says of every space where, when and how.
//!
//! In: a design that was found. Out: the text of the file, which `prove`, `explain`, `emit` and `run` take as it stands. Commands that
//! search and nothing else refuse it.

use crate::driver::flags::arguments::SpaceArguments;
use crate::driver::kernels::searched::Searched;
use std::path::Path;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::span::Span;
use systole_compile::extract::design_text;
use systole_compile::mapping::Design;
use systole_equations::recurrence::{RecurrenceSystem, Schedule};
use systole_equations::syntax;
use systole_equations::syntax::ast;
use systole_equations::syntax::ast::{Directive, Spanned};

/// The name of the schedule, and what the name of such a file ends with.
pub const DESIGN: &str = "design";

/// What the name of a file ends with that has the recurrences of its design behind it.
const SPACES: &str = "spaces";

/// Means the design, where a file holds one and no schedule is named.
pub fn mean(kernel: &str, arguments: &mut SpaceArguments) {
    if arguments.schedule.is_none() && !arguments.forms && is_file(kernel) {
        arguments.schedule = Some(DESIGN.to_owned());
    }
}

/// Whether the name of a file says that it holds a design.
pub fn is_file(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == DESIGN || extension == SPACES)
}

/// Refuses flags that choose among designs, where the schedule is one.
///
/// # Errors
/// The first of these flags.
pub fn check_flags(arguments: &SpaceArguments, schedule: Option<&Schedule>) -> Checked<()> {
    let Some(schedule) = schedule.filter(|schedule| !schedule.spaces.is_empty()) else { return Ok(()) };
    let given = [
        ("--fold", arguments.fold != 1),
        ("--rank", !arguments.rank.is_empty()),
        ("--bound", arguments.bound != 1),
        ("--steps", arguments.steps != "-2..2"),
        ("--objective", arguments.objective != "systolic"),
        ("--design", arguments.design.is_some()),
        ("--reuse", arguments.reuse != "both"),
        ("--budget", arguments.budget.is_some()),
        ("--exact", arguments.exact),
        ("--transports", !arguments.transports.is_empty()),
    ];
    let Some((flag, _)) = given.iter().find(|(_, is_given)| *is_given) else { return Ok(()) };
    Diagnostic::usage(format!("`{flag}` chooses among designs, and `{}` is one", schedule.name))
        .help("leave the flag out, or change the file")
        .alone()
}

/// Refuses a whole design where designs are searched for.
///
/// # Errors
/// The schedule is one.
pub fn refuse(schedule: Option<&Schedule>, system: &RecurrenceSystem) -> Checked<()> {
    let Some((schedule, first)) = schedule.and_then(|schedule| Some((schedule, schedule.spaces.first()?))) else {
        return Ok(());
    };
    Diagnostic::new(format!("`{}` is a whole design, so there is nothing to search for", schedule.name))
        .label(&system.source, first.span, "says of a space where, when and how")
        .help("`systole prove`, `systole run` and `systole emit` take it as it stands")
        .alone()
}

/// The file of a design: the equations, what its schedule says of the machine and of tiles, and the design.
///
/// # Errors
/// The text of the kernel cannot be read again.
pub fn text(searched: &Searched, design: &Design, named: Option<&str>) -> Checked<String> {
    let origin = &searched.kernel.origin;
    let mut file = syntax::parse(&origin.system.source)?;
    let schedule = file.schedules.iter().find(|schedule| Some(&*schedule.name.node) == named);
    let lines = schedule.map(|schedule| schedule.directives.clone()).unwrap_or_default();
    let kept: Vec<Spanned<Directive>> = lines.into_iter().filter(|line| is_kept(&line.node)).collect();
    let at = Span { start: 0, end: 0 };
    let (name, header) = (Spanned::new(DESIGN.into(), at), Spanned::new((), at));
    file.schedules = vec![ast::Schedule { name, directives: kept, header }];
    let tiles: String = origin.tiles.iter().map(|tile| format!("tile {} {}\n", tile.index, tile.size)).collect();
    Ok(format!("{}{tiles}{}", syntax::print(&file), design_text(design)))
}

/// What a design does not say itself: which network it is for, how it is distributed, how it is loaded.
fn is_kept(line: &Directive) -> bool {
    matches!(
        line,
        Directive::Network(_) | Directive::Fold(_) | Directive::Layout(..) | Directive::Order(_) | Directive::Load(..)
    )
}
