//! What a design must satisfy before obligations can be stated: parts that fit together, numbers that cannot overflow,
//! values that stay the same along their lines, links that exist.

use super::wording::vector;
use crate::mapping::{Flow, MappedSpace, check_ways, first_astray, ways_of};
use crate::rewrite::Transport;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Matrix, Name, dot};
use systole_base::network::Links;
use systole_equations::recurrence::{Operand, Space};

/// The largest entry of a map or a link, of a direction, and of an equation. Products of the first two with a few terms
/// and the third with the second fit 64 bits with room to spare.
const MAP: i64 = 100_000;
const DIRECTION: i64 = 100;
const EQUATION: i64 = 1_000_000_000_000;

/// Refuses a design whose parts do not fit together or whose numbers are too large to reckon with.
pub(super) fn check_design(design: &MappedSpace, links: &Links) -> Checked<()> {
    check_shapes(design)?;
    check_numbers(design, links)?;
    check_links(links)?;
    check_directions(design)
}

/// Refuses flows that one network cannot carry together.
pub(super) fn check_network(design: &MappedSpace, flows: &[Flow], links: &Links) -> Checked<()> {
    let (network, rank) = (links.network, design.map.rank());
    if !network.carries_rank(rank) {
        return Diagnostic::new(format!("a `{network}` network has no arrays of rank {rank}"))
            .help("choose another network, such as `mesh`, or fewer dimensions in `place`")
            .alone();
    }
    check_ways(network, &ways_of(flows)).map_err(|problem| vec![problem])?;
    check_buses(design)
}

/// A bus runs along one axis of the array.
fn check_buses(design: &MappedSpace) -> Checked<()> {
    let slanted = |(operand, transport): (&Operand, &Transport)| match transport {
        Transport::Broadcast(direction) => {
            let displacement = design.map.displacement(direction);
            let axes = displacement.iter().filter(|entry| **entry != 0).count();
            (axes > 1).then(|| (operand.tensor.clone(), displacement))
        }
        _ => None,
    };
    match design.space.operands.iter().zip(&design.dataflow.transports).find_map(slanted) {
        Some((tensor, displacement)) => {
            Diagnostic::new(format!("a bus for `{tensor}` would run along {}", vector(&displacement)))
                .help("buses run along one axis of the array: choose another `place`, or let it stream")
                .alone()
        }
        None => Ok(()),
    }
}

fn check_shapes(design: &MappedSpace) -> Checked<()> {
    let (kernel, dimension) = (&design.space.kernel, design.space.dimension());
    let fits = [&design.map.place, &design.map.step].iter().all(|matrix| matrix.columns() == dimension)
        && directions(design).all(|direction| direction.len() == dimension)
        && design.dataflow.transports.len() == design.space.operands.len();
    if !fits {
        return Diagnostic::new(format!("the design does not fit the {dimension} indices of `{kernel}`")).alone();
    }
    if design.map.step.rows().is_empty() {
        return Diagnostic::new(format!("the points of `{kernel}` have no time"))
            .help("give the schedule a line such as `time i + j`")
            .alone();
    }
    Ok(())
}

fn check_numbers(design: &MappedSpace, links: &Links) -> Checked<()> {
    let rows = design.map.place.rows().iter().chain(design.map.step.rows()).flatten();
    check_limit(design, "the schedule", MAP, rows.chain([&links.latency, &links.response]).copied())?;
    check_limit(design, "a direction", DIRECTION, directions(design).flatten().copied())?;
    let forms = design.space.domain.set.constraints().iter().chain(accesses(design.space).flatten());
    let numbers = |form: &Affine| {
        form.terms().map(|(_, coefficient)| coefficient).chain([form.constant_term()]).collect::<Vec<_>>()
    };
    check_limit(design, "the equation", EQUATION, forms.flat_map(numbers))
}

