//! A kernel of several spaces: a triangular solve, whose sums and divisions hand each other values.
//!
//! `cargo run --example several_spaces`

use ndarray::ArrayD;
use systole::diagnostic::{Checked, render};
use systole::integer::name;
use systole::network::Links;
use systole::span::Source;
use systole::{Options, compile, recurrence, sim};

const TRISOLVE: &str = "
kernel trisolve(N)
in  L[N, N], B[N]
out X[N]
X[i] = (B[i] - sum(j in 0..i) L[i, j] * X[j]) / L[i, i]
schedule row
place (i)
";

// An example is there to be seen.
#[allow(clippy::print_stdout)]
pub fn run() -> Checked<()> {
    let options = Options { schedule: Some("row".to_owned()), ..Options::default() };
    let compiled = compile(&Source::new("trisolve.rec", TRISOLVE), &options)?;
    for space in &compiled.spaces.spaces {
        println!("space {} over {}", space.name, space.indices().join(", "));
    }
    println!("{} handoffs", compiled.design().handoffs(Links::default().network)?.len());

    let sizes = [(name("N"), 5)].into_iter().collect();
    let lower = ArrayD::from_shape_fn(vec![5, 5], |at| if at[0] == at[1] { 2.0 } else { at[1] as f64 - 1.0 });
    let right = ArrayD::from_shape_fn(vec![5], |at| at[0] as f64);
    let inputs = [(name("L"), lower), (name("B"), right)].into_iter().collect();
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
