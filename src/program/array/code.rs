//! The flat form of a program for given sizes: what back ends interpret.
//!
//! Names are positions, loops are jumps, parameters are numbers. Nothing here knows of time: `at` and `tick` are
//! instructions like others, and each back end gives them its own meaning.

use super::Comparison;
use super::index::{ceil_division, floor_division, remainder};
use super::widths::Widths;
use systole_base::integer::Name;
use systole_base::scalar::{Function, Real};
use systole_equations::recurrence::Role;
use systole_equations::tiles::Slant;

/// A program for given sizes.
#[derive(Clone, Debug)]
pub struct Code {
    /// The bounding box of the PEs.
    pub grid: Grid,
    /// The arrays, in the order of the program.
    pub arrays: Vec<Layout>,
    /// The scratchpads, in the order of the program.
    pub scratchpads: Vec<Pad>,
    /// One entry for each class of the program.
    pub classes: Vec<ClassCode>,
    /// The PEs that belong to a class, in row-major order of the grid.
    pub pes: Vec<Pe>,
    /// How often each `let` of the program applies each function.
    pub operations: Vec<Vec<(Function, u64)>>,
    /// The most elements of a word, by where it is.
    pub widths: Widths,
}

/// A scratchpad of a PE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pad {
    /// How many elements it is for along each dimension.
    pub shape: Vec<usize>,
    /// How many words it has along each dimension: by so many a subscript is taken modulo.
    pub room: Vec<usize>,
}

/// Where in a scratchpad an element has its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The row-major position of the element among all elements.
    pub element: usize,
    /// That of its word among all words.
    pub word: usize,
}

/// A PE that has something to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pe {
    /// Its row-major position in the grid.
    pub position: usize,
    /// Its class.
    pub class: usize,
}

/// A box of integer points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// The smallest coordinates.
    pub first: Vec<i64>,
    /// How many values each coordinate has.
    pub extents: Vec<usize>,
}

impl Grid {
    /// How many points there are; 1 for rank 0.
    pub fn volume(&self) -> usize {
        self.extents.iter().product()
    }

    /// The row-major position of a point, `None` outside.
    pub fn position(&self, point: &[i64]) -> Option<usize> {
        let mut position = 0;
        for ((entry, first), extent) in point.iter().zip(&self.first).zip(&self.extents) {
            let offset = usize::try_from(entry.checked_sub(*first)?).ok().filter(|offset| offset < extent)?;
            position = position * extent + offset;
        }
        Some(position)
    }

    /// The point at a row-major position.
    pub fn point(&self, position: usize) -> Vec<i64> {
        let mut point = self.first.clone();
        self.write_point(position, &mut point);
        point
    }

    /// Writes the point at a row-major position over another of the same rank.
    pub fn write_point(&self, mut position: usize, point: &mut [i64]) {
        for ((entry, first), extent) in point.iter_mut().zip(&self.first).zip(&self.extents).rev() {
            *entry = first + (position % extent.max(&1)) as i64;
            position /= extent.max(&1);
        }
    }

    /// The row-major position of the point that lies `offset` away from a position, `None` outside.
    pub fn position_at(&self, mut position: usize, offset: &[i64]) -> Option<usize> {
        let (mut found, mut stride) = (0, 1);
        for (extent, step) in self.extents.iter().zip(offset).rev() {
            let entry = i64::try_from(position % extent.max(&1)).ok()?.checked_add(*step)?;
            found += usize::try_from(entry).ok().filter(|entry| entry < extent)? * stride;
            position /= extent.max(&1);
            stride *= extent;
        }
        Some(found)
    }
}

/// An array's place in flat memory, row-major.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Its name.
    pub name: Name,
    /// Input or output.
    pub role: Role,
    /// Its extents: numbers, or tiles in an array of tiles.
    pub shape: Vec<usize>,
    /// Its extents in numbers.
    pub elements: Vec<usize>,
    /// In an array of tiles for each dimension and tile the first number and how many there are; else empty.
    pub boxes: Vec<Vec<(usize, usize)>>,
    /// Where the elements lie in the boxes, if not at their subscripts.
    pub slant: Option<Slant>,
    /// Which tile of places stands at given subscripts, if not that of the same.
    pub straight: Option<Slant>,
}

impl Layout {
    /// How many words there are: elements, or tiles.
    pub fn length(&self) -> usize {
        self.shape.iter().product()
    }

