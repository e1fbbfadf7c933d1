//! The loops of a leaf as a function of their own.
//!
//! In: a leaf with its names. Out: a function of sizes, spans of indices, and windows, each with how it lies; and what it is
//! called with. Pointers are parameters with `restrict`, since no two windows share memory where one of them is written, so
//! that a compiler may make vectors of loops. It takes what its text mentions, and nothing else.

use super::kernel::Kernel;
use super::leaf::LeafNames;
use super::leaf_loops::LoopWriter;
use super::writer::Writer;
use std::collections::BTreeSet;
use systole_equations::tiles::Leaf;

/// The loops of a leaf.
pub(super) struct LeafFunction {
    name: String,
    /// What it takes, each with its type and its name.
    parameters: Vec<(Parameter, &'static str, String)>,
    body: Writer,
}

/// What the loops of a leaf may be called with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parameter {
    /// A size or a number of tiles, by its position.
    Size(usize),
    /// The box of an index.
    Span(usize),
    /// The elements of a window.
    Values(usize),
    /// How far apart neighbours of a window lie along a dimension.
    Step(usize, usize),
    /// Where what would be element 0 of a window lies before its first one.
    Origin(usize),
}

impl LeafFunction {
    /// The loops of a leaf; `written` has the windows that they write.
    pub fn new(kernel: &Kernel, leaf: &Leaf, names: &LeafNames, written: &BTreeSet<usize>) -> LeafFunction {
        let mut body = Writer::default();
        body.indented(|body| LoopWriter::new(kernel, leaf, names).block(&leaf.body, body));
        let mut parameters = vec![];
        for (position, (name, _)) in kernel.sizes().enumerate() {
            parameters.push((Parameter::Size(position), "int64_t ", kernel.variable(name)));
        }
        for (position, index) in leaf.indices.iter().enumerate() {
            let name = format!("{}_span", names.indices[&index.name]);
            parameters.push((Parameter::Span(position), "struct span ", name));
        }
        for (window, (frame, name)) in leaf.windows.iter().zip(&names.windows).enumerate() {
            let of = if written.contains(&window) { "double *restrict " } else { "const double *restrict " };
            parameters.push((Parameter::Values(window), of, name.clone()));
            for dimension in 0..frame.ranges.len().saturating_sub(1) {
                parameters.push((Parameter::Step(window, dimension), "int64_t ", format!("{name}_step{dimension}")));
            }
            parameters.push((Parameter::Origin(window), "int64_t ", format!("{name}_origin")));
        }
        parameters.retain(|(parameter, _, name)| match parameter {
            Parameter::Span(_) => ["first", "last"].iter().any(|end| body.mentions(&format!("{name}.{end}"))),
            _ => body.mentions(name),
        });
        LeafFunction { name: kernel.loops(&leaf.name), parameters, body }
    }

    /// Writes it.
    pub fn write(&self, writer: &mut Writer) {
        let parameters: Vec<String> = self.parameters.iter().map(|(_, of, name)| format!("{of}{name}")).collect();
        let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
        writer.function(&format!("static void {}({parameters})", self.name), |writer| writer.append(&self.body));
    }

    /// A call of it.
    pub fn call(&self, argument: &dyn Fn(Parameter, &str) -> String) -> String {
        let arguments: Vec<String> =
            self.parameters.iter().map(|(parameter, _, name)| argument(*parameter, name)).collect();
        format!("{}({});", self.name, arguments.join(", "))
    }

    /// Whether the loops mention anything of a window.
    pub fn takes(&self, wanted: usize) -> bool {
        self.parameters.iter().any(|(parameter, ..)| *parameter == Parameter::Values(wanted))
    }
}
