//! A leaf as a function: loops over the elements of tiles.
//!
//! In: a leaf. Out: a function of tile coordinates and tiles. It finds the boxes of its indices and windows, fills the
//! windows from the tiles, and runs the leaf's loops (`leaf_function`) on them. Subscripts are those of the equations. What is
//! taken off them, the origin of a window, is the same in the whole call.

use super::NativeLeaves;
use super::arrays::{axis_span, box_of, write_box};
use super::expression;
use super::kernel::Kernel;
use super::leaf_function::{LeafFunction, Parameter};
use super::product::Product;
use super::writer::Writer;
use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::{Affine, Name};
use systole_equations::recurrence::Operator;
use systole_equations::tiles::{Axis, Leaf, Range, Step, Window};

/// A leaf with its names.
pub(super) struct LeafNames {
    coordinates: BTreeMap<Name, String>,
    /// Of its indices.
    pub indices: BTreeMap<Name, String>,
    /// Of its windows, in their order.
    pub windows: Vec<String>,
}

/// What is named after a window.
const OF_WINDOW: [&str; 13] = [
    "_box", "_tile", "_origin", "_step", "_lanes", "_row0", "_row1", "_row2", "_row3", "_before0", "_before1",
    "_before2", "_before3",
];

/// What is named after an index.
const OF_INDEX: [&str; 4] = ["_span", "_block", "_chunk", "_end"];

/// A leaf that is written.
struct LeafWriter<'k, 'a> {
    kernel: &'k Kernel<'a>,
    leaf: &'k Leaf,
    names: LeafNames,
    written: BTreeSet<usize>,
    loops: LeafFunction,
    /// Texts of spans and boxes, each with its name.
    spans: Vec<(String, String)>,
    boxes: Vec<(String, String)>,
}

/// Writes the function of a leaf.
pub(super) fn write_leaf(kernel: &Kernel, leaf: &Leaf, writer: &mut Writer) {
    let names = LeafNames::new(kernel, leaf);
    let written = written(leaf);
    let loops = LeafFunction::new(kernel, leaf, &names, &written);
    LeafWriter { kernel, leaf, names, written, loops, spans: vec![], boxes: vec![] }.write(writer);
}

impl LeafNames {
    /// Names for a leaf.
    pub fn new(kernel: &Kernel, leaf: &Leaf) -> LeafNames {
        let mut scope = kernel.size_scope.clone();
        let indices = leaf.indices.iter().map(|index| (index.name.clone(), scope.give_with(&index.name, &OF_INDEX)));
        let indices = indices.collect();
        let windows = leaf.windows.iter().map(|window| scope.give_with(&window.tensor, &OF_WINDOW)).collect();
        let coordinate = |name: &Name| (name.clone(), scope.give(&format!("{name}_tile")));
        let coordinates = leaf.coordinates.iter().map(coordinate).collect();
        LeafNames { coordinates, indices, windows }
    }
}

/// The windows that a leaf writes: that of its result, and more where it computes several tensors.
pub(super) fn written(leaf: &Leaf) -> BTreeSet<usize> {
    let mut written = BTreeSet::from([0]);
    written_by(&leaf.body, &mut written);
    written
}

impl LeafWriter<'_, '_> {
    fn write(&mut self, writer: &mut Writer) {
        self.loops.write(writer);
        let coordinates =
            self.leaf.coordinates.iter().map(|name| format!(", int64_t {}", self.names.coordinates[name]));
        let tiles = (1..=self.leaf.arguments.len()).map(|number| format!(", struct tile *tile_{number}"));
        let parameters: String = coordinates.chain([", struct tile *onto".to_owned()]).chain(tiles).collect();
        let given = self.leaf.windows.first().map_or("", |window| &*window.tensor);
        writer.comment(&format!("Leaf {}: gives a tile of {given}.", self.leaf.name));
        let head = format!("static struct tile *{}(struct run *run{parameters})", self.kernel.leaf(&self.leaf.name));
        let kernel = self.kernel;
        kernel.function(writer, &head, "", |writer| self.body(writer));
    }

