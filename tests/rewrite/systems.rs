//! All spaces of a kernel in one e-graph: what it holds, and the choices of each space.

use crate::system_kernels::*;
use std::collections::BTreeSet;
use systole_base::integer::lexicographic_sign;
use systole_base::span::Source;
use systole_compile::rewrite::{Limits, Lowered, Transport, load_rules, null_directions, saturate};
use systole_equations::recurrence::spaces::SpaceSystem;
use systole_equations::recurrence::{load, one_space};

pub fn lower(system: &SpaceSystem) -> Lowered {
    saturate(system, &load_rules(None).unwrap(), &Limits::default()).unwrap()
}

/// One line a space and operand: `X.sum: X[j]: stream <-i>, stream <i>, handoff`, then its chains.
fn show(lowered: &Lowered) -> Vec<String> {
    let choices = lowered.choices().unwrap();
    let mut lines = vec![];
    for (space, choices) in lowered.spaces().iter().zip(&choices) {
        for (operand, list) in space.operands.iter().zip(&choices.transports) {
            let words: Vec<String> = list.iter().map(|transport| transport.show(space)).collect();
            let access: Vec<String> = operand.access.iter().map(|form| form.to_string().replace(' ', "")).collect();
            lines.push(format!("{}: {}[{}]: {}", space.name, operand.tensor, access.join(","), words.join(", ")));
        }
        let chains = choices.chains.iter().filter(|chain| !chain.directions.is_empty()).map(|chain| {
            chain.directions.iter().map(|along| space.show_direction(along)).collect::<Vec<String>>().join(" ")
        });
        let chains: Vec<String> = chains.collect();
        if !chains.is_empty() {
            lines.push(format!("{}: {}", space.name, chains.join(", ")));
        }
    }
    lines
}

#[test]
fn saturation_counts() {
    let expected = [
        (TRISOLVE, (98, 56)),
        (TRSM, (142, 76)),
        (CHOLESKY, (160, 85)),
        (LU, (231, 113)),
        (SMITH_WATERMAN, (137, 69)),
        (PREFIX_SUM, (36, 19)),
        (JACOBI1D, (100, 49)),
        (TRIANGULAR_INVERSE, (146, 78)),
        (PLAIN_ATTENTION, (398, 183)),
    ];
    for (text, counts) in expected {
        let report = lower(&cut(text)).report;
        assert_eq!(report.stop, "Saturated", "{text}");
        assert_eq!((report.nodes, report.classes), counts, "{text}");
    }
}

#[test]
fn the_triangular_solve_streams_what_it_solves() {
    let expected = [
        "X.sum: L[i,j]: prefetch, feed",
        "X.sum: X[j]: stream <-i>, stream <i>, broadcast <i>, handoff, local, memory",
        "X.sum: <-j>, <j>",
        "X: B[i]: prefetch, feed",
        "X: X.sum[i]: handoff",
        "X: L[i,i]: prefetch, feed",
    ];
    assert_eq!(show(&lower(&cut(TRISOLVE))), expected);
}

#[test]
fn several_right_hand_sides_share_the_matrix() {
    let expected = [
        "X.sum: L[i,j]: stream <-r>, stream <r>, broadcast <r>, prefetch, feed",
        "X.sum: X[r,j]: stream <-i>, stream <i>, broadcast <i>, handoff, local, memory",
        "X.sum: <-j>, <j>",
        "X: B[r,i]: prefetch, feed",
        "X: X.sum[r,i]: handoff",
        "X: L[i,i]: stream <-r>, stream <r>, broadcast <r>, prefetch, feed",
    ];
    assert_eq!(show(&lower(&cut(TRSM))), expected);
}

#[test]
fn both_equations_of_cholesky_take_from_one_sum() {
    let expected = [
        "L: A[i,i]: prefetch, feed",
        "L: L.sum.2[i,i]: handoff",
        "L.sum.2: L[i,k]: stream <-j>, stream <j>, broadcast <j>, handoff, local, memory",
        "L.sum.2: L[j,k]: stream <-i>, stream <i>, broadcast <i>, handoff, local, memory",
        "L.sum.2: <-k>, <k>",
        "L.2: A[i,j]: prefetch, feed",
        "L.2: L.sum.2[i,j]: handoff",
        "L.2: L[j,j]: stream <-i>, stream <i>, broadcast <i>, handoff, local, memory",
    ];
    assert_eq!(show(&lower(&cut(CHOLESKY))), expected);
}

