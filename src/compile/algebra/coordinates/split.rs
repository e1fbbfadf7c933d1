//! An axis that is cut into blocks: `k` becomes `k1, k2`, and `K[M, D]` becomes `K[P, W, D]`, in memory the same array.
//!
//! In: a system, an index of the axis, how many values each new index has. Out: the system in which every index of the axis, and every
//! dimension along it, is one for each part. The size of the axis is their product; parameters stand for those that are not numbers.

use super::{Axis, Compounds, CoordinateCount, Recast, refuse};
use crate::algebra::axes::Axes;
use std::collections::BTreeMap;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Name, Polyhedron, unused};
use systole_base::scalar::Function;
use systole_equations::recurrence::{Equation, Expr, RecurrenceSystem};

/// The system with the axis of `index` cut into `parts`.
pub(super) fn split(recast: Recast, index: &Name, parts: &[CoordinateCount]) -> Checked<Recast> {
    let Recast { system, compounds } = recast;
    let axis = Axis::find(&system, index)?;
    let axes = Axes::of(&system);
    let mut cutter = Cutter { names: BTreeMap::new(), axis, axes, parts, system: &system };
    cutter.check_parts()?;
    cutter.name_all();
    let mut cut = system.clone();
    cut.schedules.clear();
    cut.parameters = cutter.system.parameters.renamed(cutter.parameters());
    for tensor in &mut cut.tensors {
        tensor.shape = cutter.shape(&tensor.name, &tensor.shape)?;
    }
    for (position, equation) in cut.equations.iter_mut().enumerate() {
        *equation = cutter.equation(position, equation)?;
    }
    let blocks = compounds.blocks.into_iter().chain(cutter.names.into_values()).collect();
    Ok(Recast { system: cut, compounds: Compounds { blocks, ..compounds } })
}

struct Cutter<'a> {
    system: &'a RecurrenceSystem,
    axis: Axis,
    axes: Axes,
    parts: &'a [CoordinateCount],
    /// For each index of the axis those in its place.
    names: BTreeMap<Name, Vec<Name>>,
}

