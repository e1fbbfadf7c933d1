//! Files of SCALE-Sim: `systole layers` beside what SCALE-Sim counted of the same files, and its configurations as machines.
//!
//! `tests/oracles/scalesim_layers.csv` is what SCALE-Sim 3.0.0 wrote as `Total Cycles` for the two topologies beside it.

use super::start::{misused, object, refused, systole};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const COUNTED: &str = include_str!("../oracles/scalesim_layers.csv");

/// A configuration as SCALE-Sim reads it.
fn configuration(dataflow: &str, rows: &str, columns: &str) -> String {
    format!(
        "[general]\nrun_name = test\n\n[architecture_presets]\nArrayHeight:    {rows}\nArrayWidth : {columns}\n\
         IfmapSramSzkB: 64\nFilterSramSzkB: 64\nOfmapSramSzkB: 64\nIfmapOffset: 0\nFilterOffset: 10000000\n\
         OfmapOffset: 20000000\nDataflow = {dataflow}\nBandwidth : 10\n\n[run_presets]\nInterfaceBandwidth: CALC\n"
    )
}

/// A folder with files, and their paths.
struct Files(TempDir);

impl Files {
    fn new() -> Files {
        Files(TempDir::new().expect("a folder"))
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        fs::write(&path, text).expect("written");
        path.display().to_string()
    }
}

fn topology(form: &str) -> String {
    Path::new(env!("SYSTOLE_ROOT")).join(format!("tests/oracles/scalesim_{form}.csv")).display().to_string()
}

/// What a command prints that ends well, whatever it warns of.
fn accepted(arguments: &[&str]) -> String {
    let ran = systole(arguments);
    assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
    ran.stdout
}

/// The cycles that SCALE-Sim counted, by dataflow, rows, columns and topology: a layer with its cycles.
fn counted() -> BTreeMap<[&'static str; 4], Vec<(&'static str, i64)>> {
    let mut all: BTreeMap<[&str; 4], Vec<(&str, i64)>> = BTreeMap::new();
    for line in COUNTED.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [dataflow, rows, columns, form, layer, cycles] = cells[..] else { panic!("{line}") };
        let layers = all.entry([dataflow, rows, columns, form]).or_default();
        layers.push((layer, cycles.parse().expect("a number")));
    }
    all
}

fn whole(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("{value} is no whole number"))
}

fn ceiling(number: i64, size: i64) -> i64 {
    (number + size - 1) / size
}

/// Our cycles by hand: the way through the used part of the array once, and the extent that streams once a fold.
fn by_hand(dataflow: &str, [rows, columns]: [i64; 2], layer: &Value) -> i64 {
    let [m, n, k] = [0, 1, 2].map(|at| whole(&layer["product"][at]));
    let (down, across, streamed) = match dataflow {
        "os" => (m, n, k),
        "ws" => (k, n, m),
        _ => (k, m, n),
    };
    let folds = whole(&layer["groups"]) * ceiling(down, rows) * ceiling(across, columns);
    folds * streamed + down.min(rows) + across.min(columns) - 2
}

#[test]
fn every_layer_has_the_cycles_that_scale_sim_counts() {
    let (files, mut covered) = (Files::new(), 0);
    for ([dataflow, rows, columns, form], expected) in counted() {
        let machine = files.write("array.cfg", &configuration(dataflow, rows, columns));
        let said = object(&accepted(&["layers", &topology(form), "--machine", &machine, "--json"]));
        let layers = said["layers"].as_array().expect("layers");
        assert_eq!(layers.len(), expected.len());
        let array = [rows, columns].map(|side| side.parse::<i64>().expect("a number"));
        for (layer, (name, cycles)) in layers.iter().zip(&expected) {
            let what = format!("{name} by {dataflow} on {rows} x {columns}");
            assert_eq!((&layer["name"], &layer["scalesim"]), (&Value::from(*name), &Value::from(*cycles)), "{what}");
            assert_eq!(whole(&layer["cycles"]), by_hand(dataflow, array, layer), "{what}");
            assert!(whole(&layer["bound"]) <= whole(&layer["cycles"]), "{what}");
            assert!(whole(&layer["cycles"]) <= cycles + whole(&layer["groups"]), "{what}");
            covered += 1;
        }
    }
    assert_eq!(covered, 120);
}

