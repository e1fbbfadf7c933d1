//! What the function of a kernel does on ranks of MPI.
//!
//! Each rank gives and gets its own rows of the arrays. While it computes it holds all of each array, of which its PEs read
//! what they need and write what is theirs.

use super::header::declaration;
use super::kernel::Kernel;
use super::writer::Writer;
use systole_equations::recurrence::Role;
use systole_program::array::{ArrayDecl, Channel};

/// Runs the PEs of a rank, within the function that has a run.
pub(super) fn write_run(kernel: &Kernel, together: usize, writer: &mut Writer) {
    let link = |(channel, name): (&Channel, &str)| {
        let offset: Vec<String> = channel.offset.iter().map(i64::to_string).collect();
        let offset = if offset.is_empty() { "0".to_owned() } else { offset.join(", ") };
        format!("{{&run->{name}, {{{offset}}}}}")
    };
    let links: Vec<String> = kernel.channels().map(link).collect();
    let buses: Vec<String> = kernel.buses().map(|(_, name)| format!("&run->{name}")).collect();
    if !links.is_empty() {
        writer.put(&format!("struct link links[] = {{{}}};", links.join(", ")));
        writer.put("rank->links = links;");
    }
    if !buses.is_empty() {
        writer.put(&format!("struct bus *buses[] = {{{}}};", buses.join(", ")));
        writer.put("rank->buses = buses;");
    }
    writer.put(&format!("rank->link_count = {};", links.len()));
    writer.put(&format!("rank->bus_count = {};", buses.len()));
    writer.put("rank->run = run;");
    writer.put("int status = agree(rank->comm, open_run(run) ? IS_WELL : NO_MEMORY);");
    writer.hanging(
        "if (status == IS_WELL)",
        &format!("status = rank_run(rank, &run->grid, classes, class_at, {together}, &pes);"),
    );
}

/// The function that callers see.
pub(super) fn write_entry(kernel: &Kernel, writer: &mut Writer) {
    let name = &kernel.name;
    writer.function(&format!("int64_t {name}_first_row(int64_t rows, int ranks, int rank)"), |writer| {
        writer.put("return first_row(rows, ranks, rank);");
    });
    writer.function(&declaration(kernel), |writer| {
        writer.hanging("if (comm == MPI_COMM_NULL)", "return BAD_ARGUMENT;");
        writer.put(&format!("int status = {name}_check(sizes);"));
        let missing: Vec<String> =
            kernel.program.arrays.iter().map(|array| format!("!{}", kernel.array(&array.name))).collect();
        if !missing.is_empty() {
            writer.hanging(&format!("if (status == IS_WELL && ({}))", missing.join(" || ")), "status = BAD_ARGUMENT;");
        }
        write_row_checks(kernel, writer);
        writer.put("status = agree(comm, status);");
        let parameters =
            kernel.program.parameters.iter().map(|parameter| format!("sizes->{}", kernel.variable(parameter)));
        let parameters: Vec<String> = parameters.collect();
        if !parameters.is_empty() {
            writer.put(&format!(
                "if (status == IS_WELL && !are_same(comm, (const int64_t[]){{{}}}, {}))",
                parameters.join(", "),
                parameters.len()
            ));
            writer.indented(|writer| writer.put("status = BAD_SIZE;"));
        }
        writer.hanging("if (status != IS_WELL)", "return status;");
        write_body(kernel, writer);
    });
}

/// Rows of a rank that are shorter than they must be.
fn write_row_checks(kernel: &Kernel, writer: &mut Writer) {
    let mut inner = writer.fresh();
    inner.indented(|inner| {
        for array in kernel.program.arrays.iter().filter(|array| array.shape.len() > 1) {
            let (name, extents) = (kernel.array(&array.name), kernel.extents(&array.shape));
            let last = extents.last().cloned().unwrap_or_default();
            inner.hanging(
                &format!("if ({name}_row > INT64_MAX || (int64_t){name}_row < {last})"),
                "status = BAD_ARGUMENT;",
            );
        }
    });
    if !inner.is_empty() {
        writer.braces("if (status == IS_WELL)", |writer| {
            write_sizes(kernel, &inner, writer);
            writer.append(&inner);
        });
    }
}

