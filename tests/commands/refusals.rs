//! What is wrong with a command line, and the code it ends with.

use super::start::{refused, systole};

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
fn a_wrong_size_is_code_1_and_is_named() {
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
        let message = refused(&["run", "kernels/matmul.rec", "--size", size]);
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
        let message = refused(&[&["search", "kernels/matmul.rec"], flags].concat());
        assert!(message.contains(expected), "{flags:?}: {message}");
    }
}

#[test]
fn a_file_that_is_not_there_is_answered_with_what_is() {
    assert!(refused(&["check", "kernels/matmull.rec"]).contains("matmul.rec"));
}

#[test]
fn mistakes_in_a_kernel_are_on_standard_error_with_their_place() {
    let message = refused(&["check", "tests/errors/missing-bracket.rec"]);
    assert!(message.contains("missing-bracket.rec:"), "{message}");
}
