//! What stands where in a term: the sorts of operators' children and of conditions' arguments, and of a rule's variables.
//!
//! In: a [`Rule`]. Out: a [`Sort`] for each variable, or a message where one variable would have to be two things. Invariant:
//! a sort that only the right side asks for does not narrow what is tried on the left, or an unsound rule would pass.

use crate::rewrite::rules::Rule;
use crate::rewrite::terms::Term;
use egg::{ENodeOrVar, Id, Language, PatternAst};
use std::collections::BTreeMap;
use systole_base::diagnostic::Diagnostic;

/// What a subterm stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// A space, or the heads of one.
    Space,
    /// A space that is no heads of another.
    Whole,
    /// The name of a tensor.
    Tensor,
    /// An access map.
    Access,
    /// An access map of one form.
    Form,
    /// An access map with as many forms as the giving space's output has subscripts.
    Given,
    /// An access map whose fibres are lines.
    Fibre,
    /// Any direction.
    Along,
    /// A direction along which the access beside it does not change.
    Reuse,
    /// A list of directions.
    Directions,
    /// A list of directions along which the access beside it does not change.
    Reuses,
    /// A list of directions whose lines all cover the same points.
    Lines,
    /// A reduction operator.
    Operator,
    /// An index that the space beside it reduces over.
    Index,
    /// A literal number.
    Number,
    /// An expression over the indices of a space, not yet a field.
    Expression,
    /// A field.
    Field,
    /// An expression or a field.
    Value,
    /// A message on its way to the next point.
    Message,
    /// The name of a leaf.
    Leaf,
    /// A place or a step.
    Name,
    /// Anything.
    Any,
}

/// On which space the value of an operator is, and on which its parts are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// Both where the whole term is.
    Here,
    /// Both on the space that the child with this position names.
    On(usize),
    /// The value where the whole term is, the parts on the space of this child.
    From(usize),
    /// The value on the space of the first, the parts on that of the second.
    Between(usize, usize),
}

/// What an operator takes and gives.
pub struct Signature {
    /// The operator.
    pub word: &'static str,
    /// The sorts of its children.
    pub children: &'static [Sort],
    /// What it gives.
    pub result: Sort,
    /// The spaces it speaks of.
    pub home: Home,
}

use Home::{Between, From, Here, On};
use Sort::*;

const fn signature(word: &'static str, children: &'static [Sort], result: Sort, home: Home) -> Signature {
    Signature { word, children, result, home }
}

/// The signatures of all operators with a fixed meaning, in the order of [`OPERATORS`](crate::rewrite::OPERATORS).
pub const SIGNATURES: &[Signature] = &[
    signature("at", &[Tensor, Access], Expression, Here),
    signature("index", &[Form], Expression, Here),
    signature("in", &[Whole, Expression], Field, On(0)),
    signature("here", &[Whole, Form], Field, On(0)),
    signature("reduce", &[Whole, Operator, Index, Expression], Expression, On(0)),
    signature("accum", &[Whole, Operator, Fibre, Expression], Expression, On(0)),
    signature("inner", &[Whole, Operator, Given, Expression], Expression, From(0)),
    signature("handoff", &[Whole, Whole, Operator, Given, Field], Field, Between(0, 1)),
    signature("pair", &[Expression, Expression], Expression, Here),
    signature("part", &[Number, Expression], Expression, Here),
    signature("count", &[Whole, Index], Expression, On(0)),
    signature("running", &[Whole, Operator, Index, Expression], Expression, On(0)),
    signature("sliding", &[Whole, Index, Expression], Expression, On(0)),
    signature("mirrored", &[Whole, Expression], Expression, On(0)),
    signature("paired", &[Whole, Operator, Index, Expression], Expression, On(0)),
    signature("both", &[Index, Index], Index, Here),
    signature("turned", &[Index, Index], Index, Here),
    signature("defined", &[Tensor, Access], Expression, Here),
    signature("pick", &[Whole, Index, Form, Expression], Expression, On(0)),
    signature("where", &[Whole, Operator, Index, Expression, Expression], Expression, On(0)),
    signature("nulls", &[Space, Access], Directions, On(0)),
    signature("signs", &[Whole, Index], Directions, On(0)),
    signature("heads", &[Space, Along], Space, On(0)),
    signature("axes", &[Space], Directions, On(0)),
    signature("offset", &[Whole, Tensor, Access], Along, On(0)),
    signature("dir", &[Along, Directions], Directions, Here),
    signature("read", &[Space, Tensor, Access, Reuses], Field, On(0)),
    signature("stream", &[Space, Reuse, Tensor, Access], Field, On(0)),
    signature("load", &[Space, Reuse, Tensor, Access], Field, On(0)),
    signature("xfer", &[Space, Reuse, Tensor, Access], Field, On(0)),
    signature("take", &[Space, Tensor, Access], Field, On(0)),
    signature("kept", &[Space, Tensor, Access], Field, On(0)),
    signature("stored", &[Space, Tensor, Access], Field, On(0)),
    signature("result", &[Whole], Field, On(0)),
    signature("fby", &[Space, Along, Field], Field, On(0)),
    signature("bcast", &[Space, Reuse, Tensor, Access], Field, On(0)),
    signature("hold", &[Space, Tensor, Access], Field, On(0)),
    signature("feed", &[Space, Tensor, Access], Field, On(0)),
    signature("const", &[Space, Tensor, Access], Field, On(0)),
    signature("red", &[Whole, Operator, Lines, Field], Field, On(0)),
    signature("acc", &[Space, Operator, Along, Field], Field, On(0)),
    signature("last", &[Space, Along, Field], Field, On(0)),
    signature("combine", &[Operator, Value, Value], Value, Here),
    signature("neutral", &[Operator], Value, Here),
    signature("ite", &[Value, Value, Value], Value, Here),
    signature("head", &[Space, Along], Field, On(0)),
    signature("shift", &[Space, Along, Field], Field, On(0)),
    signature("recv", &[Space, Along, Message], Field, On(0)),
    signature("send", &[Space, Along, Field], Message, On(0)),
    signature("sched", &[Name, Name, Field], Field, Here),
    signature("call", &[Value, Value], Value, Here),
    signature("leaf", &[Leaf], Value, Here),
];

