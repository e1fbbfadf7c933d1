//! What `systole tune` shows: a row for each way, and what to type next.

use super::draft::Drafted;
use super::{LeftOut, Tuning, Weighed};
use crate::driver::commands::predict;
use crate::driver::flags::cluster_arguments::TuneArguments;
use crate::driver::flags::typed::Typed;
use crate::driver::shown::columns::aligned;
use crate::driver::shown::output::Output;
use serde_json::{Value, json};
use systole_base::diagnostic::counted;
use systole_run::exec::{Settings, show_bytes};

const COLUMNS: [&str; 11] = [
    "seconds",
    "waiting",
    "words",
    "memory",
    "grid",
    "distribution",
    "order",
    "slots",
    "broadcast",
    "design",
    "schedule",
];

/// Prints the best so many of them, and all that were left out. Of ways to run one program that take equally long there is the first.
pub fn print(tuning: &Tuning, most: usize, output: &Output) {
    let head = COLUMNS.map(str::to_owned).to_vec();
    let mut shown = vec![];
    for weighed in &tuning.weighed {
        let key = (weighed.draft, weighed.design, weighed.prediction.seconds.to_bits());
        if !shown.iter().any(|(known, _)| *known == key) {
            shown.push((key, weighed));
        }
    }
    let rows = shown.iter().take(most).map(|(_, weighed)| cells(tuning, weighed));
    output.line(aligned(&std::iter::once(head).chain(rows).collect::<Vec<_>>()).trim_end());
    if shown.len() > most {
        output.line(&format!("  and {} more: --most {}, or --json", shown.len() - most, shown.len()));
    }
    let mut told: Vec<usize> = vec![];
    for (draft, why) in &tuning.left_out {
        if !told.contains(draft) {
            output.line(&format!("  {}: {}", tuning.drafts[*draft].name, reason(why)));
        }
        told.push(*draft);
    }
}

fn reason(why: &LeftOut) -> String {
    match why {
        LeftOut::Slower(seconds) => format!("passed over, its leaves alone take {seconds:.6} s"),
        LeftOut::Nothing(why) => format!("left out, {}", why.text),
    }
}

fn cells(tuning: &Tuning, Weighed { draft, design, way, prediction }: &Weighed) -> Vec<String> {
    vec![
        format!("{:.6}", prediction.seconds),
        format!("{:.3}", prediction.waiting),
        prediction.counts.words.to_string(),
        show_bytes(prediction.memory.total()),
        grid(way),
        way.distribution.unwrap_or_default().to_string(),
        order(way),
        way.capacity.map_or_else(|| "stated".to_owned(), |slots| slots.to_string()),
        way.broadcast.keyword().to_owned(),
        design.to_string(),
        tuning.drafts[*draft].name.clone(),
    ]
}

/// `1x2`; a single PE has no axes.
fn grid(way: &Settings) -> String {
    let sides = way.arrangement.iter().flatten().map(usize::to_string).collect::<Vec<_>>();
    if sides.is_empty() { "1".to_owned() } else { sides.join("x") }
}

/// `turns:4`; numbers have none.
fn order(way: &Settings) -> String {
    way.order.map_or_else(|| "-".to_owned(), |order| order.to_string())
}

/// `1x2, block, order turns, stated slots, broadcast by tree`.
pub fn way(way: &Settings) -> String {
    let slots = way.capacity.map_or_else(|| "stated slots".to_owned(), |slots| counted(slots, "slot"));
    let shape = way.broadcast.keyword();
    let order = way.order.map_or_else(String::new, |order| format!("order {order}, "));
    format!("{}, {}, {order}{slots}, broadcast by {shape}", grid(way), way.distribution.unwrap_or_default())
}

/// The command that runs the program, or the one that writes it.
pub fn next(arguments: &TuneArguments, proved: &Drafted, way: &Settings) -> String {
    let Some(path) = &arguments.output else {
        let tune = Typed::command("tune").tuned(arguments).word("-o").file(format!("{}.pe", proved.program.kernel));
        return format!("next: {}", tune.line());
    };
    let run = || Typed::command("exec").file(path.display()).list("--size", &arguments.sought.space.size);
    // How PEs and arrays are distributed stands in the program.
    let how = |run: Typed| {
        let run = run.flag("--grid", way.arrangement.as_ref().map(|_| grid(way))).flag("--capacity", way.capacity);
        run.flag("--broadcast", Some(way.broadcast.keyword())).flag("--leaves", Some(&arguments.leaves)).line()
    };
    let (threads, ranks) = (run().flag("--threads", Some(way.workers)), run().flag("--backend", Some("mpi")));
    format!("next: {}\n  or: mpirun -n {} {}", how(threads), way.workers, how(ranks))
}

/// The same for programs; with the program's text where it goes to no file.
pub fn to_json(tuning: &Tuning, proved: &Drafted, with_text: bool) -> Value {
    let way = |Weighed { draft, design, way, prediction }: &Weighed| {
        let mut object = predict::to_json(prediction);
        object["schedule"] = json!(tuning.drafts[*draft].name);
        object["design"] = json!(design);
        object["distribution"] = json!(way.distribution.unwrap_or_default().to_string());
        object["order"] = json!(way.order.map(|order| order.to_string()));
        object["capacity"] = json!(way.capacity);
        object["broadcast"] = json!(way.broadcast.keyword());
        object
    };
    let left_out =
        |(draft, why): &(usize, LeftOut)| json!({ "schedule": tuning.drafts[*draft].name, "why": reason(why) });
    json!({
        "kernel": &*proved.program.kernel,
        "ways": tuning.weighed.iter().map(way).collect::<Vec<_>>(),
        "left_out": tuning.left_out.iter().map(left_out).collect::<Vec<_>>(),
        "proofs": proved.proofs,
        "program": with_text.then_some(&proved.text),
    })
}
