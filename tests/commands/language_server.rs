//! `systole language-server`, by speaking the protocol: the messages of the command line at the same places, and what is shown of a kernel.

use super::start::{object, systole};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// An editor that has started the server.
struct Editor {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Editor {
    fn start() -> Editor {
        let mut command = Command::new(env!("CARGO_BIN_EXE_systole"));
        command.arg("language-server").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let (input, output) = (child.stdin.take().expect("input"), child.stdout.take().expect("output"));
        let mut editor = Editor { child, input, output: BufReader::new(output), asked: 0 };
        let answer = editor.ask("initialize", &json!({ "capabilities": {} }));
        for able in ["hoverProvider", "definitionProvider", "completionProvider", "textDocumentSync"] {
            assert!(!answer["capabilities"][able].is_null(), "{answer}");
        }
        editor.say("initialized", &json!({}));
        editor
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("it reads");
        self.input.flush().expect("it reads");
    }

    fn say(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params }));
        let answer = self.next();
        assert_eq!(answer["id"], self.asked, "{answer}");
        answer.get("result").cloned().unwrap_or_else(|| json!({ "error": answer["error"] }))
    }

    fn next(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).expect("a head");
            assert!(!line.is_empty(), "the server has gone");
            match line.trim().strip_prefix("Content-Length: ") {
                Some(count) => length = count.parse().expect("a length"),
                None if line.trim().is_empty() => break,
                None => {}
            }
        }
        let mut text = vec![0; length];
        self.output.read_exact(&mut text).expect("a message");
        serde_json::from_slice(&text).expect("JSON")
    }

    /// The messages of a text that is opened.
    fn open(&mut self, uri: &str, text: &str) -> Vec<Value> {
        let document = json!({ "uri": uri, "languageId": "systole", "version": 1, "text": text });
        self.say("textDocument/didOpen", &json!({ "textDocument": document }));
        self.published(uri)
    }

    fn change(&mut self, uri: &str, text: &str) -> Vec<Value> {
        let document = json!({ "uri": uri, "version": 2 });
        self.say("textDocument/didChange", &json!({ "textDocument": document, "contentChanges": [{ "text": text }] }));
        self.published(uri)
    }

    fn published(&mut self, uri: &str) -> Vec<Value> {
        let said = self.next();
        assert_eq!((&said["method"], &said["params"]["uri"]), (&json!("textDocument/publishDiagnostics"), &json!(uri)));
        said["params"]["diagnostics"].as_array().expect("a list").clone()
    }

    /// What is answered for the first place at which `part` stands in a text, and so many letters on.
    fn at(&mut self, what: &str, (uri, text): (&str, &str), part: &str, on: usize) -> Value {
        let byte = text.find(part).unwrap_or_else(|| panic!("{part}")) + on;
        let place = json!({ "textDocument": { "uri": uri }, "position": place(text, byte) });
        self.ask(&format!("textDocument/{what}"), &place)
    }

    /// The editor is done.
    fn end(mut self) {
        assert!(self.ask("shutdown", &Value::Null).is_null());
        self.say("exit", &Value::Null);
        assert_eq!(self.child.wait().expect("it ends").code(), Some(0));
    }
}

/// The place of a byte, counted letter by letter in units of UTF-16.
fn place(text: &str, byte: usize) -> Value {
    let (mut line, mut character) = (0, 0);
    for letter in text[..byte].chars() {
        match letter {
            '\n' => (line, character) = (line + 1, 0),
            other => character += other.len_utf16(),
        }
    }
    json!({ "line": line, "character": character })
}

/// A message as the protocol has it, of one that the command line has as data.
fn expected(said: &Value, text: &str) -> Value {
    let spans = said["spans"].as_array().expect("a list");
    let range = |span: &Value| {
        let [from, to] =
            ["from", "to"].map(|end| usize::try_from(span[end]["byte"].as_u64().expect("a byte")).expect("small"));
        let letter = text[from..].chars().next().filter(|letter| *letter != '\n').map_or(0, char::len_utf8);
        json!({ "start": place(text, from), "end": place(text, to.max(from + letter)) })
    };
    let label = spans.first().map(|span| &span["label"]).filter(|label| *label != "");
    let help = said["help"].as_str().map(|help| json!(format!("help: {help}")));
    let lines =
        [&said["message"]].into_iter().chain(label).chain(said["notes"].as_array().expect("a list")).chain(&help);
    let start = json!({ "line": 0, "character": 0 });
    json!({
        "code": said["code"],
        "message": lines.map(|line| line.as_str().expect("text")).collect::<Vec<_>>().join("\n"),
        "range": spans.first().map_or_else(|| json!({ "start": start, "end": start }), range),
        "others": spans.iter().skip(1).map(|span| json!([span["label"], range(span)])).collect::<Vec<_>>(),
    })
}

