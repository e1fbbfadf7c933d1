//! An axis that begins with another element at each place: element `k` is met at place `i` as number `t`, with `k = i + t` modulo the size.
//!
//! In: a system, an index of the axis that turns, one of the axis along which it turns. Out: the system in which both axes have one size,
//! what depends on both is stored by `(i, t)`, and what the user gives by `k` is copied to `(i, t)` by two equations: up to the last element,
//! and on from the first one. A copy travels one place a step the other way: rows `i` of what is copied are Cannon's alignment.

use super::split::all_indices;
use super::{Axis, Compounds, Recast, refuse};
use crate::algebra::axes::Axes;
use std::collections::{BTreeMap, BTreeSet};
use systole_base::diagnostic::Checked;
use systole_base::integer::{Affine, Name, Polyhedron, unused};
use systole_base::scalar::Function;
use systole_equations::recurrence::{Domain, Equation, Expr, RecurrenceSystem, Role, Tensor};

/// The system with the axis of `index` turned along that of `with`.
pub(super) fn rotate(recast: Recast, index: &Name, with: &Name) -> Checked<Recast> {
    let (from, along) = (Axis::find(&recast.system, index)?, Axis::find(&recast.system, with)?);
    if from.number == along.number {
        return refuse(&recast.system, index, "cannot turn along its own axis");
    }
    let system = resized(&recast.system, &from.size, &along.size);
    let from = Axis { size: along.size.clone(), ..from };
    let mut rotator = Rotator { axes: Axes::of(&system), system: &system, from, along, steps: BTreeMap::new() };
    rotator.name_steps();
    let mut copies = BTreeMap::new();
    let mut turned = system.clone();
    turned.schedules.clear();
    for (position, equation) in turned.equations.iter_mut().enumerate() {
        *equation = rotator.equation(position, equation, &mut copies)?;
    }
    let (tensors, equations): (Vec<Tensor>, Vec<[Equation; 2]>) =
        copies.iter().filter_map(|(key, copied)| rotator.copy(key, copied)).unzip();
    turned.tensors.extend(tensors);
    turned.equations = equations.into_iter().flatten().chain(turned.equations).collect();
    let compounds = rotator.compounds(recast.compounds);
    Ok(Recast { system: turned, compounds })
}

/// The system with one size in place of another.
fn resized(system: &RecurrenceSystem, size: &Name, other: &Name) -> RecurrenceSystem {
    let mut resized = system.clone();
    if size == other {
        return resized;
    }
    let image = BTreeMap::from([(size.clone(), Affine::variable(other))]);
    resized.parameters = system.parameters.merged(size, other);
    for tensor in &mut resized.tensors {
        tensor.shape = tensor.shape.iter().map(|form| form.substitute(&image)).collect();
    }
    for equation in &mut resized.equations {
        equation.subscripts = equation.subscripts.iter().map(|form| form.substitute(&image)).collect();
        equation.domain.set = equation.domain.set.substitute(&image);
        equation.value = equation.value.substitute(&image);
    }
    resized
}

/// A dimension of a copy.
struct Side {
    index: Name,
    extent: Affine,
    /// What is read there; `None` where the tensor has no such dimension.
    read: Option<Affine>,
}

/// A tensor that is copied, and whether its copy has one more dimension for the place.
type Copied = (Name, bool);

struct Rotator<'a> {
    system: &'a RecurrenceSystem,
    axes: Axes,
    from: Axis,
    along: Axis,
    /// For each index of the axis that turns the one in its place.
    steps: BTreeMap<Name, Name>,
}

