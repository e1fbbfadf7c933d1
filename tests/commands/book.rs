//! Every block of the book, the read-me and the page for contributors: commands print what is shown, kernels are checked, and all else
//! is read by what reads it.
//!
//! The blocks of a page share a folder of their own, in which `kernels`, `machines` and `rules` are those of the repository. A block whose
//! first line says `file: NAME` in a comment is written there, a `console` block runs there. `BLESS=1` writes what is printed into the
//! page, but where it leaves something out (`...`).

mod blocks;

mod keys;

use super::start::{systole, timeless};
use assert_cmd::Command;
use blocks::{Block, Step, blocks, counting, is_shown, steps, words};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use systole::array::{parse, store_obligations};
use systole::machine::Machine;
use systole::obligation::Kind;
use systole::rewrite::load_rules;
use systole::smt::{Verdict, discharge_all};
use systole::span::Source;

fn root() -> &'static Path {
    Path::new(env!("SYSTOLE_ROOT"))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All pages that show commands.
fn pages() -> Vec<PathBuf> {
    let mut found = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    collect(&root().join("book/src"), &mut found);
    found.retain(|path| path.is_file());
    found.sort();
    found
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of pages") {
        let path = entry.expect("a readable entry").path();
        match path.is_dir() {
            true => collect(&path, found),
            false if path.extension().is_some_and(|ending| ending == "md") => found.push(path),
            false => (),
        }
    }
}

/// A page while its blocks are gone through.
struct Page {
    path: PathBuf,
    text: String,
    blocks: Vec<Block>,
    folder: tempfile::TempDir,
    /// Whether what is printed is accepted.
    blesses: bool,
    /// What is to be written into the page, from the first line of what it replaces.
    blessed: BTreeMap<usize, (Step, String)>,
}

impl Page {
    fn open(path: &Path) -> Result<Page, String> {
        let text = read(path);
        let blocks = blocks(&text).map_err(|line| format!("the block at line {line} is not closed"))?;
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        for shared in ["kernels", "machines", "rules"] {
            let link = std::os::unix::fs::symlink(root().join(shared), folder.path().join(shared));
            link.map_err(|error| error.to_string())?;
        }
        Ok(Page {
            path: path.to_owned(),
            text,
            blocks,
            folder,
            blesses: std::env::var_os("BLESS").is_some(),
            blessed: BTreeMap::new(),
        })
    }

    /// Each block that does not hold, with its line.
    fn problems(&mut self) -> Vec<String> {
        let all = self.blocks.clone();
        let hold = |(number, block): (usize, &Block)| {
            let problem = self.hold(number, block).err()?;
            Some(format!("{}:{}: {problem}", self.path.display(), block.lines.start + 1))
        };
        all.iter().enumerate().filter_map(hold).collect()
    }

    fn hold(&mut self, number: usize, block: &Block) -> Result<(), String> {
        let name = block.says("file:").map_or(format!("block-{number}.{}", block.language), str::to_owned);
        let path = self.folder.path().join(&name);
        let is_file = ["rec", "toml", "rules", "pe"].contains(&&*block.language);
        if is_file {
            std::fs::write(&path, &block.text).map_err(|error| error.to_string())?;
        }
        match &*block.language {
            "console" => steps(block).into_iter().try_for_each(|step| self.run(step)),
            "rec" if self.is_used(number, &name) => Ok(()),
            "rec" => ended_well(&self.systole(&["check".to_owned(), name])),
            "toml" => {
                Machine::parse(&Source::new(&name, &block.text)).map(|_| ()).map_err(|wrong| format!("{wrong:?}"))
            }
            "rules" => self.read_rules(&name, block),
            "pe" => program(&name, block),
            "json" => serde_json::from_str::<serde_json::Value>(&block.text).map(|_| ()).map_err(|why| why.to_string()),
            "rust" => quotes(block),
            "sh" => block.text.lines().try_for_each(could_run),
            "text" => is_no_command(block),
            // It takes the package for Python, whose own tests run the blocks of its page (`python/tests/test_package.py`).
            "python" if self.path.ends_with("book/src/python.md") => Ok(()),
            other => Err(format!("a block of `{other}`: nothing here reads that")),
        }
    }

    /// Whether a command further down names the file.
    fn is_used(&self, number: usize, name: &str) -> bool {
        let later = self.blocks[number..].iter().filter(|block| block.language == "console");
        later.flat_map(steps).any(|step| words(&step.command).iter().any(|word| word == name))
    }

