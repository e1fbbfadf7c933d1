//! Kernels as their books have them (`tests/textbook`) and those that ship, with no flag but the sizes. What comes out of
//! the first is what NumPy computes (`tests/textbook/oracle.py`). The tables of the book have cycles and PEs, and what a
//! refusal says.
//!
//! The first thirty were written down before any of them was tried, and none has been taken out since. The last five were wrong or refused
//! once.

use super::kernel_rows::Runs::{self, All, Long};
use super::kernel_rows::{Case, Found, cases, hold_page, names, row_or_old, run, text, title};
use rayon::prelude::*;

/// Those of `tests/textbook`, in the order of the table.
const TEXTBOOK: [(&str, Runs); 35] = [
    ("givens_rls", Long),
    ("warshall", Long),
    ("gemm", All),
    ("complex_product", Long),
    ("crout", All),
    ("gauss_elimination", All),
    ("durbin", All),
    ("cubic_spline", All),
    ("forward_backward", Long),
    ("conv1d_channels", Long),
    ("strided_conv", Long),
    ("elman_rnn", Long),
    ("conjugate_gradient", Long),
    ("gauss_jordan_solve", Long),
    ("gauss_jordan_inverse", Long),
    ("nussinov", All),
    ("optimal_search_tree", All),
    ("gram_schmidt", Long),
    ("causal_attention", Long),
    ("haar", All),
    ("conv_then_pool", All),
    ("rms_norm_product", All),
    ("perceptron3", Long),
    ("tucker", Long),
    ("batched_product", All),
    ("syrk", All),
    ("trmm", All),
    ("covariance", Long),
    ("fdtd1d", All),
    ("wave2d", Long),
    ("householder", Long),
    ("over_relaxation", All),
    ("transposed_conv", All),
    ("red_black", All),
    ("power_iteration", All),
];

/// Those of `kernels` whose runs are `Long`.
const LONG: [&str; 17] = [
    "blocks/attention",
    "naive/chain",
    "conv2d",
    "flash_attention",
    "mttkrp",
    "qr_givens",
    "transitive_closure",
    "naive/attention",
    "naive/cross_entropy",
    "naive/inverse_times",
    "naive/masked_attention",
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

/// A row of a table.
struct Kernel {
    name: String,
    /// From the root of the repository.
    path: String,
    runs: Runs,
    cases: Vec<Case>,
    published: String,
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

fn row(kernel: &Kernel) -> String {
    let cells = kernel.cases.iter().map(|case| run(&kernel.path, case, "")).map(|found| match found {
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

/// The rows of a table as they are to be, where `old` is the table that stands on the page. This is the last of the tests that take long, so
/// it has all processors to itself.
fn table(kernels: &[Kernel], old: &str) -> String {
    kernels.par_iter().map(|kernel| row_or_old((&kernel.name, kernel.runs), old, || row(kernel))).collect()
}

const PAGE: &str = "book/src/reach.md";

const RULE: &str = "|---|---|---|---|---|---|---|\n";

#[test]
fn the_tables_of_kernels_are_what_run_says() {
    let page = text(PAGE);
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
    hold_page(PAGE, &filled);
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
