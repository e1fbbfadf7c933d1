//! Masks, which are inputs of `-infinity`: kernels as they are written, all their forms, and attention that ships, against models in plain Rust.
//!
//! The models add up exponentials as they stand, which the small numbers here allow. Where a kernel has no number, such as the mean of no
//! values, a form may have one; it has none, or another one, nowhere else.

use crate::common::{LIMITS, algebra, derived, naive, sizes};
use ndarray::{ArrayD, IxDyn};
use systole::algebra::{CoordinateCount, Coordinates, Derivation, Recast, Wanted, derive_recast, recast};
use systole::integer::{Bindings, name};
use systole::recurrence::{RecurrenceSystem, Tensors, evaluate, load};
use systole::rewrite::Tag;
use systole::span::Source;

const MASK: f64 = f64::NEG_INFINITY;

/// Rows of six scores: none, leading, trailing, scattered, all but one and all of them masked.
const ROWS: [[f64; 6]; 6] = [
    [0.5, 1.0, -2.0, 0.25, 3.0, 0.0],
    [MASK, MASK, 1.0, 0.5, 2.0, -1.0],
    [0.25, 1.0, 3.0, 0.5, MASK, MASK],
    [MASK, 2.0, MASK, 0.5, MASK, -0.5],
    [MASK, MASK, MASK, MASK, MASK, 1.5],
    [MASK; 6],
];

const VALUES: [f64; 6] = [1.0, -2.0, 0.5, 4.0, -0.25, 3.0];

fn kernel(text: &str) -> RecurrenceSystem {
    load(&Source::new("masks.rec", text)).unwrap()
}

fn shipped(path: &str) -> RecurrenceSystem {
    let path = format!("{}/kernels/{path}.rec", env!("SYSTOLE_ROOT"));
    kernel(&std::fs::read_to_string(path).unwrap())
}

fn array(shape: &[usize], values: impl IntoIterator<Item = f64>) -> ArrayD<f64> {
    ArrayD::from_shape_vec(IxDyn(shape), values.into_iter().collect()).unwrap()
}

fn tensors<const N: usize>(list: [(&str, ArrayD<f64>); N]) -> Tensors {
    list.into_iter().map(|(tensor, values)| (name(tensor), values)).collect()
}

/// The mean of values, weighted by the exponentials of their scores: no number where there is no weight.
fn weighted(scores: &[f64], values: &[f64]) -> f64 {
    let sum: f64 = scores.iter().map(|score| score.exp()).sum();
    scores.iter().zip(values).map(|(score, value)| score.exp() * value).sum::<f64>() / sum
}

/// The logarithm of the sum of exponentials: -infinity where nothing is added.
fn log_sum(scores: &[f64]) -> f64 {
    scores.iter().map(|score| score.exp()).sum::<f64>().ln()
}

fn is_close(one: f64, other: f64) -> bool {
    one == other || (one - other).abs() <= 1e-12 * other.abs().max(1.0)
}

/// Forms in these coordinates, all up to so many or the front, with their kernel in the same.
fn forms(
    system: &RecurrenceSystem,
    coordinates: &[Coordinates],
    at: &Bindings,
    all: Option<usize>,
) -> (Recast, Derivation) {
    let recast = recast(system, coordinates).unwrap();
    let wanted = Wanted { sizes: at, limits: LIMITS, all };
    let derivation = derive_recast(&recast, &algebra(), &wanted).unwrap();
    (recast, derivation)
}

/// The kernel, in these coordinates, has the values of the model wherever it has a number, and each of its forms, of which there are some,
/// has them there too. How many elements the kernel has no number of.
fn agree(recast: &Recast, found: &Derivation, at: &Bindings, inputs: &Tensors, model: &[f64]) -> usize {
    let output = |system: &RecurrenceSystem| -> Vec<f64> {
        evaluate(system, at, inputs).unwrap().values().next().unwrap().iter().copied().collect()
    };
    let written = output(&recast.system);
    assert_eq!(written.len(), model.len());
    let numbers = || written.iter().zip(model).enumerate().filter(|(_, (written, _))| !written.is_nan());
    for (at, (written, model)) in numbers() {
        assert!(is_close(*written, *model), "element {at} as written: {written}, not {model}");
    }
    assert!(found.forms.len() > 1);
    for form in &found.forms {
        let ours = output(&kernel(&form.text));
        for (at, (_, model)) in numbers() {
            assert!(is_close(ours[at], *model), "element {at}: {}, not {model}, by\n{}", ours[at], form.text);
        }
        assert_eq!(form.masked, None, "{}", form.text);
    }
    written.iter().filter(|value| value.is_nan()).count()
}

