//! Designs as files, and the other stages: what is written is read again, gives the same proofs and the same program, and is refuted
//! where a number is changed.

use super::start::{good, json, misused, refused, systole};

/// A kernel, flags under which its design is found, and those that the file needs again.
const FOUND: [(&str, &[&str], &[&str]); 9] = [
    ("kernels/matmul.rec", &["--schedule", "cannon"], &[]),
    ("kernels/matmul.rec", &["--schedule", "cannon", "--tile", "i=2,j=3"], &[]),
    ("kernels/trisolve.rec", &["--schedule", "folded"], &[]),
    ("kernels/trisolve.rec", &["--schedule", "broadcast-b"], &[]),
    ("kernels/cholesky.rec", &["--schedule", "block-cyclic"], &[]),
    ("kernels/matvec.rec", &["--latency", "2"], &["--latency", "2"]),
    ("kernels/naive/log_sum_exp.rec", &["--forms"], &[]),
    ("ik,kj->ij", &["--network", "hex", "--transports", "stream"], &["--network", "hex"]),
    ("kernels/matmul.rec", &["--schedule", "kung-leiserson"], &[]),
];

/// The lines of obligations, without times.
fn proofs(arguments: &[&str]) -> Vec<(String, String, String)> {
    let found = json(&[&["prove"], arguments].concat());
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    let all = found["obligations"].as_array().expect("a list");
    all.iter().map(|one| (text(&one["kind"]), text(&one["of"]), text(&one["result"]))).collect()
}

#[test]
fn a_design_that_is_read_has_the_proofs_and_the_program_of_the_one_that_was_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    for (kernel, flags, again) in FOUND {
        let (design, twice, first, second) = (path("x.design"), path("y.design"), path("x.pe"), path("y.pe"));
        good(&[&["emit", kernel], flags, &["--stop-after", "design", "-o", &design]].concat());
        let text = std::fs::read_to_string(&design).expect("a design");
        assert!(text.contains("\nschedule design\n") && text.contains("\nspace "), "{text}");
        good(&[&["emit", &design], again, &["--stop-after", "design", "-o", &twice]].concat());
        assert_eq!(text, std::fs::read_to_string(&twice).expect("a design"), "{kernel} {flags:?}");
        good(&[&["emit", kernel], flags, &["-o", &first]].concat());
        good(&[&["emit", &design], again, &["-o", &second]].concat());
        let program = |path: &str| std::fs::read_to_string(path).expect("a program");
        assert_eq!(program(&first), program(&second), "{kernel} {flags:?}");
        assert_eq!(proofs(&[&[kernel], flags].concat()), proofs(&[&[&*design], again].concat()), "{kernel} {flags:?}");
    }
}

#[test]
fn a_changed_number_is_refuted_with_the_smallest_case() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("wrong.design").display().to_string();
    let text = good(&["emit", "kernels/trisolve.rec", "--schedule", "row", "--stop-after", "design"]);
    let of = |from: &str, to: &str| {
        assert!(text.contains(from), "{text}");
        std::fs::write(&path, text.replace(from, to)).expect("written");
    };
    for (from, to, why) in [
        ("time 2*i\n", "time 2*i - 1\n", "refuted"),
        ("time 2*i\n", "time i\n", "refuted"),
        ("time i + j", "time i", "refuted"),
        ("space X   place (i)", "space X   place (i + 3)", "refuted"),
        ("stream X along i", "stream X along j", "no rule offers"),
    ] {
        of(from, to);
        let why_not = refused(&["prove", &path]);
        assert!(why_not.contains(why), "{to}: {why_not}");
        assert!(why != "refuted" || why_not.contains("smallest case N = "), "{to}: {why_not}");
        refused(&["emit", &path]);
    }
    // All of it a step later is another design, and right.
    let later = text.replace("time 2*i\n", "time 2*i + 1\n").replace("time i + j\n", "time i + j + 1\n");
    std::fs::write(&path, later).expect("written");
    assert!(proofs(&[&path]).iter().all(|(.., result)| result == "proved"));
}

