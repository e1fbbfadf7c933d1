//! The latency of memory is paid for once: every kernel that ships, with as many loads outstanding as it takes, and with fewer.

use super::share::share;
use super::start::{good, json, object, systole, written};
use serde_json::Value;

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

/// The kernels that ship with their schedules, and sizes from 3 on.
fn scheduled() -> Vec<(String, Vec<String>, String)> {
    let folder = std::fs::read_dir(concat!(env!("SYSTOLE_ROOT"), "/kernels")).expect("a folder");
    let files = folder.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let mut kernels: Vec<_> = files.map(|path| kernel(&path)).collect();
    kernels.sort();
    kernels
}

fn kernel(path: &std::path::Path) -> (String, Vec<String>, String) {
    let text = std::fs::read_to_string(path).unwrap();
    let after = |word: &'static str| text.lines().filter_map(move |line| line.strip_prefix(word)).map(str::trim);
    let header = after("kernel ").next().expect("a kernel").to_owned();
    let parameters = header.split_once('(').map_or("", |(_, rest)| rest.trim_end_matches(')')).to_owned();
    let sizes = parameters.split(',').enumerate().map(|(place, name)| format!("{}={}", name.trim(), 3 + place));
    let schedules = after("schedule ").map(|line| line.split_whitespace().next().unwrap_or("").to_owned());
    (path.file_name().unwrap().to_str().unwrap().to_owned(), schedules.collect(), sizes.collect::<Vec<_>>().join(","))
}

/// Schedules that no design keeps to, or none where a value takes more than a step through memory.
const REFUSED: [(&str, &str); 3] = [("matmul.rec", "too-fast"), ("trisolve.rec", "memory"), ("trisolve.rec", "strips")];

/// Predicted, simulated, right, and where nothing is said of how many may be outstanding no cycle more than the latency.
#[test]
fn every_kernel_waits_for_memory_once() {
    let memories = [(1, None), (3, Some(2)), (200, None), (200, Some(3)), (3, None), (7, Some(1))];
    let mut memories = memories.into_iter().cycle();
    for (kernel, schedules, sizes) in share(scheduled(), 3) {
        for schedule in schedules.iter().filter(|schedule| !REFUSED.contains(&(&kernel, schedule))) {
            let path = format!("kernels/{kernel}");
            let run = ["run", &path, "--schedule", schedule, "--size", &sizes];
            let plain = json(&run);
            for (latency, outstanding) in [memories.next(), memories.next()].into_iter().flatten() {
                let few = outstanding.map_or_else(String::new, |few| format!("outstanding = {few}\n"));
                let (_folder, machine) = written(&format!("[memory]\nlatency = {latency}\n{few}"));
                let found = json(&[&run[..], &["--machine", &machine]].concat());
                let about = format!("{kernel} {schedule} {latency} {outstanding:?}");
                assert_eq!(found["sim"]["matches_reference"], true, "{about}");
                assert_eq!(found["sim"].get("missed"), None, "{about}");
                assert_eq!(found["sim"]["memory_words"], plain["sim"]["memory_words"], "{about}");
                let (lead, step) = (found["sim"]["lead"].as_u64().unwrap_or(0), found["sim"]["step"].as_u64());
                assert!(lead <= latency && (outstanding.is_some() || step.is_none()), "{about}");
                let steps = number(&found["search"]["front"][0]["cycles"]);
                assert_eq!(number(&found["sim"]["cycles"]), lead + step.unwrap_or(1) * steps, "{about}");
            }
        }
    }
}

const WEIGHTS: [&str; 6] = ["run", "kernels/matmul.rec", "--schedule", "weight-stationary", "--size", "M=8,N=64,K=8"];

/// The issue's own figures: 78 steps, and a memory of 200 cycles.
#[test]
fn weights_that_stay_wait_200_cycles_and_no_more() {
    for (lines, cycles, said) in [
        ("", 278, "memory    200 cycles until the first words are there: loads are asked for ahead"),
        ("outstanding = 201", 278, "memory    200 cycles until the first words are there"),
        (
            "outstanding = 200",
            355,
            "step      2 cycles for every step of the schedule: too few loads may be outstanding",
        ),
        (
            "outstanding = 8",
            2203,
            "step      26 cycles for every step of the schedule: too few loads may be outstanding",
        ),
        (
            "outstanding = 1",
            15_678,
            "step      201 cycles for every step of the schedule: too few loads may be outstanding",
        ),
    ] {
        let (_folder, machine) = written(&format!("[memory]\nlatency = 200\n{lines}\n"));
        let text = good(&[&WEIGHTS[..], &["--machine", &machine]].concat());
        assert!(text.contains(&format!("simulate  {cycles} cycles (as predicted)")) && text.contains(said), "{text}");
        assert!(text.contains("11 of 11 proved"), "{text}");
    }
}

