//! Random kernels: valid by construction as often as can be, and as wild as the language allows.
//!
//! Invariant: every read lies within its tensor (`context.rs`), every element has one equation, and a tensor reads of itself only
//! elements that come before, or only such that come after.

use crate::choices::Choices;
use crate::context::Context;
use crate::in_place;
use crate::kernel::{DECLARED, Equation, Expr, Form, Kernel, Range, Role, Tensor, Value};

/// The names of computed tensors.
const COMPUTED: [&str; 3] = ["X", "Y", "Z"];

/// The names of free indices.
const FREE: [&str; 2] = ["i", "j"];

/// How a share of equations grows.
#[derive(Clone, Copy)]
enum Shape {
    Whole,
    Cut,
    Recurrence,
    Solve,
    Triangle,
    Band,
    Scattered,
    Joint,
}

/// What the definitions of one tensor may look like, in percent.
const SHAPES: [(usize, Shape); 8] = [
    (44, Shape::Whole),
    (11, Shape::Cut),
    (14, Shape::Recurrence),
    (7, Shape::Solve),
    (8, Shape::Triangle),
    (3, Shape::Band),
    (4, Shape::Scattered),
    (9, Shape::Joint),
];

/// A kernel under way.
pub struct Growth {
    pub choices: Choices,
    pub parameters: Vec<String>,
    pub tensors: Vec<Tensor>,
    pub equations: Vec<Equation>,
}

/// The kernel of this number.
pub fn kernel(seed: u64, number: u64) -> Kernel {
    if let Some(kernel) = in_place::kernel(seed, number) {
        return kernel;
    }
    let mut choices = Choices::new(seed, number);
    let count = choices.weighted(&[(40, 1), (45, 2), (15, 3)]);
    let parameters = ["M", "N", "K"][..count].iter().map(|name| (*name).to_owned()).collect();
    let mut growth = Growth { choices, parameters, tensors: vec![], equations: vec![] };
    let count = growth.choices.weighted(&[(50, 1), (35, 2), (15, 3)]);
    for name in &COMPUTED[..count] {
        growth.tensor(name);
    }
    growth.finish()
}

impl Growth {
    /// What is read on may be local; what is not read at all is no input.
    pub fn finish(mut self) -> Kernel {
        let Growth { choices, tensors, equations, parameters } = &mut self;
        let is_read = |name: &str| {
            equations
                .iter()
                .any(|equation| equation.target != *name && reads(&equation.value).contains(&name.to_owned()))
        };
        tensors.retain(|tensor| tensor.role != Role::Input || is_read(&tensor.name));
        for tensor in tensors.iter_mut().filter(|tensor| tensor.role == Role::Output) {
            if is_read(&tensor.name) && choices.percent(60) {
                tensor.role = Role::Local;
            }
        }
        for equation in equations.iter_mut() {
            let said: Vec<Range> = clashes(equation, tensors).cloned().collect();
            for Range { index, low, high, .. } in said {
                let index = Form::of(&index);
                equation.conditions.extend([(low, index.clone()), (index.shifted(1), high)]);
            }
        }
        let (parameters, tensors, equations) = (parameters.clone(), tensors.clone(), equations.clone());
        Kernel { parameters, tensors, equations, steps: None }
    }

    pub fn parameter(&mut self) -> Form {
        let name = self.choices.pick(&self.parameters).clone();
        Form::of(&name)
    }

    /// An extent of a computed tensor; now and then a number, or empty at size 1.
    fn extent(&mut self) -> Form {
        let size = self.parameter();
        match self.choices.choose(20) {
            0 => size.shifted(1),
            1 => size.shifted(2),
            2 => size.shifted(-1),
            3 => Form::number(1 + self.choices.choose(3) as i64),
            4 => size.plus(&self.parameter()).shifted(-1),
            _ => size,
        }
    }

