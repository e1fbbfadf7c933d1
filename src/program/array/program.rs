//! The types of a per-PE program.
//!
//! Text form (s-expressions; `;` starts a comment to the end of the line):
//!
//! ```text
//! (program matmul (version 1)
//!   (parameters M N K)
//!   (array A in (M K)) (array B in (K N)) (array C out (M N))
//!   (grid (p0 0 (- M 1)) (p1 0 (- N 1)))
//!   (channel A_east (offset 0 1) (latency 1) (depth 2))
//!   (bus B_column (direction 1 0))
//!   (class pe0 (guard (= p0 0) (>= p1 1))
//!     (loop k 0 (- K 1)
//!       (at (+ p0 p1 k))
//!       (recv A A_east)
//!       (load B (B k p1))
//!       (if ((>= k 1)) ((let C (add C (mul A B)))) ((let C (mul A B))))
//!       (send A_east A)
//!       (tick 1))
//!     (store (C p0 p1) C))
//!   (thin-class pe9 (guard (= p0 0) (= M 1)) ...)
//!   (digest "sha256 of the text before this form"))
//! ```
//!
//! What an input's values are assumed to be, in the word of the kernel language, stands behind its shape: where the user gives
//! no array, it is filled so.
//!
//! ```text
//!   (array A in (N N) (is positive_definite))
//! ```
//!
//! Inputs are there from the beginning, so a PE may ask for their words before its loads take them. Behind an array stand the
//! latency of memory for which the schedule was proved, and how many loads of the array a PE then has outstanding at most:
//!
//! ```text
//!   (array B in (K N) (loads (latency 200) (outstanding 201)))
//! ```
//!
//! Channels are links of a network. Where its hops are not the sum of an offset's entries, as where PEs have diagonals, it stands
//! behind the grid; else it is the mesh, which has a way along every offset. A channel of h hops on links of latency L takes
//! max(1, h L) cycles, so with the network a program can be timed on links of another latency.
//!
//! ```text
//!   (grid (p0 0 (- N 1)) (p1 0 (- N 1)))
//!   (network hex)
//!   (channel A-link (offset 1 1) (latency 2) (depth 1))
//! ```
//!
//! What a PE computes and reads again may stay in its own memory. A scratchpad is there once a PE:
//!
//! ```text
//!   (scratchpad x (T N))
//!   ... (keep (x t i) x_2) ... (recall x_3 (x (- t 1) j)) ...
//! ```
//!
//! Where elements take turns in a word, the room stands behind the shape: each subscript is taken modulo the room of its
//! dimension, a number of words or all of it. A word holds the element that was kept in it last:
//!
//! ```text
//!   (scratchpad x (T N) (room 2 N))
//! ```
//!
//! A memory that all PEs share is a bus that joins them all. What one of them drives under the subscripts of an element, any of
//! them hears from `latency` cycles on, and waits for until then:
//!
//! ```text
//!   (bus x-memory (joins all) (latency 2))
//!   ... (drive x-memory x (i)) ... (listen x_2 x-memory ((- i 3))) ...
//! ```
//!
//! A PE may do several operations in one step, as many as the machine's cell holds. `share` ends one of them and not the step;
//! the next may follow at the same clock, and receive over a channel of latency 0 what the PE has just sent itself. `end-step` ends
//! the step where there was an operation.
//!
//! ```text
//!   (cell 2)
//!   (channel a-to-b (offset 0) (latency 0) (depth 1))
//!   ... (at t) (let a ..) (send a-to-b a) (share) (recv a_2 a-to-b) (let b ..) (share) (end-step) ...
//! ```
//!
//! A schedule that says who runs which PE, and where arrays begin and end, has it written into the program; without clocks PEs and
//! words are distributed so, unless a run is told otherwise:
//!
//! ```text
//!   (array A in (M K) (layout block-cyclic:8))
//!   (fold cyclic)
//!   (order turns:4)
//! ```
//!
//! A program over tiles says how many there are, how arrays are cut, and what is done with one:
//!
//! ```text
//!   (tiles M_by_4 M 4) (tiles N_by_4 N 4) (tiles K_by_4 K 4)
//!   (array A in (M K) (axes (0 M 4 0) (0 K 4 0)))
//!   (leaf product (coordinates I J L)
//!     (index i (0 M 4 0) I) (index j (0 N 4 0) J) (index k (0 K 4 0) L)
//!     (window C (operator sum) (ranges (i 0 0 M) (j 0 0 N)))
//!     (window A (ranges (i 0 0 M) (k 0 0 K)))
//!     (window B (ranges (k 0 0 K) (j 0 0 N)))
//!     (gives ((0 M 4 0) I) ((0 N 4 0) J))
//!     (takes 1 ((0 M 4 0) I) ((0 K 4 0) L))
//!     (takes 2 ((0 K 4 0) L) ((0 N 4 0) J))
//!     (body
//!       (loop i (from) (to)
//!         (loop j (from) (to)
//!           (loop k (from) (to)
//!             (if ((>= k 0))
//!               (do (set (0 i j) (add (0 i j) (mul (1 i k) (2 k j)))))
//!               (do)))))))
//!   ... (let C (call-onto C product (at p0 p1 k) A B)) ...
//! ```
//!
//! `(0 M 4 0)` is an axis: so many single elements, a body, elements of a tile, so many single elements; a fifth number says how
//! many empty tiles stand at either end. A range `(i -1 0 M)`
//! is a subscript, how far before and beyond it a window reaches, and the tensor's extent. `(1 i k)` is an element of the
//! second window. Bounds of a loop beside those of its index's tile are linear forms or `(ceil form n)` from below, `(floor form n)`
//! from above.
//!
//! Meaning. Every PE of the grid (all coordinates within their bounds, both included) whose coordinates satisfy the guard
//! of a class runs that class's body; guards of different classes exclude each other; a PE without a class is idle. A
//! channel `c` joins every PE `p` that sends on it to PE `p + offset`. Registers are 64-bit floating-point numbers, keep
//! their value through the whole body, and must be written before they are read.

