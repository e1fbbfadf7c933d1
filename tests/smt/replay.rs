//! The dumped text gives the same verdicts when a solver reads it.

use crate::agreement::AMPLE;
use crate::hand_built::designs::{at_boundary, cannon, design, hex, kung_leiserson, mesh};
use crate::hand_built::spaces::{matmul, space};
use systole_base::network::Links;
use systole_compile::mapping::MappedSpace;
use systole_compile::smt::{Discharged, Verdict, discharge_all, dump, dump_smt};
use systole_compile::timing::space_obligations;
use z3::{SatResult, Solver};

fn replay(text: &str) -> SatResult {
    let solver = Solver::new();
    solver.from_string(text);
    assert!(!solver.get_assertions().is_empty(), "the parser must accept\n{text}");
    solver.check()
}

fn expected(discharged: &Discharged) -> SatResult {
    match discharged.verdict {
        Verdict::Proved => SatResult::Unsat,
        Verdict::Refuted(_) => SatResult::Sat,
        Verdict::Unknown(_) => SatResult::Unknown,
    }
}

fn assert_replays(design: &MappedSpace, links: &Links) {
    let discharged = discharge_all(&space_obligations(design, links).unwrap(), AMPLE);
    discharged.iter().for_each(|one| assert_eq!(replay(&dump_smt(&one.obligation)), expected(one)));
    let all: Vec<_> = discharged.iter().map(|one| one.obligation.clone()).collect();
    let text = dump(&all);
    let scopes: Vec<&str> = text.split("(push 1)").skip(1).map(|part| part.split("(pop 1)").next().unwrap()).collect();
    assert_eq!(scopes.len(), discharged.len());
    scopes.iter().zip(&discharged).for_each(|(scope, one)| assert_eq!(replay(scope), expected(one)));
    assert_eq!(text.matches("(check-sat)").count(), discharged.len());
}

#[test]
fn proved_and_refuted_designs_replay() {
    let space = matmul();
    assert_replays(&at_boundary(cannon(&space)), &mesh());
    assert_replays(&at_boundary(kung_leiserson(&space)), &hex());
    assert_replays(&design(&space, "i", "j, i + k", &["prefetch", "stream i"], &["k"]), &mesh());
    assert_replays(&design(&space, "i, j", "k", &["broadcast j", "broadcast i"], &["k"]), &mesh());
}

#[test]
fn names_that_smt_lib_keeps_for_itself_replay() {
    let space =
        space("odd", "and div", "mod m", "mod, and - mod - 1, m, div - m - 1", "y[mod]", &["A[mod, m]", "x[m]"]);
    assert_replays(&design(&space, "mod", "mod + m", &["feed", "stream mod"], &["m"]), &mesh());
    assert_replays(&design(&space, "mod", "m", &["feed", "broadcast mod"], &["m"]), &mesh());
}

#[test]
fn each_query_says_what_it_is_about() {
    let space = matmul();
    let text = dump_smt(&space_obligations(&cannon(&space), &mesh()).unwrap()[0]);
    let expected = "; each query asks for a violation: unsat means proved for all sizes\n(set-logic QF_LIA)\n\
                    ; causality of A\n(declare-fun M () Int)\n(declare-fun N () Int)\n";
    assert!(text.starts_with(expected), "{text}");
}
