//! A machine of one's own: links that take three cycles. The compiler finds a schedule for them, and the simulator needs as many cycles
//! as it says.
//!
//! `cargo run --example own_machine`

use ndarray::ArrayD;
use systole::diagnostic::{Checked, render};
use systole::integer::{Bindings, name};
use systole::machine::Machine;
use systole::span::Source;
use systole::{Options, compile, sim};

const FIR: &str = "
kernel fir(N, K)
in  x[N + K - 1], h[K]
out y[N]
y[i] = sum(k) h[k] * x[i + k]
";

const MACHINE: &str = "
[grid]
network = \"line\"

[link]
latency = 3
response = 3
";

// An example is there to be seen.
#[allow(clippy::print_stdout)]
pub fn run() -> Checked<()> {
    let source = Source::new("fir.rec", FIR);
    let sizes: Bindings = [(name("N"), 6), (name("K"), 3)].into_iter().collect();
    let vector = |length| ArrayD::from_shape_fn(vec![length], |at| at[0] as f64 + 1.0);
    let inputs = [(name("x"), vector(8)), (name("h"), vector(3))].into_iter().collect();
    for machine in [Machine::default(), Machine::parse(&Source::new("slow.toml", MACHINE))?] {
        let response = machine.links.response.unsigned_abs();
        let name = machine.name.clone();
        let compiled = compile(&source, &Options { machine, sizes: sizes.clone(), ..Options::default() })?;
        let settings = sim::Settings { response, ..sim::Settings::default() };
        let outcome = sim::simulate(&compiled.program, &sizes, &inputs, &settings)?;
        println!("{name}: {} cycles on {} PEs", outcome.cycles, outcome.pes);
        assert_eq!(outcome.cycles, compiled.front[compiled.winner].cost.cycles);
    }
    Ok(())
}

// The test of the examples calls `run`.
#[allow(dead_code)]
fn main() {
    run().unwrap_or_else(|problems| panic!("{}", render(&problems, false)));
}