fn shown(said: &Value) -> Value {
    let others = said["relatedInformation"].as_array().cloned().unwrap_or_default();
    json!({
        "code": said["code"], "message": said["message"], "range": said["range"],
        "others": others.iter().map(|one| json!([one["message"], one["location"]["range"]])).collect::<Vec<_>>(),
    })
}

/// Kernels that are refused, each also behind a comment of letters that take two units of UTF-16 each.
#[test]
fn messages_are_those_of_the_command_line() {
    let mut editor = Editor::start();
    let folder = tempfile::tempdir().unwrap();
    let kernels: Vec<PathBuf> = super::expected::cases("tests/errors", "rec");
    assert!(kernels.len() >= 20);
    for path in &kernels {
        let plain = std::fs::read_to_string(path).expect("text");
        for text in [plain.clone(), wide(&plain)] {
            let copy = folder.path().join("k.rec");
            std::fs::write(&copy, &text).unwrap();
            let ran = systole_in_process(&copy);
            let wanted: Vec<Value> = ran.iter().map(|said| expected(said, &text)).collect();
            let found = editor.open("file:///k.rec", &text);
            assert_eq!(found.iter().map(shown).collect::<Vec<_>>(), wanted, "{}", path.display());
            assert!(
                !wanted.is_empty() && found.iter().all(|said| said["severity"] == 1 && said["source"] == "systole")
            );
        }
    }
    editor.end();
}

/// An address that is none, and parameters of another form: nobody waits for an answer, and what follows has one.
#[test]
fn what_has_not_the_form_of_the_protocol_ends_nothing() {
    let mut editor = Editor::start();
    let wrong =
        json!({ "textDocument": { "uri": "file:///a b[1].rec", "languageId": "rec", "version": 1, "text": "x" } });
    editor.say("textDocument/didOpen", &wrong);
    editor.say("textDocument/didChange", &json!({ "bad": 1 }));
    assert_eq!(editor.open("file:///k.rec", "kernel k(N)\nin x[N]\nout y[N]\ny[i] = x[i]\n"), Vec::<Value>::new());
    editor.end();
}

/// What is no message is answered, and the exchange goes on.
#[test]
fn a_body_that_is_no_message_is_answered() {
    let mut editor = Editor::start();
    let faulty = [
        ("{bad json", -32700, Value::Null),
        ("", -32700, Value::Null),
        ("{}", -32600, Value::Null),
        ("[]", -32600, Value::Null),
        ("null", -32600, Value::Null),
        ("{\"id\":7}", -32600, json!(7)),
        ("{\"id\":\"a\",\"method\":3}", -32600, json!("a")),
    ];
    for (body, code, id) in faulty {
        write!(editor.input, "content-length:{}\r\nContent-Type: x\r\n\r\n{body}", body.len()).expect("it reads");
        editor.input.flush().expect("it reads");
        let answer = editor.next();
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{body}: {answer}");
    }
    assert_eq!(editor.ask("initialize", &json!({}))["error"]["code"], -32600);
    assert_eq!(editor.open("file:///k.rec", "kernel k(N)\nin x[N]\nout y[N]\ny[i] = x[i]\n"), Vec::<Value>::new());
    assert!(editor.ask("shutdown", &Value::Null).is_null());
    assert_eq!(editor.ask("textDocument/hover", &json!({}))["error"]["code"], -32600);
    editor.say("exit", &Value::Null);
    assert_eq!(editor.child.wait().expect("it ends").code(), Some(0));
}

/// Nobody knows where the next message begins: the exchange ends with one line, and takes no memory for what was promised.
#[test]
fn a_head_without_a_length_that_is_one_ends_the_exchange() {
    for head in [
        "Content-Length: 18446744073709551615",
        "Content-Length: 9223372036854775807",
        "Content-Length: -1",
        "Length",
        "",
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_systole"));
        command.arg("language-server").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut input = child.stdin.take().expect("input");
        write!(input, "{head}\r\n\r\n{{}}").expect("it reads");
        drop(input);
        let ended = child.wait_with_output().expect("it ends");
        let said = String::from_utf8(ended.stderr).expect("text");
        assert_eq!((ended.status.code(), ended.stdout.len()), (Some(1), 0), "{head}: {said}");
        assert!(said.contains("×") && !said.contains("panicked") && said.lines().count() < 8, "{head}: {said}");
    }
}

