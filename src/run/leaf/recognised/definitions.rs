//! The operations that a library knows beside products, each defined by a kernel.
//!
//! `rules/leaves` holds the kernels. A definition is tiled like any kernel; the leaf that it gives is what the library's
//! routine computes, with the running sums that the tiles before have come to. So a definition means what it says: the loops
//! of its leaf are an implementation, to which tests hold the library's. A line here binds a leaf to a task.

use super::instance::Text;
use super::shape::{Shape, shape_of};
use crate::leaf::routine::{Access, Node, Operation, Routine, Set, SlotAffine, compile_leaf, judge, specialise};
use crate::leaf::tally::Service;
use std::sync::OnceLock;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Bindings, name};
use systole_base::span::Source;
use systole_equations::recurrence::load;
use systole_equations::tiles::{Leaf, TileSize, tile};

/// What a library is asked to do. All triangles are lower ones; upper ones are their transposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// `L x = b - s` for all columns `x` of the result.
    Solve {
        /// Whether the diagonal counts as ones.
        is_unit: bool,
    },
    /// `L L^T = A - S`, zeros above.
    Factor,
    /// `L U = A - S`: `L` below the diagonal in the result, `U` on it and above in another layer. What else a tile of both has is
    /// constant.
    FactorBoth,
    /// `L X = 1`, zeros above.
    Invert,
}

impl Task {
    /// What a library calls it.
    pub fn service(self) -> Service {
        match self {
            Task::Solve { .. } => Service::Solve,
            Task::Factor => Service::Factor,
            Task::FactorBoth => Service::FactorBoth,
            Task::Invert => Service::Invert,
        }
    }
}

/// A matrix of a definition: its window, the index of its rows, that of its columns; `""` where there is none. Of a window of several
/// layers the one that is meant.
struct Place {
    window: &'static str,
    row: &'static str,
    column: &'static str,
    layer: i64,
}

const fn at(window: &'static str, row: &'static str, column: &'static str) -> Place {
    Place { window, row, column, layer: 0 }
}

/// A kernel, one of its leaves, and the task that this leaf is.
struct LibraryTask {
    text: &'static str,
    leaf: &'static str,
    task: Task,
    result: Place,
    sums: Place,
    given: Place,
    triangle: Place,
    upper: Place,
}

const NONE: Place = at("", "", "");

macro_rules! solve {
    ($file:literal, $is_unit:literal, $given:literal, $column:literal) => {
        LibraryTask {
            text: include_str!(concat!("../../leaves/", $file, ".rec")),
            leaf: "X",
            task: Task::Solve { is_unit: $is_unit },
            result: at("X", "i", $column),
            sums: at("X.sum", "i", $column),
            given: at($given, "i", $column),
            triangle: at("L", "i", "j"),
            upper: NONE,
        }
    };
}

const LINES: [LibraryTask; 12] = [
    solve!("solve_rows", false, "B", "r"),
    solve!("solve_columns", false, "B", "r"),
    solve!("solve_vector", false, "B", ""),
    solve!("solve_unit_rows", true, "B", "r"),
    solve!("solve_unit_columns", true, "B", "r"),
    solve!("solve_unit_vector", true, "B", ""),
    solve!("solve_sums_rows", false, "", "r"),
    solve!("solve_sums_columns", false, "", "r"),
    LibraryTask {
        text: include_str!("../../leaves/factor_lower.rec"),
        leaf: "L.2",
        task: Task::Factor,
        result: at("L", "i", "j"),
        sums: at("L.sum.2", "i", "j"),
        given: at("A", "i", "j"),
        triangle: NONE,
        upper: NONE,
    },
    LibraryTask {
        text: include_str!("../../leaves/factor_upper.rec"),
        leaf: "L.2",
        task: Task::Factor,
        result: at("L", "j", "i"),
        sums: at("L.sum.2", "j", "i"),
        given: at("A", "j", "i"),
        triangle: NONE,
        upper: NONE,
    },
    LibraryTask {
        text: include_str!("../../leaves/invert_lower.rec"),
        leaf: "X.2",
        task: Task::Invert,
        result: at("X", "i", "j"),
        sums: NONE,
        given: NONE,
        triangle: at("L", "i", "k"),
        upper: NONE,
    },
    LibraryTask {
        text: include_str!("../../leaves/factor_both.rec"),
        leaf: "L_U.3",
        task: Task::FactorBoth,
        result: Place { layer: 1, ..at("L_U", "i", "j") },
        sums: at("L_U.sum", "i", "j"),
        given: at("A", "i", "j"),
        triangle: NONE,
        upper: at("L_U", "i", "j"),
    },
];

/// The elements of a definition's tile along each index, and how many tiles there are: only bounds between indices cut.
const TILE: i64 = 4;
const TILES: i64 = 3;

/// A matrix in a definition's leaf: an access with the slots of its row and its column.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    pub access: usize,
    pub row: usize,
    pub column: Option<usize>,
}

/// A definition, ready to be compared with.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub task: Task,
    pub shape: Shape,
    pub accesses: Vec<Access>,
    filled: Vec<bool>,
    /// How many indices it has.
    pub indices: usize,
    /// Pairs of indices that run over the same elements.
    pub alike: Vec<(usize, usize)>,
    pub result: Position,
    pub sums: Option<Position>,
    pub given: Option<Position>,
    pub triangle: Option<Position>,
    pub upper: Option<Position>,
}

