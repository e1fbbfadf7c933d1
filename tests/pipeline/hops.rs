//! Values that pass over several PEs: words of one handoff share the links between, so the steps are longer than a hop.

use super::common::{filled_inputs, same_bits, shown};
use std::time::Duration;
use systole::cost::Objective;
use systole::emit::emit;
use systole::extract::{Constraint, Found, Survey, solve};
use systole::integer::{Bindings, name};
use systole::machine::Machine;
use systole::mapping::Design;
use systole::mapping::candidates::Bounds;
use systole::recurrence::spaces::{SpaceSystem, cut_spaces};
use systole::recurrence::{RecurrenceSystem, evaluate};
use systole::rewrite::{Limits, Transport};
use systole::sim::{Settings, simulate};
use systole::smt::{Verdict, discharge_all};
use systole::span::Source;
use systole::timing::obligations;
use systole::{recurrence, rewrite};

/// Sums of every `over`-th element, on a line of PEs.
fn kernel(over: i64, time: &str) -> (RecurrenceSystem, SpaceSystem) {
    let text = format!(
        "kernel skip(N)\nin A[N]\nout X[N]\nX[i] = A[i]   where i < {over}\nX[i] = X[i - {over}] + A[i]   where {over} <= i\n\
         schedule here\nplace (i) {time}\n"
    );
    let system =
        recurrence::load(&Source::new("test.rec", text)).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    let cut = cut_spaces(&system).unwrap();
    (system, cut)
}

fn machine(latency: i64) -> Machine {
    let mut machine = Machine::default();
    machine.links.latency = latency;
    machine
}

/// The search within a box of steps that has none but the shortest of all.
fn survey((system, cut): &(RecurrenceSystem, SpaceSystem), machine: &Machine) -> Survey {
    let rules = rewrite::load_rules(None).unwrap();
    let choices = rewrite::saturate(cut, &rules, &Limits::default()).unwrap().choices().unwrap();
    let constraint = Constraint::from_schedule(cut, &system.schedules[0]).unwrap();
    let bounds = Bounds { ranks: vec![1], bound: 1, steps: (0, 1) };
    let problem = solve::Task::new(cut, &choices, bounds, machine, &sizes(7), constraint).unwrap();
    solve::search(&problem, false, &|_, _| true)
}

fn sizes(n: i64) -> Bindings {
    Bindings::from([(name("N"), n)])
}

#[test]
fn steps_leave_the_links_between_to_the_words_of_others() {
    for (over, latency) in [(1, 1), (2, 1), (2, 2), (3, 1), (3, 3)] {
        let (kernel, machine) = (kernel(over, ""), machine(latency));
        let best = survey(&kernel, &machine).sorted(Objective::Systolic).into_iter().next().expect("a design");
        let design = Design::new(&kernel.1, best.parts.clone());
        let proofs = discharge_all(&obligations(&design, &machine.links).unwrap(), Duration::from_secs(60));
        assert!(proofs.iter().all(|proof| proof.verdict == Verdict::Proved), "{over} {latency}");
        let program = emit(&design, &machine.links).unwrap();
        for n in [1, 2, 3, 7, 9] {
            let inputs = filled_inputs(&kernel.0, &sizes(n), false);
            let outcome = simulate(&program, &sizes(n), &inputs, &Settings::default()).unwrap();
            assert!(same_bits(&outcome.outputs["X"], &evaluate(&kernel.0, &sizes(n), &inputs).unwrap()["X"]));
            if n == 7 {
                assert_eq!(outcome.cycles, best.cost.cycles, "{over} {latency}");
            }
        }
    }
}

/// A step as long as a hop is refused where words pass over a PE, and no other place is as short.
#[test]
fn a_step_as_long_as_a_hop_is_refused_over_several() {
    for latency in [1, 2, 3] {
        let time = |step: i64| format!("time {step}*i");
        // Through memory the way is a step, whatever the links take.
        let by_links = |found: &Found| {
            let mut moves = found.parts.iter().flat_map(|part| &part.dataflow.transports);
            moves.all(|transport| *transport != Transport::Memory)
        };
        let designs = |over: i64, step: i64| {
            let front = survey(&kernel(over, &time(step)), &machine(latency)).sorted(Objective::Systolic);
            front.iter().filter(|found| by_links(found)).count()
        };
        assert!(designs(1, latency) > 0, "one hop, {latency}");
        assert_eq!(designs(2, latency), 0, "two hops, {latency}");
        assert!(designs(2, latency + 1) > 0, "a step more, {latency}");
    }
}
