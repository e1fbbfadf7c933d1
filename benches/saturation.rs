//! How long it takes to saturate a kernel, to read the choices off, and to explain one of them.

#[path = "../tests/hand_built/forms.rs"]
#[allow(dead_code)]
mod forms;

#[path = "../tests/kernel_texts/mod.rs"]
mod kernel_texts;

#[path = "../tests/rewrite/kernels.rs"]
#[allow(dead_code)]
mod kernels;

#[path = "../tests/rewrite/system_kernels.rs"]
#[allow(dead_code)]
mod system_kernels;

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use systole::recurrence::spaces::SpaceSystem;
use systole::rewrite::{Limits, load_rules, saturate};

/// That of the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn saturation(criterion: &mut Criterion) {
    let rules = load_rules(None).unwrap();
    for space in [kernels::matmul(), kernels::mttkrp()] {
        let system = SpaceSystem::of_one(space);
        criterion.bench_function(&format!("saturate {}", system.kernel), |bencher| {
            bencher.iter(|| saturate(black_box(&system), &rules, &Limits::default()).unwrap());
        });
        let mut lowered = saturate(&system, &rules, &Limits::default()).unwrap();
        criterion.bench_function(&format!("choices {}", system.kernel), |bencher| {
            bencher.iter(|| black_box(&lowered).choices().unwrap());
        });
        let dataflow = lowered.choices().unwrap()[0].dataflows().next().unwrap();
        criterion.bench_function(&format!("explain {}", system.kernel), |bencher| {
            bencher.iter(|| lowered.explain(0, black_box(&dataflow)));
        });
    }
}

fn systems(criterion: &mut Criterion) {
    let rules = load_rules(None).unwrap();
    for text in [system_kernels::TRISOLVE, system_kernels::CHOLESKY, system_kernels::SMITH_WATERMAN] {
        let system = system_kernels::cut(text);
        criterion.bench_function(&format!("saturate {}", system.kernel), |bencher| {
            bencher.iter(|| saturate(black_box(&system), &rules, &Limits::default()).unwrap());
        });
        let lowered = saturate(&system, &rules, &Limits::default()).unwrap();
        criterion.bench_function(&format!("choices {}", system.kernel), |bencher| {
            bencher.iter(|| black_box(&lowered).choices().unwrap());
        });
    }
}

criterion_group!(benches, saturation, systems);
criterion_main!(benches);
