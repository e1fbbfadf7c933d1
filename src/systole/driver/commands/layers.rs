//! `systole layers`: the layers of a network on an array, beside what SCALE-Sim counts of them.
//!
//! In: a topology and a configuration of SCALE-Sim. Out: a row for each layer, as a table, CSV and JSON: the sizes of its product and of a
//! fold, the cycles of our proved design, the bound, and the cycles of SCALE-Sim.

use crate::driver::flags::arguments::LayersArguments;
use crate::driver::shown::columns::{aligned, comma_separated};
use crate::driver::shown::output::Output;
use crate::driver::shown::show::grouped;
use crate::driver::{Done, Verdict, files};
use crate::scalesim::{Configuration, FoldedDesign, Layer, Portions, topology};
use serde_json::{Value, json};
use std::path::Path;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, MessageCode};
use systole_base::machine::Machine;
use systole_base::span::Source;

/// The kernel of all rows.
const KERNEL: &str = "kernels/layers/folded_product.rec";

/// The names of the columns.
const COLUMNS: [&str; 13] =
    ["layer", "groups", "M", "N", "K", "F", "fold_m", "fold_n", "fold_k", "cycles", "bound", "scalesim", "filling"];

/// A layer, its folds, and our cycles for them.
struct Row {
    layer: Layer,
    folds: Portions,
    cycles: u64,
}

/// Runs the command.
pub fn run(arguments: &LayersArguments, output: &Output) -> Done {
    let LayersArguments { topology: path, machine, csv } = arguments;
    files::check(&[("`--csv`", csv.as_deref())], &[("the topology", Some(path)), ("`--machine`", Some(machine))])?;
    let configuration = configuration(machine, output)?;
    let source = files::read_as(path, "csv")?;
    let layers = topology(&source)?;
    let kernel = files::read_as(Path::new(KERNEL), "rec")?;
    let design = FoldedDesign::new(&kernel, configuration.dataflow, configuration.machine(Machine::default()))?;
    let rows = rows(&source, layers, &configuration, &design)?;
    print(&rows, &configuration, &design, output);
    if let Some(path) = csv {
        files::write(path, &comma_separated(std::iter::once(COLUMNS.map(str::to_owned).to_vec()).chain(cells(&rows))))?;
    }
    output.object(&to_json(&rows, &configuration, &design));
    Ok(Verdict::Good)
}

/// The configuration, which a machine file of another form does not have; what it says that nothing here heeds is named.
fn configuration(path: &Path, output: &Output) -> Checked<Configuration> {
    if !Configuration::is_one(path) {
        let message = format!("`{}` is no configuration of SCALE-Sim", path.display());
        return Diagnostic::usage(message).help("give a `.cfg` file, which says the dataflow too").alone();
    }
    let source = files::read_as(path, "cfg")?;
    let configuration = Configuration::parse(&source)?;
    configuration.warning(&source).iter().for_each(|said| output.warning(said));
    Ok(configuration)
}

/// All layers on the array.
fn rows(
    source: &Source,
    layers: Vec<Layer>,
    configuration: &Configuration,
    design: &FoldedDesign,
) -> Checked<Vec<Row>> {
    let (rows, wrong): (Vec<_>, Vec<_>) =
        layers.into_iter().map(|layer| row(source, layer, configuration, design)).partition(Result::is_ok);
    let problems: Diagnostics = wrong.into_iter().filter_map(Result::err).flatten().collect();
    if problems.is_empty() { Ok(rows.into_iter().flatten().collect()) } else { Err(problems) }
}

fn row(source: &Source, layer: Layer, configuration: &Configuration, design: &FoldedDesign) -> Checked<Row> {
    let Some(folds) = Portions::of(&layer, configuration.dataflow, configuration.array) else {
        let message = format!("{}:{}: `{}` takes more cycles than can be counted", source.name, layer.line, layer.name);
        return Diagnostic::new(message).help("make the layer smaller").about(MessageCode::File).alone();
    };
    let cycles = design.cycles(&folds)?;
    Ok(Row { layer, folds, cycles })
}

impl Row {
    /// The bound as a share of our cycles.
    fn share(&self) -> f64 {
        self.folds.bound as f64 / self.cycles.max(1) as f64
    }

