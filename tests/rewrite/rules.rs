//! Each rule by itself: where it fires, where it must not, and that both sides mean the same.

use crate::interpreter::world;
use crate::kernels;
use crate::system_kernels::{ALL, cut};
use egg::RecExpr;
use std::collections::BTreeSet;
use systole_base::scalar::Function;
use systole_compile::rewrite::{Limits, Lowered, RuleSet, Term, load_rules, saturate_term};
use systole_equations::recurrence::Space;
use systole_equations::recurrence::spaces::SpaceSystem;

fn term(text: &str) -> RecExpr<Term> {
    text.parse().unwrap()
}

fn run(space: &Space, rule: &str, text: &str) -> Lowered {
    let rules = load_rules(None).unwrap().only(rule);
    assert_eq!(rules.rules().len(), 1, "there is no rule `{rule}`");
    saturate_term(&SpaceSystem::of_one(space.clone()), term(text), &rules, &Limits::default()).unwrap()
}

/// The rule alone leads from `left` to `right`, and both mean the same on boxes and on cut boxes.
fn fires(space: &Space, rule: &str, left: &str, right: &str) {
    let lowered = run(space, rule, left);
    assert!(lowered.contains(0, &term(right)), "{rule}: {left} does not become {right}\n{}", lowered.dump());
    for sizes in [[1, 1, 1], [2, 3, 2], [3, 2, 4], [4, 4, 1]] {
        assert_eq!(world(space, &sizes).difference(&term(left), &term(right)), None, "{rule}");
    }
}

/// The rule alone has nothing to say about `left`.
fn rests(space: &Space, rule: &str, left: &str) {
    let lowered = run(space, rule, left);
    assert!(lowered.report.fired.is_empty(), "{rule} fires on {left}\n{}", lowered.dump());
}

#[test]
fn lower_sum() {
    let left = "(in matmul (reduce matmul sum k (at A [i,k])))";
    fires(&kernels::matmul(), "lower-sum", left, "(red matmul sum (signs matmul k) (in matmul (at A [i,k])))");
    fires(&kernels::matmul(), "lower-sum", left, "(red matmul sum (dir <k> (dir <-k> end)) (in matmul (at A [i,k])))");
    rests(&kernels::matmul(), "lower-sum", "(in matmul (at A [i,k]))");
    let mut triangle = kernels::mttkrp();
    let inner = "(in mttkrp (reduce mttkrp sum l (at D [l,j])))";
    fires(&triangle, "lower-sum", inner, "(red mttkrp sum (signs mttkrp l) (in mttkrp (at D [l,j])))");
    triangle.domain.set.add(kernels::form("k-l"));
    rests(&triangle, "lower-sum", inner);
}

#[test]
fn lower_fibre() {
    let left = "(in poly (accum poly sum [i+j] (at a [i])))";
    fires(
        &kernels::polynomial(),
        "lower-fibre",
        left,
        "(red poly sum (dir <i-j> (dir <j-i> end)) (in poly (at a [i])))",
    );
    rests(&kernels::polynomial(), "lower-fibre", "(in poly (reduce poly sum i (at a [i])))");
}

#[test]
fn interchange() {
    let written = "(reduce mttkrp sum k (reduce mttkrp sum l (at D [l,j])))";
    let turned = "(reduce mttkrp sum l (reduce mttkrp sum k (at D [l,j])))";
    fires(&kernels::mttkrp(), "interchange", written, turned);
    rests(&kernels::mttkrp(), "interchange", "(reduce mttkrp sum k (reduce mttkrp max l (at D [l,j])))");
    let mut triangle = kernels::mttkrp();
    triangle.domain.set.add(kernels::form("k-l"));
    rests(&triangle, "interchange", written);
}

#[test]
fn red_dir_and_red_next() {
    let space = kernels::matmul();
    let both = "(red matmul sum (dir <k> (dir <-k> end)) (in matmul (at A [i,k])))";
    let one = "(red matmul sum (dir <-k> end) (in matmul (at A [i,k])))";
    let none = "(red matmul sum end (in matmul (at A [i,k])))";
    fires(&space, "red-dir", both, "(last matmul <k> (acc matmul sum <k> (in matmul (at A [i,k]))))");
    rests(&space, "red-dir", none);
    fires(&space, "red-next", both, one);
    rests(&space, "red-next", one);
}

