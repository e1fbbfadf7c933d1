//! Operands that are reused along several directions and enter through one port: proved for all sizes, run as promised, and
//! refused where a later stream has no time or leaves the face it should run over.

use super::common::{Bench, Kernel, kernel, load, machine, shown};
use std::time::Duration;
use systole::extract::enumerate::verify;
use systole::extract::{Constraint, Found, search};
use systole::integer::Matrix;
use systole::machine::Machine;
use systole::mapping::SpaceDesign;
use systole::mapping::candidates::Bounds;
use systole::network::{Links, Network};
use systole::obligation::Kind;
use systole::rewrite::Transport;
use systole::smt::{Verdict, discharge_all};
use systole::timing::obligations;

const CONV2D: &str = "kernel conv2d(M, N, K, L)\nin W[K, L], X[M + K - 1, N + L - 1]\nout Y[M, N]\n\
    Y[i, j] = sum(k, l) W[k, l] * X[i + k, j + l]\n";
const SCALED: &str = "kernel scaled(M, N, K)\nin alpha, A[M, K], B[K, N]\nout C[M, N]\n\
    C[i, j] = sum(k) alpha * A[i, k] * B[k, j]\n";
/// The lines of `u` along `i` begin on the slanted face `i = k`.
const TRIANGLE: &str = "kernel triangle(N, M)\nin u[N], A[N, M, N]\nout y[N, M]\n\
    y[i, j] = sum(k in 0..i + 1) u[k] * A[i, j, k]\n";

/// A kernel with one schedule.
fn scheduled(text: &str, schedule: &str) -> Kernel {
    load(&format!("{text}schedule one\n{schedule}\n")).unwrap_or_else(|problems| panic!("{}", shown(&problems)))
}

/// What is not proved: the kind and the tensor.
fn refuted(kernel: &Kernel, machine: &Machine, found: &Found) -> Vec<(Kind, String)> {
    let stated = obligations(&kernel.design(found), &machine.links);
    let proofs =
        discharge_all(&stated.unwrap_or_else(|problems| panic!("{}", shown(&problems))), Duration::from_secs(60));
    let open = proofs.iter().filter(|proof| proof.verdict != Verdict::Proved);
    open.map(|proof| match &proof.verdict {
        Verdict::Refuted(_) => (proof.obligation.kind, proof.obligation.of.to_string()),
        other => panic!("{other:?}"),
    })
    .collect()
}

/// The best design of the schedule is proved, runs as promised at all sizes, and loads so many words of the tensor.
fn hold(kernel: &Kernel, machine: &Machine, tensor: &str, sizes: &[&[i64]], loads: impl Fn(&[i64]) -> i64) -> Found {
    let mut last = None;
    for values in sizes {
        let sizes = kernel.sizes(values);
        let found = kernel.scheduled("one", machine, &sizes).remove(0);
        assert_eq!(verify(&kernel.space, machine, &sizes, &found), Ok(found.cost));
        let bench = Bench::new(kernel, machine, sizes);
        assert_eq!(bench.hold(&found), Ok(()), "{values:?}");
        let outcome = bench.run(&bench.program(&found).expect("a program")).expect("a run");
        let traffic = outcome.counters.memory.iter().find(|(name, _)| **name == *tensor).expect("it is loaded");
        assert_eq!((traffic.1.loaded + traffic.1.prefetched) as i64, loads(values), "{values:?}");
        last = Some(found);
    }
    let found = last.expect("sizes");
    assert_eq!(refuted(kernel, machine, &found), [], "{found:?}");
    found
}

/// The same design at another step.
fn at_step(found: &Found, step: &[&[i64]]) -> Found {
    let rows = step.iter().map(|row| row.to_vec()).collect();
    let map = systole::mapping::SpaceTimeMap { step: Matrix::new(rows, step[0].len()), ..found.parts[0].map.clone() };
    Found { parts: vec![SpaceDesign { map, ..found.parts[0].clone() }], ..found.clone() }
}

const FOUR: [&[i64]; 5] = [&[3, 4, 2, 3], &[1, 1, 1, 1], &[2, 2, 2, 2], &[5, 2, 1, 3], &[1, 4, 3, 1]];

