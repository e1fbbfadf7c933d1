//! The types of a recurrence system.

use super::{Assumption, Distribution, LeafOrder, Split, Strip};
use std::sync::Arc;
use systole_base::diagnostic::{Checked, Diagnostic, nearest};
use systole_base::integer::{Affine, Name, Parameters, Polyhedron};
use systole_base::scalar::{Function, Real};
use systole_base::span::{Source, Span};

/// A kernel: equations between tensors, for every value of its parameters (each at least 1), and named schedules.
#[derive(Clone, Debug)]
pub struct RecurrenceSystem {
    /// The kernel's name.
    pub name: Name,
    /// Size parameters in the order of declaration.
    pub parameters: Parameters,
    /// Tensors in the order of declaration.
    pub tensors: Vec<Tensor>,
    /// Equations in the order they are written.
    pub equations: Vec<Equation>,
    /// Schedules in the order they are written.
    pub schedules: Vec<Schedule>,
    /// The kernel's name, its parameters, and what it assumes of them.
    pub header: Span,
    /// The text all spans point into.
    pub source: Arc<Source>,
}

impl RecurrenceSystem {
    /// The tensor of this name.
    pub fn tensor(&self, name: &str) -> Option<&Tensor> {
        self.tensors.iter().find(|tensor| &*tensor.name == name)
    }

    /// The schedule that somebody asks for by this name.
    ///
    /// # Errors
    /// There is none: with the nearest, or all that there are.
    pub fn asked_schedule(&self, name: &str) -> Checked<&Schedule> {
        self.schedule(name).ok_or_else(|| {
            let known: Vec<&str> = self.schedules.iter().map(|schedule| &*schedule.name).collect();
            let near = nearest(name, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
            let help = near.unwrap_or_else(|| match known.is_empty() {
                true => "the file has no schedules".to_owned(),
                false => format!("the file has {}", known.join(", ")),
            });
            vec![Diagnostic::usage(format!("`{}` has no schedule `{name}`", self.name)).help(help)]
        })
    }

    /// What tensors are assumed to be, of those of these names of which anything is.
    pub fn assumed(&self, of: impl Fn(&Name) -> bool) -> Vec<(Name, Assumption)> {
        let tensors = self.tensors.iter().filter(|tensor| of(&tensor.name));
        tensors.filter_map(|tensor| Some((tensor.name.clone(), tensor.assumption?))).collect()
    }

    /// The tensors of one role, in the order of declaration.
    pub fn tensors_with(&self, role: Role) -> impl Iterator<Item = &Tensor> {
        self.tensors.iter().filter(move |tensor| tensor.role == role)
    }

    /// Whether any equation reads this tensor.
    pub fn reads(&self, tensor: &str) -> bool {
        let mut is_read = false;
        let mut see = |name: &Name, _: &[Affine], _: &Polyhedron| is_read |= &**name == tensor;
        self.equations.iter().for_each(|equation| equation.value.visit_reads(&equation.domain.set, &mut see));
        is_read
    }

    /// The schedule of this name.
    pub fn schedule(&self, name: &str) -> Option<&Schedule> {
        self.schedules.iter().find(|schedule| &*schedule.name == name)
    }
}

/// Where a tensor's values come from and go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Given by the user.
    Input,
    /// Computed and handed out.
    Output,
    /// Computed and used inside only.
    Local,
}

/// A named array with a parametric shape.
#[derive(Clone, Debug)]
pub struct Tensor {
    /// Its name.
    pub name: Name,
    /// Input, output or local.
    pub role: Role,
    /// Extents, affine in the parameters; indices run from 0.
    pub shape: Vec<Affine>,
    /// What is assumed of an input's values.
    pub assumption: Option<Assumption>,
    /// The declaration.
    pub span: Span,
}

/// Integer points over named indices, bounded by constraints in the indices and the parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domain {
    /// The indices, outermost first.
    pub indices: Vec<Name>,
    /// The constraints.
    pub set: Polyhedron,
}

/// `target[subscripts] = value` for every point of `domain`.
///
/// Where the target's subscripts are not plain indices (`c[i + j]`), the indices of an outermost reduction may occur in
/// them; the reduction then runs over the fibre of each element.
#[derive(Clone, Debug)]
pub struct Equation {
    /// The tensor defined.
    pub target: Name,
    /// Its subscripts, affine in the indices and the parameters.
    pub subscripts: Vec<Affine>,
    /// The points it is defined at: the free indices.
    pub domain: Domain,
    /// The right-hand side.
    pub value: Expr,
    /// The whole equation.
    pub span: Span,
}

