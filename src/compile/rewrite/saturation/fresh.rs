//! Which matches are applied: those that have not been applied before.
//!
//! In: in each round all that matches. Out: the e-graph that applying all of it gives. Invariant: a match that is left out bound the same
//! classes when it was applied, so both of its sides are there, of one class, and the way from the one to the other is known: it would teach
//! nothing.
//!
//! egg applies in each round all that matches. What is left after this filter is applied in egg's order, so e-classes,
//! e-nodes and rounds are the same. Of two chains that are equally long an explanation may show the other. Occurrences
//! are found by a matcher of one pattern (`matching`), held to egg's own by a test of every rule. It writes the classes
//! of all occurrences into one list, since most occurrences have been seen or fail a condition. If a condition says
//! from names alone that it holds of nothing (`Predicate::may_hold`), its rules are not searched. The operands of
//! scalar functions lie in the node (`operands`), because e-graphs copy nodes all the time.

use super::analysis::{FieldAnalysis, Graph};
use super::matching::Matcher;
use super::saturate::Limits;
use crate::rewrite::registry::Context;
use crate::rewrite::rules::{Condition, Rule, RuleSet};
use crate::rewrite::terms::Term;
use egg::{Id, Rewrite, RewriteScheduler, SearchMatches, Subst, Symbol, Var};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Runs every rule in every round, on what it has not been applied to.
pub(super) struct Fresh {
    rules: BTreeMap<Symbol, Applied>,
    /// No round goes on when there are more e-nodes than this.
    most_nodes: usize,
}

/// How many times the limit of e-nodes a round may reach; egg itself looks at the limit after each rule.
const OVER: usize = 2;

/// After how many unions the e-nodes are counted.
const COUNTED_AFTER: usize = 256;

/// A rule, and what it has been applied to.
struct Applied {
    matcher: Arc<Matcher>,
    variables: Vec<Var>,
    /// Its conditions, with the places of their arguments among the variables.
    conditions: Vec<(Condition, Vec<usize>)>,
    /// Whether these may hold of anything.
    may_hold: bool,
    /// The classes of the variables, match by match, as they were found in this round.
    found: Vec<Id>,
    /// The classes of the variables for each match that has been applied.
    matches: FxHashSet<Box<[Id]>>,
}

impl Fresh {
    /// For one run of `rules` over the names of `context`.
    pub fn new(rules: &RuleSet, context: &Context, limits: &Limits) -> Fresh {
        Fresh {
            rules: rules.rules().iter().map(|rule| (rule.rewrite.name, Applied::of(rule, context))).collect(),
            most_nodes: limits.nodes.saturating_mul(OVER),
        }
    }
}

impl RewriteScheduler<Term, FieldAnalysis> for Fresh {
    /// Egg's own lists stay empty: what is found waits here until it is applied.
    fn search_rewrite<'a>(
        &mut self,
        _round: usize,
        graph: &Graph,
        rewrite: &'a Rewrite<Term, FieldAnalysis>,
    ) -> Vec<SearchMatches<'a, Term>> {
        if let Some(rule) = self.rules.get_mut(&rewrite.name).filter(|rule| rule.may_hold) {
            rule.found.clear();
            rule.matcher.search(graph, &mut rule.found);
        }
        vec![]
    }

    fn apply_rewrite(
        &mut self,
        _round: usize,
        graph: &mut Graph,
        rewrite: &Rewrite<Term, FieldAnalysis>,
        _matches: Vec<SearchMatches<Term>>,
    ) -> usize {
        let sides = (rewrite.searcher.get_pattern_ast(), rewrite.applier.get_pattern_ast());
        let (Some(rule), (Some(left), Some(right))) = (self.rules.get_mut(&rewrite.name), sides) else { return 0 };
        let mut found = std::mem::take(&mut rule.found);
        let (mut taught, mut applied) = (0, 0_usize);
        for classes in found.chunks_mut(rule.matcher.width()) {
            // What has become part of another class since it was found is that class now.
            classes.iter_mut().for_each(|class| *class = graph.find(*class));
            if rule.is_fresh(graph, classes) {
                let subst = rule.subst(classes);
                taught += usize::from(graph.union_instantiations(left, right, &subst, rewrite.name).1);
                applied += 1;
                if applied % COUNTED_AFTER == 0 && graph.total_number_of_nodes() > self.most_nodes {
                    break;
                }
            }
        }
        rule.found = found;
        taught
    }
}

