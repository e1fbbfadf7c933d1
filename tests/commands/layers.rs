//! Attention and layers of networks (`kernels/layers`) beside what NumPy computes (`tests/layers/by_numpy.py`): as they are written, by their
//! forms, and layers of convolutions by the dataflows that have a name. The tables of the book have cycles and PEs.

use super::kernel_rows::Runs::{self, All, Long};
use super::kernel_rows::{Case, Found, cases, hold_page, names, row_or_old, run, text, title};
use super::start::{good, object, refused};
use ndarray_npy::{read_npy, write_npy};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use systole::algebra::{Wanted, derive};
use systole::integer::{Bindings, name};
use systole::recurrence::{Tensors, evaluate, load};
use systole::rewrite::{Limits, Phase, load_phase};
use systole::span::Source;
use tempfile::TempDir;

/// Those of the first table, with their flags: of seven indices the search has too many places to choose from.
const KERNELS: [(&str, Runs, &str); 6] = [
    ("causal_attention", Long, ""),
    ("cached_attention", Long, ""),
    ("grouped_attention", Long, "--schedule heads"),
    ("layer_norm", All, ""),
    ("mlp", All, ""),
    ("folded_product", All, "--schedule output-stationary"),
];

/// Those with a schedule for each of [`DATAFLOWS`], without and with a border of zeros.
const CONVOLUTIONS: [&str; 2] = ["convolution", "padded_convolution"];

const DATAFLOWS: [&str; 3] = ["weight-stationary", "output-stationary", "row-stationary"];

const PAGE: &str = "book/src/layers.md";

const RULE: &str = "|---|---|---|---|---|---|\n";

const SHAPES_RULE: &str = "|---|---|---|---|---|---|---|\n";

fn kernel_path(kernel: &str) -> String {
    format!("kernels/layers/{kernel}.rec")
}

fn right(kernel: &str) -> Vec<Case> {
    cases(&text(&format!("tests/layers/{kernel}.txt")))
}

fn row(kernel: &str, flags: &str) -> String {
    let (path, cases) = (kernel_path(kernel), right(kernel));
    let cells: Vec<[String; 3]> = cases
        .iter()
        .map(|case| match run(&path, case, flags) {
            Found::Design { cycles, pes, proved } => [cycles.to_string(), pes.to_string(), proved],
            Found::Refused(why) => panic!("{kernel}: {why}"),
        })
        .collect();
    let [cycles, pes, mut proved] = [0, 1, 2].map(|at| cells.iter().map(|cells| &*cells[at]).collect::<Vec<&str>>());
    proved.dedup();
    let sizes: Vec<String> = cases.iter().map(|case| format!("`{}`", case.size)).collect();
    let cells =
        [title(&text(&path)), sizes.join(" and "), cycles.join(" and "), pes.join(" and "), proved.join(" and ")];
    format!("| `{kernel}` | {} |\n", cells.join(" | "))
}

/// A shape of a convolution: the constants of the kernel, the sizes, the arrays.
struct Shape {
    stride: i64,
    border: i64,
    dilation: i64,
    sizes: String,
    case: Case,
}

fn shapes() -> Vec<Shape> {
    let shape = |case: Case| {
        let (constants, sizes): (Vec<&str>, Vec<&str>) =
            case.size.split(',').partition(|one| ["S", "P", "E"].contains(&&one[..1]));
        let value = |at: usize| constants[at][2..].parse().expect("a number");
        Shape { stride: value(0), border: value(1), dilation: value(2), sizes: sizes.join(","), case }
    };
    right("convolution").into_iter().map(shape).collect()
}

impl Shape {
    fn kernel(&self) -> &'static str {
        CONVOLUTIONS[usize::from(self.border > 0)]
    }

    /// The text of the kernel with these constants.
    fn text(&self) -> String {
        let whole = text(&kernel_path(self.kernel()));
        let changed = whole.replace("const S = 2", &format!("const S = {}", self.stride));
        changed.replace("const E = 1", &format!("const E = {}", self.dilation))
    }

    /// The dataflow that this shape is run by where there is time for one.
    fn dataflow(&self) -> &'static str {
        DATAFLOWS[match (self.stride, self.dilation) {
            (1, 1) | (2, 2) => 0,
            (2, 1) => 1,
            _ => 2,
        }]
    }

    /// What a program says of itself at this shape, after the results are NumPy's.
    fn simulated(&self, program: &str, folder: &Path) -> Value {
        let file = |name: &str| folder.join(format!("{name}.npy")).display().to_string();
        let mut arguments = ["sim", program, "--size", &self.sizes, "--json", "--output"].map(str::to_owned).to_vec();
        arguments.push(format!("Y={}", file("Y")));
        for (name, array) in &self.case.inputs {
            write_npy(file(name), array).expect("written");
            arguments.extend(["--input".to_owned(), format!("{name}={}", file(name))]);
        }
        let said = object(&good(&arguments.iter().map(String::as_str).collect::<Vec<_>>()));
        let found = read_npy(file("Y")).expect("an array");
        assert!(self.case.outputs[0].is(&found), "{} by {program}: {found}", self.case.size);
        said
    }
}

