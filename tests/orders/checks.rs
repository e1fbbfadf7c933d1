//! The test itself: its evaluator and its orders against what is known of small systems.

use crate::evaluate::{Verdict, evaluate, inputs, place, points};
use crate::growth::grow;
use crate::order::{Order, Row, order};
use crate::systems::{Expression, Form, Range, Scope, System};
use crate::text::read;

/// Systems with the rows that an order of theirs needs; none for those without.
const KNOWN: [(&str, Option<usize>); 8] = [
    ("in A[N]\nout X[N]\nX[i] = A[N - 1 - i] where 0 <= i < N", Some(0)),
    ("in A[N]\nout X[N]\nX[i] = A[i] + sum(j in 0..i) X[j] where 0 <= i < N", Some(1)),
    (
        "in A[N]\nout X[T + 1, N]\nX[t, i] = A[i] where 0 <= t < 1, 0 <= i < N\n\
         X[t, i] = sum(j in 0..N) A[j] * X[t - 1, j] where 1 <= t < T + 1, 0 <= i < N",
        Some(1),
    ),
    (
        "in A[N]\nout X[T, N]\nX[t, i] = A[i] where 0 <= t < 1, 0 <= i < 1\n\
         X[t, i] = X[t - 1, N - 1] where 1 <= t < T, 0 <= i < 1\nX[t, i] = X[t, i - 1] where 0 <= t < T, 1 <= i < N",
        Some(2),
    ),
    (
        "in A[N]\nout C[N, N]\nC[i, i] = A[i] where 0 <= i < N\n\
         C[i, j] = max(k in i..j) (C[i, k] + C[k + 1, j]) where 0 <= i < N, i + 1 <= j < N\n\
         C[i, j] = 0 where 0 <= i < N, 0 <= j < i",
        Some(1),
    ),
    ("in A[N]\nout X[N]\nX[i] = X[N - 1 - i] + A[i] where 0 <= i < N", None),
    ("in A[N]\nout X[N]\nX[i] = X[N - 1 - i] + A[i] where 0 <= i < 1\nX[i] = A[i] where 1 <= i < N", None),
    ("in A[2*N]\nout Y[N]\nlocal Z[2*N]\nZ[i] = A[i] where 0 <= i < 2*N\nY[i] = Z[2*i] where 0 <= i < N", Some(1)),
];

#[test]
fn orders_are_those_that_are_known() {
    for (text, rows) in KNOWN {
        let found = match order(&read(text)) {
            Order::Rows(rows) => Some(rows.len()),
            Order::None(..) => None,
            Order::Unknown => panic!("not decided: {text}"),
        };
        assert_eq!(found, rows, "{text}");
    }
}

#[test]
fn the_evaluator_has_values_and_cycles() {
    let system = read("in A[N]\nout X[N]\nX[i] = A[i] + sum(j in 0..i) X[j] where 0 <= i < N");
    let sizes = vec![("N".to_owned(), 4)];
    let inputs = inputs(&system, &sizes);
    let Verdict::Values(arrays) = evaluate(&system, &sizes, &inputs) else { panic!("no values") };
    let a = &inputs["A"].values;
    assert_eq!(
        arrays["X"].values,
        [a[0], a[0] + a[1], 2.0 * a[0] + a[1] + a[2], 4.0 * a[0] + 2.0 * a[1] + a[2] + a[3]]
    );
    let cyclic = read("in A[N]\nout X[N]\nX[i] = X[N - 1 - i] + A[i] where 0 <= i < N");
    assert!(matches!(evaluate(&cyclic, &sizes, &inputs), Verdict::Cycle(_)));
    let outside = read("in A[N]\nout X[N]\nX[i] = A[i + 1] where 0 <= i < N");
    assert!(matches!(evaluate(&outside, &sizes, &inputs), Verdict::Undefined(_)));
}

