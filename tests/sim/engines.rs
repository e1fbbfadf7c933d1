//! The engine against the reference: the same bits, cycles and counters, whatever the number of threads and the order.

use super::common::{asked_ahead, linked, matrix, program, sizes, tensors};
use super::step_times::StepTimes;
use super::work_list;
use systole_base::integer::Bindings;
use systole_base::machine::{Bandwidth, OperationTime, Times};
use systole_base::scalar::Function;
use systole_program::array::{Program, Tensors};
use systole_run::sim::{Order, Settings, simulate};

/// Holds runs with 1, 2, 4 and 7 threads, in both orders, to the reference.
pub fn hold(program: &Program, sizes: &Bindings, inputs: &Tensors, settings: &Settings) {
    let reference = work_list::run(program, sizes, inputs, settings).expect("a program without fault");
    for (threads, order) in
        [(1, Order::FirstIn), (1, Order::LastIn), (2, Order::FirstIn), (4, Order::LastIn), (7, Order::FirstIn)]
    {
        let settings = Settings { threads, order, least_region: 1, ..settings.clone() };
        let outcome = simulate(program, sizes, inputs, &settings)
            .unwrap_or_else(|faults| panic!("{}", systole_base::diagnostic::render(&faults, false)));
        assert_eq!(outcome.deadlock.is_none(), reference.is_finished, "{settings:?}");
        assert_eq!(outcome.cycles, reference.cycles, "{settings:?}");
        let times = StepTimes::of(program, &settings);
        assert_eq!((outcome.lead, outcome.step), (times.lead, times.step), "{settings:?}");
        assert_eq!(outcome.counters, reference.counters, "{settings:?}");
        for (name, expected) in &reference.outputs {
            let bits = |values: &mut dyn Iterator<Item = &f64>| values.map(|v| v.to_bits()).collect::<Vec<u64>>();
            assert_eq!(bits(&mut outcome.outputs[name].iter()), bits(&mut expected.iter()), "{settings:?}");
        }
    }
}

/// A small generator of its own, so that the cases are the same on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, from: u64, to: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        from + (self.0 >> 33) % (to - from + 1)
    }

    fn settings(&mut self) -> Settings {
        let bandwidth = match self.roll(0, 3) {
            0 => Some(Bandwidth::WordsACycle(self.roll(1, 3))),
            1 => Some(Bandwidth::CyclesAWord(self.roll(1, 5))),
            _ => None,
        };
        Settings { capacity: Some(self.roll(1, 12)), response: self.roll(0, 4), bandwidth, ..Settings::default() }
    }

    /// The program on channels and buses of some latency.
    fn links(&mut self, program: &Program) -> Program {
        linked(program.clone(), self.roll(1, 6), self.roll(0, 3))
    }

    /// The program with loads that are asked for ahead, most often with a number that was never proved.
    fn loads(&mut self, program: &Program) -> Program {
        match self.roll(0, 2) {
            0 => program.clone(),
            _ => asked_ahead(program.clone(), self.roll(1, 5), self.roll(1, 8)),
        }
    }

    /// Times of operations and of memory.
    fn times(&mut self) -> Times {
        let port = match self.roll(0, 2) {
            0 => None,
            1 => Some(Bandwidth::WordsACycle(self.roll(1, 2))),
            _ => Some(Bandwidth::CyclesAWord(self.roll(1, 4))),
        };
        let outstanding = Some(self.roll(1, 6)).filter(|most| *most < 5);
        let mut times = Times { load_latency: self.roll(0, 4) as i64, outstanding, port, ..Times::default() };
        for function in [Function::Add, Function::Multiply] {
            let (latency, interval) = (self.roll(1, 5) as i64, self.roll(1, 7) as i64);
            times.set(function, OperationTime { latency, interval });
        }
        times
    }
}

#[test]
fn two_hundred_random_arrays_with_feeders() {
    let (program, mut dice) = (program(include_str!("os-feeders.pe")), Dice(3));
    for _ in 0..200 {
        let (n, k) = (dice.roll(1, 12) as usize, dice.roll(1, 20) as usize);
        let inputs = tensors(vec![("A", matrix(n, k, 1)), ("B", matrix(k, n, 2))]);
        hold(&dice.links(&program), &sizes(&[("N", n as i64), ("K", k as i64)]), &inputs, &dice.settings());
    }
}

/// Rows of more than 64 PEs, so that most words pass together with those beside them, begin so and stop, in rings of every kind.
#[test]
fn wide_arrays_in_step_and_out_of_it() {
    let (program, mut dice) = (program(include_str!("os-feeders.pe")), Dice(17));
    for capacity in [1, 2, 3, 4, 8, 40] {
        let (n, k) = (dice.roll(62, 68) as usize, dice.roll(20, 50) as usize);
        let inputs = tensors(vec![("A", matrix(n, k, 1)), ("B", matrix(k, n, 2))]);
        let timing = Settings { bandwidth: None, capacity: Some(capacity), ..dice.settings() };
        let in_step = Settings { response: 1, ..timing.clone() };
        for (settings, program) in [(in_step, program.clone()), (timing, dice.links(&program))] {
            hold(&program, &sizes(&[("N", n as i64), ("K", k as i64)]), &inputs, &settings);
        }
    }
}