    /// A tensor with its equations.
    fn tensor(&mut self, name: &str) {
        let rank = self.choices.weighted(&[(12, 0), (50, 1), (38, 2)]);
        let shape = self.choices.weighted(&SHAPES);
        let mut extents: Vec<Form> = (0..rank).map(|_| self.extent()).collect();
        if matches!(shape, Shape::Triangle | Shape::Band) && rank == 2 {
            extents[1] = extents[0].clone();
        }
        match (shape, rank) {
            (Shape::Cut, 1 | 2) => self.cut(name, &extents),
            (Shape::Recurrence, 1) => self.line(name, &extents),
            (Shape::Recurrence, 2) => self.plane(name, &extents),
            (Shape::Solve, 1) => self.solve(name, &extents),
            (Shape::Triangle, 2) => self.triangle(name, &extents),
            (Shape::Band, 2) => self.band(name, &extents),
            (Shape::Scattered, 1) => extents = self.scattered(name),
            (Shape::Joint, 0 | 1) => self.joint(name, &extents),
            _ => self.whole(name, &extents),
        }
        self.tensors.push(Tensor { name: name.to_owned(), role: Role::Output, shape: extents });
    }

    /// The free indices of a tensor.
    fn free(extents: &[Form]) -> Vec<Range> {
        let range = |(index, extent): (&&str, &Form)| Range::new(index, Form::number(0), extent.clone());
        FREE.iter().zip(extents).map(range).collect()
    }

    pub fn context(&self, ranges: &[Range], conditions: &[(Form, Form)]) -> Context {
        Context::new(&self.parameters, ranges.to_vec(), conditions)
    }

    /// An equation of some of a tensor's points; `value` is grown at these.
    fn equation(
        &mut self,
        target: &str,
        ranges: &[Range],
        conditions: &[(Form, Form)],
        value: impl FnOnce(&mut Growth, &Context) -> Expr,
    ) {
        let subscripts = ranges.iter().map(|range| Form::of(&range.index)).collect();
        let context = self.context(ranges, conditions);
        let value = Value::Plain(value(self, &context));
        let (ranges, conditions) = (ranges.to_vec(), conditions.to_vec());
        let is_elsewhere = false;
        self.equations.push(Equation {
            target: target.to_owned(),
            subscripts,
            ranges,
            conditions,
            is_elsewhere,
            value,
        });
    }

    /// What is left of a tensor: where its conditions say, or now and then what no other equation of it defines.
    fn rest(&mut self, target: &str, ranges: &[Range], conditions: &[(Form, Form)]) {
        if self.choices.percent(75) {
            return self.plain(target, ranges, conditions);
        }
        self.plain(target, ranges, &[]);
        let Some(mut equation) = self.equations.pop() else { return };
        equation.is_elsewhere = true;
        if clashes(&equation, &self.tensors).next().is_some() {
            equation.value = Value::Plain(Expr::Number(0.0));
        }
        self.equations.push(equation);
    }

    fn plain(&mut self, target: &str, ranges: &[Range], conditions: &[(Form, Form)]) {
        self.equation(target, ranges, conditions, |growth, context| growth.expression(context, 3));
    }

    fn whole(&mut self, name: &str, extents: &[Form]) {
        self.plain(name, &Growth::free(extents), &[]);
    }

    /// Two parts, one of which may be empty at some sizes, or at all.
    fn cut(&mut self, name: &str, extents: &[Form]) {
        let ranges = Growth::free(extents);
        let index = Form::of(&self.choices.pick(&ranges).index.clone());
        let border = match self.choices.choose(8) {
            0 => self.parameter(),
            1 => self.parameter().shifted(-1),
            2 => Form::number(0),
            3 => Form::number(2),
            4 if ranges.len() == 2 => Form::of("j").plus(&Form::of("i")).minus(&index),
            _ => Form::number(1),
        };
        self.plain(name, &ranges, &[(index.shifted(1), border.clone())]);
        self.rest(name, &ranges, &[(border, index)]);
    }

