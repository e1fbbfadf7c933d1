//! `systole run`, `explain`, `check` and `doctor`.

use super::start::{good, json, misused, refused};
use ndarray::{Array2, array};
use ndarray_npy::{read_npy, write_npy};

#[test]
fn the_first_command_of_the_read_me_goes_from_equations_to_a_checked_run() {
    let text = good(&["run", "kernels/matmul.rec", "--size", "M=8,N=8,K=8"]);
    let parts = ["13 of 13 proved", "t = i + j + k   PE (i, j)", "22 cycles (as predicted) on 64 PEs", "bit for bit"];
    parts.iter().for_each(|part| assert!(text.contains(part), "no `{part}` in {text}"));
}

#[test]
fn an_einsum_stands_in_for_a_file() {
    let found = json(&["run", "ik,kj->ij", "--size", "I=3,J=3,K=3"]);
    assert_eq!((&found["sim"]["cycles"], &found["sim"]["matches_reference"]), (&7.into(), &true.into()));
    assert!(refused(&["run", "ik,kj->iq", "--size", "I=3"]).contains('q'));
}

#[test]
fn arrays_and_the_program_can_be_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let left: Array2<f64> = array![[1.0, 2.0], [3.0, 4.0]];
    write_npy(path("a.npy"), &left).unwrap();
    write_npy(path("b.npy"), &Array2::<f64>::eye(2)).unwrap();
    let [a, b, c] =
        ["A=a", "B=b", "C=c"].map(|pair| pair.replace('=', &format!("={}/", folder.path().display())) + ".npy");
    let size = ["run", "kernels/matmul.rec", "--schedule", "cannon", "--size", "M=2,N=2,K=2"];
    let program = path("kept.pe");
    good(&[&size[..], &["--input", &a, "--input", &b, "--output", &c, "--program", &program]].concat());
    assert_eq!(read_npy::<_, Array2<f64>>(path("c.npy")).unwrap(), left);
    assert!(good(&["sim", &program, "--size", "M=2,N=2,K=2"]).contains("cycles"));
}

/// 8 each, or other small ones where the kernel assumes so; the commands that are named next say them.
#[test]
fn without_sizes_a_run_takes_the_usual_ones() {
    let text = good(&["run", "kernels/matmul.rec"]);
    let parts = [
        "  sizes     M=8,N=8,K=8, as --size says nothing\n",
        "22 cycles (as predicted) on 64 PEs",
        "\n      systole sim matmul.pe --size M=8,N=8,K=8\n",
    ];
    parts.iter().for_each(|part| assert!(text.contains(part), "no `{part}` in {text}"));
    let given = ["run", "kernels/matmul.rec", "--size", "M=8,N=8,K=8"];
    assert_eq!(json(&["run", "kernels/matmul.rec"])["sim"], json(&given)["sim"]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("late.rec").display().to_string();
    let text = "kernel late(M, N) where M >= N + 5\nin x[M]\nout y[N]\ny[i] = sum(k in 0..M) x[k] * x[i]\n";
    std::fs::write(&path, text).unwrap();
    let said = good(&["run", &path]);
    assert!(said.contains("  sizes     M=6,N=1, as --size says nothing\n"), "{said}");
    assert_eq!(json(&["run", &path])["sizes"], serde_json::json!({ "M": 6, "N": 1 }));
    // A kernel without sizes has none to name.
    std::fs::write(&path, "kernel late()\nin x[3]\nout y[3]\ny[i] = x[i] + x[i]\n").unwrap();
    assert!(!good(&["run", &path]).contains("sizes  "));
}

/// One array may leave a size open, and two may contradict each other.
#[test]
fn without_sizes_a_run_takes_those_of_its_arrays() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, shape: (usize, usize)| {
        let path = folder.path().join(name);
        write_npy(&path, &Array2::<f64>::ones(shape)).unwrap();
        path.display().to_string()
    };
    let [a, b, c] = [("a.npy", (2, 3)), ("b.npy", (3, 4)), ("c.npy", (5, 4))].map(|(name, shape)| file(name, shape));
    let [a, b, c] = [format!("A={a}"), format!("B={b}"), format!("B={c}")];
    let run = ["run", "kernels/matmul.rec", "--schedule", "cannon", "--input", &a];
    let text = good(&[&run[..], &["--input", &b]].concat());
    assert!(text.contains("  sizes     M=2,N=4,K=3, as the arrays have them\n"), "{text}");
    assert!(text.contains("sim matmul.pe --size M=2,N=4,K=3 --input A="), "{text}");
    let message = misused(&run);
    assert!(message.contains("the size of `N` is missing") && !message.contains("of `M` is missing"), "{message}");
    let message = refused(&[&run[..], &["--input", &c]].concat());
    assert!(message.contains("`B`") && message.contains("[5, 4]"), "{message}");
}

