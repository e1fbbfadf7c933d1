//! The 30 kernels of PolyBench (`kernels/polybench`) with no flag but the sizes, and those for which another way is faster, in that way too. What
//! comes out is what the suite's own C programs compute (`tests/polybench/convert.py`). A table of the book has the figures.

use super::kernel_rows::Runs::{self, All, Long};
use super::kernel_rows::{Case, Found, cases, hold_page, names, row_or_old, run, text, title};

/// A row of the table.
struct Row {
    name: &'static str,
    runs: Runs,
    /// Flags of a faster way.
    faster: Option<&'static str>,
    published: &'static str,
}

const fn row(name: &'static str, runs: Runs) -> Row {
    Row { name, runs, faster: None, published: "-" }
}

impl Row {
    const fn by(self, faster: &'static str) -> Row {
        Row { faster: Some(faster), ..self }
    }

    const fn beside(self, published: &'static str) -> Row {
        Row { published, ..self }
    }
}

const CYCLES: &str = "--objective cycles";

/// Those of `kernels/polybench`, by kinds as the suite has them.
const KERNELS: [Row; 30] = [
    row("correlation", All),
    row("covariance", Long).by(CYCLES),
    row("gemm", All)
        .beside("17 cycles: NI + NJ + NK - 2 for the product (Kung and Leiserson 1978), and the step of beta C"),
    row("gemver", All),
    row("gesummv", All).by(CYCLES),
    row("symm", Long),
    row("syr2k", Long),
    row("syrk", All),
    row("trmm", Long),
    row("mm2", All),
    row("mm3", All),
    row("atax", All),
    row("bicg", All).by(CYCLES),
    row("doitgen", All).by("--objective cycles --rank 3"),
    row("mvt", All).by(CYCLES),
    row("cholesky", All).beside("3N - 2 = 19 cycles, N(N + 1)/2 = 28 PEs (S. Y. Kung 1988)"),
    row("durbin", Long).by("--cell all").beside("N = 7 PEs, of the order of N cycles (Kung and Hu 1983)"),
    row("gramschmidt", Long).by(CYCLES),
    row("lu", All).beside("3N - 2 = 19 cycles, N^2 = 49 PEs (Kung and Leiserson 1978)"),
    row("ludcmp", All).by("--schedule grid"),
    row("trisolv", All).beside("2N - 1 = 13 cycles, N = 7 PEs (Kung and Leiserson 1978)"),
    row("deriche", Long),
    row("floyd_warshall", All).by(CYCLES).beside("5N - 4 = 31 cycles, N^2 = 49 PEs (Kung, Lo and Lewis 1987)"),
    row("nussinov", All)
        .by("--schedule diagonals")
        .beside("2N = 18 cycles, N(N + 1)/2 = 45 PEs (Guibas, Kung and Thompson 1979)"),
    row("adi", Long),
    row("fdtd_2d", Long),
    row("heat_3d", Long),
    row("jacobi_1d", All),
    row("jacobi_2d", Long),
    row("seidel_2d", All).by("--schedule slanted"),
];

const PAGE: &str = "book/src/polybench.md";

const RULE: &str = "|---|---|---|---|---|---|---|---|---|\n";

fn case(name: &str) -> Case {
    cases(&text(&format!("tests/polybench/{name}.txt"))).remove(0)
}

/// Cycles, PEs and claims of a run; all kernels have designs.
fn found(name: &str, case: &Case, flags: &str) -> (u64, u64, String) {
    match run(&format!("kernels/polybench/{name}.rec"), case, flags) {
        Found::Design { cycles, pes, proved } => (cycles, pes, proved),
        Found::Refused(why) => panic!("`{name}` has no design with `{flags}`: {why}"),
    }
}

fn line(row: &Row) -> String {
    let case = case(row.name);
    let path = case.path.expect("a critical path");
    let (cycles, pes, proved) = found(row.name, &case, "");
    let faster = row.faster.map(|flags| {
        let (cycles, pes, _) = found(row.name, &case, flags);
        format!("{cycles} on {pes} PEs by `{flags}`")
    });
    let cells = [
        format!("`{}`", row.name),
        title(&text(&format!("kernels/polybench/{}.rec", row.name))),
        format!("`{}`", case.size),
        format!("{cycles} ({:.2})", cycles as f64 / path as f64),
        pes.to_string(),
        path.to_string(),
        proved,
        faster.unwrap_or_else(|| "-".to_owned()),
        row.published.to_owned(),
    ];
    format!("| {} |\n", cells.join(" | "))
}

#[test]
fn the_table_of_polybench_is_what_run_says() {
    let page = text(PAGE);
    let (head, table) = page.split_once(RULE).expect("a table");
    let rows: String = KERNELS.iter().map(|row| row_or_old((row.name, row.runs), table, || line(row))).collect();
    hold_page(PAGE, &format!("{head}{RULE}{rows}"));
}

#[test]
fn no_kernel_of_polybench_is_left_out() {
    let mut listed: Vec<&str> = KERNELS.iter().map(|row| row.name).collect();
    listed.sort_unstable();
    assert_eq!(names("kernels/polybench"), listed);
    for name in listed {
        let case = case(name);
        assert!(case.path.is_some() && !case.outputs.is_empty(), "{name}");
    }
}
