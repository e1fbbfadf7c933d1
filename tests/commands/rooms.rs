//! Rooms of what PEs keep: from the schedule or the machine to programs, and what runs say of programs that break their claims.

use super::start::{good, json, object, refused, systole, written};
use std::fs;

const MIRROR: &str = "\
kernel mirror(T, N)
in  A[N]
out Y[N]
local X[T + 1, N]
X[0, i] = A[i]
X[t, i] = X[t - 1, i] + X[t - 1, N - 1 - i] where t >= 1
Y[i] = X[T, i]

schedule whole
place ()   local X

schedule two-rows
place ()   local X   room X (2, _)

schedule one-row
place ()   local X   room X (1, _)
";

const SIZE: &str = "T=5,N=4";

/// A folder with the kernel, and a program of one of its schedules.
fn emitted(schedule: &str, flags: &[&str]) -> (tempfile::TempDir, String, String) {
    let (folder, kernel) = kernel();
    let program = folder.path().join("mirror.pe").to_string_lossy().into_owned();
    good(&[&["emit", &kernel, "--schedule", schedule, "--size", SIZE, "-o", &program], flags].concat());
    (folder, kernel, program)
}

fn kernel() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let kernel = folder.path().join("mirror.rec").to_string_lossy().into_owned();
    fs::write(&kernel, MIRROR).expect("written");
    (folder, kernel)
}

fn edit(program: &str, from: &str, to: &str) {
    let text = fs::read_to_string(program).expect("a program");
    assert!(text.contains(from), "{text}");
    fs::write(program, text.replacen(from, to, 1)).expect("written");
}

#[test]
fn a_schedule_gives_what_is_kept_two_rows() {
    let (_folder, kernel, program) = emitted("two-rows", &[]);
    let text = fs::read_to_string(&program).expect("a program");
    assert!(text.contains("(scratchpad X-kept ((+ T 1) N) (room 2 N))"), "{text}");
    let ran = json(&["run", &kernel, "--schedule", "two-rows", "--size", SIZE]);
    assert_eq!((&ran["prove"]["result"], &ran["sim"]["matches_reference"]), (&"proved".into(), &true.into()));
    for threads in ["1", "3"] {
        let ran = good(&["exec", &program, "--size", SIZE, "--threads", threads, "--reference", &kernel]);
        assert!(ran.contains("bit for bit"), "{ran}");
    }
}

/// The twin, as a schedule: refuted with the smallest case, at the line of the room.
#[test]
fn one_row_is_refuted() {
    let (_folder, kernel) = kernel();
    let message = refused(&["prove", &kernel, "--schedule", "one-row"]);
    for said in [
        "refuted: a room of (1, _) is too small for `X`",
        "smallest case T = 1, N = 2: points (1, 1) and (1, 0), u1 = 1",
        "place ()   local X   room X (1, _)",
        "keeps X[t',i'] in the word of X[t-1,N-i-1], which is still to be read",
    ] {
        assert!(message.contains(said), "{message}");
    }
}

/// The twin, as a program: no back end reads on with another element's value.
#[test]
fn a_program_with_a_row_too_few_is_stopped() {
    let (_folder, _, program) = emitted("two-rows", &[]);
    edit(&program, "(room 2 N)", "(room 1 N)");
    let said = "recalls `X-kept(0, 1)` from its scratchpad, where the word holds `X-kept(1, 1)`";
    let message = refused(&["sim", &program, "--size", SIZE]);
    assert!(message.contains(said) && message.contains("PE ()") && message.contains("clock 6"), "{message}");
    let message = refused(&["exec", &program, "--size", SIZE, "--threads", "2"]);
    assert!(message.contains(said), "{message}");
}

#[test]
fn a_room_that_cannot_be_is_refused() {
    let (_folder, kernel) = kernel();
    for (lines, said) in [
        ("local X   room X (0, _)", "a room of `0` is not a whole number from 1"),
        ("local X   room X (1.5, _)", "a room of `1.5` is not a whole number from 1"),
        ("local X   room X (2, _)   room X (3, _)", "schedule `wrong` fixes the room of `X` twice"),
        ("room X (2, _)", "`X` has a room, and no PE keeps it"),
        ("memory X   room X (2, _)", "say `local X` too, or leave the line out"),
        ("local X   room A (2)", "`A` has a room, and no PE keeps it"),
        ("local X   room X (2)", "`X` has 2 dimensions, and room for 1"),
        ("local X   room X (N, _)", "expected"),
        ("local X   room Z (2)", "`Z`"),
    ] {
        fs::write(&kernel, format!("{MIRROR}\nschedule wrong\nplace ()   {lines}\n")).expect("written");
        let message = refused(&["search", &kernel, "--schedule", "wrong"]);
        assert!(message.contains(said), "{lines}: {message}");
    }
}