impl Applied {
    fn of(rule: &Rule, context: &Context) -> Applied {
        let variables: Vec<Var> = rule.matcher.variables().collect();
        let place = |argument: &Var| variables.iter().position(|variable| variable == argument);
        let placed = |condition: &Condition| {
            let places = condition.arguments.iter().filter_map(place).collect();
            (condition.clone(), places)
        };
        let conditions = rule.conditions.all();
        Applied {
            matcher: Arc::clone(&rule.matcher),
            conditions: conditions.iter().map(placed).collect(),
            may_hold: conditions.iter().all(|condition| condition.may_hold(context)),
            found: vec![],
            matches: FxHashSet::default(),
            variables,
        }
    }

    /// Whether a match has not been applied, and its conditions hold: then it counts as applied.
    fn is_fresh(&mut self, graph: &Graph, classes: &[Id]) -> bool {
        let holds = |(condition, places): &(Condition, Vec<usize>)| {
            condition.holds_of(graph, places.iter().map(|place| classes[*place]))
        };
        let is_fresh = !self.matches.contains(classes) && self.conditions.iter().all(holds);
        is_fresh && self.matches.insert(classes.into())
    }

    fn subst(&self, classes: &[Id]) -> Subst {
        let mut subst = Subst::with_capacity(classes.len());
        for (variable, class) in self.variables.iter().zip(classes) {
            subst.insert(*variable, *class);
        }
        subst
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rewrite::{Frame, FrameIndex, Limits, Phase, load_phase, saturate_forms};
    use egg::{ENodeOrVar, RecExpr};
    use systole_base::integer::{Affine, Polyhedron, name};

    /// A product of four matrices.
    const PRODUCT: &str = "(reduce f sum l (mul (reduce f sum k (mul (at A [i,k]) (at B [k,l])))
        (reduce f sum j (mul (at C [l,j]) (at D [j,m])))))";

    /// The left side of a rule, its variables by their names.
    fn occurrence(rule: &Rule) -> RecExpr<Term> {
        let node = |node: &ENodeOrVar<Term>| match node {
            ENodeOrVar::ENode(node) => node.clone(),
            ENodeOrVar::Var(variable) => Term::name(&variable.to_string()[1..]),
        };
        rule.left.as_ref().iter().map(node).collect::<Vec<Term>>().into()
    }

    #[test]
    fn every_rule_is_found_where_egg_finds_it_and_in_its_order() {
        for phase in [Phase::Algebra, Phase::Dataflow] {
            let rules = load_phase(phase, None).unwrap();
            let product = PRODUCT.parse().unwrap();
            let inputs = rules.rules().iter().map(occurrence).chain([product]).collect();
            let graph =
                saturate_forms(Frame::new(&name("f"), &[]), inputs, &rules, &Limits::of(2, 3000)).unwrap().graph;
            for rule in rules.rules() {
                let variables: Vec<Var> = rule.matcher.variables().collect();
                let substs = rule.rewrite.search(&graph).into_iter().flat_map(|matches| matches.substs);
                let classes = |subst: Subst| variables.iter().map(|variable| subst[*variable]).collect::<Vec<Id>>();
                let expected: Vec<Vec<Id>> = substs.map(classes).collect();
                let mut found = vec![];
                rule.matcher.search(&graph, &mut found);
                assert!(!found.is_empty(), "{} occurs nowhere", rule.name);
                assert_eq!(found, expected.concat(), "{}", rule.name);
            }
        }
    }

    #[test]
    fn a_left_side_without_variables_is_found_once_for_each_class() {
        let found = |left: &str| {
            let matcher = Matcher::new(&left.parse::<egg::Pattern<Term>>().unwrap().ast).unwrap();
            let mut graph = Graph::new(FieldAnalysis::new(Arc::new(Context::default())));
            graph.add_expr(&"(add (exp 0) (mul x (exp 0)))".parse().unwrap());
            graph.rebuild();
            let mut found = vec![];
            matcher.search(&graph, &mut found);
            (found.len(), matcher.width())
        };
        assert_eq!([found("(exp 0)"), found("(exp 1)"), found("0")], [(1, 1), (0, 1), (1, 1)]);
    }

    #[test]
    fn a_rule_for_two_values_is_searched_where_an_index_takes_two_and_not_where_it_takes_three() {
        let rules = load_phase(Phase::Algebra, None).unwrap();
        let is_searched = |last: i64| {
            let index = Affine::variable(&name("i"));
            let range = Polyhedron::new([index.clone(), Affine::constant(last) - index]);
            let mut frame = Frame::new(&name("f"), &[]);
            frame.add_index(FrameIndex { name: name("i"), axis: 0, range });
            let fresh = Fresh::new(&rules, &Context::of_frame(frame, &[]), &Limits::default());
            ["pair-up", "associate"].map(|rule| fresh.rules[&Symbol::from(rule)].may_hold)
        };
        assert_eq!((is_searched(1), is_searched(2)), ([true, true], [false, true]));
    }
}
