//! The function that runs a kernel, and what a run has.
//!
//! Nothing is kept from one run to the next, and nothing is shared between two: all that a run has is in its `struct run`.

use super::class::ClassNames;
use super::expression;
use super::header::{array_parameters, constant, declaration, statuses};
use super::kernel::Kernel;
use super::ranks;
use super::writer::Writer;
use systole_base::diagnostic::counted;
use systole_base::integer::{Affine, sides};
use systole_equations::recurrence::{Distribution, Role};
use systole_program::array::{ArrayDecl, Joins, TileCount};

/// Writes what the PEs of a run share.
pub(super) fn write_run(kernel: &Kernel, writer: &mut Writer) {
    writer.comment("What the PEs of a run share.");
    writer.braces_with("struct run", ";", |writer| {
        writer.put(&format!("{}_sizes sizes;", kernel.name));
        for count in &kernel.program.tiles {
            writer.comment(&format!("Tiles of {} that cover {}.", count.size, kernel.variable(&count.parameter)));
            writer.put(&format!("int64_t {};", kernel.variable(&count.name)));
        }
        for array in &kernel.program.arrays {
            write_array_fields(kernel, array, writer);
        }
        writer.put("struct grid grid;");
        for (channel, name) in kernel.channels() {
            let far = channel.offset.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
            let slots = counted(usize::try_from(channel.depth).unwrap_or(usize::MAX), "slot");
            writer.comment(&format!("From each PE to the one at ({far}) from it; {slots}."));
            writer.put(&format!("struct channels {name};"));
        }
        for (bus, name) in kernel.buses() {
            let joined = match &bus.joins {
                Joins::All => "Joins all PEs.".to_owned(),
                Joins::Line(along) => format!(
                    "Joins the PEs along ({}).",
                    along.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
                ),
            };
            writer.comment(&joined);
            writer.put(&format!("struct bus {name};"));
        }
    });
    writer.blank();
}

fn write_array_fields(kernel: &Kernel, array: &ArrayDecl, writer: &mut Writer) {
    let name = kernel.array(&array.name);
    if kernel.is_over_tiles() {
        return writer.put(&format!("struct view {name}_view;"));
    }
    writer.put(&format!("{} *{name};", kernel.element_type(array)));
    if array.shape.len() > 1 {
        writer.put(&format!("int64_t {name}_row;"));
    }
}

/// Writes which class the PE at a point has.
pub(super) fn write_places(kernel: &Kernel, classes: &[ClassNames], writer: &mut Writer) {
    writer.braces_with("static const struct class classes[] =", ";", |writer| {
        for names in classes {
            let (name, suffix) = (&names.class.name, &names.suffix);
            writer.put(&format!(
                "{{\"{name}\", sizeof(struct state_{suffix}), resume_{suffix}, join_{suffix}, leave_{suffix}, waits_{suffix}}},"
            ));
        }
    });
    writer.blank();
    writer.comment("The number of the class of the PE at a point; -1 where there is none.");
    let head = "static int class_at(struct run *run, const int64_t *point)";
    kernel.function(writer, head, "point", |writer| {
        for (number, class) in kernel.program.classes.iter().enumerate() {
            let guard = expression::conditions(&class.guard, &|name| kernel.variable(name));
            writer.hanging(&format!("if ({guard})"), &format!("return {number};"));
        }
        writer.put("return -1;");
    });
}