    /// Runs the program in the page's folder: the exit code, and what both streams got.
    fn systole(&self, arguments: &[String]) -> (i32, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_systole"));
        let output = command.args(arguments).current_dir(self.folder.path()).output().expect("the program starts");
        let printed = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        (output.status.code().unwrap_or(-1), timeless(&printed.concat()))
    }

    fn run(&mut self, step: Step) -> Result<(), String> {
        let all = words(&step.command);
        let (program, arguments) = all.split_first().ok_or("a command without words")?;
        if program != "systole" {
            return Err(format!("`{program}` is not run here"));
        }
        let (code, mut printed) = self.systole(arguments);
        if code != 0 {
            printed += &format!("(exit code {code})\n");
        }
        let shown: Vec<&str> = self.text.lines().skip(step.lines.start).take(step.lines.len()).collect();
        if is_shown(&counting(&shown.join("\n")), &counting(&printed)) {
            return Ok(());
        }
        let is_whole = !shown.iter().any(|line| line.contains("..."));
        if self.blesses && is_whole {
            self.blessed.insert(step.lines.start, (step, printed));
            return Ok(());
        }
        Err(format!("`{}` prints\n{printed}\nand not\n{}", step.command, shown.join("\n")))
    }

    fn read_rules(&self, name: &str, block: &Block) -> Result<(), String> {
        let folder = self.folder.path().join(format!("{name}-alone"));
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        std::fs::write(folder.join(name), &block.text).map_err(|error| error.to_string())?;
        load_rules(Some(&folder)).map(|_| ()).map_err(|wrong| format!("{wrong:?}"))
    }

    /// Writes what was printed in place of what was shown.
    fn bless(&self) {
        let lines: Vec<&str> = self.text.lines().collect();
        let (mut text, mut at) = (String::new(), 0);
        for (first, (step, printed)) in &self.blessed {
            lines[at..*first].iter().for_each(|line| text += &format!("{line}\n"));
            printed.trim_end().lines().for_each(|line| text += &format!("{}\n", line.trim_end()));
            at = step.lines.end;
        }
        lines[at..].iter().for_each(|line| text += &format!("{line}\n"));
        if !self.blessed.is_empty() {
            std::fs::write(&self.path, text).expect("the page is written");
        }
    }
}

fn ended_well((code, printed): &(i32, String)) -> Result<(), String> {
    if *code == 0 { Ok(()) } else { Err(format!("code {code}\n{printed}")) }
}

/// A program is read; lines `; element-cover refuted, N = 1` say what its obligations come to, each that is stated; of a
/// counterexample its first numbers.
fn program(name: &str, block: &Block) -> Result<(), String> {
    let program = parse(name, &block.text).map_err(|wrong| format!("{wrong:?}"))?;
    let (obligations, _) = store_obligations(&program);
    let verdict = |proof: systole::smt::Discharged| {
        let verdict = match proof.verdict {
            Verdict::Proved => "proved".to_owned(),
            Verdict::Refuted(example) => format!("refuted, {example}"),
            Verdict::Unknown(why) => format!("unknown: {why}"),
        };
        format!("{} {verdict}", proof.obligation.kind)
    };
    let found: Vec<String> = discharge_all(&obligations, Duration::from_secs(60)).into_iter().map(verdict).collect();
    let comments = block.text.lines().filter_map(|line| line.strip_prefix("; "));
    let said: Vec<&str> = comments.filter(|line| line.starts_with("element-")).collect();
    let is_said = |(found, said): (&String, &&str)| {
        found.strip_prefix(*said).is_some_and(|rest| rest.is_empty() || rest.starts_with(','))
    };
    let all_are = found.len() == said.len() && found.iter().zip(&said).all(is_said);
    if said.is_empty() || all_are { Ok(()) } else { Err(format!("{found:?}, and not {said:?}")) }
}

/// Code of ours says from which file it is, and stands there.
fn quotes(block: &Block) -> Result<(), String> {
    let path = block.says("from:").ok_or("the first line does not say `// from: FILE`")?;
    let of = |text: &str| text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    let (file, shown): (Vec<String>, Vec<String>) = (of(&read(&root().join(path))), of(&block.text));
    let found = file.windows(shown.len() - 1).any(|lines| lines == &shown[1..]);
    if found { Ok(()) } else { Err(format!("that is not in {path}")) }
}

