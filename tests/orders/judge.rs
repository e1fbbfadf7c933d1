//! One system through compiler, simulator and threads, held to what `order.rs` and `evaluate.rs` say of it.

use crate::evaluate::{Array, Arrays, Verdict, evaluate, extents, inputs};
use crate::growth::{Grown, grow, known};
use crate::order::{Order, order};
use crate::systems::{Role, Scope, System};
use crate::text::read;
use ndarray::{ArrayD, IxDyn};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use systole::diagnostic::{Diagnostics, refusal_of, render};
use systole::integer::{Bindings, Name, name};
use systole::refusal::Refusal;
use systole::smt::Verdict as Proof;
use systole::span::Source;
use systole::{Compiled, Options, compile, exec, sim};

/// How many threads run a program.
const THREADS: usize = 3;

/// The sizes at which programs run.
const RUNS: [[(&str, i64); 3]; 2] = [[("M", 3), ("N", 4), ("T", 3)], [("M", 4), ("N", 5), ("T", 2)]];

/// What came of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    /// It has an order, and a design with the values of the evaluator.
    Right,
    /// It has a cycle, and is refused with it.
    Cycle,
    /// It has no affine order, and a design with the values of the evaluator.
    RightWithoutOrder,
    /// It has no affine order, and is refused.
    WithoutOrder,
    /// It has an order, and is refused; or it has a cycle, and is refused without it.
    Refused,
    NoAnswer,
    Wrong,
    Panicked,
}

/// A system, judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    pub kind: Kind,
    /// What refusals and failures are counted by: the message without names and numbers.
    pub reason: String,
    /// All that is known of a failure.
    pub detail: String,
    /// How many rows its order has, if it has one.
    pub rows: Option<usize>,
}

impl Judged {
    pub fn new(kind: Kind, reason: &str, detail: &str) -> Judged {
        Judged { kind, reason: reason.to_owned(), detail: detail.to_owned(), rows: None }
    }
}

/// Why a system did not come through.
enum Stop {
    /// The reason, all that is known, and the kind of the refusal, where it has one.
    Refused(String, String, Option<Box<Refusal>>),
    Wrong(String, String),
}

impl Stop {
    fn refused(stage: &str, problems: &Diagnostics) -> Stop {
        let message = problems.first().map_or("no message", |problem| problem.message());
        let (reason, kind) =
            (format!("{stage}: {}", without_names(message)), refusal_of(problems).cloned().map(Box::new));
        Stop::Refused(reason, render(problems, false), kind)
    }
}

/// Holds the kind of a refusal by the compiler to what is known of the system.
fn held(stop: Stop, has_cycle: bool, order: Option<&Order>) -> Stop {
    let Stop::Refused(reason, detail, kind) = stop else { return stop };
    let is_right = match kind.as_deref() {
        _ if !reason.starts_with("compile: ") && !reason.starts_with("search: ") => true,
        Some(Refusal::Cycle { .. }) => has_cycle,
        Some(Refusal::NoOrder { .. }) => matches!(order, Some(Order::None(..))),
        Some(Refusal::NotFound { lines, .. }) => lines.is_none(),
        Some(Refusal::Contradiction(_) | Refusal::Machine { .. }) | None => false,
    };
    match is_right {
        true => Stop::Refused(reason, detail, kind),
        false => Stop::Wrong(format!("of the wrong kind: {reason}"), format!("{kind:?}\n{detail}")),
    }
}

