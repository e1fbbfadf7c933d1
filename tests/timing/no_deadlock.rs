//! What `no-deadlock` states, its twins, and that its formulas allow no circle of waits in a graph that is built by playing the
//! design, where they are not violated.

use crate::hand_built::brute_force::smallest_violation;
use crate::hand_built::designs::{cannon, design, has_slanted_bus, hex, kung_leiserson, mesh};
use crate::hand_built::spaces::{fir, matmul, polynomial};
use crate::waits::{is_in_order, stands_still};
use proptest::prelude::*;
use systole_base::network::Links;
use systole_compile::mapping::MappedSpace;
use systole_compile::timing::{PeOrder, space_no_deadlock_obligations};
use systole_program::obligation::{Kind, Obligation};

fn stated(design: &MappedSpace, links: &Links, depth: Option<u64>, turns: PeOrder) -> Vec<Obligation> {
    space_no_deadlock_obligations(design, links, depth, turns).unwrap()
}

/// What is violated at sizes up to `largest`: the tensor and the smallest values.
fn violated(obligations: &[Obligation], largest: i64) -> Vec<(String, Vec<i64>)> {
    let smallest = |one: &Obligation| Some((one.of.to_string(), smallest_violation(one, largest)?));
    obligations.iter().filter_map(smallest).collect()
}

/// At the depths of the program, workers running their PEs as they can.
fn holds(design: &MappedSpace, links: &Links) -> bool {
    violated(&stated(design, links, None, PeOrder::AsTheyCan), 3).is_empty()
}

#[test]
fn a_channel_owes_its_words_and_its_room_and_a_bus_its_drives() {
    let space = matmul();
    let listed = |design: &MappedSpace| {
        let all = stated(design, &mesh(), None, PeOrder::AsTheyCan);
        assert!(all.iter().all(|one| one.kind == Kind::NoDeadlock));
        all.iter().map(|one| format!("{} {}", one.of, one.points.len())).collect::<Vec<_>>()
    };
    assert_eq!(listed(&cannon(&space)), ["A 1", "A 3", "B 1", "B 3"]);
    let pumma = design(&space, "i, j", "i + k", &["broadcast j", "stream i"], &["k"]);
    assert_eq!(listed(&pumma), ["B 1", "B 3", "A 1"]);
    assert_eq!(listed(&design(&space, "i, j", "k", &["feed", "prefetch"], &["k"])), [""; 0], "nothing waits");
}

#[test]
fn designs_of_the_literature_hold() {
    let (product, filter) = (matmul(), fir());
    assert!(holds(&cannon(&product), &mesh()));
    assert!(holds(&kung_leiserson(&product), &hex()));
    assert!(holds(&design(&product, "i, j", "k", &["broadcast j", "broadcast i"], &["k"]), &mesh()));
    assert!(holds(&design(&product, "i", "j, i + k", &["prefetch", "stream i"], &["k"]), &mesh()), "vector time");
    assert!(holds(&design(&filter, "k", "i + 2*k", &["prefetch", "stream -1*i + k"], &["k"]), &mesh()));
    assert!(holds(&design(&filter, "i", "2*i + k", &["stream i", "stream i - k"], &["k"]), &mesh()));
}

#[test]
fn a_reader_that_runs_one_step_too_early() {
    let space = matmul();
    let early = design(&space, "i, j", "i + k", &["stream j", "stream i"], &["k"]);
    let found = violated(&stated(&early, &mesh(), None, PeOrder::AsTheyCan), 3);
    // Both are at time 0: what is given in a step is not there to be taken in it.
    assert_eq!(found, [("A".to_owned(), vec![1, 2, 1, 0, 1, 0])]);
    let late = design(&space, "i, j", "k - j", &["broadcast j", "feed"], &["k"]);
    let found = violated(&stated(&late, &mesh(), None, PeOrder::AsTheyCan), 3);
    assert_eq!(found, [("A".to_owned(), vec![1, 2, 1, 0, 1, 0, 1])]);
}

#[test]
fn one_slot_less_than_a_hop_has_steps() {
    let space = matmul();
    let slow = design(&space, "i, j", "2*i + 2*j + k", &["stream j", "stream i"], &["k"]);
    let at = |depth| violated(&stated(&slow, &mesh(), Some(depth), PeOrder::AsTheyCan), 3);
    assert_eq!(at(2), []);
    let words = vec![1, 2, 2, 0, 0, 0, 0, 0, 1];
    assert_eq!(at(1), [("A".to_owned(), words.clone()), ("B".to_owned(), [&[2, 1], &words[2..]].concat())]);
}

