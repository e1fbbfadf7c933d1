//! Files of arrays.

use ndarray::{ArrayD, array};
use ndarray_npy::write_npy;
use systole::sim::npy::{read, write};

fn message(path: &std::path::Path, shape: Option<&[usize]>) -> String {
    read(path, shape).expect_err("the file must be refused")[0].to_string()
}

#[test]
fn what_is_written_reads_back_in_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    let values: ArrayD<f64> = array![[1.5, -0.0, f64::MAX], [f64::INFINITY, 1e-310, 3.0]].into_dyn();
    write(&path, &values).unwrap();
    let found = read(&path, Some(&[2, 3])).unwrap();
    let bits = |values: &ArrayD<f64>| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&found), bits(&values));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn other_types_and_orders_are_converted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    let expected: ArrayD<f64> = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]].into_dyn();
    write_npy(&path, &expected.mapv(|value| value as f32)).unwrap();
    assert_eq!(read(&path, None).unwrap(), expected);
    write_npy(&path, &expected.mapv(|value| value as i64)).unwrap();
    assert_eq!(read(&path, None).unwrap(), expected);
    write_npy(&path, &expected.mapv(|value| value as i32)).unwrap();
    assert_eq!(read(&path, None).unwrap(), expected);
    let transposed = array![[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]];
    write_npy(&path, &transposed.t()).unwrap();
    assert_eq!(read(&path, Some(&[2, 3])).unwrap(), expected);
}

#[test]
fn files_that_are_no_such_array_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    assert!(message(&path, None).contains("cannot read"));
    write(&path, &array![1.0, 2.0, 3.0].into_dyn()).unwrap();
    assert!(message(&path, Some(&[4])).contains("has shape [3], expected [4]"));
    assert!(message(&path, Some(&[3, 1])).contains("expected [3, 1]"));
    let whole = std::fs::read(&path).unwrap();
    for length in [0, 5, 40, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(message(&path, None).contains("cannot be used as an array"));
    }
    std::fs::write(&path, [&whole[..], &[0]].concat()).unwrap();
    assert!(message(&path, None).contains("extra"));
    write_npy(&path, &array![true, false]).unwrap();
    assert!(message(&path, None).contains("not f8, f4, i8 or i4"));
}

/// A header may promise anything; nothing is allocated for it before the length of the file is looked at.
#[test]
fn a_header_that_promises_too_much_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    for shape in ["(1000000000000,)", "(9999999999, 9999999999, 9999999999)"] {
        let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
        header.push_str(&" ".repeat(117 - header.len()));
        header.push('\n');
        let bytes = [b"\x93NUMPY\x01\x00", &118u16.to_le_bytes()[..], header.as_bytes(), &[0; 16]].concat();
        std::fs::write(&path, bytes).unwrap();
        assert!(message(&path, None).contains("ends early"));
    }
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("missing").join("a.npy");
    assert!(write(&path, &array![1.0].into_dyn()).is_err());
    assert!(!path.exists());
}
