//! What is kept of a run against what is counted of it, exactly; and where it is cut.

use super::made::Made;
use ndarray::{Array2, ArrayD};
use systole::array::{Program, Tensors, parse};
use systole::integer::{Bindings, name};
use systole::report::{Access, Doing, Film, ListingRow, Lit, Recorder, Run, Word};
use systole::sim::{Outcome, Settings, simulate_observed};

const FEEDERS: &str = include_str!("../sim/os-feeders.pe");

fn matrix(rows: usize, columns: usize) -> ArrayD<f64> {
    Array2::from_shape_fn((rows, columns), |(row, column)| (row * 7 + column * 3) as f64 - 5.0).into_dyn()
}

fn program(text: &str) -> Program {
    parse("test.pe", text).unwrap_or_else(|faults| panic!("{}", systole::diagnostic::render(&faults, false)))
}

fn sizes(pairs: &[(&str, i64)]) -> Bindings {
    pairs.iter().map(|(key, value)| (name(key), *value)).collect()
}

fn run(program: &Program, pairs: &[(&str, i64)], inputs: &Tensors, settings: &Settings) -> (Outcome, Run) {
    let mut recorder = Recorder::default();
    let outcome = simulate_observed(program, &sizes(pairs), inputs, settings, &mut recorder).expect("a run");
    let run = Run::new(program, &outcome, recorder);
    (outcome, run)
}

fn fed(latency: u64, settings: &Settings) -> (Outcome, Run) {
    let inputs = [(name("A"), matrix(3, 9)), (name("B"), matrix(9, 3))].into_iter().collect();
    let mut program = program(FEEDERS);
    program.channels.iter_mut().for_each(|channel| channel.latency = latency);
    run(&program, &[("N", 3), ("K", 9)], &inputs, settings)
}

/// How many cycles of a film a PE spends busy, stalled, starved and idle.
fn tally(film: &Film, pe: usize) -> [u64; 4] {
    let mut tally = [0; 4];
    for cycle in 0..film.cycles {
        let state = match film.doing(pe, cycle) {
            Some(Doing::Busy) => 0,
            Some(Doing::Stalled) => 1,
            Some(Doing::Starved) => 2,
            None => 3,
        };
        tally[state] += 1;
    }
    tally
}

#[test]
fn the_states_of_each_cycle_add_up_to_the_counters() {
    for (capacity, latency) in [(1, 1), (2, 1), (1, 3), (4, 2)] {
        let settings = Settings { capacity: Some(capacity), ..Settings::default() };
        let (outcome, run) = fed(latency, &settings);
        let film = run.film.expect("a small array is drawn");
        assert_eq!(film.cycles, outcome.cycles);
        for (pe, counted) in outcome.counters.pes.iter().enumerate() {
            let idle = counted.idle_before + counted.idle_between + counted.idle_after;
            let expected = [counted.busy, counted.stalled, counted.starved, idle];
            assert_eq!(tally(&film, pe), expected, "PE {:?} of {settings:?}", counted.point);
        }
        assert!(run.left_out.is_empty());
    }
}

#[test]
fn every_word_and_every_access_is_kept_with_its_times() {
    let (outcome, run) = fed(1, &Settings::default());
    let film = run.film.expect("a small array is drawn");
    assert_eq!(film.words.len() as u64, outcome.counters.messages());
    for Word(wire, sent, received, _) in &film.words {
        let channel = run.channels[film.wires[*wire].0].latency;
        assert!(received.expect("received") >= sent + channel);
    }
    let traffic = |out: bool| film.accesses.iter().filter(|access| access.4 == out).count() as u64;
    let counted = |count: fn(&systole::shared::MemoryTraffic) -> u64| -> u64 {
        outcome.counters.memory.iter().map(|(_, traffic)| count(traffic)).sum()
    };
    assert_eq!((traffic(false), traffic(true)), (counted(|memory| memory.loaded), counted(|memory| memory.stored)));
    let stored: Vec<&Access> = film.accesses.iter().filter(|access| access.4).collect();
    assert!(stored.iter().any(|access| access.2 == "C[0, 0]"), "elements have names: {stored:?}");
}

/// Busy cycles of one PE: a film of one PE may have 2^17 cycles.
fn ticking(last: i64) -> (Outcome, Run) {
    let text = "(program ticks (version 1) (parameters N) (grid (p0 0 0))
                  (class a (guard (= p0 0)) (loop k 1 N (tick 1))))";
    run(&program(text), &[("N", last)], &Tensors::new(), &Settings::default())
}

#[test]
fn a_film_ends_at_its_budget_and_says_so() {
    let budget = 1 << 17;
    let (_, whole) = ticking(budget);
    assert_eq!((whole.film.unwrap().cycles, whole.left_out), (budget as u64, vec![]));
    let (outcome, cut) = ticking(budget + 1);
    let film = cut.film.unwrap();
    assert_eq!((outcome.cycles, film.cycles), (budget as u64 + 1, budget as u64));
    assert_eq!(tally(&film, 0), [budget as u64, 0, 0, 0]);
    assert!(cut.left_out[0].starts_with("The first 131072 of 131073 cycles"), "{:?}", cut.left_out);
    assert_eq!(cut.rows[0].busy, budget as u64 + 1, "counters cover the whole run");
}