/// What the arguments of each condition are, in the order of [`PREDICATES`](crate::rewrite::PREDICATES).
pub const CONDITIONS: &[(&str, &[Sort])] = &[
    ("input", &[Tensor]),
    ("produced", &[Tensor]),
    ("nullary", &[Access]),
    ("whole", &[Space]),
    ("reused", &[Space, Along, Access]),
    ("extended", &[Space]),
    ("number", &[Number]),
    ("free_of", &[Index, Any]),
    ("differ", &[Any, Any]),
    ("boxed", &[Whole, Index]),
    ("independent", &[Whole, Index, Index]),
    ("uniform", &[Whole, Tensor, Access]),
    ("counts", &[Whole, Index, Form]),
    ("countable", &[Whole, Index]),
    ("two", &[Whole, Index]),
    ("filled", &[Whole, Index]),
    ("grows", &[Whole, Index, Any]),
    ("slides", &[Whole, Index, Any]),
    ("swapped", &[Whole, Access, Access]),
    ("commutes", &[Operator]),
    ("written", &[Tensor, Access]),
    ("earlier", &[Tensor, Access]),
    ("picks", &[Whole, Index, Form, Form]),
    ("shifted", &[Any]),
    ("few", &[Any, Any, Any]),
    ("apart", &[Index, Index]),
];

/// Conditions that only keep rules from going on for ever.
const SHORT: [&str; 2] = ["shifted", "few"];

/// Conditions that all operators of instances meet: these are the built-in ones.
const OF_OPERATORS: [&str; 1] = ["commutes"];

/// Whether a condition need not decide anything: instances are made such that it holds, or it has nothing to do with what is equal.
pub(in crate::check) fn is_obeyed(word: &str) -> bool {
    SHORT.contains(&word)
        || OF_OPERATORS.contains(&word)
        || CONDITIONS.iter().any(|(known, sorts)| *known == word && sorts.contains(&Number))
}

/// The signature of a node; `None` for leaves and scalar functions.
pub(in crate::check) fn signature_of(node: &Term) -> Option<&'static Signature> {
    let word = node.to_string();
    SIGNATURES.iter().find(|signature| !node.is_leaf() && signature.word == word)
}

/// The sort of a child and of the result; scalar functions take and give values.
fn sorts_of(node: &Term) -> (Vec<Sort>, Sort) {
    match (signature_of(node), node) {
        (Some(signature), _) => (signature.children.to_vec(), signature.result),
        (None, Term::Number(_)) => (vec![], Number),
        (None, Term::Access(_)) => (vec![], Access),
        (None, Term::Direction(_)) => (vec![], Along),
        (None, Term::End) => (vec![], Directions),
        (None, node) if node.is_leaf() => (vec![], Any),
        (None, node) => (vec![Value; node.children().len()], Value),
    }
}

/// What is both: `None` where nothing is.
pub(in crate::check) fn meet(one: Sort, other: Sort) -> Option<Sort> {
    let finer = |wide: Sort, narrow: Sort| match wide {
        Any => true,
        Space => narrow == Whole,
        Access => matches!(narrow, Form | Given | Fibre),
        Along => narrow == Reuse,
        Directions => matches!(narrow, Reuses | Lines),
        Value => matches!(narrow, Number | Expression | Field),
        Expression | Field => narrow == Number,
        _ => false,
    };
    match (one, other) {
        (one, other) if one == other || finer(one, other) => Some(other),
        (one, other) if finer(other, one) => Some(one),
        _ => None,
    }
}

