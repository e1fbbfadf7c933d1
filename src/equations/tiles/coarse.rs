//! From elements to tiles: which tiles a set of elements meets, and in which tile of a tensor a subscript lies.
//!
//! A coordinate `x` in tile `T` of an axis is `before + (T - before) * size + u` with `u` in `0..size`, and a parameter is its
//! number of tiles times the size less a remainder. Put into a form, that gives the form over tiles, with a constant
//! that covers all `u` and all remainders. What comes out never leaves out a tile; a tile too many has no points, and a leaf
//! finds none there.

use super::Axis;
use super::axes::count_name;
use super::axis::tiles_over;
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron};

/// Coordinates, each along an axis.
pub(super) type Along = BTreeMap<Name, Axis>;

/// The tiles that the elements of a set lie in.
pub(super) fn tiles_of(set: &Polyhedron, along: &Along) -> Polyhedron {
    // A form of sizes alone says for which of them there are points at all: a leaf without any finds none.
    // One that compares coordinates in tiles of several sizes, as in slanted tensors, leaves out no tile.
    let of_points = set.constraints().iter().filter(|form| is_of_one_size(form, along));
    let exact = |form| at_border(form, along).or_else(|| of_two(form, along));
    let coarse = of_points.map(|form| exact(form).unwrap_or_else(|| ends(form, along, unit(form, along)).1));
    Polyhedron::new(coarse)
}

/// Whether a form has coordinates, all in tiles of one size.
fn is_of_one_size(form: &Affine, along: &Along) -> bool {
    let mut sizes = form.terms().filter_map(|(name, _)| along.get(name)).map(|axis| axis.size);
    sizes.next().is_some_and(|size| sizes.all(|other| other == size))
}

