//! The meaning of a system when each of its reductions is carried out in a given order.
//!
//! In: a system, its spaces, and a [`Chain`] for each of them. Out: the outputs, each reduction combined exactly as its
//! chain says, level by level, along each line from its first point on. What a program of several spaces gives must be
//! these very bits. Elements are computed on demand with a stack of their own, so chains of values may be long.

use super::super::enumeration::points_within;
use super::super::in_order::reduce_lines;
use super::super::sizes::{check_sizes, show_sizes};
use super::super::table::{build_tables, show_element};
use super::super::{Chain, Operand, RecurrenceSystem, Role, Space, Tensor, Tensors};
use super::SpaceSystem;
use ndarray::Dimension;
use std::collections::{HashMap, HashSet};
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Bindings, Name, Vector};
use systole_base::refusal::Refusal;

/// How many points one space may have in a sequential evaluation.
const POINT_LIMIT: u64 = 1 << 24;

/// The outputs of the system, with the reduction of each space in the order of its chain.
///
/// # Errors
/// Sizes and inputs that do not fit, chains that do not reduce every element to one value, elements that nobody defines.
pub fn evaluate_system_in_order(
    system: &RecurrenceSystem,
    cut: &SpaceSystem,
    chains: &[Chain],
    sizes: &Bindings,
    inputs: &Tensors,
) -> Checked<Tensors> {
    check_chains(cut, chains)?;
    let reduce = |space: usize, values: Values| {
        let directions = chains[space].directions.iter();
        directions.fold(values, |values, direction| reduce_lines(&cut.spaces[space], values, direction))
    };
    evaluate_system_by(system, cut, &reduce, sizes, inputs)
}

/// The values at the points that contribute to one element, in lexicographic order of the points.
pub type Values = Vec<(Vector, f64)>;

/// How the values of an element of a space become one, given the space's position.
pub type Reduce<'a> = dyn Fn(usize, Values) -> Values + 'a;

/// The outputs of the system, with each reduction carried out as `reduce` says.
///
/// # Errors
/// As for [`evaluate_system_in_order`].
pub fn evaluate_system_by(
    system: &RecurrenceSystem,
    cut: &SpaceSystem,
    reduce: &Reduce<'_>,
    sizes: &Bindings,
    inputs: &Tensors,
) -> Checked<Tensors> {
    check_sizes(system, sizes)?;
    build_tables(system, sizes, inputs)?;
    let mut run =
        Evaluation { cut, reduce, sizes, inputs, owners: HashMap::new(), values: HashMap::new(), busy: HashSet::new() };
    run.claim_points()?;
    run.note_known()?;
    let outputs = system.tensors_with(Role::Output);
    outputs.map(|tensor| Ok((tensor.name.clone(), run.compute_tensor(tensor)?))).collect()
}

/// The values of all elements that the spaces of a system compute, none of which reads an input.
pub(super) fn evaluate_elements(cut: &SpaceSystem, reduce: &Reduce<'_>, sizes: &Bindings) -> Checked<Vec<f64>> {
    let inputs = Tensors::new();
    let (owners, values, busy) = (HashMap::new(), HashMap::new(), HashSet::new());
    let mut run = Evaluation { cut, reduce, sizes, inputs: &inputs, owners, values, busy };
    run.claim_points()?;
    run.note_known()?;
    let elements: Vec<Element> = run.owners.keys().cloned().collect();
    elements.iter().map(|element| run.compute(element)).collect()
}

fn check_chains(cut: &SpaceSystem, chains: &[Chain]) -> Checked<()> {
    let fits = |(space, chain): (&Space, &Chain)| {
        let right = |direction: &Vector| direction.len() == space.dimension() && direction.iter().any(|e| *e != 0);
        chain.directions.iter().all(right)
    };
    if chains.len() == cut.spaces.len() && cut.spaces.iter().zip(chains).all(fits) {
        return Ok(());
    }
    Diagnostic::new(format!("the chains are not those of the {} spaces of `{}`", cut.spaces.len(), cut.kernel)).alone()
}

/// An element of a tensor, or of what a reduction inside an equation leaves.
type Element = (Name, Vector);

/// An evaluation under way.
struct Evaluation<'a> {
    cut: &'a SpaceSystem,
    reduce: &'a Reduce<'a>,
    sizes: &'a Bindings,
    inputs: &'a Tensors,
    /// For each element the space that computes it and its points.
    owners: HashMap<Element, (usize, Vec<Vector>)>,
    values: HashMap<Element, f64>,
    busy: HashSet<Element>,
}

