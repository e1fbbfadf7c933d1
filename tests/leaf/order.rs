//! Rounds that touch one element through different subscripts stay in their order.

use super::examples::{apply, axis, element, form, forms, index, names, program, range, repeat, set, window};
use super::naive;
use super::whole::{numbers, same_bits, sizes};
use systole_base::integer::name;
use systole_base::scalar::Function;
use systole_equations::tiles::{Leaf, Step};
use systole_run::leaf::{Leaves, Tile};

/// A leaf that works on all of `X` with the indices `i`, `j` and `k`, each from 0 to `N - 1`.
fn leaf(body: Vec<Step>) -> Leaf {
    let whole = axis("N", 100);
    let place = |title: &str| index(title, whole.clone(), "0");
    Leaf {
        name: name("in-order"),
        coordinates: names(&["I"]),
        indices: vec![place("i"), place("j"), place("k")],
        windows: vec![window("X", vec![range("i", 0, 0, "N")], None)],
        result: vec![(whole.clone(), form("0"))],
        arguments: vec![],
        body,
    }
}

/// `X[left] = X[left] / 2 + X[right]`.
fn mix(left: &str, right: &str) -> Step {
    let half = apply(Function::Multiply, [element(0, &[left]), systole_equations::tiles::Value::Number(0.5)]);
    set(0, &[left], apply(Function::Add, [half, element(0, &[right])]))
}

fn check(body: Vec<Step>) {
    let leaf = leaf(body);
    for n in [1, 3, 70] {
        let sizes = sizes(&[("N", n)]);
        let leaves = Leaves::new(&program(&["N"], vec![leaf.clone()]), &sizes).unwrap();
        let onto = naive::tile::<f64>(numbers(n, 11));
        let expected = naive::call(&leaf, &sizes, &[0], Some(&onto), &[]);
        let Ok(Tile::Values(found)) = leaves.call(0, &[0], Some(onto), &[]) else { panic!("{leaf:?}") };
        same_bits(&found, &expected);
    }
}

#[test]
fn an_element_that_a_loop_around_names() {
    check(vec![repeat(1, vec![repeat(0, vec![mix("i", "j")])])]);
    check(vec![repeat(1, vec![repeat(0, vec![mix("j", "i")])])]);
}

#[test]
fn an_element_that_a_loop_within_names() {
    check(vec![repeat(0, vec![repeat(1, vec![mix("i", "j")])])]);
    check(vec![repeat(0, vec![repeat(2, vec![mix("k", "i")]), mix("i", "i")])]);
}

#[test]
fn elements_that_run_against_each_other() {
    check(vec![repeat(0, vec![mix("i", "N - i - 1")])]);
    let far = Step::If { conditions: forms(&["i - 7"]), then: vec![mix("i", "i - 7")], otherwise: vec![] };
    check(vec![repeat(0, vec![far])]);
    let ahead = Step::If { conditions: forms(&["N - i - 6"]), then: vec![mix("i", "i + 5")], otherwise: vec![] };
    check(vec![repeat(0, vec![ahead])]);
}
