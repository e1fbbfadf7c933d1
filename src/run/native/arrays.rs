//! How PEs reach the elements of arrays, or their tiles.
//!
//! An array is row-major. Its caller says how far apart its rows are, where it has several; all else is dense.

use super::expression;
use super::kernel::Kernel;
use super::writer::Writer;
use std::collections::BTreeSet;
use systole_base::integer::Name;
use systole_equations::tiles::{Axis, Slant, SlantRow};
use systole_program::array::{ArrayDecl, Instruction};

/// What bodies do with an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    Load,
    Store,
}

/// A function for each array and each way in which it is used.
pub(super) fn write_accesses(kernel: &Kernel, writer: &mut Writer) {
    for array in &kernel.program.arrays {
        let uses = uses(kernel, &array.name);
        match kernel.is_over_tiles() {
            true => uses.iter().for_each(|way| write_of_tiles(kernel, array, *way, writer)),
            false if !uses.is_empty() => write_of_numbers(kernel, array, writer),
            false => {}
        }
    }
}

fn uses(kernel: &Kernel, name: &Name) -> BTreeSet<Use> {
    let mut uses = BTreeSet::new();
    kernel.program.each_instruction(|instruction| match instruction {
        Instruction::Load(_, array, _) | Instruction::Local(_, array, _) if array == name => _ = uses.insert(Use::Load),
        Instruction::Store(array, ..) | Instruction::Fill(array, ..) if array == name => _ = uses.insert(Use::Store),
        _ => {}
    });
    uses
}

/// `i0, i1`: what subscripts are called here.
pub(super) fn subscripts(array: &ArrayDecl) -> Vec<String> {
    (0..array.shape.len()).map(|dimension| format!("i{dimension}")).collect()
}

fn parameters(array: &ArrayDecl) -> String {
    subscripts(array).iter().map(|name| format!(", int64_t {name}")).collect()
}

fn write_of_numbers(kernel: &Kernel, array: &ArrayDecl, writer: &mut Writer) {
    let (name, of) = (kernel.array(&array.name), kernel.element_type(array));
    writer.comment(&format!("An element of {}.", array.name));
    let head = format!("static {of} *at_{name}(struct run *run{})", parameters(array));
    kernel.function(writer, &head, "", |writer| {
        writer.put(&format!("return &run->{name}[{}];", address(kernel, array)));
    });
}

/// The place of an element.
fn address(kernel: &Kernel, array: &ArrayDecl) -> String {
    let (subscripts, name) = (subscripts(array), kernel.array(&array.name));
    let [outer @ .., last] = &subscripts[..] else { return "0".to_owned() };
    let row = outer.iter().zip(&array.shape).fold(String::new(), |row, (subscript, extent)| match row.is_empty() {
        true => subscript.clone(),
        false => {
            format!("({row}) * {} + {subscript}", expression::factor(extent, &|name| kernel.variable(name)))
        }
    });
    match (outer.len(), row) {
        (0, _) => last.clone(),
        (1, row) => format!("{row} * run->{name}_row + {last}"),
        (_, row) => format!("({row}) * run->{name}_row + {last}"),
    }
}

fn write_of_tiles(kernel: &Kernel, array: &ArrayDecl, way: Use, writer: &mut Writer) {
    let name = kernel.array(&array.name);
    let (what, head) = match way {
        Use::Load => ("A tile of", format!("static struct tile *load_{name}(struct run *run{})", parameters(array))),
        Use::Store => (
            "Puts a tile into",
            format!("static void store_{name}(struct run *run{}, struct tile *tile)", parameters(array)),
        ),
    };
    writer.comment(&format!("{what} {}.", array.name));
    kernel.function(writer, &head, "", |writer| {
        let spans = array.axes.iter().zip(tile_of_places(array)).map(|(axis, tile)| axis_span(kernel, axis, &tile));
        write_box(writer, "box", &spans.collect::<Vec<_>>());
        match way {
            Use::Load => writer.put(&format!("return tile_load(&run->{name}_view, &box);")),
            Use::Store => match &array.slant {
                Some(slant) => write_aslant(kernel, array, slant, writer),
                None => writer.put(&format!("tile_store(&run->{name}_view, &box, tile);")),
            },
        }
    });
}

/// The tile of places at the subscripts of a word.
fn tile_of_places(array: &ArrayDecl) -> Vec<String> {
    let tile = subscripts(array);
    let Some(straight) = &array.straight else { return tile };
    let moved = |(own, row): (&String, &SlantRow)| {
        let others = tile.iter().zip(&row.factors).filter(|(_, factor)| **factor != 0);
        let by = others.map(|(other, factor)| format!(" + {factor} * {other}")).collect::<String>();
        format!("{own}{by} + {}", row.shift).replace("+ -", "- ")
    };
    tile.iter().zip(&straight.places.rows).map(moved).collect()
}

/// Puts a tile into an array whose elements lie aslant in tiles.
fn write_aslant(kernel: &Kernel, array: &ArrayDecl, slant: &Slant, writer: &mut Writer) {
    let listed = |numbers: &mut dyn Iterator<Item = String>| numbers.collect::<Vec<_>>().join(", ");
    let row =
        |row: &SlantRow| format!("{{{{{}}}, {}}}", listed(&mut row.factors.iter().map(ToString::to_string)), row.shift);
    let extent = |extent| expression::factor(extent, &|name| kernel.variable(name));
    let rows = listed(&mut slant.rows.iter().map(row));
    writer.put(&format!("const struct slant_row rows[] = {{{rows}}};"));
    writer.put(&format!("const int64_t extents[] = {{{}}};", listed(&mut array.shape.iter().map(extent))));
    writer.put(&format!("tile_store_aslant(&run->{}_view, &box, tile, rows, extents);", kernel.array(&array.name)));
}

/// The elements of a tile along an axis.
pub(super) fn axis_span(kernel: &Kernel, axis: &Axis, tile: &str) -> String {
    let Axis { before, body, size, after, margin } = axis;
    let body = expression::affine(body, &|name| kernel.variable(name));
    format!("axis_span((struct axis){{{before}, {body}, {size}, {after}, {margin}}}, {tile})")
}

/// A box of so many spans.
pub(super) fn write_box(writer: &mut Writer, name: &str, spans: &[String]) {
    writer.put(&format!("const struct box {name} = {};", box_of(spans)));
}

/// A box as C.
pub(super) fn box_of(spans: &[String]) -> String {
    match spans {
        [] => "{.rank = 0}".to_owned(),
        _ => format!("{{{}, {{{}}}}}", spans.len(), spans.join(", ")),
    }
}
