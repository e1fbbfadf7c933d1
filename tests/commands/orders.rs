//! The order in which a reduction of one of several spaces runs is the order of the reference.

use assert_cmd::Command;

/// Sums of 0.1 and the like differ in the last bits with the order; the design adds the last term first.
#[test]
fn a_sum_from_its_last_term_has_the_bits_of_its_reference() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sums.rec");
    let text = "kernel sums(M, N)\nin A[M, N]\nout y[N], z[N]\ny[i] = sum(k in 0..M) A[k, i]\nz[i] = y[i] + 1\n\n\
                schedule back\nplace (i)   time -k\n";
    std::fs::write(&path, text).unwrap();
    let mut command = Command::cargo_bin("systole").unwrap();
    let output = command.arg("run").arg(&path).args(["--schedule", "back", "--size", "M=5,N=2"]).output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("y stream <-k>") && told.contains("matches reference bit for bit"), "{told}");
}
