//! Everything that saturation made equal is equal, point by point, on small domains.

use crate::choices::lower;
use crate::interpreter::{World, is_field, system_world, world};
use crate::system_kernels::{ALL, CHOLESKY, SMITH_WATERMAN, TRISOLVE, cut};
use crate::{kernels, systems};
use egg::RecExpr;
use systole_base::span::Source;
use systole_compile::rewrite::{Limits, RuleSet, Term, saturate};
use systole_equations::recurrence::spaces::SpaceSystem;
use systole_equations::recurrence::{Operator, Scalar, Space};

const SIZES: [&[i64]; 4] = [&[1], &[2, 3], &[3, 2, 4], &[4, 1, 2]];

/// The terms of each class of a dump: its smallest term, then all its nodes.
pub fn classes(dump: &str) -> Vec<Vec<RecExpr<Term>>> {
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
    SIZES.iter().find_map(|sizes| difference_in(&world(space, sizes), dump))
}

fn difference_in(world: &World, dump: &str) -> Option<String> {
    let classes = classes(dump);
    let mut fields = classes.iter().filter(|class| class.iter().all(is_field));
    fields.find_map(|class| class[1..].iter().find_map(|term| world.difference(&class[0], term)))
}

fn find_system_difference(system: &SpaceSystem, dump: &str) -> Option<String> {
    [[1, 1, 1], [2, 3, 2], [4, 2, 3]].iter().find_map(|sizes| difference_in(&system_world(system, sizes), dump))
}

pub fn all_kernels() -> Vec<Space> {
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
    use systole_base::scalar::Function;
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
        "(load ?s ?d ?x ?g) => (read ?s ?x ?g (nulls ?s ?g))",
        "(load ?s ?d ?x ?g) => (read (heads (heads ?s ?d) <i>) ?x ?g end)",
        "(recv ?s ?d ?m) => ?m",
        "(acc ?s ?o ?d ?f) => (combine ?o (shift ?s ?d (acc ?s ?o ?d ?f)) ?f)",
        "(reduce ?s ?o ?k ?f) => ?f",
        "(in ?s (reduce ?s ?o ?k ?f)) => (red ?s ?o (nulls ?s [i,k]) (in ?s ?f))",
        "(combine ?o ?a ?b) => ?b",
        "(ite ?c ?a ?b) => ?b",
    ];
    for rule in wrong {
        let mut sources = systole_compile::rewrite::embedded_sources();
        sources.push(Source::new("wrong.rules", format!("# law exact: none\nwrong: {rule}\n")));
        let rules = RuleSet::from_sources(&sources).unwrap();
        let space = kernels::matmul();
        let lowered = saturate(&SpaceSystem::of_one(space.clone()), &rules, &Limits::of(6, 2_000)).unwrap();
        assert!(lowered.report.fired.contains_key("wrong"), "{rule}");
        assert!(find_difference(&space, &lowered.dump()).is_some(), "{rule}");
    }
}

#[test]
fn every_dataflow_computes_the_kernel() {
    for space in [kernels::matmul(), kernels::fir(), kernels::polynomial(), kernels::scaled(), kernels::ttm()] {
        let lowered = lower(&space);
        let world = world(&space, &[3, 2, 3]);
        for dataflow in lowered.choices().unwrap()[0].dataflows() {
            let term = lowered.term(0, &dataflow).unwrap();
            assert_eq!(world.difference(lowered.input(0).unwrap(), &term), None);
        }
    }
}

#[test]
fn also_in_systems_of_several_spaces() {
    for text in ALL {
        let system = cut(text);
        assert_eq!(find_system_difference(&system, &systems::lower(&system).dump()), None, "{}", system.kernel);
    }
}

/// The twin of the test above: wrong laws of what passes between spaces are found out.
#[test]
fn unsound_handoffs_are_found_out() {
    let wrong = [
        (TRISOLVE, "(handoff ?r ?s ?o ?g ?v) => (neutral ?o)"),
        (TRISOLVE, "(stream ?s ?d ?x ?g) => (xfer ?s ?d ?x ?g)"),
        (CHOLESKY, "(in ?r (inner ?s ?o ?g ?f)) => (handoff ?r ?s max ?g (in ?s ?f))"),
        (CHOLESKY, "(take L.2 ?x ?g) => (take L.2 ?x [i,j])"),
        (SMITH_WATERMAN, "(take ?s ?x ?g) => (result ?s)"),
        (SMITH_WATERMAN, "(take ?s ?x ?g) => (shift ?s <i> (result ?s))"),
    ];
    for (text, rule) in wrong {
        let mut sources = systole_compile::rewrite::embedded_sources();
        sources.push(Source::new("wrong.rules", format!("# law exact: none\nwrong: {rule}\n")));
        let rules = RuleSet::from_sources(&sources).unwrap();
        let system = cut(text);
        let lowered = saturate(&system, &rules, &Limits::of(10, 2_000)).unwrap();
        assert!(lowered.report.fired.contains_key("wrong"), "{rule}");
        assert!(find_system_difference(&system, &lowered.dump()).is_some(), "{rule}");
    }
}

#[test]
fn every_dataflow_of_every_space_computes_what_the_space_does() {
    for text in [TRISOLVE, CHOLESKY] {
        let system = cut(text);
        let lowered = systems::lower(&system);
        let world = system_world(&system, &[4]);
        for (position, choices) in lowered.choices().unwrap().iter().enumerate() {
            for dataflow in choices.dataflows() {
                let term = lowered.term(position, &dataflow).unwrap();
                assert_eq!(world.difference(lowered.input(position).unwrap(), &term), None);
            }
        }
    }
}
