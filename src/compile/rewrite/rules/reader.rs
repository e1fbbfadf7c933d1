//! From the text of a rule to a rule that egg can run.
//!
//! In: a [`Source`] in the form that [`super::rule_text`] describes. Out: [`Rule`]s whose operators, arities, variables
//! and conditions are known to be right, or all messages at once. Two-way rules become two rules, the second with
//! `-back` behind its name.

use super::monoid::Monoid;
use super::operators::written_out;
use super::predicates::{MOST_ARGUMENTS, PREDICATES, Predicate, find};
use super::read_monoid::read_monoid;
use super::rule_text::{ConditionText, RuleText, Tag, Token, Tree, parse_rules, wrong_at};
use crate::rewrite::registry::Context;
use crate::rewrite::saturation::{FieldAnalysis, Graph, Matcher};
use crate::rewrite::terms::{Term, arity, operator_words};
use egg::{ConditionalApplier, ENodeOrVar, Id, Pattern, PatternAst, RecExpr, Rewrite, Subst, Var};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use systole_base::diagnostic::{Checked, Diagnostic, counted, nearest};
use systole_base::span::{Source, Span};
use systole_equations::recurrence::Operator;

/// A rule, checked and ready to run.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its name, for life.
    pub name: String,
    /// Why it holds.
    pub law: String,
    /// How far it holds.
    pub tag: Tag,
    /// The file and line it comes from, as `dataflow.rules:5`.
    pub origin: String,
    /// The left side.
    pub left: PatternAst<Term>,
    /// The right side.
    pub right: PatternAst<Term>,
    pub(crate) source: Arc<Source>,
    pub(crate) span: Span,
    pub(crate) conditions: Conditions,
    pub(crate) matcher: Arc<Matcher>,
    pub(crate) rewrite: Rewrite<Term, FieldAnalysis>,
}

