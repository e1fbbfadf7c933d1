//! `io boundary` and `load`: programs that load and recover through the array, and the closed forms they are written from.

use super::start::{good, json, refused};

const KERNEL: &str = "kernel matmul(M, N, K)\nin A[M, K], B[K, N]\nout C[M, N]\n\
    C[i, j] = sum(k in 0..K) A[i, k] * B[k, j]\n";

/// A file with the kernel and these directives, in a folder that lives as long as the first part.
fn kernel(directives: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("border.rec");
    std::fs::write(&path, format!("{KERNEL}\nschedule border\n{directives}\n")).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

const STAYS: &str = "place (i, j)   time i + j + k\nstream A along j   stream B along i\nio boundary\n";

#[test]
fn a_result_that_stays_is_recovered_along_the_direction_that_is_given() {
    for along in ["(1, 0)", "(0, -1)", "(1, 1)"] {
        let (_folder, file) = kernel(&format!("network king\n{STAYS}load C along {along}"));
        let found = json(&["run", &file, "--schedule", "border", "--size", "M=3,N=4,K=5"]);
        assert_eq!(found["sim"]["matches_reference"], true, "{along}");
        let text = good(&["emit", &file, "--schedule", "border"]);
        let offset = along.replace(',', "");
        assert!(text.contains(&format!("(channel C-link (offset {}", &offset[1..])), "{text}");
        assert!(!text.contains("(at "), "no clock: {text}");
    }
}

#[test]
fn the_border_needs_no_proof_where_the_scheme_loads_and_recovers() {
    let (_folder, file) = kernel(STAYS);
    let said = good(&["prove", &file, "--schedule", "border"]);
    assert!(said.contains("edge-injection           by construction") && !said.contains("no-deadlock"), "{said}");
    // Such a program is another than the one that the obligation is about.
    let said = good(&["prove", &file, "--schedule", "border", "--distribution", "cyclic"]);
    assert_eq!(said.lines().filter(|line| line.contains("no-deadlock")).count(), 1, "{said}");
    assert!(said.contains("no-deadlock              by construction: processes serve the streams"), "{said}");
    let ran = good(&["run", &file, "--schedule", "border", "--size", "M=3,N=3,K=3"]);
    assert!(ran.contains("matches reference bit for bit"), "{ran}");
}

#[test]
fn a_broadcast_is_not_covered_and_the_border_is_read_strictly() {
    let (_folder, file) = kernel("place (i, j)   time k\nbroadcast A along j   broadcast B along i\nio boundary");
    let said = refused(&["emit", &file, "--schedule", "border"]);
    assert!(said.contains("`C` leaves inside the array") || said.contains("leaves inside"), "{said}");
    assert!(said.contains("share a step"), "the scheme's reason: {said}");
}

#[test]
fn a_loading_direction_that_does_not_fit_is_refused() {
    let (_folder, file) = kernel(&format!("{STAYS}load A along (1, 0)"));
    assert!(refused(&["emit", &file, "--schedule", "border"]).contains("`A` moves, so it is not loaded"));
    let (_folder, file) = kernel(&format!("{STAYS}load C along (0, 0)"));
    assert!(refused(&["emit", &file, "--schedule", "border"]).contains("does not lead to a neighbour"));
    let (_folder, file) = kernel(&format!("{STAYS}load C along (2, 0)"));
    assert!(refused(&["emit", &file, "--schedule", "border"]).contains("a loading direction leads to a neighbour"));
}

#[test]
fn what_is_prefetched_is_loaded_through_the_array() {
    let (folder, file) =
        kernel("place (i, k)   time i + j + k\nprefetch A   stream B along i\nio boundary   load A along (0, 1)");
    let program = folder.path().join("border.pe");
    let program = program.to_str().unwrap();
    good(&["emit", &file, "--schedule", "border", "-o", program]);
    let text = std::fs::read_to_string(program).unwrap();
    assert!(text.contains("(channel A-link (offset 0 1)") && !text.contains("prefetch"), "{text}");
    for size in ["M=1,N=1,K=1", "M=2,N=5,K=3", "M=6,N=1,K=4"] {
        let ran = good(&["sim", program, "--size", size, "--capacity", "1", "--reference", &file]);
        assert!(ran.contains("matches the reference"), "{ran}");
    }
}

#[test]
fn a_network_without_the_links_is_refused() {
    for (network, along) in [("wire", "(1, 1)"), ("hex", "(1, -1)")] {
        let directives = "place (i - k, j - k)   time i + j + k\nstream A along j   stream B along i\nio boundary";
        let stays = format!("network {network}\n{STAYS}load C along {along}");
        let (_folder, file) = kernel(&stays);
        let ran = super::start::systole(&["emit", &file, "--schedule", "border"]);
        assert_eq!(ran.code, i32::from(network == "wire"), "{}", ran.stderr);
        let (_folder, file) = kernel(&format!("network {network}\n{directives}"));
        assert_eq!(super::start::systole(&["emit", &file, "--schedule", "border"]).code, i32::from(network == "wire"));
    }
}

#[test]
fn a_loading_direction_needs_the_border() {
    let (_folder, file) = kernel(&format!("{}load C along (1, 0)", STAYS.replace("io boundary\n", "")));
    let said = refused(&["emit", &file, "--schedule", "border"]);
    assert!(said.contains("`C` is loaded through the array only with `io boundary`"), "{said}");
}

#[test]
fn closed_forms_are_those_of_the_report() {
    let said = good(&["emit", "kernels/matmul.rec", "--schedule", "kung-leiserson", "--closed-form"]);
    for line in [
        "p0 = -K + 1 .. M - 1",
        "increment   (1, 1, 1)",
        "flow (-1, -1); passed to (-1, -1)",
        "flow (0, 1); passed to (0, 1)",
    ] {
        assert!(said.contains(line), "{line}\n{said}");
    }
    let found = json(&["emit", "kernels/polynomial_product.rec", "--schedule", "c-stays", "--closed-form"]);
    assert_eq!(found["increment"], serde_json::json!([1, -1]));
    assert_eq!(found["streams"][0]["flow"], serde_json::json!([[1, 1]]));
    assert_eq!(found["streams"][1]["internal_buffers"], 1);
    assert_eq!(found["streams"][2]["stationary"], true);
    assert_eq!(found["first"].as_array().unwrap().len(), 2);
}

#[test]
fn closed_forms_are_refused_in_the_words_of_the_scheme() {
    let said = refused(&["emit", "kernels/matmul.rec", "--schedule", "summa", "--closed-form"]);
    assert!(said.contains("share a step"), "{said}");
    let said = refused(&["emit", "kernels/trisolve.rec", "--closed-form"]);
    assert!(said.contains("`trisolve` has no closed forms: it has several spaces"), "{said}");
}