impl Rotator<'_> {
    fn taken(&self) -> Vec<Name> {
        let indices = self.system.equations.iter().flat_map(all_indices);
        let tensors = self.system.tensors.iter().map(|tensor| tensor.name.clone());
        indices.chain(tensors).chain(self.system.parameters.iter().cloned()).collect()
    }

    fn name_steps(&mut self) {
        let mut taken = self.taken();
        for (position, equation) in self.system.equations.iter().enumerate() {
            for index in all_indices(equation) {
                if self.from.has_index(&self.axes, position, &index) && !self.steps.contains_key(&index) {
                    let step = unused("t", &taken);
                    taken.push(step.clone());
                    self.steps.insert(index, step);
                }
            }
        }
    }

    /// The index of an equation that says at which place it is.
    fn place(&self, position: usize) -> Option<&Name> {
        let equation = &self.system.equations[position];
        let mut places =
            equation.domain.indices.iter().filter(|index| self.along.has_index(&self.axes, position, index));
        places.next().filter(|_| places.next().is_none())
    }

    /// Whether a tensor is stored by place and step from now on.
    fn is_turned(&self, tensor: &Name) -> bool {
        self.system.equations.iter().enumerate().any(|(position, equation)| {
            let turns = |index: &Name| self.from.has_index(&self.axes, position, index);
            equation.target == *tensor && self.place(position).is_some() && equation.domain.indices.iter().any(turns)
        })
    }

    fn equation(&self, position: usize, equation: &Equation, copies: &mut BTreeMap<Copied, Name>) -> Checked<Equation> {
        let place = self.place(position);
        let mut at = At { rotator: self, position, place, copies };
        let mut turned = equation.clone();
        turned.value = at.expression(&equation.value)?;
        if place.is_none() {
            return Ok(turned);
        }
        for index in &mut turned.domain.indices {
            let Some(step) = at.step(index) else { continue };
            let is_local = self.system.tensor(&equation.target).is_some_and(|tensor| tensor.role == Role::Local);
            if !is_local {
                return refuse(self.system, &self.from.index, "is a subscript of what is handed out");
            }
            let Some(rest) = self.from.others(&turned.domain.set, index) else { return self.uneven() };
            turned.domain.set = rest.intersect(&self.range(&step));
            *index = step;
        }
        turned.subscripts = at.renamed(&equation.subscripts)?;
        Ok(turned)
    }

    fn uneven<T>(&self) -> Checked<T> {
        refuse(self.system, &self.from.index, "has a range that is not its whole axis")
    }

    fn range(&self, step: &Name) -> Polyhedron {
        let variable = Affine::variable(step);
        Polyhedron::new([variable.clone(), Affine::variable(&self.from.size) - variable - Affine::constant(1)])
    }

    /// A copy with its two equations: up to the last element, and on from the first one.
    fn copy(&self, key: &Copied, copied: &Name) -> Option<(Tensor, [Equation; 2])> {
        let known = self.system.tensor(&key.0)?;
        let size = Affine::variable(&self.from.size);
        let element = Affine::variable(&self.along.index) + Affine::variable(self.steps.values().next()?);
        let sides = self.sides(known, key, &element)?;
        let inside = sides.iter().flat_map(|side| {
            let index = Affine::variable(&side.index);
            [index.clone(), side.extent.clone() - index - Affine::constant(1)]
        });
        let inside = Polyhedron::new(inside);
        let names: Vec<Name> = sides.iter().map(|side| side.index.clone()).collect();
        let equation = |back: Affine, part: Affine| {
            let read = sides.iter().filter_map(|side| side.read.clone());
            let turned = |form: Affine| if form == element { form - back.clone() } else { form };
            Equation {
                target: copied.clone(),
                subscripts: names.iter().map(Affine::variable).collect(),
                domain: Domain { indices: names.clone(), set: inside.intersect(&Polyhedron::new([part])) },
                value: Expr::Read { tensor: key.0.clone(), subscripts: read.map(turned).collect(), span: known.span },
                span: known.span,
            }
        };
        let up_to = size.clone() - element.clone() - Affine::constant(1);
        let equations = [equation(Affine::default(), up_to), equation(size.clone(), element.clone() - size)];
        let shape = sides.iter().map(|side| side.extent.clone()).collect();
        let local = Tensor { name: copied.clone(), role: Role::Local, shape, assumption: None, span: known.span };
        Some((local, equations))
    }

    /// The dimensions of a copy: its place where the tensor has none, then those of the tensor.
    fn sides(&self, known: &Tensor, (tensor, has_place): &Copied, element: &Affine) -> Option<Vec<Side>> {
        let (place, step) = (self.along.index.clone(), self.steps.values().next()?.clone());
        let mut taken = self.taken();
        taken.extend([place.clone(), step.clone()]);
        let first = Side { index: place.clone(), extent: Affine::variable(&self.from.size), read: None };
        let mut sides: Vec<Side> = has_place.then_some(first).into_iter().collect();
        for (dimension, extent) in known.shape.iter().enumerate() {
            let is_place = !has_place && self.along.has_dimension(&self.axes, tensor, dimension);
            let (index, read) = match self.from.has_dimension(&self.axes, tensor, dimension) {
                true => (step.clone(), element.clone()),
                false if is_place => (place.clone(), Affine::variable(&place)),
                false => {
                    let index = unused("d", &taken);
                    (index.clone(), Affine::variable(&index))
                }
            };
            taken.push(index.clone());
            sides.push(Side { index, extent: extent.clone(), read: Some(read) });
        }
        Some(sides)
    }

    fn compounds(&self, before: Compounds) -> Compounds {
        let renamed = |index: Name| self.steps.get(&index).cloned().unwrap_or(index);
        let blocks = before.blocks.into_iter().map(|block| block.into_iter().map(renamed).collect()).collect();
        let places: BTreeSet<Name> =
            (0..self.system.equations.len()).filter_map(|position| self.place(position).cloned()).collect();
        let own = self.steps.values().map(|step| (step.clone(), places.clone()));
        Compounds { blocks, turns: before.turns.into_iter().chain(own).collect() }
    }
}

