//! The statements P21 to P24 about schemes, on random designs: what programs compute, and sizes beyond enumeration.

use crate::common::{plus, runs_with_one_slot};
use crate::pool::{Sample, samples};
use crate::programs::{inputs, is_right, orders, program, run};
use crate::setting::{Setting, settings};
use std::collections::BTreeSet;
use systole_base::integer::{Bindings, Vector};
use systole_compile::emit::Phases;
use systole_run::sim::{Order, Settings};

/// Samples that can be run: every element of the output has a user, and the sizes are small.
fn runnable() -> impl Iterator<Item = Setting> {
    let most = |setting: &Setting| if setting.sample.space.dimension() == 2 { 6 } else { 4 };
    settings().filter(move |setting| setting.sizes.values().all(|size| *size <= most(setting))).filter(|setting| {
        let sizes = &setting.sizes;
        let (_, shape) =
            setting.sample.space.shapes.iter().find(|(name, _)| *name == setting.sample.space.output).expect("shaped");
        let elements: i64 = shape.iter().map(|form| form.evaluate(sizes).expect("bound")).product();
        let output = setting.table.streams.last().expect("an output");
        output.used.values().flatten().collect::<BTreeSet<_>>().len() as i64 == elements
    })
}

#[test]
fn p21_and_p22_programs_end_with_the_arrays_of_the_sequential_nest() {
    let mut runs = 0;
    for setting in runnable() {
        let Sample { space, scheme, .. } = setting.sample;
        let (program, inputs) = (program(space, scheme, &Phases::in_order(scheme)), inputs(space, &setting.sizes));
        let capacity = runs_with_one_slot(scheme).then_some(1);
        let settings = Settings { capacity, ..Settings::default() };
        let outcome = run(&program, &setting.sizes, &inputs, &settings);
        assert!(
            is_right(space, scheme, &setting.sizes, &inputs, &outcome),
            "{}\n{}",
            setting.show(),
            systole_program::array::print(&program)
        );
        runs += 1;
    }
    assert!(runs >= 200, "only {runs} runs");
}

#[test]
fn p23_neither_the_order_of_the_phases_nor_the_slots_of_channels_change_the_arrays() {
    for (turn, setting) in runnable().enumerate().filter(|(turn, _)| turn % 4 == 0) {
        let Sample { space, scheme, .. } = setting.sample;
        let (orders, inputs) = (orders(3), inputs(space, &setting.sizes));
        let least = runs_with_one_slot(scheme).then_some(1);
        let phases =
            Phases { soak: orders[turn / 4 % 6].clone(), drain: orders[turn / 24 % 6].clone(), together: true };
        let program = program(space, scheme, &phases);
        for (capacity, order) in
            [(least, Order::FirstIn), (least, Order::LastIn), (None, Order::FirstIn), (Some(9), Order::FirstIn)]
        {
            let outcome = run(&program, &setting.sizes, &inputs, &Settings { capacity, order, ..Settings::default() });
            assert!(is_right(space, scheme, &setting.sizes, &inputs, &outcome), "{}", setting.show());
        }
    }
}

#[test]
fn p24_the_forms_hold_at_sizes_far_beyond_enumeration() {
    for sample in samples() {
        let sizes: Bindings = sample.space.parameters.iter().map(|name| (name.clone(), 1_000_003)).collect();
        let (low, high) = (sample.scheme.processes.minimum(&sizes), sample.scheme.processes.maximum(&sizes));
        let (low, high) = (low.expect("low"), high.expect("high"));
        for share in 0..=8 {
            let process: Vector = low.iter().zip(&high).map(|(low, high)| low + (high - low) / 8 * share).collect();
            let at = sample.scheme.bind(&sizes, &process).expect("sizes");
            let Some(count) = sample.scheme.count.at(&at) else { continue };
            let (first, last) =
                (sample.scheme.first.at(&at).expect("first"), sample.scheme.last.at(&at).expect("last"));
            assert_eq!(plus(&first, &sample.scheme.increment, count - 1), last);
            assert_eq!((sample.map.place.apply(&first), sample.map.place.apply(&last)), (process.clone(), process));
            for stream in &sample.scheme.streams {
                let own = if stream.is_stationary() { 1 } else { count };
                let around = stream.before.at(&at).expect("before") + stream.after.at(&at).expect("after");
                assert_eq!(Some(around + own), stream.count.at(&at));
            }
        }
    }
}
