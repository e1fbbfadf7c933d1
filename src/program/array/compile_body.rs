//! One class's body to flat instructions.

use super::code::{Call, ClassCode, Index, Op, Port, Scalar, Test};
use super::{Class, Condition, IndexExpr, Instruction, Program, ScalarExpr};
use std::collections::BTreeMap;
use systole_base::integer::{Bindings, Name};
use systole_base::scalar::Function;

/// The integer variables at a place of the program: parameters as values, coordinates and loop indices as slots.
#[derive(Clone)]
pub(super) struct Frame<'a> {
    sizes: &'a Bindings,
    /// The end of a loop is in a slot without a name.
    slots: Vec<Option<&'a Name>>,
}

impl<'a> Frame<'a> {
    /// The variables outside all loops.
    pub fn new(program: &'a Program, sizes: &'a Bindings) -> Frame<'a> {
        Frame { sizes, slots: program.grid.iter().map(|coordinate| Some(&coordinate.name)).collect() }
    }

    /// Compiles conditions.
    pub fn tests(&self, conditions: &[Condition]) -> Vec<Test> {
        let test = |condition: &Condition| Test {
            comparison: condition.comparison,
            left: self.index(&condition.left),
            right: self.index(&condition.right),
        };
        conditions.iter().map(test).collect()
    }

    fn indices(&self, expressions: &[IndexExpr]) -> Vec<Index> {
        expressions.iter().map(|expression| self.index(expression)).collect()
    }

    /// A linear expression in one step; anything else, or one whose coefficients do not fit, part by part.
    fn index(&self, expression: &IndexExpr) -> Index {
        if let Some(linear) = self.linear(expression) {
            return linear.into_index();
        }
        let boxed = |part: &IndexExpr| Box::new(self.index(part));
        match expression {
            IndexExpr::Constant(value) => Index::Constant(*value),
            IndexExpr::Variable(_) => Index::Constant(0),
            IndexExpr::Sum(parts) => Index::Sum(self.indices(parts)),
            IndexExpr::Difference(a, b) => {
                Index::Sum(vec![self.index(a), Index::Product(vec![Index::Constant(-1), self.index(b)])])
            }
            IndexExpr::Product(parts) => Index::Product(self.indices(parts)),
            IndexExpr::Floor(part, divisor) => Index::Floor(boxed(part), *divisor),
            IndexExpr::Ceil(part, divisor) => Index::Ceil(boxed(part), *divisor),
            IndexExpr::Modulo(part, divisor) => Index::Modulo(boxed(part), *divisor),
            IndexExpr::Min(parts) => outermost(self.indices(parts), i64::min, Index::Min),
            IndexExpr::Max(parts) => outermost(self.indices(parts), i64::max, Index::Max),
        }
    }

    fn linear(&self, expression: &IndexExpr) -> Option<Linear> {
        match expression {
            IndexExpr::Constant(value) => Some(Linear::constant(*value)),
            IndexExpr::Variable(name) => match self.slots.iter().position(|slot| *slot == Some(name)) {
                Some(slot) => Some(Linear { constant: 0, terms: BTreeMap::from([(slot, 1)]) }),
                None => self.sizes.get(name).map(|value| Linear::constant(*value)),
            },
            IndexExpr::Sum(parts) => {
                parts.iter().try_fold(Linear::constant(0), |sum, part| sum.plus(&self.linear(part)?, 1))
            }
            IndexExpr::Difference(a, b) => self.linear(a)?.plus(&self.linear(b)?, -1),
            IndexExpr::Product(parts) => {
                parts.iter().try_fold(Linear::constant(1), |product, part| product.times(&self.linear(part)?))
            }
            // Parameters and literals alone have a value now.
            _ => expression.evaluate(self.sizes).map(Linear::constant),
        }
    }
}

impl Index {
    /// An expression in which each variable has a size, or is a name, whose position is its slot.
    pub fn over(expression: &IndexExpr, sizes: &Bindings, names: &[Name]) -> Index {
        Frame { sizes, slots: names.iter().map(Some).collect() }.index(expression)
    }

