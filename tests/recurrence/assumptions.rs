//! What inputs are filled with: values as the kernel assumes them, for which what it computes is a number.

use crate::support::{filled, kernel, pairs, product, relative_error};
use ndarray::{ArrayD, IxDyn};
use systole_equations::recurrence::{Assumption, evaluate};

/// Values in -1 to 1.
fn values(seed: usize, shape: &[usize]) -> ArrayD<f64> {
    filled(seed, shape).mapv(|value| value / 7.5)
}

#[test]
fn a_dominant_matrix_outweighs_every_row_and_keeps_the_rest() {
    for n in [1, 2, 7] {
        let given = values(1, &[n, n]);
        let found = Assumption::Dominant.impose(given.clone());
        for i in 0..n {
            let others: f64 = (0..n).filter(|j| *j != i).map(|j| found[[i, j]].abs()).sum();
            assert!(found[[i, i]] > others, "row {i} of {found}");
        }
        assert!(pairs(n, n).all(|(i, j)| i == j || found[[i, j]] == given[[i, j]]));
    }
}

#[test]
fn a_positive_definite_matrix_is_symmetric_and_has_a_real_factor() {
    for n in [1, 2, 7] {
        let a = Assumption::PositiveDefinite.impose(values(2, &[n, n]));
        assert!(pairs(n, n).all(|(i, j)| a[[i, j]] == a[[j, i]]));
        let inputs = crate::support::tensors(&[("A", a.clone())]);
        let l = evaluate(&kernel("cholesky.rec"), &crate::support::sizes(&[("N", n as i64)]), &inputs).unwrap();
        assert!(relative_error(&product(&l["L"], &l["L"].t().to_owned()), &a) < 1e-12);
    }
}

#[test]
fn letters_and_bits_are_whole_numbers_of_which_all_occur() {
    let distinct = |assumption: Assumption| {
        let mut found: Vec<f64> = assumption.impose(values(3, &[500])).iter().copied().collect();
        found.sort_by(f64::total_cmp);
        found.dedup();
        found
    };
    assert_eq!(distinct(Assumption::Letters), [0.0, 1.0, 2.0, 3.0]);
    assert_eq!(distinct(Assumption::Bits), [0.0, 1.0]);
    let edges = ArrayD::from_shape_vec(IxDyn(&[2]), vec![-1.0, 1.0]).unwrap();
    assert_eq!(Assumption::Letters.impose(edges).as_slice().unwrap(), [0.0, 3.0]);
}

#[test]
fn positive_numbers_have_quotients_and_logarithms() {
    let found = Assumption::Positive.impose(values(5, &[500]));
    assert!(found.iter().all(|value| (0.25..=2.25).contains(value)), "{found}");
    let edges = ArrayD::from_shape_vec(IxDyn(&[2]), vec![-1.0, 1.0]).unwrap();
    assert_eq!(Assumption::Positive.impose(edges).as_slice().unwrap(), [0.25, 2.25]);
}

#[test]
fn only_square_matrices_can_be_dominant() {
    for shape in [&[3][..], &[2, 3], &[2, 2, 2]] {
        let given = values(4, shape);
        assert_eq!(Assumption::Dominant.impose(given.clone()), given);
        assert_eq!(Assumption::PositiveDefinite.impose(given.clone()), given);
    }
}

/// Every kernel that ships computes numbers from what its inputs are filled with.
#[test]
fn no_kernel_gives_anything_but_numbers() {
    let folder = std::path::Path::new(env!("SYSTOLE_ROOT")).join("kernels");
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if !entry.path().is_file() {
            continue;
        }
        let file = entry.file_name().into_string().unwrap();
        let system = kernel(&file);
        let sizes = system.parameters.iter().map(|parameter| (parameter.clone(), 4)).collect();
        let fill = |(seed, tensor): (usize, &systole_equations::recurrence::Tensor)| {
            let shape: Vec<usize> =
                tensor.shape.iter().map(|extent| extent.evaluate(&sizes).unwrap() as usize).collect();
            let values = values(seed, &shape);
            (tensor.name.clone(), tensor.assumption.map_or(values.clone(), |assumption| assumption.impose(values)))
        };
        let inputs = system.tensors_with(systole_equations::recurrence::Role::Input).enumerate().map(fill).collect();
        for (output, array) in evaluate(&system, &sizes, &inputs).unwrap() {
            assert!(array.iter().all(|value| value.is_finite()), "{file}: {output} is {array}");
        }
    }
}
