//! Kernels as their books have them (`tests/textbook`) and those that ship, with no flag but the sizes. What comes out of
//! the first is what NumPy computes (`tests/textbook/oracle.py`). The tables of the book have cycles and PEs, and what a
//! refusal says.
//!
//! The textbook's were written down before any of them was tried, and none has been taken out since.

use super::start::{Ran, object, systole};
use ndarray::ArrayD;
use ndarray_npy::{read_npy, write_npy};
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

/// Which runs of a kernel there are.
#[derive(Clone, Copy, PartialEq)]
enum Runs {
    All,
    /// Each takes seconds: with the feature `long-tests` only.
    Long,
}

use Runs::{All, Long};

/// Those of `tests/textbook`, in the order of the table.
const TEXTBOOK: [(&str, Runs); 30] = [
    ("givens_rls", All),
    ("warshall", All),
    ("gemm", All),
    ("complex_product", Long),
    ("crout", All),
    ("gauss_elimination", All),
    ("durbin", All),
    ("cubic_spline", All),
    ("forward_backward", Long),
    ("conv1d_channels", Long),
    ("strided_conv", Long),
    ("elman_rnn", All),
    ("conjugate_gradient", All),
    ("gauss_jordan_solve", All),
    ("gauss_jordan_inverse", Long),
    ("nussinov", All),
    ("optimal_search_tree", All),
    ("gram_schmidt", Long),
    ("causal_attention", Long),
    ("haar", All),
    ("conv_then_pool", All),
    ("rms_norm_product", All),
    ("perceptron3", All),
    ("tucker", Long),
    ("batched_product", All),
    ("syrk", All),
    ("trmm", All),
    ("covariance", Long),
    ("fdtd1d", All),
    ("wave2d", All),
];

/// Those of `kernels` whose runs are `Long`.
const LONG: [&str; 14] = [
    "conv2d",
    "flash_attention",
    "mttkrp",
    "qr_givens",
    "transitive_closure",
    "naive/attention",
    "naive/cross_entropy",
    "naive/inverse_times",
    "naive/normal_product",
    "naive/soft_average",
    "naive/softmax_attention",
    "naive/two_factors",
    "ttm",
    "lu",
];

/// The best arrays that are published for those of `kernels`, as far as their files name them.
const PUBLISHED: [(&str, &str); 13] = [
    ("cholesky", "3N - 2 = 10, 19 cycles; N(N + 1)/2 = 10, 28 PEs (S. Y. Kung 1988)"),
    ("conv1d", "N + K - 1 = 5, 8 cycles; K = 3, 5 PEs (H. T. Kung 1982)"),
    ("edit_distance", "M + N - 1 = 5, 8 cycles; M = 3, 4 PEs (Lipton and Lopresti 1985)"),
    ("fir", "N + K - 1 = 5, 8 cycles; K = 3, 5 PEs (H. T. Kung 1982)"),
    ("lu", "3N - 2 = 10, 19 cycles; N^2 = 16, 49 PEs (Kung and Leiserson 1978)"),
    ("matmul", "M + N + K - 2 = 7, 10 cycles; M N = 9, 20 PEs (Kung and Leiserson 1978)"),
    ("matvec", "M + N - 1 = 5, 8 cycles; M = 3, 4 PEs (Kung and Leiserson 1978)"),
    ("polynomial_product", "2M + N - 2 = 7, 11 cycles; M = 3, 4 PEs (Barnett and Lengauer)"),
    (
        "qr_givens",
        "M + 2N - 2 = 7, 12 cycles; N(N + 1)/2 = 6, 15 PEs, each a whole rotation a step (Gentleman and Kung 1981)",
    ),
    ("smith_waterman", "M + N - 1 = 5, 8 cycles; M = 3, 4 PEs (SAMBA, IRISA)"),
    ("transitive_closure", "5N - 4 = 16, 31 cycles; N^2 = 16, 49 PEs (Kung, Lo and Lewis 1987)"),
    ("trisolve", "2N - 1 = 7, 13 cycles; N = 4, 7 PEs (Kung and Leiserson 1978)"),
    ("trsm", "2N + R - 2 = 7, 12 cycles (Cyclotron)"),
];

/// How far a sum in another order may lead from NumPy's.
const ROUNDING: f64 = 1e-9;

/// A row of a table.
struct Kernel {
    name: String,
    /// From the root of the repository.
    path: String,
    runs: Runs,
    cases: Vec<Case>,
    published: String,
}

/// A kernel at one size, with the inputs and the results of the oracle if it has one.
#[derive(Default)]
struct Case {
    size: String,
    inputs: Vec<(String, ArrayD<f64>)>,
    outputs: Vec<(String, ArrayD<f64>)>,
}

