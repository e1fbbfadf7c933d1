//! Files of arrays.

use ndarray::{ArrayD, array};
use ndarray_npy::write_npy;
use systole_base::scalar::Precision;
use systole_program::array::elements::{PART, Sink, Source};
use systole_run::shared::npy::{NpySink, NpySource, read, write};

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
    for (descriptor, what) in [
        ("<c16", "complex numbers"),
        ("<f16", "floating-point numbers of more bits"),
        ("<U3", "text"),
        ("|O", "objects of Python"),
        ("<M8[s]", "times"),
    ] {
        written(&path, (descriptor, false), "(1,)", &[0; 16]);
        let said = message(&path, None);
        assert!(said.contains(&format!("its elements are {what}")) && said.contains(descriptor), "{said}");
    }
}

/// A `.npy` file, byte by byte.
fn written(path: &std::path::Path, (descriptor, is_column_major): (&str, bool), shape: &str, elements: &[u8]) {
    let order = if is_column_major { "True" } else { "False" };
    let mut header = format!("{{'descr': '{descriptor}', 'fortran_order': {order}, 'shape': {shape}, }}");
    header.push_str(&" ".repeat(117 - header.len()));
    header.push('\n');
    std::fs::write(path, [b"\x93NUMPY\x01\x00", &118u16.to_le_bytes()[..], header.as_bytes(), elements].concat())
        .unwrap();
}

/// Every type of whole numbers, truth values and halves, in both orders of bytes and of elements: 1 to 6, less 3 where there are signs.
#[test]
fn every_type_of_real_numbers_is_read_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    let halves: [u16; 6] = [0xc000, 0xbc00, 0x0000, 0x3c00, 0x4000, 0x4200];
    for (letter, size) in [("i", 1), ("u", 1), ("i", 2), ("u", 2), ("i", 4), ("u", 4), ("i", 8), ("u", 8), ("f", 2)] {
        let least: i64 = if letter == "u" { 1 } else { -2 };
        let bytes = |place: usize| -> Vec<u8> {
            let number = least + place as i64;
            let all = if letter == "f" { halves[place].to_le_bytes().to_vec() } else { number.to_le_bytes().to_vec() };
            all[..size].to_vec()
        };
        for (order, is_column_major) in [("<", false), (">", false), ("<", true), (">", true)] {
            let order = if size == 1 { "|" } else { order };
            // In column-major order the places of the file are 0 3 1 4 2 5 of the rows.
            let places = if is_column_major { [0, 3, 1, 4, 2, 5] } else { [0, 1, 2, 3, 4, 5] };
            let turned =
                |place: usize| if order == ">" { bytes(place).into_iter().rev().collect() } else { bytes(place) };
            let elements: Vec<u8> = places.into_iter().flat_map(turned).collect();
            written(&path, (&format!("{order}{letter}{size}"), is_column_major), "(2, 3)", &elements);
            let found: Vec<f64> = read(&path, Some(&[2, 3])).unwrap().iter().copied().collect();
            let expected: Vec<f64> = (0..6).map(|place| (least + place) as f64).collect();
            assert_eq!(found, expected, "{order}{letter}{size} {is_column_major}");
        }
    }
    write_npy(&path, &array![true, false]).unwrap();
    assert_eq!(read(&path, None).unwrap(), array![1.0, 0.0].into_dyn());
    written(&path, ("|b1", false), "(3,)", &[1, 0, 2]);
    assert!(message(&path, None).contains("holds at [2] 2, which is no truth value"));
}

/// Beyond 2^53 not every whole number is a 64-bit floating-point number: it would be rounded without a word.
#[test]
fn whole_numbers_that_would_be_rounded_are_refused_with_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    let most = 1i64 << 53;
    write_npy(&path, &array![[most, -most], [0, 1]]).unwrap();
    assert_eq!(read(&path, None).unwrap(), array![[most as f64, -most as f64], [0.0, 1.0]].into_dyn());
    write_npy(&path, &array![[most + 2, i64::MIN], [0, 1 << 62]]).unwrap();
    let exact = array![[most as f64 + 2.0, -(2f64.powi(63))], [0.0, 2f64.powi(62)]];
    assert_eq!(read(&path, None).unwrap(), exact.into_dyn());
    write_npy(&path, &array![[1, 2, 3], [4, 5, most + 1]]).unwrap();
    assert!(message(&path, None).contains("holds at [1, 2] 9007199254740993, which would be rounded"));
    write_npy(&path, &array![[1, 2, 3], [-most - 1, 5, 6]].reversed_axes()).unwrap();
    assert!(message(&path, None).contains("holds at [0, 1] -9007199254740993, which would be rounded"));
    write_npy(&path, &array![0u64, u64::MAX]).unwrap();
    assert!(message(&path, None).contains("holds at [1] 18446744073709551615, which would be rounded"));
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

