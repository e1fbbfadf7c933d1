//! The statements P1 to P25 about schemes, on random designs, each against enumeration.
//!
//! The numbers are those of the list that goes with the report's sections; `P3` and `P7` have their refusals in `refusals`.

use crate::brute::{self, Table};
use crate::common::{box_points, plus};
use crate::pool::{Sample, samples};
use crate::programs::{inputs, is_right, orders, program, run};
use std::collections::BTreeSet;
use systole::array::emit::Phases;
use systole::integer::{Bindings, Vector, dot, gcd};
use systole::sim::{Order, Settings};
use systole::systolize::{Loading, Stream, systolize};

/// A sample at one size, with its table.
struct Setting {
    sample: &'static Sample,
    sizes: Bindings,
    table: Table,
}

/// Every sample at several sizes.
fn settings() -> impl Iterator<Item = Setting> {
    samples().iter().flat_map(|sample| {
        let most = if sample.space.dimension() == 2 { 6 } else { 4 };
        (1..=most).map(move |size| {
            let parameters = sample.space.parameters.iter().enumerate();
            let sizes: Bindings =
                parameters.map(|(at, name)| (name.clone(), (size + 2 * at as i64 - 1) % most + 1)).collect();
            let table = brute::table(&sample.space, &sample.map, &sample.loading, &sizes);
            Setting { sample, sizes, table }
        })
    })
}

impl Setting {
    fn processes(&self) -> Vec<Vector> {
        box_points(&self.table.minimum, &self.table.maximum)
    }

    fn at(&self, process: &[i64]) -> Bindings {
        self.sample.scheme.bind(&self.sizes, process).expect("sizes")
    }

    fn streams(&self) -> impl Iterator<Item = (&'static Stream, &brute::Stream)> {
        self.sample.scheme.streams.iter().zip(&self.table.streams)
    }

    /// Streams whose pipes hold used elements only: where a line of points that is forgotten meets the faces of the space
    /// in whole points.
    fn exact_streams(&self) -> impl Iterator<Item = (&'static Stream, &brute::Stream)> {
        self.streams().filter(|(stream, _)| is_exact(self.sample, stream))
    }

    fn is_null(&self, process: &Vector) -> bool {
        !self.table.statements.contains_key(process)
    }

    fn show(&self) -> String {
        format!("{:?} at {:?}", self.sample.draft, self.sizes)
    }
}

fn is_exact(sample: &Sample, stream: &Stream) -> bool {
    let forgotten = if stream.is_stationary() { &sample.scheme.increment } else { &stream.reuse };
    let constraints = sample.space.domain.set.constraints();
    constraints.iter().all(|form| dot(&form.row(sample.space.indices()), forgotten).abs() <= 1)
}

/// Calls `check` for every process of every setting, with its bindings.
fn for_processes(check: impl Fn(&Setting, &Vector, &Bindings)) {
    for setting in settings() {
        setting.processes().iter().for_each(|process| check(&setting, process, &setting.at(process)));
    }
}

#[test]
fn the_samples_cover_what_the_scheme_can_meet() {
    let count = |test: &dyn Fn(&Sample) -> bool| samples().iter().filter(|sample| test(sample)).count();
    assert_eq!(samples().len(), 150);
    assert!(count(&|sample| !sample.scheme.runs_with_one_slot()) >= 5, "arrays that need their buffers");
    let streams = |test: fn(&Stream) -> bool| count(&|sample| sample.scheme.streams.iter().any(test));
    assert!(streams(Stream::is_stationary) >= 20);
    assert!(streams(|stream| stream.denominator > 1) >= 20);
    assert!(streams(|stream| stream.pipes.len() > 1) >= 2, "loading across a lattice");
    assert!(count(&|sample| !sample.scheme.chart.lattice.is_empty()) >= 5, "places that are not onto");
    assert!(count(&|sample| sample.scheme.increment.iter().any(|entry| entry.abs() > 1)) >= 5, "long increments");
    assert!(count(&|sample| sample.draft.text.contains("0..i + 1")) >= 20, "triangles");
    assert!(count(&|sample| sample.scheme.streams.iter().any(|stream| !is_exact(sample, stream))) >= 5);
}

#[test]
fn p01_the_increment_is_primitive_and_the_place_forgets_it() {
    for sample in samples() {
        let increment = &sample.scheme.increment;
        assert_eq!(increment.iter().fold(0, |divisor, entry| gcd(divisor, *entry)), 1);
        assert!(sample.draft.place.iter().all(|row| dot(row, increment) == 0));
    }
}

