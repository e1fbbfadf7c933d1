//! What the links of one array owe to all spaces together: both diagonals, words that meet on their way, and the order in
//! which words are taken, which is owed to no obligation of its own.

use crate::common::{Kernel, Line, kernel, shown};
use crate::obligations::{refutations, slow, the_handoff, two_steps};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Bindings, Vector};
use systole_base::network::{Links, Network};
use systole_compile::mapping::Design;
use systole_compile::timing::obligations;
use systole_program::obligation::Kind;

fn on(network: Network) -> Links {
    Links { network, ..Links::default() }
}

/// Two recurrences on one grid; `X` comes from one side, `Y` from the other or from the same.
fn crossing(side: &str) -> Kernel {
    kernel(&format!(
        "kernel crossing(N)\nin A[N + 2, N + 2]\nout X[N + 2, N + 2], Y[N + 2, N + 2]
X[i, j] = 1   where i == 0\nX[i, j] = 2   where i >= 1, j == 0\nX[i, j] = 3   where i >= 1, j == N + 1
X[i, j] = X[i - 1, j - 1] + A[i, j]   where i >= 1, 1 <= j <= N
Y[i, j] = 1   where i == 0\nY[i, j] = 2   where i >= 1, j == 0\nY[i, j] = 3   where i >= 1, j == N + 1
Y[i, j] = Y[i - 1, {side}] + A[i, j]   where i >= 1, 1 <= j <= N"
    ))
}

const ON_ONE_GRID: &[Line] =
    &[("X", "i, j", "2*i", &["handoff", "feed"], &[]), ("Y", "i, j", "2*i+1", &["handoff", "feed"], &[])];

#[test]
fn the_spaces_of_a_hexagonal_array_share_its_diagonal() {
    let (same, other) = (crossing("j - 1"), crossing("j + 1"));
    assert_eq!(refutations(&same, &same.design(ON_ONE_GRID), &on(Network::Hex)), []);
    assert_eq!(refutations(&other, &other.design(ON_ONE_GRID), &on(Network::King)), []);
    let message = shown(&obligations(&other.design(ON_ONE_GRID), &on(Network::Hex)).expect_err("it is refused"));
    assert!(message.contains("the flows need both diagonals of a `hex` network"), "{message}");
    assert!(message.contains("`X` moves by (1, 1), `Y` moves by (1, -1)"), "{message}");
    assert!(message.contains("a `king` network has both diagonals"), "{message}");
}

/// `a` is the same along the diagonal that the sums do not take.
#[test]
fn streams_and_handoffs_share_the_diagonal() {
    let slant = kernel(
        "kernel slant(N)\nin a[2*N + 1]\nout Y[N + 1, N + 1]\nY[0, j] = 1\nY[i, 0] = 2   where 1 <= i
Y[i, j] = Y[i - 1, j - 1] + a[i + j]   where 1 <= i, 1 <= j",
    );
    let (streamed, fed): ([Line; 1], [Line; 1]) =
        ([("Y", "i, j", "i", &["handoff", "stream i-j"], &[])], [("Y", "i, j", "i", &["handoff", "feed"], &[])]);
    assert_eq!(refutations(&slant, &slant.design(&fed), &on(Network::Hex)), []);
    assert_eq!(refutations(&slant, &slant.design(&streamed), &on(Network::King)), []);
    let message = shown(&obligations(&slant.design(&streamed), &on(Network::Hex)).expect_err("it is refused"));
    assert!(message.contains("`a` moves by (1, -1), `Y` moves by (1, 1)"), "{message}");
}

/// `Z` takes its word two PEs away.
fn two_away<'a>(y: &'a str, z: &'a str) -> [Line<'a>; 2] {
    [("Y", "i", y, &["feed"], &[]), ("Z", "i+2", z, &["handoff"], &[])]
}

/// The kinds that are refuted, every verdict equal to that of brute force.
fn broken(kernel: &Kernel, lines: &[Line], links: &Links) -> Vec<Kind> {
    refutations(kernel, &kernel.design(lines), links).into_iter().map(|(kind, _, _)| kind).collect()
}

