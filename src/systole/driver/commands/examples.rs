//! `systole examples`: what ships, by kind, each with a command that shows it.

use crate::driver::flags::arguments::ExamplesArguments;
use crate::driver::flags::typed::Typed;
use crate::driver::shown::output::Output;
use crate::driver::{Done, Verdict, shipped};
use serde_json::{Value, json};
use std::path::PathBuf;
use systole_base::diagnostic::{Checked, Diagnostic, nearest};
use systole_base::span::Source;
use systole_equations::syntax;

/// The folders of what ships, each with what is in it; the first that a path is in is its kind.
const KINDS: [(&str, &str); 6] = [
    ("kernels/naive", "equations as they are first written, to derive better forms from"),
    ("kernels/layers", "layers of networks"),
    ("kernels/polybench", "PolyBench"),
    ("kernels/blocks", "equations over blocks"),
    ("kernels", "kernels with their classical arrays"),
    ("machines", "machines"),
];

/// How many characters of a title are shown.
const TITLE: usize = 72;

/// A file that ships.
struct Example {
    path: PathBuf,
    kind: &'static str,
    title: String,
    command: String,
    schedules: Vec<String>,
}

/// Runs the command.
pub fn run(arguments: &ExamplesArguments, output: &Output) -> Done {
    let all = shipped::paths("rec").into_iter().chain(shipped::paths("toml")).map(example);
    let all = all.collect::<Checked<Vec<Example>>>()?;
    let found: Vec<&Example> = match &arguments.about {
        Some(word) => about(word, &all)?,
        None => all.iter().collect(),
    };
    let width = found.iter().map(|one| one.command.len()).max().unwrap_or(0);
    let mut kind = "";
    for one in &found {
        if one.kind != kind {
            output.line(&format!("{}{}", if kind.is_empty() { "" } else { "\n" }, one.kind));
            kind = one.kind;
        }
        one.print(width, arguments.about.is_some(), output);
    }
    output.object(&json!({ "examples": found.iter().map(|one| one.json()).collect::<Vec<_>>() }));
    Ok(Verdict::Good)
}

impl Example {
    fn print(&self, width: usize, with_schedules: bool, output: &Output) {
        output.line(&format!("  {:<width$}  {}", self.command, self.title));
        let schedules = self.schedules.iter().filter(|_| with_schedules);
        let prove = |name| Typed::command("prove").file(self.path.display()).flag("--schedule", Some(name)).line();
        schedules.for_each(|name| output.line(&format!("    {}", prove(name))));
    }

    fn json(&self) -> Value {
        json!({
            "path": self.path,
            "kind": self.kind,
            "title": self.title,
            "command": self.command,
            "schedules": self.schedules,
        })
    }

    fn has(&self, word: &str) -> bool {
        let words = [self.path.display().to_string(), self.title.clone(), self.schedules.join(" ")];
        words.iter().any(|words| words.to_lowercase().contains(&word.to_lowercase()))
    }
}

fn example(path: PathBuf) -> Checked<Example> {
    let text = shipped::text(&path).unwrap_or_default();
    let kind = KINDS.iter().find(|(folder, _)| path.starts_with(folder)).map_or("others", |(_, kind)| kind);
    let title = title(text);
    if path.extension().is_some_and(|extension| extension == "toml") {
        let command = Typed::command("search").file("kernels/matmul.rec").path("--machine", Some(&path)).line();
        return Ok(Example { path, kind, title, command, schedules: vec![] });
    }
    let file = syntax::parse(&Source::new(path.display().to_string(), text))?;
    let sizes = file.kernel.node.parameters.iter().map(|size| &size.node);
    let typed = |command: &str| Typed::command(command).file(path.display());
    let command = match path.starts_with("kernels/naive") {
        true => typed("derive"),
        false => typed("run").sizes(sizes, 4),
    };
    let command = command.line();
    let schedules = file.schedules.iter().map(|schedule| schedule.name.node.to_string()).collect();
    Ok(Example { path, kind, title, command, schedules })
}

/// The first sentence of the comment with which a file begins, or as much of it as has room.
fn title(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix('#')).map(str::trim);
    let comment = lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    // `B (C . D)` is a product, and `..` no end either.
    let is_end = |at: &usize| !comment[..*at].ends_with(['.', ' ']);
    let end = comment.match_indices(". ").map(|(at, _)| at).find(is_end);
    let sentence = end.map_or(comment.trim_end_matches('.'), |end| &comment[..end]);
    match sentence.char_indices().nth(TITLE) {
        None => sentence.to_owned(),
        Some((end, _)) => {
            let end = sentence[..end].rfind([',', ':', ' ']).unwrap_or(end);
            format!("{} ..", sentence[..end].trim_end_matches([',', ':', ' ']))
        }
    }
}

/// The examples that have a word in their path, their title or their schedules.
fn about<'e>(word: &str, all: &'e [Example]) -> Checked<Vec<&'e Example>> {
    let found: Vec<&Example> = all.iter().filter(|one| one.has(word)).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let stems = all.iter().filter_map(|one| one.path.file_stem().and_then(|stem| stem.to_str()));
    let meant = nearest(word, stems).map(|meant| format!("did you mean `{meant}`?"));
    let help = meant.unwrap_or_else(|| "systole examples lists all of them".to_owned());
    Diagnostic::usage(format!("no example has the word `{word}`")).help(help).alone()
}
