//! Leaves written by hand.

use systole_base::integer::{Affine, Bound, Name, name};
use systole_base::scalar::Function;
use systole_equations::recurrence::Operator;
use systole_equations::tiles::{Argument, Axis, Leaf, LeafIndex, Range, Step, Value, Window};
use systole_program::array::Program;

/// `2 i - j + 1`: a form as kernels write it.
pub fn form(text: &str) -> Affine {
    text.replace("- ", "+ -").split("+ ").filter(|term| !term.trim().is_empty()).fold(Affine::default(), |sum, term| {
        let (sign, term) = term.trim().strip_prefix('-').map_or((1, term.trim()), |rest| (-1, rest.trim()));
        let term = match term.split_once(' ') {
            Some((factor, variable)) => Affine::term(&name(variable), factor.parse::<i64>().unwrap()),
            None => term.parse().map_or_else(|_| Affine::variable(&name(term)), Affine::constant),
        };
        sum + term * sign
    })
}

pub fn forms(texts: &[&str]) -> Vec<Affine> {
    texts.iter().map(|text| form(text)).collect()
}

/// All of `0..extent` in tiles of `size`.
pub fn axis(extent: &str, size: i64) -> Axis {
    Axis { before: 0, body: form(extent), size, after: 0, margin: 0 }
}

pub fn index(text: &str, axis: Axis, tile: &str) -> LeafIndex {
    LeafIndex { name: name(text), axis, tile: form(tile) }
}

pub fn range(text: &str, first: i64, last: i64, extent: &str) -> Range {
    Range { form: form(text), first, last, extent: form(extent) }
}

pub fn window(tensor: &str, ranges: Vec<Range>, operator: Option<Operator>) -> Window {
    Window { tensor: name(tensor), ranges, operator }
}

pub fn argument(window: usize, tile: Vec<(Axis, Affine)>) -> Argument {
    Argument { window, tile }
}

pub fn element(window: usize, subscripts: &[&str]) -> Value {
    Value::Element(window, forms(subscripts))
}

pub fn apply<const N: usize>(function: Function, arguments: [Value; N]) -> Value {
    Value::Apply(function, arguments.into())
}

pub fn set(window: usize, subscripts: &[&str], value: Value) -> Step {
    Step::Set { window, element: forms(subscripts), value }
}

pub fn repeat(index: usize, body: Vec<Step>) -> Step {
    Step::Loop { index, falls: false, lower: vec![], upper: vec![], body }
}

pub fn bound(text: &str) -> Bound {
    Bound { form: form(text), coefficient: 1 }
}

/// A program that holds leaves and nothing else.
pub fn program(parameters: &[&str], leaves: Vec<Leaf>) -> Program {
    Program {
        kernel: name("tiles"),
        parameters: parameters.iter().map(|parameter| name(parameter)).collect(),
        tiles: vec![],
        arrays: vec![],
        grid: vec![],
        fold: None,
        network: systole_base::network::Network::Mesh,
        cell: systole_base::cell::Cell::ONE,
        order: None,
        channels: vec![],
        buses: vec![],
        scratchpads: vec![],
        leaves,
        classes: vec![],
    }
}

pub fn names(texts: &[&str]) -> Vec<Name> {
    texts.iter().map(|text| name(text)).collect()
}

/// `window[element] = window[element] + a * b`.
pub fn add_product(window: usize, subscripts: &[&str], a: Value, b: Value) -> Step {
    let product = apply(Function::Multiply, [a, b]);
    set(window, subscripts, apply(Function::Add, [element(window, subscripts), product]))
}