/// Emits each program once: it is for all sizes. What the sim says at each shape, under the name of the dataflow.
fn dataflows_of(shapes: &[Shape], all: bool) -> Vec<(usize, &'static str, Value)> {
    let folder = TempDir::new().expect("a folder");
    let mut programs: BTreeMap<(i64, i64, i64, &str), String> = BTreeMap::new();
    let mut found = vec![];
    for (number, shape) in shapes.iter().enumerate() {
        for dataflow in DATAFLOWS.into_iter().filter(|dataflow| all || *dataflow == shape.dataflow()) {
            let key = (shape.stride, shape.border, shape.dilation, dataflow);
            let place = folder.path().join(format!("{}.pe", programs.len()));
            let program = programs.entry(key).or_insert_with(|| emitted(&shape.text(), dataflow, &place)).clone();
            found.push((number, dataflow, shape.simulated(&program, folder.path())));
        }
    }
    found
}

/// The file of the program of a schedule, which is proved.
fn emitted(text: &str, schedule: &str, program: &Path) -> String {
    let (kernel, program) = (program.with_extension("rec"), program.display().to_string());
    std::fs::write(&kernel, text).expect("written");
    let ran = super::start::systole(&["emit", &kernel.display().to_string(), "--schedule", schedule, "-o", &program]);
    assert_eq!(ran.code, 0, "{schedule}: {}", ran.stderr);
    program
}

fn shape_row(shape: &Shape, dataflow: &str, said: &Value) -> String {
    let Shape { stride, border, dilation, sizes, .. } = shape;
    let (cycles, pes) = (&said["cycles"], &said["pes"]);
    format!("| {stride} | {border} | {dilation} | `{sizes}` | {dataflow} | {cycles} | {pes} |\n")
}

/// Each kernel as it is run without a schedule, and each shape of a convolution by one dataflow.
#[test]
fn the_tables_of_layers_are_what_is_run() {
    let mut listed: Vec<&str> = KERNELS.iter().map(|(kernel, ..)| *kernel).chain(CONVOLUTIONS).collect();
    listed.sort_unstable();
    assert_eq!(names("kernels/layers"), listed);
    let page = text(PAGE);
    let (head, rest) = page.split_once(RULE).expect("a table of kernels");
    let (middle, shapes_and_more) = rest.split_once(SHAPES_RULE).expect("a table of shapes");
    let between = &middle[middle.find("\n\n").expect("an end of the table") + 1..];
    let more = shapes_and_more.find("\n\n").map_or("", |end| &shapes_and_more[end + 1..]);
    let rows = KERNELS.iter().map(|(kernel, runs, flags)| row_or_old((kernel, *runs), middle, || row(kernel, flags)));
    let rows: String = rows.collect();
    let shapes = shapes();
    let ran = dataflows_of(&shapes, false);
    let shape_rows: String = ran.iter().map(|(at, dataflow, said)| shape_row(&shapes[*at], dataflow, said)).collect();
    hold_page(PAGE, &format!("{head}{RULE}{rows}{between}{SHAPES_RULE}{shape_rows}{more}"));
}

/// All dataflows at all shapes: as many PEs as each is named for.
#[test]
fn every_dataflow_runs_every_shape() {
    let shapes = shapes();
    assert_eq!(shapes.len(), 12);
    for (at, dataflow, said) in dataflows_of(&shapes[..if cfg!(feature = "long-tests") { 12 } else { 1 }], true) {
        let sizes: BTreeMap<&str, u64> =
            shapes[at].sizes.split(',').map(|one| (&one[..1], one[2..].parse().expect("a number"))).collect();
        let pes = match dataflow {
            "weight-stationary" => sizes["C"] * sizes["F"],
            "output-stationary" => sizes["F"] * sizes["M"],
            _ => 3 * sizes["M"],
        };
        assert_eq!(said["pes"], pes, "{dataflow} at {}", shapes[at].case.size);
    }
}

