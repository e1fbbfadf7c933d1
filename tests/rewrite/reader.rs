//! Rule files: what is read, what is refused, and where the message points.

use crate::kernels;
use std::fs;
use systole_base::diagnostic::render;
use systole_base::span::Source;
use systole_compile::rewrite::{Limits, RuleSet, embedded_sources, load_rules, read_directory, saturate};
use systole_equations::recurrence::spaces::SpaceSystem;

fn read(text: &str) -> Result<RuleSet, String> {
    RuleSet::from_sources(&[Source::new("own.rules", text)]).map_err(|wrong| render(&wrong, false))
}

/// Refused with all of `parts` in the rendered message.
fn refuse(text: &str, parts: &[&str]) {
    let message = read(text).map(|_| ()).unwrap_err();
    for part in parts {
        assert!(message.contains(part), "`{part}` is missing in\n{message}");
    }
}

/// A rule file with one rule, on its second line.
fn law(rule: &str) -> String {
    format!("# law exact: it holds by definition\n{rule}\n")
}

#[test]
fn what_is_read() {
    let text = "# A comment.\n\n# law exact: a = a\n# another comment\nfirst-1: (send ?s ?d ?v) =>\n    (send ?s ?d ?v)\n\
                # law exact: both ways\nturn: (add ?a ?b) <=> (add ?b ?a) if number(?a) & !number(?b)\n";
    let rules = read(text).unwrap();
    let names: Vec<&str> = rules.rules().iter().map(|rule| rule.name.as_str()).collect();
    assert_eq!(names, ["first-1", "turn", "turn-back"]);
    let origins: Vec<&str> = rules.rules().iter().map(|rule| rule.origin.as_str()).collect();
    assert_eq!(origins, ["own.rules:5", "own.rules:8", "own.rules:8"]);
    assert_eq!(rules.find("turn").unwrap().law, "both ways");
    assert_eq!(rules.find("turn-back").unwrap().left.to_string(), "(add ?b ?a)");
    assert!(rules.clone().without("turn").find("turn").is_none());
    assert!(read("").unwrap().rules().is_empty());
}

#[test]
fn a_rule_without_a_law() {
    refuse("\nswap: (add ?a ?b) => (add ?b ?a)\n", &["rule `swap` states no law", "own.rules:2:1", "# law exact:"]);
}

#[test]
fn a_law_serves_one_rule_only() {
    let text = law("swap: (add ?a ?b) => (add ?b ?a)\nturn: (mul ?a ?b) => (mul ?b ?a)");
    refuse(&text, &["rule `turn` states no law", "own.rules:3:1"]);
}

#[test]
fn an_empty_law() {
    refuse("# law exact:\nswap: (add ?a ?b) => (add ?b ?a)\n", &["empty law", "own.rules:1:1"]);
    refuse("# law: a\nswap: (add ?a ?b) => (add ?b ?a)\n", &["`` is no tag of a law", "own.rules:1:1", "# law real:"]);
    refuse("# law reel: a\nswap: (add ?a ?b) => (add ?b ?a)\n", &["`reel` is no tag", "own.rules:1:1"]);
}

#[test]
fn a_law_without_a_rule() {
    refuse(
        "# law exact: something\n\n# law exact: something else\n",
        &["law without a rule", "own.rules:1:1", "own.rules:3:1"],
    );
}

#[test]
fn a_name_that_is_none() {
    refuse(&law("Swap: (add ?a ?b) => (add ?b ?a)"), &["kebab-case", "found `Swap:`", "own.rules:2:1"]);
    refuse(&law("(add ?a ?b) => (add ?b ?a)"), &["expected a rule name", "own.rules:2:1"]);
}

#[test]
fn a_missing_arrow() {
    refuse(&law("swap: (add ?a ?b) -> (add ?b ?a)"), &["expected `=>` or `<=>`, found `->`", "own.rules:2:19"]);
    refuse(&law("swap: (add ?a ?b)"), &["expected `=>` or `<=>`", "the rule ends here"]);
}

#[test]
fn a_parenthesis_that_is_never_closed() {
    refuse(&law("swap: (add ?a ?b) => (add ?b (neg ?a)"), &["parenthesis is never closed", "own.rules:2:22"]);
}

#[test]
fn a_parenthesis_that_was_never_opened() {
    refuse(&law("swap: (add ?a ?b) => (add ?b ?a))"), &["expected `if` or the end", "own.rules:2:33"]);
}

