//! Programs over tiles, written by hand, and what they compute as direct loops.

use ndarray::{ArrayD, Axis, IxDyn};
use systole_base::integer::{Bindings, name};
use systole_program::array::{Program, Tensors, parse};

/// A program, and sizes, inputs and expected outputs for it.
pub struct Case {
    pub text: &'static str,
    pub sizes: Bindings,
    pub inputs: Tensors,
    pub outputs: Tensors,
}

impl Case {
    /// The program.
    pub fn program(&self) -> Program {
        program(self.text)
    }
}

/// A program that must parse.
pub fn program(text: &str) -> Program {
    parse("tiled.pe", text).unwrap_or_else(|faults| panic!("{}", systole_base::diagnostic::render(&faults, false)))
}

pub const STATIONARY: &str = include_str!("stationary.pe");

pub const MOVING: &str = include_str!("moving.pe");

const CHAIN: &str = include_str!("chain.pe");

const PREFIX: &str = include_str!("prefix.pe");

/// Whole tiles, ragged ones, sizes smaller than a tile, and 1; tiles of a product are 2 by 3 by 4.
const SIZES: [[i64; 3]; 7] = [[4, 6, 8], [5, 7, 9], [7, 10, 13], [1, 2, 3], [1, 1, 1], [6, 1, 2], [3, 4, 17]];

/// Every program at every size.
pub fn cases() -> Vec<Case> {
    let each = |sizes: [i64; 3]| [product(STATIONARY, sizes), product(MOVING, sizes), chain(sizes), prefix(sizes)];
    SIZES.into_iter().flat_map(each).collect()
}

/// Values in -1 to 1 without a pattern, so that sums depend on their order.
pub fn filled(seed: u64, shape: &[i64]) -> ArrayD<f64> {
    let mut state = seed + 1;
    ArrayD::from_shape_simple_fn(shape.iter().map(|side| *side as usize).collect::<Vec<usize>>(), || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    })
}

fn bindings(pairs: &[(&str, i64)]) -> Bindings {
    pairs.iter().map(|(key, value)| (name(key), *value)).collect()
}

fn tensors<const C: usize>(pairs: [(&str, ArrayD<f64>); C]) -> Tensors {
    pairs.into_iter().map(|(key, value)| (name(key), value)).collect()
}

/// A matrix product; each sum begins with its first product.
pub fn product(text: &'static str, [m, n, k]: [i64; 3]) -> Case {
    let (a, b) = (filled(1, &[m, k]), filled(2, &[k, n]));
    let c = ArrayD::from_shape_fn(IxDyn(&[m as usize, n as usize]), |at| {
        let products = a.index_axis(Axis(0), at[0]).to_owned() * b.index_axis(Axis(1), at[1]);
        products.iter().copied().reduce(|sum, product| sum + product).expect("a product")
    });
    let sizes = bindings(&[("M", m), ("N", n), ("K", k)]);
    Case { text, sizes, inputs: tensors([("A", a), ("B", b)]), outputs: tensors([("C", c)]) }
}

/// A program for products with other tiles than those of 2 by 3 by 4.
pub fn with_tiles(text: &str, [m, n, k]: [i64; 3]) -> String {
    let axes = [(" M 2 0)", 'M', m), (" N 3 0)", 'N', n), (" K 4 0)", 'K', k)];
    let cut =
        axes.iter().fold(text.to_owned(), |text, (what, name, size)| text.replace(what, &format!(" {name} {size} 0)")));
    let counts = [("M_t M 2", 'M', m), ("N_t N 3", 'N', n), ("K_t K 4", 'K', k)];
    counts.iter().fold(cut, |text, (what, name, size)| text.replace(what, &format!("{name}_t {name} {size}")))
}

fn chain([p, n, _]: [i64; 3]) -> Case {
    let x = filled(3, &[p, n]);
    let y = ArrayD::from_shape_fn(IxDyn(&[n as usize]), |at| {
        (0..p as usize).fold(0.75, |s, p| s * x[[p, at[0]]] + p as f64)
    });
    let z = ArrayD::from_elem(IxDyn(&[n as usize]), 0.75);
    let sizes = bindings(&[("P", p), ("N", n)]);
    Case { text: CHAIN, sizes, inputs: tensors([("x", x)]), outputs: tensors([("y", y), ("z", z)]) }
}

fn prefix([_, n, k]: [i64; 3]) -> Case {
    let n = n + k;
    let x = filled(4, &[n]);
    let mut sum = x.clone();
    (1..n as usize).for_each(|i| sum[i] = sum[i - 1] + x[i]);
    Case { text: PREFIX, sizes: bindings(&[("N", n)]), inputs: tensors([("x", x)]), outputs: tensors([("S", sum)]) }
}

/// The sizes of [`FAULTS`].
pub const FAULTY_SIZES: [i64; 3] = [5, 7, 9];

/// A program that cannot go on, and what is wrong with it.
pub const DEADLOCK: (&str, &str) = ("((<= p (- M_t 2)))", "((<= p (- M_t 2)) (>= k K_t))");
