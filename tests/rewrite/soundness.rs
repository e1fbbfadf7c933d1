//! Everything that saturation made equal is equal, point by point, on small domains.

use crate::choices::lower;
use crate::interpreter::{is_field, world};
use crate::kernels;
use egg::RecExpr;
use systole::recurrence::{Operator, Scalar, Space};
use systole::rewrite::{Limits, RuleSet, Term, saturate};
use systole::span::Source;

const SIZES: [&[i64]; 4] = [&[1], &[2, 3], &[3, 2, 4], &[4, 1, 2]];

/// The terms of each class of a dump: its smallest term, then all its nodes.
fn classes(dump: &str) -> Vec<Vec<RecExpr<Term>>> {
    let mut classes: Vec<Vec<RecExpr<Term>>> = vec![];
    for line in dump.lines() {
        match line.strip_suffix(':') {
            Some(label) => classes.push(vec![label.parse().unwrap()]),
            None => classes.last_mut().unwrap().push(line.trim().parse().unwrap()),
        }
    }
    classes
}

/// The first two terms of one class that differ somewhere.
fn find_difference(space: &Space, dump: &str) -> Option<String> {
    for sizes in SIZES {
        let world = world(space, sizes);
        for class in classes(dump).iter().filter(|class| class.iter().all(is_field)) {
            if let Some(difference) = class[1..].iter().find_map(|term| world.difference(&class[0], term)) {
                return Some(difference);
            }
        }
    }
    None
}

fn all_kernels() -> Vec<Space> {
    vec![
        kernels::matmul(),
        kernels::fir(),
        kernels::wide_fir(),
        kernels::polynomial(),
        kernels::mttkrp(),
        kernels::ttm(),
        kernels::elementwise(),
        kernels::outer(),
        kernels::scaled(),
        kernels::convolution(),
        kernels::syrk(),
    ]
}

#[test]
fn all_terms_of_a_class_have_one_meaning() {
    for space in all_kernels() {
        assert_eq!(find_difference(&space, &lower(&space).dump()), None, "{}", space.kernel);
    }
}

#[test]
fn also_for_other_operators() {
    for operator in [Operator::Product, Operator::Max, Operator::Min] {
        for mut space in [kernels::matmul(), kernels::mttkrp(), kernels::polynomial()] {
            space.reduction = Some(operator);
            assert_eq!(find_difference(&space, &lower(&space).dump()), None, "{} {operator:?}", space.kernel);
        }
    }
}

#[test]
fn also_on_domains_that_are_no_boxes() {
    for cut in ["i-k", "k-i", "i+k-1", "2-i-k", "2*i-k"] {
        for mut space in [kernels::matmul(), kernels::fir(), kernels::wide_fir(), kernels::syrk(), kernels::scaled()] {
            space.domain.set.add(kernels::form(cut));
            assert_eq!(find_difference(&space, &lower(&space).dump()), None, "{} {cut}", space.kernel);
        }
    }
    for cut in ["i-j", "i+j-1", "3-i-j", "2*i-j"] {
        let mut space = kernels::polynomial();
        space.domain.set.add(kernels::form(cut));
        assert_eq!(find_difference(&space, &lower(&space).dump()), None, "{cut}");
    }
    let mut coupled = kernels::mttkrp();
    coupled.domain.set.add(kernels::form("k-l"));
    assert_eq!(find_difference(&coupled, &lower(&coupled).dump()), None, "nothing is claimed of coupled reductions");
}

#[test]
fn also_with_every_function_in_the_body() {
    use systole::recurrence::Function;
    let mut space = kernels::matmul();
    let arguments = [space.body.clone(), Scalar::Operand(1), Scalar::Index(kernels::form("i-2*k"))];
    for function in Function::ALL {
        space.body = Scalar::Apply(*function, arguments[..function.arity()].to_vec());
        let lowered = lower(&space);
        assert!(lowered.choices().is_ok(), "{}", function.keyword());
        assert_eq!(find_difference(&space, &lowered.dump()), None, "{}", function.keyword());
    }
}

/// Each of these is wrong, and the interpreter has to say so: it is the twin of the tests above.
#[test]
fn unsound_rules_are_found_out() {
    let wrong = [
        "(red ?s ?o (dir ?d ?ds) ?f) => (acc ?s ?o ?d ?f)",
        "(last ?s ?d ?v) => ?v",
        "(fby ?s ?d ?h) => (shift ?s ?d (fby ?s ?d ?h))",
        "(fby ?s ?d ?h) => ?h",
        "(stream ?s ?d ?x ?g) => (load ?s ?d ?x ?g)",
        "(recv ?s ?d ?m) => ?m",
        "(acc ?s ?o ?d ?f) => (combine ?o (shift ?s ?d (acc ?s ?o ?d ?f)) ?f)",
        "(reduce ?s ?o ?k ?f) => ?f",
        "(in ?s (reduce ?s ?o ?k ?f)) => (red ?s ?o (nulls ?s [i,k]) (in ?s ?f))",
        "(combine ?o ?a ?b) => ?b",
        "(ite ?c ?a ?b) => ?b",
    ];
    for rule in wrong {
        let mut sources = systole::rewrite::embedded_sources();
        sources.push(Source::new("wrong.rules", format!("# law: none\nwrong: {rule}\n")));
        let rules = RuleSet::from_sources(&sources).unwrap();
        let space = kernels::matmul();
        let lowered = saturate(&space, &rules, &Limits { iterations: 6, nodes: 2_000 }).unwrap();
        assert!(lowered.report.fired.contains_key("wrong"), "{rule}");
        assert!(find_difference(&space, &lowered.dump()).is_some(), "{rule}");
    }
}

#[test]
fn every_dataflow_computes_the_kernel() {
    for space in [kernels::matmul(), kernels::fir(), kernels::polynomial(), kernels::scaled()] {
        let lowered = lower(&space);
        let world = world(&space, &[3, 2, 3]);
        for dataflow in lowered.choices().unwrap().dataflows() {
            let term = lowered.term(&dataflow).unwrap();
            assert_eq!(world.difference(lowered.input(), &term), None);
        }
    }
}
