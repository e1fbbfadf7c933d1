//! A browser without a window, driven through the DevTools protocol over two pipes: messages are JSON, each ended by a zero.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

const FLAGS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
];

/// A page in a browser; both end with this.
pub struct Browser {
    child: Child,
    requests: ChildStdin,
    answers: Receiver<Value>,
    session: Value,
    last: u64,
    /// What the page said or asked for since it was opened.
    pub events: Vec<Value>,
    _profile: TempDir,
}

/// The first browser that is installed; `None`, loudly, where there is none.
fn installed() -> Option<&'static str> {
    let starts = |name: &&&str| {
        let quiet = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        quiet.is_ok_and(|status| status.success())
    };
    let found = BROWSERS.iter().find(starts).copied();
    if found.is_none() {
        // Written past the capture of test output, so that it is seen.
        let _ =
            writeln!(std::io::stderr(), "SKIPPED: no chromium is installed, so the pages are not opened in a browser");
    }
    found
}

impl Browser {
    /// A browser with an empty page of this size; `None` where there is no browser.
    pub fn start(width: u32, height: u32) -> Option<Browser> {
        let profile = tempfile::tempdir().unwrap();
        let mut child = Command::new("sh")
            // The browser reads requests from 3 and writes answers to 4.
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", installed()?])
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (requests, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let answers = listen(output);
        let mut browser =
            Browser { child, requests, answers, session: Value::Null, last: 0, events: vec![], _profile: profile };
        let target = browser.ask("Target.createTarget", &json!({ "url": "about:blank" }))["targetId"].clone();
        let attached = browser.ask("Target.attachToTarget", &json!({ "targetId": target, "flatten": true }));
        browser.session = attached["sessionId"].clone();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.ask(&format!("{domain}.enable"), &json!({}));
        }
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        browser.ask("Emulation.setDeviceMetricsOverride", &size);
        Some(browser)
    }

    /// Sends a request and waits for its answer; what happens meanwhile is kept.
    pub fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let mut request = json!({ "id": self.last, "method": method, "params": params });
        if !self.session.is_null() {
            request["sessionId"] = self.session.clone();
        }
        self.requests.write_all(format!("{request}\0").as_bytes()).unwrap();
        loop {
            let message = self.answers.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("{method}: {error}"));
            if message["id"] == self.last {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return message["result"].clone();
            }
            self.events.push(message);
        }
    }

    /// Opens a file and waits until it is loaded.
    pub fn open(&mut self, path: &Path) {
        self.events.clear();
        self.ask("Page.navigate", &json!({ "url": format!("file://{}", path.display()) }));
        self.wait_for("document.readyState === 'complete' && location.protocol === 'file:'");
    }

    /// The value of an expression in the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let answer = self.ask("Runtime.evaluate", &json!({ "expression": expression, "returnByValue": true }));
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub fn wait_for(&mut self, expression: &str) {
        let start = Instant::now();
        while self.value(expression) != true {
            assert!(start.elapsed() < PATIENCE, "it never becomes true: {expression}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Presses a key, wherever the focus is.
    pub fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.ask("Input.dispatchKeyEvent", &json!({ "type": kind, "key": key, "code": key }));
        }
    }

    /// What the page complained of: exceptions, errors on the console, entries of the log.
    pub fn complaints(&self) -> Vec<&Value> {
        let complains = |event: &&Value| match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => {
                ["error", "warning"].contains(&event["params"]["type"].as_str().unwrap_or(""))
            }
            Some("Log.entryAdded") => {
                ["error", "warning"].contains(&event["params"]["entry"]["level"].as_str().unwrap_or(""))
            }
            _ => false,
        };
        self.events.iter().filter(complains).collect()
    }

    /// The addresses that were asked for, the page's own aside.
    pub fn requested(&self) -> Vec<String> {
        let sent = self.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        let address = |event: &Value| event["params"]["request"]["url"].as_str().unwrap_or("").to_owned();
        sent.map(address).filter(|url| !url.ends_with("/page.html")).collect()
    }
}

/// The messages of a browser, as they come.
fn listen(output: ChildStdout) -> Receiver<Value> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for message in BufReader::new(output).split(0) {
            let Ok(message) = message.map(|bytes| serde_json::from_slice(&bytes).unwrap_or(Value::Null)) else {
                return;
            };
            if sender.send(message).is_err() {
                return;
            }
        }
    });
    receiver
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.requests.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let start = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) && start.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
