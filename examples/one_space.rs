//! A kernel of one space: the matrix product, proved for all sizes and run on the simulator at one.
//!
//! `cargo run --example one_space`

use ndarray::ArrayD;
use systole::diagnostic::{Checked, render};
use systole::integer::name;
use systole::span::Source;
use systole::{Options, compile, recurrence, sim};

const MATMUL: &str = "
kernel matmul(M, N, K)
in  A[M, K], B[K, N]
out C[M, N]
C[i, j] = sum(k) A[i, k] * B[k, j]
";

// An example is there to be seen.
#[allow(clippy::print_stdout)]
pub fn run() -> Checked<()> {
    let compiled = compile(&Source::new("matmul.rec", MATMUL), &Options::default())?;
    println!("{} proofs, each for all M, N and K", compiled.proofs.len());

    let sizes = ["M", "N", "K"].map(|size| (name(size), 4)).into_iter().collect();
    let matrix = |shift: f64| ArrayD::from_shape_fn(vec![4, 4], |at| at[0] as f64 * shift - at[1] as f64);
    let inputs = [("A", matrix(0.5)), ("B", matrix(3.0))].map(|(of, values)| (name(of), values)).into_iter().collect();
    let outcome = sim::simulate(&compiled.program, &sizes, &inputs, &sim::Settings::default())?;
    println!("{} cycles on {} PEs", outcome.cycles, outcome.pes);
    assert_eq!(outcome.outputs, recurrence::evaluate(&compiled.equations, &sizes, &inputs)?);
    Ok(())
}

// The test of the examples calls `run`.
#[allow(dead_code)]
fn main() {
    run().unwrap_or_else(|problems| panic!("{}", render(&problems, false)));
}