use std::collections::HashSet;
use systole_base::cell::Cell;
use systole_base::integer::{Name, Parameters};
use systole_base::network::Network;
use systole_base::scalar::Function;
use systole_equations::recurrence::{Assumption, Distribution, LeafOrder, Role, Tensor};
use systole_equations::tiles::{Axis, Leaf, Slant, Straight, TileCount};

/// A whole program.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// The kernel it computes.
    pub kernel: Name,
    /// Size parameters, each at least 1.
    pub parameters: Parameters,
    /// Parameters that follow from these: numbers of tiles.
    pub tiles: Vec<TileCount>,
    /// The arrays it reads and writes.
    pub arrays: Vec<ArrayDecl>,
    /// The bounding box of the PEs, one entry a dimension; empty for a single PE.
    pub grid: Vec<Coordinate>,
    /// How PEs are joined; the mesh where the text does not say.
    pub network: Network,
    /// How many operations of a PE share a step at most; one where the text does not say.
    pub cell: Cell,
    /// How PEs are distributed to workers, where a schedule says it.
    pub fold: Option<Distribution>,
    /// In which order a worker computes the tiles of its PEs, where a schedule says it.
    pub order: Option<LeafOrder>,
    /// One-to-one links.
    pub channels: Vec<Channel>,
    /// One-to-many links.
    pub buses: Vec<Bus>,
    /// What each PE has of its own for words that it computed.
    pub scratchpads: Vec<Scratchpad>,
    /// What is done with tiles.
    pub leaves: Vec<Leaf>,
    /// What the PEs do.
    pub classes: Vec<Class>,
}

impl Program {
    /// Whether its registers hold tiles, not numbers.
    pub fn is_over_tiles(&self) -> bool {
        !self.leaves.is_empty() || self.arrays.iter().any(|array| !array.axes.is_empty())
    }