/// A text that is changed again before anybody asks is not read: the last one has the messages.
#[test]
fn the_last_of_quick_changes_is_read() {
    let mut editor = Editor::start();
    let text = |count: usize| format!("kernel k(N)\nin x[N]\nout y[N]\n{}y[i] = z[i]\n", "\n".repeat(count));
    editor.open("file:///k.rec", &text(0));
    for count in 1..=50 {
        let document = json!({ "uri": "file:///k.rec", "version": count });
        let changes = json!([{ "text": text(count) }]);
        editor.say("textDocument/didChange", &json!({ "textDocument": document, "contentChanges": changes }));
    }
    let mut seen = 0;
    while seen < 50 {
        let said = editor.next();
        let version = said["params"]["version"].as_u64().expect("a version");
        assert!(version > seen, "{version} after {seen}");
        assert_eq!(said["params"]["diagnostics"][0]["range"]["start"]["line"], 3 + version);
        seen = version;
    }
    editor.end();
}

/// The twin of `end`: an editor that leaves without a word is told by the code, as the protocol says.
#[test]
fn an_exit_before_a_shutdown_is_code_1() {
    let mut editor = Editor::start();
    editor.say("exit", &Value::Null);
    assert_eq!(editor.child.wait().expect("it ends").code(), Some(1));
}

/// The text with a letter of two units in the place of each first letter of a comment, and blanks before lines left as they are.
fn wide(text: &str) -> String {
    text.lines().map(|line| line.replacen("# ", "# \u{1d400}\u{1d401} ", 1) + "\n").collect()
}

fn systole_in_process(path: &Path) -> Vec<Value> {
    let ran = systole::driver::run(&["check", path.to_str().expect("text"), "--json"]);
    object(&ran.printed)["diagnostics"].as_array().cloned().unwrap_or_default()
}

/// A file that is right has no message, and none is left when a wrong one is made right.
#[test]
fn rules_and_programs_have_messages_too() {
    let mut editor = Editor::start();
    let rules = std::fs::read_to_string("rules/dataflow.rules").expect("text");
    assert_eq!(editor.open("file:///own.rules", &rules), Vec::<Value>::new());
    let wrong = rules.replace("(last ?s ?d (acc ?s ?o ?d ?f))", "(last ?s ?d (acc ?s ?o ?d ?g))");
    let said = editor.change("file:///own.rules", &wrong);
    assert_eq!((said.len(), &said[0]["code"]), (1, &json!("rules")));
    let line = wrong.lines().position(|line| line.contains("?d ?g))")).expect("the line");
    assert_eq!(said[0]["range"]["start"]["line"], line, "{said:?}");
    assert_eq!(editor.change("file:///own.rules", &rules), Vec::<Value>::new());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cannon.pe");
    let emitted = systole(&["emit", "kernels/matmul.rec", "--schedule", "cannon", "-o", path.to_str().unwrap()]);
    assert_eq!(emitted.code, 0, "{}", emitted.stderr);
    let program = std::fs::read_to_string(&path).unwrap();
    assert_eq!(editor.open("file:///cannon.pe", &program), Vec::<Value>::new());
    let wrong = program.replacen("(channel ", "(chanel ", 1);
    std::fs::write(&path, &wrong).unwrap();
    let ran = systole(&["sim", path.to_str().unwrap(), "--size", "M=2,N=2,K=2", "--json"]);
    // Messages have the name by which the file was called.
    let printed = ran.stdout.replace(path.to_str().unwrap(), "cannon.pe");
    let wanted: Vec<Value> =
        object(&printed)["diagnostics"].as_array().unwrap().iter().map(|said| expected(said, &wrong)).collect();
    let found: Vec<Value> = editor.change("file:///cannon.pe", &wrong).iter().map(shown).collect();
    assert_eq!(found, wanted);
    // One that can still be read runs, with a warning.
    let deeper = program.replacen("(depth 2)", "(depth 3)", 1);
    assert_ne!(deeper, program);
    let said = editor.change("file:///cannon.pe", &deeper);
    assert_eq!((said.len(), &said[0]["severity"]), (1, &json!(2)), "{said:?}");
    assert!(said[0]["message"].as_str().unwrap().contains("is not the text that was proved"), "{said:?}");
    // What is neither is nothing to the server: the next answer is to the next question.
    editor.say(
        "textDocument/didOpen",
        &json!({ "textDocument": { "uri": "file:///a.txt", "languageId": "text", "version": 1, "text": "x" } }),
    );
    let refused = editor.ask("textDocument/rename", &json!({}));
    assert_eq!(refused["error"]["code"], -32601);
    editor.end();
}

