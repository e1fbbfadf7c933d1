//! What a leaf means, one element after the other: windows are maps from subscripts to numbers, and no box is computed.

use std::collections::BTreeMap;
use std::sync::Arc;
use systole_base::integer::{Affine, Bindings};
use systole_equations::recurrence::Operator;
use systole_equations::tiles::{Axis, Leaf, Step, Value};
use systole_run::leaf::{Element, Tile};

type Window<E> = BTreeMap<Vec<i64>, E>;

/// The elements of a tile in row-major order, found by asking each element for its tile.
pub fn elements(tile: &[(Axis, Affine)], bindings: &Bindings) -> Vec<Vec<i64>> {
    tile.iter().fold(vec![vec![]], |points: Vec<Vec<i64>>, (axis, form)| {
        let wanted = form.evaluate(bindings).unwrap();
        let extent = axis.extent().evaluate(bindings).unwrap();
        let along: Vec<i64> = (0..extent).filter(|element| tile_of(axis, *element, bindings) == wanted).collect();
        let extend = |point: Vec<i64>| {
            along.iter().map(move |element| [point.clone(), vec![*element]].concat()).collect::<Vec<_>>()
        };
        points.into_iter().flat_map(extend).collect()
    })
}

fn tile_of(axis: &Axis, element: i64, bindings: &Bindings) -> i64 {
    let body = axis.body.evaluate(bindings).unwrap();
    let tiles = (0..body).map(|inner| inner / axis.size + 1).max().unwrap_or(0);
    match element - axis.before {
        inner if inner < 0 => element,
        inner if inner < body => axis.before + inner / axis.size,
        inner => axis.before + tiles + inner - body,
    }
}

/// The exact identity of an operator.
fn start<E: Element>(operator: Option<Operator>) -> E {
    E::rounded(match operator {
        None => f64::NAN,
        Some(Operator::Sum) => -0.0,
        Some(Operator::Product) => 1.0,
        Some(Operator::Max) => f64::NEG_INFINITY,
        Some(Operator::Min) => f64::INFINITY,
    })
}

/// The result's elements.
pub fn call<E: Element>(
    leaf: &Leaf,
    sizes: &Bindings,
    at: &[i64],
    onto: Option<&Tile<E>>,
    arguments: &[Tile<E>],
) -> Vec<E> {
    let mut bindings = sizes.clone();
    bindings.extend(leaf.coordinates.iter().cloned().zip(at.iter().copied()));
    let mut windows = vec![Window::<E>::new(); leaf.windows.len()];
    let given = onto.iter().map(|onto| (0, &leaf.result, *onto));
    let given = given.chain(leaf.arguments.iter().zip(arguments).map(|(a, tile)| (a.window, &a.tile, tile)));
    for (window, tile, values) in given {
        let operator = leaf.windows[window].operator;
        for (number, element) in elements(tile, &bindings).into_iter().enumerate() {
            let value = match values {
                Tile::Values(values) => values[number],
                Tile::Uniform(value) if operator.is_some_and(|o| o.neutral() == value.double()) => start(operator),
                Tile::Uniform(value) => *value,
            };
            windows[window].insert(element, value);
        }
    }
    let mut walk = Walk { leaf, at: bindings.clone(), indices: BTreeMap::new(), windows };
    walk.block(&leaf.body);
    let results = elements(&leaf.result, &bindings);
    results.iter().map(|element| walk.read(0, element)).collect()
}

/// A leaf's tile of results.
pub fn tile<E: Element>(values: Vec<f64>) -> Tile<E> {
    Tile::Values(Arc::new(values.into_iter().map(E::rounded).collect()))
}

struct Walk<'a, E> {
    leaf: &'a Leaf,
    at: Bindings,
    indices: Bindings,
    windows: Vec<Window<E>>,
}

impl<E: Element> Walk<'_, E> {
    fn form(&self, form: &Affine) -> i64 {
        let mut bindings = self.at.clone();
        bindings.extend(self.indices.clone());
        form.evaluate(&bindings).unwrap()
    }

    fn read(&self, window: usize, element: &[i64]) -> E {
        self.windows[window].get(element).copied().unwrap_or(start(self.leaf.windows[window].operator))
    }

    fn block(&mut self, steps: &[Step]) {
        steps.iter().for_each(|step| self.step(step));
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Loop { index, falls, lower, upper, body } => {
                let known = &self.leaf.indices[*index];
                let mut all: Vec<_> =
                    elements(&[(known.axis.clone(), known.tile.clone())], &self.at).into_iter().collect();
                if *falls {
                    all.reverse();
                }
                for element in all {
                    let above = lower.iter().all(|b| b.coefficient * element[0] >= self.form(&b.form));
                    let below = upper.iter().all(|b| b.coefficient * element[0] <= self.form(&b.form));
                    if above && below {
                        self.indices.insert(known.name.clone(), element[0]);
                        self.block(body);
                        self.indices.remove(&known.name);
                    }
                }
            }
            Step::If { conditions, then, otherwise } => {
                let holds = conditions.iter().all(|form| self.form(form) >= 0);
                self.block(if holds { then } else { otherwise });
            }
            Step::Set { window, element, value } => {
                let value = self.value(value);
                let element = element.iter().map(|form| self.form(form)).collect();
                self.windows[*window].insert(element, value);
            }
        }
    }

    fn value(&self, value: &Value) -> E {
        match value {
            Value::Number(number) => E::rounded(*number),
            Value::Index(form) => E::rounded(self.form(form) as f64),
            Value::Element(window, element) => {
                self.read(*window, &element.iter().map(|form| self.form(form)).collect::<Vec<_>>())
            }
            Value::Apply(function, arguments) => {
                let values: Vec<f64> = arguments.iter().map(|argument| self.value(argument).double()).collect();
                E::rounded(function.apply(&values))
            }
        }
    }
}