    /// A linear form: its number, and the multiples of slots.
    fn as_linear(&self) -> Option<(i64, Vec<(usize, i64)>)> {
        match self {
            Index::Constant(value) => Some((*value, vec![])),
            Index::Shifted(slot, shift) => Some((*shift, vec![(*slot, 1)])),
            Index::Linear(constant, terms) => Some((*constant, terms.clone())),
            _ => None,
        }
    }
}

/// A minimum or a maximum. Of linear parts that differ by a number alone, one is left, with the number that `join` chooses.
fn outermost(parts: Vec<Index>, join: fn(i64, i64) -> i64, of: fn(Vec<Index>) -> Index) -> Index {
    let mut forms: BTreeMap<Vec<(usize, i64)>, i64> = BTreeMap::new();
    let mut left = vec![];
    for part in parts {
        match part.as_linear() {
            Some((number, terms)) => {
                forms.entry(terms).and_modify(|known| *known = join(*known, number)).or_insert(number);
            }
            None => left.push(part),
        }
    }
    left.extend(
        forms.into_iter().map(|(terms, constant)| Linear { constant, terms: terms.into_iter().collect() }.into_index()),
    );
    match (left.pop(), left.is_empty()) {
        (Some(only), true) => only,
        (last, _) => of(left.into_iter().chain(last).collect()),
    }
}

struct Linear {
    constant: i64,
    terms: BTreeMap<usize, i64>,
}

impl Linear {
    fn constant(value: i64) -> Linear {
        Linear { constant: value, terms: BTreeMap::new() }
    }

    fn plus(mut self, other: &Linear, factor: i64) -> Option<Linear> {
        self.constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (slot, coefficient) in &other.terms {
            let entry = self.terms.entry(*slot).or_insert(0);
            *entry = entry.checked_add(coefficient.checked_mul(factor)?)?;
        }
        Some(self)
    }

    fn times(self, other: &Linear) -> Option<Linear> {
        match (self.terms.is_empty(), other.terms.is_empty()) {
            (true, _) => Linear::constant(0).plus(other, self.constant),
            (false, true) => Linear::constant(0).plus(&self, other.constant),
            (false, false) => None,
        }
    }

    fn into_index(self) -> Index {
        let terms: Vec<(usize, i64)> = self.terms.into_iter().filter(|(_, coefficient)| *coefficient != 0).collect();
        match terms.as_slice() {
            [] => Index::Constant(self.constant),
            [(slot, 1)] => Index::Shifted(*slot, self.constant),
            _ => Index::Linear(self.constant, terms),
        }
    }
}

/// Compiles a class. The functions that its `let`s apply are appended to `operations`.
pub(super) fn compile_class(
    program: &Program,
    sizes: &Bindings,
    class: &Class,
    operations: &mut Vec<Vec<(Function, u64)>>,
) -> ClassCode {
    let mut frame = Frame::new(program, sizes);
    let rounds = advances(&class.body).then_some(frame.slots.len());
    frame.slots.extend(rounds.map(|_| None));
    let code = ClassCode {
        name: class.name.clone(),
        ops: vec![],
        origins: vec![],
        slots: frame.slots.len(),
        registers: 0,
        ports: vec![],
        taps: vec![],
    };
    let mut compiler = BodyCompiler { program, frame, rounds, registers: vec![], code, operations, next: 0 };
    compiler.block(&class.body);
    compiler.code.registers = compiler.registers.len();
    compiler.code
}

/// Whether some instruction is a round that is over.
fn advances(body: &[Instruction]) -> bool {
    body.iter().any(|instruction| match instruction {
        Instruction::Advance(_) => true,
        Instruction::Loop { body, .. } => advances(body),
        Instruction::If { then, otherwise, .. } => advances(then) || advances(otherwise),
        _ => false,
    })
}