    fn body(&mut self, writer: &mut Writer) {
        let mut text = writer.fresh();
        self.put_spans(&mut text);
        self.put_boxes(&mut text);
        self.put_windows(&mut text);
        self.put_loops(&mut text);
        self.put_result(&mut text);
        for coordinate in self.names.coordinates.values().filter(|coordinate| !text.mentions(coordinate)) {
            writer.put(&format!("(void){coordinate};"));
        }
        writer.append(&text);
    }

    /// A tile coordinate.
    fn tile(&self, form: &Affine) -> String {
        let variable = |name: &Name| match self.names.coordinates.get(name) {
            Some(coordinate) => coordinate.clone(),
            None => self.kernel.variable(name),
        };
        expression::affine(form, &variable)
    }

    /// The elements of each index.
    fn put_spans(&mut self, writer: &mut Writer) {
        for index in &self.leaf.indices {
            let text = axis_span(self.kernel, &index.axis, &self.tile(&index.tile));
            let name = format!("{}_span", self.names.indices[&index.name]);
            writer.put(&format!("const struct span {name} = {text};"));
            self.spans.push((text, name));
        }
    }

    /// The boxes of the windows and of the tiles; those that are one have one name.
    fn put_boxes(&mut self, writer: &mut Writer) {
        for (window, name) in self.leaf.windows.iter().zip(&self.names.windows.clone()) {
            let spans: Vec<String> = window.ranges.iter().map(|range| self.range(range)).collect();
            self.put_box(&format!("{name}_box"), &spans, true, writer);
        }
        let result = self.leaf.result.clone();
        self.put_tile_box("result", &result, writer);
        for (number, argument) in self.leaf.arguments.iter().enumerate() {
            self.put_tile_box(&format!("box_{}", number + 1), &argument.tile, writer);
        }
    }

    fn put_tile_box(&mut self, name: &str, tile: &[(Axis, Affine)], writer: &mut Writer) {
        let spans: Vec<String> = tile.iter().map(|(axis, form)| self.span(axis, form)).collect();
        self.put_box(name, &spans, false, writer);
    }

    fn put_box(&mut self, name: &str, spans: &[String], is_needed: bool, writer: &mut Writer) {
        let text = box_of(spans);
        if is_needed || !self.boxes.iter().any(|(other, _)| *other == text) {
            write_box(writer, name, spans);
        }
        let first = self.boxes.iter().find(|(other, _)| *other == text).map(|(_, first)| first.clone());
        self.boxes.push((text, first.filter(|_| !is_needed).unwrap_or_else(|| name.to_owned())));
    }

    /// The box of a window, of the result (behind them), or of an argument (behind that).
    fn box_name(&self, number: usize) -> &str {
        self.boxes.get(number).map_or("", |(_, name)| name)
    }

    /// The elements of a tile: by name where an index has the same.
    fn span(&self, axis: &Axis, form: &Affine) -> String {
        let text = axis_span(self.kernel, axis, &self.tile(form));
        self.spans.iter().find(|(other, _)| *other == text).map_or(text, |(_, name)| name.clone())
    }

    /// The subscripts that a window has along a dimension.
    fn range(&self, range: &Range) -> String {
        let extent = expression::affine(&range.extent, &|name| self.kernel.variable(name));
        let (number, first, last) = (range.form.constant_term(), range.first, range.last);
        let without = range.form.clone() - Affine::constant(number);
        let index = self.leaf.indices.iter().find(|index| without == Affine::variable(&index.name));
        let Some(index) = index else { return self.wide_range(range, &extent) };
        let span = format!("{}_span", self.names.indices[&index.name]);
        match [number, first, last] == [0; 3] && index.axis.extent() == range.extent {
            true => self.span(&index.axis, &index.tile),
            false => format!("span_around({span}, {number}, {first}, {last}, {extent})"),
        }
    }

