//! Assumptions on sizes, `kernel fir(N, K) where K <= N`: proofs rest on them, and a run that breaks them is refused with the line.

use super::start::{good, json, refused};

/// A folder with a kernel in it, and the path of the kernel.
fn kernel(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.rec").to_str().unwrap().to_owned();
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

const FIR: &str = "kernel fir(N, K) where K <= N
in x[N], h[K]
out y[N - K + 1]
y[i] = sum(k in 0..K) h[k] * x[i + k]
";

const ENDS: &str = "kernel ends(N) where N >= 2
in x[N]
out y[N]
y[i] = x[i] where i == 0
y[i] = x[i - 1] + x[i + 1] where 1 <= i, i <= N - 2
y[i] = x[i] where i == N - 1
";

const BACK: &str = "kernel back(N) where N >= 3
in x[N]
out y[N]
y[i] = x[i] where i <= 2
y[i] = y[i - 3] + x[i] where i >= 3
";

/// Each kernel with sizes that are as it assumes.
const CASES: [(&str, [&str; 3]); 3] =
    [(FIR, ["N=5,K=3", "N=4,K=4", "N=1,K=1"]), (ENDS, ["N=2", "N=3", "N=7"]), (BACK, ["N=3", "N=4", "N=8"])];

#[test]
fn what_is_assumed_is_known_to_proofs_and_runs() {
    for (text, all) in CASES {
        let (_folder, path) = kernel(text);
        for sizes in all {
            let ran = json(&["run", &path, "--size", sizes]);
            assert_eq!((&ran["prove"]["result"], &ran["sim"]["matches_reference"]), (&"proved".into(), &true.into()));
            assert_eq!(ran["unstated"], serde_json::json!([]), "{text} at {sizes}");
        }
    }
    let (_folder, path) = kernel(FIR);
    let said = good(&["run", &path, "--size", "N=6,K=2"]);
    assert!(said.contains("proved for all N, K >= 1 where N >= K"), "{said}");
    assert!(good(&["check", &path]).contains("kernel fir(N, K) where N >= K"));
}

/// The twins: without what is assumed there is a size for which each means nothing.
#[test]
fn without_it_the_kernels_are_refused() {
    for (text, smallest) in [(FIR, "N = 1, K = 3"), (ENDS, "N = 1"), (ENDS, "twice")] {
        let (header, rest) = text.split_once('\n').unwrap();
        let (bare, _) = header.split_once(" where").unwrap();
        let (_folder, path) = kernel(&format!("{bare}\n{rest}"));
        let said = refused(&["check", &path]);
        assert!(said.contains(smallest) || said.contains("K = 3, N = 1"), "{smallest}\n{said}");
    }
}

#[test]
fn sizes_that_break_it_are_refused_with_the_line() {
    let (_folder, path) = kernel(FIR);
    for command in ["run", "search", "prove"] {
        let said = refused(&[command, &path, "--size", "N=3,K=4"]);
        assert!(said.contains("the kernel assumes N >= K, which K = 4, N = 3 is not"), "{command}\n{said}");
        assert!(said.contains("k.rec:1:"), "{command}\n{said}");
    }
    // Sizes that nobody gives are chosen as the kernel assumes.
    good(&["search", &path, "--size", "K=12"]);
}

#[test]
fn programs_carry_it() {
    let (folder, path) = kernel(FIR);
    let program = folder.path().join("fir.pe").to_str().unwrap().to_owned();
    good(&["emit", &path, "-o", &program]);
    assert!(std::fs::read_to_string(&program).unwrap().contains("(assume (>= N K))"));
    good(&["sim", &program, "--size", "N=5,K=5"]);
    for command in ["sim", "exec"] {
        let said = refused(&[command, &program, "--size", "N=3,K=4"]);
        assert!(said.contains("program `fir` assumes N >= K, which K = 4, N = 3 is not"), "{said}");
    }
    let changed = std::fs::read_to_string(&program).unwrap().replace("(assume (>= N K))", "(assume (>= N J))");
    std::fs::write(&program, changed).unwrap();
    assert!(refused(&["sim", &program, "--size", "N=5,K=5"]).contains("over the parameters"));
}

#[test]
fn tiles_know_it_too() {
    let (_folder, path) = kernel(FIR);
    for sizes in ["N=5,K=3", "N=9,K=8", "N=2,K=1"] {
        let ran = json(&["run", &path, "--size", sizes, "--tile", "k=2"]);
        assert_eq!((&ran["prove"]["result"], &ran["sim"]["matches_reference"]), (&"proved".into(), &true.into()));
    }
    assert!(refused(&["run", &path, "--size", "N=3,K=4", "--tile", "k=2"]).contains("assumes N >= K"));
}

#[test]
fn what_no_size_fulfils_and_what_is_no_size_is_refused() {
    for (header, part) in [
        ("kernel k(N) where N <= 0", "no sizes are as this kernel assumes"),
        ("kernel k(N) where N >= 3, N < 2", "no sizes are as this kernel assumes"),
        ("kernel k(N) where N != 2", "`!=` cannot be assumed of sizes"),
        ("kernel k(N) where i >= 2", "`i`"),
        ("kernel k(N) where N * N >= 2", "not affine"),
    ] {
        let (_folder, path) = kernel(&format!("{header}\nin x[N]\nout y[N]\ny[i] = x[i]\n"));
        let said = refused(&["check", &path]);
        assert!(said.contains(part), "{header}\n{said}");
    }
}
