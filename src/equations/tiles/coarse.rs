//! From elements to tiles: which tiles a set of elements meets, and in which tile of a tensor a subscript lies.
//!
//! A coordinate `x` in tile `T` of an axis is `before + (T - before) * size + u` with `u` in `0..size`, and a parameter is its
//! number of tiles times the size less a remainder. Put into a form, that gives the form over tiles, with a constant
//! that covers all `u` and all remainders. What comes out never leaves out a tile; a tile too many has no points, and a leaf
//! finds none there.

use super::Axis;
use super::axes::count_name;
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron};

/// Coordinates, each along an axis.
pub(super) type Along = BTreeMap<Name, Axis>;

/// The tiles that the elements of a set lie in.
pub(super) fn tiles_of(set: &Polyhedron, along: &Along) -> Polyhedron {
    // A form of sizes alone says for which of them there are points at all: a leaf without any finds none.
    let of_points = set.constraints().iter().filter(|form| form.terms().any(|(name, _)| along.contains_key(name)));
    let coarse = of_points.map(|form| at_border(form, along).unwrap_or_else(|| ends(form, along, unit(form, along)).1));
    Polyhedron::new(coarse)
}

/// The form over tiles of `size`, which all of its coordinates have, in units of tiles, at its least and at its greatest: what
/// it is at any element lies between.
fn ends(form: &Affine, along: &Along, size: i64) -> (Affine, Affine) {
    let (mut tiles, mut least, mut greatest) = (Affine::default(), form.constant_term(), form.constant_term());
    for (name, coefficient) in form.terms() {
        let (shift, low, high) = match along.get(name) {
            Some(axis) => {
                tiles.add_term(name, coefficient);
                // A tile of a border is one element, so the elements of tiles there lie closer than those of the body.
                let (low, high) = (axis.after * (1 - axis.size), axis.before.max(1) * (axis.size - 1));
                (axis.before * (1 - axis.size), low, high)
            }
            None => {
                tiles.add_term(&count_name(name, size), coefficient);
                (0, 1 - size, 0)
            }
        };
        least += coefficient * shift + (coefficient * low).min(coefficient * high);
        greatest += coefficient * shift + (coefficient * low).max(coefficient * high);
    }
    let plus = |rest: i64| tiles.clone() + Affine::constant(rest.div_euclid(size));
    (plus(least), plus(greatest))
}

/// The size of the tiles of a form's coordinates; they are of one class.
fn unit(form: &Affine, along: &Along) -> i64 {
    form.terms().find_map(|(name, _)| along.get(name)).map_or(1, |axis| axis.size)
}

/// A bound by a constant or by an axis' own end, which is met exactly.
fn at_border(form: &Affine, along: &Along) -> Option<Affine> {
    let mut coordinates = form.terms().filter(|(name, _)| along.contains_key(*name));
    let (Some((name, sign)), None) = (coordinates.next(), coordinates.next()) else { return None };
    let axis = along.get(name)?;
    let other = form.clone() - Affine::term(name, sign);
    let bound = if sign == 1 { -other } else { other };
    let tile = exact(&bound, axis).filter(|_| sign.abs() == 1)?;
    Some((Affine::variable(name) - tile) * sign)
}

/// The tile of an element that only the sizes decide, where that is one and the same for all sizes: a constant, the last element
/// of the body, or one behind it.
fn exact(element: &Affine, axis: &Axis) -> Option<Affine> {
    if element.is_constant() {
        let inner = element.constant_term() - axis.before;
        let tile = if inner < 0 { element.constant_term() } else { axis.before + inner.div_euclid(axis.size) };
        return Some(Affine::constant(tile));
    }
    let is_plain = axis.size == 1 || axis.body.as_variable().is_some();
    let beyond = element.clone() - axis.body.clone();
    let inner = beyond.constant_term() - axis.before;
    (is_plain && beyond.is_constant() && inner >= -1).then(|| axis.body_tiles() + Affine::constant(axis.before + inner))
}

/// The tiles of `axis` in which a subscript may lie, for coordinates in given tiles: each a form over tiles.
pub(super) fn tiles_met(subscript: &Affine, axis: &Axis, along: &Along) -> Vec<Affine> {
    let beyond = Affine::constant(axis.margin);
    if let Some(tile) = exact(subscript, axis) {
        return vec![tile + beyond];
    }
    if subscript.as_variable().is_some_and(|name| along.get(name).is_some_and(|own| is_alike(own, axis))) {
        return vec![subscript.clone() + beyond];
    }
    let inner = subscript.clone() - Affine::constant(axis.before);
    let (first, last) = ends(&inner, along, axis.size);
    // Over a border of several elements a subscript passes as many tiles.
    let (before, after) = ((axis.before - 1).max(0), (axis.after - 1).max(0));
    let (low, high) = (first.constant_term() - before, last.constant_term() + after);
    let tile =
        |constant| first.clone() + Affine::constant(constant - first.constant_term() + axis.before) + beyond.clone();
    (low..=high).map(tile).collect()
}

/// Whether two axes have the same elements in the same tiles, whatever stands after them.
fn is_alike(one: &Axis, other: &Axis) -> bool {
    (one.before, &one.body, one.size) == (other.before, &other.body, other.size)
}

/// Coordinates that a set of tiles pins to the border, where a tile is one element: their elements.
pub(super) fn pinned(tiles: &Polyhedron, along: &Along) -> BTreeMap<Name, Affine> {
    let mut pinned = BTreeMap::new();
    for (name, axis) in along {
        let tile = Affine::variable(name);
        let is = |value: &Affine| {
            let difference = tile.clone() - value.clone();
            tiles.implies(&difference) && tiles.implies(&-difference)
        };
        let before = (0..axis.before).map(|at| (Affine::constant(at), Affine::constant(at)));
        let after = (0..axis.after).map(|at| {
            let border = Affine::constant(axis.before + at);
            (axis.body_tiles() + border.clone(), axis.body.clone() + border)
        });
        if let Some((_, element)) = before.chain(after).find(|(tile, _)| is(tile)) {
            pinned.insert(name.clone(), element);
        }
    }
    pinned
}

/// The axes as they are at these tiles: those of which no tile stands after the body have no border there.
pub(super) fn within(tiles: &Polyhedron, along: &Along) -> Along {
    let inside = |(name, axis): (&Name, &Axis)| {
        let last = axis.body_tiles() + Affine::constant(axis.before - 1) - Affine::variable(name);
        let after = if tiles.implies(&last) { 0 } else { axis.after };
        (name.clone(), Axis { after, ..axis.clone() })
    };
    along.iter().map(inside).collect()
}
