//! What the scheme cannot do is refused, in its own words; what it can is not.

use crate::common::{MATMUL, POLYNOMIAL, loading, map, shown, space};
use crate::pool::{drafts, loading as loading_of, refusal};
use systole_base::integer::Matrix;
use systole_compile::mapping::SpaceTimeMap;
use systole_compile::systolize::{Loading, systolize};
use systole_equations::recurrence::Space;

fn assert_refused(space: &Space, map: &SpaceTimeMap, loading: &[Loading], reason: &str) {
    let problems = systolize(space, map, loading).err().unwrap_or_else(|| panic!("not refused: {reason}"));
    assert!(shown(&problems).contains(reason), "{reason}\n{}", shown(&problems));
}

#[test]
fn drafts_are_refused_just_where_the_definitions_say() {
    let (mut taken, mut refused) = (0, 0);
    for draft in drafts(400) {
        let (space, map) = (space(&draft.text), map(&draft.place, &draft.step));
        match refusal(&draft) {
            None => {
                taken += 1;
                let derived = systolize(&space, &map, &loading_of(&draft));
                assert!(derived.is_ok(), "{draft:?}\n{}", shown(&derived.err().unwrap_or_default()));
            }
            Some(reason) => {
                refused += 1;
                assert_refused(&space, &map, &[], reason);
            }
        }
    }
    assert!(taken >= 20 && refused >= 20, "{taken} taken, {refused} refused");
}

#[test]
fn a_place_of_lower_rank_is_refused() {
    let place = Matrix::new(vec![vec![1, 0, 0]], 3);
    let map = SpaceTimeMap { place, step: Matrix::new(vec![vec![1, 1, 1]], 3) };
    assert_refused(&space(MATMUL), &map, &[], "the scheme needs a place of rank 2 for 3 loops");
    let dependent = crate::common::map(&[vec![1, 0, 0], vec![2, 0, 0]], &[1, 1, 1]);
    assert_refused(&space(MATMUL), &dependent, &[], "2 rows of rank 1");
}

#[test]
fn a_step_of_two_rows_is_refused() {
    let step = Matrix::new(vec![vec![1, 0], vec![0, 1]], 2);
    let map = SpaceTimeMap { place: Matrix::new(vec![vec![1, 0]], 2), step };
    assert_refused(&space(POLYNOMIAL), &map, &[], "one linear step");
}

#[test]
fn one_loop_is_refused() {
    let total = space("kernel total(N)\nin x[N]\nout y[1]\ny[0] = sum(i in 0..N) x[i]\n");
    let map = SpaceTimeMap { place: Matrix::new(vec![], 1), step: Matrix::new(vec![vec![1]], 1) };
    assert_refused(&total, &map, &[], "needs two loops");
}

#[test]
fn a_place_that_is_mostly_gaps_is_refused() {
    let scaled = space("kernel scaled(N)\nin x[N], y[N]\nout z[N]\nz[i] = sum(k in 0..N) (x[i] * y[i] + k)\n");
    assert_refused(&scaled, &map(&[vec![17, 0]], &[0, 1]), &[], "only one in 17 processes");
    assert!(systolize(&scaled, &map(&[vec![16, 0]], &[0, 1]), &[]).is_ok());
}

#[test]
fn index_maps_of_the_wrong_rank_are_refused() {
    let row_sums = space("kernel rows(N)\nin A[N, N], s[1]\nout y[N]\ny[i] = sum(k in 0..N) A[i, k]\n");
    assert_refused(&row_sums, &map(&[vec![1, 0]], &[1, 1]), &[], "the index map of `A` has rank 2");
    let scaled =
        space("kernel scaled(N)\nin x[N], y[N], w[N]\nout C[N, N]\nC[i, j] = sum(k in 0..N) x[i] * y[j] * w[k]\n");
    let place = [vec![1, 0, 0], vec![0, 1, 0]];
    assert_refused(&scaled, &map(&place, &[1, 1, 1]), &[], "the index map of `x` has rank 1");
}

#[test]
fn users_two_hops_apart_are_refused_though_the_flow_is_one() {
    // The report's restriction on the flow would accept this place and step: 2 hops in 2 steps.
    let gap = map(&[vec![1, -1]], &[3, 1]);
    assert_refused(&space(POLYNOMIAL), &gap, &[], "consecutive users of an element of `c` are not neighbours");
    assert!(systolize(&space(POLYNOMIAL), &map(&[vec![1, 0]], &[3, 1]), &[]).is_ok());
}

#[test]
fn two_users_of_one_step_are_refused() {
    assert_refused(&space(POLYNOMIAL), &map(&[vec![1, 0]], &[1, 1]), &[], "one element of `c` share a step");
    assert!(systolize(&space(POLYNOMIAL), &map(&[vec![1, 0]], &[2, 1]), &[]).is_ok());
}

#[test]
fn loading_vectors_must_lead_a_stationary_stream_to_a_neighbour() {
    let (space, map) = (space(POLYNOMIAL), map(&[vec![1, 0]], &[2, 1]));
    assert_refused(&space, &map, &[loading("a", &[2])], "does not lead to a neighbour");
    assert_refused(&space, &map, &[loading("a", &[0])], "does not lead to a neighbour");
    assert_refused(&space, &map, &[loading("a", &[1, 0])], "does not lead to a neighbour");
    assert_refused(&space, &map, &[loading("b", &[1])], "`b` moves, so it is not loaded");
    assert_refused(&space, &map, &[loading("d", &[1])], "`d` is not a stream");
    assert!(systolize(&space, &map, &[loading("a", &[-1])]).is_ok());
}

#[test]
fn all_that_is_wrong_is_said_at_once() {
    let problems = systolize(&space(POLYNOMIAL), &map(&[vec![1, -1]], &[1, 0]), &[loading("e", &[1])]);
    assert_eq!(problems.err().map(|problems| problems.len()), Some(3));
}
