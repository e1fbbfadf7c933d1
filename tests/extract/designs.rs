//! Designs as text: what is written and read is the same design, for every schedule of every kernel that ships; and what does not fit
//! the spaces, or what no rule offers, is refused.

use std::path::{Path, PathBuf};
use systole_base::integer::Bindings;
use systole_base::machine::Machine;
use systole_base::span::{Source, Span};
use systole_compile::compile::{Options, compile};
use systole_compile::extract::{Constraint, Found, Given, Limits, Problem, Question, design_text, search};
use systole_compile::mapping::candidates::Bounds;
use systole_compile::rewrite::{
    Choices, Dataflow, RECURRENCES, compare_recurrences, load_rules, read_recurrences, recurrences, saturate,
    split_recurrences,
};
use systole_equations::recurrence::spaces::{SpaceSystem, spaces_of, spaces_under};
use systole_equations::recurrence::{Directive, RecurrenceSystem, Strip, load};
use systole_equations::syntax;

/// A kernel with its spaces and what the rules offer.
struct Kernel {
    text: String,
    equations: RecurrenceSystem,
    spaces: SpaceSystem,
    choices: Vec<Choices>,
}

/// How many designs of a front are written.
const WRITTEN: usize = 12;

impl Kernel {
    fn new(text: &str) -> Kernel {
        Kernel::in_strips(text, &[])
    }

    fn in_strips(text: &str, strips: &[(Strip, Span)]) -> Kernel {
        let source = Source::new("kernel.rec", text);
        let mut file = syntax::parse(&source).expect("a kernel");
        file.schedules.clear();
        let equations = load(&source).expect("a kernel");
        let spaces = spaces_of(&equations).expect("spaces").in_strips(strips).expect("strips");
        let rules = load_rules(None).expect("the rules");
        let lowered = saturate(&spaces, &rules, &systole_compile::rewrite::Limits::default()).expect("lowered");
        let choices = lowered.choices().expect("choices");
        Kernel { text: syntax::print(&file), equations, spaces, choices }
    }

    fn problem<'a>(
        &'a self,
        constraint: Constraint,
        (machine, sizes): (&'a Machine, &'a Bindings),
        limits: Limits,
    ) -> Problem<'a> {
        let dimension = self.spaces.spaces.iter().map(|space| space.dimension()).max().unwrap_or(0);
        let (system, choices, bounds) = (&self.spaces, &self.choices, Bounds::for_dimension(dimension));
        Problem::new(Question { system, choices, bounds, machine, sizes, constraint, limits }).expect("a problem")
    }

    /// The front of what a schedule leaves open.
    fn front(&self, schedule: Option<&str>, limits: Limits) -> (bool, Vec<Found>) {
        let named = schedule.map(|name| self.equations.asked_schedule(name).expect("a schedule"));
        let constraint = named.map_or_else(
            || Constraint::none(&self.spaces),
            |schedule| Constraint::from_schedule(&self.spaces, schedule).expect("a constraint"),
        );
        let sizes: Bindings = self.spaces.parameters.iter().map(|size| (size.clone(), 4)).collect();
        let mut machine = Machine::default();
        machine.links.network = constraint.network.unwrap_or(machine.links.network);
        let (boundary, problem) = (constraint.boundary_io, self.problem(constraint, (&machine, &sizes), limits));
        (boundary, search(&problem, false, &|_, _| true).front.designs().to_vec())
    }

    /// What is read of a schedule that is a design.
    fn read(&self, design: &str) -> Result<Given, String> {
        let said = |why: Vec<systole_base::diagnostic::Diagnostic>| why[0].message().to_owned();
        let source = Source::new("kernel.design", format!("{}\nschedule design\n{design}", self.text));
        let equations = load(&source).map_err(said)?;
        let schedule = equations.asked_schedule("design").map_err(said)?;
        let spaces = spaces_under(&equations, schedule).map_err(said)?;
        let constraint = Constraint::from_schedule(&spaces, schedule).map_err(said)?;
        constraint.restrict(&spaces, &self.choices).map_err(said)?;
        constraint.given.ok_or_else(|| "no design".to_owned())
    }

    fn round_trips(&self, boundary: bool, found: &[Found], of: &str) {
        for found in found.iter().take(WRITTEN) {
            let mut design = found.design(&self.spaces);
            design.boundary_io = boundary;
            let text = design_text(&design);
            let given = self.read(&text).unwrap_or_else(|why| panic!("{of}: {why}\n{text}"));
            assert_eq!((&given.parts, &given.fold), (&found.parts, &found.fold), "{of}: {text}");
            self.has_recurrences(&text, &given, of);
        }
    }
}

