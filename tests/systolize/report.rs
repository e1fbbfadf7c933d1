//! The designs of the report's appendices D and E: every field, symbolic and concrete.
//!
//! The oracle is `tests/oracles/systolizing.json`: the tables of the report with its slips corrected, checked there by brute
//! force. Its size `n` is our `N - 1`.

use crate::brute;
use crate::common::{MATMUL, POLYNOMIAL, box_points, loading, map, plus, scheme, sizes, space};
use crate::expressions::evaluate;
use serde_json::Value;
use std::path::Path;
use systole_base::integer::{Bindings, Vector, name};
use systole_compile::mapping::SpaceTimeMap;
use systole_compile::systolize::{Loading, Scheme, Stream};
use systole_equations::recurrence::Space;

/// A design of the oracle with the scheme we derive for it.
struct Design {
    oracle: Value,
    space: Space,
    map: SpaceTimeMap,
    loading: Vec<Loading>,
    scheme: Scheme,
}

fn designs() -> Vec<Design> {
    let path = Path::new(env!("SYSTOLE_ROOT")).join("tests/oracles/systolizing.json");
    let oracle: Value = serde_json::from_str(&std::fs::read_to_string(path).expect("the oracle")).expect("JSON");
    oracle["designs"].as_array().expect("designs").iter().map(design).collect()
}

fn design(oracle: &Value) -> Design {
    let text = if oracle["program"] == "polynomial product" { POLYNOMIAL } else { MATMUL };
    let space = space(text);
    let rows: Vec<Vector> = oracle["place"].as_array().expect("rows").iter().map(vector).collect();
    let map = map(&rows, &vector(&oracle["step"]));
    let given = oracle["loading_recovery_vectors"].as_object().expect("vectors");
    let loading: Vec<Loading> =
        given.iter().map(|(stream, along)| loading(&ours(&space, stream), &vector(along))).collect();
    let scheme = scheme(&space, &map, &loading);
    Design { oracle: oracle.clone(), space, map, loading, scheme }
}

/// The name of the oracle's stream in our kernels.
fn ours(space: &Space, stream: &str) -> String {
    if &*space.kernel == "matmul" { stream.to_uppercase() } else { stream.to_owned() }
}

fn vector(value: &Value) -> Vector {
    value.as_array().expect("a vector").iter().map(|entry| entry.as_i64().expect("a number")).collect()
}

/// Null is no value.
fn point(value: &Value) -> Option<Vector> {
    (!value.is_null()).then(|| vector(value))
}

impl Design {
    fn stream(&self, name: &str) -> &Stream {
        let ours = ours(&self.space, name);
        self.scheme.streams.iter().find(|stream| *stream.tensor == *ours).expect("the stream")
    }

    fn streams(&self) -> Vec<(String, &Stream)> {
        let names = self.oracle["symbolic"]["streams"].as_object().expect("streams").keys();
        names.map(|name| (name.clone(), self.stream(name))).collect()
    }

    /// The processes at `n`, with the values of our names there and of the oracle's.
    fn processes(&self, n: i64) -> Vec<(Vector, Bindings, Bindings)> {
        let sizes = sizes(&self.space, n + 1);
        let (low, high) = (self.scheme.processes.minimum(&sizes), self.scheme.processes.maximum(&sizes));
        let coordinates = self.oracle["coords"].as_array().expect("names");
        let bind = |process: Vector| {
            let mut theirs = Bindings::from([(name("n"), n)]);
            let names = coordinates.iter().map(|coordinate| name(coordinate.as_str().expect("a name")));
            theirs.extend(names.zip(process.iter().copied()));
            (process.clone(), self.scheme.bind(&sizes, &process).expect("sizes"), theirs)
        };
        box_points(&low.expect("low"), &high.expect("high")).into_iter().map(bind).collect()
    }
}

#[test]
fn every_field_of_every_table_of_the_report_is_ours() {
    for design in designs() {
        for n in 1..=4 {
            let table = &design.oracle["concrete"][n.to_string()];
            check_array(&design, n, table);
            for row in table["processes"].as_array().expect("processes") {
                check_process(&design, n, row);
            }
            for (name, stream) in design.streams() {
                check_stream(&design, n, stream, &table["streams"][&name]);
            }
        }
    }
}