#[test]
fn arrays_with_buses_and_memories_of_their_own() {
    let (program, mut dice) = (program(include_str!("weight-stationary.pe")), Dice(5));
    for _ in 0..60 {
        let [m, n, k] = [dice.roll(1, 9), dice.roll(1, 12), dice.roll(1, 9)];
        let inputs = tensors(vec![("A", matrix(m as usize, k as usize, 5)), ("B", matrix(k as usize, n as usize, 6))]);
        let sizes = sizes(&[("M", m as i64), ("N", n as i64), ("K", k as i64)]);
        hold(&dice.links(&program), &sizes, &inputs, &dice.settings());
    }
}

/// A row of cells: what comes from the left and what was kept are joined in one step, and at every second PE counted in the same.
const CELLS: &str = "(program cells (version 1) (parameters N P) (array X in (N)) (array Y out (P N))
  (grid (p 0 (- P 1))) (cell all)
  (channel east (offset 1) (latency 1) (depth 2)) (channel own (offset 0) (latency 0) (depth 1))
  (class pe (guard)
    (loop i 0 (- N 1)
      (at (+ i p))
      (if ((= p 0)) ((load x (X i))) ((recv x east)))
      (let x (add x 1))
      (send own x)
      (if ((<= p (- P 2))) ((send east x)) ())
      (share)
      (recv y own)
      (if ((= (mod (+ i p) 2) 0)) ((let y (mul y y)) (share)) ())
      (store (Y p i) y)
      (end-step))))";

#[test]
fn operations_that_share_steps() {
    let (program, mut dice) = (program(CELLS), Dice(23));
    for _ in 0..60 {
        let (n, p) = (dice.roll(1, 9), dice.roll(1, 70));
        let x = tensors(vec![("X", matrix(1, n as usize, 9).into_shape_with_order(vec![n as usize]).unwrap())]);
        let sizes = sizes(&[("N", n as i64), ("P", p as i64)]);
        hold(&program, &sizes, &x, &dice.settings());
        hold(&program, &sizes, &x, &Settings { times: dice.times(), ..dice.settings() });
    }
}

/// Operations, loads and ports that take time, on links of any timing.
#[test]
fn work_that_takes_time() {
    let (feeders, weights) = (program(include_str!("os-feeders.pe")), program(include_str!("weight-stationary.pe")));
    let (bursts, mut dice) = (program(BURSTS), Dice(11));
    for _ in 0..60 {
        let [m, n, k] = [dice.roll(1, 9), dice.roll(1, 12), dice.roll(1, 9)];
        let [feeders, weights, bursts] = [&feeders, &weights, &bursts].map(|program| {
            let program = dice.links(program);
            dice.loads(&program)
        });
        let mut settings = || Settings { times: dice.times(), ..dice.settings() };
        let shapes = |rows: u64, inner: u64, columns: u64| {
            let [rows, inner, columns] = [rows, inner, columns].map(|size| size as usize);
            tensors(vec![("A", matrix(rows, inner, 5)), ("B", matrix(inner, columns, 6))])
        };
        hold(&feeders, &sizes(&[("N", n as i64), ("K", k as i64)]), &shapes(n, k, n), &settings());
        let all = sizes(&[("M", m as i64), ("N", n as i64), ("K", k as i64)]);
        hold(&weights, &all, &shapes(m, k, n), &settings());
        let x = matrix(1, n as usize, 9).into_shape_with_order(vec![n as usize]).unwrap();
        hold(&bursts, &sizes(&[("N", n as i64), ("P", m as i64)]), &tensors(vec![("X", x)]), &settings());
    }
}

const BURSTS: &str = "(program bursts (version 1) (parameters N P) (array X in (N)) (array Y out (N))
           (grid (p 0 (+ P 1)))
           (channel right (offset 1) (latency 1) (depth 2))
           (class source (guard (= p 0)) (loop i 0 (- N 1) (load x (X i)) (send right x)) (tick 3))
           (class relay (guard (>= p 1) (<= p P))
             (loop i 1 N (recv x right) (if ((= (mod i 3) 0)) ((tick 4)) ((at (* 2 i)))) (send right x)))
           (class sink (guard (= p (+ P 1))) (at 9) (loop i 0 (- N 1) (recv x right) (store (Y i) x) (tick 1))))";

/// Rows of more PEs than a block holds, and bursts that need deep channels.
#[test]
fn long_lines_and_bursts() {
    let (program, mut dice) = (program(BURSTS), Dice(9));
    for _ in 0..25 {
        let (n, p) = (dice.roll(1, 40), dice.roll(1, 150));
        let x = matrix(1, n as usize, 9).into_shape_with_order(vec![n as usize]).unwrap();
        let settings = Settings { capacity: Some(dice.roll(1, 50)), ..dice.settings() };
        let sizes = sizes(&[("N", n as i64), ("P", p as i64)]);
        hold(&dice.links(&program), &sizes, &tensors(vec![("X", x)]), &settings);
    }
}

