//! The command of a kernel: reads its inputs from files, runs it, writes its outputs.

use super::header::{constant, statuses};
use super::kernel::Kernel;
use super::writer::Writer;
use systole_equations::recurrence::Role;
use systole_program::array::ArrayDecl;

/// Writes `main.c`.
pub(super) fn main_file(kernel: &Kernel) -> String {
    let mut writer = Writer::default();
    writer.comment(&format!("Runs the kernel {} on arrays in files.", kernel.program.kernel));
    writer.put("#define _POSIX_C_SOURCE 200809L");
    writer.put(&format!("#define BOX_RANK {}", kernel.box_rank()));
    writer.blank();
    writer.put(&format!("#include \"{}.h\"", kernel.name));
    writer.blank();
    writer.put(if kernel.is_on_ranks() { "#include \"collect.h\"" } else { "#include \"command.h\"" });
    writer.put("#include \"scalar.h\"");
    writer.blank();
    write_meanings(kernel, &mut writer);
    write_shapes(kernel, &mut writer);
    write_main(kernel, &mut writer);
    writer.finish().trim_end().to_owned() + "\n"
}

fn write_meanings(kernel: &Kernel, writer: &mut Writer) {
    writer.put("static const char *const meanings[] =");
    writer.braces_with("", ";", |writer| {
        for (word, meaning) in statuses() {
            writer.put(&format!("[{}] = \"{meaning}\",", constant(kernel, word)));
        }
    });
    writer.blank();
}

/// The shapes of the arrays, and which rows the kernel is given.
fn write_shapes(kernel: &Kernel, writer: &mut Writer) {
    let head = format!("static void find_shapes(const {}_sizes *sizes, struct array_flag *arrays)", kernel.name);
    writer.function(&head, |writer| {
        let mut inner = writer.fresh();
        for (number, array) in kernel.program.arrays.iter().enumerate() {
            for (dimension, extent) in kernel.extents(&array.shape).iter().enumerate() {
                inner.put(&format!("arrays[{number}].shape[{dimension}] = {extent};"));
            }
        }
        for name in kernel.program.parameters.iter().map(|name| kernel.variable(name)) {
            if inner.mentions(&name) {
                writer.put(&format!("const int64_t {name} = sizes->{name};"));
            }
        }
        if !kernel.program.parameters.iter().any(|name| inner.mentions(&kernel.variable(name))) {
            writer.put("(void)sizes;");
        }
        if !inner.mentions("arrays") {
            writer.put("(void)arrays;");
        }
        writer.append(&inner);
    });
}

fn write_main(kernel: &Kernel, writer: &mut Writer) {
    let (name, program) = (&kernel.name, kernel.program);
    let ranks = kernel.is_on_ranks();
    writer.function("int main(int argc, char **argv)", |writer| {
        if ranks {
            writer.put("begin_ranks(&argc, &argv);");
        }
        writer.put(&format!("{name}_sizes sizes = {{0}};"));
        writer.braces_with("struct size_flag size_flags[] =", ";", |writer| {
            for parameter in &program.parameters {
                writer.put(&format!("{{\"{parameter}\", &sizes.{}, false}},", kernel.variable(parameter)));
            }
            writer.put("{NULL, NULL, true},");
        });
        writer.braces_with("struct array_flag arrays[] =", ";", |writer| {
            for array in &program.arrays {
                let is_output = array.role == Role::Output;
                writer.put(&format!(
                    "{{.name = \"{}\", .is_output = {is_output}, .rank = {}}},",
                    array.name,
                    array.shape.len()
                ));
            }
            writer.put("{.name = NULL},");
        });
        let (sizes, arrays) = (program.parameters.len(), program.arrays.len());
        let threads = i32::from(!ranks);
        let ended = |code: &str| if ranks { format!("return end_ranks({code});") } else { format!("return {code};") };
        writer.put(&format!(
            "struct command command = {{\"{name}\", size_flags, {sizes}, arrays, {arrays}, {threads}}};"
        ));
        writer.put("const int code = read_command(&command, argc, argv);");
        writer.hanging("if (code != 0)", &ended("code"));
        writer.put(&format!("int status = {name}_check(&sizes);"));
        writer.put("int failed = 0;");
        writer.braces(&format!("if (status == {})", constant(kernel, "OK")), |writer| {
            writer.put("find_shapes(&sizes, arrays);");
            writer.put(match ranks {
                true => "failed = failed_anywhere(read_arrays(&command));",
                false => "failed = read_arrays(&command);",
            });
            let call = match ranks {
                true => format!("status = {name}(MPI_COMM_WORLD, &sizes{});", arguments(kernel)),
                false => format!("status = {name}(&sizes{}, command.threads);", arguments(kernel)),
            };
            writer.hanging("if (failed == 0)", &call);
        });
        let written = |writer: &mut Writer| {
            for (number, array) in program.arrays.iter().enumerate().filter(|_| ranks) {
                if array.role == Role::Output {
                    writer.put(&format!("collect_rows(&arrays[{number}], {name}_first_row);"));
                }
            }
            match ranks {
                true => writer.hanging("if (is_first_rank())", "failed = write_arrays(&command);"),
                false => writer.put("failed = write_arrays(&command);"),
            }
        };
        writer.braces(&format!("if (failed == 0 && status == {})", constant(kernel, "OK")), written);
        writer.put("free_arrays(&command);");
        writer.hanging(
            &format!("if (failed == 0 && status != {})", constant(kernel, "OK")),
            &format!("fprintf(stderr, \"error: {name}: %s\\n\", meanings[status]);"),
        );
        writer.put(&ended(&format!("failed != 0 || status != {}", constant(kernel, "OK"))));
    });
}

/// The arrays of the command as the kernel takes them.
fn arguments(kernel: &Kernel) -> String {
    let values = |number: usize| match kernel.is_on_ranks() {
        true => format!("own_rows(&arrays[{number}], {}_first_row)", kernel.name),
        false => format!("arrays[{number}].values"),
    };
    let argument = |(number, array): (usize, &ArrayDecl)| match array.shape.len() {
        0 | 1 => format!(", {}", values(number)),
        rank => format!(", {}, (size_t)arrays[{number}].shape[{}]", values(number), rank - 1),
    };
    kernel.program.arrays.iter().enumerate().map(argument).collect()
}
