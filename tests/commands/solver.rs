//! A command without Z3: it starts, does what needs no solver, and says what is missing for the rest.

use super::start::{Ran, object, systole_in, systole_under};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Files that are no libraries, under all names of Z3; the loader takes that of the version that it was linked with first.
fn shadow(folder: &Path) {
    let versions = (4..=9).flat_map(|major| (0..=20).map(move |minor| format!("libz3.so.{major}.{minor}")));
    let names = versions.chain((4..=9).map(|major| format!("libz3.so.{major}"))).chain(["libz3.so".to_owned()]);
    names.for_each(|name| fs::write(folder.join(name), "").unwrap());
}

/// Runs `systole` where every library of Z3 is a file that is none, and no Python is on the path.
fn without(arguments: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    shadow(folder.path());
    systole_under(&[("LD_LIBRARY_PATH", folder.path().to_str().unwrap()), ("PATH", "")], arguments)
}

#[test]
fn without_z3_a_command_says_so_once_and_names_the_ways() {
    for command in [
        &["run", "kernels/matmul.rec"][..],
        &["prove", "kernels/matmul.rec", "--schedule", "cannon"],
        &["search", "kernels/trisolve.rec"],
        &["rules", "check"],
    ] {
        let ran = without(command);
        assert_eq!((ran.code, &*ran.stdout), (1, ""), "{command:?}: {}", ran.stderr);
        assert_eq!(ran.stderr.matches("Z3 was not found").count(), 1, "{}", ran.stderr);
        let ways = ["pip install z3-solver", "LD_LIBRARY_PATH", "make install", "--features vendored", "too short"];
        ways.iter().for_each(|way| assert!(ran.stderr.contains(way), "{way}: {}", ran.stderr));
    }
    let ran = without(&["run", "kernels/matmul.rec", "--json"]);
    assert_eq!(object(&ran.stdout)["diagnostics"][0]["code"], "solver", "{}", ran.stdout);
    assert_eq!(ran.code, 1);
}

/// The folder in which a command is started may be anybody's: no library is taken from it, neither by the loader nor through Python.
#[test]
fn nothing_is_loaded_from_the_folder_that_a_command_is_started_in() {
    let dynamic = Command::new("readelf").args(["-d", env!("CARGO_BIN_EXE_systole")]).output().unwrap();
    let dynamic = String::from_utf8(dynamic.stdout).unwrap();
    let path = dynamic.lines().find(|line| line.contains("RUNPATH")).expect("the command has a run path");
    let places = path.split(['[', ']']).nth(1).unwrap();
    assert!(places.split(':').all(|place| place.starts_with('/') || place.starts_with("$ORIGIN")), "{places}");

    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("z3/lib/libz3.so");
    fs::create_dir_all(library.parent().unwrap()).unwrap();
    fs::write(&library, "").unwrap();
    fs::write(folder.path().join("z3/__init__.py"), "").unwrap();
    let broken = tempfile::tempdir().unwrap();
    shadow(broken.path());
    let places = [("LD_LIBRARY_PATH", broken.path().to_str().unwrap())];
    let ran = systole_in(folder.path(), &places, &["prove", "kernels/matmul.rec", "--schedule", "cannon"]);
    assert!(!ran.stderr.contains(library.to_str().unwrap()), "{}", ran.stderr);
    // The twin: where Python is told of it, it is found, and is too short.
    let told = [places[0], ("PYTHONPATH", folder.path().to_str().unwrap())];
    let ran = systole_in(broken.path(), &told, &["prove", "kernels/matmul.rec", "--schedule", "cannon"]);
    assert!(ran.stderr.contains(library.to_str().unwrap()), "{}", ran.stderr);
}

/// Were a function of Z3 called without its slot, the command would be linked to the library and not start here.
#[test]
fn what_needs_no_solver_works_without() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("ws.pe").display().to_string();
    super::start::good(&["emit", "kernels/matmul.rec", "--schedule", "weight-stationary", "-o", &program]);
    for command in [
        &["--version"][..],
        &["examples", "attention"],
        &["check", "kernels/matmul.rec"],
        &["sim", &program, "--size", "M=3,N=4,K=2"],
        &["exec", &program, "--size", "M=3,N=4,K=2", "--threads", "2"],
    ] {
        let ran = without(command);
        assert_eq!((ran.code, &*ran.stderr), (0, ""), "{command:?}: {}", ran.stdout);
    }
    let ran = without(&["doctor"]);
    assert!(ran.code == 0 && ran.stdout.contains("pip install z3-solver"), "{}", ran.stdout);
    // The twin: with Z3, nothing is to be installed for it.
    assert!(!super::start::good(&["doctor"]).contains("z3-solver"));
}
