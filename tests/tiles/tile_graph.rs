//! Which tile is read by which, point by point: what refused tilings are held against. Nothing here comes from the tiler.

use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::{Affine, Bindings, Name};
use systole_equations::recurrence::{Equation, Expr, RecurrenceSystem, Role};

/// Sizes at which tiles are looked at: one tile, several, full and ragged.
const SIZES: [i64; 6] = [1, 2, 3, 5, 7, 11];

/// A tensor and one of its tiles.
type Tile = (Name, Vec<i64>);

/// For each tile of a computed tensor the others that read it.
type TileGraph = BTreeMap<Tile, BTreeSet<Tile>>;

/// The sides of tiles by the indices that they were asked for.
pub type Sides = BTreeMap<Name, i64>;

/// The first sizes at which tiles need each other in a cycle.
pub fn cyclic_at(system: &RecurrenceSystem, sides: &Sides) -> Option<Bindings> {
    let alike = (1..=SIZES[SIZES.len() - 1]).map(|size| vec![size; system.parameters.len()]);
    let mixed = mixed(system.parameters.len().min(3));
    let known = alike.chain(mixed).map(|sizes| -> Bindings {
        system.parameters.iter().cloned().zip(sizes.into_iter().chain(std::iter::repeat(2))).collect()
    });
    let mut meant = known.filter(|sizes| system.parameters.broken_at(sizes).is_none());
    meant.find(|sizes| has_cycle(graph(system, sides, sizes)))
}

/// Every choice of [`SIZES`] for so many parameters.
fn mixed(count: usize) -> Vec<Vec<i64>> {
    (0..count).fold(vec![vec![]], |all, _| {
        all.iter().flat_map(|chosen| SIZES.map(|size| [&chosen[..], &[size]].concat())).collect()
    })
}

/// Whether something is left when tiles are taken away that nothing left is read by.
fn has_cycle(mut graph: TileGraph) -> bool {
    loop {
        let read: BTreeSet<Tile> = graph.values().flatten().cloned().collect();
        let before = graph.len();
        graph.retain(|tile, _| read.contains(tile));
        if graph.len() == before {
            return before > 0;
        }
    }
}

fn graph(system: &RecurrenceSystem, sides: &Sides, sizes: &Bindings) -> TileGraph {
    let mut graph = TileGraph::new();
    for equation in &system.equations {
        let points = equation.domain.set.points(&equation.domain.indices, sizes).expect("points");
        for point in points {
            let mut known = sizes.clone();
            known.extend(equation.domain.indices.iter().cloned().zip(point));
            reads(system, &equation.value, &mut known, &mut |known, tensor, subscripts| {
                let reader = tile(system, sides, (&equation.target, &equation.subscripts), known);
                let read = tile(system, sides, (tensor, subscripts), known);
                if read != reader {
                    graph.entry(read).or_default().insert(reader);
                }
            });
        }
    }
    graph
}

/// Shows each read of a computed tensor at the values of all indices around it.
fn reads(
    system: &RecurrenceSystem,
    value: &Expr,
    known: &mut Bindings,
    see: &mut impl FnMut(&Bindings, &Name, &[Affine]),
) {
    match value {
        Expr::Number(_) | Expr::Index(_) => {}
        Expr::Read { tensor, subscripts, .. } => {
            if system.tensor(tensor).is_some_and(|tensor| tensor.role != Role::Input) {
                see(known, tensor, subscripts);
            }
        }
        Expr::Apply(_, arguments) => arguments.iter().for_each(|argument| reads(system, argument, known, see)),
        Expr::Reduce { index, range, body, .. } => {
            for point in range.points(std::slice::from_ref(index), known).expect("terms") {
                known.insert(index.clone(), point[0]);
                reads(system, body, known, see);
            }
            known.remove(index);
        }
    }
}

fn tile(system: &RecurrenceSystem, sides: &Sides, (tensor, subscripts): (&Name, &[Affine]), known: &Bindings) -> Tile {
    let of = |(dimension, form): (usize, &Affine)| {
        form.evaluate(known).expect("a subscript").div_euclid(side(system, sides, tensor, dimension))
    };
    (tensor.clone(), subscripts.iter().enumerate().map(of).collect())
}

/// The least side of the indices that stand for a subscript where a tensor is defined.
fn side(system: &RecurrenceSystem, sides: &Sides, tensor: &Name, dimension: usize) -> i64 {
    let definitions = system.equations.iter().filter(|equation| equation.target == *tensor);
    let named = |equation: &Equation| -> Vec<i64> {
        let subscript = &equation.subscripts[dimension];
        subscript.terms().filter_map(|(index, _)| sides.get(index).copied()).collect()
    };
    definitions.flat_map(named).min().unwrap_or(1)
}
