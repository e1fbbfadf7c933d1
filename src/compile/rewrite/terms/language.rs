//! The term language: every term is a field over a named iteration space, a function from its points to numbers.
//!
//! In: nothing. Out: [`Term`], the e-node type, and the signatures that the reader of rules checks against. Invariant:
//! index names are unique within a space and no rule substitutes, so none has to rename; access maps and directions are
//! leaves that are equal exactly when their texts are, and mean what the space beside them makes of them. Paper: Cyclotron
//! sections 4.1 to 4.4.

use super::operands::Operands;
use egg::{Id, Symbol, define_language};
use std::fmt;
use std::str::FromStr;
use systole_base::scalar::Function;
use systole_equations::recurrence::{Operator, number_text};

define_language! {
    /// An e-node. `s` is a space, `X` a tensor, `g` an access map, `d` a direction, `ds` a list of directions, `o` an
    /// operator, `k` an index, `e` and `f` expressions.
    ///
    /// | node | value at point `x` |
    /// |---|---|
    /// | `2.5`, `[i,k]`, `<j>`, names | leaves: number, access map, direction, anything that has a name |
    /// | `(at X g)`, `(index g)` | `X[g x]`; the number `g x` |
    /// | `(heads s d)` | the space of the points `x` of `s` for which `x - d` lies outside: a face, or several |
    /// | `(in s e)`, `(here s g)` | `e`, or the number `g x`, as a field on `s` |
    /// | `(reduce s o k e)` | `e` combined by `o` over all points that differ from `x` in `k` only |
    /// | `(accum s o g e)` | `e` combined by `o` over all points `y` with `g y = g x` |
    /// | `(inner s o g e)` | `e` at the points of `s` that work on the element `g x`; the neutral value of `o` where none does |
    /// | `(handoff r s o g v)` | the same on the space `r`, of the field `v` on `s`: handed over by the point that has it |
    /// | `(pair a b)` | a tuple, the components of `b` behind that of `a` |
    /// | `(part n t)` | component `n` of the tuple `t`, from 0 |
    /// | `(count s k)` | how many values the index `k` takes |
    /// | `(running s o k e)` | `(reduce s o k e)`, got from that at the point before by one more term |
    /// | `(sliding s k e)` | `(reduce s sum k e)`, got from that at the point before by what enters and what leaves |
    /// | `(paired s o k e)` | `(reduce s o k e)` where `k` takes two values, got by one operation |
    /// | `(both p q)` | in place of an index: all values of `p`, and for each all of `q`, one after the other |
    /// | `(turned t i)` | in place of an index: all values of `t`, the last `i` of them first |
    /// | `(mirrored s e)` | `e`, computed where one of its indices is not above the other, and mirrored |
    /// | `(defined X g)` | `X[g x]` as its equation says it; folded by the analysis into what that has there |
    /// | `(pick s k g e)` | `e` where `k` has the value `g x`; folded by the analysis into `e` with `g` in place of `k` |
    /// | `(where s o k c e)` | `(reduce s o k e)` over the values of `k` where `c` is not 0; folded into one over an index that has these values |
    /// | `(nulls s g)`, `(signs s k)` | folded by the analysis into a list of directions |
    /// | `(axes s)` | folded into the first index of `s` along which its faces are not yet met, both ways |
    /// | `(offset s X g)` | folded into the direction `d` for which `x - d` writes `X[g x]` |
    /// | `(dir d ds)`, `end` | a list of directions |
    /// | `(read s X g ds)` | `X[g x]`, with the directions that are still to be tried |
    /// | `(stream s d X g)` | `X[g h]`, `h` the head of the line of `x` along `d` |
    /// | `(load s d X g)` | `X[g x]`, defined at the heads of the lines along `d` only |
    /// | `(xfer s d X g)` | `X[g x]`, handed over to the heads of the lines along `d`, defined there only |
    /// | `(take s X g)` | `X[g x]`, handed over to every point |
    /// | `(kept s X g)` | `X[g x]`, from the own memory of the PE that computed it |
    /// | `(stored s X g)` | `X[g x]`, from the memory that all PEs share |
    /// | `(result s)` | what `s` computes |
    /// | `(fby s d h)` | `h x` at a head, else the value at `x - d` |
    /// | `(bcast s d X g)`, `(hold s X g)`, `(feed s X g)` | `X[g x]` from a bus, from own memory, from an own port |
    /// | `(const s X g)` | `X[g x]` where `g` is the same at all points |
    /// | `(red s o ds f)` | `f` combined by `o` along the whole line of `x` |
    /// | `(acc s o d f)`, `(last s d v)` | `f` combined from the head up to `x`; `v` at the end of the line of `x` |
    /// | `(combine o a b)`, `(neutral o)` | `a` and `b` combined by `o`; its neutral value |
    /// | `(ite c a b)`, `(head s d)` | `a` where `c` holds, else `b`; whether `x - d` lies outside `s` |
    /// | `(shift s d v)` | `v` at `x - d` |
    /// | `(recv s d m)`, `(send s d v)` | the message that `x - d` sent; a message that carries `v` |
    /// | `(sched P t e)` | `e`, at place `P` and step `t` |
    /// | `(add a b)`, `(sqrt a)` and so on | scalar functions, point by point |
    /// | `(call (call (leaf f) a) b)` | what a leaf gives for tiles, point by point; one argument a call |
    #[allow(missing_docs)]
    pub enum Term {
        Number(Literal),
        Access(AccessText),
        Direction(DirectionText),
        "end" = End,
        "at" = At([Id; 2]),
        "index" = Index(Id),
        "in" = In([Id; 2]),
        "here" = Here([Id; 2]),
        "reduce" = Reduce([Id; 4]),
        "accum" = Accum([Id; 4]),
        "inner" = Inner([Id; 4]),
        "handoff" = Handoff([Id; 5]),
 "pair" = Pair([Id; 2]),
        "part" = Part([Id; 2]),
        "count" = Count([Id; 2]),
        "running" = Running([Id; 4]),
        "sliding" = Sliding([Id; 3]),
        "mirrored" = Mirrored([Id; 2]),
        "paired" = Paired([Id; 4]),
        "both" = Both([Id; 2]),
        "turned" = Turned([Id; 2]),
        "defined" = Defined([Id; 2]),
        "pick" = Pick([Id; 4]),
        "where" = Where([Id; 5]),
        "nulls" = Nulls([Id; 2]),
        "signs" = Signs([Id; 2]),
        "heads" = Heads([Id; 2]),
        "axes" = Axes(Id),
        "offset" = Offset([Id; 3]),
        "dir" = Dir([Id; 2]),
        "read" = Read([Id; 4]),
        "stream" = Stream([Id; 4]),
        "load" = Load([Id; 4]),
        "xfer" = Xfer([Id; 4]),
        "take" = Take([Id; 3]),
        "kept" = Kept([Id; 3]),
        "stored" = Stored([Id; 3]),
        "result" = Result(Id),
        "fby" = Fby([Id; 3]),
        "bcast" = Bcast([Id; 4]),
        "hold" = Hold([Id; 3]),
        "feed" = Feed([Id; 3]),
        "const" = Const([Id; 3]),
        "red" = Red([Id; 4]),
        "acc" = Acc([Id; 4]),
        "last" = Last([Id; 3]),
        "combine" = Combine([Id; 3]),
        "neutral" = Neutral(Id),
        "ite" = Ite([Id; 3]),
        "head" = Head([Id; 2]),
        "shift" = Shift([Id; 3]),
        "recv" = Recv([Id; 3]),
        "send" = Send([Id; 3]),
        "sched" = Sched([Id; 3]),
        "call" = Call([Id; 2]),
        "leaf" = Leaf(Id),
        Other(Symbol, Operands),
    }
}

