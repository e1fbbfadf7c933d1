//! Spaces whose indices are in strips: the same points, the same values, and givers where the elements say.

use crate::kernel_texts::EDIT_DISTANCE;
use crate::support::{dominant, filled, sizes, system, tensors};
use std::collections::BTreeSet;
use systole_base::diagnostic::render;
use systole_base::integer::{Bindings, Vector, name};
use systole_base::span::{Source as Text, Span};
use systole_equations::recurrence::spaces::{
    Division, Origin, SpaceSystem, cut_spaces, evaluate_system_in_order, last_point,
};
use systole_equations::recurrence::{Chain, RecurrenceSystem, Space, Strip, Tensors, evaluate, load};

const LAYER: &str = "kernel layer(M, N, K)\nin A[M, K], B[K, N], D[N]\nout C[M, N]\n\
                     C[i, j] = max(0, D[j] + sum(k in 0..K) A[i, k] * B[k, j])\n";

const HEAT: &str = "kernel heat(T, N)\nin x[N]\nout y[T, N]\n\
                    y[0, i] = x[i]\n\
                    y[t, i] = y[t - 1, i - 1] + y[t - 1, i + 1] - y[t - 1, i] where t >= 1, 1 <= i < N - t\n\
                    y[t, i] = y[t - 1, i] where t >= 1, i >= 1, i >= N - t\n\
                    y[t, 0] = y[t - 1, 0] where t >= 1\n";

fn strips(list: &[(&str, i64)]) -> Vec<(Strip, Span)> {
    let at = Span { start: 0, end: 0 };
    list.iter().map(|(index, size)| (Strip { index: name(index), size: *size }, at)).collect()
}

fn divided(system: &RecurrenceSystem, list: &[(&str, i64)]) -> SpaceSystem {
    let cut = cut_spaces(system).unwrap_or_else(|errors| panic!("{}", render(&errors, false)));
    cut.in_strips(&strips(list)).unwrap_or_else(|errors| panic!("{}", render(&errors, false)))
}

/// Each point of the whole space, and no other, comes from one point in strips.
fn points_are_the_same(whole: &Space, divided: &Space, sizes: &Bindings) {
    let points = |space: &Space| space.domain.set.points(space.indices(), sizes).expect("bounded");
    let mut seen = BTreeSet::new();
    for point in points(divided) {
        let bindings = divided.bind(sizes, &point);
        let value = |index: &_| match divided.strips.iter().find(|strip| strip.index == *index) {
            Some(strip) => {
                let position = bindings[&strip.position()];
                assert!((0..strip.size).contains(&position), "{strip:?}: {point:?}");
                bindings[&strip.number()] * strip.size + position
            }
            None => bindings[index],
        };
        assert!(seen.insert(whole.indices().iter().map(value).collect::<Vector>()), "{point:?} twice");
    }
    assert_eq!(seen, points(whole).into_iter().collect(), "{}", whole.name);
}

/// Where a source says that a space gives an element, the point it names writes the element that is read, and sources share no point.
fn givers_write_what_is_read(cut: &SpaceSystem, sizes: &Bindings) {
    for (reader, operands) in cut.spaces.iter().zip(&cut.sources) {
        for (operand, sources) in reader.operands.iter().zip(operands).filter(|(_, sources)| !sources.is_empty()) {
            for point in reader.domain.set.points(reader.indices(), sizes).expect("bounded") {
                let mut bindings = reader.bind(sizes, &point);
                let mine: Vec<_> = sources.iter().filter(|source| source.set.contains(&bindings)).collect();
                assert_eq!(mine.len(), 1, "{} reads {} at {point:?}\n{cut}", reader.name, operand.tensor);
                let Origin::Space { space, element } = &mine[0].origin else { continue };
                for Division { quotient, of, by } in &mine[0].quotients {
                    let divided = of.evaluate(&bindings).expect("a number").div_euclid(*by);
                    bindings.insert(quotient.clone(), divided);
                }
                let giver = &cut.spaces[*space];
                let last = last_point(giver, &Chain::as_written(giver), element).expect("a point");
                let at = last
                    .coordinates(giver.indices())
                    .iter()
                    .map(|form| form.evaluate(&bindings).expect("a number"))
                    .collect::<Vector>();
                let there = giver.bind(sizes, &at);
                assert!(giver.domain.set.contains(&there), "{at:?} is no point of {}", giver.name);
                let read: Vec<_> = operand.access.iter().map(|form| form.evaluate(&bindings)).collect();
                let written: Vec<_> = giver.output_access.iter().map(|form| form.evaluate(&there)).collect();
                assert_eq!(read, written);
            }
        }
    }
}