impl Evaluation<'_> {
    /// Notes for each element the points that contribute to it.
    fn claim_points(&mut self) -> Checked<()> {
        for (position, space) in self.cut.spaces.iter().enumerate() {
            let Some(points) = points_within(&space.domain.set, space.indices(), self.sizes, POINT_LIMIT) else {
                return Diagnostic::new(format!("`{}` has more than {POINT_LIMIT} points here", space.name))
                    .label(&space.source, space.span, "the space of this equation")
                    .help("the reference is sequential; choose smaller sizes")
                    .alone();
            };
            for point in points {
                let subscripts = subscripts(&space.output_access, &space.bind(self.sizes, &point))?;
                let element = (space.output.clone(), subscripts);
                self.owners.entry(element).or_insert((position, vec![])).1.push(point);
            }
        }
        Ok(())
    }

    fn note_known(&mut self) -> Checked<()> {
        for known in &self.cut.known {
            let indices = &known.domain.indices;
            for point in points_within(&known.domain.set, indices, self.sizes, POINT_LIMIT).unwrap_or_default() {
                let mut bindings = self.sizes.clone();
                bindings.extend(indices.iter().cloned().zip(point));
                let element = (known.tensor.clone(), subscripts(&known.subscripts, &bindings)?);
                self.values.insert(element, known.value.evaluate(&[], &bindings));
            }
        }
        Ok(())
    }

    fn compute_tensor(&mut self, tensor: &Tensor) -> Checked<ndarray::ArrayD<f64>> {
        let shape = subscripts(&tensor.shape, self.sizes)?.iter().map(|extent| *extent as usize).collect::<Vec<_>>();
        let mut array = ndarray::ArrayD::zeros(shape);
        for (at, value) in array.indexed_iter_mut() {
            let subscripts = at.slice().iter().map(|subscript| *subscript as i64).collect();
            *value = self.compute(&(tensor.name.clone(), subscripts))?;
        }
        Ok(array)
    }

    /// Computes one element and all that it needs, deepest first.
    fn compute(&mut self, element: &Element) -> Checked<f64> {
        let mut stack = vec![element.clone()];
        while let Some(top) = stack.last().cloned() {
            if self.values.contains_key(&top) {
                stack.pop();
                continue;
            }
            match self.attempt(&top)? {
                Ok(value) => {
                    self.values.insert(top, value);
                }
                Err(needed) => {
                    self.busy.insert(top);
                    if let Some((tensor, at)) = needed.iter().find(|element| self.busy.contains(*element)) {
                        let shown = show_element(tensor, at);
                        let said = Diagnostic::new(format!("element `{shown}` is defined by itself"));
                        let (elements, sizes) = (vec![shown], show_sizes(self.sizes));
                        return said.refuses(Refusal::Cycle { elements, sizes }).alone();
                    }
                    stack.extend(needed);
                }
            }
        }
        Ok(self.values.get(element).copied().unwrap_or(f64::NAN))
    }

    /// The element's value, or the elements that it needs first.
    fn attempt(&self, element: &Element) -> Checked<Result<f64, Vec<Element>>> {
        let Some((position, points)) = self.owners.get(element) else { return self.empty(element).map(Ok) };
        let space = &self.cut.spaces[*position];
        let (mut values, mut needed) = (vec![], vec![]);
        for point in points {
            let bindings = space.bind(self.sizes, point);
            let mut operands = vec![];
            for operand in &space.operands {
                match self.read(space, operand, &bindings)? {
                    Ok(value) => operands.push(value),
                    Err(missing) => needed.push(missing),
                }
            }
            if needed.is_empty() {
                values.push((point.clone(), space.body.evaluate(&operands, &bindings)));
            }
        }
        if needed.is_empty() { self.reduce(*position, element, values).map(Ok) } else { Ok(Err(needed)) }
    }

    /// All values of an element as one.
    fn reduce(&self, position: usize, (tensor, at): &Element, values: Values) -> Checked<f64> {
        let is_reduced = self.cut.spaces[position].reduction.is_some();
        let ends = if is_reduced { (self.reduce)(position, values) } else { values };
        match &ends[..] {
            [(_, value)] => Ok(*value),
            _ => Diagnostic::new(format!(
                "the chain leaves more than one value for element `{}`",
                show_element(tensor, at)
            ))
            .help("its directions must span all points of each element")
            .alone(),
        }
    }

    /// An element without points: the neutral value of the reduction that would write it.
    fn empty(&self, (tensor, at): &Element) -> Checked<f64> {
        let writer = self.cut.spaces.iter().find(|space| space.output == *tensor);
        match writer.and_then(|space| space.reduction) {
            Some(operator) => Ok(operator.neutral()),
            None => Diagnostic::new(format!("element `{}` is never defined", show_element(tensor, at))).alone(),
        }
    }

    fn read(&self, space: &Space, operand: &Operand, bindings: &Bindings) -> Checked<Result<f64, Element>> {
        let at = subscripts(&operand.access, bindings)?;
        let Some(array) = self.inputs.get(&operand.tensor) else {
            let element = (operand.tensor.clone(), at);
            return Ok(self.values.get(&element).copied().ok_or(element));
        };
        let position: Option<Vec<usize>> = at.iter().map(|subscript| usize::try_from(*subscript).ok()).collect();
        match position.and_then(|position| array.get(&position[..])) {
            Some(value) => Ok(Ok(*value)),
            None => Diagnostic::new(format!("an access to `{}` is out of bounds", operand.tensor))
                .label(&space.source, operand.span, "outside the tensor")
                .alone(),
        }
    }
}

fn subscripts(forms: &[Affine], bindings: &Bindings) -> Checked<Vector> {
    let value = |form: &Affine| {
        let missing = || vec![Diagnostic::new(format!("`{form}` has no value that fits 64 bits"))];
        form.evaluate(bindings).ok_or_else(missing)
    };
    forms.iter().map(value).collect()
}