#[test]
fn a_word_is_explained_and_leads_to_where_it_comes_from() {
    let mut editor = Editor::start();
    let text = std::fs::read_to_string("kernels/matmul.rec").expect("text");
    let file = ("file:///matmul.rec", text.as_str());
    assert_eq!(editor.open(file.0, &text), Vec::<Value>::new());
    let mut hover = |part: &str, on: usize| {
        editor.at("hover", file, part, on)["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    let tensor = hover("A[i, k] * B", 0);
    assert!(tensor.contains("in A[M, K]") && tensor.contains("the same along <j>"), "{tensor}");
    let equation = hover("sum(k in", 1);
    assert!(equation.contains("0 <= k < K") && equation.contains("0 <= i < M"), "{equation}");
    assert!(hover("M, N, K)", 0).contains("is a size of the kernel, at least 1"));
    let line = hover("stream A along j", 2);
    assert!(line.contains("from PE to PE") && line.contains("(0, 1) PEs, and has 1 step"), "{line}");
    assert!(hover("time i + j + k", 0).contains("at step `i + j + k`"));
    assert_eq!(hover("# Matrix product", 4), "");
    let mut leads = |part: &str, on: usize| editor.at("definition", file, part, on)["range"]["start"].clone();
    let start = |part: &str, on: usize| place(&text, text.find(part).expect("there") + on);
    assert_eq!(leads("stream A along", 7), start("A[M, K]", 0));
    assert_eq!(leads("B[k, j]", 0), start("B[K, N]", 0));
    assert_eq!(leads("K, N]", 0), start("M, N, K)", 6));
    assert_eq!(leads("k] * B", 0), start("sum(k in", 4));
    assert_eq!(leads("place (i, j)", 7), start("C[i, j]", 2));
    assert!(leads("Matrix product", 0).is_null());
    editor.end();
}

#[test]
fn what_may_stand_at_a_place_is_offered() {
    let mut editor = Editor::start();
    let kernel = std::fs::read_to_string("kernels/matmul.rec").expect("text");
    let mut offered = |last: &str| {
        // The last line is not whole yet, so names are those of the text before.
        editor.open("file:///k.rec", &kernel);
        let text = format!("{kernel}\nschedule mine\n{last}");
        editor.change("file:///k.rec", &text);
        let place = json!({ "textDocument": { "uri": "file:///k.rec" }, "position": place(&text, text.len()) });
        let found = editor.ask("textDocument/completion", &place);
        found
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| one["label"].as_str().expect("text").to_owned())
            .collect::<Vec<_>>()
    };
    let words = offered("");
    assert_eq!(words, systole_language_server::editor::WORDS.map(|(word, ..)| word));
    assert_eq!(offered("stream "), ["A", "B", "C"]);
    assert_eq!(offered("stream A along "), ["i", "j", "k"]);
    assert_eq!(offered("place (i, "), ["i", "j", "k"]);
    assert!(offered("stream A ").contains(&"along".to_owned()));
    assert_eq!(offered("# stream "), Vec::<String>::new());
    editor.end();
}

/// The words of schedules are those of the language: here, in the grammar for colours, and in the parser.
#[test]
fn all_words_of_schedules_are_known() {
    let words = systole_language_server::editor::WORDS.map(|(word, ..)| word);
    let parser = std::fs::read_to_string("src/equations/syntax/schedules.rs").expect("text");
    let list = parser.split("const WORDS").nth(1).and_then(|rest| rest.split(';').nth(1)).expect("the list");
    let mut of_parser: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
    let mut sorted = words.to_vec();
    sorted.sort_unstable();
    of_parser.sort_unstable();
    assert_eq!(sorted, of_parser);
    let folder = Path::new("src/language-server/vscode");
    let read = |name: &str| {
        serde_json::from_str::<Value>(&std::fs::read_to_string(folder.join(name)).expect("text")).expect("JSON")
    };
    let grammar = read("syntaxes/systole.tmLanguage.json");
    let coloured = grammar["repository"]["directive"]["match"].as_str().expect("text").to_owned();
    assert!(words.iter().all(|word| coloured.contains(word)), "{coloured}");
    let extension = read("package.json");
    for one in extension["contributes"]["grammars"].as_array().expect("a list") {
        assert_eq!(read(one["path"].as_str().expect("text"))["scopeName"], one["scopeName"]);
    }
    for (_, line, _) in systole_language_server::editor::WORDS {
        let text = format!("kernel k(N)\nin A[N]\nout X[N]\nX[i] = A[i]\nschedule s\n{line}\n");
        let source = systole::span::Source::new("k.rec", text);
        assert!(systole::syntax::parse(&source).is_ok(), "{line}");
    }
}
