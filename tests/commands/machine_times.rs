//! Operations and memories that take time: what is predicted is what is simulated, and sweeps and traces go with it.

use super::start::{good, json, written};

/// Cycles of a step and of the run, which are so many times those of the search, after those before the first step; `schedule` may
/// be empty.
fn run(kernel: &str, schedule: &str, sizes: &str, machine: &str) -> (u64, u64) {
    run_text(&format!("kernels/{kernel}.rec"), schedule, sizes, machine)
}

/// [`run`] for the file of a kernel.
fn run_text(kernel: &str, schedule: &str, sizes: &str, machine: &str) -> (u64, u64) {
    let (_folder, path) = written(machine);
    let mut words = vec!["run", kernel, "--size", sizes, "--machine", &path];
    words.extend(if schedule.is_empty() { vec![] } else { vec!["--schedule", schedule] });
    let found = json(&words);
    assert_eq!(found["sim"]["matches_reference"], true);
    let number = |value: &serde_json::Value| value.as_u64().unwrap();
    let (step, cycles) = (found["sim"]["step"].as_u64().unwrap_or(1), number(&found["sim"]["cycles"]));
    let lead = found["sim"]["lead"].as_u64().unwrap_or(0);
    assert_eq!(cycles, lead + step * number(&found["search"]["front"][0]["cycles"]), "{kernel} {schedule} {machine}");
    assert_eq!(number(&found["sim"]["stall"]), 0);
    (step, cycles)
}

#[test]
fn slow_operations_are_predicted() {
    let slow =
        "[operation]\nmul = { latency = 4 }\nadd = { latency = 2 }\nsub = { latency = 2 }\ndiv = { latency = 9 }\n";
    for (schedule, size, steps) in [
        ("cannon", "M=3,N=4,K=5", 10),
        ("weight-stationary", "M=3,N=4,K=5", 10),
        ("summa", "M=3,N=4,K=5", 5),
        ("pumma", "M=3,N=4,K=5", 8),
    ] {
        assert_eq!(run("matmul", schedule, size, slow), (5, 5 * steps), "{schedule}");
        assert_eq!(run("matmul", schedule, size, "[operation.div]\nlatency = 9\n"), (1, steps), "{schedule}");
    }
    let slow_links = format!("[link]\nlatency = 3\n{slow}");
    run("matmul", "", "M=3,N=4,K=5", &slow_links);
    assert!(run("trisolve", "", "N=5", slow).0 > 5);
    let of_factor = format!("{slow}sqrt = {{ latency = 12, interval = 20 }}\n");
    assert_eq!(run("cholesky", "grid", "N=5", &of_factor).0, 20);
}

/// On buses too: a listener hears later in the step of the drive, which has as many cycles.
#[test]
fn memory_that_takes_time_is_predicted() {
    // The first PE loads a word of `A` and one of `B` in a step.
    for (schedule, size, steps, port) in [("cannon", "M=3,N=4,K=5", 10, 2), ("summa", "M=3,N=4,K=5", 5, 2)] {
        assert_eq!(run("matmul", schedule, size, "[memory]\nlatency = 3\n"), (1, 3 + steps), "{schedule}");
        let one = "[memory]\nlatency = 3\noutstanding = 1\n";
        assert_eq!(run("matmul", schedule, size, one), (4, 4 * steps), "{schedule}");
        assert_eq!(run("matmul", schedule, size, "[memory]\nwords = 1\n"), (port, port * steps), "{schedule}");
        run("matmul", schedule, size, "[memory]\nwords = 0.5\nlatency = 1\n[operation.mul]\nlatency = 3\n");
    }
}

/// What is fed to a bus is loaded in the step in which it is heard, so where it is not asked for ahead a listener's step is that
/// load and all of its own work: the first PE has no sum, the others load nothing.
#[test]
fn a_word_from_memory_takes_its_time_over_a_bus() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dot.rec");
    let schedules =
        "schedule fed\nplace (i)   time i   broadcast A   prefetch B\nschedule ports\nplace (i)   time i   prefetch B";
    std::fs::write(&path, format!("kernel dot(N)\nin A[N], B[N]\nout y\ny = sum(i) A[i] * B[i]\n{schedules}\n"))
        .unwrap();
    let path = path.to_str().unwrap();
    let slow = "[memory]\nlatency = 3\n[operation]\nmul = { latency = 4 }\nadd = { latency = 2 }\n";
    let one = slow.replace("latency = 3", "latency = 3\noutstanding = 1");
    for schedule in ["fed", "ports"] {
        assert_eq!(run_text(path, schedule, "N=6", slow), (3 + 1 + 1, 3 + 6 * 5), "{schedule}");
        // A word that is fed ends no step, so it counts with the next one.
        let step = if schedule == "fed" { 9 } else { 5 };
        assert_eq!(run_text(path, schedule, "N=6", &one), (step, 3 + 6 * step), "{schedule}");
    }
    for machine in ["[memory]\nlatency = 3\n", "[memory]\nwords = 0.5\nlatency = 2\n", slow] {
        run("trisolve", "broadcast-b", "N=7", machine);
    }
}