    /// That of a form that is more than an index and a number.
    fn wide_range(&self, range: &Range, extent: &str) -> String {
        let indices = range.form.terms().filter_map(|(name, _)| self.names.indices.get(name));
        let values: Vec<String> = indices.map(|index| format!("{index}_span.first <= {index}_span.last")).collect();
        let has_values = if values.is_empty() { "true".to_owned() } else { values.join(" && ") };
        let [low, high] = [false, true].map(|is_high| self.extreme(&range.form, is_high));
        format!("window_span({has_values}, {low}, {high}, {}, {}, {extent})", range.first, range.last)
    }

    /// The least or the greatest value of a form over indices.
    fn extreme(&self, form: &Affine, is_high: bool) -> String {
        let variable = |name: &Name| match self.names.indices.get(name) {
            Some(index) if (form.coefficient(name) > 0) == is_high => format!("{index}_span.last"),
            Some(index) => format!("{index}_span.first"),
            None => self.kernel.variable(name),
        };
        expression::affine(form, &variable)
    }

    /// The tiles that are in the windows: that of the result is its own.
    fn put_windows(&self, writer: &mut Writer) {
        for (number, (window, name)) in self.leaf.windows.iter().zip(&self.names.windows).enumerate() {
            let filled_by = self.leaf.arguments.iter().enumerate().filter(|(_, argument)| argument.window == number);
            let filling = |(at, _): (usize, _)| {
                format!("{{&{}, tile_{}}}", self.box_name(self.leaf.windows.len() + 1 + at), at + 1)
            };
            let fillings: Vec<String> = filled_by.map(filling).collect();
            let (own, beginning) = (self.box_name(number), beginning(window));
            let count = fillings.len();
            let fillings = match fillings.is_empty() {
                true => "NULL".to_owned(),
                false => format!("(const struct filling[]){{{}}}", fillings.join(", ")),
            };
            writer.put(&match number {
                0 => format!(
                    "struct tile *{name}_tile = window_onto(&{own}, {beginning}, &{}, onto, {fillings}, {count});",
                    self.box_name(self.leaf.windows.len())
                ),
                _ => format!(
                    "struct tile *{name}_tile = window_of(&{own}, {beginning}, {fillings}, {count}, {});",
                    self.written.contains(&number)
                ),
            });
        }
    }

    fn put_loops(&self, writer: &mut Writer) {
        let tiles: Vec<String> = self.names.windows.iter().map(|name| format!("{name}_tile")).collect();
        let product = Product::of(self.leaf).filter(|_| self.kernel.leaves == NativeLeaves::Blas);
        writer.put(&format!("const bool is_there = {};", tiles.join(" && ")));
        writer.braces("if (is_there)", |writer| {
            let windows = self.leaf.windows.iter().zip(&self.names.windows).enumerate();
            for (_, (window, name)) in windows.filter(|(number, _)| self.loops.takes(*number)) {
                put_steps(name, window.ranges.len(), writer);
            }
            match product {
                Some(product) => self.put_product(&product, writer),
                None => writer.put(&self.call_of_loops()),
            }
        });
    }

    fn call_of_loops(&self) -> String {
        self.loops.call(&|parameter, name| match parameter {
            Parameter::Values(_) => format!("{name}_tile->values"),
            _ => name.to_owned(),
        })
    }

