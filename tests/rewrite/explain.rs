//! Explanations reach from the equations to the lowered form and to the schedule.

use crate::choices::lower;
use crate::kernels;

#[test]
fn print() {
    let space = kernels::matmul();
    let mut lowered = lower(&space);
    let d = lowered.choices().unwrap().dataflows().next().unwrap();
    lowered.record(&d, "(i, j)", "i + j + k", "proof");
    let steps = lowered.explain_scheduled(&d, "(i, j)", "i + j + k");
    for s in &steps { eprintln!("{s}"); }
    let space = kernels::mttkrp();
    let mut lowered = lower(&space);
    for n in [0, 500] {
    let d = lowered.choices().unwrap().dataflows().nth(n).unwrap();
    let t = std::time::Instant::now();
    let steps = lowered.explain(&d);
    for s in &steps { eprintln!("{s}"); }
    eprintln!("{:?}", t.elapsed());}
}
