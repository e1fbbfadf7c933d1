//! Tensors that are written by strides and read again: their spaces mean what the equations do, and all that is read comes
//! from somewhere. What strips do not divide is refused.

use crate::support::{filled, sizes, system, tensors};
use systole_base::diagnostic::render;
use systole_base::integer::Bindings;
use systole_base::span::Source;
use systole_equations::recurrence::spaces::{Origin, SpaceSystem, cut_spaces, evaluate_system_in_order};
use systole_equations::recurrence::{Chain, RecurrenceSystem, evaluate, lower};
use systole_equations::syntax::parse;

pub const HEAD: &str = "kernel k(N)\nin a[N], b[2 * N]\n";

/// Kernels of `a[N]` and `b[2 * N]` that write `Z` by strides and read it in one way or another.
const KERNELS: [&str; 12] = [
    "local Z[2 * N]\nout y[N]\nZ[2*i] = a[i] + 1\nZ[2*i + 1] = Z[2*i] - a[i]\ny[i] = Z[2*i + 1] * Z[2*i] where i < N",
    "local Z[2 * N]\nout y[N]\nZ[2*i] = a[i]\nZ[2*i + 1] = b[i]\ny[i] = Z[2*N - 1 - i] - Z[i] where i < N",
    "local Z[2 * N]\nout y[N]\nZ[2*i] = a[i]\nZ[2*i + 1] = b[i]\ny[i] = Z[i] - Z[i + N] where i < N",
    "local Z[2 * N]\nout y[N]\nZ[2*i] = a[i]\nZ[2*i + 1] = b[i]\ny[i] = sum(j in 0..i + 1) Z[j] * b[j] where i < N",
    "out Z[2 * N]\nZ[2*i] = a[i]\nZ[2*i + 1] = Z[i] + b[i] where i < N",
    "local Z[2 * N]\nout y[2 * N]\nZ[2*i] = 3\nZ[2*i + 1] = a[i]\ny[0] = Z[1]\ny[i] = Z[i] - Z[i - 1] where 1 <= i",
    "local Z[N]\nout y[N]\nZ[2*i] = b[2*i]\nZ[2*i + 1] = a[2*i + 1]\ny[i] = Z[N - 1 - i] where i < N",
    "local Z[3 * N]\nout y[N]\nZ[3*i] = a[i]\nZ[3*i + 1] = Z[3*i] + 1\nZ[3*N - 1 - 3*i] = a[i]\n\
     y[i] = Z[i + 1] - Z[3*i + 2] where i < N",
    "local Z[2 * N, 3 * N]\nout y[2 * N, 3 * N]\nZ[2*i, 3*j] = a[i]\nZ[2*i, 3*j + 1] = Z[2*i, 3*j] + a[j]\n\
     Z[2*i, 3*j + 2] = a[j]\nZ[2*i + 1, j] = Z[2*i, j] * 2\ny[i, j] = Z[i, j]",
    "local Z[4 * N]\nout y[4 * N]\nZ[2*i] = b[i] where i < 2 * N\nZ[4*i + 1] = a[i]\nZ[4*i + 3] = a[i]\n\
     y[i] = Z[4*N - 1 - i]",
    "local A[2 * N + 1, 2 * N]\nout y[2 * N]\nA[0, i] = b[i]\n\
     A[t, 2*i] = min(A[t - 1, 2*i], A[t - 1, 2*i + 1]) where 1 <= t\n\
     A[t, 2*i + 1] = max(A[t - 1, 2*i], A[t - 1, 2*i + 1]) where 1 <= t\ny[i] = A[2*N, i]",
    "local Z[2 * N, N]\nout y[N]\nZ[2*i, i] = a[i]\nZ[2*i + 1, i] = b[i]\nZ[i, j] = 0 where i < 2*j\n\
     Z[i, j] = 1 where 2*j + 1 < i\ny[i] = Z[2*i, i] - Z[i, N - 1] where i < N",
];

fn written(cut: &SpaceSystem) -> Vec<Chain> {
    cut.spaces.iter().map(Chain::as_written).collect()
}

