//! The fuzzer itself: its evaluator against values by hand, its bounds on rounding against other orders, what it calls a failure,
//! what its workers do when they hang, panic or die, and that its kernels have what they are to have.

use crate::choices::Choices;
use crate::growth;
use crate::judge::{Judged, Kind, judge, without_names};
use crate::kernel::{Equation, Expr, Form, Kernel, Range, Role, Scope, Tensor, Value};
use crate::meaning::{Array, Arrays, evaluate};
use crate::process::Process;
use crate::refusals::{LISTED, OPEN, known, why};
use crate::shrink::{after, shrink};
use crate::value::{Number, apply, maximum, minimum, reduce, same};
use crate::worker::{JUDGE, Request, ask};
use std::time::Duration;
use systole::driver::run;

/// A vector `X` of `N` elements, each of this value.
fn vector(value: Expr) -> Kernel {
    let size = Form::of("N");
    let tensor = |name: &str, role| Tensor { name: name.to_owned(), role, shape: vec![size.clone()] };
    let range = Range::new("i", Form::number(0), size.clone());
    let equation = Equation {
        target: "X".to_owned(),
        subscripts: vec![Form::of("i")],
        ranges: vec![range],
        conditions: vec![],
        is_elsewhere: false,
        value: Value::Plain(value),
    };
    let tensors = vec![tensor("a", Role::Input), tensor("X", Role::Output)];
    Kernel { parameters: vec!["N".to_owned()], tensors, equations: vec![equation], steps: None }
}

fn over(word: &'static str, low: Form, high: Form, body: Expr) -> Expr {
    Expr::Reduce(word, vec![Range::new("k", low, high)], Box::new(body))
}

