//! Keys, ranges and values that cannot be swept, all said before anything is searched.

use super::common::{explore, misused, refused};

fn refuse(sweeps: &[&str]) -> String {
    let flags: Vec<&str> = sweeps.iter().flat_map(|sweep| ["--sweep", sweep]).collect();
    misused(&[&["kernels/matmul.rec"], &flags[..]].concat())
}

#[test]
fn an_unknown_key_is_refused_with_the_nearest_and_the_list() {
    let message = refuse(&["link.latncy=1"]);
    assert!(message.contains("`link.latncy` is not a key that can be swept"), "{message}");
    assert!(message.contains("did you mean `link.latency`?"), "{message}");
    for key in ["grid.network", "grid.extent", "link.capacity", "link.response", "bus.kinds", "size.M", "size.K"] {
        assert!(message.contains(key), "no {key} in {message}");
    }
    assert!(refuse(&["size.Q=1"]).contains("did you mean `size."));
    assert!(refuse(&["colour=1"]).contains("machines/ideal.toml"));
}

#[test]
fn ranges_and_values_are_checked() {
    let cases = [
        ("link.latency=2..1", "is empty: 2 is more than 1"),
        ("link.latency=1..8:0", "with a step of at least 1"),
        ("link.latency=1..x", "is not a range of whole numbers"),
        ("link.latency=0..2", "from 1 to 1000000"),
        ("link.latency=fast", "from 1 to 1000000"),
        ("link.latency=", "from 1 to 1000000"),
        ("link.latency=1,2,1", "has the value `1` twice"),
        ("size.N=0", "out of range"),
        ("size.N=1.5", "not a whole number"),
        ("size.N=1..9000000000000000000", "more than 100000 values"),
        ("grid.network=moebius", "`network` of `[grid]` is one of"),
        ("bus.kinds=row+tree", "a list of kinds: row, column, all"),
        ("grid.extent=4x0", "positive numbers"),
        ("link.latency", "is not a sweep"),
    ];
    for (sweep, part) in cases {
        let message = refuse(&[sweep]);
        assert!(message.contains(part), "{sweep}: {message}");
    }
}

#[test]
fn everything_wrong_is_said_at_once() {
    let message = refuse(&["link.latncy=1", "size.N=0", "link.response=2..1"]);
    for part in ["link.latncy", "out of range", "is empty"] {
        assert!(message.contains(part), "no `{part}` in {message}");
    }
}

#[test]
fn keys_have_one_master() {
    assert!(refuse(&["size.N=1", "size.N=2"]).contains("`size.N` is swept twice"));
    let both = ["kernels/matmul.rec", "--sweep", "link.latency=1..2", "--latency", "3"];
    assert!(misused(&both).contains("`link.latency` is swept and fixed by --latency"));
    let both = ["kernels/matmul.rec", "--sweep", "size.N=1..2", "--size", "N=3"];
    assert!(misused(&both).contains("the size of `N` is given twice"));
    assert!(refuse(&["size.N=1..1000", "size.M=1..1000"]).contains("more than 100000 points"));
}

#[test]
fn an_exploration_needs_a_sweep() {
    assert_eq!(explore(&["kernels/matmul.rec"]).status.code(), Some(2));
}

#[test]
fn a_folder_that_cannot_be_made_is_refused() {
    let message = refused(&["kernels/matmul.rec", "--sweep", "size.N=1", "--out", "Cargo.toml/sweep"]);
    assert!(message.contains("cannot keep the journal"), "{message}");
    let message = refused(&["kernels/matmul.rec", "--sweep", "size.N=1", "--out", "Cargo.toml"]);
    assert!(message.contains("cannot write the folder `Cargo.toml`: it is a file"), "{message}");
}