/// The kernel of a report: online forms gave NaN for leading masks, and NumPy gives 2.3133, 0 and 3.1269 for these rows.
const LOG_SUM: &str = "kernel k(N, M)\nin X[N, M]\nout Y[N]\nlocal m[N]
m[i] = max(k) X[i, k]\nY[i] = m[i] + log(sum(k) exp(X[i, k] - m[i]))\n";

#[test]
fn the_logarithm_of_a_sum_bears_masks() {
    let at = sizes(&[("N", 3), ("M", 3)]);
    let rows = [MASK, 1.0, 2.0, MASK, MASK, 0.0, 3.0, MASK, 1.0];
    let numpy = [2.313_261_687_518_223, 0.0, 3.126_928_011_042_972_7];
    let (recast, found) = forms(&kernel(LOG_SUM), &[], &at, Some(64));
    assert_eq!(agree(&recast, &found, &at, &tensors([("X", array(&[3, 3], rows))]), &numpy), 0);
    // The text takes a mask from a mask where there is no key; without a maximum it has the logarithm of 0.
    let at = sizes(&[("N", 6), ("M", 6)]);
    let inputs = tensors([("X", array(&[6, 6], ROWS.concat()))]);
    let model = ROWS.map(|row| log_sum(&row));
    assert_eq!(model[5], MASK);
    for (system, without) in [(kernel(LOG_SUM), 1), (naive("soft_maximum"), 0)] {
        let (recast, found) = forms(&system, &[], &at, Some(64));
        assert_eq!(agree(&recast, &found, &at, &inputs, &model), without);
    }
}

#[test]
fn a_mean_weighted_by_a_softmax_bears_masks() {
    let plain = "kernel mean(N, M)\nin X[N, M], v[M]\nout o[N]\nlocal E[N, M], l[N]
E[i, j] = exp(X[i, j])\nl[i] = sum(j) E[i, j]\no[i] = sum(j) (E[i, j] / l[i]) * v[j]\n";
    let shifted = "kernel mean(N, M)\nin X[N, M], v[M]\nout o[N]\nlocal m[N], E[N, M], l[N]\nm[i] = max(j) X[i, j]
E[i, j] = exp(X[i, j] - m[i])\nl[i] = sum(j) E[i, j]\no[i] = sum(j) (E[i, j] / l[i]) * v[j]\n";
    let at = sizes(&[("N", 6), ("M", 6)]);
    let inputs = tensors([("X", array(&[6, 6], ROWS.concat())), ("v", array(&[6], VALUES))]);
    let model = ROWS.map(|row| weighted(&row, &VALUES));
    for text in [plain, shifted] {
        let (recast, found) = forms(&kernel(text), &[], &at, Some(64));
        assert_eq!(agree(&recast, &found, &at, &inputs, &model), 1);
        // The mean of no values is 0 / 0 in every form too.
        for form in &found.forms {
            let ours = evaluate(&kernel(&form.text), &at, &inputs).unwrap();
            assert!(ours[&name("o")][[5]].is_nan(), "{}", form.text);
        }
    }
}

/// Which of six keys are masked.
const MASKED: [&[usize]; 6] = [&[], &[0, 1], &[4, 5], &[1, 2], &[0, 1, 2, 3, 4], &[0, 1, 2, 3, 4, 5]];

/// Two queries of width 2, six keys and values, and what attention is by the model: a key is masked by `-infinity` where queries have 1.
fn heads(masked: &[usize]) -> ([Vec<f64>; 3], Vec<f64>) {
    let queries = vec![1.0, 0.5, 1.0, -1.5];
    let keys: Vec<[f64; 2]> =
        (0..6).map(|key| [if masked.contains(&key) { MASK } else { 0.25 }, VALUES[key]]).collect();
    let values: Vec<[f64; 2]> = (0..6).map(|key| [VALUES[5 - key], key as f64 - 2.0]).collect();
    let mut model = vec![];
    for query in queries.chunks(2) {
        let score = |key: &[f64; 2]| (query[0] * key[0] + query[1] * key[1]) / 2.0_f64.sqrt();
        let scores: Vec<f64> = keys.iter().map(score).collect();
        model.extend((0..2).map(|d| weighted(&scores, &values.iter().map(|value| value[d]).collect::<Vec<f64>>())));
    }
    ([queries, keys.concat(), values.concat()], model)
}