    /// From one or two elements before, or behind.
    fn line(&mut self, name: &str, extents: &[Form]) {
        let ranges = Growth::free(extents);
        let (index, last) = (Form::of("i"), extents[0].shifted(-1));
        let by = self.choices.weighted(&[(80, 1), (20, 2)]);
        let is_forward = self.choices.percent(65);
        let (start, rest, before) = match is_forward {
            true => ((index.clone(), Form::number(by - 1)), (Form::number(by), index.clone()), index.shifted(-by)),
            false => ((last.shifted(1 - by), index.clone()), (index.clone(), last.shifted(-by)), index.shifted(by)),
        };
        self.plain(name, &ranges, &[start]);
        self.equation(name, &ranges, &[rest], |growth, context| {
            let own = Expr::Read(name.to_owned(), vec![before]);
            growth.joined(own, context)
        });
    }

    /// From neighbours above, on the left, or across.
    fn plane(&mut self, name: &str, extents: &[Form]) {
        let ranges = Growth::free(extents);
        let (i, j) = (Form::of("i"), Form::of("j"));
        let (zero, one) = (Form::number(0), Form::number(1));
        let neighbours =
            [vec![i.shifted(-1), j.clone()], vec![i.clone(), j.shifted(-1)], vec![i.shifted(-1), j.shifted(-1)]];
        let only_above = self.choices.percent(40);
        self.plain(name, &ranges, &[(i.clone(), zero.clone())]);
        let mut rest = vec![(one.clone(), i)];
        if !only_above {
            self.plain(name, &ranges, &[(one.clone(), Form::of("i")), (j.clone(), zero)]);
            rest.push((one, j));
        }
        self.equation(name, &ranges, &rest, |growth, context| {
            let from = if only_above { 1 } else { 3 };
            let first = neighbours[growth.choices.choose(from)].clone();
            let own = Expr::Read(name.to_owned(), first);
            let joined = growth.joined(own, context);
            if only_above || growth.choices.percent(50) {
                return joined;
            }
            let second = neighbours[growth.choices.choose(from)].clone();
            growth.pair(joined, Expr::Read(name.to_owned(), second))
        });
    }

    /// From a reduction over all that come before, or behind.
    fn solve(&mut self, name: &str, extents: &[Form]) {
        let ranges = Growth::free(extents);
        let is_forward = self.choices.percent(65);
        let (low, high) = match is_forward {
            true => (Form::number(0), Form::of("i")),
            false => (Form::of("i").shifted(1), extents[0].clone()),
        };
        self.equation(name, &ranges, &[], |growth, context| {
            let range = Range::new("k", low, high);
            let inner = context.within(std::slice::from_ref(&range));
            let own = Expr::Read(name.to_owned(), vec![Form::of("k")]);
            let factor = growth.read(&inner);
            let body = growth.pair(own, factor);
            let word = growth.operator();
            growth.joined(Expr::Reduce(word, vec![range], Box::new(body)), context)
        });
    }

    /// Below and above the diagonal, and upon it.
    fn triangle(&mut self, name: &str, extents: &[Form]) {
        let ranges = Growth::free(extents);
        let (i, j) = (Form::of("i"), Form::of("j"));
        if self.choices.percent(50) {
            self.plain(name, &ranges, &[(j.clone(), i.clone())]);
        } else {
            self.plain(name, &ranges, &[(j.shifted(1), i.clone())]);
            let diagonal = &ranges[..1];
            let context = self.context(diagonal, &[]);
            let value = Value::Plain(self.expression(&context, 3));
            let subscripts = vec![i.clone(), i.clone()];
            let (ranges, target) = (diagonal.to_vec(), name.to_owned());
            let (conditions, is_elsewhere) = (vec![], false);
            self.equations.push(Equation { target, subscripts, ranges, conditions, is_elsewhere, value });
        }
        self.rest(name, &ranges, &[(i.shifted(1), j)]);
    }