/// The form over tiles of `size` in units of these, at its least and at its greatest: what it is at any element lies between.
/// The coordinates have tiles of this size, or of another that makes a whole number of these with its coefficient.
pub(super) fn ends(form: &Affine, along: &Along, size: i64) -> (Affine, Affine) {
    let (mut tiles, mut least, mut greatest) = (Affine::default(), form.constant_term(), form.constant_term());
    for (name, coefficient) in form.terms() {
        let (shift, low, high) = match along.get(name) {
            Some(axis) => {
                tiles.add_term(name, coefficient * axis.size / size);
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
    let tiles = at_sizes(&bound, axis).filter(|_| sign.abs() == 1)?;
    let tile = if sign == 1 { tiles.first() } else { tiles.last() };
    Some((Affine::variable(name) - tile?.clone()) * sign)
}

/// A bound of one coordinate by another that is cut alike, as `k - i - 1`: tiles rise with the elements in them, also at a border.
fn of_two(form: &Affine, along: &Along) -> Option<Affine> {
    let (bounded, _) = form.terms().find(|(_, coefficient)| *coefficient == -1)?;
    let bound = form.clone() + Affine::variable(bounded);
    let (own, (_, most)) = beside(&bound, along.get(bounded)?, along)?;
    Some(own + Affine::constant(most) - Affine::variable(bounded))
}

/// The tiles of an element that only the sizes decide, in rising order: a constant, the last element of the body, or one behind it.
/// A constant is in one tile, unless the body may end before it.
fn at_sizes(element: &Affine, axis: &Axis) -> Option<Vec<Affine>> {
    if element.is_constant() {
        let inner = element.constant_term() - axis.before;
        let (low, high) = of_constant(inner, axis);
        return Some((low..=high).map(|tile| Affine::constant(axis.before + tile)).collect());
    }
    let is_plain = axis.size == 1 || axis.body.as_variable().is_some();
    let beyond = element.clone() - axis.body.clone();
    let inner = beyond.constant_term() - axis.before;
    let is_one = is_plain && beyond.is_constant() && inner >= -1;
    is_one.then(|| vec![axis.body_tiles() + Affine::constant(axis.before + inner)])
}

/// The first and the last tile in which the element `inner` may be, both counted from the body's first, for a body of any length.
fn of_constant(inner: i64, axis: &Axis) -> (i64, i64) {
    if inner < 0 {
        return (inner, inner);
    }
    // The longest border that can end at the element; a body has an element, and then its tiles are the fewest.
    let border = if axis.size == 1 { 0 } else { axis.after.min(inner) };
    (inner.div_euclid(axis.size), border + (inner - border).div_euclid(axis.size))
}

/// The tiles of `axis` in which a subscript may lie, for coordinates in given tiles: each a form over tiles.
pub(super) fn tiles_met(subscript: &Affine, axis: &Axis, along: &Along) -> Vec<Affine> {
    let beyond = Affine::constant(axis.margin);
    if let Some(tiles) = at_sizes(subscript, axis) {
        return tiles.into_iter().map(|tile| tile + beyond.clone()).collect();
    }
    if let Some((own, (low, high))) = beside(subscript, axis, along) {
        return (low..=high).map(|tile| own.clone() + Affine::constant(tile) + beyond.clone()).collect();
    }
    let inner = subscript.clone() - Affine::constant(axis.before);
    let (first, last) = ends(&inner, along, axis.size);
    // An element of a border is a tile, so a subscript passes more tiles there than in the body; behind the body one more, since the
    // body's last tile may end before it is full.
    let (before, after) = if axis.size == 1 { (0, 0) } else { ((axis.before - 1).max(0), axis.after) };
    let (low, high) = (first.constant_term() - before, last.constant_term() + after);
    let tile =
        |constant| first.clone() + Affine::constant(constant - first.constant_term() + axis.before) + beyond.clone();
    (low..=high).map(tile).collect()
}

/// A coordinate of which a subscript is so many elements off, cut as the subscript is; and how many tiles off the subscript may be.
fn beside(subscript: &Affine, axis: &Axis, along: &Along) -> Option<(Affine, (i64, i64))> {
    let off = subscript.constant_term();
    let plain = subscript.clone() - Affine::constant(off);
    let own = along.get(plain.as_variable()?).filter(|own| is_alike(own, axis))?;
    let (near, far) = tiles_off(off.abs(), axis.size, axis.before, if off < 0 { own.after } else { axis.after });
    Some((plain, if off < 0 { (-far, -near) } else { (near, far) }))
}

/// How many tiles lie between two elements of one axis that are `off` elements apart: no more and no fewer. `before` and `after` are the
/// elements before and after the body, among which the lower and the upper of the two may be.
fn tiles_off(off: i64, size: i64, before: i64, after: i64) -> (i64, i64) {
    let up = |border: i64| border + tiles_over(off - border, size);
    let across = if before > 0 && after > 0 && off > 1 { up(off.min(before + after)) } else { 0 };
    let from_before = off.min(before) + (off - off.min(before)).div_euclid(size);
    (off.div_euclid(size), up(off.min(after)).max(from_before).max(across))
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

#[cfg(test)]
mod tests {
    use super::*;
    use systole_base::integer::{Bindings, name};

    /// The tile of an element, counted as [`Axis::span`] does.
    fn tile_of(element: i64, axis: &Axis, body: i64) -> i64 {
        let tiles = axis.tiles(&Bindings::from([(name("N"), body)])).unwrap();
        let holds = |tile: &i64| (axis.span(*tile, body).0..=axis.span(*tile, body).1).contains(&element);
        (0..tiles).find(holds).unwrap()
    }

    /// All axes with a parameter as body, and few elements in tiles and borders.
    fn axes() -> Vec<Axis> {
        let body = Affine::variable(&name("N"));
        let all = (1..5).flat_map(|size| (0..3).flat_map(move |before| (0..3).map(move |after| (size, before, after))));
        all.map(|(size, before, after)| Axis { before, body: body.clone(), size, after, margin: 0 }).collect()
    }

    /// What the tiles are at so many elements of a body, for coordinates in these tiles.
    fn at(forms: &[Affine], axis: &Axis, body: i64, tiles: &Bindings) -> Vec<i64> {
        let count = (count_name(&name("N"), axis.size), tiles_over(body, axis.size));
        let known: Bindings = tiles.clone().into_iter().chain([count]).collect();
        forms.iter().map(|form| form.evaluate(&known).unwrap()).collect()
    }

    #[test]
    fn no_tile_is_left_out_of_those_that_a_shifted_subscript_meets() {
        for axis in axes() {
            for (after, off) in (0..3).flat_map(|after| (-6..7).map(move |off| (after, off))) {
                let own = Axis { after, ..axis.clone() };
                let subscript = Affine::variable(&name("i")) + Affine::constant(off);
                let met = tiles_met(&subscript, &axis, &Along::from([(name("i"), own.clone())]));
                for (body, element) in (1..16).flat_map(|body| (0..axis.before + body + after).map(move |i| (body, i)))
                {
                    if !(0..axis.before + body + axis.after).contains(&(element + off)) {
                        continue;
                    }
                    let tiles = Bindings::from([(name("i"), tile_of(element, &own, body))]);
                    let found = tile_of(element + off, &axis, body);
                    assert!(at(&met, &axis, body, &tiles).contains(&found), "{axis:?} {after} {off} {body} {element}");
                }
            }
        }
    }

    /// A coordinate along an axis of its own: tensors of constant extents beside such that grow, read by one index.
    #[test]
    fn no_tile_is_left_out_where_the_coordinate_is_cut_otherwise() {
        for axis in axes() {
            for (extent, off) in (1..7).flat_map(|extent| (-2..3).map(move |off| (extent, off))) {
                let own = Axis { before: 0, body: Affine::constant(extent), size: axis.size, after: 0, margin: 0 };
                let subscript = Affine::variable(&name("i")) + Affine::constant(off);
                let met = tiles_met(&subscript, &axis, &Along::from([(name("i"), own.clone())]));
                for (body, element) in (1..16).flat_map(|body| (0..extent).map(move |element| (body, element))) {
                    if !(0..axis.before + body + axis.after).contains(&(element + off)) {
                        continue;
                    }
                    let tiles = Bindings::from([(name("i"), element / axis.size)]);
                    let found = tile_of(element + off, &axis, body);
                    assert!(at(&met, &axis, body, &tiles).contains(&found), "{axis:?} {extent} {off} {body} {element}");
                }
            }
        }
    }

    #[test]
    fn no_tile_is_left_out_of_those_of_a_number_nor_of_a_bound_by_it() {
        for (axis, number) in axes().into_iter().flat_map(|axis| (0..8).map(move |number| (axis.clone(), number))) {
            let along = Along::from([(name("i"), axis.clone())]);
            let (index, number) = (Affine::variable(&name("i")), Affine::constant(number));
            let met = tiles_met(&number, &axis, &along);
            let bounds = [index.clone() - number.clone(), number.clone() - index];
            let sets = bounds.map(|bound| (tiles_of(&Polyhedron::new([bound.clone()]), &along), bound));
            for body in 1..16 {
                for element in 0..axis.before + body + axis.after {
                    let tile = tile_of(element, &axis, body);
                    let is_number = element == number.constant_term();
                    assert!(
                        !is_number || at(&met, &axis, body, &Bindings::new()).contains(&tile),
                        "{axis:?} {number} {body}"
                    );
                    for (coarse, bound) in &sets {
                        let is_in = bound.evaluate(&Bindings::from([(name("i"), element)])).unwrap() >= 0;
                        let at_tile = at(coarse.constraints(), &axis, body, &Bindings::from([(name("i"), tile)]));
                        assert!(!is_in || at_tile.iter().all(|value| *value >= 0), "{axis:?} {bound} {body} {element}");
                    }
                }
            }
        }
    }
}
