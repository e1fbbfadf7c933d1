//! Parts of a kernel that have nothing to do with each other, each on PEs of its own.
//!
//! In: a dataflow under whose shortest steps spaces meet on PEs. Out: where spaces meet of which neither depends on the other, nor on what the
//! other does, the same dataflow with such parts of the kernel one behind the other along the first axis of the array. It takes more PEs, and as
//! many cycles as the longest part alone. That none meet there is seen to by whoever times it.

use super::apart::pairs_under;
use crate::extract::solve::Task;
use crate::mapping::{Design, SpaceDesign};
use std::collections::BTreeSet;
use systole_base::integer::{Affine, Bound, name};

/// The dataflow with its parts beside each other; `None` where no spaces of two parts meet.
pub fn side_by_side<'a>(task: &Task<'a>, design: &Design<'a>, shortest: &[SpaceDesign]) -> Option<Design<'a>> {
    let numbers = &task.connected;
    let is_given = task.constraint.places.iter().any(Option::is_some);
    let is_whole = numbers.iter().all(|number| *number == numbers[0]);
    let meet = |(one, other): &(usize, usize)| numbers[*one] != numbers[*other];
    if is_given || is_whole || design.rank() == 0 || !pairs_under(task, shortest)?.iter().any(meet) {
        return None;
    }
    let mut moved = design.clone();
    let mut end: Option<Affine> = None;
    for number in numbers.iter().copied().collect::<BTreeSet<usize>>() {
        let spaces: Vec<usize> = (0..numbers.len()).filter(|space| numbers[*space] == number).collect();
        let (first, behind) = extent(task, design, &spaces)?;
        let by = end.map_or_else(Affine::default, |end| end - first);
        end = Some(behind + by.clone());
        for space in spaces {
            let origin = moved.parts[space].origin.first_mut()?;
            *origin = origin.clone() + by.clone();
        }
    }
    Some(moved)
}

/// The first PE of some spaces along the first axis, and the one behind the last: of the forms that bound them, those that do at the sizes asked
/// for.
fn extent(task: &Task, design: &Design, spaces: &[usize]) -> Option<(Affine, Affine)> {
    let bounds: Option<Vec<(Affine, Affine)>> = spaces.iter().map(|space| bounds(task, design, *space)).collect();
    let (first, last): (Vec<Affine>, Vec<Affine>) = bounds?.into_iter().unzip();
    let at = |form: &Affine| form.evaluate(&task.sizes);
    Some((first.into_iter().min_by_key(at)?, last.into_iter().max_by_key(at)? + Affine::constant(1)))
}

/// The bounds of the places of a space along the first axis.
fn bounds(task: &Task, design: &Design, space: usize) -> Option<(Affine, Affine)> {
    let marker = name("the place");
    let off = design.place(space, &design.point(space)).first()?.clone() - Affine::variable(&marker);
    let space = &task.system.spaces[space];
    let mut set = space.domain.set.clone();
    [off.clone(), -off].into_iter().for_each(|form| set.add(form));
    let (lower, upper) = set.eliminate_all(space.indices()).bounds(&marker);
    let whole = |bounds: Vec<Bound>| bounds.into_iter().filter(|bound| bound.coefficient == 1).map(|bound| bound.form);
    let at = |form: &Affine| form.evaluate(&task.sizes);
    Some((whole(lower).max_by_key(at)?, whole(upper).min_by_key(at)?))
}