/// Writes the function that says whether sizes are such as the program is for.
pub(super) fn write_check(kernel: &Kernel, writer: &mut Writer) {
    let head = format!("int {}_check(const {0}_sizes *sizes)", kernel.name);
    writer.function(&head, |writer| {
        writer.hanging("if (!sizes)", "return BAD_ARGUMENT;");
        let mut inner = writer.fresh();
        for name in &kernel.program.parameters {
            let name = kernel.variable(name);
            inner.hanging(&format!("if ({name} < 1 || {name} > INT32_MAX)"), "return BAD_SIZE;");
        }
        for form in kernel.program.parameters.assumed() {
            inner.hanging(&format!("if ({})", broken(kernel, form)), "return BAD_SIZE;");
        }
        for array in &kernel.program.arrays {
            for extent in kernel.extents(&array.shape).iter().filter(|_| !array.shape.is_empty()) {
                if !kernel.program.parameters.iter().any(|name| kernel.variable(name) == *extent) {
                    inner.hanging(&format!("if ({extent} < 0)"), "return BAD_SIZE;");
                }
            }
            if array.shape.len() > 1 {
                let (extents, rank) = (kernel.extents(&array.shape).join(", "), array.shape.len());
                let volume = format!("volume_of((const int64_t[]){{{extents}}}, {rank})");
                inner.hanging(&format!("if ({volume} > PTRDIFF_MAX / sizeof(double))"), "return BAD_SIZE;");
            }
        }
        for name in kernel.program.parameters.iter().map(|name| kernel.variable(name)) {
            writer.put(&format!("const int64_t {name} = sizes->{name};"));
        }
        writer.append(&inner);
        writer.put("return IS_WELL;");
    });
}

fn broken(kernel: &Kernel, form: &Affine) -> String {
    let [left, right] = sides(form).map(|side| expression::affine(&side, &|name| kernel.variable(name)));
    format!("{left} < {right}")
}

/// Writes the function itself.
pub(super) fn write_entry(kernel: &Kernel, writer: &mut Writer) {
    write_open(kernel, writer);
    write_close(kernel, writer);
    let name = &kernel.name;
    let head = match kernel.is_on_ranks() {
        true => {
            format!("static int run_on_rank(struct rank *rank, const {name}_sizes *sizes{})", array_parameters(kernel))
        }
        false => declaration(kernel),
    };
    writer.function(&head, |writer| {
        if !kernel.is_on_ranks() {
            let arrays = kernel.program.arrays.iter().map(|array| format!("!{}", kernel.array(&array.name)));
            let missing: Vec<String> = arrays.chain(["threads < 1".to_owned()]).collect();
            writer.put(&format!("const int checked = {name}_check(sizes);"));
            writer.hanging("if (checked != IS_WELL)", "return checked;");
            writer.hanging(&format!("if ({})", missing.join(" || ")), "return BAD_ARGUMENT;");
        }
        writer.put(&format!("struct run new_run = {{.sizes = *sizes{}}};", counts(kernel)));
        writer.put("struct run *const run = &new_run;");
        let mut inner = writer.fresh();
        fill_run(kernel, &mut inner);
        kernel.constants(writer, &inner, "");
        writer.append(&inner);
        writer.put("struct pes pes = {NULL, 0, 0};");
        if kernel.is_on_ranks() {
            ranks::write_run(kernel, together(kernel), writer);
        } else {
            writer.put("int status = NO_MEMORY;");
            writer.hanging(
                "if (open_run(run) && pes_place(run, &run->grid, classes, class_at, &pes))",
                &format!("status = crew_run(run, &pes, threads, {});", together(kernel)),
            );
        }
        writer.put("pes_free(run, &pes);");
        writer.put("close_run(run);");
        writer.put("return status;");
    });
    if kernel.is_on_ranks() {
        ranks::write_entry(kernel, writer);
    }
    for (number, (word, _)) in statuses().into_iter().enumerate() {
        let constant = constant(kernel, word);
        let own = OWN_STATUSES.get(number).copied().unwrap_or("IS_WELL");
        writer.put(&format!("_Static_assert({constant} == (int){own}, \"statuses\");"));
    }
}

/// The statuses as the workers name them, in the order of the header.
const OWN_STATUSES: [&str; 6] = ["IS_WELL", "BAD_ARGUMENT", "BAD_SIZE", "NO_MEMORY", "NO_THREAD", "DEADLOCK"];

