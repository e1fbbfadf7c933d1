//! The sizes at which the steps of a chain are evaluated: small ones, all alike and all different.
//!
//! In: the equations or the frame of a kernel. Out: worlds in which every point can be gone through.

use crate::check::semantics::{Ranges, World};
use crate::rewrite::registry::{Equations, Frame};
use crate::rewrite::rules::Monoid;
use systole_base::integer::{Bindings, Name, Polyhedron, name};
use systole_base::span::{Source, Span};
use systole_equations::recurrence::{Domain, Scalar, Space};

/// Sizes that are tried, the largest first; then the smallest of all.
const TRIED: [[i64; 3]; 4] = [[4, 3, 2], [3, 2, 2], [2, 2, 2], [1, 1, 1]];

/// More points than this are too many for a space.
const MOST_POINTS: usize = 300;

/// More values of all indices together than this are too many for a term over a frame.
const MOST_VALUES: i64 = 30_000;

fn bindings(parameters: &[Name], sizes: [i64; 3]) -> Bindings {
    parameters.iter().cloned().zip(sizes.into_iter().cycle()).collect()
}

/// The first sizes that fit, and the smallest.
fn fitting<T>(mut worlds: impl Iterator<Item = (bool, T)>) -> Vec<T> {
    let mut first = None;
    for (fits, world) in worlds.by_ref() {
        first = Some(world);
        if fits {
            break;
        }
    }
    first.into_iter().chain(worlds.last().map(|(_, world)| world)).collect()
}

impl World {
    /// The spaces of a kernel at small sizes.
    pub fn small_spaces(equations: &Equations, monoids: &[Monoid]) -> Vec<World> {
        let mut parameters: Vec<Name> =
            equations.spaces.iter().flat_map(|space| space.parameters.iter().cloned()).collect();
        parameters.sort();
        parameters.dedup();
        let worlds =
            TRIED.iter().filter_map(|sizes| World::new(equations.clone(), bindings(&parameters, *sizes), monoids));
        fitting(worlds.map(|world| {
            let points = (0..equations.spaces.len()).map(|space| world.points(space).len());
            (points.max().unwrap_or(0) <= MOST_POINTS, world)
        }))
    }

    /// The frame of a kernel at sizes that are small enough to evaluate each of these terms.
    pub fn small_frames(frame: &Frame, terms: &[&str], monoids: &[Monoid]) -> Vec<World> {
        let space = space_of(frame);
        let fits = |ranges: &Ranges| terms.iter().all(|term| values(space.indices(), ranges, term) <= MOST_VALUES);
        let worlds = TRIED
            .iter()
            .filter_map(|sizes| World::of_frame(frame.clone(), &space, bindings(frame.parameters(), *sizes), monoids));
        fitting(worlds.map(|world| (world.ranges().is_none_or(fits), world)))
    }
}

/// How many values the indices that a term names have together.
fn values(indices: &[Name], ranges: &Ranges, term: &str) -> i64 {
    let words: Vec<&str> = term.split(|letter: char| !(letter.is_alphanumeric() || "_.'".contains(letter))).collect();
    let named = (0..indices.len()).filter(|place| words.contains(&&*indices[*place]));
    named.fold(1, |product: i64, place| product.saturating_mul(ranges.width(place)))
}

/// What stands for a frame where a world has a space.
fn space_of(frame: &Frame) -> Space {
    let title = frame.name.clone().unwrap_or_else(|| name("frame"));
    let indices: Vec<Name> = frame.indices().iter().map(|index| index.name.clone()).collect();
    let span = Span { start: 0, end: 0 };
    Space {
        kernel: title.clone(),
        name: title.clone(),
        parameters: frame.parameters().to_vec().into(),
        domain: Domain { indices: indices.clone(), set: Polyhedron::default() },
        output: title,
        output_access: vec![],
        operands: vec![],
        body: Scalar::Number(0.0),
        reduction: None,
        reduced: indices,
        strips: vec![],
        shapes: vec![],
        assumed: vec![],
        span,
        source: Source::new("frame", ""),
    }
}