#[test]
fn inputs_are_filled_as_the_kernel_assumes_and_nothing_is_compared_with_what_is_no_number() {
    let folder = tempfile::tempdir().unwrap();
    let run = |assumption: &str| {
        let path = folder.path().join("root.rec");
        let text = format!("kernel root(N)\nin A[N, N]{assumption}\nout B[N, N]\nB[i, j] = sqrt(A[i, j])\n");
        std::fs::write(&path, text).unwrap();
        super::start::systole(&["run", path.to_str().unwrap(), "--size", "N=4"])
    };
    let ran = run(" is bits");
    assert!(ran.stdout.contains("matches reference bit for bit"), "{}{}", ran.stdout, ran.stderr);
    let ran = run("");
    assert!(ran.stderr.contains("is not a number for these inputs"), "{}{}", ran.stdout, ran.stderr);
    assert!(!ran.stdout.contains("bit for bit"), "{}", ran.stdout);
}

#[test]
fn explain_goes_from_the_equations_to_the_proved_schedule() {
    let found = json(&["explain", "kernels/matmul.rec", "--schedule", "cannon"]);
    let steps = found["steps"].as_array().expect("a list");
    assert_eq!(steps.first().map(|step| &step["rule"]), Some(&"lower-sum".into()));
    assert_eq!(steps.last().map(|step| &step["rule"]), Some(&"proved-by-13-obligations".into()));
    let recurrences = found["recurrences"].as_array().expect("a list");
    assert!(recurrences.contains(&"(i,j,k)_A <- (i,j-1,k)_A".into()));
    assert_eq!(found["checked"]["evaluated"], steps.len());
    let text = good(&["explain", "kernels/matmul.rec", "--schedule", "cannon"]);
    assert!(text.contains("dataflow, 19 steps") && text.contains("inject (exact)"), "{text}");
    let law = "(A[i, k] * B[k, j]) on matmul\n    -> (A[i, k] on matmul) * (B[k, j] on matmul)";
    assert!(text.contains(law), "{text}");
    let end = "each of 19 steps evaluated equal at K=4,M=3,N=2 and K=1,M=1,N=1; the conditions of 3 hold";
    assert!(text.trim_end().ends_with(end), "{text}");
}

#[test]
fn a_chain_is_a_graph_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chain.dot");
    good(&["explain", "kernels/matmul.rec", "--schedule", "cannon", "--dot", path.to_str().unwrap()]);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("digraph {") && text.matches(" -> ").count() >= 19, "{text}");
    assert!(text.contains("label=\"1. lower-sum (exact)\""), "{text}");
}

#[test]
fn tiles_are_a_phase_of_their_own() {
    let flags = ["explain", "kernels/matmul.rec", "--tile", "i=2,j=2,k=2", "--size", "M=4,N=5,K=3"];
    let found = json(&flags);
    let phases: Vec<&str> =
        found["steps"].as_array().unwrap().iter().filter_map(|step| step["phase"].as_str()).collect();
    assert_eq!(phases.iter().filter(|phase| **phase == "tiling").count(), 1);
    assert_eq!((phases[0], phases[1]), ("tiling", "dataflow"));
    assert_eq!(found["checked"]["evaluated"], phases.len());
}

