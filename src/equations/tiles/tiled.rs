//! From a system over elements to one over tiles.

use super::axes::{Axes, count_name};
use super::axis::tiles_over;
use super::classes::{Sizes, TileSize};
use super::coarse::Along;
use super::counted::counted;
use super::equations::Tiler;
use super::gathered::gathered;
use super::layers::layers_first;
use super::slant::Slant;
use super::slanted::slanted;
use super::source::{Contribution, parts};
use super::stack::{Stacked, stacked};
use super::straight::{Straight, straightened};
use super::{Axis, Leaf};
use crate::recurrence::spaces::{SpaceSystem, coordinate_names, cut_for_tiles};
use crate::recurrence::{Directive, Equation, RecurrenceSystem, Role, Schedule, Tensor, cycle_of_groups, validate};
use std::collections::{BTreeMap, BTreeSet};
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Bindings, Name, Parameters, Polyhedron};

/// `(tiles N_by_4 N 4)`: how many tiles of so many elements cover so many elements.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TileCount {
    /// The name of the number.
    pub name: Name,
    /// The parameter that is divided.
    pub parameter: Name,
    /// The elements of a tile, at least 1.
    pub size: i64,
}

impl TileCount {
    /// The number at these sizes; `None` where the parameter has no value.
    pub fn at(&self, sizes: &Bindings) -> Option<i64> {
        sizes.get(&self.parameter).map(|elements| tiles_over(*elements, self.size))
    }
}

/// A system over tiles.
#[derive(Clone, Debug)]
pub struct Tiled {
    /// The equations, whose functions are the leaves.
    pub system: RecurrenceSystem,
    /// The equations over elements that are tiled: the user's, or the same with tensors stacked, or reductions counted from 0.
    pub elements: RecurrenceSystem,
    /// The leaves, by the number of their function.
    pub leaves: Vec<Leaf>,
    /// The sizes of the system over those of the user.
    pub counts: Vec<TileCount>,
    /// How each tensor is cut.
    pub axes: BTreeMap<Name, Vec<Axis>>,
    /// For each space over elements how its coordinates are cut.
    pub along: BTreeMap<Name, BTreeMap<Name, Axis>>,
    /// For each reduction of which a leaf adds the last terms by itself: the subscripts whose tiles these terms are in, in the
    /// leaf's order.
    pub inside: BTreeMap<Name, Vec<usize>>,
    /// How the elements of outputs lie that are slanted, and the extents that the user knows.
    pub slants: BTreeMap<Name, (Slant, Vec<Affine>)>,
    /// How the tiles of slanted tensors are counted, where not by their places.
    pub straight: BTreeMap<Name, Straight>,
    /// What is in tiles in place of a subscript of a slanted tensor, with the elements of a tile: `i + 2*t`, 8.
    pub moved: BTreeSet<(Affine, i64)>,
    /// For each reduction that one leaf computes together with another the name of that other.
    pub joined: BTreeMap<Name, Name>,
    /// For each size that was asked for the one that holds: less where what is divided alike was asked for in several.
    pub sides: Vec<i64>,
}

impl Tiled {
    /// The sizes of the system over tiles, where the user gives these.
    pub fn sizes(&self, sizes: &Bindings) -> Bindings {
        let counts = self.counts.iter().filter_map(|count| Some((count.name.clone(), count.at(sizes)?)));
        let whole = sizes.iter().filter(|(name, _)| self.system.parameters.contains(name));
        whole.map(|(name, value)| (name.clone(), *value)).chain(counts).collect()
    }
}

/// The system over tiles of these sizes; an index for which there is none stays as it is. Where tiles of several tensors need
/// each other, these tensors become one.
///
/// # Errors
/// What [`cut_for_tiles`] refuses; sizes that contradict each other; equations whose tiles need each other, or do not line up.
pub fn tile(system: &RecurrenceSystem, wanted: &[TileSize]) -> Checked<Tiled> {
    let (plain, gone) = gathered(system);
    let wanted = alike(wanted, &gone);
    let as_written = Stacked::none(counted(&plain), BTreeMap::new());
    // That tiles need each other in a cycle shows at some sizes only, so what has to be slanted is, even if it shows at none
    // of the small ones.
    let plain = tile_any_way(&as_written, &wanted);
    let tiled = tile_slanted(&as_written, &wanted).map_or(plain, Ok);
    tiled.map_err(|NotTiled { is_among_tiles, why }| match is_among_tiles {
        true => why,
        false => cycle(&as_written, &wanted).map_or(why, |cycle| vec![among_tiles(cycle)]),
    })
}

