//! What a system means at given sizes: each element is computed when it is first needed, by the one equation that defines it.
//!
//! An element that is needed while it is computed needs itself: then the system has a cycle, and no order at all.

use crate::systems::{Equation, Expression, Form, Operator, Range, Role, Scope, System, access};
use std::collections::BTreeMap;

/// An array in rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    pub extents: Vec<usize>,
    pub values: Vec<f64>,
}

impl Array {
    /// Where an element lies, if it lies within.
    fn locate(&self, at: &[i64]) -> Option<usize> {
        at.iter().zip(&self.extents).try_fold(0, |flat, (place, extent)| {
            let place = usize::try_from(*place).ok().filter(|place| place < extent)?;
            Some(flat * extent + place)
        })
    }
}

pub type Arrays = BTreeMap<String, Array>;

/// What came of a system.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    Values(Arrays),
    /// This element needs itself.
    Cycle(String),
    /// It is none: an element is defined twice or not at all, or a read is outside.
    Undefined(String),
}

/// How far an element is.
#[derive(Clone)]
enum State {
    Undefined,
    Defined(usize, Scope),
    Busy,
    Ready,
}

struct Run<'a> {
    system: &'a System,
    arrays: Arrays,
    states: BTreeMap<String, Vec<State>>,
}

pub fn extents(shape: &[Form], sizes: &Scope) -> Vec<usize> {
    shape.iter().map(|extent| usize::try_from(extent.at(sizes)).unwrap_or(0)).collect()
}

/// Small whole numbers for the inputs, so that sums of any order have the same bits.
pub fn inputs(system: &System, sizes: &Scope) -> Arrays {
    let fill = |number: usize, extents: Vec<usize>| {
        let count: usize = extents.iter().product();
        // Seven is prime to what sizes are, so rows and columns differ.
        let values = (0..count).map(|flat| ((flat * 5 + flat * flat + number * 3 + 1) % 7) as f64 - 3.0).collect();
        Array { extents, values }
    };
    let inputs = system.with_role(Role::Input).enumerate();
    inputs.map(|(number, tensor)| (tensor.name.clone(), fill(number, extents(&tensor.shape, sizes)))).collect()
}

pub fn evaluate(system: &System, sizes: &Scope, inputs: &Arrays) -> Verdict {
    let mut run = Run { system, arrays: inputs.clone(), states: BTreeMap::new() };
    let computed: Vec<_> = system.tensors.iter().filter(|tensor| tensor.role != Role::Input).collect();
    for tensor in &computed {
        let extents = extents(&tensor.shape, sizes);
        let count = extents.iter().product();
        run.arrays.insert(tensor.name.clone(), Array { extents, values: vec![0.0; count] });
        run.states.insert(tensor.name.clone(), vec![State::Undefined; count]);
    }
    let mut all = || {
        system.equations.iter().enumerate().try_for_each(|(number, equation)| run.claim(number, equation, sizes))?;
        for (name, states) in &run.states {
            if states.iter().any(|state| matches!(state, State::Undefined)) {
                return Err(Verdict::Undefined(format!("an element of {name} is never defined")));
            }
        }
        system.equations.iter().try_for_each(|equation| run.look(&equation.value, &points(&equation.ranges, sizes)))?;
        for tensor in &computed {
            (0..run.states[&tensor.name].len()).try_for_each(|flat| run.compute(&tensor.name, flat))?;
        }
        Ok(())
    };
    all().map_or_else(|verdict| verdict, |()| Verdict::Values(run.arrays))
}

/// The points of nested ranges, the last index fastest.
pub fn points(ranges: &[Range], scope: &Scope) -> Vec<Scope> {
    let Some((first, rest)) = ranges.split_first() else { return vec![scope.clone()] };
    let within = |value| {
        let mut inner = scope.clone();
        inner.push((first.index.clone(), value));
        points(rest, &inner)
    };
    (first.low.at(scope)..first.high.at(scope)).flat_map(within).collect()
}

pub fn place(subscripts: &[Form], scope: &Scope) -> Vec<i64> {
    subscripts.iter().map(|subscript| subscript.at(scope)).collect()
}

