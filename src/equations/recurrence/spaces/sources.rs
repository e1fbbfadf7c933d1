//! Where the values that a space reads come from.
//!
//! For each read of a computed tensor the reading space is divided by the equations that define the elements read. Where a
//! reduction is read that is empty, the value is neutral.

use super::{Origin, Source, SpaceSystem, last_point, solve};
use crate::recurrence::{Chain, Operand, Role, Scalar, Space};
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics};
use systole_base::integer::Polyhedron;
use systole_base::refusal::Refusal;

/// Finds the sources of every operand of every space.
pub(super) fn find_sources(cut: &mut SpaceSystem) -> Checked<()> {
    let mut problems = Diagnostics::new();
    let mut sources = vec![];
    for space in &cut.spaces {
        let mut found = vec![];
        for operand in &space.operands {
            found.push(of_operand(cut, space, operand).unwrap_or_else(|problem| {
                problems.push(problem);
                vec![]
            }));
        }
        sources.push(found);
    }
    cut.sources = sources;
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

fn of_operand(cut: &SpaceSystem, reader: &Space, operand: &Operand) -> Result<Vec<Source>, Diagnostic> {
    let declared = cut.tensors.iter().find(|tensor| tensor.name == operand.tensor);
    if declared.is_some_and(|tensor| tensor.role == Role::Input) {
        return Ok(vec![]);
    }
    let points = reader.domain.set.intersect(&Polyhedron::sizes(&cut.parameters));
    let mut sources = vec![];
    for (position, producer) in cut.spaces.iter().enumerate().filter(|(_, space)| space.output == operand.tensor) {
        let Some(last) = last_point(producer, &Chain::as_written(producer), &operand.access) else {
            return Err(no_last_point(reader, operand, producer));
        };
        let guard = last.image(&producer.domain.set);
        let origin = Origin::Space { space: position, element: operand.access.clone() };
        sources.extend(source(&reader.domain.set, &points, &guard, origin));
        if let (None, Some(operator)) = (declared, producer.reduction) {
            let empty = Origin::Known(Scalar::Number(operator.neutral()));
            let rest = points.outside(&guard);
            sources.extend(rest.iter().filter_map(|set| source(&reader.domain.set, &points, set, empty.clone())));
        }
    }
    sources.extend(known_sources(cut, reader, operand, &points));
    Ok(sources)
}

/// The closed forms that define elements the operand reads.
fn known_sources(cut: &SpaceSystem, reader: &Space, operand: &Operand, points: &Polyhedron) -> Vec<Source> {
    let mine = cut.known.iter().filter(|known| known.tensor == operand.tensor);
    let source = |known: &super::ClosedValues| {
        let inverse = solve(&known.subscripts, &known.domain.indices, &operand.access)?;
        let origin = Origin::Known(known.value.substitute(&inverse.point));
        source(&reader.domain.set, points, &inverse.image(&known.domain.set), origin)
    };
    mine.filter_map(source).collect()
}

/// The points at which `guard` holds, as a source; `None` where there are none.
fn source(domain: &Polyhedron, points: &Polyhedron, guard: &Polyhedron, origin: Origin) -> Option<Source> {
    if points.intersect(guard).is_empty() {
        return None;
    }
    let open = guard.constraints().iter().filter(|form| !points.implies(form)).cloned();
    Some(Source { set: domain.intersect(&Polyhedron::new(open)), origin, quotients: vec![] })
}

fn no_last_point(reader: &Space, operand: &Operand, producer: &Space) -> Diagnostic {
    let limit = "a reduction that is read has lines that end on one face";
    Diagnostic::new(format!("where `{}` is computed has no closed form", operand.tensor))
        .label(&reader.source, operand.span, "read here")
        .label(&producer.source, producer.span, "the lines of this reduction do not all end on one face")
        .help("divide the equation with `where`, so that each reduction has one upper bound")
        .of_refusal(Refusal::beyond(limit))
}
