//! Rows of the tables of kernels in the book: kernels with their sizes, inputs and right results, and what `run` says of each.

use super::start::{Ran, object, systole};
use ndarray::{ArrayD, Axis};
use ndarray_npy::{read_npy, write_npy};
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

/// Which runs of a kernel there are.
#[derive(Clone, Copy, PartialEq)]
pub enum Runs {
    All,
    /// Each takes seconds: with the feature `long-tests` only.
    Long,
}

/// How far a sum in another order may lead from the right results.
const ROUNDING: f64 = 1e-9;

/// A kernel at one size, with the inputs and the results of an oracle if it has one.
#[derive(Default)]
pub struct Case {
    pub size: String,
    /// The length of the critical path, where the oracle has it.
    pub path: Option<u64>,
    pub inputs: Vec<(String, ArrayD<f64>)>,
    pub outputs: Vec<Right>,
}

/// The right values of an output.
pub struct Right {
    pub name: String,
    pub values: ArrayD<f64>,
    /// These are the values of the last step only, and the first axis of the output counts steps.
    of_last: bool,
}

/// What the command found.
pub enum Found {
    Design { cycles: u64, pes: u64, proved: String },
    Refused(String),
}

/// A file of the repository.
pub fn text(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("SYSTOLE_ROOT")).join(path))
        .unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The names of the kernels of a folder, in order.
pub fn names(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(Path::new(env!("SYSTOLE_ROOT")).join(folder)).expect("a folder");
    let files = entries.filter_map(|entry| entry.expect("an entry").file_name().into_string().ok());
    let mut found: Vec<String> = files.filter_map(|file| Some(file.strip_suffix(".rec")?.to_owned())).collect();
    found.sort();
    found
}

/// The comment of a kernel up to its first colon or full stop.
pub fn title(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("# "));
    let paragraph = lines.collect::<Vec<_>>().join(" ");
    let end = [": ", ". "].iter().filter_map(|end| paragraph.find(end)).min().unwrap_or(paragraph.len());
    paragraph[..end].trim_end_matches('.').to_owned()
}

/// The cases of a file of an oracle: blocks of `size ..`, `path ..`, `input X 2 3`, `output Y 2 3` or `last Y 3`, each array with a line
/// of numbers. `last` is an output of which the values behind the last step are known.
pub fn cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = vec![];
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let words: Vec<&str> = line.split(' ').collect();
        if words[0] == "size" {
            cases.push(Case { size: words[1].to_owned(), ..Case::default() });
            continue;
        }
        let case = cases.last_mut().expect("a size stands first");
        if words[0] == "path" {
            case.path = Some(words[1].parse().expect("a number"));
            continue;
        }
        let shape: Vec<usize> = words[2..].iter().map(|word| word.parse().expect("an extent")).collect();
        let numbers = lines.next().expect("a line of numbers").split(' ');
        let numbers = numbers.map(|word| word.parse().expect("a number")).collect();
        let (name, values) = (words[1].to_owned(), ArrayD::from_shape_vec(shape, numbers));
        let values = values.expect("as many as the shape says");
        match words[0] {
            "input" => case.inputs.push((name, values)),
            word => case.outputs.push(Right { name, values, of_last: word == "last" }),
        }
    }
    cases
}

impl Right {
    /// Whether an array has these values, within rounding.
    pub fn is(&self, found: &ArrayD<f64>) -> bool {
        if self.of_last {
            let steps = found.shape().first().copied().unwrap_or(0);
            let last = (steps > 0).then(|| found.index_axis(Axis(0), steps - 1).to_owned());
            return last.is_some_and(|last| is_near(&last, &self.values));
        }
        is_near(found, &self.values)
    }
}

fn is_near(found: &ArrayD<f64>, right: &ArrayD<f64>) -> bool {
    let are_near = |(found, right): (&f64, &f64)| (found - right).abs() <= ROUNDING;
    found.shape() == right.shape() && found.iter().zip(right).all(are_near)
}

