//! The sweeps of an exploration and the points that they span.
//!
//! In: texts such as `link.latency=1..8` and `size.N=8..64:8`. Out: keys with their values, and every combination as a
//! [`Point`], the last key fastest. Everything wrong with keys and values is said before the first point is looked at.

use crate::driver::runs::inputs;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, as_usage, nearest};
use systole_base::integer::Parameters;
use systole_base::machine::Machine;
use systole_base::span::Source;

/// The most values of one key, and the most points.
const MOST: usize = 100_000;

/// One key with its values, in the order given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweep {
    /// `link.latency`, `size.N`.
    pub key: String,
    /// As they are written; of a range, as numbers.
    pub values: Vec<String>,
}

/// One combination: a value for each key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// In the order of the keys.
    pub values: Vec<String>,
}

/// Reads all sweeps of a kernel with these parameters.
///
/// # Errors
/// Unknown keys with the nearest known one, values that the key does not take, empty ranges, repetitions, too many points.
pub fn read(texts: &[String], parameters: &Parameters) -> Checked<Vec<Sweep>> {
    let sizes = parameters.iter().map(|parameter| format!("size.{parameter}"));
    let known: Vec<String> = Machine::keys().into_iter().chain(sizes).collect();
    let (mut sweeps, mut problems): (Vec<Sweep>, Diagnostics) = (vec![], vec![]);
    for text in texts {
        match read_one(text, &known, parameters) {
            Ok(sweep) if sweeps.iter().any(|other| other.key == sweep.key) => {
                problems.push(Diagnostic::usage(format!("`{}` is swept twice", sweep.key)));
            }
            Ok(sweep) => sweeps.push(sweep),
            Err(found) => problems.extend(found),
        }
    }
    let points = sweeps.iter().try_fold(1usize, |points, sweep| points.checked_mul(sweep.values.len()));
    if points.is_none_or(|points| points > MOST) {
        problems.push(Diagnostic::usage(format!("the sweeps span more than {MOST} points")));
    }
    if problems.is_empty() { Ok(sweeps) } else { Err(problems) }
}

fn read_one(text: &str, known: &[String], parameters: &Parameters) -> Checked<Sweep> {
    let Some((key, list)) = text.split_once('=') else {
        let example = "write --sweep link.latency=1..8 or --sweep size.N=4,8,16";
        return Diagnostic::usage(format!("`{text}` is not a sweep")).help(example).alone();
    };
    if !known.iter().any(|name| name == key) {
        let near = nearest(key, known.iter().map(String::as_str)).map(|near| format!("did you mean `{near}`?"));
        let list = format!("known keys: {}", known.join(", "));
        return Diagnostic::usage(format!("`{key}` is not a key that can be swept"))
            .note(list)
            .help(near.unwrap_or_else(|| "see machines/ideal.toml for the keys of a machine".to_owned()))
            .alone();
    }
    let values = list.split(',').map(|part| expand(key, part.trim())).collect::<Checked<Vec<_>>>()?.concat();
    check(key, &values, parameters)?;
    Ok(Sweep { key: key.to_owned(), values })
}

/// `4` as it is, `1..8` as 1 to 8, `1..64:8` as 1, 9 and so on up to 64.
fn expand(key: &str, part: &str) -> Checked<Vec<String>> {
    let Some((first, rest)) = part.split_once("..") else { return Ok(vec![part.to_owned()]) };
    let (last, step) = rest.split_once(':').unwrap_or((rest, "1"));
    let numbers = (first.parse::<i64>(), last.parse::<i64>(), step.parse::<usize>());
    match numbers {
        (Ok(first), Ok(last), Ok(step)) if first <= last && step >= 1 => match last.abs_diff(first) / step as u64 {
            count if count < MOST as u64 => Ok((first..=last).step_by(step).map(|value| value.to_string()).collect()),
            _ => Diagnostic::usage(format!("`{key}={part}` has more than {MOST} values")).alone(),
        },
        (Ok(first), Ok(last), Ok(1..)) => {
            Diagnostic::usage(format!("the range `{part}` of `{key}` is empty: {first} is more than {last}")).alone()
        }
        _ => Diagnostic::usage(format!("`{part}` is not a range of whole numbers"))
            .help(format!("write --sweep {key}=1..8 or --sweep {key}=1..64:8, with a step of at least 1"))
            .alone(),
    }
}

/// Each value once, and each one that the key takes.
fn check(key: &str, values: &[String], parameters: &Parameters) -> Checked<()> {
    let mut problems = vec![];
    for (number, value) in values.iter().enumerate() {
        if values[..number].contains(value) {
            problems.push(Diagnostic::usage(format!("`{key}` has the value `{value}` twice")));
        }
        let taken = match key.strip_prefix("size.") {
            Some(size) => inputs::sizes(&[format!("{size}={value}")], parameters, Some(1)).map(|_| ()),
            None => as_usage(change(Machine::default(), key, value).map(|_| ())),
        };
        problems.extend(taken.err().unwrap_or_default());
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// A machine with one key changed.
fn change(machine: Machine, key: &str, value: &str) -> Checked<Machine> {
    let (section, name) = key.split_once('.').unwrap_or((key, key));
    let written = written(name, value);
    machine.with(&Source::new(format!("--sweep {key}={value}"), format!("[{section}]\n{name} = {written}\n")))
}

/// A value as a machine file writes it: sides as `4x4`, kinds as `row+column` or `none`.
fn written(name: &str, value: &str) -> String {
    if name == "kinds" {
        return format!("{:?}", value.split('+').filter(|kind| *kind != "none").collect::<Vec<_>>());
    }
    let sides: Option<Vec<u64>> = value.split('x').map(|side| side.parse().ok()).collect();
    match sides.filter(|sides| name == "extent" || sides.len() > 1) {
        Some(sides) => format!("{sides:?}"),
        None if value.parse::<f64>().is_ok() => value.to_owned(),
        None => format!("{value:?}"),
    }
}

/// All combinations, the last key fastest.
pub fn points(sweeps: &[Sweep]) -> Vec<Point> {
    let with = |point: &Vec<String>, value: &String| [point.as_slice(), std::slice::from_ref(value)].concat();
    let combine = |points: Vec<Vec<String>>, sweep: &Sweep| {
        points.iter().flat_map(|point| sweep.values.iter().map(move |value| with(point, value))).collect()
    };
    let points = sweeps.iter().fold(vec![vec![]], combine);
    points.into_iter().map(|values| Point { values }).collect()
}

impl Point {
    /// The machine at this point.
    pub fn machine(&self, sweeps: &[Sweep], machine: Machine) -> Checked<Machine> {
        let mut keys = sweeps.iter().zip(&self.values).filter(|(sweep, _)| !sweep.key.starts_with("size."));
        keys.try_fold(machine, |machine, (sweep, value)| change(machine, &sweep.key, value))
    }

    /// The sizes at this point, as the flag gives them: the swept ones, and the others as in `given`.
    pub fn sizes(&self, sweeps: &[Sweep], given: &[String]) -> Vec<String> {
        let swept = sweeps.iter().zip(&self.values);
        let swept = swept.filter_map(|(sweep, value)| Some(format!("{}={value}", sweep.key.strip_prefix("size.")?)));
        swept.chain(given.iter().cloned()).collect()
    }
}
