//! The search: every map of the default box for matmul and for a four-dimensional space, at sizes that differ by far. Its
//! cost must not grow with the sizes.

use criterion::{Criterion, criterion_group, criterion_main};
use systole::cost::Machine;
use systole::extract::{Constraint, Problem, search};
use systole::integer::Bindings;
use systole::mapping::candidates::Bounds;
use systole::recurrence::{load, one_space};
use systole::rewrite::{Limits, load_rules, saturate};
use systole::span::Source;

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

fn bench_all(criterion: &mut Criterion) {
    bench_kernel(criterion, "matmul", include_str!("../kernels/matmul.rec"), 8);
    bench_kernel(criterion, "matmul", include_str!("../kernels/matmul.rec"), 1024);
    bench_kernel(criterion, "ttm", include_str!("../kernels/ttm.rec"), 8);
}

criterion_group! { name = benches; config = Criterion::default().sample_size(10); targets = bench_all }
criterion_main!(benches);
