//! What builds a kernel: a Makefile and a file for pkg-config.

use super::NativeLeaves;
use super::kernel::Kernel;

/// The Makefile. Flags of the user's own stand in `CFLAGS` and `LDFLAGS`; those that the kernel needs are kept apart.
pub(super) fn makefile(kernel: &Kernel) -> String {
    filled(kernel, include_str!("text/kernel.mk"))
}

/// What `make install` puts where pkg-config finds it.
pub(super) fn package(kernel: &Kernel) -> String {
    filled(kernel, include_str!("text/kernel.pc"))
}

/// What a text says of a library of matrices.
const OF_LIBRARY: [&str; 5] = [", BLAS", "BLAS ?= -lopenblas\n", "$(BLAS) ", "; s|@BLAS@|$(BLAS)|", "@BLAS@ "];

/// A text with the kernel's name, and without the library where none is asked for.
fn filled(kernel: &Kernel, text: &str) -> String {
    let of_library = OF_LIBRARY.iter().filter(|_| kernel.leaves == NativeLeaves::Loops);
    of_library.fold(text.replace("KERNEL", &kernel.name), |text, part| text.replace(part, ""))
}
