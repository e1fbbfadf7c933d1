//! One instance of a rule put to the test.
//!
//! In: a rule, a world, an instance, elements. Out: an [`Outcome`]. The conditions are asked of a real e-graph, the rule is applied
//! by egg, and what is compared is what stands in the class afterwards, folding nodes as they are written and as they were folded.

use crate::check::instances::{Instance, Sort};
use crate::check::semantics::{Arithmetic, Elements, Evaluation, Meaning, Palette, World, meaning, places};
use crate::rewrite::rules::{Rule, Tag};
use crate::rewrite::saturation::{FieldAnalysis, Graph, folded_element};
use crate::rewrite::terms::Term;
use egg::{Id, Language, RecExpr, Subst};
use std::sync::Arc;

/// What a trial has found.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// The instance is not one of the left side, or its values are not those that the law speaks of.
    Unfit,
    /// Not all conditions hold; whether each does, and whether the sides differ without the only one that does not.
    Refused(Vec<bool>, bool),
    /// Both sides are one at all points, of which there are some.
    Same,
    /// The space has no points.
    Empty,
    /// They are not.
    Differs(Difference),
}

/// Where two sides differ.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Difference {
    pub point: Vec<i64>,
    pub left: Option<f64>,
    pub right: Option<f64>,
    /// The right side that differs: as it is written, or with its directions folded.
    pub term: String,
    /// Why a side means nothing, where that is so.
    pub nonsense: Option<String>,
}

/// A rule with what it is tried on.
pub(super) struct Trial<'a> {
    pub rule: &'a Rule,
    pub world: &'a World,
    pub elements: &'a Elements,
}

impl Trial<'_> {
    /// Applies the rule to an instance and compares both sides at every point.
    pub fn outcome(&self, instance: &Instance) -> Outcome {
        let Some(left) = instance.term(&self.rule.left) else { return Outcome::Unfit };
        let Ok(before) = meaning(self.world, &left, instance.space) else { return Outcome::Unfit };
        let mut graph = Graph::new(FieldAnalysis::new(Arc::clone(&self.world.context)));
        let root = graph.add_expr(&left);
        graph.rebuild();
        let Some(subst) = self.matched(&graph, root, instance) else { return Outcome::Unfit };
        let holds: Vec<bool> =
            self.rule.conditions.all().iter().map(|condition| condition.holds(&graph, &subst)).collect();
        if holds.contains(&false) {
            let alone = holds.iter().filter(|holds| !**holds).count() == 1;
            let needed = alone && self.differs_without(&before, instance);
            return Outcome::Refused(holds, needed);
        }
        if self.rule.tag != Tag::Exact && !self.is_real(instance) {
            return Outcome::Unfit;
        }
        match self.applied(&mut graph, root, instance) {
            Some(rights) => self.compare(&before, &rights, instance.space),
            None => Outcome::Unfit,
        }
    }

    /// Whether the sides differ where the rule has not been applied.
    fn differs_without(&self, left: &Meaning, instance: &Instance) -> bool {
        let Some(right) = instance.term(&self.rule.right) else { return false };
        let is_fit = self.rule.tag == Tag::Exact || self.is_real(instance);
        is_fit && matches!(self.compare(left, &[right], instance.space), Outcome::Differs(_))
    }

    /// The match that binds the variables as the instance does.
    fn matched(&self, graph: &Graph, root: Id, instance: &Instance) -> Option<Subst> {
        let matches = self.rule.rewrite.searcher.search_eclass(graph, graph.find(root))?;
        let class = |text: &str| text.parse().ok().and_then(|term| graph.lookup_expr(&term)).map(|id| graph.find(id));
        let is_ours = |subst: &Subst| {
            let mut variables = self.rule.rewrite.searcher.vars().into_iter();
            variables.all(|variable| {
                let wanted = instance.bound.get(&variable.to_string()).and_then(|bound| class(&bound.text));
                wanted.is_some() && subst.get(variable).map(|id| graph.find(*id)) == wanted
            })
        };
        matches.substs.into_iter().find(is_ours)
    }

    /// The right sides that stand in the class of the left one once egg has applied the rule.
    fn applied(&self, graph: &mut Graph, root: Id, instance: &Instance) -> Option<Vec<RecExpr<Term>>> {
        let matches = self.rule.rewrite.searcher.search_eclass(graph, graph.find(root))?;
        self.rule.rewrite.apply(graph, &[matches]);
        graph.rebuild();
        let right = instance.term(&self.rule.right)?;
        let class = graph.lookup_expr(&right).map(|id| graph.find(id));
        let folded = folded(graph, &right);
        let both = if folded == right { vec![right] } else { vec![right, folded] };
        (class == Some(graph.find(root))).then_some(both)
    }

    /// Whether all variables stand for real numbers, at all points; where infinities are values too, the left side says whether it is one.
    fn is_real(&self, instance: &Instance) -> bool {
        if self.evaluation().arithmetic.is_extended() {
            return true;
        }
        let mut values = instance.bound.values().filter(|bound| matches!(bound.sort, Sort::Expression | Sort::Field));
        values.all(|bound| {
            let Some(face) = &bound.face else { return true };
            let Ok(term) = bound.text.parse() else { return false };
            let Ok(meaning) = meaning(self.world, &term, face.space) else { return false };
            let evaluation = self.evaluation();
            let points = places(self.world, face.space, &[&meaning]);
            let mut values = points.iter().map(|point| evaluation.number(&meaning, point));
            values.all(|value| value.is_some_and(|value| self.is_fit(value))) && !evaluation.arithmetic.is_undecided()
        })
    }

    /// Whether the law speaks of a value: where something is assumed, the elements' palette says what.
    fn is_fit(&self, value: f64) -> bool {
        let assumed = match self.elements.palette {
            Palette::Positive => value > 0.0,
            Palette::Nonzero => value != 0.0,
            _ => true,
        };
        value.is_finite() && (assumed || self.rule.tag != Tag::Assume)
    }

    fn evaluation(&self) -> Evaluation<'_> {
        Evaluation::new(self.world, self.elements, Arithmetic::of(self.rule.tag, self.elements.palette))
    }

    fn compare(&self, left: &Meaning, rights: &[RecExpr<Term>], space: usize) -> Outcome {
        for term in rights {
            let right = match meaning(self.world, term, space) {
                Ok(right) => right,
                Err(nonsense) => return self.meaningless(left, term, space, nonsense),
            };
            let points = places(self.world, space, &[left, &right]);
            let mut outcomes = points.iter().map(|point| self.compare_at(left, &right, term, point));
            if let Some(other) = outcomes.find(|outcome| *outcome != Outcome::Same) {
                return other;
            }
            if points.is_empty() {
                return Outcome::Empty;
            }
        }
        Outcome::Same
    }

    fn compare_at(&self, left: &Meaning, right: &Meaning, term: &RecExpr<Term>, point: &[i64]) -> Outcome {
        let evaluation = self.evaluation();
        let left = evaluation.number(left, point);
        let promises = evaluation.arithmetic.promises(left);
        let right = evaluation.number(right, point);
        let is_outside = !promises || self.rule.tag == Tag::Assume && (left.is_none() || right.is_none());
        if evaluation.arithmetic.is_undecided() || is_outside {
            return Outcome::Unfit;
        }
        if evaluation.arithmetic.agree(left, right) {
            return Outcome::Same;
        }
        let (point, term) = (point.to_vec(), term.to_string());
        Outcome::Differs(Difference { point, left, right, term, nonsense: None })
    }

    /// A right side that means nothing differs wherever there is a point.
    fn meaningless(&self, left: &Meaning, term: &RecExpr<Term>, space: usize, nonsense: String) -> Outcome {
        let points = places(self.world, space, &[left]);
        let Some(point) = points.first() else { return Outcome::Empty };
        let left = self.evaluation().number(left, point);
        let (point, term, right) = (point.clone(), term.to_string(), None);
        Outcome::Differs(Difference { point, left, right, term, nonsense: Some(nonsense) })
    }
}