/// The twin of a fold: a worker that runs its PEs one after the other. PE (0, 0) gives three words, and there is room for two.
#[test]
fn pes_that_are_run_one_after_the_other_stand_still() {
    let space = matmul();
    let (cannon, turns) = (cannon(&space), PeOrder::OneAfterTheOther);
    let words = [0, 0, 0, 0, 0, 1, 0, 0, 2];
    let found = violated(&stated(&cannon, &mesh(), None, turns), 3);
    let at = |sizes: [i64; 3]| sizes.into_iter().chain(words).collect::<Vec<i64>>();
    assert_eq!(found, [("A".to_owned(), at([1, 2, 3])), ("B".to_owned(), at([2, 1, 3]))]);
    for sizes in (1..=4).flat_map(|m| (1..=4).flat_map(move |n| (1..=4).map(move |k| [m, n, k]))) {
        let [m, n, k] = sizes;
        assert_eq!(stands_still(&cannon, &sizes, 2, turns), k > 2 && (m > 1 || n > 1), "{sizes:?}");
        assert!(!stands_still(&cannon, &sizes, 2, PeOrder::AsTheyCan), "{sizes:?}");
    }
    // Words on buses wait for nothing, and the heads of SUMMA's lines come first.
    let summa = design(&space, "i, j", "k", &["broadcast j", "broadcast i"], &["k"]);
    assert_eq!(violated(&stated(&summa, &mesh(), None, turns), 3), []);
    let backwards = design(&space, "i, j", "k", &["broadcast -1*j", "broadcast i"], &["k"]);
    assert_eq!(violated(&stated(&backwards, &mesh(), None, turns), 3).len(), 1);
}

#[test]
fn what_it_says() {
    let space = matmul();
    let early = design(&space, "i, j", "i + k", &["stream j", "stream i"], &["k"]);
    let reason = &stated(&early, &mesh(), None, PeOrder::AsTheyCan)[0].reason;
    assert_eq!(reason.broken, "a word of `A` is taken no later than it is given");
    assert_eq!(reason.blame, "takes a word of A along j no later than it gives it");
    assert_eq!(reason.available, "given at  t = i + k     A[i,k] by PE (i, j-1)");
    assert_eq!(reason.needed, "taken at  t = i + k     by PE (i, j)");
    assert_eq!(reason.help, "every schedule needs time coefficient of j >= 1");
    let reason = &stated(&cannon(&space), &mesh(), Some(1), PeOrder::AsTheyCan)[1].reason;
    assert_eq!(reason.broken, "a word of `A` waits for room that comes later, in a channel of depth 1");
    assert_eq!(reason.blame, "gives a word of A along j before there is room for it");
    assert_eq!(reason.available, "room from  t = i + j + k + 1     when PE (i, j+1) takes the first word");
    assert_eq!(reason.needed, "given at   t = i' + j' + k'      word 2 by PE (i', j')");
    assert_eq!(reason.help, "depth 2 is enough, for every size");
    let skewed = design(&space, "i, j", "k - j", &["broadcast j", "feed"], &["k"]);
    let reason = &stated(&skewed, &mesh(), None, PeOrder::AsTheyCan)[0].reason;
    assert_eq!(reason.broken, "a word of `A` is heard before it is driven");
    assert_eq!(reason.available, "driven at  t = k + m - j     A[i,k] by PE (i, j-m)");
    assert_eq!(reason.needed, "heard at   t = k - j         by PE (i, j)");
    assert_eq!(reason.help, "give each PE a port of its own with `feed A`");
}

#[test]
fn what_cannot_be_stated_is_refused() {
    let space = matmul();
    let refused = |design: &MappedSpace, depth| {
        let problems = space_no_deadlock_obligations(design, &mesh(), depth, PeOrder::AsTheyCan).unwrap_err();
        problems[0].message().to_owned()
    };
    let growing = design(&space, "i", "i + j, k", &["prefetch", "stream i"], &["k"]);
    assert_eq!(refused(&growing, None), "`B` needs a FIFO that grows with the sizes along <i>");
    assert_eq!(refused(&cannon(&space), Some(65)), "`A` needs a FIFO of depth 65, and no more than 64 is proved");
    assert_eq!(
        refused(&design(&space, "i, j", "", &["feed", "feed"], &["k"]), None),
        "the points of `matmul` have no time"
    );
}

