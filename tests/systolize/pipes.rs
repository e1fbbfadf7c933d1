//! The statements P14 to P20 and P25 about schemes, on random designs: what a process passes on of each pipe.

use crate::pool::Sample;
use crate::setting::{contents, for_processes, settings};
use std::collections::BTreeSet;
use systole_base::integer::Vector;
use systole_compile::systolize::{Loading, systolize};

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
            |forms: &Vec<systole_base::integer::Affine>| forms.iter().map(|form| form.evaluate(at)).collect::<Vec<_>>();
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