/// The term with each folding node replaced by what the e-graph made of it.
fn folded(graph: &Graph, term: &RecExpr<Term>) -> RecExpr<Term> {
    let ids = graph.lookup_expr_ids(term).unwrap_or_default();
    let mut result = RecExpr::default();
    let mut places: Vec<Id> = vec![];
    for (position, node) in term.as_ref().iter().enumerate() {
        let class = ids.get(position).copied();
        let replaced = match (node, class) {
            (Term::Defined(_) | Term::Pick(_) | Term::Where(_), Some(_)) => {
                let node = node.clone().map_children(|child| ids[usize::from(child)]);
                add_element(graph, &node, &mut result)
            }
            (Term::Nulls(_) | Term::Signs(_) | Term::Axes(_) | Term::Offset(_), Some(class)) => {
                add_folded(graph, class, &mut result)
            }
            _ => None,
        };
        let own = || node.clone().map_children(|child| places[usize::from(child)]);
        let place = match replaced {
            Some(place) => place,
            None => result.add(own()),
        };
        places.push(place);
    }
    let root = Id::from(places.last().copied().map_or(0, usize::from));
    result[root].build_recexpr(|id| result[id].clone())
}

/// What a node over the classes of the e-graph folds to.
fn add_element(graph: &Graph, node: &Term, result: &mut RecExpr<Term>) -> Option<Id> {
    let term = folded_element(graph, node)?;
    let mut places: Vec<Id> = vec![];
    for node in term.as_ref() {
        let place = result.add(node.clone().map_children(|child| places[usize::from(child)]));
        places.push(place);
    }
    places.last().copied()
}

/// The list, or the direction, of a class.
fn add_folded(graph: &Graph, class: Id, result: &mut RecExpr<Term>) -> Option<Id> {
    let nodes = &graph[graph.find(class)].nodes;
    let folded = nodes.iter().find(|node| matches!(node, Term::Dir(_) | Term::End | Term::Direction(_)))?.clone();
    let children: Option<Vec<Id>> = folded.children().iter().map(|child| add_folded(graph, *child, result)).collect();
    let mut children = children?.into_iter();
    let node = folded.map_children(|child| children.next().unwrap_or(child));
    Some(result.add(node))
}