/// The twins: results that do not wait for their inputs, and sums that have no room to wait in.
#[test]
fn dataflows_that_do_not_hold_are_refuted() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("layer.rec").display().to_string();
    let whole = text(&kernel_path("padded_convolution"));
    for (schedule, says, wrong, why) in [
        ("output-stationary", "f + i + l + K)", "f + i + l)", "at one time"),
        ("weight-stationary", "   local Y", "", "a register is too small for `Y`"),
    ] {
        std::fs::write(&path, whole.replace(says, wrong)).expect("written");
        let said = refused(&["prove", &path, "--schedule", schedule]);
        assert!(said.contains(why), "{said}");
    }
}

/// The texts of all forms of a kernel.
fn forms(written: &str) -> Vec<String> {
    let system = load(&Source::new("layer.rec", written)).expect("a kernel");
    let sizes: Bindings = system.parameters.iter().map(|size| (size.clone(), 8)).collect();
    let rules = load_phase(Phase::Algebra, None).expect("rules");
    let wanted = Wanted { sizes: &sizes, limits: Limits::of(30, 1000), all: None };
    derive(&system, &rules, &wanted).expect("forms").forms.into_iter().map(|form| form.text).collect()
}

/// What a kernel computes for the inputs of an oracle.
fn evaluated(written: &str, case: &Case) -> Tensors {
    let system = load(&Source::new("layer.rec", written)).expect("a kernel");
    let sizes = case.size.split(',').map(|one| (name(&one[..1]), one[2..].parse().expect("a number")));
    let inputs = case.inputs.iter().map(|(tensor, array)| (name(tensor), array.clone())).collect();
    evaluate(&system, &sizes.collect(), &inputs).expect("values")
}

/// The kernel, and each of its forms, at both sizes: without a search, so that all of them have time.
#[test]
fn kernels_and_their_forms_are_what_numpy_computes() {
    for (kernel, ..) in KERNELS {
        let written = text(&kernel_path(kernel));
        for form in [written.clone()].into_iter().chain(forms(&written)) {
            for case in right(kernel) {
                let found = evaluated(&form, &case);
                for right in &case.outputs {
                    assert!(right.is(&found[&name(&right.name)]), "{kernel} at {}\n{form}", case.size);
                }
            }
        }
    }
}

/// Rows of a triangle under masks, and the logarithms of their sums.
const MASKED_ROWS: &str = "\
kernel masked_rows(N, D)
in  S[N, N], V[N, D]
out O[N, D], y[N]
local m[N], P[N, N], l[N]
m[i] = max(j in 0..i + 1) S[i, j]
P[i, j] = exp(S[i, j] - m[i])   where j <= i
P[i, j] = 0   where j > i
l[i] = sum(j in 0..i + 1) P[i, j]
O[i, d] = sum(j in 0..i + 1) (P[i, j] / l[i]) * V[j, d]
y[i] = m[i] + log(l[i])
";

/// Where NumPy has a number the kernel and all its forms have it. Of a row that is masked as a whole the text has none, and a form with a running
/// maximum the logarithm of 0, as NumPy.
#[test]
fn masks_on_a_triangle_weigh_nothing() {
    let (mut online, mut hidden) = (0, 0);
    for form in [MASKED_ROWS.to_owned()].into_iter().chain(forms(MASKED_ROWS)) {
        let is_online = form.contains("= rescaled(");
        online += usize::from(is_online);
        for case in right("masked_rows") {
            let found = evaluated(&form, &case);
            for right in &case.outputs {
                let ours = &found[&name(&right.name)];
                for (ours, right) in ours.iter().zip(&right.values).filter(|(_, right)| right.is_finite()) {
                    assert!((ours - right).abs() < 1e-12, "{ours} is {right} by NumPy\n{form}");
                }
                for (ours, right) in ours.iter().zip(&right.values).filter(|(_, right)| right.is_infinite()) {
                    hidden += 1;
                    assert!(ours.is_nan() && !is_online || ours == right, "{ours} is {right} by NumPy\n{form}");
                }
            }
        }
    }
    assert!(online > 0 && hidden > 0, "{online} {hidden}");
}

/// Blocks of the triangle: those on the diagonal are partly masked.
#[test]
fn causal_attention_online_runs_by_tiles() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("online.rec").display().to_string();
    good(&["derive", &kernel_path("causal_attention"), "-o", &path]);
    assert!(std::fs::read_to_string(&path).expect("a form").contains("= rescaled(j_3 in 0..i + 1)"));
    let case = &right("causal_attention")[1];
    assert!(matches!(run(&path, case, "--tile i=2"), Found::Design { .. }));
}
