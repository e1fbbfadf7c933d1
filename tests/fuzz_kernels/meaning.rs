//! What a kernel of the generator means: a sequential evaluator that shares no code with the library.
//!
//! In: the tree, sizes, inputs. Out: every computed tensor. Each element is computed when it is needed, by the one equation that
//! defines it; reductions run in ascending order, outer to inner, from their first term.

use crate::kernel::{Equation, Expr, Form, Kernel, Range, Role, Scope, Tensor, Value, left};
use crate::value::{Number, apply, combine, neutral, reduce};
use std::collections::BTreeMap;

/// An array in rows.
#[derive(Clone, Debug)]
pub struct Array {
    pub extents: Vec<usize>,
    pub values: Vec<Number>,
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

/// The extents of a tensor at these sizes.
pub fn extents(shape: &[Form], sizes: &Scope) -> Vec<usize> {
    shape.iter().map(|extent| usize::try_from(extent.at(sizes)).unwrap_or(0)).collect()
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
    kernel: &'a Kernel,
    arrays: Arrays,
    states: BTreeMap<String, Vec<State>>,
}

/// All tensors, or what is wrong with the kernel.
pub fn evaluate(kernel: &Kernel, sizes: &Scope, inputs: &Arrays) -> Result<Arrays, String> {
    let mut run = Run { kernel, arrays: inputs.clone(), states: BTreeMap::new() };
    let is_computed = |tensor: &&Tensor| matches!(tensor.role, Role::Local | Role::Output);
    for tensor in kernel.tensors.iter().filter(is_computed) {
        let extents = extents(&tensor.shape, sizes);
        let count = extents.iter().product();
        run.arrays.insert(tensor.name.clone(), Array { extents, values: vec![Number::exact(0.0); count] });
        run.states.insert(tensor.name.clone(), vec![State::Undefined; count]);
    }
    for is_elsewhere in [false, true] {
        let equations = kernel.equations.iter().enumerate();
        for (number, equation) in equations.filter(|(_, equation)| equation.is_elsewhere == is_elsewhere) {
            if run.states.contains_key(&equation.target) {
                run.claim(number, equation, sizes)?;
            }
        }
    }
    for tensor in kernel.tensors.iter().filter(is_computed) {
        (0..run.states[&tensor.name].len()).try_for_each(|flat| run.compute(&tensor.name, flat, sizes))?;
    }
    for tensor in kernel.with_role(Role::InPlace) {
        run.replace(tensor, sizes)?;
    }
    Ok(run.arrays)
}

/// The points of nested ranges, the last index fastest.
pub fn points(ranges: &[Range], scope: &Scope) -> Vec<Scope> {
    let Some((first, rest)) = ranges.split_first() else { return vec![scope.clone()] };
    let within = |value| {
        let mut inner = scope.clone();
        inner.push((first.index.clone(), value));
        points(rest, &inner)
    };
    let (low, high, step) = (first.low.at(scope), first.high.at(scope), first.step);
    let is_before_end = |value: &i64| if step > 0 { *value < high } else { *value > high };
    let values = (0..).map(|count| low + count * step).take_while(is_before_end);
    let holds = |value: &i64| match &first.condition {
        Some(("<=", form)) => *value <= form.at(scope),
        Some((">=", form)) => *value >= form.at(scope),
        _ => true,
    };
    values.filter(holds).flat_map(within).collect()
}

fn at(subscripts: &[Form], scope: &Scope) -> Vec<i64> {
    subscripts.iter().map(|subscript| subscript.at(scope)).collect()
}

impl Run<'_> {
    /// Notes of each element that an equation defines it.
    fn claim(&mut self, number: usize, equation: &Equation, sizes: &Scope) -> Result<(), String> {
        if let Value::Scattered(..) = equation.value {
            let whole = vec![State::Defined(number, sizes.clone()); self.states[&equation.target].len()];
            self.states.insert(equation.target.clone(), whole);
            return Ok(());
        }
        let others = if let Value::Joint(_, others, ..) = &equation.value { &others[..] } else { &[] };
        for scope in points(&equation.ranges, sizes).into_iter().filter(|scope| equation.holds(scope)) {
            for target in std::iter::once(&equation.target).chain(others) {
                let flat = self.arrays[target].locate(&at(&equation.subscripts, &scope));
                let states = self.states.get_mut(target);
                match flat.zip(states).map(|(flat, states)| &mut states[flat]) {
                    Some(state @ State::Undefined) => *state = State::Defined(number, scope.clone()),
                    Some(_) if equation.is_elsewhere => {}
                    _ => return Err(format!("an element of {target} is defined twice, or is none")),
                }
            }
        }
        Ok(())
    }

    /// Step by step, equation by equation, element by element. No other equation reads what is replaced.
    fn replace(&mut self, tensor: &Tensor, sizes: &Scope) -> Result<(), String> {
        let kernel = self.kernel;
        for step in points(kernel.steps.as_slice(), sizes) {
            for equation in kernel.equations.iter().filter(|equation| equation.target == tensor.name) {
                let Value::Plain(value) = &equation.value else { return Err("no plain equation".to_owned()) };
                for scope in points(&equation.ranges, &step).into_iter().filter(|scope| equation.holds(scope)) {
                    let value = self.value(value, &scope, sizes)?;
                    let array = self.arrays.get_mut(&tensor.name).ok_or("no tensor")?;
                    let flat = array.locate(&at(&equation.subscripts, &scope));
                    array.values[flat.ok_or_else(|| format!("outside of {}", tensor.name))?] = value;
                }
            }
        }
        self.arrays.insert(left(&tensor.name), self.arrays[&tensor.name].clone());
        Ok(())
    }