impl Cutter<'_> {
    fn check_parts(&self) -> Checked<()> {
        for (place, part) in self.parts.iter().enumerate() {
            let wrong = match part {
                CoordinateCount::Number(count) if *count < 2 => Some(format!("a part of {count} cuts nothing")),
                CoordinateCount::Size(size) if self.is_known(size) && *size != self.axis.size => {
                    Some(format!("`{size}` is a name of the kernel already"))
                }
                CoordinateCount::Size(size) if self.parts[..place].iter().any(|before| before == part) => {
                    Some(format!("`{size}` stands for two parts"))
                }
                _ => None,
            };
            if let Some(message) = wrong {
                return Diagnostic::usage(message).help("write new sizes and numbers from 2 on, such as k=4xW").alone();
            }
        }
        if self.parts.len() < 2 {
            return Diagnostic::usage("an axis is cut into two parts at least").help("such as k=4xW").alone();
        }
        Ok(())
    }

    fn is_known(&self, name: &Name) -> bool {
        let system = self.system;
        system.parameters.contains(name)
            || system.tensor(name).is_some()
            || system.equations.iter().any(|equation| all_indices(equation).contains(name))
    }

    fn name_all(&mut self) {
        let mut taken: Vec<Name> = self.system.equations.iter().flat_map(all_indices).collect();
        taken.extend(self.system.parameters.iter().cloned());
        taken.extend(self.system.tensors.iter().map(|tensor| tensor.name.clone()));
        taken.extend(self.parts.iter().filter_map(|part| part.form().as_variable().cloned()));
        for (position, equation) in self.system.equations.iter().enumerate() {
            for index in all_indices(equation) {
                if !self.axis.has_index(&self.axes, position, &index) || self.names.contains_key(&index) {
                    continue;
                }
                let fresh = (1..=self.parts.len()).map(|number| {
                    let name = unused(&format!("{index}{number}"), &taken);
                    taken.push(name.clone());
                    name
                });
                let fresh = fresh.collect();
                self.names.insert(index, fresh);
            }
        }
    }

    fn parameters(&self) -> Vec<Name> {
        let new = || self.parts.iter().filter_map(|part| part.form().as_variable().cloned());
        let replaced = |size: &Name| if *size == self.axis.size { new().collect() } else { vec![size.clone()] };
        self.system.parameters.iter().flat_map(replaced).collect()
    }

    fn shape(&self, tensor: &Name, shape: &[Affine]) -> Checked<Vec<Affine>> {
        let mut extents = vec![];
        for (dimension, extent) in shape.iter().enumerate() {
            let is_along = self.axis.has_dimension(&self.axes, tensor, dimension);
            match is_along && extent.as_variable() == Some(&self.axis.size) {
                true => extents.extend(self.parts.iter().map(CoordinateCount::form)),
                false if extent.mentions([&self.axis.size]) => {
                    let why = format!("has as many values as `{tensor}` has elements along another axis");
                    return refuse(self.system, &self.axis.index, &why);
                }
                false if is_along => {
                    let why = format!("is not the whole of a dimension of `{tensor}`");
                    return refuse(self.system, &self.axis.index, &why);
                }
                false => extents.push(extent.clone()),
            }
        }
        Ok(extents)
    }

    /// The indices in the place of one of an equation, where it runs along the axis.
    fn replaced(&self, equation: usize, index: &Name) -> Option<&Vec<Name>> {
        let is_own = self.axis.has_index(&self.axes, equation, index);
        self.names.get(index).filter(|_| is_own)
    }

    fn equation(&self, position: usize, equation: &Equation) -> Checked<Equation> {
        let mut set = equation.domain.set.clone();
        let mut indices = vec![];
        for index in &equation.domain.indices {
            match self.replaced(position, index) {
                Some(names) => {
                    let Some(rest) = self.axis.others(&set, index) else { return self.uneven() };
                    set = rest.intersect(&self.ranges(names));
                    indices.extend(names.iter().cloned());
                }
                None => indices.push(index.clone()),
            }
        }
        if set.variables().contains(&self.axis.size) && !self.is_kept() {
            return self.uneven();
        }
        let mut cut = equation.clone();
        cut.domain.indices = indices;
        cut.domain.set = set;
        cut.subscripts = self.subscripts(position, &equation.subscripts)?;
        cut.value = self.expression(position, &equation.value)?;
        Ok(cut)
    }

    /// Whether a part has the name of the axis's own size.
    fn is_kept(&self) -> bool {
        self.parts.contains(&CoordinateCount::Size(self.axis.size.clone()))
    }

    fn uneven<T>(&self) -> Checked<T> {
        refuse(self.system, &self.axis.index, "has a range that is not its whole axis")
    }

    fn ranges(&self, names: &[Name]) -> Polyhedron {
        let pairs = names.iter().zip(self.parts);
        Polyhedron::new(pairs.flat_map(|(name, part)| range(name, part)))
    }

    fn subscripts(&self, position: usize, forms: &[Affine]) -> Checked<Vec<Affine>> {
        let mut subscripts = vec![];
        for form in forms {
            let own = form.as_variable().and_then(|index| self.replaced(position, index));
            let is_mixed = form.terms().any(|(index, _)| self.replaced(position, index).is_some());
            match own {
                Some(names) => subscripts.extend(names.iter().map(Affine::variable)),
                None if is_mixed || form.mentions([&self.axis.size]) => {
                    return refuse(self.system, &self.axis.index, "stands in a subscript with something else");
                }
                None => subscripts.push(form.clone()),
            }
        }
        Ok(subscripts)
    }

    fn expression(&self, position: usize, value: &Expr) -> Checked<Expr> {
        Ok(match value {
            Expr::Number(number) => Expr::Number(*number),
            Expr::Index(form) => self.number(position, form),
            Expr::Read { tensor, subscripts, span } => {
                let subscripts = self.subscripts(position, subscripts)?;
                Expr::Read { tensor: tensor.clone(), subscripts, span: *span }
            }
            Expr::Apply(function, arguments) => {
                let arguments = arguments.iter().map(|argument| self.expression(position, argument));
                Expr::Apply(*function, arguments.collect::<Checked<_>>()?)
            }
            Expr::Reduce { operator, index, range: whole, body, span } => {
                let body = self.expression(position, body)?;
                let reduce = |index: &Name, range: Polyhedron, body: Expr| Expr::Reduce {
                    operator: *operator,
                    index: index.clone(),
                    range,
                    body: Box::new(body),
                    span: *span,
                };
                match self.replaced(position, index) {
                    None => reduce(index, whole.clone(), body),
                    Some(_) if !self.axis.is_all_of(whole, index) => return self.uneven(),
                    Some(names) => {
                        let nested = names.iter().zip(self.parts).rev();
                        nested.fold(body, |body, (name, part)| reduce(name, Polyhedron::new(range(name, part)), body))
                    }
                }
            }
        })
    }

    /// A form as a number: an index of the axis is `(k1 W + k2)`, the size the product of its parts.
    fn number(&self, position: usize, form: &Affine) -> Expr {
        let mut rest = Affine::constant(form.constant_term());
        let mut parts: Vec<Expr> = vec![];
        for (name, coefficient) in form.terms() {
            let value = match self.replaced(position, name) {
                Some(names) => self.element(names),
                None if *name == self.axis.size => self.count(),
                None => {
                    rest.add_term(name, coefficient);
                    continue;
                }
            };
            parts.push(if coefficient == 1 { value } else { product(Expr::Number(coefficient as f64), value) });
        }
        let has_rest = parts.is_empty() || rest != Affine::default();
        parts.extend(has_rest.then_some(Expr::Index(rest)));
        parts.into_iter().reduce(sum).unwrap_or(Expr::Number(0.0))
    }

    /// The number of an element, from its block and its number in the block.
    fn element(&self, names: &[Name]) -> Expr {
        let steps = names.iter().zip(self.parts).map(|(name, part)| (Expr::Index(Affine::variable(name)), part));
        let number =
            steps.reduce(|(before, _), (next, part)| (sum(product(before, Expr::Index(part.form())), next), part));
        number.map_or(Expr::Number(0.0), |(number, _)| number)
    }

    /// How many elements the axis has.
    fn count(&self) -> Expr {
        let parts = self.parts.iter().map(|part| Expr::Index(part.form()));
        parts.reduce(product).unwrap_or(Expr::Number(1.0))
    }
}

fn product(one: Expr, other: Expr) -> Expr {
    Expr::Apply(Function::Multiply, vec![one, other])
}

fn sum(one: Expr, other: Expr) -> Expr {
    Expr::Apply(Function::Add, vec![one, other])
}

/// `0 <= name < part`.
fn range(name: &Name, part: &CoordinateCount) -> [Affine; 2] {
    let variable = Affine::variable(name);
    [variable.clone(), part.form() - variable - Affine::constant(1)]
}

/// All indices of an equation, bound ones too.
pub(super) fn all_indices(equation: &Equation) -> Vec<Name> {
    let mut found = equation.domain.indices.clone();
    collect(&equation.value, &mut found);
    found
}

fn collect(value: &Expr, found: &mut Vec<Name>) {
    match value {
        Expr::Number(_) | Expr::Index(_) | Expr::Read { .. } => {}
        Expr::Apply(_, arguments) => arguments.iter().for_each(|argument| collect(argument, found)),
        Expr::Reduce { index, body, .. } => {
            found.push(index.clone());
            collect(body, found);
        }
    }
}