/// The sum over all of `a` in steps, as far as a condition holds.
fn left_out(step: i64, condition: Option<(&'static str, Form)>) -> Expr {
    let range = Range { step, condition, ..Range::new("k", Form::number(0), Form::of("N")) };
    Expr::Reduce("sum", vec![range], Box::new(element("k")))
}

fn element(index: &str) -> Expr {
    Expr::Read("a".to_owned(), vec![Form::of(index)])
}

/// The values of `X`, where `a` is this.
fn means(value: Expr, a: &[f64]) -> Result<Vec<f64>, String> {
    let sizes: Scope = vec![("N".to_owned(), a.len() as i64)];
    let values = a.iter().copied().map(Number::exact).collect();
    let inputs = Arrays::from([("a".to_owned(), Array { extents: vec![a.len()], values })]);
    let arrays = evaluate(&vector(value), &sizes, &inputs)?;
    Ok(arrays["X"].values.iter().map(|number| number.value).collect())
}

#[test]
fn the_evaluator_has_the_values_found_by_hand() {
    let (zero, i, size) = (Form::number(0), Form::of("i"), Form::of("N"));
    let from_i = |body: Expr| Expr::Reduce("sum", vec![Range::new("l", Form::of("i"), Form::of("N"))], Box::new(body));
    let a = [3.0, -1.0, 2.0, 5.0];
    let cases = [
        (over("sum", zero.clone(), i.clone(), element("k")), [0.0, 3.0, 2.0, 4.0]),
        (over("prod", i.shifted(1), size.clone(), element("k")), [-10.0, 10.0, 5.0, 1.0]),
        (over("max", zero.clone(), i.clone(), element("k")), [f64::NEG_INFINITY, 3.0, 3.0, 3.0]),
        (over("min", i.clone(), size.clone(), element("k")), [-1.0, -1.0, 2.0, 5.0]),
        (over("sum", i.clone(), size.clone(), Expr::Number(1.0)), [4.0, 3.0, 2.0, 1.0]),
        (over("sum", zero.clone(), i.shifted(1), Expr::Index(Form::of("k"))), [0.0, 1.0, 3.0, 6.0]),
        (Expr::Read("a".to_owned(), vec![size.minus(&i).shifted(-1)]), [5.0, 2.0, -1.0, 3.0]),
        (
            Expr::Apply(
                "select",
                vec![Expr::Apply("lt", vec![element("i"), Expr::Number(2.5)]), Expr::Number(7.0), element("i")],
            ),
            [3.0, 7.0, 7.0, 5.0],
        ),
        (Expr::Apply("recip", vec![over("sum", zero, i, Expr::Number(1.0))]), [f64::INFINITY, 1.0, 0.5, 1.0 / 3.0]),
        (left_out(2, None), [5.0, 5.0, 5.0, 5.0]),
        (left_out(1, Some(("!=", Form::of("i")))), [6.0, 10.0, 7.0, 4.0]),
        (left_out(1, Some(("<=", Form::of("i")))), [3.0, 2.0, 4.0, 9.0]),
        (from_i(left_out(1, Some(("!=", Form::of("l"))))), [27.0, 21.0, 11.0, 4.0]),
        (
            Expr::Else("a".to_owned(), vec![Form::of("i").shifted(1)], Box::new(Expr::Number(8.0))),
            [-1.0, 2.0, 5.0, 8.0],
        ),
        (Expr::Read("a".to_owned(), vec![Form::of("i div 2").plus(&Form::of("i mod 2"))]), [3.0, -1.0, -1.0, 2.0]),
    ];
    for (value, wanted) in cases {
        assert_eq!(means(value.clone(), &a), Ok(wanted.to_vec()), "{value}");
    }
}

/// `A[i] = A[i - 1] + A[i]` in two steps, as loops by hand.
#[test]
fn what_is_replaced_is_read_as_it_stands() {
    let read = |by| Expr::Read("A".to_owned(), vec![Form::of("i").shifted(by)]);
    let mut kernel = vector(Expr::Apply("add", vec![read(-1), read(0)]));
    kernel.tensors = vec![Tensor { name: "A".to_owned(), role: Role::InPlace, shape: vec![Form::of("N")] }];
    kernel.equations[0].target = "A".to_owned();
    kernel.equations[0].conditions = vec![(Form::number(1), Form::of("i"))];
    kernel.steps = Some(Range::new("t", Form::number(0), Form::number(2)));
    let sizes: Scope = vec![("N".to_owned(), 4)];
    let values = [1.0, 2.0, 3.0, 4.0].map(Number::exact).to_vec();
    let inputs = Arrays::from([("A".to_owned(), Array { extents: vec![4], values })]);
    let arrays = evaluate(&kernel, &sizes, &inputs).expect("a meaning");
    let left: Vec<f64> = arrays["A_out"].values.iter().map(|number| number.value).collect();
    assert_eq!(left, [1.0, 4.0, 10.0, 20.0]);
    let text = "inout A[N] over t in 0..2\nA[i] = A[i - 1] + A[i] where 1 <= i\n";
    assert_eq!(kernel.to_string(), format!("kernel fuzzed(N)\n{text}"));
}

#[test]
fn a_kernel_without_a_meaning_is_said_to_have_none() {
    let ahead = Expr::Read("a".to_owned(), vec![Form::of("i").shifted(1)]);
    assert_eq!(means(ahead, &[1.0, 2.0]), Err("outside of a".to_owned()));
    let own = Expr::Read("X".to_owned(), vec![Form::of("i")]);
    assert_eq!(means(own, &[1.0]), Err("an element of X is defined by itself".to_owned()));
    let mut twice = vector(element("i"));
    twice.equations.push(twice.equations[0].clone());
    let sizes = vec![("N".to_owned(), 1)];
    assert!(evaluate(&twice, &sizes, &Arrays::new()).is_err());
    twice.equations.clear();
    assert_eq!(
        evaluate(&twice, &sizes, &Arrays::new()).err(),
        Some("an element of X is defined by nothing".to_owned())
    );
}

#[test]
fn maximum_and_minimum_are_those_of_the_standard() {
    let nan = f64::NAN;
    for (a, b, larger, smaller) in
        [(1.0, 2.0, 2.0, 1.0), (-0.0, 0.0, 0.0, -0.0), (nan, 1.0, nan, nan), (f64::INFINITY, nan, nan, nan)]
    {
        for (a, b) in [(a, b), (b, a)] {
            assert!(same(maximum(a, b), larger) && same(minimum(a, b), smaller), "{a} and {b}");
        }
    }
}

/// Random terms in both orders: the bound holds their difference, and is none where every order has the same bits.
#[test]
fn other_orders_are_within_the_bound_on_rounding() {
    let (mut apart, choices) = (0, &mut Choices::new(3, 0));
    for _ in 0..2000 {
        let is_whole = choices.percent(30);
        let term = |choices: &mut Choices| match is_whole {
            true => choices.choose(9) as f64 - 4.0,
            false => *choices.pick(&[0.1, -0.7, 1e8, 3.3, -1e8 / 3.0, 1e-9]),
        };
        let mut terms: Vec<Number> = (0..1 + choices.choose(6)).map(|_| Number::exact(term(choices))).collect();
        for word in ["sum", "prod", "max", "min"] {
            let one = reduce(word, &terms);
            terms.reverse();
            let other = reduce(word, &terms);
            assert!(one.allows(other.value), "{word} of {terms:?}: {one:?}, {other:?}");
            assert!(one.off == 0.0 || !is_whole, "{word} of {terms:?}");
            apart += usize::from(!same(one.value, other.value));
        }
    }
    assert!(apart > 100, "orders differ in {apart} sums only, so nothing was tried");
}

#[test]
fn specials_are_the_same_in_every_order() {
    let (infinity, nan) = (f64::INFINITY, f64::NAN);
    let of = |word, terms: [f64; 3]| reduce(word, &terms.map(Number::exact));
    for (word, terms, wanted) in [
        ("sum", [infinity, 0.1, -infinity], nan),
        ("sum", [infinity, 0.1, 0.7], infinity),
        ("sum", [nan, infinity, 0.1], nan),
        ("prod", [0.0, 0.1, infinity], nan),
        ("prod", [-infinity, 0.1, 2.0], -infinity),
    ] {
        let found = of(word, terms);
        assert!(found.off == 0.0 && same(found.value, wanted), "{word} of {terms:?}: {found:?}");
    }
    assert_eq!(of("sum", [1e300, 1e300, -1e300]).off, infinity, "another order may overflow");
}

#[test]
fn what_is_off_is_carried_on_or_gives_up() {
    let near = Number { value: 2.0, off: 1e-9 };
    let two = Number::exact(2.0);
    assert_eq!(apply("lt", &[near, Number::exact(3.0)]).off, 0.0);
    assert_eq!(apply("lt", &[near, two]).off, f64::INFINITY, "the comparison may go either way");
    assert_eq!(apply("recip", &[Number { value: 1e-10, off: 1e-9 }]).off, f64::INFINITY, "0 is as near");
    let product = apply("mul", &[near, two]);
    assert!(product.allows(4.0 + 2e-9) && !product.allows(4.0 + 1e-8) && !product.allows(f64::NAN), "{product:?}");
    assert!(!Number::exact(0.0).allows(-0.0) && Number::exact(f64::NAN).allows(-f64::NAN));
}

fn judged(tree: &Kernel, text: &Kernel) -> Judged {
    let folder = tempfile::tempdir().expect("a folder");
    judge(tree, text, 1, 1, folder.path())
}

#[test]
fn a_right_kernel_is_right_and_one_of_another_meaning_is_wrong() {
    let add = |number| Expr::Apply("add", vec![element("i"), Expr::Number(number)]);
    let right = judged(&vector(add(1.0)), &vector(add(1.0)));
    assert_eq!((right.kind, right.reason.as_str()), (Kind::Right, ""), "{}", right.detail);
    assert!(right.compared[0] > 0);
    let wrong = judged(&vector(add(1.0)), &vector(add(2.0)));
    assert_eq!((wrong.kind, wrong.reason.as_str()), (Kind::Wrong, "evaluate: another number"));
    assert!(wrong.detail.contains("and means") && wrong.detail.contains("a = ["), "{}", wrong.detail);
    let refused = judged(&vector(add(1.0)), &vector(Expr::Read("b".to_owned(), vec![])));
    assert_eq!((refused.kind, refused.reason.as_str()), (Kind::Refused, "load: unknown name _"));
    assert_eq!(why(&refused.reason), None, "which is not on the list");
}

/// `X[i] = 3` at some points, which may be none, and `a[i]` at the others, where `X` has so many elements.
fn partly_known(extent: &Form, known: (Form, Form), others: (Form, Form)) -> Kernel {
    let mut kernel = vector(Expr::Number(3.0));
    kernel.equations.push(vector(element("i")).equations[0].clone());
    kernel.tensors[1].shape = vec![extent.clone()];
    for (equation, condition) in kernel.equations.iter_mut().zip([known, others]) {
        let within = [(Form::number(0), Form::of("i")), (Form::of("i").shifted(1), extent.clone())];
        equation.ranges[0].high = extent.clone();
        equation.conditions = [condition].into_iter().chain(within).collect();
    }
    kernel
}

/// What the fuzzer found: numbers were stored over values, or outside of an array, at sizes at which they have no points.
#[test]
fn numbers_are_stored_at_their_own_points_alone() {
    let (zero, one, i, size) = (Form::number(0), Form::number(1), Form::of("i"), Form::of("N"));
    for kernel in [
        partly_known(&size, (i.shifted(1), zero.clone()), (zero.clone(), i.clone())),
        partly_known(&size.shifted(-1), (i.clone(), zero.clone()), (one, i.clone())),
        partly_known(&size, (i.shifted(3), size.clone()), (size.shifted(-2), i)),
    ] {
        let found = judged(&kernel, &kernel);
        assert_eq!((found.kind, found.reason.as_str()), (Kind::Right, ""), "{kernel}{}", found.detail);
    }
}

#[test]
fn a_command_within_a_program_gives_back_what_it_says() {
    let usage = run(&["run"]);
    assert_eq!((usage.code, usage.printed.as_str(), usage.problems.len()), (2, "", 1), "{usage:?}");
    let missing = run(&["check", "no-such-file.rec"]);
    assert_eq!((missing.code, missing.printed.as_str()), (1, ""), "{missing:?}");
    assert!(missing.problems[0].contains("no-such-file.rec") && !missing.problems[0].contains('\n'), "{missing:?}");
    let path = format!("{}/kernels/matmul.rec", env!("SYSTOLE_ROOT"));
    let checked = run(&["check", &path]);
    assert_eq!((checked.code, checked.problems.len()), (0, 0), "{checked:?}");
    assert!(checked.printed.contains("matmul"), "{checked:?}");
    let refuted = run(&["prove", &path, "--schedule", "too-fast"]);
    assert_eq!(refuted.code, 1, "{refuted:?}");
}

#[test]
fn reasons_have_no_names_and_no_numbers() {
    let found = without_names("`X.sum` needs 12 of 3,450 at X[i + 1], outside [5, 1] here\nmore");
    assert_eq!(found, "_ needs N of N,N at _, outside _ here");
}

#[test]
fn only_what_is_listed_may_be_refused_and_only_what_is_known_may_be_wrong() {
    assert!(LISTED.iter().all(|(reason, word)| reason.contains(": ") && word.len() > 20));
    assert!(OPEN.iter().all(|(_, reason, word)| known(Kind::Right, reason).is_none() && word.len() > 20));
    let listed =
        ["run: where _ is computed has no closed form", "run in tiles: where _ is computed has no closed form"];
    assert!(listed.iter().all(|reason| why(reason).is_some()));
    let others = ["run: where _ is computed has no closed form at all", "sim: where _ is computed has no closed form"];
    assert!(others.iter().all(|reason| why(reason).is_none() && known(Kind::Refused, reason).is_none()));
}

#[test]
fn workers_that_hang_panic_or_die_are_counted_and_replaced() {
    let (mut worker, short, long) = (Process::new(1, JUDGE), Duration::from_millis(300), Duration::from_secs(100));
    assert_eq!(ask(&mut worker, &Request::Hang, short).kind, Kind::NoAnswer);
    let panicked = ask(&mut worker, &Request::Panic, long);
    assert_eq!(panicked.kind, Kind::Panicked);
    assert!(panicked.reason.ends_with("planted at N"), "{}", panicked.reason);
    let died = ask(&mut worker, &Request::Die, long);
    assert_eq!((died.kind, died.reason.as_str()), (Kind::Panicked, "the process died"));
    let no_steps = ask(&mut worker, &Request::Judge(0, vec![1 << 20]), long);
    assert_eq!((no_steps.kind, no_steps.reason.as_str()), (Kind::Refused, "no such steps"));
}

#[test]
fn kernels_are_made_smaller_as_far_as_they_still_fail() {
    let number = (0..).find(|number| growth::kernel(1, *number).to_string().contains("max(k in")).expect("a kernel");
    let kernel = growth::kernel(1, number);
    let fails = |steps: &[usize]| after(&kernel, steps).is_some_and(|smaller| smaller.to_string().contains("max(k in"));
    let smaller = after(&kernel, &shrink(&kernel, 500, fails)).expect("steps that can be taken");
    assert!(smaller.to_string().contains("max(k in") && smaller.equations.len() == 1, "{smaller}");
    assert!(shrink(&kernel, 500, |_| false).is_empty());
}

#[test]
fn kernels_follow_from_seed_and_number_and_have_everything() {
    let text = |seed, number| growth::kernel(seed, number).to_string();
    assert_eq!(text(1, 5), text(1, 5));
    assert_ne!(text(1, 5), text(2, 5));
    let all: String = (0..2400).map(|number| text(1, number)).collect();
    let wanted = [
        "in 0..i)",
        "in i + 1..",
        "in 0..0)",
        "in K..N",
        "in N..M",
        "in 1..1)",
        "2*i",
        "2*k",
        "M - i - 1",
        "max(k",
        "min(k",
        "sum(k",
        "prod(k",
        "select(",
        "plus(k",
        "span(k",
        "chain(k",
        "later(k",
        "[i - 1, j - 1]",
        "[i + 1]",
        "[i - 2]",
        "local X",
        "out X, ",
        "[k + l] =",
        "X[i, i] =",
        "where j <= i",
        " step 2",
        " step -1",
        "where k != ",
        " div 2",
        " mod 2",
        " else ",
        " elsewhere",
        "recip(",
        "exp(",
        "k in 0..i, l in",
        ") 1\n",
        "(k in 0..i) (X[k]",
    ];
    let missing: Vec<&str> = wanted.into_iter().filter(|part| !all.contains(part)).collect();
    assert!(missing.is_empty(), "in no kernel: {missing:?}");
}
