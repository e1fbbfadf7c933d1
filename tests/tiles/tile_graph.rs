//! Which tile is read by which, point by point: what refused tilings are held against. Nothing here comes from the tiler.

use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::{Affine, Bindings, Name};
use systole_equations::recurrence::{Expr, RecurrenceSystem, Role};

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
    let held = held(system, sides);
    meant.find(|sizes| has_cycle(graph(system, &held, sizes)))
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

fn graph(system: &RecurrenceSystem, held: &Held, sizes: &Bindings) -> TileGraph {
    let mut graph = TileGraph::new();
    for equation in &system.equations {
        let points = equation.domain.set.points(&equation.domain.indices, sizes).expect("points");
        for point in points {
            let mut known = sizes.clone();
            known.extend(equation.domain.indices.iter().cloned().zip(point));
            reads(system, &equation.value, &mut known, &mut |known, tensor, subscripts| {
                let reader = tile(held, (&equation.target, &equation.subscripts), known);
                let read = tile(held, (tensor, subscripts), known);
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

fn tile(held: &Held, (tensor, subscripts): (&Name, &[Affine]), known: &Bindings) -> Tile {
    let of = |(dimension, form): (usize, &Affine)| {
        let side = held.get(&Slot::Dimension(tensor.clone(), dimension)).copied().unwrap_or(1);
        form.evaluate(known).expect("a subscript").div_euclid(side)
    };
    (tensor.clone(), subscripts.iter().enumerate().map(of).collect())
}

/// What has tiles of one side: a dimension of a tensor, or an index of the equation with this number.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Slot {
    Dimension(Name, usize),
    Index(usize, Name),
}

/// The side that holds for each.
type Held = BTreeMap<Slot, i64>;

/// Whatever meets in a subscript or a bound has the least of the sides. Where more is held to meet than has to, tiles are smaller: a cycle
/// among these is one among larger ones too.
fn held(system: &RecurrenceSystem, sides: &Sides) -> Held {
    let mut meetings: Vec<BTreeSet<Slot>> = vec![];
    for (number, equation) in system.equations.iter().enumerate() {
        let mut indices: BTreeSet<Name> = equation.domain.indices.iter().cloned().collect();
        indices_within(&equation.value, &mut indices);
        let of = |form: &Affine| -> BTreeSet<Slot> {
            let named = form.terms().map(|(name, _)| name).filter(|name| indices.contains(*name));
            named.map(|name| Slot::Index(number, name.clone())).collect()
        };
        let mut bounds: Vec<Affine> = equation.domain.set.constraints().to_vec();
        let mut access = |tensor: &Name, subscripts: &[Affine]| {
            for (dimension, form) in subscripts.iter().enumerate() {
                let mut meeting = of(form);
                meeting.insert(Slot::Dimension(tensor.clone(), dimension));
                meetings.push(meeting);
            }
        };
        access(&equation.target, &equation.subscripts);
        equation.value.visit_reads(&equation.domain.set, &mut |tensor, subscripts, around| {
            access(tensor, subscripts);
            bounds.extend(around.constraints().iter().cloned());
        });
        meetings.extend(bounds.iter().map(of));
        meetings.extend(indices.iter().map(|index| BTreeSet::from([Slot::Index(number, index.clone())])));
    }
    let asked = |slot: &Slot| match slot {
        Slot::Index(_, index) => sides.get(index).copied(),
        Slot::Dimension(..) => None,
    };
    let slots: BTreeSet<&Slot> = meetings.iter().flatten().collect();
    let mut held: Held = slots.into_iter().filter_map(|slot| Some((slot.clone(), asked(slot)?))).collect();
    loop {
        let before = held.clone();
        for meeting in &meetings {
            if let Some(least) = meeting.iter().filter_map(|slot| held.get(slot).copied()).min() {
                held.extend(meeting.iter().map(|slot| (slot.clone(), least)));
            }
        }
        if held == before {
            return held;
        }
    }
}

/// The indices of all reductions.
fn indices_within(value: &Expr, indices: &mut BTreeSet<Name>) {
    match value {
        Expr::Number(_) | Expr::Index(_) | Expr::Read { .. } => {}
        Expr::Apply(_, arguments) => arguments.iter().for_each(|argument| indices_within(argument, indices)),
        Expr::Reduce { index, body, .. } => {
            indices.insert(index.clone());
            indices_within(body, indices);
        }
    }
}
