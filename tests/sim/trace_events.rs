//! Trace events against the Trace Event Format and against the counters of the run.

use super::traced::{Case, cases, window};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use systole_program::array::show_point;
use systole_run::sim::Order;
use systole_run::sim::trace::Window;

type Track = (u64, u64);

fn events(file: &Value) -> &[Value] {
    file["traceEvents"].as_array().map_or(&[], Vec::as_slice)
}

fn number(event: &Value, key: &str) -> Result<u64, String> {
    event[key].as_u64().ok_or_else(|| format!("no number `{key}` in {event}"))
}

fn track(event: &Value) -> Result<Track, String> {
    Ok((number(event, "pid")?, number(event, "tid")?))
}

fn of_phase<'a>(file: &'a Value, phase: &str) -> Vec<&'a Value> {
    events(file).iter().filter(|event| event["ph"] == phase).collect()
}

fn ensure(holds: bool, what: &str, event: &Value) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("{what}: {event}")) }
}

/// What the format asks of a file that uses these phases.
fn check(file: &Value) -> Result<(), String> {
    ensure(file["traceEvents"].is_array(), "no list of events", file)?;
    ensure(["ms", "ns"].iter().any(|unit| file["displayTimeUnit"] == **unit), "no unit", file)?;
    events(file).iter().try_for_each(check_event)?;
    check_names(file)?;
    check_nesting(file)?;
    check_arrows(file)
}

fn check_event(event: &Value) -> Result<(), String> {
    let known = ["name", "cat", "ph", "ts", "dur", "pid", "tid", "id", "bp", "s", "args"];
    let keys = event.as_object().ok_or("an event is an object")?.keys();
    keys.map(String::as_str).try_for_each(|key| ensure(known.contains(&key), "unknown key", event))?;
    ensure(event["name"].as_str().is_some_and(|name| !name.is_empty()), "no name", event)?;
    ensure(event["cat"].is_string(), "no category", event)?;
    track(event)?;
    number(event, "ts")?;
    let arguments = event["args"].as_object();
    match event["ph"].as_str().unwrap_or_default() {
        "X" => ensure(number(event, "dur")? > 0, "a span without length", event),
        "C" => {
            ensure(arguments.is_some_and(|args| !args.is_empty() && args.values().all(Value::is_u64)), "args", event)
        }
        "i" => ensure(event["s"] == "t", "an instant without scope", event),
        "s" => number(event, "id").map(|_| ()),
        "f" => number(event, "id").and_then(|_| ensure(event["bp"] == "e", "binding point", event)),
        "M" => ensure(arguments.is_some_and(|args| args.len() == 1), "metadata has one argument", event),
        _ => ensure(false, "unknown phase", event),
    }
}

/// Processes and threads are named once; what has events has a name; no thread number is in two processes.
fn check_names(file: &Value) -> Result<(), String> {
    let mut named: BTreeMap<&str, BTreeSet<Track>> = BTreeMap::new();
    for event in of_phase(file, "M") {
        let new = named.entry(event["name"].as_str().unwrap_or_default()).or_default().insert(track(event)?);
        ensure(new, "named twice", event)?;
    }
    let threads = named.remove("thread_name").unwrap_or_default();
    let numbers: BTreeSet<u64> = threads.iter().map(|(_, thread)| *thread).collect();
    ensure(numbers.len() == threads.len(), "a thread in two processes", &json!(threads))?;
    let processes: BTreeSet<u64> = named.remove("process_name").unwrap_or_default().iter().map(|(at, _)| *at).collect();
    for event in events(file) {
        let track = track(event)?;
        ensure(processes.contains(&track.0), "a process without name", event)?;
        let is_thread = matches!(event["ph"].as_str(), Some("X" | "i" | "s" | "f"));
        ensure(!is_thread || threads.contains(&track), "a thread without name", event)?;
    }
    Ok(())
}

/// Spans of each thread in the order of the file.
fn spans(file: &Value) -> Result<BTreeMap<Track, Vec<(u64, u64)>>, String> {
    let mut spans: BTreeMap<Track, Vec<(u64, u64)>> = BTreeMap::new();
    for event in of_phase(file, "X") {
        let from = number(event, "ts")?;
        spans.entry(track(event)?).or_default().push((from, from + number(event, "dur")?));
    }
    Ok(spans)
}

