//! Random leaves: windows that are shared, joined and written, bounds, conditions and functions of all kinds, against the
//! terms walked one by one.

use super::examples::{argument, axis, bound, form, index, program, range, window};
use super::naive;
use super::naive::elements;
use super::whole::{at, numbers, same_bits, sizes};
use proptest::prelude::*;
use systole_base::integer::{Affine, Bindings, Bound, name};
use systole_base::scalar::Function;
use systole_equations::recurrence::Operator;
use systole_equations::tiles::{Axis, Leaf, Step, Value, Window};
use systole_run::leaf::{Element, Leaves, Tile};

/// What stands at a subscript: an index, shifted or not.
const SUBSCRIPTS: [&str; 6] = ["i", "j", "k", "i - 1", "j + 1", "k - 2"];

#[derive(Clone, Debug)]
struct Choices {
    values: Vec<u32>,
    next: usize,
}

impl Choices {
    fn choose(&mut self, count: usize) -> usize {
        let value = self.values.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        value as usize % count
    }

    fn axis(&mut self) -> Axis {
        let (before, after) = ([0, 0, 1][self.choose(3)], [0, 0, 1][self.choose(3)]);
        Axis {
            before,
            body: form("N") - Affine::constant(before + after),
            size: [3, 2, 5][self.choose(3)],
            after,
            margin: 0,
        }
    }

    /// A form over the indices of the loops around.
    fn form(&mut self, open: &[usize]) -> Affine {
        let constant = Affine::constant([0, 1, -2, 4][self.choose(4)]);
        open.iter().fold(constant, |sum, index| {
            sum + Affine::term(&name(["i", "j", "k"][*index]), [0, 1, -1, 2][self.choose(4)])
        })
    }

    fn bounds(&mut self, open: &[usize]) -> Vec<Bound> {
        (0..self.choose(2)).map(|_| Bound { form: self.form(open), coefficient: [1, 2, 3][self.choose(3)] }).collect()
    }

    /// A subscript over an open index, or a constant.
    fn subscript(&mut self, open: &[usize]) -> Affine {
        let known = SUBSCRIPTS.iter().enumerate().filter(|(number, _)| open.contains(&(number % 3)));
        let known: Vec<&str> = known.map(|(_, text)| *text).collect();
        if known.is_empty() { form("1") } else { form(known[self.choose(known.len())]) }
    }

    fn element(&mut self, windows: &[Window], open: &[usize]) -> (usize, Vec<Affine>) {
        let window = self.choose(windows.len());
        (window, windows[window].ranges.iter().map(|_| self.subscript(open)).collect())
    }

    fn value(&mut self, windows: &[Window], open: &[usize], depth: usize) -> Value {
        match if depth == 0 { self.choose(3) } else { 3 + self.choose(2) } {
            0 => Value::Number([0.5, -3.0, 0.0][self.choose(3)]),
            1 => Value::Index(self.form(open)),
            2 => {
                let (window, element) = self.element(windows, open);
                Value::Element(window, element)
            }
            _ => {
                let function = Function::ALL[self.choose(Function::ALL.len())];
                let arguments = (0..function.arity()).map(|_| {
                    let depth = self.choose(depth);
                    self.value(windows, open, depth)
                });
                Value::Apply(function, arguments.collect())
            }
        }
    }

    fn block(&mut self, windows: &[Window], open: &mut Vec<usize>, depth: usize) -> Vec<Step> {
        (0..1 + self.choose(2)).map(|_| self.step(windows, open, depth)).collect()
    }

    /// Loops begin and end such that `i - 1`, `j + 1` and `k - 2` stay within.
    fn step(&mut self, windows: &[Window], open: &mut Vec<usize>, depth: usize) -> Step {
        match if depth == 0 { 0 } else { self.choose(4) } {
            2.. if open.len() < 3 => {
                let index = (0..3).cycle().skip(self.choose(3)).find(|index| !open.contains(index)).unwrap();
                let (mut lower, mut upper) = (self.bounds(open), self.bounds(open));
                lower.push(bound("2"));
                upper.push(bound("N - 3"));
                open.push(index);
                let body = self.block(windows, open, depth - 1);
                open.pop();
                Step::Loop { index, falls: self.choose(3) == 0, lower, upper, body }
            }
            1 => {
                let conditions = (0..1 + self.choose(2)).map(|_| self.form(open)).collect();
                let (then, otherwise) = (self.block(windows, open, depth - 1), self.block(windows, open, depth - 1));
                Step::If { conditions, then, otherwise }
            }
            _ => {
                let (window, element) = self.element(windows, open);
                Step::Set { window, element, value: self.value(windows, open, 2) }
            }
        }
    }