#[test]
fn the_weights_of_a_convolution_enter_through_one_port() {
    let text = "place (i, j) time (k, i + j + l) stream W along i, j feed X";
    let kernel = scheduled(CONV2D, text);
    let found = hold(&kernel, &machine(Network::Mesh), "W", &FOUR, |sizes| sizes[2] * sizes[3]);
    assert_eq!(found.parts[0].dataflow.transports[0], Transport::Tree(vec![vec![1, 0, 0, 0], vec![0, 1, 0, 0]]));
    let other = scheduled(CONV2D, &text.replace("i, j feed", "j, i feed"));
    hold(&other, &machine(Network::Mesh), "W", &FOUR, |sizes| sizes[2] * sizes[3]);
}

#[test]
fn a_second_stream_without_time_is_refuted() {
    let kernel = scheduled(CONV2D, "place (i, j) time (k, i + j + l) stream W along i, j feed X");
    let links = machine(Network::Mesh);
    let found = kernel.scheduled("one", &links, &kernel.sizes(&[2, 2, 2, 2])).remove(0);
    let late = at_step(&found, &[&[0, 0, 1, 0], &[1, 0, 0, 1]]);
    assert_eq!(refuted(&kernel, &links, &late), [(Kind::Causality, "W".to_owned())]);
    let slow = Machine { links: Links { latency: 2, ..Links::default() }, ..Machine::default() };
    assert_eq!(refuted(&kernel, &slow, &at_step(&found, &[&[0, 0, 1, 0], &[2, 2, 0, 1]])), []);
    let late = at_step(&found, &[&[0, 0, 1, 0], &[2, 1, 0, 1]]);
    assert_eq!(refuted(&kernel, &slow, &late), [(Kind::Causality, "W".to_owned())]);
}

#[test]
fn slow_links_and_backward_streams() {
    let slow = Machine { links: Links { latency: 2, ..Links::default() }, ..Machine::default() };
    let kernel = scheduled(CONV2D, "place (i, j) time (k, 2*i - 3*j + l) stream W along i, -j feed X");
    hold(&kernel, &slow, "W", &FOUR, |sizes| sizes[2] * sizes[3]);
}

/// Lines of the image along `i - k` begin on two faces of the space; lines along `j - l` run within both.
#[test]
fn the_image_is_loaded_once_where_its_lines_begin_on_two_faces() {
    let kernel = scheduled(CONV2D, "place (i + k, j) time (l, i + 2*k - j) stream X along i - k, j - l feed W");
    let loads = |sizes: &[i64]| (sizes[0] + sizes[2] - 1) * (sizes[1] + sizes[3] - 1);
    let found = kernel.scheduled("one", &machine(Network::Mesh), &kernel.sizes(&[3, 3, 2, 2]));
    assert_eq!(found.len(), 0, "X has no time along j - l");
    let kernel = scheduled(CONV2D, "place (i + k, j) time (l, i + 2*k - j) stream X along k - i, l - j feed W");
    hold(&kernel, &machine(Network::Mesh), "X", &FOUR, loads);
}

#[test]
fn a_number_has_one_transport_and_enters_once() {
    let kernel = scheduled(SCALED, "place (i, j) time i + j + k stream alpha along i, j, k stream A stream B");
    let sizes: [&[i64]; 5] = [&[3, 4, 2], &[1, 1, 1], &[2, 2, 2], &[4, 1, 3], &[1, 3, 2]];
    let found = hold(&kernel, &machine(Network::Mesh), "alpha", &sizes, |_| 1);
    assert_eq!(found.parts[0].dataflow.transports[0].streams().len(), 3);
    let late = at_step(&found, &[&[1, 0, 1]]);
    assert!(refuted(&kernel, &machine(Network::Mesh), &late).contains(&(Kind::Causality, "alpha".to_owned())));
    let open = load(SCALED).expect("a kernel");
    let designs = open.constrained(&machine(Network::Mesh), &open.sizes(&[2, 2, 2]), Constraint::default());
    assert!(
        designs.iter().all(|found| found.parts[0].dataflow.transports[0] == Transport::Prefetch),
        "known unless asked for"
    );
}

#[test]
fn heads_on_a_slanted_face_pass_words_along_it() {
    let kernel = scheduled(TRIANGLE, "place (i, j) time i + j + k stream u along i, j feed A");
    let sizes: [&[i64]; 4] = [&[4, 3], &[1, 1], &[2, 2], &[5, 1]];
    hold(&kernel, &machine(Network::Mesh), "u", &sizes, |sizes| sizes[0]);
    let turned = scheduled(TRIANGLE, "place (i, j) time i + j + k stream u along j, i feed A");
    hold(&turned, &machine(Network::Mesh), "u", &sizes, |sizes| sizes[0]);
}