struct BodyCompiler<'a> {
    program: &'a Program,
    frame: Frame<'a>,
    /// The slot of the cycles that all rounds took so far, where there are rounds.
    rounds: Option<usize>,
    registers: Vec<Option<&'a Name>>,
    code: ClassCode,
    operations: &'a mut Vec<Vec<(Function, u64)>>,
    /// The number of the next instruction of the text.
    next: usize,
}

impl<'a> BodyCompiler<'a> {
    fn block(&mut self, body: &'a [Instruction]) {
        body.iter().for_each(|instruction| self.instruction(instruction));
    }

    fn instruction(&mut self, instruction: &'a Instruction) {
        let origin = self.next;
        self.next += 1;
        match instruction {
            Instruction::Loop { index, first, last, body } => {
                let ends = (self.frame.index(first), self.frame.index(last));
                self.repetition(origin, Some(index), ends, |compiler| compiler.block(body));
            }
            Instruction::If { conditions, then, otherwise } => self.choice(origin, conditions, then, otherwise),
            Instruction::Pass(from, to, count) => self.pass(origin, from, to, count),
            Instruction::Fill(array, at, value) => self.fill(origin, array, at, value),
            _ => {
                let op = self.simple(instruction);
                self.push(origin, op);
            }
        }
    }

    fn push(&mut self, origin: usize, op: Op) -> usize {
        self.code.ops.push(op);
        self.code.origins.push(origin);
        self.code.ops.len() - 1
    }

    /// A loop takes two slots: its index and its last value. A loop without a name is one that no expression can see.
    fn repetition(
        &mut self,
        origin: usize,
        name: Option<&'a Name>,
        (from, to): (Index, Index),
        body: impl FnOnce(&mut Self),
    ) {
        let (index, last) = (self.frame.slots.len(), self.frame.slots.len() + 1);
        let enter = self.push(origin, Op::Enter { index, last, from, to, exit: 0 });
        self.frame.slots.extend([name, None]);
        self.code.slots = self.code.slots.max(self.frame.slots.len());
        body(self);
        self.frame.slots.truncate(index);
        let again = self.push(origin, Op::Again { index, last, start: enter + 1 });
        if let Op::Enter { exit, .. } = &mut self.code.ops[enter] {
            *exit = again + 1;
        }
    }

    fn choice(
        &mut self,
        origin: usize,
        conditions: &[Condition],
        then: &'a [Instruction],
        otherwise: &'a [Instruction],
    ) {
        let tests = self.frame.tests(conditions);
        let branch = self.push(origin, Op::Branch { tests, otherwise: 0 });
        self.block(then);
        let jump = (!otherwise.is_empty()).then(|| self.push(origin, Op::Jump(0)));
        let start = self.code.ops.len();
        self.block(otherwise);
        let end = self.code.ops.len();
        if let Op::Branch { otherwise, .. } = &mut self.code.ops[branch] {
            *otherwise = start;
        }
        if let Some(jump) = jump {
            self.code.ops[jump] = Op::Jump(end);
        }
    }

    /// `pass` is a loop that receives into a register of its own and sends it on.
    fn pass(&mut self, origin: usize, from: &'a Name, to: &'a Name, count: &IndexExpr) {
        let register = self.registers.len();
        self.registers.push(None);
        let (source, target) = (self.port(from, false), self.port(to, true));
        let ends = (Index::Constant(1), self.frame.index(count));
        self.repetition(origin, None, ends, |compiler| {
            compiler.push(origin, Op::Receive { register, port: source });
            compiler.push(origin, Op::Send { port: target, register });
        });
    }

    /// `fill` computes into a register of its own, which then goes to the array.
    fn fill(&mut self, origin: usize, array: &Name, at: &[IndexExpr], value: &'a ScalarExpr) {
        let register = self.registers.len();
        self.registers.push(None);
        let compute = self.operation(register, value);
        self.push(origin, compute);
        let fill = Op::Fill { array: self.array(array), at: self.frame.indices(at), register };
        self.push(origin, fill);
    }