#[test]
fn a_term_without_an_operator() {
    refuse(&law("swap: (add ?a ?b) => ()"), &["a term starts with an operator", "own.rules:2:22"]);
    refuse(&law("swap: ((add ?a) ?b) => ?a"), &["a term starts with an operator", "own.rules:2:7"]);
}

#[test]
fn an_unknown_operator() {
    refuse(&law("swap: (steram ?s ?d ?x ?g) => ?s"), &["unknown operator `steram`", "`stream`", "own.rules:2:8"]);
}

#[test]
fn a_wrong_number_of_arguments() {
    refuse(&law("swap: (add ?a) => ?a"), &["operator `add` takes 2 arguments, 1 given", "own.rules:2:8"]);
    refuse(&law("swap: (add ?a send) => ?a"), &["operator `send` takes 3 arguments, 0 given", "own.rules:2:15"]);
    assert!(read(&law("lone: (combine max ?a ?b) => (max ?a ?b)")).is_ok(), "`max` alone is the reduction");
}

#[test]
fn a_variable_that_is_not_bound() {
    let text = law("swap: (add ?a ?b) => (add ?b ?c)");
    refuse(&text, &["variable `?c` is not bound", "own.rules:2:30"]);
    refuse(&law("drop: (add ?a ?b) <=> (neg ?a)"), &["variable `?b` is not bound", "own.rules:2:15"]);
    refuse(&law("swap: (add ?a ?b) => ?a if number(?c)"), &["variable `?c` is not bound", "own.rules:2:35"]);
}

#[test]
fn an_unknown_condition() {
    let text = law("swap: (add ?a ?b) => (add ?b ?a) if nubmer(?a)");
    refuse(&text, &["unknown condition `nubmer`", "did you mean `number`?", "own.rules:2:37"]);
}

#[test]
fn a_condition_with_wrong_arguments() {
    let text = law("swap: (add ?a ?b) => (add ?b ?a) if number(?a ?b)");
    refuse(&text, &["condition `number` takes 1 argument, 2 given", "own.rules:2:37"]);
    refuse(&law("swap: (add ?a ?b) => ?a if number(k)"), &["takes variables only", "own.rules:2:35"]);
    refuse(&law("swap: (add ?a ?b) => ?a if number ?a"), &["expected `(`", "own.rules:2:35"]);
}

#[test]
fn a_rule_that_matches_everything() {
    refuse(&law("all: ?a => (neg ?a)"), &["rule `all` matches every term", "own.rules:2:1"]);
    refuse(&law("all: (neg ?a) <=> ?a"), &["rule `all-back` matches every term"]);
}

#[test]
fn two_rules_of_one_name() {
    let rule = law("swap: (add ?a ?b) => (add ?b ?a)");
    refuse(&format!("{rule}{rule}"), &["two rules are called `swap`", "own.rules:4:1"]);
    let mut sources = embedded_sources();
    sources.push(Source::new("own.rules", law("send: (add ?a ?b) => (add ?b ?a)")));
    let wrong = RuleSet::from_sources(&sources).err().unwrap();
    assert_eq!(wrong[0].message(), "two rules are called `send`");
    assert!(wrong[0].to_string().contains("the first is at dataflow.rules:"), "{}", wrong[0]);
}

#[test]
fn all_messages_come_at_once() {
    let text = format!("{}{}", law("one: (nge ?a) => ?a"), law("two: (neg ?a) => ?b"));
    refuse(&text, &["unknown operator `nge`", "variable `?b` is not bound"]);
}

#[test]
fn texts_that_are_no_rules_never_panic() {
    let rule = "# law exact: l\nswap: (add ?a ?b) <=> (add ?b ?a) if !free_of(?a ?b) & number(?a)\n";
    for end in 0..rule.len() {
        let _ = read(&rule[..end]);
        let _ = read(&rule[end..]);
        let _ = read(&format!("{}){}", &rule[..end], &rule[end..]));
        let _ = read(&format!("{} ü ? {}", &rule[..end], &rule[end..]));
    }
}

#[test]
fn the_embedded_rules_are_those_of_the_directory() {
    let directory = std::path::Path::new(env!("SYSTOLE_ROOT")).join("rules");
    assert_eq!(read_directory(&directory).unwrap(), embedded_sources());
}