/// A program says for which latency it asks ahead, and runs so without a machine file. Where a number is smaller than was proved it is
/// late, and a program that says nothing asks for nothing ahead.
#[test]
fn a_program_keeps_what_was_proved() {
    let (folder, machine) = written("[memory]\nlatency = 20\n");
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (kept, few, plain) = (file("kept.pe"), file("few.pe"), file("plain.pe"));
    let emit = ["emit", WEIGHTS[1], WEIGHTS[2], WEIGHTS[3], "-o"];
    good(&[&emit[..], &[&kept, "--machine", &machine]].concat());
    good(&[&emit[..], &[&plain]].concat());
    let text = std::fs::read_to_string(&kept).unwrap();
    let said = " (loads (latency 20) (outstanding 21))";
    assert!(text.contains(&format!("(array B in (K N){said})")), "{text}");
    let without = |text: &str| text.lines().filter(|line| !line.contains("(digest")).collect::<Vec<_>>().join("\n");
    assert_eq!(without(&text.replace(said, "")), without(&std::fs::read_to_string(&plain).unwrap()));
    std::fs::write(&few, text.replace("outstanding 21", "outstanding 4")).unwrap();
    let run = |program: &str, machine: &[&str]| {
        let ran = systole(&[&["sim", program, "--size", WEIGHTS[5], "--json"], machine].concat());
        assert_eq!(ran.stderr.contains("is not the text that was proved"), program == few);
        number(&object(&ran.stdout)["cycles"])
    };
    let slow = ["--machine", &machine];
    assert_eq!([run(&kept, &[]), run(&kept, &slow), run(&plain, &[]), run(&plain, &slow)], [98, 98, 78, 78 * 21]);
    assert!(run(&few, &[]) > 98);
    // Threads have no clocks, and take words as they come.
    good(&["exec", &kept, "--size", WEIGHTS[5], "--threads", "2"]);
}

/// Where memory takes no time nothing is asked for ahead: programs have the bytes that they had.
#[test]
fn without_latency_programs_are_as_they_were() {
    let (_folder, machine) = written("[memory]\noutstanding = 4\n");
    for schedule in ["cannon", "weight-stationary", "summa"] {
        let emit = ["emit", "kernels/matmul.rec", "--schedule", schedule];
        let plain = good(&emit);
        assert_eq!(good(&[&emit[..], &["--machine", &machine]].concat()), plain);
        assert!(!plain.contains("(loads"));
    }
}

/// Rounds of a divided product, a folded array, tiles, and other links.
#[test]
fn divided_and_tiled_kernels_wait_once() {
    for (kernel, flags, lines) in [
        ("matmul", &["--size", "M=6,N=6,K=6"][..], "[grid]\nextent = [3, 3]"),
        ("matmul", &["--size", "M=6,N=6,K=6"], "[link]\nlatency = 2\nresponse = 3"),
        ("matmul", &["--size", "M=6,N=6,K=6", "--tile", "i=2,j=2,k=3"], ""),
        ("matvec", &["--size", "M=6,N=6", "--fold", "2"], ""),
        ("trisolve", &["--size", "N=9"], "[grid]\nextent = [3]"),
        ("cholesky", &["--size", "N=8", "--tile", "i=2,j=2,k=2"], ""),
    ] {
        for memory in ["latency = 40", "latency = 40\noutstanding = 3"] {
            let (_folder, machine) = written(&format!("{lines}\n[memory]\n{memory}\n"));
            let path = format!("kernels/{kernel}.rec");
            let found = json(&[&["run", &path, "--machine", &machine], flags].concat());
            let about = format!("{kernel} {flags:?} {lines} {memory}");
            assert_eq!(found["sim"]["matches_reference"], true, "{about}");
            assert_eq!(found["sim"].get("missed"), None, "{about}");
            let step = found["sim"]["step"].as_u64();
            assert!(memory.contains("outstanding") || step.is_none(), "{about}");
        }
    }
}

/// A sweep of what may be outstanding: a row a number, each as predicted.
#[test]
fn what_may_be_outstanding_can_be_swept() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let (_machine, machine) = written("[memory]\nlatency = 11\n");
    let sweep =
        ["explore", "kernels/matmul.rec", "--schedule", "cannon", "--size", "M=3,N=3,K=3", "--machine", &machine];
    good(&[&sweep[..], &["--sweep", "memory.outstanding=1,2,4,12", "--out", out]].concat());
    let text = std::fs::read_to_string(folder.path().join("points.csv")).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let cycles: Vec<(&str, &str)> = rows.iter().map(|row| (row[1], row[2])).collect();
    assert_eq!(cycles, [("84", "84"), ("48", "48"), ("30", "30"), ("18", "18")]);
}
