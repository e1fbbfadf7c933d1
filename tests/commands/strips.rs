//! Indices in strips at the command line: schedules that divide, arrays smaller than their kernel, and what is refuted.

use super::start::{good, json, refused, written};

const PRODUCT: &str = "kernel product(M, N, K)
in A[M, K], B[K, N]
out C[M, N]
C[i, j] = sum(k in 0..K) A[i, k] * B[k, j]
";

const SMALL: &str = "[grid]\nnetwork = \"wire\"\nextent = [3, 4]\n";

fn scheduled(lines: &str) -> String {
    format!("{PRODUCT}\nschedule s\n{lines}\n")
}

const BLOCKS: &str =
    "place (i mod 4, j mod 4)   time (i div 4, j div 4, i + j + k)\nstream A along j   stream B along i";

/// A folder with a kernel in it, and the path of the kernel.
fn kernel(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.rec").to_str().unwrap().to_owned();
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

#[test]
fn a_schedule_in_strips_is_proved_for_all_sizes_and_right_at_ragged_ones() {
    let (_folder, path) = kernel(&scheduled(BLOCKS));
    for (sizes, cycles) in [("M=7,N=6,K=5", 23), ("M=4,N=4,K=1", 7), ("M=1,N=1,K=1", 1), ("M=9,N=2,K=3", 10)] {
        let ran = json(&["run", &path, "--schedule", "s", "--size", sizes]);
        assert_eq!((&ran["prove"]["result"], &ran["sim"]["matches_reference"]), (&"proved".into(), &true.into()));
        assert_eq!((&ran["sim"]["cycles"], &ran["search"]["front"][0]["cycles"]), (&cycles.into(), &cycles.into()));
        assert_eq!(ran["search"]["strips"], serde_json::json!({ "i": 4, "j": 4 }), "{sizes}");
        assert_eq!(ran["unstated"], serde_json::json!([]), "each element is stored once, which is proved");
    }
}

/// The twins: a strip whose number is in no time, two strips in one round, and a stream that leads out of its strip.
#[test]
fn strips_that_share_a_step_are_refuted() {
    let without = |line: &str, other: &str| kernel(&scheduled(&BLOCKS.replace(line, other)));
    for (line, other, part) in [
        ("(i div 4, j div 4, i + j + k)", "(i div 4, (i mod 4) + (j mod 4) + k)", "PE"),
        ("(i div 4, j div 4, i + j + k)", "((i div 4) + (j div 4), (i mod 4) + (j mod 4) + k)", "PE"),
        ("stream A along j ", "stream A along j div 4 ", "register is too small for `A`"),
    ] {
        let (_folder, path) = without(line, other);
        let said = refused(&["prove", &path, "--schedule", "s"]);
        assert!(said.contains(part) && said.contains("smallest case"), "{other}\n{said}");
    }
}

/// What a machine asks for is what a schedule may say, and the bound is that of its PEs.
#[test]
fn a_kernel_larger_than_its_array_is_divided() {
    let ((_folder, path), (_machines, machine)) = (kernel(PRODUCT), written(SMALL));
    let search =
        |more: &[&str]| json(&[&["search", &path, "--size", "M=10,N=9,K=6", "--machine", &machine], more].concat());
    let found = search(&[]);
    let sides: Vec<i64> = ["i", "j"].iter().map(|index| found["strips"][index].as_i64().unwrap()).collect();
    assert!(sides == [3, 4] || sides == [4, 3], "{sides:?}");
    assert_eq!((&found["bound"]["pes"], &found["bound"]["operations"]), (&12.into(), &540.into()));
    let best = &found["front"][found["winner"].as_u64().unwrap() as usize];
    assert_eq!(best["pes"], 12);
    let share = found["bound"]["share"].as_f64().unwrap();
    assert!((share - 45.0 / best["cycles"].as_f64().unwrap()).abs() < 1e-9, "{share}");
    // Counted, so no number of threads and no time decides.
    let front = |threads: &str| search(&["--threads", threads])["front"].clone();
    assert_eq!(front("1"), front("2"));
    // The fewest PEs are one, which needs no strips; all legal designs are those of the whole.
    assert!(search(&["--objective", "pes"]).get("strips").is_none());
    assert!(search(&["--all"]).get("strips").is_none());
}

/// One program for all sizes of the kernel, by cycles and on threads.
#[test]
fn a_program_for_one_array_runs_at_all_sizes() {
    let ((folder, path), (_machines, machine)) = (kernel(PRODUCT), written(SMALL));
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let program = file("p.pe");
    good(&["emit", &path, "--size", "M=10,N=9,K=6", "--machine", &machine, "-o", &program]);
    for sizes in ["M=1,N=1,K=1", "M=2,N=7,K=4", "M=13,N=13,K=2", "M=3,N=4,K=5"] {
        let [simulated, threads] = ["sim.npy", "threads.npy"].map(file);
        let output = |path: &str| format!("C={path}");
        good(&["sim", &program, "--size", sizes, "--output", &output(&simulated)]);
        good(&["exec", &program, "--size", sizes, "--threads", "3", "--output", &output(&threads)]);
        assert_eq!(std::fs::read(&simulated).unwrap(), std::fs::read(&threads).unwrap(), "{sizes}");
    }
}

/// What is written reads back; a design that says something else is refuted.
#[test]
fn a_design_in_strips_is_a_file() {
    let (folder, path) = kernel(&scheduled(BLOCKS));
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [design, again, wrong] = ["x.design", "again.design", "wrong.design"].map(file);
    good(&["emit", &path, "--schedule", "s", "--stop-after", "design", "-o", &design]);
    good(&["emit", &design, "--stop-after", "design", "-o", &again]);
    let text = std::fs::read_to_string(&design).unwrap();
    assert_eq!(text, std::fs::read_to_string(&again).unwrap());
    good(&["prove", &design]);
    let spaces = file("x.spaces");
    good(&["emit", &path, "--schedule", "s", "--stop-after", "spaces", "-o", &spaces]);
    assert!(std::fs::read_to_string(&spaces).unwrap().starts_with(&text));
    assert!(good(&["check", &spaces]).contains(" lines, all as the kernel gives them"));
    let changed = text.replace("time (i div 4, j div 4, ", "time (i div 4, i div 4, ");
    assert_ne!(changed, text);
    std::fs::write(&wrong, changed).unwrap();
    assert!(refused(&["prove", &wrong]).contains("smallest case"));
}

/// Sums of strips, and a sum of these: the weights stay, whatever the sizes are. Results are those of that order.
#[test]
fn what_is_reduced_over_is_divided_as_well() {
    let (folder, path) = kernel(&scheduled("place (k mod 4, j mod 4)   memory C.k"));
    let program = folder.path().join("k.pe").display().to_string();
    let ran = json(&["run", &path, "--schedule", "s", "--size", "M=5,N=6,K=7", "--program", &program]);
    assert_eq!((&ran["prove"]["result"], &ran["sim"]["matches_reference"]), (&"proved".into(), &true.into()));
    assert_eq!(ran["search"]["strips"], serde_json::json!({ "j": 4, "k": 4 }));
    for sizes in ["M=2,N=4,K=8", "M=1,N=1,K=1"] {
        let ran = json(&["sim", &program, "--reference", &path, "--size", sizes]);
        assert_eq!(ran["matches_reference"], true, "{sizes}");
    }
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [design, again] = ["x.design", "again.design"].map(file);
    good(&["emit", &path, "--schedule", "s", "--stop-after", "design", "-o", &design]);
    good(&["emit", &design, "--stop-after", "design", "-o", &again]);
    let text = std::fs::read_to_string(&design).unwrap();
    assert_eq!(text, std::fs::read_to_string(&again).unwrap());
    assert!(text.contains("split sum(k) as sum(k div 4) sum(k mod 4)"), "{text}");
    good(&["prove", &design]);
    // A PE may keep what it computed itself, and not, the twin, what another computed.
    let (_folder, path) = kernel(&scheduled("place (k mod 4, j mod 4)   local C.k"));
    good(&["emit", &path, "--schedule", "s", "--stop-after", "design", "-o", &design]);
    good(&["prove", &design]);
    let kept = std::fs::read_to_string(&design).unwrap();
    let elsewhere = kept.replace("place (0, j mod 4)", "place (1, j mod 4)");
    assert!(elsewhere != kept && kept.contains("local C.k"), "{kept}");
    std::fs::write(&design, elsewhere).unwrap();
    let said = refused(&["prove", &design]);
    assert!(said.contains("`C.k` cannot be kept for `C.sum`"), "{said}");
}

/// Kernels with few points in their first round, where a skew would leave the array without work, and PEs folded that are but one.
#[test]
fn as_many_cycles_are_run_as_were_predicted() {
    let triangle = "kernel t(N)\nin A[N]\nout P[N]\nP[i] = sum(j in 0..i + 1) A[j]\n\
                    schedule s\nplace (i mod 2)   time (i div 2, i - j)\n";
    let lower = "kernel low(N)\nin A[N, N, N]\nout C[N, N]\nC[i, j] = sum(k in 0..N) A[i, j, k] where j <= i\n\
                 C[i, j] = 0 where j > i\nschedule s\nplace (j)   time (i, k - j)\n";
    let one = "kernel one(N)\nin A[N, N]\nout C[N, N]\nC[i, j] = A[i, j] + 1\nschedule s\nplace ()   time (j, i)\n";
    let bus = one.replace("time (j, i)", "time (j, i)\nbroadcast A");
    let (_machines, slow) = written("[link]\nresponse = 3\n");
    for (text, more) in
        [(triangle, &[][..]), (lower, &[]), (one, &["--fold", "2"]), (&*bus, &[]), (lower, &["--latency", "3"])]
    {
        let (_folder, path) = kernel(text);
        for (size, machine) in [("N=1", None), ("N=2", Some(&slow)), ("N=5", None), ("N=6", Some(&slow))] {
            let mut arguments = vec!["run", &path, "--schedule", "s", "--size", size];
            arguments.extend(more.iter().copied());
            if let Some(machine) = machine {
                arguments.extend(["--machine", machine]);
            }
            let ran = json(&arguments);
            let winner = &ran["search"]["front"][ran["search"]["winner"].as_u64().unwrap() as usize];
            assert_eq!(ran["sim"]["cycles"], winner["cycles"], "{arguments:?}\n{text}");
            assert_eq!((&ran["sim"]["stall"], &ran["sim"]["matches_reference"]), (&0.into(), &true.into()));
        }
    }
}
