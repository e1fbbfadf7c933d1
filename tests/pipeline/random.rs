//! Random kernels under random maps: what the search calls legal is proved and runs as predicted; what is refuted fails
//! where the counterexample says; nothing panics.

use super::common::fixed;
use super::common::{Bench, Kernel, few_or, load, machine, shown, with_memory};
use super::grown;
use super::grown::Choices;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::time::Duration;
use systole::extract;
use systole::extract::enumerate::verify;
use systole::extract::{Constraint, Found};
use systole::integer::{Bindings, Matrix, Vector};
use systole::machine::Machine;
use systole::mapping::candidates::Bounds;
use systole::mapping::{Fold, SpaceDesign, SpaceTimeMap, candidates};
use systole::network::Network;
use systole::obligation::Kind;
use systole::rewrite::{Dataflow, Transport};
use systole::smt::{Verdict, discharge_all};
use systole::timing::obligations;

const AMPLE: Duration = Duration::from_secs(20);

/// The same cases every time, unless `PROPTEST_CASES` asks for many others.
fn config(cases: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|count| count.parse().ok());
    let rng_seed = if asked.is_some() { RngSeed::Random } else { RngSeed::Fixed(20_260) };
    ProptestConfig {
        cases: asked.unwrap_or(cases),
        rng_seed,
        failure_persistence: None,
        max_shrink_iters: 100,
        ..ProptestConfig::default()
    }
}

/// A random place of at most two rows.
fn place(dimension: usize, choices: &mut Choices) -> Matrix {
    let rank = choices.choose(dimension.min(3));
    choices.pick(&candidates::places(dimension, rank, 1)).clone()
}

/// More forms than this under one map are not listed.
const MOST_FORMS: usize = 20_000;

/// All designs with this place, and with this step where it is given; `None` where the kernel is refused or has too many.
fn survey(kernel: &Kernel, machine: &Machine, sizes: &Bindings, constraint: Constraint) -> Option<Vec<Found>> {
    let choices = &kernel.choices;
    let forms =
        choices.transports.iter().fold(choices.chains.len(), |forms, offered| forms.saturating_mul(offered.len()));
    if forms > MOST_FORMS {
        return None;
    }
    let bounds = Bounds { steps: (-1, 2), ..Bounds::for_dimension(kernel.space.dimension()) };
    let problem = kernel.problem(machine, bounds, sizes, constraint).ok()?;
    Some(extract::search(&problem, true, &|_, _| true).all)
}

fn sizes(kernel: &Kernel, largest: usize, choices: &mut Choices) -> Bindings {
    kernel.space.parameters.iter().map(|parameter| (parameter.clone(), 1 + choices.choose(largest) as i64)).collect()
}

/// A legal design is proved and runs as predicted, at other sizes too; a program may be refused, with a message.
fn hold(kernel: &Kernel, machine: &Machine, found: &Found, choices: &mut Choices) -> Result<(), String> {
    for _ in 0..3 {
        let sizes = sizes(kernel, 4, choices);
        let cost = verify(&kernel.space, machine, &sizes, found)
            .map_err(|fault| format!("legal, but at {sizes:?} {fault}: {found:?}"))?;
        let found = Found { cost, ..found.clone() };
        Bench::new(kernel, machine, sizes.clone()).hold(&found)?;
        let filling = choices.choose(1000) as u64;
        Bench::new(kernel, machine, sizes.clone()).with_specials(filling).hold(&found)?;
        hold_on_slow_memory(kernel, machine, (&found, &sizes), choices)?;
    }
    Ok(())
}

/// A latency of memory changes no value, and costs what is predicted; as many loads are outstanding as the checker counts at most.
fn hold_on_slow_memory(
    kernel: &Kernel,
    machine: &Machine,
    (found, sizes): (&Found, &Bindings),
    choices: &mut Choices,
) -> Result<(), String> {
    let latency = *choices.pick(&[1, 2, 3, 7, 30]);
    let slow = with_memory(machine.clone(), latency, *choices.pick(&[None, None, Some(1), Some(2), Some(5)]));
    verify(&kernel.space, &slow, sizes, found).map_err(|fault| format!("{fault}: {found:?}"))?;
    Bench::new(kernel, &slow, sizes.clone()).hold(found)
}

fn prove(kernel: &Kernel, machine: &Machine, found: &Found) -> Result<(), String> {
    let design = kernel.design(found);
    let stated = obligations(&design, &machine.links).map_err(|problems| shown(&problems))?;
    match discharge_all(&stated, AMPLE).iter().find(|proof| proof.verdict != Verdict::Proved) {
        Some(proof) => {
            Err(format!("{} of {} is {:?}: {found:?}", proof.obligation.kind, proof.obligation.of, proof.verdict))
        }
        None => Ok(()),
    }
}

proptest! {
    #![proptest_config(config(few_or(40, 150)))]

    #[test]
    fn legal_designs_are_proved_and_run_as_predicted(numbers in vec(any::<u32>(), 80)) {
        let choices = &mut Choices::new(numbers);
        let text = grown::kernel(choices);
        let Ok(kernel) = load(&text) else { return Ok(()) };
        let machine = machine(*choices.pick(&[Network::Mesh, Network::Mesh, Network::Wire, Network::Hex]));
        let places = vec![Some(place(kernel.space.dimension(), choices))];
        let constraint = Constraint { places, ..Constraint::default() };
        let Some(legal) = survey(&kernel, &machine, &sizes(&kernel, 4, choices), constraint) else { return Ok(()) };
        for _ in 0..legal.len().min(3) {
            let found = choices.pick(&legal);
            prop_assert_eq!(hold(&kernel, &machine, found, choices), Ok(()), "{}", text);
            prop_assert_eq!(prove(&kernel, &machine, found), Ok(()), "{}", text);
        }
    }
}