    /// Cycles of memory for which it was written; 0 where no array is asked for ahead.
    pub fn load_latency(&self) -> i64 {
        let latencies = self.arrays.iter().filter_map(|array| array.loads).map(|loads| loads.latency);
        i64::try_from(latencies.max().unwrap_or(0)).unwrap_or(i64::MAX)
    }

    /// Shows each instruction of all classes, those within others too.
    pub fn each_instruction<'a>(&'a self, mut see: impl FnMut(&'a Instruction)) {
        self.classes.iter().for_each(|class| every(&class.body, &mut see));
    }

    /// Whether some PE loads or prefetches from an array.
    pub fn reads(&self, array: &Name) -> bool {
        let mut is_read = false;
        self.each_instruction(|instruction| {
            is_read |= match instruction {
                Instruction::Load(_, from, _) | Instruction::Local(_, from, _) | Instruction::Prefetch(from, _) => {
                    from == array
                }
                _ => false,
            };
        });
        is_read
    }

    /// Whether some PE sends a register that it computes to another PE, or drives it, so that others wait for what is computed.
    pub fn hands_on(&self) -> bool {
        let stays = |channel: &Name| {
            self.channels.iter().any(|known| known.name == *channel && known.offset.iter().all(|along| *along == 0))
        };
        self.classes.iter().any(|class| {
            let (mut computed, mut sent) = (HashSet::new(), HashSet::new());
            every(&class.body, &mut |instruction| match instruction {
                Instruction::Let(register, _) => _ = computed.insert(register),
                Instruction::Send(channel, register) if !stays(channel) => _ = sent.insert(register),
                Instruction::Drive(_, register, _) => _ = sent.insert(register),
                _ => {}
            });
            !computed.is_disjoint(&sent)
        })
    }
}

/// Shows each instruction of a body, those within others too.
fn every<'a>(body: &'a [Instruction], see: &mut impl FnMut(&'a Instruction)) {
    for instruction in body {
        see(instruction);
        match instruction {
            Instruction::Loop { body, .. } => every(body, see),
            Instruction::If { then, otherwise, .. } => [then, otherwise].into_iter().for_each(|body| every(body, see)),
            _ => {}
        }
    }
}

/// An array of 64-bit floating-point numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayDecl {
    /// Its name.
    pub name: Name,
    /// Input or output.
    pub role: Role,
    /// Extents over the parameters, in elements.
    pub shape: Vec<IndexExpr>,
    /// What an input's values are assumed to be.
    pub assumption: Option<Assumption>,
    /// How its words are distributed before or after a run, where a schedule says it; else each is with who loads or stores it.
    pub layout: Option<Distribution>,
    /// How its loads are asked for ahead; where it is not said, a load asks for its word itself.
    pub loads: Option<Loads>,
    /// In a program over tiles one axis a dimension: then subscripts are tile coordinates, and what is loaded or stored is a
    /// tile. Else none.
    pub axes: Vec<Axis>,
    /// Where the elements of an output lie whose tiles are boxes of places: then the axes are those of the places.
    pub slant: Option<Slant>,
    /// How the tiles of a slanted output are counted, where not by their places.
    pub straight: Option<Straight>,
}

impl ArrayDecl {
    /// The array of a tensor that a kernel takes or gives; of numbers, and with whoever loads or stores it.
    pub fn of(tensor: &Tensor) -> ArrayDecl {
        ArrayDecl {
            name: tensor.name.clone(),
            role: tensor.role,
            shape: tensor.shape.iter().map(IndexExpr::affine).collect(),
            assumption: tensor.assumption,
            layout: None,
            loads: None,
            axes: vec![],
            slant: None,
            straight: None,
        }
    }
}

/// Loads that are asked for ahead: each PE asks for the words of an array in the order of its program, as soon as it has room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loads {
    /// Cycles from asking until the word is there, at least 1: those for which it was proved that there is always room in time.
    pub latency: u64,
    /// How many words a PE has asked for and not taken at most, at least 1: the proved number, and the one that the simulator
    /// gives it.
    pub outstanding: u64,
}