/// Constants for the parameters that a text mentions.
fn write_sizes(kernel: &Kernel, text: &Writer, writer: &mut Writer) {
    for name in kernel.program.parameters.iter().map(|parameter| kernel.variable(parameter)) {
        if text.mentions(&name) {
            writer.put(&format!("const int64_t {name} = sizes->{name};"));
        }
    }
}

/// All arrays from their rows, the run, the rows of the outputs.
fn write_body(kernel: &Kernel, writer: &mut Writer) {
    let arrays = &kernel.program.arrays;
    writer.put("struct rank rank = {.comm = MPI_COMM_NULL};");
    writer.put("MPI_Comm_dup(comm, &rank.comm);");
    writer.put("MPI_Comm_rank(rank.comm, &rank.number);");
    writer.put("MPI_Comm_size(rank.comm, &rank.count);");
    let mut inner = writer.fresh();
    for array in arrays {
        let name = kernel.array(&array.name);
        inner.put(&format!("const struct rows {name}_rows = {};", rows(kernel, array)));
        inner.put(&format!("double *{name}_all = rows_new(&{name}_rows);"));
    }
    write_sizes(kernel, &inner, writer);
    writer.append(&inner);
    let all: Vec<String> = arrays.iter().map(|array| format!("{}_all", kernel.array(&array.name))).collect();
    let are_there = if all.is_empty() { "true".to_owned() } else { all.join(" && ") };
    writer.put(&format!("status = agree(rank.comm, {are_there} ? IS_WELL : NO_MEMORY);"));
    writer.braces("if (status == IS_WELL)", |writer| {
        for array in arrays.iter().filter(|array| array.role != Role::Output) {
            writer.put(&format!("rows_gather({});", moved(kernel, array, &["", "_all"])));
        }
        let arguments: String = arrays.iter().map(|array| argument(kernel, array)).collect();
        writer.put(&format!("status = run_on_rank(&rank, sizes{arguments});"));
    });
    writer.braces("if (status == IS_WELL)", |writer| {
        for array in arrays.iter().filter(|array| array.role == Role::Output) {
            writer.put(&format!("rows_scatter({});", moved(kernel, array, &["_all", ""])));
        }
    });
    all.iter().for_each(|name| writer.put(&format!("free({name});")));
    writer.put("MPI_Comm_free(&rank.comm);");
    writer.put("return status;");
}

/// How an array is made of rows.
fn rows(kernel: &Kernel, array: &ArrayDecl) -> String {
    match &kernel.extents(&array.shape)[..] {
        [] => "{1, 1, 1}".to_owned(),
        [rows] => format!("{{{rows}, 1, 1}}"),
        [rows, lines @ .., last] => {
            let lines = lines.iter().map(|extent| format!("({extent})")).collect::<Vec<_>>().join(" * ");
            let lines = if lines.is_empty() { "1".to_owned() } else { lines };
            format!("{{{rows}, {lines}, (size_t)({last})}}")
        }
    }
}

/// The rows of an array, from and to where they go, with how far apart lines are where the caller has them.
fn moved(kernel: &Kernel, array: &ArrayDecl, [from, to]: &[&str; 2]) -> String {
    let name = kernel.array(&array.name);
    let step = if array.shape.len() > 1 { format!("{name}_row") } else { "1".to_owned() };
    match from.is_empty() {
        true => format!("&{name}_rows, &rank, {name}, {step}, {name}{to}"),
        false => format!("&{name}_rows, &rank, {name}{from}, {name}, {step}"),
    }
}

/// All of an array, as the run takes it.
fn argument(kernel: &Kernel, array: &ArrayDecl) -> String {
    let name = kernel.array(&array.name);
    let row = if array.shape.len() > 1 { format!(", {name}_rows.length") } else { String::new() };
    format!(", {name}_all{row}")
}
