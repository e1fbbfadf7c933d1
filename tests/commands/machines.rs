//! Machine files and the flags that stand in for them.

use super::start::{good, json, refused, systole, written};
use std::path::Path;
use systole::cell::Cell;
use systole::machine::Machine;
use systole::network::{Links, Network};
use systole::span::Source;

const SMALL: [&str; 4] = ["kernels/matmul.rec", "--size", "M=4,N=4,K=4", "--json"];

fn shipped(name: &str) -> Machine {
    let path = Path::new(env!("SYSTOLE_ROOT")).join("machines").join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    Machine::parse(&Source::new(format!("machines/{name}"), text)).expect("a machine that ships is right")
}

#[test]
fn the_ideal_machine_is_the_default() {
    assert_eq!(shipped("ideal.toml"), Machine::default());
}

#[test]
fn slow_links_have_latency_2_and_are_ideal_otherwise() {
    let ideal = Machine::default();
    let links = Links { latency: 2, ..ideal.links };
    assert_eq!(shipped("slow-links.toml"), Machine { name: "slow-links".to_owned(), links, ..ideal });
}

#[test]
fn cells_do_all_that_they_can_and_are_ideal_otherwise() {
    let ideal = Machine::default();
    let links = Links { cell: Cell::All, ..ideal.links };
    assert_eq!(shipped("cells.toml"), Machine { name: "cells".to_owned(), links, ..ideal });
}

/// Network, PEs along the axes, latency and response of each.
#[test]
fn the_machines_that_ship_are_what_their_comments_say() {
    let of = |name: &str| {
        let machine = shipped(&format!("{name}.toml"));
        assert_eq!(machine.name, name);
        (machine.links.network, machine.extent.expect("a size"), machine.links.latency, machine.links.response)
    };
    assert_eq!(of("tpu-like"), (Network::Wire, vec![256, 256], 1, 1));
    assert_eq!(of("gemmini-like"), (Network::Wire, vec![16, 16], 1, 1));
    assert_eq!(of("chiplets"), (Network::Mesh, vec![4, 4], 4, 4));
    assert_eq!(of("wafer"), (Network::Mesh, vec![512, 512], 3, 3));
}

/// The one of another form, which the tests of layers read.
const SCALESIM: &str = "scalesim.cfg";