/// What chooses among designs is no flag for one, and what is said of a design is true of it.
#[test]
fn a_design_is_not_searched_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.design").display().to_string();
    good(&["emit", "kernels/trisolve.rec", "--schedule", "row", "--stop-after", "design", "-o", &path]);
    for flags in [
        ["--fold", "2"],
        ["--rank", "1"],
        ["--bound", "2"],
        ["--beam", "3"],
        ["--budget", "9"],
        ["--transports", "feed"],
        ["--steps", "-3..3"],
        ["--objective", "cycles"],
        ["--reuse", "forward"],
    ] {
        let why = misused(&[&["emit", &path], &flags[..]].concat());
        assert!(why.contains(&format!("`{}` chooses among designs, and `design` is one", flags[0])), "{why}");
    }
    let why = refused(&["sim", &path, "--size", "N=4"]);
    assert!(why.contains("writes its program") && !why.contains("systole run"), "{why}");
    let text = std::fs::read_to_string(&path).expect("a design").replace("time 2*i\n", "time i\n");
    std::fs::write(&path, text).expect("written");
    assert!(!refused(&["emit", &path]).contains("trying the next"));
}

#[test]
fn commands_that_search_refuse_a_design() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.design").display().to_string();
    good(&["emit", "kernels/matvec.rec", "--schedule", "result-stationary", "--stop-after", "design", "-o", &path]);
    let cluster = folder.path().join("cluster.toml").display().to_string();
    let text = "[cluster]\nalpha = 2e-6\nbeta = 1e-9\noperation = 1e-8\n[loops]\ngemm = 1.0\nother = 0.5\n";
    std::fs::write(&cluster, text).expect("written");
    for command in ["search", "run", "explore", "tune"] {
        let more: &[&str] = match command {
            "explore" => &["--sweep", "size.N=2,3"],
            "tune" => &["--machine", &cluster],
            _ => &[],
        };
        let why = systole(&[&[command, &path], more].concat());
        assert_ne!(why.code, 0, "{command}");
        let said = why.stdout + &why.stderr;
        assert!(said.contains("`design` is a whole design, so there is nothing to search for"), "{command}: {said}");
    }
    assert!(good(&["explain", &path]).contains("evaluated equal"));
    assert!(good(&["check", &path]).contains("matvec"));
}

#[test]
fn every_stage_can_be_looked_at() {
    let stop = |stage: &str| good(&["emit", "kernels/matvec.rec", "--stop-after", stage]);
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.display().to_string()
    };
    let equations = stop("equations");
    let again = write("equations.rec", &equations);
    assert_eq!(equations, good(&["emit", &again, "--stop-after", "equations"]));
    let spaces = stop("spaces");
    let lines: Vec<&str> = spaces.lines().collect();
    assert!(lines.len() == 6 && lines[4] == "(i,j)_y <- (i,j-1)_y + (i,j)_A * (i,j)_x", "{spaces}");
    assert!(stop("egraph").contains("e-nodes") && stop("egraph").contains("saturated"));
    assert!(stop("obligations").contains("(check-sat)"));
    let program = good(&["emit", "kernels/matvec.rec"]);
    assert_eq!(stop("program"), program);
    let ran = systole(&["emit", "kernels/matvec.rec", "--dump-after", "egraph,design"]);
    assert_eq!((ran.code, &ran.stdout), (0, &program));
    assert!(ran.stderr.contains("e-nodes") && ran.stderr.contains("schedule design"), "{}", ran.stderr);
    let ran = systole(&["emit", "kernels/matvec.rec", "--dump-after", "program"]);
    assert_eq!((ran.code, ran.stderr.trim_end(), &ran.stdout), (0, program.trim_end(), &program));
    let found = json(&["emit", "kernels/matvec.rec", "--stop-after", "design"]);
    assert_eq!(found["stage"], "design");
    assert!(found["text"].as_str().expect("a text").contains("schedule design"));
}
