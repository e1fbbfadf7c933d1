//! Arrays in parts: sources and sinks that fail, and sinks that are shown together or not at all.

use super::programs::{program, shown, sizes};
use ndarray::ArrayD;
use std::cell::RefCell;
use std::ops::Range;
use systole::array::elements::{PART, Sink, Sinks, Source, Sources, sinks_of, sources_of};
use systole::array::{Program, Tensors};
use systole::diagnostic::{Checked, Diagnostic};
use systole::exec::{Settings, execute, execute_in_parts};
use systole::integer::name;

/// X backwards, and twice X.
fn turned() -> Program {
    program(
        "(program turned (version 1) (parameters N) (array X in (N)) (array Y out (N)) (array Z out (N))
           (class pe (guard) (loop i 0 (- N 1)
             (load x (X i)) (store (Y (- (- N 1) i)) x) (let z (add x x)) (store (Z i) z))))",
    )
}

fn numbers(count: usize) -> Tensors {
    let values = (0..count).map(|number| number as f64 - 0.5).collect();
    Tensors::from([(name("X"), ArrayD::from_shape_vec(vec![count], values).expect("a line"))])
}

/// Says what is done to it, and fails where it is told to.
struct Witness<'a> {
    who: &'static str,
    fails_at: Option<&'static str>,
    said: &'a RefCell<Vec<String>>,
}

impl Witness<'_> {
    fn say(&self, what: &str) -> Checked<()> {
        let mut said = self.said.borrow_mut();
        if said.last().is_none_or(|last| *last != format!("{} {what}", self.who)) {
            said.push(format!("{} {what}", self.who));
        }
        match self.fails_at == Some(what) {
            true => Diagnostic::new(format!("{} fails", self.who)).alone(),
            false => Ok(()),
        }
    }
}

impl Sink for Witness<'_> {
    fn write(&mut self, runs: &[Range<usize>], values: &[f64]) -> Checked<()> {
        assert_eq!(runs.iter().map(Range::len).sum::<usize>(), values.len());
        assert!(values.len() <= PART);
        self.say("write")
    }

    fn seal(&mut self) -> Checked<()> {
        self.say("seal")
    }

    fn publish(&mut self) -> Checked<()> {
        self.say("publish")
    }
}

/// An input that ends in the middle of the reading.
struct Broken;

impl Source for Broken {
    fn shape(&self) -> &[usize] {
        &[3]
    }

    fn read(&mut self, _runs: &[Range<usize>], values: &mut Vec<f64>) -> Checked<()> {
        values.push(1.0);
        Diagnostic::new("the disk is gone").alone()
    }
}

#[test]
fn more_than_one_part_goes_through_as_it_is() {
    let count = 2 * PART + 77;
    let (program, sizes, inputs) = (turned(), sizes(&[("N", count as i64)]), numbers(count));
    let whole = execute(&program, &sizes, &inputs, &Settings::default()).expect("a run").outputs;
    let mut parts: Tensors = whole.iter().map(|(name, array)| (name.clone(), ArrayD::zeros(array.raw_dim()))).collect();
    let (mut sources, mut sinks) = (sources_of(&inputs), sinks_of(&mut parts));
    let settings = Settings::default();
    let execution = execute_in_parts(&program, &sizes, (&mut sources, &mut sinks), &settings).expect("a run");
    drop(sinks);
    assert!(execution.outputs.is_empty());
    assert_eq!((&parts, parts["Y"][[0]]), (&whole, count as f64 - 1.5));
}

#[test]
fn a_source_that_fails_ends_the_run() {
    let mut sources: Sources<'_> = Sources::from([(name("X"), Box::new(Broken) as Box<dyn Source>)]);
    let ran = execute_in_parts(&turned(), &sizes(&[("N", 3)]), (&mut sources, &mut Sinks::new()), &Settings::default());
    assert!(shown(&ran.expect_err("a refusal")).contains("the disk is gone"));
}

/// Nothing is shown of one output where another cannot be.
#[test]
fn sinks_are_published_when_all_are_sealed() {
    let run = |fails_at: Option<&'static str>| {
        let said = RefCell::new(vec![]);
        let witness =
            |who, fails_at| -> Vec<Box<dyn Sink + '_>> { vec![Box::new(Witness { who, fails_at, said: &said })] };
        let mut sinks: Sinks<'_> = Sinks::from([(name("Y"), witness("Y", None)), (name("Z"), witness("Z", fails_at))]);
        let inputs = numbers(3);
        let mut sources = sources_of(&inputs);
        let (sizes, settings) = (sizes(&[("N", 3)]), Settings::default());
        let is_fine = execute_in_parts(&turned(), &sizes, (&mut sources, &mut sinks), &settings).is_ok();
        drop(sinks);
        (is_fine, said.into_inner().join(", "))
    };
    assert_eq!(run(None), (true, "Y write, Z write, Y seal, Z seal, Y publish, Z publish".to_owned()));
    assert_eq!(run(Some("seal")), (false, "Y write, Z write, Y seal, Z seal".to_owned()));
    assert_eq!(run(Some("write")), (false, "Y write, Z write".to_owned()));
}
