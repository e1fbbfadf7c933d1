//! Valid programs grown from a list of random numbers, which proptest shrinks.

use systole_base::cell::Cell;
use systole_base::integer::{Name, Parameters, name};
use systole_base::network::Network;
use systole_base::scalar::Function;
use systole_equations::recurrence::{Assumption, Distribution, LeafOrder, Role};
use systole_equations::tiles::{Axis, Leaf};
use systole_program::array::{
    ArrayDecl, Bus, Channel, Class, Comparison, Condition, Coordinate, IndexExpr, Instruction, Joins, Loads, Program,
    ScalarExpr, Scratchpad, TileCount,
};

/// Choices, one after the other; 0 for ever when they have run out, so that every growth ends.
pub struct Choices {
    values: Vec<u32>,
    next: usize,
    /// The leaves of the program that grows.
    leaves: Vec<Leaf>,
}

impl Choices {
    pub fn new(values: Vec<u32>) -> Choices {
        Choices { values, next: 0, leaves: vec![] }
    }

    pub fn choose(&mut self, count: usize) -> usize {
        let value = self.values.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        value as usize % count
    }

    /// The names, of which something may be assumed.
    fn assumed(&mut self, names: &[Name]) -> Parameters {
        let mut parameters: Parameters = names.iter().cloned().collect();
        for _ in 0..self.choose(3) {
            let assumed = self.affine(names);
            parameters.assume(assumed);
        }
        parameters
    }

    fn integer(&mut self) -> i64 {
        [0, 1, -1, 7, -40, i64::MAX, i64::MIN][self.choose(7)]
    }

    pub fn number(&mut self) -> f64 {
        [0.0, -0.0, 1.0, 0.1, -2.5e-300, f64::MAX, f64::MIN_POSITIVE, f64::INFINITY, f64::NEG_INFINITY][self.choose(9)]
    }

    pub fn pick(&mut self, names: &[Name]) -> Name {
        names[self.choose(names.len())].clone()
    }

    pub fn index(&mut self, scope: &[Name], depth: usize) -> IndexExpr {
        let kind = if depth == 0 { self.choose(2) } else { self.choose(10) };
        let part = |choices: &mut Choices| choices.index(scope, depth.saturating_sub(1));
        let divisor = [1, 2, 64, i64::MAX];
        match kind {
            0 => IndexExpr::Constant(self.integer()),
            1 => IndexExpr::Variable(self.pick(scope)),
            2 => IndexExpr::Sum(vec![part(self), part(self), part(self)]),
            3 => IndexExpr::Difference(Box::new(part(self)), Box::new(part(self))),
            4 => IndexExpr::Product(vec![part(self), part(self)]),
            5 => IndexExpr::Floor(Box::new(part(self)), divisor[self.choose(4)]),
            6 => IndexExpr::Ceil(Box::new(part(self)), divisor[self.choose(4)]),
            7 => IndexExpr::Modulo(Box::new(part(self)), divisor[self.choose(4)]),
            8 => IndexExpr::Min(vec![part(self)]),
            _ => IndexExpr::Max(vec![part(self), part(self)]),
        }
    }

    fn condition(&mut self, scope: &[Name]) -> Condition {
        let (comparison, _) = Comparison::ALL[self.choose(3)];
        Condition { comparison, left: self.index(scope, 2), right: self.index(scope, 2) }
    }

    pub fn scalar(&mut self, scope: &[Name], depth: usize) -> ScalarExpr {
        match if depth == 0 { self.choose(3) } else { self.choose(5) } {
            0 => ScalarExpr::Number(self.number()),
            1 => ScalarExpr::Register(self.register()),
            2 => ScalarExpr::Index(self.index(scope, 1)),
            _ => {
                let function = Function::ALL[self.choose(Function::ALL.len())];
                ScalarExpr::Apply(function, (0..function.arity()).map(|_| self.scalar(scope, depth - 1)).collect())
            }
        }
    }

