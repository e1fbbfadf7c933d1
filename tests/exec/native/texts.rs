//! What is written: as wide as a page, the same for all sizes, and refused where it cannot be.

use super::folder::{Folder, compilers};
use crate::programs::{filled, program, sizes};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};
use systole::array::Tensors;
use systole::integer::name;

fn systole(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_systole"));
    command.args(arguments).current_dir(env!("SYSTOLE_ROOT")).env("NO_COLOR", "1").output().expect("it starts")
}

fn refused(arguments: &[&str], code: i32) -> String {
    let output = systole(arguments);
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    String::from_utf8(output.stderr).expect("text")
}

fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let text = |path: &Path| std::fs::read_to_string(path).expect("text");
    entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), text(&entry.path()))).collect()
}

/// The folder that `systole emit` writes of a kernel.
fn emitted(flags: &[&str]) -> BTreeMap<String, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out");
    let output = systole(&[&["emit"], flags, &["--target", "c", "-o", path.to_str().expect("text")]].concat());
    assert!(output.status.success(), "{output:?}");
    files(&path)
}

#[test]
fn the_folder_is_the_same_for_all_sizes_and_no_wider_than_a_page() {
    let small = emitted(&["kernels/matmul.rec", "--schedule", "cannon", "--size", "M=2,N=3,K=4"]);
    let large = emitted(&["kernels/matmul.rec", "--schedule", "cannon", "--size", "M=40,N=3,K=17"]);
    assert_eq!(small, large);
    for (name, text) in small.iter().chain(&emitted(&["kernels/cholesky.rec", "--schedule", "timed", "--tile", "i=4"]))
    {
        let wide = text.lines().find(|line| line.chars().count() > 120);
        assert!(wide.is_none() || name.ends_with(".pe"), "{name}: {wide:?}");
    }
    let named = ["Makefile", "main.c", "matmul.c", "matmul.h", "matmul.pc.in", "matmul.pe"];
    assert!(named.iter().all(|name| small.contains_key(*name)), "{:?}", small.keys());
}

#[test]
fn a_program_becomes_the_folder_of_its_kernel() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("cannon.pe");
    let path = path.to_str().expect("text");
    assert!(systole(&["emit", "kernels/matmul.rec", "--schedule", "cannon", "-o", path]).status.success());
    assert_eq!(emitted(&[path]), emitted(&["kernels/matmul.rec", "--schedule", "cannon"]));
    // One that was changed by hand stays so, and is not what was proved.
    let changed = std::fs::read_to_string(path).expect("text").replace("(depth 2)", "(depth 3)");
    std::fs::write(path, &changed).expect("written");
    assert_eq!(emitted(&[path])["matmul.pe"], changed);
    // Without C there is nothing to make of it.
    assert!(refused(&["emit", path], 1).contains("is a program, and a kernel is asked for"));
}

#[test]
fn what_cannot_be_written_is_refused() {
    let message = refused(&["emit", "kernels/matmul.rec", "--target", "c"], 2);
    assert!(message.contains("add `-o FOLDER`"), "{message}");
    let message = refused(&["emit", "kernels/matmul.rec", "--target", "c", "-o", "Cargo.toml"], 1);
    assert!(message.contains("it is a file"), "{message}");
    let message = refused(&["emit", "kernels/matmul.rec", "--target", "c", "-o", "no/such"], 1);
    assert!(message.contains("there is no folder `no`"), "{message}");
    let message = refused(&["emit", "kernels/matmul.rec", "--target", "c", "--leaves", "faer", "-o", "x"], 2);
    assert!(message.contains("there is no library for leaves in C `faer`"), "{message}");
    for flag in [["--leaves", "blas"], ["--backend", "mpi"]] {
        let message = refused(&[&["emit", "kernels/matmul.rec"], &flag[..]].concat(), 2);
        assert!(message.contains("add `--target c`"), "{message}");
    }
    let message = refused(&["emit", "kernels/matmul.rec", "--target", "c", "--backend", "pvm", "-o", "x"], 2);
    assert!(message.contains("there is no back end `pvm`"), "{message}");
    refused(&["emit", "kernels/matmul.rec", "--target", "c", "--closed-form", "-o", "x"], 2);
    refused(&["emit", "kernels/matmul.rec", "--target", "fortran", "-o", "x"], 2);
}

