//! What people read on standard error is in the object of `--json` as well: from the data the text is made again, and the data are as
//! the schema in the book says. Every refusal that a test of the commands meets is held so (`start::refused`).

use super::start::{Ran, object, refused, systole};
use serde_json::Value;
use std::path::Path;
use systole::diagnostic::{Diagnostic, render};
use systole::span::Source;

/// Holds the messages of a command that stopped against what it wrote under `--json`.
pub fn hold(ran: &Ran, arguments: &[&str]) {
    let object = object(&ran.stdout);
    let said = object["diagnostics"].as_array().unwrap_or_else(|| panic!("{arguments:?}: no messages: {object}"));
    assert!(!said.is_empty(), "{arguments:?}");
    let schema = schema();
    for one in said {
        if let Err(why) = conforms(one, &schema, &schema) {
            panic!("{arguments:?}: {why}: {one}");
        }
        let shown = plain(&ran.stderr);
        let parts = texts(one).into_iter().filter(|part| !shown.contains(&plain(part))).collect::<Vec<_>>();
        assert!(parts.is_empty(), "{arguments:?}: people do not see {parts:?}: {}", ran.stderr);
    }
    // The parser of flags has a layout of its own.
    let is_of_flags = ran.stderr.starts_with("error: ");
    let errors: Vec<Diagnostic> = said.iter().filter(|one| one["severity"] == "error").filter_map(rebuilt).collect();
    if !is_of_flags && errors.len() == said.len() {
        assert!(ran.stderr.contains(render(&errors, false).trim_end()), "{arguments:?}: {}", ran.stderr);
    }
}

/// All text of a message.
fn texts(said: &Value) -> Vec<&str> {
    let spans = said["spans"].as_array().into_iter().flatten().map(|span| &span["label"]);
    let all = [&said["message"], &said["help"]].into_iter().chain(said["notes"].as_array().into_iter().flatten());
    all.chain(spans).filter_map(Value::as_str).collect()
}

/// Without the lines that frame it, and without breaks of lines.
fn plain(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace() && !"│╰─┬·╭┴├╮╯".contains(*letter)).collect()
}

/// The message as it was; nothing where it points into a text that is no file.
fn rebuilt(said: &Value) -> Option<Diagnostic> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut message = Diagnostic::new(text(&said["message"]));
    for note in said["notes"].as_array()? {
        message = message.note(text(note));
    }
    if let Some(help) = said["help"].as_str() {
        message = message.help(help);
    }
    for span in said["spans"].as_array()? {
        let file = text(&span["file"]);
        let source = Source::new(&file, std::fs::read_to_string(Path::new(env!("SYSTOLE_ROOT")).join(&file)).ok()?);
        let byte = |end: &str| span[end]["byte"].as_u64().and_then(|byte| usize::try_from(byte).ok());
        let range = (byte("from")?..byte("to")?).into();
        assert_eq!(source.slice(range), span["text"], "{span}");
        for end in ["from", "to"] {
            let lines = source.text[..byte(end)?].split('\n').collect::<Vec<_>>();
            let column = lines.last().map(|line| line.chars().count() as u64 + 1);
            assert_eq!((span[end]["line"].as_u64(), span[end]["column"].as_u64()), (Some(lines.len() as u64), column));
        }
        message = message.label(&source, range, text(&span["label"]));
    }
    Some(message)
}

/// The schema of the book.
fn schema() -> Value {
    let page = std::fs::read_to_string(concat!(env!("SYSTOLE_ROOT"), "/book/src/messages.md")).expect("a page");
    let block = page.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a schema");
    serde_json::from_str(block).expect("JSON")
}

/// Whether a value is as a schema says, of which no word may be unknown here.
fn conforms(value: &Value, schema: &Value, root: &Value) -> Result<(), String> {
    for (word, meant) in schema.as_object().expect("a schema") {
        let holds = match word.as_str() {
            "type" => match meant {
                Value::Array(kinds) => kinds.iter().any(|kind| is_of(value, kind)),
                kind => is_of(value, kind),
            },
            "enum" => meant.as_array().is_some_and(|all| all.contains(value)),
            "required" => meant
                .as_array()
                .is_some_and(|keys| keys.iter().all(|key| key.as_str().is_some_and(|key| value.get(key).is_some()))),
            "items" => value.as_array().is_none_or(|all| all.iter().all(|one| conforms(one, meant, root).is_ok())),
            "properties" => meant
                .as_object()
                .into_iter()
                .flatten()
                .all(|(key, schema)| value.get(key).is_none_or(|value| conforms(value, schema, root).is_ok())),
            "additionalProperties" => value.as_object().into_iter().flatten().all(|(key, value)| {
                let is_named = schema["properties"].get(key).is_some();
                is_named || (*meant != Value::Bool(false) && conforms(value, meant, root).is_ok())
            }),
            "$ref" => conforms(value, &root["$defs"]["position"], root).is_ok() && meant == "#/$defs/position",
            "$defs" => true,
            other => return Err(format!("`{other}` is not looked at")),
        };
        if !holds {
            return Err(format!("`{word}` of the schema does not hold"));
        }
    }
    Ok(())
}

fn is_of(value: &Value, kind: &Value) -> bool {
    match kind.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("null") => value.is_null(),
        _ => false,
    }
}

