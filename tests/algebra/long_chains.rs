//! Products of many matrices, written from left to right: derived into the best order, searched one space after the other, proved for all sizes,
//! simulated with the bits of their own reference.

use crate::common::few;
use crate::whole::object;

/// How far a form may be from the naive text, relatively.
const CLOSE: f64 = 1e-12;

/// The product of so many matrices, from left to right, between sizes `N0`, `N1`, ...
fn chain(factors: usize) -> String {
    let list =
        |of: &dyn Fn(usize) -> String, range: std::ops::Range<usize>| range.map(of).collect::<Vec<_>>().join(", ");
    let inputs = list(&|n| format!("A{n}[N{}, N{n}]", n - 1), 1..factors + 1);
    let locals = list(&|n| format!("T{n}[N0, N{n}]"), 2..factors);
    let product = |n: usize| {
        let (to, from) = (if n == factors { "Y".to_owned() } else { format!("T{n}") }, if n == 2 { 'A' } else { 'T' });
        format!("{to}[i, j] = sum(k) {from}{}[i, k] * A{n}[k, j]\n", n - 1)
    };
    let head =
        format!("kernel chain({})\nin {inputs}\nout Y[N0, N{factors}]\n", list(&|n| format!("N{n}"), 0..factors + 1));
    head + &format!("local {locals}\n") + &(2..=factors).map(product).collect::<String>()
}

/// Cycles and loaded words of the best design of the derived form, which is proved and simulated.
fn run(naive: &str, size: &str) -> (u64, u64) {
    let folder = tempfile::tempdir().unwrap();
    let form = folder.path().join("form.rec").display().to_string();
    let derived = object(&["derive", naive, "-o", &form]);
    assert!(derived["forms"][0]["difference"].as_f64().unwrap() < CLOSE);
    let found = object(&["run", &form, "--size", size]);
    assert_eq!((&found["prove"]["result"], &found["sim"]["matches_reference"]), (&"proved".into(), &true.into()));
    assert!(found["prove"]["obligations"].as_array().unwrap().iter().all(|one| one["result"] == "proved"));
    let words = found["search"]["front"][0]["memory_words"].as_u64().unwrap();
    (found["sim"]["cycles"].as_u64().unwrap(), words)
}

/// [`run`] of so many factors at these sizes.
fn run_chain(factors: usize, sizes: &[u64]) -> (u64, u64) {
    let folder = tempfile::tempdir().unwrap();
    let naive = folder.path().join("chain.rec").display().to_string();
    std::fs::write(&naive, chain(factors)).unwrap();
    let size = sizes.iter().enumerate().map(|(n, size)| format!("N{n}={size}")).collect::<Vec<_>>().join(",");
    run(&naive, &size)
}

/// The words of all factors.
fn elements(sizes: &[u64]) -> u64 {
    sizes.windows(2).map(|pair| pair[0] * pair[1]).sum()
}

#[test]
fn chains_of_four_to_seven_take_as_long_as_their_sizes() {
    for sizes in few(&[vec![4, 2, 3, 2, 4], vec![3; 5], vec![3; 6], vec![3; 7], vec![3; 8]], 1) {
        let cycles = sizes.iter().sum::<u64>() - 2;
        assert_eq!(run_chain(sizes.len() - 1, sizes), (cycles, elements(sizes)), "{sizes:?}");
    }
}

/// It takes minutes: the search has eleven spaces.
#[cfg(feature = "long-tests")]
#[test]
fn a_chain_of_twelve_runs() {
    let size = "P=4,Q=4,R=4,S=4,T=4,U=4,V=4,W=4";
    assert_eq!(run("kernels/naive/chain.rec", size), (56, 12 * 16));
}
