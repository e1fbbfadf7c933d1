//! No deadlock: proved for the designs of the literature at all sizes, refuted at the smallest case for their twins.

use crate::agreement::{checked, refuted};
use crate::hand_built::designs::{cannon, design, hex, kung_leiserson, mesh};
use crate::hand_built::spaces::{fir, matmul, mttkrp};
use systole_base::network::Links;
use systole_compile::mapping::MappedSpace;
use systole_compile::timing::{PeOrder, space_no_deadlock_obligations};

/// What is refuted of a design, each as brute force finds it: the tensor and the counterexample.
fn refutations(design: &MappedSpace, links: &Links, depth: Option<u64>, turns: PeOrder) -> Vec<(String, String)> {
    let stated = space_no_deadlock_obligations(design, links, depth, turns).unwrap();
    let largest = if design.space.parameters.len() > 3 { 2 } else { 3 };
    refuted(&checked(&stated, largest)).into_iter().map(|(_, of, case)| (of, case)).collect()
}

fn assert_proved(design: &MappedSpace, links: &Links) {
    assert_eq!(refutations(design, links, None, PeOrder::AsTheyCan), []);
}

#[test]
fn products_of_the_literature_are_proved() {
    let space = matmul();
    assert_proved(&cannon(&space), &mesh());
    assert_proved(&kung_leiserson(&space), &hex());
    for (place, time, a, b) in [
        ("i, k", "i + j + k", "prefetch", "stream i"),
        ("k, j", "i + j + k", "stream j", "stream i"),
        ("i, j", "k", "broadcast j", "broadcast i"),
        ("i, j", "i + k", "broadcast j", "stream i"),
        ("i", "j, i + k", "prefetch", "stream i"),
    ] {
        assert_proved(&design(&space, place, time, &[a, b], &["k"]), &mesh());
    }
}

#[test]
fn so_are_filters_and_reductions_over_two_indices() {
    let space = fir();
    assert_proved(&design(&space, "k", "2*i + k", &["prefetch", "stream i - k"], &["k"]), &mesh());
    assert_proved(&design(&space, "k", "i + 2*k", &["prefetch", "stream -1*i + k"], &["k"]), &mesh());
    assert_proved(&design(&space, "i", "2*i + k", &["stream i", "stream i - k"], &["k"]), &mesh());
    let space = mttkrp();
    let streams = ["stream j", "stream i", "stream i"];
    assert_proved(&design(&space, "i, j", "k, i + j + l", &streams, &["l", "k"]), &mesh());
}

#[test]
fn a_word_is_not_there_in_the_step_in_which_it_is_given() {
    let space = matmul();
    let early = design(&space, "i, j", "i + k", &["stream j", "stream i"], &["k"]);
    let case = ("A".to_owned(), "M = 1, N = 2, K = 1: point (0, 1, 0)".to_owned());
    assert_eq!(refutations(&early, &mesh(), None, PeOrder::AsTheyCan), [case]);
}

#[test]
fn one_slot_less_than_a_hop_has_steps_is_refuted() {
    let space = matmul();
    for steps in [1, 2, 3] {
        let time = format!("{steps}*i + {steps}*j + k");
        let slow = design(&space, "i, j", &time, &["stream j", "stream i"], &["k"]);
        assert_eq!(refutations(&slow, &mesh(), Some(steps), PeOrder::AsTheyCan), [], "{steps}");
        let short = refutations(&slow, &mesh(), Some(steps - 1), PeOrder::AsTheyCan);
        assert_eq!(short.len(), 2, "{steps}: {short:?}");
        assert!(short[0].1.starts_with(&format!("M = 1, N = 2, K = {steps}: point")), "{short:?}");
    }
}

/// A fold of workers that run their PEs one after the other.
#[test]
fn a_broken_fold_is_refuted() {
    let space = matmul();
    let found = refutations(&cannon(&space), &mesh(), None, PeOrder::OneAfterTheOther);
    let case = |of: &str, sizes: &str| (of.to_owned(), format!("{sizes}: points (0, 0, 0), (0, 0, 1) and (0, 0, 2)"));
    assert_eq!(found, [case("A", "M = 1, N = 2, K = 3"), case("B", "M = 2, N = 1, K = 3")]);
    let summa = design(&space, "i, j", "k", &["broadcast j", "broadcast i"], &["k"]);
    assert_eq!(refutations(&summa, &mesh(), None, PeOrder::OneAfterTheOther), [], "buses keep their words");
    let behind = refutations(&kung_leiserson(&space), &hex(), None, PeOrder::OneAfterTheOther);
    assert!(behind.iter().any(|(of, _)| of == "C"), "C runs towards PEs that have ended: {behind:?}");
}