fn check_array(design: &Design, n: i64, table: &Value) {
    let sizes = sizes(&design.space, n + 1);
    assert_eq!(design.scheme.processes.minimum(&sizes), Some(vector(&table["ps_min"])));
    assert_eq!(design.scheme.processes.maximum(&sizes), Some(vector(&table["ps_max"])));
    assert_eq!(design.scheme.increment, vector(&table["increment"]));
    let counts: Vec<Option<i64>> = design.processes(n).iter().map(|(_, at, _)| design.scheme.count.at(at)).collect();
    assert_eq!(counts.iter().flatten().sum::<i64>(), table["statements"]);
    assert_eq!(counts.len(), table["processes_in_PS"]);
    assert_eq!(counts.iter().flatten().count(), table["processes_in_CS"]);
    assert_eq!(counts.iter().filter(|count| count.is_none()).count(), table["null_processes"]);
    assert_eq!(counts.len(), table["processes"].as_array().expect("rows").len());
}

fn check_process(design: &Design, n: i64, row: &Value) {
    let sizes = sizes(&design.space, n + 1);
    let at = design.scheme.bind(&sizes, &vector(&row["coord"])).expect("sizes");
    assert_eq!(design.scheme.first.at(&at), point(&row["first"]));
    assert_eq!(design.scheme.last.at(&at), point(&row["last"]));
    assert_eq!(design.scheme.count.at(&at).unwrap_or(0), row["count"]);
    assert_eq!(design.scheme.count.at(&at).is_none(), row["is_null"]);
    for (name, stream) in design.streams() {
        let number = |field: &str| row[field].get(&name).and_then(Value::as_i64);
        let (before, after) = match stream.is_stationary() {
            true => (number("recover"), number("load")),
            false => (number("soak"), number("drain")),
        };
        if row["is_null"] == true {
            assert_eq!(stream.count.at(&at).unwrap_or(0), number("pass").expect("a null process passes"));
        } else {
            assert_eq!((stream.before.at(&at), stream.after.at(&at)), (before, after), "{name} at {row}");
        }
    }
}

fn check_stream(design: &Design, n: i64, stream: &Stream, table: &Value) {
    assert_eq!(stream.is_stationary(), table["kind"] == "stationary");
    let flow: Vec<String> =
        stream.flow.iter().map(|(a, b)| if *b == 1 { format!("{a}") } else { format!("{a}/{b}") }).collect();
    assert_eq!(serde_json::json!(flow), table["flow"]);
    assert_eq!(stream.direction, vector(&table["direction"]));
    assert_eq!(stream.denominator, table["denominator"]);
    assert_eq!(stream.denominator - 1, table["internal_buffers_per_process"].as_i64().expect("a number"));
    assert_eq!(stream.increment, vector(&table["increment_s"]));
    let processes = design.processes(n);
    let is_process = |process: &Vector| processes.iter().any(|(other, ..)| other == process);
    let inputs = processes.iter().filter(|(process, ..)| !is_process(&plus(process, &stream.direction, -1)));
    let pipes = table["pipes"].as_array().expect("pipes");
    assert_eq!(inputs.count(), pipes.len());
    for pipe in pipes {
        let input = vector(&pipe["input"]);
        let line = (0..).map(|hops| plus(&input, &stream.direction, hops)).take_while(|y| is_process(y));
        let line: Vec<Vector> = line.collect();
        assert_eq!(line.len(), pipe["length"]);
        assert_eq!(line.last(), Some(&vector(&pipe["output"])));
        for process in line {
            let at = design.scheme.bind(&sizes(&design.space, n + 1), &process).expect("sizes");
            assert_eq!(stream.first.at(&at), point(&pipe["first"]));
            assert_eq!(stream.last.at(&at), point(&pipe["last"]));
            assert_eq!(stream.count.at(&at).unwrap_or(0), pipe["count"]);
        }
    }
}

/// A symbolic value: an expression, a point of them, or cases.
fn symbolic(value: &Value, at: &Bindings) -> Option<Vector> {
    match value {
        Value::String(text) => Some(vec![evaluate(text, at)]),
        Value::Array(cases) if cases.first().is_some_and(Value::is_object) => {
            let holds = |case: &&Value| evaluate(case["guard"].as_str().expect("a guard"), at) != 0;
            cases.iter().find(holds).and_then(|case| symbolic(&case["value"], at))
        }
        Value::Array(entries) => entries.iter().map(|entry| Some(symbolic(entry, at)?[0])).collect(),
        _ => panic!("{value} is no symbolic value"),
    }
}

