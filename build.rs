//! Lets the programs of this package find the Z3 that `make setup` unpacks, wherever cargo puts them.
use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=.z3/lib/libz3.so");
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join(".z3/lib");
    assert!(
        library.join("libz3.so").exists(),
        "Z3 is not set up yet: run `make setup` once (it needs Python with pip)"
    );
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", library.display());
}
