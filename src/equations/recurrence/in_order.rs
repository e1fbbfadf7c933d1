//! The meaning of a space when its reduction is carried out in a given order.
//!
//! In: a space, a [`Chain`] and arrays. Out: the output array, each element combined exactly as the chain says: level by
//! level, along each maximal line of points from its first on, the next level working on the ends of those lines. A
//! program that claims a chain must give these very bits.

use super::enumeration::points_within;
use super::resolved::{Resolver, Stop, evaluate_node};
use super::sizes::{breach, check_elements, check_parameters};
use super::table::{State, Table, Tensors, build_table, show_element, unknown_inputs};
use super::{Chain, Role, Space};
use std::collections::HashMap;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Bindings, Name, Vector};

/// How many points are evaluated at most.
const POINT_LIMIT: u64 = 1 << 24;

/// The output of the space, reduced in the order of `chain`.
pub fn evaluate_in_order(
    space: &Space,
    chain: &Chain,
    sizes: &Bindings,
    inputs: &Tensors,
) -> Checked<ndarray::ArrayD<f64>> {
    check_parameters(&space.parameters, sizes)?;
    breach(&space.parameters, sizes).map_or(Ok(()), Diagnostic::alone)?;
    check_elements(space.shapes.iter().map(|(name, shape)| (name, shape.as_slice())), sizes)?;
    check_directions(space, chain)?;
    let mut tables = build_inputs(space, sizes, inputs)?;
    let mut values = evaluate_points(space, sizes, &tables)?;
    for direction in &chain.directions {
        values = reduce_lines(space, values, direction);
    }
    let output = tables.iter().position(|table| table.name == space.output).unwrap_or(0);
    store(space, sizes, &mut tables, output, &values)?;
    tables.swap_remove(output).into_array()
}

/// Values at points, the points in lexicographic order.
pub(super) type Values = Vec<(Vector, f64)>;

fn check_directions(space: &Space, chain: &Chain) -> Checked<()> {
    let fits = |direction: &Vector| direction.len() == space.dimension() && direction.iter().any(|entry| *entry != 0);
    if chain.directions.iter().all(fits) {
        return Ok(());
    }
    Diagnostic::new(format!("a direction of the chain is not one of the {} indices of the space", space.dimension()))
        .alone()
}

fn build_inputs(space: &Space, sizes: &Bindings, inputs: &Tensors) -> Checked<Vec<Table>> {
    let names: Vec<Name> =
        space.shapes.iter().map(|(name, _)| name.clone()).filter(|name| *name != space.output).collect();
    let errors = unknown_inputs(inputs, &names);
    if !errors.is_empty() {
        return Err(errors);
    }
    let role = |name: &Name| if *name == space.output { Role::Output } else { Role::Input };
    space.shapes.iter().map(|(name, shape)| build_table(name, shape, role(name), sizes, inputs)).collect()
}

fn evaluate_points(space: &Space, sizes: &Bindings, tables: &[Table]) -> Checked<Values> {
    let resolver = Resolver { sizes, tables, indices: space.indices().to_vec() };
    let body = resolver.scalar(&space.body, &space.operands)?;
    let Some(points) = points_within(&space.domain.set, space.indices(), sizes, POINT_LIMIT) else {
        return Diagnostic::new(format!("the space has more than {POINT_LIMIT} points here"))
            .label(&space.source, space.span, "the space of this equation")
            .help("the reference is sequential; choose smaller sizes")
            .alone();
    };
    let value = |mut point: Vector| match evaluate_node(&body, tables, &mut point) {
        Ok(value) => Ok((point, value)),
        Err(Stop::Missing(table, flat)) => {
            let message = format!("`{}` is read before it is known", tables[table].show_element(flat));
            Diagnostic::new(message).alone()
        }
        Err(Stop::Outside(table, span)) => {
            let message = format!("an access to `{}` is out of bounds", tables[table].name);
            Diagnostic::new(message).label(&space.source, span, "outside the tensor").alone()
        }
    };
    points.into_iter().map(value).collect()
}

/// One level: each maximal line along `direction` becomes its last point, with the line's values combined in order.
pub(super) fn reduce_lines(space: &Space, values: Values, direction: &[i64]) -> Values {
    let Some(operator) = space.reduction else { return values };
    let positions: HashMap<&[i64], usize> =
        values.iter().enumerate().map(|(position, (point, _))| (point.as_slice(), position)).collect();
    let neighbour = |point: &[i64], sign: i64| {
        let moved: Vector = point.iter().zip(direction).map(|(entry, step)| entry + sign * step).collect();
        positions.get(moved.as_slice()).copied()
    };
    let heads = values.iter().filter(|(point, _)| neighbour(point, -1).is_none());
    let mut ends: Values = heads
        .map(|(head, first)| {
            let (mut point, mut total) = (head, *first);
            while let Some(next) = neighbour(point, 1) {
                total = operator.combine(total, values[next].1);
                point = &values[next].0;
            }
            (point.clone(), total)
        })
        .collect();
    ends.sort_by(|(a, _), (b, _)| a.cmp(b));
    ends
}

/// Writes each remaining point's value to its element, which no other may claim.
fn store(space: &Space, sizes: &Bindings, tables: &mut [Table], output: usize, values: &Values) -> Checked<()> {
    let resolver = Resolver { sizes, tables, indices: space.indices().to_vec() };
    let access = resolver.access(&space.output, &space.output_access, space.span)?;
    for (point, value) in values {
        let Some(flat) = access.locate(tables, point) else {
            let message = format!("the point {} writes outside `{}`", show_element("", point), space.output);
            return Diagnostic::new(message).alone();
        };
        if tables[output].states[flat] == State::Ready {
            let element = tables[output].show_element(flat);
            let message = format!("the chain leaves more than one value for element `{element}`");
            return Diagnostic::new(message).help("its directions must span all points of each element").alone();
        }
        tables[output].values[flat] = *value;
        tables[output].states[flat] = State::Ready;
    }
    let neutral = space.reduction.map_or(f64::NAN, |operator| operator.neutral());
    let table = &mut tables[output];
    let blank = table.values.iter_mut().zip(&table.states).filter(|(_, state)| **state != State::Ready);
    blank.for_each(|(value, _)| *value = neutral);
    Ok(())
}
