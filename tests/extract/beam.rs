//! The search from part to part: what it finds is legal at all sizes, the same for any number of threads, and as good as what the search of
//! all designs finds where there are few enough for that.

use crate::kernel_texts::{PREFIX_SUM, SMITH_WATERMAN, TRISOLVE};
use crate::systems::{Kernel, kernel, machine, sizes};
use std::time::Duration;
use systole_base::integer::Bindings;
use systole_base::machine::Machine;
use systole_compile::cost::Objective;
use systole_compile::extract::{Constraint, Limits, Survey, solve};
use systole_compile::mapping::Design;
use systole_compile::mapping::candidates::Bounds;
use systole_compile::smt::{Verdict, discharge_all};
use systole_compile::timing::obligations;
use systole_equations::recurrence::spaces::Origin;

/// A product of four matrices as the best order has it for sizes that are alike: two products of two, and theirs.
const CHAIN: &str = "kernel chain(P, Q, R, S, T)
in A1[P, Q], A2[Q, R], A3[R, S], A4[S, T]
out Y[P, T]
local L[P, R], M[R, T]
L[i, j] = sum(k in 0..Q) A1[i, k] * A2[k, j]
M[j, m] = sum(l in 0..S) A3[j, l] * A4[l, m]
Y[i, m] = sum(j in 0..R) L[i, j] * M[j, m]\n";

/// What a search sees, with all designs or part by part.
fn with<T>(kernel: &Kernel, at: &Bindings, beam: Option<usize>, see: impl FnOnce(&solve::Task, Survey) -> T) -> T {
    let machine: Machine = machine(1);
    let (none, bounds) = (Constraint::none(&kernel.system), Bounds::for_dimension(kernel.dimension()));
    let mut problem = solve::Task::new(&kernel.system, &kernel.choices, bounds, &machine, at, none).unwrap();
    if let Some(beam) = beam {
        problem.limits = Limits { beam, wholly: 0, ..problem.limits };
    }
    let survey = solve::search(&problem, false, &|_, _| true);
    see(&problem, survey)
}

/// All on the front are counted again point by point, and proved for all sizes; how many there are.
fn all_hold(problem: &solve::Task, survey: &Survey) -> usize {
    for found in survey.front.designs() {
        solve::verify(problem, found).unwrap();
        let design = Design::new(problem.system, found.parts.clone());
        let owed = obligations(&design, &machine(1).links).unwrap();
        let proofs = discharge_all(&owed, Duration::from_secs(60));
        assert!(proofs.iter().all(|proof| proof.verdict == Verdict::Proved), "{:?}", found.parts);
    }
    survey.front.designs().len()
}

#[test]
fn a_chain_of_four_loads_each_element_once() {
    let kernel = kernel(CHAIN);
    let all = [[4, 3, 2, 3, 4], [3, 2, 4, 3, 2], [2, 2, 2, 2, 2], [5, 5, 5, 5, 5]];
    // Each takes a search of seconds; with the feature `long-tests` all of them.
    let few = if cfg!(feature = "long-tests") { &all[..] } else { &all[..2] };
    for &[p, q, r, s, t] in few {
        let at = sizes(&[("P", p), ("Q", q), ("R", r), ("S", s), ("T", t)]);
        let best = with(&kernel, &at, None, |problem, survey| {
            assert!(survey.left_out.partial > 0 && all_hold(problem, &survey) > 0);
            survey.sorted(Objective::Systolic)[0].cost
        });
        // `L` begins, `M` begins `Q` steps later, `Y` another `S` later, and runs from corner to corner: `P + R + T - 2` steps.
        assert_eq!(best.cycles as i64, p + q + r + s + t - 2, "{at:?}");
        assert_eq!(best.memory_words as i64, p * q + q * r + r * s + s * t, "{at:?}");
    }
}

