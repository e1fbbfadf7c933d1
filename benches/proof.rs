//! Proving designs: every obligation of Cannon's and of Kung and Leiserson's array, for all sizes.

#[path = "../tests/hand_built/mod.rs"]
mod hand_built;

use criterion::{Criterion, criterion_group, criterion_main};
use hand_built::designs::{at_boundary, cannon, hex, kung_leiserson, mesh};
use hand_built::spaces::matmul;
use std::time::Duration;
use systole::mapping::MappedSpace;
use systole::network::Links;
use systole::smt::discharge_all;
use systole::timing::space_obligations;

/// That of the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const LIMIT: Duration = Duration::from_secs(10);

fn prove(criterion: &mut Criterion) {
    let space = matmul();
    let mut case = |name: &str, design: MappedSpace, links: Links| {
        let stated = space_obligations(&design, &links).expect("the design can be stated");
        criterion.bench_function(name, |bencher| bencher.iter(|| discharge_all(&stated, LIMIT)));
    };
    case("prove/cannon", cannon(&space), mesh());
    case("prove/kung-leiserson", kung_leiserson(&space), hex());
    case("refute/kung-leiserson-boundary", at_boundary(kung_leiserson(&space)), hex());
}

criterion_group!(benches, prove);
criterion_main!(benches);
