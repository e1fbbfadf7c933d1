//! The arrays of a run and the PEs' own memories.
//!
//! An address is that of a word: an element, or a tile, whose elements are its box of the array.

use super::output::Output;
use crate::leaf::{Buffer, Element, Tile};
use std::slice::from_ref;
use std::sync::Arc;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, MessageCode, nearest};
use systole_equations::recurrence::{Role, other_shape};
use systole_program::array::elements::{PART, Sinks, Source, Sources, cut_runs, sources_of};
use systole_program::array::{Code, Layout, Tensors, Trouble, show_point};

/// How many words of an array went which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryTraffic {
    /// Words read through a memory port at the time of use.
    pub loaded: u64,
    /// Words brought into PEs' own memories before the run.
    pub prefetched: u64,
    /// Words read from PEs' own memories.
    pub local: u64,
    /// Words written.
    pub stored: u64,
}

impl MemoryTraffic {
    /// Counts what was counted elsewhere.
    pub(crate) fn add(&mut self, other: MemoryTraffic) {
        self.loaded += other.loaded;
        self.prefetched += other.prefetched;
        self.local += other.local;
        self.stored += other.stored;
    }
}

/// All arrays, flat and row-major. Outputs may be stored by several threads at once; who stores a word a second time
/// is told so.
pub(crate) struct Memory<E: Element = f64> {
    layouts: Vec<Layout>,
    /// For each array the number of its first word, counted through all arrays.
    first: Vec<usize>,
    /// For an input of numbers: these.
    inputs: Vec<Vec<E>>,
    /// For an input of tiles: these, so that whoever reads one copies nothing.
    tiles: Vec<Vec<Tile<E>>>,
    outputs: Vec<Output<E>>,
}

impl<E: Element> Memory<E> {
    /// The inputs as given, the outputs not stored yet.
    ///
    /// # Errors
    /// An input that is missing, unknown, or of another shape than the program's.
    pub fn new(code: &Code, inputs: &Tensors) -> Checked<Memory<E>> {
        Memory::read(code, &mut sources_of(inputs))
    }

    /// The inputs as their sources have them, the outputs not stored yet.
    ///
    /// # Errors
    /// As for [`Memory::new`]; a source that cannot be read.
    pub fn read(code: &Code, sources: &mut Sources<'_>) -> Checked<Memory<E>> {
        check_inputs(&code.arrays, sources)?;
        let first = code.arrays.iter().scan(0, |next, layout| Some(std::mem::replace(next, *next + layout.length())));
        Ok(Memory {
            first: first.collect(),
            inputs: code.arrays.iter().map(|layout| read_numbers(layout, sources)).collect::<Checked<_>>()?,
            tiles: code.arrays.iter().map(|layout| read_tiles(layout, sources)).collect::<Checked<_>>()?,
            outputs: code.arrays.iter().map(Output::new).collect(),
            layouts: code.arrays.clone(),
        })
    }

    /// The numbers of an input.
    pub fn input(&self, array: usize) -> &[E] {
        &self.inputs[array]
    }

    /// The number of an array's first word, counted through all arrays.
    pub fn first_word(&self, array: usize) -> usize {
        self.first[array]
    }

    /// The tile of an input; of one without dimensions its number.
    pub fn tile(&self, array: usize, address: usize) -> Tile<E> {
        let number = || Tile::Values(Arc::new(Buffer::from(from_ref(&self.inputs[array][address]))));
        self.tiles[array].get(address).cloned().unwrap_or_else(number)
    }

    /// Takes an input out, in tiles.
    pub fn take_tiles(&mut self, array: usize) -> Vec<Tile<E>> {
        let tiles = (0..self.layouts[array].length()).map(|address| self.tile(array, address)).collect();
        self.tiles[array] = vec![];
        tiles
    }

    /// Forgets what was stored, so that all may be stored anew.
    pub fn forget_outputs(&mut self) {
        self.outputs.iter_mut().for_each(Output::forget);
    }

    /// Stores a number; whether this is the first time.
    pub fn store(&self, array: usize, address: usize, value: E) -> bool {
        self.outputs[array].store(address, value)
    }

    /// Stores a tile; whether this is the first time.
    ///
    /// # Errors
    /// A tile of another box.
    pub fn store_tile(&self, array: usize, address: usize, tile: &Tile<E>) -> Result<bool, Trouble> {
        check_box(&self.layouts[array], address, tile)?;
        Ok(self.outputs[array].store_tile(address, tile))
    }

    /// Refuses outputs of which some element was never stored.
    pub fn check_stored(&self) -> Checked<()> {
        let outputs = self.layouts.iter().zip(&self.outputs).filter(|(layout, _)| layout.is_output());
        let missing = |(layout, output): (&Layout, &Output<E>)| missing_word(layout, &|address| output.has(address));
        let faults: Diagnostics = outputs.filter_map(missing).collect();
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }

    /// Hands the outputs over, in parts; numbers that were not stored are 0.
    pub fn write_outputs(&self, sinks: &mut Sinks<'_>) -> Checked<()> {
        for (layout, output) in self.layouts.iter().zip(&self.outputs) {
            let Some(sinks) = sinks.get_mut(&layout.name).filter(|sinks| !sinks.is_empty()) else { continue };
            output.write(layout, sinks)?;
        }
        Ok(())
    }

    /// The output arrays.
    pub fn into_outputs(self) -> Tensors {
        let outputs = self.layouts.into_iter().zip(self.outputs).filter(|(layout, _)| layout.is_output());
        outputs.map(|(layout, output)| (layout.name.clone(), output.into_array(&layout))).collect()
    }
}

/// The elements of an input of numbers; none of another array.
fn read_numbers<E: Element>(layout: &Layout, sources: &mut Sources<'_>) -> Checked<Vec<E>> {
    let Some(source) = source_of(layout, sources).filter(|_| layout.boxes.is_empty()) else { return Ok(vec![]) };
    let mut values = Vec::with_capacity(layout.volume());
    let mut part = vec![];
    for run in cut_runs(from_ref(&(0..layout.volume())), PART) {
        part.clear();
        source.read(from_ref(&run), &mut part)?;
        values.extend(part.iter().copied().map(E::rounded));
    }
    Ok(values)
}

/// The tiles of an input of tiles, read one by one; none of another array.
fn read_tiles<E: Element>(layout: &Layout, sources: &mut Sources<'_>) -> Checked<Vec<Tile<E>>> {
    let Some(source) = source_of(layout, sources).filter(|_| !layout.boxes.is_empty()) else { return Ok(vec![]) };
    let read = |address: usize| {
        let mut values = Vec::with_capacity(layout.size_at(address));
        source.read(&layout.runs(address).collect::<Vec<_>>(), &mut values)?;
        Ok(Tile::Values(Arc::new(values.into_iter().map(E::rounded).collect::<Buffer<E>>())))
    };
    (0..layout.length()).map(read).collect()
}

/// Where the elements of an input come from.
fn source_of<'s, 'a>(layout: &Layout, sources: &'s mut Sources<'a>) -> Option<&'s mut Box<dyn Source + 'a>> {
    sources.get_mut(&layout.name).filter(|_| layout.role == Role::Input)
}

/// What is said of an output of which some word was never stored.
pub(crate) fn missing_word(layout: &Layout, is_stored: &dyn Fn(usize) -> bool) -> Option<Diagnostic> {
    // A tile without elements need not be stored.
    let is_missing = |address: &usize| !is_stored(*address) && layout.size_at(*address) > 0;
    let first = (0..layout.length()).find(is_missing)?;
    let count = (0..layout.length()).filter(is_missing).count();
    let (name, element) = (&layout.name, show_element(layout, first));
    let what = if layout.boxes.is_empty() { "element" } else { "tile" };
    let fault = Diagnostic::new(format!("{what} {element} of output `{name}` is never stored"));
    Some(fault.note(format!("{count} of {} {what}s are not stored", layout.length())))
}

/// An element as messages show it, or a tile by its coordinates: `C(1, 2)`.
pub(crate) fn show_element(layout: &Layout, address: usize) -> String {
    let subscripts: Vec<i64> = layout.subscripts(address).into_iter().map(|entry| entry as i64).collect();
    format!("`{}{}`", layout.name, show_point(&subscripts))
}

/// Refuses a tile of another box than that at an address.
pub(crate) fn check_box<E: Element>(layout: &Layout, address: usize, tile: &Tile<E>) -> Result<(), Trouble> {
    let needed = layout.size_at(address);
    match tile {
        Tile::Values(values) if values.len() != needed => Err(Trouble::OtherBox { needed, found: values.len() }),
        _ => Ok(()),
    }
}

/// Refuses sources that are missing, unknown, or of another shape than the program's inputs.
pub(crate) fn check_inputs(layouts: &[Layout], inputs: &Sources<'_>) -> Checked<()> {
    let expected: Vec<&Layout> = layouts.iter().filter(|layout| layout.role == Role::Input).collect();
    let mut faults: Diagnostics = expected.iter().filter_map(|layout| check_input(layout, inputs)).collect();
    for name in inputs.keys().filter(|name| expected.iter().all(|layout| layout.name != **name)) {
        let fault = Diagnostic::new(format!("the program has no input `{name}`"));
        let meant = nearest(name, expected.iter().map(|layout| &*layout.name));
        faults.push(meant.into_iter().fold(fault, |fault, meant| fault.help(format!("did you mean `{meant}`?"))));
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

fn check_input(layout: &Layout, inputs: &Sources<'_>) -> Option<Diagnostic> {
    let name = &layout.name;
    match inputs.get(name) {
        None => {
            let shape = format!("its shape is {:?}", layout.elements);
            Some(Diagnostic::new(format!("input `{name}` is missing")).note(shape).about(MessageCode::Array))
        }
        Some(tensor) if tensor.shape() != layout.elements => Some(other_shape(name, tensor.shape(), &layout.elements)),
        Some(_) => None,
    }
}
