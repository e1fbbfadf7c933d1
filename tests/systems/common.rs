//! Designs written by hand from the text of a kernel, and everything that a run of one is held to.

use crate::hand_built::forms::{form, forms};
use ndarray::{ArrayD, IxDyn};
use systole_base::diagnostic::{Checked, Diagnostics, render};
use systole_base::integer::{Affine, Bindings, Matrix, Name};
use systole_base::network::Links;
use systole_base::span::Source;
use systole_compile::emit::emit;
use systole_compile::mapping::{Design, SpaceDesign, SpaceTimeMap};
use systole_compile::rewrite::{Dataflow, Transport};
use systole_equations::recurrence::spaces::{SpaceSystem, cut_spaces};
use systole_equations::recurrence::{Chain, RecurrenceSystem, Role, Space, Tensors, evaluate, load};
use systole_program::array;
use systole_program::array::Program;
use systole_run::sim::{Outcome, Settings, simulate};

/// A kernel and its spaces.
pub struct Kernel {
    pub system: RecurrenceSystem,
    pub cut: SpaceSystem,
}

/// One space of a design: its name, its place and its step, a transport for each operand, the reduction's directions.
pub type Line<'a> = (&'a str, &'a str, &'a str, &'a [&'a str], &'a [&'a str]);

/// The kernel of a text.
pub fn kernel(text: &str) -> Kernel {
    let system = load(&Source::new("test.rec", text)).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    let cut = cut_spaces(&system).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    Kernel { system, cut }
}

/// Messages as the user sees them.
pub fn shown(problems: &Diagnostics) -> String {
    render(problems, false)
}

/// The linear part over the indices, and the rest.
fn divide(forms: &[Affine], indices: &[Name]) -> (Matrix, Vec<Affine>) {
    let rows: Vec<Vec<i64>> = forms.iter().map(|form| form.row(indices)).collect();
    let rest = forms.iter().zip(&rows).map(|(form, row)| form.clone() - Affine::from_row(indices, row)).collect();
    (Matrix::new(rows, indices.len()), rest)
}

fn transport(space: &Space, text: &str) -> Transport {
    match text.split_once(' ') {
        Some(("stream", along)) => {
            Transport::of_streams(forms(along).iter().map(|form| form.row(space.indices())).collect())
        }
        Some(("broadcast", along)) => Transport::Broadcast(form(along).row(space.indices())),
        None if text == "prefetch" => Transport::Prefetch,
        None if text == "feed" => Transport::Feed,
        None if text == "bus" => Transport::Bus,
        None if text == "handoff" => Transport::Handoff,
        None if text == "local" => Transport::Local,
        None if text == "memory" => Transport::Memory,
        _ => panic!("no such transport: {text}"),
    }
}

fn part(space: &Space, (_, place, step, transports, chain): &Line) -> SpaceDesign {
    let (place, origin) = divide(&forms(place), space.indices());
    let (step, starts) = divide(&forms(step), space.indices());
    assert_eq!(transports.len(), space.operands.len(), "`{}` has the operands {:?}", space.name, space.operands);
    SpaceDesign {
        map: SpaceTimeMap { place, step },
        origin,
        starts,
        position: 0,
        dataflow: Dataflow {
            transports: transports.iter().map(|text| transport(space, text)).collect(),
            chain: Chain::along(chain.iter().map(|text| form(text).row(space.indices())).collect()),
        },
    }
}

