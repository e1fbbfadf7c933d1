//! Lets the fuzz targets find the Z3 that `make setup` unpacks.

fn main() {
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}/../../.z3/lib", env!("CARGO_MANIFEST_DIR"));
}