#[test]
fn computed_tensors_are_never_loaded() {
    for text in ALL {
        let system = cut(text);
        let choices = lower(&system).choices().unwrap();
        for (position, space) in system.spaces.iter().enumerate() {
            for (operand, sources) in system.sources[position].iter().enumerate() {
                let nulls = null_directions(space, &space.operands[operand].access);
                let found = &choices[position].transports[operand];
                let streams = nulls.iter().cloned().map(Transport::Stream);
                let first = |along: &&Vec<i64>| lexicographic_sign(along) > 0;
                let buses = nulls.iter().filter(first).cloned().map(Transport::Broadcast);
                let expected: BTreeSet<Transport> = match sources.is_empty() {
                    // What a reduction inside an equation gives is handed over; a tensor may be broadcast or stored as well.
                    false if system.tensors.iter().all(|tensor| tensor.name != space.operands[operand].tensor) => {
                        streams.chain([Transport::Handoff]).collect()
                    }
                    false => {
                        let stored = [Transport::Handoff, Transport::Local, Transport::Memory];
                        streams.chain(buses).chain(stored).collect()
                    }
                    true if space.operands[operand].access.iter().all(|form| !form.mentions(space.indices())) => {
                        [Transport::Prefetch].into()
                    }
                    true => streams.chain(buses).chain([Transport::Prefetch, Transport::Feed]).collect(),
                };
                assert_eq!(found.iter().cloned().collect::<BTreeSet<_>>(), expected, "{}", space.name);
                assert_eq!(found.len(), expected.len());
            }
        }
    }
}

#[test]
fn one_space_alone_has_the_choices_it_has_in_a_system() {
    let folder = std::path::Path::new(env!("SYSTOLE_ROOT")).join("kernels");
    let mut compared = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_file() {
            continue;
        }
        let text = std::fs::read_to_string(path).unwrap();
        let Ok(space) = one_space(&load(&Source::new("test.rec", text.as_str())).unwrap()) else { continue };
        let system = cut(&text);
        let lowered = lower(&system);
        let alone =
            saturate(&SpaceSystem::of_one(space.clone()), &load_rules(None).unwrap(), &Limits::default()).unwrap();
        assert_eq!(lowered.choices().unwrap(), alone.choices().unwrap(), "{}", system.kernel);
        assert_eq!((lowered.report.nodes, lowered.report.classes), (alone.report.nodes, alone.report.classes));
        compared += 1;
    }
    assert!(compared >= 6);
}

#[test]
fn every_choice_is_in_the_graph_and_no_other() {
    for text in ALL {
        let lowered = lower(&cut(text));
        for (position, choices) in lowered.choices().unwrap().iter().enumerate() {
            assert!(choices.dataflows().all(|dataflow| lowered.term(position, &dataflow).is_some()), "{text}");
            let mut wrong = choices.dataflows().next().unwrap();
            wrong.transports[0] = Transport::Stream(vec![1; lowered.spaces()[position].dimension()]);
            let offered = choices.transports[0].contains(&wrong.transports[0]);
            assert_eq!(lowered.term(position, &wrong).is_some(), offered, "{text}");
        }
    }
}

#[test]
fn what_no_rule_makes_is_not_chosen() {
    let all = load_rules(None).unwrap();
    let choices = |text: &str, rule: &str| {
        let lowered = saturate(&cut(text), &all.clone().without(rule), &Limits::default()).unwrap();
        lowered.choices().map_err(|wrong| wrong[0].message().to_owned())
    };
    let streams = choices(TRISOLVE, "inner-send").unwrap();
    let bus = Transport::Broadcast(vec![1, 0]);
    assert_eq!(streams[0].transports[1], [bus.clone(), Transport::Handoff, Transport::Local, Transport::Memory]);
    let [up, down] = [vec![-1, 0], vec![1, 0]].map(Transport::Stream);
    let carried = choices(TRISOLVE, "choose-bus").unwrap();
    let stored = [Transport::Handoff, Transport::Local, Transport::Memory];
    assert_eq!(carried[0].transports[1], [&[up.clone(), down.clone()][..], &stored].concat());
    let kept = choices(TRISOLVE, "choose-handoff").unwrap();
    assert_eq!(kept[0].transports[1], [up.clone(), down.clone(), bus.clone(), Transport::Local, Transport::Memory]);
    let handed = choices(TRISOLVE, "choose-local").unwrap();
    assert_eq!(handed[0].transports[1], [up.clone(), down.clone(), bus.clone(), Transport::Handoff, Transport::Memory]);
    let kept = choices(TRISOLVE, "choose-memory").unwrap();
    assert_eq!(kept[0].transports[1], [up, down, bus, Transport::Handoff, Transport::Local]);
    assert_eq!(choices(TRISOLVE, "outer-send").unwrap_err(), "no rule makes a space of the reduction into `X.sum`");
    let stored = ["choose-local", "choose-memory", "choose-handoff", "choose-bus"];
    let unkept = stored.iter().fold(all.clone(), |rules, rule| rules.without(rule));
    let lowered = saturate(&cut(PLAIN_ATTENTION), &unkept, &Limits::default()).unwrap();
    assert_eq!(lowered.choices().unwrap_err()[0].message(), "no rule lowers the read of `S[i,0]`");
    let both = [Transport::Handoff, Transport::Local, Transport::Memory];
    for rule in ["choose-handoff", "self-dep"] {
        assert_eq!(choices(SMITH_WATERMAN, rule).unwrap()[0].transports[0], both, "{rule}");
    }
}

#[test]
fn the_same_system_gives_the_same_graph() {
    for text in ALL {
        let (one, other) = (lower(&cut(text)), lower(&cut(text)));
        assert_eq!(one.dump(), other.dump());
        assert_eq!(one.choices().unwrap(), other.choices().unwrap());
    }
}