/// One coordinate of the grid with its first and last value.
#[derive(Clone, Debug, PartialEq)]
pub struct Coordinate {
    /// Its name.
    pub name: Name,
    /// First value, over the parameters.
    pub first: IndexExpr,
    /// Last value, over the parameters.
    pub last: IndexExpr,
}

/// A family of FIFO links, one for each PE that sends on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Its name.
    pub name: Name,
    /// Receiver minus sender; zero where a PE keeps words for itself, in a queue of its own.
    pub offset: Vec<i64>,
    /// Cycles from a send to the word's visibility, at least 1; 0 where a PE keeps words for later operations of the step.
    pub latency: u64,
    /// How many words hold a slot at most: the proved depth, and the capacity that the back ends give it.
    pub depth: u64,
}

/// A family of buses. A word driven with a tag can be heard, from `latency` cycles on, by every PE that asks for the tag
/// and is joined to the driver. Each tag is driven once by those who are joined; a heard word stays readable.
#[derive(Clone, Debug, PartialEq)]
pub struct Bus {
    /// Its name.
    pub name: Name,
    /// Which PEs it joins.
    pub joins: Joins,
    /// Cycles from the drive to the hearing; 0 is a wire.
    pub latency: u64,
}

/// Which PEs a bus joins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Joins {
    /// The PEs of a line along this direction of the grid, each line by itself.
    Line(Vec<i64>),
    /// All PEs: a memory that they share, where a word is stored under the subscripts of its element.
    All,
}

/// A part of every PE's own memory, for words that the PE keeps and reads again: each PE has one.
#[derive(Clone, Debug, PartialEq)]
pub struct Scratchpad {
    /// Its name.
    pub name: Name,
    /// Extents over the parameters: in a program over tiles, over the numbers of tiles.
    pub shape: Vec<IndexExpr>,
    /// How many words there are along each dimension: a literal, by which subscripts are taken modulo, or the extent.
    pub room: Vec<IndexExpr>,
}

impl Scratchpad {
    /// One with a word for each element.
    pub fn whole(name: Name, shape: Vec<IndexExpr>) -> Scratchpad {
        Scratchpad { name, room: shape.clone(), shape }
    }

    /// Whether elements take turns in a word.
    pub fn is_folded(&self) -> bool {
        self.room != self.shape
    }
}

/// PEs that run the same body.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Its name.
    pub name: Name,
    /// Whether it only occurs where some extent is 1 (`thin-class` in the text).
    pub thin: bool,
    /// Which PEs belong to it: all conditions hold. Over coordinates and parameters.
    pub guard: Vec<Condition>,
    /// What they do.
    pub body: Vec<Instruction>,
}

/// An integer expression over parameters, coordinates and loop indices.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IndexExpr {
    /// A literal.
    Constant(i64),
    /// A parameter, coordinate or loop index.
    Variable(Name),
    /// `(+ a b ..)`.
    Sum(Vec<IndexExpr>),
    /// `(- a b)`; `(- a)` in the text is `(* -1 a)`.
    Difference(Box<IndexExpr>, Box<IndexExpr>),
    /// `(* a b ..)`.
    Product(Vec<IndexExpr>),
    /// `(floor a n)`: division rounded down, by a positive literal.
    Floor(Box<IndexExpr>, i64),
    /// `(ceil a n)`: division rounded up, by a positive literal.
    Ceil(Box<IndexExpr>, i64),
    /// `(mod a n)`: the remainder in `0..n`.
    Modulo(Box<IndexExpr>, i64),
    /// `(min a b ..)`.
    Min(Vec<IndexExpr>),
    /// `(max a b ..)`.
    Max(Vec<IndexExpr>),
}

/// How two integer expressions are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Comparison {
    /// `=`.
    Equal,
    /// `>=`.
    AtLeast,
    /// `<=`.
    AtMost,
}

/// `(>= a b)` and its kin.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Condition {
    /// The comparison.
    pub comparison: Comparison,
    /// Left side.
    pub left: IndexExpr,
    /// Right side.
    pub right: IndexExpr,
}