/// A message with `_` for what it quotes and for elements, and `N` for its numbers.
pub fn without_names(message: &str) -> String {
    let line = message.lines().next().unwrap_or("");
    let quoted = line.split('`').enumerate();
    let unquoted: Vec<&str> = quoted.map(|(at, part)| if at % 2 == 1 { "_" } else { part }).collect();
    let (mut text, mut depth) = (String::new(), 0);
    for letter in unquoted.concat().chars() {
        match letter {
            '[' => {
                let name = |letter: char| letter.is_alphanumeric() || letter == '_';
                text.truncate(text.trim_end_matches(name).len());
                text.push('_');
                depth += 1;
            }
            ']' => depth -= 1,
            _ if depth > 0 => {}
            digit if digit.is_ascii_digit() && text.ends_with('N') => {}
            digit if digit.is_ascii_digit() => text.push('N'),
            other => text.push(other),
        }
    }
    text
}

/// Judges the system of a number.
pub fn judge(seed: u64, number: u64) -> Judged {
    judge_grown(&grow(seed, number))
}

/// Judges the system of a text, such as those that `ORDERS_FOUND` writes.
pub fn judge_text(text: &str) -> Judged {
    judge_grown(&known(read(text)))
}

fn judge_grown(Grown { system, cycle, .. }: &Grown) -> Judged {
    let stop = through(system, cycle.is_some());
    if let Some(cycle) = cycle {
        return match stop.map_err(|stop| held(stop, true, None)) {
            Err(Stop::Refused(_, _, Some(kind))) if matches!(*kind, Refusal::Cycle { .. }) => {
                Judged::new(Kind::Cycle, "", "")
            }
            Err(Stop::Refused(reason, detail, _)) => {
                Judged::new(Kind::Refused, &format!("cycle, {reason}"), &format!("{cycle}\n{detail}"))
            }
            Err(Stop::Wrong(reason, detail)) => Judged::new(Kind::Wrong, &reason, &detail),
            Ok(()) => Judged::new(Kind::Wrong, "a cycle has a design", cycle),
        };
    }
    let found = order(system);
    let rows = if let Order::Rows(rows) = &found { Some(rows.len()) } else { None };
    let judged = match (stop.map_err(|stop| held(stop, false, Some(&found))), found) {
        (_, Order::Unknown) => Judged::new(Kind::Wrong, "the order is not decided", ""),
        (Err(Stop::Wrong(reason, detail)), _) => Judged::new(Kind::Wrong, &reason, &detail),
        (Ok(()), Order::None(..)) => Judged::new(Kind::RightWithoutOrder, "", ""),
        (Ok(()), _) => Judged::new(Kind::Right, "", ""),
        (Err(Stop::Refused(reason, detail, _)), Order::None(after, left)) => {
            let order = format!("{left} dependences are left after {after} rows\n{detail}");
            Judged::new(Kind::WithoutOrder, &reason, &order)
        }
        (Err(Stop::Refused(reason, detail, _)), Order::Rows(_)) => Judged::new(Kind::Refused, &reason, &detail),
    };
    Judged { rows, ..judged }
}

/// Compiles a system and runs its program; one with a cycle is not run.
fn through(system: &System, has_cycle: bool) -> Result<(), Stop> {
    let source = Source::new("system.rec", system.to_string());
    let compiled = compile(&source, &Options::default()).map_err(|problems| refused(system, &problems))?;
    if has_cycle {
        return Ok(());
    }
    if compiled.proofs.iter().any(|proof| proof.verdict != Proof::Proved) {
        return Err(Stop::Wrong("a claim is not proved".to_owned(), String::new()));
    }
    RUNS.iter().try_for_each(|all| {
        let own = all.iter().filter(|(size, _)| system.sizes.iter().any(|own| own == size));
        run(system, &compiled, &own.map(|(size, value)| ((*size).to_owned(), *value)).collect())
    })
}