    /// An instruction that becomes one op.
    fn simple(&mut self, instruction: &'a Instruction) -> Op {
        match instruction {
            Instruction::At(time) => Op::At(match self.rounds {
                Some(rounds) => Index::Sum(vec![Index::Shifted(rounds, 0), self.frame.index(time)]),
                None => self.frame.index(time),
            }),
            // There is a slot wherever there is a round.
            Instruction::Advance(cycles) => {
                Op::Advance { rounds: self.rounds.unwrap_or(0), by: self.frame.index(cycles) }
            }
            Instruction::Tick(cycles) => Op::Tick(*cycles),
            Instruction::Share => Op::Share,
            Instruction::EndStep => Op::EndStep,
            Instruction::Load(register, array, at) => {
                Op::Load { register: self.register(register), array: self.array(array), at: self.frame.indices(at) }
            }
            Instruction::Prefetch(array, at) => Op::Prefetch { array: self.array(array), at: self.frame.indices(at) },
            Instruction::Local(register, array, at) => {
                Op::Local { register: self.register(register), array: self.array(array), at: self.frame.indices(at) }
            }
            Instruction::Keep(pad, at, register) => {
                Op::Keep { pad: self.pad(pad), at: self.frame.indices(at), register: self.register(register) }
            }
            Instruction::Recall(register, pad, at) => {
                Op::Recall { register: self.register(register), pad: self.pad(pad), at: self.frame.indices(at) }
            }
            Instruction::Store(array, at, register) => {
                Op::Store { array: self.array(array), at: self.frame.indices(at), register: self.register(register) }
            }
            Instruction::Receive(register, channel) => {
                Op::Receive { register: self.register(register), port: self.port(channel, false) }
            }
            Instruction::Send(channel, register) => {
                Op::Send { port: self.port(channel, true), register: self.register(register) }
            }
            Instruction::Drive(bus, register, tag) => {
                Op::Drive { tap: self.tap(bus), register: self.register(register), tag: self.frame.indices(tag) }
            }
            Instruction::Listen(register, bus, tag) => {
                Op::Listen { register: self.register(register), tap: self.tap(bus), tag: self.frame.indices(tag) }
            }
            Instruction::Let(register, value) => {
                let register = self.register(register);
                self.operation(register, value)
            }
            Instruction::Loop { .. } | Instruction::If { .. } | Instruction::Pass(..) | Instruction::Fill(..) => {
                Op::Tick(0)
            }
        }
    }

    fn operation(&mut self, register: usize, value: &'a ScalarExpr) -> Op {
        let mut counts = BTreeMap::new();
        let value = self.scalar(value, &mut counts);
        self.operations.push(counts.into_iter().collect());
        Op::Let { register, value, operation: self.operations.len() - 1 }
    }

    fn scalar(&mut self, value: &'a ScalarExpr, counts: &mut BTreeMap<Function, u64>) -> Scalar {
        match value {
            ScalarExpr::Number(value) => Scalar::Number(*value),
            ScalarExpr::Register(register) => Scalar::Register(self.register(register)),
            ScalarExpr::Index(form) => Scalar::Index(self.frame.index(form)),
            ScalarExpr::Apply(function, arguments) => {
                *counts.entry(*function).or_insert(0) += 1;
                let parts: Vec<Scalar> = arguments.iter().map(|argument| self.scalar(argument, counts)).collect();
                apply(*function, parts)
            }
            ScalarExpr::Call { leaf, onto, at, arguments } => Scalar::Call(Box::new(Call {
                leaf: self.program.leaves.iter().position(|known| known.name == *leaf).unwrap_or(0),
                onto: onto.as_deref().map(|onto| self.scalar(onto, counts)),
                at: self.frame.indices(at),
                arguments: arguments.iter().map(|argument| self.scalar(argument, counts)).collect(),
            })),
        }
    }

    fn register(&mut self, name: &'a Name) -> usize {
        position_of(&mut self.registers, Some(name))
    }

    fn port(&mut self, channel: &Name, sends: bool) -> usize {
        let channel = self.program.channels.iter().position(|known| known.name == *channel).unwrap_or(0);
        position_of(&mut self.code.ports, Port { channel, sends })
    }