/// The simulator takes as many cycles as the table says, and the results are right bit for bit.
#[test]
fn what_is_counted_is_what_runs() {
    let files = Files::new();
    for dataflow in ["os", "ws", "is"] {
        let machine = files.write("array.cfg", &configuration(dataflow, "4", "4"));
        let said = object(&accepted(&["layers", &topology("products"), "--machine", &machine, "--json"]));
        let (schedule, layer) = (said["schedule"].as_str().expect("a schedule"), &said["layers"][0]);
        let size = ["F", "M", "N", "K"].map(|size| format!("{size}={}", layer["sizes"][size])).join(",");
        let kernel = said["kernel"].as_str().expect("a kernel");
        let flags = ["run", kernel, "--schedule", schedule, "--size", &size, "--machine", &machine, "--json"];
        let ran = object(&systole(&flags).stdout);
        assert_eq!(ran["sim"]["cycles"], layer["cycles"], "{dataflow}");
    }
}

#[test]
fn the_table_is_written_as_values_too() {
    let files = Files::new();
    let machine = files.write("array.cfg", &configuration("ws", "8", "8"));
    let csv = files.0.path().join("table.csv").display().to_string();
    let printed = accepted(&["layers", &topology("convolutions"), "--machine", &machine, "--csv", &csv]);
    let text = fs::read_to_string(csv).expect("a table");
    let depthwise = text.lines().find(|line| line.starts_with("DPwise,")).expect("the layer");
    assert_eq!(depthwise, "DPwise,3,16,2,9,6,16,2,8,104,14,225,48");
    assert!(printed.contains("3 of 16 x 2 x 9"), "{printed}");
    assert!(printed.contains("the last window reaches over the edge, as SCALE-Sim counts it: Ragged"), "{printed}");
    assert!(printed.contains("ours are without it"), "{printed}");
}

#[test]
fn a_configuration_is_a_machine() {
    let files = Files::new();
    let configuration = files.write("array.cfg", &configuration("os", "3", "2"));
    let toml = files.write("array.toml", "[grid]\nnetwork = \"wire\"\nextent = [3, 2]\n[bus]\nkinds = []\n");
    let search = |machine: &str| {
        systole(&["search", "kernels/matmul.rec", "--size", "M=3,N=2,K=4", "--machine", machine, "--json"])
    };
    let (ours, same) = (search(&configuration), search(&toml));
    assert_eq!((ours.code, same.code), (0, 0));
    assert_eq!(object(&ours.stdout)["front"], object(&same.stdout)["front"]);
    assert!(same.stderr.is_empty());
    let told = "has keys without a counterpart here: IfmapSramSzkB, FilterSramSzkB, OfmapSramSzkB, IfmapOffset";
    assert!(ours.stderr.contains(told), "{}", ours.stderr);
    assert_eq!(ours.stderr.matches("warning:").count(), 1, "{}", ours.stderr);
}

/// The configuration with a line in place of another.
fn changed(from: &str, to: &str) -> String {
    let text = configuration("os", "4", "4");
    assert!(text.contains(from), "{from}");
    text.replace(from, to)
}

