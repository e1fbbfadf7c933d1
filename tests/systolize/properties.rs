//! The statements P1 to P13 about schemes, on random designs, each against enumeration.
//!
//! The numbers are those of the list that goes with the report's sections: processes, flows, the partition into pipes. `P3`
//! and `P7` have their refusals in `refusals`.

use crate::common::{plus, runs_with_one_slot};
use crate::pool::{Sample, samples};
use crate::setting::{contents, for_processes, for_users, has_neighbour, is_exact, settings};
use std::collections::BTreeSet;
use systole_base::integer::{Vector, dot, gcd};
use systole_compile::systolize::Stream;

#[test]
fn the_samples_cover_what_the_scheme_can_meet() {
    let count = |test: &dyn Fn(&Sample) -> bool| samples().iter().filter(|sample| test(sample)).count();
    assert_eq!(samples().len(), 150);
    assert!(count(&|sample| !runs_with_one_slot(&sample.scheme)) >= 5, "arrays that need their buffers");
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
