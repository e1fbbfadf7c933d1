//! `systole predict`: how long a program would run, on as many ranks as one likes.
//!
//! In: a program, the machine file of a cluster, numbers of ranks, and sizes that may grow with them. Out: a row for each number
//! of ranks, as a table, CSV and JSON, and plots of them.

use crate::driver::flags::cluster_arguments::PredictArguments;
use crate::driver::flags::way::way;
use crate::driver::runs::inputs;
use crate::driver::runs::job::program;
use crate::driver::shown::columns::{aligned, comma_separated};
use crate::driver::shown::output::Output;
use crate::driver::shown::picture::{Scatter, label};
use crate::driver::{Done, Verdict, files};
use serde_json::{Value, json};
use std::path::Path;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Bindings, Name};
use systole_program::array::Program;
use systole_run::exec;
use systole_run::exec::{Prediction, Settings};

/// A size that grows: its name, and the power of the number of ranks.
type Growth = (Name, f64);

/// What is said of one number of ranks.
struct Row {
    ranks: usize,
    sizes: Bindings,
    prediction: Prediction,
    /// Work in a second on each rank, as a share of that of the first row.
    efficiency: f64,
}

/// The columns behind the ranks and the sizes.
const COLUMNS: [&str; 7] = ["seconds", "gflops", "efficiency", "waiting", "words", "packets", "bytes"];

/// Runs the command.
pub fn run(arguments: &PredictArguments, output: &Output) -> Done {
    let program = program(&files::read_as(&arguments.program, "pe")?, output)?;
    let rows = predict_all(arguments, &program)?;
    let table: Vec<Vec<String>> =
        std::iter::once(head(&program)).chain(rows.iter().map(|row| cells(row, &program))).collect();
    output.line(aligned(&table).trim_end());
    if let Some(folder) = &arguments.out {
        write(folder, &program, &table, &rows, output)?;
    }
    let objects: Vec<Value> = rows.iter().map(row_to_json).collect();
    output.object(&json!({ "kernel": &*program.kernel, "leaves": arguments.way.leaves, "rows": objects }));
    Ok(Verdict::Good)
}

fn predict_all(arguments: &PredictArguments, program: &Program) -> Checked<Vec<Row>> {
    let cluster = files::cluster(&arguments.machine)?;
    let sizes = inputs::sizes(&arguments.size, &program.parameters, None)?;
    inputs::check_once("--grow", &arguments.grow)?;
    let growths: Vec<Growth> = arguments.grow.iter().map(|text| growth(text, &sizes)).collect::<Checked<_>>()?;
    let mut rows: Vec<Row> = vec![];
    for ranks in arguments.ranks.iter().copied() {
        let sizes = grown(&sizes, &growths, ranks);
        let settings = Settings { apart: true, ..way(&arguments.way, ranks)? };
        let prediction = exec::predict(program, &sizes, &settings, &cluster)?;
        if let Some(deadlock) = &prediction.deadlock {
            return Err(vec![deadlock.to_diagnostic()]);
        }
        let own = speed(&prediction) / ranks as f64;
        let first = rows.first().map_or(own, |row| speed(&row.prediction) / row.ranks as f64);
        rows.push(Row { ranks, sizes, prediction, efficiency: if first > 0.0 { own / first } else { 0.0 } });
    }
    Ok(rows)
}

/// `N=0.5`.
fn growth(text: &str, sizes: &Bindings) -> Checked<Growth> {
    let help = "write --grow N=0.5: four ranks then have twice the N";
    let parts = text.split_once('=').and_then(|(name, power)| Some((name, power.parse::<f64>().ok()?)));
    let Some((name, power)) = parts.filter(|(_, power)| (0.0..=4.0).contains(power)) else {
        return Diagnostic::usage(format!("`{text}` is no size with a power from 0 to 4")).help(help).alone();
    };
    match sizes.keys().find(|known| &***known == name) {
        Some(known) => Ok((known.clone(), power)),
        None => Diagnostic::usage(format!("`{name}` is not a parameter")).help(help).alone(),
    }
}