/// Spans of a thread lie one in another or apart, the outer one first.
fn check_nesting(file: &Value) -> Result<(), String> {
    for spans in spans(file)?.values() {
        let mut open: Vec<(u64, u64)> = vec![];
        for (from, to) in spans {
            open.retain(|(_, end)| end > from);
            let inside = open.last().is_none_or(|(start, end)| start <= from && to <= end);
            ensure(inside, "spans overlap", &json!([from, to]))?;
            open.push((*from, *to));
        }
    }
    Ok(())
}

/// Each arrow has one tail and one head, later, and both lie in a span of their thread.
fn check_arrows(file: &Value) -> Result<(), String> {
    let spans = spans(file)?;
    let mut ends: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for event in [of_phase(file, "s"), of_phase(file, "f")].concat() {
        let clock = number(event, "ts")?;
        let on = spans.get(&track(event)?).map_or(&[][..], Vec::as_slice);
        ensure(on.iter().any(|(from, to)| (*from..*to).contains(&clock)), "an arrow ends beside the spans", event)?;
        ends.entry(number(event, "id")?).or_default().push(clock);
    }
    let whole = |ends: &Vec<u64>| matches!(ends[..], [tail, head] if tail < head);
    ends.values().try_for_each(|ends| ensure(whole(ends), "an arrow lacks an end", &json!(ends)))
}

#[test]
fn every_file_keeps_to_the_format() {
    for case in cases() {
        let end = case.see().end();
        for window in [Window::WHOLE, window(0, 1), window(2, 7), window(end / 2, end), window(end - 1, end + 9)] {
            let file = case.chrome(window);
            check(&file).unwrap_or_else(|fault| panic!("{} {window:?}: {fault}", case.name));
            assert!(file["otherData"]["time"].as_str().is_some_and(|text| text.contains("microsecond")));
        }
    }
}

/// The twin: files with one thing wrong are not passed.
#[test]
fn the_check_of_the_format_refuses_what_is_broken() {
    let good = cases()[0].chrome(Window::WHOLE);
    let position = |phase: &str| events(&good).iter().position(|event| event["ph"] == phase).expect("an event");
    let broken = |phase: &str, change: fn(&mut Value)| {
        let mut file = good.clone();
        change(&mut file["traceEvents"][position(phase)]);
        check(&file).is_err()
    };
    assert!(check(&good).is_ok());
    for key in ["name", "cat", "ph", "ts", "pid", "tid"] {
        let mut file = good.clone();
        file["traceEvents"][position("X")].as_object_mut().unwrap().remove(key);
        assert!(check(&file).is_err(), "{key}");
    }
    assert!(broken("X", |event| event["dur"] = json!(0)));
    assert!(broken("X", |event| event["ts"] = json!(event["ts"].as_u64().unwrap() + 1)));
    assert!(broken("C", |event| event["args"] = json!({})));
    assert!(broken("i", |event| event["s"] = Value::Null));
    assert!(broken("s", |event| event["id"] = json!(1_000_000)));
    assert!(broken("f", |event| event["ts"] = json!(0)));
    assert!(broken("M", |event| event["name"] = json!("title")));
}

/// Cycles of a name for each PE.
fn lengths(file: &Value, name: &str) -> BTreeMap<String, u64> {
    let titles = of_phase(file, "M").into_iter().filter(|event| event["name"] == "thread_name" && event["pid"] == 1);
    let titles: BTreeMap<u64, &str> =
        titles.map(|event| (event["tid"].as_u64().unwrap(), event["args"]["name"].as_str().unwrap())).collect();
    let mut lengths = BTreeMap::new();
    for event in of_phase(file, "X").into_iter().filter(|event| event["name"] == name) {
        let title = titles[&event["tid"].as_u64().unwrap()];
        *lengths.entry(title.to_owned()).or_insert(0) += event["dur"].as_u64().unwrap();
    }
    lengths
}

/// Over the whole run, and in two windows that are the run together.
#[test]
fn the_spans_of_a_pe_add_up_to_its_counters() {
    for case in cases() {
        let seen = case.see();
        let half = seen.end() / 2;
        let [whole, first, second] =
            [Window::WHOLE, window(0, half), window(half, seen.end())].map(|at| case.chrome(at));
        for pe in &seen.outcome.counters.pes {
            let title = format!("{} {}", show_point(&pe.point), case.program.classes[pe.class].name);
            let length = |file: &Value, name: &str| lengths(file, name).get(&title).copied().unwrap_or(0);
            for (name, counted) in [("busy", pe.busy), ("stalled", pe.stalled), ("starved", pe.starved)] {
                assert_eq!(length(&whole, name), counted, "{} {title} {name}", case.name);
                assert_eq!(length(&first, name) + length(&second, name), counted, "{} {title} {name}", case.name);
            }
        }
    }
}

