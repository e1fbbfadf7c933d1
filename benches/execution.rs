//! Programs run for real, word by word: output-stationary matmul with feeders, in PE-steps: n x n PEs, K steps each. A step
//! receives and sends two words, multiplies and adds, so this is what interpreting costs.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ndarray::ArrayD;
use systole::array::{Tensors, parse};
use systole::exec::{Settings, execute};
use systole::integer::{Bindings, name};

/// That of the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Sizes n and K.
const CASES: [(i64, i64); 3] = [(16, 256), (64, 64), (64, 1024)];

fn bench_array(criterion: &mut Criterion) {
    let program = parse("os-feeders.pe", include_str!("../tests/sim/os-feeders.pe")).expect("a program of the tests");
    let mut group = criterion.benchmark_group("execute output stationary");
    for (n, k) in CASES {
        let sizes = Bindings::from([(name("N"), n), (name("K"), k)]);
        let filled = |rows: i64, columns: i64| ArrayD::from_elem(vec![rows as usize, columns as usize], 0.5);
        let inputs = Tensors::from([(name("A"), filled(n, k)), (name("B"), filled(k, n))]);
        group.throughput(Throughput::Elements((n * n * k).unsigned_abs()));
        // Deep channels show what a packet saves; shallow ones pass a word or two at a time.
        for (workers, capacity) in [(1, 2), (2, 2), (2, 64)] {
            let settings = Settings { workers, capacity: Some(capacity), ..Settings::default() };
            let label = format!("{workers} threads, {capacity} slots");
            group.bench_function(BenchmarkId::new(format!("{n} x {n}, K = {k}"), label), |bench| {
                bench.iter(|| execute(&program, &sizes, &inputs, &settings).expect("a run").counts.words);
            });
        }
    }
    group.finish();
}

criterion_group! { name = benches; config = Criterion::default().sample_size(10); targets = bench_array }
criterion_main!(benches);
