//! The file of a kernel: one function a class, one a leaf, and the function that runs them.

use super::NativeLeaves;
use super::arrays::write_accesses;
use super::body::{called, write_class, write_elementwise};
use super::class::{ClassNames, guard};
use super::entry::{write_check, write_entry, write_places, write_run};
use super::expression;
use super::header::describe;
use super::kernel::Kernel;
use super::leaf::write_leaf;
use super::writer::Writer;

/// Writes the file.
pub(super) fn kernel_file(kernel: &Kernel) -> String {
    let mut writer = Writer::default();
    let classes: Vec<ClassNames> =
        (0..kernel.program.classes.len()).map(|number| ClassNames::new(kernel, number)).collect();
    write_head(kernel, &mut writer);
    write_includes(kernel, &mut writer);
    write_run(kernel, &mut writer);
    write_accesses(kernel, &mut writer);
    if kernel.is_over_tiles() {
        write_elementwise(kernel, &mut writer);
        let called = called(kernel);
        let leaves = kernel.program.leaves.iter().filter(|leaf| called.contains(&leaf.name));
        leaves.for_each(|leaf| write_leaf(kernel, leaf, &mut writer));
    }
    for names in &classes {
        let guard = guard(kernel, names.class);
        let thin = if names.class.thin { " It only occurs where some extent is 1." } else { "" };
        writer.comment(&format!("Class {}: the PEs with {guard}.{thin}", names.class.name));
        names.write_state(&mut writer);
        names.write_join(kernel, &mut writer);
        names.write_leave(kernel, &mut writer);
        write_class(kernel, names, &mut writer);
    }
    write_places(kernel, &classes, &mut writer);
    write_check(kernel, &mut writer);
    write_entry(kernel, &mut writer);
    writer.finish()
}

/// What the kernel is, and what was proved of it.
fn write_head(kernel: &Kernel, writer: &mut Writer) {
    let program = kernel.program;
    let grid: Vec<String> = program
        .grid
        .iter()
        .map(|coordinate| {
            let end = |end| expression::index(end, &|name| kernel.variable(name));
            format!(
                "{} from {} to {}",
                kernel.variable(&coordinate.name),
                end(&coordinate.first),
                end(&coordinate.last)
            )
        })
        .collect();
    let grid = if grid.is_empty() { "One PE".to_owned() } else { format!("PEs with {}", grid.join(", ")) };
    let tiles =
        if kernel.is_over_tiles() { " What PEs compute with and send are tiles; leaves compute them." } else { "" };
    let mut paragraphs = vec![
        format!(
            "The kernel {}, written by systole from {}.pe, which stands beside this file.",
            program.kernel, kernel.name
        ),
        String::new(),
    ];
    paragraphs.extend(program.arrays.iter().map(|array| describe(kernel, array)));
    paragraphs.extend([
        String::new(),
        format!(
            "{grid}, each a loop that computes its own points in the order of their steps. PEs with the same body are a class. A PE \
             waits for words on channels and for free slots; what it does elsewhere is seen by itself alone.{tiles}"
        ),
        String::new(),
        "Of a program that systole emits is proved, for all sizes: each value is there before it is used, no channel needs \
         more slots than it has here, no PE waits for ever, and each element of an output is stored once. A step is when \
         the schedule computes a point; here the channels alone decide when."
            .to_owned(),
    ]);
    writer.remark(&paragraphs.iter().map(String::as_str).collect::<Vec<_>>());
}

fn write_includes(kernel: &Kernel, writer: &mut Writer) {
    writer.put("#define _POSIX_C_SOURCE 200809L");
    writer.put(&format!("#define GRID_RANK {}", kernel.grid_rank()));
    writer.put(&format!("#define BOX_RANK {}", kernel.box_rank()));
    writer.blank();
    let words = if kernel.is_over_tiles() { "tiles.h" } else { "numbers.h" };
    let mut files = vec!["scalar.h", words, "channels.h"];
    files.extend((!kernel.program.buses.is_empty()).then_some("buses.h"));
    files.push(if kernel.is_on_ranks() { "mpi_ranks.h" } else { "workers.h" });
    writer.put(&format!("#include \"{}.h\"", kernel.name));
    writer.blank();
    if kernel.leaves == NativeLeaves::Blas {
        writer.put("#include <cblas.h>");
        writer.blank();
    }
    files.iter().for_each(|file| writer.put(&format!("#include \"{file}\"")));
    writer.blank();
}
