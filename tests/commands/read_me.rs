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

/// Each command of the read-me reads files that ship, or that one before it writes.
#[test]
fn the_read_me_names_files_that_are_there() {
    let root = std::path::Path::new(env!("SYSTOLE_ROOT"));
    let page = include_str!("../../README.md");
    let commands =
        page.lines().filter(|line| line.starts_with("    ") && line.contains("systole ") || line.contains("cargo run"));
    let mut written: Vec<&str> = vec![];
    let mut count = 0;
    for line in commands {
        let words: Vec<&str> = line.split(" #").next().unwrap_or_default().split_whitespace().collect();
        let folders = ["kernels/", "machines/", "rules/", "tests/"];
        let is_file = |word: &&&str| {
            folders.iter().any(|folder| word.starts_with(folder))
                || [".rec", ".pe", ".toml"].iter().any(|end| word.ends_with(end))
        };
        for word in words.iter().filter(is_file) {
            let is_there = root.join(word).exists() || written.contains(word);
            let at = words.iter().position(|other| other == word).unwrap_or(0);
            let is_written = at > 0 && ["-o", "--output", "--program"].contains(&words[at - 1]);
            assert!(is_there || is_written, "`{word}` of `{}` is not there", words.join(" "));
            written.push(word);
            count += 1;
        }
    }
    assert!(count > 20, "the commands were not found: {count}");
    assert!(page.contains("systole rules   check rules/examples/logaddexp "));
}

/// The example of a user's own rules, on fewer cases than are tried by default.
#[test]
fn the_rules_of_the_read_me_are_sound() {
    let told = super::start::good(&["rules", "check", "rules/examples/logaddexp", "--cases", "20"]);
    assert!(told.contains("logaddexp"), "{told}");
}

#[test]
fn the_objective_is_said_where_it_is_chosen() {
    let help = super::start::good(&["search", "--help"]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        help.contains(
            "`systolic` is for the shortest wires, then for the least product of the cycles and the square of the words"
        ),
        "{help}"
    );
}
