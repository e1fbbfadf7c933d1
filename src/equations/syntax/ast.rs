//! The syntax tree of a `.rec` file.
//!
//! Every node is [`Spanned`]; two trees are equal when they say the same, wherever they stand in their texts.

use systole_base::integer::Name;
use systole_base::span::Span;

/// A node with its place in the text. Equality looks at the node only.
#[derive(Clone, Debug)]
pub struct Spanned<T> {
    /// What stands there.
    pub node: T,
    /// Where it stands.
    pub span: Span,
}

impl<T: PartialEq> PartialEq for Spanned<T> {
    fn eq(&self, other: &Spanned<T>) -> bool {
        self.node == other.node
    }
}

impl<T> Spanned<T> {
    /// `node` at `span`.
    pub fn new(node: T, span: Span) -> Spanned<T> {
        Spanned { node, span }
    }
}

/// A name where it is used.
pub type Ident = Spanned<Name>;

/// A whole file: one kernel and its schedules.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// The header.
    pub kernel: Spanned<Kernel>,
    /// Constants and functions of the user's own, in order.
    pub definitions: Vec<Spanned<Definition>>,
    /// The declared tensors, in order.
    pub tensors: Vec<Spanned<Tensor>>,
    /// The declared reductions, in order.
    pub reductions: Vec<Spanned<Reduction>>,
    /// The equations that define one tensor, in order.
    pub equations: Vec<Spanned<Equation>>,
    /// The equations that define several tensors by one declared reduction, in order.
    pub joint_equations: Vec<Spanned<JointEquation>>,
    /// The schedules, in order.
    pub schedules: Vec<Schedule>,
}

/// `kernel matmul(M, N, K)`, or `kernel fir(N, K) where K <= N`.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// The kernel's name.
    pub name: Ident,
    /// Its size parameters.
    pub parameters: Vec<Ident>,
    /// What is assumed of them.
    pub assumptions: Vec<Spanned<Condition>>,
}

/// `const W = 5` or `function gelu(x) = x * (1 + tanh(x)) / 2`.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// Its name.
    pub name: Ident,
    /// The names of a function's arguments; nothing for a constant.
    pub arguments: Option<Vec<Ident>>,
    /// What it stands for.
    pub value: Expr,
}

/// Whether a tensor is given, handed out, or neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `in`
    In,
    /// `out`
    Out,
    /// `local`
    Local,
    /// `inout`: given, and handed out again with other elements.
    InOut,
}

impl Direction {
    /// All directions with the words for them.
    pub const ALL: [(Direction, &'static str); 4] =
        [(Direction::In, "in"), (Direction::Out, "out"), (Direction::Local, "local"), (Direction::InOut, "inout")];

    /// The word for it.
    pub fn keyword(self) -> &'static str {
        Direction::ALL.iter().find(|(direction, _)| *direction == self).map_or("", |(_, word)| word)
    }
}

/// One declared tensor, `A[M, K]`; a scalar has no extents.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Given, handed out, both or local.
    pub direction: Direction,
    /// Its name.
    pub name: Ident,
    /// Its extents.
    pub shape: Vec<Expr>,
    /// What is assumed of its values: the word after `is`.
    pub assumption: Option<Ident>,
    /// The steps in which its elements are replaced, if it is given and handed out: `over k in 0..N`.
    pub over: Option<Binding>,
}

/// `target = value where conditions`.
#[derive(Clone, Debug, PartialEq)]
pub struct Equation {
    /// The tensor defined.
    pub target: Ident,
    /// Its subscripts.
    pub subscripts: Vec<Expr>,
    /// The right-hand side.
    pub value: Expr,
    /// The conditions after `where`; all must hold.
    pub conditions: Vec<Spanned<Condition>>,
    /// Whether it defines what no other equation of the tensor does: `L[i, j] = 0 elsewhere`.
    pub is_elsewhere: bool,
}

/// `reduction online(m, l) with (x, p) = (..) from (-infinity, 0)`: a reduction of tuples by the user's own operator.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduction {
    /// Its name.
    pub name: Ident,
    /// The names for the components of the left operand: what has been reduced so far.
    pub left: Vec<Ident>,
    /// The names for the components of the right operand: what comes next.
    pub right: Vec<Ident>,
    /// The components of the two combined.
    pub values: Vec<Expr>,
    /// The tuple that changes nothing.
    pub neutral: Vec<Expr>,
}

/// `(m[i], l[i]) = online(j in 0..M) (S[i, j], 1)`.
#[derive(Clone, Debug, PartialEq)]
pub struct JointEquation {
    /// The tensors defined, each with its subscripts.
    pub targets: Vec<(Ident, Vec<Expr>)>,
    /// The name of the reduction.
    pub reduction: Ident,
    /// The index reduced over.
    pub binding: Binding,
    /// The tuple that is reduced.
    pub terms: Vec<Expr>,
}

/// A chain of comparisons such as `0 <= i < N`.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The leftmost form.
    pub first: Expr,
    /// Each further form with the relation to the one before it.
    pub rest: Vec<(Relation, Expr)>,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
}

