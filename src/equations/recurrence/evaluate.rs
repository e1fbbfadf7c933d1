//! The sequential meaning of a system: the oracle that every later stage is held against.
//!
//! In: a valid system, sizes, and an array for each input. Out: an array for each output. Elements are computed on
//! demand with a stack of their own, so equations may stand in any order and chains may be long. Reductions run in
//! ascending order of the index, outer to inner as written; each level starts from its first term.

use super::enumeration::points_within;
use super::gather::gather;
use super::resolved::{Access, Node, Resolver, Stop, evaluate_node};
use super::sizes::{check_sizes, extents_at, show_sizes};
use super::table::{State, Table, Tensors, build_tables};
use super::{Domain, Equation, RecurrenceSystem, Role};
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics};
use systole_base::integer::Bindings;
use systole_base::refusal::Refusal;
use systole_base::scalar::{Precision, Real};

/// How many elements one equation may define in a sequential evaluation.
const POINT_LIMIT: u64 = 1 << 25;

/// The outputs of the system at these sizes, for these inputs.
pub fn evaluate(system: &RecurrenceSystem, sizes: &Bindings, inputs: &Tensors) -> Checked<Tensors> {
    evaluate_in(Precision::Double, system, sizes, inputs)
}

/// The same where inputs, numbers and what every function gives have these digits only.
pub fn evaluate_in(
    precision: Precision,
    system: &RecurrenceSystem,
    sizes: &Bindings,
    inputs: &Tensors,
) -> Checked<Tensors> {
    check_sizes(system, sizes)?;
    check_work(system, sizes)?;
    let tables = build_tables(system, sizes, inputs)?;
    let mut run = Evaluation::prepare(system, sizes, tables)?;
    match precision {
        Precision::Double => run.compute_all::<f64>()?,
        Precision::Single => run.compute_all::<f32>()?,
    }
    let computed = system.tensors.iter().zip(run.tables).filter(|(tensor, _)| tensor.role == Role::Output);
    computed.map(|(tensor, table)| Ok((tensor.name.clone(), table.into_array()?))).collect()
}

/// Whether few enough elements are to be computed, before anything is allocated for them.
fn check_work(system: &RecurrenceSystem, sizes: &Bindings) -> Checked<()> {
    for tensor in system.tensors.iter().filter(|tensor| tensor.role != Role::Input) {
        let elements: usize = extents_at(&tensor.name, &tensor.shape, sizes)?.iter().product();
        if elements as u64 > POINT_LIMIT {
            let message = format!("`{}` has {elements} elements, the limit is {POINT_LIMIT}", tensor.name);
            return Diagnostic::new(message).help("the reference is sequential; choose smaller sizes").alone();
        }
    }
    Ok(())
}

/// An equation at fixed sizes with the points it is defined at.
struct Instance {
    value: Node,
    points: Vec<Vec<i64>>,
}

/// Which equation defines an element, and at which of its points.
#[derive(Clone, Copy)]
struct Owner {
    instance: u32,
    point: u32,
}

/// An evaluation under way.
struct Evaluation<'a> {
    system: &'a RecurrenceSystem,
    sizes: &'a Bindings,
    tables: Vec<Table>,
    instances: Vec<Instance>,
    owners: Vec<Vec<Option<Owner>>>,
}

