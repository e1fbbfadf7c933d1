//! The validator's rules about tiles: numbers of tiles, axes of arrays, leaves.

use super::read_leaf::linear;
use super::validate::{Checker, Place};
use super::{ArrayDecl, IndexExpr};
use std::fmt::Display;
use systole_base::diagnostic::counted;
use systole_base::integer::{Affine, Bound, Name};
use systole_equations::recurrence::Role;
use systole_equations::tiles::{Axis, Leaf, Slant, Step, Straight, Value};

/// No axis has tiles, or single elements beside its body, beyond this.
const LARGEST: i64 = 1 << 28;

/// Checks everything about tiles but the calls.
pub(super) fn check_tiles(checker: &mut Checker<'_>) {
    let program = checker.program;
    for (number, count) in program.tiles.iter().enumerate() {
        if !(1..=LARGEST).contains(&count.size) {
            let message = format!("tiles of `{}` have {} elements; it must be 1 to {LARGEST}", count.name, count.size);
            checker.fault(Place::Tiles(number), message);
        }
        if !program.parameters.contains(&count.parameter) {
            let known: Vec<&str> = program.parameters.iter().map(|name| &**name).collect();
            let message = format!("parameter `{}` is not declared", count.parameter);
            checker.fault_unknown(Place::Tiles(number), &message, &count.parameter, &known);
        }
    }
    for (number, array) in program.arrays.iter().enumerate() {
        check_axes(checker, Place::Array(number), array);
    }
    for (number, leaf) in program.leaves.iter().enumerate() {
        LeafChecker { checker: &mut *checker, leaf, number, next: 0, open: vec![] }.check();
    }
}

fn check_axes(checker: &mut Checker<'_>, place: Place, array: &ArrayDecl) {
    let (name, rank, found) = (&array.name, array.shape.len(), array.axes.len());
    let over_tiles = checker.program.arrays.iter().any(|array| !array.axes.is_empty());
    if over_tiles && found != rank {
        checker
            .fault(place, format!("array `{name}` has {} and {}", counted(rank, "dimension"), counted(found, "axis")));
    }
    let parameters: Vec<&Name> = checker.program.parameters.iter().collect();
    if let Some(slant) = &array.slant {
        check_slant(checker, place, array, slant);
    }
    if let Some(straight) = &array.straight {
        check_straight(checker, place, array, straight);
    }
    for (axis, extent) in array.axes.iter().zip(&array.shape) {
        check_axis(checker, place, axis, &parameters);
        if array.slant.is_none() && linear(extent).is_some_and(|extent| Some(extent) != extent_of(axis)) {
            checker.fault(place, format!("an axis of array `{name}` does not cover its extent `{extent}`"));
        }
    }
}

/// How far the places reach is checked where the sizes are known.
fn check_slant(checker: &mut Checker<'_>, place: Place, array: &ArrayDecl, slant: &Slant) {
    let (name, rank) = (&array.name, array.shape.len());
    let numbers = slant.rows.iter().flat_map(|row| row.factors.iter().chain([&row.shift]));
    let is_small = numbers.into_iter().all(|number| number.abs() <= LARGEST);
    if slant.rows.len() != rank || !slant.is_sound() || !is_small {
        let message = format!("the slant of array `{name}` is not one of {}", counted(rank, "dimension"));
        checker.fault(place, format!("{message}, each moved by numbers up to {LARGEST} and not by itself"));
    }
    if array.role != Role::Output || array.axes.is_empty() {
        checker.fault(place, format!("array `{name}` is slanted, but no output in tiles"));
    }
}

/// No element may be in a tile that is not there: it would never be stored.
fn check_straight(checker: &mut Checker<'_>, place: Place, array: &ArrayDecl, straight: &Straight) {
    let (name, rank, rows) = (&array.name, array.shape.len(), &straight.places.rows);
    let numbers = rows.iter().flat_map(|row| row.factors.iter().chain([&row.shift]));
    let is_small = numbers.into_iter().all(|number| number.abs() <= LARGEST);
    if rows.len() != rank || !straight.places.is_sound() || !is_small || array.slant.is_none() {
        let message = format!("array `{name}` counts its tiles otherwise, but not as a slanted one of");
        checker.fault(place, format!("{message} {}", counted(rank, "dimension")));
    }
    let counts: Vec<&Name> =
        checker.program.parameters.iter().chain(checker.program.tiles.iter().map(|count| &count.name)).collect();
    straight.extents.iter().for_each(|extent| check_form(checker, place, extent, &counts));
    let extents = array.shape.iter().map(linear).collect::<Option<Vec<Affine>>>();
    let holds_all = |slant: &Slant| extents.is_some_and(|extents| straight.holds_all(slant, &array.axes, &extents));
    if !array.slant.as_ref().is_some_and(holds_all) {
        checker.fault(place, format!("array `{name}` counts its tiles so that elements may be in none"));
    }
}