#[test]
fn p02_the_step_grows_along_the_increment() {
    assert!(samples().iter().all(|sample| dot(&sample.draft.step, &sample.scheme.increment) > 0));
}

#[test]
fn p03_no_two_statements_share_process_and_step() {
    for setting in settings() {
        for points in setting.table.statements.values() {
            let steps: BTreeSet<i64> = points.iter().map(|point| dot(&setting.sample.draft.step, point)).collect();
            assert_eq!(steps.len(), points.len());
        }
    }
}

#[test]
fn p04_the_repeaters_enumerate_the_index_space() {
    for_processes(|setting, process, at| {
        let scheme = &setting.sample.scheme;
        let first = scheme.first.at(at);
        let statement = |number: i64| plus(first.as_ref().expect("a count"), &scheme.increment, number);
        let mine: Vec<Vector> = (0..scheme.count.at(at).unwrap_or(0)).map(statement).collect();
        assert_eq!(mine, setting.table.statements.get(process).cloned().unwrap_or_default(), "{}", setting.show());
    });
}

#[test]
fn p05_first_count_and_last_fit() {
    for_processes(|setting, process, at| {
        let scheme = &setting.sample.scheme;
        let (first, last, count) = (scheme.first.at(at), scheme.last.at(at), scheme.count.at(at));
        assert_eq!(
            (first.is_none(), last.is_none(), count.is_none()),
            (setting.is_null(process), setting.is_null(process), setting.is_null(process))
        );
        if let (Some(first), Some(last), Some(count)) = (first, last, count) {
            assert!(count >= 1);
            assert_eq!(plus(&first, &scheme.increment, count - 1), last);
        }
    });
}

#[test]
fn p06_the_process_space_is_the_least_box_around_the_processes_with_statements() {
    for setting in settings() {
        let processes = &setting.sample.scheme.processes;
        assert_eq!(processes.minimum(&setting.sizes), Some(setting.table.minimum.clone()), "{}", setting.show());
        assert_eq!(processes.maximum(&setting.sizes), Some(setting.table.maximum.clone()), "{}", setting.show());
    }
}

/// Calls `check` with every pair of points that use one element, the earlier first.
fn for_users(check: impl Fn(&Setting, &Stream, &[Vector])) {
    for setting in settings() {
        let points: Vec<&Vector> = setting.table.statements.values().flatten().collect();
        for (stream, _) in setting.streams() {
            let mut users: std::collections::BTreeMap<Vector, Vec<Vector>> = std::collections::BTreeMap::new();
            for point in &points {
                users.entry(stream.index_map.apply(point)).or_default().push((*point).clone());
            }
            for group in users.values_mut() {
                group.sort_by_key(|point| dot(&setting.sample.draft.step, point));
                check(&setting, stream, group);
            }
        }
    }
}

#[test]
fn p07_all_users_of_an_element_give_the_same_flow() {
    for_users(|setting, stream, users| {
        for later in &users[1..] {
            let between = plus(later, &users[0], -1);
            let steps = dot(&setting.sample.draft.step, &between);
            assert!(steps > 0);
            let moved = setting.sample.map.displacement(&between);
            let agrees = moved.iter().zip(&stream.flow).all(|(moved, (a, b))| moved * b == a * steps);
            assert!(agrees, "{}", setting.show());
        }
    });
}

#[test]
fn p08_elements_of_a_moving_pipe_follow_at_the_increment() {
    for setting in settings() {
        for (stream, table) in setting.exact_streams().filter(|(stream, _)| !stream.is_stationary()) {
            assert_eq!(stream.increment, stream.index_map.apply(&setting.sample.scheme.increment));
            for pipe in &table.pipes {
                let follows = |pair: &[Vector]| pair[1] == plus(&pair[0], &stream.increment, 1);
                assert!(pipe.elements.windows(2).all(follows), "{}", setting.show());
            }
        }
    }
}

#[test]
fn p09_a_stream_stays_just_where_the_increment_keeps_its_element() {
    for setting in settings() {
        for (stream, table) in setting.streams() {
            let kept = stream.index_map.apply(&setting.sample.scheme.increment).iter().all(|entry| *entry == 0);
            assert_eq!(stream.is_stationary(), kept);
            assert_eq!(stream.is_stationary(), table.stationary);
            assert!(!kept || table.used.values().all(|used| used.len() == 1));
        }
    }
}

