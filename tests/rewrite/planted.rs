//! Rules that are planted to be found out, and their sound twins.

use systole_base::span::Source;
use systole_compile::check::{RuleReport, Settings, check_rule};
use systole_compile::rewrite::{Phase, RuleSet};

/// For rules that hold.
const CASES: usize = 200;

/// For rules that do not: the first instance on which they fail is enough, but may be rare.
const MANY_CASES: usize = 5_000;

fn check((phase, cases): (Phase, usize), tag_and_law: &str, rule: &str) -> RuleReport {
    let source = Source::new("own.rules", format!("# law {tag_and_law}\nown: {rule}\n"));
    let rules = RuleSet::from_sources(&[source]).unwrap_or_else(|wrong| panic!("{rule}: {wrong:?}"));
    check_rule(&rules.rules()[0], rules.monoids(), &Settings { cases, seed: 1, phase })
}

/// The rule is refused, with all of these in the message.
pub fn refused(phase: Phase, tag_and_law: &str, rule: &str, essentials: &[&str]) {
    let report = check((phase, MANY_CASES), tag_and_law, rule);
    let refusal = report.refusal.unwrap_or_else(|| panic!("passes {} times: {rule}", report.passed)).to_string();
    for text in essentials {
        assert!(refusal.contains(text), "`{text}` is not in\n{refusal}");
    }
}

/// The rule passes as often as asked for.
pub fn passes(phase: Phase, tag_and_law: &str, rule: &str) {
    passes_often((phase, CASES), tag_and_law, rule);
}

/// The rule passes so often.
pub fn passes_often((phase, cases): (Phase, usize), tag_and_law: &str, rule: &str) {
    let report = check((phase, cases), tag_and_law, rule);
    assert_eq!(report.refusal.map(|refusal| refusal.to_string()), None, "{rule}");
    assert_eq!(report.passed, cases, "{rule}");
}
