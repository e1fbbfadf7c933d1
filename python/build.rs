//! The solver is that of the package `z3-solver`, which stands beside ours among the packages of an environment.

fn main() {
    println!("cargo:rustc-link-arg=-Wl,-rpath,$ORIGIN/../z3/lib");
}
