//! Valid leaves grown from a list of random numbers.

use super::random::Choices;
use systole_base::integer::{Affine, Bound, Name, name};
use systole_base::scalar::Function;
use systole_equations::recurrence::Operator;
use systole_equations::tiles::{Argument, Axis, Leaf, LeafIndex, Range, Step, Value, Window};
use systole_program::array::{IndexExpr, ScalarExpr};

impl Choices {
    /// A linear form with small coefficients over some of these names.
    pub fn affine(&mut self, scope: &[Name]) -> Affine {
        let constant = Affine::constant([0, 1, -1, 1 << 40][self.choose(4)]);
        (0..self.choose(3)).fold(constant, |sum, _| {
            let (variable, factor) = (self.pick(scope), [1, -1, 3][self.choose(3)]);
            sum + Affine::term(&variable, factor)
        })
    }

    /// An axis that covers the parameter `N` or `M`.
    pub fn axis(&mut self) -> Axis {
        let (before, after) = (self.choose(3) as i64, self.choose(3) as i64);
        let extent = Affine::variable(&self.pick(&["M", "N"].map(name)));
        Axis {
            before,
            body: extent - Affine::constant(before + after),
            size: [4, 1, 64][self.choose(3)],
            after,
            margin: 0,
        }
    }

    /// A leaf over the parameters `M` and `N`, the number of tiles `N_by_4`, coordinates `I` and `J`, indices `i` and `j`.
    pub fn leaf(&mut self, title: &str) -> Leaf {
        let coordinates = ["I", "J"].map(name).to_vec();
        let places = ["M", "N_by_4", "I", "J"].map(name);
        let indices: Vec<LeafIndex> = ["i", "j"]
            .map(|title| LeafIndex { name: name(title), axis: self.axis(), tile: self.affine(&places) })
            .to_vec();
        let axes: Vec<Vec<Axis>> =
            (0..self.choose(3) + 1).map(|_| (0..self.choose(3)).map(|_| self.axis()).collect()).collect();
        let windows: Vec<Window> = axes.iter().map(|axes| self.window(axes)).collect();
        let tile = |choices: &mut Choices, window: usize| {
            axes[window].iter().map(|axis| (axis.clone(), choices.affine(&places))).collect::<Vec<_>>()
        };
        let result = tile(self, 0);
        let arguments = (0..self.choose(3)).map(|_| {
            let window = self.choose(windows.len());
            Argument { window, tile: tile(self, window) }
        });
        let arguments = arguments.collect();
        let ranks: Vec<usize> = axes.iter().map(Vec::len).collect();
        let body = self.steps(&ranks, &mut vec![], 3);
        Leaf { name: name(title), coordinates, indices, windows, result, arguments, body }
    }

    fn window(&mut self, axes: &[Axis]) -> Window {
        let scope = ["M", "i", "j"].map(name);
        let range = |axis: &Axis| {
            let (first, last) = ([0, -1, -7][self.choose(3)], self.choose(3) as i64);
            Range { form: self.affine(&scope), first, last, extent: axis.extent() }
        };
        let ranges = axes.iter().map(range).collect();
        let operator = [None, Some(Operator::Sum), Some(Operator::Max)][self.choose(3)];
        Window { tensor: self.pick(&["A", "L'", "x.1"].map(name)), ranges, operator }
    }

    fn steps(&mut self, ranks: &[usize], open: &mut Vec<usize>, depth: usize) -> Vec<Step> {
        (0..self.choose(3)).map(|_| self.step(ranks, open, depth)).collect()
    }

    fn step(&mut self, ranks: &[usize], open: &mut Vec<usize>, depth: usize) -> Step {
        let scope: Vec<Name> =
            ["M", "N"].iter().chain(open.iter().map(|index| &["i", "j"][*index])).map(|title| name(title)).collect();
        match if depth == 0 { 0 } else { self.choose(3) } {
            1 if open.len() < 2 => {
                let index = if open.contains(&0) { 1 } else { open.first().map_or(self.choose(2), |first| 1 - first) };
                let mut bounds = || -> Vec<Bound> {
                    let bound = |choices: &mut Choices| Bound {
                        form: choices.affine(&scope),
                        coefficient: [1, 2, 5][choices.choose(3)],
                    };
                    (0..self.choose(3)).map(|_| bound(self)).collect()
                };
                let (lower, upper) = (bounds(), bounds());
                open.push(index);
                let body = self.steps(ranks, open, depth - 1);
                open.pop();
                Step::Loop { index, falls: self.choose(2) == 1, lower, upper, body }
            }
            2 => Step::If {
                conditions: (0..self.choose(3)).map(|_| self.affine(&scope)).collect(),
                then: self.steps(ranks, open, depth - 1),
                otherwise: self.steps(ranks, open, depth - 1),
            },
            _ => {
                let (window, element) = self.element(ranks, &scope);
                Step::Set { window, element, value: self.value(ranks, &scope, 3) }
            }
        }
    }

    fn element(&mut self, ranks: &[usize], scope: &[Name]) -> (usize, Vec<Affine>) {
        let window = self.choose(ranks.len());
        (window, (0..ranks[window]).map(|_| self.affine(scope)).collect())
    }

    fn value(&mut self, ranks: &[usize], scope: &[Name], depth: usize) -> Value {
        match if depth == 0 { self.choose(3) } else { self.choose(4) } {
            0 => Value::Number(self.number()),
            1 => Value::Index(self.affine(scope)),
            2 => {
                let (window, element) = self.element(ranks, scope);
                Value::Element(window, element)
            }
            _ => {
                let function = Function::ALL[self.choose(Function::ALL.len())];
                Value::Apply(function, (0..function.arity()).map(|_| self.value(ranks, scope, depth - 1)).collect())
            }
        }
    }

    /// A call of a leaf with so many arguments.
    pub fn call(&mut self, leaf: &Leaf, scope: &[Name]) -> ScalarExpr {
        let onto = (self.choose(2) == 1).then(|| Box::new(ScalarExpr::Register(self.register())));
        let at: Vec<IndexExpr> = leaf.coordinates.iter().map(|_| self.index(scope, 1)).collect();
        let arguments = leaf.arguments.iter().map(|_| self.scalar(scope, 1)).collect();
        ScalarExpr::Call { leaf: leaf.name.clone(), onto, at, arguments }
    }
}
