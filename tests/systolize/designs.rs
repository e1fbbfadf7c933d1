//! Designs beyond the report's: one for each of its restrictions that is lifted.

use crate::common::{MATMUL, POLYNOMIAL, loading, map, space};
use systole_base::integer::Vector;
use systole_compile::mapping::SpaceTimeMap;
use systole_compile::systolize::Loading;
use systole_equations::recurrence::Space;

/// A design with a name for messages.
pub struct Design {
    pub name: &'static str,
    pub space: Space,
    pub map: SpaceTimeMap,
    pub loading: Vec<Loading>,
}

const FIR: &str = "kernel fir(N, K)\nin x[N + K - 1], w[K]\nout y[N]\ny[i] = sum(k) w[k] * x[i + k]\n";

/// Two sums over triangles, each with index maps of rank one in a space of two loops.
const TRIANGLE: &str = "kernel triangle(N)\nin a[N], b[N]\nout c[N]\nc[i] = sum(k in 0..i + 1) a[k] * b[i - k]\n";

const PYRAMID: &str = "kernel pyramid(N)\nin A[N, N], B[N, N]\nout C[N, N]\n\
    C[i, j] = sum(k in 0..i + 1) A[i, k] * B[k, j]\n";

const MAXIMUM: &str = "kernel longest(N)\nin A[N, N], B[N, N]\nout C[N, N]\n\
    C[i, j] = max(k in 0..N) (A[i, k] + B[k, j])\n";

/// The index map of x has an offset, that of w runs backwards, and the body names an index.
const SHIFTED: &str = "kernel shifted(N)\nin x[2*N + 3], w[N]\nout y[N]\n\
    y[i] = sum(k in 0..N) (w[N - 1 - k] * x[i + k + 3] + i)\n";

const RECTANGLE: &str =
    "kernel rectangle(M, N, K)\nin A[M, K], B[K, N]\nout C[M, N]\nC[i, j] = sum(k in 0..K) A[i, k] * B[k, j]\n";

/// All of them.
pub fn all() -> Vec<Design> {
    let one = |name, text, place: &[i64], step: &[i64], loading: &[Loading]| {
        design(name, text, &[place.to_vec()], step, loading)
    };
    vec![
        one("polynomial, a stays (D.1)", POLYNOMIAL, &[1, 0], &[2, 1], &[loading("a", &[1])]),
        one("polynomial, c stays (D.2)", POLYNOMIAL, &[1, 1], &[2, 1], &[loading("c", &[1])]),
        one("polynomial, c stays, loaded from the right", POLYNOMIAL, &[1, 1], &[2, 1], &[loading("c", &[-1])]),
        one("polynomial, against the order of a", POLYNOMIAL, &[1, 0], &[-1, 2], &[]),
        design("matmul, c stays (E.1)", MATMUL, &[vec![1, 0, 0], vec![0, 1, 0]], &[1, 1, 1], &[loading("C", &[1, 0])]),
        design("matmul, hexagonal (E.2)", MATMUL, &[vec![1, 0, -1], vec![0, 1, -1]], &[1, 1, 1], &[]),
        design(
            "matmul, c loaded along the diagonal",
            MATMUL,
            &[vec![1, 0, 0], vec![0, 1, 0]],
            &[1, 1, 1],
            &[loading("C", &[-1, 1])],
        ),
        design("rectangle, b stays", RECTANGLE, &[vec![0, 1, 0], vec![0, 0, 1]], &[1, 1, 1], &[loading("B", &[1, 0])]),
        design("rectangle, hexagonal", RECTANGLE, &[vec![1, 0, -1], vec![0, 1, -1]], &[2, 1, 1], &[]),
        design("matmul, sheared", MATMUL, &[vec![1, 0, 0], vec![1, 1, 0]], &[1, 1, 1], &[loading("C", &[0, 1])]),
        design("matmul on a lattice", MATMUL, &[vec![1, -1, 0], vec![1, 1, 0]], &[1, 1, 1], &[loading("C", &[1, 0])]),
        design(
            "matmul on a lattice, loaded diagonally",
            MATMUL,
            &[vec![1, -1, 0], vec![1, 1, 0]],
            &[1, 1, 1],
            &[loading("C", &[1, 1])],
        ),
        design("matmul, increments of two", MATMUL, &[vec![1, 1, 1], vec![1, -1, 0]], &[2, 1, 1], &[]),
        one("fir, w stays", FIR, &[0, 1], &[2, 1], &[]),
        one("fir, w stays, x backwards", FIR, &[0, 1], &[1, -2], &[loading("w", &[-1])]),
        one("fir, y stays", FIR, &[1, 0], &[2, 1], &[loading("y", &[1])]),
        one("fir, x stays", FIR, &[1, 1], &[1, 2], &[loading("x", &[1])]),
        one("shifted", SHIFTED, &[0, 1], &[2, 1], &[]),
        one("shifted, y stays", SHIFTED, &[1, 0], &[2, 1], &[]),
        one("triangle, c stays", TRIANGLE, &[1, 0], &[2, 1], &[]),
        one("triangle, a stays", TRIANGLE, &[0, 1], &[2, -1], &[]),
        one("triangle, b stays", TRIANGLE, &[1, -1], &[1, 1], &[]),
        design("pyramid, c stays", PYRAMID, &[vec![1, 0, 0], vec![0, 1, 0]], &[1, 1, 1], &[]),
        design("pyramid, a stays", PYRAMID, &[vec![1, 0, 0], vec![0, 0, 1]], &[1, 1, 1], &[loading("A", &[0, 1])]),
        design("pyramid, b stays", PYRAMID, &[vec![0, 1, 0], vec![0, 0, 1]], &[1, 1, 1], &[]),
        design("pyramid, hexagonal", PYRAMID, &[vec![1, 0, -1], vec![0, 1, -1]], &[1, 1, 1], &[]),
        design("maximum, hexagonal", MAXIMUM, &[vec![1, 0, -1], vec![0, 1, -1]], &[1, 1, 1], &[]),
    ]
}

fn design(name: &'static str, text: &str, place: &[Vector], step: &[i64], loading: &[Loading]) -> Design {
    Design { name, space: space(text), map: map(place, step), loading: loading.to_vec() }
}