/// What `run` says of the kernel of a file, with these flags behind its sizes. Where it finds a design, that is proved, takes the cycles and PEs
/// that the search counts, and has the right results.
pub fn run(path: &str, case: &Case, flags: &str) -> Found {
    let (folder, what) = (TempDir::new().expect("a folder"), format!("{path} at {} {flags}", case.size));
    let file = |name: &str, kind: &str| folder.path().join(format!("{name}.{kind}.npy")).display().to_string();
    let mut arguments = ["run", path, "--size", &case.size, "--json"].map(str::to_owned).to_vec();
    arguments.extend(flags.split_whitespace().map(str::to_owned));
    for (name, array) in &case.inputs {
        write_npy(file(name, "in"), array).expect("written");
        arguments.extend(["--input".to_owned(), format!("{name}={}", file(name, "in"))]);
    }
    for Right { name, .. } in &case.outputs {
        arguments.extend(["--output".to_owned(), format!("{name}={}", file(name, "out"))]);
    }
    let Ran { code, stdout, stderr } = systole(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(!stderr.contains("panicked"), "{what}: {stderr}");
    if code != 0 {
        assert_eq!(code, 1, "{what}: {stderr}");
        let first = stderr.lines().find_map(|line| line.trim_start().strip_prefix("× ")).expect("a message");
        return Found::Refused(first.to_owned());
    }
    let said = object(&stdout);
    assert_eq!(said["prove"]["result"], "proved", "{what}");
    assert_eq!(said["sim"]["matches_reference"], true, "{what}");
    let best = &said["search"]["front"][0];
    let is_counted = |(name, size): (&String, &Value)| case.size.split(',').any(|one| one == format!("{name}={size}"));
    let counted = said["search"]["counted_at"].as_object();
    let (cycles, pes) = (&said["sim"]["cycles"], &said["sim"]["pes"]);
    // Designs of large kernels are counted at smaller sizes.
    if counted.is_none_or(|counted| counted.iter().all(is_counted)) {
        assert_eq!([cycles, pes], [&best["cycles"], &best["pes"]], "{what}");
    }
    for right in &case.outputs {
        let (name, values) = (&right.name, &right.values);
        let found = read_npy(file(name, "out")).expect("an array");
        assert!(right.is(&found), "{what}: `{name}` is {found}, and {values} by the oracle");
    }
    let number = |of: &Value| of.as_u64().expect("a number");
    Found::Design { cycles: number(cycles), pes: number(pes), proved: proved(&said) }
}

/// How many claims are proved, and of which arrays it is not stated for all sizes that each element is stored once.
fn proved(said: &Value) -> String {
    let claims = said["prove"]["obligations"].as_array().expect("a list").len();
    let unstated = said["unstated"].as_array().map_or(&[][..], Vec::as_slice);
    let names: Vec<String> = unstated.iter().map(|name| format!("`{}`", name.as_str().expect("a name"))).collect();
    if names.is_empty() { claims.to_string() } else { format!("{claims} (stores of {}: each run)", names.join(", ")) }
}

/// The row of a kernel as it is to be, where `old` is the table that stands on the page. One of long runs stays as it is where those are left
/// out.
pub fn row_or_old((name, runs): (&str, Runs), old: &str, row: impl Fn() -> String) -> String {
    if runs == Runs::All || cfg!(feature = "long-tests") {
        return row();
    }
    let line = old.lines().find(|line| line.starts_with(&format!("| `{name}` |")));
    line.map_or_else(|| format!("| `{name}` | not run yet |\n"), |line| format!("{line}\n"))
}

/// A page of the book is this text, or becomes it under `BLESS=1`.
pub fn hold_page(page: &str, filled: &str) {
    let old = text(page);
    if std::env::var_os("BLESS").is_some() {
        return std::fs::write(Path::new(env!("SYSTOLE_ROOT")).join(page), filled).expect("written");
    }
    let rows = filled.lines().zip(old.lines()).filter(|(new, old)| new != old);
    let rows: Vec<String> = rows.map(|(new, old)| format!("{new}\n  where the page has\n{old}")).collect();
    assert!(old == filled, "accept with BLESS=1:\n{}", rows.join("\n"));
}

/// The twin of what the tables accept: another number, another shape, another last step and no number at all are found.
#[test]
fn what_is_not_the_oracles_is_found() {
    let case = &cases("size N=2\noutput y 2\n1.5 -2.0\nlast z 2\n1.5 -2.0\n")[0];
    let array = |numbers: &[f64], shape: &[usize]| ArrayD::from_shape_vec(shape, numbers.to_vec()).expect("its shape");
    let (one, steps) = ([2].as_slice(), [2, 2].as_slice());
    assert!(case.outputs[0].is(&array(&[1.5, -2.0 + 1e-12], one)));
    assert!(!case.outputs[0].is(&array(&[1.5, -2.0 + 1e-6], one)));
    assert!(!case.outputs[0].is(&array(&[1.5, f64::NAN], one)));
    assert!(!case.outputs[0].is(&array(&[1.5, -2.0], &[1, 2])));
    assert!(case.outputs[1].is(&array(&[0.0, 0.0, 1.5, -2.0], steps)));
    assert!(!case.outputs[1].is(&array(&[1.5, -2.0, 1.5, 0.0], steps)));
    assert!(!case.outputs[1].is(&array(&[1.5, -2.0], one)));
}