#[test]
fn the_highest_counter_of_a_channel_is_its_depth() {
    for case in cases() {
        let file = case.chrome(Window::WHOLE);
        for channel in case.see().outcome.counters.channels {
            let counters = of_phase(&file, "C").into_iter();
            let mine =
                counters.filter(|event| event["name"].as_str().unwrap().starts_with(&format!("{} ", channel.name)));
            let depths: Vec<u64> = mine.map(|event| event["args"]["words"].as_u64().unwrap()).collect();
            assert_eq!(depths.iter().max().copied().unwrap_or(0), channel.max_depth, "{}", channel.name);
        }
    }
}

/// One arrow for each word that was received, where both ends have a span.
#[test]
fn every_word_of_the_feeders_has_an_arrow() {
    let case = &cases()[0];
    let outcome = case.see().outcome;
    let file = case.chrome(Window::WHOLE);
    assert_eq!(of_phase(&file, "s").len() as u64, outcome.counters.messages());
    let window = case.chrome(window(3, 6));
    let inside = |event: &&&Value| event["ts"].as_u64().is_some_and(|clock| (3..6).contains(&clock));
    let tails: BTreeMap<u64, u64> =
        of_phase(&file, "s").iter().filter(inside).map(|event| (event["id"].as_u64().unwrap(), 1)).collect();
    let whole = of_phase(&file, "f")
        .iter()
        .filter(inside)
        .filter(|event| tails.contains_key(&event["id"].as_u64().unwrap()))
        .count();
    assert!(whole > 0);
    assert_eq!(of_phase(&window, "s").len(), whole);
}

#[test]
fn what_passes_ports_and_buses_is_seen() {
    for case in cases() {
        let (file, counters) = (case.chrome(Window::WHOLE), case.see().outcome.counters);
        let count = |name: &str| {
            let instants = of_phase(&file, "i").into_iter();
            instants.filter(|event| event["name"].as_str().unwrap().starts_with(name)).count() as u64
        };
        for (array, traffic) in &counters.memory {
            assert_eq!(count(&format!("load {array}(")), traffic.loaded);
            assert_eq!(count(&format!("store {array}(")), traffic.stored);
        }
        assert_eq!(count("drive"), counters.buses.iter().map(|bus| bus.driven).sum::<u64>());
        assert_eq!(count("hear"), counters.buses.iter().map(|bus| bus.heard).sum::<u64>());
    }
}

/// The last waits of a deadlock, with what is waited for; also in a window after the last clock.
#[test]
fn a_deadlock_ends_in_blocked_spans() {
    let stuck = |case: &Case| case.see().outcome.deadlock.map(|deadlock| (deadlock, case.see().end()));
    let found: Vec<_> = cases().into_iter().filter_map(|case| Some((stuck(&case)?, case))).collect();
    assert_eq!(found.len(), 8);
    for ((deadlock, end), case) in found {
        for (at, begin) in [(Window::WHOLE, 0), (window(end + 5, end + 9), end + 5)] {
            let file = case.chrome(at);
            let spans: Vec<&Value> =
                of_phase(&file, "X").into_iter().filter(|event| event["name"] == "blocked").collect();
            let last = if begin == 0 { end } else { begin + 1 };
            let expected = deadlock.blocked.iter().map(|blocked| {
                let from = blocked.clock.expect("a clock").max(begin);
                let words = [&*blocked.link, blocked.cause.keyword()];
                (from, last - from, words.map(str::to_owned), blocked.peer.as_ref().map(|peer| show_point(&peer.pe)))
            });
            let shown = spans.iter().map(|event| {
                let word = |key: &str| event["args"][key].as_str().map(str::to_owned);
                let words = ["link", "cause"].map(|key| word(key).unwrap());
                (event["ts"].as_u64().unwrap(), event["dur"].as_u64().unwrap(), words, word("waits for"))
            });
            assert_eq!(shown.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        }
    }
}

#[test]
fn the_order_of_the_host_changes_no_byte() {
    for case in cases() {
        for window in [Window::WHOLE, window(2, 6)] {
            assert_eq!(case.files(Order::FirstIn, window), case.files(Order::LastIn, window), "{}", case.name);
        }
    }
}
