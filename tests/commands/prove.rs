//! `systole prove`: proved, refuted, unknown, and the queries as a file.

use super::start::{good, misused, refused, systole, written};

#[test]
fn a_right_schedule_is_proved() {
    let text = good(&["prove", "kernels/matmul.rec", "--schedule", "cannon"]);
    assert_eq!(text.lines().filter(|line| line.contains(" proved ")).count(), 13, "{text}");
    assert!(!text.contains("refuted") && !text.contains("unknown"), "{text}");
}

#[test]
fn a_wrong_schedule_is_refuted_with_both_sides_and_the_smallest_case() {
    let message = refused(&["prove", "kernels/matmul.rec", "--schedule", "too-fast"]);
    for part in
        ["available at", "needed at", "smallest case M = 1, N = 2, K = 1: point (0, 1, 0)", "kernels/matmul.rec:43"]
    {
        assert!(message.contains(part), "no `{part}` in {message}");
    }
}

#[test]
fn a_channel_that_is_too_shallow_is_refuted_and_a_deep_one_is_not() {
    let claim = |depth| ["prove", "kernels/matmul.rec", "--schedule", "cannon", "--depth", depth];
    assert!(refused(&claim("1")).contains("refuted"));
    assert!(good(&claim("2")).contains("fifo-depth"));
}

/// Memory takes 200 cycles and a word of `B` is loaded in each step: 201 loads hide that, and 200 do not.
#[test]
fn too_few_loads_are_refuted_and_enough_are_not() {
    let (_folder, machine) = written("[memory]\nlatency = 200\n");
    let asked = ["prove", "kernels/matmul.rec", "--schedule", "weight-stationary", "--machine", &machine];
    let claim = |loads| [&asked[..], &["--outstanding", loads]].concat();
    let message = refused(&claim("200"));
    for part in
        ["200 loads of `B` outstanding cannot hide the latency of memory", "smallest case", "201 loads are enough"]
    {
        assert!(message.contains(part), "no `{part}` in {message}");
    }
    assert!(good(&claim("201")).contains("load-depth      B        proved"));
    assert!(good(&asked).contains("load-depth      B        proved"));
    assert!(misused(&claim("0")).contains("--outstanding"));
    // Without latency nothing is asked for ahead.
    assert!(!good(&[&asked[..4], &["--outstanding", "1"]].concat()).contains("load-depth"));
}

/// The same between spaces: the diagonal word of an alignment waits for two steps, so its handoff needs three slots.
#[test]
fn so_is_a_handoff() {
    let claim = |depth| ["prove", "kernels/smith_waterman.rec", "--schedule", "row", "--depth", depth];
    let message = refused(&claim("2"));
    assert!(message.contains("a channel of depth 2 is too small") && message.contains("smallest case"), "{message}");
    assert!(good(&claim("3")).contains("fifo-depth"));
    assert!(refused(&claim("65")).contains("needs a FIFO of depth 65, and no more than 64 is proved"));
}

#[test]
fn no_time_for_the_solver_is_code_3() {
    for command in ["prove", "run", "emit"] {
        let ran =
            systole(&[command, "kernels/matmul.rec", "--schedule", "cannon", "--size", "M=2,N=2,K=2", "--limit", "0"]);
        assert_eq!(ran.code, 3, "{command}: {}", ran.stderr);
        assert!(ran.stderr.contains("did not decide"), "{command}: {}", ran.stderr);
    }
}

#[test]
fn the_queries_are_written_for_other_solvers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cannon.smt2");
    good(&["prove", "kernels/matmul.rec", "--schedule", "cannon", "--dump-smt", path.to_str().unwrap()]);
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches("(check-sat)").count(), 13);
}

/// Whoever runs which PE: nine more proofs, for each way to distribute PEs.
#[test]
fn so_are_the_workers_that_pes_are_distributed_out_to() {
    for distribution in ["block", "cyclic", "block-cyclic:3"] {
        let text = good(&["prove", "kernels/matmul.rec", "--schedule", "cannon", "--distribution", distribution]);
        assert_eq!(text.lines().filter(|line| line.contains(" proved ")).count(), 20, "{text}");
        let along = text.contains("owner-cover, owner-apart for 1 to 16 workers along an axis, a case each");
        assert_eq!(along, distribution == "block", "{text}");
        assert!(text.contains("owner-number             for 1 to 16 workers in a row of their grid, a case each"));
        for part in ["element-cover", "element-apart", "owner-cover", "owner-apart", "owner-number", "no-deadlock"] {
            assert!(text.contains(part), "no `{part}` in {text}");
        }
    }
    let message = misused(&["prove", "kernels/matmul.rec", "--schedule", "cannon", "--distribution", "block-cyclic:0"]);
    assert!(message.contains("no number of PEs to distribute"), "{message}");
}

