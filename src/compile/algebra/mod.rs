//! Forms of a kernel's equations: what the laws of algebra and of reductions make of them, and the best of these.
//!
//! In: a system, the rules of `rules/algebra`, sizes. Out: a [`Derivation`]: a front of [`Form`]s, each a kernel of its own with the chain
//! of laws that leads to it. A form has the meaning of the kernel it comes from; what it costs is counted in passes over the elements of
//! an axis and in applications of scalar functions. Derived kernels are texts, so every later stage takes them as it takes any kernel.

mod axes;

mod inline;

mod written;

mod recursion;

mod coordinates;

pub use coordinates::{Coordinates, Part, Recast, recast};

mod goals;

pub use goals::{Combination, Fold, FormCost, Goal, GoalId, Goals, Selection, Value, Way};

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
