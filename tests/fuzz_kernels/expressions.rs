//! Random right-hand sides: reads, functions, reductions, and the ranges that these run over.

use crate::context::Context;
use crate::growth::Growth;
use crate::kernel::{Expr, Form, Range, Role, Tensor};

/// The names of indices that reductions bind, by depth.
const BOUND: [&str; 4] = ["k", "l", "m", "n"];

/// How many indices there may be around a value.
const DEEPEST: usize = 3;

/// How many inputs a kernel may have.
const INPUTS: usize = 4;

/// What a value may be, beside a read.
#[derive(Clone, Copy)]
enum Kind {
    Read,
    Number,
    Index,
    Reduction,
    Pair,
    Choice,
    Single,
    Padded,
}

impl Growth {
    /// A value at these points, of so many levels at most.
    pub fn expression(&mut self, context: &Context, levels: usize) -> Expr {
        let reductions = if context.ranges.len() < DEEPEST { 28 } else { 0 };
        let (pairs, choices, singles) = if levels == 0 { (0, 0, 0) } else { (22, 7, 8) };
        let kinds = [
            (28, Kind::Read),
            (6, Kind::Number),
            (5, Kind::Index),
            (reductions, Kind::Reduction),
            (pairs, Kind::Pair),
            (choices, Kind::Choice),
            (singles, Kind::Single),
            (if context.ranges.is_empty() { 0 } else { 3 }, Kind::Padded),
        ];
        let next = levels.saturating_sub(1);
        match self.choices.weighted(&kinds) {
            Kind::Read => self.read(context),
            Kind::Number => self.number(),
            Kind::Index => Expr::Index(self.index_value(context)),
            Kind::Reduction => self.reduction(context, next),
            Kind::Pair => {
                let (left, right) = (self.expression(context, next), self.expression(context, next));
                self.pair(left, right)
            }
            Kind::Choice => self.choice(context, next),
            Kind::Single => self.single(context, next),
            Kind::Padded => self.padded(context),
        }
    }

    fn number(&mut self) -> Expr {
        Expr::Number(*self.choices.pick(&[0.0, 1.0, 1.0, 2.0, 3.0, 0.5]))
    }

    fn index_value(&mut self, context: &Context) -> Form {
        let form = match self.index(context) {
            Some(index) if self.choices.percent(70) => index,
            _ => self.parameter(),
        };
        match self.choices.choose(5) {
            0 => form.shifted(1),
            1 => form.times(-1).plus(&self.parameter()),
            2 => form.times(2),
            _ => form,
        }
    }

    /// An index that is in scope.
    fn index(&mut self, context: &Context) -> Option<Form> {
        let range = context.ranges.get(self.choices.choose(context.ranges.len()))?;
        Some(Form::of(&range.index))
    }

    /// Two values joined.
    pub fn pair(&mut self, left: Expr, right: Expr) -> Expr {
        let words = [
            (30, "mul"),
            (26, "add"),
            (18, "sub"),
            (8, "max"),
            (8, "min"),
            (6, "div"),
            (2, "pow"),
            (2, "lt"),
            (1, "atan2"),
        ];
        let word = self.choices.weighted(&words);
        let both = if word == "pow" {
            vec![Expr::Apply("abs", vec![left]), Expr::Number(2.0)]
        } else if self.choices.percent(70) {
            vec![left, right]
        } else {
            vec![right, left]
        };
        Expr::Apply(word, both)
    }

    /// A value joined to a shallow one of these points; now and then it stays alone.
    pub fn joined(&mut self, value: Expr, context: &Context) -> Expr {
        if self.choices.percent(15) {
            return value;
        }
        let other = self.expression(context, 1);
        self.pair(value, other)
    }

    /// A comparison, or one of two values by a comparison.
    fn choice(&mut self, context: &Context, levels: usize) -> Expr {
        let word = *self.choices.pick(&["lt", "le", "eq", "ne"]);
        let compared = vec![self.expression(context, levels), self.expression(context, 0)];
        let comparison = Expr::Apply(word, compared);
        if self.choices.percent(35) {
            return comparison;
        }
        let (one, other) = (self.expression(context, levels), self.expression(context, 0));
        Expr::Apply("select", vec![comparison, one, other])
    }