    fn tap(&mut self, bus: &Name) -> usize {
        let bus = self.program.buses.iter().position(|known| known.name == *bus).unwrap_or(0);
        position_of(&mut self.code.taps, bus)
    }

    fn pad(&self, name: &Name) -> usize {
        self.program.scratchpads.iter().position(|known| known.name == *name).unwrap_or(0)
    }

    fn array(&self, name: &Name) -> usize {
        self.program.arrays.iter().position(|known| known.name == *name).unwrap_or(0)
    }
}

/// A function of its arguments; the validator has seen to their number.
fn apply(function: Function, parts: Vec<Scalar>) -> Scalar {
    match <[Scalar; 1]>::try_from(parts) {
        Ok([part]) => Scalar::Unary(function, Box::new(part)),
        Err(parts) => match <[Scalar; 2]>::try_from(parts) {
            Ok(parts) => Scalar::Binary(function, Box::new(parts)),
            Err(parts) => match <[Scalar; 3]>::try_from(parts) {
                Ok(parts) => Scalar::Ternary(function, Box::new(parts)),
                Err(_) => Scalar::Number(f64::NAN),
            },
        },
    }
}

/// The position of `item`, appended where it is new.
fn position_of<T: PartialEq>(items: &mut Vec<T>, item: T) -> usize {
    items.iter().position(|known| *known == item).unwrap_or_else(|| {
        items.push(item);
        items.len() - 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use systole_base::integer::name;

    /// A random expression over these names.
    fn grown(next: &mut impl FnMut(u64) -> u64, names: &[Name], depth: u64) -> IndexExpr {
        let kind = if depth == 0 { next(2) } else { next(10) };
        if kind >= 6 {
            let parts = (0..1 + next(4)).map(|_| grown(next, names, depth - 1)).collect();
            return [IndexExpr::Sum, IndexExpr::Product, IndexExpr::Min, IndexExpr::Max][kind as usize - 6](parts);
        }
        let mut part = || Box::new(grown(next, names, depth - 1));
        match kind {
            2 => IndexExpr::Difference(part(), part()),
            3 => IndexExpr::Floor(part(), 3),
            4 => IndexExpr::Ceil(part(), 2),
            5 => IndexExpr::Modulo(part(), 3),
            0 => IndexExpr::Constant(next(9) as i64 - 4),
            _ => IndexExpr::variable(&names[next(3) as usize]),
        }
    }

    #[test]
    fn random_expressions_have_the_same_values_over_slots() {
        let names = ["a", "b", "c"].map(name);
        let mut state = 7u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..3000 {
            let expression = grown(&mut next, &names, 4);
            for values in [[(); 3].map(|()| next(11) as i64 - 5), [(); 3].map(|()| next(11) as i64 - 5)] {
                let bound: Bindings = names.iter().cloned().zip(values).collect();
                let expected = expression.evaluate(&bound);
                assert!(expected.is_some(), "{expression}");
                let sizes = Bindings::from([(names[1].clone(), values[1])]);
                let over = Index::over(&expression, &sizes, &[names[0].clone(), names[2].clone()]);
                assert_eq!(over.value(&[values[0], values[2]]), expected, "{expression} {values:?}");
            }
        }
    }

    #[test]
    fn what_differs_by_a_number_is_one_part() {
        let [a, n] = ["a", "N"].map(|text| IndexExpr::variable(&name(text)));
        let later = |by: i64| IndexExpr::Sum(vec![a.clone(), by.into()]);
        let over = |parts: Vec<IndexExpr>| {
            Index::over(&IndexExpr::Max(parts), &Bindings::from([(name("N"), 7)]), &[name("a")])
        };
        let most = over(vec![later(1), later(3), n.clone(), 5.into()]);
        assert_eq!(most, Index::Max(vec![Index::Constant(7), Index::Shifted(0, 3)]));
        assert_eq!(over(vec![n, 5.into()]), Index::Constant(7));
        assert_eq!(over(vec![later(1), later(3)]), Index::Shifted(0, 3));
    }
}