#[test]
fn systems_are_read_as_they_are_printed() {
    for number in 0..200 {
        let system = grow(7, number).system;
        assert_eq!(read(&system.to_string()), system, "{system}");
    }
}

/// How many points of statements are needed before others, and are not.
struct Counted<'a> {
    system: &'a System,
    rows: &'a [Row],
    sizes: &'a Scope,
    /// How many statements have a number so far: first the equations, then the terms of each reduction in the order of the text.
    statements: usize,
    late: usize,
    looked_at: usize,
}

impl Counted<'_> {
    /// When a point is, row by row.
    fn time(&self, statement: usize, ranges: &[Range], scope: &Scope) -> Vec<f64> {
        let names = ranges.iter().map(|range| range.index.clone()).chain(self.system.sizes.iter().cloned());
        let names: Vec<String> = names.collect();
        let row = |row: &Row| {
            let factor =
                |name: &str| row.get(&(statement, name.to_owned())).map_or(0.0, |at| at.0 as f64 / at.1 as f64);
            names.iter().map(|name| factor(name) * Form::of(name).at(scope) as f64).sum::<f64>() + factor("1")
        };
        self.rows.iter().map(row).collect()
    }

    fn compare(&mut self, before: &[f64], after: &[f64]) {
        self.looked_at += 1;
        let first = before.iter().zip(after).find(|(before, after)| (*before - *after).abs() > 1e-6);
        self.late += usize::from(first.is_none_or(|(before, after)| before > after));
    }

    /// Holds what a value reads to the times of its points.
    fn look(&mut self, value: &Expression, statement: usize, ranges: &[Range]) {
        match value {
            Expression::Number(_) => {}
            Expression::Apply(_, sides) => sides.iter().for_each(|side| self.look(side, statement, ranges)),
            Expression::Reduce(_, inner, body) => {
                let (term, all) = (self.statements, [ranges, inner].concat());
                self.statements += 1;
                for scope in points(&all, self.sizes) {
                    let (before, after) = (self.time(term, &all, &scope), self.time(statement, ranges, &scope));
                    self.compare(&before, &after);
                }
                self.look(body, term, &all);
            }
            Expression::Read(tensor, subscripts) => {
                for scope in points(ranges, self.sizes) {
                    for (giver, equation) in self.system.equations.iter().enumerate() {
                        let is_it = |at: &Scope| place(&equation.subscripts, at) == place(subscripts, &scope);
                        let given = points(&equation.ranges, self.sizes).into_iter().find(is_it);
                        if let Some(given) = given.filter(|_| equation.target == *tensor) {
                            let before = self.time(giver, &equation.ranges, &given);
                            let after = self.time(statement, ranges, &scope);
                            self.compare(&before, &after);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn orders_are_orders_of_all_points_at_small_sizes() {
    let (mut looked_at, mut several) = (0, 0);
    for number in 0..60 {
        let grown = grow(11, number);
        let Order::Rows(rows) = order(&grown.system) else { continue };
        assert!(grown.cycle.is_none(), "an order of what has a cycle:\n{}", grown.system);
        several += usize::from(rows.len() > 1);
        let (system, sizes) = (&grown.system, grown.system.sizes.iter().map(|size| (size.clone(), 3)).collect());
        let statements = system.equations.len();
        let mut counted = Counted { system, rows: &rows, sizes: &sizes, statements, late: 0, looked_at: 0 };
        for (number, equation) in system.equations.iter().enumerate() {
            counted.look(&equation.value, number, &equation.ranges);
        }
        assert_eq!(counted.late, 0, "{rows:?}\n{system}");
        looked_at += counted.looked_at;
    }
    assert!(looked_at > 2000 && several > 3, "{looked_at} dependences, {several} orders of several rows");
}

#[test]
fn few_systems_are_alike() {
    let all: std::collections::BTreeSet<String> = (0..400).map(|number| grow(1, number).system.to_string()).collect();
    assert!(all.len() > 320, "{} of 400 differ", all.len());
}