/// The operators with a fixed meaning and how many children each has. Scalar functions come on top.
pub const OPERATORS: &[(&str, usize)] = &[
    ("at", 2),
    ("index", 1),
    ("in", 2),
    ("here", 2),
    ("reduce", 4),
    ("accum", 4),
    ("inner", 4),
    ("handoff", 5),
    ("pair", 2),
    ("part", 2),
    ("count", 2),
    ("running", 4),
    ("sliding", 3),
    ("mirrored", 2),
    ("paired", 4),
    ("both", 2),
    ("turned", 2),
    ("defined", 2),
    ("pick", 4),
    ("where", 5),
    ("nulls", 2),
    ("signs", 2),
    ("heads", 2),
    ("axes", 1),
    ("offset", 3),
    ("dir", 2),
    ("read", 4),
    ("stream", 4),
    ("load", 4),
    ("xfer", 4),
    ("take", 3),
    ("kept", 3),
    ("stored", 3),
    ("result", 1),
    ("fby", 3),
    ("bcast", 4),
    ("hold", 3),
    ("feed", 3),
    ("const", 3),
    ("red", 4),
    ("acc", 4),
    ("last", 3),
    ("combine", 3),
    ("neutral", 1),
    ("ite", 3),
    ("head", 2),
    ("shift", 3),
    ("recv", 3),
    ("send", 3),
    ("sched", 3),
    ("call", 2),
    ("leaf", 1),
];

