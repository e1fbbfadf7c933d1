//! `systole emit`: the same bytes each time, whatever the sizes; a file is written whole or not at all.

use super::start::{good, json, refused};

const CANNON: [&str; 4] = ["emit", "kernels/matmul.rec", "--schedule", "cannon"];

#[test]
fn the_same_command_writes_the_same_bytes() {
    assert_eq!(good(&CANNON), good(&CANNON));
    let searched = ["emit", "kernels/matmul.rec", "--size", "M=4,N=4,K=4"];
    assert_eq!(good(&searched), good(&searched));
}

#[test]
fn the_text_does_not_depend_on_the_sizes() {
    for schedule in ["cannon", "weight-stationary", "summa"] {
        let emit = |size| good(&["emit", "kernels/matmul.rec", "--schedule", schedule, "--size", size]);
        let texts = ["M=2,N=3,K=4", "M=8,N=8,K=8", "M=40,N=3,K=17"].map(emit);
        assert!(texts.iter().all(|text| *text == texts[0]), "{schedule}");
    }
}

#[test]
fn weight_stationary_matmul_has_the_nine_programs_of_the_paper() {
    let found = json(&["emit", "kernels/matmul.rec", "--schedule", "weight-stationary"]);
    assert_eq!(found["classes"], 9);
}

#[test]
fn a_file_is_what_standard_output_would_have_been() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cannon.pe");
    let said = good(&[&CANNON[..], &["-o", path.to_str().unwrap()]].concat());
    assert!(said.contains("9 classes of PE"), "{said}");
    assert_eq!(std::fs::read_to_string(&path).unwrap().trim_end(), good(&CANNON).trim_end());
}

#[test]
fn what_stood_there_stays_when_nothing_can_be_emitted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.pe");
    std::fs::write(&path, "old").unwrap();
    refused(&["emit", "kernels/matmul.rec", "--schedule", "too-fast", "-o", path.to_str().unwrap()]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_folder_that_is_not_there_is_refused_and_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("no/such/cannon.pe");
    let message = refused(&[&CANNON[..], &["-o", path.to_str().unwrap()]].concat());
    assert!(message.contains("cannot write"), "{message}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
