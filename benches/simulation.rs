//! The simulator on output-stationary matmul with feeders and channels of two slots, in PE-steps: n x n PEs, K steps each.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ndarray::ArrayD;
use systole::array::{Program, Tensors, parse};
use systole::integer::{Bindings, name};
use systole::sim::{Settings, simulate};

/// That of the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Sizes n and K with the numbers of threads that are worth trying.
const CASES: [(i64, i64, &[usize]); 5] =
    [(16, 64, &[1]), (32, 64, &[1]), (64, 64, &[1, 2]), (128, 64, &[1, 2]), (64, 1024, &[1, 2])];

fn feeders() -> Program {
    parse("os-feeders.pe", include_str!("../tests/sim/os-feeders.pe")).expect("a program that is in the tests")
}

fn bench_array(criterion: &mut Criterion) {
    let program = feeders();
    let mut group = criterion.benchmark_group("simulate output stationary");
    for (n, k, threads) in CASES {
        let sizes = Bindings::from([(name("N"), n), (name("K"), k)]);
        let filled = |rows: i64, columns: i64| ArrayD::from_elem(vec![rows as usize, columns as usize], 0.5);
        let inputs = Tensors::from([(name("A"), filled(n, k)), (name("B"), filled(k, n))]);
        group.throughput(Throughput::Elements((n * n * k).unsigned_abs()));
        for threads in threads {
            let settings = Settings { capacity: Some(2), threads: *threads, ..Settings::default() };
            let label = BenchmarkId::new(format!("{n} x {n}, K = {k}"), format!("{threads} threads"));
            group.bench_function(label, |bench| {
                bench.iter(|| simulate(&program, &sizes, &inputs, &settings).expect("a run").cycles);
            });
        }
    }
    group.finish();
}

criterion_group! { name = benches; config = Criterion::default().sample_size(10); targets = bench_array }
criterion_main!(benches);
