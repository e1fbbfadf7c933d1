//! Machine files and the flags that stand in for them.

use super::start::{good, json, refused};
use std::path::Path;
use systole::cost::Machine;
use systole::mapping::Links;
use systole::span::Source;

const SMALL: [&str; 4] = ["kernels/matmul.rec", "--size", "M=4,N=4,K=4", "--json"];

fn shipped(name: &str) -> Machine {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("machines").join(name);
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
    std::fs::write(&path, "[grid]\nextent = [3, 3]\n[bus]\navailable = false\n").unwrap();
    let machine = ["--machine", path.to_str().unwrap()];
    let cannon = ["search", "kernels/matmul.rec", "--schedule", "cannon", "--size"];
    assert!(
        refused(&[&cannon[..], &["M=4,N=4,K=4"], &machine[..]].concat()).contains("larger array than the machine has")
    );
    good(&[&cannon[..], &["M=3,N=3,K=3"], &machine[..]].concat());
    let summa = ["search", "kernels/matmul.rec", "--schedule", "summa", "--size", "M=3,N=3,K=3"];
    refused(&[&summa[..], &machine[..]].concat());
}