/// Two more of the words of a layout, which no run is without.
#[test]
fn so_are_the_homes_of_words() {
    let cannon = ["prove", "kernels/matmul.rec", "--schedule", "cannon"];
    for layout in ["block", "cyclic", "block-cyclic:8"] {
        let text = good(&[&cannon[..], &["--distribution", "cyclic", "--layout", layout]].concat());
        assert_eq!(text.lines().filter(|line| line.contains(" proved ")).count(), 22, "{text}");
        let of_words = text.lines().filter(|line| line.contains("owner-") && line.contains(" words "));
        assert_eq!(of_words.count(), 2, "{text}");
        assert_eq!(text.contains("workers along an axis, a case each"), layout == "block", "{text}");
    }
    let message = misused(&[&cannon[..], &["--distribution", "cyclic", "--layout", "block-cyclic:0"]].concat());
    assert!(message.contains("no number of words to distribute"), "{message}");
    let text = good(&[&cannon[..], &["--layout", "cyclic"]].concat());
    assert!(text.contains("workers along an axis, a case each"), "PEs are distributed in blocks then: {text}");
}

/// A schedule that says who runs what, and where arrays are, is proved with it; flags come first.
#[test]
fn so_is_what_a_schedule_deals_out() {
    let stated = |flags: &[&str]| {
        let text = good(&[&["prove", "kernels/cholesky.rec", "--schedule", "block-cyclic"], flags].concat());
        let proved = text.lines().filter(|line| line.contains("owner-") && line.contains(" proved "));
        let words = proved.map(|line| line.split_whitespace().take(2).map(str::to_owned).collect::<Vec<_>>().join(" "));
        (words.collect::<Vec<_>>(), text.contains("along an axis, a case each"))
    };
    let all = ["owner-cover PEs", "owner-apart PEs", "owner-cover words", "owner-apart words", "owner-number workers"];
    assert_eq!(stated(&[]), (all.map(str::to_owned).to_vec(), false));
    for flags in [["--distribution", "block"], ["--layout", "block"]] {
        assert_eq!(stated(&flags), (all.map(str::to_owned).to_vec(), true), "{flags:?}");
    }
}

/// Without workers nothing is said of it; with them of each channel twice, of its words and of their room.
#[test]
fn so_is_that_no_run_deadlocks() {
    let stated = |flags: &[&str]| {
        let text = systole(&[&["prove", "kernels/matmul.rec"], flags].concat()).stdout;
        let lines = text.lines().filter(|line| line.contains("no-deadlock"));
        lines.map(|line| line.split_whitespace().skip(1).take(2).collect::<Vec<_>>().join(" ")).collect::<Vec<_>>()
    };
    let proved = ["A proved", "A proved", "B proved", "B proved"];
    assert_eq!(stated(&["--schedule", "cannon"]), [""; 0]);
    assert_eq!(stated(&["--schedule", "cannon", "--distribution", "block"]), proved);
    // One slot is enough to run, though not for the cycles that are predicted.
    assert_eq!(stated(&["--schedule", "cannon", "--distribution", "block", "--depth", "1"]), proved);
    let none = ["A proved", "A refuted", "B proved", "B refuted"];
    assert_eq!(stated(&["--schedule", "cannon", "--distribution", "block", "--depth", "0"]), none);
    let wrong = ["prove", "kernels/matmul.rec", "--schedule", "too-fast", "--distribution", "cyclic"];
    let message = refused(&wrong);
    for part in ["a word of `A` is taken no later than it is given", "given at  t = i + k", "taken at  t = i + k"] {
        assert!(message.contains(part), "no `{part}` in {message}");
    }
}

/// A design at fault may have no program; what that would store is owed all the same and is told as unknown, in words and for programs. A
/// design with a program has it proved.
#[test]
fn so_is_what_is_stored_or_it_is_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("matmul.rec");
    let text = std::fs::read_to_string("kernels/matmul.rec").unwrap();
    let schedules = "schedule met\nplace (i, j)   time i + j\nschedule apart\nplace (i, j)   time i + j + k\n";
    std::fs::write(&path, format!("{text}\n{schedules}")).unwrap();
    let stores = |schedule: &str, code: i32, result: &str| {
        let ran = systole(&["prove", path.to_str().unwrap(), "--schedule", schedule]);
        assert_eq!(ran.code, code, "{}", ran.stderr);
        assert!(!ran.stderr.contains("is not stated"), "what is refuted is to be mended first: {}", ran.stderr);
        for kind in ["element-cover", "element-apart"] {
            let line = ran.stdout.lines().find(|line| line.trim_start().starts_with(kind)).expect(kind);
            assert!(line.contains(&format!("C        {result}")), "{line}");
        }
        ran.stdout
    };
    assert!(stores("met", 1, "unknown").contains("no program can be written for `matmul`"));
    stores("apart", 0, "proved");
}
