//! Operands of our side as files, and residuals from the files of its results.
//!
//! A residual is that of the equation applied to a random vector, relative to the norms of its operands (Freivalds, 1977); it
//! takes n^2 operations by loops of its own, and shares nothing with what is timed.

use ndarray::{Array1, Array2};
use ndarray_npy::{read_npy, write_npy};
use std::error::Error;
use std::path::Path;

/// What is measured: a routine of ScaLAPACK, and the kernel that does the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Routine {
    Gemm,
    Trsm,
    Potrf,
}

impl Routine {
    /// The kernel's file.
    pub fn kernel(self) -> &'static str {
        match self {
            Routine::Gemm => "kernels/matmul.rec",
            Routine::Trsm => "kernels/trsm.rec",
            Routine::Potrf => "kernels/cholesky.rec",
        }
    }

    /// The name that `peer` knows.
    pub fn name(self) -> &'static str {
        match self {
            Routine::Gemm => "gemm",
            Routine::Trsm => "trsm",
            Routine::Potrf => "potrf",
        }
    }

    /// The sizes of the kernel.
    pub fn sizes(self, n: usize, columns: usize) -> String {
        match self {
            Routine::Gemm => format!("M={n},N={n},K={n}"),
            Routine::Trsm => format!("R={columns},N={n}"),
            Routine::Potrf => format!("N={n}"),
        }
    }

    /// Multiplications and additions, as the two are commonly counted.
    pub fn flops(self, n: usize, columns: usize) -> f64 {
        let (n, columns) = (n as f64, columns as f64);
        match self {
            Routine::Gemm => 2.0 * n * n * n,
            Routine::Trsm => n * n * columns,
            Routine::Potrf => n * n * n / 3.0,
        }
    }

    /// The array of the result.
    pub fn output(self) -> &'static str {
        match self {
            Routine::Gemm => "C",
            Routine::Trsm => "X",
            Routine::Potrf => "L",
        }
    }
}

/// Writes the inputs of a kernel into a folder; their names.
pub fn write(routine: Routine, n: usize, columns: usize, folder: &Path) -> Result<Vec<&'static str>, Box<dyn Error>> {
    let general = |seed: u64, rows: usize| Array2::from_shape_fn((rows, n), |(i, j)| number(seed, i, j));
    let heavy = |value: f64, i: usize, j: usize| if i == j { value + n as f64 } else { value };
    let arrays = match routine {
        Routine::Gemm => vec![("A", general(1, n)), ("B", general(2, n))],
        Routine::Trsm => {
            let lower = |(i, j): (usize, usize)| if j > i { 0.0 } else { heavy(number(1, i, j), i, j) };
            vec![("L", Array2::from_shape_fn((n, n), lower)), ("B", general(2, columns))]
        }
        Routine::Potrf => {
            let symmetric = |(i, j): (usize, usize)| heavy(number(1, i.max(j), i.min(j)), i, j);
            vec![("A", Array2::from_shape_fn((n, n), symmetric))]
        }
    };
    for (name, array) in &arrays {
        write_npy(folder.join(format!("{name}.npy")), array)?;
    }
    Ok(arrays.into_iter().map(|(name, _)| name).collect())
}

/// The residual of what stands in a folder.
pub fn residual(routine: Routine, folder: &Path) -> Result<f64, Box<dyn Error>> {
    let read = |name: &str| read_npy::<_, Array2<f64>>(folder.join(format!("{name}.npy")));
    let result = read(routine.output())?;
    let (left, right, norms) = match routine {
        Routine::Gemm => {
            let (a, b, x) = (read("A")?, read("B")?, vector(result.ncols()));
            (a.dot(&b.dot(&x)), result.dot(&x), norm(&a) * norm(&b) * x.dot(&x).sqrt())
        }
        // Rows of X are right-hand sides, so X L^T = B.
        Routine::Trsm => {
            let (l, b, x) = (read("L")?, read("B")?, vector(result.nrows()));
            (l.dot(&result.t().dot(&x)), b.t().dot(&x), norm(&l) * norm(&result) * x.dot(&x).sqrt())
        }
        Routine::Potrf => {
            let (a, x) = (read("A")?, vector(result.nrows()));
            (result.dot(&result.t().dot(&x)), a.dot(&x), norm(&a) * x.dot(&x).sqrt())
        }
    };
    let difference = left - right;
    Ok(difference.dot(&difference).sqrt() / norms)
}

fn norm(matrix: &Array2<f64>) -> f64 {
    matrix.iter().map(|value| value * value).sum::<f64>().sqrt()
}

fn vector(length: usize) -> Array1<f64> {
    Array1::from_shape_fn(length, |i| number(9, i, 0))
}

/// A number in [-0.5, 0.5) from three others: the finalizer of SplitMix64, as in `peer.c`.
fn number(matrix: u64, row: usize, column: usize) -> f64 {
    let x = ((matrix << 56) ^ ((row as u64) << 28) ^ column as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64 - 0.5
}
