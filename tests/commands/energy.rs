//! The energy of a run: what is predicted is what is counted, and every key of it matters.

use super::start::{good, json};
use serde_json::Value;

/// Each amount is another power of two, so no two keys can stand in for each other and sums are exact.
const EVERY: &str = "[energy]\nadd = 0.25\nsub = 0.5\nmul = 1\ndiv = 2\nmax = 4\nmin = 8\nsqrt = 16\nne = 32\nneg = 64\n\
                     hop = 128\nmemory = 256\nregister = 512\n";

/// A run on a machine of these lines.
fn run(lines: &str, kernel: &str, schedule: &str, size: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.toml");
    std::fs::write(&path, lines).unwrap();
    let kernel = format!("kernels/{kernel}.rec");
    json(&["run", &kernel, "--schedule", schedule, "--size", size, "--machine", path.to_str().unwrap()])
}

#[test]
fn predicted_energy_is_simulated_energy() {
    let cases = [
        ("matmul", "cannon", "M=4,N=3,K=5"),
        ("matmul", "weight-stationary", "M=4,N=3,K=5"),
        ("matmul", "summa", "M=4,N=3,K=5"),
        ("conv2d", "one-port", "M=4,N=3,K=2,L=3"),
        ("polynomial_product", "c-stays", "M=5,N=4"),
        ("fir", "r2", "N=6,K=4"),
        ("trisolve", "row", "N=5"),
        ("trisolve", "prefetch-l", "N=5"),
        ("trisolve", "broadcast-b", "N=5"),
        ("trisolve", "memory", "N=5"),
        ("trisolve", "strips", "N=9"),
        ("cholesky", "grid", "N=5"),
        ("lu", "grid", "N=5"),
        ("smith_waterman", "row", "M=4,N=5"),
        ("edit_distance", "row", "M=4,N=5"),
    ];
    for (kernel, schedule, size) in cases {
        let found = run(EVERY, kernel, schedule, size);
        let predicted =
            found["search"]["front"][found["search"]["winner"].as_u64().unwrap() as usize]["energy"].clone();
        assert!(predicted.as_f64().unwrap() > 0.0, "{kernel} {schedule}");
        assert_eq!(predicted, found["sim"]["energy"], "{kernel} {schedule}");
    }
}

/// Cannon at M = N = K = 2: 8 products, 4 sums; 4 words of A and 4 of B over one link each; 8 loads and 4 stores; an
/// operation has three accesses to registers.
#[test]
fn every_key_adds_what_it_counts() {
    let of =
        |lines: &str| run(&format!("[energy]\n{lines}\n"), "matmul", "cannon", "M=2,N=2,K=2")["sim"]["energy"].clone();
    let counts = [("mul", 8.0), ("add", 4.0), ("hop", 8.0), ("memory", 12.0), ("register", 36.0), ("div", 0.0)];
    for (key, count) in counts {
        assert_eq!(of(&format!("{key} = 3")), 3.0 * count, "{key}");
    }
    assert_eq!(of("mul = 0.5\nhop = 2"), 20.0);
}

#[test]
fn without_amounts_nothing_is_said_of_energy() {
    let found = run("[energy]\nadd = 0.0\n", "matmul", "cannon", "M=2,N=2,K=2");
    assert!(found["sim"].get("energy").is_none());
    let plain = run("", "matmul", "cannon", "M=2,N=2,K=2");
    assert!(plain["sim"].get("energy").is_none() && plain["search"]["front"][0].get("energy").is_none());
}

#[test]
fn people_read_the_energy_too() {
    let folder = tempfile::tempdir().unwrap();
    let (machine, program) = (folder.path().join("m.toml"), folder.path().join("p.pe"));
    std::fs::write(&machine, "[energy]\nmul = 3\n").unwrap();
    let (machine, program) = (machine.to_str().unwrap(), program.to_str().unwrap());
    let flags = ["--size", "M=2,N=2,K=2", "--machine", machine];
    let text =
        good(&[&["run", "kernels/matmul.rec", "--schedule", "cannon", "--program", program], &flags[..]].concat());
    assert!(text.contains("energy    24.0 pJ (as predicted)"), "{text}");
    let text = good(&[&["sim", program], &flags[..]].concat());
    assert!(text.contains("energy  24.0 pJ"), "{text}");
}