#[test]
fn p10_consecutive_users_are_one_hop_apart() {
    for_users(|setting, stream, users| {
        for pair in users.windows(2) {
            let hop = setting.sample.map.displacement(&plus(&pair[1], &pair[0], -1));
            assert!(stream.is_stationary() || hop == stream.direction, "{}", setting.show());
            assert!(hop.iter().all(|entry| entry.abs() <= 1));
        }
    });
}

#[test]
fn p11_the_pipes_of_a_stream_partition_the_process_space() {
    for setting in settings() {
        let all: BTreeSet<Vector> = setting.processes().into_iter().collect();
        for (stream, table) in setting.streams() {
            let inputs = all.iter().filter(|process| !has_neighbour(&setting, process, &stream.direction, -1));
            let line = |input: &Vector| {
                let ends = (1..).find(|hops| {
                    let last = plus(input, &stream.direction, hops - 1);
                    !has_neighbour(&setting, &last, &stream.direction, 1)
                });
                (0..ends.expect("a box ends")).map(|hops| plus(input, &stream.direction, hops)).collect::<Vec<_>>()
            };
            let lines: Vec<Vec<Vector>> = inputs.map(line).collect();
            assert_eq!(lines.iter().map(Vec::len).sum::<usize>(), all.len());
            assert_eq!(lines.iter().flatten().cloned().collect::<BTreeSet<_>>(), all);
            assert_eq!(lines.len(), table.pipes.len());
        }
    }
}

/// By the forms of the scheme.
fn has_neighbour(setting: &Setting, process: &[i64], direction: &[i64], sign: i64) -> bool {
    let shift: Vector = direction.iter().map(|entry| entry * sign).collect();
    let forms = setting.sample.scheme.processes.has_neighbour(&shift);
    forms.iter().all(|form| form.evaluate(&setting.at(process)).expect("bound") >= 0)
}

/// The elements of the pipe through a process, by the forms of the scheme.
fn contents(stream: &Stream, at: &Bindings) -> Vec<Vector> {
    let Some(first) = stream.first.at(at) else { return vec![] };
    (0..stream.count.at(at).unwrap_or(0)).map(|number| plus(&first, &stream.increment, number)).collect()
}

#[test]
fn p12_every_used_element_is_in_exactly_one_pipe() {
    for setting in settings() {
        for (stream, table) in setting.streams() {
            let inputs = table.pipes.iter().map(|pipe| &pipe.processes[0]);
            let injected: Vec<Vector> = inputs.flat_map(|input| contents(stream, &setting.at(input))).collect();
            let used: BTreeSet<Vector> = table.used.values().flatten().cloned().collect();
            let once: BTreeSet<Vector> = injected.iter().cloned().collect();
            assert_eq!(once.len(), injected.len(), "{}", setting.show());
            assert!(used.is_subset(&once), "{}", setting.show());
            assert!(!is_exact(setting.sample, stream) || used == once, "{}", setting.show());
        }
    }
}

#[test]
fn p13_inputs_and_outputs_stand_at_the_border() {
    for_processes(|setting, process, _| {
        let inside = |process: &Vector| {
            let within = |(entry, (low, high)): (&i64, (&i64, &i64))| low <= entry && entry <= high;
            process.iter().zip(setting.table.minimum.iter().zip(&setting.table.maximum)).all(within)
        };
        for (stream, _) in setting.streams() {
            for sign in [-1, 1] {
                let there = plus(process, &stream.direction, sign);
                assert_eq!(has_neighbour(setting, process, &stream.direction, sign), inside(&there));
            }
        }
    });
}

#[test]
fn p14_soak_count_and_drain_make_up_the_pipe() {
    for_processes(|setting, _, at| {
        let Some(count) = setting.sample.scheme.count.at(at) else { return };
        for (stream, _) in setting.streams().filter(|(stream, _)| !stream.is_stationary()) {
            let (soak, drain) = (stream.before.at(at).expect("soaks"), stream.after.at(at).expect("drains"));
            assert!(soak >= 0 && drain >= 0, "{}", setting.show());
            assert_eq!(Some(soak + count + drain), stream.count.at(at), "{}", setting.show());
        }
    });
}

#[test]
fn p15_soak_drain_load_and_recover_are_those_of_the_specification() {
    for_processes(|setting, process, at| {
        for (stream, table) in setting.exact_streams() {
            let specified = table.around(process);
            let mine = stream.before.at(at).zip(stream.after.at(at));
            assert_eq!(mine, specified, "{} at {process:?} of {}", stream.tensor, setting.show());
        }
    });
}

