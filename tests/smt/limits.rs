//! Unknown is an answer: a limit that is too short never proves and never refutes.

use crate::agreement::AMPLE;
use crate::hand_built::designs::{cannon, design, mesh};
use crate::hand_built::spaces::matmul;
use std::time::Duration;
use systole_base::cancel::Token;
use systole_base::integer::{Affine, name};
use systole_base::scalar::Function;
use systole_compile::smt::{
    Verdict, discharge, discharge_all, discharge_until, find_solver, holds_for_all_reals, version,
};
use systole_compile::timing::space_obligations;
use systole_equations::recurrence::Scalar;
use systole_program::obligation::Formula;

#[test]
fn no_time_gives_no_answer() {
    let space = matmul();
    for discharged in discharge_all(&space_obligations(&cannon(&space), &mesh()).unwrap(), Duration::ZERO) {
        assert!(matches!(discharged.verdict, Verdict::Unknown(_)));
        assert_eq!(discharged.verdict.keyword(), "unknown");
    }
}

/// What is cancelled before it is asked is unknown; what is not is answered as ever.
#[test]
fn proofs_that_are_cancelled_are_unknown() {
    let space = matmul();
    let (owed, token) = (space_obligations(&cannon(&space), &mesh()).unwrap(), Token::default());
    let all =
        |verdict: fn(&Verdict) -> bool| discharge_until(&owed, AMPLE, &token).iter().all(|one| verdict(&one.verdict));
    assert!(all(|verdict| *verdict == Verdict::Proved));
    token.cancel();
    assert!(all(|verdict| matches!(verdict, Verdict::Unknown(_))));
}

#[test]
fn little_time_never_gives_the_wrong_answer() {
    let space = matmul();
    let too_fast = design(&space, "i, j", "i + k", &["stream j", "stream i"], &["k"]);
    let right = space_obligations(&cannon(&space), &mesh()).unwrap();
    let wrong = space_obligations(&too_fast, &mesh()).unwrap().remove(0);
    for limit in [Duration::from_nanos(1), Duration::from_micros(300), Duration::from_millis(1)] {
        let refuted = |verdict: &Verdict| matches!(verdict, Verdict::Refuted(_));
        assert!(!discharge_all(&right, limit).iter().any(|one| refuted(&one.verdict)));
        assert_ne!(discharge(&wrong, limit).verdict, Verdict::Proved);
    }
    assert_eq!(discharge(&right[0], Duration::MAX).verdict, Verdict::Proved);
}

#[test]
fn the_order_of_the_obligations_is_kept() {
    let space = matmul();
    let stated = space_obligations(&cannon(&space), &mesh()).unwrap();
    let discharged: Vec<_> = discharge_all(&stated, AMPLE).into_iter().map(|one| one.obligation).collect();
    assert_eq!(discharged, stated);
}

#[test]
fn an_undeclared_variable_is_unknown() {
    let space = matmul();
    let mut obligation = space_obligations(&cannon(&space), &mesh()).unwrap().remove(0);
    obligation.violation = Formula::AtLeastZero(Affine::variable(&name("stranger")));
    assert!(matches!(discharge(&obligation, AMPLE).verdict, Verdict::Unknown(_)));
}

#[test]
fn a_counterexample_beyond_64_bits_is_unknown() {
    let space = matmul();
    let mut obligation = space_obligations(&cannon(&space), &mesh()).unwrap().remove(0);
    let (i, j) = (obligation.variables[3].clone(), obligation.variables[4].clone());
    obligation.violation = Formula::All(vec![
        Formula::equal(&Affine::variable(&i), &Affine::constant(i64::MAX)),
        Formula::less(&Affine::variable(&i), &Affine::variable(&j)),
    ]);
    assert!(matches!(discharge(&obligation, AMPLE).verdict, Verdict::Unknown(_)));
}

#[test]
fn the_solver_is_the_one_the_set_up_pins() {
    assert!(version().is_some_and(|version| version.starts_with("Z3 5.4")), "{:?}", version());
}

/// While the solver works, Ctrl-C is for whoever called it: here for nobody, so no thread of the process listens to it.
#[test]
fn the_solver_leaves_ctrl_c_alone() {
    let space = matmul();
    let owed = space_obligations(&cannon(&space), &mesh()).unwrap();
    let listens = || {
        let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("a mask");
        u64::from_str_radix(caught.trim(), 16).expect("a number") & 0b10 != 0
    };
    std::thread::scope(|scope| {
        let proofs = scope.spawn(|| (0..20).map(|_| discharge_all(&owed, AMPLE).len()).sum::<usize>());
        let mut looks = 0;
        while !proofs.is_finished() {
            assert!(!listens());
            looks += 1;
        }
        assert!(looks > 20, "{looks}");
        assert_eq!(proofs.join().expect("proofs"), 20 * owed.len());
    });
}

/// Whoever calls the library without Z3 hears that nothing is decided, and goes on: in a process whose loader looks in a folder of files
/// that are no libraries before it looks anywhere else.
#[cfg(not(feature = "vendored"))]
#[test]
fn without_z3_nothing_is_decided() {
    if std::env::var_os("WITHOUT_Z3").is_some() {
        return nothing_is_decided();
    }
    let version = version().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let linked: Vec<&str> = version.trim_start_matches("Z3 ").split('.').take(2).collect();
    for name in ["libz3.so".to_owned(), format!("libz3.so.{}", linked.join("."))] {
        std::fs::write(folder.path().join(name), "").unwrap();
    }
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "limits::without_z3_nothing_is_decided"]);
    let ended = child.env("LD_LIBRARY_PATH", folder.path()).env("PATH", "").env("WITHOUT_Z3", "yes").output().unwrap();
    let printed = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success() && printed.contains("1 passed"), "{printed}");
}

#[cfg(not(feature = "vendored"))]
fn nothing_is_decided() {
    assert!(find_solver().is_err() && version().is_none());
    let unknown = Verdict::Unknown("Z3 was not found".to_owned());
    let owed = space_obligations(&cannon(&matmul()), &mesh()).unwrap();
    assert!(discharge_all(&owed, AMPLE).iter().all(|one| one.verdict == unknown));
    let operand = || Scalar::Operand(0);
    let greater = Scalar::Apply(Function::Maximum, vec![operand(), operand()]);
    assert_eq!(holds_for_all_reals(&greater, &operand(), AMPLE), None);
}
