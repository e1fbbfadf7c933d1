//! Derived kernels through the whole pipeline, by the command line.

use assert_cmd::Command;
use serde_json::Value;

fn systole(flags: &[&str]) -> std::process::Output {
    Command::cargo_bin("systole").unwrap().current_dir(env!("CARGO_MANIFEST_DIR")).args(flags).output().unwrap()
}

fn object(flags: &[&str]) -> Value {
    let output = systole(&[flags, &["--json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The derived form is searched, proved for all sizes, emitted, simulated, and has the bits of its own reference.
#[test]
fn derived_forms_run() {
    let folder = tempfile::tempdir().unwrap();
    for (kernel, size) in [
        ("mean_variance", "N=4,M=5"),
        ("log_sum_exp", "N=3,M=4"),
        ("polynomial", "N=4,K=5"),
        ("sliding_sum", "N=5,K=3"),
        ("prefix_sum", "N=5"),
        ("argmax", "N=3,M=4"),
        ("cross_entropy", "N=3,M=4"),
        ("normal_product", "M=3,N=4"),
    ] {
        let path = folder.path().join(format!("{kernel}.rec")).display().to_string();
        let derived = object(&[
            "derive",
            &format!("kernels/naive/{kernel}.rec"),
            "--nodes",
            "1000",
            "--rounds",
            "30",
            "-o",
            &path,
        ]);
        assert_eq!(derived["forms"][0]["text"], std::fs::read_to_string(&path).unwrap());
        let output = systole(&["run", &path, "--size", size]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("matches reference bit for bit"), "{kernel}: {text}");
    }
}

#[test]
fn what_cannot_be_derived_is_refused() {
    let message = |flags: &[&str]| {
        let output = systole(flags);
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let naive = "kernels/naive/log_sum_exp.rec";
    assert!(
        message(&["derive", naive, "--forbid", "magic"]).contains("`magic` is neither a rule of the algebra nor a tag")
    );
    assert!(message(&["derive", naive, "--form", "7"]).contains("there is no form 7: the front has 2"));
    assert!(message(&["derive", "kernels/polynomial_product.rec"]).contains("this equation scatters"));
    let exact = object(&["derive", naive, "--forbid", "real,assume", "--size", "N=2,M=3"]);
    assert_eq!(exact["forms"].as_array().unwrap().len(), 1);
}

#[test]
fn the_same_bytes_every_time() {
    let flags = ["derive", "kernels/naive/softmax_attention.rec", "--json"];
    let first = systole(&flags).stdout;
    for threads in ["1", "2", "7"] {
        let mut command = Command::cargo_bin("systole").unwrap();
        let command = command.current_dir(env!("CARGO_MANIFEST_DIR")).env("RAYON_NUM_THREADS", threads);
        assert_eq!(command.args(flags).output().unwrap().stdout, first);
    }
}

#[test]
fn equal_answers_by_its_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("three.rec").display().to_string();
    let text = "kernel three(N)\nin a[N], b[N]\nout x[N], y[N], z[N], r[N]\nx[i] = a[i] * b[i]\ny[i] = b[i] * a[i]\n\
                z[i] = a[i] / b[i]\nr[i] = exp(log(a[i]) + log(b[i]))\n";
    std::fs::write(&path, text).unwrap();
    let answer = |other: &str| {
        let output = systole(&["equal", &path, "x", other]);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, told) = answer("y");
    assert!(code == Some(0) && told.contains("comm-mul (exact): a b = b a"), "{told}");
    let (code, told) = answer("z");
    assert!(code == Some(1) && told.contains("x and z differ: x[0] = "), "{told}");
    let (code, told) = answer("r");
    assert!(code == Some(3) && told.contains("unknown whether x = r"), "{told}");
}