fn hold(text: &str, list: &[(&str, i64)], pairs: &[(&str, i64)], inputs: &Tensors) {
    let (system, sizes) = (system(text), sizes(pairs));
    let (whole, cut) = (cut_spaces(&system).expect("spaces"), divided(&system, list));
    for (whole, divided) in whole.spaces.iter().zip(&cut.spaces) {
        points_are_the_same(whole, divided, &sizes);
    }
    givers_write_what_is_read(&cut, &sizes);
    let chains: Vec<Chain> = cut.spaces.iter().map(Chain::as_written).collect();
    let found = evaluate_system_in_order(&system, &cut, &chains, &sizes, inputs);
    let found = found.unwrap_or_else(|errors| panic!("{}", render(&errors, false)));
    assert_eq!(found, evaluate(&system, &sizes, inputs).expect("the reference"), "{list:?} at {pairs:?}");
}

#[test]
fn values_are_those_of_the_whole_at_sizes_that_divide_and_sizes_that_do_not() {
    for [m, n, k] in [[8, 8, 3], [7, 9, 4], [1, 1, 1], [4, 5, 2], [3, 12, 1]] {
        let [rows, columns, inner] = [m, n, k].map(|size| size as usize);
        let inputs = tensors(&[
            ("A", filled(1, &[rows, inner])),
            ("B", filled(2, &[inner, columns])),
            ("D", filled(3, &[columns])),
        ]);
        for list in [&[("i", 4)][..], &[("j", 4)], &[("i", 4), ("j", 3)], &[("i", 1), ("j", 100)]] {
            hold(LAYER, list, &[("M", m), ("N", n), ("K", k)], &inputs);
        }
    }
}

/// What is read of the neighbours lies in the same strip or in the one beside it.
#[test]
fn neighbours_may_lie_in_the_strip_beside() {
    for [t, n] in [[4, 9], [3, 8], [2, 1], [3, 2], [5, 13]] {
        let inputs = tensors(&[("x", filled(4, &[n as usize]))]);
        for list in [&[("i", 4)][..], &[("t", 2)], &[("t", 3), ("i", 5)]] {
            hold(HEAT, list, &[("T", t), ("N", n)], &inputs);
        }
    }
    for [m, n] in [[7, 10], [4, 4], [1, 1], [2, 9]] {
        let inputs = tensors(&[("a", filled(1, &[m as usize])), ("b", filled(2, &[n as usize]))]);
        for list in [&[("i", 3)][..], &[("i", 3), ("j", 4)]] {
            hold(EDIT_DISTANCE, list, &[("M", m), ("N", n)], &inputs);
        }
    }
}

/// What one space has in strips, another reduces over: there it is whole, and a quotient tells the strip.
#[test]
fn an_index_that_is_reduced_over_elsewhere_is_whole_there() {
    let chain = "kernel chain(M, N, K)\nin A[M, K], B[K, N], D[N]\nlocal T[M, N]\nout y[M]\n\
                 T[i, j] = sum(k) A[i, k] * B[k, j]\ny[i] = max(0, sum(j) T[i, j] * D[j])\n";
    for [m, n, k] in [[3, 8, 2], [2, 7, 3], [1, 1, 1], [4, 3, 2]] {
        let [rows, columns, inner] = [m, n, k].map(|size| size as usize);
        let inputs = tensors(&[
            ("A", filled(1, &[rows, inner])),
            ("B", filled(2, &[inner, columns])),
            ("D", filled(3, &[columns])),
        ]);
        for list in [&[("j", 4)][..], &[("i", 2), ("j", 3)]] {
            hold(chain, list, &[("M", m), ("N", n), ("K", k)], &inputs);
        }
    }
    assert!(refused(chain, &[("k", 2)]).contains("`k` cannot be divided into strips: it is reduced over"));
}

fn refused(text: &str, list: &[(&str, i64)]) -> String {
    let cut = cut_spaces(&system(text)).expect("spaces");
    render(&cut.in_strips(&strips(list)).expect_err("it is refused"), false)
}