/// What the command found.
enum Found {
    Design { cycles: u64, pes: u64, proved: String },
    Refused(String),
}

fn text(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("SYSTOLE_ROOT")).join(path))
        .unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The names of the kernels of a folder, in order.
fn names(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(Path::new(env!("SYSTOLE_ROOT")).join(folder)).expect("a folder");
    let files = entries.filter_map(|entry| entry.expect("an entry").file_name().into_string().ok());
    let mut found: Vec<String> = files.filter_map(|file| Some(file.strip_suffix(".rec")?.to_owned())).collect();
    found.sort();
    found
}

fn textbook(name: &str, runs: Runs) -> Kernel {
    let path = format!("tests/textbook/{name}.rec");
    let published = text(&path).lines().find_map(|line| Some(line.strip_prefix("# Published: ")?.to_owned()));
    let published = published.expect("a line `Published:`").trim_end_matches('.').to_owned();
    Kernel { name: name.to_owned(), path, runs, cases: cases(&text(&format!("tests/textbook/{name}.txt"))), published }
}

fn shipped(name: String) -> Kernel {
    let path = format!("kernels/{name}.rec");
    let published = PUBLISHED.iter().find(|(kernel, _)| *kernel == name).map_or("-", |(_, published)| published);
    let runs = if LONG.contains(&&*name) { Long } else { All };
    let cases = sizes(&text(&path)).map(|size| Case { size, ..Case::default() }).into();
    Kernel { name, path, runs, cases, published: published.to_owned() }
}

/// Two sizes for the names behind `kernel`, small, and of the second no two neighbours are equal.
fn sizes(text: &str) -> [String; 2] {
    let head = text.lines().find_map(|line| line.strip_prefix("kernel ")).expect("a kernel");
    let names: Vec<&str> = head.split(['(', ')']).nth(1).expect("its sizes").split(", ").collect();
    let numbers: [&[usize]; 2] = match names.len() {
        1 => [&[4], &[7]],
        2 | 3 => [&[3, 3, 3], &[4, 5, 3]],
        _ => [&[2], &[2, 3, 2, 4]],
    };
    numbers.map(|numbers| {
        let sized = names.iter().zip(numbers.iter().cycle()).map(|(name, number)| format!("{name}={number}"));
        sized.collect::<Vec<_>>().join(",")
    })
}

/// The cases of a file of the oracle: blocks of `size ..`, `input X 2 3` or `output Y 2 3`, each array with a line of numbers.
fn cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = vec![];
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let words: Vec<&str> = line.split(' ').collect();
        if words[0] == "size" {
            cases.push(Case { size: words[1].to_owned(), ..Case::default() });
            continue;
        }
        let shape: Vec<usize> = words[2..].iter().map(|word| word.parse().expect("an extent")).collect();
        let numbers = lines.next().expect("a line of numbers").split(' ');
        let numbers = numbers.map(|word| word.parse().expect("a number")).collect();
        let array = (words[1].to_owned(), ArrayD::from_shape_vec(shape, numbers).expect("as many as the shape says"));
        let case = cases.last_mut().expect("a size stands first");
        if words[0] == "input" { case.inputs.push(array) } else { case.outputs.push(array) }
    }
    cases
}

/// Whether an array is what the oracle has, within rounding.
fn is_right(found: &ArrayD<f64>, right: &ArrayD<f64>) -> bool {
    let is_near = |(found, right): (&f64, &f64)| (found - right).abs() <= ROUNDING;
    found.shape() == right.shape() && found.iter().zip(right).all(is_near)
}

