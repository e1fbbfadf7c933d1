//! Programs that cannot go on end with a status, and the watchdog of a debug build says who waits for what. Their twins run to their end.

use super::folder::{Folder, compilers};
use crate::capacities::crossed_bursts;
use crate::programs::{program, sizes};
use systole::array::Tensors;

/// What the debug build of a program says on so many threads; nothing where it runs to its end.
fn said(text: &str, threads: usize) -> Option<String> {
    let folder = Folder::of(&program(text));
    folder.make(&compilers()[0], "debug");
    let command = format!("{}-debug", folder.name());
    let output = folder.start(&command, &sizes(&[]), &Tensors::new(), threads);
    (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn one_slot_less_than_is_needed_is_a_deadlock_that_is_named() {
    for threads in [1, 2] {
        assert_eq!(said(&crossed_bursts(17, 17), threads), None);
        let message = said(&crossed_bursts(17, 16), threads).expect("a deadlock");
        for part in ["PE (0) of class a waits: a free slot of right", "PE (1) of class b waits: a free slot of left"] {
            assert!(message.contains(part), "{message}");
        }
        assert!(message.contains("no PE can go on"), "{message}");
    }
}

/// The deadlocks that the simulator is tested with, and their twins.
#[cfg(feature = "long-tests")]
#[test]
fn deadlocks_are_those_of_the_simulator() {
    let folder = std::path::Path::new(env!("SYSTOLE_ROOT")).join("tests/sim/deadlocks");
    let paths = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|ending| ending == "expect")).collect();
    assert!(paths.len() >= 12);
    for path in paths {
        for (ending, is_well) in [("pe", false), ("twin.pe", true)] {
            let text = std::fs::read_to_string(path.with_extension(ending)).expect("a program");
            let program = program(&text);
            let folder = Folder::of(&program);
            folder.make(&compilers()[0], "all");
            let given = program.parameters.iter().map(|name| (&**name, 4)).collect::<Vec<_>>();
            let output = folder.start(folder.name(), &sizes(&given), &Tensors::new(), 2);
            assert_eq!(output.status.success(), is_well, "{} {ending}", path.display());
        }
    }
}
