//! The packages stand in the order of the pipeline, and so do the modules of each in its `lib.rs`: imports point up these lists.

use crate::tree::{File, files, page, root};
use std::collections::BTreeSet;

/// The packages below `src/`, each with those that it may name. `systole` is the root package.
pub const PACKAGES: [(&str, &[&str]); 7] = [
    ("base", &[]),
    ("equations", &["base"]),
    ("program", &["base", "equations"]),
    ("compile", &["base", "equations", "program"]),
    ("run", &["base", "equations", "program"]),
    ("language-server", &["base", "equations", "program", "compile"]),
    ("systole", &["base", "equations", "program", "compile", "run", "language-server"]),
];

/// The names of a package's `lib.rs` behind these words, in its order.
fn declared(package: &str, words: &str) -> Vec<String> {
    let name = |line: &str| Some(line.trim().strip_prefix(words)?.strip_suffix(';')?.to_owned());
    page(&format!("src/{package}/lib.rs")).lines().filter_map(name).collect()
}

/// The modules of a package in the order of its `lib.rs`: what it has for itself alone stands first.
fn modules_of(package: &str) -> Vec<String> {
    [declared(package, "mod "), declared(package, "pub mod ")].concat()
}

/// What all packages offer, in this order.
pub fn modules() -> Vec<String> {
    PACKAGES.iter().flat_map(|(package, _)| declared(package, "pub mod ")).collect()
}

/// The package and the module that a file of `src/` belongs to: `compile` and `timing` for `src/compile/timing/link.rs`.
fn owner(file: &File) -> (&str, &str) {
    let mut path = file.path.trim_start_matches("src/").split('/');
    let package = path.next().unwrap_or_default();
    (package, path.next().unwrap_or_default().trim_end_matches(".rs"))
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
    let mut problems = vec![];
    // The bindings to OpenBLAS are a package of their own, which few have the library for.
    let is_of_a_package = |file: &&File| PACKAGES.iter().any(|(package, _)| *package == owner(file).0);
    let is_module = |file: &&File| is_of_a_package(file) && !["lib", "main", "build"].contains(&owner(file).1);
    for file in files("src", ".rs").iter().filter(is_module) {
        let (package, module) = owner(file);
        let modules = modules_of(package);
        let rank = |name: &str| modules.iter().position(|module| module == name);
        let own = rank(module).unwrap_or_else(|| panic!("{} is in no module of lib.rs", file.path));
        let downward = imported(&file.text).into_iter().filter(|name| rank(name).is_none_or(|rank| rank > own));
        problems.extend(downward.map(|name| format!("{} imports `{name}`", file.path)));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// What a package may not name, cargo would refuse; the lists here are those of the manifests.
#[test]
fn packages_depend_on_those_above_them() {
    for (package, above) in PACKAGES {
        let manifest = match package {
            "systole" => page("Cargo.toml"),
            _ => page(&format!("src/{package}/Cargo.toml")),
        };
        let named = manifest.split("\n[dependencies]\n").nth(1).and_then(|rest| rest.split("\n[").next());
        let named: Vec<&str> =
            named.unwrap_or_default().lines().filter_map(|line| line.strip_prefix("systole-")).collect();
        let mut named: Vec<&str> = named.iter().filter_map(|line| line.split(' ').next()).collect();
        let mut above = above.to_vec();
        named.sort_unstable();
        above.sort_unstable();
        assert_eq!(named, above, "{package}");
    }
}

/// What `cargo tree` prints.
fn cargo_tree(flags: &[&str]) -> String {
    let mut command = std::process::Command::new(env!("CARGO"));
    let output = command.args(["tree", "--locked"]).args(flags).current_dir(root()).output().expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// No package of others that the command needs has other features where the tests are built too, with ranks of MPI or without, so it need
/// not be built twice.
#[test]
fn the_command_and_its_tests_are_one_build() {
    let with_features = |flags: &[&str]| {
        let shown = ["--format", "{p} {f}", "--prefix", "none", "--no-dedupe"];
        let text = cargo_tree(&[flags, &shown].concat());
        text.lines().map(str::to_owned).collect::<BTreeSet<String>>()
    };
    let alone = with_features(&["--package", "systole", "--edges", "normal,build"]);
    for features in ["", "mpi,openblas"] {
        let tested = with_features(&["--workspace", "--edges", "normal,build,dev", "--features", features]);
        let other: Vec<&String> = alone.difference(&tested).filter(|line| !line.starts_with("systole")).collect();
        assert!(other.is_empty() && !alone.is_empty(), "the tests need other features of {other:#?}");
    }
}

/// What runs programs is built without the compiler: neither egg nor Z3 is among what it needs.
#[test]
fn what_runs_programs_needs_no_compiler() {
    let tree = |package: &str| cargo_tree(&["--package", package, "--edges", "normal", "--prefix", "none"]);
    let needs = |package: &str, wanted: &str| tree(package).lines().any(|line| line.split(' ').next() == Some(wanted));
    for wanted in ["egg", "z3", "systole-compile"] {
        assert!(!needs("systole-run", wanted), "systole-run needs {wanted}");
        assert!(needs("systole", wanted), "{wanted} was not found where it is");
    }
}

#[test]
fn the_solver_the_e_graph_library_and_mpi_are_each_named_in_their_rooms() {
    let only: [(&str, &[&str]); 4] =
        [("z3", &["smt"]), ("solver", &["smt"]), ("egg", &["rewrite", "check"]), ("mpi", &["exec"])];
    // The package that loads the solver has nothing else.
    for file in files("src", ".rs").into_iter().filter(|file| owner(file).0 != "solver") {
        for (library, modules) in only {
            let names = |line: &str| {
                let path = format!("{library}::");
                let at = |text: &str| text.match_indices(&path).any(|(at, _)| !text[..at].ends_with(is_part_of_a_word));
                !line.trim_start().starts_with("//") && (at(line) || line.contains(&format!("use {library};")))
            };
            let named = file.text.lines().any(names);
            assert!(!named || modules.contains(&owner(&file).1), "{} names the crate `{library}`", file.path);
        }
    }
}

fn is_part_of_a_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == ':'
}
