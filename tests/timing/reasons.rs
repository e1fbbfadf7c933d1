//! The reasons of obligations, in the words of the source.

use crate::hand_built::designs::{at_boundary, cannon, design, hex, kung_leiserson, mesh};
use crate::hand_built::spaces::{fir, matmul, polynomial};
use systole_base::network::Links;
use systole_compile::mapping::MappedSpace;
use systole_compile::timing::{fifo_depth_obligation, space_obligations};
use systole_program::obligation::{Kind, Reason};

fn reason(design: &MappedSpace, links: &Links, kind: Kind, of: &str) -> Reason {
    let stated = space_obligations(design, links).unwrap();
    stated.into_iter().find(|obligation| obligation.kind == kind && *obligation.of == *of).unwrap().reason
}

fn assert_reason(reason: &Reason, broken: &str, blame: &str, available: &str, needed: &str, help: &str) {
    assert_eq!(reason.broken, broken);
    assert_eq!(reason.blame, blame);
    assert_eq!(reason.available, available);
    assert_eq!(reason.needed, needed);
    assert_eq!(reason.help, help);
}

#[test]
fn an_operand_that_comes_too_late() {
    let space = matmul();
    let too_fast = design(&space, "i, j", "i + k", &["stream j", "stream i"], &["k"]);
    assert_reason(
        &reason(&too_fast, &mesh(), Kind::Causality, "A"),
        "operands of `C` do not meet",
        "leaves no step for A to travel along j",
        "available at  t = i + k + 1     A[i,k] from PE (i, j-1)",
        "needed at     t = i + k         at PE (i, j)",
        "every schedule needs time coefficient of j >= 1 on links of latency 1",
    );
}

#[test]
fn a_running_value_that_comes_too_late_over_several_links() {
    let space = matmul();
    assert_reason(
        &reason(&kung_leiserson(&space), &mesh(), Kind::Causality, "C"),
        "the running value of `C` is used before it is there",
        "leaves C less than 2 steps to travel along k",
        "available at  t = i + j + k + 1     C[i,j] from PE (i-k+1, j-k+1)",
        "needed at     t = i + j + k         at PE (i-k, j-k)",
        "every schedule needs time coefficient of k >= 2 over 2 links of latency 1",
    );
}

#[test]
fn directions_with_several_indices_name_their_coefficients() {
    let space = polynomial();
    let flat = design(&space, "i", "i + j", &["stream j", "stream i"], &["i - j"]);
    let reason = reason(&flat, &mesh(), Kind::Causality, "c");
    assert_eq!(reason.help, "every schedule needs time coefficients i - j >= 1 on links of latency 1");
    assert_eq!(reason.available, "available at  t = i + j + 1     c[i+j] from PE (i-1)");
}

#[test]
fn time_that_runs_backwards() {
    let space = fir();
    let backwards = design(&space, "k", "i + 2*k", &["prefetch", "stream i - k"], &["k"]);
    let reason = reason(&backwards, &mesh(), Kind::Causality, "x");
    assert_eq!(reason.blame, "lets x run backwards along i-k");
}

#[test]
fn a_vector_time_is_bounded_by_a_vector() {
    let space = matmul();
    let vector = design(&space, "i", "j, i + k", &["prefetch", "stream i"], &["k"]);
    let reason = reason(&vector, &mesh(), Kind::Causality, "C");
    assert_eq!(reason.help, "every schedule needs time coefficient of k >= (0, 1) on one PE");
    assert_eq!(reason.available, "available at  t = (j, i + k)     C[i,j] from PE (i)");
}

#[test]
fn two_points_on_one_pe() {
    let space = matmul();
    let flat = design(&space, "i, j", "i + j", &["stream j", "stream i"], &["k"]);
    assert_reason(
        &reason(&flat, &mesh(), Kind::PeConflict, "matmul"),
        "a PE runs two points of `matmul` at one time",
        "gives two points of one PE the same time",
        "one point at  t = i + j       on PE (i, j)",
        "another at    t = i' + j'     on PE (i', j')",
        "points that differ by <k> have the same PE and time; tell them apart in `time` or `place`",
    );
}

#[test]
fn a_bus_that_is_not_heard_in_time() {
    let space = matmul();
    let skewed = design(&space, "i, j", "j + k", &["broadcast j", "broadcast i"], &["k"]);
    assert_reason(
        &reason(&skewed, &mesh(), Kind::Alignment, "A"),
        "operands of `C` do not meet",
        "does not let the points of a line along j run when A is there",
        "on the bus at  t = j + k - m     A[i,k] along j",
        "needed at      t = j + k         at PE (i, j)",
        "every broadcast needs time coefficient of j = 0",
    );
}

#[test]
fn a_value_that_enters_inside() {
    let space = matmul();
    assert_reason(
        &reason(&at_boundary(kung_leiserson(&space)), &hex(), Kind::EdgeInjection, "A"),
        "`A` enters inside the array, not at its boundary",
        "puts points at which A enters inside the array",
        "enters at     PE (i-k, j-k)  from PE (i-k, j-k-1)",
        "needed there  no point on PE (i-k, j-k-1)",
        "choose a `place` that lets `A` enter at the boundary, or write `io anywhere`",
    );
}

#[test]
fn a_result_that_has_no_way_out() {
    let space = matmul();
    let reason = reason(&at_boundary(cannon(&space)), &mesh(), Kind::EdgeInjection, "C");
    assert_eq!(reason.available, "leaves at     PE (i, j)  with points on all PEs around it");
    assert_eq!(reason.needed, "needed there  a side without points");
}

#[test]
fn two_words_on_one_link() {
    let space = matmul();
    assert_reason(
        &reason(&cannon(&space), &mesh(), Kind::LinkConflict, "A"),
        "two words of `A` are on one link at one time",
        "lets two words of A meet on a link",
        "one word at  t = i + j + k        from PE (i, j) along j",
        "another at   t = i' + j' + k'     from PE (i', j') along j",
        "choose another direction for `A`, or a `time` that keeps its words apart",
    );
}

#[test]
fn a_channel_that_is_too_small() {
    let space = matmul();
    let design = cannon(&space);
    let short = fifo_depth_obligation(&design, &design.flows().unwrap()[0], 1, 1).unwrap();
    assert_reason(
        &short.reason,
        "a channel of depth 1 is too small for `A`",
        "sends a word of A along j while too many are on the way",
        "there is      room for 1 on the way along j",
        "needed        room for 2, each held from t = i + j + k to before t = i + j + k + 2",
        "depth 2 is enough, for every size",
    );
}

#[test]
fn a_register_that_is_too_small() {
    let space = fir();
    let interleaved = design(&space, "", "k, i", &["feed", "feed"], &["k"]);
    let reason = reason(&interleaved, &mesh(), Kind::FifoDepth, "y");
    assert_eq!(reason.broken, "a register is too small for `y`");
    assert!(reason.help.starts_with("let the points of a line along k follow each other on their PE"));
}
