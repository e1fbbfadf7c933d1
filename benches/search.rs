//! The search: every map of the default box for matmul and for a four-dimensional space, at sizes that differ by far. Its
//! cost must not grow with the sizes. Kernels of several spaces are searched and their best design is proved.

use criterion::{Criterion, criterion_group, criterion_main};
use std::time::Duration;
use systole::cost::Objective;
use systole::extract::{Constraint, Problem, SystemConstraint, SystemProblem, search, search_system};
use systole::integer::Bindings;
use systole::machine::Machine;
use systole::mapping::SystemDesign;
use systole::mapping::candidates::Bounds;
use systole::recurrence::spaces::cut_spaces;
use systole::recurrence::{load, one_space};
use systole::rewrite::{Limits, load_rules, saturate, saturate_system};
use systole::smt::discharge_all;
use systole::span::Source;
use systole::timing::system_obligations;

/// That of the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const LIMIT: Duration = Duration::from_secs(10);

fn bench_kernel(criterion: &mut Criterion, name: &str, text: &str, n: i64) {
    let system = load(&Source::new(name, text)).expect("a kernel that ships");
    let space = one_space(&system).expect("one space");
    let rules = load_rules(None).expect("rules that ship");
    let choices = saturate(&space, &rules, &Limits::default()).expect("saturated").choices().expect("choices");
    let machine = Machine::default();
    let sizes: Bindings = space.parameters.iter().map(|parameter| (parameter.clone(), n)).collect();
    let bounds = Bounds::for_dimension(space.dimension());
    let problem = Problem::new(&space, &choices, bounds, &machine, &sizes, Constraint::default()).expect("a problem");
    criterion.bench_function(&format!("search {name} at {n}"), |bench| {
        bench.iter(|| search(&problem, false, &|_, _| {}).designs);
    });
}

/// Search and proof of the best design of a kernel of several spaces.
fn bench_system(criterion: &mut Criterion, name: &str, text: &str, n: i64) {
    let system = cut_spaces(&load(&Source::new(name, text)).expect("a kernel that ships")).expect("spaces");
    let rules = load_rules(None).expect("rules that ship");
    let choices = saturate_system(&system, &rules, &Limits::default()).expect("saturated").choices().expect("choices");
    let machine = Machine::default();
    let sizes: Bindings = system.parameters.iter().map(|parameter| (parameter.clone(), n)).collect();
    let dimension = system.spaces.iter().map(|space| space.dimension()).max().unwrap_or(0);
    let bounds = Bounds::for_dimension(dimension);
    let none = SystemConstraint::none(&system);
    let problem = SystemProblem::new(&system, &choices, bounds, &machine, &sizes, none).expect("a problem");
    criterion.bench_function(&format!("search and prove {name} at {n}"), |bench| {
        bench.iter(|| {
            let front = search_system(&problem, &|_, _| {}).sorted(Objective::Systolic);
            let parts = front.first().expect("a design").parts.clone();
            let design = SystemDesign::new(&system, parts);
            discharge_all(&system_obligations(&design, &machine.links).expect("stated"), LIMIT).len()
        });
    });
}

fn bench_all(criterion: &mut Criterion) {
    bench_kernel(criterion, "matmul", include_str!("../kernels/matmul.rec"), 8);
    bench_kernel(criterion, "matmul", include_str!("../kernels/matmul.rec"), 1024);
    bench_kernel(criterion, "ttm", include_str!("../kernels/ttm.rec"), 8);
    bench_system(criterion, "trisolve", include_str!("../kernels/trisolve.rec"), 8);
    bench_system(criterion, "smith_waterman", include_str!("../kernels/smith_waterman.rec"), 8);
    bench_system(criterion, "cholesky", include_str!("../kernels/cholesky.rec"), 8);
    bench_system(criterion, "lu", include_str!("../kernels/lu.rec"), 8);
}

criterion_group! { name = benches; config = Criterion::default().sample_size(10); targets = bench_all }
criterion_main!(benches);
