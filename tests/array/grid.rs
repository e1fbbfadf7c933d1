//! Points of a grid and their positions, against counting.

use proptest::prelude::*;
use systole_program::array::Grid;

fn grids() -> impl Strategy<Value = (Grid, Vec<i64>)> {
    let axis = (-5i64..5, 1usize..5, -5i64..=5);
    prop::collection::vec(axis, 0..4).prop_map(|axes| {
        let grid = Grid {
            first: axes.iter().map(|(first, ..)| *first).collect(),
            extents: axes.iter().map(|(_, extent, _)| *extent).collect(),
        };
        (grid, axes.iter().map(|(.., step)| *step).collect())
    })
}

/// All points in row-major order.
fn count_points(grid: &Grid) -> Vec<Vec<i64>> {
    grid.first.iter().zip(&grid.extents).fold(vec![vec![]], |points, (first, extent)| {
        let extend = |point: Vec<i64>| {
            (0..*extent as i64).map(move |entry| point.iter().copied().chain([first + entry]).collect())
        };
        points.into_iter().flat_map(extend).collect()
    })
}

proptest! {
    #[test]
    fn points_and_neighbours_are_those_that_are_counted((grid, offset) in grids()) {
        let points = count_points(&grid);
        prop_assert_eq!(points.len(), grid.volume());
        for (position, point) in points.iter().enumerate() {
            prop_assert_eq!(&grid.point(position), point);
            prop_assert_eq!(grid.position(point), Some(position));
            let neighbour: Vec<i64> = point.iter().zip(&offset).map(|(entry, step)| entry + step).collect();
            let found = points.iter().position(|other| *other == neighbour);
            prop_assert_eq!(grid.position_at(position, &offset), found);
        }
    }
}

/// A step that leads out of the numbers leads out of the grid.
#[test]
fn a_step_beyond_all_numbers_leads_nowhere() {
    let grid = Grid { first: vec![i64::MAX - 1], extents: vec![2] };
    assert_eq!(grid.position_at(0, &[1]), Some(1));
    assert_eq!(grid.position_at(1, &[1]), None);
    assert_eq!(grid.position_at(1, &[i64::MAX]), None);
    assert_eq!(grid.position_at(1, &[i64::MIN]), None);
}
