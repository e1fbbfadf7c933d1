//! The simulator on output-stationary matmul, in PE-steps: n x n PEs, K steps each.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ndarray::ArrayD;
use systole::array::{Program, Tensors, emit::emit};
use systole::integer::{Bindings, Matrix, Vector, name};
use systole::mapping::{Design, Links, SpaceTimeMap};
use systole::recurrence::{Chain, load, one_space};
use systole::rewrite::{Dataflow, Transport};
use systole::sim::{Settings, simulate};
use systole::span::Source;

fn cannon() -> Program {
    let system = load(&Source::new("matmul", include_str!("../kernels/matmul.rec"))).expect("a kernel that ships");
    let space = one_space(&system).expect("one space");
    let along = |index: usize| (0..3).map(|i| i64::from(i == index)).collect::<Vector>();
    let transports = vec![Transport::Stream(along(1)), Transport::Stream(along(0))];
    let dataflow = Dataflow { transports, chain: Chain { directions: vec![along(2)] } };
    let place = Matrix::new(vec![along(0), along(1)], 3);
    let map = SpaceTimeMap { place, step: Matrix::new(vec![vec![1, 1, 1]], 3) };
    emit(&Design { space: &space, dataflow, map, boundary_io: false }, &Links::default()).expect("a program")
}

fn bench_array(criterion: &mut Criterion) {
    let program = cannon();
    let mut group = criterion.benchmark_group("simulate cannon");
    for (n, k) in [(16, 64), (32, 64), (64, 64)] {
        let sizes = Bindings::from([(name("M"), n), (name("N"), n), (name("K"), k)]);
        let filled = |rows: i64, columns: i64| ArrayD::from_elem(vec![rows as usize, columns as usize], 0.5);
        let inputs = Tensors::from([(name("A"), filled(n, k)), (name("B"), filled(k, n))]);
        group.throughput(Throughput::Elements((n * n * k).unsigned_abs()));
        group.bench_function(format!("{n} x {n}, K = {k}"), |bench| {
            bench.iter(|| simulate(&program, &sizes, &inputs, &Settings::default()).expect("a run").cycles);
        });
    }
    group.finish();
}

criterion_group! { name = benches; config = Criterion::default().sample_size(10); targets = bench_array }
criterion_main!(benches);