#[test]
fn words_of_a_handoff_do_not_meet_on_their_way() {
    let (kernel, mesh) = (two_steps("i"), Links::default());
    // A word is on the next PE when that one sends its own.
    assert_eq!(broken(&kernel, &two_away("i", "i+3"), &mesh), [Kind::LinkConflict]);
    assert_eq!(broken(&kernel, &two_away("2*i", "2*i+3"), &mesh), []);
    assert_eq!(broken(&kernel, &two_away("-i", "-i+2"), &mesh), []);
    // A slow link brings the words of every other step together.
    assert_eq!(broken(&kernel, &two_away("2*i", "2*i+5"), &slow(2)), [Kind::LinkConflict]);
    assert_eq!(broken(&kernel, &two_away("3*i", "3*i+4"), &slow(2)), []);
    // To the next PE each word has a link of its own.
    let next: [Line; 2] = [("Y", "i", "i", &["feed"], &[]), ("Z", "i+1", "i+2", &["handoff"], &[])];
    assert_eq!(broken(&kernel, &next, &mesh), []);
    let stated = |lines: &[Line]| obligations(&kernel.design(lines), &mesh).expect("it can be stated");
    let owed = |lines| stated(lines).iter().filter(|claim| claim.kind == Kind::LinkConflict).count();
    assert_eq!((owed(&next), owed(&two_away("i", "i+3"))), (0, 1));
}

/// Where and when a form of a space is at a point.
fn slot(design: &Design, space: usize, at: i64, sizes: &Bindings) -> (Vector, i64) {
    let value = |form: &Affine| form.evaluate(sizes).expect("over the sizes");
    let point = [Affine::constant(at)];
    let pe = design.place(space, &point).iter().map(value).collect();
    (pe, value(&design.time(space, &point)[0]))
}

/// What brute force sees of a design of `Y` and `Z` at sizes up to 5: whether two points of `Y` meet, and whether some PE
/// takes two words against the order in which they are given.
fn seen(kernel: &Kernel, design: &Design) -> (bool, bool) {
    let handoff = the_handoff(design);
    let systole_compile::mapping::Giver::Point { at, .. } = &handoff.giver else { panic!("`Y` is computed") };
    let (mut meet, mut against) = (false, false);
    for n in 1..=5 {
        let sizes = kernel.sizes(&[n]);
        let given: Vec<(Vector, i64)> = (0..n).map(|i| slot(design, 0, i, &sizes)).collect();
        meet |= (0..n as usize).any(|i| given[..i].contains(&given[i]));
        let mut taken: BTreeMap<Vector, Vec<(i64, i64)>> = BTreeMap::new();
        for i in 0..n {
            let reader = kernel.cut.spaces[1].bind(&sizes, &[i]);
            let giver = at[0].evaluate(&reader).expect("a point of `Y`");
            let (pe, time) = slot(design, 1, i, &sizes);
            taken.entry(pe).or_default().push((time, given[giver as usize].1));
        }
        let disordered = |one: &(i64, i64), other: &(i64, i64)| one.0 < other.0 && one.1 >= other.1;
        against |= taken.values().any(|words| words.iter().any(|one| words.iter().any(|other| disordered(one, other))));
    }
    (meet, against)
}

/// No design can be stated whose words are taken out of order, unless two of them are given at one time on one PE.
#[test]
fn the_order_of_a_handoff_follows_from_what_is_stated() {
    let places = [("0", "0"), ("0", "1"), ("i", "i"), ("i", "N-1-i"), ("N-1-i", "i")];
    let (mut in_order, mut meeting, mut refused) = (0, 0, 0);
    for kernel in [two_steps("i"), two_steps("N - 1 - i")] {
        for ((here, there), y, z) in places.iter().flat_map(|places| {
            let times = ["2*i", "-2*i", "0"].iter();
            times.flat_map(move |y| {
                ["2*i+1", "1-2*i", "2*i+2*N+1", "4*N-2*i", "1"].iter().map(move |z| (*places, *y, *z))
            })
        }) {
            let design = kernel.design(&[("Y", here, y, &["feed"], &[]), ("Z", there, z, &["handoff"], &[])]);
            if obligations(&design, &Links::default()).is_err() {
                refused += 1;
                continue;
            }
            let (meet, against) = seen(&kernel, &design);
            assert!(meet || !against, "{here} {there} {y} {z}");
            in_order += usize::from(!against);
            meeting += usize::from(against);
        }
    }
    assert_eq!((in_order, meeting, refused), (53, 16, 81));
}
