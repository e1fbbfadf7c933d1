//! Random kernels of one to three equations in random tiles through all stages: the bits of the meaning in the order of the tiles,
//! at sizes that do not divide, smaller than a tile, and 1.
//!
//! A kernel that cannot be tiled so is refused with a reason; that most can is held too. `PROPTEST_CASES` sets the number of
//! kernels; their seed is fixed.

use super::common::{few_or, filled_inputs, same_bits, shown};
use super::grown::Choices;
use super::grown_pairs;
use super::grown_systems::kernel;
use super::specials::{FILLINGS, special_inputs};
use ndarray::ArrayD;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use std::collections::BTreeSet;
use std::time::Duration;
use systole::array::Program;
use systole::cost::Objective;
use systole::emit::{emit, over_tiles};
use systole::extract::{Constraint, solve};
use systole::integer::{Bindings, Name, name};
use systole::machine::Machine;
use systole::mapping::Design;
use systole::mapping::candidates::Bounds;
use systole::recurrence::spaces::{SpaceSystem, cut_spaces, evaluate_system_in_order};
use systole::recurrence::{Chain, RecurrenceSystem, Space, Tensors, evaluate};
use systole::rewrite::RuleSet;
use systole::sim::{Settings, simulate};
use systole::smt::{Verdict, discharge_all};
use systole::span::Source;
use systole::tiles::{TileChains, TileSize, Tiled, evaluate_tiled, tile};
use systole::timing::obligations;
use systole::{array, recurrence, rewrite};

const KERNELS: u32 = if cfg!(debug_assertions) { 15 } else { few_or(40, 250) };

/// Sizes of the parameters `M` and `N`.
const SIZES: [(i64, i64); 4] = [(7, 5), (1, 1), (2, 9), (4, 3)];

/// What came of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Came {
    Refused,
    WithoutDesign,
    Ran,
}

fn sizes((m, n): (i64, i64)) -> Bindings {
    Bindings::from([(name("M"), m), (name("N"), n)])
}

/// Tiles of one size along some of the indices, all of them if none is picked.
fn random_tiles(cut: &SpaceSystem, choices: &mut Choices) -> Vec<TileSize> {
    let indices: BTreeSet<&Name> = cut.spaces.iter().flat_map(|space| space.indices()).collect();
    let size = 2 + choices.choose(3) as i64;
    let picked: Vec<&Name> = indices.iter().copied().filter(|_| choices.choose(3) > 0).collect();
    let picked = if picked.is_empty() { indices.into_iter().collect() } else { picked };
    picked.into_iter().map(|index| TileSize { index: index.clone(), size, span: None }).collect()
}

/// The best design over tiles, proved where asked for, and its program.
fn best(
    tiled: &Tiled,
    system: &RecurrenceSystem,
    rules: &RuleSet,
    prove: bool,
) -> Result<Option<(SpaceSystem, Program, Vec<recurrence::Chain>)>, String> {
    let problems = |problems| shown(&problems);
    let cut = cut_spaces(&tiled.system).map_err(problems)?;
    let lowered = rewrite::saturate(&cut, rules, &rewrite::Limits::default()).map_err(problems)?;
    let offered = lowered.choices().map_err(problems)?;
    let dimension = cut.spaces.iter().map(Space::dimension).max().unwrap_or(0);
    let bounds = Bounds { ranks: vec![dimension.saturating_sub(1)], bound: 1, steps: (0, 1) };
    let (machine, none) = (Machine::default(), Constraint::none(&cut));
    let mut problem =
        solve::Task::new(&cut, &offered, bounds, &machine, &tiled.sizes(&sizes((7, 5))), none).map_err(problems)?;
    problem.limits.spaces = 0;
    let Some(found) = solve::search(&problem, false, &|_, _| true).sorted(Objective::Systolic).into_iter().next()
    else {
        return Ok(None);
    };
    let design = Design::new(&cut, found.parts.clone());
    if prove {
        let stated = obligations(&design, &machine.links).map_err(problems)?;
        let proofs = discharge_all(&stated, Duration::from_secs(60));
        if let Some(proof) = proofs.iter().find(|proof| proof.verdict != Verdict::Proved) {
            return Err(format!("{} is {:?}", proof.obligation.kind, proof.verdict));
        }
    }
    let program = over_tiles(emit(&design, &machine.links).map_err(problems)?, tiled, system);
    let chains = found.parts.iter().map(|part| part.dataflow.chain.clone()).collect();
    let text = array::print(&program);
    let program = array::parse("tiled.pe", &text).map_err(problems)?;
    Ok(Some((cut, program, chains)))
}