impl Relation {
    /// All relations with their signs; a sign that begins with another stands before it.
    pub const ALL: [(Relation, &'static str); 6] = [
        (Relation::LessEqual, "<="),
        (Relation::Less, "<"),
        (Relation::GreaterEqual, ">="),
        (Relation::Greater, ">"),
        (Relation::Equal, "=="),
        (Relation::NotEqual, "!="),
    ];

    /// The sign for it.
    pub fn sign(self) -> &'static str {
        Relation::ALL.iter().find(|(relation, _)| *relation == self).map_or("", |(_, sign)| sign)
    }
}

/// An infix operator of arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Infix {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
}

impl Infix {
    /// The sign for it.
    pub fn sign(self) -> &'static str {
        match self {
            Infix::Add => "+",
            Infix::Subtract => "-",
            Infix::Multiply => "*",
            Infix::Divide => "/",
        }
    }
}

/// An expression where it stands.
pub type Expr = Spanned<Term>;

/// What an expression says. Subscripts, extents and bounds are expressions too; that they are affine is checked later.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// A literal, finite and never negative.
    Number(f64),
    /// A parameter, an index or a scalar tensor.
    Name(Name),
    /// `A[i, k]`.
    Access(Ident, Vec<Expr>),
    /// `sqrt(x)`.
    Call(Ident, Vec<Expr>),
    /// `-x`.
    Negate(Box<Expr>),
    /// `x + y` and the like.
    Infix(Infix, Box<Expr>, Box<Expr>),
    /// `x < y` and the like.
    Compare(Relation, Box<Expr>, Box<Expr>),
    /// `x[i - 1] else 0`: an element, and what stands for it outside of its tensor.
    Else(Box<Expr>, Box<Expr>),
    /// `(i + j) mod 2` and the like. An index alone is a name, as in schedules: `i mod 2`.
    Divide(Half, Box<Expr>, i64),
    /// `sum(k in 0..K, l where k < l) body`.
    Reduce(Ident, Vec<Binding>, Vec<Spanned<Condition>>, Box<Expr>),
}

/// What is taken of a form that is divided by a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// `div`: the quotient, rounded down.
    Quotient,
    /// `mod`: the rest, which is never negative.
    Rest,
}

impl Half {
    /// Both with the words for them.
    pub const ALL: [(Half, &'static str); 2] = [(Half::Quotient, "div"), (Half::Rest, "mod")];

    /// The word for it.
    pub fn keyword(self) -> &'static str {
        Half::ALL.iter().find(|(half, _)| *half == self).map_or("", |(_, word)| word)
    }
}

/// An index bound by a reduction, with its half-open range where it has one of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// The index.
    pub index: Ident,
    /// From the first form up to, not including, the second; down to it where the step is negative.
    pub range: Option<(Expr, Expr)>,
    /// From one value to the next, never 0; 1 where none is written.
    pub step: i64,
}

/// `schedule cannon` and the directives that follow it.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// Its name.
    pub name: Ident,
    /// What it fixes.
    pub directives: Vec<Spanned<Directive>>,
    /// The header alone.
    pub header: Spanned<()>,
}

/// One line of a schedule.
#[derive(Clone, Debug, PartialEq)]
pub enum Directive {
    /// `place (i, j)`.
    Place(Vec<Expr>),
    /// `time i + j` with one form, `time (j, i + k)` with several.
    Time(Vec<Expr>),
    /// `stream A along j`, `stream A along i, j` as a tree, or `stream A` in any way it can.
    Stream(Ident, Vec<Expr>),
    /// `stream X both i, j`: from where it is computed, both ways along each index.
    StreamBoth(Ident, Vec<Ident>),
    /// `broadcast A along j`, or `broadcast A` on any bus there can be.
    Broadcast(Ident, Option<Expr>),
    /// `prefetch A`.
    Prefetch(Ident),
    /// `feed A`.
    Feed(Ident),
    /// `local X`.
    Local(Ident),
    /// `memory X`.
    Memory(Ident),
    /// `room X (2, _)`: how many words a PE has for what it keeps of `X` along each dimension; `_` for a word an element.
    Room(Ident, Vec<Option<Spanned<f64>>>),
    /// `tile i 64`.
    Tile(Ident, Spanned<f64>),
    /// `fold block-cyclic:2`.
    Fold(Ident),
    /// `fold (2)`: how many PEs are one, along each axis.
    FoldBy(Vec<Spanned<f64>>),
    /// `layout A cyclic`.
    Layout(Ident, Ident),
    /// `order turns:4`.
    Order(Ident),
    /// `io boundary`.
    Io(Ident),
    /// `network hex`.
    Network(Ident),
    /// `load c along (1, 0)`.
    Load(Ident, Vec<Expr>),
    /// `space S.sum`: the lines up to the next of these speak of this space alone.
    Space(Ident),
    /// `handoff S.sum`.
    Handoff(Ident),
    /// `bus A`: over one bus from memory.
    Bus(Ident),
    /// `reduce along k, l`: the levels of a reduction, the innermost first.
    Reduce(Vec<Expr>),
    /// `phase (1)`: the PE with which a fold begins, along each axis.
    Phase(Vec<Spanned<f64>>),
    /// `split sum(c, k) as sum(k) sum(c)`: a reduction, and those that it becomes, the outermost first.
    Split(Level, Vec<Level>),
    /// `position 1`: where several spaces share a step of a PE, those with the smallest numbers run first.
    Position(Spanned<f64>),
}

/// `sum(c, k)` in a line that splits a reduction.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// The word of the operator.
    pub operator: Ident,
    /// The indices.
    pub indices: Vec<Expr>,
}
