//! Lets the programs of a package find the Z3 that `make setup` unpacks, wherever cargo puts them.
use std::path::Path;

fn main() {
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join(".z3/lib"));
    let library = folders.find(|library| library.join("libz3.so").exists());
    let library =
        library.unwrap_or_else(|| panic!("Z3 is not set up yet: run `make setup` once (it needs Python with pip)"));
    println!("cargo:rerun-if-changed={}", library.join("libz3.so").display());
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", library.display());
}