/// The sizes on so many ranks, rounded.
fn grown(sizes: &Bindings, growths: &[Growth], ranks: usize) -> Bindings {
    let mut grown = sizes.clone();
    for (name, power) in growths {
        if let Some(size) = grown.get_mut(name) {
            *size = (*size as f64 * (ranks as f64).powf(*power)).round() as i64;
        }
    }
    grown
}

/// Applications of scalar functions a second.
fn speed(prediction: &Prediction) -> f64 {
    let done = prediction.counts.operations + prediction.counts.work.applied;
    if prediction.seconds > 0.0 { done as f64 / prediction.seconds } else { 0.0 }
}

fn head(program: &Program) -> Vec<String> {
    let sizes = program.parameters.iter().map(|parameter| parameter.to_string());
    let columns = COLUMNS.into_iter().map(str::to_owned);
    std::iter::once("ranks".to_owned()).chain(sizes).chain(columns).collect()
}

fn cells(row: &Row, program: &Program) -> Vec<String> {
    let Prediction { seconds, waiting, counts, memory, .. } = &row.prediction;
    let values = [
        format!("{seconds:.6}"),
        format!("{:.3}", speed(&row.prediction) / 1e9),
        format!("{:.3}", row.efficiency),
        format!("{waiting:.3}"),
        counts.words.to_string(),
        counts.packets.to_string(),
        memory.total().to_string(),
    ];
    let sizes = program.parameters.iter().map(|name| row.sizes.get(name).map_or_else(String::new, i64::to_string));
    std::iter::once(row.ranks.to_string()).chain(sizes).chain(values).collect()
}

fn row_to_json(row: &Row) -> Value {
    let mut object = to_json(&row.prediction);
    let sizes = row.sizes.iter().map(|(name, size)| (name.to_string(), json!(size)));
    object["ranks"] = json!(row.ranks);
    object["sizes"] = sizes.collect::<serde_json::Map<_, _>>().into();
    object["efficiency"] = json!(row.efficiency);
    object
}

/// A prediction as an object.
pub fn to_json(prediction: &Prediction) -> Value {
    let Prediction { seconds, waiting, counts, ops, memory, .. } = prediction;
    json!({
        "seconds": seconds,
        "gflops": speed(prediction) / 1e9,
        "waiting": waiting,
        "arrangement": counts.arrangement,
        "pes": counts.pes,
        "operations": counts.operations,
        "calls": counts.calls,
        "applied": counts.work.applied,
        "words": counts.words,
        "returned": counts.returned,
        "elements": counts.elements,
        "packets": counts.packets,
        "ops": ops,
        "bytes": memory.total(),
    })
}

/// The files of a folder.
fn write(folder: &Path, program: &Program, table: &[Vec<String>], rows: &[Row], output: &Output) -> Checked<()> {
    let pictures = [
        ("seconds.svg", "seconds", rows.iter().map(|row| row.prediction.seconds).collect()),
        (
            "efficiency.svg",
            "speed of a rank, as a share of the first row's",
            rows.iter().map(|row| row.efficiency).collect(),
        ),
    ];
    std::fs::create_dir_all(folder)
        .map_err(|error| vec![Diagnostic::new(format!("cannot make `{}`: {error}", folder.display()))])?;
    files::write(&folder.join("ranks.csv"), &comma_separated(table.iter().cloned()))?;
    let mut names = vec!["ranks.csv"];
    for (name, what, values) in pictures {
        if let Some(picture) = picture(&format!("{}, predicted", program.kernel), what, rows, values) {
            files::write(&folder.join(name), &picture.to_svg()?)?;
            names.push(name);
        }
    }
    output.line(&format!("{}: {}", folder.display(), names.join(", ")));
    Ok(())
}

/// Values against the ranks, whose axis is logarithmic.
fn picture<'a>(title: &'a str, what: &'a str, rows: &[Row], values: Vec<f64>) -> Option<Scatter<'a>> {
    let points: Vec<(f64, f64)> = rows.iter().map(|row| (row.ranks as f64).log2()).zip(values).collect();
    let line = points.clone();
    Scatter { title, axes: ["ranks", what], points, line, label_across: |power| label(&power.exp2().round()) }
        .unless_empty()
}