#[test]
fn a_users_directory_is_added() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("b.rules"), law("later: (neg ?a) => (sub 0 ?a)")).unwrap();
    fs::write(directory.path().join("a.rules"), law("sooner: (sub 0 ?a) => (neg ?a)")).unwrap();
    fs::write(directory.path().join("notes.txt"), "not a rule").unwrap();
    let rules = load_rules(Some(directory.path())).unwrap();
    let last: Vec<&str> = rules.rules().iter().rev().take(2).map(|rule| rule.name.as_str()).collect();
    assert_eq!(last, ["later", "sooner"]);
    let missing = load_rules(Some(&directory.path().join("missing"))).err().unwrap();
    assert!(missing[0].message().starts_with("cannot read rules from `"));
}

fn saturate_with(rules: &[&str]) -> Result<(), String> {
    let own: String = rules.iter().map(|rule| law(rule)).collect();
    let mut sources = embedded_sources();
    sources.push(Source::new("own.rules", own));
    let rules = RuleSet::from_sources(&sources).unwrap();
    let lowered = saturate(&SpaceSystem::of_one(kernels::matmul()), &rules, &Limits::default());
    lowered.map(|_| ()).map_err(|wrong| format!("{}\n{}", wrong[0], render(&wrong, false)))
}

#[test]
fn a_contradiction_names_the_rule() {
    let (tensor, access) = ("tensor: (at ?x ?g) => ?x", "access: (at ?x ?g) => ?g");
    assert_eq!(saturate_with(&[tensor]), Ok(()), "unsound, but no two leaves meet");
    assert_eq!(saturate_with(&[access]), Ok(()));
    let message = saturate_with(&[tensor, access]).unwrap_err();
    assert!(message.contains("rules `access` and `tensor` make `"), "{message}");
    assert!(message.contains("own.rules:2: `tensor`") && message.contains("two different leaves"), "{message}");
}

#[test]
fn a_contradiction_that_congruence_brings_out_is_told_too() {
    let message = saturate_with(&["value: (in ?s (at ?x ?g)) => ?x", "same: (at ?x ?g) => (at A [i,k])"]).unwrap_err();
    assert!(message.contains("rules `same` and `value` make `"), "{message}");
}

fn monoids(text: &str) -> Vec<systole_compile::rewrite::Monoid> {
    RuleSet::from_sources(&[Source::new("own.rules", text)]).unwrap().monoids().to_vec()
}

#[test]
fn monoids_and_operators_are_read() {
    let text = "# law real: a\noperator twice: (a) => (add a a)\n# law exact: b\n\
                ordered monoid last: (p q) (r s) => ((add p (twice r)) s) from (0 -infinity)\n";
    let [last] = &monoids(text)[..] else { panic!() };
    assert_eq!((last.ordered, last.width(), last.neutral.clone()), (true, 2, vec![0.0, f64::NEG_INFINITY]));
    assert_eq!(last.values[0].to_string(), "(add p (add r r))");
    assert_eq!((last.operations(0), last.operations(1)), (2, 0));
    assert_eq!((last.uses(0, true).len(), last.uses(1, true).len(), last.alone(0)), (1, 0, None));
}

#[test]
fn monoids_and_operators_that_are_none_are_refused() {
    let monoid = |text: &str, words: &[&str]| refuse(&format!("# law real: a\n{text}\n"), words);
    monoid(
        "monoid m: (a b) (x y) => (a) from (0 0)",
        &["`m` combines tuples of 2, but there are 1 values", "own.rules:2"],
    );
    monoid("monoid m: (a) (x) => ((add a z)) from (0)", &["`z` is no component"]);
    monoid("monoid m: (a) (x) => ((reduce a x a x)) from (0)", &["`reduce` is no scalar function"]);
    monoid("monoid sum: (a) (x) => ((add a x)) from (0)", &["`sum` is a built-in reduction"]);
    monoid("monoid m: (a) (x) => ((add a x)) from (none)", &["expected a number"]);
    monoid("monoid m: (a) (x) => ((add a x)) from (0) if", &["expected the end of the monoid"]);
    monoid("operator add: (a b) => (sub a b)", &["there is an operator `add` already"]);
    monoid("operator f: (a b) => (sub a b) c", &["expected the end of the operator"]);
    let text = "# law real: a\noperator f: (a b) => (sub a b)\n# law real: b\nr: (f ?x) => ?x\n";
    refuse(text, &["operator `f` takes 2 arguments, 1 given"]);
}
