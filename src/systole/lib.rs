//! Recurrence equations in, a distributed program out that is proved right for every problem size.
//!
//! The modules stand in the order of the pipeline; imports point up this list only.
//!
//! | module | in ─► out |
//! |---|---|
//! | [`span`], [`diagnostic`], [`whole`] | places in a source; messages for people; files that are there whole or not at all |
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
//! | [`report`] | run, design, refutation ─► one HTML page |
//! | [`driver`] | the command line |
//!
//! From text to cycles:
//!
//! ```
//! use std::time::Duration;
//! use systole::array::Tensors;
//! use systole::cost::Objective;
//! use systole::extract::{self, Constraint, Problem};
//! use systole::integer::{Bindings, name};
//! use systole::mapping::{Design, candidates::Bounds};
//! use systole::{emit, machine::Machine, recurrence, rewrite, sim, smt, span::Source, timing};
//!
//! let text = "kernel matmul(M, N, K)\nin A[M, K], B[K, N]\nout C[M, N]\nC[i, j] = sum(k) A[i, k] * B[k, j]\n";
//! let space = recurrence::one_space(&recurrence::load(&Source::new("matmul.rec", text))?)?;
//!
//! // Every way to move A and B and to order the sum, by the rules.
//! let lowered = rewrite::saturate(&space, &rewrite::load_rules(None)?, &rewrite::Limits::default())?;
//! let choices = lowered.choices()?;
//!
//! // The best design, costed at 4 x 4 x 4.
//! let machine = Machine::default();
//! let sizes: Bindings = ["M", "N", "K"].iter().map(|parameter| (name(parameter), 4)).collect();
//! let bounds = Bounds::for_dimension(space.dimension());
//! let problem = Problem::new(&space, &choices, bounds, &machine, &sizes, Constraint::default())?;
//! let front = extract::search(&problem, false, &|_, _| ()).front.sorted(Objective::Systolic);
//! let (map, dataflow) = (front[0].map.clone(), front[0].dataflow.clone());
//! let design = Design { space: &space, dataflow, map, boundary_io: false };
//!
//! // Right for all sizes.
//! let obligations = timing::obligations(&design, &machine.links)?;
//! let proofs = smt::discharge_all(&obligations, Duration::from_secs(10));
//! assert!(proofs.iter().all(|proof| proof.verdict == smt::Verdict::Proved));
//!
//! // One program for all sizes, run at one: what it computes is what the equations mean, in 3n - 2 cycles.
//! let program = emit::emit(&design, &machine.links)?;
//! let matrix = |shift: f64| ndarray::ArrayD::from_shape_fn(vec![4, 4], |at| at[0] as f64 * shift - at[1] as f64);
//! let inputs: Tensors = [(name("A"), matrix(0.5)), (name("B"), matrix(3.0))].into_iter().collect();
//! let outcome = sim::simulate(&program, &sizes, &inputs, &sim::Settings::default())?;
//! let expected = recurrence::evaluate_in_order(&space, &design.dataflow.chain, &sizes, &inputs)?;
//! assert_eq!((outcome.cycles, &outcome.outputs["C"]), (10, &expected));
//! # Ok::<(), systole_base::diagnostic::Diagnostics>(())
//! ```
#![warn(missing_docs)]

pub use systole_base::{diagnostic, integer, machine, network, scalar, span, whole};
pub use systole_compile::{algebra, check, cost, emit, extract, mapping, rewrite, smt, systolize, timing};
pub use systole_equations::{recurrence, syntax, tiles};
pub use systole_program::{array, obligation};
pub use systole_run::{exec, leaf, shared, sim};

pub mod report;

pub mod driver;
