//! Links the system's OpenBLAS (Debian: libopenblas-dev).

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-link-lib=openblas");
}