/// Each point of a reader has one source of each operand at this size, and that has the element at one of its points.
fn hold_sources(cut: &SpaceSystem, sizes: &Bindings) {
    for (reader, space) in cut.spaces.iter().enumerate() {
        let points = space.domain.set.points(space.indices(), sizes).expect("points");
        for (operand, sources) in space.operands.iter().zip(&cut.sources[reader]).filter(|(_, all)| !all.is_empty()) {
            for point in &points {
                let at = space.bind(sizes, point);
                let mine: Vec<_> = sources.iter().filter(|source| source.set.contains(&at)).collect();
                assert_eq!(mine.len(), 1, "{} of `{}` at {at:?}", operand.tensor, space.name);
                let Origin::Space { space: giver, element } = &mine[0].origin else { continue };
                let mut bound = at.clone();
                for division in &mine[0].quotients {
                    let value = division.of.evaluate(&bound).expect("a value").div_euclid(division.by);
                    bound.insert(division.quotient.clone(), value);
                }
                let wanted: Vec<_> = element.iter().map(|form| form.evaluate(&bound).expect("a value")).collect();
                let giver = &cut.spaces[*giver];
                let written = giver.element();
                let found = giver.domain.set.points(giver.indices(), sizes).expect("points").into_iter().any(|point| {
                    let there = giver.bind(sizes, &point);
                    written.iter().zip(&wanted).all(|(form, value)| form.evaluate(&there) == Some(*value))
                });
                assert!(found, "{} of `{}` at {at:?} from `{}`", operand.tensor, space.name, giver.name);
            }
        }
    }
}

/// Holds the spaces of a kernel of `a[N]` and `b[2 * N]` to its equations at one size.
pub fn hold(text: &str, system: &RecurrenceSystem, n: i64) {
    let sizes = sizes(&[("N", n)]);
    let inputs = tensors(&[("a", filled(1, &[n as usize])), ("b", filled(2, &[2 * n as usize]))]);
    let expected = evaluate(system, &sizes, &inputs).expect("the evaluation succeeds");
    let cut = cut_spaces(system).unwrap_or_else(|errors| panic!("{}", render(&errors, false)));
    hold_sources(&cut, &sizes);
    let found = evaluate_system_in_order(system, &cut, &written(&cut), &sizes, &inputs);
    assert_eq!(found.unwrap_or_else(|errors| panic!("{}", render(&errors, false))), expected, "{text}");
}

#[test]
fn what_is_written_by_strides_is_read_where_it_is_written() {
    for text in KERNELS {
        let text = format!("{HEAD}{text}");
        let system = system(&text);
        (1..6).for_each(|n| hold(&text, &system, n));
    }
}

/// A tensor is put together from its strips only where something reads elements of several positions.
#[test]
fn nothing_is_put_together_that_nobody_reads() {
    let names = |text: &str| {
        let cut = cut_spaces(&system(&format!("{HEAD}{text}"))).expect("the kernel is cut");
        cut.families.iter().map(|family| family.name.to_string()).collect::<Vec<String>>()
    };
    assert_eq!(names(KERNELS[0]), ["Z_strips", "y"]);
    assert_eq!(names(KERNELS[2]), ["Z_strips", "y", "Z"]);
    assert_eq!(names(KERNELS[10]), ["A_strips", "y"]);
}

#[test]
fn what_strips_do_not_divide_is_refused() {
    let slanted = "local Z[2 * N, 2 * N]\nout y[N]\nZ[i + j, N + i - j] = a[i] where i < N, j < N\ny[i] = Z[2*i, N]";
    let source = Source::new("k.rec", format!("{HEAD}{slanted}"));
    // It leaves elements without a definition, so it is cut without being checked.
    let system = lower(&parse(&source).expect("a file"), &source).expect("a system");
    let said = render(&cut_spaces(&system).expect_err("a refusal"), false);
    assert!(said.contains("where `Z` is computed has no closed form"), "{said}");
    assert!(said.contains("which of its elements this defines is found by a division only"), "{said}");
}