/// `C[i, j] = sum(k) A[i, k] * B[k, j]`, in tiles of these sizes.
pub fn matrix_product([m, n, k]: [i64; 3]) -> Leaf {
    let (m, n, k) = (axis("M", m), axis("N", n), axis("K", k));
    let (i, j, l) = (range("i", 0, 0, "M"), range("j", 0, 0, "N"), range("k", 0, 0, "K"));
    let body = add_product(0, &["i", "j"], element(1, &["i", "k"]), element(2, &["k", "j"]));
    Leaf {
        name: name("product"),
        coordinates: names(&["I", "J", "L"]),
        indices: vec![index("i", m.clone(), "I"), index("j", n.clone(), "J"), index("k", k.clone(), "L")],
        windows: vec![
            window("C", vec![i.clone(), j.clone()], Some(Operator::Sum)),
            window("A", vec![i, l.clone()], None),
            window("B", vec![l, j], None),
        ],
        result: vec![(m.clone(), form("I")), (n.clone(), form("J"))],
        arguments: vec![
            argument(1, vec![(m, form("I")), (k.clone(), form("L"))]),
            argument(2, vec![(k, form("L")), (n, form("J"))]),
        ],
        body: vec![repeat(0, vec![repeat(1, vec![repeat(2, vec![body])])])],
    }
}

/// The tile of `s` off the diagonal, `s[i] = sum(j) L[i, j] * x[j]`, and the tile of `x` on it,
/// `x[i] = (b[i] - s[i]) / L[i, i]` with the rest of the sum over `j < i`.
pub fn triangular_solve(size: i64) -> [Leaf; 2] {
    let n = axis("N", size);
    let (i, j) = (range("i", 0, 0, "N"), range("j", 0, 0, "N"));
    let square = |row: &str, column: &str| vec![(n.clone(), form(row)), (n.clone(), form(column))];
    let product = |window: usize| add_product(window, &["i"], element(2, &["i", "j"]), element(3, &["j"]));
    let off_diagonal = Leaf {
        name: name("sum"),
        coordinates: names(&["I", "J"]),
        indices: vec![index("i", n.clone(), "I"), index("j", n.clone(), "J")],
        windows: vec![
            window("s", vec![i.clone()], Some(Operator::Sum)),
            window("unused", vec![], None),
            window("L", vec![i.clone(), j.clone()], None),
            window("x", vec![j.clone()], None),
        ],
        result: vec![(n.clone(), form("I"))],
        arguments: vec![argument(2, square("I", "J")), argument(3, vec![(n.clone(), form("J"))])],
        body: vec![repeat(0, vec![repeat(1, vec![product(0)])])],
    };
    let quotient = apply(Function::Subtract, [element(3, &["i"]), element(1, &["i"])]);
    let quotient = apply(Function::Divide, [quotient, element(2, &["i", "i"])]);
    let sum = add_product(1, &["i"], element(2, &["i", "j"]), element(0, &["j"]));
    let rest = Step::Loop { index: 1, falls: false, lower: vec![], upper: vec![bound("i - 1")], body: vec![sum] };
    let on_diagonal = Leaf {
        name: name("solve"),
        coordinates: names(&["I"]),
        indices: vec![index("i", n.clone(), "I"), index("j", n.clone(), "I")],
        windows: vec![
            window("x", vec![i.clone()], None),
            window("s", vec![i.clone()], Some(Operator::Sum)),
            window("L", vec![i.clone(), j], None),
            window("b", vec![i], None),
        ],
        result: vec![(n.clone(), form("I"))],
        arguments: vec![
            argument(1, vec![(n.clone(), form("I"))]),
            argument(2, square("I", "I")),
            argument(3, vec![(n.clone(), form("I"))]),
        ],
        body: vec![repeat(0, vec![rest, set(0, &["i"], quotient)])],
    };
    [off_diagonal, on_diagonal]
}