/// What is not run here: a target of the Makefile, a test program that there is, or a command whose flags there are.
fn could_run(line: &str) -> Result<(), String> {
    let all = words(line.split(" #").next().unwrap_or_default());
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let is_flag = |word: &&&str| word.starts_with("--");
    match &all[..] {
        [] => Ok(()),
        ["make", target, ..] => {
            let makefile = read(&root().join("Makefile"));
            let is_there = makefile.lines().any(|line| line.starts_with(&format!("{target}:")));
            is_there.then_some(()).ok_or(format!("the Makefile has no `{target}`"))
        }
        ["bash", script] => root().join(script).is_file().then_some(()).ok_or(format!("{script} is not there")),
        ["cargo", "build", ..] => Ok(()),
        ["BLESS=1", rest @ ..] => could_run(&rest.join(" ")),
        ["cargo", "test", rest @ ..] => {
            let names = rest.windows(2).filter(|pair| pair[0] == "--test").map(|pair| pair[1]);
            let missing = names.into_iter().find(|name| !root().join(format!("tests/{name}/main.rs")).is_file());
            missing.map_or(Ok(()), |name| Err(format!("there is no test program `{name}`")))
        }
        ["cargo", "run", "--release", "--", rest @ ..] => could_run(&format!("systole {}", rest.join(" "))),
        ["mpirun", "-n", _, rest @ ..] => could_run(&rest.join(" ")),
        ["systole", command, rest @ ..] => {
            let help = systole(&[command, "--help"]);
            let is_there = |flag: &str| counting(&help.stdout).iter().any(|line| has_word(line, flag));
            let missing = rest.iter().filter(is_flag).find(|flag| !is_there(flag));
            match (help.code, missing) {
                (0, None) => Ok(()),
                (0, Some(flag)) => Err(format!("`systole {command}` has no flag `{flag}`")),
                _ => Err(format!("there is no command `{command}`")),
            }
        }
        [other, ..] => Err(format!("nothing here knows `{other}`")),
    }
}

fn has_word(line: &str, word: &str) -> bool {
    line.split([' ', ',', '`']).any(|other| other == word)
}

/// A formula or a picture.
fn is_no_command(block: &Block) -> Result<(), String> {
    let is_command =
        |line: &str| ["$ ", "systole ", "cargo ", "make "].iter().any(|begin| line.trim().starts_with(begin));
    match block.text.lines().find(|line| is_command(line)) {
        Some(line) => Err(format!("`{line}` is a command, in a block of text")),
        None => Ok(()),
    }
}

/// What is proved has a page a kind, on which something is proved and something refuted, and the list of all names it.
#[test]
fn every_kind_of_obligation_has_a_page() {
    let folder = root().join("book/src/proved");
    let list = read(&folder.join("obligations.md"));
    for (_, word) in Kind::ALL {
        let page = read(&folder.join(format!("{word}.md")));
        assert!(page.starts_with(&format!("# {word}\n\n**Claim.** ")), "{word}");
        assert!(list.contains(&format!("[{word}]({word}.md)")), "{word}");
        assert!(page.contains("```text\n") && page.contains("proved") && page.contains("refuted"), "{word}");
    }
    let summary = read(&root().join("book/src/SUMMARY.md"));
    for path in pages().iter().filter(|path| path.starts_with(root().join("book/src")) && !path.ends_with("SUMMARY.md"))
    {
        let name = path.strip_prefix(root().join("book/src")).expect("a page of the book").display().to_string();
        assert!(summary.contains(&format!("({name})")), "the summary lacks {name}");
    }
}

#[test]
fn every_block_of_every_page_holds() {
    let (pages, next) = (pages(), AtomicUsize::new(0));
    let work = || {
        let mut problems = vec![];
        while let Some(path) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
            match Page::open(path) {
                Ok(mut page) => {
                    problems.extend(page.problems());
                    page.bless();
                }
                Err(problem) => problems.push(format!("{}: {problem}", path.display())),
            }
        }
        problems
    };
    let problems = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..3).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no worker panics")).collect::<Vec<_>>()
    });
    assert!(pages.len() > 20, "the pages were not found: {}", pages.len());
    assert!(problems.is_empty(), "{}\n(BLESS=1 accepts what is printed)", problems.join("\n\n"));
}