fn check_axis(checker: &mut Checker<'_>, place: Place, axis: &Axis, parameters: &[&Name]) {
    check_form(checker, place, &axis.body, parameters);
    let beside = [axis.before, axis.after, axis.margin].iter().all(|count| (0..=LARGEST).contains(count));
    if !beside || !(1..=LARGEST).contains(&axis.size) {
        let Axis { before, size, after, .. } = axis;
        let message = format!("an axis with {before} single elements, tiles of {size} and {after} single elements");
        checker.fault(place, format!("{message}; tiles have 1 to {LARGEST} elements, and so many may stand beside"));
    }
}

/// How many elements an axis covers; `None` where a number does not fit.
fn extent_of(axis: &Axis) -> Option<Affine> {
    axis.body.combine(1, &Affine::constant(axis.before.checked_add(axis.after)?), 1)
}

fn check_form(checker: &mut Checker<'_>, place: Place, form: &Affine, scope: &[&Name]) {
    checker.check_index(place, &IndexExpr::affine(form), scope);
}

struct LeafChecker<'a, 'c> {
    checker: &'c mut Checker<'a>,
    leaf: &'a Leaf,
    number: usize,
    /// The number of the next step.
    next: usize,
    /// The indices of the loops around.
    open: Vec<usize>,
}

