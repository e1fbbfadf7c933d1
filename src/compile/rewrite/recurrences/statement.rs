//! The lines of recurrences as data.

use systole_base::integer::{Affine, Name};
use systole_base::scalar::Function;

/// A line: where the recurrences of a space begin, or one of them.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `X.sum:`
    Space(Name),
    /// A recurrence.
    Recurrence(Box<Recurrence>),
}

/// `(i,j)_X <- (i-1,j)_X  where i - 1 >= 0`: what the points of a space get, and from where.
#[derive(Clone, Debug, PartialEq)]
pub struct Recurrence {
    /// What gets a value.
    pub defined: Defined,
    /// The value.
    pub value: Value,
    /// How it comes, where that is not from a neighbour or over a port of the array.
    pub carrier: Option<Carrier>,
    /// At which points of the space; at all of them where there is no condition.
    pub guard: Vec<Condition>,
}

/// What gets a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Defined {
    /// A variable at a point.
    Instance(Instance),
    /// An element in memory.
    Element(Element),
}

/// A variable of a space at one of its points: `(i,j-1)_x`.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// The point, over the indices of the space that reads.
    pub point: Vec<Affine>,
    /// The variable: a tensor, or a level of a reduction.
    pub variable: Name,
}

/// An element of a tensor: `A[i,k]`, or `alpha`.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// The tensor.
    pub tensor: Name,
    /// Its subscripts.
    pub subscripts: Vec<Affine>,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// It is an element of a tensor in memory.
    Element(Element),
    /// It is computed of what the space has.
    Computed(Expression),
    /// A point of another space has it: `(i,i-1)_X.sum in X.sum`.
    Given(Instance, Name),
    /// Another space has it, at a point that the element does not name alone: `X[i] of X`.
    Among(Element, Name),
}

/// Arithmetic on instances.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A literal.
    Number(f64),
    /// The value of a form: `(i + 1)`.
    Index(Affine),
    /// A variable at a point.
    Instance(Instance),
    /// A function of its arguments.
    Apply(Function, Vec<Expression>),
}

/// How a value comes that is not passed on by a neighbour.
#[derive(Clone, Debug, PartialEq)]
pub enum Carrier {
    /// On a bus along a direction, which all points of a line read.
    Bus(Affine),
    /// Over one bus from memory to all PEs.
    OneBus,
    /// It never changes, and all know it.
    Everywhere,
    /// It lies in the PE's own memory before the run.
    OwnMemory,
    /// Through the PE's own memory port.
    OwnPort,
    /// From the point that computes it.
    Producer,
    /// The PE that computed it kept it.
    Kept,
    /// Through a memory that all PEs share.
    SharedMemory,
}

/// What holds at the points of a recurrence.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// `i - 1 >= 0`
    NotNegative(Affine),
    /// `K - k - 1 < 2`
    Below(Affine, i64),
}
