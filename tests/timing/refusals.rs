//! Designs for which nothing can be stated are refused with the reason.

use crate::hand_built::designs::{cannon, design, hex, kung_leiserson, mesh};
use crate::hand_built::forms::form;
use crate::hand_built::spaces::{matmul, mttkrp, triangle};
use systole_base::integer::Matrix;
use systole_base::network::{Links, Network};
use systole_compile::mapping::MappedSpace;
use systole_compile::timing::space_obligations;

/// The first lines of all messages.
fn refused(design: &MappedSpace, links: &Links) -> Vec<String> {
    let problems = space_obligations(design, links).unwrap_err();
    problems.iter().map(|problem| problem.message().to_owned()).collect()
}

#[test]
fn a_displacement_without_a_link_names_tensor_direction_and_network() {
    let space = matmul();
    let wire = Links { network: Network::Wire, ..mesh() };
    assert!(space_obligations(&cannon(&space), &wire).is_ok());
    let problems = space_obligations(&kung_leiserson(&space), &wire).unwrap_err();
    assert_eq!(problems.len(), 1);
    let text = problems[0].to_string();
    assert!(text.starts_with("`C` cannot travel along <k> on a `wire` network"), "{text}");
    assert!(text.contains("(-1, -1)"), "{text}");
}

#[test]
fn all_missing_links_are_named_at_once() {
    let space = matmul();
    let wide = design(&space, "2*i, 2*j", "2*i + 2*j + k", &["stream j", "stream i"], &["k"]);
    assert_eq!(refused(&wide, &hex()).len(), 2);
}

#[test]
fn a_hexagonal_network_has_one_diagonal() {
    let space = matmul();
    let crossing = design(&space, "i - k, j - k", "i + j + 2*k", &["stream j", "stream i"], &["k"]);
    assert!(space_obligations(&crossing, &hex()).is_ok());
    let crossing = design(&space, "i + j, i - j", "i + j + k", &["stream j", "stream i"], &["k"]);
    assert_eq!(refused(&crossing, &hex()), ["the flows need both diagonals of a `hex` network"]);
    assert!(space_obligations(&crossing, &Links { network: Network::King, ..mesh() }).is_ok());
}

#[test]
fn a_line_has_no_arrays_of_rank_two() {
    let line = Links { network: Network::Line, ..mesh() };
    assert_eq!(refused(&cannon(&matmul()), &line), ["a `line` network has no arrays of rank 2"]);
}

#[test]
fn a_channel_that_grows_with_the_sizes_is_refused() {
    let space = matmul();
    let growing = design(&space, "i", "i + j, k", &["prefetch", "stream i"], &["k"]);
    assert_eq!(refused(&growing, &mesh()), ["`B` needs a FIFO that grows with the sizes along <i>"]);
    let bounded = design(&space, "i", "j, i + k", &["prefetch", "stream i"], &["k"]);
    assert!(space_obligations(&bounded, &mesh()).is_ok());
}

#[test]
fn a_channel_too_deep_to_tell_its_words_apart_is_refused() {
    let space = matmul();
    let time = |a: i64| format!("{a}*i + {a}*j + k");
    let deep = |a| design(&space, "i, j", &time(a), &["stream j", "stream i"], &["k"]);
    assert!(space_obligations(&deep(63), &mesh()).is_ok());
    let expected = "`A` needs a FIFO of depth 65, and no more than 64 is proved";
    assert_eq!(refused(&deep(64), &mesh())[0], expected);
}

#[test]
fn a_design_without_time_is_refused() {
    let space = matmul();
    assert_eq!(
        refused(&design(&space, "i, j", "", &["feed", "feed"], &["k"]), &mesh()),
        ["the points of `matmul` have no time"]
    );
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let space = matmul();
    let expected = ["the design does not fit the 3 indices of `matmul`"];
    let missing = design(&space, "i, j", "i + j + k", &["stream j"], &["k"]);
    assert_eq!(refused(&missing, &mesh()), expected);
    let mut narrow = cannon(&space);
    narrow.map.place = Matrix::identity(2);
    assert_eq!(refused(&narrow, &mesh()), expected);
}

#[test]
fn numbers_beyond_reckoning_are_refused() {
    let space = matmul();
    let expected = ["the schedule of `matmul` has a number beyond 100000"];
    let huge = design(&space, "i, j", "9000000000000000000*i + j + k", &["stream j", "stream i"], &["k"]);
    assert_eq!(refused(&huge, &mesh()), expected);
    assert_eq!(refused(&cannon(&space), &Links { latency: i64::MIN, ..mesh() }), expected);
    assert_eq!(refused(&cannon(&space), &Links { response: i64::MAX, ..mesh() }), expected);
}

#[test]
fn long_directions_and_huge_domains_are_refused() {
    let space = matmul();
    let long = design(&space, "i, j", "i + j + k", &["stream 101*j", "stream i"], &["k"]);
    assert_eq!(refused(&long, &mesh()), ["a direction of `matmul` has a number beyond 100"]);
    let mut space = matmul();
    space.domain.set.add(form("9000000000000000000 - i"));
    assert_eq!(refused(&cannon(&space), &mesh()), ["the equation of `matmul` has a number beyond 1000000000000"]);
}

#[test]
fn a_value_that_changes_along_its_line_is_refused() {
    let space = matmul();
    let wrong = design(&space, "i, j", "i + j + k", &["stream k", "broadcast j"], &["i"]);
    let problems = space_obligations(&wrong, &mesh()).unwrap_err();
    let messages: Vec<&str> = problems.iter().map(|problem| problem.message()).collect();
    assert_eq!(messages, ["`A` changes along <k>", "`B` changes along <j>", "`C` changes along <i>"]);
    assert_eq!(problems[0].help_text(), Some("`A` stays the same along <j>"));
    let nowhere = design(&space, "i, j", "i + j + k", &["stream 0*j", "stream i"], &["k"]);
    assert_eq!(refused(&nowhere, &mesh()), ["the direction of `A` is zero"]);
}

#[test]
fn links_that_take_no_time_are_refused() {
    let expected = ["a link takes at least 1 cycle, and a response at least 0"];
    assert_eq!(refused(&cannon(&matmul()), &Links { latency: 0, ..mesh() }), expected);
    assert_eq!(refused(&cannon(&matmul()), &Links { response: -1, ..mesh() }), expected);
}

#[test]
fn lines_that_end_on_several_faces_cannot_be_reduced_again() {
    let space = mttkrp();
    let streams = ["stream j", "stream i", "stream i"];
    let slanted = design(&space, "i, j", "k, i + j + l", &streams, &["k + l", "k"]);
    assert_eq!(refused(&slanted, &mesh()), ["the lines that `D` is reduced along do not end on one face"]);
    let space = triangle();
    assert!(space_obligations(&design(&space, "i", "i + j", &["feed", "stream i"], &["j"]), &mesh()).is_ok());
}

#[test]
fn a_bus_that_runs_along_no_axis() {
    let space = matmul();
    let slanted = design(&space, "i, i + j", "k", &["broadcast j", "broadcast i"], &["k"]);
    let problems = space_obligations(&slanted, &mesh()).unwrap_err();
    assert_eq!(problems[0].message(), "a bus for `B` would run along (1, 1)");
    assert!(space_obligations(&design(&space, "i, j", "k", &["broadcast j", "broadcast i"], &["k"]), &mesh()).is_ok());
}
