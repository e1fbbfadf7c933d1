//! Programs that say how they are distributed, as their schedules do: they run as if flags said it, and flags come first.

use super::command::{Emitted, exec};
use super::programs::{Way, inputs, program, sizes};
use serde_json::{Value, json};
use systole::array::{Program, print};
use systole::exec::{Counts, Settings, execute};
use systole::recurrence::Distribution;

const CYCLIC: Option<Distribution> = Some(Distribution::Cyclic);

/// Cholesky's factor in tiles, by one of its schedules.
fn factor(schedule: &str) -> Way {
    let flags = ["--tile", "i=4", "--schedule", schedule].map(str::to_owned).to_vec();
    Way { kernel: "cholesky".to_owned(), flags }
}

/// What is counted in a run; how many packets there are is chance.
fn counts(program: &Program, settings: &Settings) -> Counts {
    let (system, sizes) = (factor("timed").system(), sizes(&[("N", 26)]));
    let execution = execute(program, &sizes, &inputs(&system, &sizes), settings).expect("a run");
    Counts { packets: 0, ..execution.counts }
}

#[test]
fn a_program_says_what_its_schedule_says() {
    let (said, silent) = (program(&factor("block-cyclic").emit()), program(&factor("timed").emit()));
    assert_eq!((said.fold, silent.fold), (CYCLIC, None));
    assert!(said.arrays.iter().all(|array| array.layout == CYCLIC));
    let text = print(&said);
    for part in
        ["\n  (fold cyclic)\n  (order steps:4)\n", "(array A in (N N) (is positive_definite) (layout cyclic) (axes "]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let bare: String = text.replace(" (layout cyclic)", "").replace("\n  (fold cyclic)\n  (order steps:4)", "");
    let without_digest = |text: &str| text[..text.rfind("(digest").expect("a digest")].to_owned();
    assert_eq!(without_digest(&bare), without_digest(&print(&silent)));
}

#[test]
fn a_run_is_as_the_program_says_unless_settings_say_otherwise() {
    let (said, silent) = (program(&factor("block-cyclic").emit()), program(&factor("timed").emit()));
    for workers in [1, 2, 3, 4, 6] {
        let plain = Settings { workers, ..Settings::default() };
        let cyclic = Settings { distribution: CYCLIC, layout: CYCLIC, ..plain.clone() };
        assert_eq!(counts(&said, &plain), counts(&silent, &cyclic), "{workers} workers");
        let block = Some(Distribution::Block);
        let other = Settings { distribution: block, layout: block, ..plain.clone() };
        assert_eq!(counts(&said, &other), counts(&silent, &other), "{workers} workers, otherwise");
        if workers > 1 {
            assert_ne!(counts(&said, &plain), counts(&silent, &plain), "{workers} workers, as nobody says");
        }
    }
}

/// The order of tiles that the program says is that of its runs, where no flag says another.
#[test]
fn a_run_is_in_the_order_that_the_program_says() {
    let order = |schedule: &str, flags: &[&str]| -> Value {
        let emitted = Emitted::of("kernels/cholesky.rec", &["--tile", "i=4", "--schedule", schedule]);
        let flags = [&["--size", "N=13", "--threads", "2", "--json"], flags].concat();
        let found: Value = serde_json::from_slice(&exec(&emitted, &flags).stdout).expect("JSON");
        found["order"].clone()
    };
    assert_eq!((order("timed", &[]), order("block-cyclic", &[])), (json!("steps"), json!("steps:4")));
    assert_eq!(order("block-cyclic", &["--order", "turns"]), "turns");
}

/// Where arrays differ each is named, and those without a layout are not.
#[test]
fn a_run_says_which_arrays_have_a_layout() {
    let kernel = "kernels/cholesky.rec";
    let emitted = Emitted::of(kernel, &["--tile", "i=4", "--schedule", "timed"]);
    let text = std::fs::read_to_string(&emitted.program).expect("a program");
    let laid_out = text.replace("(array L out (N N)", "(array L out (N N) (layout block-cyclic:2)");
    std::fs::write(&emitted.program, laid_out).expect("written");
    let run = ["--size", "N=13", "--threads", "3", "--reference", kernel];
    let told = String::from_utf8(exec(&emitted, &run).stdout).expect("text");
    assert!(told.contains("results into it: L block-cyclic:2\n"), "{told}");
    let object = |flags: &[&str]| -> Value {
        serde_json::from_slice(&exec(&emitted, &[&run[..], flags, &["--json"]].concat()).stdout).expect("JSON")
    };
    let found = object(&[]);
    assert_eq!((&found["distribution"], &found["layout"]), (&json!("block"), &json!({ "L": "block-cyclic:2" })));
    assert_eq!(found["rounding"], 0.0);
    assert_eq!(object(&["--layout", "cyclic"])["layout"], "cyclic");
}
