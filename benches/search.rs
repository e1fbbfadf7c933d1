//! The search: every map of the default box for matmul and for a four-dimensional space, at sizes that differ by far. Its
//! cost must not grow with the sizes. Kernels of several spaces are searched and their best design is proved.

use criterion::{Criterion, criterion_group, criterion_main};
use std::time::Duration;
use systole::cost::Objective;
use systole::extract::{Constraint, Limits, Problem, Question, search};
use systole::integer::Bindings;
use systole::machine::Machine;
use systole::mapping::candidates::Bounds;
use systole::recurrence::load;
use systole::recurrence::spaces::{SpaceSystem, cut_spaces, spaces_of};
use systole::rewrite;
use systole::rewrite::{Choices, load_rules, saturate};
use systole::smt::discharge_all;
use systole::span::Source;
use systole::timing::obligations;

/// That of the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const LIMIT: Duration = Duration::from_secs(10);

fn bench_kernel(criterion: &mut Criterion, name: &str, text: &str, n: i64) {
    let system = spaces_of(&load(&Source::new(name, text)).expect("a kernel that ships")).expect("one space");
    let problem = Asked::new(&system, n);
    let problem = problem.problem(&system);
    criterion.bench_function(&format!("search {name} at {n}"), |bench| {
        bench.iter(|| search(&problem, false, &|_, _| true).designs);
    });
}

/// What a search is asked.
struct Asked {
    choices: Vec<Choices>,
    machine: Machine,
    sizes: Bindings,
}

impl Asked {
    fn new(system: &SpaceSystem, n: i64) -> Asked {
        let rules = load_rules(None).expect("rules that ship");
        let choices = saturate(system, &rules, &rewrite::Limits::default()).expect("saturated").choices();
        let sizes = system.parameters.iter().map(|parameter| (parameter.clone(), n)).collect();
        Asked { choices: choices.expect("choices"), machine: Machine::default(), sizes }
    }

    fn problem<'a>(&'a self, system: &'a SpaceSystem) -> Problem<'a> {
        let dimension = system.spaces.iter().map(|space| space.dimension()).max().unwrap_or(0);
        let Asked { choices, machine, sizes } = self;
        let (constraint, limits, bounds) =
            (Constraint::none(system), Limits::default(), Bounds::for_dimension(dimension));
        let question = Question { system, choices, bounds, machine, sizes, constraint, limits };
        Problem::new(question).expect("a problem")
    }
}

/// Search and proof of the best design of a kernel of several spaces.
fn bench_system(criterion: &mut Criterion, name: &str, text: &str, n: i64) {
    let system = cut_spaces(&load(&Source::new(name, text)).expect("a kernel that ships")).expect("spaces");
    let asked = Asked::new(&system, n);
    let (problem, machine) = (asked.problem(&system), &asked.machine);
    criterion.bench_function(&format!("search and prove {name} at {n}"), |bench| {
        bench.iter(|| {
            let front = search(&problem, false, &|_, _| true).sorted(Objective::Systolic);
            let design = problem.design(front.first().expect("a design"));
            discharge_all(&obligations(&design, &machine.links).expect("stated"), LIMIT).len()
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