/// How many neighbours go to a worker at a time; 0 for as many as there are for each.
fn together(kernel: &Kernel) -> usize {
    match kernel.program.fold {
        None | Some(Distribution::Block) => 0,
        Some(Distribution::Cyclic) => 1,
        Some(Distribution::BlockCyclic(together)) => together,
    }
}

/// The numbers of tiles.
fn counts(kernel: &Kernel) -> String {
    let count = |count: &TileCount| {
        let (name, parameter) = (kernel.variable(&count.name), kernel.variable(&count.parameter));
        format!(", .{name} = ceil_div(sizes->{parameter}, {})", count.size)
    };
    kernel.program.tiles.iter().map(count).collect()
}

/// What follows from the arguments.
fn fill_run(kernel: &Kernel, writer: &mut Writer) {
    for array in &kernel.program.arrays {
        fill_array(kernel, array, writer);
    }
    for (axis, coordinate) in kernel.program.grid.iter().enumerate() {
        let end = |end| expression::index(end, &|name| kernel.variable(name));
        let (first, last) = (end(&coordinate.first), end(&coordinate.last));
        writer.put(&format!("run->grid.first[{axis}] = {first};"));
        writer.put(&format!("run->grid.extent[{axis}] = greatest({last} - run->grid.first[{axis}] + 1, 0);"));
    }
    if kernel.program.grid.is_empty() {
        writer.put("run->grid.extent[0] = 1;");
    }
}

fn fill_array(kernel: &Kernel, array: &ArrayDecl, writer: &mut Writer) {
    let (name, extents) = (kernel.array(&array.name), kernel.extents(&array.shape));
    if let [_, .., last] = &extents[..] {
        writer.hanging(&format!("if ({name}_row > INT64_MAX || (int64_t){name}_row < {last})"), "return BAD_ARGUMENT;");
    }
    if kernel.is_over_tiles() {
        let cast = if array.role == Role::Output { "" } else { "(double *)" };
        writer.put(&format!("run->{name}_view = (struct view){{.values = {cast}{name}}};"));
        for dimension in (0..extents.len()).rev() {
            let stride = match extents.len() - 1 - dimension {
                0 => "1".to_owned(),
                1 => format!("(int64_t){name}_row"),
                _ => format!("run->{name}_view.strides[{}] * ({})", dimension + 1, extents[dimension + 1]),
            };
            writer.put(&format!("run->{name}_view.strides[{dimension}] = {stride};"));
        }
        return;
    }
    writer.put(&format!("run->{name} = {name};"));
    if extents.len() > 1 {
        writer.put(&format!("run->{name}_row = (int64_t){name}_row;"));
    }
}

fn write_open(kernel: &Kernel, writer: &mut Writer) {
    let channels =
        kernel.channels().map(|(channel, name)| format!("channels_open(&run->{name}, count, {})", channel.depth));
    let channels: Vec<String> = channels.collect();
    let buses = kernel.buses().map(|(bus, name)| format!("bus_open(&run->{name}, {})", kernel.key_length(bus)));
    let all: Vec<String> = channels.iter().cloned().chain(buses).collect();
    writer.function("static bool open_run(struct run *run)", |writer| {
        if !channels.is_empty() {
            writer.put("const size_t count = grid_volume(&run->grid);");
        }
        if all.is_empty() {
            writer.put("(void)run;");
        }
        let all = if all.is_empty() { "true".to_owned() } else { all.join(" && ") };
        writer.put(&format!("return {all};"));
    });
}

fn write_close(kernel: &Kernel, writer: &mut Writer) {
    writer.function("static void close_run(struct run *run)", |writer| {
        if kernel.program.channels.is_empty() && kernel.program.buses.is_empty() {
            writer.put("(void)run;");
        }
        kernel.channels().for_each(|(_, name)| writer.put(&format!("channels_close(&run->{name});")));
        kernel.buses().for_each(|(_, name)| writer.put(&format!("bus_close(&run->{name});")));
    });
}
