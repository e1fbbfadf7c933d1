//! The programs of schemes, simulated: the arrays of the reference in every order of the phases, with one slot a channel.

use crate::common::{runs_with_one_slot, scheme, shown, sizes};
use crate::designs::{Design, all};
use std::collections::BTreeSet;
use systole_base::integer::{Bindings, Vector};
use systole_base::network::{Links, Network};
use systole_compile::emit::{Phases, emit_scheme};
use systole_compile::systolize::Scheme;
use systole_equations::recurrence::{Chain, Space, evaluate_in_order};
use systole_program::array::{Program, Tensors, parse, print, validate};
use systole_run::sim::{Order, Outcome, Settings, simulate};

/// Values whose sums show in which order they were added, a negative zero among them.
pub fn inputs(space: &Space, sizes: &Bindings) -> Tensors {
    let operands: BTreeSet<_> = space.operands.iter().map(|operand| operand.tensor.clone()).collect();
    let shapes = space.shapes.iter().filter(|(name, _)| operands.contains(name));
    let array = |shape: &Vec<systole_base::integer::Affine>| {
        let extents: Vec<usize> = shape.iter().map(|form| form.evaluate(sizes).expect("bound") as usize).collect();
        let mut next = 7_u64;
        ndarray::ArrayD::from_shape_fn(extents, |_| {
            next = next.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let value = ((next >> 40) as f64 / 4_096.0 - 2_000.0) / 7.0;
            if next >> 60 == 3 { -0.0 } else { value }
        })
    };
    shapes.map(|(name, shape)| (name.clone(), array(shape))).collect()
}

/// Every order of `count` things.
pub fn orders(count: usize) -> Vec<Vec<usize>> {
    (0..count).fold(vec![vec![]], |orders, next| {
        let insert = |order: &Vec<usize>| {
            (0..=order.len()).map(|at| [&order[..at], &[next], &order[at..]].concat()).collect::<Vec<_>>()
        };
        orders.iter().flat_map(insert).collect()
    })
}

/// The links of the tests: every neighbour, diagonals too.
pub fn links() -> Links {
    Links { network: Network::King, ..Links::default() }
}

pub fn program(space: &Space, scheme: &Scheme, phases: &Phases) -> Program {
    let program =
        emit_scheme(space, scheme, &links(), phases).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    validate(&program).unwrap_or_else(|problems| panic!("{}\n{}", shown(&problems), print(&program)));
    program
}

pub fn run(program: &Program, sizes: &Bindings, inputs: &Tensors, settings: &Settings) -> Outcome {
    let outcome = simulate(program, sizes, inputs, settings);
    outcome.unwrap_or_else(|problems| panic!("{}\n{}", shown(&problems), print(program)))
}

/// Whether the run ended with the bits of the reference.
pub fn is_right(space: &Space, scheme: &Scheme, sizes: &Bindings, inputs: &Tensors, outcome: &Outcome) -> bool {
    let chain = Chain::along(vec![Vector::from(scheme.accumulation())]);
    let expected =
        evaluate_in_order(space, &chain, sizes, inputs).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    let bits = |array: &ndarray::ArrayD<f64>| array.iter().map(|value| value.to_bits()).collect::<Vec<u64>>();
    outcome.deadlock.is_none() && bits(&outcome.outputs[&space.output]) == bits(&expected)
}

fn check(design: &Design, scheme: &Scheme, phases: &Phases, size: i64) {
    let (space, sizes) = (&design.space, sizes(&design.space, size));
    let (program, inputs) = (program(space, scheme, phases), inputs(space, &sizes));
    for (capacity, order) in [(Some(1), Order::FirstIn), (Some(1), Order::LastIn), (None, Order::FirstIn)] {
        let outcome = run(&program, &sizes, &inputs, &Settings { capacity, order, ..Settings::default() });
        let right = is_right(space, scheme, &sizes, &inputs, &outcome);
        assert!(right, "{} at {size}, {phases:?}, {:?}\n{}", design.name, outcome.deadlock, print(&program));
    }
}

#[test]
fn every_order_of_the_phases_gives_the_arrays_of_the_reference() {
    for design in all() {
        let scheme = scheme(&design.space, &design.map, &design.loading);
        for soak in orders(3) {
            for (drain, together) in orders(3).into_iter().flat_map(|drain| [(drain.clone(), true), (drain, false)]) {
                let phases = Phases { soak: soak.clone(), drain, together };
                check(&design, &scheme, &phases, 3);
            }
        }
    }
}

#[test]
fn one_program_serves_every_size() {
    for design in all() {
        let scheme = scheme(&design.space, &design.map, &design.loading);
        (1..=6).for_each(|size| check(&design, &scheme, &Phases::in_order(&scheme), size));
    }
}

/// The statement that internal buffers change nothing but timing does not hold for every array: here each process sends two
/// words of x before its first statement that the next one cannot take before it has had a word of w.
#[test]
fn some_arrays_need_their_internal_buffers() {
    let text =
        "kernel gap(N)\nin x[3*N - 2], w[2*N - 1]\nout y[N]\ny[j] = sum(i in 0..N) x[2*i + j] * w[N - 1 + j - i]\n";
    let (space, map) = (crate::common::space(text), crate::common::map(&[vec![0, 1]], &[1, -2]));
    let derived = scheme(&space, &map, &[]);
    let sizes = sizes(&space, 4);
    let inputs = inputs(&space, &sizes);
    let right = |phases: &Phases, capacity| {
        let outcome =
            run(&program(&space, &derived, phases), &sizes, &inputs, &Settings { capacity, ..Settings::default() });
        is_right(&space, &derived, &sizes, &inputs, &outcome)
    };
    assert!(!runs_with_one_slot(&derived));
    assert!(right(&Phases::in_order(&derived), None));
    for (soak, together) in orders(3).into_iter().flat_map(|soak| [(soak.clone(), true), (soak, false)]) {
        assert!(!right(&Phases { drain: soak.clone(), soak, together }, Some(1)));
    }
}

#[test]
fn programs_print_and_read_back() {
    for design in all() {
        let scheme = scheme(&design.space, &design.map, &design.loading);
        let program = program(&design.space, &scheme, &Phases::in_order(&scheme));
        let read = parse("test.pe", &print(&program)).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
        assert_eq!(read, program, "{}", design.name);
    }
}
