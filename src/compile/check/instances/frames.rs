//! Random small frames, for instances of laws of algebra.
//!
//! In: random numbers. Out: a [`World`]: a frame with the indices of a random space, of which any may be reduced over. Where the space is no
//! box the range of an index depends on indices before it, so sums over triangles and over nothing come up as well.

use super::random::Random;
use super::recursions::{define_recursion, with_recursion};
use super::spaces::random_space;
use crate::check::semantics::World;
use crate::rewrite::registry::{Equations, Frame, FrameIndex};
use crate::rewrite::rules::Monoid;
use systole_base::integer::{Affine, Bindings, Name, Polyhedron};
use systole_equations::recurrence::Space;

/// A frame at sizes, where asked for with tensors that equations define.
pub(in crate::check) fn random_frame(random: &mut Random, monoids: &[Monoid], has_definitions: bool) -> Option<World> {
    let (space, sizes) = random_space(random);
    let space = if has_definitions { with_recursion(space) } else { space };
    over_frame(space, sizes, monoids)
}

/// A world of the same kind with other equations or sizes.
pub(in crate::check) fn rebuilt(world: &World, equations: Equations, sizes: Bindings) -> Option<World> {
    if world.is_framed() {
        let space = equations.spaces.into_iter().next()?;
        let space = if world.definitions.is_empty() { space } else { with_recursion(space) };
        return over_frame(space, sizes, &world.context.monoids);
    }
    World::new(equations, sizes, &world.context.monoids)
}

/// The frame with the indices of a space.
fn over_frame(space: Space, sizes: Bindings, monoids: &[Monoid]) -> Option<World> {
    let mut frame = frame_of(&space);
    define_recursion(&mut frame, &space);
    let space = Space { reduced: space.indices().to_vec(), ..space };
    World::of_frame(frame, &space, sizes, monoids)
}

/// A space as the laws of algebra see it: each index with its range, which may depend on indices before it.
fn frame_of(space: &Space) -> Frame {
    let mut frame = Frame::new(&space.name, &space.parameters);
    for (place, index) in space.indices().iter().enumerate() {
        let later = &space.indices()[place + 1..];
        let bounds = space.domain.set.constraints().iter();
        let bounds = bounds.filter(|form| form.coefficient(index) != 0 && !form.mentions(later));
        let range = Polyhedron::new(bounds.cloned());
        let axis = axis_of(&frame, index, &range).unwrap_or(place);
        frame.add_index(FrameIndex { name: index.clone(), axis, range });
    }
    let accesses = space.operands.iter().map(|operand| &operand.access).chain([&space.output_access]);
    accesses.for_each(|access| {
        frame.add_access(access);
    });
    for index in space.indices() {
        frame.add_access(&[Affine::variable(index)]);
    }
    frame
}

/// The axis of an index that has the same values.
fn axis_of(frame: &Frame, index: &Name, range: &Polyhedron) -> Option<usize> {
    let alike = |other: &&FrameIndex| {
        let image = [(other.name.clone(), Affine::variable(index))].into_iter().collect();
        other.range.substitute(&image) == *range
    };
    frame.indices().iter().find(alike).map(|other| other.axis)
}