fn grid(rows: i64, columns: i64) -> Run {
    let text = "(program grid (version 1) (parameters M N) (grid (p0 0 (- M 1)) (p1 0 (- N 1)))
                  (class a (guard (>= p0 0)) (loop k 0 p1 (tick 1))))";
    run(&program(text), &[("M", rows), ("N", columns)], &Tensors::new(), &Settings::default()).1
}

#[test]
fn arrays_up_to_32_by_32_are_drawn_and_larger_ones_have_a_heat_map_only() {
    let drawn = grid(32, 32);
    assert!(drawn.film.is_some() && drawn.left_out.is_empty());
    assert_eq!((drawn.array.pes.len(), drawn.rows.len()), (1024, 1024));
    let large = grid(33, 32);
    assert!(large.film.is_none() && large.rows.is_empty() && large.array.pes.is_empty());
    assert!(large.left_out[0].contains("33 × 32 PEs is not drawn cycle by cycle"), "{:?}", large.left_out);
    assert_eq!(large.heat.unwrap().cells.len(), 33 * 32);
}

/// PE (i, j) of a grid of n columns is busy in j + 1 of n cycles.
#[test]
fn the_heat_map_is_the_share_of_busy_cycles_and_large_ones_are_means() {
    let small = grid(2, 4).heat.unwrap();
    assert_eq!((small.rows, small.columns, small.block), (2, 4, (1, 1)));
    assert_eq!(small.cells, [0.25, 0.5, 0.75, 1.0, 0.25, 0.5, 0.75, 1.0].map(Some));
    let one = grid(64, 64).heat.unwrap();
    assert_eq!((one.rows, one.columns, one.block), (64, 64, (1, 1)));
    let blocks = grid(65, 66).heat.unwrap();
    assert_eq!((blocks.rows, blocks.columns, blocks.block), (33, 33, (2, 2)));
    let mean = (1.0 / 66.0 + 2.0 / 66.0) / 2.0;
    assert!((blocks.cells[0].unwrap() - mean).abs() < 1e-12);
}

#[test]
fn the_page_of_a_kernel_has_the_run_the_schedule_and_the_proofs() {
    let flags = ["run", "kernels/matmul.rec", "--schedule", "cannon", "--size", "M=3,N=4,K=2"];
    let made = Made::new(&flags, None);
    assert_eq!(made.code, Some(0), "{}", made.printed);
    let data = made.data();
    assert_eq!(data["sizes"], serde_json::json!([["M", 3], ["N", 4], ["K", 2]]));
    assert_eq!(data["schedule"][0]["time"], "i + j + k");
    assert_eq!(data["schedule"][0]["place"], "(i, j)");
    assert_eq!(data["proofs"].as_array().unwrap().len(), 13);
    assert!(data["rules"].as_array().unwrap().len() > 5);
    let run = &data["run"];
    assert_eq!(run["cycles"], 7);
    assert_eq!(run["array"]["pes"].as_array().unwrap().len(), 12);
    let busy: u64 = run["rows"].as_array().unwrap().iter().map(|row| row["busy"].as_u64().unwrap()).sum();
    assert_eq!(busy, 3 * 4 * 2);
    assert!(run["channels"].as_array().unwrap().iter().all(|row| row["used"].as_u64() <= row["declared"].as_u64()));
}

/// As many `send` lines are lit as words leave a PE in a cycle, and as many `load` lines as elements come.
#[test]
fn lit_lines_are_what_happens() {
    let (_, run) = fed(2, &Settings::default());
    let film = run.film.expect("a small array is drawn");
    let class_of = |pe: usize| run.program.iter().find(|class| class.name == run.rows[pe].class).expect("its class");
    let lit = |pe: usize, cycle: u64, word: &str| {
        let span = film.lit[pe].iter().find(|Lit(_, from, to)| (*from..*to).contains(&cycle));
        let set = span.map_or(&[][..], |Lit(set, ..)| &film.sets[*set]);
        let is_lit = |line: &&ListingRow| line.1.is_some_and(|number| set.contains(&number)) && line.0.contains(word);
        class_of(pe).lines.iter().filter(is_lit).count()
    };
    let mut seen = 0;
    for (pe, cycle) in (0..film.spans.len()).flat_map(|pe| (0..film.cycles).map(move |cycle| (pe, cycle))) {
        let sent = film.words.iter().filter(|word| film.wires[word.0].1 == pe && word.1 == cycle).count();
        let loaded = film.accesses.iter().filter(|access| access.0 == pe && access.1 == cycle && !access.4).count();
        assert_eq!((lit(pe, cycle, "(send "), lit(pe, cycle, "(load ")), (sent, loaded), "PE {pe} in cycle {cycle}");
        seen += sent + loaded;
    }
    assert!(seen > 0);
}