/// A scalar expression over registers.
#[derive(Clone, Debug, PartialEq)]
pub enum ScalarExpr {
    /// A literal.
    Number(f64),
    /// A register's value.
    Register(Name),
    /// `(index e)`: an integer expression as a number.
    Index(IndexExpr),
    /// `(add a b)` and the other words of [`Function::keyword`]. Of tiles: element by element.
    Apply(Function, Vec<ScalarExpr>),
    /// `(call f (at i j) a b ..)`, `(call-onto c f (at i j) a b ..)`: what a leaf gives for these tiles, at these tile
    /// coordinates; onto a tile of running values where there is one.
    Call {
        /// The leaf.
        leaf: Name,
        /// The tile that its result is begun with.
        onto: Option<Box<ScalarExpr>>,
        /// The tile coordinates.
        at: Vec<IndexExpr>,
        /// The tiles.
        arguments: Vec<ScalarExpr>,
    },
}

/// One instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Instruction {
    /// `(loop k first last body..)`: for each value from first to last, both included; none where last < first.
    Loop {
        /// The loop index.
        index: Name,
        /// First value.
        first: IndexExpr,
        /// Last value.
        last: IndexExpr,
        /// What is repeated.
        body: Vec<Instruction>,
    },
    /// `(if (condition ..) (instruction ..) (instruction ..))`: the first list where all conditions hold, else the second.
    If {
        /// All must hold.
        conditions: Vec<Condition>,
        /// What is done then.
        then: Vec<Instruction>,
        /// What is done otherwise.
        otherwise: Vec<Instruction>,
    },
    /// `(at e)`: the PE's clock becomes at least `e`. Within a step that operations share, after the first of them, it says nothing new.
    /// Back ends without a clock skip it.
    At(IndexExpr),
    /// `(advance e)`: a round of `e` cycles is over: from here on what `at` says is counted from `e` cycles later.
    Advance(IndexExpr),
    /// `(tick n)`: the PE's clock rises by `n`: one step of the schedule is over.
    Tick(u64),
    /// `(share)`: an operation is over and its step is not: others may follow at the same clock.
    Share,
    /// `(end-step)`: the step of the operations that shared it is over, and the PE's clock rises by 1; nothing where there were none.
    EndStep,
    /// `(load r (X a b))`: register from an array, through a memory port.
    Load(Name, Name, Vec<IndexExpr>),
    /// `(prefetch (X a b))`: an element into the PE's own memory, before the run, at no cycle.
    Prefetch(Name, Vec<IndexExpr>),
    /// `(local r (X a b))`: register from the PE's own memory; the element must have been prefetched.
    Local(Name, Name, Vec<IndexExpr>),
    /// `(keep (X a b) r)`: an entry of a scratchpad from a register; it takes the place of what was there.
    Keep(Name, Vec<IndexExpr>, Name),
    /// `(recall r (X a b))`: register from an entry of a scratchpad, which the PE must have kept.
    Recall(Name, Name, Vec<IndexExpr>),
    /// `(store (X a b) r)`: array from register.
    Store(Name, Vec<IndexExpr>, Name),
    /// `(fill (X a b) e)`: an element of an output that is known, before the run, at no cycle and through no port. It reads no
    /// register, so it can be there before anything is done.
    Fill(Name, Vec<IndexExpr>, ScalarExpr),
    /// `(recv r channel)`.
    Receive(Name, Name),
    /// `(send channel r)`.
    Send(Name, Name),
    /// `(pass channel-in channel-out count)`: forwards so many words, one at a time.
    Pass(Name, Name, IndexExpr),
    /// `(drive bus r (tag ..))`.
    Drive(Name, Name, Vec<IndexExpr>),
    /// `(listen r bus (tag ..))`.
    Listen(Name, Name, Vec<IndexExpr>),
    /// `(let r e)`: the operation of a step.
    Let(Name, ScalarExpr),
}
