//! Random small systems of two spaces, for instances of rules.
//!
//! In: random numbers. Out: a [`World`]: `P` writes `X` and may read it at a constant distance, `Q` writes `Y`; both read the inputs
//! `A` and `B` and each other. Spaces have one to three indices, boxes that may be cut, sizes from 1 to 3; cuts leave some of
//! them with one point or none. Reductions are plain, nested, or over the fibres of the output.

use super::random::Random;
use crate::check::semantics::World;
use crate::rewrite::registry::Equations;
use crate::rewrite::rules::Monoid;
use std::collections::BTreeSet;
use systole_base::diagnostic::counted;
use systole_base::integer::{Affine, Bindings, Name, Polyhedron, name};
use systole_base::span::{Source, Span};
use systole_equations::recurrence::{Domain, Operand, Operator, Scalar, Space};

const INDICES: [&str; 3] = ["i", "j", "k"];

const SIZES: [&str; 3] = ["I", "J", "K"];

/// What a space is like before it has its operands.
struct Shape {
    indices: Vec<Name>,
    reduced: Vec<Name>,
    output: Vec<Affine>,
    reduction: Option<Operator>,
}

/// A system at sizes.
pub(in crate::check) fn random_world(random: &mut Random, monoids: &[Monoid]) -> Option<World> {
    let (mine, theirs) = (shape(random), shape(random));
    let mine_reads = operands(random, &mine, ("X", mine.output.len()), ("Y", theirs.output.len()));
    let theirs_reads = operands(random, &theirs, ("Y", theirs.output.len()), ("X", mine.output.len()));
    let equations = Equations {
        spaces: vec![space(random, ("P", "X"), mine, mine_reads), space(random, ("Q", "Y"), theirs, theirs_reads)],
        inputs: [name("A"), name("B")].into(),
        known: BTreeSet::new(),
        inner: BTreeSet::new(),
    };
    World::new(equations, sizes(random), monoids)
}

/// One space that reads inputs only, with sizes.
pub(super) fn random_space(random: &mut Random) -> (Space, Bindings) {
    let shape = shape(random);
    let reads = operands(random, &shape, ("X", shape.output.len()), ("Y", 2));
    (space(random, ("P", "X"), shape, reads), sizes(random))
}

fn sizes(random: &mut Random) -> Bindings {
    SIZES.iter().map(|parameter| (name(parameter), [1, 2, 2, 3][random.below(4)])).collect()
}

fn shape(random: &mut Random) -> Shape {
    let indices: Vec<Name> = INDICES[..[1, 2, 2, 3, 3][random.below(5)]].iter().map(|text| name(text)).collect();
    let form = |index: &Name| Affine::variable(index);
    let reduction = Operator::ALL[random.below(4)].0;
    if indices.len() > 1 && random.once_in(4) {
        let other = form(&indices[1]) * [1, 1, -1, 2][random.below(4)];
        let output = std::iter::once(form(&indices[0]) + other).chain(indices[2..].iter().map(form)).collect();
        return Shape { reduced: indices.clone(), indices, output, reduction: Some(reduction) };
    }
    let bound = random.below(indices.len() + 1);
    let (free, reduced) = indices.split_at(indices.len() - bound);
    let output = free.iter().map(form).collect();
    Shape { output, reduced: reduced.to_vec(), reduction: (bound > 0).then_some(reduction), indices }
}

/// What a space reads: inputs, its own output a step away, and the other's output.
fn operands(random: &mut Random, shape: &Shape, own: (&str, usize), other: (&str, usize)) -> Vec<Operand> {
    let operand = |tensor: &str, access: Vec<Affine>| Operand { tensor: name(tensor), access, span: NOWHERE };
    let mut all = vec![];
    for _ in 0..3 {
        let count = [0, 1, 1, 2, 2][random.below(5)];
        all.push(operand(["A", "B"][random.below(2)], access(random, shape, count)));
    }
    if let [one, .., last] = shape.indices.as_slice() {
        // What laws of two accesses speak of: two indices exchanged, a window that slides.
        let other = &shape.indices[1];
        let exchange = |read: &Operand| {
            operand(&read.tensor, read.access.iter().map(|form| exchanged(form, one, other)).collect())
        };
        let exchanged: Vec<Operand> = all.iter().map(exchange).collect();
        all.extend(exchanged);
        all.push(operand("B", vec![Affine::variable(one) + Affine::variable(last)]));
    }
    all.push(operand(other.0, access(random, shape, other.1)));
    if shape.reduction.is_none() && !random.once_in(3) {
        let back: Vec<Affine> = shape.output.iter().map(|form| form.clone() - random.between(-1, 1).into()).collect();
        all.push(operand(own.0, back));
    } else if random.once_in(3) {
        all.push(operand(own.0, access(random, shape, own.1)));
    }
    all
}

