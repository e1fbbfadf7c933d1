//! Off by one: a program whose process soaks, drains, loads or recovers one element more or fewer does not pass.

use crate::common::{scheme, sizes};
use crate::designs::all;
use crate::programs::{inputs, is_right, program};
use systole_compile::emit::Phases;
use systole_program::array::{IndexExpr, Instruction, Program, print};
use systole_run::sim::{Settings, simulate};

/// The counts of all `pass`es, in the order of the text.
fn passes(body: &mut [Instruction]) -> Vec<&mut IndexExpr> {
    body.iter_mut().flat_map(passes_of).collect()
}

fn passes_of(instruction: &mut Instruction) -> Vec<&mut IndexExpr> {
    match instruction {
        Instruction::Pass(_, _, count) => vec![count],
        Instruction::Loop { body, .. } => passes(body),
        Instruction::If { then, otherwise, .. } => passes(then).into_iter().chain(passes(otherwise)).collect(),
        _ => vec![],
    }
}

/// The program with one `pass` of the processes with statements changed; `None` where there are not so many.
fn twin(program: &Program, target: usize, change: i64) -> Option<Program> {
    let mut twin = program.clone();
    let count = passes(&mut twin.classes[0].body).into_iter().nth(target)?;
    *count = IndexExpr::Sum(vec![count.clone(), IndexExpr::Constant(change)]);
    Some(twin)
}

#[test]
fn one_element_more_or_fewer_deadlocks_or_gives_other_values() {
    let mut twins = 0;
    for design in all() {
        let scheme = scheme(&design.space, &design.map, &design.loading);
        let program = program(&design.space, &scheme, &Phases::in_order(&scheme));
        let sizes = sizes(&design.space, 4);
        let inputs = inputs(&design.space, &sizes);
        let settings = Settings { capacity: Some(1), ..Settings::default() };
        let is_right = |program: &Program| {
            simulate(program, &sizes, &inputs, &settings)
                .is_ok_and(|outcome| is_right(&design.space, &scheme, &sizes, &inputs, &outcome))
        };
        for target in 0.. {
            let Some(endless) = twin(&program, target, 1000) else { break };
            // Where even this changes nothing, no process comes to the pass at this size.
            if is_right(&endless) {
                continue;
            }
            for change in [1, -1] {
                let twin = twin(&program, target, change).expect("the pass is there");
                assert!(!is_right(&twin), "{}: pass {target} changed by {change}\n{}", design.name, print(&program));
                twins += 1;
            }
        }
    }
    assert!(twins >= 60, "only {twins} twins");
}