impl Kernel {
    /// A design from a line for each space.
    pub fn design(&self, lines: &[Line]) -> Design<'_> {
        let names: Vec<&str> = self.cut.spaces.iter().map(|space| &*space.name).collect();
        assert_eq!(names.len(), lines.len(), "the spaces are {names:?}");
        let line =
            |space: &Space| lines.iter().find(|line| *line.0 == *space.name).unwrap_or_else(|| panic!("{names:?}"));
        let parts = self.cut.spaces.iter().map(|space| part(space, line(space))).collect();
        Design::new(&self.cut, parts)
    }

    /// Sizes in the order of the parameters.
    pub fn sizes(&self, values: &[i64]) -> Bindings {
        assert_eq!(values.len(), self.system.parameters.len());
        self.system.parameters.iter().cloned().zip(values.iter().copied()).collect()
    }

    /// Inputs without a pattern; square ones are symmetric, with a diagonal that dominates.
    pub fn inputs(&self, sizes: &Bindings) -> Tensors {
        let inputs = self.system.tensors.iter().filter(|tensor| tensor.role == Role::Input);
        let filled = inputs.enumerate().map(|(number, tensor)| {
            let extent = |side: &Affine| side.evaluate(sizes).expect("a size") as usize;
            let shape: Vec<usize> = tensor.shape.iter().map(extent).collect();
            (tensor.name.clone(), filled(number, &shape))
        });
        filled.collect()
    }

    /// Runs a design and holds its values, bit for bit, against the equations.
    pub fn hold(&self, lines: &[Line], sizes: &[i64]) -> Outcome {
        let program = written(&self.design(lines)).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
        self.hold_program(&program, sizes)
    }

    /// Runs the program of a design that is legal on links with this timing: also that no PE waits.
    pub fn hold_in_time(&self, program: &Program, sizes: &[i64], settings: &Settings) -> Outcome {
        let outcome = self.hold_with(program, sizes, settings);
        for pe in &outcome.counters.pes {
            assert_eq!((pe.stalled, pe.starved), (0, 0), "{:?} at {sizes:?}\n{}", pe.point, array::print(program));
        }
        outcome
    }

    /// Runs a program and holds its values, bit for bit, against the equations.
    pub fn hold_program(&self, program: &Program, sizes: &[i64]) -> Outcome {
        self.hold_with(program, sizes, &Settings::default())
    }

    fn hold_with(&self, program: &Program, sizes: &[i64], settings: &Settings) -> Outcome {
        let bindings = self.sizes(sizes);
        let inputs = self.inputs(&bindings);
        let outcome = run_with(program, &bindings, &inputs, settings);
        assert_eq!(outcome.deadlock, None, "at {sizes:?}\n{}", array::print(program));
        let expected =
            evaluate(&self.system, &bindings, &inputs).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
        for (tensor, values) in &expected {
            assert!(
                same_bits(&outcome.outputs[tensor], values),
                "{tensor} at {sizes:?}: {} instead of {values}\n{}",
                outcome.outputs[tensor],
                array::print(program)
            );
        }
        for channel in &outcome.counters.channels {
            assert!(
                channel.max_depth <= channel.declared_depth,
                "`{}` is deeper than declared at {sizes:?}",
                channel.name
            );
        }
        outcome
    }
}

/// The program of a design: valid, and the same after a trip through its text.
pub fn written(design: &Design) -> Checked<Program> {
    written_on(design, &Links::default())
}

/// The same on other links.
pub fn written_on(design: &Design, links: &Links) -> Checked<Program> {
    let program = emit(design, links)?;
    let text = array::print(&program);
    array::validate(&program).unwrap_or_else(|problems| panic!("{}\n{text}", shown(&problems)));
    let read = array::parse("test.pe", &text).unwrap_or_else(|problems| panic!("{}\n{text}", shown(&problems)));
    assert_eq!(read, program, "the text reads back as another program");
    Ok(program)
}

/// A run.
pub fn run(program: &Program, sizes: &Bindings, inputs: &Tensors) -> Outcome {
    run_with(program, sizes, inputs, &Settings::default())
}

fn run_with(program: &Program, sizes: &Bindings, inputs: &Tensors, settings: &Settings) -> Outcome {
    simulate(program, sizes, inputs, settings)
        .unwrap_or_else(|problems| panic!("at {sizes:?}: {}\n{}", shown(&problems), array::print(program)))
}

fn filled(seed: usize, shape: &[usize]) -> ArrayD<f64> {
    let value = |row: usize, column: usize| {
        let mixed = ((row * row + column * column) * 7919 + (row + column) * 131 + seed * 104_729 + 11) % 31;
        let small = (mixed as f64 - 14.0) / 7.0 + 0.01;
        if shape.len() == 2 && row == column { small + 60.0 } else { small }
    };
    let columns = shape.last().copied().unwrap_or(1).max(1);
    let size: usize = shape.iter().product();
    let values = (0..size).map(|position| value(position / columns, position % columns)).collect();
    ArrayD::from_shape_vec(IxDyn(shape), values).expect("the shape fits")
}

/// Equal shapes and equal bits.
pub fn same_bits(left: &ArrayD<f64>, right: &ArrayD<f64>) -> bool {
    left.shape() == right.shape() && left.iter().zip(right.iter()).all(|(a, b)| a.to_bits() == b.to_bits())
}