#[test]
fn the_closed_forms_of_the_report_are_ours_at_all_processes() {
    for design in designs() {
        let forms = &design.oracle["symbolic"];
        for n in 1..=6 {
            let sizes = sizes(&design.space, n + 1);
            let box_of = |end: &str| symbolic(&forms[end], &Bindings::from([(name("n"), n)]));
            assert_eq!(design.scheme.processes.minimum(&sizes), box_of("ps_min"));
            assert_eq!(design.scheme.processes.maximum(&sizes), box_of("ps_max"));
            for (_, ours, theirs) in design.processes(n) {
                assert_eq!(design.scheme.first.at(&ours), symbolic(&forms["first"], &theirs));
                assert_eq!(design.scheme.last.at(&ours), symbolic(&forms["last"], &theirs));
                assert_eq!(design.scheme.count.at(&ours).map(|count| vec![count]), symbolic(&forms["count"], &theirs));
                let is_null = evaluate(forms["null_where"].as_str().expect("a guard"), &theirs);
                assert_eq!(design.scheme.count.at(&ours).is_none(), is_null != 0);
                for (name, stream) in design.streams() {
                    check_forms(&design, stream, &forms["streams"][&name], &ours, &theirs);
                }
            }
        }
    }
}

fn check_forms(design: &Design, stream: &Stream, forms: &Value, ours: &Bindings, theirs: &Bindings) {
    let is_null = design.scheme.count.at(ours).is_none();
    assert_eq!(stream.first.at(ours), symbolic(&forms["first_s"], theirs));
    assert_eq!(stream.last.at(ours), symbolic(&forms["last_s"], theirs));
    let one = |value: Option<i64>| value.map(|value| vec![value]);
    assert_eq!(one(stream.count.at(ours)), symbolic(&forms["pipe_count"], theirs));
    let (before, after) = if stream.is_stationary() { ("recover", "load") } else { ("soak", "drain") };
    if !is_null {
        assert_eq!(one(stream.before.at(ours)), symbolic(&forms[before], theirs));
        assert_eq!(one(stream.after.at(ours)), symbolic(&forms[after], theirs));
    } else if let Some(pass) = symbolic(&forms["external_buffer_pass"], theirs) {
        assert_eq!(vec![stream.count.at(ours).unwrap_or(0)], pass);
    }
    check_layout(design, stream, forms, ours, theirs);
}

/// Which processes are inputs and outputs, on which sides, and the range of the channels.
fn check_layout(design: &Design, stream: &Stream, forms: &Value, ours: &Bindings, theirs: &Bindings) {
    let back: Vector = stream.direction.iter().map(|entry| -entry).collect();
    let leaves = |shift: &[i64]| {
        let inside = design.scheme.processes.has_neighbour(shift);
        i64::from(inside.iter().any(|form| form.evaluate(ours).expect("bound") < 0))
    };
    let guard = |field: &str| evaluate(forms["io"][field].as_str().expect("a guard"), theirs);
    assert_eq!(leaves(&back), guard("input_where"));
    assert_eq!(leaves(&stream.direction), guard("output_where"));
    let sides: Vec<usize> = (0..stream.direction.len()).filter(|axis| stream.direction[*axis] != 0).collect();
    assert_eq!(serde_json::json!(sides), forms["io"]["dims"]);
    let (low, high) = (design.scheme.processes.minimum(ours), design.scheme.processes.maximum(ours));
    let (low, high) = (low.expect("low"), high.expect("high"));
    let ends = |end: &Vector, side: i64| -> Vector {
        end.iter().zip(&stream.direction).map(|(entry, h)| entry + side * (side * h).max(0)).collect()
    };
    assert_eq!(Some(ends(&low, -1)), symbolic(&forms["channel_min"], theirs));
    assert_eq!(Some(ends(&high, 1)), symbolic(&forms["channel_max"], theirs));
    assert_eq!(forms["internal_buffers_per_process"], stream.denominator - 1);
}

/// The checker of the other tests agrees with the report, so that it may judge where the report has no table.
#[test]
fn brute_force_agrees_with_the_report() {
    for design in designs() {
        for n in 1..=4 {
            let table = &design.oracle["concrete"][n.to_string()];
            let brute = brute::table(&design.space, &design.map, &design.loading, &sizes(&design.space, n + 1));
            assert_eq!(brute.minimum, vector(&table["ps_min"]));
            for (position, stream) in design.scheme.streams.iter().enumerate() {
                let name = stream.tensor.to_lowercase();
                for pipe in table["streams"][&name]["pipes"].as_array().expect("pipes") {
                    let found = brute.streams[position].pipe(&vector(&pipe["input"]));
                    assert_eq!(found.processes.last(), Some(&vector(&pipe["output"])));
                    assert_eq!(found.elements.first().cloned(), point(&pipe["first"]));
                    assert_eq!(found.elements.last().cloned(), point(&pipe["last"]));
                    assert_eq!(found.elements.len(), pipe["count"]);
                }
            }
        }
    }
}