impl Kernel {
    /// The recurrences of a design, in a file behind it: what is read is what the design has, and a changed digit is seen.
    fn has_recurrences(&self, design: &str, given: &Given, of: &str) {
        let dataflows: Vec<Dataflow> = given.parts.iter().map(|part| part.dataflow.clone()).collect();
        let lines = recurrences(&self.spaces, &dataflows);
        let printed: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let read = |lines: &str| {
            let text = format!("{}\nschedule design\n{design}\n{RECURRENCES}\n{lines}", self.text);
            let source = Source::new("kernel.spaces", text);
            let (kernel, within) = split_recurrences(&source);
            load(&kernel).expect("a kernel");
            read_recurrences(&source, within.expect("recurrences"))
        };
        let again = read(&printed).unwrap_or_else(|why| panic!("{of}: {}\n{printed}", why[0].message()));
        assert!(compare_recurrences(&again, &lines).is_empty(), "{of}: {printed}");
        let digit = printed.rfind(|letter: char| letter.is_ascii_digit());
        if let Some(at) = digit {
            let changed = format!("{}{}{}", &printed[..at], 7, &printed[at + 1..]);
            let other = if changed == printed { printed.replacen('7', "8", 1) } else { changed };
            assert!(
                read(&other).is_err() || !compare_recurrences(&read(&other).unwrap(), &lines).is_empty(),
                "{other}"
            );
        }
    }
}

fn kernels() -> Vec<PathBuf> {
    let folder = Path::new(env!("SYSTOLE_ROOT")).join("kernels");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the kernels")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rec"))
        .collect();
    paths.sort();
    paths
}

#[test]
fn the_designs_of_every_schedule_read_back() {
    let mut count = 0;
    for path in kernels() {
        let text = std::fs::read_to_string(&path).expect("a kernel");
        let schedules = load(&Source::new("kernel.rec", &*text)).expect("a kernel").schedules;
        // Over tiles the equations are others.
        let is_tiled = |(directive, _): &(Directive, _)| matches!(directive, Directive::Tile(..));
        let plain = schedules.iter().filter(|schedule| !schedule.directives.iter().any(is_tiled));
        let names: Vec<&str> = plain.map(|schedule| &*schedule.name).collect();
        if names.is_empty() {
            continue;
        }
        for name in names {
            let strips = schedules.iter().find(|schedule| &*schedule.name == name).map(|schedule| &schedule.strips[..]);
            let kernel = Kernel::in_strips(&text, strips.unwrap_or_default());
            let of = format!("{} {name}", path.display());
            let (boundary, found) = kernel.front(Some(name), Limits::default());
            // One schedule that ships is wrong on purpose.
            assert_eq!(found.is_empty(), name == "too-fast", "{of}");
            kernel.round_trips(boundary, &found, &of);
            count += 1;
        }
    }
    assert!(count >= 40, "{count} schedules");
}

