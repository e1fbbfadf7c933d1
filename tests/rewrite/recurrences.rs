//! Recurrences as text: what is printed reads back as the same lines, for many dataflows of every kernel that ships; a changed digit, a
//! missing line and one too many are seen; and what is no recurrence is refused at its place.

use crate::systems::lower;
use std::path::{Path, PathBuf};
use systole_base::diagnostic::{Checked, render};
use systole_base::span::{Source, Span};
use systole_compile::rewrite::{
    Dataflow, Difference, LocatedStatement, Statement, compare_recurrences, read_recurrences, recurrences,
    split_recurrences,
};
use systole_equations::recurrence::spaces::{SpaceSystem, spaces_of};
use systole_equations::recurrence::{load, settle};

/// How many dataflows of a kernel are written.
const WRITTEN: usize = 8;

fn read(text: &str) -> Checked<Vec<LocatedStatement>> {
    let source = Source::new("x.spaces", text);
    read_recurrences(&source, Span { start: 0, end: text.len() })
}

fn text(lines: &[Statement]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// All kernels that ship, but for parts of kernels.
fn kernels() -> Vec<PathBuf> {
    let folders =
        ["kernels", "kernels/naive", "kernels/blocks"].map(|folder| Path::new(env!("SYSTOLE_ROOT")).join(folder));
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("the kernels"));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|of| of == "rec")).collect();
    paths.sort();
    paths
}

/// The spaces of a kernel, and some dataflows of it that are far from each other.
fn dataflows(path: &Path) -> Option<(SpaceSystem, Vec<Vec<Dataflow>>)> {
    let source = Source::new("kernel.rec", std::fs::read_to_string(path).expect("a kernel"));
    let system = spaces_of(&settle(&load(&source).ok()?).system).ok()?;
    let choices = lower(&system).choices().ok()?;
    let pick = |number: usize| -> Vec<Dataflow> {
        let one = |choices: &systole_compile::rewrite::Choices| {
            let count = choices.dataflows().take(1_000).count();
            choices.dataflows().nth(number * count.div_ceil(WRITTEN) % count).expect("a dataflow")
        };
        choices.iter().map(one).collect()
    };
    let all = (0..WRITTEN).map(pick).collect();
    Some((system, all))
}

#[test]
fn what_is_printed_reads_back_and_a_changed_digit_is_seen() {
    let mut count = 0;
    for path in kernels() {
        let Some((system, all)) = dataflows(&path) else { continue };
        for dataflows in &all {
            let lines = recurrences(&system, dataflows);
            let printed = text(&lines);
            let again = read(&printed).unwrap_or_else(|why| panic!("{}\n{}", path.display(), render(&why, false)));
            assert!(compare_recurrences(&again, &lines).is_empty(), "{}\n{printed}", path.display());
            let read_lines: Vec<Statement> = again.into_iter().map(|read| read.line).collect();
            assert_eq!(text(&read_lines), printed, "{}", path.display());
            check_digits(&printed, &lines);
        }
        check_lines(&recurrences(&system, &all[0]));
        count += 1;
    }
    assert!(count >= 45, "{count} kernels");
}

/// Each digit as the next one: the line is another one, or none.
fn check_digits(printed: &str, lines: &[Statement]) {
    for (position, digit) in printed.char_indices().filter(|(_, letter)| letter.is_ascii_digit()) {
        let next = char::from(b'0' + (digit as u8 - b'0' + 1) % 10);
        let mut changed = printed.to_owned();
        changed.replace_range(position..=position, &next.to_string());
        if let Ok(again) = read(&changed) {
            assert!(!compare_recurrences(&again, lines).is_empty(), "{changed}");
        }
    }
}

/// Each line left out, and each line twice.
fn check_lines(lines: &[Statement]) {
    for (position, line) in lines.iter().enumerate() {
        let (mut fewer, mut more) = (lines.to_vec(), lines.to_vec());
        fewer.remove(position);
        more.insert(position, line.clone());
        let found = |text: &str| compare_recurrences(&read(text).expect("lines"), lines);
        let missing = found(&text(&fewer));
        assert!(matches!(&missing[..], [Difference::Missing { wanted, .. }] if wanted == line), "{line}: {missing:?}");
        let surplus = found(&text(&more));
        let is_it = |read: &LocatedStatement| read.line == *line;
        assert!(matches!(&surplus[..], [Difference::Surplus { read }] if is_it(read)), "{line}: {surplus:?}");
    }
}

