//! What is wrong with a command line, and the code it ends with.

use super::start::{good, misused, refused, systole};

#[test]
fn wrong_usage_is_code_2() {
    let usages: [&[&str]; 5] = [
        &[],
        &["frobnicate"],
        &["check", "kernels/matmul.rec", "--frobnicate"],
        &["prove"],
        &["search", "kernels/matmul.rec", "--bound", "many"],
    ];
    for arguments in usages {
        let ran = systole(arguments);
        assert_eq!((ran.code, &*ran.stdout), (2, ""), "{arguments:?}");
        assert!(!ran.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_wrong_size_is_code_2_and_is_named() {
    let cases = [
        ("M=0,N=1,K=1", "`M` = 0 is out of range"),
        ("M=-3,N=1,K=1", "`M` = -3 is out of range"),
        ("M=1,N=1", "the size of `K` is missing"),
        ("M=1,M=2,N=1,K=1", "the size of `M` is given twice"),
        ("m=1,N=1,K=1", "did you mean `M`?"),
        ("M=x,N=1,K=1", "not a whole number"),
        ("M", "is not a size"),
        ("M=99999999999999999999,N=1,K=1", "not a whole number"),
    ];
    for (size, expected) in cases {
        let message = misused(&["run", "kernels/matmul.rec", "--size", size]);
        assert!(message.contains(expected), "{size}: {message}");
    }
}

#[test]
fn sizes_that_do_not_fit_in_memory_are_refused() {
    let size = ["--size", "M=1000000000,N=1000000000,K=1000000000"];
    refused(&[&["run", "kernels/matmul.rec", "--schedule", "cannon"], &size[..]].concat());
}

#[test]
fn a_mistyped_name_is_answered_with_the_nearest() {
    let cases: [(&[&str], &str); 6] = [
        (&["--schedule", "canon"], "did you mean `cannon`?"),
        (&["--network", "hexx"], "did you mean `hex`?"),
        (&["--objective", "cycle"], "did you mean `cycles`?"),
        (&["--transports", "steam"], "did you mean `stream`?"),
        (&["--reuse", "fwd"], "forward"),
        (&["--rank", "3"], "ranks are 0 to 2"),
    ];
    for (flags, expected) in cases {
        let message = misused(&[&["search", "kernels/matmul.rec"], flags].concat());
        assert!(message.contains(expected), "{flags:?}: {message}");
    }
}

/// What flags say is looked at after they are read, and is wrong usage all the same.
#[test]
fn what_no_run_can_have_is_code_2() {
    let cases: [(&[&str], &str); 23] = [
        (&["--tile", "i=0"], "is not a size of tiles"),
        (&["--tile", "q=2"], "no equation has an index `q`"),
        (&["--objective", "beauty"], "is not a known objective"),
        (&["--steps", "2..1"], "is not a range of steps"),
        (&["--bound", "4"], "--bound is 1, 2 or 3"),
        (&["--fold", "0"], "0 PEs cannot be folded onto one"),
        (&["--beam", "6"], "`--beam` is no longer a flag"),
        (&["--budget", "0"], "--budget is 1 or more"),
        (&["--budget", "9", "--exact"], "cannot be used with"),
        (&["--latency", "0"], "a link cannot take 0 cycles"),
        (&["--latency", "1000001"], "from 1 to 1000000"),
        (&["--threads", "0"], "with no threads nothing is done"),
        (&["--schedule", "nobody"], "has no schedule `nobody`"),
        (&["--split", "k"], "does not say what --split does"),
        (&["--split", "q=2xW"], "has no index `q`"),
        (&["--input", "A"], "`A` does not name an input"),
        (&["--input", "Q=q.npy"], "`Q` is not an input of this program"),
        (&["--output", "A=a.npy"], "`A` is not an output of this program"),
        (&["--window", "1..2"], "but none is asked for"),
        (&["--size", "M=3"], "the size of `M` is given twice"),
        (&["--tile", "i=2", "--tile", "i=4"], "`i=2` and `i=4`"),
        (&["--input", "A=one.npy", "--input", "A=two.npy"], "`A=one.npy` and `A=two.npy`"),
        (&["--output", "C=one.npy", "--output", "C=two.npy"], "`C=one.npy` and `C=two.npy`"),
    ];
    let run = ["run", "kernels/matmul.rec", "--size", "M=2,N=2,K=2"];
    for (flags, expected) in cases {
        let message = misused(&[&run, flags].concat()).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(message.contains(expected), "{flags:?}: {message}");
    }
    // All that is wrong with flags is said at once, by every command that takes them, before a kernel is read.
    for command in ["search", "prove", "emit", "explain", "run"] {
        let message = misused(&[command, "none.rec", "--objective", "beauty", "--fold", "0"]);
        assert!(message.contains("beauty") && message.contains("folded"), "{command}: {message}");
    }
    good(&[&run[..], &["--threads", "1", "--latency", "2", "--fold", "1", "--bound", "1"]].concat());
}

/// The twin: what is wrong with files and with proofs is no wrong usage, whatever else the command line says.
#[test]
fn what_is_wrong_with_files_and_proofs_stays_code_1() {
    let size = ["--size", "M=2,N=2,K=2"];
    refused(&[&["run", "kernels/matmul.rec", "--schedule", "too-fast"], &size[..]].concat());
    refused(&[&["run", "kernels/none.rec"], &size[..]].concat());
    refused(&[&["run", "kernels/matmul.rec", "--machine", "machines/none.toml"], &size[..]].concat());
    refused(&[&["run", "kernels/matmul.rec", "--input", "A=none.npy"], &size[..]].concat());
    refused(&["check", "tests/errors/missing-bracket.rec"]);
}

#[test]
fn a_file_that_is_not_there_is_answered_with_what_is() {
    assert!(refused(&["check", "kernels/matmull.rec"]).contains("did you mean `kernels/matmul.rec`?"));
    let run = |kernel: &str| refused(&["run", kernel, "--size", "M=2,N=2,K=2"]);
    assert!(run("matmul").contains("did you mean `kernels/matmul.rec`?"));
    assert!(run("matmul.rec").contains("did you mean `kernels/matmul.rec`?"));
    assert!(run("kernels/matmul").contains("did you mean `kernels/matmul.rec`?"));
    assert!(run("kernels/nothing-like-it").contains("`kernels` holds cholesky.rec, conv1d.rec"));
    let below = run("nothing-like-it");
    assert!(below.contains("holds no `.rec` files, but below it are kernels/cholesky.rec"), "{below}");
    assert!(run("kernles/matmul.rec").contains("there is no folder `kernles`"));
    let folder = run("kernels");
    assert!(
        folder.contains("cannot read `kernels`: it is a folder") && folder.contains("holds cholesky.rec"),
        "{folder}"
    );
    assert!(refused(&["sim", "kernels/matmul", "--size", "N=2"]).contains("`kernels` holds no `.pe` files"));
}

#[test]
fn kernels_and_programs_are_told_from_each_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (program, machine) = (path("p.pe"), path("m.toml"));
    good(&["emit", "kernels/matmul.rec", "--schedule", "cannon", "-o", &program]);
    std::fs::write(&machine, "[cluster]\nalpha = 1e-6\n[loops]\nother = 1.0\n").expect("written");
    let size = ["--size", "M=2,N=2,K=2"];
    let words = |message: String| message.split_whitespace().collect::<Vec<_>>().join(" ");
    for command in [&["sim"][..], &["exec"], &["predict", "--machine", &machine]] {
        let message = words(refused(&[command, &["kernels/matmul.rec"], &size].concat()));
        assert!(message.contains("`kernels/matmul.rec` is a kernel, and a program is asked for"), "{message}");
        assert!(message.contains("`systole run kernels/matmul.rec --size M=8,N=8,K=8`"), "{message}");
        assert!(message.contains("-o matmul.pe`"), "{message}");
    }
    for command in [&["run"][..], &["search"], &["prove"], &["explain"], &["emit"], &["check"], &["derive"]] {
        let message = words(refused(&[command, &[&program]].concat()));
        assert!(message.contains("is a program, and a kernel is asked for"), "{command:?}: {message}");
        assert!(message.contains("`systole sim /") && message.contains("--size M=8,N=8,K=8` runs it"), "{message}");
    }
    let reference = words(refused(&[&["sim", &program, "--reference", &program], &size[..]].concat()));
    assert!(reference.contains("is a program, and a kernel is asked for"), "{reference}");
}

/// Editors put a byte-order mark before a text; it is no part of it.
#[test]
fn a_byte_order_mark_is_passed_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (kernel, machine, program, rules) = (path("k.rec"), path("m.toml"), path("p.pe"), path("rules"));
    let marked = |from: &str, to: &str| {
        let text = std::fs::read_to_string(from).expect("text");
        std::fs::write(to, format!("\u{feff}{text}")).expect("written");
    };
    marked("kernels/matmul.rec", &kernel);
    marked("machines/slow-links.toml", &machine);
    std::fs::create_dir(&rules).expect("a folder");
    marked("rules/pointwise.rules", &format!("{rules}/own.rules"));
    let emit = |flags: &[&str]| good(&[&["emit", "--size", "M=2,N=2,K=2"], flags].concat());
    let plain = emit(&["kernels/matmul.rec", "--machine", "machines/slow-links.toml"]);
    assert_eq!(emit(&[&kernel, "--machine", &machine]), plain);
    std::fs::write(&program, format!("\u{feff}{plain}")).expect("written");
    // Nothing is said of a text that was changed, which it was not.
    good(&["sim", &program, "--size", "M=2,N=2,K=2"]);
    let message = refused(&["check", "kernels/matmul.rec", "--rules", &rules]);
    assert!(message.contains("rule"), "rules of one name twice, not a text that cannot be read: {message}");
}

#[test]
fn mistakes_in_a_kernel_are_on_standard_error_with_their_place() {
    let message = refused(&["check", "tests/errors/missing-bracket.rec"]);
    assert!(message.contains("missing-bracket.rec:"), "{message}");
}