/// `H[i, j] = max(0, H[i-1, j-1] + select(a[i] == b[j], 3, -2), H[i-1, j] - 1, H[i, j-1] - 1)`, 0 outside.
pub fn smith_waterman([m, n]: [i64; 2]) -> Leaf {
    let (m, n) = (axis("M", m), axis("N", n));
    let tile = |row: &str, column: &str| vec![(m.clone(), form(row)), (n.clone(), form(column))];
    let same = apply(Function::Equal, [element(1, &["i"]), element(2, &["j"])]);
    let score = apply(Function::Select, [same, Value::Number(3.0), Value::Number(-2.0)]);
    let gap = |value: Value| apply(Function::Subtract, [value, Value::Number(1.0)]);
    let max = |a: Value, b: Value| apply(Function::Maximum, [a, b]);
    let inner = max(
        max(Value::Number(0.0), apply(Function::Add, [element(0, &["i - 1", "j - 1"]), score.clone()])),
        max(gap(element(0, &["i - 1", "j"])), gap(element(0, &["i", "j - 1"]))),
    );
    let inside = set(0, &["i", "j"], inner);
    let border = set(0, &["i", "j"], max(Value::Number(0.0), score));
    let choice = Step::If { conditions: forms(&["i - 1", "j - 1"]), then: vec![inside], otherwise: vec![border] };
    Leaf {
        name: name("align"),
        coordinates: names(&["I", "J"]),
        indices: vec![index("i", m.clone(), "I"), index("j", n.clone(), "J")],
        windows: vec![
            window("H", vec![range("i", -1, 0, "M"), range("j", -1, 0, "N")], None),
            window("a", vec![range("i", 0, 0, "M")], None),
            window("b", vec![range("j", 0, 0, "N")], None),
        ],
        result: tile("I", "J"),
        arguments: vec![
            argument(0, tile("I - 1", "J - 1")),
            argument(0, tile("I - 1", "J")),
            argument(0, tile("I", "J - 1")),
            argument(1, vec![(m.clone(), form("I"))]),
            argument(2, vec![(n.clone(), form("J"))]),
        ],
        body: vec![repeat(0, vec![repeat(1, vec![choice])])],
    }
}

/// `S[i] = S[i - 1] + x[i]`, `S[0] = x[0]`; the first element is a tile of its own.
pub fn prefix_sum(size: i64) -> Leaf {
    let n = Axis { before: 1, body: form("N - 1"), size, after: 0, margin: 0 };
    let sum = apply(Function::Add, [element(0, &["i - 1"]), element(1, &["i"])]);
    let steps = [set(0, &["i"], sum), set(0, &["i"], element(1, &["i"]))].map(|step| vec![step]);
    let [then, otherwise] = steps;
    Leaf {
        name: name("prefix"),
        coordinates: names(&["I"]),
        indices: vec![index("i", n.clone(), "I")],
        windows: vec![window("S", vec![range("i", -1, 0, "N")], None), window("x", vec![range("i", 0, 0, "N")], None)],
        result: vec![(n.clone(), form("I"))],
        arguments: vec![argument(0, vec![(n.clone(), form("I - 1"))]), argument(1, vec![(n, form("I"))])],
        body: vec![repeat(0, vec![Step::If { conditions: forms(&["i - 1"]), then, otherwise }])],
    }
}

/// `y[i] = sum(k) x[i + k] * w[k]`: each tile reads two of `x`.
pub fn convolution(size: i64, taps: i64) -> Leaf {
    let (out, kernel, input) = (axis("N", size), axis("K", taps), axis("N + K - 1", size));
    Leaf {
        name: name("convolve"),
        coordinates: names(&["I", "L"]),
        indices: vec![index("i", out.clone(), "I"), index("k", kernel.clone(), "L")],
        windows: vec![
            window("y", vec![range("i", 0, 0, "N")], Some(Operator::Sum)),
            window("x", vec![range("i + k", 0, 0, "N + K - 1")], None),
            window("w", vec![range("k", 0, 0, "K")], None),
        ],
        result: vec![(out, form("I"))],
        arguments: vec![
            argument(1, vec![(input.clone(), form("I"))]),
            argument(1, vec![(input, form("I + 1"))]),
            argument(2, vec![(kernel, form("L"))]),
        ],
        body: vec![repeat(
            0,
            vec![repeat(1, vec![add_product(0, &["i"], element(1, &["i + k"]), element(2, &["k"]))])],
        )],
    }
}
