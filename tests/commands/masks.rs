//! A run of a form is held to the kernel as it is written, too: masks, and what a form for finite inputs makes of them.

use super::start::{good, json, systole};
use ndarray::{Array1, Array2, ArrayD};
use ndarray_npy::{read_npy, write_npy};
use serde_json::json;
use std::path::Path;

/// A report's kernel, for which online forms gave NaN.
const LOG_SUM: &str = "kernel k(N, M)\nin X[N, M]\nout Y[N]\nlocal m[N]
m[i] = max(k) X[i, k]\nY[i] = m[i] + log(sum(k) exp(X[i, k] - m[i]))\n";

const MASK: f64 = f64::NEG_INFINITY;

fn path(folder: &Path, file: &str) -> String {
    folder.join(file).display().to_string()
}

/// The values that NumPy has for the rows of the report, by the text, the form of the best design, and a derived kernel.
#[test]
fn forms_bear_masks() {
    let folder = tempfile::tempdir().unwrap();
    let path = |file: &str| path(folder.path(), file);
    std::fs::write(path("k.rec"), LOG_SUM).unwrap();
    // Three more keys, all masked: of so many the form in one pass is the best.
    let rows = |rows: [[f64; 3]; 3]| {
        let long = rows.iter().flat_map(|row| row.iter().copied().chain([MASK; 3]));
        Array2::from_shape_vec((3, 6), long.collect()).unwrap()
    };
    write_npy(path("x.npy"), &rows([[MASK, 1.0, 2.0], [MASK, MASK, 0.0], [3.0, MASK, 1.0]])).unwrap();
    good(&["derive", &path("k.rec"), "-o", &path("online.rec")]);
    assert!(std::fs::read_to_string(path("online.rec")).unwrap().contains("reduction rescaled"));
    let (input, output) = (format!("X={}", path("x.npy")), format!("Y={}", path("y.npy")));
    let data = ["--size", "N=3,M=6", "--input", &input, "--output", &output];
    for (kernel, forms) in [("k.rec", &[][..]), ("k.rec", &["--forms"]), ("online.rec", &[])] {
        let text = good(&[&["run", &path(kernel)], forms, &data[..]].concat());
        assert!(text.contains("matches reference bit for bit"), "{text}");
        assert_eq!(text.contains("kernel as written"), !forms.is_empty(), "{text}");
        let found: ArrayD<f64> = read_npy(path("y.npy")).unwrap();
        let wanted = [2.313_261_687_518_223, 0.0, 3.126_928_011_042_972_7];
        assert!(found.iter().zip(wanted).all(|(ours, wanted)| (ours - wanted).abs() < 1e-12), "{found}");
    }
    // Where no key is left the text has no number, and the form has the logarithm of 0.
    write_npy(path("x.npy"), &rows([[MASK, MASK, MASK], [MASK, MASK, 0.0], [3.0, MASK, 1.0]])).unwrap();
    let found = json(&[&["run", &path("k.rec"), "--forms"], &data[..]].concat());
    let beside = &found["sim"]["as_written"];
    assert_eq!(
        (&beside["matches"], &beside["element"], &beside["gained"]),
        (&json!(true), &json!(null), &json!(["Y[0]"]))
    );
    assert!(beside["rounding"].as_f64().unwrap() < 1e-15 && found["sim"]["matches_reference"] == json!(true));
}

/// A sliding sum never forgets an infinity: its own order of operations has been kept to, and the answer is another one.
#[test]
fn a_form_that_differs_refutes_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = |file: &str| path(folder.path(), file);
    let mut values = vec![1.0; 7];
    write_npy(path("x.npy"), &Array1::from_vec(values.clone())).unwrap();
    let input = format!("x={}", path("x.npy"));
    let flags = [
        "run",
        "kernels/naive/sliding_sum.rec",
        "--forms",
        "--objective",
        "pes",
        "--size",
        "N=5,K=3",
        "--input",
        &input,
    ];
    let text = good(&flags);
    assert!(text.contains("finite: not for infinite inputs"), "{text}");
    assert!(text.contains("as written  has the bits of the kernel as written"), "{text}");
    values[0] = MASK;
    write_npy(path("x.npy"), &Array1::from_vec(values)).unwrap();
    let ran = systole(&flags);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("DIFFERS from the kernel as written: `s["), "{}", ran.stdout);
    assert!(ran.stdout.contains("is NaN, and should be 3"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("next:"), "nothing is to be done with it: {}", ran.stdout);
    // The twin: as it is written, sums of windows have no memory.
    let own: Vec<&str> = flags.iter().copied().filter(|flag| *flag != "--forms").collect();
    good(&own);
    let found = json(&own);
    assert!(found["sim"]["as_written"].is_null());
}
