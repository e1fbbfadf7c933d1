//! Leaves, axes and numbers of tiles as text.

use super::printer::{close, indented, joined, spaced};
use super::{IndexExpr, TileCount};
use systole_base::integer::{Affine, Bound};
use systole_equations::tiles::{
    Argument, Axis, Leaf, LeafIndex, Range, Slant, SlantRow, Step, Straight, Value, Window,
};

/// `(tiles N_by_4 N 4)`.
pub(super) fn print_tiles(count: &TileCount) -> String {
    format!("(tiles {} {} {})", count.name, count.parameter, count.size)
}

/// `(axes (0 M 4 0) ..)`.
pub(super) fn print_axes(axes: &[Axis]) -> String {
    format!("(axes{})", spaced(&axes.iter().map(print_axis).collect::<Vec<_>>()))
}

/// `(slant (0 0 0) (2 0 1))`: for each dimension by how many times each subscript it is moved, and by how much more.
pub(super) fn print_slant(slant: &Slant) -> String {
    format!("(slant{})", spaced(&slant.rows.iter().map(print_row).collect::<Vec<_>>()))
}

fn print_row(row: &SlantRow) -> String {
    format!("({} {})", joined(&row.factors), row.shift)
}

/// `(straight ((0 0 0) (+ T_by_8 1)) ((1 0 -1) (+ N_by_8 2)))`: for each dimension by how many times each subscript, and by how
/// much more, the tile of places lies further, and how many tiles there are.
pub(super) fn print_straight(Straight { places, extents }: &Straight) -> String {
    let rows = places.rows.iter().zip(extents);
    let rows = rows.map(|(row, extent)| format!("({} {})", print_row(row), IndexExpr::affine(extent)));
    format!("(straight{})", spaced(&rows.collect::<Vec<_>>()))
}

fn print_axis(axis: &Axis) -> String {
    let margin = if axis.margin == 0 { String::new() } else { format!(" {}", axis.margin) };
    format!("({} {} {} {}{margin})", axis.before, IndexExpr::affine(&axis.body), axis.size, axis.after)
}

/// A leaf, one declaration or step a line.
pub(super) fn print_leaf(leaf: &Leaf) -> Vec<String> {
    let mut below: Vec<String> = leaf.indices.iter().map(print_index).collect();
    below.extend(leaf.windows.iter().map(print_window));
    below.push(format!("(gives{})", print_tile(&leaf.result)));
    below.extend(leaf.arguments.iter().map(print_argument));
    below.extend(close("(body".to_owned(), indented(print_steps(leaf, &leaf.body), "  ")));
    close(format!("(leaf {} (coordinates{})", leaf.name, spaced(&leaf.coordinates)), indented(below, "  "))
}

fn print_index(index: &LeafIndex) -> String {
    format!("(index {} {} {})", index.name, print_axis(&index.axis), IndexExpr::affine(&index.tile))
}

fn print_window(window: &Window) -> String {
    let operator = window.operator.map_or_else(String::new, |known| format!(" (operator {})", known.keyword()));
    let ranges: Vec<String> = window.ranges.iter().map(print_range).collect();
    format!("(window {}{operator} (ranges{}))", window.tensor, spaced(&ranges))
}

fn print_range(range: &Range) -> String {
    let (form, extent) = (IndexExpr::affine(&range.form), IndexExpr::affine(&range.extent));
    format!("({form} {} {} {extent})", range.first, range.last)
}

/// ` ((0 M 4 0) i) ..`.
fn print_tile(tile: &[(Axis, Affine)]) -> String {
    tile.iter().map(|(axis, form)| format!(" ({} {})", print_axis(axis), IndexExpr::affine(form))).collect()
}

fn print_argument(argument: &Argument) -> String {
    format!("(takes {}{})", argument.window, print_tile(&argument.tile))
}

fn print_steps(leaf: &Leaf, steps: &[Step]) -> Vec<String> {
    steps.iter().flat_map(|step| print_step(leaf, step)).collect()
}

fn print_step(leaf: &Leaf, step: &Step) -> Vec<String> {
    match step {
        Step::Loop { index, falls, lower, upper, body } => {
            let word = if *falls { "loop-down" } else { "loop" };
            let name = leaf.indices.get(*index).map_or("?", |index| &*index.name);
            let lower: Vec<IndexExpr> = lower.iter().map(|bound| quotient(bound, IndexExpr::Ceil)).collect();
            let upper: Vec<IndexExpr> = upper.iter().map(|bound| quotient(bound, IndexExpr::Floor)).collect();
            let header = format!("({word} {name} (from{}) (to{})", spaced(&lower), spaced(&upper));
            close(header, indented(print_steps(leaf, body), "  "))
        }
        Step::If { conditions, then, otherwise } => {
            let conditions: Vec<String> =
                conditions.iter().map(|form| format!("(>= {} 0)", IndexExpr::affine(form))).collect();
            let sides = [then, otherwise].map(|side| close("(do".to_owned(), indented(print_steps(leaf, side), "  ")));
            close(format!("(if ({})", joined(&conditions)), indented(sides.concat(), "  "))
        }
        Step::Set { window, element, value } => {
            vec![format!("(set {} {})", print_element(*window, element), print_value(value))]
        }
    }
}

/// A bound as what the index alone is compared with.
fn quotient(bound: &Bound, divide: fn(Box<IndexExpr>, i64) -> IndexExpr) -> IndexExpr {
    let form = IndexExpr::affine(&bound.form);
    if bound.coefficient == 1 { form } else { divide(Box::new(form), bound.coefficient) }
}

/// `(1 i k)`: an element of the window with this number.
fn print_element(window: usize, element: &[Affine]) -> String {
    format!("({window}{})", spaced(&element.iter().map(IndexExpr::affine).collect::<Vec<_>>()))
}

/// A number is written with the fewest digits that read back as the same bits.
fn print_value(value: &Value) -> String {
    match value {
        Value::Number(number) => format!("{number:?}"),
        Value::Index(form) => format!("(index {})", IndexExpr::affine(form)),
        Value::Element(window, element) => print_element(*window, element),
        Value::Apply(function, arguments) => {
            format!("({}{})", function.keyword(), spaced(&arguments.iter().map(print_value).collect::<Vec<_>>()))
        }
    }
}