/// The smallest cycle of tiles that need each other, where elements are what they are computed from: the reason why leaves do
/// not fit together, where there is one.
fn cycle(as_written: &Stacked, wanted: &[TileSize]) -> Option<Diagnostic> {
    let system = &as_written.system;
    let parts = parts(&cut_for_tiles(system).ok()?).ok()?;
    let sizes = Sizes::new(&parts, wanted, &|_| false, &system.source).ok()?;
    let largest = sizes.held().iter().max()?.saturating_mul(2).saturating_add(1);
    cycle_of_groups(system, largest, &|tensor, element| {
        let tile = |(dimension, at): (usize, &i64)| at.div_euclid(sizes.of_dimension(tensor, dimension));
        element.iter().enumerate().map(tile).collect()
    })
}

/// Why one way to tile does not do.
struct NotTiled {
    /// Whether its leaves can be written, and the system over tiles is wrong, as where tiles need each other in a cycle.
    is_among_tiles: bool,
    why: Vec<Diagnostic>,
}

impl From<Vec<Diagnostic>> for NotTiled {
    fn from(why: Vec<Diagnostic>) -> NotTiled {
        NotTiled { is_among_tiles: false, why }
    }
}

/// With tensors as they are, or stacked, with margins or without. Where no way does, the first that comes to a cycle among
/// tiles says so, since that is no matter of how leaves are written; else the first says why.
fn tile_any_way(as_written: &Stacked, wanted: &[TileSize]) -> Result<Tiled, NotTiled> {
    let stacks = std::iter::once_with(|| stacked(as_written)).flatten();
    let ways = std::iter::once(as_written.clone()).chain(stacks).flat_map(|way| [(way.clone(), false), (way, true)]);
    let mut refused: Option<NotTiled> = None;
    for (way, margins) in ways {
        match tile_elements(&way, wanted, margins) {
            Ok(tiled) => return Ok(tiled),
            Err(other) if refused.as_ref().is_none_or(|known| other.is_among_tiles && !known.is_among_tiles) => {
                refused = Some(other);
            }
            Err(_) => {}
        }
    }
    Err(refused.unwrap_or_else(|| vec![].into()))
}

/// With tensors slanted whose tiles need each other otherwise.
fn tile_slanted(as_written: &Stacked, wanted: &[TileSize]) -> Option<Tiled> {
    let slanted = slanted(&as_written.system, wanted)?;
    let extents = |(tensor, slant): (&Name, &Slant)| {
        let own = as_written.system.tensor(tensor)?;
        Some((tensor.clone(), (slant.clone(), own.shape.clone())))
    };
    let slants = slanted.slants.iter().filter_map(extents).collect();
    let way = Stacked { slants, ..Stacked::none(slanted.system, slanted.borders) };
    let tiled = tile_any_way(&way, &slanted.wanted).ok()?;
    // How far tensors are moved, and what stands before them, is for sides that hold.
    if tiled.sides.iter().zip(wanted).any(|(held, asked)| *held != asked.size) {
        return tile_slanted(as_written, &with_sides(wanted, &tiled.sides));
    }
    let outputs = as_written.system.tensors_with(Role::Output);
    let slant = |tensor: &Tensor| {
        let slant = slanted.slants.get(&tensor.name)?.clone();
        Some((tensor.name.clone(), (slant, tensor.shape.clone())))
    };
    let moved = slanted.slants.iter().flat_map(|(tensor, slant)| {
        let names = coordinate_names(&as_written.system, tensor);
        let element: Vec<Affine> = names.iter().map(Affine::variable).collect();
        let place = slant.place(&element).into_iter().map(|form| form.clone() - Affine::constant(form.constant_term()));
        let in_tiles = place.zip(element).zip(&slanted.sizes[tensor]).filter(|((place, own), _)| place != own);
        in_tiles.map(|((place, _), size)| (place, *size)).collect::<Vec<_>>()
    });
    Some(Tiled { moved: moved.collect(), slants: outputs.filter_map(slant).collect(), ..tiled })
}

/// The same indices with these sizes.
fn with_sides(wanted: &[TileSize], sides: &[i64]) -> Vec<TileSize> {
    wanted.iter().zip(sides).map(|(one, side)| TileSize { size: *side, ..one.clone() }).collect()
}

/// The sizes with indices that are gone by the names of those that stand for them.
fn alike(wanted: &[TileSize], gone: &BTreeMap<Name, Name>) -> Vec<TileSize> {
    let index = |size: &TileSize| gone.get(&size.index).unwrap_or(&size.index).clone();
    wanted.iter().map(|size| TileSize { index: index(size), ..size.clone() }).collect()
}