/// A refusal by the compiler; where it has no design, with what the command says stands in the way.
fn refused(system: &System, problems: &Diagnostics) -> Stop {
    let stop = Stop::refused("compile", problems);
    match stop {
        Stop::Refused(_, detail, Some(kind)) if !matches!(*kind, Refusal::Cycle { .. }) => {
            let folder = tempfile::tempdir().expect("a folder for files");
            let file = folder.path().join("system.rec");
            std::fs::write(&file, system.to_string()).expect("a file");
            let ran = systole::driver::run(&["search", &file.to_string_lossy(), "--threads", "1"]);
            let why = ran.problems.first().map_or("a design", |problem| problem);
            Stop::Refused(
                format!("search: {}", without_names(why)),
                format!("{detail}{}", ran.problems.join("\n")),
                Some(kind),
            )
        }
        stop => stop,
    }
}

type Plain = BTreeMap<Name, ArrayD<f64>>;

fn run(system: &System, compiled: &Compiled, sizes: &Scope) -> Result<(), Stop> {
    let given = inputs(system, sizes);
    let Verdict::Values(wanted) = evaluate(system, sizes, &given) else {
        return Err(Stop::Wrong("the generator: no values".to_owned(), format!("at {sizes:?}")));
    };
    let bindings: Bindings = sizes.iter().map(|(size, value)| (name(size), *value)).collect();
    let given: Plain = given.iter().map(|(tensor, array)| (name(tensor), plain(array))).collect();
    let given = given.into_iter().collect();
    let simulated = sim::simulate(&compiled.program, &bindings, &given, &sim::Settings::default())
        .map_err(|problems| Stop::refused("simulate", &problems))?;
    if simulated.deadlock.is_some() {
        return Err(Stop::Wrong("simulate: a deadlock".to_owned(), format!("at {sizes:?}")));
    }
    hold(system, sizes, &wanted, |tensor| simulated.outputs.get(tensor).cloned())?;
    let settings = exec::Settings { workers: THREADS, ..exec::Settings::default() };
    let executed = exec::execute(&compiled.program, &bindings, &given, &settings)
        .map_err(|problems| Stop::refused("execute", &problems))?;
    if executed.deadlock.is_some() {
        return Err(Stop::Wrong("execute: a deadlock".to_owned(), format!("at {sizes:?}")));
    }
    for tensor in system.with_role(Role::Output) {
        let bits = |array: Option<&ArrayD<f64>>| array.map(|array| array.iter().map(bits).collect::<Vec<_>>());
        let tensor = &*tensor.name;
        if bits(simulated.outputs.get(tensor)) != bits(executed.outputs.get(tensor)) {
            return Err(Stop::Wrong("execute: other bits than simulate".to_owned(), format!("{tensor} at {sizes:?}")));
        }
    }
    Ok(())
}

/// Which NaN a NaN is means nothing.
fn bits(value: &f64) -> u64 {
    if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() }
}

/// Holds outputs to the evaluator. Sums of small whole numbers are exact, so all orders of summation have one value; zeros may differ in
/// their sign.
fn hold(
    system: &System,
    sizes: &Scope,
    wanted: &Arrays,
    found: impl Fn(&str) -> Option<ArrayD<f64>>,
) -> Result<(), Stop> {
    for tensor in system.with_role(Role::Output) {
        let wanted = &wanted[&tensor.name];
        let wrong = |what: &str| Stop::Wrong(format!("simulate: {what}"), format!("{} at {sizes:?}", tensor.name));
        let found = found(&tensor.name).ok_or_else(|| wrong("an output is missing"))?;
        if found.shape() != extents(&tensor.shape, sizes) {
            return Err(wrong("another shape"));
        }
        let is_same = |(wanted, found): (&f64, &f64)| wanted == found || (wanted.is_nan() && found.is_nan());
        if !wanted.values.iter().zip(&found).all(is_same) {
            let values = format!("{} at {sizes:?}\n{found:?}\nmeans {:?}", tensor.name, wanted.values);
            return Err(Stop::Wrong("simulate: another number".to_owned(), values));
        }
    }
    Ok(())
}

fn plain(array: &Array) -> ArrayD<f64> {
    ArrayD::from_shape_vec(IxDyn(&array.extents), array.values.clone()).expect("as many values as its extents have")
}