#[test]
fn accumulate() {
    let acc = "(acc matmul max <-k> (in matmul (at A [i,k])))";
    let step = format!(
        "(combine max (ite (head matmul <-k>) (neutral max) (shift matmul <-k> {acc})) (in matmul (at A [i,k])))"
    );
    fires(&kernels::matmul(), "accumulate", acc, &step);
    rests(&kernels::matmul(), "accumulate", "(red matmul max (dir <k> end) (in matmul (at A [i,k])))");
}

#[test]
fn choose_stream_and_next_direction() {
    let space = kernels::fir();
    let read = "(read fir x [i+k] (nulls fir [i+k]))";
    let next = "(read fir x [i+k] (dir <k-i> end))";
    fires(&space, "choose-stream", read, "(stream fir <i-k> x [i+k])");
    fires(&space, "choose-stream", next, "(stream fir <k-i> x [i+k])");
    fires(&space, "next-direction", read, next);
    fires(&space, "next-direction", read, "(read fir x [i+k] end)");
    rests(&space, "choose-stream", "(read fir x [i+k] end)");
    rests(&space, "next-direction", "(read fir x [i+k] end)");
    assert!(!run(&space, "choose-stream", read).contains(0, &term("(stream fir <k-i> x [i+k])")));
}

#[test]
fn choose_broadcast() {
    let space = kernels::matmul();
    fires(&space, "choose-broadcast", "(read matmul A [i,k] (nulls matmul [i,k]))", "(bcast matmul <j> A [i,k])");
    rests(&space, "choose-broadcast", "(read matmul A [i,k] end)");
    rests(&space, "choose-broadcast", "(read matmul C [i,j] (nulls matmul [i,j]))");
}

#[test]
fn choose_prefetch_and_feed() {
    let space = kernels::scaled();
    for (rule, word) in [("choose-prefetch", "hold"), ("choose-feed", "feed")] {
        let right = format!("({word} scaled A [i,k])");
        fires(&space, rule, "(read scaled A [i,k] (nulls scaled [i,k]))", &right);
        rests(&space, rule, "(read scaled y [i] (nulls scaled [i]))");
        rests(&space, rule, "(read scaled alpha [] (nulls scaled []))");
    }
}

#[test]
fn choose_const() {
    let space = kernels::scaled();
    fires(&space, "choose-const", "(read scaled alpha [] (nulls scaled []))", "(const scaled alpha [])");
    rests(&space, "choose-const", "(read scaled x [k] (nulls scaled [k]))");
    rests(&space, "choose-const", "(read scaled y [] (nulls scaled []))");
}

#[test]
fn choose_axes() {
    let space = kernels::scaled();
    let read = "(read scaled alpha [] (nulls scaled []))";
    fires(&space, "choose-axes", read, "(read scaled alpha [] (axes scaled))");
    fires(&space, "choose-axes", read, "(read scaled alpha [] (dir <i> (dir <-i> end)))");
    let face = "(read (heads scaled <-i>) alpha [] (nulls (heads scaled <-i>) []))";
    fires(&space, "choose-axes", face, "(read (heads scaled <-i>) alpha [] (dir <k> (dir <-k> end)))");
    rests(&space, "choose-axes", "(read scaled x [k] (nulls scaled [k]))");
    // What the array computes is a number as well, and nobody knows it before the run.
    fires(&space, "choose-axes", "(read scaled y [] (nulls scaled []))", "(read scaled y [] (axes scaled))");
    rests(&space, "choose-axes", "(read scaled y [k] (nulls scaled [k]))");
    let corner = "(read (heads (heads scaled <i>) <k>) alpha [] (nulls (heads (heads scaled <i>) <k>) []))";
    rests(&space, "choose-axes", corner);
    let mut triangle = kernels::scaled();
    triangle.domain.set.add(kernels::form("i-k"));
    fires(&triangle, "choose-axes", read, "(read scaled alpha [] (dir <k> (dir <-k> end)))");
    fires(
        &triangle,
        "choose-axes",
        &face.replace("<-i>", "<k>"),
        "(read (heads scaled <k>) alpha [] (dir <i> (dir <-i> end)))",
    );
    rests(&triangle, "choose-axes", &face.replace("<-i>", "<-k>"));
}

