//! Forms of a kernel's equations: what the laws of algebra and of reductions make of them, and the best of these.
//!
//! In: a system, the rules of `rules/algebra`, sizes. Out: a [`Derivation`]: a front of [`Form`]s, each a kernel of its own with the chain
//! of laws that leads to it. A form has the meaning of the kernel it comes from; what it costs is counted in passes over the elements of
//! an axis and in applications of scalar functions. Derived kernels are texts, so every later stage takes them as it takes any kernel.
//!
//! **Terms.** This works on whole kernels, before spaces are cut out of them. Every tensor that one equation defines as
//! a whole stands for its definition (`written`), so an output is one term over all that it is computed from. Indices
//! are named by the *axis* they run along (`axes`). Two reductions over the keys reduce over one index wherever they
//! were written, and the inner sides of a chain of products have one each. So no law renames or shifts anything. Terms
//! stand over a *frame* where the dataflow has a space; language, reader, analysis and explanations are the same.
//!
//! **Laws** are in `rules/algebra`. A law goes in the direction in which it can save something: a factor leaves a sum,
//! a sum is split if it stands under another one. The general laws of rings do not saturate: sums and products are
//! tried in every order up to six operands (`few`). Reductions by declared monoids are terms `(reduce s M k (pair x
//! v))`. If a component is a reduction of its own, the analysis makes the two equal (`fold-part`). So the running
//! maximum of an online softmax and the maximum of the written one become the same value.
//!
//! **Choice.** What the e-graph leaves to choose is an and-or graph (`goals`, `compile`). Each goal is paid once for
//! each point of its indices, however many use it, so costs are those of a program with every shared value stored. A
//! component of a declared reduction runs *beside* those whose state it uses. *Passes* along an axis are one more than
//! the reductions along it that wait for one another, over all goals that have a point for each of its elements.
//! *Overflows* count exponentials whose argument is not a difference to its own maximum. `least` finds the fewest
//! operations within given passes exactly. `derive` takes the front of overflows, passes and operations. `every` lists
//! all selections for the search of forms together with maps, where fewer operations are not what is best. Costs are
//! compared at the same sizes: if one form has too many points at those asked for, all are counted at smaller ones.
//!
//! **Result.** A selection is written as a kernel (`equations`, `joint`, `scans`), parsed, and evaluated beside the
//! kernel it comes from (`confirm`), once more with masks and other special numbers among the inputs. A form that
//! differs there is `finite`. Its chain of laws is as short as it is found: once more in an e-graph of the chain's own
//! rules, which stops where both ends meet, and without each rule that it can do without (`Forms::explain_briefly`).
//! The chain depends on the form and the rules alone (`Derivation::explained`).
//!
//! Not built: recurrences from tensors of several equations, such as an inverse written in three cases; choices between more than two
//! equations where it depends on the point which one is about an element; recurrences
//! from a sum that is picked where its index is bound again, such as `L^-1 (L^-1 B)`; blocks of which the last is
//! smaller; tiles by rules; sums over windows of expressions; forms of equations that scatter.

mod axes;

mod inline;

mod written;

mod recursion;

mod conditions;

mod coordinates;

pub use coordinates::{CoordinateCount, Coordinates, Recast, recast};

mod goals;

pub use goals::{Combination, ComponentReduction, FormCost, Goal, GoalId, Goals, Selection, Value, Way};

mod circles;

mod compile;

mod compile_scans;

mod compile_pairs;

mod pairs;

mod least;

pub use least::{Least, Limit, least};

mod every;

pub use every::every;

mod text;

mod scans;

mod joint;

mod equations;

mod terms;

mod show;

mod chain;

pub use chain::Law;

mod confirm;

mod derive;

pub use derive::{Derivation, Form, Wanted, derive, derive_recast, saturate_equations};

mod equal;

pub use equal::{Equality, equal};

mod firing;

pub use firing::{NAIVE, find_naive};