/// An associative and commutative operator with a neutral value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// `sum`, neutral 0.
    Sum,
    /// `prod`, neutral 1.
    Product,
    /// `max`, neutral minus infinity.
    Max,
    /// `min`, neutral infinity.
    Min,
}

impl Operator {
    /// All operators with the words for them.
    pub const ALL: [(Operator, &'static str); 4] =
        [(Operator::Sum, "sum"), (Operator::Product, "prod"), (Operator::Max, "max"), (Operator::Min, "min")];

    /// The word for it in every text format.
    pub fn keyword(self) -> &'static str {
        Operator::ALL.iter().find(|(operator, _)| *operator == self).map_or("", |(_, word)| word)
    }

    /// The operator that `word` names.
    pub fn from_keyword(word: &str) -> Option<Operator> {
        Operator::ALL.iter().find(|(_, known)| *known == word).map(|(operator, _)| *operator)
    }

    /// The function that combines two values.
    pub fn function(self) -> Function {
        match self {
            Operator::Sum => Function::Add,
            Operator::Product => Function::Multiply,
            Operator::Max => Function::Maximum,
            Operator::Min => Function::Minimum,
        }
    }

    /// The value of an empty reduction.
    pub fn neutral(self) -> f64 {
        match self {
            Operator::Sum => 0.0,
            Operator::Product => 1.0,
            Operator::Max => f64::NEG_INFINITY,
            Operator::Min => f64::INFINITY,
        }
    }

    /// `a` combined with `b`, in this order.
    pub fn combine<R: Real>(self, a: R, b: R) -> R {
        match self {
            Operator::Sum => a + b,
            Operator::Product => a * b,
            Operator::Max => a.larger(b),
            Operator::Min => a.smaller(b),
        }
    }
}

/// A right-hand side.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A literal.
    Number(f64),
    /// The value of an affine form of indices and parameters, as a number.
    Index(Affine),
    /// An element of a tensor.
    Read {
        /// Which tensor.
        tensor: Name,
        /// Which element.
        subscripts: Vec<Affine>,
        /// The access in the text.
        span: Span,
    },
    /// A scalar function of its arguments.
    Apply(Function, Vec<Expr>),
    /// A reduction over one index; `sum(k, l) e` is `sum(k) sum(l) e`. It starts from its first term, and is neutral where it has none.
    /// Right inside another by the same operator it is one with it: where it has no terms, the outer one has none of it.
    Reduce {
        /// The operator.
        operator: Operator,
        /// The index bound here.
        index: Name,
        /// Constraints on the index from its range or, where it has none, from the arrays it indexes. Other indices in
        /// scope and parameters may occur.
        range: Polyhedron,
        /// What is reduced.
        body: Box<Expr>,
        /// The whole reduction in the text.
        span: Span,
    },
}

/// A named schedule: a list of constraints on the search, complete or partial.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Its name.
    pub name: Name,
    /// What it fixes.
    pub directives: Vec<(Directive, Span)>,
    /// The indices that it divides into strips, with where each is first named.
    pub strips: Vec<(Strip, Span)>,
    /// How it splits reductions.
    pub splits: Vec<(Split, Span)>,
    /// The spaces of a whole design, where the schedule is one: it is taken as it stands.
    pub spaces: Vec<PlacedSpace>,
    /// The header.
    pub span: Span,
}

/// A tensor that is to stream both ways along an index, from where it is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TwoSided {
    /// The tensor.
    pub tensor: Name,
    /// The index.
    pub index: Name,
}

impl Schedule {
    /// What it streams both ways from where it is computed, with where that stands.
    pub fn two_sided(&self) -> Vec<(TwoSided, Span)> {
        let asked = self.directives.iter().filter_map(|(directive, span)| match directive {
            Directive::StreamBoth(tensor, indices) => Some((tensor, indices, span)),
            _ => None,
        });
        let each = |(tensor, indices, span): (&Name, &'_ Vec<Name>, &Span)| -> Vec<(TwoSided, Span)> {
            indices.iter().map(|index| (TwoSided { tensor: tensor.clone(), index: index.clone() }, *span)).collect()
        };
        asked.flat_map(each).collect()
    }