#[test]
fn load_again() {
    let space = kernels::convolution();
    let again = "(read (heads conv2d <i>) w [p,q] (nulls (heads conv2d <i>) [p,q]))";
    let listed = "(read (heads conv2d <i>) w [p,q] (dir <j> (dir <-j> end)))";
    fires(&space, "load-again", "(load conv2d <i> w [p,q])", again);
    fires(&space, "load-again", "(load conv2d <i> w [p,q])", listed);
    let both = "(read (heads conv2d <i-p>) x [i+p,j+q] (dir <j-q> (dir <q-j> end)))";
    fires(&space, "load-again", "(load conv2d <i-p> x [i+p,j+q])", both);
    rests(&space, "load-again", "(load conv2d <i+j> w [p,q])");
    rests(&space, "load-again", "(load (heads conv2d <i>) <j> w [p,q])");
    rests(&kernels::matmul(), "load-again", "(load matmul <j> A [i,k])");
    let mut triangle = kernels::ttm();
    triangle.domain.set.add(kernels::form("i-j"));
    fires(&triangle, "load-again", "(load ttm <j> U [l,k])", "(read (heads ttm <j>) U [l,k] (dir <i> (dir <-i> end)))");
    rests(&triangle, "load-again", "(load ttm <i> U [l,k])");
}

#[test]
fn inject() {
    let space = kernels::matmul();
    fires(&space, "inject", "(stream matmul <j> A [i,k])", "(fby matmul <j> (load matmul <j> A [i,k]))");
    rests(&space, "inject", "(stream matmul <k> C [i,j])");
}

#[test]
fn propagate() {
    let carried = "(fby fir <i-k> (load fir <i-k> x [i+k]))";
    let step = format!("(ite (head fir <i-k>) (load fir <i-k> x [i+k]) (shift fir <i-k> {carried}))");
    fires(&kernels::fir(), "propagate", carried, &step);
    rests(&kernels::fir(), "propagate", "(load fir <i-k> x [i+k])");
}

#[test]
fn send() {
    let value = "(in fir (at w [k]))";
    let right = format!("(recv fir <i> (send fir <i> {value}))");
    fires(&kernels::fir(), "send", &format!("(shift fir <i> {value})"), &right);
    rests(&kernels::fir(), "send", &right);
}

#[test]
fn push_in_at() {
    let space = kernels::matmul();
    fires(&space, "push-in-at", "(in matmul (at A [i,k]))", "(read matmul A [i,k] (dir <j> (dir <-j> end)))");
    rests(&space, "push-in-at", "(at A [i,k])");
}

#[test]
fn push_in_number_and_index() {
    let space = kernels::matmul();
    fires(&space, "push-in-number", "(in matmul 2.5)", "2.5");
    rests(&space, "push-in-number", "(in matmul (at A [i,k]))");
    fires(&space, "push-in-index", "(in matmul (index [i-k+1]))", "(here matmul [i-k+1])");
    rests(&space, "push-in-index", "(index [i-k+1])");
}

#[test]
fn every_function_is_pushed_through() {
    let space = kernels::matmul();
    for function in Function::ALL {
        let (word, rule) = (function.keyword(), format!("push-in-{}", function.keyword()));
        let leaves = ["(at A [i,k])", "(at B [k,j])", "(index [i])"];
        let arguments = leaves[..function.arity()].join(" ");
        let pushed: Vec<String> = leaves[..function.arity()].iter().map(|leaf| format!("(in matmul {leaf})")).collect();
        fires(&space, &rule, &format!("(in matmul ({word} {arguments}))"), &format!("({word} {})", pushed.join(" ")));
        rests(&space, &rule, &format!("({word} {arguments})"));
    }
}