/// The least key of each objective among all designs is reached part by part too, but for storage.
#[test]
fn small_kernels_have_the_best_design_of_all() {
    let (four, both) = (sizes(&[("N", 4)]), sizes(&[("M", 4), ("N", 3)]));
    for (text, at) in [(TRISOLVE, &four), (PREFIX_SUM, &four), (SMITH_WATERMAN, &both)] {
        let kernel = kernel(text);
        let least = |beam| {
            with(&kernel, at, beam, |problem, survey| {
                assert!(all_hold(problem, &survey) > 0);
                [Objective::Systolic, Objective::Cycles, Objective::Pes, Objective::Words]
                    .map(|objective| objective.key(&survey.sorted(objective)[0].cost))
            })
        };
        assert_eq!(least(Some(6)), least(None), "{text}");
    }
}

#[test]
fn any_number_of_threads_sees_the_same() {
    let kernel = kernel(CHAIN);
    let at = sizes(&[("P", 3), ("Q", 3), ("R", 3), ("S", 3), ("T", 3)]);
    let seen = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let survey = pool.install(|| with(&kernel, &at, Some(3), |_, survey| survey));
        (survey.maps, survey.legal, survey.designs, survey.left_out, survey.sorted(Objective::Systolic))
    };
    let alone = seen(1);
    assert!([2, 7].into_iter().all(|threads| seen(threads) == alone));
}

/// Both leave designs out of a chain of four. What a beam of one gives up would leave turns only, which take 21 cycles, so it is widened.
#[test]
fn a_narrow_beam_is_widened_before_spaces_take_turns() {
    let kernel = kernel(CHAIN);
    let at = sizes(&[("P", 3), ("Q", 3), ("R", 3), ("S", 3), ("T", 3)]);
    let seen = |beam| {
        with(&kernel, &at, Some(beam), |_, survey| {
            let best = survey.sorted(Objective::Systolic)[0].cost;
            (survey.left_out.partial > 0, best.cycles)
        })
    };
    assert_eq!([1, 2, 6].map(seen), [(true, 13); 3]);
}

/// Without the space that computes `M` the chain reads it as an input; with it, from there.
#[test]
fn some_families_are_a_system() {
    let system = kernel(CHAIN).system;
    let names = |families: &[usize]| -> Vec<String> {
        system.among(families).spaces.iter().map(|space| space.name.to_string()).collect()
    };
    assert_eq!((names(&[0, 2]), names(&[1])), (vec!["L.sum".into(), "Y.sum".into()], vec!["M.sum".to_owned()]));
    let part = system.among(&[0, 2]);
    let (from_l, from_m) = (&part.sources[1][0], &part.sources[1][1]);
    assert!(matches!(from_l[0].origin, Origin::Space { space: 0, .. }) && from_m.is_empty());
    assert!(system.is_within(&[0, 2], (2, 0)) && !system.is_within(&[0, 2], (2, 1)));
    assert_eq!(system.among(&[0, 1, 2]).sources, system.sources);
}

/// A wider beam goes on from other designs, so it alone may find worse ones.
#[test]
fn a_larger_budget_keeps_what_a_smaller_one_finds() {
    let (kernel, machine) = (kernel(CHAIN), machine(1));
    let at = sizes(&[("P", 2), ("Q", 3), ("R", 2), ("S", 2), ("T", 3)]);
    let usual = Limits::usual().budget;
    let fronts: Vec<Survey> = [usual / 64, usual, 2 * usual, 4 * usual]
        .into_iter()
        .map(|budget| {
            let (none, bounds) = (Constraint::none(&kernel.system), Bounds::for_dimension(kernel.dimension()));
            let mut task =
                solve::Task::new(&kernel.system, &kernel.choices, bounds, &machine, &at, none).expect("a task");
            task.limits = Limits::of_budget(budget);
            let survey = solve::search(&task, false, &|_, _| true);
            survey.front.designs().iter().for_each(|found| assert_eq!(solve::verify(&task, found), Ok(())));
            survey
        })
        .collect();
    for [smaller, larger] in fronts.array_windows() {
        for found in smaller.front.designs() {
            let is_kept = larger.front.designs().contains(found) || larger.front.beats(&found.cost);
            assert!(is_kept, "{:?} is lost among {} designs", found.cost, larger.front.designs().len());
        }
        assert!(larger.maps > smaller.maps);
    }
    assert!(fronts[0].left_out.partial > 0);
}
