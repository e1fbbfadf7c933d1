//! One kernel through all stages, each held to the evaluator of `meaning.rs`.
//!
//! * `recurrence::evaluate` has its bits, for it sums in the same order; which NaN a NaN is means nothing. A reduction over what is replaced
//!   in its place is divided where new elements meet old ones, so kernels with such a reduction have their values within a bound on rounding.
//! * `run` (search, proof, program, simulator; `emit` and `sim` where a result is NaN), `sim` and `exec` of its program at other sizes, and `run` in tiles have its bits where
//!   every order of summation has them, and elsewhere its value within a bound on rounding (`value.rs`).
//!
//! A refusal by the library ends a kernel with its reason.

use crate::choices::Choices;
use crate::given::{RUNS, inputs, sizes};
use crate::kernel::{Kernel, Scope, Value};
use crate::meaning::{Array, Arrays, evaluate};
use crate::value::{Number, same};
use ndarray::{ArrayD, IxDyn};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use systole::driver::{Ran, run};
use systole::integer::{Bindings, name};
use systole::recurrence;
use systole::shared::npy;
use systole::span::Source;

/// What came of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    Right,
    Refused,
    NoAnswer,
    Wrong,
    Panicked,
}

/// A kernel, judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    pub kind: Kind,
    /// What refusals and failures are counted by: the message without names and numbers.
    pub reason: String,
    /// All that is known of a failure.
    pub detail: String,
    /// What came of it in tiles, if it was run so: why not, or nothing.
    pub tiled: Option<String>,
    /// How many elements were compared, and how many might be anything in another order.
    pub compared: [usize; 2],
}

impl Judged {
    /// That of a kernel of which nothing is compared.
    pub fn without_run(kind: Kind, reason: &str, detail: String) -> Judged {
        Judged { kind, reason: reason.to_owned(), detail, tiled: None, compared: [0, 0] }
    }
}

/// Why a kernel did not come through.
struct Stop {
    kind: Kind,
    reason: String,
    detail: String,
}

impl Stop {
    fn wrong(reason: &str, detail: String) -> Stop {
        Stop { kind: Kind::Wrong, reason: reason.to_owned(), detail }
    }

    fn refused(stage: &str, problems: &[String]) -> Stop {
        let problem = problems.first().map_or("no message", |problem| problem);
        Stop {
            kind: Kind::Refused,
            reason: format!("{stage}: {}", without_names(problem)),
            detail: problems.join("\n"),
        }
    }
}

/// A message with `_` for what it quotes, for elements and for lists, and `N` for its numbers.
pub fn without_names(message: &str) -> String {
    let line = message.lines().next().unwrap_or("");
    let unquoted: Vec<&str> =
        line.split('`').enumerate().map(|(at, part)| if at % 2 == 1 { "_" } else { part }).collect();
    let (mut text, mut depth) = (String::new(), 0);
    for letter in unquoted.concat().chars() {
        match letter {
            '[' => {
                text.truncate(
                    text.trim_end_matches(|letter: char| letter.is_alphanumeric() || "_.".contains(letter)).len(),
                );
                text.push('_');
                depth += 1;
            }
            ']' => depth -= 1,
            _ if depth > 0 => {}
            digit if digit.is_ascii_digit() => {
                if !text.ends_with('N') {
                    text.push('N');
                }
            }
            other => text.push(other),
        }
    }
    text
}

/// The largest of the sizes at which bounds are looked at again, for kernels of one parameter and more.
const LARGER: [i64; 3] = [24, 12, 7];

/// All sizes are equal up to this one.
const LARGEST: i64 = 16;

/// One run of a kernel: what it is given, and what it means there.
struct Given {
    sizes: Scope,
    inputs: Arrays,
    expected: Arrays,
}

struct Bench<'a> {
    kernel: &'a Kernel,
    text: String,
    folder: &'a Path,
    runs: Vec<Given>,
    compared: [usize; 2],
}

/// Judges what the library makes of the text of `printed` by what `kernel` means, which are the same but where a test plants a
/// difference; files go into the folder.
pub fn judge(kernel: &Kernel, printed: &Kernel, seed: u64, number: u64, folder: &Path) -> Judged {
    let mut bench = Bench { kernel, text: printed.to_string(), folder, runs: vec![], compared: [0, 0] };
    let (mut tiled, done) = (None, bench.stages(seed, number));
    let done = done.and_then(|()| {
        let choices = &mut Choices::new(seed ^ 0x711e, number);
        if choices.percent(30) {
            tiled = Some(bench.tiled(choices)?);
        }
        Ok(())
    });
    let Stop { kind, reason, detail } =
        done.err().unwrap_or(Stop { kind: Kind::Right, reason: String::new(), detail: String::new() });
    Judged { kind, reason, detail, tiled, compared: bench.compared }
}