#[test]
fn what_has_no_strip_and_position_is_refused() {
    assert!(refused(LAYER, &[("k", 4)]).contains("`k` cannot be divided into strips: it is reduced over"));
    // What a sum reads lies in a strip that its own index tells.
    let solve =
        "kernel solve(N)\nin L[N, N], b[N]\nout x[N]\nx[i] = (b[i] - sum(j in 0..i) L[i, j] * x[j]) / L[i, i]\n";
    // An index that is divided lies somewhere else along the axis.
    let twice = "kernel twice(N)\nin a[N]\nlocal x[N + N]\nout y[N, N]\n\
                 x[u] = a[u] * 2 where 0 <= u < N\nx[u + N] = a[u] where 0 <= u < N\ny[t, i] = x[t + i] + 1\n";
    let said = refused(twice, &[("u", 4)]);
    assert!(said.contains("lies at `N + u` along it"), "{said}");
    // The twins: what hangs on an index that is not in strips is a quotient of it.
    let n = 5;
    let inputs = tensors(&[("L", dominant(1, n)), ("b", filled(2, &[n]))]);
    hold(solve, &[], &[("N", n as i64)], &inputs);
    hold(solve, &[("i", 4)], &[("N", n as i64)], &inputs);
    hold(solve, &[("i", 2)], &[("N", n as i64)], &inputs);
    let shifted = "kernel shifted(N)\nin a[N]\nlocal x[N + N]\nout y[N, N]\n\
                   x[u] = a[u] * 2 where 0 <= u < N\nx[u] = a[u - N] where N <= u < N + N\ny[t, i] = x[t + i] + 1\n";
    hold(shifted, &[("u", 4)], &[("N", n as i64)], &tensors(&[("a", filled(2, &[n]))]));
}

/// An equation at one place of an axis lies in the strip that the place is in, and at its position there.
#[test]
fn what_lies_at_one_place_of_an_axis_is_in_its_strip() {
    let border = "kernel border(N)\nin x[N]\nlocal z[N]\nout y[N]\nz[i] = x[i] where 0 <= i < N - 1\nz[N - 1] = x[0] * 2\n\
                  y[i] = z[N - 1 - i] + 1\n";
    let corner = "kernel corner(M, N)\nin x[M + N]\nout y[M + N]\ny[i] = x[i] * 2 where 0 <= i < M\ny[M] = y[M - 1] + x[M]\n\
                  y[i] = y[M] + x[i] where M < i < M + N\n";
    let square = "kernel square(N)\nin A[N, N]\nlocal z[N, N]\nout y[N, N]\n\
                  z[i, j] = A[i, j] where 0 <= i < N - 1, 0 <= j < N - 1\nz[N - 1, j] = A[N - 1, j] + 1 where 0 <= j < N - 1\n\
                  z[i, N - 1] = A[i, N - 1] + 2 where 0 <= i < N - 1\nz[N - 1, N - 1] = A[N - 1, N - 1] + 3\n\
                  y[i, j] = z[i, j] + 1\n";
    let closure = include_str!("../../kernels/transitive_closure.rec");
    for n in 1..=9 {
        let (side, at) = (n as usize, [("N", n)]);
        let x = tensors(&[("x", filled(1, &[side]))]);
        for size in [1, 4, 5] {
            hold(border, &[("i", size)], &at, &x);
        }
        for m in [1, 3, 4] {
            let x = tensors(&[("x", filled(3, &[side + m]))]);
            hold(corner, &[("i", 4)], &[("M", m as i64), ("N", n)], &x);
        }
        let edges = tensors(&[("A", filled(2, &[side, side]).mapv(|value| f64::from(value > 0.5)))]);
        for list in [&[("i", 4), ("j", 4)][..], &[("i", 3)], &[("j", 2)]] {
            hold(closure, list, &at, &edges);
            hold(square, list, &at, &edges);
            // The corner has an index of its own along each axis.
            let corner = divided(&system(square), list).spaces[3].indices().len();
            assert_eq!(corner, 2 * list.len());
        }
    }
}

fn messages(schedule: &str) -> String {
    let text =
        format!("kernel p(N)\nin A[N, N], B[N, N]\nout C[N, N]\nC[i, j] = sum(k) A[i, k] * B[k, j]\n{schedule}\n");
    load(&Text::new("test.rec", text)).map_or_else(|errors| render(&errors, false), |_| String::new())
}

#[test]
fn each_index_that_a_schedule_divides_has_one_length() {
    let line = |place: &str| format!("schedule s\nplace {place}");
    assert_eq!(messages(&line("(i mod 4, j mod 4)")), "");
    assert_eq!(messages("schedule s\nplace (i mod 4)\ntime (i div 4, j, i + k)\nstream B along i"), "");
    for (schedule, part) in [
        (line("(i mod 4, i div 8)"), "`i` is in strips of 4 and in strips of 8"),
        (line("(i mod 0)"), "a strip of no points"),
        (line("(x mod 4)"), "unknown index `x`"),
        (format!("{}\nstream A along i mod 4", line("(i mod 4)")), "`A` cannot move along `i mod 4`"),
    ] {
        let said = messages(&schedule);
        assert!(said.contains(part), "{schedule}\n{said}");
    }
}