#[test]
fn attention_bears_masks() {
    let at = sizes(&[("N", 2), ("M", 6), ("D", 2)]);
    for system in [naive("attention"), naive("softmax_attention")] {
        let (recast, found) = forms(&system, &[], &at, Some(64));
        for masked in MASKED {
            let ([q, k, v], model) = heads(masked);
            let inputs = tensors([("Q", array(&[2, 2], q)), ("K", array(&[6, 2], k)), ("V", array(&[6, 2], v))]);
            let without = agree(&recast, &found, &at, &inputs, &model);
            assert_eq!(without, if masked.len() == 6 { 4 } else { 0 });
        }
    }
}

/// Blocks of two keys, of which the first, the last, none or all may be masked as a whole.
#[test]
fn attention_in_blocks_bears_masks() {
    let at = sizes(&[("N", 2), ("R", 3), ("W", 2), ("D", 2)]);
    let blocks = [Coordinates::Split {
        index: name("j"),
        parts: vec![CoordinateCount::Size(name("R")), CoordinateCount::Size(name("W"))],
    }];
    for system in [naive("attention"), naive("softmax_attention")] {
        let (recast, found) = forms(&system, &blocks, &at, None);
        for masked in MASKED {
            let ([q, k, v], model) = heads(masked);
            let inputs = tensors([("Q", array(&[2, 2], q)), ("K", array(&[3, 2, 2], k)), ("V", array(&[3, 2, 2], v))]);
            agree(&recast, &found, &at, &inputs, &model);
        }
    }
}

/// The online attention that ships, and that over blocks of 128 keys of width 64, of which two places are used.
#[test]
fn attention_that_ships_bears_masks() {
    let (online, blocks) = (shipped("flash_attention"), shipped("blocks/attention"));
    for masked in MASKED {
        let ([q, k, v], model) = heads(masked);
        let small = tensors([
            ("Q", array(&[2, 2], q.clone())),
            ("K", array(&[6, 2], k.clone())),
            ("V", array(&[6, 2], v.clone())),
        ]);
        let found = evaluate(&online, &sizes(&[("N", 2), ("M", 6), ("D", 2)]), &small).unwrap();
        assert!(found[&name("O")].iter().zip(&model).all(|(ours, model)| same(*ours, *model)), "{masked:?}: {found:?}");
        // Scores are halves of eighths here, so queries are larger; keys 6 to 255 are masked as well.
        let wide = |narrow: &[f64], rows: usize, rest: f64, scale: f64| {
            let element = |at: usize| match (at / 64, at % 64) {
                (row, column @ 0..2) => {
                    narrow.get(2 * row + column).map_or(if column == 0 { rest } else { 0.0 }, |x| x * scale)
                }
                _ => 0.0,
            };
            (0..64 * rows).map(element).collect::<Vec<f64>>()
        };
        let large = tensors([
            ("Q", array(&[2, 64], wide(&q, 2, 0.0, 8.0 / 2.0_f64.sqrt()))),
            ("K", array(&[2, 128, 64], wide(&k, 256, MASK, 1.0))),
            ("V", array(&[2, 128, 64], wide(&v, 256, 0.0, 1.0))),
        ]);
        let found = evaluate(&blocks, &sizes(&[("N", 2), ("R", 2)]), &large).unwrap();
        for (query, model) in model.chunks(2).enumerate() {
            let ours = [0, 1].map(|d| found[&name("O")][[query, d]]);
            assert!(same(ours[0], model[0]) && same(ours[1], model[1]), "{masked:?}: {ours:?}, not {model:?}");
        }
    }
}

fn same(ours: f64, model: f64) -> bool {
    is_close(ours, model) || ours.is_nan() && model.is_nan()
}

/// A window that an infinity has left keeps it in a sum that goes on from the one before, and the form says so.
#[test]
fn a_form_for_finite_inputs_says_so() {
    let found = derived(&naive("sliding_sum"), &algebra());
    let form = found.forms.iter().find(|form| form.steps.iter().any(|law| law.step.rule == "sliding")).unwrap();
    assert_eq!(form.tag, Tag::Finite);
    assert!(form.masked.as_ref().is_some_and(|element| element.contains("is NaN, and should be")), "{:?}", form.masked);
    // The twin without that law holds.
    let left = derived(&naive("sliding_sum"), &algebra().without_tag(Tag::Finite));
    assert!(left.forms.iter().all(|form| form.tag < Tag::Finite && form.masked.is_none()));
}