/// One equation on its way.
struct At<'a, 'b> {
    rotator: &'a Rotator<'a>,
    position: usize,
    place: Option<&'a Name>,
    copies: &'b mut BTreeMap<Copied, Name>,
}

impl At<'_, '_> {
    /// What stands for an index that turns here.
    fn step(&self, index: &Name) -> Option<Name> {
        let turns = self.place.is_some() && self.rotator.from.has_index(&self.rotator.axes, self.position, index);
        self.rotator.steps.get(index).filter(|_| turns).cloned()
    }

    /// Subscripts in which an index that turns stands alone.
    fn renamed(&self, forms: &[Affine]) -> Checked<Vec<Affine>> {
        let renamed = forms.iter().map(|form| {
            let is_mixed = form.terms().any(|(index, _)| self.step(index).is_some());
            match form.as_variable().and_then(|index| self.step(index)) {
                Some(step) => Ok(Affine::variable(&step)),
                None if is_mixed => {
                    refuse(self.rotator.system, &self.rotator.from.index, "stands in a subscript with something else")
                }
                None => Ok(form.clone()),
            }
        });
        renamed.collect()
    }

    fn expression(&mut self, value: &Expr) -> Checked<Expr> {
        Ok(match value {
            Expr::Number(number) => Expr::Number(*number),
            Expr::Index(form) => self.number(form),
            Expr::Read { tensor, subscripts, span } => {
                let (tensor, subscripts) = self.read(tensor, subscripts)?;
                Expr::Read { tensor, subscripts, span: *span }
            }
            Expr::Apply(function, arguments) => {
                let arguments = arguments.iter().map(|argument| self.expression(argument));
                Expr::Apply(*function, arguments.collect::<Checked<_>>()?)
            }
            Expr::Reduce { operator, index, range, body, span } => {
                let body = Box::new(self.expression(body)?);
                let (index, range) = match self.step(index) {
                    None => (index.clone(), range.clone()),
                    Some(step) if self.rotator.from.is_all_of(range, index) => {
                        (step.clone(), self.rotator.range(&step))
                    }
                    Some(_) => return self.rotator.uneven(),
                };
                Expr::Reduce { operator: *operator, index, range, body, span: *span }
            }
        })
    }

    /// The element in the new coordinates: of what is turned itself, or of a copy.
    fn read(&mut self, tensor: &Name, subscripts: &[Affine]) -> Checked<(Name, Vec<Affine>)> {
        let (rotator, is_turned) = (self.rotator, self.rotator.is_turned(tensor));
        let renamed = self.renamed(subscripts)?;
        let here = self.place.map(Affine::variable);
        let is_here = |dimension: usize, form: &Affine| {
            rotator.along.has_dimension(&rotator.axes, tensor, dimension) && Some(form) == here.as_ref()
        };
        let has_place = subscripts.iter().enumerate().any(|(dimension, form)| is_here(dimension, form));
        let turning = renamed.iter().zip(subscripts).filter(|(new, old)| new != old).count();
        match (is_turned, turning) {
            (false, 0) => Ok((tensor.clone(), renamed)),
            (true, 1) if has_place => Ok((tensor.clone(), renamed)),
            (false, 1) => {
                let wanted = format!("{tensor}_turned");
                let fresh = unused(&wanted, &rotator.taken());
                let copied = self.copies.entry((tensor.clone(), !has_place)).or_insert(fresh).clone();
                let first = here.filter(|_| !has_place);
                Ok((copied, first.into_iter().chain(renamed).collect()))
            }
            _ => {
                let why = format!("is used of `{tensor}` at another place than where it is computed");
                refuse(rotator.system, &rotator.from.index, &why)
            }
        }
    }

    /// A form as a number: `k` is `i + t` up to the last element, then `i + t - N`.
    fn number(&self, form: &Affine) -> Expr {
        let turning = form.terms().find_map(|(index, _)| Some((index.clone(), self.step(index)?)));
        let (Some((index, step)), Some(place)) = (turning, self.place) else { return Expr::Index(form.clone()) };
        let element = Affine::variable(place) + Affine::variable(&step);
        let size = Affine::variable(&self.rotator.from.size);
        let at = |element: Affine| Expr::Index(form.substitute(&BTreeMap::from([(index.clone(), element)])));
        let is_before = Expr::Apply(Function::Less, vec![Expr::Index(element.clone()), Expr::Index(size.clone())]);
        Expr::Apply(Function::Select, vec![is_before, at(element.clone()), at(element - size)])
    }
}