    /// A scratchpad, with a word for each element or with room for a few.
    fn scratchpad(&mut self, parameters: &[Name]) -> Scratchpad {
        let shape = vec![self.index(parameters, 1)];
        match self.choose(3) {
            0 => Scratchpad::whole(name("own"), shape),
            words => Scratchpad { name: name("own"), shape, room: vec![IndexExpr::Constant(words as i64)] },
        }
    }

    pub fn register(&mut self) -> Name {
        self.pick(&["r0", "C'", "acc.x"].map(name))
    }

    fn instruction(&mut self, scope: &mut Vec<Name>, depth: usize) -> Instruction {
        let count = if depth == 0 { 17 } else { 19 };
        match self.choose(count) {
            0 => Instruction::Tick(self.choose(4) as u64),
            1 => Instruction::At(self.index(scope, 2)),
            2 => Instruction::Let(self.register(), self.operation(scope)),
            3 => Instruction::Load(self.register(), name("A"), vec![self.index(scope, 2), self.index(scope, 1)]),
            4 => Instruction::Prefetch(name("A"), vec![self.index(scope, 1), self.index(scope, 1)]),
            5 => Instruction::Local(self.register(), name("A"), vec![self.index(scope, 1), self.index(scope, 2)]),
            6 if self.choose(2) == 0 => {
                let value = ScalarExpr::Apply(Function::SquareRoot, vec![ScalarExpr::Index(self.index(scope, 1))]);
                Instruction::Fill(name("s"), vec![], value)
            }
            6 => Instruction::Store(name("s"), vec![], self.register()),
            7 => Instruction::Receive(self.register(), name("east")),
            8 => Instruction::Send(name("east"), self.register()),
            9 => Instruction::Pass(name("east"), name("east"), self.index(scope, 1)),
            10 => Instruction::Drive(name("column"), self.register(), vec![self.index(scope, 1)]),
            11 => Instruction::Listen(self.register(), name("column"), vec![self.index(scope, 1)]),
            12 => Instruction::Advance(self.index(scope, 1)),
            13 => Instruction::Keep(name("own"), vec![self.index(scope, 1)], self.register()),
            14 => Instruction::Recall(self.register(), name("own"), vec![self.index(scope, 1)]),
            15 => Instruction::Share,
            16 => Instruction::EndStep,
            17 => Instruction::If {
                conditions: (0..self.choose(3)).map(|_| self.condition(scope)).collect(),
                then: self.block(scope, depth - 1),
                otherwise: self.block(scope, depth - 1),
            },
            _ => self.repetition(scope, depth),
        }
    }

    /// A scalar expression, or a call of a leaf where there are any.
    fn operation(&mut self, scope: &[Name]) -> ScalarExpr {
        match self.choose(3) {
            chosen if chosen < self.leaves.len() => {
                let leaf = self.leaves[chosen].clone();
                self.call(&leaf, scope)
            }
            _ => self.scalar(scope, 3),
        }
    }

    fn repetition(&mut self, scope: &mut Vec<Name>, depth: usize) -> Instruction {
        let (first, last) = (self.index(scope, 1), self.index(scope, 2));
        let index = name(&format!("k{}", scope.len()));
        scope.push(index.clone());
        let body = self.block(scope, depth - 1);
        scope.pop();
        Instruction::Loop { index, first, last, body }
    }

    fn block(&mut self, scope: &mut Vec<Name>, depth: usize) -> Vec<Instruction> {
        (0..self.choose(4)).map(|_| self.instruction(scope, depth)).collect()
    }

    /// Every register is written at the start, and both ends of every link are used.
    fn class(&mut self, position: usize) -> Class {
        let mut scope = ["M", "N", "N_by_4", "p0", "p1"].map(name).to_vec();
        let guard = (0..self.choose(3)).map(|_| self.condition(&scope)).collect();
        let registers = ["r0", "C'", "acc.x"].map(|register| Instruction::Let(name(register), ScalarExpr::Number(1.0)));
        let mut body = registers.to_vec();
        body.push(Instruction::Send(name("east"), name("r0")));
        body.push(Instruction::Receive(name("r0"), name("east")));
        body.push(Instruction::Drive(name("column"), name("r0"), vec![IndexExpr::Constant(0)]));
        body.extend(self.block(&mut scope, 3));
        Class { name: name(&format!("pe{position}")), thin: self.choose(2) == 1, guard, body }
    }

