//! The arithmetic of folds against the definition, PE by PE.

use systole_base::integer::Affine;
use systole_compile::mapping::Fold;

/// Every PE of a map within this distance of the first.
const FAR: i64 = 9;

#[test]
fn a_fold_divides_each_axis_by_its_factor() {
    for fold in Fold::all(1, 4) {
        let axis = fold.axis(0);
        for p in -FAR..=FAR {
            let expected = ((p - axis.phase) as f64 / axis.factor as f64).floor() as i64;
            assert_eq!(fold.pe(vec![p]), [expected], "{fold:?} at {p}");
            if !fold.is_none() {
                let unfolded = fold.unfolded(&fold.residue(&[p]), &[Affine::constant(expected)]);
                assert_eq!(unfolded, [Affine::constant(p)], "{fold:?} at {p}");
            }
        }
    }
}

#[test]
fn all_folds_have_as_many_phases_as_pes_in_a_block() {
    assert_eq!(Fold::all(1, 4).len(), 1 + 2 + 3 + 4);
    let of_a_grid = Fold::all(2, 4);
    // Blocks of 1x1; 1x2, 2x1; 1x3, 3x1; 1x4, 2x2, 4x1.
    assert_eq!(of_a_grid.len(), 1 + 2 * 2 + 2 * 3 + 3 * 4);
    assert!(of_a_grid.iter().all(|fold| fold.residues().len() <= 4));
    assert!(of_a_grid[0].is_none() && !of_a_grid[1].is_none());
}

/// From where to where a word moves is the same for all words that reach one residue.
#[test]
fn turns_say_where_words_come_from_and_how_far() {
    for fold in Fold::all(2, 6).into_iter().filter(|fold| !fold.is_none()) {
        for (p, q) in (-FAR..=FAR).flat_map(|p| [(p, -p), (p, 2 * p + 1)]) {
            for displacement in [[1, 0], [0, -1], [2, 1], [-3, 5]] {
                let (to, from) = (vec![p, q], vec![p - displacement[0], q - displacement[1]]);
                let turn = fold.turn(&displacement, &fold.residue(&to));
                assert_eq!(turn.from, fold.residue(&from));
                let moved: Vec<i64> = fold.pe(to).iter().zip(fold.pe(from)).map(|(to, from)| to - from).collect();
                assert_eq!(turn.displacement, moved, "{fold:?}: {displacement:?} to ({p}, {q})");
            }
        }
    }
}

#[test]
fn places_are_shown_as_divisions() {
    let form = Affine::variable(&systole_base::integer::name("i"));
    let fold = &Fold::by(&[3, 1])[2];
    assert_eq!(fold.show(&[form.clone(), form]), ["floor((i - 2)/3)", "i"]);
    assert_eq!(fold.show(&[Affine::constant(1), Affine::constant(1)]), ["-1", "1"]);
}