    fn single(&mut self, context: &Context, levels: usize) -> Expr {
        let value = self.expression(context, levels);
        let words = [
            (35, "neg"),
            (30, "abs"),
            (10, "recip"),
            (10, "sqrt"),
            (8, "exp"),
            (4, "log"),
            (3, "div"),
            (3, "tanh"),
            (3, "sin"),
            (3, "cos"),
            (3, "floor"),
            (3, "ceil"),
            (3, "sign"),
        ];
        match self.choices.weighted(&words) {
            "div" => Expr::Apply("div", vec![Expr::Number(1.0), value]),
            word => Expr::Apply(word, vec![value]),
        }
    }

    pub fn operator(&mut self) -> &'static str {
        self.choices.weighted(&[(45, "sum"), (20, "max"), (20, "min"), (15, "prod")])
    }

    /// A reduction over one index or two; one in six reads nothing.
    fn reduction(&mut self, context: &Context, levels: usize) -> Expr {
        let depth = context.ranges.iter().filter(|range| BOUND.contains(&&*range.index)).count();
        let mut first = self.range(BOUND[depth], context);
        self.leave_out(&mut first, context);
        let mut inner = context.within(std::slice::from_ref(&first));
        let mut ranges = vec![first];
        if inner.ranges.len() < DEEPEST && self.choices.percent(15) {
            let second = self.range(BOUND[depth + 1], &inner);
            inner = inner.within(std::slice::from_ref(&second));
            ranges.push(second);
        }
        let word = self.operator();
        let body = match self.choices.choose(12) {
            0 => Expr::Number(1.0),
            1 => Expr::Index(self.index_value(&inner)),
            2..=5 => self.read(&inner),
            _ => self.expression(&inner, levels.min(1)),
        };
        Expr::Reduce(word, ranges, Box::new(body))
    }

    /// A range: over a size, up to or from another index, between sizes, empty.
    pub fn range(&mut self, index: &str, context: &Context) -> Range {
        let (size, other) = (self.parameter(), self.parameter());
        let outer = self.index(context).unwrap_or_else(|| other.clone());
        let number = Form::number;
        let ranges = [
            (30, (number(0), size.clone())),
            (10, (number(0), outer.clone())),
            (8, (number(0), outer.shifted(1))),
            (8, (outer.clone(), size.clone())),
            (8, (outer.shifted(1), size.clone())),
            (6, (other.clone(), size.clone())),
            (2, (number(0), number(0))),
            (5, (number(1), size.clone())),
            (3, (number(2), size.clone())),
            (4, (number(0), size.shifted(-1))),
            (4, (outer.clone(), outer.shifted(2))),
            (2, (number(0), size.minus(&outer))),
            (3, (number(0), number(3))),
            (3, (number(0), size.plus(&other).shifted(-1))),
            (2, (size.minus(&outer).shifted(-1), size.clone())),
            (2, (number(1), number(1))),
        ];
        let places: Vec<(usize, usize)> = ranges.iter().enumerate().map(|(at, (weight, _))| (*weight, at)).collect();
        let (low, high) = ranges[self.choices.weighted(&places)].1.clone();
        Range::new(index, low, high)
    }

    /// Now and then a range has a step, or a condition.
    fn leave_out(&mut self, range: &mut Range, context: &Context) {
        match self.choices.choose(24) {
            0 | 1 => range.step = 2,
            2 => (range.low, range.high, range.step) = (range.high.shifted(-1), range.low.shifted(-1), -1),
            3 => (range.low, range.high, range.step) = (range.high.shifted(-1), range.low.shifted(-1), -2),
            4..=6 => {
                let bound = self.index(context).unwrap_or_else(|| Form::number(1));
                let sign = *self.choices.pick(&["!=", "!=", "<=", ">="]);
                range.condition = Some((sign, bound));
            }
            _ => {}
        }
    }

    /// An element of an input that may lie outside, and what stands for it there.
    fn padded(&mut self, context: &Context) -> Expr {
        let inputs: Vec<Tensor> = self
            .tensors
            .iter()
            .filter(|tensor| tensor.role == Role::Input && !tensor.shape.is_empty())
            .cloned()
            .collect();
        let Some(tensor) = inputs.get(self.choices.choose(inputs.len().max(1))).cloned() else {
            return self.read(context);
        };
        let subscripts: Vec<Form> = tensor.shape.iter().map(|extent| self.subscript(context, Some(extent))).collect();
        let other = if self.choices.percent(70) { self.number() } else { self.read(context) };
        Expr::Else(tensor.name, subscripts, Box::new(other))
    }

    /// A read that lies within its tensor at all of these points; a number where none is found.
    pub fn read(&mut self, context: &Context) -> Expr {
        for _ in 0..6 {
            let found = match self.choices.choose(10) {
                0..=3 => self.known_read(context, false),
                4..=5 => self.known_read(context, true),
                _ => self.new_read(context),
            };
            if let Some(read) = found {
                return read;
            }
        }
        self.number()
    }

    /// A read of an input, or of a tensor that is computed.
    fn known_read(&mut self, context: &Context, computed: bool) -> Option<Expr> {
        let known: Vec<Tensor> =
            self.tensors.iter().filter(|tensor| (tensor.role != Role::Input) == computed).cloned().collect();
        let tensor = known.get(self.choices.choose(known.len()))?;
        let subscripts: Vec<Form> = tensor.shape.iter().map(|extent| self.subscript(context, Some(extent))).collect();
        let fits = subscripts.iter().zip(&tensor.shape).all(|(form, extent)| context.fits(form, extent));
        fits.then(|| Expr::Read(tensor.name.clone(), subscripts))
    }

    /// A read of an input that is as large as this read needs.
    fn new_read(&mut self, context: &Context) -> Option<Expr> {
        let count = self.tensors.iter().filter(|tensor| tensor.role == Role::Input).count();
        if count >= INPUTS {
            return None;
        }
        let rank = self.choices.weighted(&[(6, 0), (54, 1), (36, 2), (4, 3)]);
        let subscripts: Vec<Form> = (0..rank).map(|_| self.subscript(context, None)).collect();
        let shape: Vec<Form> = subscripts.iter().map(|form| self.extent_for(context, form)).collect::<Option<_>>()?;
        let name = ["a", "b", "c", "d"][count].to_owned();
        self.tensors.push(Tensor { name: name.clone(), role: Role::Input, shape });
        Some(Expr::Read(name, subscripts))
    }

    /// The smallest of some extents that a subscript stays in.
    fn extent_for(&mut self, context: &Context, form: &Form) -> Option<Form> {
        let sizes: Vec<Form> = self.parameters.iter().map(|name| Form::of(name)).collect();
        let mut extents = vec![Form::number(1)];
        for by in 0..3 {
            extents.extend(sizes.iter().map(|size| size.shifted(by)));
        }
        for by in -1..3 {
            let pairs =
                sizes.iter().enumerate().flat_map(|(at, size)| sizes[at..].iter().map(|other| size.plus(other)));
            extents.extend(pairs.map(|both| both.shifted(by)));
        }
        extents.extend(sizes.iter().map(|size| size.times(3).shifted(2)));
        extents.push(sizes.iter().fold(Form::number(2), |sum, size| sum.plus(&size.times(2))));
        extents.into_iter().find(|extent| context.fits(form, extent))
    }

    /// A subscript: plain, shifted, strided, reversed, of two indices, or fixed.
    fn subscript(&mut self, context: &Context, extent: Option<&Form>) -> Form {
        let size = self.parameter();
        let last = extent.cloned().unwrap_or(size).shifted(-1);
        let (Some(index), Some(other)) = (self.index(context), self.index(context)) else {
            return if self.choices.percent(70) { Form::number(0) } else { last };
        };
        match self.choices.choose(25) {
            24 if can_be_divided(context, &index) => {
                Form::of(&format!("{index} {}", self.choices.pick(&["div 2", "mod 2"])))
            }
            0 => index.shifted(1),
            1 => index.shifted(-1),
            2 => index.shifted(2),
            3 => index.times(2),
            4 => index.times(2).shifted(1),
            5 | 6 => last.minus(&index),
            7 => index.plus(&other),
            8 => index.minus(&other).plus(&last),
            9 => Form::number(0),
            10 => last,
            _ => index,
        }
    }
}

/// Whether an index, which is the whole form, has no step.
fn can_be_divided(context: &Context, index: &Form) -> bool {
    let is_it = |range: &&Range| *index == Form::of(&range.index);
    context.ranges.iter().find(is_it).is_some_and(|range| range.step == 1)
}
