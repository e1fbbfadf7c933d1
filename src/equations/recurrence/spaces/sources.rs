//! Where the values that a space reads come from.
//!
//! For each read of a computed tensor the reading space is divided by the equations that define the elements read. Where a
//! reduction is read that is empty, the value is neutral.

use super::{Division, Origin, Source, SpaceSystem, last_point, solve};
use crate::recurrence::{Chain, Operand, Role, Scalar, Space};
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics};
use systole_base::integer::{Affine, Name, Polyhedron};
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
        let (element, quotients) = in_strips(producer, operand, reader);
        let is_whole = quotients.is_empty() || writers(cut, &operand.tensor) == 1;
        let last = last_point(producer, &Chain::as_written(producer), &element).filter(|_| is_whole);
        let Some(last) = last else { return Err(no_last_point(reader, operand, producer)) };
        let guard = match quotients.is_empty() {
            true => last.image(&producer.domain.set),
            // What is in strips is put together by one equation, which has all elements.
            false => Polyhedron::default(),
        };
        let origin = Origin::Space { space: position, element };
        let found = source(&reader.domain.set, &points, &guard, origin);
        sources.extend(found.map(|source| Source { quotients, ..source }));
        if let (None, Some(operator)) = (declared, producer.reduction) {
            let empty = Origin::Known(Scalar::Number(operator.neutral()));
            let rest = points.outside(&guard);
            sources.extend(rest.iter().filter_map(|set| source(&reader.domain.set, &points, set, empty.clone())));
        }
    }
    sources.extend(known_sources(cut, reader, operand, &points)?);
    Ok(sources)
}

/// How many spaces and closed forms give elements of a tensor.
fn writers(cut: &SpaceSystem, tensor: &Name) -> usize {
    let spaces = cut.spaces.iter().filter(|space| space.output == *tensor).count();
    spaces + cut.known.iter().filter(|known| known.tensor == *tensor).count()
}

/// The element that an operand reads, as the producer writes it: strip and position are quotient and rest where the producer has strips.
fn in_strips(producer: &Space, operand: &Operand, reader: &Space) -> (Vec<Affine>, Vec<Division>) {
    let (mut element, mut quotients) = (vec![], vec![]);
    for (form, written) in operand.access.iter().zip(&producer.output_access) {
        let Some(strip) = producer.strips.iter().find(|strip| strip.value() == *written) else {
            element.push(form.clone());
            continue;
        };
        let number = Division::by_strips(form, strip.size, reader);
        element.extend([Affine::variable(&number.quotient), number.rest()]);
        quotients.push(number);
    }
    (element, quotients)
}

/// The closed forms that define elements the operand reads.
fn known_sources(
    cut: &SpaceSystem,
    reader: &Space,
    operand: &Operand,
    points: &Polyhedron,
) -> Result<Vec<Source>, Diagnostic> {
    let mut sources = vec![];
    for known in cut.known.iter().filter(|known| known.tensor == operand.tensor) {
        let Some(inverse) = solve(&known.subscripts, &known.domain.indices, &operand.access) else {
            return Err(no_point(reader, operand)
                .label(&cut.source, known.span, "which of its elements this defines is found by a division only")
                .help("let each subscript on the left name an index by itself, without a factor"));
        };
        let origin = Origin::Known(known.value.substitute(&inverse.point));
        sources.extend(source(&reader.domain.set, points, &inverse.image(&known.domain.set), origin));
    }
    Ok(sources)
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
    let (label, help) = match (producer.reduction, step_to_a_size(producer)) {
        (Some(_), Some((step, size))) => (
            format!("the last term of this reduction depends on the remainder of `{size}` divided by {step}"),
            format!("make the size a multiple of the step: `kernel f({size})` with arrays of `{step}*{size}`"),
        ),
        (Some(_), None) => (
            "the lines of this reduction do not all end on one face".to_owned(),
            "divide the equation with `where`, so that each reduction has one upper bound, or reduce over its inner index \
             first, in a `local` tensor of its own"
                .to_owned(),
        ),
        (None, _) => (
            "which of its elements this defines is found by a division only".to_owned(),
            "let each subscript on the left name an index by itself, without a factor".to_owned(),
        ),
    };
    no_point(reader, operand).label(&producer.source, producer.span, label).help(help)
}

/// The step of a reduction's index up to a size, and the size.
fn step_to_a_size(producer: &Space) -> Option<(i64, Name)> {
    let index = producer.reduced.last()?;
    let bounds = producer.domain.set.constraints().iter().filter(|form| form.coefficient(index) < -1);
    let mut steps = bounds.filter_map(|form| {
        let others = form.terms().map(|(name, _)| name).filter(|name| *name != index);
        let mut sizes = others.filter(|name| !producer.indices().contains(name));
        Some((-form.coefficient(index), sizes.next()?.clone()))
    });
    steps.next()
}

fn no_point(reader: &Space, operand: &Operand) -> Diagnostic {
    let limit =
        "what is read is defined by equations whose lines end on one face, and that are solved without a division";
    Diagnostic::new(format!("where `{}` is computed has no closed form", operand.tensor))
        .label(&reader.source, operand.span, "read here")
        .of_refusal(Refusal::beyond(limit))
}