/// The rules and the monoids of one file, in its order.
pub fn read_rules(source: &Arc<Source>) -> Checked<(Vec<Rule>, Vec<Monoid>)> {
    let file = written_out(source, parse_rules(source)?)?;
    let (mut rules, mut monoids, mut diagnostics) = (vec![], vec![], vec![]);
    for text in &file.rules {
        match check_rule(source, text) {
            Ok(found) => rules.extend(found),
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    for text in &file.monoids {
        match read_monoid(source, text) {
            Ok(monoid) => monoids.push(monoid),
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    if diagnostics.is_empty() { Ok((rules, monoids)) } else { Err(diagnostics) }
}

fn check_rule(source: &Arc<Source>, text: &RuleText) -> Result<Vec<Rule>, Diagnostic> {
    let (left, left_variables) = read_pattern(source, &text.left)?;
    let (right, right_variables) = read_pattern(source, &text.right)?;
    let conditions = text
        .conditions
        .iter()
        .map(|condition| read_condition(source, condition, &left_variables))
        .collect::<Result<Vec<_>, _>>()?;
    check_bound(source, &right_variables, &left_variables)?;
    let mut rules = vec![make_rule(source, text, "", &left, &right, &conditions)?];
    if text.both_ways {
        check_bound(source, &left_variables, &right_variables)?;
        rules.push(make_rule(source, text, "-back", &right, &left, &conditions)?);
    }
    Ok(rules)
}

fn make_rule(
    source: &Arc<Source>,
    text: &RuleText,
    suffix: &str,
    left: &PatternAst<Term>,
    right: &PatternAst<Term>,
    conditions: &[Condition],
) -> Result<Rule, Diagnostic> {
    let name = format!("{}{suffix}", text.name.text);
    let Some(matcher) = Matcher::new(left) else {
        let message = format!("rule `{name}` matches every term");
        return Err(wrong_at(source, text.name.span, message, "one side is a lone variable"));
    };
    let conditions = Conditions(conditions.to_vec());
    let applier = ConditionalApplier { condition: conditions.clone(), applier: Pattern::new(right.clone()) };
    let rewrite = Rewrite::new(name.as_str(), Pattern::new(left.clone()), applier)
        .map_err(|error| wrong_at(source, text.name.span, error, "in this rule"))?;
    let origin = format!("{}:{}", source.name, source.line(text.name.span.start));
    Ok(Rule {
        name,
        law: text.law.clone(),
        tag: text.tag,
        origin,
        left: left.clone(),
        right: right.clone(),
        source: Arc::clone(source),
        span: text.name.span,
        conditions,
        matcher: Arc::new(matcher),
        rewrite,
    })
}

type Variables = BTreeMap<String, Token>;

fn check_bound(source: &Arc<Source>, used: &Variables, bound: &Variables) -> Result<(), Diagnostic> {
    let Some(token) = used.values().find(|token| !bound.contains_key(&token.text)) else { return Ok(()) };
    let message = format!("variable `{}` is not bound", token.text);
    Err(wrong_at(source, token.span, message, "does not occur on the side that is matched"))
}

fn read_pattern(source: &Arc<Source>, tree: &Tree) -> Result<(PatternAst<Term>, Variables), Diagnostic> {
    let mut pattern = RecExpr::default();
    let mut variables = BTreeMap::new();
    add_tree(source, tree, &mut pattern, &mut variables)?;
    Ok((pattern, variables))
}

fn add_tree(
    source: &Arc<Source>,
    tree: &Tree,
    pattern: &mut PatternAst<Term>,
    variables: &mut Variables,
) -> Result<Id, Diagnostic> {
    match tree {
        Tree::Atom(token) => Ok(pattern.add(read_atom(source, token, variables)?)),
        Tree::List(children, span) => {
            let Some((Tree::Atom(head), arguments)) = children.split_first() else {
                return Err(wrong_at(source, *span, "a term starts with an operator", "no operator"));
            };
            check_operator(source, head, arguments.len())?;
            let ids = arguments.iter().map(|child| add_tree(source, child, pattern, variables));
            let ids = ids.collect::<Result<Vec<Id>, _>>()?;
            let node = <Term as egg::FromOp>::from_op(&head.text, ids)
                .map_err(|error| wrong_at(source, head.span, error.to_string(), "not an operator"))?;
            Ok(pattern.add(ENodeOrVar::ENode(node)))
        }
    }
}

fn read_atom(source: &Arc<Source>, token: &Token, variables: &mut Variables) -> Result<ENodeOrVar<Term>, Diagnostic> {
    if token.text.starts_with('?') {
        let variable: Var = token
            .text
            .parse()
            .map_err(|_| wrong_at(source, token.span, format!("`{}` is not a variable", token.text), "no name"))?;
        variables.insert(token.text.clone(), token.clone());
        return Ok(ENodeOrVar::Var(variable));
    }
    // `max` and `min` name both a function and a reduction; alone they are the reduction.
    if arity(&token.text).is_some() && Operator::from_keyword(&token.text).is_none() {
        return check_operator(source, token, 0).map(|()| ENodeOrVar::ENode(Term::leaf(&token.text)));
    }
    Ok(ENodeOrVar::ENode(Term::leaf(&token.text)))
}

pub(super) fn check_operator(source: &Arc<Source>, head: &Token, given: usize) -> Result<(), Diagnostic> {
    let word = head.text.as_str();
    match arity(word) {
        Some(expected) if expected == given => Ok(()),
        Some(expected) => {
            let message = format!("operator `{word}` takes {}, {given} given", counted(expected, "argument"));
            Err(wrong_at(source, head.span, message, "wrong number of arguments"))
        }
        None => {
            let wrong = wrong_at(source, head.span, format!("unknown operator `{word}`"), "not known");
            Err(suggest(wrong, word, operator_words()))
        }
    }
}

fn suggest(diagnostic: Diagnostic, word: &str, known: impl Iterator<Item = &'static str>) -> Diagnostic {
    match nearest(word, known) {
        Some(name) => diagnostic.help(format!("did you mean `{name}`?")),
        None => diagnostic,
    }
}

fn read_condition(source: &Arc<Source>, text: &ConditionText, bound: &Variables) -> Result<Condition, Diagnostic> {
    let word = text.name.text.as_str();
    let Some(predicate) = find(word) else {
        let wrong = wrong_at(source, text.name.span, format!("unknown condition `{word}`"), "not known");
        return Err(suggest(wrong, word, PREDICATES.iter().map(|predicate| predicate.name)));
    };
    let given = text.arguments.len();
    if predicate.arity != given {
        let message = format!("condition `{word}` takes {}, {given} given", counted(predicate.arity, "argument"));
        return Err(wrong_at(source, text.name.span, message, predicate.meaning));
    }
    let used = text.arguments.iter().map(|token| (token.text.clone(), token.clone())).collect();
    check_bound(source, &used, bound)?;
    let arguments = text.arguments.iter().filter_map(|token| token.text.parse().ok()).collect();
    Ok(Condition { predicate, negated: text.negated, arguments })
}

/// One condition of a rule, or its opposite.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    pub predicate: &'static Predicate,
    pub negated: bool,
    pub arguments: Vec<Var>,
}

impl Condition {
    /// Whether it holds of the classes that a match has bound.
    pub fn holds(&self, graph: &Graph, subst: &Subst) -> bool {
        self.holds_of(graph, self.arguments.iter().filter_map(|variable| subst.get(*variable).copied()))
    }

    /// Whether it holds of these classes.
    pub fn holds_of(&self, graph: &Graph, arguments: impl Iterator<Item = Id>) -> bool {
        let mut ids = [Id::from(0); MOST_ARGUMENTS];
        let mut given = 0;
        for (id, argument) in ids.iter_mut().zip(arguments) {
            *id = argument;
            given += 1;
        }
        given == self.arguments.len() && (self.predicate.holds)(graph, &ids[..given]) != self.negated
    }

    /// Whether it may hold of anything where names stand for what they do in `context`.
    pub fn may_hold(&self, context: &Context) -> bool {
        self.negated || (self.predicate.may_hold)(context)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arguments: Vec<String> = self.arguments.iter().map(Var::to_string).collect();
        write!(f, "{}{}({})", if self.negated { "!" } else { "" }, self.predicate.name, arguments.join(" "))
    }
}

/// All of them have to hold.
#[derive(Clone, Debug)]
pub(crate) struct Conditions(Vec<Condition>);

impl Conditions {
    /// They, in the order in which they are written.
    pub fn all(&self) -> &[Condition] {
        &self.0
    }
}

impl egg::Condition<Term, FieldAnalysis> for Conditions {
    fn check(&self, graph: &mut Graph, _class: Id, subst: &Subst) -> bool {
        self.0.iter().all(|condition| condition.holds(graph, subst))
    }

    fn vars(&self) -> Vec<Var> {
        self.0.iter().flat_map(|condition| condition.arguments.iter().copied()).collect()
    }
}
