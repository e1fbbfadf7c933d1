//! Derived kernels through the whole pipeline, by the command line.

use assert_cmd::Command;
use serde_json::Value;
use systole::algebra::{Wanted, derive};

fn systole(flags: &[&str]) -> std::process::Output {
    Command::cargo_bin("systole").unwrap().current_dir(env!("SYSTOLE_ROOT")).args(flags).output().unwrap()
}

pub fn object(flags: &[&str]) -> Value {
    let output = systole(&[flags, &["--json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Three factors, written from the left.
const THREE: &str = "kernel three(P, Q, R, S)\nin A[P, Q], B[Q, R], C[R, S]\nout Y[P, S]\nlocal T[P, R]
T[i, j] = sum(k) A[i, k] * B[k, j]\nY[i, j] = sum(k) T[i, k] * C[k, j]\n";

/// Kernels of `kernels/naive`, at these sizes, with the cycles of the schedule that is found for the best form.
const DERIVED: [(&str, &str, u64); 20] = [
    ("mean_variance", "N=4,M=5", 12),
    ("log_sum_exp", "N=3,M=4", 8),
    ("polynomial", "N=4,K=5", 12),
    ("sliding_sum", "N=5,K=3", 7),
    ("prefix_sum", "N=5", 5),
    ("argmax", "N=3,M=4", 13),
    ("cross_entropy", "N=3,M=4", 12),
    ("normal_product", "M=3,N=4", 10),
    ("gram", "M=3,N=4", 6),
    ("soft_average", "N=3,M=4", 13),
    ("attention", "N=2,M=3,D=2", 10),
    ("softmax_attention", "N=2,M=3,D=2", 10),
    ("two_terms", "N=4", 4),
    ("three", "P=4,Q=3,R=4,S=2", 11),
    ("gemver", "N=3", 16),
    ("gesummv", "N=3", 10),
    ("mvt", "N=3", 6),
    ("atax", "M=3,N=4", 10),
    ("bicg", "M=3,N=4", 6),
    ("inverse_times", "N=4,R=3", 9),
];

/// Those of the next test that take two thirds of its time; `attention` and `mean_variance` are of their kinds.
const LONG: [&str; 2] = ["soft_average", "softmax_attention"];

/// The derived form is near the naive one; it is searched, proved for all sizes, emitted, simulated, and has the bits of its own reference.
#[test]
fn derived_forms_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("three"), THREE).unwrap();
    for (kernel, size, cycles) in DERIVED {
        if LONG.contains(&kernel) && !cfg!(feature = "long-tests") {
            continue;
        }
        let naive = if kernel == "three" { path("three") } else { format!("kernels/naive/{kernel}.rec") };
        let form = path(&format!("{kernel}.rec"));
        let derived = object(&["derive", &naive, "--nodes", "1000", "--rounds", "30", "-o", &form]);
        assert_eq!(derived["forms"][0]["text"], std::fs::read_to_string(&form).unwrap());
        assert!(derived["forms"][0]["difference"].as_f64().unwrap() < 1e-9, "{kernel}");
        let output = systole(&["run", &form, "--size", size]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("matches reference bit for bit"), "{kernel}: {text}");
        let simulated = text.lines().find(|line| line.contains("simulate")).and_then(told_cycles);
        assert_eq!(simulated, Some(cycles), "{kernel}: {text}");
    }
}

#[test]
fn what_cannot_be_derived_is_refused() {
    let message = |code: i32, flags: &[&str]| {
        let output = systole(flags);
        assert_eq!(output.status.code(), Some(code), "{flags:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let naive = "kernels/naive/log_sum_exp.rec";
    assert!(
        message(2, &["derive", naive, "--forbid", "magic"])
            .contains("`magic` is neither a rule of the algebra nor a tag")
    );
    assert!(message(2, &["derive", naive, "--form", "7"]).contains("there is no form 7: the front has 2"));
    assert!(message(1, &["derive", "kernels/polynomial_product.rec"]).contains("this equation scatters"));
    let exact = object(&["derive", naive, "--forbid", "real,assume", "--size", "N=2,M=3"]);
    assert_eq!(exact["forms"].as_array().unwrap().len(), 1);
}

/// A limit of time says that it struck, and changes nothing where it does not.
#[test]
fn a_limit_of_time_is_a_stop_reason() {
    let kernel = "kernels/naive/log_sum_exp.rec";
    let struck = object(&["derive", kernel, "--seconds", "0"]);
    assert_eq!(struck["saturation"]["stop"], "TimeLimit");
    let output = systole(&["derive", kernel, "--seconds", "0"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("stopped by the limit of time in "));
    assert!(String::from_utf8_lossy(&output.stdout).contains(" round, which depends on the machine\n"));
    assert_eq!(struck["forms"][0]["cost"], struck["written"]);
    assert_eq!(object(&["derive", kernel, "--seconds", "3600"]), object(&["derive", kernel]));
}

/// What is lost is the form of one pass, and each of its laws that was left out is named with its tag.
#[test]
fn what_forbidden_laws_lose_is_said() {
    let found = object(&["derive", "kernels/naive/attention.rec", "--forbid", "real"]);
    let lost = &found["forbidden"];
    assert_eq!(
        (&lost["changed"], &lost["with"]["passes"], &lost["without"]["passes"]),
        (&true.into(), &4.into(), &6.into())
    );
    let laws: Vec<&str> = lost["laws"].as_array().unwrap().iter().filter_map(|law| law["rule"].as_str()).collect();
    assert_eq!(laws, ["factor-div-mul", "rescale", "rescale-one"]);
    assert!(lost["laws"].as_array().unwrap().iter().all(|law| law["tag"] == "real"));
    let output = systole(&["derive", "kernels/naive/attention.rec", "--forbid", "real"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("forbidden laws lose the form of") && text.contains("without rescale (real): "), "{text}");
    // The twins: a law that the best form does not need, and nothing forbidden.
    let same = object(&["derive", "kernels/naive/attention.rec", "--forbid", "mirror"]);
    assert_eq!((&same["forbidden"]["changed"], &same["forbidden"]["laws"]), (&false.into(), &Value::Array(vec![])));
    assert!(object(&["derive", "kernels/naive/attention.rec"])["forbidden"].is_null());
}

#[test]
fn the_chain_of_a_form_is_checked_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chain.dot").display().to_string();
    let found = object(&["derive", "kernels/naive/attention.rec", "--dot", &path]);
    let steps = &found["forms"][0]["steps"];
    assert_eq!((&found["checked"]["steps"], &found["checked"]["evaluated"]), (&3.into(), &3.into()));
    assert_eq!((&steps[0]["phase"], &steps[0]["rule"]), (&"algebra".into(), &"factor-div-mul".into()));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("label=\"1. factor-div-mul (real)\"") && text.matches(" -> ").count() == 3, "{text}");
}

#[test]
fn the_same_bytes_every_time() {
    let flags = ["derive", "kernels/naive/softmax_attention.rec", "--json"];
    let first = systole(&flags).stdout;
    for threads in ["1", "2", "7"] {
        let mut command = Command::cargo_bin("systole").unwrap();
        let command = command.current_dir(env!("SYSTOLE_ROOT")).env("RAYON_NUM_THREADS", threads);
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

fn cycles(path: &str) -> u64 {
    let found = object(&["search", path, "--size", "N=4,M=6", "--objective", "cycles"]);
    found["front"][0]["cycles"].as_u64().unwrap()
}

/// The example that ships: an operator, a monoid and a law of a user's own.
#[test]
fn rules_of_a_user_change_the_form_and_its_schedule() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let kernel = "rules/examples/logaddexp/soft_maximum.rec";
    let own = object(&["derive", kernel, "--rules", "rules/examples/logaddexp", "-o", &path("own.rec")]);
    let shipped = object(&["derive", kernel, "-o", &path("shipped.rec")]);
    let best = |derived: &Value| derived["forms"][0]["cost"]["operations"].as_u64().unwrap();
    assert_eq!((best(&own), best(&shipped)), (10 * 64, 10 * 64 + 16));
    assert_eq!(own["forms"][0]["steps"][0]["rule"], "log-of-sum");
    let run = systole(&["run", &path("own.rec"), "--size", "N=4,M=6", "--objective", "cycles"]);
    assert!(String::from_utf8_lossy(&run.stdout).contains("matches reference bit for bit"));
    assert_eq!((cycles(&path("own.rec")), cycles(&path("shipped.rec"))), (7, 11));
}

/// The first number of cycles in a line.
fn told_cycles(line: &str) -> Option<u64> {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.iter().position(|word| *word == "cycles").and_then(|at| words[at - 1].parse().ok())
}

/// Whether every time of a design is one number and no PE keeps what it computes: forms are compared by such designs.
fn is_plain(design: &Value) -> bool {
    let steps = design["step"].as_object().map_or_else(|| vec![&design["step"]], |steps| steps.values().collect());
    let has_rows = |time: &&Value| time[0].is_array();
    !steps.iter().any(has_rows) && design["transport"].as_object().unwrap().values().all(|way| way != "local")
}

/// The search over forms against a search of each form by itself.
#[test]
fn forms_and_maps_are_searched_together() {
    let folder = tempfile::tempdir().unwrap();
    for (kernel, size, best) in [
        ("two_factors", "M=3,N=3,K=3", 1),
        ("two_terms", "N=4", 0),
        ("log_sum_exp", "N=3,M=4", 0),
        ("polynomial", "N=3,K=3", 1),
        ("prefix_sum", "N=4", 0),
        ("soft_average", "N=2,M=3", 0),
        ("attention", "N=2,M=2,D=2", 0),
    ] {
        // The forms of attention have hundreds of placements each, and take minutes; those of an average take half of this test.
        if ["attention", "soft_average"].contains(&kernel) && !cfg!(feature = "long-tests") {
            continue;
        }
        let path = format!("kernels/naive/{kernel}.rec");
        let output = systole(&["search", &path, "--forms", "--size", size, "--objective", "cycles"]);
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let all = forms(kernel, size);
        assert!(told.contains(&format!("form {best} is best of {} (all forms)", all.len())), "{kernel}: {told}");
        let lines: Vec<u64> = told.lines().take(all.len()).filter_map(told_cycles).collect();
        let (mut each, mut illegal) = (vec![], 0);
        for form in all {
            let path = folder.path().join("form.rec").display().to_string();
            std::fs::write(&path, &form.text).unwrap();
            let output = systole(&["search", &path, "--size", size, "--objective", "cycles", "--json"]);
            if !output.status.success() {
                illegal += 1;
                continue;
            }
            let found: Value = serde_json::from_slice(&output.stdout).unwrap();
            // Other designs are looked for where there is no plain one.
            if !is_plain(&found["front"][0]) {
                illegal += 1;
                continue;
            }
            let cycles = found["front"][0]["cycles"].as_u64().unwrap();
            assert!(form.steps_at_least <= cycles, "{kernel}: {cycles} cycles, {} at least", form.steps_at_least);
            each.push(cycles);
        }
        assert_eq!((lines, told.matches("no design: ").count()), (each.clone(), illegal), "{kernel}");
        assert_eq!(each.iter().min(), each.get(best), "{kernel}");
    }
}

pub fn forms(kernel: &str, size: &str) -> Vec<systole::algebra::Form> {
    let list: Vec<(&str, i64)> =
        size.split(',').filter_map(|one| one.split_once('=')).map(|(name, n)| (name, n.parse().unwrap())).collect();
    let sizes = crate::common::sizes(&list);
    let limits = systole::rewrite::Limits::of(30, 2000);
    let wanted = Wanted { sizes: &sizes, limits, all: Some(64) };
    derive(&crate::common::naive(kernel), &crate::common::algebra(), &wanted).unwrap().forms
}

/// What is asked of axes goes all the way: the forms in these coordinates are searched together with their maps.
#[test]
fn a_search_takes_coordinates() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("total.rec").display().to_string();
    std::fs::write(&path, "kernel total(M)\nin x[M]\nout y\ny = sum(k) x[k]\n").unwrap();
    let output = systole(&["run", &path, "--split", "k=PxW", "--size", "P=5,W=2", "--objective", "cycles"]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("form 0 is best of 1 (all forms)") && told.contains("winner    7 cycles on 5 PEs"), "{told}");
    assert!(told.contains("matches reference bit for bit"), "{told}");
    for (flag, text, why) in [
        ("--split", "k", "`k` does not say what --split does to which index"),
        ("--split", "k=4x", "`k=4x` does not say what --split does to which index"),
        ("--rotate", "k", "`k` does not say what --rotate does to which index"),
        ("--rotate", "k=k", "`k` of `total` cannot turn along its own axis"),
    ] {
        let output = systole(&["derive", &path, flag, text]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && message.contains(why), "{message}");
    }
}

/// Blocks are of one width: a size that they do not make is refused with both sides, and with what to type.
#[test]
fn a_last_block_that_is_shorter_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("total.rec").display().to_string();
    std::fs::write(&path, "kernel total(M)\nin x[M]\nout y\ny = sum(k) x[k]\n").unwrap();
    for (parts, size, lines) in [
        ("PxW", "M=10,W=4", &["blocks are of one width: 10 = 2 * 4 + 2", "write P=3 for M = 12, or other parts"][..]),
        ("PxW", "M=12,W=4", &["`M` is P * W where it is cut", "write P=3 in place of M=12"]),
        ("Px4", "M=10", &["10 = 2 * 4 + 2", "write P=3 for M = 12"]),
        ("PxW", "M=10", &["write the sizes of its parts, whose product is 10, in place of M=10"]),
    ] {
        for command in ["run", "derive"] {
            let output = systole(&[command, &path, "--split", &format!("k={parts}"), "--size", size]);
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2));
            lines.iter().for_each(|line| assert!(message.contains(line), "no `{line}` in {message}"));
        }
    }
    // The twin: number and width.
    assert!(systole(&["run", &path, "--split", "k=PxW", "--size", "P=3,W=4"]).status.success());
}

/// The ring as a program: each PE keeps its query, keys and values move one PE a step, and no PE begins later than another.
#[test]
fn a_ring_has_no_skew() {
    let folder = tempfile::tempdir().unwrap();
    let form = folder.path().join("ring.rec").display().to_string();
    let derived = object(&["derive", "kernels/naive/soft_average.rec", "--rotate", "j=i", "-o", &form]);
    assert!(derived["forms"][0]["difference"].as_f64().unwrap() < 1e-13);
    let output = systole(&["run", &form, "--size", "N=5", "--objective", "cycles"]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && told.contains("matches reference bit for bit"), "{told}");
    for line in ["t = 6*t + 2   PE (i)   q prefetch", "PE (i)   k stream <t-i>", "PE (i)   v stream <t-i>"] {
        assert!(told.contains(line), "no `{line}` in\n{told}");
    }
}

/// Orders of a reduction as programs: derived, searched, proved for all sizes, simulated. The cycles are counted by hand.
#[test]
fn orders_of_a_reduction_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let total = path("total.rec");
    std::fs::write(&total, "kernel total(M)\nin x[M]\nout y\ny = sum(k) x[k]\n").unwrap();
    let naive = "kernels/naive/log_sum_exp.rec";
    for (kernel, flags, size, cycles) in [
        // An element a step.
        (&*total, &[][..], "M=12", Some(12)),
        // A chain: W elements of all blocks at once, then the P partial sums one after the other.
        (&*total, &["--split", "k=PxW"][..], "P=4,W=3", Some(3 + 4)),
        // A tree: W elements, then a step for each of both levels.
        (&*total, &["--split", "k=2x2xW"][..], "W=3", Some(3 + 2)),
        (naive, &["--split", "k=PxW"][..], "N=2,P=3,W=4", None),
        (naive, &["--split", "k=2xW"][..], "N=2,W=5", None),
        (naive, &["--rotate", "k=i"][..], "N=5", None),
    ] {
        let form = path("form.rec");
        let derived = object(&[&["derive", kernel][..], flags, &["-o", &form]].concat());
        assert!(derived["forms"][0]["difference"].as_f64().unwrap() < 1e-13, "{flags:?}");
        let output = systole(&["run", &form, "--size", size, "--objective", "cycles"]);
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && told.contains("matches reference bit for bit"), "{flags:?}: {told}");
        let simulated = told.lines().find(|line| line.contains("simulate")).and_then(told_cycles);
        assert!(cycles.is_none_or(|cycles| simulated == Some(cycles)), "{flags:?}: {told}");
    }
}