fn check_limit(design: &MappedSpace, what: &str, limit: i64, mut numbers: impl Iterator<Item = i64>) -> Checked<()> {
    if numbers.all(|number| number.unsigned_abs() <= limit.unsigned_abs()) {
        return Ok(());
    }
    Diagnostic::new(format!("{what} of `{}` has a number beyond {limit}", design.space.kernel))
        .help("use smaller coefficients, latencies and response times")
        .alone()
}

fn check_links(links: &Links) -> Checked<()> {
    if links.latency < 1 || links.response < 0 {
        return Diagnostic::new("a link takes at least 1 cycle, and a response at least 0")
            .note(format!("latency {}, response {}", links.latency, links.response))
            .alone();
    }
    Ok(())
}

/// One value serves a whole line, so the subscripts must not change along it. The output itself is read where an earlier
/// point wrote it, which is another element.
fn check_directions(design: &MappedSpace) -> Checked<()> {
    let space = design.space;
    let operands = space.operands.iter().zip(&design.dataflow.transports);
    let carried = operands.filter(|(operand, _)| operand.tensor != space.output);
    let lines = carried.flat_map(|(operand, transport)| {
        along(transport).iter().map(move |direction| (&operand.tensor, &operand.access, direction))
    });
    let reduced = design.dataflow.chain.directions.iter();
    let lines = lines.chain(reduced.map(|direction| (&space.output, &space.output_access, direction)));
    let mut refusals: Vec<Diagnostic> =
        lines.filter_map(|(tensor, access, direction)| refuse_line(space, tensor, access, direction)).collect();
    let trees = space.operands.iter().zip(&design.dataflow.transports);
    refusals.extend(trees.filter_map(|(operand, transport)| refuse_tree(space, &operand.tensor, transport)));
    if refusals.is_empty() { Ok(()) } else { Err(refusals) }
}

fn refuse_line(space: &Space, tensor: &Name, access: &[Affine], direction: &[i64]) -> Option<Diagnostic> {
    let rows: Vec<Vec<i64>> = access.iter().map(|form| form.row(space.indices())).collect();
    let along = space.show_direction(direction);
    if direction.iter().all(|entry| *entry == 0) {
        return Some(Diagnostic::new(format!("the direction of `{tensor}` is zero")));
    }
    if rows.iter().all(|row| dot(row, direction) == 0) {
        return None;
    }
    let free = Matrix::new(rows, space.dimension()).null_lattice();
    let free: Vec<String> = free.iter().map(|direction| space.show_direction(direction)).collect();
    Some(Diagnostic::new(format!("`{tensor}` changes along {along}")).help(match free.as_slice() {
        [] => format!("`{tensor}` changes along every direction: `feed` it"),
        _ => format!("`{tensor}` stays the same along {}", free.join(" and ")),
    }))
}

/// Each stream of a tree runs within the heads that the streams before it leave.
fn refuse_tree(space: &Space, tensor: &Name, transport: &Transport) -> Option<Diagnostic> {
    let (along, head) = first_astray(space, transport.streams())?;
    let (along, head) = (space.show_direction(&along), space.show_direction(&head));
    Some(
        Diagnostic::new(format!(
            "`{tensor}` cannot reach the heads of its lines along {head} by a stream along {along}"
        ))
        .note(format!("lines along {along} leave the face on which lines along {head} begin"))
        .help("choose a direction within that face"),
    )
}

fn accesses(space: &Space) -> impl Iterator<Item = &Vec<Affine>> {
    space.operands.iter().map(|operand| &operand.access).chain([&space.output_access])
}

fn directions<'a>(design: &'a MappedSpace) -> impl Iterator<Item = &'a Vec<i64>> {
    design.dataflow.transports.iter().flat_map(along).chain(&design.dataflow.chain.directions)
}

fn along(transport: &Transport) -> &[Vec<i64>] {
    match transport {
        Transport::Broadcast(direction) => std::slice::from_ref(direction),
        _ => transport.streams(),
    }
}