/// One way to tile; `margins` says whether inputs may have empty tiles around.
fn tile_elements(way: &Stacked, wanted: &[TileSize], margins: bool) -> Result<Tiled, NotTiled> {
    let system = &way.system;
    let cut = cut_for_tiles(system)?;
    let parts: Vec<Contribution> = parts(&cut)?.into_iter().map(|part| behind_borders(way, part)).collect();
    let (axes, sides) = axes(way, &parts, wanted, margins)?;
    let stacks: BTreeSet<Name> = way.stacks.iter().map(|(stack, ..)| stack.clone()).collect();
    let slanted = way.borders.keys().filter(|tensor| way.is_slanted(tensor)).cloned();
    let forms = (stacks, slanted.collect());
    let all = (&cut, &parts[..], &axes);
    let of_axes = counts(system, &axes, &BTreeSet::new());
    let (mut tiler, mut equations) = written(system, all, &of_axes, &forms)?;
    let counts = counts(system, &axes, &spoken_of(system, &axes, &equations));
    if counts != of_axes {
        (tiler, equations) = written(system, all, &counts, &forms)?;
    }
    let subscripts = |known: Vec<BTreeSet<usize>>| known.iter().filter_map(|tile| tile.first().copied()).collect();
    let inside = tiler.inside.into_iter().map(|(name, known)| (name, subscripts(known)));
    let of_tensor = |tensor: &Tensor| (tensor.name.clone(), axes.of_tensor(&tensor.name).to_vec());
    let tiled = Tiled {
        system: over_tiles(system, &axes, of_counts(&system.parameters, &counts), equations),
        elements: system.clone(),
        leaves: tiler.leaves.into_iter().map(|leaf| layers_first(leaf, &way.stacks)).collect(),
        counts: counts.iter().filter(|count| count.size > 1).cloned().collect(),
        axes: system.tensors.iter().map(of_tensor).collect(),
        along: parts.iter().enumerate().flat_map(|(part, own)| along(own, axes.of(part))).collect(),
        inside: inside.collect(),
        slants: BTreeMap::new(),
        straight: BTreeMap::new(),
        moved: BTreeSet::new(),
        joined: parts.iter().flat_map(|part| part.same.iter().map(|same| (same.clone(), part.name.clone()))).collect(),
        sides,
    };
    match validate(&tiled.system) {
        Ok(_) => Ok(counted_from_steps(tiled, way, &counts)),
        Err(refused) => Err(NotTiled { is_among_tiles: true, why: refused.into_iter().map(among_tiles).collect() }),
    }
}

/// The same with the tiles of slanted tensors counted from where the elements of their steps begin, where that is right.
fn counted_from_steps(tiled: Tiled, way: &Stacked, counts: &[TileCount]) -> Tiled {
    let straight = straightened(&tiled, way).map(|mut straight| {
        let spoken_of = |count: &&TileCount| mentions(&straight.system, &count.name);
        let counts: Vec<TileCount> = counts.iter().filter(spoken_of).cloned().collect();
        straight.system.parameters = of_counts(&way.system.parameters, &counts);
        straight.counts = counts.into_iter().filter(|count| count.size > 1).collect();
        straight
    });
    straight.filter(|straight| validate(&straight.system).is_ok()).unwrap_or(tiled)
}

/// A part of a slanted tensor that says of its elements that they lie behind the zeros, if they do.
fn behind_borders(way: &Stacked, mut part: Contribution) -> Contribution {
    if !way.is_slanted(&part.tensor) {
        return part;
    }
    let points = part.set.intersect(&Polyhedron::sizes(&way.system.parameters));
    let borders = part.coordinates.iter().zip(&way.borders[&part.tensor]).filter(|(_, border)| **border > 0);
    let behind = borders.map(|(at, border)| Affine::variable(at) - Affine::constant(*border));
    let behind: Vec<Affine> = behind.filter(|form| points.implies(form)).collect();
    behind.into_iter().for_each(|form| part.set.add(form));
    part
}

/// The equations over tiles, where these are the numbers of tiles.
fn written<'a>(
    system: &RecurrenceSystem,
    all: (&'a SpaceSystem, &'a [Contribution], &'a Axes),
    counts: &[TileCount],
    forms: &(BTreeSet<Name>, BTreeSet<Name>),
) -> Checked<(Tiler<'a>, Vec<Equation>)> {
    let mut tiler = Tiler::new(all, of_counts(&system.parameters, counts).sizes(), forms.clone());
    let computed = system.tensors.iter().filter(|tensor| tensor.role != Role::Input);
    let equations = computed.map(|tensor| tiler.equations(&tensor.name, tensor.shape.len()));
    let equations = equations.collect::<Checked<Vec<_>>>()?.concat();
    Ok((tiler, equations))
}

/// What is wrong with the system over tiles, where that over elements is right: subscripts and sizes count tiles.
fn among_tiles(refused: Diagnostic) -> Diagnostic {
    let help = "leave an index undivided, or write the equations over indices along which all reads go back";
    refused.among("among tiles").help(help)
}