/// Designs with a tree among all at some places, one in so many.
fn branching(kernel: &Kernel, place: &[&[i64]], sizes: &[i64], stride: usize) -> Vec<Found> {
    let (machine, dimension) = (machine(Network::Mesh), kernel.space.dimension());
    let place = Matrix::new(place.iter().map(|row| row.to_vec()).collect(), dimension);
    let constraint = Constraint { places: vec![Some(place)], ..Constraint::default() };
    let bounds = Bounds { steps: (-1, 1), ..Bounds::for_dimension(dimension) };
    let sizes = kernel.sizes(sizes);
    let problem = kernel.problem(&machine, bounds, &sizes, constraint).expect("a problem");
    let branches = |found: &Found| found.parts[0].dataflow.transports.iter().any(|choice| choice.streams().len() > 1);
    search(&problem, true, &|_, _| true).all.into_iter().filter(branches).step_by(stride).collect()
}

/// All of them run as promised, and every few of them are proved. How many there were, and in how many a later stream stays.
fn hold_branching(kernel: &Kernel, place: &[&[i64]], all: &[&[i64]], stride: usize) -> [usize; 2] {
    let machine = machine(Network::Mesh);
    let mut held = [0, 0];
    for sizes in all {
        let bench = Bench::new(kernel, &machine, kernel.sizes(sizes));
        for (number, found) in branching(kernel, place, sizes, stride).iter().enumerate() {
            assert_eq!(bench.hold(found), Ok(()));
            if number % 16 == 0 {
                assert_eq!(refuted(kernel, &machine, found), [], "{found:?}");
            }
            let later = found.parts[0].dataflow.transports.iter().flat_map(|choice| choice.streams().iter().skip(1));
            let stays = |along: &Vec<i64>| found.parts[0].map.displacement(along).iter().all(|entry| *entry == 0);
            held = [held[0] + 1, held[1] + usize::from(later.into_iter().any(stays))];
        }
    }
    held
}

const CUBES: [&[i64]; 3] = [&[2, 3, 2, 3], &[1, 2, 1, 2], &[1, 1, 1, 1]];

#[test]
fn every_tree_of_a_convolution_keeps_its_promises() {
    let kernel = kernel("conv2d.rec");
    let places: [&[&[i64]]; 3] =
        [&[&[1, 0, 0, 0], &[0, 1, 0, 0]], &[&[1, 0, 1, 0], &[0, 1, 0, 0]], &[&[0, 0, 1, 0], &[0, 0, 0, 1]]];
    let held = places.map(|place| hold_branching(&kernel, place, &CUBES, 17));
    assert!(held.iter().all(|[held, _]| *held > 0) && held.iter().any(|[_, stay]| *stay > 0), "{held:?}");
}

#[test]
fn every_tree_of_tensor_products_keeps_its_promises() {
    for (name, other, stride) in [("mttkrp.rec", [0, 1, 0, 0], 499), ("ttm.rec", [0, 0, 0, 1], 61)] {
        let kernel = kernel(name);
        for place in [&[&[1, 0, 0, 0][..], &[0, 1, 0, 0]][..], &[&[0, 0, 1, 0], &other]] {
            let held = hold_branching(&kernel, place, &CUBES, stride);
            assert!(held[0] > 0, "{name} {place:?}");
        }
    }
}

#[test]
fn a_stream_that_leaves_its_face_is_refused() {
    let kernel = scheduled(CONV2D, "place (i, j) time (k, i + j + l) stream W along i, j feed X");
    let links = machine(Network::Mesh);
    let mut found = kernel.scheduled("one", &links, &kernel.sizes(&[2, 2, 2, 2])).remove(0);
    found.parts[0].dataflow.transports[0] = Transport::Tree(vec![vec![1, 1, 0, 0], vec![0, 1, 0, 0]]);
    let refusal = obligations(&kernel.design(&found), &links.links).expect_err("lines along j leave a face");
    assert!(refusal[0].message().contains("cannot reach the heads of its lines along <i+j>"), "{refusal:?}");
    let astray = scheduled(CONV2D, "place (i, j) time (k, i + j + l) stream W along i + j, j feed X");
    let constraint = Constraint::from_schedule(&astray.spaces, &astray.system.schedules[0]).expect("a constraint");
    let refusal =
        constraint.restrict(&astray.spaces, std::slice::from_ref(&astray.choices)).expect_err("no rule offers it");
    assert_eq!(refusal[0].message(), "`W` cannot be moved by `stream <i+j>, <j>`");
}
