//! What works for kernels of one space and of several: the table of the book is what the commands say.

use super::start::{Ran, systole};
use std::path::Path;

/// `C = A B`.
const ONE: &str = "kernel one(N)\nin A[N, N], B[N, N]\nout C[N, N]\nC[i, j] = sum(k) A[i, k] * B[k, j]\n";
/// Sums and divisions: two spaces.
const SEVERAL: &str = "kernel several(N)\nin L[N, N] is dominant, B[N]\nout X[N]\n\
    X[i] = (B[i] - sum(j in 0..i) L[i, j] * X[j]) / L[i, i]\n";

struct Feature {
    what: &'static str,
    /// What a schedule says: of one space, of several.
    schedules: [&'static str; 2],
    /// The command and its flags.
    arguments: &'static [&'static str],
}

const fn flags(what: &'static str, arguments: &'static [&'static str]) -> Feature {
    Feature { what, schedules: ["", ""], arguments }
}

const fn words(what: &'static str, schedules: [&'static str; 2]) -> Feature {
    Feature { what, schedules, arguments: &["prove"] }
}

const FEATURES: [Feature; 17] = [
    flags("the front, `search`", &["search"]),
    flags("every legal design, `--all`", &["search", "--all"]),
    flags("folded PEs, `--fold 2`", &["search", "--fold", "2"]),
    flags("streams only, `--transports stream,feed`", &["search", "--transports", "stream,feed"]),
    flags("reuse forwards only, `--reuse forward`", &["search", "--reuse", "forward"]),
    flags("tiles, `--tile i=2`", &["search", "--tile", "i=2"]),
    flags("operations that share steps, `--cell all`", &["prove", "--cell", "all"]),
    flags("other forms, `--forms`", &["search", "--forms"]),
    flags("a claimed depth, `prove --depth 2`", &["prove", "--depth", "2"]),
    flags("the chain of rules, `explain`", &["explain"]),
    flags("closed forms, `emit --closed-form`", &["emit", "--closed-form"]),
    words("a place and a time", ["place (i, j) time i + j + k", "place (i) time i + j"]),
    words("a bus, `broadcast X`", ["place (i, j) time k broadcast A", "place (i) stream L broadcast B"]),
    words("through memory, `memory X`", ["memory C", "memory X"]),
    words("the way of a result, `stream X along d`", ["stream C along k", "stream X along i"]),
    words("a vector as time", ["place (i) time (j, k)", "place () time (i, j)"]),
    words("ports at the border, `io boundary`", ["place (i, j) time i + j + k io boundary", "place (i) io boundary"]),
];

/// `works`, or the first line of the refusal.
fn cell(folder: &Path, text: &str, schedule: &str, arguments: &[&str]) -> String {
    let file = folder.join("kernel.rec");
    let schedule = if schedule.is_empty() { String::new() } else { format!("schedule asked\n{schedule}\n") };
    std::fs::write(&file, format!("{text}{schedule}")).expect("written");
    let (file, program) = (file.to_string_lossy(), folder.join("program.pe"));
    let mut all = vec![arguments[0], &file];
    all.extend(arguments[1..].iter().chain(&["--size", "N=3"]));
    if !schedule.is_empty() {
        all.extend(["--schedule", "asked"]);
    }
    let program = program.to_string_lossy();
    if arguments[0] == "emit" {
        all.extend(["-o", &program]);
    }
    let Ran { code, stderr: said, .. } = systole(&all);
    if code == 0 {
        return "works".to_owned();
    }
    let first = said.lines().find_map(|line| line.trim_start().strip_prefix("× ")).unwrap_or("no message").to_owned();
    let rest = said.lines().skip_while(|line| !line.contains('×')).skip(1);
    let more = rest.take_while(|line| line.starts_with("  │ ") && !line.starts_with("  │   "));
    more.fold(first, |all, line| format!("{all} {}", line.trim_start_matches([' ', '│']).trim()))
}

#[test]
fn the_table_of_features_is_what_commands_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let row = |feature: &Feature| {
        let cells = [ONE, SEVERAL].iter().zip(feature.schedules);
        let cells = cells.map(|(text, schedule)| cell(folder.path(), text, schedule, feature.arguments));
        format!("| {} | {} |\n", feature.what, cells.collect::<Vec<String>>().join(" | "))
    };
    let table: String = FEATURES.iter().map(row).collect();
    let path = Path::new(env!("SYSTOLE_ROOT")).join("book/src/features.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let (head, _) = page.split_once("|---|---|---|\n").expect("a table");
    let filled = format!("{head}|---|---|---|\n{table}");
    if std::env::var_os("BLESS").is_some() {
        return std::fs::write(&path, filled).expect("written");
    }
    assert_eq!(page, filled, "accept what is printed with BLESS=1");
}
