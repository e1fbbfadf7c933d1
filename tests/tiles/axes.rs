//! Axes: every element lies in one tile, and there are as many tiles as are counted.

use proptest::prelude::*;
use systole_base::integer::{Affine, Bindings, name};
use systole_equations::tiles::Axis;

proptest! {
    #[test]
    fn every_element_lies_in_one_tile(before in 0_i64..3, body in 0_i64..20, size in 1_i64..7, after in 0_i64..3, margin in 0_i64..3) {
        let axis = Axis { before, body: Affine::variable(&name("N")), size, after, margin };
        let tiles = axis.tiles(&Bindings::from([(name("N"), body)])).unwrap();
        prop_assert_eq!(tiles, before + (body + size - 1) / size + after + 2 * margin);
        let mut elements = vec![];
        for tile in 0..tiles {
            let (first, last) = axis.span(tile, body);
            let is_empty = !(margin..tiles - margin).contains(&tile);
            prop_assert!((first > last) == is_empty && last - first < size);
            elements.extend(first..=last);
        }
        prop_assert_eq!(elements, (0..before + body + after).collect::<Vec<i64>>());
        for outside in [-2, -1, tiles, tiles + 1] {
            let (first, last) = axis.span(outside, body);
            prop_assert!(last < first);
        }
    }
}

/// Where two parameters are added up each has tiles of its own, so there may be one tile more than elements ask for.
#[test]
fn a_sum_of_parameters_has_the_tiles_of_both() {
    let body = Affine::variable(&name("M")) + Affine::variable(&name("K")) - Affine::constant(1);
    let axis = Axis { before: 0, body, size: 4, after: 0, margin: 0 };
    let sizes = |m, k| Bindings::from([(name("M"), m), (name("K"), k)]);
    assert_eq!(axis.tiles(&sizes(13, 7)), Some(6));
    assert_eq!((axis.span(4, 19), axis.span(5, 19)), ((16, 18), (19, 18)));
    assert_eq!(axis.tiles(&Bindings::new()), None);
}
