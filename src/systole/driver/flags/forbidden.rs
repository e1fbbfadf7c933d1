//! What `--forbid` loses: the best form that all laws lead to, and which of its laws were left out.
//!
//! In: a kernel, the forms that are left. Out: [`Lost`], found by deriving once more with every law. Nothing is lost where the best form
//! costs the same.

use crate::driver::flags::law_arguments::LawArguments;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use systole_base::diagnostic::Checked;
use systole_compile::algebra::{Derivation, FormCost, Law, Recast, Wanted, derive_recast};
use systole_compile::rewrite::{Phase, RuleSet, load_phase};

/// A form that the forbidden laws would have given.
#[derive(Clone, Debug)]
pub struct Lost {
    /// The laws of its chain that are forbidden, each with its tag and why it holds.
    pub laws: Vec<(String, String, String)>,
    /// What the best form with all laws costs.
    pub with: FormCost,
    /// What the best one costs that is left.
    pub without: FormCost,
}

impl Lost {
    /// What is lost by the flags; `None` where nothing is forbidden.
    ///
    /// # Errors
    /// What [`derive_recast`] refuses with all laws.
    pub fn of(
        recast: &Recast,
        (arguments, left): (&LawArguments, &RuleSet),
        found: &Derivation,
        wanted: &Wanted,
    ) -> Checked<Option<Lost>> {
        if arguments.forbid.is_empty() {
            return Ok(None);
        }
        let all = derive_recast(recast, &load_phase(Phase::Algebra, arguments.rules.as_deref())?, wanted)?;
        let (Some(best), Some(ours)) = (all.forms.first(), found.forms.first()) else { return Ok(None) };
        let steps: &[Law] = if best.cost == ours.cost { &[] } else { &best.steps };
        let forbidden = steps.iter().filter(|law| !law.law.is_empty() && left.find(&law.step.rule).is_none());
        let laws = forbidden.map(|law| (law.step.rule.clone(), (law.tag.to_string(), law.law.clone())));
        let laws: BTreeMap<String, (String, String)> = laws.collect();
        let laws = laws.into_iter().map(|(rule, (tag, law))| (rule, tag, law)).collect();
        Ok(Some(Lost { laws, with: best.cost.clone(), without: ours.cost.clone() }))
    }

    /// The lines that say it; `cost` puts a cost in words.
    pub fn lines(&self, cost: impl Fn(&FormCost) -> String) -> Vec<String> {
        if self.with == self.without {
            return vec!["forbidden laws make no difference to the best form".to_owned()];
        }
        let (with, without) = (cost(&self.with), cost(&self.without));
        let first = format!("forbidden laws lose the form of {with}; the best that is left has {without}");
        let named = |(rule, tag, law): &(String, String, String)| format!("  without {rule} ({tag}): {law}");
        std::iter::once(first).chain(self.laws.iter().map(named)).collect()
    }

    /// The same as JSON; `cost` puts a cost as JSON.
    pub fn json(&self, cost: impl Fn(&FormCost) -> Value) -> Value {
        let named = |(rule, tag, law): &(String, String, String)| json!({ "rule": rule, "tag": tag, "law": law });
        json!({
            "changed": self.with != self.without, "with": cost(&self.with), "without": cost(&self.without),
            "laws": self.laws.iter().map(named).collect::<Vec<_>>(),
        })
    }
}
