//! What the search over systems leaves out beyond a limit is counted, and nothing else is.

use crate::kernel_texts::{SMITH_WATERMAN, TRISOLVE};
use crate::systems::{kernel, machine, sizes};
use systole_base::integer::Bindings;
use systole_compile::extract::{Constraint, LeftOut, Limits, Survey, solve};
use systole_compile::mapping::candidates::Bounds;

fn survey(text: &str, at: &Bindings, limits: Limits) -> Survey {
    let (kernel, machine) = (kernel(text), machine(1));
    let (none, bounds) = (Constraint::none(&kernel.system), Bounds::for_dimension(kernel.dimension()));
    let mut problem = solve::Task::new(&kernel.system, &kernel.choices, bounds, &machine, at, none).unwrap();
    problem.limits = limits;
    solve::search(&problem, false, &|_, _| true)
}

#[test]
fn nothing_is_left_out_of_small_kernels() {
    for (text, at) in [(TRISOLVE, sizes(&[("N", 4)])), (SMITH_WATERMAN, sizes(&[("M", 4), ("N", 3)]))] {
        assert_eq!(survey(text, &at, Limits::default()).left_out, LeftOut::default());
    }
}

/// Two lines have two placements each, one has one: a limit of two leaves nothing out, a limit of one cuts two lines short.
#[test]
fn placements_beyond_the_limit_are_told() {
    let at = sizes(&[("N", 4)]);
    let with = |placements| survey(TRISOLVE, &at, Limits { placements, ..Limits::default() });
    let looked = |placements: usize| (with(placements).maps, with(placements).left_out.crowded);
    assert_eq!([1, 2].map(looked), [(3, 2), (5, 0)]);
}

/// Each placement has two dataflows, of which the second has times.
#[test]
fn dataflows_beyond_the_limit_are_told() {
    let at = sizes(&[("N", 4)]);
    let with = |dataflows| survey(TRISOLVE, &at, Limits { dataflows, ..Limits::default() });
    let whole = with(4096);
    let told = [1, 2].map(|dataflows| (with(dataflows).designs, with(dataflows).left_out.dataflows));
    // Where nothing is found within the limit, dataflows with buses, and those in which PEs keep what they compute, are looked at too, and
    // then one PE that runs everything in order: by rows of `L`, or by columns.
    assert_eq!((whole.designs, told), (5, [(2, 71), (5, 0)]));
    assert!(with(1).front.designs().iter().all(|found| found.cost.pes == 1));
}

/// Trisolve has two spaces, and of the four places of a rank two are along the axes.
#[test]
fn places_off_the_axes_are_told() {
    let at = sizes(&[("N", 4)]);
    let with = |spaces| survey(TRISOLVE, &at, Limits { spaces, ..Limits::default() });
    assert_eq!([2, 1].map(|spaces| (with(spaces).maps, with(spaces).left_out.slanted)), [(5, 0), (3, 2)]);
}

/// Smaller budgets are searched with first: the least, the usual one, then twice, four times .. as much, each time with a wider beam.
#[test]
fn a_large_budget_is_searched_after_smaller_ones() {
    let usual = Limits::usual();
    let least = Limits { budget: usual.budget / 64, wholly: usual.wholly / 64, stage: usual.stage / 64, ..usual };
    assert_eq!(usual.deepening(), [least, usual]);
    let larger = |budget: u64| {
        let of =
            |limits: &Limits| (limits.budget / usual.budget, limits.beam / usual.beam, limits.wholly / usual.wholly);
        let all = Limits::of_budget(budget).deepening();
        assert_eq!(all[..2], [least, usual]);
        all[2..].iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(larger(2 * usual.budget), [(1, 2, 2)]);
    assert_eq!(larger(2 * usual.budget + 1), [(1, 2, 2), (2, 4, 4)]);
    for budget in [1, least.budget, usual.budget - 1] {
        assert_eq!(Limits::of_budget(budget).deepening(), [least], "{budget}");
    }
    let unlimited = Limits::of_budget(u64::MAX);
    assert_eq!(unlimited.deepening(), [unlimited]);
}

/// What shares a budget shares each of the budgets that are searched with, and the messages speak of the whole.
#[test]
fn a_share_of_a_budget_is_one_of_each_step() {
    let share = Limits { fold: 2, ..Limits::usual() }.share(13);
    assert_eq!((share.budget, share.asked_for(), share.fold), (6_000_000 / 13, 6_000_000, 2));
    let budgets = |limits: Limits| limits.deepening().iter().map(|limits| limits.budget).collect::<Vec<_>>();
    assert_eq!(budgets(share), [93_750 / 13, 6_000_000 / 13]);
    assert_eq!(budgets(Limits::of_budget(93_751).share(13)), [93_750 / 13]);
    assert_eq!(
        budgets(Limits::of_budget(24_000_000).share(13)),
        [93_750, 6_000_000, 6_000_000, 12_000_000].map(|all| all / 13)
    );
    assert_eq!(Limits::usual().share(13).share(2).share_of, Some((6_000_000, 26)));
    assert_eq!(Limits::usual().share(1), Limits::usual());
    assert_eq!(Limits::of_budget(3).share(13).budget, 1);
    assert_eq!(Limits::of_budget(u64::MAX).share(13).budget, u64::MAX);
    let larger = [1, 5_999_999, 6_000_000, 7_000_000].map(|budget| Limits::of_budget(budget).larger_budget());
    assert_eq!(larger, [6_000_000, 6_000_000, 12_000_000, 14_000_000]);
}
