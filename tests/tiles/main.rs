//! Equations over tiles: their text, what is refused, and that tiles are cut so that nothing is lost.

mod axes;

mod equations;

mod meaning;

mod refusals;

mod sampled;

mod slanted;

mod tile_graph;

mod unlike;

use systole_base::diagnostic::{Checked, render};
use systole_base::integer::name;
use systole_base::span::Source;
use systole_equations::recurrence::{RecurrenceSystem, load};
use systole_equations::tiles::{TileSize, Tiled, tile};

/// A kernel of the repository.
fn kernel(title: &str) -> RecurrenceSystem {
    let path = format!("{}/kernels/{title}.rec", env!("SYSTOLE_ROOT"));
    system(&std::fs::read_to_string(path).expect("a kernel"))
}

fn system(text: &str) -> RecurrenceSystem {
    load(&Source::new("test.rec", text)).unwrap_or_else(|faults| panic!("{}", render(&faults, false)))
}

fn tiled_by(system: &RecurrenceSystem, sizes: &[(&str, i64)]) -> Checked<Tiled> {
    let size = |(index, size): &(&str, i64)| TileSize { index: name(index), size: *size, span: None };
    tile(system, &sizes.iter().map(size).collect::<Vec<_>>())
}

fn tiled(system: &RecurrenceSystem, sizes: &[(&str, i64)]) -> Tiled {
    tiled_by(system, sizes).unwrap_or_else(|faults| panic!("{}", render(&faults, false)))
}
