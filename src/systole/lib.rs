//! Recurrence equations in, a distributed program out that is proved right for every problem size.
//!
//! The modules stand in the order of the pipeline; imports point up this list only.
//!
//! | module | in ─► out |
//! |---|---|
//! | [`span`], [`refusal`], [`diagnostic`], [`whole`] | places in a source; why there is no design; messages for people; files that are there whole or not at all |
//! | [`integer`] | linear forms, matrices and their lattices, polyhedra |
//! | [`syntax`] | text ─► syntax tree ─► text |
//! | [`recurrence`] | tree ─► equations ─► iteration spaces, and what they mean |
//! | [`tiles`] | equations over elements ─► equations over tiles, and what is done with one tile |
//! | [`rewrite`] | space and rules ─► e-graph ─► every way to move operands and to order a reduction |
//! | [`mapping`] | bounds ─► candidate space-time maps; designs and their flows |
//! | [`timing`] | design ─► obligations |
//! | [`smt`] | obligation ─► proved, refuted with the smallest counterexample, or unknown |
//! | [`cost`] | machine files, and what one unit of a cost is |
//! | [`extract`] | choices and maps ─► the exact Pareto front |
//! | [`systolize`](mod@systolize) | space, place and step ─► asynchronous processes in closed form |
//! | [`array`](mod@array) | design ─► per-PE program ─► text ─► program |
//! | [`leaf`] | leaf operations of a program ─► flat loops over tiles, or a library's |
//! | [`sim`] | program, sizes, arrays ─► arrays, cycles, counters, traces |
//! | [`exec`] | program, sizes, arrays ─► arrays, for real, on threads or MPI ranks |
//! | [`scalesim`] | configurations and topologies of SCALE-Sim ─► machines, layers, cycles beside its own |
//! | [`report`] | run, design, refutation ─► one HTML page |
//! | [`driver`] | the command line |
//!
//! From text to cycles:
//!
//! ```
//! use systole::{Options, compile, integer::name, recurrence, sim, smt::Verdict, span::Source};
//!
//! let text = "kernel matmul(M, N, K)\nin A[M, K], B[K, N]\nout C[M, N]\nC[i, j] = sum(k) A[i, k] * B[k, j]\n";
//! let compiled = compile(&Source::new("matmul.rec", text), &Options::default())?;
//! assert!(compiled.proofs.iter().all(|proof| proof.verdict == Verdict::Proved)); // for all M, N, K
//!
//! let sizes = ["M", "N", "K"].map(|size| (name(size), 4)).into_iter().collect();
//! let matrix = |shift: f64| ndarray::ArrayD::from_shape_fn(vec![4, 4], |at| at[0] as f64 * shift - at[1] as f64);
//! let inputs = [("A", matrix(0.5)), ("B", matrix(3.0))].map(|(of, values)| (name(of), values)).into_iter().collect();
//! let outcome = sim::simulate(&compiled.program, &sizes, &inputs, &sim::Settings::default())?;
//! assert_eq!(outcome.cycles, 10); // 3n - 2
//! assert_eq!(outcome.outputs, recurrence::evaluate(&compiled.equations, &sizes, &inputs)?);
//! # Ok::<(), systole_base::diagnostic::Diagnostics>(())
//! ```
//!
//! [`compile`](fn@compile) puts the stages in order; each of them can be called by itself.
#![warn(missing_docs)]

pub use systole_base::{cancel, cell, diagnostic, integer, machine, network, refusal, scalar, span, whole};
pub use systole_compile::{Compiled, Options, compile};
pub use systole_compile::{algebra, check, cost, emit, extract, mapping, rewrite, smt, systolize, timing};
pub use systole_equations::{recurrence, syntax, tiles};
pub use systole_program::{array, obligation};
pub use systole_run::{exec, leaf, native, shared, sim};

pub mod scalesim;

pub mod report;

pub mod driver;
