//! Which obligations are stated, over which variables.

use crate::hand_built::designs::{at_boundary, cannon, design, mesh};
use crate::hand_built::spaces::{fir, matmul, mttkrp, space};
use systole_compile::mapping::MappedSpace;
use systole_compile::timing::space_obligations;
use systole_program::obligation::Obligation;

/// The kinds and tensors in order: `causality A`.
fn stated(design: &MappedSpace) -> Vec<String> {
    let obligations = space_obligations(design, &mesh()).unwrap();
    obligations.iter().map(|obligation| format!("{} {}", obligation.kind, obligation.of)).collect()
}

fn variables(obligation: &Obligation) -> String {
    obligation.variables.iter().map(|name| name.to_string()).collect::<Vec<_>>().join(" ")
}

#[test]
fn cannon_owes_eleven() {
    let expected = [
        "causality A",
        "causality B",
        "causality C",
        "pe-conflict matmul",
        "alignment A",
        "alignment B",
        "link-conflict A",
        "link-conflict B",
        "fifo-depth A",
        "fifo-depth B",
        "fifo-depth C",
    ];
    assert_eq!(stated(&cannon(&matmul())), expected);
}

#[test]
fn broadcasts_owe_alignment_and_their_bus() {
    let space = matmul();
    let summa = design(&space, "i, j", "k", &["broadcast j", "broadcast i"], &["k"]);
    let expected = [
        "causality C",
        "pe-conflict matmul",
        "alignment A",
        "alignment B",
        "link-conflict A",
        "link-conflict B",
        "fifo-depth C",
    ];
    assert_eq!(stated(&summa), expected);
}

#[test]
fn injection_is_owed_at_a_boundary_only() {
    let space = matmul();
    let injections = |design: &MappedSpace| stated(design).iter().filter(|line| line.starts_with("edge")).count();
    assert_eq!(injections(&cannon(&space)), 0);
    assert_eq!(injections(&at_boundary(cannon(&space))), 3);
}

#[test]
fn each_level_of_a_reduction_is_a_flow() {
    let space = mttkrp();
    let streams = ["stream j", "stream i", "stream i"];
    let design = design(&space, "i, j", "k, i + j + l", &streams, &["l", "k"]);
    assert_eq!(stated(&design).iter().filter(|line| *line == "causality D").count(), 2);
}

#[test]
fn variables_are_named_after_the_source() {
    let space = matmul();
    let obligations = space_obligations(&cannon(&space), &mesh()).unwrap();
    assert_eq!(variables(&obligations[0]), "M N K i j k");
    assert_eq!(variables(&obligations[3]), "M N K i j k i' j' k'");
    assert_eq!(variables(&obligations[4]), "M N K i j k m");
    assert_eq!(variables(&obligations[8]), "M N K i j k i' j' k' i'2 j'2 k'2 T");
    assert!(
        obligations.iter().all(|obligation| obligation.parameters == 3 && obligation.points.iter().all(|n| *n == 3))
    );
    let points: Vec<usize> = obligations.iter().map(|obligation| obligation.points.len()).collect();
    assert_eq!(points, [1, 1, 1, 2, 1, 1, 2, 2, 3, 3, 2]);
}

#[test]
fn a_vector_time_has_a_clock_of_two() {
    let space = fir();
    let design = design(&space, "", "i, k", &["feed", "feed"], &["k"]);
    let obligations = space_obligations(&design, &mesh()).unwrap();
    assert_eq!(variables(obligations.last().unwrap()), "N K i k i' k' T1 T2");
}

#[test]
fn names_of_the_source_are_not_taken() {
    let space = space("rows", "T m", "i", "i, T - i - 1", "y[0]", &["x[0]"]);
    let design = design(&space, "i", "i", &["stream i"], &["i"]);
    let obligations = space_obligations(&design, &mesh()).unwrap();
    assert_eq!(variables(&obligations[3]), "T m i m_");
    assert_eq!(variables(obligations.last().unwrap()), "T m i i' T_");
}
