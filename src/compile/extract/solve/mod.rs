//! The strategy for kernels of several spaces, and for folds: steps are solved for.
//!
//! In: a [`SpaceSystem`](systole_equations::recurrence::spaces::SpaceSystem), what the e-graph offers for each of its spaces, bounds, a
//! machine, sizes. Out: the Pareto front over (places, dataflows, steps). Places are enumerated family by family: where a
//! family hands values to one that is placed already, only rows that keep the two a constant number of PEs apart are
//! left. Steps are enumerated for all spaces together, within the rows of the dependences' generators. [`verify`]
//! counts a design again, point by point, with no code of the search's.
//!
//! **Places and dataflows.** There is one place line for all spaces. A family that lacks one of its indices follows by
//! what it hands over (`places`). `forms` has the dataflow of computed values.
//!
//! **Steps** (`steps`). A form is non-negative on a parametric polyhedron if it is so on its generators, so every
//! dependence is a handful of linear rows. The shortest steps that satisfy them are found by branch and bound in whole
//! numbers (`smt::branch`), for any latency. What that leaves open, and why rows clash, is asked of Z3's optimiser;
//! tests hold the two equal. If rows clash, a minimal set of them becomes the message. Words of a handoff over several
//! hops that would share a link are one more row each, and the steps are asked for again (`steps::on_links`). If the
//! box of steps is small, all of it is looked through as well.
//!
//! **Streams of inputs** (`asked`). An input may always be fed, so it asks for nothing. But steps with time for its
//! stream may be others, and load fewer words. So each choice of streams that the shortest steps leave no time is asked
//! for once more, and so on from its steps.
//!
//! **Sharing PEs** (`sharing`). Of spaces that would meet on a PE one is over there before the other begins (`apart`).
//! If that leaves no design they alternate (`turns`). With `n` of them, times are `n u + number + slant . PE`, so the
//! shortest are a linear task over multiples of `n` once more (`slanted`), and two spaces with different numbers are
//! apart without a proof, by the remainder (`smt::lattice`). Slants change right sides only, so each task of a
//! `Series` goes on from the dictionary of the one before. If there are few such ways (81, or 27 along a line),
//! families run beside each other as well, a link apart. Since that needs more PEs, the shortest design in which none
//! has moved is kept beside it. Where there are more ways, only the turns of the array as it is are found anew. Parts of a kernel that do not
//! depend on each other are tried on PEs of their own as well (`side_by_side`). That no two spaces meet is settled in the search already (`sharing::meetings`), each
//! pair of parts once.
//!
//! **Bounds.** In kernels of more than five spaces only places along the axes are tried. What a limit leaves out is
//! counted and said (`limits`). What a space costs under a map, and which runs meet, is counted once for all designs
//! (`tally::known_costs`). Times are plain where that leads to designs, so that a PE runs one dimension of a space; else
//! they are vectors, whose rows above the finest are placed like axes of the array (`places::Axes`), and the finest is
//! solved for within a round. Folds of each legal design are tried if `--fold` allows them (`folds`).
//!
//! **Budget.** What is done counts as work (`task::Work`), in maps of one space that could be looked at meanwhile; no clock
//! is asked, so the result is the same on every machine. With more dataflows than the budget allows, families
//! are placed one after the other (`beam`), and each stage looks at as many dataflows as there is room for, spread over all.
//! Placements are looked at until the budget is used up. Arrays of a further kind, times that are vectors, and PEs that keep
//! what they compute come after that, each with an eighth of the budget more. A small budget is searched with
//! first, then the usual one, then as much again with a wider beam, and so on (`Limits::deepening`): arrays that are found are kept, so
//! a larger one never leads to more cycles or a worse array. Where the ways to divide a kernel share a budget,
//! they share each of these.
//!
//! **In order** (`places::in_order`). Where none of this finds a design, loops are built for all spaces, of which one comes
//! after the other: on one PE, at the places that a schedule gives, or along the strips of a divided kernel. They have all that is
//! left of the budget, and some where nothing is.

mod task;

mod places;

pub(super) use places::{GivenRows, Room};

mod dataflows;

mod steps;

mod tally;

mod sharing;

mod asked;

mod folds;

mod search;

mod beam;

mod verify;

pub use places::range;
pub use search::{nearest, search, why_stuck};
pub use steps::{Law, Stuck};
pub use task::Task;
pub use verify::verify;
