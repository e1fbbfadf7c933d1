//! Packages are whole by themselves: what one embeds lies within its folder, by a link where it is kept elsewhere.

use crate::tree::{File, files, page, root};
use std::path::{Component, Path, PathBuf};

/// The folders of the packages below `src`.
fn packages() -> Vec<String> {
    let entries = std::fs::read_dir(root().join("src")).expect("a folder");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

/// The paths that a source embeds, from the folder it is in; of one that a macro completes, the beginning.
fn embedded(text: &str) -> Vec<&str> {
    let calls = text.split("include_str!(").skip(1);
    calls.filter_map(|rest| rest.trim_start_matches("concat!(").strip_prefix('"')?.split('"').next()).collect()
}

/// A path without `..`, as it is written: links are not followed.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    path.components().for_each(|part| match part {
        Component::ParentDir => _ = plain.pop(),
        other => plain.push(other),
    });
    plain
}

fn strays(file: &File) -> Vec<String> {
    let package: PathBuf = Path::new(&file.path).components().take(2).collect();
    let folder = Path::new(&file.path).parent().expect("a folder");
    let strays = embedded(&file.text).into_iter().filter(|path| !plain(&folder.join(path)).starts_with(&package));
    strays.map(|path| format!("{} embeds `{path}`, which is not in its package", file.path)).collect()
}

#[test]
fn what_a_package_embeds_lies_within_it() {
    let all = files("src", ".rs");
    let problems: Vec<String> = all.iter().flat_map(strays).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(all.iter().flat_map(|file| embedded(&file.text)).count() > 30);
    let text = r#"const T: &str = include_str!(concat!("../leaves/", "x"));"#.to_owned();
    assert_eq!(strays(&File { path: "src/run/leaf/rates.rs".to_owned(), text }).len(), 0);
    let text = r#"const T: &str = include_str!("../../../rules/x");"#.to_owned();
    assert_eq!(strays(&File { path: "src/run/leaf/rates.rs".to_owned(), text }).len(), 1);
}

#[test]
fn every_package_has_our_name_and_no_build_script_from_elsewhere() {
    for package in packages().iter().filter(|package| *package != "systole") {
        let manifest = page(&format!("src/{package}/Cargo.toml"));
        assert!(manifest.contains(&format!("name = \"systole-{package}\"\n")), "{package}");
        assert!(!manifest.contains("build = \"..") && manifest.contains("description = "), "{package}");
    }
}