    /// A product by the library where it is one, else the loops.
    fn put_product(&self, product: &Product, writer: &mut Writer) {
        let span = |index: &Name| format!("{}_span", self.names.indices[index]);
        let filled =
            [product.row, product.column, product.depth].map(|index| format!("span_length({}) > 0", span(index)));
        let above = |(index, form): &(&Name, &Affine)| format!("{} <= {}.first", self.extreme(form, true), span(index));
        let below = |(index, form): &(&Name, &Affine)| format!("{}.last <= {}", span(index), self.extreme(form, false));
        let bounds = product.lower.iter().map(above).chain(product.upper.iter().map(below));
        let all: Vec<String> = filled.into_iter().chain(bounds).collect();
        let matrix = |window: usize, [row, column]: [&Name; 2]| {
            let name = &self.names.windows[window];
            format!(
                "&{name}_tile->values[{name}_step0 * {}.first + {}.first - {name}_origin], (int){name}_step0",
                span(row),
                span(column)
            )
        };
        let Product { windows: [c, a, b], row, column, depth, is_transposed, .. } = product;
        let way = |one: usize| if is_transposed[one] { "CblasTrans" } else { "CblasNoTrans" };
        let length = |index: &Name| format!("(int)span_length({})", span(index));
        let arguments = [
            format!("CblasRowMajor, {}, {}", way(0), way(1)),
            [*row, *column, *depth].map(length).join(", "),
            format!("1.0, {}", matrix(*a, stored(is_transposed[0], [row, depth]))),
            matrix(*b, stored(is_transposed[1], [depth, column])),
            format!("1.0, {}", matrix(*c, [row, column])),
        ];
        writer.braces_with(&format!("if ({})", all.join(" && ")), " else {", |writer| {
            writer.put(&format!("cblas_dgemm({});", arguments.join(", ")));
        });
        writer.indented(|writer| writer.put(&self.call_of_loops()));
        writer.put("}");
    }

    fn put_result(&self, writer: &mut Writer) {
        let ([first, others @ ..], [window, ..]) = (&self.names.windows[..], &self.leaf.windows[..]) else { return };
        others.iter().for_each(|name| writer.put(&format!("word_drop({name}_tile);")));
        let (result, own, beginning) = (self.box_name(self.leaf.windows.len()), self.box_name(0), beginning(window));
        writer.put(&format!("return result_of(&{result}, {beginning}, &{own}, {first}_tile, is_there);"));
    }
}

/// The indices of a factor in the order in which it is stored.
fn stored(is_transposed: bool, [row, column]: [&Name; 2]) -> [&Name; 2] {
    if is_transposed { [column, row] } else { [row, column] }
}

/// How far apart neighbours of a window lie along each dimension but the last, and where what would be its element 0 lies before it.
fn put_steps(name: &str, rank: usize, writer: &mut Writer) {
    if rank == 0 {
        return;
    }
    for dimension in (0..rank - 1).rev() {
        let length = format!("span_length({name}_box.spans[{}])", dimension + 1);
        let step = match dimension + 2 == rank {
            true => length,
            false => format!("{name}_step{} * {length}", dimension + 1),
        };
        writer.put(&format!("const int64_t {name}_step{dimension} = {step};"));
    }
    let term = |dimension: usize| match dimension + 1 == rank {
        true => format!("{name}_box.spans[{dimension}].first"),
        false => format!("{name}_step{dimension} * {name}_box.spans[{dimension}].first"),
    };
    let origin: Vec<String> = (0..rank).map(term).collect();
    writer.put(&format!("const int64_t {name}_origin = {};", origin.join(" + ")));
}

/// What the elements of a window are before a tile gives them.
fn beginning(window: &Window) -> &'static str {
    match window.operator {
        None => "of_nothing",
        Some(Operator::Sum) => "of_sum",
        Some(Operator::Product) => "of_product",
        Some(Operator::Max) => "of_maximum",
        Some(Operator::Min) => "of_minimum",
    }
}

fn written_by(steps: &[Step], written: &mut BTreeSet<usize>) {
    for step in steps {
        match step {
            Step::Loop { body, .. } => written_by(body, written),
            Step::If { then, otherwise, .. } => {
                [then, otherwise].into_iter().for_each(|steps| written_by(steps, written));
            }
            Step::Set { window, .. } => _ = written.insert(*window),
        }
    }
}
