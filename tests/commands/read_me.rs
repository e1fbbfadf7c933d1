//! What the read-me shows is what the commands print, times aside.

use super::start::systole;

/// The lines with runs of blanks as one, and every `12.3 ms` without its number.
fn lines(text: &str) -> Vec<String> {
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_time = |at: usize| words.get(at + 1) == Some(&"ms") && words[at].parse::<f64>().is_ok();
        (0..words.len()).filter(|at| !is_time(*at)).map(|at| words[at]).collect::<Vec<_>>().join(" ")
    };
    text.lines().map(line).filter(|line| !line.is_empty()).collect()
}

#[test]
fn the_read_me_shows_what_is_printed() {
    let page = lines(include_str!("../../README.md"));
    let commands: [&[&str]; 3] = [
        &["run", "kernels/matmul.rec", "--size", "M=8,N=8,K=8"],
        &["run", "kernels/trisolve.rec", "--schedule", "row", "--size", "N=8"],
        &["prove", "kernels/matmul.rec", "--schedule", "too-fast"],
    ];
    for arguments in commands {
        let ran = systole(arguments);
        let shown = lines(&(ran.stdout + &ran.stderr));
        assert!(page.windows(shown.len()).any(|part| *part == shown), "the read-me does not show {shown:#?}");
    }
}