#[test]
fn designs_that_are_folded_or_on_a_bus_read_back() {
    for (name, fold) in [("matvec", 1), ("polynomial_product", 3), ("trisolve", 2)] {
        let path = format!("{}/kernels/{name}.rec", env!("SYSTOLE_ROOT"));
        let kernel = Kernel::new(&std::fs::read_to_string(path).expect("a kernel"));
        let (boundary, found) = kernel.front(None, Limits { fold, ..Limits::default() });
        assert_eq!(found.iter().any(|found| !found.fold.is_none()), fold > 1, "{name}");
        kernel.round_trips(boundary, &found, name);
    }
}

/// The compiler as one call keeps to a design too: one that is slower than it need be is not made faster, and a wrong one is refuted.
#[test]
fn a_design_is_compiled_as_it_stands() {
    let path = format!("{}/kernels/trisolve.rec", env!("SYSTOLE_ROOT"));
    let kernel = Kernel::new(&std::fs::read_to_string(path).expect("a kernel"));
    let compiled = |time: &str| {
        let lines = format!(
            "space X.sum   place (i)   time 2*i + j\n  feed L   stream X along i   reduce along j\n\
             space X   place (i)   time {time}\n  feed B   handoff X.sum   feed L\n"
        );
        let source = Source::new("kernel.design", format!("{}\nschedule design\n{lines}", kernel.text));
        compile(&source, &Options { schedule: Some("design".to_owned()), ..Options::default() })
            .map(|compiled| design_text(&compiled.design()) == lines)
            .map_err(|why| why[0].message().to_owned())
    };
    assert_eq!(compiled("3*i"), Ok(true));
    let refuted = compiled("3*i - 1").expect_err("it is wrong");
    assert!(refuted.starts_with("refuted: `X` takes X.sum[i] before `X.sum` has given it"), "{refuted}");
}

#[test]
fn what_is_no_design_is_refused() {
    let path = format!("{}/kernels/matvec.rec", env!("SYSTOLE_ROOT"));
    let kernel = Kernel::new(&std::fs::read_to_string(path).expect("a kernel"));
    let good = "space matvec   place (i)   time i + j\n  feed A   stream x along i   reduce along j\n";
    let given = kernel.read(good).expect("a design");
    let design = kernel.spaces.spaces[0].name.clone();
    assert_eq!((&*design, given.parts.len()), ("matvec", 1));
    for (from, to, why) in [
        ("space matvec", "space z", "`matvec` has no space `z`"),
        ("place (i)", "place (l)", "`l` is neither an index of the space `matvec` nor a size"),
        ("time i + j", "", "no time is given"),
        ("feed A   stream", "stream", "the space `matvec` reads `A`, `x`, in this order"),
        ("feed A", "handoff A", "no rule offers `handoff` for `A` in the space `matvec`"),
        ("along i ", "along j ", "no rule offers `stream <j>` for `x` in the space `matvec`"),
        ("along i ", "", "a stream of a design has a direction"),
        ("along i ", "along N ", "`N` is no direction of the space `matvec`"),
        ("reduce along j", "", "no rule offers `reduce ` for `y` in the space `matvec`"),
        ("reduce along j", "reduce along i", "no rule offers `reduce <i>` for `y` in the space `matvec`"),
        ("  feed A", "  tile i 2   feed A", "this line speaks of the whole design"),
        ("space matvec", "handoff x\nspace matvec", "this line speaks of one space of a design"),
        (
            "space matvec",
            "fold (2, 2)\nspace matvec",
            "a fold of an array of 1 axis has as many numbers, each phase below its factor",
        ),
        (
            "space matvec",
            "fold (2)   phase (2)\nspace matvec",
            "a fold of an array of 1 axis has as many numbers, each phase below its factor",
        ),
    ] {
        assert!(good.contains(from), "{from}");
        assert_eq!(kernel.read(&good.replace(from, to)), Err(why.to_owned()), "{to}");
    }
    let twice = format!("{good}{good}");
    assert_eq!(kernel.read(&twice), Err("space `matvec` is placed twice".to_owned()));
}
