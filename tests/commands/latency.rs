//! Programs on links of another latency: those of the proofs, and those of a model of FIFOs.

use super::fifos::{Links, Model};
use super::start::{good, json, misused, object, refused, systole, written};
use serde_json::Value;

/// A kernel with a schedule, sizes, and the text of its time at latency 1 with that at another one.
struct Case {
    kernel: &'static str,
    schedule: &'static str,
    sizes: &'static [(&'static str, i64)],
    slower: fn(&str, i64) -> String,
}

/// Schedules without times have them derived for any latency; those with times say them again.
const CASES: [Case; 7] = [
    Case { kernel: "trisolve", schedule: "row", sizes: &[("N", 7)], slower: same },
    Case { kernel: "cholesky", schedule: "grid", sizes: &[("N", 6)], slower: same },
    Case { kernel: "lu", schedule: "grid", sizes: &[("N", 5)], slower: same },
    Case { kernel: "edit_distance", schedule: "row", sizes: &[("M", 5), ("N", 4)], slower: rows_apart },
    Case { kernel: "jacobi1d", schedule: "skewed", sizes: &[("T", 4), ("N", 5)], slower: fewer_sweeps },
    Case { kernel: "matmul", schedule: "cannon", sizes: &[("M", 4), ("N", 3), ("K", 5)], slower: later },
    Case { kernel: "matmul", schedule: "kung-leiserson", sizes: &[("M", 4), ("N", 3), ("K", 5)], slower: later },
];

fn same(text: &str, _latency: i64) -> String {
    text.to_owned()
}

fn rows_apart(text: &str, latency: i64) -> String {
    text.replace("time i + j", &format!("time {latency}*i + j"))
}

fn fewer_sweeps(text: &str, latency: i64) -> String {
    text.replace("time 2*t", &format!("time {}*t", 2 * latency))
}

fn later(text: &str, latency: i64) -> String {
    text.replace("time i + j + k", &format!("time {latency}*i + {latency}*j + {latency}*k"))
}

impl Case {
    fn size_text(&self) -> String {
        self.sizes.iter().map(|(name, size)| format!("{name}={size}")).collect::<Vec<_>>().join(",")
    }

    /// The file of the kernel whose schedule has time at a latency, and that of its program, in a folder.
    fn at(&self, latency: i64) -> (tempfile::TempDir, String, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let (kernel, program) = (path("k.rec"), path("p.pe"));
        let text = std::fs::read_to_string(format!("kernels/{}.rec", self.kernel)).unwrap();
        std::fs::write(&kernel, (self.slower)(&text, latency)).unwrap();
        let latency = latency.to_string();
        good(&["emit", &kernel, "--schedule", self.schedule, "--latency", &latency, "-o", &program]);
        (folder, kernel, program)
    }

    fn model(&self, program: &str) -> Model {
        Model::new(&std::fs::read_to_string(program).unwrap(), self.sizes)
    }
}

fn cycles(arguments: &[&str]) -> i64 {
    json(arguments)["cycles"].as_i64().expect("a number")
}

/// A program on the links that it was written for is itself: by the flag, by a machine file and in the model. `run` says the same.
#[test]
fn a_program_takes_its_own_cycles_on_its_own_links() {
    for case in CASES {
        let size = case.size_text();
        for latency in [1, 2, 3, 5] {
            let (_folder, kernel, program) = case.at(latency);
            let network = if case.schedule == "kung-leiserson" { "hex" } else { "mesh" };
            let lines = format!("[grid]\nnetwork = \"{network}\"\n[link]\nlatency = {latency}\n");
            let (_machine, machine) = written(&lines);
            let text = latency.to_string();
            let sim = |flags: &[&str]| cycles(&[&["sim", &program, "--size", &size], flags].concat());
            let own = sim(&[]);
            let found = [sim(&["--latency", &text]), sim(&["--machine", &machine])];
            let run = ["run", &kernel, "--schedule", case.schedule, "--machine", &machine, "--size", &size];
            let run = json(&run)["sim"]["cycles"].as_i64();
            let model = |latency| case.model(&program).cycles(Links { latency, capacity: None, response: 1 });
            let what = format!("{} {} at latency {latency}", case.kernel, case.schedule);
            assert_eq!(found, [own, own], "{what}");
            assert_eq!([run, model(None), model(Some(latency))], [Some(own); 3], "{what}");
        }
    }
}

/// A small generator of its own, so that the settings are the same on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, from: u64, to: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        from + (self.0 >> 33) % (to - from + 1)
    }
}