/// A deadlock is the same deadlock for any number of threads.
#[test]
fn a_deadlock_does_not_depend_on_threads() {
    let text = "(program line (version 1) (grid (p 0 299))
                  (channel right (offset 1) (latency 1) (depth 2))
                  (channel left (offset -1) (latency 1) (depth 2))
                  (class first (guard (= p 0)) (let x 1) (send right x) (recv x left) (send right x) (send right x))
                  (class inner (guard (>= p 1) (<= p 298)) (recv x right) (tick 1) (send right x) (recv y left) (send left y))
                  (class last (guard (= p 299)) (recv x right) (recv x right) (send left x)))";
    let program = program(text);
    hold(&program, &sizes(&[]), &Tensors::new(), &Settings::default());
    let found = [1, 2, 4, 7].map(|threads| {
        let settings = Settings { threads, least_region: 1, ..Settings::default() };
        simulate(&program, &sizes(&[]), &Tensors::new(), &settings).expect("an outcome").deadlock
    });
    assert!(found[0].is_some() && found.iter().all(|other| *other == found[0]));
}

/// A fault is the same fault for any number of threads.
#[test]
fn a_refusal_does_not_depend_on_threads() {
    let text = "(program twice (version 1) (array Y out (2)) (grid (p 0 40)) (bus all (direction 1))
                  (class pe (guard) (let x (index p)) FAULT))";
    for fault in ["(store (Y 0) x)", "(drive all x (0))", "(tick 18446744073709551615) (tick 1)", "(store (Y p) x)"] {
        let program = program(&text.replace("FAULT", fault));
        let messages = [1, 2, 4, 7].map(|threads| {
            let settings = Settings { threads, least_region: 1, ..Settings::default() };
            let faults = simulate(&program, &sizes(&[]), &Tensors::new(), &settings).expect_err("a refusal");
            systole_base::diagnostic::render(&faults, false)
        });
        assert!(messages.iter().all(|message| *message == messages[0]), "{messages:?}");
    }
}

/// One PE does what it must not, and all others have work for ever: its thread is gone, and nobody waits for it. Where it does
/// what it may, they work until the budget is spent.
#[test]
fn a_thread_that_fails_is_not_waited_for() {
    let text = "(program fails (version 1) (array Y out (2)) (grid (p 0 40))
                  (class one (guard (= p WHICH)) (let x 1) (store (Y ELEMENT) x))
                  (class before (guard (<= p (- WHICH 1))) (loop i 1 1000000000000000 (tick 1)))
                  (class after (guard (>= p (+ WHICH 1))) (loop i 1 1000000000000000 (tick 1))))";
    for (which, threads) in [("0", 2), ("17", 4), ("40", 7)] {
        let run = |element| {
            let program = program(&text.replace("WHICH", which).replace("ELEMENT", element));
            let settings = Settings { threads, least_region: 1, most_instructions: 1_000_000, ..Settings::default() };
            simulate(&program, &sizes(&[]), &Tensors::new(), &settings).expect_err("a refusal")[0].to_string()
        };
        assert!(run("2").contains("`Y(2)`"), "{}", run("2"));
        assert!(run("1").contains("the run takes more than 1000000 instructions"), "{}", run("1"));
    }
}

/// Work for ever, which another thread ends.
#[test]
fn a_run_that_is_cancelled_ends() {
    let text = "(program endless (version 1) (grid (p 0 9)) (class pe (guard) (loop i 1 1000000000000000 (tick 1))))";
    let program = program(text);
    for threads in [1, 2] {
        let settings = Settings { threads, least_region: 1, ..Settings::default() };
        let token = settings.token.clone();
        let faults = std::thread::scope(|scope| {
            let run = scope.spawn(|| simulate(&program, &sizes(&[]), &Tensors::new(), &settings));
            std::thread::sleep(std::time::Duration::from_millis(50));
            token.cancel();
            run.join().expect("it ends")
        });
        assert_eq!(faults.expect_err("it is stopped")[0].message(), "the run was stopped before its end");
    }
}

/// One PE with a loop of two instructions: a budget of all it does is enough, one less is not.
#[test]
fn a_run_has_a_budget_of_instructions() {
    let program = program("(program loop (version 1) (grid (p 0 9)) (class pe (guard) (loop i 1 100 (tick 1))))");
    for threads in [1, 2] {
        let run = |most_instructions| {
            let settings = Settings { most_instructions, threads, least_region: 1, ..Settings::default() };
            simulate(&program, &sizes(&[]), &Tensors::new(), &settings)
        };
        assert_eq!(run(2010).expect("within the budget").cycles, 100);
        let faults = run(2009).expect_err("beyond the budget");
        assert!(faults[0].to_string().contains("the run takes more than 2009 instructions"), "{}", faults[0]);
    }
    let endless = "(program endless (version 1) (class pe (guard) (loop i 1 1000000000000000 (tick 1))))";
    let settings = Settings { most_instructions: 10_000, ..Settings::default() };
    assert!(simulate(&super::common::program(endless), &sizes(&[]), &Tensors::new(), &settings).is_err());
}
