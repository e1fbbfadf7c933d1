//! `exec --trace`: one track a worker, with spans of leaves, waiting and packets, by real clocks. How long things take is
//! chance, how many there are is not.

use super::command::{Emitted, exec, refused};
use super::programs::Way;
use serde_json::Value;
use std::collections::BTreeMap;

/// A product of 4 x 4 x 4 tiles.
pub const SIZE: [&str; 3] = ["--size", "M=16,N=16,K=16", "--json"];

/// The program of a tiled product.
pub fn tiled() -> Emitted {
    let flags = ["--tile", "i=4,j=4,k=4", "--schedule", "cannon"].map(str::to_owned).to_vec();
    let (emitted, way) = (Emitted::new("matmul"), Way { kernel: "matmul".to_owned(), flags });
    std::fs::write(&emitted.program, way.emit()).expect("written");
    emitted
}

/// A trace file.
pub struct Traced {
    file: Value,
}

impl Traced {
    pub fn read(path: &str) -> Traced {
        Traced { file: serde_json::from_str(&std::fs::read_to_string(path).expect("a trace")).expect("JSON") }
    }

    fn events(&self) -> &Vec<Value> {
        self.file["traceEvents"].as_array().expect("a list")
    }

    /// The names of the tracks.
    pub fn tracks(&self) -> Vec<&str> {
        let names = self.events().iter().filter(|event| event["name"] == "thread_name");
        names.map(|event| event["args"]["name"].as_str().expect("a name")).collect()
    }

    /// How many events each name has, tracks aside.
    pub fn counts(&self) -> BTreeMap<&str, u64> {
        let mut counts = BTreeMap::new();
        for event in self.events().iter().filter(|event| event["ph"] != "M") {
            *counts.entry(event["name"].as_str().expect("a name")).or_insert(0) += 1;
        }
        counts
    }

    /// From and to of all spans of a name on a track, in microseconds.
    fn spans(&self, name: &str, track: &Value) -> Vec<(f64, f64)> {
        let named = self.events().iter().filter(|event| event["name"] == name && event["tid"] == *track);
        let times = named.map(|event| (event["ts"].as_f64().expect("a time"), event["dur"].as_f64().expect("a span")));
        times.map(|(from, length)| (from, from + length)).collect()
    }

    /// Whether each leaf lies in a turn of its track, and no wait meets a turn.
    pub fn check_spans(&self) {
        for event in self.events().iter().filter(|event| event["ph"] == "M") {
            let spans = |name| self.spans(name, &event["tid"]);
            let turns = spans("turns");
            let within =
                |(from, to): &(f64, f64)| turns.iter().any(|turn| turn.0 <= from + 1e-3 && *to <= turn.1 + 1e-3);
            assert!(spans("C.sum").iter().all(within), "a leaf outside of a turn");
            let meets = |(from, to): &(f64, f64)| turns.iter().any(|turn| turn.0 + 1e-3 < *to && *from + 1e-3 < turn.1);
            assert!(!spans("waiting").iter().any(meets), "a wait within a turn");
        }
    }
}

/// All leaves are there, and a packet is sent and delivered as often as it is counted.
pub fn check(traced: &Traced, object: &Value, kind: &str, workers: usize) {
    let tracks: Vec<String> = (0..workers).map(|number| format!("{kind} {number}")).collect();
    assert_eq!(traced.tracks(), tracks);
    let counts = traced.counts();
    let packets = object["packets"].as_u64();
    assert_eq!((counts.get("C.sum"), counts.get("send").copied()), (Some(&64), packets));
    assert_eq!(counts.get("deliver").copied(), packets);
    assert!(counts["turns"] > 0 && (workers == 1 || counts["waiting"] > 0), "{counts:?}");
    let shares = ["waiting", "sending", "receiving"].map(|share| object[share].as_f64().expect("a share"));
    assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)), "{shares:?}");
    assert_eq!(traced.file["otherData"]["left out"], 0);
    traced.check_spans();
}

#[test]
fn threads_have_a_track_each() {
    let emitted = tiled();
    let path = emitted.path("t.json");
    for threads in ["2", "3"] {
        let output = exec(&emitted, &[&SIZE[..], &["--threads", threads, "--trace", &path]].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let object: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        check(&Traced::read(&path), &object, "thread", threads.parse().expect("a number"));
    }
}

/// Operations on numbers are too short for spans of their own.
#[test]
fn a_program_of_numbers_has_turns_alone() {
    let emitted = Emitted::new("matmul");
    let path = emitted.path("t.json");
    let flags = ["--size", "M=3,N=3,K=3", "--threads", "1", "--trace", &path];
    assert!(exec(&emitted, &flags).status.success());
    let traced = Traced::read(&path);
    assert!(traced.counts().keys().all(|name| ["turns", "waiting"].contains(name)), "{:?}", traced.counts());
}

#[test]
fn a_trace_that_cannot_be_written_is_code_1() {
    let emitted = tiled();
    let message = refused(&emitted, &[&SIZE[..], &["--trace", &emitted.path("missing/t.json")]].concat());
    assert!(message.contains("cannot write"), "{message}");
}