/// What stands in a folder that the command did not write stays.
#[test]
fn nobody_elses_file_is_written_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = folder.path().join("Makefile");
    std::fs::write(&own, "all:\n\techo mine\n").expect("written");
    let path = folder.path().to_str().expect("text");
    let emit = ["emit", "kernels/matmul.rec", "--target", "c", "-o", path];
    let message = refused(&emit, 1);
    assert!(message.contains("Makefile` is there, and this command did not write it"), "{message}");
    assert_eq!(std::fs::read_to_string(&own).expect("text"), "all:\n\techo mine\n");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing else is written either");
    // The twins: beside other files there is room, and a folder of its own is written over.
    std::fs::rename(&own, folder.path().join("notes")).expect("renamed");
    assert!(systole(&emit).status.success());
    let first = std::fs::read_to_string(&own).expect("text");
    std::fs::write(&own, first.lines().next().expect("a line").to_owned() + "\nchanged\n").expect("written");
    assert!(systole(&emit).status.success());
    assert_eq!(std::fs::read_to_string(&own).expect("text"), first);
    // One that took over the rest and has a Makefile of its own keeps that; a link leads to somebody else's file.
    std::fs::write(&own, "all:\n\techo mine\n").expect("written");
    assert!(refused(&emit, 1).contains("Makefile` is there"));
    std::fs::remove_file(&own).expect("removed");
    std::os::unix::fs::symlink(folder.path().join("nobody"), &own).expect("a link");
    assert!(refused(&emit, 1).contains("Makefile` is there"));
    assert!(!folder.path().join("nobody").exists());
}

/// Products go to a library only if one is asked for, and only where a leaf is a product.
#[test]
fn products_are_left_to_a_library_that_is_asked_for() {
    let calls = |flags: &[&str]| emitted(flags)["matmul.c"].matches("cblas_dgemm(").count();
    let tiled = ["kernels/matmul.rec", "--schedule", "cannon", "--tile", "i=4,j=4,k=4"];
    assert_eq!(calls(&tiled), 0);
    assert_eq!(calls(&[&tiled[..], &["--leaves", "loops"]].concat()), 0);
    assert!(calls(&[&tiled[..], &["--leaves", "blas"]].concat()) > 0);
    assert_eq!(calls(&[&tiled[..3], &["--leaves", "blas"]].concat()), 0);
}

/// Words of C, letters that it does not have, and names that are one but for these.
#[test]
fn names_of_all_kinds_are_names_of_c() {
    let text = "(program int (version 1) (parameters for é)
        (array double in (for)) (array X.y in (for)) (array X-y out (for)) (grid (while 0 (- for 1)))
        (channel run (offset 0) (latency 1) (depth 2))
        (class pe (guard (>= é 1)) (load return (double while)) (load pe (X.y while)) (send run pe) (recv self run)
          (let at' (sub return self)) (store (X-y while) at')))";
    let program = program(text);
    let (sizes, [x, y]) = (sizes(&[("for", 3), ("é", 1)]), [filled(1, &[3]), filled(2, &[3])]);
    let inputs = Tensors::from([(name("double"), x.clone()), (name("X.y"), y.clone())]);
    let folder = Folder::of(&program);
    folder.make(&compilers()[0], "all");
    assert_eq!(folder.run(&sizes, &inputs, 2)[&name("X-y")], x - y);
}

/// The command of a kernel says what is wrong with its own command line, and with sizes.
#[test]
fn the_command_refuses_in_words() {
    let text = "(program twice (version 1) (parameters N) (assume (>= N 2)) (array X in (N)) (array Y out (N))
        (class only (guard) (loop i 0 (- N 1) (load x (X i)) (let y (add x x)) (store (Y i) y))))";
    let folder = Folder::of(&program(text));
    folder.make(&compilers()[0], "all");
    let said = |size: i64, shape: usize| {
        let inputs = Tensors::from([(name("X"), filled(1, &[shape]))]);
        let output = folder.start("twice", &sizes(&[("N", size)]), &inputs, 1);
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert_eq!(said(3, 3), "");
    assert!(said(1, 1).contains("a size is less than 1, too large, or not as the kernel assumes"), "{}", said(1, 1));
    assert!(said(3, 4).contains("has another shape than these sizes give it"), "{}", said(3, 4));
    assert!(said(i64::MAX, 4).contains("too large"));
    let missing = folder.start("twice", &sizes(&[("N", 3)]), &Tensors::new(), 1);
    assert!(String::from_utf8_lossy(&missing.stderr).contains("there is no --input `X`"));
}

/// The lines of text, without what is empty and without indentation.
fn plain_lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

/// What the page of the book shows of a folder stands in it.
#[test]
fn the_book_shows_what_is_written() {
    let page = std::fs::read_to_string(Path::new(env!("SYSTOLE_ROOT")).join("book/src/c.md")).expect("the page");
    let row = emitted(&["kernels/trisolve.rec", "--schedule", "row"]);
    let tiles = emitted(&["kernels/trisolve.rec", "--schedule", "row", "--tile", "i=4"]);
    let ranks = emitted(&["kernels/trisolve.rec", "--schedule", "row", "--backend", "mpi"]);
    let blocks = page.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("text\nfrom "));
    let mut count = 0;
    for block in blocks {
        let (source, shown) = block.split_once('\n').expect("lines");
        let text = match (source.strip_prefix("tiles of "), source.strip_suffix(" on ranks")) {
            (Some(name), _) => &tiles[name],
            (None, Some(name)) => &ranks[name],
            (None, None) => &row[source],
        };
        let (text, shown) = (plain_lines(text), plain_lines(shown));
        assert!(text.windows(shown.len()).any(|lines| lines == shown), "not in {source}:\n{}", shown.join("\n"));
        count += 1;
    }
    assert_eq!(count, 7);
}