/// What the test above would let pass is what these would: each is refused.
#[test]
fn blocks_that_do_not_hold_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let wrong = [
        ("```\nsystole doctor\n```", "a block of ``"),
        ("```text\n$ systole doctor\n```", "is a command"),
        ("```rec\nkernel k(N\n```", "code 1"),
        ("```toml\n[link]\nlatencies = 1\n```", "latencies"),
        ("```rules\ninject: (stream ?s ?d ?x ?g) => ?s\n```", "law"),
        ("```pe\n(program k)\n```", "block-0.pe"),
        ("```rust\n// from: src/systole/lib.rs\nfn nobody_has_written_this() {}\n```", "not in src/systole/lib.rs"),
        ("```sh\nmake nothing-of-the-kind\n```", "has no"),
        ("```sh\nmpirun -n 2 systole exec a.pe --no-such-flag\n```", "has no flag"),
        ("```console\n$ systole check none.rec\nall is well\n```", "and not"),
        ("```console\n$ rm -r folder\n```", "is not run here"),
    ];
    for (text, part) in wrong {
        let path = folder.path().join("page.md");
        std::fs::write(&path, text).expect("written");
        let problems = Page::open(&path).expect("its blocks are closed").problems();
        assert!(problems.len() == 1 && problems[0].contains(part), "{text}: {problems:?}");
    }
}

/// What is printed replaces what is shown, command by command, and nothing where something is left out.
#[test]
fn what_is_printed_is_accepted_on_request() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("page.md");
    let page = |first: &str, second: &str| {
        let commands = ["check none.rec", "sim none.pe --size N=1"];
        format!("before\n```console\n$ systole {}\n{first}$ systole {}\n{second}```\nafter\n", commands[0], commands[1])
    };
    let open = |text: &str, blesses: bool| {
        std::fs::write(&path, text).expect("written");
        let mut page = Page::open(&path).expect("its blocks are closed");
        page.blesses = blesses;
        let problems = page.problems();
        page.bless();
        (problems.len(), read(&path))
    };
    let wrong = page("once more\n", "nothing\n");
    assert_eq!(open(&wrong, false), (1, wrong.clone()));
    let (problems, written) = open(&wrong, true);
    assert!(problems == 0 && written.contains("cannot read `none.rec`") && written.contains("cannot read `none.pe`"));
    assert!(written.starts_with("before\n") && written.ends_with("```\nafter\n") && !written.contains("nothing"));
    assert_eq!(open(&written, false), (0, written.clone()));
    let left_out = page("once more\n...\n", "nothing\n");
    assert_eq!(open(&left_out, true), (1, left_out));
}

/// Commands that stand in a line, between backquotes, have flags that there are, and files that there are or that the page writes.
#[test]
fn commands_within_sentences_could_run() {
    let mut count = 0;
    for path in pages() {
        let text = read(&path);
        for line in text.lines().filter(|line| !line.trim_start().starts_with("```")) {
            let quoted = line.split('`').skip(1).step_by(2);
            for command in quoted.filter(|words| words.starts_with("systole ") || words.starts_with("mpirun ")) {
                let problem = could_run(command).and_then(|()| has_its_files(command, &text)).err();
                assert!(problem.is_none(), "{}: `{command}`: {problem:?}", path.display());
                count += 1;
            }
        }
    }
    assert!(count > 20, "the commands were not found: {count}");
}

/// Each file ships, or is written by the page; `FILE.rec` stands for any.
fn has_its_files(command: &str, page: &str) -> Result<(), String> {
    let is_file = |word: &&String| [".rec", ".pe", ".toml"].iter().any(|end| word.ends_with(end)) || word.contains('/');
    let is_there = |word: &str| {
        let is_written =
            ["file: ", "-o ", "--output ", "systole new "].iter().any(|begin| page.contains(&format!("{begin}{word}")));
        word.starts_with("FILE") || root().join(word).exists() || is_written
    };
    let all = words(command);
    let missing = all.iter().filter(is_file).find(|word| !is_there(word));
    missing.map_or(Ok(()), |word| Err(format!("`{word}` is not there")))
}

#[test]
fn commands_that_could_not_run_are_refused() {
    assert!(
        has_its_files("systole run kernels/none.rec", "").is_err() && has_its_files("systole sim a.pe", "").is_err()
    );
    assert!(has_its_files("systole sim a.pe", "`systole emit FILE.rec -o a.pe`").is_ok());
    assert!(has_its_files("systole check a.rec", "`systole new a.rec`").is_ok());
    assert!(could_run("systole run kernels/matmul.rec --sizes N=4").is_err() && could_run("systole fly").is_err());
}