/// Every choice of sizes up to `largest`.
fn all_sizes(design: &MappedSpace, largest: i64) -> Vec<Vec<i64>> {
    let grow = |sizes: Vec<Vec<i64>>, _| -> Vec<Vec<i64>> {
        sizes.iter().flat_map(|prefix| (1..=largest).map(|size| [prefix.as_slice(), &[size]].concat())).collect()
    };
    design.space.parameters.iter().fold(vec![vec![]], grow)
}

/// Where no formula is violated, no waits go round in a circle. Of PEs that are run one after the other the reverse holds as
/// well, since all that the worker does has one order. `None` where PEs do two things at one time.
fn agrees(design: &MappedSpace, depth: usize, turns: PeOrder, largest: i64) -> Option<bool> {
    let sizes = all_sizes(design, largest);
    sizes.iter().all(|sizes| is_in_order(design, sizes)).then_some(())?;
    let is_violated = !violated(&stated(design, &mesh(), Some(depth as u64), turns), largest).is_empty();
    let has_circle = sizes.iter().any(|sizes| stands_still(design, sizes, depth, turns));
    Some(match turns {
        PeOrder::AsTheyCan => is_violated || !has_circle,
        PeOrder::OneAfterTheOther => is_violated == has_circle,
    })
}

fn form(indices: &[&str], coefficients: &[i64]) -> String {
    let terms: Vec<String> = indices.iter().zip(coefficients).map(|(index, c)| format!("{c}*{index}")).collect();
    terms.join(" + ")
}

fn turns() -> impl Strategy<Value = PeOrder> {
    prop::sample::select(vec![PeOrder::AsTheyCan, PeOrder::OneAfterTheOther])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn filters(
        place in proptest::collection::vec(-2i64..=2, 2),
        time in proptest::collection::vec(-1i64..=3, 2),
        w in prop::sample::select(vec!["stream i", "broadcast i", "prefetch"]),
        x in prop::sample::select(vec!["stream i - k", "stream -1*i + k", "broadcast i - k", "feed"]),
        chain in prop::sample::select(vec!["k", "-1*k"]),
        depth in 1usize..4,
        turns in turns(),
    ) {
        let space = fir();
        let random = design(&space, &form(&["i", "k"], &place), &form(&["i", "k"], &time), &[w, x], &[chain]);
        let agrees = agrees(&random, depth, turns, 4);
        prop_assume!(agrees.is_some());
        prop_assert_eq!(agrees, Some(true));
    }

    #[test]
    fn polynomial_products(
        place in proptest::collection::vec(-2i64..=2, 2),
        time in proptest::collection::vec(-1i64..=3, 2),
        a in prop::sample::select(vec!["stream j", "broadcast j"]),
        b in prop::sample::select(vec!["stream i", "stream -1*i", "feed"]),
        depth in 1usize..4,
        turns in turns(),
    ) {
        let space = polynomial();
        let random = design(&space, &form(&["i", "j"], &place), &form(&["i", "j"], &time), &[a, b], &["i - j"]);
        let agrees = agrees(&random, depth, turns, 4);
        prop_assume!(agrees.is_some());
        prop_assert_eq!(agrees, Some(true));
    }

    #[test]
    fn products_of_matrices(
        rows in proptest::collection::vec(proptest::collection::vec(-1i64..=1, 3), 2),
        time in proptest::collection::vec(0i64..=2, 3),
        a in prop::sample::select(vec!["stream j", "broadcast j", "broadcast -1*j"]),
        b in prop::sample::select(vec!["stream i", "broadcast i"]),
        depth in 1usize..3,
        turns in turns(),
    ) {
        let (space, indices) = (matmul(), ["i", "j", "k"]);
        let place = format!("{}, {}", form(&indices, &rows[0]), form(&indices, &rows[1]));
        let random = design(&space, &place, &form(&indices, &time), &[a, b], &["k"]);
        prop_assume!(!has_slanted_bus(&random));
        let agrees = agrees(&random, depth, turns, 3);
        prop_assume!(agrees.is_some());
        prop_assert_eq!(agrees, Some(true));
    }
}
