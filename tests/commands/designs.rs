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

/// A design of the transitive closure for a line of 16 PEs, on which the last row and the last column lie in the strip that N says.
const CLOSURE: &str = "
schedule design
space C   place (i mod 16)   time (0, -(i div 16), j)
  feed A
space C.2   place (i mod 16)   time (0, -(i div 16), j)
  feed A
space C.3   place (i mod 16)   time (k, -(i div 16), j + k)
  memory C   local column   local row
space C.4   place (i mod 16)   time (k, -(i div 16), j)
  memory row
space C.5   place (i mod 16)   time (k, -(i div 16), 0)
  local column
space row   place (0)   time (k, N, j)
  local C
space row.2   place (i mod 16)   time (k, N + (i div 16), 14*(i div 16) + (i mod 16) + j)
  memory row
space column   place (i mod 16)   time (k, 1, i div 16)
  memory C
space column.2   place (i mod 16)   time (k, j + 1, i div 16)
  local column
space T   place (i mod 16)   time (N + (i div 16) + 1, 0, j)
  local C
";

/// Whether a strip has the last row of all hangs on N, and parts of the program are for sizes that there are not.
#[test]
fn a_border_lies_in_the_strip_that_the_size_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let kernel =
        std::fs::read_to_string(format!("{}/kernels/transitive_closure.rec", env!("SYSTOLE_ROOT"))).expect("a kernel");
    std::fs::write(path("closure.design"), format!("{kernel}{CLOSURE}")).expect("written");
    assert!(proofs(&[&path("closure.design")]).iter().all(|(_, _, result)| result == "proved"));
    good(&["emit", &path("closure.design"), "-o", &path("closure.pe")]);
    for n in [1, 2, 3, 16, 17, 18, 33, 40] {
        let size = format!("N={n}");
        let ran = json(&["sim", &path("closure.pe"), "--size", &size, "--reference", "kernels/transitive_closure.rec"]);
        assert_eq!(ran["matches_reference"], true, "{n}");
    }
    // A step too early the row that is read has not been computed.
    std::fs::write(
        path("closure.design"),
        format!("{kernel}{CLOSURE}").replace("time (N + (i div 16) + 1,", "time (N - 1,"),
    )
    .expect("written");
    assert!(proofs_of_refused(&path("closure.design")).contains(&"refuted".to_owned()));
}

/// All points of `z.2` have `i = N - 1`. With the time that the schedule gives, of `-i`, nothing but `N` itself makes it late enough.
#[test]
fn a_time_that_is_given_leaves_the_sizes_free() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("k.rec").display().to_string();
    let text = "kernel k(M, N) where N >= 2\nin x[M, N]\nout s[M, N], z[M, N]\n\
                s[j, i] = s[j, i + 1] + x[j, i] where 0 <= i < N - 1\ns[j, N - 1] = x[j, N - 1]\n\
                z[j, i] = x[j, i] * 2 where 0 <= i < N - 1\nz[j, i] = s[j, N - 1 - i] * 3 where N - 1 <= i < N\n\
                schedule a\nplace (j)   time -i\n";
    std::fs::write(&path, text).expect("written");
    let ran = json(&["run", &path, "--schedule", "a", "--size", "M=3,N=4"]);
    assert_eq!((&ran["prove"]["result"], &ran["sim"]["matches_reference"]), (&"proved".into(), &true.into()));
}