#[test]
fn forms_bring_their_laws_along() {
    let found = json(&["explain", "kernels/naive/prefix_sum.rec", "--forms", "--size", "N=4"]);
    let rules: Vec<&str> = found["steps"].as_array().unwrap().iter().filter_map(|step| step["rule"].as_str()).collect();
    assert_eq!((rules[0], &found["steps"][0]["phase"]), ("running", &"algebra".into()));
    let alone = json(&["derive", "kernels/naive/prefix_sum.rec"]);
    assert_eq!(found["steps"][0], alone["forms"][0]["steps"][0]);
    assert!(rules.len() > 1 && found["steps"][1]["phase"] == "dataflow" && alone["forms"][0]["steps"][1].is_null());
}

#[test]
fn check_prints_the_normal_form() {
    let text = good(&["check", "kernels/matmul.rec"]);
    assert!(text.contains("A[i, k] over (i, j, k): [[1, 0, 0], [0, 0, 1]], the same along <j>"), "{text}");
}

#[test]
fn doctor_names_the_solver_that_the_package_was_made_for() {
    assert!(good(&["doctor"]).contains("Z3 5.4"));
}

/// A page that there is nothing to show on is not written, and it is said.
#[test]
fn a_page_that_is_not_written_is_said_to_be_none() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html").display().to_string();
    let flags = ["--size", "M=2,N=2", "--rank", "0", "--report", &page];
    let message = refused(&[&["run", "kernels/polynomial_product.rec"], &flags[..]].concat());
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(message.contains("no page is written to `"), "{message}");
    assert!(!std::path::Path::new(&page).exists());
}

#[test]
fn one_of_a_thing_is_said_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (kernel, program) = (path("one.rec"), path("one.pe"));
    std::fs::write(&kernel, "kernel one()\nin a[1]\nout c[1]\nc[i] = 2 * a[i]\n").unwrap();
    let text = good(&["run", &kernel, "--program", &program]);
    assert!(text.contains("1 cycle on 1 PE, "), "{text}");
    assert!(text.contains("proved (there are no sizes)") && text.contains("1 class of PE, "), "{text}");
    assert!(text.contains("simulate  1 cycle (as predicted) on 1 PE, "), "{text}");
    assert!(!text.contains("for all"), "{text}");
    assert!(good(&["exec", &program, "--threads", "1"]).starts_with("1 PE on 1 thread   1 operation in "));
    let several = good(&["run", "kernels/matmul.rec", "--size", "M=2,N=2,K=2"]);
    assert!(several.contains("4 cycles on 4 PEs") && several.contains("proved for all M, N, K >= 1"), "{several}");
}

/// Each of two guards of a word that is sent on holds at some point of a PE, and both at none: nothing is sent there, and no channel is
/// without a receiver.
#[test]
fn a_word_whose_guards_exclude_each_other_is_not_sent() {
    for (size, cycles) in [("M=3,N=5", 11), ("M=5,N=2", 7), ("M=1,N=1", 1)] {
        let said = good(&["run", "tests/commands/designs/clipped_gaussian.design", "--size", size]);
        assert!(said.contains("  proofs    138 of 138 proved for all M, N >= 1"), "{said}");
        assert!(said.contains(&format!("  simulate  {cycles} cycle")) && said.contains("bit for bit"), "{said}");
        // Nothing was searched or counted, so nothing is said of either.
        assert!(said.contains("  search    none, as the schedule is a whole design\n"), "{said}");
        assert!(!said.contains("predicted") && !said.contains("0 cycles") && !said.contains("compute"), "{said}");
    }
}