/// How everything is cut, and for each size that is asked for the one that holds.
fn axes(way: &Stacked, parts: &[Contribution], wanted: &[TileSize], margins: bool) -> Checked<(Axes, Vec<i64>)> {
    let mut sizes = Sizes::new(parts, wanted, &|tensor| way.is_slanted(tensor), &way.system.source)?;
    way.stacks.iter().for_each(|(tensor, dimension, extent)| sizes.take_whole(tensor, *dimension, *extent));
    let mut axes = Axes::new(way, parts, &sizes)?;
    let held = sizes.held().to_vec();
    if margins {
        let counts = counts(&way.system, &axes, &BTreeSet::new());
        let sizes = of_counts(&way.system.parameters, &counts).sizes();
        axes.add_margins(&way.system, parts, &sizes);
    }
    Ok((axes, held))
}

/// The numbers of tiles as parameters, with what follows for them from what is assumed of the sizes.
fn of_counts(sizes: &Parameters, counts: &[TileCount]) -> Parameters {
    sizes.in_tiles(counts.iter().map(|count| (&count.name, &count.parameter, count.size)))
}

/// How the coordinates of a part are cut, under each of its names.
fn along<'a>(part: &'a Contribution, axes: &'a Along) -> impl Iterator<Item = (Name, Along)> + 'a {
    part.same.iter().chain([&part.name]).map(|name| (name.clone(), axes.clone()))
}

fn mentions(system: &RecurrenceSystem, count: &Name) -> bool {
    let mut found = system.tensors.iter().flat_map(|tensor| &tensor.shape).any(|form| form.coefficient(count) != 0);
    let mut see = |form: &Affine| found |= form.coefficient(count) != 0;
    system.equations.iter().for_each(|equation| equation.visit_forms(&mut see));
    found
}

/// The system with these equations over tiles.
fn over_tiles(
    system: &RecurrenceSystem,
    axes: &Axes,
    parameters: Parameters,
    equations: Vec<Equation>,
) -> RecurrenceSystem {
    let shape = |tensor: &Tensor| {
        let own = axes.over_tiles(&tensor.name, axes.of_tensor(&tensor.name));
        own.iter().map(Axis::all_tiles).collect::<Vec<Affine>>()
    };
    RecurrenceSystem {
        parameters,
        tensors: system.tensors.iter().map(|tensor| Tensor { shape: shape(tensor), ..tensor.clone() }).collect(),
        equations,
        schedules: system.schedules.iter().map(without_tiles).collect(),
        ..system.clone()
    }
}

/// The numbers of tiles that equations speak of: a bound may be by a size that no axis has.
fn spoken_of(system: &RecurrenceSystem, axes: &Axes, equations: &[Equation]) -> BTreeSet<(Name, i64)> {
    let mut spoken = BTreeSet::new();
    let mut see = |form: &Affine| spoken.extend(form.terms().map(|(name, _)| name.clone()));
    equations.iter().for_each(|equation| equation.visit_forms(&mut see));
    let sizes: BTreeSet<i64> = all_axes(system, axes).map(|axis| axis.size).collect();
    let all = system.parameters.iter().flat_map(|parameter| sizes.iter().map(|size| (parameter.clone(), *size)));
    all.filter(|(parameter, size)| spoken.contains(&count_name(parameter, *size))).collect()
}

/// A reduction that reads nothing runs over sizes that no tensor may have.
fn all_axes<'a>(system: &'a RecurrenceSystem, axes: &'a Axes) -> impl Iterator<Item = &'a Axis> {
    system.tensors.iter().flat_map(|tensor| axes.of_tensor(&tensor.name)).chain(axes.of_parts())
}

/// The numbers of tiles that the axes have, and these, in the order of the parameters.
fn counts(system: &RecurrenceSystem, axes: &Axes, also: &BTreeSet<(Name, i64)>) -> Vec<TileCount> {
    let mut needed = also.clone();
    for axis in all_axes(system, axes) {
        needed.extend(axis.body.terms().map(|(parameter, _)| (parameter.clone(), axis.size)));
    }
    let of = |parameter: &Name| {
        let sizes: Vec<i64> = needed.iter().filter(|(name, _)| name == parameter).map(|(_, size)| *size).collect();
        let sizes = if sizes.is_empty() { vec![1] } else { sizes };
        let count = |size: i64| TileCount { name: count_name(parameter, size), parameter: parameter.clone(), size };
        sizes.into_iter().map(count).collect::<Vec<_>>()
    };
    system.parameters.iter().flat_map(of).collect()
}

/// The schedule for the system over tiles.
fn without_tiles(schedule: &Schedule) -> Schedule {
    let directives = schedule.directives.iter().filter(|(directive, _)| !matches!(directive, Directive::Tile(..)));
    Schedule { directives: directives.cloned().collect(), ..schedule.clone() }
}