    /// Every window spans all elements that subscripts may reach, so that none is left.
    fn leaf(&mut self) -> Leaf {
        let operators = [None, Some(Operator::Sum), Some(Operator::Product), Some(Operator::Max), Some(Operator::Min)];
        let windows: Vec<Window> = (0..1 + self.choose(3))
            .map(|_| {
                let ranges = (0..self.choose(3)).map(|_| range("1", -100, 100, "N"));
                window("X", ranges.collect(), operators[self.choose(5)])
            })
            .collect();
        let indices = ["i", "j", "k"].map(|title| {
            let inner = Axis { before: 2, body: form("N - 4"), size: [3, 2, 5][self.choose(3)], after: 2, margin: 0 };
            index(title, inner, ["I", "I + 1", "3"][self.choose(3)])
        });
        let arguments = (0..self.choose(4)).map(|_| {
            let chosen = self.choose(windows.len());
            argument(chosen, self.tile(windows[chosen].ranges.len()))
        });
        let (arguments, result) = (arguments.collect(), self.tile(windows[0].ranges.len()));
        Leaf {
            name: name("random"),
            coordinates: vec![name("I")],
            indices: indices.to_vec(),
            body: self.block(&windows, &mut vec![], 4),
            windows,
            result,
            arguments,
        }
    }

    fn tile(&mut self, rank: usize) -> Vec<(Axis, Affine)> {
        (0..rank).map(|_| (self.axis(), form(["I", "I - 1", "0"][self.choose(3)]))).collect()
    }
}

/// Tiles with the elements that the leaf asks for at these coordinates.
fn tiles<E: Element>(choices: &mut Choices, leaf: &Leaf, bindings: &Bindings) -> (Option<Tile<E>>, Vec<Tile<E>>) {
    let mut tile = |boxes: &[(Axis, Affine)]| match choices.choose(4) {
        0 => Tile::Uniform([E::ZERO, E::ONE][choices.choose(2)]),
        seed => naive::tile(numbers(elements(boxes, bindings).len() as i64, seed as u64)),
    };
    let onto = tile(&leaf.result);
    let arguments = leaf.arguments.iter().map(|argument| tile(&argument.tile)).collect();
    ((choices.choose(2) == 1).then_some(onto), arguments)
}

fn check<E: Element>(choices: &mut Choices, leaf: &Leaf, sizes: &Bindings) {
    let leaves = Leaves::new(&program(&["N"], vec![leaf.clone()]), sizes).unwrap();
    for coordinate in [0, 1, 2, 3, 50] {
        let (onto, arguments) = tiles::<E>(choices, leaf, &at(leaf, sizes, &[coordinate]));
        let expected = naive::call(leaf, sizes, &[coordinate], onto.as_ref(), &arguments);
        let Ok(Tile::Values(found)) = leaves.call(0, &[coordinate], onto, &arguments) else { panic!("{leaf:?}") };
        same_bits(&found, &expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn random_leaves_give_the_bits_of_their_terms(values in proptest::collection::vec(any::<u32>(), 0..250), n in 6i64..90, is_single: bool) {
        let mut choices = Choices { values, next: 0 };
        let leaf = choices.leaf();
        // Large extents meet small bodies only: the oracle looks each element up by its subscripts.
        let n = if leaf.windows.iter().all(|window| window.ranges.len() < 2) { n } else { 6 + n % 7 };
        let sizes = sizes(&[("N", n)]);
        match is_single {
            true => check::<f32>(&mut choices, &leaf, &sizes),
            false => check::<f64>(&mut choices, &leaf, &sizes),
        }
    }
}

/// `axis` with the whole of an array as one tile.
fn whole(extent: &str) -> Vec<(Axis, Affine)> {
    vec![(axis(extent, 1 << 20), form("0"))]
}

/// A subscript that leaves the window is refused, the one before it is not.
#[test]
fn subscripts_outside_of_their_window() {
    for (shift, fits) in [("i", true), ("i + 1", false), ("i - 1", false)] {
        let mut leaf = super::examples::prefix_sum(4);
        leaf.windows[0].ranges = vec![range("i", 0, 0, "N")];
        leaf.result = whole("N");
        leaf.arguments.clear();
        let all = axis("N", 1 << 20);
        leaf.indices = vec![index("i", all, "0")];
        leaf.body = vec![super::examples::repeat(0, vec![super::examples::set(0, &[shift], Value::Number(1.0))])];
        let leaves = Leaves::new(&program(&["N"], vec![leaf]), &sizes(&[("N", 9)])).unwrap();
        assert_eq!(leaves.call::<f64>(0, &[0], None, &[]).is_ok(), fits, "{shift}");
    }
}