#[test]
fn wrong_configurations_are_refused_at_their_lines() {
    let files = Files::new();
    let cases = [
        ("ArrayHeight:    4\n", "", "`ArrayHeight` of `[architecture_presets]` is missing", "array.cfg:4:"),
        (
            "ArrayHeight:    4\n",
            "ArrayHeight: four\n",
            "`ArrayHeight` is a whole number of PEs, and `four` is none",
            "array.cfg:5:",
        ),
        (
            "ArrayWidth : 4\n",
            "ArrayWidth : 0\n",
            "`ArrayWidth` is a whole number of PEs, and `0` is none",
            "array.cfg:6:",
        ),
        ("Dataflow = os\n", "Dataflow = rs\n", "`Dataflow` is a dataflow, and `rs` is none", "array.cfg:13:"),
        ("Dataflow = os\n", "", "`Dataflow` of `[architecture_presets]` is missing", "array.cfg:4:"),
        (
            "IfmapSramSzkB: 64\n",
            "IfmapSramSzkB: big\n",
            "`IfmapSramSzkB` is a whole number, and `big` is none",
            "array.cfg:7:",
        ),
        ("[general]\n", "[general\n", "is not a configuration of SCALE-Sim", ""),
    ];
    for (from, to, message, place) in cases {
        let machine = files.write("array.cfg", &changed(from, to));
        for command in [&["layers", &topology("products")][..], &["search", "kernels/matmul.rec"]] {
            let said = refused(&[command, &["--machine", &machine]].concat());
            assert!(said.contains(message) && said.contains(place), "{to}: {said}");
        }
    }
    let twin = files.write("array.cfg", &changed("ArrayHeight:    4\n", "arrayheight=4\n"));
    accepted(&["layers", &topology("products"), "--machine", &twin]);
}

#[test]
fn a_machine_file_without_a_dataflow_is_refused() {
    let said = misused(&["layers", &topology("products"), "--machine", "machines/ideal.toml"]);
    assert!(said.contains("is no configuration of SCALE-Sim"), "{said}");
}

const CONVOLUTION: &str =
    "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n";

const PRODUCT: &str = "Layer, M, N, K,\n";

#[test]
fn wrong_topologies_are_refused_at_their_lines() {
    let files = Files::new();
    let machine = files.write("array.cfg", &configuration("os", "4", "4"));
    let cases = [
        (PRODUCT, "one, 2, 3,\n", "a layer has a name and 3 numbers, this line has 2", "net.csv:2:1"),
        (PRODUCT, "one, 2, 3, 4,\ntwo, 2, x, 4,\n", "`x` is no number of N", "net.csv:3:1"),
        (PRODUCT, "one, 2, 0, 4,\n", "`0` is no number of N", "net.csv:2:1"),
        (PRODUCT, "one, 2, 3, 4, 2:4,\n", "a layer of which only 2:4 is there has no counterpart", "net.csv:2:1"),
        (PRODUCT, "one, 2, 3, 1000001,\n", "`1000001` is no number of K", "net.csv:2:1"),
        (PRODUCT, "", "has no layers", ""),
        ("", "", "is empty", ""),
        ("", "one, 2, 3, 4,\n", "the first line does not name the columns of a topology", "net.csv:1:1"),
        (CONVOLUTION, "one, 8, 8, 9, 3, 1, 1, 1,\n", "a filter of 9 x 3 does not fit an input of 8 x 8", "net.csv:2:1"),
        (CONVOLUTION, "one, 8, 8, 3, 3, 1, 1,\n", "a layer has a name and 7 numbers, this line has 6", "net.csv:2:1"),
        (
            CONVOLUTION,
            "one, 1000000, 1000000, 1, 1, 1000000, 1000000, 1,\n",
            "`one` has more operations than can be counted",
            "net.csv:2:1",
        ),
    ];
    for (head, lines, message, place) in cases {
        let path = files.write("net.csv", &format!("{head}{lines}"));
        let said = refused(&["layers", &path, "--machine", &machine]);
        assert!(said.contains(message) && said.contains(place), "{lines}: {said}");
    }
    let twins = [
        (PRODUCT, "one, 2, 3, 4, 4:4,\n\n"),
        (PRODUCT, "one, 2, 3, 4\n"),
        (CONVOLUTION, "one, 8, 8, 8, 3, 1, 1, 1,\n"),
        (CONVOLUTION, "one, 8, 8, 3, 3, 1, 1, 2, 1,\n"),
    ];
    for (head, lines) in twins {
        let path = files.write("net.csv", &format!("{head}{lines}"));
        accepted(&["layers", &path, "--machine", &machine]);
    }
}