#[test]
fn a_leaf_takes_its_arguments_point_by_point() {
    let space = kernels::matmul();
    let (call, pushed) =
        ("(call (leaf leaf3) (at A [i,k]))", "(call (in matmul (leaf leaf3)) (in matmul (at A [i,k])))");
    fires(&space, "push-in-call", &format!("(in matmul {call})"), pushed);
    rests(&space, "push-in-call", call);
    fires(&space, "push-in-leaf", "(in matmul (leaf leaf3))", "(leaf leaf3)");
    rests(&space, "push-in-leaf", "(leaf leaf3)");
}

/// This file tests each rule by name; a new rule without a test here fails.
#[test]
fn every_rule_has_a_test_and_a_law() {
    let text = concat!(include_str!("rules.rs"), include_str!("handoff_rules.rs"));
    for rule in load_rules(None).unwrap().rules() {
        let generated = rule.name.starts_with("push-in-");
        assert!(generated || text.contains(&format!("\"{}\"", rule.name)), "rule `{}` has no test", rule.name);
        assert!(rule.law.split(' ').count() > 2, "rule `{}` has no law", rule.name);
    }
}

#[test]
fn every_rule_fires_in_some_kernel() {
    let mut spaces = vec![kernels::matmul(), kernels::polynomial(), kernels::mttkrp(), kernels::scaled()];
    for function in Function::ALL {
        let mut space = kernels::matmul();
        let number = systole_equations::recurrence::Scalar::Number(2.0);
        let place = systole_equations::recurrence::Scalar::Index(kernels::form("i"));
        let arguments = [space.body.clone(), number, place];
        space.body = systole_equations::recurrence::Scalar::Apply(*function, arguments[..function.arity()].to_vec());
        spaces.push(space);
    }
    let mut tiled = kernels::matmul();
    tiled.body = systole_equations::recurrence::Scalar::Apply(Function::Leaf(0), vec![tiled.body.clone()]);
    spaces.push(tiled);
    let alone = spaces.iter().map(|space| crate::choices::lower(space).report);
    let systems = ALL.iter().map(|text| crate::systems::lower(&cut(text)).report);
    let fired: BTreeSet<String> = alone.chain(systems).flat_map(|report| report.fired.into_keys()).collect();
    let all: BTreeSet<String> = load_rules(None).unwrap().rules().iter().map(|rule| rule.name.clone()).collect();
    assert_eq!(fired, all);
}

#[test]
fn predicates_guard_rules_of_the_user() {
    let text = "# law exact: a factor that does not depend on the index leaves the sum\n\
                factor-sum: (reduce ?s sum ?k (mul ?a ?b)) <=> (mul ?a (reduce ?s sum ?k ?b)) if free_of(?k ?a)\n\
                # law exact: none, this one only shows the predicate\n\
                only-own: (at ?x ?g) => (at ?x ?g) if produced(?x)\n\
                # law exact: two spaces differ\n\
                apart: (in ?s (in ?o ?f)) => (in ?s ?f) if differ(?s ?o)\n";
    let rules = RuleSet::from_sources(&[systole_base::span::Source::new("own.rules", text)]).unwrap();
    let space = kernels::scaled();
    let reach = |from: &str, to: &str| {
        saturate_term(&SpaceSystem::of_one(space.clone()), term(from), &rules, &Limits::default())
            .unwrap()
            .contains(0, &term(to))
    };
    let sum = "(reduce scaled sum k (mul (at alpha []) (at x [k])))";
    let factored = "(mul (at alpha []) (reduce scaled sum k (at x [k])))";
    assert!(reach(sum, factored) && reach(factored, sum));
    assert_eq!(world(&space, &[3, 2]).difference(&term(sum), &term(factored)), None);
    let bound = "(reduce scaled sum k (mul (at x [k]) (at alpha [])))";
    assert!(!reach(bound, "(mul (at x [k]) (reduce scaled sum k (at alpha [])))"));
    assert!(reach("(in one (in two 1))", "(in one 1)") && !reach("(in one (in one 1))", "(in one 1)"));
}
