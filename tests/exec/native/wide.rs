//! Leaves whose elements are computed side by side, or whose lines together: tiles wide enough, ragged ones, and numbers that tell
//! orders and kinds of zeros apart.

use super::kernels::hold;
use crate::command::Emitted;
use crate::programs::{filled, program, sizes};
use ndarray::ArrayD;
use systole::array::Tensors;
use systole::integer::name;

/// Sums whose operands lie across the elements side by side.
const SIDES: &str = "kernel sides(M, N, K)
in  A[M, K], B[N, K]
out S[M, N]
S[i, j] = sum(k) A[i, k] * B[j, k]
";

/// A maximum without lines that share what is read.
#[cfg(feature = "long-tests")]
const LARGEST: &str = "kernel largest(M, K)
in  A[M, K]
out m[M]
m[i] = max(k) A[i, k]
";

/// A recurrence that takes every kind of choice.
const LINES: &str = "kernel lines(M, N)
in  x[M, N]
out R[M, N]
R[i, 0] = x[i, 0]
R[0, j] = x[0, j]   where 1 <= j
R[i, j] = select(x[i, j] == R[i, j - 1], min(R[i - 1, j], x[i, j]), max(R[i - 1, j - 1], min(R[i, j - 1], x[i, j])))
    where 1 <= i, 1 <= j
";

const SPECIAL: [f64; 6] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 1e-310];

/// The program of a kernel in tiles, with what its C must have in it.
fn emitted(text: &str, tiles: &str, needed: &str) -> systole::array::Program {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("kernel.rec");
    std::fs::write(&path, text).expect("written");
    let emitted = Emitted::of(&path.display().to_string(), &["--tile", tiles]);
    let program = program(&std::fs::read_to_string(&emitted.program).expect("a program"));
    let text = systole::native::leaves_text(&program).text;
    assert!(text.contains(needed), "{text}");
    program
}

/// Numbers of which one in `each` is special.
fn spoilt(seed: usize, shape: &[usize], each: usize) -> ArrayD<f64> {
    let mut values = filled(seed, shape);
    values.iter_mut().step_by(each).enumerate().for_each(|(at, value)| *value = SPECIAL[at % SPECIAL.len()]);
    values
}

#[test]
fn elements_side_by_side_have_the_bits_of_exec() {
    let program = emitted(SIDES, "i=17,j=18,k=70", "16 elements along j at a time");
    let run = |[m, n, k]: [i64; 3], each: usize| {
        let shape = |rows: i64| [rows as usize, k as usize];
        let inputs = [("A", spoilt(1, &shape(m), each)), ("B", spoilt(2, &shape(n), 3 * each))];
        (sizes(&[("M", m), ("N", n), ("K", k)]), inputs.map(|(key, array)| (name(key), array)).into_iter().collect())
    };
    let runs: Vec<(_, Tensors)> = vec![run([38, 37, 75], 1000), run([7, 35, 70], 31), run([1, 17, 3], 7)];
    hold(&program, &runs);
}

/// What only a line reads is not looked at where there is no line, however far away it is.
#[test]
fn without_lines_nothing_is_read() {
    let text = systole::array::print(&emitted(SIDES, "i=17,j=18,k=70", "16 elements along j at a time"));
    let without = text.replacen("(loop i (from) (to)", "(loop i (from (+ M 1)) (to)", 1);
    let changed = without.replacen("(2 j k)", "(2 (+ j 1000000) k)", 1);
    assert!(without != text && changed != without, "{text}");
    let inputs = [("A", filled(1, &[38, 75])), ("B", filled(2, &[37, 75]))].map(|(key, array)| (name(key), array));
    hold(&program(&changed), &[(sizes(&[("M", 38), ("N", 37), ("K", 75)]), inputs.into_iter().collect())]);
}

#[cfg(feature = "long-tests")]
#[test]
fn maxima_side_by_side_have_the_bits_of_exec() {
    let program = emitted(LARGEST, "i=18,k=70", "16 elements along i at a time");
    let run = |[m, k]: [i64; 2]| {
        let inputs = Tensors::from([(name("A"), spoilt(1, &[m as usize, k as usize], 29))]);
        (sizes(&[("M", m), ("K", k)]), inputs)
    };
    hold(&program, &[run([38, 75]), run([17, 3]), run([36, 140])]);
}

#[test]
fn lines_together_have_the_bits_of_exec() {
    let program = emitted(LINES, "i=6,j=5", "4 lines along i together");
    let run = |[m, n]: [i64; 2]| {
        // A few values, so that many are equal.
        let mut x = spoilt(3, &[m as usize, n as usize], 7);
        x.iter_mut().for_each(|value| *value = if value.is_finite() { (*value * 2.0).round() } else { *value });
        (sizes(&[("M", m), ("N", n)]), Tensors::from([(name("x"), x)]))
    };
    hold(&program, &[run([14, 12]), run([6, 1]), run([1, 9]), run([21, 23])]);
}
