//! The checker of rules: all that ship pass, and the signatures cover the language.

use systole_base::span::Source;
use systole_compile::check::{
    CONDITIONS, KERNELS, RuleReport, SIGNATURES, Settings, check_monoids, check_rule, check_rules, find_kernels,
};
use systole_compile::rewrite::{OPERATORS, PREDICATES, Phase, RuleSet, load_phase, load_rules};

/// Fewer in a moderate build than in the release run of all 10,000.
const SETTINGS: Settings = Settings { cases: 300, seed: 1, phase: Phase::Dataflow };

#[test]
fn all_rules_that_ship_pass() {
    for phase in [Phase::Dataflow, Phase::Algebra] {
        let reports = check_rules(&load_phase(phase, None).unwrap(), &Settings { phase, ..SETTINGS });
        let refusals: Vec<String> =
            reports.iter().filter_map(|report| Some(report.refusal.as_ref()?.to_string())).collect();
        assert!(refusals.is_empty(), "{}", refusals.join("\n"));
        for report in reports {
            assert_eq!((report.few, report.passed), (false, SETTINGS.cases), "{}", report.name);
            let idle: Vec<&str> = report.idle_conditions().collect();
            assert!(idle.is_empty(), "{}: {idle:?}", report.name);
        }
    }
}

#[test]
fn all_monoids_that_ship_pass() {
    let algebra = load_phase(Phase::Algebra, None).unwrap();
    let reports = check_monoids(&algebra, &Settings { cases: 2000, ..SETTINGS });
    let names: Vec<&str> = reports.iter().map(|report| &*report.name).collect();
    assert_eq!(names, ["rescaled", "greatest", "affine"]);
    for report in reports {
        assert_eq!(report.refusal.map(|refusal| refusal.to_string()), None, "{}", report.name);
        assert_eq!((report.few, report.passed), (false, 2000), "{}", report.name);
    }
}

/// A condition that no rule asks for is one that nobody has tried.
#[test]
fn every_condition_is_asked_for_by_some_rule() {
    let texts = [Phase::Dataflow, Phase::Algebra].map(|phase| {
        let rules = load_phase(phase, None).unwrap();
        let reports = rules.rules().iter().map(|rule| check_rule(rule, &[], &Settings { cases: 1, phase, ..SETTINGS }));
        reports.flat_map(|report| report.conditions.into_iter().map(|condition| condition.text)).collect::<Vec<_>>()
    });
    let asked =
        |name: &str| texts.iter().flatten().any(|text| text.trim_start_matches('!').starts_with(&format!("{name}(")));
    let idle: Vec<&str> = PREDICATES.iter().map(|known| known.name).filter(|name| !asked(name)).collect();
    assert_eq!(idle, [""; 0]);
}

#[test]
fn all_rules_that_ship_fire_in_some_kernel() {
    let rules = load_rules(None).unwrap();
    let kernels = find_kernels(&rules).unwrap();
    let idle: Vec<&str> =
        rules.rules().iter().map(|rule| &*rule.name).filter(|name| !kernels.contains_key(*name)).collect();
    assert_eq!(idle, [""; 0]);
    assert_eq!(kernels["lower-fibre"], ["polynomial_product"], "it alone scatters");
    assert_eq!(kernels["push-in-leaf"], ["matmul over tiles"]);
}

/// The kernels in which firings are counted are those of the folder.
#[test]
fn all_kernels_that_ship_are_looked_at() {
    let folder = std::path::Path::new(env!("SYSTOLE_ROOT")).join("kernels");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<String> = entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "rec"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    files.sort();
    assert_eq!(files, KERNELS.iter().map(|(name, _)| *name).collect::<Vec<_>>());
}

fn read(text: &str) -> RuleSet {
    RuleSet::from_sources(&[Source::new("own.rules", text)]).unwrap()
}

fn own(text: &str) -> RuleReport {
    check_rule(&read(text).rules()[0], &[], &SETTINGS)
}

#[test]
fn the_same_seed_gives_the_same_report_and_another_one_another() {
    let own = read("# law real: none\nown: (sub ?a ?b) => (sub ?b ?a)\n");
    let rule = &own.rules()[0];
    let message = |seed| check_rule(rule, &[], &Settings { seed, ..SETTINGS }).refusal.unwrap().to_string();
    assert_eq!(message(1), message(1));
    let made = |seed| check_rule(&load_rules(None).unwrap().rules()[0], &[], &Settings { seed, ..SETTINGS }).made;
    assert!((1..6).any(|seed| made(seed) != made(seed + 1)));
}

#[test]
fn a_condition_that_never_decides_is_named() {
    let idle = own("# law exact: only whole spaces are summed over\n\
                    own: (reduce ?s sum ?k ?f) => (reduce ?s sum ?k ?f) if whole(?s)\n");
    assert_eq!(idle.idle_conditions().collect::<Vec<_>>(), ["whole(?s)"]);
    let used = own("# law exact: a stream is a stream\nown: (hold ?s ?x ?g) => (feed ?s ?x ?g) if whole(?s)\n");
    assert_eq!(used.idle_conditions().next(), None);
}

/// How often the rule would fail without its condition.
fn needed(rule: &str) -> usize {
    let report = own(&format!("# law exact: none\nown: {rule}\n"));
    assert_eq!(report.refusal.map(|refusal| refusal.to_string()), None, "{rule}");
    report.conditions[0].needed
}

#[test]
fn what_a_condition_keeps_from_failing_is_counted() {
    let nested = "(reduce ?s ?o ?k (reduce ?s ?o ?l ?f)) => (reduce ?s ?o ?l (reduce ?s ?o ?k ?f))";
    assert!(needed(&format!("{nested} if independent(?s ?k ?l)")) > 0);
    assert!(needed("(read ?s ?x ?g (nulls ?s ?g)) => (const ?s ?x ?g) if nullary(?g)") > 0);
    assert_eq!(needed("(hold ?s ?x ?g) => (feed ?s ?x ?g) if input(?x)"), 0, "what is allowed is not what is equal");
}

#[test]
fn a_rule_that_no_instance_fits_has_few_cases() {
    let few = own("# law exact: a space of somebody else\nown: (in elsewhere (at ?x ?g)) => (hold elsewhere ?x ?g)\n");
    assert!(few.few && few.passed == 0 && few.refusal.is_none());
}

/// Indices as values, sums over ranges that vary, and what stands before a point all depend on indices.
#[test]
fn values_that_depend_on_an_index_are_never_free_of_it() {
    for left in [
        "(reduce ?s sum ?k (mul (index ?g) ?b)) => (mul (index ?g) (reduce ?s sum ?k ?b)) if free_of(?k ?g)",
        "(reduce ?s sum ?k (mul (reduce ?s sum ?l ?c) ?b)) => (mul (reduce ?s sum ?l ?c) (reduce ?s sum ?k ?b)) if free_of(?k ?c)",
    ] {
        let refused = left.contains("?l");
        assert_eq!(own(&format!("# law real: a factor leaves a sum\nown: {left}\n")).refusal.is_some(), refused);
    }
}

#[test]
fn every_operator_and_every_condition_has_its_sorts() {
    let signatures: Vec<(&str, usize)> =
        SIGNATURES.iter().map(|signature| (signature.word, signature.children.len())).collect();
    assert_eq!(signatures, OPERATORS);
    let conditions: Vec<(&str, usize)> = CONDITIONS.iter().map(|(word, sorts)| (*word, sorts.len())).collect();
    let predicates: Vec<(&str, usize)> = PREDICATES.iter().map(|known| (known.name, known.arity)).collect();
    assert_eq!(conditions, predicates);
}
