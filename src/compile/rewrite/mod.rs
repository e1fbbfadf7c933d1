//! The e-graph of every lowered form of a space, or of all spaces of a system.
//!
//! In: a [`Space`](systole_equations::recurrence::Space) or a [`SpaceSystem`](systole_equations::recurrence::spaces::SpaceSystem), and rules read
//! from `rules/`. Out: a saturated e-graph in which the class of each space holds all ways to move the operands and to
//! order the reduction; a [`Dataflow`] is one of them. Paper: Cyclotron sections 4 and 8.
//!
//! **Terms.** A term is a *field*: a function from the points of a space to numbers. So a union states an equality of
//! functions, and every rule can be tested by evaluating both sides on small domains. `lower-sum` makes a reduction one
//! along lines. `choose-stream` and the rules like it give each operand its ways to travel. `inject`, `propagate` and
//! `send` write a stream as loads, neighbours and messages. Directions and access maps are leaves. What a rule cannot
//! compute it names by a folding node, which the analysis replaces (`fold-directions`).
//!
//! **Folders.** `terms` is the language and `registry` what its names stand for. `rules` reads rule files, `saturation`
//! runs them. `dataflows` writes what saturation starts with and reads off what it ends with. `recurrences` is a dataflow
//! written out, and read again. `show` is what people read.
//!
//! **Size.** The graph is a sum over operands while designs are a product, which is why it stays small. Maps are not in
//! it. A map is a valuation under which the graph is costed. Only a proved winner is recorded, as a `sched` node whose
//! union names its proofs, so an explanation runs from the equations to the schedule.
//!
//! **Trees of streams.** What is loaded at the heads of lines is a read of its own on the space of these heads
//! (`load-again`), so `choose-stream` applies again. An operand with several directions of reuse, such as the weights
//! of a convolution, streams along one; its heads are reached along the next, and one port feeds it
//! (`Transport::Tree`). The heads are the faces of the domain that the direction points away from. A later direction
//! runs within all of them, which the slopes of the constraints decide, so it is independent of those before. A number
//! that never changes has one order of the indices (`choose-axes`). It is streamed only if the array computes it, or a
//! schedule asks.
//!
//! **Several spaces** share one e-graph. A reduction inside an expression is written where it stands, `(inner s o g
//! e)`, a term over its own space. `outer-send` makes a handoff of it, and only so does that space come into the graph.
//! What is computed is streamed with its heads handed over (`inner-send`), handed to every point (`choose-handoff`), kept by
//! the PE that computes it (`choose-local`), stored where all PEs find it (`choose-memory`), or put on a bus (`choose-bus`).
//! If a point reads what a point at a constant distance writes, `self-dep` says so. `saturate` gives the choices
//! of each space; one space is a system of one.

// What a stage needs that goes through terms itself.
pub use egg::{Id, Language, RecExpr, Symbol};

pub(crate) mod terms;

pub use terms::{AccessText, DirectionText, Literal, Notation, OPERATORS, Operands, Term, TermNames, arity};

pub(crate) mod registry;

pub use registry::{Frame, FrameIndex, MAX_COMBINED, access_text, null_directions};

pub(crate) use registry::compared;

pub(crate) mod rules;

pub use rules::{
    FOLD_PART, Monoid, PREDICATES, Phase, Predicate, Rule, RuleSet, Tag, embedded_sources, is_shifted, load_phase,
    load_rules, read_directory, read_rules,
};

pub(crate) mod saturation;

pub use saturation::{
    DEFINE_RESULT, FOLD_COUNT, FOLD_DEFINITION, FOLD_DIRECTIONS, FOLD_PICK, FOLD_WHERE, Facts, Forms, Graph, Limits,
    Lowered, Report, Step, components, part_of, saturate, saturate_forms, saturate_term,
};

pub(crate) mod dataflows;

pub use dataflows::{Choices, Dataflow, MAX_COEFFICIENTS, Transport, input_term, lowered_term};

pub(crate) mod recurrences;

pub use recurrences::{
    Carrier, Condition, Defined, Difference, Element, Expression, Instance, LocatedStatement, RECURRENCES, Recurrence,
    Statement, Value, compare_recurrences, read_recurrences, recurrences, recurrences_of_space, split_recurrences,
};

mod show;

pub use show::Scheduled;
