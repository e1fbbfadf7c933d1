//! The least capacities that keep the cycles, against brute force over all vectors of capacities.

use super::common::{matrix, program, sizes, tensors};
use std::cmp::Reverse;
use std::fs;
use std::path::{Path, PathBuf};
use systole_base::integer::Bindings;
use systole_program::array::{Program, Tensors};
use systole_run::sim::fit::{Fit, fit};
use systole_run::sim::{Settings, simulate};

struct Case {
    program: Program,
    sizes: Bindings,
    inputs: Tensors,
}

impl Case {
    fn new(text: &str) -> Case {
        let program = program(text);
        let pairs: Vec<(&str, i64)> = program.parameters.iter().map(|parameter| (&**parameter, 4)).collect();
        Case { sizes: sizes(&pairs), program, inputs: Tensors::new() }
    }

    fn fit(&self) -> Fit {
        let fitted = fit(&self.program, &self.sizes, &self.inputs, &Settings::default()).expect("a run");
        fitted.expect("no deadlock")
    }

    fn keeps(&self, capacities: &[u64], cycles: u64) -> bool {
        let names = self.program.channels.iter().map(|channel| channel.name.clone());
        let settings = Settings { capacities: names.zip(capacities.iter().copied()).collect(), ..Settings::default() };
        let outcome = simulate(&self.program, &self.sizes, &self.inputs, &settings).expect("a run");
        outcome.deadlock.is_none() && outcome.cycles <= cycles
    }

    /// What is found is what brute force finds: alone, and together with the fewest raised and the fewest slots.
    fn hold(&self) -> Fit {
        let fitted = self.fit();
        let column =
            |of: fn(&systole_run::sim::fit::FittedChannel) -> u64| fitted.channels.iter().map(of).collect::<Vec<u64>>();
        let (declared, alone, together) = (column(|c| c.declared), column(|c| c.alone), column(|c| c.fitted));
        for (number, least) in alone.iter().enumerate() {
            let with = |capacity| {
                let mut capacities = declared.clone();
                capacities[number] = capacity;
                self.keeps(&capacities, fitted.cycles)
            };
            assert_eq!((1..).find(|capacity| with(*capacity)), Some(*least), "{}", self.program.kernel);
        }
        let raised = |way: &[u64]| way.iter().zip(&alone).filter(|(mine, least)| mine > least).count();
        let ways = vectors(&declared).into_iter().filter(|way| self.keeps(way, fitted.cycles));
        let best = ways.min_by_key(|way| (raised(way), way.iter().sum::<u64>(), Reverse(way.clone())));
        assert_eq!(best, Some(together), "{}", self.program.kernel);
        assert!(fitted.is_least);
        fitted
    }
}

/// All vectors from 1 to these.
fn vectors(most: &[u64]) -> Vec<Vec<u64>> {
    most.iter().fold(vec![vec![]], |ways, most| {
        ways.iter().flat_map(|way: &Vec<u64>| (1..=*most).map(move |next| [way.clone(), vec![next]].concat())).collect()
    })
}

#[test]
fn the_twins_of_the_deadlocks_have_the_capacities_of_brute_force() {
    let folder = Path::new(env!("SYSTOLE_ROOT")).join("tests/sim/deadlocks");
    let paths = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let twins: Vec<PathBuf> = paths.filter(|path| path.to_string_lossy().ends_with(".twin.pe")).collect();
    assert!(twins.len() >= 12);
    for path in twins {
        Case::new(&fs::read_to_string(path).expect("a program")).hold();
    }
}

#[test]
fn a_fork_that_deadlocks_with_one_slot_is_given_two() {
    let text = include_str!("deadlocks/fork-join.twin.pe");
    assert_eq!(Case::new(text).fit().channels[1].fitted, 2);
    let stuck = Case::new(include_str!("deadlocks/fork-join.pe"));
    assert_eq!(fit(&stuck.program, &stuck.sizes, &stuck.inputs, &Settings::default()).expect("a run"), None);
}

/// PE 1 has two cycles to spare, and each channel with one slot costs two.
const SPARE: &str = "(program spare (version 1) (grid (p 0 1))
  (channel a (offset 1) (latency 1) (depth 2)) (channel b (offset 1) (latency 1) (depth 2))
  (class giver (guard (= p 0)) (let x 1) (send a x) (send a x) (send b x) (send b x))
  (class taker (guard (= p 1)) (recv x a) (recv x a) (recv x b) (recv x b) (at 3) (tick 1)))";

#[test]
fn what_is_enough_alone_may_not_be_enough_together() {
    let fitted = Case::new(SPARE).hold();
    let pairs: Vec<(u64, u64)> = fitted.channels.iter().map(|channel| (channel.alone, channel.fitted)).collect();
    assert_eq!(pairs, [(1, 2), (1, 1)]);
    assert!(!fitted.is_enough_alone());
    assert!(fitted.to_table().contains("raised `a` from 1 to 2"), "{}", fitted.to_table());
    let spare = Case::new(&SPARE.replace("(at 3)", "(at 5)")).hold();
    assert!(spare.is_enough_alone() && spare.channels.iter().all(|channel| channel.fitted == 1));
}

/// Two slots each: the word of a cycle and the one whose slot is not free yet; with one word of each operand, one.
#[test]
fn the_textbook_array_needs_two_slots_as_soon_as_two_words_pass() {
    for (n, k, slots) in [(3, 4, 2), (3, 2, 2), (3, 1, 1)] {
        let inputs = tensors(vec![("A", matrix(n, k, 1)), ("B", matrix(k, n, 2))]);
        let sizes = sizes(&[("N", n as i64), ("K", k as i64)]);
        let fitted = Case { program: program(include_str!("os-feeders.pe")), sizes, inputs }.hold();
        assert!(fitted.channels.iter().all(|channel| channel.fitted == slots), "K = {k}: {fitted:?}");
    }
}

#[test]
fn capacities_by_name_are_checked_and_come_before_the_general_one() {
    let case = Case::new(SPARE);
    let text = |settings: &Settings| simulate(&case.program, &case.sizes, &case.inputs, settings);
    let zero = Settings { capacities: [("a".into(), 0)].into(), ..Settings::default() };
    assert!(text(&zero).expect_err("no slot").iter().any(|fault| fault.message().contains("`a` is 0")));
    let both = Settings { capacities: [("a".into(), 2)].into(), capacity: Some(1), ..Settings::default() };
    assert_eq!(text(&both).expect("a run").cycles, 4);
    assert_eq!(text(&Settings { capacity: Some(1), ..Settings::default() }).expect("a run").cycles, 6);
}