impl<'a> LeafChecker<'a, '_> {
    fn check(&mut self) {
        self.check_names();
        self.check_places();
        self.check_windows();
        self.block(&self.leaf.body);
    }

    fn place(&self) -> Place {
        Place::Leaf(self.number)
    }

    fn fault(&mut self, message: impl Display) {
        self.checker.fault(self.place(), format!("leaf `{}`: {message}", self.leaf.name));
    }

    /// An index may have the name of a coordinate: forms are over one or the other.
    fn check_names(&mut self) {
        let leaf = self.leaf;
        self.check_distinct("coordinate", leaf.coordinates.iter().collect());
        self.check_distinct("index", leaf.indices.iter().map(|index| &index.name).collect());
        for window in &leaf.windows {
            self.checker.check_name(self.place(), "tensor", &window.tensor);
        }
    }

    fn check_distinct(&mut self, kind: &str, names: Vec<&'a Name>) {
        let mut seen = vec![];
        for name in names {
            self.checker.check_name(self.place(), kind, name);
            if self.sizes().contains(&name) {
                self.fault(format!("{kind} `{name}` hides a size of that name"));
            }
            if seen.contains(&name) {
                self.fault(format!("{kind} `{name}` is declared twice"));
            }
            seen.push(name);
        }
    }

    /// Which tiles there are: the indices' boxes, the result, the arguments.
    fn check_places(&mut self) {
        let leaf = self.leaf;
        leaf.indices.iter().for_each(|index| self.check_tile(&index.axis, &index.tile));
        leaf.result.iter().for_each(|(axis, tile)| self.check_tile(axis, tile));
        if leaf.windows.is_empty() {
            return self.fault("it has no window for its result");
        }
        self.check_fit(0, "its result", &leaf.result);
        for (number, argument) in leaf.arguments.iter().enumerate() {
            argument.tile.iter().for_each(|(axis, tile)| self.check_tile(axis, tile));
            match leaf.windows.len() {
                count if argument.window < count => {
                    self.check_fit(argument.window, &format!("argument {number}"), &argument.tile);
                }
                count => self.fault(format!("argument {number} fills window {}, of {count}", argument.window)),
            }
        }
    }

    fn check_tile(&mut self, axis: &Axis, tile: &Affine) {
        let place = self.place();
        let sizes = self.sizes();
        let scope: Vec<&Name> = sizes.iter().copied().chain(&self.leaf.coordinates).collect();
        let parameters: Vec<&Name> = self.checker.program.parameters.iter().collect();
        check_axis(self.checker, place, axis, &parameters);
        check_form(self.checker, place, tile, &scope);
    }

    /// A tile has the dimensions of its window.
    fn check_fit(&mut self, window: usize, what: &str, tile: &[(Axis, Affine)]) {
        let known = &self.leaf.windows[window];
        let (found, rank) = (tile.len(), known.ranges.len());
        if found != rank {
            return self.fault(format!(
                "{what} has {}, window `{}` has {rank}",
                counted(found, "dimension"),
                known.tensor
            ));
        }
        for ((axis, _), range) in tile.iter().zip(&known.ranges) {
            if extent_of(axis).as_ref() != Some(&range.extent) {
                let message = format!("{what} has an axis that does not cover `{}`", range.extent);
                self.fault(format!("{message}, the extent of window `{}`", known.tensor));
            }
        }
    }

    fn check_windows(&mut self) {
        let (leaf, place) = (self.leaf, self.place());
        let sizes = self.sizes();
        let indices: Vec<&Name> = sizes.iter().copied().chain(leaf.indices.iter().map(|index| &index.name)).collect();
        for range in leaf.windows.iter().flat_map(|window| &window.ranges) {
            check_form(self.checker, place, &range.form, &indices);
            check_form(self.checker, place, &range.extent, &sizes);
        }
    }

    /// The parameters and the numbers of tiles.
    fn sizes(&self) -> Vec<&'a Name> {
        let program = self.checker.program;
        program.parameters.iter().chain(program.tiles.iter().map(|count| &count.name)).collect()
    }

    fn block(&mut self, steps: &'a [Step]) {
        steps.iter().for_each(|step| self.step(step));
    }

    fn step(&mut self, step: &'a Step) {
        let place = Place::Step(self.number, self.next);
        self.next += 1;
        match step {
            Step::Loop { index, lower, upper, body, .. } => self.repetition(place, *index, [lower, upper], body),
            Step::If { conditions, then, otherwise } => {
                conditions.iter().for_each(|form| self.form(place, form));
                self.block(then);
                self.block(otherwise);
            }
            Step::Set { window, element, value } => {
                self.element(place, *window, element);
                self.value(place, value);
            }
        }
    }

    fn repetition(&mut self, place: Place, index: usize, bounds: [&'a [Bound]; 2], body: &'a [Step]) {
        for bound in bounds.into_iter().flatten() {
            self.form(place, &bound.form);
            if bound.coefficient < 1 {
                let message = format!("the divisor {} of a bound is not positive", bound.coefficient);
                self.checker.fault(place, message);
            }
        }
        match self.leaf.indices.get(index) {
            None => self.checker.fault(place, format!("index {index} of leaf `{}` is not declared", self.leaf.name)),
            Some(known) if self.open.contains(&index) => {
                self.checker.fault(place, format!("a loop over `{}` stands within another one", known.name));
            }
            Some(_) => {}
        }
        self.open.push(index);
        self.block(body);
        self.open.pop();
    }

    /// A form in the body: over the parameters and the indices of the loops around.
    fn form(&mut self, place: Place, form: &Affine) {
        let open = self.open.iter().filter_map(|index| self.leaf.indices.get(*index)).map(|index| &index.name);
        let scope: Vec<&Name> = self.sizes().into_iter().chain(open).collect();
        check_form(self.checker, place, form, &scope);
    }

    fn element(&mut self, place: Place, window: usize, element: &'a [Affine]) {
        element.iter().for_each(|form| self.form(place, form));
        let Some(known) = self.leaf.windows.get(window) else {
            let count = self.leaf.windows.len();
            return self
                .checker
                .fault(place, format!("leaf `{}` has no window {window}, it has {count}", self.leaf.name));
        };
        let (found, rank) = (element.len(), known.ranges.len());
        if found != rank {
            let message = format!(
                "window `{}` has {}, {} given",
                known.tensor,
                counted(rank, "dimension"),
                counted(found, "subscript")
            );
            self.checker.fault(place, message);
        }
    }

    fn value(&mut self, place: Place, value: &'a Value) {
        match value {
            Value::Number(_) => {}
            Value::Index(form) => self.form(place, form),
            Value::Element(window, element) => self.element(place, *window, element),
            Value::Apply(function, arguments) => {
                self.checker.check_arity(place, *function, arguments.len());
                arguments.iter().for_each(|argument| self.value(place, argument));
            }
        }
    }
}
