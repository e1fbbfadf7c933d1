//! Programs as text of C, which any compiler builds without us.
//!
//! In: a [`Program`], and nothing else. Out: the files of a folder: the kernel with one function a class and one a leaf, its
//! header, a command that reads and writes arrays of NumPy, what builds them, and the program itself. The text has sizes as
//! variables and does not grow with them. It computes the bits of `exec`.
//!
//! A back end of its own beside `sim` and `exec`, which runs nothing: what runs is what the C compiler makes of it, hence
//! the name. **What is translated.** A PE is a function that leaves off where it has to wait and goes on there (`body`). A
//! worker, a thread or a rank of MPI, goes on with its PEs in turn, so thousands of them need no threads of their own. Channels are rings of the
//! proved depth (`text/channels.h`), buses tables under tags (`text/buses.h`). So the law of `exec/mod.rs` holds here too: one
//! writer and one reader, sends and receives that wait, control flow that no word decides, the same capacity for any number of
//! workers. Hence the same outputs, and deadlocks, whoever runs which PE. What does not depend on the program is not
//! written here but stands in files of C (`text`), which are copied.

use kernel::Kernel;
use systole_base::diagnostic::Checked;
use systole_program::array::{Program, print, validate};

mod writer;

mod names;

mod expression;

mod kernel;

mod arrays;

mod class;

mod body;

mod leaf_lanes;

mod leaf_rows;

mod leaf_loops;

mod product;

mod leaf_function;

mod leaf;

mod leaves_file;

pub use leaves_file::{LeafText, leaves_text};

mod header;

mod entry;

mod kernel_file;

mod main_file;

mod ranks;

mod build_files;

pub use build_files::BIT_FLAGS;

/// A file of the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeFile {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub text: String,
}

/// What works on tiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NativeLeaves {
    /// Loops, with the bits of `exec`.
    #[default]
    Loops,
    /// A library for products of matrices, by its C interface; loops for all else. Bits are those of the library.
    Blas,
}

impl NativeLeaves {
    /// All of them, with the words for them on the command line.
    pub const ALL: [(NativeLeaves, &'static str); 2] = [(NativeLeaves::Loops, "loops"), (NativeLeaves::Blas, "blas")];
}

/// Who the workers of a run are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NativeBackend {
    /// Threads of one process, which share the arrays.
    #[default]
    Threads,
    /// Ranks of MPI, each with its own rows of the arrays.
    Mpi,
}

impl NativeBackend {
    /// All of them, with the words for them on the command line: those of `exec`.
    pub const ALL: [(NativeBackend, &'static str); 2] =
        [(NativeBackend::Threads, "threads"), (NativeBackend::Mpi, "mpi")];

    /// What is the same for every kernel that it runs.
    fn files(self) -> &'static [(&'static str, &'static str)] {
        match self {
            NativeBackend::Threads => &[("workers.h", include_str!("text/workers.h"))],
            NativeBackend::Mpi => {
                &[("mpi_ranks.h", include_str!("text/mpi_ranks.h")), ("collect.h", include_str!("text/collect.h"))]
            }
        }
    }
}

/// What is the same for every kernel.
const ALWAYS: [(&str, &str); 5] = [
    ("scalar.h", include_str!("text/scalar.h")),
    ("pes.h", include_str!("text/pes.h")),
    ("channels.h", include_str!("text/channels.h")),
    ("npy.h", include_str!("text/npy.h")),
    ("command.h", include_str!("text/command.h")),
];

/// The files of a program, those that say most of it first.
///
/// # Errors
/// A program that is not valid.
pub fn translate(program: &Program, leaves: NativeLeaves, backend: NativeBackend) -> Checked<Vec<NativeFile>> {
    validate(program)?;
    let kernel = Kernel::new(program, leaves, backend);
    let name = &kernel.name;
    let written = [
        (format!("{name}.c"), kernel_file::kernel_file(&kernel)),
        (format!("{name}.h"), header::header(&kernel)),
        (format!("{name}.pe"), print(program)),
        (format!("{name}.pc.in"), build_files::package(&kernel)),
        ("main.c".to_owned(), main_file::main_file(&kernel)),
        ("Makefile".to_owned(), build_files::makefile(&kernel)),
    ];
    let words = match kernel.is_over_tiles() {
        true => ("tiles.h", include_str!("text/tiles.h")),
        false => ("numbers.h", include_str!("text/numbers.h")),
    };
    let buses = (!program.buses.is_empty()).then_some(("buses.h", include_str!("text/buses.h")));
    let copied = ALWAYS.iter().chain(backend.files()).copied().chain([words]).chain(buses);
    let files = written.into_iter().chain(copied.map(|(name, text)| (name.to_owned(), text.to_owned())));
    Ok(files.map(|(name, text)| NativeFile { name, text }).collect())
}
