//! Kernels, maps and sizes for the tests of the scheme.

use systole_base::diagnostic::{Checked, Diagnostics, render};
use systole_base::integer::{Bindings, Matrix, Vector, dot, name};
use systole_base::span::Source;
use systole_compile::mapping::SpaceTimeMap;
use systole_compile::systolize::{Loading, Scheme, systolize};
use systole_equations::recurrence;
use systole_equations::recurrence::Space;

pub const POLYNOMIAL: &str = "kernel polynomial(N)\nin a[N], b[N]\nout c[2*N - 1]\nc[i + j] = sum(i, j) a[i] * b[j]\n";

pub const MATMUL: &str =
    "kernel matmul(N)\nin A[N, N], B[N, N]\nout C[N, N]\nC[i, j] = sum(k in 0..N) A[i, k] * B[k, j]\n";

/// The one space of a kernel.
pub fn space(text: &str) -> Space {
    let system = recurrence::load(&Source::new("test.rec", text)).unwrap_or_else(|p| panic!("{}", shown(&p)));
    recurrence::one_space(&system).unwrap_or_else(|problems| panic!("{}", shown(&problems)))
}

pub fn shown(problems: &Diagnostics) -> String {
    render(problems, false)
}

/// The map with these rows.
pub fn map(place: &[Vector], step: &[i64]) -> SpaceTimeMap {
    let columns = step.len();
    SpaceTimeMap { place: Matrix::new(place.to_vec(), columns), step: Matrix::new(vec![step.to_vec()], columns) }
}

pub fn loading(tensor: &str, along: &[i64]) -> Loading {
    Loading { tensor: name(tensor), along: along.to_vec(), span: None }
}

/// The same size for every parameter.
pub fn sizes(space: &Space, size: i64) -> Bindings {
    space.parameters.iter().map(|parameter| (parameter.clone(), size)).collect()
}

/// The scheme of a map that must have one.
pub fn scheme(space: &Space, map: &SpaceTimeMap, loading: &[Loading]) -> Scheme {
    let derived: Checked<Scheme> = systolize(space, map, loading);
    derived.unwrap_or_else(|problems| panic!("{}", shown(&problems)))
}

/// All points of a box, both corners included, in lexicographic order.
pub fn box_points(minimum: &[i64], maximum: &[i64]) -> Vec<Vector> {
    let sides = minimum.iter().zip(maximum);
    sides.fold(vec![vec![]], |points, (low, high)| {
        let extend = |point: Vector| (*low..=*high).map(move |entry| [point.clone(), vec![entry]].concat());
        points.into_iter().flat_map(extend).collect()
    })
}

pub fn plus(a: &[i64], b: &[i64], factor: i64) -> Vector {
    a.iter().zip(b).map(|(x, y)| x + factor * y).collect()
}

/// Whether an array runs with one word a channel, whatever the sizes: whether some linear order of the points puts every
/// user of an element after the one before and not after that one's next statement. `false` where entries beyond 4 would
/// be needed.
pub fn runs_with_one_slot(scheme: &Scheme) -> bool {
    let moving = || scheme.streams.iter().filter(|stream| !stream.is_stationary());
    let fits = |order: &Vector| {
        let pace = dot(order, &scheme.increment);
        moving().map(|stream| dot(order, &stream.reuse)).all(|steps| 0 < steps && steps <= pace)
    };
    let dimension = scheme.increment.len();
    dimension <= 4 && box_points(&vec![-4; dimension], &vec![4; dimension]).iter().any(fits)
}