#[test]
fn every_way_to_say_a_recurrence_reads_back() {
    for line in [
        "X.sum:",
        "(i,j)_x.2 <- x[2*i+3*k]  where i < 3",
        "()_alpha <- alpha  known everywhere",
        "(i mod 16,i div 16)_x <- x[16*(i div 16)+(i mod 16)]  from own memory",
        "(i)_x <- x[i]  on a bus along <2*(j mod 4)-i>",
        "(i)_x <- x[i]  on a bus along <-i>",
        "(i)_x <- x[i]  over one bus from memory",
        "(i)_x <- x[i]  from the point that computes it",
        "(i)_x <- x[i] of x.2  through memory  where i - 1 >= 0 and N - i >= 0",
        "(i)_x <- (i-1)_x  kept there",
        "(i)_x <- (N,i)_y.sum in y.sum  where -i >= 0",
        "(i)_x <- -infinity",
        "(i)_x <- (i + 1) / (3) - (2 + 3) * 0.5 - (1e300 - (i)_y.2)",
        "(i)_x <- max((i)_y, leaf7((i)_z, sqrt(-2))) - -0.25",
        "C[i,0] <- select(lt((i)_a, 0), neg((i)_a), (N - 1))",
    ] {
        let again = read(line).unwrap_or_else(|why| panic!("{}", render(&why, false)));
        assert_eq!(again[0].line.to_string(), line);
    }
    let told = read("# of the design\nX:   # a space\n  ( i , j )_x<-(i, j - 1 )_x # passed on\n").expect("lines");
    assert_eq!(told.len(), 2);
    assert_eq!(told[1].line.to_string(), "(i,j)_x <- (i,j-1)_x");
}

#[test]
fn what_is_no_recurrence_is_refused_at_its_place() {
    for (line, message, at) in [
        ("(i,j)_x", "the line ends too early", 7),
        ("(i,j)_x <- ", "the line ends too early", 10),
        ("(i,j x <- x", "unexpected `x`", 5),
        ("(i)_x <- (i-)_x", "unexpected `)`", 12),
        ("(i)_x <- x[i] through a window", "unexpected `through`", 14),
        ("(i)_x <- x[i] where i", "the line ends too early", 21),
        ("(i)_x <- x[i] where i >= 1", "unexpected `1`", 25),
        ("(i)_x <- root((i)_y)", "unexpected `root`", 9),
        ("(i)_x <- sqrt((i)_y, 2)", "`sqrt` takes 1 argument, not 2", 9),
        ("(i)_x <- 1e999", "the number is too large", 9),
        ("(9223372036854775808*i)_x <- 1", "the number is too large", 1),
        ("(4611686018427387904*i)_x <- 1", "a number of this form is too large", 1),
        ("(i)_x <- (i)_y in", "the line ends too early", 17),
        ("1 <- 2", "unexpected `1`", 0),
        ("λ", "unexpected `λ`", 0),
    ] {
        let problems = read(line).expect_err(line);
        let (span, _) = &problems[0].labels()[0];
        assert_eq!((problems[0].message(), span.start), (message, at), "{line}");
    }
    assert_eq!(read("(i\n(i)_x <- 1\n(j").expect_err("two lines").len(), 2);
}

/// Trees that are too deep to be walked over are refused, those at the limits are not.
#[test]
fn what_is_too_deep_is_refused() {
    let nested = |depth: usize| format!("(i)_x <- {}(i)_y{}", "neg(".repeat(depth), ")".repeat(depth));
    let added = |count: usize| format!("(i)_x <- (i)_y{}", " + (i)_y".repeat(count));
    for good in [nested(400), added(1_000)] {
        assert_eq!(read(&good).expect("a line")[0].line.to_string(), good);
    }
    for (bad, why) in [
        (nested(401), "more than 400 brackets inside each other"),
        (nested(100_000), "more than 400 brackets inside each other"),
        ("(".repeat(100_000), "more than 400 brackets inside each other"),
        (format!("(i)_x <- {}", "(".repeat(100_000)), "more than 400 brackets inside each other"),
        (added(1_001), "more than 1000 operators in one line"),
        (added(100_000), "more than 1000 operators in one line"),
    ] {
        assert_eq!(read(&bad).expect_err("too deep")[0].message(), why);
    }
}

#[test]
fn all_differences_are_told_in_their_order() {
    let wanted: Vec<Statement> = read("X:\n(i)_a <- 1\n(i)_b <- 2\n(i)_c <- 3\nX[i] <- (i)_c\n")
        .expect("lines")
        .into_iter()
        .map(|read| read.line)
        .collect();
    let found = compare_recurrences(&read("(i)_a <- 1\n(i)_b <- 4\n(i)_c <- 3\n(i)_d <- 3").expect("lines"), &wanted);
    let told: Vec<String> = found
        .iter()
        .map(|difference| match difference {
            Difference::Other { read, wanted } => format!("{} for {wanted}", read.line),
            Difference::Missing { behind, wanted } => format!("no {wanted} behind {:?}", behind.map(|span| span.start)),
            Difference::Surplus { read } => format!("surplus {}", read.line),
        })
        .collect();
    assert_eq!(told, ["no X: behind None", "(i)_b <- 4 for (i)_b <- 2", "(i)_d <- 3 for X[i] <- (i)_c"]);
}

#[test]
fn a_text_is_split_at_the_word_that_stands_alone() {
    let split = |text: &str| {
        let (kernel, within) = split_recurrences(&Source::new("x.spaces", text));
        (kernel.text.clone(), within.map(|span| text[span.start..span.end].to_owned()))
    };
    assert_eq!(split("kernel k()\nrecurrences\nX:\n"), ("kernel k()\n".to_owned(), Some("X:\n".to_owned())));
    assert_eq!(split("recurrences"), (String::new(), Some(String::new())));
    for none in ["kernel k()\n", "", "X = a +\n  recurrences\n", "# recurrences\n"] {
        assert_eq!(split(none), (none.to_owned(), None));
    }
}