#[test]
fn every_machine_that_ships_is_tested() {
    let folder = std::fs::read_dir(Path::new(env!("SYSTOLE_ROOT")).join("machines")).unwrap();
    let mut names: Vec<String> = folder.map(|file| file.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names.retain(|name| name != SCALESIM);
    let known = ["cells", "chiplets", "gemmini-like", "ideal", "slow-links", "tpu-like", "wafer"];
    assert_eq!(names, known.map(|name| format!("{name}.toml")));
}

/// Cycles and PEs of a schedule of matrix product on a machine.
fn product(machine: &str, schedule: &str, size: &str) -> (u64, u64) {
    let path = format!("machines/{machine}.toml");
    let found = json(&["run", "kernels/matmul.rec", "--machine", &path, "--schedule", schedule, "--size", size]);
    assert_eq!(found["sim"]["matches_reference"], true);
    assert_eq!(found["sim"]["cycles"], found["search"]["front"][0]["cycles"]);
    (found["sim"]["cycles"].as_u64().unwrap(), found["sim"]["pes"].as_u64().unwrap())
}

/// The weights are the M by K matrix, so these are the sides of the array, and N columns pass through it.
#[test]
fn arrays_of_weights_run_the_products_that_they_hold() {
    assert_eq!(product("tpu-like", "weight-stationary", "M=20,N=3,K=17"), (20 + 3 + 17 - 2, 340));
    assert_eq!(product("gemmini-like", "weight-stationary", "M=16,N=5,K=16"), (16 + 5 + 16 - 2, 256));
    assert_eq!(product("gemmini-like", "cannon", "M=16,N=16,K=5"), (16 + 16 + 5 - 2, 256));
    let search = ["search", "kernels/matmul.rec", "--machine", "machines/gemmini-like.toml", "--schedule"];
    let too_wide = refused(&[&search[..], &["weight-stationary", "--size", "M=17,N=5,K=16"]].concat());
    assert!(too_wide.contains("larger array than the machine has"), "{too_wide}");
    let summa = refused(&[&search[..], &["summa", "--size", "M=4,N=4,K=4"]].concat());
    assert!(summa.contains("no link for"), "{summa}");
}

#[test]
fn an_array_of_several_spaces_that_the_machine_cannot_hold_is_refused() {
    let search = ["search", "kernels/cholesky.rec", "--schedule", "grid", "--machine", "machines/chiplets.toml"];
    good(&[&search[..], &["--size", "N=4"]].concat());
    let message = refused(&[&search[..], &["--size", "N=5"]].concat());
    assert!(message.contains("larger array than the machine has") && message.contains("extent"), "{message}");
}

/// `A` is broadcast along the rows and `B` along the columns; each bus is needed.
#[test]
fn a_broadcast_needs_a_bus_of_its_kind() {
    let summa = ["search", "kernels/matmul.rec", "--schedule", "summa", "--size", "M=3,N=3,K=3", "--machine"];
    let both = written("[bus]\nkinds = [\"column\", \"row\"]\n");
    good(&[&summa[..], &[&both.1]].concat());
    for (kind, lacking) in [("row", "`B`"), ("column", "`A`"), ("all", "`A`")] {
        let one = written(&format!("[bus]\nkinds = [\"{kind}\"]\n"));
        let message = refused(&[&summa[..], &[&one.1]].concat());
        assert!(message.contains(&format!("no link for {lacking}")), "{kind}: {message}");
    }
}

#[test]
fn words_from_memory_to_all_need_the_bus_of_all() {
    let broadcast = ["search", "kernels/trisolve.rec", "--schedule", "broadcast-b", "--size", "N=4", "--machine"];
    let (all, lines) = (written("[bus]\nkinds = [\"all\"]\n"), written("[bus]\nkinds = [\"row\", \"column\"]\n"));
    good(&[&broadcast[..], &[&all.1]].concat());
    refused(&[&broadcast[..], &[&lines.1]].concat());
}

/// A word of `B` is heard a latency after its step; the first of them holds up all that follow, and the others are there
/// by then.
#[test]
fn a_bus_from_memory_that_takes_time_is_refused_and_slows_its_program() {
    let (at_once, slow) = (written("[bus]\nlatency = 0\n"), written("[bus]\nlatency = 3\n"));
    let search = ["search", "kernels/trisolve.rec", "--schedule", "broadcast-b", "--size", "N=6", "--machine"];
    good(&[&search[..], &[&at_once.1]].concat());
    let message = refused(&[&search[..], &[&slow.1]].concat());
    assert!(message.contains("`B` cannot be broadcast") && message.contains("latency 3"), "{message}");
    let program = slow.0.path().join("b.pe");
    let program = program.to_str().unwrap();
    good(&["emit", "kernels/trisolve.rec", "--schedule", "broadcast-b", "-o", program]);
    let run = |machine: &str| json(&["sim", program, "--size", "N=6", "--machine", machine]);
    let (on_time, late) = (run(&at_once.1), run(&slow.1));
    assert_eq!((&on_time["cycles"], &on_time["starve"]), (&11.into(), &0.into()));
    assert_eq!(late["cycles"], 11 + 3);
    assert_eq!(on_time["memory_words"]["B"]["loaded"], 6);
}

/// Listeners run in the step of the drive, which the proofs are about: with a slower bus there is no such schedule. A run of
/// its program loses the latency twice: a PE of the first row hears `A` before it drives `B` down its column.
#[test]
fn a_bus_that_takes_time_refuses_broadcasts_and_slows_their_programs() {
    let (at_once, slow) = (written("[bus]\nlatency = 0\n"), written("[bus]\nlatency = 3\n"));
    let size = ["--size", "M=3,N=4,K=5", "--machine"];
    let summa = ["search", "kernels/matmul.rec", "--schedule", "summa"];
    good(&[&summa[..], &size, &[&at_once.1]].concat());
    let message = refused(&[&summa[..], &size, &[&slow.1]].concat());
    assert!(message.contains("`A` cannot be broadcast") && message.contains("latency 3"), "{message}");
    let free = json(&[&["search", "kernels/matmul.rec"], &size[..], &[&slow.1]].concat());
    assert!(free["front"].as_array().unwrap().iter().all(|found| found["fanout"] == 1));
    let program = slow.0.path().join("p.pe");
    let program = program.to_str().unwrap();
    good(&["emit", "kernels/matmul.rec", "--schedule", "summa", "-o", program]);
    let cycles = |machine: &str| json(&[&["sim", program], &size[..], &[machine]].concat())["cycles"].as_u64();
    assert_eq!((cycles(&at_once.1), cycles(&slow.1)), (Some(5), Some(5 + 3 + 3)));
}

/// Each PE of the weight-stationary array has one weight, and the registers `A`, `B` and `C`.
#[test]
fn a_program_that_needs_more_of_a_pe_than_it_has_is_refused() {
    let run = ["run", "kernels/matmul.rec", "--size", "M=3,N=4,K=5", "--schedule", "weight-stationary", "--machine"];
    let enough = written("[pe]\nregisters = 3\nwords = 1\n");
    good(&[&run[..], &[&enough.1]].concat());
    let few = written("[pe]\nregisters = 2\n");
    let message = refused(&[&run[..], &[&few.1]].concat());
    assert!(message.contains("needs 3 registers, and `written` has 2 a PE"), "{message}");
    assert!(message.contains("class `pe0`"), "{message}");
}

/// One PE that keeps both inputs loads the fewest words; with less memory it loads each when it is used.
#[test]
fn a_design_that_does_not_fit_makes_room_for_the_next() {
    let run = ["run", "kernels/conv1d.rec", "--size", "N=5,K=4", "--objective", "pes", "--machine"];
    let (enough, few) = (written("[pe]\nwords = 12\n"), written("[pe]\nwords = 3\n"));
    assert_eq!(json(&[&run[..], &[&enough.1]].concat())["sim"]["pes"], 1);
    let ran = systole(&[&run[..], &[&few.1]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("passed over 4 better on the front that need larger PEs than `written` has"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stdout.contains("w is fed, x is fed") && ran.stdout.contains("matches reference bit for bit"),
        "{}",
        ran.stdout
    );
}

/// A slot is free only when its sender hears of it. Where that takes 100 cycles every stream needs more slots than are proved, and values that
/// are loaded where they are used need none.
#[test]
fn a_design_whose_channels_are_too_deep_makes_room_for_the_next() {
    let slow = written("[link]\nresponse = 100\n");
    let run = ["run", "kernels/matmul.rec", "--size", "M=2,N=3,K=2", "--machine", &slow.1];
    let ran = systole(&run);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("needs a FIFO of depth 101, and no more than 64 is proved"), "{}", ran.stderr);
    assert!(ran.stdout.contains("matches reference bit for bit"), "{}", ran.stdout);
    // A schedule that streams has no other.
    let message = refused(&[&run[..], &["--schedule", "cannon"]].concat());
    assert!(message.contains("needs a FIFO of depth 101, and no more than 64 is proved"), "{message}");
}

/// Each PE of this array keeps all K weights; the same program is held against the machine by `run`, `emit` and `sim`.
#[test]
fn words_of_local_memory_are_counted_by_pe() {
    let (enough, few) = (written("[pe]\nwords = 4\n"), written("[pe]\nwords = 3\n"));
    let kernel = enough.0.path().join("stay.rec");
    let text = "kernel stay(N, K)\nin w[K], x[N + K - 1]\nout y[N]\ny[i] = sum(k) w[k] * x[i - k + K - 1]\n\
                schedule stay\nplace (i)   time i + k\nprefetch w\n";
    std::fs::write(&kernel, text).unwrap();
    let (kernel, program) = (kernel.to_str().unwrap(), enough.0.path().join("p.pe"));
    let program = program.to_str().unwrap();
    good(&["emit", kernel, "--schedule", "stay", "-o", program]);
    let commands: [&[&str]; 3] =
        [&["run", kernel, "--schedule", "stay"], &["emit", kernel, "--schedule", "stay"], &["sim", program]];
    for command in commands {
        let size = ["--size", "N=5,K=4", "--machine"];
        good(&[command, &size, &[&enough.1]].concat());
        let message = refused(&[command, &size, &[&few.1]].concat());
        assert!(message.contains("needs 4 words of local memory, and `written` has 3 a PE"), "{message}");
    }
}

#[test]
fn a_machine_file_and_its_flags_say_the_same() {
    let file = good(&[&["run"], &SMALL[..], &["--machine", "machines/slow-links.toml"]].concat());
    let flag = good(&[&["run"], &SMALL[..], &["--latency", "2"]].concat());
    let [file, flag] = [file, flag].map(|text| super::start::object(&text));
    assert_eq!(file["search"]["front"], flag["search"]["front"]);
    assert_eq!(file["sim"], flag["sim"]);
    assert_eq!((&file["sim"]["stall"], &file["sim"]["starve"]), (&0.into(), &0.into()));
}

#[test]
fn on_slow_links_the_textbook_schedule_is_refuted_and_a_slower_one_is_found() {
    let slow = ["--machine", "machines/slow-links.toml"];
    let cannon = ["prove", "kernels/matmul.rec", "--schedule", "cannon"];
    assert!(refused(&[&cannon[..], &slow[..]].concat()).contains("refuted"));
    let found = json(&[&["search", "kernels/matmul.rec", "--size", "M=4,N=4,K=4", "--rank", "2"], &slow[..]].concat());
    assert_eq!(found["front"][0]["cycles"], 16);
}

#[test]
fn a_wrong_machine_file_is_refused_with_the_nearest_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.toml");
    std::fs::write(&path, "[link]\nlatencey = 2\n").unwrap();
    let message = refused(&["search", "kernels/matmul.rec", "--machine", path.to_str().unwrap()]);
    assert!(message.contains("unknown key `latencey`") && message.contains("did you mean `latency`?"), "{message}");
    assert!(refused(&["search", "kernels/matmul.rec", "--machine", "machines/none.toml"]).contains("ideal.toml"));
}

#[test]
fn an_array_that_the_machine_cannot_hold_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.toml");
    std::fs::write(&path, "[grid]\nextent = [3, 3]\n[bus]\nkinds = []\n").unwrap();
    let machine = ["--machine", path.to_str().unwrap()];
    let cannon = ["search", "kernels/matmul.rec", "--schedule", "cannon", "--size"];
    assert!(
        refused(&[&cannon[..], &["M=4,N=4,K=4"], &machine[..]].concat()).contains("larger array than the machine has")
    );
    good(&[&cannon[..], &["M=3,N=3,K=3"], &machine[..]].concat());
    let summa = ["search", "kernels/matmul.rec", "--schedule", "summa", "--size", "M=3,N=3,K=3"];
    refused(&[&summa[..], &machine[..]].concat());
}

/// Kung and Leiserson's array needs a diagonal. A file that names no network leaves that of the schedule; one that does is named where it is
/// what refutes the schedule.
#[test]
fn a_schedule_keeps_its_network_where_the_machine_names_none() {
    let size = ["--size", "M=3,N=3,K=3"];
    let prove = ["prove", "kernels/matmul.rec", "--schedule", "kung-leiserson", "--machine"];
    let (_folder, none) = written("[link]\nresponse = 1\n");
    good(&[&prove[..], &[&none]].concat());
    let (_folder, mesh) = written("[grid]\nnetwork = \"mesh\"\n");
    for command in [&prove[..], &[&["run"], &prove[1..4], &size, &["--machine"]].concat()] {
        let message = refused(&[command, &[&mesh]].concat()).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(message.contains("on the `mesh` network of `written`, not the `hex` of the schedule"), "{message}");
    }
    let (_folder, hex) = written("[grid]\nnetwork = \"hex\"\n");
    good(&[&prove[..], &[&hex]].concat());
}