impl<'a> Evaluation<'a> {
    fn prepare(system: &'a RecurrenceSystem, sizes: &'a Bindings, tables: Vec<Table>) -> Checked<Evaluation<'a>> {
        let owners = system
            .tensors
            .iter()
            .zip(&tables)
            .map(|(tensor, table)| vec![None; if tensor.role == Role::Input { 0 } else { table.values.len() }])
            .collect();
        let mut run = Evaluation { system, sizes, tables, instances: vec![], owners };
        system.equations.iter().try_for_each(|equation| run.add_equation(equation))?;
        Ok(run)
    }

    fn add_equation(&mut self, equation: &Equation) -> Checked<()> {
        let Some(target) = self.system.tensor(&equation.target) else {
            return Diagnostic::new(format!("unknown tensor `{}`", equation.target)).alone();
        };
        let equation = gather(equation, target);
        let Domain { indices, set } = &equation.domain;
        let Some(points) = points_within(set, indices, self.sizes, POINT_LIMIT) else {
            let message = format!("an equation defines more than {POINT_LIMIT} elements here");
            return self.blame(&equation, &message).help("the reference is sequential; choose smaller sizes").alone();
        };
        let indices = equation.domain.indices.clone();
        let mut resolver = Resolver { sizes: self.sizes, tables: &self.tables, indices };
        let access = resolver.access(&equation.target, &equation.subscripts, equation.span)?;
        let value = resolver.expression(&equation.value)?;
        self.claim(&equation, &access, &points)?;
        self.instances.push(Instance { value, points });
        Ok(())
    }

    /// Notes for each point which element it defines.
    fn claim(&mut self, equation: &Equation, access: &Access, points: &[Vec<i64>]) -> Checked<()> {
        let instance = u32::try_from(self.instances.len()).unwrap_or(u32::MAX);
        for (position, point) in points.iter().enumerate() {
            let flat = access.locate(&self.tables, point);
            let slot = flat.and_then(|flat| self.owners.get_mut(access.table)?.get_mut(flat));
            let owner = Owner { instance, point: u32::try_from(position).unwrap_or(u32::MAX) };
            match slot {
                Some(slot @ None) => *slot = Some(owner),
                Some(Some(_)) => {
                    let element = self.tables[access.table].show_element(flat.unwrap_or(0));
                    return self.blame(equation, &format!("element `{element}` is defined twice")).alone();
                }
                None => return self.blame(equation, "an element outside the target is defined").alone(),
            }
        }
        Ok(())
    }

    fn blame(&self, equation: &Equation, message: &str) -> Diagnostic {
        let diagnostic = Diagnostic::new(message).label(&self.system.source, equation.span, "by this equation");
        diagnostic.note(format!("at {}", show_sizes(self.sizes)))
    }

    /// Computes every element. One of a local tensor that no equation defines is none, unless it is read: what stands for a guarded
    /// value has places where that has no points.
    fn compute_all<R: Real>(&mut self) -> Checked<()> {
        for (table, tensor) in self.system.tensors.iter().enumerate() {
            for flat in 0..self.tables[table].values.len() {
                if tensor.role != Role::Local || self.owners[table][flat].is_some() {
                    self.compute::<R>(table, flat)?;
                }
            }
        }
        Ok(())
    }

    /// Computes one element and all that it needs, deepest first.
    fn compute<R: Real>(&mut self, table: usize, flat: usize) -> Checked<()> {
        let mut stack = vec![(table, flat)];
        while let Some((table, flat)) = stack.last().copied() {
            match self.attempt::<R>(table, flat)? {
                None => {
                    self.tables[table].states[flat] = State::Ready;
                    stack.pop();
                }
                Some((needed, position)) => {
                    self.tables[table].states[flat] = State::Busy;
                    if self.tables[needed].states[position] == State::Busy {
                        return self.refuse_cycle(needed, position).map_err(Diagnostics::from);
                    }
                    stack.push((needed, position));
                }
            }
        }
        Ok(())
    }

    /// Stores the element's value, or says which element it needs first.
    fn attempt<R: Real>(&mut self, table: usize, flat: usize) -> Checked<Option<(usize, usize)>> {
        if self.tables[table].states[flat] == State::Ready {
            return Ok(None);
        }
        let Some(owner) = self.owners[table].get(flat).copied().flatten() else {
            let element = self.tables[table].show_element(flat);
            let message = format!("element `{element}` is never defined");
            return Diagnostic::new(message).note(format!("at {}", show_sizes(self.sizes))).alone();
        };
        let instance = &self.instances[owner.instance as usize];
        let mut slots = instance.points[owner.point as usize].clone();
        match evaluate_node::<R>(&instance.value, &self.tables, &mut slots) {
            Ok(value) => {
                self.tables[table].values[flat] = value.double();
                Ok(None)
            }
            Err(Stop::Missing(needed, position)) => Ok(Some((needed, position))),
            Err(Stop::Outside(outside, span)) => {
                let message = format!("an access to `{}` is out of bounds", self.tables[outside].name);
                let diagnostic = Diagnostic::new(message).label(&self.system.source, span, "outside the tensor");
                diagnostic.note(format!("at {}", show_sizes(self.sizes))).alone()
            }
        }
    }

    fn refuse_cycle(&self, table: usize, flat: usize) -> Result<(), Diagnostic> {
        let element = self.tables[table].show_element(flat);
        let message = format!("element `{element}` is defined by itself");
        let sizes = show_sizes(self.sizes);
        let said = Diagnostic::new(message).note(format!("at {sizes}"));
        Err(said.refuses(Refusal::Cycle { elements: vec![element], sizes }))
    }
}