    /// The subscripts of a word.
    pub fn subscripts(&self, address: usize) -> Vec<usize> {
        unflatten(&self.shape, address)
    }
}

/// The subscripts at a row-major position of an array with these extents.
pub fn unflatten(extents: &[usize], mut position: usize) -> Vec<usize> {
    let mut offsets = vec![0; extents.len()];
    for (offset, extent) in offsets.iter_mut().zip(extents).rev() {
        *offset = position % extent.max(&1);
        position /= extent.max(&1);
    }
    offsets
}

/// What the PEs of a class do.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassCode {
    /// Its name.
    pub name: Name,
    /// The instructions; running past the end ends the PE.
    pub ops: Vec<Op>,
    /// For each op the number of the program's instruction it comes from, counted in the order of the text.
    pub origins: Vec<usize>,
    /// How many integer variables a PE has: its coordinates first.
    pub slots: usize,
    /// How many registers a PE has.
    pub registers: usize,
    /// The channels it receives from and sends to.
    pub ports: Vec<Port>,
    /// The buses it listens to or drives.
    pub taps: Vec<usize>,
}

/// One end of a channel in a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Port {
    /// The channel's position in the program.
    pub channel: usize,
    /// Whether the class sends.
    pub sends: bool,
}

/// One flat instruction. Registers, variables (slots), arrays, ports and taps are positions; `exit`, `start` and
/// `otherwise` are positions of ops.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// Sets up a loop; jumps to `exit` where it has no rounds.
    Enter { index: usize, last: usize, from: Index, to: Index, exit: usize },
    /// Ends a round of a loop; jumps to `start` where there are more.
    Again { index: usize, last: usize, start: usize },
    /// Goes on where all tests hold, else jumps.
    Branch { tests: Vec<Test>, otherwise: usize },
    /// Jumps.
    Jump(usize),
    /// See `Instruction::At`.
    At(Index),
    /// See `Instruction::Advance`: the sum of all rounds so far is in a slot, and `At` adds it.
    Advance { rounds: usize, by: Index },
    /// See `Instruction::Tick`.
    Tick(u64),
    /// See `Instruction::Share`.
    Share,
    /// See `Instruction::EndStep`.
    EndStep,
    /// Register from array.
    Load { register: usize, array: usize, at: Vec<Index> },
    /// Element into the PE's own memory.
    Prefetch { array: usize, at: Vec<Index> },
    /// Register from the PE's own memory.
    Local { register: usize, array: usize, at: Vec<Index> },
    /// Entry of a scratchpad from register.
    Keep { pad: usize, at: Vec<Index>, register: usize },
    /// Register from entry of a scratchpad.
    Recall { register: usize, pad: usize, at: Vec<Index> },
    /// Array from register.
    Store { array: usize, at: Vec<Index>, register: usize },
    /// Array from register, before the run. The op before it computes the register, which nobody else reads.
    Fill { array: usize, at: Vec<Index>, register: usize },
    /// Register from channel.
    Receive { register: usize, port: usize },
    /// Channel from register.
    Send { port: usize, register: usize },
    /// Bus from register.
    Drive { tap: usize, register: usize, tag: Vec<Index> },
    /// Register from bus.
    Listen { register: usize, tap: usize, tag: Vec<Index> },
    /// Register from expression; `operation` is its position in [`Code::operations`].
    Let { register: usize, value: Scalar, operation: usize },
}

/// An integer expression over slots.
#[derive(Clone, Debug, PartialEq)]
pub enum Index {
    /// A number.
    Constant(i64),
    /// A slot plus a number.
    Shifted(usize, i64),
    /// A number plus multiples of slots.
    Linear(i64, Vec<(usize, i64)>),
    /// A sum.
    Sum(Vec<Index>),
    /// A product.
    Product(Vec<Index>),
    /// A quotient rounded down.
    Floor(Box<Index>, i64),
    /// A quotient rounded up.
    Ceil(Box<Index>, i64),
    /// A remainder.
    Modulo(Box<Index>, i64),
    /// The smallest.
    Min(Vec<Index>),
    /// The largest.
    Max(Vec<Index>),
}

impl Index {
    /// The value; `None` where it does not fit 64 bits.
    pub fn value(&self, slots: &[i64]) -> Option<i64> {
        self.value_of(&|slot: usize| slots[slot])
    }