impl Bench<'_> {
    fn stages(&mut self, seed: u64, number: u64) -> Result<(), Stop> {
        let system = recurrence::load(&Source::new("fuzzed.rec", &*self.text)).map_err(|problems| {
            let messages: Vec<String> = problems.iter().map(|problem| problem.message().to_owned()).collect();
            let stage = if leaves_bounds(self.kernel, seed, number) { "load, rightly" } else { "load" };
            Stop::refused(stage, &messages)
        })?;
        std::fs::write(self.file("fuzzed.rec"), &self.text).map_err(|why| Stop::wrong("no file", why.to_string()))?;
        for run in 0..RUNS {
            let sizes = sizes(self.kernel, seed, number, run);
            let inputs = inputs(self.kernel, seed, number, run, &sizes);
            let expected = evaluate(self.kernel, &sizes, &inputs)
                .map_err(|why| Stop::wrong("generator: no meaning", format!("{why} at {sizes:?}")))?;
            self.runs.push(Given { sizes, inputs, expected });
            self.write_inputs(run)?;
            self.reference(&system, run)?;
        }
        let program = self.whole("run", &[])?;
        for run in 1..RUNS {
            self.told("sim", &["sim", &program], run)?;
        }
        self.told("exec on 1 thread", &["exec", &program, "--threads", "1"], 1)?;
        self.told("exec on 2 threads", &["exec", &program, "--threads", "2"], 0)
    }

    /// Search, proof, program and simulation by `run`, which compares with the reference too. It takes no reference that is not a
    /// number, so where there is one, the same is done by `emit` and `sim`.
    fn whole(&mut self, stage: &str, flags: &[&str]) -> Result<String, Stop> {
        let (kernel, program) = (self.path("fuzzed.rec"), self.path("fuzzed.pe"));
        let common = [&kernel, "--budget", "100000", "--threads", "1"];
        let mut outputs = self.kernel.outputs().flat_map(|name| &self.runs[0].expected[&name].values);
        if outputs.all(|number| !number.value.is_nan()) {
            let words = [&["run"], &common[..], flags, &["--program", &program]].concat();
            self.told(stage, &words, 0)?;
        } else {
            let size = self.sizes(0);
            let words = [&["emit"], &common[..], flags, &["--size", &size, "-o", &program]].concat();
            let told = run(&words);
            if told.code != 0 {
                return Err(Stop::refused(stage, &told.problems));
            }
            self.told(&format!("{stage}, and sim"), &["sim", &program], 0)?;
        }
        Ok(program)
    }

    /// The same in tiles of two or three; that it cannot be tiled so is told.
    fn tiled(&mut self, choices: &mut Choices) -> Result<String, Stop> {
        let mut indices: Vec<String> = vec![];
        for equation in &self.kernel.equations {
            let scattered = if let Value::Scattered(_, ranges, _) = &equation.value { &ranges[..] } else { &[] };
            indices.extend(equation.ranges.iter().chain(scattered).map(|range| range.index.clone()));
        }
        indices.sort();
        indices.dedup();
        let side = 2 + choices.choose(2);
        let tiles: Vec<String> = indices.iter().map(|index| format!("{index}={side}")).collect();
        if tiles.is_empty() {
            return Ok("tiles: there is no index to cut".to_owned());
        }
        match self.whole("run in tiles", &["--tile", &tiles.join(",")]) {
            Err(Stop { kind: Kind::Refused, reason, .. }) => Ok(reason),
            Err(stop) => Err(stop),
            Ok(program) => {
                self.told("exec in tiles", &["exec", &program, "--threads", "2"], 1)?;
                Ok(String::new())
            }
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn path(&self, name: &str) -> String {
        self.file(name).to_string_lossy().into_owned()
    }

    /// The sizes of a run as a flag has them.
    fn sizes(&self, run: usize) -> String {
        let sizes = self.runs[run].sizes.iter();
        sizes.map(|(parameter, size)| format!("{parameter}={size}")).collect::<Vec<_>>().join(",")
    }

    fn write_inputs(&self, run: usize) -> Result<(), Stop> {
        for (tensor, array) in &self.runs[run].inputs {
            npy::write(&self.file(&format!("{tensor}{run}.npy")), &plain(array))
                .map_err(|problems| Stop::wrong("no file", format!("{problems:?}")))?;
        }
        Ok(())
    }

    /// Holds the library's reference to the evaluator, bit for bit.
    fn reference(&mut self, system: &recurrence::RecurrenceSystem, run: usize) -> Result<(), Stop> {
        let given = &self.runs[run];
        let sizes: Bindings = given.sizes.iter().map(|(parameter, size)| (name(parameter), *size)).collect();
        let inputs = given.inputs.iter().map(|(tensor, array)| (name(tensor), plain(array))).collect();
        let found = recurrence::evaluate(system, &sizes, &inputs).map_err(|problems| {
            let messages: Vec<String> = problems.iter().map(|problem| problem.message().to_owned()).collect();
            Stop::refused("evaluate", &messages)
        })?;
        let is_divided = self.kernel.reduces_in_place();
        let is_right = |wanted: &Number, found: f64| match is_divided {
            true => wanted.allows(found),
            false => same(wanted.value, found),
        };
        for tensor in self.kernel.outputs() {
            let Some(array) = found.get(&*tensor) else {
                return Err(Stop::wrong("evaluate: an output is missing", tensor));
            };
            self.hold("evaluate", &tensor, array, run, is_right)?;
        }
        Ok(())
    }

    /// Runs a command on the arrays of a run and holds what it writes to the evaluator.
    fn told(&mut self, stage: &str, words: &[&str], run_number: usize) -> Result<(), Stop> {
        let mut all: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let given = &self.runs[run_number];
        all.extend(["--json".to_owned(), "--size".to_owned(), self.sizes(run_number)]);
        for tensor in given.inputs.keys() {
            all.extend(["--input".to_owned(), format!("{tensor}={}", self.path(&format!("{tensor}{run_number}.npy")))]);
        }
        let outputs: Vec<(String, PathBuf)> =
            self.kernel.outputs().map(|tensor| (tensor.clone(), self.file(&format!("{tensor}.npy")))).collect();
        for (tensor, file) in &outputs {
            let _ = std::fs::remove_file(file);
            all.extend(["--output".to_owned(), format!("{tensor}={}", file.display())]);
        }
        let told = run(&all.iter().map(String::as_str).collect::<Vec<_>>());
        if !told.problems.is_empty() {
            return Err(Stop::refused(stage, &told.problems));
        }
        for (tensor, file) in &outputs {
            let array = npy::read(file, None).map_err(|_| Stop::wrong(&format!("{stage}: no output"), ended(&told)))?;
            self.hold(stage, tensor, &array, run_number, Number::allows)?;
        }
        match told.code {
            0 => Ok(()),
            _ => Err(Stop::wrong(&format!("{stage}: ended with code N, and all values are right"), ended(&told))),
        }
    }

    fn hold(
        &mut self,
        stage: &str,
        tensor: &str,
        found: &ArrayD<f64>,
        run: usize,
        allows: impl Fn(&Number, f64) -> bool,
    ) -> Result<(), Stop> {
        let Given { sizes, inputs, expected } = &self.runs[run];
        let wanted = &expected[tensor];
        if found.shape() != wanted.extents.as_slice() {
            return Err(Stop::wrong(&format!("{stage}: another shape"), format!("{tensor} at {sizes:?}")));
        }
        for (place, (wanted, found)) in wanted.values.iter().zip(found).enumerate() {
            self.compared[usize::from(wanted.off == f64::INFINITY)] += 1;
            if !allows(wanted, *found) {
                let values = format!("{tensor}, element {place}: {found:?}, and means {:?}", wanted.value);
                let off = if wanted.off > 0.0 { format!(" within {:e}", wanted.off) } else { String::new() };
                let inputs: String =
                    inputs.iter().map(|(name, array)| format!("\n  {name} = {}", shown(array))).collect();
                let reason = format!("{stage}: {}", class(wanted.value, *found));
                return Err(Stop::wrong(&reason, format!("{values}{off}\n  at {sizes:?}{inputs}")));
            }
        }
        Ok(())
    }
}

/// Whether some access of the kernel is outside its array at sizes that are a little larger than those of the runs, which the generator
/// looks at: then the kernel is none.
fn leaves_bounds(kernel: &Kernel, seed: u64, number: u64) -> bool {
    let parameters: Vec<String> = sizes(kernel, seed, number, 0).into_iter().map(|(parameter, _)| parameter).collect();
    let largest = LARGER[parameters.len().clamp(1, LARGER.len()) - 1];
    let each = (0..largest.pow(parameters.len() as u32)).map(|code| {
        let size = |place: usize| 1 + code / largest.pow(place as u32) % largest;
        parameters.iter().enumerate().map(|(place, parameter)| (parameter.clone(), size(place))).collect::<Scope>()
    });
    let equal = |size: i64| parameters.iter().map(|parameter| (parameter.clone(), size)).collect::<Scope>();
    let mut all = each.chain((largest + 1..=LARGEST).map(equal));
    let is_outside = |sizes: &Scope| {
        let inputs = inputs(kernel, seed, number, 0, sizes);
        evaluate(kernel, sizes, &inputs).is_err_and(|why| why.starts_with("outside of"))
    };
    all.any(|sizes| is_outside(&sizes))
}

/// How two values differ, for counting.
fn class(wanted: f64, found: f64) -> &'static str {
    match (wanted, found) {
        (wanted, found) if wanted == found => "a zero of the other sign",
        (wanted, _) if wanted.is_nan() => "a number in place of NaN",
        (_, found) if found.is_nan() => "NaN in place of a number",
        (wanted, found) if wanted.is_finite() != found.is_finite() => "infinite or not",
        _ => "another number",
    }
}

fn ended(told: &Ran) -> String {
    format!("code {}, {}", told.code, told.printed)
}

fn shown(array: &Array) -> String {
    let values: Vec<String> = array.values.iter().map(|number| format!("{:?}", number.value)).collect();
    format!("{:?} [{}]", array.extents, values.join(", "))
}

fn plain(array: &Array) -> ArrayD<f64> {
    let values = array.values.iter().map(|number| number.value).collect();
    ArrayD::from_shape_vec(IxDyn(&array.extents), values).expect("as many values as the shape has")
}