/// A sweep of a latency: a row a value, each as predicted.
#[test]
fn the_time_of_an_operation_can_be_swept() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = ["explore", "kernels/matmul.rec", "--schedule", "cannon", "--size", "M=3,N=3,K=3", "--sweep"];
    good(&[&sweep[..], &["operation.mul.latency=1..4", "--out", folder.path().to_str().unwrap()]].concat());
    let text = std::fs::read_to_string(folder.path().join("points.csv")).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let cycles: Vec<(&str, &str)> = rows.iter().map(|row| (row[1], row[2])).collect();
    assert_eq!(cycles, [("7", "7"), ("14", "14"), ("21", "21"), ("28", "28")]);
}

const PORT: &str = "[memory]\nwords = 1\n";

/// Elements that the equations know are there before the run, so ports of one word a cycle delay nobody: of triangles of zeros, and
/// of the borders of an alignment.
#[test]
fn known_elements_pass_no_port() {
    let (_folder, machine) = written(PORT);
    for (kernel, schedule, size) in [
        ("cholesky", "grid", "N=6"),
        ("lu", "grid", "N=5"),
        ("triangular_inverse", "grid", "N=5"),
        ("edit_distance", "row", "M=4,N=5"),
    ] {
        let path = format!("kernels/{kernel}.rec");
        let run = ["run", &path, "--schedule", schedule, "--size", size, "--machine", &machine];
        let text = good(&run);
        assert!(text.contains("cycles (as predicted)"), "{kernel}: {text}");
        assert_eq!(json(&run)["sim"].get("missed"), None, "{kernel}");
    }
}

/// With one slot where two were proved, or half a word a cycle, the line says who waited and for what, and the JSON has every
/// wait; as many cycles as the run is late.
#[test]
fn a_prediction_that_is_missed_says_what_was_waited_for() {
    for (kernel, schedule, size, lines, kind, words) in [
        ("cholesky", "grid", "N=6", "[link]\ncapacity = 1\n", "slot", "cycles for slots of `L"),
        ("lu", "grid", "N=5", "[link]\ncapacity = 1\n", "slot", "cycles for slots of `"),
        (
            "matmul",
            "cannon",
            "M=4,N=4,K=4",
            "[link]\ncapacity = 1\n",
            "slot",
            "10: 3 more, PE (0, 0) waited 3 cycles for slots of `A-link`)",
        ),
        (
            "matmul",
            "cannon",
            "M=4,N=4,K=4",
            "[link]\nbandwidth = 0.5\n",
            "bandwidth",
            "3 cycles for the bandwidth of `A-link`)",
        ),
    ] {
        let (_folder, machine) = written(lines);
        let path = format!("kernels/{kernel}.rec");
        let run = ["run", &path, "--schedule", schedule, "--size", size];
        let missed = [&run[..], &["--machine", &machine]].concat();
        let text = good(&missed);
        assert!(text.contains(" more, PE (") && text.contains(words), "{kernel}: {text}");
        let found = json(&missed);
        let missed = &found["sim"]["missed"];
        let late = missed["cycles"].as_u64().unwrap() - missed["predicted"].as_u64().unwrap();
        assert_eq!(found["sim"]["cycles"], missed["cycles"]);
        let waits = missed["waits"].as_array().expect("waits");
        assert_eq!(waits.iter().map(|wait| wait["cycles"].as_u64().unwrap()).sum::<u64>(), late, "{kernel}");
        assert!(waits.iter().all(|wait| wait["for"] == kind && wait["channel"].is_string()), "{missed}");
        assert!(good(&run).contains("cycles (as predicted)"), "{kernel}");
        assert_eq!(json(&run)["sim"].get("missed"), None, "{kernel}");
    }
}

/// A row of an exploration says it too, and one that is as predicted does not.
#[test]
fn a_row_that_misses_its_prediction_says_why() {
    let sweep = ["explore", "kernels/matmul.rec", "--schedule", "cannon", "--size", "M=4,N=4,K=4", "--sweep"];
    let sweep = [&sweep[..], &["link.capacity=1,2"]].concat();
    let points = json(&sweep)["points"].clone();
    assert_eq!(points[0]["missed"], "3 more, PE (0, 0) waited 3 cycles for slots of `A-link`");
    assert_eq!(points[1].get("missed"), None);
    let text = good(&sweep);
    assert_eq!(text.matches("(3 more, PE (0, 0) waited").count(), 1, "{text}");
}
