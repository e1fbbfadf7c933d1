//! Program and sizes to flat code.
//!
//! In: a [`Program`] and a value for each of its parameters. Out: [`Code`]: every array with its extents and the boxes of
//! its tiles, every PE with its class. Numbers of tiles are constants like the parameters. Sizes
//! that are missing, not positive, or so large that a run could not be held in memory are refused before anything is allocated
//! for them.

use super::code::{ClassCode, Code, Grid, Layout, Pad, Pe, Test};
use super::compile_body::{Frame, compile_class};

use super::room::{ELEMENT_BYTES, MEMORY_LIMIT, Room, check_memory, given_by_leaves};
use super::widths::Widths;
use super::{ArrayDecl, Class, IndexExpr, Program, Scratchpad, TileCount, validate};
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, nearest};
use systole_base::integer::{Bindings, Name};
use systole_base::scalar::Function;
use systole_equations::tiles::{Axis, Straight};

/// Compiles a program for these sizes.
///
/// # Errors
/// A program that is not valid; sizes that do not fit the program or the memory; a PE that belongs to two classes.
pub fn compile(program: &Program, sizes: &Bindings) -> Checked<Code> {
    compile_for(program, sizes, &Room::of_simulation())
}

/// Refuses what [`compile`] refuses, but PEs of two classes: before there are arrays.
///
/// # Errors
/// A program that is not valid; sizes that do not fit the program or the memory.
pub fn check(program: &Program, sizes: &Bindings) -> Checked<()> {
    skeleton(program, sizes, &Room::of_simulation()).map(|_| ())
}

/// Compiles a program for these sizes, whose PEs so many processes share. Whether its arrays and tiles fit is for who shares them out.
///
/// # Errors
/// Those of [`compile`].
pub fn compile_shared(program: &Program, sizes: &Bindings, processes: usize) -> Checked<Code> {
    compile_for(program, sizes, &Room::of_processes(processes))
}

fn compile_for(program: &Program, sizes: &Bindings, room: &Room) -> Checked<Code> {
    let Skeleton { arrays, scratchpads, grid, classes, operations } = skeleton(program, sizes, room)?;
    let sizes = &bind_tiles(program, sizes);
    let pes = place_pes(program, sizes, &grid)?;
    let joints = [program.channels.len(), program.buses.len(), program.scratchpads.len()];
    let widths = Widths::of(&classes, &arrays, given_by_leaves(program, sizes), joints);
    Ok(Code { grid, arrays, scratchpads, classes, pes, operations, widths })
}

/// Code without its PEs.
struct Skeleton {
    arrays: Vec<Layout>,
    scratchpads: Vec<Pad>,
    grid: Grid,
    classes: Vec<ClassCode>,
    operations: Vec<Vec<(Function, u64)>>,
}

fn skeleton(program: &Program, sizes: &Bindings, room: &Room) -> Checked<Skeleton> {
    validate(program)?;
    check_sizes(program, sizes)?;
    let sizes = &bind_tiles(program, sizes);
    let arrays: Vec<Layout> =
        program.arrays.iter().map(|array| compile_array(array, sizes)).collect::<Result<_, Diagnostic>>()?;
    let scratchpads: Vec<Pad> =
        program.scratchpads.iter().map(|pad| compile_pad(pad, sizes)).collect::<Result<_, Diagnostic>>()?;
    let grid = compile_grid(program, sizes)?;
    let mut operations = vec![];
    let classes: Vec<ClassCode> =
        program.classes.iter().map(|class| compile_class(program, sizes, class, &mut operations)).collect();
    check_memory((program, sizes), (&arrays, &scratchpads), &grid, &classes, room)?;
    Ok(Skeleton { arrays, scratchpads, grid, classes, operations })
}

