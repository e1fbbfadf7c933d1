//! Every scalar function gives the same bits in C as here, for special numbers and for many others.

use super::folder::{Folder, compilers};
use crate::programs::{filled, program, same_bits, sizes};
use ndarray::{Array1, ArrayD};
use std::fmt::Write;
use systole::array::Tensors;
use systole::exec::{Settings, execute};
use systole::integer::name;
use systole::scalar::Function;

const SPECIAL: [f64; 14] =
    [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 2.5, -2.5, 5e-324, 1e-310, f64::MAX];

/// How many numbers of many magnitudes are tried beside them.
const RANDOM: usize = 4000;

/// A PE that applies every function to the numbers of three arrays, one after the other.
fn all_functions() -> String {
    let mut arrays = String::new();
    let mut body = "(load a (A i)) (load b (B i)) (load c (C i))".to_owned();
    for function in Function::ALL {
        let (word, operands) = (function.keyword(), &"a b c"[..2 * function.arity() - 1]);
        write!(arrays, " (array {word} out (N))").expect("text");
        write!(body, " (let r ({word} {operands})) (store ({word} i) r)").expect("text");
    }
    format!(
        "(program functions (version 1) (parameters N) (array A in (N)) (array B in (N)) (array C in (N)){arrays}
           (class only (guard) (loop i 0 (- N 1) {body})))"
    )
}

/// Pairs of special numbers, and others of which some are large.
fn operands() -> [ArrayD<f64>; 3] {
    let pairs: Vec<(f64, f64)> = SPECIAL.iter().flat_map(|a| SPECIAL.map(|b| (*a, b))).collect();
    let random = |seed: usize, special: Vec<f64>| {
        let values = filled(seed, &[RANDOM]);
        let scaled = values.iter().enumerate().map(|(at, value)| value * [1.0, 10.0, 700.0, 1e-5][at % 4]);
        Array1::from_iter(special.into_iter().chain(scaled)).into_dyn()
    };
    let (first, second) = pairs.iter().copied().unzip();
    [random(1, first), random(2, second), random(3, pairs.iter().map(|(a, _)| -a).collect())]
}

#[test]
fn functions_are_those_of_the_c_library() {
    let (program, [a, b, c]) = (program(&all_functions()), operands());
    let sizes = sizes(&[("N", a.len() as i64)]);
    let inputs = Tensors::from([(name("A"), a), (name("B"), b), (name("C"), c)]);
    let expected = execute(&program, &sizes, &inputs, &Settings::default()).expect("a run").outputs;
    let folder = Folder::of(&program);
    for compiler in compilers() {
        folder.make(compiler, "all");
        let found = folder.run(&sizes, &inputs, 1);
        for (function, values) in &expected {
            let one = |all: &Tensors| Tensors::from([(function.clone(), all[function].clone())]);
            assert!(same_bits(&one(&found), &one(&expected)), "`{function}` by {compiler:?}: {values}");
        }
    }
}
