//! The spaces of a kernel in the coordinates of their families, so that all that write one tensor speak of its elements alike.
//!
//! In: the spaces of a system. Out: a [`Contribution`] for each, over the subscripts of the tensor it contributes to, and its
//! reduction indices; and one for each closed form.

use crate::recurrence::spaces::{SpaceSystem, convex_union, solve};
use crate::recurrence::{Operator, Scalar};
use std::collections::BTreeMap;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Name, Polyhedron};
use systole_base::span::Span;

/// A read of a part.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Read {
    /// The tensor, or the reduction.
    pub tensor: Name,
    /// The element, over the coordinates.
    pub access: Vec<Affine>,
    /// The read in the source.
    pub span: Span,
}

/// What one space, or one closed form, contributes to a tensor.
#[derive(Clone, Debug)]
pub(super) struct Contribution {
    /// The name of the space; the tensor's for a closed form.
    pub name: Name,
    /// The tensor that the equation defines.
    pub tensor: Name,
    /// What it writes: the tensor, or the reduction by its own name.
    pub output: Name,
    /// Reductions that are this one at other points, by the names that they write.
    pub same: Vec<Name>,
    /// Which element it writes, over the coordinates.
    pub element: Vec<Affine>,
    /// The tensor's subscripts, then the reduction indices.
    pub coordinates: Vec<Name>,
    /// How many of these are subscripts.
    pub free: usize,
    /// The indices of the equation that a coordinate stands for, up to sign and shift: `i` where it defines `F[N - 1 - i]`.
    pub indices: BTreeMap<Name, Name>,
    /// The points.
    pub set: Polyhedron,
    /// What it reads.
    pub reads: Vec<Read>,
    /// The value at a point.
    pub body: Scalar,
    /// How values are reduced.
    pub reduction: Option<Operator>,
    /// The equation in the source.
    pub span: Span,
}

impl Contribution {
    /// The reduction indices.
    pub fn reduced(&self) -> &[Name] {
        &self.coordinates[self.free..]
    }

    /// Whether it is a reduction inside an equation, and not a whole one.
    pub fn is_inner(&self) -> bool {
        self.output != self.tensor
    }

    /// The points of both, where the other is the same reduction as this one and all points are convex.
    fn union(&self, other: &Contribution) -> Option<Polyhedron> {
        let reads = |part: &Contribution| -> Vec<(Name, Vec<Affine>)> {
            part.reads.iter().map(|read| (read.tensor.clone(), read.access.clone())).collect()
        };
        let is_same = (&self.tensor, &self.coordinates, self.free) == (&other.tensor, &other.coordinates, other.free)
            && (self.reduction, &self.body, &self.element) == (other.reduction, &other.body, &other.element)
            && reads(self) == reads(other);
        if is_same && self.is_inner() && other.is_inner() { convex_union(&[&self.set, &other.set]) } else { None }
    }
}

/// All parts of a kernel, in the order of its spaces, closed forms last; reductions that are one and the same at neighbouring
/// points are one part.
///
/// # Errors
/// A space whose points the subscripts do not name.
pub(super) fn parts(cut: &SpaceSystem) -> Checked<Vec<Contribution>> {
    let mut parts: Vec<Contribution> = vec![];
    for space in 0..cut.spaces.len() {
        let part = without_fixed(of_space(cut, space)?);
        let joined = parts.iter_mut().find_map(|known| Some((known.union(&part)?, known)));
        match joined {
            Some((set, known)) => {
                known.set = set;
                known.same.push(part.output);
            }
            None => parts.push(part),
        }
    }
    for known in &cut.known {
        parts.push(of_known(cut, known)?);
    }
    Ok(parts)
}

fn of_space(cut: &SpaceSystem, position: usize) -> Checked<Contribution> {
    let (space, member) = (&cut.spaces[position], &cut.members[position]);
    let coordinates = cut.families[member.family].indices.clone();
    let tensor = tensor_of(cut, member.family);
    let free = cut.tensors.iter().find(|known| known.name == tensor).map_or(0, |known| known.shape.len());
    let targets: Vec<Affine> = coordinates.iter().map(Affine::variable).collect();
    // Sums of another number of indices, such as `sum(k) 1` beside `sum(k, l) 1`, may be of one family, whose coordinates are those of one.
    let is_whole = member.embedding.len() == targets.len();
    let Some(inverse) = is_whole.then(|| solve(&member.embedding, space.indices(), &targets)).flatten() else {
        return Diagnostic::new(format!("`{}` cannot be tiled: its subscripts do not name its points", space.name))
            .label(&space.source, space.span, "this equation")
            .alone();
    };
    let image = |forms: &[Affine]| forms.iter().map(|form| form.substitute(&inverse.point)).collect::<Vec<_>>();
    let read = |operand: &crate::recurrence::Operand| Read {
        tensor: operand.tensor.clone(),
        access: image(&operand.access),
        span: operand.span,
    };
    Ok(Contribution {
        name: space.name.clone(),
        tensor,
        output: space.output.clone(),
        same: vec![],
        element: image(&space.output_access),
        indices: stood_for(&member.embedding, space.indices(), &coordinates),
        coordinates,
        free,
        set: inverse.image(&space.domain.set),
        reads: space.operands.iter().map(read).collect(),
        body: space.body.substitute(&inverse.point),
        reduction: space.reduction,
        span: space.span,
    })
}