impl Definition {
    /// What a nest is compared with.
    pub fn as_text(&self) -> Text<'_> {
        Text { shape: &self.shape, accesses: &self.accesses, filled: &self.filled }
    }
}

/// All definitions, in the order in which they are tried.
///
/// # Errors
/// A text that is no kernel, or gives another leaf than its line says.
pub(super) fn definitions() -> Checked<&'static [Definition]> {
    static KNOWN: OnceLock<Checked<Vec<Definition>>> = OnceLock::new();
    match KNOWN.get_or_init(|| LINES.iter().map(prepare).collect()) {
        Ok(definitions) => Ok(definitions),
        Err(faults) => Err(faults.clone()),
    }
}

fn prepare(line: &LibraryTask) -> Checked<Definition> {
    let (leaf, sizes) = leaf_of(line)?;
    let routine = compile_leaf(&leaf, &sizes)?;
    let definition = define(line, &leaf, &routine);
    let refused = || vec![Diagnostic::new(format!("leaf `{}` is no `{:?}` by its definition", line.leaf, line.task))];
    definition.ok_or_else(refused)
}

/// The leaf of a line, with sizes at which all tiles are whole.
fn leaf_of(line: &LibraryTask) -> Checked<(Leaf, Bindings)> {
    let system = load(&Source::new("definition", line.text))?;
    let size = |index: &str| TileSize { index: name(index), size: TILE, span: None };
    let indices = [line.result.row, line.result.column];
    let wanted: Vec<TileSize> = indices.into_iter().filter(|index| !index.is_empty()).map(size).collect();
    let tiled = tile(&system, &wanted)?;
    let mut sizes: Bindings = system.parameters.iter().map(|parameter| (parameter.clone(), TILE * TILES)).collect();
    let counts: Vec<_> =
        tiled.counts.iter().filter_map(|count| Some((count.name.clone(), count.at(&sizes)?))).collect();
    sizes.extend(counts);
    let missing = || vec![Diagnostic::new(format!("a definition has no leaf `{}`", line.leaf))];
    let leaf = tiled.leaves.into_iter().find(|leaf| &*leaf.name == line.leaf).ok_or_else(missing)?;
    Ok((leaf, sizes))
}

/// `None` where the leaf has not one nest beside those that only write constants, or lacks a matrix.
fn define(line: &LibraryTask, leaf: &Leaf, routine: &Routine) -> Option<Definition> {
    let first_tile = vec![0; routine.coordinates];
    let spans = routine.indices.iter().map(|cut| cut.span(&first_tile)).collect::<Option<Vec<_>>>()?;
    let mut verdicts = vec![];
    judge(&routine.body, &spans, &mut verdicts);
    let nests: Vec<Node> = specialise(&routine.body, &verdicts).into_iter().filter(|node| !is_constant(node)).collect();
    let Ok([Node::Loop(nest)]) = <[Node; 1]>::try_from(nests) else { return None };
    let shape = shape_of(&nest, &routine.accesses)?;
    let mentioned = shape.accesses();
    let position = |place: &Place| position(place, leaf, routine, &mentioned);
    let same = |a: usize, b: usize| {
        leaf.indices[a].axis == leaf.indices[b].axis && leaf.indices[a].tile == leaf.indices[b].tile
    };
    let indices = routine.indices.len();
    let pairs = (0..indices).flat_map(|a| (a + 1..indices).map(move |b| (a, b)));
    let wanted = |place: &Place| (place.window.is_empty(), position(place));
    let optional = |place: &Place| match wanted(place) {
        (true, _) => Some(None),
        (false, found) => found.map(Some),
    };
    Some(Definition {
        task: line.task,
        shape,
        accesses: routine.accesses.clone(),
        filled: routine.filled(),
        indices,
        alike: pairs.filter(|(a, b)| same(*a, *b)).collect(),
        result: position(&line.result)?,
        sums: optional(&line.sums)?,
        given: optional(&line.given)?,
        triangle: optional(&line.triangle)?,
        upper: optional(&line.upper)?,
    })
}

/// Whether a step writes nothing but numbers.
fn is_constant(node: &Node) -> bool {
    let is_number = |set: &Set| matches!(set.value.as_slice(), [Operation::Number(_)]);
    match node {
        Node::Set(set) => is_number(set),
        Node::Loop(repeated) => repeated.body.iter().all(is_constant),
        Node::If { then, otherwise, .. } => then.iter().chain(otherwise).all(is_constant),
        Node::Known(_) => false,
    }
}

/// The first of some accesses that is to a matrix's elements by its row and its column.
fn position(place: &Place, leaf: &Leaf, routine: &Routine, mentioned: &[usize]) -> Option<Position> {
    let slot = |title: &str| leaf.indices.iter().position(|index| &*index.name == title);
    let (row, column) = (slot(place.row)?, slot(place.column));
    let indices: Vec<usize> = std::iter::once(row).chain(column).collect();
    let is_meant = |access: &Access| {
        let (over, fixed): (Vec<&SlotAffine>, Vec<&SlotAffine>) =
            access.subscripts.iter().partition(|form| !form.terms.is_empty());
        let named = &*leaf.windows[access.window].tensor == place.window && over.len() == indices.len();
        named
            && indices.iter().all(|slot| over.iter().any(|form| form.coefficient(*slot) == 1))
            && fixed.iter().all(|form| form.constant == place.layer)
    };
    let access = *mentioned.iter().find(|access| is_meant(&routine.accesses[**access]))?;
    Some(Position { access, row, column })
}