impl Run<'_> {
    /// Notes of each element of an equation that it defines it.
    fn claim(&mut self, number: usize, equation: &Equation, sizes: &Scope) -> Result<(), Verdict> {
        for scope in points(&equation.ranges, sizes) {
            let flat = self.arrays[&equation.target].locate(&place(&equation.subscripts, &scope));
            let states = self.states.get_mut(&equation.target);
            match flat.zip(states).map(|(flat, states)| &mut states[flat]) {
                Some(state @ State::Undefined) => *state = State::Defined(number, scope),
                _ => {
                    let element = access(&equation.target, &equation.subscripts);
                    return Err(Verdict::Undefined(format!("{element} is defined twice, or outside, at {scope:?}")));
                }
            }
        }
        Ok(())
    }

    /// Looks whether all reads at these points are of elements that there are: that a system has a cycle is said of none but such.
    fn look(&self, value: &Expression, points_of: &[Scope]) -> Result<(), Verdict> {
        match value {
            Expression::Number(_) => Ok(()),
            Expression::Read(tensor, subscripts) => points_of.iter().try_for_each(|scope| {
                let outside = || Verdict::Undefined(format!("{} is outside at {scope:?}", access(tensor, subscripts)));
                self.arrays[tensor].locate(&place(subscripts, scope)).map(|_| ()).ok_or_else(outside)
            }),
            Expression::Apply(_, sides) => sides.iter().try_for_each(|side| self.look(side, points_of)),
            Expression::Reduce(_, ranges, body) => {
                let inner: Vec<Scope> = points_of.iter().flat_map(|scope| points(ranges, scope)).collect();
                self.look(body, &inner)
            }
        }
    }

    fn compute(&mut self, target: &str, flat: usize) -> Result<(), Verdict> {
        let states = self.states.get_mut(target).expect("a computed tensor");
        let (number, scope) = match std::mem::replace(&mut states[flat], State::Busy) {
            State::Ready => {
                states[flat] = State::Ready;
                return Ok(());
            }
            State::Defined(number, scope) => (number, scope),
            State::Undefined => return Err(Verdict::Undefined(format!("element {flat} of {target}"))),
            State::Busy => return Err(Verdict::Cycle(format!("element {flat} of {target}"))),
        };
        let system = self.system;
        let value = self.value(&system.equations[number].value, &scope)?;
        self.arrays.get_mut(target).expect("a tensor").values[flat] = value;
        self.states.get_mut(target).expect("a tensor")[flat] = State::Ready;
        Ok(())
    }

    fn value(&mut self, value: &Expression, scope: &Scope) -> Result<f64, Verdict> {
        match value {
            Expression::Number(value) => Ok(*value),
            Expression::Read(tensor, subscripts) => {
                let outside = || Verdict::Undefined(format!("{} is outside at {scope:?}", access(tensor, subscripts)));
                let flat = self.arrays[tensor].locate(&place(subscripts, scope)).ok_or_else(outside)?;
                if self.states.contains_key(tensor) {
                    self.compute(tensor, flat)?;
                }
                Ok(self.arrays[tensor].values[flat])
            }
            Expression::Apply(operator, sides) => {
                Ok(apply(*operator, self.value(&sides[0], scope)?, self.value(&sides[1], scope)?))
            }
            Expression::Reduce(operator, ranges, body) => {
                let mut total = None;
                for scope in points(ranges, scope) {
                    let term = self.value(body, &scope)?;
                    total = Some(total.map_or(term, |total| apply(*operator, total, term)));
                }
                let empty = if *operator == Operator::Maximum { f64::NEG_INFINITY } else { 0.0 };
                Ok(total.unwrap_or(empty))
            }
        }
    }
}

fn apply(operator: Operator, left: f64, right: f64) -> f64 {
    match operator {
        Operator::Add => left + right,
        Operator::Subtract => left - right,
        Operator::Multiply => left * right,
        Operator::Maximum if left.is_nan() || right.is_nan() => f64::NAN,
        Operator::Maximum => left.max(right),
    }
}