    fn compute(&mut self, target: &str, flat: usize, sizes: &Scope) -> Result<(), String> {
        let states = self.states.get_mut(target).ok_or("no tensor")?;
        let (number, scope) = match std::mem::replace(&mut states[flat], State::Busy) {
            State::Ready => {
                states[flat] = State::Ready;
                return Ok(());
            }
            State::Defined(number, scope) => (number, scope),
            State::Undefined => return Err(format!("an element of {target} is defined by nothing")),
            State::Busy => return Err(format!("an element of {target} is defined by itself")),
        };
        let kernel = self.kernel;
        let equation = &kernel.equations[number];
        let value = match &equation.value {
            Value::Plain(value) => self.value(value, &scope, sizes)?,
            Value::Scattered(word, ranges, body) => {
                let array = &self.arrays[target];
                let is_here = |scope: &Scope| array.locate(&at(&equation.subscripts, scope)) == Some(flat);
                let fibre: Vec<Scope> = points(ranges, sizes).into_iter().filter(is_here).collect();
                let terms = fibre.iter().map(|scope| self.value(body, scope, sizes)).collect::<Result<Vec<_>, _>>()?;
                reduce(word, &terms)
            }
            Value::Joint(word, _, range, terms) => {
                let part = usize::from(target != equation.target);
                self.tuple((word, range, terms), &scope, sizes)?[part]
            }
        };
        if let (Some(array), Some(states)) = (self.arrays.get_mut(target), self.states.get_mut(target)) {
            (array.values[flat], states[flat]) = (value, State::Ready);
        }
        Ok(())
    }

    fn tuple(
        &mut self,
        (word, range, terms): (&str, &Range, &[Expr]),
        scope: &Scope,
        sizes: &Scope,
    ) -> Result<[Number; 2], String> {
        let mut total = None;
        for scope in points(std::slice::from_ref(range), scope) {
            let term = [self.value(&terms[0], &scope, sizes)?, self.value(&terms[1], &scope, sizes)?];
            total = Some(total.map_or(term, |total| combine(word, total, term)));
        }
        Ok(total.unwrap_or_else(|| neutral(word)))
    }

    fn value(&mut self, value: &Expr, scope: &Scope, sizes: &Scope) -> Result<Number, String> {
        match value {
            Expr::Number(value) => Ok(Number::exact(*value)),
            Expr::Index(form) => Ok(Number::exact(form.at(scope) as f64)),
            Expr::Read(tensor, subscripts) => {
                let array = self.arrays.get(tensor).ok_or_else(|| format!("there is no {tensor}"))?;
                let flat = array.locate(&at(subscripts, scope)).ok_or_else(|| format!("outside of {tensor}"))?;
                if self.states.contains_key(tensor) {
                    self.compute(tensor, flat, sizes)?;
                }
                Ok(self.arrays[tensor].values[flat])
            }
            Expr::Else(tensor, subscripts, other) => {
                let array = self.arrays.get(tensor).ok_or_else(|| format!("there is no {tensor}"))?;
                match array.locate(&at(subscripts, scope)) {
                    Some(_) => self.value(&Expr::Read(tensor.clone(), subscripts.clone()), scope, sizes),
                    None => self.value(other, scope, sizes),
                }
            }
            Expr::Apply(word, arguments) => {
                let arguments = arguments.iter().map(|argument| self.value(argument, scope, sizes));
                Ok(apply(word, &arguments.collect::<Result<Vec<_>, _>>()?))
            }
            Expr::Reduce(word, ranges, body) => {
                let value = self.reduction(word, ranges, body, scope, sizes)?;
                let value = value.unwrap_or_else(|| reduce(word, &[]));
                // It is divided where new elements meet old ones, so of a zero the sign is not known.
                let has_no_sign = value.value == 0.0 && self.kernel.reads_in_place(body);
                Ok(if has_no_sign { Number { off: f64::MIN_POSITIVE, ..value } } else { value })
            }
        }
    }

    /// A reduction in whose holes terms are what changes nothing.
    fn with_holes(
        &mut self,
        word: &str,
        ranges: &[Range],
        body: &Expr,
        scope: &Scope,
        sizes: &Scope,
    ) -> Result<Option<Number>, String> {
        let mut terms = vec![];
        for scope in points(ranges, scope) {
            let is_out = |range: &Range| match &range.condition {
                Some(("!=", form)) => Form::of(&range.index).at(&scope) == form.at(&scope),
                _ => false,
            };
            terms.push(match ranges.iter().any(is_out) {
                true => reduce(word, &[]),
                false => self.value(body, &scope, sizes)?,
            });
        }
        Ok((!terms.is_empty()).then(|| reduce(word, &terms)))
    }

    /// `sum(k, l) e` is `sum(k) sum(l) e`, and the inner sum is one with the outer: where it has no terms, the outer has none of it. Nothing
    /// where there are no terms at all.
    fn reduction(
        &mut self,
        word: &str,
        ranges: &[Range],
        body: &Expr,
        scope: &Scope,
        sizes: &Scope,
    ) -> Result<Option<Number>, String> {
        if ranges.iter().any(Range::has_hole) {
            return self.with_holes(word, ranges, body, scope, sizes);
        }
        let Some((first, rest)) = ranges.split_first() else {
            return match body {
                Expr::Reduce(inner, ranges, body) if *inner == word => self.reduction(word, ranges, body, scope, sizes),
                _ => self.value(body, scope, sizes).map(Some),
            };
        };
        let mut terms = vec![];
        for scope in points(std::slice::from_ref(first), scope) {
            terms.extend(self.reduction(word, rest, body, &scope, sizes)?);
        }
        Ok((!terms.is_empty()).then(|| reduce(word, &terms)))
    }
}
