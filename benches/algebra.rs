//! How long it takes to saturate what is asked of the laws of algebra: attention and Cholesky's factor with their dataflow, a chain of
//! twelve products, a sum of nine terms.

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use systole::algebra::{Recast, Wanted, derive, saturate_equations};
use systole::integer::{Bindings, name};
use systole::recurrence::spaces::cut_spaces;
use systole::recurrence::{RecurrenceSystem, load};
use systole::rewrite::{Limits, Phase, RuleSet, load_phase, saturate};
use systole::span::Source;

/// That of the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const LIMITS: Limits = Limits::of(30, 5000);

fn kernel(text: &str) -> RecurrenceSystem {
    load(&Source::new("bench.rec", text)).unwrap()
}

/// The form of a kernel with the fewest passes.
fn best_form(system: &RecurrenceSystem, algebra: &RuleSet) -> RecurrenceSystem {
    let sizes: Bindings = system.parameters.iter().map(|parameter| (name(parameter), 8)).collect();
    let found = derive(system, algebra, &Wanted { sizes: &sizes, limits: LIMITS, all: None }).unwrap();
    kernel(&found.forms[0].text)
}

/// `A1 A2 .. A12`, each product written by itself.
fn chain() -> RecurrenceSystem {
    let parameters = ["P", "Q", "R", "S", "T", "U", "V", "W"];
    let side = |place: usize| parameters[place * 5 % 8];
    let factors: Vec<String> = (1..=12).map(|f| format!("A{f}[{}, {}]", side(f - 1), side(f))).collect();
    let products: Vec<String> = (2..12).map(|f| format!("T{f}[P, {}]", side(f))).collect();
    let (inputs, locals) = (factors.join(", "), products.join(", "));
    let mut text =
        format!("kernel chain({})\nin {inputs}\nout Y[P, {}]\nlocal {locals}\n", parameters.join(", "), side(12));
    for f in 2..=12 {
        let target = if f == 12 { "Y".to_owned() } else { format!("T{f}") };
        let before = if f == 2 { "A1".to_owned() } else { format!("T{}", f - 1) };
        text += &format!("{target}[i, j] = sum(k) {before}[i, k] * A{f}[k, j]\n");
    }
    kernel(&text)
}

fn nine_terms() -> RecurrenceSystem {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "q"];
    let inputs: Vec<String> = names.iter().map(|name| format!("{name}[N]")).collect();
    let terms: Vec<String> = names.iter().map(|name| format!("{name}[i]")).collect();
    kernel(&format!("kernel nine(N)\nin {}\nout y[N]\ny[i] = {}\n", inputs.join(", "), terms.join(" + ")))
}

fn algebra(criterion: &mut Criterion) {
    let (laws, dataflow) = (load_phase(Phase::Algebra, None).unwrap(), load_phase(Phase::Dataflow, None).unwrap());
    for (title, system) in [("chain of 12", chain()), ("sum of 9", nine_terms())] {
        criterion.bench_function(&format!("algebra of {title}"), |bencher| {
            bencher.iter(|| saturate_equations(black_box(&Recast::plain(&system)), &laws, &LIMITS).unwrap());
        });
    }
    let texts = [
        ("attention", include_str!("../kernels/naive/attention.rec")),
        ("Cholesky", include_str!("../kernels/cholesky.rec")),
    ];
    for (title, text) in texts {
        let system = kernel(text);
        let spaces = cut_spaces(&best_form(&system, &laws)).unwrap();
        criterion.bench_function(&format!("algebra and dataflow of {title}"), |bencher| {
            bencher.iter(|| {
                let forms = saturate_equations(black_box(&Recast::plain(&system)), &laws, &LIMITS).unwrap();
                (forms, saturate(black_box(&spaces), &dataflow, &LIMITS).unwrap())
            });
        });
    }
}

criterion_group!(benches, algebra);
criterion_main!(benches);