fn run(kernel: &Kernel, case: &Case) -> Found {
    let (folder, what) = (TempDir::new().expect("a folder"), format!("{} at {}", kernel.path, case.size));
    let file = |name: &str, kind: &str| folder.path().join(format!("{name}.{kind}.npy")).display().to_string();
    let mut arguments = ["run", &kernel.path, "--size", &case.size, "--json"].map(str::to_owned).to_vec();
    for (name, array) in &case.inputs {
        write_npy(file(name, "in"), array).expect("written");
        arguments.extend(["--input".to_owned(), format!("{name}={}", file(name, "in"))]);
    }
    for (name, _) in &case.outputs {
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
    for (name, right) in &case.outputs {
        let found = read_npy(file(name, "out")).expect("an array");
        assert!(is_right(&found, right), "{what}: `{name}` is {found}, and {right} by NumPy");
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

/// The comment of a kernel up to its first colon or full stop.
fn title(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("# "));
    let paragraph = lines.collect::<Vec<_>>().join(" ");
    let end = [": ", ". "].iter().filter_map(|end| paragraph.find(end)).min().unwrap_or(paragraph.len());
    paragraph[..end].trim_end_matches('.').to_owned()
}

fn row(kernel: &Kernel) -> String {
    let cells = kernel.cases.iter().map(|case| run(kernel, case)).map(|found| match found {
        Found::Design { cycles, pes, proved } => [cycles.to_string(), pes.to_string(), proved],
        Found::Refused(why) => [format!("no design yet: {why}"), "-".to_owned(), "-".to_owned()],
    });
    let mut cells: Vec<[String; 3]> = cells.collect();
    cells.dedup_by(|second, first| second[1] == "-" && second == first);
    let [cycles, pes, mut proved] =
        [0, 1, 2].map(|column| cells.iter().map(|cells| &*cells[column]).collect::<Vec<_>>());
    proved.dedup();
    let sizes: Vec<String> = kernel.cases.iter().map(|case| format!("`{}`", case.size)).collect();
    let cells = [title(&text(&kernel.path)), sizes.join(" and "), cycles.join(" and "), pes.join(" and ")];
    format!("| `{}` | {} | {} | {} |\n", kernel.name, cells.join(" | "), proved.join(" and "), kernel.published)
}

/// The rows of a table as they are to be, where `old` is the table that stands on the page. Rows of long runs stay as they are where
/// those are left out.
fn table(kernels: &[Kernel], old: &str) -> String {
    let kept = |kernel: &Kernel| {
        let line = old.lines().find(|line| line.starts_with(&format!("| `{}` |", kernel.name)));
        line.map_or_else(|| format!("| `{}` | not run yet |\n", kernel.name), |line| format!("{line}\n"))
    };
    let is_kept = |kernel: &Kernel| kernel.runs == Long && !cfg!(feature = "long-tests");
    kernels.iter().map(|kernel| if is_kept(kernel) { kept(kernel) } else { row(kernel) }).collect()
}

const RULE: &str = "|---|---|---|---|---|---|---|\n";

#[test]
fn the_tables_of_kernels_are_what_run_says() {
    let path = Path::new(env!("SYSTOLE_ROOT")).join("book/src/reach.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let parts: Vec<&str> = page.split(RULE).collect();
    let [head, books, ships] = parts[..] else { panic!("two tables: {page}") };
    let textbook: Vec<Kernel> = TEXTBOOK.iter().map(|(name, runs)| textbook(name, *runs)).collect();
    let folders = ["", "blocks/", "naive/"];
    let own = folders
        .iter()
        .flat_map(|folder| names(&format!("kernels/{folder}")).into_iter().map(move |name| format!("{folder}{name}")));
    let shipped: Vec<Kernel> = own.map(shipped).collect();
    let between = &books[books.find("\n## ").expect("a heading")..];
    let filled = [head, &*table(&textbook, books), between, &*table(&shipped, ships)];
    let filled = format!("{}{RULE}{}{}{RULE}{}", filled[0], filled[1], filled[2], filled[3]);
    if std::env::var_os("BLESS").is_some() {
        return std::fs::write(&path, filled).expect("written");
    }
    let rows = filled.lines().zip(page.lines()).filter(|(new, old)| new != old);
    let rows: Vec<String> = rows.map(|(new, old)| format!("{new}\n  where the page has\n{old}")).collect();
    assert!(page == filled, "accept with BLESS=1:\n{}", rows.join("\n"));
}

/// Each file of the folder is in the table, and each kernel has two sizes.
#[test]
fn no_textbook_kernel_is_left_out() {
    let mut listed: Vec<&str> = TEXTBOOK.iter().map(|(name, _)| *name).collect();
    listed.sort_unstable();
    assert_eq!(names("tests/textbook"), listed);
    for (name, runs) in TEXTBOOK {
        let kernel = textbook(name, runs);
        assert_eq!(kernel.cases.len(), 2, "{name}");
        assert!(kernel.cases.iter().all(|case| !case.outputs.is_empty()), "{name}");
    }
}

/// The twin of what the table accepts: another number, another shape and no number at all are found.
#[test]
fn what_is_not_the_oracles_is_found() {
    let right = &cases("size N=2\noutput y 2\n1.5 -2.0\n")[0].outputs[0].1;
    let array = |numbers: &[f64], shape: &[usize]| ArrayD::from_shape_vec(shape, numbers.to_vec()).expect("its shape");
    assert!(is_right(&array(&[1.5, -2.0 + 1e-12], &[2]), right));
    assert!(!is_right(&array(&[1.5, -2.0 + 1e-6], &[2]), right));
    assert!(!is_right(&array(&[1.5, f64::NAN], &[2]), right));
    assert!(!is_right(&array(&[1.5, -2.0], &[1, 2]), right));
}
