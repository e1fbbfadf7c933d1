//! Lets the programs of a package find Z3, wherever cargo puts them.
//!
//! Looked for, in this order: what `make setup` unpacks into `.z3`, the folder that `Z3_LIBRARY_PATH_OVERRIDE` names, pkg-config, the
//! package `z3-solver` of Python. The first that is there is linked, and loaded when it is first called (`src/solver`). A binary looks
//! in LD_LIBRARY_PATH, then beside itself (`../lib/systole`, as `make install` has it), then in each place where Z3 was when it was built. With the feature
//! `vendored` Z3 is part of the binary, and nothing is looked for.
//!
//! Packages that only run programs need no solver but in their tests. The files that are part of a package from elsewhere in the checkout,
//! this one too, are links there, so that each package is whole by itself.
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is said where there is none, a line each.
const MISSING: [&str; 5] = [
    "Z3 was not found. Any one of these is enough:",
    "  make setup               in a checkout of Systole; it needs Python with pip",
    "  pip install z3-solver    found through `python3`",
    "  Z3 4.13.3 or later       with its `z3.pc` where pkg-config looks, or its folder in Z3_LIBRARY_PATH_OVERRIDE",
    "  --features vendored      Z3 is built in; it needs CMake 3.26 and GCC 13 or later, and takes long",
];

fn main() {
    println!("cargo:rerun-if-env-changed=Z3_LIBRARY_PATH_OVERRIDE");
    shipped();
    if std::env::var_os("CARGO_FEATURE_VENDORED").is_some() {
        return;
    }
    let found: Vec<PathBuf> = [unpacked(), named(), packaged(), of_python()].into_iter().flatten().collect();
    if found.is_empty() && needs_solver() {
        MISSING.iter().for_each(|line| println!("cargo::error={line}"));
    }
    found.first().inspect(|folder| println!("cargo:rustc-link-search=native={}", folder.display()));
    println!("cargo:rustc-env=SYSTOLE_Z3_FILE={}", found.first().map_or("libz3.so".to_owned(), |folder| file(folder)));
    for place in std::iter::once(Path::new("$ORIGIN/../lib/systole")).chain(found.iter().map(PathBuf::as_path)) {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{}", place.display());
    }
}

/// Files that the command holds are looked through again when one is new.
fn shipped() {
    let folders = ["kernels", "machines"].into_iter().filter(|folder| Path::new(folder).is_dir());
    folders.for_each(|folder| println!("cargo:rerun-if-changed={folder}"));
}

/// Whether the package itself calls Z3, and not only its tests.
fn needs_solver() -> bool {
    !["systole-program", "systole-run"].contains(&env!("CARGO_PKG_NAME"))
}

/// What `make setup` unpacks.
fn unpacked() -> Option<PathBuf> {
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join(".z3/lib"));
    let folder = folders.find(|folder| is_there(folder))?;
    println!("cargo:rerun-if-changed={}", folder.join("libz3.so").display());
    Some(folder)
}

fn named() -> Option<PathBuf> {
    std::env::var_os("Z3_LIBRARY_PATH_OVERRIDE").map(PathBuf::from).filter(|folder| is_there(folder))
}

fn packaged() -> Option<PathBuf> {
    printed("pkg-config", &["--atleast-version=4.13.3", "z3"])?;
    printed("pkg-config", &["--variable=libdir", "z3"]).map(PathBuf::from).filter(|folder| is_there(folder))
}

fn of_python() -> Option<PathBuf> {
    // As in `src/solver`: without the folder it is started in, which may have a `z3` of its own.
    let code = "import importlib.util as u, sys; sys.path = list(filter(None, sys.path)); print(u.find_spec('z3').submodule_search_locations[0])";
    printed("python3", &["-c", code]).map(|package| Path::new(&package).join("lib")).filter(|folder| is_there(folder))
}

/// The name of the library that the system's loader looks for: `libz3.so` with the shortest version.
fn file(folder: &Path) -> String {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let versions = names.filter(|name| name.starts_with("libz3.so."));
    versions.min_by_key(|name| (name.len(), name.clone())).unwrap_or("libz3.so".to_owned())
}

fn is_there(folder: &Path) -> bool {
    folder.join("libz3.so").exists()
}

/// What a command prints, where it ends well.
fn printed(command: &str, words: &[&str]) -> Option<String> {
    let output = Command::new(command).args(words).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