fn judge(text: &str, rules: &RuleSet, choices: &mut Choices, prove: bool) -> Result<Came, String> {
    let problems = |problems| shown(&problems);
    let system = recurrence::load(&Source::new("test.rec", text)).map_err(problems)?;
    let tiles = random_tiles(&cut_spaces(&system).map_err(problems)?, choices);
    let Ok(tiled) = tile(&system, &tiles) else { return Ok(Came::Refused) };
    let Some((cut, program, chains)) = best(&tiled, &system, rules, prove)? else { return Ok(Came::WithoutDesign) };
    let orders: Vec<_> = cut.spaces.iter().zip(&chains).collect();
    for at in SIZES {
        let of_system = |(parameter, _): &(Name, i64)| system.parameters.contains(parameter);
        let (at, orders) = (sizes(at).into_iter().filter(of_system).collect(), tiled.chains(&orders));
        hold(&system, (&tiled, &orders), &program, &at, &filled_inputs(&system, &at, false))
            .map_err(|what| format!("{what} with {tiles:?}"))?;
        for filling in 0..FILLINGS {
            let filling = filling + FILLINGS * choices.choose(1000) as u64;
            hold(&system, (&tiled, &orders), &program, &at, &special_inputs(&system, &at, filling))
                .map_err(|what| format!("{what} with {tiles:?}, specials {filling}"))?;
        }
    }
    Ok(Came::Ran)
}

/// A program over tiles has the bits of the equations over elements, in the order of the tiles.
fn hold(
    system: &RecurrenceSystem,
    (tiled, orders): (&Tiled, &TileChains),
    program: &Program,
    at: &Bindings,
    inputs: &Tensors,
) -> Result<(), String> {
    let problems = |problems| shown(&problems);
    same_meaning(system, tiled, at, inputs)?;
    let outcome = simulate(program, at, inputs, &Settings::default()).map_err(problems)?;
    let expected = evaluate_tiled(tiled, orders, at, inputs).map_err(problems)?;
    if let Some(deadlock) = &outcome.deadlock {
        return Err(format!("{deadlock:?} at {at:?}"));
    }
    let differs = |(tensor, values): &(&Name, &ArrayD<f64>)| !same_bits(&outcome.outputs[*tensor], values);
    expected.iter().find(differs).map_or(Ok(()), |(tensor, values)| {
        Err(format!("{tensor}: {} instead of {values} at {at:?} for {inputs:?}", outcome.outputs[tensor]))
    })
}

/// A change of form for the sake of tiles changes no bit: it moves elements, and leaves each its terms in their order.
fn same_meaning(system: &RecurrenceSystem, tiled: &Tiled, at: &Bindings, inputs: &Tensors) -> Result<(), String> {
    let problems = |problems| shown(&problems);
    let cut = cut_spaces(&tiled.elements).map_err(problems)?;
    let chains: Vec<Chain> = cut.spaces.iter().map(Chain::as_written).collect();
    let given = evaluate(system, at, inputs).map_err(problems)?;
    let changed = evaluate_system_in_order(&tiled.elements, &cut, &chains, at, inputs).map_err(problems)?;
    let differs = |tensor: &&Name| !same_bits(&given[*tensor], &changed[*tensor]);
    given.keys().find(differs).map_or(Ok(()), |tensor| Err(format!("`{tensor}` has changed at {at:?}")))
}

/// One kernel, always the same for its number.
fn config(case: u32) -> ProptestConfig {
    ProptestConfig {
        cases: 1,
        rng_seed: RngSeed::Fixed((20_261_u64 << 32) + u64::from(case)),
        failure_persistence: None,
        max_shrink_iters: 30,
        ..ProptestConfig::default()
    }
}

/// Takes random kernels through all stages; at least half of them must run.
fn take(kernels: u32, grow: impl Fn(&mut Choices) -> String) {
    let rules = rewrite::load_rules(None).expect("rules that ship");
    let (mut ran, mut refused, mut broken) = (0, 0, vec![]);
    for case in 0..kernels {
        let came = std::cell::Cell::new(Came::Refused);
        let outcome = TestRunner::new(config(case)).run(&vec(any::<u32>(), 60), |numbers| {
            let choices = &mut Choices::new(numbers);
            let text = grow(choices);
            let judged = judge(&text, &rules, choices, case.is_multiple_of(10));
            prop_assert!(judged.is_ok(), "{}\n{}", judged.unwrap_err(), text);
            came.set(judged.unwrap_or(Came::Refused));
            Ok(())
        });
        broken.extend(outcome.err().map(|why| format!("kernel {case}: {why}")));
        ran += u32::from(came.get() == Came::Ran);
        refused += u32::from(came.get() == Came::Refused);
    }
    assert!(broken.is_empty(), "{} of {kernels} kernels\n{}", broken.len(), broken.join("\n\n"));
    assert!(2 * ran >= kernels, "{ran} of {kernels} ran, {refused} cannot be tiled so");
}

fn kernels() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|number| number.parse().ok()).unwrap_or(KERNELS)
}

#[test]
fn random_kernels_in_random_tiles_have_the_bits_of_their_meaning() {
    take(kernels(), kernel);
}

#[test]
fn random_kernels_that_change_their_form_for_tiles_have_the_bits_of_their_meaning() {
    take(kernels() / 2, grown_pairs::kernel);
}
