//! One call of a leaf: a matrix product by loops and by the library, in products of two numbers; an alignment, in cells.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::sync::Arc;
use systole::array::parse;
use systole::integer::{Bindings, name};
use systole::leaf::{LeafBackend, Leaves, Tile};

/// The leaves for tiles of this side, in arrays of three tiles a side.
fn leaves(side: i64, backend: LeafBackend) -> Leaves {
    let text = include_str!("../tests/leaf/tiles.pe").replace("SIZE", &side.to_string());
    let program = parse("tiles.pe", &text).expect("a program that is in the tests");
    Leaves::with_backend(&program, &Bindings::from([(name("N"), 3 * side)]), backend).expect("sizes that fit")
}

fn tile(length: i64) -> Tile {
    Tile::Values(Arc::new((0..length).map(|element| (element * 7 % 5) as f64 * 0.5).collect()))
}

fn bench_product(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("matrix product of tiles");
    for side in [64i64, 128, 256, 512] {
        group.throughput(Throughput::Elements((side * side * side).unsigned_abs()));
        let operands = [tile(side * side), tile(side * side)];
        for (backend, label) in [(LeafBackend::Loops, "loops"), (LeafBackend::Faer, "faer")] {
            let leaves = leaves(side, backend);
            let mut running = Some(tile(side * side));
            group.bench_function(BenchmarkId::new(label, side), |bench| {
                bench.iter(|| running = leaves.call(0, &[1, 1, 1], running.take(), &operands).ok());
            });
        }
    }
    group.finish();
}

fn bench_alignment(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("alignment in a tile");
    let side = 256i64;
    let given = [tile(side * side), tile(side * side), tile(side * side), tile(side), tile(side)];
    let leaves = leaves(side, LeafBackend::Loops);
    group.throughput(Throughput::Elements((side * side).unsigned_abs()));
    group.bench_function(BenchmarkId::new("loops", side), |bench| {
        bench.iter(|| leaves.call(1, &[1, 1], None, &given).expect("tiles that fit"));
    });
    group.finish();
}

criterion_group! { name = benches; config = Criterion::default().sample_size(10); targets = bench_product, bench_alignment }
criterion_main!(benches);