    /// Whether it places points, or is a whole design.
    pub fn says_where(&self) -> bool {
        let says = |directive: &Directive| {
            matches!(
                directive,
                Directive::Place(_) | Directive::Time(_) | Directive::FoldBy(_) | Directive::BoundaryIo(true)
            )
        };
        !self.spaces.is_empty() || !self.strips.is_empty() || self.directives.iter().any(|(line, _)| says(line))
    }
}

/// `space S.sum` and its lines: where and when the points of one space of a design run, and how its values move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedSpace {
    /// Its name.
    pub name: Name,
    /// The PE of a point, over the indices of the space and the sizes.
    pub place: Vec<Affine>,
    /// Its time, in the same way.
    pub time: Vec<Affine>,
    /// Its position among the spaces that share a step of a PE.
    pub position: usize,
    /// How each operand comes, in their order.
    pub moves: Vec<(Move, Span)>,
    /// The levels of its reduction as directions over the indices, the innermost first.
    pub reduced: Vec<Affine>,
    /// The line that names it.
    pub span: Span,
}

/// How a tensor comes to a space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// `stream A along j`, or with several directions a tree.
    Stream(Name, Vec<Affine>),
    /// `broadcast A along j`.
    Broadcast(Name, Affine),
    /// `prefetch A`.
    Prefetch(Name),
    /// `feed A`.
    Feed(Name),
    /// `bus A`.
    Bus(Name),
    /// `handoff A`.
    Handoff(Name),
    /// `local A`.
    Local(Name),
    /// `memory A`.
    Memory(Name),
}

impl Move {
    /// What comes.
    pub fn tensor(&self) -> &Name {
        match self {
            Move::Stream(tensor, _) | Move::Broadcast(tensor, _) => tensor,
            Move::Prefetch(tensor)
            | Move::Feed(tensor)
            | Move::Bus(tensor)
            | Move::Handoff(tensor)
            | Move::Local(tensor)
            | Move::Memory(tensor) => tensor,
        }
    }
}

/// One thing a schedule fixes. What no directive fixes is searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Directive {
    /// `place (i, j)`: the PE of a point.
    Place(Vec<Affine>),
    /// `time i + j + k`, or `time (j, i + k)`, compared lexicographically.
    Time(Vec<Affine>),
    /// `stream A along j`: the direction as a form over index names; `along i, j`: those of a tree; without any, in any way it
    /// can.
    Stream(Name, Vec<Affine>),
    /// `stream X both i, j`: both ways along each index from where it is computed.
    StreamBoth(Name, Vec<Name>),
    /// `broadcast A along j`; without a direction, on any bus there can be.
    Broadcast(Name, Option<Affine>),
    /// `prefetch A`.
    Prefetch(Name),
    /// `feed A`.
    Feed(Name),
    /// `local X`: each PE keeps what it computes of the tensor.
    Local(Name),
    /// `memory X`: what is computed of the tensor goes to the memory that all PEs share, and is read there.
    Memory(Name),
    /// `room X (2, _)`: by how many words a PE takes the subscripts of what it keeps of the tensor modulo, along each dimension;
    /// nothing where each subscript has a word of its own.
    Room(Name, Vec<Option<i64>>),
    /// `io boundary` (true) or `io anywhere` (false).
    BoundaryIo(bool),
    /// `network hex`: the network the schedule is for, unless another is asked for.
    Network(Name),
    /// `tile i 64`.
    Tile(Name, i64),
    /// `fold cyclic`: how the PEs of each axis are distributed to workers.
    Fold(Distribution),
    /// `fold (2)`: how many neighbouring PEs are one, along each axis of the array.
    FoldBy(Vec<i64>),
    /// `phase (1)`: the PE with which a fold begins, along each axis of the array.
    Phase(Vec<i64>),
    /// `layout A block-cyclic:8`: how the words of each axis of an array are distributed before and after a run.
    Layout(Name, Distribution),
    /// `order turns:4`: in which order a worker computes the tiles of its PEs.
    Order(LeafOrder),
    /// `load c along (1, 0)`: where what stays on its PE comes in from and leaves to, with `io boundary`.
    Load(Name, Vec<i64>),
}
