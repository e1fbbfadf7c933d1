//! One call of a leaf: a matrix product, a triangular solve, a factor and an inverse by loops and by libraries, in operations;
//! an alignment, in cells.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::sync::Arc;
use systole::array::{Program, parse};
use systole::integer::{Bindings, name};
use systole::leaf::{LeafBackend, Leaves, Tile};
use systole::span::Source;
use systole::tiles::TileSize;
use systole::{recurrence, tiles};

/// That of the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Who runs leaves, in this build.
const BACKENDS: &[(LeafBackend, &str)] = &[
    (LeafBackend::Loops, "loops"),
    (LeafBackend::Faer, "faer"),
    #[cfg(feature = "openblas")]
    (LeafBackend::OpenBlas, "openblas"),
];

/// The leaves for tiles of this side, in arrays of three tiles a side.
fn leaves(side: i64, backend: LeafBackend) -> Leaves {
    let text = include_str!("../tests/leaf/tiles.pe").replace("SIZE", &side.to_string());
    let program = parse("tiles.pe", &text).expect("a program that is in the tests");
    Leaves::with_backend(&program, &Bindings::from([(name("N"), 3 * side)]), backend).expect("sizes that fit")
}

fn tile(length: i64) -> Tile {
    Tile::Values(Arc::new((0..length).map(|element| (element * 7 % 5) as f64 * 0.5).collect()))
}

/// A tile that can be divided by and factored.
fn heavy_tile(side: i64) -> Tile {
    let value =
        |element: i64| if element / side == element % side { side as f64 } else { (element * 7 % 5) as f64 * 0.1 };
    Tile::Values(Arc::new((0..side * side).map(value).collect()))
}

fn bench_product(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("matrix product of tiles");
    for side in [64i64, 128, 256, 512] {
        group.throughput(Throughput::Elements((2 * side * side * side).unsigned_abs()));
        let operands = [tile(side * side), tile(side * side)];
        for (backend, label) in BACKENDS {
            let leaves = leaves(side, *backend);
            let mut running = Some(tile(side * side));
            group.bench_function(BenchmarkId::new(*label, side), |bench| {
                bench.iter(|| running = leaves.call(0, &[1, 1, 1], running.take(), &operands).ok());
            });
        }
    }
    group.finish();
}

/// Products of one number each, of all tiles in turn: what a call takes beside its arithmetic, where others like it were made before.
fn bench_set_up(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("set-up of a call");
    let operands = [tile(1), tile(1)];
    let points: Vec<[i64; 3]> = (0..27).map(|point| [point / 9, point / 3 % 3, point % 3]).collect();
    group.throughput(Throughput::Elements(points.len() as u64));
    for (backend, label) in BACKENDS {
        let leaves = leaves(1, *backend);
        let mut running = Some(tile(1));
        group.bench_function(*label, |bench| {
            bench.iter(|| {
                points.iter().for_each(|point| running = leaves.call(0, point, running.take(), &operands).ok());
            });
        });
    }
    group.finish();
}

/// A definition of `rules/leaves` in tiles of this side, in arrays of three tiles a side, and the number of its leaf.
fn definition(text: &str, leaf: &str, side: i64) -> (Program, usize) {
    let system = recurrence::load(&Source::new("definition", text)).expect("a kernel");
    let size = |index: &str| TileSize { index: name(index), size: side, span: None };
    let sizes = if text.contains("(R, N)") { vec![size("r"), size("i")] } else { vec![size("i")] };
    let tiled = tiles::tile(&system, &sizes).expect("a kernel that can be tiled");
    let number = tiled.leaves.iter().position(|found| &*found.name == leaf).expect("the leaf that is defined");
    let mut program =
        parse("tiles.pe", &include_str!("../tests/leaf/tiles.pe").replace("SIZE", "4")).expect("a program");
    (program.parameters, program.tiles, program.leaves) = (system.parameters.clone(), tiled.counts, tiled.leaves);
    (program, number)
}

fn bench_tasks(criterion: &mut Criterion) {
    let tasks = [
        ("triangular solve of a tile", include_str!("../rules/leaves/solve_rows.rec"), "X"),
        ("factor of a tile", include_str!("../rules/leaves/factor_lower.rec"), "L.2"),
        ("inverse of a tile", include_str!("../rules/leaves/invert_lower.rec"), "X.2"),
    ];
    for (title, text, leaf) in tasks {
        let mut group = criterion.benchmark_group(title);
        for side in [64i64, 128, 256] {
            let (program, number) = definition(text, leaf, side);
            let sizes: Bindings = program.parameters.iter().map(|parameter| (parameter.clone(), 3 * side)).collect();
            let point = vec![0; program.leaves[number].coordinates.len()];
            let is_sum = |window: usize| program.leaves[number].windows[window].operator.is_some();
            let given: Vec<Tile> = program.leaves[number]
                .arguments
                .iter()
                .map(|argument| if is_sum(argument.window) { Tile::Uniform(0.0) } else { heavy_tile(side) })
                .collect();
            for (backend, label) in BACKENDS {
                let leaves = Leaves::with_backend(&program, &sizes, *backend).expect("sizes that fit");
                let _ = leaves.call(number, &point, None, &given).expect("tiles that fit");
                group.throughput(Throughput::Elements(leaves.work().applied));
                group.bench_function(BenchmarkId::new(*label, side), |bench| {
                    bench.iter(|| leaves.call(number, &point, None, &given).expect("tiles that fit"));
                });
            }
        }
        group.finish();
    }
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

criterion_group! { name = benches; config = Criterion::default().sample_size(10); targets = bench_set_up, bench_product, bench_tasks, bench_alignment }
criterion_main!(benches);
