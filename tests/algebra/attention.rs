//! The search over forms, programs and maps of a small attention, against brute force over times and places.
//!
//! The attention is that of numbers: queries and keys of width 1, scores not shifted, which leaves four spaces to its best form. A design is
//! right where
//!
//! * a PE does one operation at a step;
//! * a value is there a step after it is computed, and a step later for each PE between; the point that computes it hands it to each point,
//!   or to the first of each line, all as many PEs away;
//! * reductions run along one of their chains;
//! * queues are as long at all sizes.
//!
//! Places have entries -1 to 1, and any shift. Entries of steps and shifts need no bound: times lie within the cycles asked for, no point
//! comes before its operands, nor so late that what waits for it would be late. What is given may be fed at every point, so how it moves costs no
//! step. Of other sizes it is asked only what the smaller ones say of them: what brute force has not is no design, what it has is proved.

use crate::common::{few, sizes};
use crate::every_form::{Spaces, cycles_and, forms, front, least, no_worse};
use crate::whole::object;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::OnceLock;
use std::time::Duration;
use systole::integer::{Affine, Matrix, name};
use systole::machine::Machine;
use systole::mapping::{Design, SpaceDesign, SpaceTimeMap};
use systole::recurrence::Chain;
use systole::rewrite::{Dataflow, Transport};
use systole::smt::{Verdict, discharge_all};
use systole::timing::obligations;

const SOFT: &str = "kernel soft(N, M)\nin q[N], k[M], v[M]\nout o[N]\nlocal E[N, M], l[N]
E[i, j] = exp(q[i] * k[j])\nl[i] = sum(j) E[i, j]\no[i] = sum(j) (E[i, j] / l[i]) * v[j]\n";

/// The search over all forms of this attention of so many queries and keys; two tests ask for the first one, which is searched once.
fn searched(n: i64, m: i64) -> Value {
    static FIRST: OnceLock<Value> = OnceLock::new();
    let search = || {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("soft.rec").display().to_string();
        std::fs::write(&path, SOFT).unwrap();
        object(&["search", &path, "--forms", "--size", &format!("N={n},M={m}"), "--objective", "cycles"])
    };
    if (n, m) == (2, 3) { FIRST.get_or_init(search).clone() } else { search() }
}

/// The search is exact here: on PE `i + j` with a step of `2 i - j`, the spaces of the keys take turns that move from PE to PE, and one of them
/// runs on the next PE, where it gets its values a step earlier.
#[test]
fn brute_force_over_forms_programs_and_maps_of_attention() {
    let (small, large) = (sizes(&[("N", 2), ("M", 3)]), sizes(&[("N", 5), ("M", 6)]));
    let forms = forms(SOFT, &small);
    let all: Vec<&Spaces> = forms.iter().collect();
    assert_eq!((all.len(), least(&all, [&small, &large], 1)), (16, (7, vec![4])));
    let found = searched(2, 3);
    let best = &found["together"]["front"][0];
    assert_eq!((&best["form"], &best["cycles"]), (&4.into(), &7.into()));
    // The twin: without that form all take longer.
    let others: Vec<&Spaces> = forms.iter().filter(|form| form.number != 4).collect();
    assert_eq!(least(&others, [&small, &large], 1).0, 9);
}

/// Of all designs of all forms none takes fewer PEs in as many cycles than those of the search. None loads fewer words: in the
/// fewest cycles each element is loaded once.
#[test]
fn brute_force_over_cycles_and_pes_of_attention() {
    let expected = [(2, 2, 7, &[(6, 4), (7, 2)][..]), (2, 3, 10, &[(7, 5), (8, 4), (10, 2)])];
    for &(n, m, cycles, best) in few(&expected, 1) {
        let (small, large) = (sizes(&[("N", n), ("M", m)]), sizes(&[("N", n + 3), ("M", m + 3)]));
        let all = forms(SOFT, &small);
        assert_eq!(no_worse(all.iter().flat_map(|form| front(form, [&small, &large], cycles, 1)).collect()), best);
        let found = searched(n, m);
        assert_eq!(no_worse(cycles_and("pes", &found, |_| true)), best);
        assert_eq!(no_worse(cycles_and("memory_words", &found, |_| true)), [(best[0].0, (n + 2 * m) as usize)]);
    }
}

/// The maps of the best form that brute force finds, with what is added to the time of the quotient.
fn parts(form: &Spaces, last: i64) -> Vec<SpaceDesign> {
    let keys = Affine::variable(&name("M"));
    let part = |space: usize| {
        let of = &form.system.spaces[space];
        let (shift, start) = match &*of.name {
            "E" => (0, keys.clone() - Affine::constant(1)),
            "l.sum" => (1, keys.clone()),
            "t1.sum" => (0, keys.clone()),
            _ => (0, keys.clone() + Affine::constant(last)),
        };
        let row = |by_query: i64, by_key: i64| match of.dimension() {
            2 => Matrix::new(vec![vec![by_query, by_key]], 2),
            _ => Matrix::new(vec![vec![by_query]], 1),
        };
        let input = |operand: usize| form.system.sources[space][operand].is_empty();
        let transports = (0..of.operands.len())
            .map(|operand| if input(operand) { Transport::Feed } else { Transport::Handoff })
            .collect();
        let backwards = |chain: &&Chain| chain.directions.iter().all(|along| *along == [0, -1]);
        let chain = form.choices[space].chains.iter().find(backwards).unwrap().clone();
        SpaceDesign {
            map: SpaceTimeMap { place: row(1, 1), step: row(2, -1) },
            origin: vec![Affine::constant(shift)],
            starts: vec![start],
            position: 0,
            dataflow: Dataflow { transports, chain },
        }
    };
    (0..form.system.spaces.len()).map(part).collect()
}

/// It is a design for all sizes, in 2 N + M cycles; a step earlier the quotient is not.
#[test]
fn what_brute_force_finds_is_proved() {
    let at = sizes(&[("N", 2), ("M", 3)]);
    let forms = forms(SOFT, &at);
    for (last, is_right) in [(1, true), (0, false)] {
        let design = Design::new(&forms[4].system, parts(&forms[4], last));
        let owed = obligations(&design, &Machine::default().links).unwrap();
        let proofs = discharge_all(&owed, Duration::from_secs(60));
        assert_eq!(proofs.iter().all(|proof| proof.verdict == Verdict::Proved), is_right);
        assert!(proofs.iter().all(|proof| !matches!(proof.verdict, Verdict::Unknown(_))));
        let mut times = BTreeSet::new();
        for (space, of) in forms[4].system.spaces.iter().enumerate() {
            let time = &design.time(space, &design.point(space))[0];
            let points = of.domain.set.points(of.indices(), &at).unwrap();
            times.extend(points.iter().map(|point| time.evaluate(&of.bind(&at, point)).unwrap()));
        }
        assert_eq!(times.last().unwrap() - times.first().unwrap() + 1, 2 * 2 + 3 - i64::from(!is_right));
    }
}
