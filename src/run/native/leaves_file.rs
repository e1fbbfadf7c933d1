//! The loops of all leaves of a program as one file, for a shared object.
//!
//! In: a program. Out: text of C that stands alone, with a function for each leaf that bodies call. Such a function takes
//! numbers in a fixed order and the windows, so that whoever loads it needs to know nothing of the leaf's own parameters. The
//! loops are those of `emit`, letter by letter.

use super::body::called;
use super::kernel::Kernel;
use super::leaf::{LeafNames, written};
use super::leaf_function::{LeafFunction, Parameter};
use super::writer::Writer;
use super::{NativeBackend, NativeLeaves};
use systole_equations::tiles::Leaf;
use systole_program::array::Program;

/// The leaves of a program as text of C.
///
/// A function takes its numbers in this order: sizes and numbers of tiles as the program has them; the first and the last
/// element of each index; for each window how far apart neighbours lie along each dimension but the last, then where what
/// would be its element 0 lies before its first one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeafText {
    /// The file.
    pub text: String,
    /// For each leaf of the program its function; none where no body calls it.
    pub functions: Vec<Option<String>>,
}

/// Writes the leaves of a valid program.
#[must_use]
pub fn leaves_text(program: &Program) -> LeafText {
    let kernel = Kernel::new(program, NativeLeaves::Loops, NativeBackend::Threads);
    let mut writer = Writer::default();
    writer.put_all(include_str!("text/scalar.h"));
    writer.blank();
    let called = called(&kernel);
    let functions = program.leaves.iter().map(|leaf| {
        called.contains(&leaf.name).then(|| {
            write_leaf(&kernel, leaf, &mut writer);
            kernel.leaf(&leaf.name)
        })
    });
    let functions = functions.collect();
    LeafText { text: writer.finish(), functions }
}

fn write_leaf(kernel: &Kernel, leaf: &Leaf, writer: &mut Writer) {
    let names = LeafNames::new(kernel, leaf);
    let loops = LeafFunction::new(kernel, leaf, &names, &written(leaf));
    loops.write(writer);
    let name = kernel.leaf(&leaf.name);
    let head = format!("void {name}(const int64_t *numbers, double *const *windows)");
    writer.put(&format!("{head};"));
    let layout = NumberLayout::new(kernel, leaf);
    writer.function(&head, |writer| {
        writer.put("(void)numbers;");
        writer.put("(void)windows;");
        writer.put(&loops.call(&|parameter, _| layout.place(parameter)));
    });
}

/// Where the numbers of a function stand.
struct NumberLayout {
    sizes: usize,
    indices: usize,
    /// The first number of each window, and how many it has.
    windows: Vec<(usize, usize)>,
}

impl NumberLayout {
    fn new(kernel: &Kernel, leaf: &Leaf) -> NumberLayout {
        let (sizes, indices) = (kernel.sizes().count(), leaf.indices.len());
        let mut next = sizes + 2 * indices;
        let windows = leaf.windows.iter().map(|window| {
            let (first, count) = (next, window.ranges.len().max(1));
            next += count;
            (first, count)
        });
        NumberLayout { sizes, indices, windows: windows.collect() }
    }

    /// What a parameter is called with.
    fn place(&self, parameter: Parameter) -> String {
        let window = |window: usize| self.windows.get(window).copied().unwrap_or_default();
        match parameter {
            Parameter::Size(size) => format!("numbers[{size}]"),
            Parameter::Span(index) => {
                debug_assert!(index < self.indices);
                let first = self.sizes + 2 * index;
                format!("(struct span){{numbers[{first}], numbers[{}]}}", first + 1)
            }
            Parameter::Values(window) => format!("windows[{window}]"),
            Parameter::Step(number, dimension) => format!("numbers[{}]", window(number).0 + dimension),
            Parameter::Origin(number) => {
                let (first, count) = window(number);
                format!("numbers[{}]", first + count - 1)
            }
        }
    }
}
