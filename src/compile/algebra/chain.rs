//! Chains of laws, for readers: each step with its law and how far it holds.
//!
//! In: the steps of a proof in the e-graph. Out: [`Law`]s in the notation of kernels. A step that only orders the operands of a sum or a
//! product is left to the reader where `brief` is asked for; nothing else is.

use super::show::in_mathematics;
use crate::rewrite::{Forms, RecExpr, RuleSet, Step, Tag, Term, TermNames};

/// One step of a chain.
#[derive(Clone, Debug, PartialEq)]
pub struct Law {
    /// The step, its terms in the notation of kernels.
    pub step: Step,
    /// Its two terms as the e-graph has them.
    pub terms: [String; 2],
    /// What the rule says; nothing for what the e-graph does itself, such as folding.
    pub law: String,
    /// How far it holds.
    pub tag: Tag,
}

impl Law {
    /// The step as the e-graph has it.
    pub fn in_terms(&self) -> Step {
        let [before, after] = self.terms.clone();
        Step { before, after, ..self.step.clone() }
    }
}

/// Two terms of one class.
pub(super) type Ends = [RecExpr<Term>; 2];

/// What chains are read off.
#[derive(Clone, Debug)]
pub(super) struct Proofs {
    /// The saturated e-graph.
    pub saturated: Forms,
    /// The texts of all terms that a definition of the user names.
    pub known: TermNames,
}

impl Proofs {
    /// The fewest steps found between the terms of each pair, one pair after the other.
    pub fn chain(&self, ends: &[Ends], rules: &RuleSet) -> Vec<Law> {
        let explained = ends.iter().map(|[from, to]| self.saturated.explain_briefly(from, to, rules));
        chain(explained.collect::<Vec<Vec<Step>>>().concat(), rules, &self.known)
    }
}

/// The steps with their laws, each equation once.
pub(super) fn chain(steps: Vec<Step>, rules: &RuleSet, known: &TermNames) -> Vec<Law> {
    let mut all: Vec<Law> = vec![];
    for step in steps {
        let rule = rules.find(&step.rule);
        let law = rule.map_or_else(|| by_itself(&step.rule), |rule| rule.law.clone());
        let tag = rule.map_or(Tag::Exact, |rule| rule.tag);
        let terms = [step.before.clone(), step.after.clone()];
        let found = Law { law, tag, terms, step: in_mathematics(&step, known) };
        if !all.contains(&found) {
            all.push(found);
        }
    }
    all
}

fn by_itself(step: &str) -> String {
    match step {
        "fold-count" => "how many values an index takes is a form of the sizes",
        "fold-definition" => "what the equation of a tensor says of this element",
        "fold-pick" => "a form stands in place of the index",
        "fold-where" => "an index of its own has the values at which a condition holds",
        "fold-part" => "a component of a reduction that needs no other is a reduction of its own",
        _ => "",
    }
    .to_owned()
}

/// The weakest tag of a chain.
pub(super) fn weakest(chain: &[Law]) -> Tag {
    chain.iter().map(|law| law.tag).max().unwrap_or(Tag::Exact)
}