/// For each index that a coordinate has alone, with a factor of 1 or -1, this coordinate.
fn stood_for(embedding: &[Affine], indices: &[Name], coordinates: &[Name]) -> BTreeMap<Name, Name> {
    let alone = |form: &Affine| {
        let mut own = form.terms().filter(|(name, _)| indices.contains(name));
        let (index, factor) = own.next()?;
        (own.next().is_none() && factor.abs() == 1).then(|| index.clone())
    };
    embedding
        .iter()
        .zip(coordinates)
        .filter_map(|(form, coordinate)| Some((alone(form)?, coordinate.clone())))
        .collect()
}

/// A reduction without the last subscripts of its tensor that are constants at all its points, such as a layer.
fn without_fixed(mut part: Contribution) -> Contribution {
    let is_fixed = |part: &Contribution| {
        let last = part.free.checked_sub(1).map(|last| part.coordinates[last].clone())?;
        let value = part.set.equations().any(|form| form.terms().all(|(name, _)| *name == last) && !form.is_constant());
        let is_read = part.element.iter().chain(part.reads.iter().flat_map(|read| &read.access));
        (value && !is_read.into_iter().any(|form| form.mentions([&last]))).then_some(last)
    };
    while let Some(last) = is_fixed(&part).filter(|_| part.is_inner()) {
        part.set = part.set.eliminate(&last);
        part.free -= 1;
        part.coordinates.remove(part.free);
    }
    part
}

/// The tensor whose subscripts a family's first coordinates are: families of reductions bear its name before a dot.
fn tensor_of(cut: &SpaceSystem, family: usize) -> Name {
    let name = &cut.families[family].name;
    let fits =
        |tensor: &&Name| **name == ***tensor || name.strip_prefix(&***tensor).is_some_and(|rest| rest.starts_with('.'));
    cut.tensors.iter().map(|tensor| &tensor.name).find(fits).unwrap_or(name).clone()
}

fn of_known(cut: &SpaceSystem, known: &crate::recurrence::spaces::ClosedValues) -> Checked<Contribution> {
    let coordinates = coordinates_of(cut, &known.tensor, known.subscripts.len());
    let targets: Vec<Affine> = coordinates.iter().map(Affine::variable).collect();
    let Some(inverse) = solve(&known.subscripts, &known.domain.indices, &targets) else {
        return Diagnostic::new(format!("`{}` cannot be tiled: its subscripts do not name its points", known.tensor))
            .label(&cut.source, known.span, "this equation")
            .alone();
    };
    Ok(Contribution {
        name: known.tensor.clone(),
        tensor: known.tensor.clone(),
        output: known.tensor.clone(),
        same: vec![],
        element: targets,
        free: coordinates.len(),
        indices: stood_for(&known.subscripts, &known.domain.indices, &coordinates),
        coordinates,
        set: inverse.image(&known.domain.set),
        reads: vec![],
        body: known.value.substitute(&inverse.point),
        reduction: None,
        span: known.span,
    })
}

/// The names that the other equations of a tensor give its subscripts; where there are closed forms alone, those that they give.
pub(super) fn coordinates_of(cut: &SpaceSystem, tensor: &Name, rank: usize) -> Vec<Name> {
    let families = (0..cut.families.len()).filter(|family| tensor_of(cut, *family) == *tensor);
    let named = families.map(|family| cut.families[family].indices[..rank].to_vec()).next();
    named.unwrap_or_else(|| coordinates_of_known(cut, tensor, rank))
}

fn coordinates_of_known(cut: &SpaceSystem, tensor: &Name, rank: usize) -> Vec<Name> {
    let mut names: Vec<Name> = vec![];
    for axis in 0..rank {
        let known = cut.known.iter().filter(|known| known.tensor == *tensor);
        let mut indices = known.filter_map(|known| {
            known.subscripts[axis].as_variable().filter(|index| known.domain.indices.contains(index))
        });
        let found = indices.find(|index| !names.contains(index)).cloned();
        names.push(found.unwrap_or_else(|| systole_base::integer::name(&format!("x{axis}"))));
    }
    names
}
