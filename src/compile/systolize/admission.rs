//! What the scheme asks of its input, and the refusals.
//!
//! In: a space, a map, loading vectors. Out: every restriction that is broken. Report, section 3.2 and appendix A; of those
//! restrictions only the ones stay that the construction needs: two loops, a linear place of rank one less, one linear
//! step, one direction of reuse for each stream, users one hop apart. The neighbour condition is put on the place of the
//! *primitive* reuse vector, because consecutive users of an element are what has to be neighbours; a flow of 1 can come
//! from users two hops and two steps apart.

use super::Loading;
use crate::mapping::SpaceTimeMap;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, counted};
use systole_base::integer::{Matrix, Name, Vector, dot};
use systole_base::span::Span;
use systole_equations::recurrence::Space;

/// A stream before its pipes are known.
pub(super) struct Reuse<'a> {
    pub tensor: &'a Name,
    pub index_map: Matrix,
    /// From a user of an element to the next, in the order of the step.
    pub direction: Vector,
}

/// The reuse of every operand in its order, then of the output.
///
/// # Errors
/// Every restriction that is broken.
pub(super) fn admit<'a>(space: &'a Space, map: &SpaceTimeMap, loading: &[Loading]) -> Checked<Vec<Reuse<'a>>> {
    let problems = check_map(space, map);
    if !problems.is_empty() {
        return Err(problems);
    }
    let (mut reuses, mut problems) = (vec![], vec![]);
    for (tensor, access, span) in streams(space) {
        let rows = access.iter().map(|form| form.row(space.indices())).collect();
        match reuse(space, map, tensor, Matrix::new(rows, space.dimension()), span) {
            Ok(reuse) => reuses.push(reuse),
            Err(problem) => problems.push(problem),
        }
    }
    problems.extend(loading.iter().filter_map(|loading| check_loading(space, map, &reuses, loading)));
    if problems.is_empty() { Ok(reuses) } else { Err(problems) }
}

type Access<'a> = (&'a Name, &'a [systole_base::integer::Affine], Span);

/// Operands in their order, then the output.
pub(super) fn streams(space: &Space) -> impl Iterator<Item = Access<'_>> {
    let operands = space.operands.iter().map(|operand| (&operand.tensor, operand.access.as_slice(), operand.span));
    operands.chain([(&space.output, space.output_access.as_slice(), space.span)])
}

fn refuse(space: &Space, span: Span, message: String, label: &str) -> Diagnostic {
    Diagnostic::new(message).label(&space.source, span, label)
}

fn check_map(space: &Space, map: &SpaceTimeMap) -> Diagnostics {
    let (dimension, rank) = (space.dimension(), map.place.rank());
    let refuse = |message: String| refuse(space, space.span, message, "this equation");
    if dimension < 2 {
        return vec![refuse(format!("the scheme needs two loops, `{}` has {dimension}", space.kernel))];
    }
    if rank + 1 != dimension || map.rank() != rank {
        let message = format!("the scheme needs a place of rank {} for {dimension} loops", dimension - 1);
        let found = format!("this one has {} of rank {rank}", counted(map.rank(), "row"));
        return vec![refuse(message).note(found).help("a place of lower rank needs a further projection")];
    }
    let [step] = map.step.rows() else {
        let message = format!("the scheme needs one linear step, this one is a vector of {}", map.step.rows().len());
        return vec![refuse(message).help("choose a `time` of one form")];
    };
    let null = map.place.null_lattice();
    if null.iter().any(|increment| dot(step, increment) == 0) {
        let along = space.show_direction(&null[0]);
        let message = "two points share a process and a step".to_owned();
        return vec![refuse(message).note(format!("the place and the step are both zero along {along}"))];
    }
    vec![]
}

/// The one direction in which the elements of a stream are reused.
fn reuse<'a>(
    space: &'a Space,
    map: &SpaceTimeMap,
    tensor: &'a Name,
    index_map: Matrix,
    span: Span,
) -> Result<Reuse<'a>, Diagnostic> {
    let rank = index_map.rank();
    let [along] = index_map.null_lattice().try_into().map_err(|_| wrong_rank(space, tensor, rank, span))?;
    let pace = map.delay(&along)[0];
    if pace == 0 {
        let message = format!("two points that use one element of `{tensor}` share a step");
        let note = format!("the step is zero along {}", space.show_direction(&along));
        return Err(refuse(space, span, message, "used by both").note(note));
    }
    let direction: Vector = along.iter().map(|entry| entry * pace.signum()).collect();
    let hop = map.displacement(&direction);
    if !is_near(&hop) {
        let message = format!("consecutive users of an element of `{tensor}` are not neighbours");
        let note = format!("along {} the place moves by {hop:?}", space.show_direction(&direction));
        return Err(refuse(space, span, message, "this stream").note(note).help("a hop moves each coordinate by 1"));
    }
    Ok(Reuse { tensor, index_map, direction })
}

fn wrong_rank(space: &Space, tensor: &Name, rank: usize, span: Span) -> Diagnostic {
    let needed = space.dimension() - 1;
    let message = format!("the index map of `{tensor}` has rank {rank}, the scheme needs rank {needed}");
    let note = match rank > needed {
        true => "each element is used at one point only, so it has no flow",
        false => "an element is used along several directions, which give different flows",
    };
    refuse(space, span, message, "this stream").note(note)
}

/// Whether every coordinate moves by at most one.
fn is_near(hop: &[i64]) -> bool {
    hop.iter().all(|entry| entry.abs() <= 1)
}

fn check_loading(space: &Space, map: &SpaceTimeMap, reuses: &[Reuse], loading: &Loading) -> Option<Diagnostic> {
    let (tensor, vector) = (&loading.tensor, &loading.along);
    let refuse = |message: String, help: &str| {
        let span = loading.span.unwrap_or(space.span);
        Some(refuse(space, span, message, "to load and recover it").help(help))
    };
    let mut mine = streams(space).filter(|(name, ..)| *name == tensor).peekable();
    if mine.peek().is_none() {
        return refuse(format!("`{tensor}` is not a stream of `{}`", space.kernel), "name an operand or the output");
    }
    let moves = |reuse: &&Reuse| map.displacement(&reuse.direction).iter().any(|entry| *entry != 0);
    if reuses.iter().filter(|reuse| reuse.tensor == tensor).any(|reuse| moves(&reuse)) {
        return refuse(format!("`{tensor}` moves, so it is not loaded"), "a loading vector is for what stays");
    }
    let fits = vector.len() == map.rank() && is_near(vector) && vector.iter().any(|entry| *entry != 0);
    if fits {
        return None;
    }
    let message = format!("the loading vector {vector:?} of `{tensor}` does not lead to a neighbour");
    refuse(message, &format!("{} of -1, 0 or 1, not all 0", counted(map.rank(), "entry")))
}