fn exchanged(form: &Affine, one: &Name, other: &Name) -> Affine {
    let image = [(one.clone(), Affine::variable(other)), (other.clone(), Affine::variable(one))];
    form.substitute(&image.into_iter().collect())
}

/// Some subscripts: mostly single indices, else small forms.
fn access(random: &mut Random, shape: &Shape, count: usize) -> Vec<Affine> {
    let index = |random: &mut Random| Affine::variable(&shape.indices[random.below(shape.indices.len())]);
    let form = |random: &mut Random| match random.below(8) {
        0 => index(random) + index(random),
        1 => index(random) - index(random),
        2 => index(random) + random.between(-1, 1).into(),
        3 => Affine::constant(random.between(0, 1)),
        _ => index(random),
    };
    (0..count).map(|_| form(random)).collect()
}

const NOWHERE: Span = Span { start: 0, end: 0 };

fn space(random: &mut Random, (own, output): (&str, &str), shape: Shape, operands: Vec<Operand>) -> Space {
    let grows = random.once_in(4);
    // One size for all sides, so that indices may be exchanged.
    let is_square = random.once_in(2);
    let sides = shape.indices.iter().zip(SIZES).enumerate().flat_map(|(place, (index, own))| {
        let size = if is_square { SIZES[0] } else { own };
        let upper = match place.checked_sub(1) {
            Some(before) if grows => Affine::variable(&shape.indices[before]),
            // Some laws speak of two values, whatever the sizes are.
            _ if random.once_in(6) => Affine::constant(1),
            _ => Affine::variable(&name(size)) - Affine::constant(1),
        };
        [Affine::variable(index), upper - Affine::variable(index)]
    });
    let mut set = Polyhedron::new(sides);
    if !grows && random.once_in(2) {
        set.add(cut(random, &shape.indices));
    }
    let source = Source::new("random", "");
    Space {
        kernel: name("random"),
        name: name(own),
        parameters: SIZES.iter().map(|size| name(size)).collect(),
        domain: Domain { indices: shape.indices, set },
        output: name(output),
        output_access: shape.output,
        operands,
        body: Scalar::Number(0.0),
        reduction: shape.reduction,
        reduced: shape.reduced,
        strips: vec![],
        shapes: vec![],
        assumed: vec![],
        span: NOWHERE,
        source,
    }
}

/// A half-space whose side runs across the box.
fn cut(random: &mut Random, indices: &[Name]) -> Affine {
    let (one, other) = (random.below(indices.len()), random.below(indices.len()));
    let (one, other) = (Affine::variable(&indices[one]), Affine::variable(&indices[other]));
    match random.below(7) {
        0 | 1 => one - other,
        2 => one - other - 1.into(),
        3 => one + other - 1.into(),
        4 => Affine::constant(2) - one - other,
        5 => one * 2 - other,
        _ => Affine::constant(1) - one,
    }
}

/// The points of a space in words: `P = {(i, j): 0 <= i <= 1, 0 <= j <= 2, i >= j}, 5 points`.
pub(in crate::check) fn describe(world: &World, position: usize) -> String {
    let space = world.space(position);
    let sizes = world.sizes.iter().map(|(size, value)| (size.clone(), Affine::constant(*value))).collect();
    let set = space.domain.set.substitute(&sizes);
    let ranges = space.indices().iter().map(|index| range(&set, index));
    let cuts = set.constraints().iter().filter(|form| form.terms().count() > 1).map(cut_text);
    let sides: Vec<String> = ranges.chain(cuts).collect();
    let indices: Vec<&str> = space.indices().iter().map(|index| &**index).collect();
    let count = match world.points(position).len() {
        _ if world.is_framed() => String::new(),
        1 => ", 1 point".to_owned(),
        points => format!(", {}", counted(points, "point")),
    };
    format!("{} = {{({}): {}}}{count}", space.name, indices.join(", "), sides.join(", "))
}

/// `0 <= i <= 2`, as far as single constraints say so.
fn range(set: &Polyhedron, index: &Name) -> String {
    let (lower, upper) = set.bounds(index);
    let none = Bindings::new();
    let least = lower.iter().filter_map(|bound| bound.lower_value(&none)).max();
    let greatest = upper.iter().filter_map(|bound| bound.upper_value(&none)).min();
    let left = least.map_or_else(String::new, |value| format!("{value} <= "));
    let right = greatest.map_or_else(String::new, |value| format!(" <= {value}"));
    format!("{left}{index}{right}")
}

/// `i >= j + 1` for `i - j - 1 >= 0`.
fn cut_text(form: &Affine) -> String {
    let part = |sign: i64| {
        let terms = form.terms().filter(|(_, coefficient)| coefficient.signum() == sign);
        let sum = terms.fold(Affine::default(), |sum, (name, value)| sum + Affine::term(name, value * sign));
        let constant = form.constant_term();
        if constant.signum() == sign { sum + Affine::constant(constant.abs()) } else { sum }
    };
    format!("{} >= {}", part(1), part(-1))
}
