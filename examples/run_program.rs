//! A program run from Rust: its text is read and runs on threads; the bits are those of the simulator, however many workers there are.
//!
//! `cargo run --example run_program`

use ndarray::ArrayD;
use systole::array::{parse, print};
use systole::diagnostic::{Checked, render};
use systole::integer::name;
use systole::span::Source;
use systole::{Options, compile, exec, sim};

const MATVEC: &str = "
kernel matvec(N)
in  A[N, N], x[N]
out y[N]
y[i] = sum(k) A[i, k] * x[k]
";

// An example is there to be seen.
#[allow(clippy::print_stdout)]
pub fn run() -> Checked<()> {
    let compiled = compile(&Source::new("matvec.rec", MATVEC), &Options::default())?;
    let text = print(&compiled.program);
    println!("{} lines of text for every size", text.lines().count());
    let program = parse("matvec.pe", &text)?;

    let sizes = [(name("N"), 7)].into_iter().collect();
    let matrix = ArrayD::from_shape_fn(vec![7, 7], |at| 1.0 / (1 + at[0] + at[1]) as f64);
    let vector = ArrayD::from_shape_fn(vec![7], |at| at[0] as f64);
    let inputs = [(name("A"), matrix), (name("x"), vector)].into_iter().collect();
    let simulated = sim::simulate(&program, &sizes, &inputs, &sim::Settings::default())?;
    for workers in [1, 2, 3] {
        let settings = exec::Settings { workers, ..exec::Settings::default() };
        let ran = exec::execute(&program, &sizes, &inputs, &settings)?;
        println!("{workers} workers: {} words between them", ran.counts.words);
        assert_eq!(ran.outputs, simulated.outputs);
    }
    Ok(())
}

// The test of the examples calls `run`.
#[allow(dead_code)]
fn main() {
    run().unwrap_or_else(|problems| panic!("{}", render(&problems, false)));
}