/// What a sort is without its role beside other things.
fn kind(sort: Sort) -> Sort {
    match sort {
        Whole => Space,
        Form | Given | Fibre => Access,
        Reuse => Along,
        Reuses | Lines => Directions,
        Number => Value,
        other => other,
    }
}

/// The sorts of a rule's variables, by their names, and of the value that it speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::check) struct Sorts {
    pub variables: BTreeMap<String, Sort>,
    pub root: Sort,
}

/// Two sorts that one subterm would have to have.
struct Clash {
    what: String,
    one: Sort,
    other: Sort,
}

impl Sorts {
    /// The sorts that the left side and the conditions ask for, and the right side where they leave open what kind of value it is.
    pub fn of(rule: &Rule) -> Result<Sorts, Diagnostic> {
        infer(rule).map_err(|clash| {
            let (one, other) = (describe(clash.one), describe(clash.other));
            Diagnostic::new(format!("rule `{}` takes `{}` for {one} and for {other}", rule.name, clash.what))
                .label(&rule.source, rule.span, "in this rule")
                .help("the table at `Term` in src/compile/rewrite/terms/language.rs says what each operator takes")
        })
    }

    fn meet_variable(&mut self, name: &str, sort: Sort) -> Result<Sort, Clash> {
        let known = self.variables.entry(name.to_owned()).or_insert(Any);
        *known = meet(*known, sort).ok_or_else(|| Clash { what: name.to_owned(), one: *known, other: sort })?;
        Ok(*known)
    }

    /// Goes through a pattern until nothing new is learnt.
    fn settle(&mut self, pattern: &PatternAst<Term>) -> Result<(), Clash> {
        loop {
            let before = self.clone();
            let root = self.visit(pattern, pattern.root(), self.root)?;
            self.root = root;
            if *self == before {
                return Ok(());
            }
        }
    }

    fn visit(&mut self, pattern: &PatternAst<Term>, id: Id, asked: Sort) -> Result<Sort, Clash> {
        let node = match &pattern[id] {
            ENodeOrVar::Var(variable) => return self.meet_variable(&variable.to_string(), asked),
            ENodeOrVar::ENode(node) => node,
        };
        let (children, result) = sorts_of(node);
        let clash = || Clash { what: node.to_string(), one: result, other: asked };
        let mut sort = meet(result, asked).ok_or_else(clash)?;
        for (child, wanted) in node.children().iter().zip(&children) {
            let wanted = if *wanted == Value && result == Value { sort } else { *wanted };
            let found = self.visit(pattern, *child, wanted)?;
            // All parts of a scalar function are on one level; a number is on both.
            if result == Value && sort == Value && matches!(found, Expression | Field) {
                sort = found;
            }
        }
        Ok(sort)
    }

    fn visit_conditions(&mut self, rule: &Rule) -> Result<(), Clash> {
        for condition in rule.conditions.all() {
            let known = CONDITIONS.iter().find(|(word, _)| *word == condition.predicate.name && !condition.negated);
            for (variable, sort) in condition.arguments.iter().zip(known.map_or(&[][..], |(_, sorts)| sorts)) {
                self.meet_variable(&variable.to_string(), *sort)?;
            }
        }
        Ok(())
    }

    fn of_kinds(&self) -> Sorts {
        let kinds = self.variables.iter().map(|(name, sort)| (name.clone(), kind(*sort)));
        Sorts { variables: kinds.collect(), root: kind(self.root) }
    }
}

fn infer(rule: &Rule) -> Result<Sorts, Clash> {
    let mut left = Sorts { variables: BTreeMap::new(), root: Any };
    left.visit_conditions(rule)?;
    left.settle(&rule.left)?;
    let mut right = left.of_kinds();
    right.settle(&rule.right)?;
    let level = |sort: Sort| matches!(sort, Expression | Field);
    if left.root == Value && level(right.root) {
        left.root = right.root;
    }
    for (name, sort) in &mut left.variables {
        let found = right.variables.get(name).copied().unwrap_or(*sort);
        if *sort == Value && level(found) {
            *sort = found;
        }
    }
    left.settle(&rule.left)?;
    Ok(left)
}

/// A sort in words.
fn describe(sort: Sort) -> &'static str {
    match sort {
        Space | Whole => "a space",
        Tensor => "a tensor",
        Access | Form | Given | Fibre => "an access map",
        Along | Reuse => "a direction",
        Directions | Reuses | Lines => "a list of directions",
        Operator => "an operator",
        Index => "an index",
        Number => "a number",
        Expression => "an expression that stands on no space yet",
        Field => "a field on a space",
        Value => "a value",
        Message => "a message",
        Leaf => "a leaf",
        Name | Any => "a name",
    }
}