/// What became of each obligation of a design that is wrong.
fn proofs_of_refused(path: &str) -> Vec<String> {
    let ran = systole(&["prove", path, "--json"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let found: serde_json::Value = serde_json::from_str(&ran.stdout).expect("an object");
    let all = found["obligations"].as_array().expect("a list");
    all.iter().map(|one| one["result"].as_str().expect("a text").to_owned()).collect()
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
    assert!(why.contains("writes its program") && why.contains("` proves and simulates it"), "{why}");
    assert!(good(&["run", &path, "--size", "N=5"]).contains("matches reference bit for bit"));
    let text = std::fs::read_to_string(&path).expect("a design").replace("time 2*i\n", "time i\n");
    std::fs::write(&path, text).expect("written");
    assert!(!refused(&["emit", &path]).contains("trying the next"));
    let why = refused(&["run", &path, "--size", "N=5"]);
    assert!(why.contains("refuted") && !why.contains("trying the next"), "{why}");
}

#[test]
fn commands_that_search_refuse_a_design() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.design").display().to_string();
    good(&["emit", "kernels/matvec.rec", "--schedule", "result-stationary", "--stop-after", "design", "-o", &path]);
    let cluster = folder.path().join("cluster.toml").display().to_string();
    let text = "[cluster]\nalpha = 2e-6\nbeta = 1e-9\noperation = 1e-8\n[loops]\ngemm = 1.0\nother = 0.5\n";
    std::fs::write(&cluster, text).expect("written");
    for command in ["search", "explore", "tune"] {
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
    let (design, recurrences) = spaces.split_once("\nrecurrences\n").expect("both");
    assert_eq!(design, stop("design"));
    let lines: Vec<&str> = recurrences.lines().collect();
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

#[test]
fn recurrences_that_are_read_are_those_that_were_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    for (kernel, flags, again) in FOUND {
        let (spaces, design) = (path("x.spaces"), path("x.design"));
        good(&[&["emit", kernel], flags, &["--stop-after", "spaces", "-o", &spaces]].concat());
        let text = std::fs::read_to_string(&spaces).expect("a text");
        let said = good(&["check", &spaces]);
        assert!(said.contains(" lines, all as the kernel gives them under its design"), "{kernel} {flags:?}: {said}");
        assert_eq!(
            text,
            good(&[&["emit", &spaces], again, &["--stop-after", "spaces"]].concat()),
            "{kernel} {flags:?}"
        );
        // The file is that of the design, with more behind it.
        good(&[&["emit", &spaces], again, &["--stop-after", "design", "-o", &design]].concat());
        assert!(text.starts_with(&std::fs::read_to_string(&design).expect("a design")), "{text}");
        assert_eq!(proofs(&[&[kernel], flags].concat()), proofs(&[&[&*spaces], again].concat()), "{kernel} {flags:?}");
    }
}

#[test]
fn recurrences_that_are_not_those_of_the_kernel_are_refused_by_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("wrong.spaces").display().to_string();
    let text = good(&["emit", "kernels/trisolve.rec", "--schedule", "row", "--stop-after", "spaces"]);
    let line = |wanted: &str| text.lines().position(|line| line == wanted).expect("a line") as u64 + 1;
    let start = "(i,-1)_X.sum <- 0\n";
    for (from, to, why, step, at) in [
        (
            start,
            "(i,-2)_X.sum <- 0\n",
            "`(i,-2)_X.sum <- 0` is not what the kernel gives",
            "write what the kernel has",
            0,
        ),
        (start, "", "the line `(i,-1)_X.sum <- 0` is missing", "add it", 1),
        (start, "(i,-1)_X.sum <- 0\n(i)_X <- 1\n", "`(i)_X <- 1` is a line too many", "take it out", -1),
        // The kernel and the design are held against the lines, too.
        ("0..i", "0..i - 1", "is not what the kernel gives", "write what the kernel has", i64::MAX),
        (
            "stream X along i",
            "stream X along -i",
            "is not what the kernel gives",
            "write what the kernel has",
            i64::MAX,
        ),
    ] {
        assert!(text.contains(from), "{from}");
        std::fs::write(&path, text.replacen(from, to, 1)).expect("written");
        let said = refused(&["check", &path]).replace("\n        ", " ");
        assert!(said.contains(why) && said.contains(step) && said.contains("`systole check "), "{said}");
        for command in ["prove", "emit", "explain"] {
            let said = refused(&[command, &path]);
            assert!(said.contains(why), "{command}: {said}");
        }
        let ran = systole(&["check", &path, "--json"]);
        let found: serde_json::Value = serde_json::from_str(&ran.stdout).expect("an object");
        assert!(ran.code == 1 && found["differences"][0].is_object(), "{}", ran.stdout);
        if at < i64::MAX {
            let here = line("(i,-1)_X.sum <- 0").checked_add_signed(-at).expect("a line");
            assert_eq!(found["differences"][0]["line"], here);
        }
    }
    for (from, to, why) in [
        ("(i,-1)_X.sum <- 0", "(i,-1_X.sum <- 0", "expected `,` or `)`"),
        ("stream X along i", "stream X along j", "no rule offers `stream <j>` for `X`"),
        ("schedule design", "schedule row", "has no schedule `design`"),
    ] {
        std::fs::write(&path, text.replacen(from, to, 1)).expect("written");
        let ran = systole(&["check", &path]);
        assert!(ran.code != 0 && ran.stderr.contains(why), "{to}: {}", ran.stderr);
    }
    let kernel = text.split("space X.sum").next().expect("a kernel");
    std::fs::write(&path, format!("{kernel}place (i)\n\nrecurrences\n")).expect("written");
    let said = refused(&["check", &path]);
    assert!(said.contains("`design` says of no space how its values move"), "{said}");
}

#[test]
fn recurrences_are_data_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.spaces").display().to_string();
    let row = ["emit", "kernels/trisolve.rec", "--schedule", "row", "--stop-after", "spaces"];
    let written = json(&row);
    assert_eq!(written["spaces"][1]["space"], "X");
    let given = serde_json::json!({
        "defines": "(i)_X.sum", "value": "(i,i-1)_X.sum in X.sum", "carrier": null, "where": ["i - 1 >= 0"],
    });
    assert_eq!(written["spaces"][1]["recurrences"][1], given);
    assert_eq!(written["spaces"][0]["recurrences"][0]["carrier"], "through own port");
    good(&[&row[..], &["-o", &path]].concat());
    let checked = json(&["check", &path]);
    assert_eq!((&checked["recurrences"], &checked["differences"]), (&written["spaces"], &serde_json::json!([])));
}

/// One schedule has no design: its kernel has equations all the same, and no recurrences.
#[test]
fn equations_need_no_design() {
    let stop = ["emit", "kernels/matmul.rec", "--schedule", "too-fast", "--stop-after"];
    let equations = good(&[&stop[..], &["equations"]].concat());
    assert!(equations.starts_with("kernel matmul(M, N, K)\n"), "{equations}");
    assert_eq!(json(&[&stop[..], &["equations"]].concat())["text"], equations.as_str());
    let ran = systole(&[&stop[..], &["equations", "--dump-after", "equations"]].concat());
    assert_eq!((ran.code, ran.stderr.trim_end(), &ran.stdout), (0, equations.trim_end(), &equations));
    refused(&[&stop[..], &["spaces"]].concat());
    refused(&[&stop[..], &["equations", "--dump-after", "spaces"]].concat());
    misused(&["emit", "kernels/matmul.rec", "--schedule", "none", "--stop-after", "equations"]);
}
