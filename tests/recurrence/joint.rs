//! Declared reductions over tuples: they mean the plain equations that they are written out as, and their laws are tried.

use crate::kernel_texts::PLAIN_ATTENTION;
use crate::support::{filled, kernel, outputs, sizes, system, tensors};
use ndarray::ArrayD;
use systole_base::integer::{Bindings, name};
use systole_base::span::Source;
use systole_equations::recurrence::{RecurrenceSystem, Role, evaluate, load};

fn bits(array: &ArrayD<f64>) -> Vec<u64> {
    assert!(array.iter().all(|value| value.is_finite()), "{array}");
    array.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn flash_attention_is_its_plain_recurrence_bit_for_bit() {
    let plain = system(PLAIN_ATTENTION);
    for (n, m, d) in crate::tables::HEADS {
        let (q, k, v) = (filled(7, &[n, d]), filled(8, &[m, d]), filled(9, &[m, d]));
        let pairs = [("N", n), ("M", m), ("D", d)];
        let joint = outputs("flash_attention.rec", &pairs, &[("Q", &q), ("K", &k), ("V", &v)]);
        let inputs = tensors(&[("Q", q), ("K", k), ("V", v)]);
        let expected = evaluate(&plain, &sizes(&pairs.map(|(name, size)| (name, size as i64))), &inputs).unwrap();
        assert_eq!(bits(&joint["O"]), bits(&expected["O"]), "{pairs:?}");
    }
}

/// The equations with blanks taken out.
fn equations(system: &RecurrenceSystem) -> Vec<String> {
    let text = system.to_string();
    text.lines()
        .filter(|line| !line.starts_with(' ') && line.contains(" = "))
        .map(|line| line.replace(' ', ""))
        .collect()
}

#[test]
fn a_joint_equation_is_written_out_with_every_dependence_at_distance_one() {
    let flash = kernel("flash_attention.rec");
    assert_eq!(
        equations(&flash),
        [
            "S[i,j]=(sum(d)(Q[i,d]*K[j,d]))/(sqrt(D))",
            "O[i,d]=o_over_j[i,d,M]/l_over_j[i,M]",
            "m_over_j[i,0]=-infinity",
            "m_over_j[i,j+1]=max(m_over_j[i,j],S[i,j])",
            "l_over_j[i,0]=0",
            "l_over_j[i,j+1]=select(eq(m_over_j[i,j+1],-infinity),0,((exp(m_over_j[i,j]-m_over_j[i,j+1]))*l_over_j[i,j])+((exp(S[i,j]-m_over_j[i,j+1]))*1))",
            "o_over_j[i,d,0]=0",
            "o_over_j[i,d,j+1]=select(eq(m_over_j[i,j+1],-infinity),0,((exp(m_over_j[i,j]-m_over_j[i,j+1]))*o_over_j[i,d,j])+((exp(S[i,j]-m_over_j[i,j+1]))*V[j,d]))",
        ]
    );
    let text = flash.to_string();
    assert!(text.contains("depends     on `o_over_j` itself at uniform distance (0, 0, 1)"), "{text}");
}

/// The greatest score, the weights and the weighted values of each prefix, by the operator of `kernels/flash_attention.rec`.
const PREFIXES: &str = "
kernel prefixes(N)
in  s[N], v[N]
out m[N], l[N], o[N]
reduction online(m, l, o) with (x, p, v) = (
    max(m, x),
    select(max(m, x) == -infinity, 0, exp(m - max(m, x)) * l + exp(x - max(m, x)) * p),
    select(max(m, x) == -infinity, 0, exp(m - max(m, x)) * o + exp(x - max(m, x)) * v)) from (-infinity, 0, 0)
(m[i], l[i], o[i]) = online(j in 0..RANGE) (s[j], 1, v[j])";

/// A mask, as the only key or the first one too, leaves the neutral tuple: what stands beside it is not read.
#[test]
fn a_mask_alone_is_as_good_as_nothing() {
    for (range, length) in [("i + 1", &(|i: usize| i + 1) as &dyn Fn(usize) -> usize), ("N", &|_| 4), ("i", &|i| i)] {
        let system = system(&PREFIXES.replace("RANGE", range));
        for masks in 0..1_u32 << 4 {
            let is_masked = |j: usize| masks & (1 << j) != 0;
            let score = |j: usize| if is_masked(j) { f64::NEG_INFINITY } else { [0.5, -1.25, 2.0, 1.0][j] };
            let value = |j: usize| if is_masked(j) { 1e6 } else { [3.0, -1.0, 0.25, 2.0][j] };
            let array = |of: &dyn Fn(usize) -> f64| ndarray::Array1::from_iter((0..4).map(of)).into_dyn();
            let inputs = tensors(&[("s", array(&score)), ("v", array(&value))]);
            let found = evaluate(&system, &sizes(&[("N", 4)]), &inputs).unwrap();
            for i in 0..4 {
                let keys: Vec<usize> = (0..length(i)).filter(|j| !is_masked(*j)).collect();
                let most = keys.iter().map(|j| score(*j)).fold(f64::NEG_INFINITY, f64::max);
                let sum =
                    |of: &dyn Fn(usize) -> f64| keys.iter().map(|j| (score(*j) - most).exp() * of(*j)).sum::<f64>();
                let expected = [most, sum(&|_| 1.0), sum(&value)];
                for (name, expected) in ["m", "l", "o"].into_iter().zip(expected) {
                    let found = found[name][[i]];
                    let is_close = found == expected || (found - expected).abs() < 1e-12;
                    assert!(is_close, "{range}, masks {masks:b}: {name}[{i}] is {found}, not {expected}");
                }
            }
        }
    }
}

/// Where the neutral tuple changes no first term there is no operation for it, and a sum of -0 alone is -0; rounding is no change.
#[test]
fn a_first_term_that_nothing_changes_stands_alone() {
    let first = |operator: &str, terms: &str| {
        let text = format!(
            "kernel k(N)\nin A[N], B[N]\nout s, t\nreduction r(a, b) with (c, d) = {operator}\n(s, t) = r(i) ({terms})"
        );
        equations(&system(&text)).into_iter().filter(|line| line.contains("_over_i[0]=")).collect::<Vec<_>>()
    };
    let plain = ["s_over_i[0]=A[0]", "t_over_i[0]=B[0]"];
    for operator in [
        "(a + c, b + d) from (0, 0)",
        "(a * c, b * c + d) from (1, 0)",
        "(max(a, c), min(b, d)) from (-infinity, infinity)",
        "(log(exp(a) + exp(c)), max(b, d)) from (-infinity, -infinity)",
        "(max(a, c), select(a < c, d, select(c < a, b, max(b, d)))) from (-infinity, -infinity)",
    ] {
        assert_eq!(first(operator, "A[i], B[i]"), plain, "{operator}");
    }
    // The greatest and its place: of masks alone the place is the neutral one, where it is another than that of the first of them.
    let place = "(max(a, c), select(max(a, c) == -infinity, 7, select(c > a, d, b))) from (-infinity, 7)";
    assert_eq!(first(place, "A[i], B[i]"), ["s_over_i[0]=-infinity", "t_over_i[0]=7"]);
    assert_eq!(first(place, "A[i], 7"), [plain[0], "t_over_i[0]=7"]);
}

/// The place and the value of the largest element: a tuple that is handed out, over a range that does not begin at 0.
const LARGEST: &str = "
kernel largest(M, N)
in  A[M, N + 2]
out value[M], place[M]
reduction later(a, i) with (b, j) = (max(a, b), select(a < b, j, select(b < a, i, max(i, j)))) from (-infinity, -infinity)
(value[r], place[r]) = later(c in 2..N + 2) (2 * A[r, c] + 1, c)";

#[test]
fn outputs_ranges_and_terms_may_be_of_any_form() {
    let largest = system(LARGEST);
    assert_eq!(largest.tensors_with(Role::Local).count(), 3, "two scans and the compound term");
    for (m, n) in [(1, 1), (2, 1), (1, 2), (2, 2), (3, 7), (5, 4)] {
        let a = filled(m + n, &[m, n + 2]).mapv(f64::floor);
        let found =
            evaluate(&largest, &sizes(&[("M", m as i64), ("N", n as i64)]), &tensors(&[("A", a.clone())])).unwrap();
        for r in 0..m {
            let best = (2..n + 2).map(|c| 2.0 * a[[r, c]] + 1.0).fold(f64::NEG_INFINITY, f64::max);
            let place = (2..n + 2).rfind(|c| 2.0 * a[[r, *c]] + 1.0 == best).unwrap();
            assert_eq!((found["value"][[r]], found["place"][[r]]), (best, place as f64), "M = {m}, N = {n}, row {r}");
        }
    }
}

/// The messages that a reduction of pairs is refused with.
fn refused(values: &str, neutral: &str) -> Vec<String> {
    let text = format!(
        "kernel k(N)\nin A[N], B[N]\nout s, t\nreduction r(a, b) with (c, d) = ({values}) from ({neutral})\n\
         (s, t) = r(i) (A[i], B[i])"
    );
    match load(&Source::new("law.rec", text)) {
        Ok(_) => vec![],
        Err(errors) => errors.iter().map(|error| error.message().to_owned()).collect(),
    }
}

#[test]
fn a_tuple_has_at_most_sixteen_components() {
    let message = |size: usize| {
        let list = |write: &dyn Fn(usize) -> String| (0..size).map(write).collect::<Vec<_>>().join(", ");
        let (left, right) = (list(&|i| format!("a{i}")), list(&|i| format!("b{i}")));
        let (sums, zeros) = (list(&|i| format!("a{i} + b{i}")), list(&|_| "0".to_owned()));
        let text = format!(
            "kernel k(N)\nin A[N]\nout {}\nreduction r({left}) with ({right}) = ({sums}) from ({zeros})\n({}) = r(i) ({})",
            list(&|i| format!("s{i}")),
            list(&|i| format!("s{i}")),
            list(&|_| "A[i]".to_owned()),
        );
        load(&Source::new("wide.rec", text)).err().map(|errors| errors[0].message().to_owned())
    };
    assert_eq!(message(16), None);
    assert_eq!(message(17), Some("a reduction of 17 components, the limit is 16".to_owned()));
}

#[test]
fn associative_operators_are_accepted_and_near_misses_refused() {
    let accepted = [
        ("a + c, b + d", "0, 0"),
        ("a * c, b * c + d", "1, 0"),
        ("max(a, c), min(b, d)", "-infinity, infinity"),
        ("a, b", "0, 0"),
        ("a * c - b * d, a * d + b * c", "1, 0"),
    ];
    for (values, neutral) in accepted.iter().filter(|(values, _)| *values != "a, b") {
        assert_eq!(refused(values, neutral), [""; 0], "{values}");
    }
    // The left operand alone is associative, and has no neutral tuple on the left.
    assert_eq!(refused("a, b", "0, 0"), ["`(0, 0)` is not neutral for reduction `r`"]);
    for values in ["a - c, b + d", "a * c, a * c + d", "a * c + b * d, a * d - b * c", "max(a, -c), d"] {
        assert_eq!(refused(values, "0, 0"), ["reduction `r` is not associative"], "{values}");
    }
    for (values, neutral) in
        [("a + c, b + d", "0, 1"), ("a * c, b * c + d", "0, 0"), ("max(a, c), min(b, d)", "0, infinity")]
    {
        let message = refused(values, neutral);
        assert_eq!(message.len(), 1, "{values}");
        assert!(message[0].contains("is not neutral"), "{message:?}");
    }
}

/// What only infinities refute: masks that leave no number, a neutral tuple above them. Infinities that the neutral tuple does not have, such as
/// those of a product, are not held against a reduction.
#[test]
fn masks_are_tuples_too() {
    let sum = "exp(a - max(a, c)) * b + exp(c - max(a, c)) * d";
    let masked = |values: &str| refused(values, "-infinity, 0");
    assert_eq!(masked(&format!("max(a, c), {sum}")), ["reduction `r` is not associative"]);
    assert_eq!(masked(&format!("max(a, c), select(max(a, c) == -infinity, 0, {sum})")), [""; 0]);
    let largest = |neutral: &str| refused("max(a, c), b + d", neutral);
    assert_eq!(largest("-1.75e308, 0"), ["`(-1.75e308, 0)` is not neutral for reduction `r`"]);
    assert_eq!(largest("-infinity, 0"), [""; 0]);
    assert_eq!(refused("min(a, c), b * d", "infinity, 1"), [""; 0]);
}

/// The counterexample is as simple as it is found, and infinities are written as kernels write them.
#[test]
fn a_mask_is_shown_as_kernels_write_it() {
    let values = "max(a, c), exp(a - max(a, c)) * b + exp(c - max(a, c)) * d";
    let text = format!(
        "kernel k(N)\nin A[N], B[N]\nout s, t\nreduction r(a, b) with (c, d) = ({values}) from (-infinity, 0)\n(s, t) = r(i) (A[i], B[i])"
    );
    let errors = load(&Source::new("law.rec", text)).unwrap_err();
    let message = errors[0].to_string();
    assert!(message.contains("for a = (0, 0), b = (-infinity, 0), c = (-infinity, 0):"), "{message}");
    assert!(message.contains("(a b) c = (0, 0), a (b c) = (0, NaN)"), "{message}");
}

/// `infinity` is a number wherever an expression is, but in subscripts and bounds.
#[test]
fn infinity_is_a_literal() {
    let text = "kernel k(N)\nin A[N]\nout B[N]\nB[i] = select(A[i] == -infinity, 0, min(A[i], infinity - 1))";
    let system = load(&Source::new("infinity.rec", text)).unwrap();
    let input = ndarray::arr1(&[f64::NEG_INFINITY, 2.0, f64::INFINITY]).into_dyn();
    let sizes = [(name("N"), 3)].into();
    let found = evaluate(&system, &sizes, &[(name("A"), input)].into()).unwrap();
    assert_eq!(found["B"].as_slice().unwrap(), [0.0, 2.0, f64::INFINITY]);
    let shown = systole_equations::syntax::print(
        &systole_equations::syntax::parse(&Source::new("infinity.rec", text)).unwrap(),
    );
    assert!(shown.contains("select(A[i] == -infinity, 0, min(A[i], infinity - 1))"), "{shown}");
    let wrong =
        |line: &str| load(&Source::new("wrong.rec", format!("kernel k(N)\nin A[N]\nout B[N]\n{line}"))).unwrap_err();
    assert!(wrong("B[i] = A[infinity]")[0].to_string().contains("`infinity` where a whole number is needed"));
    assert!(load(&Source::new("name.rec", "kernel k(N)\nin infinity[N]\nout B[N]\nB[i] = infinity[i]")).is_err());
}

/// Reads inside a reduction that may be empty say nothing of how far an index goes: `k` reaches beyond `b` where nothing is read.
#[test]
fn an_index_goes_as_far_as_its_range_where_inner_reductions_are_empty() {
    let text = |term: &str| {
        format!(
            "kernel nested(M, N)\nin b[N]\nout Y[M], Z[M]\nreduction plus(p, q) with (u, v) = (p + u, q + v) from (0, 0)\n\
             (Y[i], Z[i]) = plus(k in 0..i) ({term}, 1)"
        )
    };
    let system =
        load(&Source::new("test.rec", text("prod(l in i + 1..N) b[k]"))).expect("every read is within its tensor");
    let sizes: Bindings = [(name("M"), 4), (name("N"), 2)].into_iter().collect();
    let b = ArrayD::from_shape_vec(vec![2], vec![3.0, 5.0]).unwrap();
    let found = evaluate(&system, &sizes, &[(name("b"), b)].into_iter().collect()).expect("values");
    // For i = 1 and k = 0 the product runs over no l; where N > i + 1 it has b[k].
    assert_eq!(found["Y"].as_slice().unwrap(), [0.0, 1.0, 2.0, 3.0]);
    assert_eq!(found["Z"].as_slice().unwrap(), [0.0, 1.0, 2.0, 3.0]);
    let refused = load(&Source::new("test.rec", text("b[k]"))).expect_err("`b` has no element `k` where N <= k < i");
    assert!(refused[0].message().contains("can leave its bounds"), "{refused:?}");
}
