//! Chains of explanations put to the test, step by step.
//!
//! In: what a chain is about, its rules, its steps. Out: a [`ChainReport`], or a message at the first step that does not hold. Two things are
//! asked of a step: whether its terms have one value wherever both have one, at small sizes, by the meaning of terms that shares
//! nothing with rules; and, where a rule is applied, whether the step is an instance of it on which its conditions hold.
//! Explanations of egg ask neither.

use super::steps::{Applied, Compared, compare};
use crate::check::instances::Instance;
use crate::check::semantics::World;
use crate::rewrite::rules::{Rule, RuleSet, Tag};
use crate::rewrite::saturation::{DEFINE_RESULT, FieldAnalysis, Forms, Graph, Lowered, Step};
use crate::rewrite::terms::Term;
use egg::{RecExpr, Subst};
use std::sync::Arc;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::Bindings;

/// What the steps of a chain have come through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChainReport {
    /// Steps.
    pub steps: usize,
    /// Those whose terms were evaluated and found equal; the others have no point at these sizes at which both have a value.
    pub evaluated: usize,
    /// Those that say by which name the results of a space are known, which no value can refute.
    pub definitions: usize,
    /// Applications of rules with conditions, all of which hold.
    pub conditions: usize,
    /// The sizes at which terms were evaluated.
    pub sizes: Vec<Bindings>,
}

impl ChainReport {
    /// What two chains have come through; the sizes are those of both.
    pub fn and(mut self, other: ChainReport) -> ChainReport {
        self.steps += other.steps;
        self.evaluated += other.evaluated;
        self.definitions += other.definitions;
        self.conditions += other.conditions;
        let new: Vec<Bindings> = other.sizes.into_iter().filter(|sizes| !self.sizes.contains(sizes)).collect();
        self.sizes.extend(new);
        self
    }
}

impl Lowered {
    /// Puts each step of an explanation to the test.
    ///
    /// # Errors
    /// A step that does not hold.
    pub fn check_steps(&self, steps: &[Step], rules: &RuleSet) -> Checked<ChainReport> {
        let worlds = World::small_spaces(&self.equations, rules.monoids());
        Chains { worlds, rules, graph: &self.graph }.check(steps)
    }
}

impl Forms {
    /// Puts each step of an explanation to the test.
    ///
    /// # Errors
    /// A step that does not hold.
    pub fn check_steps(&self, steps: &[Step], rules: &RuleSet) -> Checked<ChainReport> {
        let terms: Vec<&str> = steps.iter().flat_map(|step| [&*step.before, &*step.after]).collect();
        let worlds = World::small_frames(&self.graph.analysis.context.frame, &terms, rules.monoids());
        Chains { worlds, rules, graph: &self.graph }.check(steps)
    }
}

/// Where chains are put to the test.
struct Chains<'a> {
    worlds: Vec<World>,
    rules: &'a RuleSet,
    /// The saturated e-graph that the chain is from: a condition may hold there by what other rules say.
    graph: &'a Graph,
}

impl Chains<'_> {
    fn check(&self, steps: &[Step]) -> Checked<ChainReport> {
        let sizes = self.worlds.iter().map(|world| world.sizes.clone()).collect();
        let mut report = ChainReport { steps: steps.len(), sizes, ..ChainReport::default() };
        for (number, step) in steps.iter().enumerate() {
            self.check_step(step, &mut report).map_err(|why| vec![refused(number, step, &why)])?;
        }
        Ok(report)
    }

    fn check_step(&self, step: &Step, report: &mut ChainReport) -> Result<(), String> {
        if step.rule == DEFINE_RESULT {
            report.definitions += 1;
            return Ok(());
        }
        let terms = [parse(&step.before)?, parse(&step.after)?];
        let rule = self.rules.find(&step.rule);
        if let Some(rule) = rule {
            self.check_rule(rule, step.backward, &terms)?;
            report.conditions += usize::from(!rule.conditions.all().is_empty());
        }
        let (tag, law) = rule.map_or((Tag::Exact, ""), |rule| (rule.tag, &*rule.law));
        let law = Applied { tag, law, backward: step.backward };
        let compared = self.worlds.iter().map(|world| compare(world, &terms[0], &terms[1], law));
        report.evaluated += usize::from(compared.sum::<Compared>()? > 0);
        Ok(())
    }

    /// Whether the step is an application of the rule where its conditions hold.
    fn check_rule(&self, rule: &Rule, backward: bool, [before, after]: &[RecExpr<Term>; 2]) -> Result<(), String> {
        let (left, right) = if backward { (after, before) } else { (before, after) };
        if self.applies_alone(rule, left, right) || self.applies_within(rule, left, right) {
            return Ok(());
        }
        Err(format!("`{}` does not lead from one term to the other", rule.name))
    }

    /// Whether the rule leads from `left` to `right` where nothing else is known.
    fn applies_alone(&self, rule: &Rule, left: &RecExpr<Term>, right: &RecExpr<Term>) -> bool {
        let mut graph = Graph::new(FieldAnalysis::new(Arc::clone(&self.graph.analysis.context)));
        let root = graph.add_expr(left);
        graph.rebuild();
        let Some(matches) = rule.rewrite.searcher.search_eclass(&graph, graph.find(root)) else { return false };
        rule.rewrite.apply(&mut graph, &[matches]);
        graph.rebuild();
        graph.lookup_expr(right).is_some_and(|class| graph.find(class) == graph.find(root))
    }

    /// Whether it does by what is known in the saturated e-graph.
    fn applies_within(&self, rule: &Rule, left: &RecExpr<Term>, right: &RecExpr<Term>) -> bool {
        let Some(instance) = Instance::of(&rule.left, left) else { return false };
        let mut subst = Subst::default();
        for (name, bound) in &instance.bound {
            let class = bound.text.parse().ok().and_then(|term| self.graph.lookup_expr(&term));
            let (Some(class), Ok(variable)) = (class, name.parse()) else { return false };
            subst.insert(variable, self.graph.find(class));
        }
        let is_right = instance.term(&rule.right).is_some_and(|term| term.to_string() == right.to_string());
        is_right && rule.conditions.all().iter().all(|condition| condition.holds(self.graph, &subst))
    }
}

fn parse(text: &str) -> Result<RecExpr<Term>, String> {
    text.parse().map_err(|_| format!("`{text}` is no term"))
}

fn refused(number: usize, step: &Step, why: &str) -> Diagnostic {
    Diagnostic::new(format!("step {} of the chain does not hold: `{}`", number + 1, step.rule))
        .note(format!("before  {}", step.before))
        .note(format!("after   {}", step.after))
        .note(why.to_owned())
        .help("`systole rules check` tries each rule alone; if all pass, this is a defect of systole: please report the kernel")
}