    /// What an array of this shape may be assumed to be, if anything.
    fn assumption(&mut self, shape: &[IndexExpr]) -> Option<Assumption> {
        let chosen = Assumption::ALL.get(self.choose(Assumption::ALL.len() + 1)).map(|(assumption, _)| *assumption);
        chosen.filter(|assumption| !assumption.is_of_square_matrices() || shape[0] == shape[1])
    }

    /// How something is distributed, if it is.
    fn distribution(&mut self) -> Option<Distribution> {
        let distributions = [Distribution::Block, Distribution::Cyclic, Distribution::BlockCyclic(self.choose(4) + 1)];
        distributions.get(self.choose(4)).copied()
    }

    fn loads(&mut self) -> Option<Loads> {
        let loads = Loads { latency: self.choose(300) as u64 + 1, outstanding: self.choose(300) as u64 + 1 };
        Some(loads).filter(|_| self.choose(2) == 0)
    }

    fn order(&mut self) -> Option<LeafOrder> {
        let order = LeafOrder { by_turns: self.choose(2) == 0, together: self.choose(3) as u32 + 1 };
        Some(order).filter(|_| self.choose(2) == 0)
    }

    /// One that has the link of the channel.
    fn network(&mut self) -> Network {
        let networks = [Network::Mesh, Network::King, Network::Hex, Network::Wire];
        networks[self.choose(networks.len())]
    }

    /// A valid program.
    pub fn program(&mut self) -> Program {
        let parameters = ["M", "N"].map(name).to_vec();
        self.leaves = (0..self.choose(3)).map(|number| self.leaf(&format!("leaf{number}"))).collect();
        let axes: Vec<Axis> = if self.leaves.is_empty() { vec![] } else { vec![self.axis(), self.axis()] };
        let shape = match axes.is_empty() {
            true => vec![self.index(&parameters, 2), self.index(&parameters, 0)],
            false => axes.iter().map(|axis| IndexExpr::affine(&axis.extent())).collect(),
        };
        let assumption = self.assumption(&shape);
        let [input, output] = [("A", Role::Input, shape, assumption, axes), ("s", Role::Output, vec![], None, vec![])]
            .map(|(title, role, shape, assumption, axes)| {
                let layout = self.distribution();
                let loads = self.loads().filter(|_| role == Role::Input);
                ArrayDecl {
                    name: name(title),
                    role,
                    shape,
                    assumption,
                    layout,
                    loads,
                    axes,
                    slant: None,
                    straight: None,
                }
            });
        let coordinate = |title: &str, last| Coordinate { name: name(title), first: IndexExpr::Constant(0), last };
        let grid = vec![coordinate("p0", self.index(&parameters, 2)), coordinate("p1", self.index(&parameters, 1))];
        Program {
            kernel: name("random"),
            tiles: vec![TileCount { name: name("N_by_4"), parameter: name("N"), size: 4 }],
            leaves: self.leaves.clone(),
            arrays: vec![input, output],
            grid,
            network: self.network(),
            cell: [Cell::All, Cell::Holds(2), Cell::Holds(u64::MAX)][self.choose(3)],
            fold: self.distribution(),
            order: self.order(),
            channels: vec![Channel { name: name("east"), offset: vec![0, -1], latency: 3, depth: u64::MAX }],
            buses: vec![
                Bus { name: name("column"), joins: Joins::Line(vec![1, self.integer()]), latency: 0 },
                Bus { name: name("shared"), joins: Joins::All, latency: 2 },
            ],
            scratchpads: vec![self.scratchpad(&parameters)],
            classes: (0..self.choose(3) + 1).map(|position| self.class(position)).collect(),
            parameters: self.assumed(&parameters),
        }
    }
}