    fn cells(&self) -> Vec<String> {
        let Row { layer: Layer { name, groups, product: [m, n, k], .. }, folds, cycles } = self;
        let [of_m, of_n, of_k] = folds.sizes;
        let numbers = [*groups, *m, *n, *k, folds.count, of_m, of_n, of_k];
        let counted =
            [cycles.to_string(), folds.bound.to_string(), folds.theirs.to_string(), folds.filling.to_string()];
        std::iter::once(name.clone()).chain(numbers.map(|number| number.to_string())).chain(counted).collect()
    }

    fn shown(&self) -> Vec<String> {
        let Row { layer: Layer { name, groups, product, .. }, folds, cycles } = self;
        let by = |sizes: &[i64; 3]| sizes.map(|size| size.to_string()).join(" x ");
        let product = if *groups > 1 { format!("{groups} of {}", by(product)) } else { by(product) };
        let theirs = folds.theirs.unsigned_abs();
        vec![
            name.clone(),
            product,
            folds.count.to_string(),
            by(&folds.sizes),
            grouped(*cycles),
            grouped(folds.bound.unsigned_abs()),
            format!("{:.0} %", 100.0 * self.share()),
            grouped(theirs),
            grouped(folds.filling.unsigned_abs()),
        ]
    }

    fn to_json(&self) -> Value {
        let Row { layer, folds, cycles } = self;
        json!({
            "name": layer.name,
            "line": layer.line,
            "groups": layer.groups,
            "product": layer.product,
            "over_the_edge": layer.is_over_the_edge,
            "sizes": { "F": folds.count, "M": folds.sizes[0], "N": folds.sizes[1], "K": folds.sizes[2] },
            "cycles": cycles,
            "bound": folds.bound,
            "share": self.share(),
            "scalesim": folds.theirs,
            "filling": folds.filling,
        })
    }
}

/// The cells of all rows.
fn cells(rows: &[Row]) -> impl Iterator<Item = Vec<String>> {
    rows.iter().map(Row::cells)
}

fn print(rows: &[Row], configuration: &Configuration, design: &FoldedDesign, output: &Output) {
    let (schedule, [height, width]) = (configuration.dataflow.schedule(), configuration.array);
    output.line(&format!("kernel    {KERNEL}, schedule {schedule}, on {height} x {width} PEs"));
    output.line(&format!("proofs    {0} of {0} proved for all F, M, N, K >= 1", design.proved));
    let titles = ["layer", "M x N x K", "folds", "of", "cycles", "bound", "at", "SCALE-Sim", "filling"];
    let head = titles.map(str::to_owned).to_vec();
    let table: Vec<Vec<String>> = std::iter::once(head).chain(rows.iter().map(Row::shown)).collect();
    output.line(&format!("\n{}\n", aligned(&table).trim_end()));
    output.line(&format!("in all    {}", totals(rows)));
    let over: Vec<&str> = rows.iter().filter(|row| row.layer.is_over_the_edge).map(|row| &*row.layer.name).collect();
    if !over.is_empty() {
        output.line(&format!(
            "edge      the last window reaches over the edge, as SCALE-Sim counts it: {}",
            over.join(", ")
        ));
    }
    if rows.iter().any(|row| row.folds.filling > 0) {
        output.line("filling   the part of SCALE-Sim's cycles in which what stays is shifted in; ours are without it");
    }
}

fn totals(rows: &[Row]) -> String {
    let sum = |of: &dyn Fn(&Row) -> u64| rows.iter().fold(0u64, |sum, row| sum.saturating_add(of(row)));
    let ours = sum(&|row| row.cycles);
    let bound = sum(&|row| row.folds.bound.unsigned_abs());
    let theirs = sum(&|row| row.folds.theirs.unsigned_abs());
    format!("{} cycles, {} at least, {} by SCALE-Sim", grouped(ours), grouped(bound), grouped(theirs))
}

fn to_json(rows: &[Row], configuration: &Configuration, design: &FoldedDesign) -> Value {
    json!({
        "kernel": KERNEL,
        "schedule": configuration.dataflow.schedule(),
        "array": configuration.array,
        "proved": design.proved,
        "layers": rows.iter().map(Row::to_json).collect::<Vec<_>>(),
    })
}
