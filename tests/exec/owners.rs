//! Who runs which PE: each PE has one worker, and the distribution is the one that was asked for.

use systole::array::Grid;
use systole::exec::Owners;
use systole::recurrence::Distribution;

fn grid(extents: &[usize]) -> Grid {
    Grid { first: vec![-3; extents.len()], extents: extents.to_vec() }
}

const DEALINGS: [Distribution; 4] =
    [Distribution::Block, Distribution::Cyclic, Distribution::BlockCyclic(2), Distribution::BlockCyclic(5)];

/// The owners by the definition, from the coordinates.
pub fn by_definition(grid: &Grid, arrangement: &[usize], distribution: Distribution, position: usize) -> usize {
    let offsets = grid.point(position).into_iter().zip(&grid.first).map(|(at, first)| (at - first) as usize);
    let along = |(axis, offset): (usize, usize)| match distribution {
        Distribution::Block => offset / grid.extents[axis].div_ceil(arrangement[axis]),
        Distribution::Cyclic => offset % arrangement[axis],
        Distribution::BlockCyclic(length) => offset / length % arrangement[axis],
    };
    let numbers: Vec<usize> = offsets.enumerate().map(along).collect();
    numbers.iter().zip(arrangement).fold(0, |owner, (number, count)| owner * count + number)
}

#[test]
fn each_pe_has_the_worker_of_the_definition() {
    for extents in [&[1][..], &[7], &[3, 5], &[4, 4], &[1, 9], &[2, 3, 4]] {
        for (workers, distribution) in (1..=12).flat_map(|workers| DEALINGS.map(|distribution| (workers, distribution)))
        {
            let grid = grid(extents);
            let owners = Owners::new(&grid, workers, distribution);
            assert_eq!(owners.arrangement().iter().product::<usize>(), workers);
            for position in 0..grid.volume() {
                let owner = owners.of(position);
                assert!(owner < workers);
                assert_eq!(owner, by_definition(&grid, owners.arrangement(), distribution, position));
            }
        }
    }
}

/// No other grid of workers has a smaller largest share.
#[test]
fn the_largest_share_is_the_smallest_there_is() {
    let largest = |grid: &Grid, arrangement: &[usize], distribution: Distribution| {
        let mut shares = vec![0; arrangement.iter().product()];
        (0..grid.volume()).for_each(|at| shares[by_definition(grid, arrangement, distribution, at)] += 1);
        shares.into_iter().max().unwrap_or(0)
    };
    for extents in [[3, 5], [4, 4], [1, 9], [7, 2]] {
        for (workers, distribution) in (1..=12).flat_map(|workers| DEALINGS.map(|distribution| (workers, distribution)))
        {
            let grid = grid(&extents);
            let all = (1..=workers).filter(|rows| workers % rows == 0).map(|rows| [rows, workers / rows]);
            let least = all.map(|arrangement| largest(&grid, &arrangement, distribution)).min();
            let chosen = Owners::new(&grid, workers, distribution);
            assert_eq!(
                Some(largest(&grid, chosen.arrangement(), distribution)),
                least,
                "{extents:?} {workers} {distribution:?}"
            );
        }
    }
}

#[test]
fn a_single_pe_belongs_to_the_first_worker() {
    let owners = Owners::new(&grid(&[]), 5, Distribution::Cyclic);
    assert_eq!((owners.arrangement(), owners.of(0)), (&[][..], 0));
}

#[test]
fn square_arrays_are_cut_in_squares() {
    assert_eq!(Owners::new(&grid(&[8, 8]), 4, Distribution::Block).arrangement(), [2, 2]);
    assert_eq!(Owners::new(&grid(&[64, 2]), 4, Distribution::Block).arrangement(), [4, 1]);
}

#[test]
fn a_grid_of_workers_that_is_asked_for_is_taken_and_one_that_does_not_fit_is_refused() {
    let wide = Owners::arranged(&grid(&[8, 8]), 2, &[1, 2], Distribution::Cyclic).expect("it fits");
    assert_eq!((wide.arrangement(), wide.of(1), wide.of(8)), (&[1, 2][..], 1, 0));
    let tall = Owners::arranged(&grid(&[8, 8]), 2, &[2, 1], Distribution::Cyclic).expect("it fits");
    assert_eq!((tall.arrangement(), tall.of(1), tall.of(8)), (&[2, 1][..], 0, 1));
    for (count, sides) in [(2, &[2][..]), (2, &[2, 2]), (3, &[1, 2]), (2, &[2, 1, 1]), (0, &[0, 1])] {
        let refused = Owners::arranged(&grid(&[8, 8]), count, sides, Distribution::Cyclic);
        assert!(refused.is_err(), "{count} {sides:?}");
    }
}