/// Nothing is folded that has words enough; what has not is folded as far as is proved, and else told what it takes.
#[test]
fn few_words_of_a_machine_are_shared() {
    let words = |count: u64| written(&format!("[pe]\nwords = {count}\n"));
    let enough = words(24);
    let (_folder, _, program) = emitted("whole", &["--machine", &enough.1]);
    let text = fs::read_to_string(&program).expect("a program");
    assert!(text.contains("(scratchpad X-kept ((+ T 1) N))"), "{text}");
    let few = words(8);
    let (_folder, kernel, program) = emitted("whole", &["--machine", &few.1]);
    let text = fs::read_to_string(&program).expect("a program");
    assert!(text.contains("(scratchpad X-kept ((+ T 1) N) (room 2 N))"), "{text}");
    let ran = json(&["run", &kernel, "--schedule", "whole", "--size", SIZE, "--machine", &few.1]);
    assert_eq!((&ran["prove"]["result"], &ran["sim"]["matches_reference"]), (&"proved".into(), &true.into()));
    let fewer = words(7);
    let ran = systole(&["run", &kernel, "--schedule", "whole", "--size", SIZE, "--machine", &fewer.1, "--json"]);
    let refusal = &object(&ran.stdout)["refusal"];
    assert_eq!((&refusal["kind"], &refusal["takes"][0]), (&"machine".into(), &"8 words of local memory a PE".into()));
    // A text that is run as it is: its scratchpads are held against the machine too.
    let message = refused(&["sim", &program, "--size", SIZE, "--machine", &fewer.1]);
    assert!(message.contains("needs 8 words of local memory"), "{message}");
}

/// A design says its rooms, and is the same design when it is read.
#[test]
fn a_design_with_a_room_reads_back() {
    let (folder, kernel) = kernel();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (design, programs) = (path("mirror.design"), [path("one.pe"), path("two.pe")]);
    let of = ["--schedule", "two-rows", "--size", SIZE];
    good(&[&["emit", &kernel, "--stop-after", "design", "-o", &design][..], &of].concat());
    assert!(fs::read_to_string(&design).expect("a design").contains("room X (2, _)\nspace X"));
    good(&[&["emit", &kernel, "-o", &programs[0]][..], &of].concat());
    good(&["emit", &design, "--size", SIZE, "-o", &programs[1]]);
    let [one, two] = programs.map(|program| fs::read_to_string(program).expect("a program"));
    assert_eq!(one, two);
}

/// A point that loads before the word is there waits, and the run says who, since when and for what.
#[test]
fn a_load_before_its_store_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (kernel, program) = (path("shift.rec"), path("shift.pe"));
    let text = "kernel shift(N)\nin A[N]\nout Y[N]\nlocal X[N]\nX[i] = A[i] * 2\nY[i] = X[N - 1 - i] + 1\n\
                schedule shared\nplace (i)   memory X\n";
    fs::write(&kernel, text).expect("written");
    good(&["emit", &kernel, "--schedule", "shared", "--size", "N=4", "-o", &program]);
    let right = systole(&["sim", &program, "--size", "N=4", "--reference", &kernel]);
    assert!(!right.stderr.contains("warning"), "{}", right.stderr);
    // One PE stores a step later than the others.
    edit(&program, "(at 0)", "(if ((= p0 2)) ((at 1)) ((at 0)))");
    edit(&program, "(at 1)\n    (listen", "(if ((= p0 2)) ((at 2)) ((at 1)))\n    (listen");
    let late = systole(&["sim", &program, "--size", "N=4", "--reference", &kernel]);
    assert!(late.stderr.contains("PE (1) waits from cycle 1 to 2 for a word on bus `X-memory`"), "{}", late.stderr);
    assert!(late.stdout.contains("bit for bit"), "{}", late.stdout);
}