    /// Whether it reads no slot from `rank` on, so that it depends on a PE's coordinates alone.
    pub fn reads_below(&self, rank: usize) -> bool {
        match self {
            Index::Constant(_) => true,
            Index::Shifted(slot, _) => *slot < rank,
            Index::Linear(_, terms) => terms.iter().all(|(slot, _)| *slot < rank),
            Index::Floor(part, _) | Index::Ceil(part, _) | Index::Modulo(part, _) => part.reads_below(rank),
            Index::Sum(parts) | Index::Product(parts) | Index::Min(parts) | Index::Max(parts) => {
                parts.iter().all(|part| part.reads_below(rank))
            }
        }
    }

    /// The value where `slot` gives the slots; `None` where it does not fit 64 bits.
    pub fn value_of(&self, slot: &impl Fn(usize) -> i64) -> Option<i64> {
        let value = |part: &Index| part.value_of(slot);
        match self {
            Index::Constant(value) => Some(*value),
            Index::Shifted(number, shift) => slot(*number).checked_add(*shift),
            Index::Linear(constant, terms) => terms.iter().try_fold(*constant, |sum, (number, coefficient)| {
                sum.checked_add(coefficient.checked_mul(slot(*number))?)
            }),
            Index::Sum(parts) => parts.iter().try_fold(0i64, |sum, part| sum.checked_add(value(part)?)),
            Index::Product(parts) => parts.iter().try_fold(1i64, |product, part| product.checked_mul(value(part)?)),
            Index::Floor(part, divisor) => floor_division(value(part)?, *divisor),
            Index::Ceil(part, divisor) => ceil_division(value(part)?, *divisor),
            Index::Modulo(part, divisor) => remainder(value(part)?, *divisor),
            Index::Min(parts) => parts.iter().map(value).min()?,
            Index::Max(parts) => parts.iter().try_fold(i64::MIN, |largest, part| Some(largest.max(value(part)?))),
        }
    }
}

/// A comparison of two integer expressions.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// The comparison.
    pub comparison: Comparison,
    /// Left side.
    pub left: Index,
    /// Right side.
    pub right: Index,
}

impl Test {
    /// Whether it holds; `None` where a side does not fit 64 bits.
    pub fn holds(&self, slots: &[i64]) -> Option<bool> {
        Some(self.comparison.holds(self.left.value(slots)?, self.right.value(slots)?))
    }
}

/// A scalar expression over registers and slots.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// A number.
    Number(f64),
    /// A register.
    Register(usize),
    /// An integer expression as a number.
    Index(Index),
    /// A function of one argument.
    Unary(Function, Box<Scalar>),
    /// A function of two arguments.
    Binary(Function, Box<[Scalar; 2]>),
    /// A function of three arguments.
    Ternary(Function, Box<[Scalar; 3]>),
    /// A leaf, by its position in the program.
    Call(Box<Call>),
}

/// A leaf called.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The leaf, as a position in the program.
    pub leaf: usize,
    /// The tile that its result is begun with.
    pub onto: Option<Scalar>,
    /// The tile coordinates.
    pub at: Vec<Index>,
    /// The tiles.
    pub arguments: Vec<Scalar>,
}

impl Scalar {
    /// The value; `None` where an integer expression does not fit 64 bits.
    #[inline]
    pub fn value<R: Real>(&self, slots: &[i64], registers: &[R]) -> Option<R> {
        self.value_of(&|slot: usize| slots[slot], &|register: usize| registers[register])
    }

    /// The value where `slot` and `register` give slots and registers; `None` where an integer expression does not fit
    /// 64 bits.
    pub fn value_of<R: Real>(&self, slot: &impl Fn(usize) -> i64, register: &impl Fn(usize) -> R) -> Option<R> {
        let value = |part: &Scalar| part.value_of(slot, register);
        match self {
            Scalar::Number(value) => Some(R::rounded(*value)),
            Scalar::Register(number) => Some(register(*number)),
            Scalar::Index(index) => index.value_of(slot).map(|value| R::rounded(value as f64)),
            Scalar::Unary(function, part) => Some(function.of([value(part)?])),
            Scalar::Binary(function, parts) => {
                let [a, b] = &**parts;
                Some(function.of([value(a)?, value(b)?]))
            }
            Scalar::Ternary(function, parts) => {
                let [a, b, c] = &**parts;
                Some(function.of([value(a)?, value(b)?, value(c)?]))
            }
            // Only back ends that hold tiles have a value for it.
            Scalar::Call(_) => Some(R::NAN),
        }
    }
}