fn check_sizes(program: &Program, sizes: &Bindings) -> Checked<()> {
    let mut faults: Diagnostics = program.parameters.iter().filter_map(|name| check_size(name, sizes)).collect();
    for name in sizes.keys().filter(|name| !program.parameters.contains(name)) {
        let fault = Diagnostic::new(format!("program `{}` has no parameter `{name}`", program.kernel));
        let meant = nearest(name, program.parameters.iter().map(|parameter| &**parameter));
        faults.push(meant.into_iter().fold(fault, |fault, meant| fault.help(format!("did you mean `{meant}`?"))));
    }
    if let Some(breach) = program.parameters.breach(sizes).filter(|_| faults.is_empty()) {
        let fault = Diagnostic::new(format!("program `{}` assumes {breach}", program.kernel));
        faults.push(fault.help("choose other sizes"));
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

fn check_size(name: &Name, sizes: &Bindings) -> Option<Diagnostic> {
    match sizes.get(name) {
        None => {
            Some(Diagnostic::new(format!("parameter `{name}` has no value")).help(format!("give `--size {name}=8`")))
        }
        Some(value) if *value < 1 => {
            Some(Diagnostic::new(format!("parameter `{name}` is {value}; it must be at least 1")))
        }
        Some(_) => None,
    }
}

/// The sizes with the numbers of tiles that follow from them.
pub fn bind_tiles(program: &Program, sizes: &Bindings) -> Bindings {
    let count = |tile: &TileCount| Some((tile.name.clone(), tile.at(sizes)?));
    sizes.iter().map(|(name, value)| (name.clone(), *value)).chain(program.tiles.iter().filter_map(count)).collect()
}

fn compile_pad(pad: &Scratchpad, sizes: &Bindings) -> Result<Pad, Diagnostic> {
    let extents = |forms: &[IndexExpr]| -> Result<Vec<usize>, Diagnostic> {
        forms.iter().map(|form| extent_of(form, sizes, &pad.name)).collect()
    };
    Ok(Pad { shape: extents(&pad.shape)?, room: extents(&pad.room)? })
}

fn compile_array(array: &ArrayDecl, sizes: &Bindings) -> Result<Layout, Diagnostic> {
    let elements = array.shape.iter().map(|extent| extent_of(extent, sizes, &array.name));
    let elements: Vec<usize> = elements.collect::<Result<_, _>>()?;
    let cut = |(dimension, axis): (usize, &Axis)| match &array.slant {
        None => boxes_along(axis, (elements[dimension], elements[dimension]), sizes, &array.name),
        Some(slant) => {
            let needed = slant.rows[dimension].needed(dimension, &elements);
            boxes_along(axis, (needed.unwrap_or(usize::MAX), usize::MAX), sizes, &array.name)
        }
    };
    let boxes: Vec<Vec<(usize, usize)>> = array.axes.iter().enumerate().map(cut).collect::<Result<_, _>>()?;
    let shape = match &array.straight {
        Some(Straight { extents, .. }) => {
            let extents = extents.iter().map(|extent| extent_of(&IndexExpr::affine(extent), sizes, &array.name));
            extents.collect::<Result<_, _>>()?
        }
        None if boxes.is_empty() => elements.clone(),
        None => boxes.iter().map(Vec::len).collect(),
    };
    let straight = array.straight.as_ref().map(|straight| straight.places.clone());
    Ok(Layout {
        name: array.name.clone(),
        role: array.role,
        shape,
        elements,
        boxes,
        slant: array.slant.clone(),
        straight,
    })
}

/// First element and length of each tile along an axis, which must have so many elements at least and at most.
fn boxes_along(
    axis: &Axis,
    (least, most): (usize, usize),
    sizes: &Bindings,
    array: &Name,
) -> Result<Vec<(usize, usize)>, Diagnostic> {
    let body = axis.body.evaluate(sizes).filter(|body| *body >= 0);
    let covered = body.and_then(|body| body.checked_add(axis.before)?.checked_add(axis.after));
    let extent = covered.and_then(|covered| usize::try_from(covered).ok());
    let Some(extent) = extent.filter(|extent| (least..=most).contains(extent)) else {
        let message = format!("the tiles of `{array}` do not cover its {least} elements in a dimension");
        return Err(Diagnostic::new(message));
    };
    if extent as u128 * ELEMENT_BYTES > MEMORY_LIMIT.into() {
        return Err(Diagnostic::new(format!("the extent {extent} of `{array}` is too large")));
    }
    let (body, tiles) = (body.unwrap_or(0), axis.tiles(sizes).unwrap_or(0));
    let span = |tile| axis.span(tile, body);
    Ok((0..tiles).map(span).map(|(first, last)| (first as usize, (last - first + 1) as usize)).collect())
}

fn extent_of(extent: &IndexExpr, sizes: &Bindings, name: &Name) -> Result<usize, Diagnostic> {
    let value = extent.evaluate(sizes);
    value.and_then(|value| usize::try_from(value).ok()).ok_or_else(|| {
        let shown = value.map_or("too large".to_owned(), |value| value.to_string());
        Diagnostic::new(format!("the extent `{extent}` of `{name}` is {shown}"))
    })
}

fn compile_grid(program: &Program, sizes: &Bindings) -> Result<Grid, Diagnostic> {
    let mut grid = Grid { first: vec![], extents: vec![] };
    for coordinate in &program.grid {
        let ends = coordinate.first.evaluate(sizes).zip(coordinate.last.evaluate(sizes));
        let extent =
            ends.and_then(|(first, last)| usize::try_from(last.checked_sub(first)?.checked_add(1)?.max(0)).ok());
        let (Some((first, _)), Some(extent)) = (ends, extent) else {
            return Err(Diagnostic::new(format!("the bounds of coordinate `{}` are too large", coordinate.name)));
        };
        grid.first.push(first);
        grid.extents.push(extent);
    }
    Ok(grid)
}

/// Gives each point of the grid its class.
fn place_pes(program: &Program, sizes: &Bindings, grid: &Grid) -> Checked<Vec<Pe>> {
    let frame = Frame::new(program, sizes);
    let guards: Vec<Vec<Test>> = program.classes.iter().map(|class| frame.tests(&class.guard)).collect();
    let (mut pes, mut point) = (vec![], grid.first.clone());
    for position in 0..grid.volume() {
        grid.write_point(position, &mut point);
        let mut found = None;
        for (class, guard) in guards.iter().enumerate() {
            match (is_member(guard, &point), found) {
                (Some(false), _) => {}
                (Some(true), None) => found = Some(class),
                (Some(true), Some(other)) => {
                    return two_classes(&point, &program.classes[other], &program.classes[class]);
                }
                (None, _) => return guard_overflow(&point, &program.classes[class]),
            }
        }
        pes.extend(found.map(|class| Pe { position, class }));
    }
    Ok(pes)
}

/// `None` where the guard has no value.
fn is_member(guard: &[Test], point: &[i64]) -> Option<bool> {
    guard.iter().try_fold(true, |all, test| Some(all && test.holds(point)?))
}

fn guard_overflow<T>(point: &[i64], class: &Class) -> Checked<T> {
    let message = format!("the guard of class `{}` does not fit 64 bits at PE {}", class.name, show_point(point));
    Diagnostic::new(message).help("choose smaller sizes").alone()
}

fn two_classes<T>(point: &[i64], class: &Class, other: &Class) -> Checked<T> {
    Diagnostic::new(format!("PE {} belongs to the classes `{}` and `{}`", show_point(point), class.name, other.name))
        .help("the guards of different classes must exclude each other")
        .alone()
}

/// A point as messages show it: `(0, 2)`.
pub fn show_point(point: &[i64]) -> String {
    format!("({})", point.iter().map(i64::to_string).collect::<Vec<_>>().join(", "))
}
