//! Words that had several meanings, or one that only we knew: they name nothing any more, and no message says them.

use crate::tree::files;

/// What is said in place of each.
const RETIRED: [(&str, &str); 16] = [
    ("deal", "distribute"),
    ("deals", "distributes"),
    ("dealt", "distributed"),
    ("dealing", "distribution"),
    ("known", "what it is known by, or from: recognised, cached, closed values"),
    ("part", "what it is part of: a design of a space, a contribution, a coordinate"),
    ("parts", "what they are parts of"),
    ("told", "shown, said; of a command: ran"),
    ("taken", "received, read; of time: run time"),
    ("heard", "read from a bus"),
    ("spoken", "put on a bus"),
    ("turn", "rotate an axis; interleave; a residue of a fold"),
    ("turns", "interleaved; in the order of"),
    ("turned", "rotated, interleaved"),
    ("turning", "interleaving"),
    ("whoever", "every PE that, any worker"),
];

/// Of these the words that are plain English in a sentence: `taken at`, `by turns`.
const ENGLISH: [&str; 8] = ["taken", "turn", "turns", "turned", "heard", "known", "part", "parts"];

/// Words that one could use for several things, with the one that they are here and every type and module that has them.
const MEANINGS: [(&str, &str, &[&str]); 7] = [
    ("element", "an entry of a tensor or array", &["Element", "Elements", "element", "elements"]),
    ("face", "the elements of a tile along one of its sides", &["Face", "face", "faces"]),
    ("fold", "neighbouring PEs that become one", &["Fold", "FoldedMove", "fold", "folds"]),
    (
        "form",
        "an equivalent kernel that laws of algebra lead to; where nothing is rewritten, `closed form`",
        &["Form", "FormCost", "FormOutcome", "Forms", "closed_form", "form", "forms"],
    ),
    ("line", "the PEs that share a bus", &["Line", "LineName", "LineRecord", "Lines", "lines"]),
    ("run", "an execution", &["Run", "RunArguments", "RunTime", "run", "run_time", "runs"]),
    (
        "word",
        "a number or a tile on its way or in memory",
        &["LocalWords", "Word", "Words", "local_words", "word", "words"],
    ),
];

/// The meaning of a word of [`MEANINGS`] that a name has though it is not listed there.
fn other_meaning(name: &str, parts: &[String]) -> Option<String> {
    let is_word = |part: &str, word: &str| part == word || part.strip_suffix('s') == Some(word);
    MEANINGS.iter().find_map(|(word, meaning, names)| {
        (parts.iter().any(|part| is_word(part, word)) && !names.contains(&name))
            .then(|| format!("`{word}` is {meaning}: say what else this is, or list it"))
    })
}

fn retired(word: &str) -> Option<&'static str> {
    RETIRED.iter().find(|(retired, _)| *retired == word).map(|(_, better)| *better)
}

/// `LastReceived` as `last`, `received`.
fn parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = vec![];
    for letter in name.chars() {
        match parts.last_mut() {
            Some(part) if !letter.is_uppercase() => part.push(letter),
            _ => parts.push(letter.to_lowercase().collect()),
        }
    }
    parts
}

/// The name behind one of these words on a line of code.
fn named(line: &str, words: &[&str]) -> Option<String> {
    let line = line.trim_start();
    let line = line.strip_prefix("pub").map_or(line, |rest| rest.trim_start_matches(|c| c != ' ').trim_start());
    let rest = words.iter().find_map(|word| line.strip_prefix(word)?.strip_prefix(' '))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some(rest[..end].to_owned())
}

/// What stands between quotes on a line of code.
fn texts(line: &str) -> impl Iterator<Item = &str> {
    line.split('"').skip(1).step_by(2)
}

#[test]
fn retired_words_name_no_type_no_module_and_no_flag() {
    let mut problems: Vec<String> = vec![];
    for file in files("src", ".rs") {
        let stem = file.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs").to_owned();
        let mut names: Vec<(String, Vec<String>)> = vec![(stem.clone(), stem.split('_').map(str::to_owned).collect())];
        for line in file.text.lines() {
            let types = named(line, &["struct", "enum", "trait", "type"]).map(|name| (name.clone(), parts(&name)));
            let modules =
                named(line, &["mod"]).map(|name| (name.clone(), name.split('_').map(str::to_owned).collect()));
            names.extend(types.into_iter().chain(modules));
            let is_flag = file.path.contains("/flags/") && line.starts_with("    pub ") && line.contains(": ");
            if let Some((flag, _)) =
                line.trim_start().strip_prefix("pub ").and_then(|rest| rest.split_once(": ")).filter(|_| is_flag)
            {
                names.push((flag.to_owned(), flag.split('_').map(str::to_owned).collect()));
            }
        }
        for (name, parts) in names {
            let found = parts.iter().find_map(|part| Some((part, retired(part)?)));
            problems.extend(found.map(|(part, better)| format!("{}: `{name}` has `{part}`: say {better}", file.path)));
            problems.extend(other_meaning(&name, &parts).map(|why| format!("{}: `{name}`: {why}", file.path)));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn no_message_says_a_retired_word() {
    let mut problems: Vec<String> = vec![];
    for file in files("src", ".rs") {
        let code = file.text.split("#[cfg(test)]").next().unwrap_or_default();
        for (number, line) in code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            for text in texts(line) {
                let words = text.split(|c: char| !c.is_alphabetic());
                let found = words.filter(|word| !ENGLISH.contains(word)).find_map(|word| Some((word, retired(word)?)));
                // The old name of a flag is understood.
                let found = found.filter(|_| !line.contains("alias = "));
                problems.extend(found.map(|(word, better)| {
                    format!("{}:{}: `{text}` says `{word}`: say {better}", file.path, number + 1)
                }));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn names_are_taken_apart() {
    assert_eq!(parts("LastReceived"), ["last", "received"]);
    assert_eq!(named("pub(super) struct Told {", &["struct"]), Some("Told".to_owned()));
    assert_eq!(named("    pub type Heard = u8;", &["type"]), Some("Heard".to_owned()));
    assert_eq!(texts(r#"f("what is dealt", x, "out")"#).collect::<Vec<_>>(), ["what is dealt", "out"]);
    assert!(retired("told").is_some() && retired("said").is_none());
    let other = |name: &str| other_meaning(name, &parts(name));
    assert!(other("Fold").is_none() && other("FoldKey").is_some_and(|why| why.contains("PEs")));
    assert!(other("Lined").is_none() && other("SpaceLines").is_some());
}