/// A map and a form drawn blindly.
fn blind(kernel: &Kernel, choices: &mut Choices) -> Option<Found> {
    let dimension = kernel.space.dimension();
    let entries = [1, 0, 1, -1, 2];
    let row = |choices: &mut Choices| (0..dimension).map(|_| *choices.pick(&entries)).collect::<Vector>();
    let place = place(dimension, choices);
    let rows = if choices.choose(4) == 0 { 1 + choices.choose(2) } else { dimension - place.rows().len() };
    let step = Matrix::new((0..rows.max(1)).map(|_| row(choices)).collect(), dimension);
    let offered = kernel.choices.transports.iter();
    let transports = offered.map(|offered| (!offered.is_empty()).then(|| choices.pick(offered).clone()));
    let transports: Vec<_> = transports.collect::<Option<_>>()?;
    let chain = (!kernel.choices.chains.is_empty()).then(|| choices.pick(&kernel.choices.chains).clone())?;
    Some(Found {
        cost: Default::default(),
        parts: vec![SpaceDesign::unshifted(SpaceTimeMap { place, step }, Dataflow { transports, chain })],
        fold: Fold::default(),
    })
}

/// Whether the search, held to this map and this form, finds it.
fn is_found(kernel: &Kernel, machine: &Machine, found: &Found) -> bool {
    let constraint = fixed(&found.parts[0].map);
    let sizes = kernel.space.parameters.iter().map(|parameter| (parameter.clone(), 3)).collect();
    let legal = survey(kernel, machine, &sizes, constraint).unwrap_or_default();
    legal
        .iter()
        .any(|known| known.parts[0].map == found.parts[0].map && known.parts[0].dataflow == found.parts[0].dataflow)
}

fn judge(kernel: &Kernel, machine: &Machine, found: &Found, choices: &mut Choices) -> Result<&'static str, String> {
    let design = kernel.design(found);
    let legal = is_found(kernel, machine, found);
    let stated = match obligations(&design, &machine.links) {
        Ok(stated) => stated,
        Err(problems) if legal => return Err(format!("legal, but {}", shown(&problems))),
        Err(_) => return Ok("not stated"),
    };
    let proofs = discharge_all(&stated, AMPLE);
    for proof in &proofs {
        if let Verdict::Refuted(example) = &proof.verdict {
            if proof.obligation.violation.holds(&example.bindings()) != Some(true) {
                return Err(format!("{example} is no counterexample"));
            }
            if legal {
                return Err(format!("legal, but {} is refuted: {example}", proof.obligation.kind));
            }
            // The checker has no routes and no bus wires; it sees everything else point by point.
            let sizes: Bindings = example.sizes().iter().cloned().collect();
            if proof.obligation.kind != Kind::LinkConflict && verify(&kernel.space, machine, &sizes, found).is_ok() {
                return Err(format!(
                    "{} is refuted by {example}, where the checker finds no fault",
                    proof.obligation.kind
                ));
            }
        }
    }
    if proofs.iter().any(|proof| proof.verdict != Verdict::Proved) {
        return Ok("refuted");
    }
    // Every program that can be written for a proved design is right, on a machine that has its buses. The checker counts by closed
    // clocks; what runs in rounds is held to its calendar in `tests/systems/rounds.rs`.
    if has_buses(found) && !design.runs_in_rounds() && emits(kernel, machine, found) {
        hold(kernel, machine, found, choices)?;
    }
    Ok(if legal { "legal" } else { "proved, not found" })
}

/// Whether all buses run along an axis of the array, as those of a machine do.
fn has_buses(found: &Found) -> bool {
    let axes = |along: &Vector| found.parts[0].map.displacement(along).iter().filter(|entry| **entry != 0).count();
    found.parts[0].dataflow.transports.iter().all(|transport| match transport {
        Transport::Broadcast(along) => axes(along) == 1,
        _ => true,
    })
}

fn emits(kernel: &Kernel, machine: &Machine, found: &Found) -> bool {
    systole::emit::emit(&kernel.design(found), &machine.links).is_ok()
}

proptest! {
    #![proptest_config(config(few_or(80, 300)))]

    #[test]
    fn solver_search_and_checker_agree_on_any_design(numbers in vec(any::<u32>(), 80)) {
        let choices = &mut Choices::new(numbers);
        let text = grown::kernel(choices);
        let Ok(kernel) = load(&text) else { return Ok(()) };
        let machine = machine(*choices.pick(&[Network::Mesh, Network::Mesh, Network::Wire, Network::King]));
        for _ in 0..4 {
            let Some(found) = blind(&kernel, choices) else { return Ok(()) };
            let judged = judge(&kernel, &machine, &found, choices);
            prop_assert!(judged.is_ok(), "{}\n{}\n{:?}", judged.unwrap_err(), text, found);
        }
    }
}
