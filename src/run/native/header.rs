//! The header of a kernel: what a caller sees.

use super::kernel::Kernel;
use super::writer::Writer;
use systole_equations::recurrence::Role;
use systole_program::array::ArrayDecl;

/// How a run may end, with what it means.
pub(super) fn statuses() -> [(&'static str, &'static str); 6] {
    [
        ("OK", "the outputs are there"),
        ("BAD_ARGUMENT", "a pointer is null, rows are shorter than they must be, or there is to be no thread"),
        ("BAD_SIZE", "a size is less than 1, too large, or not as the kernel assumes"),
        ("NO_MEMORY", "there is no memory"),
        ("NO_THREAD", "a thread cannot be started"),
        ("DEADLOCK", "no PE can go on; never, as long as the program is as it was proved"),
    ]
}

/// A status as the header has it.
pub(super) fn constant(kernel: &Kernel, word: &str) -> String {
    format!("{}_{word}", kernel.capitals())
}

/// The head of the kernel's function.
pub(super) fn declaration(kernel: &Kernel) -> String {
    let (name, arrays) = (&kernel.name, array_parameters(kernel));
    match kernel.is_on_ranks() {
        true => format!("int {name}(MPI_Comm comm, const {name}_sizes *sizes{arrays})"),
        false => format!("int {name}(const {name}_sizes *sizes{arrays}, int threads)"),
    }
}

/// The arrays of the kernel's function, each with a comma before it.
pub(super) fn array_parameters(kernel: &Kernel) -> String {
    kernel.program.arrays.iter().map(|array| array_parameter(kernel, array)).collect()
}

fn array_parameter(kernel: &Kernel, array: &ArrayDecl) -> String {
    let (name, of) = (kernel.array(&array.name), kernel.element_type(array));
    let row = if array.shape.len() > 1 { format!(", size_t {name}_row") } else { String::new() };
    format!(", {of} *{name}{row}")
}

/// Writes the header.
pub(super) fn header(kernel: &Kernel) -> String {
    let mut writer = Writer::default();
    let (name, guard) = (&kernel.name, format!("{}_H", kernel.capitals()));
    writer.comment(&format!("The kernel {}. How it is computed stands in {name}.c.", kernel.program.kernel));
    writer.put(&format!("#ifndef {guard}"));
    writer.put(&format!("#define {guard}"));
    writer.blank();
    if kernel.is_on_ranks() {
        writer.put("#include <mpi.h>");
    }
    writer.put_all("#include <stddef.h>\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif");
    writer.blank();
    write_sizes(kernel, &mut writer);
    writer.comment("How a run ended.");
    writer.braces_with("enum", ";", |writer| {
        for (number, (word, meaning)) in statuses().into_iter().enumerate() {
            writer.comment(meaning);
            writer.put(&format!("{} = {number},", constant(kernel, word)));
        }
    });
    writer.blank();
    writer.comment("Whether there are runs of these sizes: OK, BAD_ARGUMENT or BAD_SIZE.");
    writer.put(&format!("int {name}_check(const {name}_sizes *sizes);"));
    writer.blank();
    if kernel.is_on_ranks() {
        writer.comment("The first row of a rank, of so many rows: each rank has as many, the last ones fewer or none.");
        writer.put(&format!("int64_t {name}_first_row(int64_t rows, int ranks, int rank);"));
        writer.blank();
    }
    write_promise(kernel, &mut writer);
    writer.put(&format!("{};", declaration(kernel)));
    writer.blank();
    writer.put_all("#ifdef __cplusplus\n}\n#endif");
    writer.blank();
    writer.put("#endif");
    writer.finish()
}

fn write_sizes(kernel: &Kernel, writer: &mut Writer) {
    let assumed = kernel.program.parameters.assumptions();
    writer.comment(&format!("Its sizes, each at least 1{assumed}."));
    writer.braces_with(
        &format!("typedef struct {}_sizes", kernel.name),
        &format!(" {}_sizes;", kernel.name),
        |writer| {
            for name in &kernel.program.parameters {
                writer.put(&format!("int64_t {};", kernel.variable(name)));
            }
            if kernel.program.parameters.is_empty() {
                writer.comment("C has no struct without a member.");
                writer.put("char none;");
            }
        },
    );
    writer.blank();
}

/// What the function does, and what it is given.
fn write_promise(kernel: &Kernel, writer: &mut Writer) {
    let workers = match kernel.is_on_ranks() {
        true => {
            "All ranks of the communicator call this, with the same sizes, and all get the same status. Each gives and gets its \
             own rows of each array: the first subscripts from its first row to that of the next rank; a number is the one row \
             of rank 0. No pointer is null, also where a rank has no rows. While it computes a rank holds all of each array. \
             The number of ranks changes no bit."
        }
        false => "Several threads may call this at a time. The number of threads changes no bit.",
    };
    let on = if kernel.is_on_ranks() { "ranks" } else { "so many threads" };
    let mut paragraphs = vec![
        format!(
            "Computes the outputs from the inputs on {on}, and returns a status. Arrays are row-major. Where one has \
             several dimensions, `X_row` says how far apart the first elements of its rows are, in elements. Outputs overlap \
             with nothing. {workers}"
        ),
        String::new(),
    ];
    paragraphs.extend(kernel.program.arrays.iter().map(|array| describe(kernel, array)));
    writer.remark(&paragraphs.iter().map(String::as_str).collect::<Vec<_>>());
}

/// An array in words.
pub(super) fn describe(kernel: &Kernel, array: &ArrayDecl) -> String {
    let role = if array.role == Role::Output { "output" } else { "input" };
    let shape = kernel.extents(&array.shape);
    let shape = if shape.is_empty() { "a number".to_owned() } else { shape.join(" by ") };
    let assumed = array.assumption.map(|word| format!(", which must be {}", word.keyword().replace('_', " ")));
    format!("  {}: {role}, {shape}{}", kernel.array(&array.name), assumed.unwrap_or_default())
}
