//! Unknown is an answer: a limit that is too short never proves and never refutes.

use crate::agreement::AMPLE;
use crate::hand_built::designs::{cannon, mesh};
use crate::hand_built::spaces::matmul;
use std::time::Duration;
use systole::integer::{Affine, name};
use systole::smt::{Verdict, discharge, discharge_all, version};
use systole::timing::{Formula, obligations};

#[test]
fn no_time_gives_no_answer() {
    let space = matmul();
    for discharged in discharge_all(&obligations(&cannon(&space), &mesh()).unwrap(), Duration::ZERO) {
        assert!(matches!(discharged.verdict, Verdict::Unknown(_)));
        assert_eq!(discharged.verdict.keyword(), "unknown");
    }
}

#[test]
fn the_order_of_the_obligations_is_kept() {
    let space = matmul();
    let stated = obligations(&cannon(&space), &mesh()).unwrap();
    let discharged: Vec<_> = discharge_all(&stated, AMPLE).into_iter().map(|one| one.obligation).collect();
    assert_eq!(discharged, stated);
}

#[test]
fn an_undeclared_variable_is_unknown() {
    let space = matmul();
    let mut obligation = obligations(&cannon(&space), &mesh()).unwrap().remove(0);
    obligation.violation = Formula::AtLeastZero(Affine::variable(&name("stranger")));
    assert!(matches!(discharge(&obligation, AMPLE).verdict, Verdict::Unknown(_)));
}

#[test]
fn a_counterexample_beyond_64_bits_is_unknown() {
    let space = matmul();
    let mut obligation = obligations(&cannon(&space), &mesh()).unwrap().remove(0);
    let (i, j) = (obligation.variables[3].clone(), obligation.variables[4].clone());
    obligation.violation = Formula::All(vec![
        Formula::equal(&Affine::variable(&i), &Affine::constant(i64::MAX)),
        Formula::less(&Affine::variable(&i), &Affine::variable(&j)),
    ]);
    assert!(matches!(discharge(&obligation, AMPLE).verdict, Verdict::Unknown(_)));
}

#[test]
fn the_solver_is_the_one_the_set_up_pins() {
    assert!(version().starts_with("Z3 5.4"), "{}", version());
}
#[test]
fn zz_time() {
    let space = matmul();
    let kl = crate::hand_built::designs::at_boundary(crate::hand_built::designs::kung_leiserson(&space));
    for _ in 0..2 {
        for (d, l) in [
            (crate::hand_built::designs::at_boundary(cannon(&space)), mesh()),
            (kl.clone(), crate::hand_built::designs::hex()),
        ] {
            let s = obligations(&d, &l).unwrap();
            let t = std::time::Instant::now();
            for o in &s {
                let r = discharge(o, AMPLE);
                println!("{} {} {} {:.2}", r.obligation.kind, r.obligation.of, r.verdict.keyword(), r.milliseconds);
            }
            println!("total {:?}", t.elapsed());
            let t = std::time::Instant::now();
            discharge_all(&s, AMPLE);
            println!("par {:?}", t.elapsed());
        }
    }
    for a in [4, 8, 16, 40] {
        let d = crate::hand_built::designs::design(
            &space,
            "i, j",
            &format!("{a}*i + {a}*j + k"),
            &["stream j", "stream i"],
            &["k"],
        );
        let fl = &d.flows().unwrap()[0];
        let n = fl.depth(1).unwrap();
        for n in [n, n - 1] {
            let r = discharge(&systole::timing::fifo_depth_obligation(&d, fl, n, 1).unwrap(), AMPLE);
            println!("depth {n} {} {:.2}", r.verdict.keyword(), r.milliseconds);
        }
    }
}
