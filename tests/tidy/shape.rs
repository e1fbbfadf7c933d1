//! The shape of source files: each opens with its purpose. How long files and functions are is judgement, not law.

use crate::tree::files;

#[test]
fn every_source_file_opens_with_what_it_is_for() {
    for folder in ["src", "tests", "benches"] {
        for file in files(folder, ".rs") {
            assert!(file.text.starts_with("//! "), "{} does not begin with `//!`", file.path);
        }
    }
}