/// At any latency, capacity and response the model takes as many cycles, or both never end.
#[test]
fn a_hundred_settings_are_those_of_the_model() {
    let programs = CASES.map(|case| (case.at(1), case));
    let (mut dice, mut stuck) = (Dice(38), 0);
    for number in 0..100 {
        let ((_folder, _, program), case) = &programs[number % programs.len()];
        let (latency, capacity) = (dice.roll(1, 6) as i64, dice.roll(0, 3) as usize);
        let links = Links {
            latency: Some(latency),
            capacity: Some(capacity).filter(|slots| *slots > 0),
            response: dice.roll(0, 4) as i64,
        };
        let slots = links.capacity.map_or_else(String::new, |slots| format!("capacity = {slots}\n"));
        let network = if case.schedule == "kung-leiserson" { "hex" } else { "mesh" };
        let lines = format!(
            "[grid]\nnetwork = \"{network}\"\n[link]\nlatency = {latency}\nresponse = {}\n{slots}",
            links.response
        );
        let (_machine, machine) = written(&lines);
        let ran = systole(&["sim", program, "--size", &case.size_text(), "--machine", &machine, "--json"]);
        let found = object(&ran.stdout);
        let expected = case.model(program).cycles(links);
        let what = format!("{} {} with {links:?}", case.kernel, case.schedule);
        match expected {
            Some(cycles) => assert_eq!((found["cycles"].as_i64(), ran.code), (Some(cycles), 0), "{what}"),
            None => assert_ne!(found["deadlock"], Value::Null, "{what}"),
        }
        stuck += u64::from(expected.is_none());
    }
    assert!(stuck < 50, "most runs end, {stuck} do not");
}

/// A design that is kept while links become slower takes the cycles of its program on them, also from a latency above 1 on.
#[test]
fn a_kept_design_is_its_program_on_other_links() {
    for case in CASES.iter().filter(|case| ["trisolve", "cholesky", "lu"].contains(&case.kernel)) {
        let (kernel, size) = (format!("kernels/{}.rec", case.kernel), case.size_text());
        for (first, sweep) in [(1, "link.latency=1,2,5"), (2, "link.latency=2,3,1")] {
            let (_folder, _, program) = case.at(first);
            let swept = ["explore", &kernel, "--schedule", case.schedule, "--size", &size, "--sweep", sweep, "--keep"];
            let points = json(&swept)["points"].as_array().expect("points").clone();
            assert_eq!(points.len(), 3);
            for point in points {
                let latency = point["link.latency"].to_string();
                let own = cycles(&["sim", &program, "--size", &size, "--latency", &latency]);
                assert_eq!(point["cycles"].as_i64(), Some(own), "{} from {first} at {latency}", case.kernel);
                assert_eq!(point["proved"], Value::from(latency == first.to_string()));
            }
        }
    }
}

/// The product of matrices on a hexagonal array moves its sums along a diagonal, in one hop. A mesh goes there in two, and on a
/// wire there is no such way.
#[test]
fn the_network_says_how_many_hops_a_channel_has() {
    let case = &CASES[6];
    let (_folder, _, program) = case.at(1);
    assert!(std::fs::read_to_string(&program).unwrap().contains("\n  (network hex)\n"));
    let size = case.size_text();
    let on = |network: &str| written(&format!("[grid]\nnetwork = \"{network}\"\n[link]\nlatency = 3\n"));
    let flag = cycles(&["sim", &program, "--size", &size, "--latency", "3"]);
    let of = |network: &str| {
        let (_machine, machine) = on(network);
        cycles(&["sim", &program, "--size", &size, "--machine", &machine])
    };
    assert_eq!([of("hex"), of("king")], [flag, flag]);
    assert!(of("mesh") > flag);
    let (_machine, machine) = on("wire");
    let message = refused(&["sim", &program, "--size", &size, "--machine", &machine]);
    for part in ["the `wire` network has no link for channel `C-link`", "its offset is [-1, -1]", "help: "] {
        assert!(message.contains(part), "no `{part}` in {message}");
    }
}

/// A flag of the latency stands above that of the machine file.
#[test]
fn a_latency_is_taken_from_the_flag_before_the_machine() {
    let (_folder, _, program) = CASES[1].at(1);
    let sim = |flags: &[&str]| cycles(&[&["sim", &program, "--size", "N=6"], flags].concat());
    let (_machine, machine) = written("[link]\nlatency = 5\n");
    assert_eq!(sim(&["--machine", &machine, "--latency", "2"]), sim(&["--latency", "2"]));
    assert_ne!(sim(&["--machine", &machine]), sim(&["--latency", "2"]));
    assert!(misused(&["sim", &program, "--size", "N=6", "--latency", "0"]).contains("at least 1 cycle"));
}
