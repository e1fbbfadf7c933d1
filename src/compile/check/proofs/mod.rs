//! Chains of explanations put to the test on the very terms of a kernel.
//!
//! In: a chain of steps, the equations or the frame of its kernel. Out: a [`ChainReport`]: at how many points each step was evaluated.
//!
//! egg's explanations repeat neither the conditions of rules nor the unions of the analysis. So both terms of each step
//! are evaluated at every point at two small sizes, by one meaning of terms for spaces and for frames. Then the rule is
//! applied to the one term to see that it gives the other, and its conditions are asked anew, alone or of the saturated
//! e-graph. Lists of directions are held to the points that they speak of (`steps`), tiles to the elements by
//! evaluating both systems. A step that does not hold ends the command with code 1.

mod small;

mod steps;

mod chains;

pub use chains::ChainReport;