#[test]
fn p16_a_null_process_passes_the_elements_of_its_pipe() {
    for_processes(|setting, process, at| {
        if setting.is_null(process) {
            for (stream, table) in setting.exact_streams() {
                let elements = &table.pipe(process).elements;
                assert_eq!(stream.count.at(at).unwrap_or(0), elements.len() as i64, "{}", setting.show());
            }
        }
    });
}

#[test]
fn p17_a_process_uses_consecutive_elements_of_its_pipe_in_order() {
    for_processes(|setting, process, at| {
        for (stream, table) in setting.streams() {
            let Some(used) = table.used.get(process) else { continue };
            let (before, elements) = (stream.before.at(at).expect("with statements"), contents(stream, at));
            let mine = &elements[before as usize..before as usize + used.len()];
            assert_eq!(mine, used, "{}", setting.show());
        }
    });
}

#[test]
fn p18_load_and_recover_make_up_the_pipe() {
    for_processes(|setting, process, at| {
        for (stream, _) in setting.streams().filter(|(stream, _)| stream.is_stationary()) {
            let (recover, load) = (stream.before.at(at), stream.after.at(at));
            assert!(setting.is_null(process) || load.is_some());
            if let (Some(load), Some(recover)) = (load, recover) {
                assert!(load >= 0 && recover >= 0);
                assert_eq!(Some(load + 1 + recover), stream.count.at(at), "{}", setting.show());
            }
        }
    });
}

#[test]
fn p19_alternatives_that_overlap_agree() {
    for_processes(|setting, _, at| {
        let values =
            |forms: &Vec<systole::integer::Affine>| forms.iter().map(|form| form.evaluate(at)).collect::<Vec<_>>();
        let scheme = &setting.sample.scheme;
        let points = [&scheme.first, &scheme.last].into_iter();
        for cases in points.chain(scheme.streams.iter().flat_map(|stream| [&stream.first, &stream.last])) {
            let enabled: BTreeSet<Vec<Option<i64>>> = cases.enabled(at).map(values).collect();
            assert!(enabled.len() <= 1, "{}", setting.show());
        }
        let numbers = scheme.streams.iter().flat_map(|stream| [&stream.count, &stream.before, &stream.after]);
        for cases in numbers.chain([&scheme.count]) {
            let enabled: BTreeSet<Option<i64>> = cases.enabled(at).map(|form| form.evaluate(at)).collect();
            assert!(enabled.len() <= 1, "{}", setting.show());
        }
    });
}

#[test]
fn p20_the_ends_of_a_pipe_are_the_same_all_along_it() {
    for setting in settings() {
        for (stream, table) in setting.streams() {
            for pipe in &table.pipes {
                let ends = |process: &Vector| {
                    let at = setting.at(process);
                    (stream.first.at(&at), stream.last.at(&at), stream.count.at(&at))
                };
                let distinct: BTreeSet<_> = pipe.processes.iter().map(ends).collect();
                assert_eq!(distinct.len(), 1, "{}", setting.show());
            }
        }
    }
}

/// Samples that can be run: every element of the output has a user.
fn runnable() -> impl Iterator<Item = Setting> {
    settings().filter(|setting| {
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
        let capacity = scheme.runs_with_one_slot().then_some(1);
        let settings = Settings { capacity, ..Settings::default() };
        let outcome = run(&program, &setting.sizes, &inputs, &settings);
        assert!(
            is_right(space, scheme, &setting.sizes, &inputs, &outcome),
            "{}\n{}",
            setting.show(),
            systole::array::print(&program)
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
        let least = scheme.runs_with_one_slot().then_some(1);
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

#[test]
fn p25_turning_a_loading_vector_round_exchanges_load_and_recover() {
    let turned =
        |loading: &Loading| Loading { along: loading.along.iter().map(|entry| -entry).collect(), ..loading.clone() };
    for setting in settings().filter(|setting| !setting.sample.loading.is_empty()) {
        let Sample { space, map, loading, scheme, .. } = setting.sample;
        let back: Vec<Loading> = loading.iter().map(turned).collect();
        let back = systolize(space, map, &back).expect("turned round");
        for process in setting.processes() {
            let (at, turned) = (setting.at(&process), back.bind(&setting.sizes, &process).expect("sizes"));
            for (there, back) in scheme.streams.iter().zip(&back.streams).filter(|(there, _)| there.is_stationary()) {
                let other = (back.after.at(&turned), back.before.at(&turned));
                assert_eq!((there.before.at(&at), there.after.at(&at)), other, "{}", setting.show());
            }
        }
    }
}
