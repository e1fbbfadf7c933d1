//! The order of the modules in `lib.rs` is the order of the pipeline: imports point up it.

use crate::tree::{File, files, page};

/// The modules in the order of `lib.rs`.
pub fn modules() -> Vec<String> {
    let name = |line: &str| Some(line.trim().strip_prefix("pub mod ")?.strip_suffix(';')?.to_owned());
    page("src/lib.rs").lines().filter_map(name).collect()
}

/// The module a file of `src/` belongs to: `timing` for both `src/timing/link.rs` and `src/timing.rs`.
fn owner(file: &File) -> &str {
    let path = file.path.trim_start_matches("src/");
    path.split('/').next().unwrap_or(path).trim_end_matches(".rs")
}

/// The modules named behind each `crate::`, lists in braces included.
fn imported(text: &str) -> Vec<String> {
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let text = text.lines().filter(is_code).collect::<Vec<_>>().join("\n");
    text.split("crate::")
        .skip(1)
        .flat_map(|rest| if rest.starts_with('{') { listed(rest) } else { vec![word(rest)] })
        .collect()
}

fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// The first word of each entry of `{a, b::{c, d}}`.
fn listed(text: &str) -> Vec<String> {
    let (mut depth, mut names, mut fresh) = (0, vec![], false);
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => break,
            '}' => depth -= 1,
            _ if depth == 1 && fresh && c.is_alphabetic() => names.push(word(&text[at..])),
            _ => {}
        }
        fresh = depth == 1 && (matches!(c, '{' | ',') || (fresh && c.is_whitespace()));
    }
    names
}

#[test]
fn lists_in_braces_are_read() {
    assert_eq!(listed("{a, b::{c, d},\n e::f}; other"), ["a", "b", "e"]);
}

#[test]
fn imports_point_up_the_list_of_modules() {
    let modules = modules();
    let rank = |name: &str| modules.iter().position(|module| module == name);
    let mut problems = vec![];
    for file in files("src", ".rs").iter().filter(|file| !["src/lib.rs", "src/main.rs"].contains(&&*file.path)) {
        let own = rank(owner(file)).unwrap_or_else(|| panic!("{} is in no module of lib.rs", file.path));
        let downward = imported(&file.text).into_iter().filter(|name| rank(name).is_none_or(|rank| rank > own));
        problems.extend(downward.map(|name| format!("{} imports `{name}`", file.path)));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_solver_the_e_graph_library_and_mpi_are_each_named_in_one_module() {
    let only = [("z3", "smt"), ("egg", "rewrite"), ("mpi", "exec")];
    for file in files("src", ".rs") {
        for (library, module) in only {
            let names = |line: &str| {
                let path = format!("{library}::");
                let at = |text: &str| text.match_indices(&path).any(|(at, _)| !text[..at].ends_with(is_part_of_a_word));
                !line.trim_start().starts_with("//") && (at(line) || line.contains(&format!("use {library};")))
            };
            let named = file.text.lines().any(names);
            assert!(!named || owner(&file) == module, "{} names the crate `{library}`", file.path);
        }
    }
}

fn is_part_of_a_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == ':'
}
