//! Random tensors that are replaced in their place, in steps or at once: `inout A[N, N] over t in 0..T`.
//!
//! Invariant: every read lies within its tensor. Which value a read has is for the language to say, and for `meaning.rs` by itself: the last
//! before it, as in nested loops.

use crate::choices::Choices;
use crate::context::Context;
use crate::growth::Growth;
use crate::kernel::{Equation, Expr, Form, Kernel, Range, Role, Tensor, Value};

/// What is replaced.
const TENSOR: &str = "A";

/// The index that counts steps.
const STEP: &str = "t";

/// One kernel of so many is of this kind.
const ONE_OF: u64 = 12;

/// The kernel of this number, if it is of this kind.
pub fn kernel(seed: u64, number: u64) -> Option<Kernel> {
    if number % ONE_OF != ONE_OF / 2 {
        return None;
    }
    let mut choices = Choices::new(seed ^ 0x1a_91ace, number);
    let count = choices.weighted(&[(65, 1), (35, 2)]);
    let parameters = ["M", "N"][..count].iter().map(|name| (*name).to_owned()).collect();
    let mut growth = Growth { choices, parameters, tensors: vec![], equations: vec![] };
    let rank = growth.choices.weighted(&[(60, 1), (40, 2)]);
    let mut shape: Vec<Form> = (0..rank).map(|_| growth.parameter()).collect();
    if rank == 2 && growth.choices.percent(60) {
        shape[1] = shape[0].clone();
    }
    let steps = growth.steps();
    for _ in 0..growth.choices.weighted(&[(60, 1), (32, 2), (8, 3)]) {
        growth.replaced(&shape, steps.as_ref());
    }
    growth.tensors.push(Tensor { name: TENSOR.to_owned(), role: Role::InPlace, shape });
    Some(Kernel { steps, ..growth.finish() })
}

impl Growth {
    /// The steps, if there is more than one.
    fn steps(&mut self) -> Option<Range> {
        if self.choices.percent(25) {
            return None;
        }
        let high = match self.choices.choose(6) {
            0 => Form::number(2),
            1 => self.parameter().shifted(-1),
            _ => self.parameter(),
        };
        let low = Form::number(i64::from(self.choices.percent(15)));
        Some(Range::new(STEP, low, high))
    }

    /// An equation of the tensor. On the left stands an index alone, or now and then a form of the step.
    fn replaced(&mut self, shape: &[Form], steps: Option<&Range>) {
        let step = steps.map(std::slice::from_ref).unwrap_or_default();
        let within_steps = self.context(step, &[]);
        let (mut subscripts, mut ranges) = (vec![], vec![]);
        for (index, extent) in ["i", "j"].into_iter().zip(shape) {
            let at_step = Form::of(STEP).shifted(*self.choices.pick(&[0, 0, 0, 1]));
            if !step.is_empty() && self.choices.percent(15) && within_steps.fits(&at_step, extent) {
                subscripts.push(at_step);
            } else {
                subscripts.push(Form::of(index));
                ranges.push(Range::new(index, Form::number(0), extent.clone()));
            }
        }
        let conditions = self.conditions(&ranges, step);
        let all = [step, &ranges].concat();
        let context = self.context(&all, &conditions);
        let value = Value::Plain(self.own(&context, shape));
        let (target, is_elsewhere) = (TENSOR.to_owned(), false);
        self.equations.push(Equation { target, subscripts, ranges, conditions, is_elsewhere, value });
    }

    /// Where an equation holds: away from borders, before or behind the step, or on one side of the diagonal.
    fn conditions(&mut self, ranges: &[Range], step: &[Range]) -> Vec<(Form, Form)> {
        let mut found = vec![];
        for range in ranges {
            let (index, last) = (Form::of(&range.index), range.high.shifted(-1));
            if self.choices.percent(55) {
                found.push((Form::number(1), index.clone()));
            }
            if self.choices.percent(35) {
                found.push((index.clone(), last.shifted(-1)));
            }
            if !step.is_empty() && self.choices.percent(15) {
                let step = Form::of(STEP);
                let sides = [(step.shifted(1), index.clone()), (index.shifted(1), step)];
                found.push(self.choices.pick(&sides).clone());
            }
        }
        if let [i, j] = ranges
            && self.choices.percent(15)
        {
            found.push((Form::of(&j.index), Form::of(&i.index)));
        }
        found
    }

    /// One element of the tensor or two, or a reduction over some, joined to other values.
    fn own(&mut self, context: &Context, shape: &[Form]) -> Expr {
        let Some(first) = self.own_read(context, shape) else { return self.expression(context, 2) };
        let first = if self.choices.percent(10) { self.own_reduction(context, shape).unwrap_or(first) } else { first };
        let joined = self.joined(first, context);
        match self.own_read(context, shape) {
            Some(second) if self.choices.percent(45) => self.pair(joined, second),
            _ => joined,
        }
    }

    /// An element that lies within at all of these points.
    fn own_read(&mut self, context: &Context, shape: &[Form]) -> Option<Expr> {
        for _ in 0..8 {
            let subscripts: Vec<Form> = shape.iter().map(|_| self.neighbour(context)).collect::<Option<_>>()?;
            if subscripts.iter().zip(shape).all(|(form, extent)| context.fits(form, extent)) {
                return Some(Expr::Read(TENSOR.to_owned(), subscripts));
            }
        }
        None
    }

    /// An index, or what stands beside it.
    fn neighbour(&mut self, context: &Context) -> Option<Form> {
        let range = context.ranges.get(self.choices.choose(context.ranges.len()))?;
        let by = self.choices.weighted(&[(50, 0), (27, -1), (20, 1), (3, -2)]);
        Some(Form::of(&range.index).shifted(by))
    }

    /// A reduction over a row or a column.
    fn own_reduction(&mut self, context: &Context, shape: &[Form]) -> Option<Expr> {
        let axis = self.choices.choose(shape.len());
        let range = self.range("k", context);
        let inner = context.within(std::slice::from_ref(&range));
        let mut subscripts: Vec<Form> = shape.iter().map(|_| self.neighbour(context)).collect::<Option<_>>()?;
        subscripts[axis] = Form::of("k");
        if !subscripts.iter().zip(shape).all(|(form, extent)| inner.fits(form, extent)) {
            return None;
        }
        let factor = self.read(&inner);
        let body = self.pair(Expr::Read(TENSOR.to_owned(), subscripts), factor);
        Some(Expr::Reduce(self.operator(), vec![range], Box::new(body)))
    }
}