/// The elements of a file in parts, in both orders of it and both orders of bytes.
#[test]
fn parts_of_a_file_are_those_of_the_array() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    let array = ArrayD::from_shape_fn(vec![3, 5, 4], |at| (100 * at[0] + 10 * at[1] + at[2]) as f64);
    let runs = [7..9, 0..1, 17..43, 20..22, 59..60, 8..8];
    let expected: Vec<f64> =
        runs.iter().flat_map(|run| array.iter().skip(run.start).take(run.len())).copied().collect();
    let check = || {
        let (mut source, mut found) = (NpySource::open(&path).unwrap(), vec![-1.0]);
        source.read(&runs, &mut found).unwrap();
        assert_eq!((source.shape(), found[0], &found[1..]), (&[3, 5, 4][..], -1.0, &expected[..]));
    };
    write_npy(&path, &array).unwrap();
    check();
    let little = std::fs::read(&path).unwrap();
    let (header, elements) = little.split_at(little.len() - 60 * 8);
    let header = String::from_utf8_lossy(&header[10..]).replace("<f8", ">f8");
    let big: Vec<u8> = elements.chunks(8).flat_map(|element| element.iter().rev().copied()).collect();
    std::fs::write(&path, [&little[..10], header.as_bytes(), &big].concat()).unwrap();
    check();
    let mut turned = ArrayD::zeros(ndarray::ShapeBuilder::f(vec![3, 5, 4]));
    turned.assign(&array);
    write_npy(&path, &turned).unwrap();
    check();
    // More than goes through at once.
    let long = ArrayD::from_shape_fn(vec![3, PART / 2], |at| (at[0] * PART + at[1]) as f64);
    let mut turned = ArrayD::zeros(ndarray::ShapeBuilder::f(vec![3, PART / 2]));
    turned.assign(&long);
    write_npy(&path, &turned).unwrap();
    assert_eq!(read(&path, None).unwrap(), long);
}

#[test]
fn a_file_of_single_precision_has_half_the_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    let mut sink = NpySink::create(&path, &[4], Precision::Single).unwrap();
    sink.write(&[3..4, 0..1], &[f64::INFINITY, -0.0]).unwrap();
    sink.write(&[2..3, 1..2], &[0.1, 1.0 + f64::EPSILON]).unwrap();
    sink.seal().and_then(|()| sink.publish()).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert!(String::from_utf8_lossy(&bytes).contains("<f4"));
    let written: Vec<u8> = [-0.0, 1.0, 0.1, f32::INFINITY].iter().flat_map(|value: &f32| value.to_le_bytes()).collect();
    assert!(bytes.ends_with(&written) && bytes.len() == 128 + written.len());
    assert_eq!(read(&path, None).unwrap(), array![-0.0, 1.0, f64::from(0.1_f32), f64::INFINITY].into_dyn());
}

#[test]
fn a_file_in_parts_is_there_once_it_is_published() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    let files = || std::fs::read_dir(folder.path()).unwrap().count();
    let mut sink = NpySink::create(&path, &[2, 3], Precision::Double).unwrap();
    assert_eq!(files(), 0);
    sink.write(&[4..6, 0..1], &[4.0, 5.0, 0.0]).unwrap();
    sink.write(&[1..2, 2..4], &[1.0, 2.0, 3.0]).unwrap();
    // Where the file system has no files without names, there is one that nobody looks for.
    assert!(files() <= 1 && !path.exists());
    sink.seal().unwrap();
    assert!(!path.exists());
    sink.publish().unwrap();
    assert_eq!((files(), read(&path, None).unwrap()), (1, array![[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]].into_dyn()));
    let mut dropped = NpySink::create(&path, &[6], Precision::Double).unwrap();
    dropped.write(&[0..3, 3..6], &[7.0; 6]).unwrap();
    drop(dropped);
    assert_eq!((files(), read(&path, Some(&[2, 3])).is_ok()), (1, true));
    assert!(NpySink::create(&folder.path().join("missing/a.npy"), &[1], Precision::Double).is_err());
}
