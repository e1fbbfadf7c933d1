//! The text of a page: nothing is loaded, nothing breaks out, all of it is written or nothing.

use super::made::{Made, RING, data};
use systole::obligation::Kind;
use systole::report::{Fact, Front, FrontRow, Report, Rule, SourceText, page};

/// Names that would end the script, begin a comment or an element, or be filled in again.
const HOSTILE: &str = "</script><script>alert(1)</script><!-- {{script}} <b a='\"'>&amp;";

#[test]
fn pages_name_no_address_and_load_nothing() {
    for made in [Made::product("M=2,N=2,K=2"), Made::too_fast(), Made::ring()] {
        let text = made.text();
        for word in ["http://", "https://", "src=", "@import", "<link rel=\"stylesheet", "fetch(", "XMLHttpRequest"] {
            assert!(!text.contains(word), "the page holds {word}");
        }
        let inner = |at: usize| text[at..].starts_with("url(#");
        assert!(text.match_indices("url(").all(|(at, _)| inner(at)));
        assert!(text.contains("default-src 'none'"));
    }
}

fn hostile_row() -> FrontRow {
    FrontRow { cycles: 1, pes: 1, words: 1, design: HOSTILE.to_owned(), page: Some(HOSTILE.to_owned()) }
}

#[test]
fn no_name_breaks_out_of_its_place() {
    let report = Report {
        title: HOSTILE.to_owned(),
        equations: vec![HOSTILE.to_owned()],
        facts: vec![Fact::plain(HOSTILE, HOSTILE)],
        source: Some(SourceText {
            name: HOSTILE.to_owned(),
            about: vec![HOSTILE.to_owned()],
            first: 1,
            lines: vec![HOSTILE.to_owned()],
        }),
        front: Some(Front { rows: vec![hostile_row()], shown: None, counted: HOSTILE.to_owned(), more: 0 }),
        rules: vec![Rule { rule: HOSTILE.to_owned(), before: HOSTILE.to_owned(), after: HOSTILE.to_owned() }],
        ..Report::default()
    };
    let (plain, hostile) = (page(&Report::default()).unwrap(), page(&report).unwrap());
    for tag in ["<script", "</script", "<!--", "<b a="] {
        assert_eq!(hostile.matches(tag).count(), plain.matches(tag).count(), "{tag}");
    }
    let data = data(&hostile);
    for read in [&data["title"], &data["equations"][0], &data["facts"][0]["value"], &data["rules"][0]["after"]] {
        assert_eq!(read, HOSTILE, "it is read back as it was");
    }
}

#[test]
fn the_summary_is_there_without_script() {
    let text = Made::product("M=2,N=2,K=2").text();
    let (_, rest) = text.split_once("<noscript>").unwrap();
    let summary = rest.split_once("</noscript>").unwrap().0;
    for words in ["<td>cycles</td><td>4</td>", "<td>t = i + j + k</td>", "<td>causality</td><td>A</td><td>proved</td>"]
    {
        assert!(summary.contains(words), "{words} is not in {summary}");
    }
}

#[test]
fn numbers_that_are_none_are_named() {
    let text = "(program odd (version 1) (array C out (2)) (grid (p0 0 0))
                  (class a (guard (= p0 0)) (let x (div 0 0)) (store (C 0) x) (let y (div 1 0)) (store (C 1) y)))";
    let made = Made::new(&["sim", "FILE"], Some(text));
    let data = made.data();
    let value = |number: usize| data["run"]["film"]["accesses"][number][3].clone();
    assert_eq!((value(0), value(1)), ("NaN".into(), "∞".into()));
}

#[test]
fn a_page_that_cannot_be_written_is_said_and_nothing_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("missing").join("page.html");
    let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_systole"))
        .current_dir(env!("SYSTOLE_ROOT"))
        .args(["prove", "kernels/matmul.rec", "--schedule", "cannon", "--report", path.to_str().unwrap()])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn the_same_program_writes_the_same_page_traced_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace.json");
    let traced = Made::new(&["sim", "FILE", "--trace", trace.to_str().unwrap()], Some(RING));
    assert_eq!(traced.text(), Made::ring().text());
    assert!(std::fs::read_to_string(trace).unwrap().contains("east"), "both watch the run");
}

/// The page says of a proof what the book says that it claims.
#[test]
fn the_sentence_of_a_proof_is_the_claim_of_the_book() {
    for (kind, word) in Kind::ALL {
        let path = format!("{}/book/src/proved/{word}.md", env!("SYSTOLE_ROOT"));
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(&format!("**Claim.** {}\n", kind.sentence())), "{path}: {}", kind.sentence());
    }
}