/// How many children the operator `word` has; `None` for an unknown one.
pub fn arity(word: &str) -> Option<usize> {
    let fixed = OPERATORS.iter().find(|(known, _)| *known == word).map(|(_, arity)| *arity);
    fixed.or_else(|| Function::from_keyword(word).map(Function::arity))
}

/// Every word that may stand behind an opening parenthesis.
pub fn operator_words() -> impl Iterator<Item = &'static str> {
    let functions = Function::ALL.iter().map(|function| function.keyword());
    OPERATORS.iter().map(|(word, _)| *word).chain(functions)
}

impl Term {
    /// A leaf that is only a name: a space, a tensor, an index, an operator, a place.
    pub fn name(text: &str) -> Term {
        Term::Other(Symbol::from(text), Operands::none())
    }

    /// The name of a reduction operator.
    pub fn operator(operator: Operator) -> Term {
        Term::name(operator.keyword())
    }

    /// The name of a leaf.
    pub fn leaf_name(number: u16) -> Term {
        Term::name(&format!("leaf{number}"))
    }

    /// A scalar function of its arguments; a leaf takes them one after the other, so it is none.
    pub fn apply(function: Function, arguments: &[Id]) -> Term {
        Term::Other(Symbol::from(function.keyword()), Operands::of(function, arguments))
    }

    /// The leaf that `text` spells in a rule.
    pub fn leaf(text: &str) -> Term {
        if text == "end" {
            return Term::End;
        }
        let number = text.parse().map(Term::Number);
        let access = || text.parse().map(Term::Access);
        let direction = || text.parse().map(Term::Direction);
        number.or_else(|_| access()).or_else(|_| direction()).unwrap_or_else(|_: NotThisLeaf| Term::name(text))
    }
}

/// A text that does not spell a leaf of the kind asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotThisLeaf;

/// A 64-bit floating-point literal, equal to another when the bits are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal(u64);

impl Literal {
    /// The literal for `value`.
    pub fn new(value: f64) -> Literal {
        Literal(value.to_bits())
    }

    /// Its value.
    pub fn value(self) -> f64 {
        f64::from_bits(self.0)
    }
}

impl FromStr for Literal {
    type Err = NotThisLeaf;
    fn from_str(text: &str) -> Result<Literal, NotThisLeaf> {
        // A name such as `inf` must stay a name; `infinity` is none, as in kernels.
        let digits = text.strip_prefix('-').unwrap_or(text);
        let starts_well = digits.starts_with(|first: char| first.is_ascii_digit()) || digits == "infinity";
        let value = text.parse().ok().filter(|_| starts_well);
        value.map(Literal::new).ok_or(NotThisLeaf)
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&number_text(self.value()))
    }
}

macro_rules! bracketed {
    ($name:ident, $open:literal, $close:literal, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub Symbol);

        impl FromStr for $name {
            type Err = NotThisLeaf;
            fn from_str(text: &str) -> Result<$name, NotThisLeaf> {
                let inside = text.strip_prefix($open).and_then(|rest| rest.strip_suffix($close));
                inside.map(|_| $name(Symbol::from(text))).ok_or(NotThisLeaf)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.0.as_str())
            }
        }
    };
}

bracketed!(AccessText, '[', ']', "An access map by its text, such as `[i-k,2*j]`.");
bracketed!(DirectionText, '<', '>', "A direction by its text, such as `<i-k>`.");