    /// A band about the diagonal, and what lies beside it.
    fn band(&mut self, name: &str, extents: &[Form]) {
        let ranges = Growth::free(extents);
        let (i, j) = (Form::of("i"), Form::of("j"));
        let (below, above) = (self.choices.choose(2) as i64, self.choices.choose(2) as i64);
        self.plain(name, &ranges, &[(i.clone(), j.shifted(below)), (j.clone(), i.shifted(above))]);
        self.plain(name, &ranges, &[(j.shifted(below + 1), i.clone())]);
        self.plain(name, &ranges, &[(i.shifted(above + 1), j)]);
    }

    /// `Y[k + l] = sum(k, l) ..`; the tensor is as long as there are sums.
    fn scattered(&mut self, name: &str) -> Vec<Form> {
        let (first, second) = (self.parameter(), self.parameter());
        let range = |index: &str, high: &Form| Range::new(index, Form::number(0), high.clone());
        let ranges = vec![range("k", &first), range("l", &second)];
        let context = self.context(&ranges, &[]);
        let word = self.operator();
        let value = Value::Scattered(word, ranges, self.expression(&context, 1));
        let subscripts = vec![Form::of("k").plus(&Form::of("l"))];
        self.equations.push(Equation {
            target: name.to_owned(),
            subscripts,
            ranges: vec![],
            conditions: vec![],
            is_elsewhere: false,
            value,
        });
        vec![first.plus(&second).shifted(-1)]
    }

    /// A tuple of two tensors of one shape, of which the second has a name of its own.
    fn joint(&mut self, name: &str, extents: &[Form]) {
        let ranges = Growth::free(extents);
        let context = self.context(&ranges, &[]);
        let range = if self.choices.percent(70) {
            Range::new("k", Form::number(0), self.parameter())
        } else {
            self.range("k", &context)
        };
        let inner = context.within(std::slice::from_ref(&range));
        let (word, _) = *self.choices.pick(&DECLARED);
        let (second, target) = (format!("{name}2"), name.to_owned());
        let subscripts = ranges.iter().map(|range| Form::of(&range.index)).collect();
        let terms = vec![Expr::Number(1.0), Expr::Number(2.0)];
        let value = Value::Joint(word, vec![second.clone()], range.clone(), terms);
        let (conditions, is_elsewhere) = (vec![], false);
        let mut equation = Equation { target, subscripts, ranges, conditions, is_elsewhere, value };
        // A joint equation has no `where` that would settle a clash.
        for _ in 0..6 {
            let terms = (0..2).map(|_| self.expression(&inner, 1)).collect();
            let value = Value::Joint(word, vec![second.clone()], range.clone(), terms);
            let other = Equation { value, ..equation.clone() };
            if clashes(&other, &self.tensors).next().is_none() {
                equation = other;
                break;
            }
        }
        self.tensors.push(Tensor { name: second, role: Role::Output, shape: extents.to_vec() });
        self.equations.push(equation);
    }
}

/// The free indices that stand alone in a subscript of an array with another extent there, so that the equation must say their
/// ranges.
fn clashes<'a>(equation: &'a Equation, tensors: &'a [Tensor]) -> impl Iterator<Item = &'a Range> {
    let reads = accesses(&equation.value);
    equation.ranges.iter().filter(move |range| {
        let index = Form::of(&range.index);
        reads.iter().any(|(name, subscripts)| {
            let shape = tensors.iter().find(|tensor| tensor.name == *name).map_or(&[][..], |tensor| &tensor.shape);
            subscripts.iter().zip(shape).any(|(form, extent)| *form == index && *extent != range.high)
        })
    })
}

/// The names of the tensors that are read.
pub fn reads(value: &Value) -> Vec<String> {
    accesses(value).into_iter().map(|(tensor, _)| tensor).collect()
}

/// What is read.
fn accesses(value: &Value) -> Vec<(String, Vec<Form>)> {
    let mut found = vec![];
    let mut seen = |tensor: &str, subscripts: &[Form]| found.push((tensor.to_owned(), subscripts.to_vec()));
    match value {
        Value::Plain(value) | Value::Scattered(_, _, value) => value.visit_reads(&mut seen),
        Value::Joint(_, _, _, terms) => terms.iter().for_each(|term| term.visit_reads(&mut seen)),
    }
    found
}