/// The messages of a command under `--json`.
fn said(arguments: &[&str]) -> Vec<Value> {
    let ran = systole(&[arguments, &["--json"]].concat());
    object(&ran.stdout)["diagnostics"].as_array().cloned().unwrap_or_default()
}

/// Each kernel and each machine file that is refused.
#[test]
fn every_refused_file_is_told_as_data() {
    let name = |path: &Path| path.strip_prefix(env!("SYSTOLE_ROOT")).expect("of ours").display().to_string();
    let kernels = super::expected::cases("tests/errors", "rec");
    assert!(kernels.len() >= 60);
    for path in kernels.iter().map(|path| name(path)) {
        let ran = in_process(&["check", &path, "--json"]);
        let expect = std::fs::read_to_string(Path::new(&path).with_extension("expect")).expect("a text");
        let bare = Path::new(&path).file_name().expect("a name").to_string_lossy().into_owned();
        hold(&Ran { code: 1, stdout: ran, stderr: expect.replace(&bare, &path) }, &["check", &path]);
    }
    for path in super::expected::cases("tests/errors", "toml").iter().map(|path| name(path)) {
        let ran = in_process(&["search", "kernels/matmul.rec", "--machine", &path, "--json"]);
        let expect = std::fs::read_to_string(Path::new(&path).with_extension("expect")).expect("a text");
        let bare = Path::new(&path).file_name().expect("a name").to_string_lossy().into_owned();
        hold(&Ran { code: 1, stdout: ran, stderr: expect.replace(&bare, &path) }, &["search", &path]);
    }
}

fn in_process(words: &[&str]) -> String {
    let ran = systole::driver::run(words);
    assert_ne!(ran.code, 0, "{words:?}");
    ran.printed
}

#[test]
fn a_message_has_its_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("p.pe").display().to_string();
    std::fs::write(&program, "(array").expect("written");
    let array = folder.path().join("a.npy").display().to_string();
    std::fs::write(&array, "no array").expect("written");
    let given = format!("A={array}");
    let cases: [(&[&str], &str); 11] = [
        (&["frobnicate"], "command-line"),
        (&["run", "kernels/matmul.rec", "--size", "M=8"], "command-line"),
        (&["check", "kernels/none.rec"], "file"),
        (&["check", "tests/errors/missing-bracket.rec"], "syntax"),
        (&["check", "tests/errors/cycle-of-two.rec"], "cycle"),
        (&["check", "tests/errors/defined-input.rec"], "kernel"),
        (&["search", "kernels/matmul.rec", "--machine", "tests/errors/machine-unknown-key.toml"], "machine-file"),
        (&["sim", &program], "program"),
        (&["run", "kernels/matmul.rec", "--size", "M=2,N=2,K=2", "--input", &given], "array"),
        (&["search", "kernels/matmul.rec", "--schedule", "too-fast"], "contradiction"),
        (&["prove", "kernels/matmul.rec", "--schedule", "cannon", "--depth", "0"], "fifo-depth"),
    ];
    for (arguments, code) in cases {
        let found = said(arguments);
        assert!(!found.is_empty() && found.iter().all(|one| one["code"] == code), "{arguments:?}: {found:?}");
    }
}

/// A claim that is refuted comes with its case, its twin with no message at all.
#[test]
fn a_refuted_claim_has_its_counterexample() {
    let found = said(&["prove", "kernels/matmul.rec", "--schedule", "too-fast"]);
    assert_eq!(found[0]["counterexample"].to_string(), r#"{"M":1,"N":2,"K":1,"i":0,"j":1,"k":0}"#);
    assert_eq!(found[0]["refusal"]["kind"], "contradiction");
    assert!(said(&["prove", "kernels/matmul.rec", "--schedule", "cannon"]).is_empty());
}

/// A warning is said beside what the command found, and changes no exit code.
#[test]
fn a_warning_is_data_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("empty.rec").display().to_string();
    std::fs::write(&path, "kernel empty(N)\nin x[N]\nout y[N]\ny[i] = x[i]\ny[i] = 0 where i < 0\n").expect("written");
    let ran = systole(&["search", &path, "--json"]);
    let object = object(&ran.stdout);
    assert_eq!((ran.code, &object["diagnostics"][0]["severity"]), (0, &"warning".into()), "{}", ran.stderr);
    assert_eq!(object["diagnostics"][0]["spans"][0]["from"]["line"], 5);
    assert!(ran.stderr.starts_with("warning: "), "{}", ran.stderr);
}

/// The twin of all that is held: data that leave something out, or say more than the schema, are found.
#[test]
fn data_that_differ_from_the_text_are_found() {
    let schema = schema();
    let good = said(&["check", "tests/errors/missing-bracket.rec"]).remove(0);
    assert_eq!(conforms(&good, &schema, &schema), Ok(()));
    for (key, value) in
        [("severity", "bad".into()), ("help", 3.into()), ("colour", "red".into()), ("spans", "x".into())]
    {
        let mut bad = good.clone();
        bad[key] = value;
        assert!(conforms(&bad, &schema, &schema).is_err(), "{key}");
    }
    assert!(refused(&["check", "tests/errors/missing-bracket.rec"]).contains("missing-bracket"));
}
