//! What one call has found out serves others: a call does the same whatever calls were made before it.

use super::derived::tiled;
use super::naive::{elements, tile};
use super::whole::{at, numbers, same_bits};
use std::ops::Range;
use systole_base::integer::Bindings;
use systole_equations::tiles::Leaf;
use systole_program::array::{Program, Trouble, bind_tiles};
use systole_run::leaf::{Forecasts, LeafBackend, Leaves, Tile};

/// Kernels with products, solves, factors, windows that move or are cut off, recurrences, and indices that are taken for numbers.
const KERNELS: [(&str, &[&str]); 9] = [
    ("matmul", &["i", "j", "k"]),
    ("trsm", &["r", "i"]),
    ("cholesky", &["i"]),
    ("lu", &["i"]),
    ("fir", &["i", "k"]),
    ("edit_distance", &["i", "j"]),
    ("jacobi2d", &["i", "j"]),
    ("ranks", &["i"]),
    ("triangular_inverse", &["i"]),
];

/// All coordinates in a range along each axis, in an order in which neighbours are not near each other.
pub fn points(leaf: &Leaf, range: Range<i64>) -> Vec<Vec<i64>> {
    let points = leaf.coordinates.iter().fold(vec![vec![]], |points: Vec<Vec<i64>>, _| {
        let each = |point: &Vec<i64>| range.clone().map(|next| [&point[..], &[next]].concat()).collect::<Vec<_>>();
        points.iter().flat_map(each).collect()
    });
    (0..points.len()).map(|number| points[(number * 199) % points.len()].clone()).collect()
}

/// A call on tiles that can be divided by and factored.
fn call(leaves: &Leaves, (number, leaf): (usize, &Leaf), bound: &Bindings, point: &[i64]) -> Result<Tile, Trouble> {
    let bindings = at(leaf, bound, point);
    let random = |boxes, seed| {
        let mut values = numbers(elements(boxes, &bindings).len() as i64, seed);
        let side = (values.len() as f64).sqrt() as usize;
        values.iter_mut().step_by(side + 1).for_each(|value| *value += 8.0);
        tile(values)
    };
    let arguments: Vec<Tile> =
        leaf.arguments.iter().zip(1..).map(|(argument, seed)| random(&argument.tile, seed)).collect();
    let onto = leaf.windows[0].operator.map(|_| random(&leaf.result, 50));
    leaves.call(number, point, onto, &arguments)
}

/// A program with its sizes, and who runs its leaves.
struct Case<'a> {
    title: &'a str,
    program: &'a Program,
    sizes: Bindings,
    backend: LeafBackend,
}

impl Case<'_> {
    fn leaves(&self) -> Leaves {
        Leaves::with_backend(self.program, &self.sizes, self.backend).unwrap()
    }

    fn forecasts(&self) -> Forecasts {
        Forecasts::new(self.program, &self.sizes, self.backend).unwrap()
    }

    /// Holds each call after all before it to the same call alone.
    fn check(&self, range: &Range<i64>) {
        let bound = bind_tiles(self.program, &self.sizes);
        for leaf in self.program.leaves.iter().enumerate() {
            let (leaves, forecasts) = (self.leaves(), self.forecasts());
            for point in points(leaf.1, range.clone()) {
                let title = format!("`{}` of {} at {point:?}", leaf.1.name, self.title);
                let (alone, before) = (self.leaves(), leaves.work());
                match (call(&leaves, leaf, &bound, &point), call(&alone, leaf, &bound, &point)) {
                    (Ok(Tile::Values(one)), Ok(Tile::Values(other))) => same_bits(&one, &other),
                    (one, other) => assert_eq!(one, other, "{title}"),
                }
                assert_eq!(leaves.work().since(&before), alone.work(), "{title}");
                assert_eq!(forecasts.of(leaf.0, &point), self.forecasts().of(leaf.0, &point), "{title}");
            }
        }
    }
}

fn sizes(program: &Program) -> Bindings {
    program.parameters.iter().zip([14, 11, 13]).map(|(parameter, size)| (parameter.clone(), size)).collect()
}

/// Tiles outside as well, which are of so many kinds that not all are kept; and those inside alone.
#[test]
fn calls_do_the_same_whatever_came_before() {
    for (title, indices) in KERNELS {
        let program = tiled(&format!("kernels/{title}.rec"), indices, 3);
        for backend in [LeafBackend::Loops, LeafBackend::Faer] {
            let case = Case { title, program: &program, sizes: sizes(&program), backend };
            [-1..6, 0..5].iter().for_each(|range| case.check(range));
        }
    }
}

#[test]
fn threads_that_call_at_once_get_what_each_would_alone() {
    let program = tiled("kernels/trsm.rec", &["r", "i"], 3);
    let bound = bind_tiles(&program, &sizes(&program));
    let case = Case { title: "trsm", program: &program, sizes: sizes(&program), backend: LeafBackend::Faer };
    for leaf in program.leaves.iter().enumerate() {
        let (leaves, points) = (case.leaves(), points(leaf.1, 0..5));
        let expected: Vec<_> = points.iter().map(|point| call(&case.leaves(), leaf, &bound, point)).collect();
        let run = || points.iter().map(|point| call(&leaves, leaf, &bound, point)).collect::<Vec<_>>();
        std::thread::scope(|scope| {
            let threads = [(); 4].map(|()| scope.spawn(run));
            threads
                .into_iter()
                .for_each(|thread| assert_eq!(format!("{:?}", thread.join().unwrap()), format!("{expected:?}")));
        });
    }
}
