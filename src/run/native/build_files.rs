//! What builds a kernel: a Makefile and a file for pkg-config.

use super::NativeLeaves;
use super::kernel::Kernel;

/// With these every compiler gives the same bits: a product and a sum are rounded one after the other, and functions of the
/// C library are called where they stand.
pub const BIT_FLAGS: [&str; 8] = [
    "-ffp-contract=off",
    "-fno-builtin-exp",
    "-fno-builtin-log",
    "-fno-builtin-pow",
    "-fno-builtin-sin",
    "-fno-builtin-cos",
    "-fno-builtin-tanh",
    "-fno-builtin-atan2",
];

/// The Makefile. Flags of the user's own stand in `CFLAGS` and `LDFLAGS`; those that the kernel needs are kept apart.
pub(super) fn makefile(kernel: &Kernel) -> String {
    let [first, second] = [&BIT_FLAGS[..4], &BIT_FLAGS[4..]].map(|flags| flags.join(" "));
    filled(kernel, include_str!("text/kernel.mk")).replace("FLAGS_FOR_BITS", &format!("{first} \\\n  {second}"))
}

/// What `make install` puts where pkg-config finds it.
pub(super) fn package(kernel: &Kernel) -> String {
    filled(kernel, include_str!("text/kernel.pc"))
}

/// What a text says of a library of matrices.
const OF_LIBRARY: [&str; 5] = [", BLAS", "BLAS ?= -lopenblas\n", "$(BLAS) ", "; s|@BLAS@|$(BLAS)|", "@BLAS@ "];

/// A text with the kernel's name, and without the library where none is asked for.
fn filled(kernel: &Kernel, text: &str) -> String {
    let text = match kernel.is_on_ranks() {
        true => text.replace("CC ?= cc\n", "ifeq ($(origin CC),default)\nCC := mpicc\nendif\n"),
        false => text.to_owned(),
    };
    let of_library = OF_LIBRARY.iter().filter(|_| kernel.leaves == NativeLeaves::Loops);
    of_library.fold(text.replace("KERNEL", &kernel.name), |text, part| text.replace(part, ""))
}
