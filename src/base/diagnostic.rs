//! Messages for people: what is wrong, where, both sides of the contradiction, and what to type next.
//!
//! In: a [`Diagnostic`] that a stage has filled. Out: text rendered by `miette`, the only place where a message gets its
//! shape. A message's first line is lower case, has no full stop and names the broken property.

use crate::refusal::Refusal;
use crate::span::{Source, Span};
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource};
use std::fmt;
use std::sync::Arc;

/// Columns of text are aligned up to so many characters: names may be as long as they like, a width of text may not.
pub const WIDEST: usize = 200;

/// What a message is about, for programs: it stays what it is when the words are made better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageCode {
    /// The command line itself.
    CommandLine,
    /// A file that cannot be read or written.
    File,
    /// The text of a kernel, which has no such sentence.
    Syntax,
    /// What a kernel says, its schedules included.
    Kernel,
    /// A machine file.
    MachineFile,
    /// A file of rules.
    Rules,
    /// The text of a program.
    Program,
    /// An array on disk.
    Array,
    /// One of the kinds of [`Refusal`]: there is no design.
    Refusal(&'static str),
    /// An obligation that does not hold or was not decided, by its keyword.
    Obligation(&'static str),
    /// A run in which everybody waits.
    Deadlock,
    /// A run that could not go on.
    Run,
    /// There is no solver.
    Solver,
    /// Something that must not happen.
    Defect,
    /// None of these: what is asked for is not there for this kernel.
    Refused,
}

impl MessageCode {
    /// The word for it.
    pub fn keyword(self) -> &'static str {
        match self {
            MessageCode::CommandLine => "command-line",
            MessageCode::File => "file",
            MessageCode::Syntax => "syntax",
            MessageCode::Kernel => "kernel",
            MessageCode::MachineFile => "machine-file",
            MessageCode::Rules => "rules",
            MessageCode::Program => "program",
            MessageCode::Array => "array",
            MessageCode::Refusal(word) | MessageCode::Obligation(word) => word,
            MessageCode::Deadlock => "deadlock",
            MessageCode::Run => "run",
            MessageCode::Solver => "solver",
            MessageCode::Defect => "defect",
            MessageCode::Refused => "refused",
        }
    }
}

/// One thing that is wrong with what the user gave us.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    message: String,
    source: Option<Arc<Source>>,
    labels: Vec<(Span, String)>,
    notes: Vec<String>,
    help: Option<String>,
    is_usage: bool,
    facts: Option<Box<Facts>>,
}

/// What is known beside the words of a message, for programs. Messages are returned from everywhere, so they are kept small.
#[derive(Clone, Debug, Default)]
struct Facts {
    code: Option<MessageCode>,
    refusal: Option<Arc<Refusal>>,
    counterexample: Vec<(String, i64)>,
}

/// What a stage returns when it can say everything that is wrong at once.
pub type Diagnostics = Vec<Diagnostic>;

/// A result whose error is a list of messages, never empty.
pub type Checked<T> = Result<T, Diagnostics>;

impl Diagnostic {
    /// A message without a place in a source.
    pub fn new(message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            message: message.into(),
            source: None,
            labels: vec![],
            notes: vec![],
            help: None,
            is_usage: false,
            facts: None,
        }
    }

    /// A message of a command line that is wrong itself, not of the kernel, the file or the proof that it asks for.
    pub fn usage(message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(message).of_command_line()
    }

    /// The same, blamed on the command line.
    pub fn of_command_line(self) -> Diagnostic {
        Diagnostic { is_usage: true, ..self }
    }

    /// The same, about this. The first to say so is nearest to what is wrong, and is right.
    pub fn about(mut self, code: MessageCode) -> Diagnostic {
        self.facts_mut().code.get_or_insert(code);
        self
    }

    /// The case in which a claim does not hold: a value for each size and index, in the order of the claim.
    pub fn counterexample(mut self, values: impl IntoIterator<Item = (String, i64)>) -> Diagnostic {
        self.facts_mut().counterexample = values.into_iter().collect();
        self
    }

    fn facts_mut(&mut self) -> &mut Facts {
        self.facts.get_or_insert_default()
    }

    /// Points at `span` of `source` and says there what stands against what.
    pub fn label(mut self, source: &Arc<Source>, span: Span, text: impl Into<String>) -> Diagnostic {
        self.source = Some(Arc::clone(source));
        self.labels.push((span, text.into()));
        self
    }

    /// A further line of fact, such as a counterexample.
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    /// What to do next.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(text.into());
        self
    }

    /// The same as the message of a refusal, with what the refusal has to add.
    pub fn refuses(self, refusal: Refusal) -> Diagnostic {
        let noted = match refusal.note() {
            Some(note) => self.note(note),
            None => self,
        };
        noted.of_refusal(refusal)
    }

    /// The same as the message of a refusal, of which it says all there is to say.
    pub fn of_refusal(mut self, refusal: Refusal) -> Diagnostic {
        self.facts_mut().refusal = Some(Arc::new(refusal));
        self
    }

    /// The same, said of something else than what the source speaks of: `words` stand before its first line.
    pub fn among(mut self, words: &str) -> Diagnostic {
        self.message = format!("{words}: {}", self.message);
        self
    }

    /// What it is about.
    pub fn code(&self) -> MessageCode {
        match self.refusal() {
            _ if self.is_usage => MessageCode::CommandLine,
            Some(refusal) => MessageCode::Refusal(refusal.keyword()),
            None => self.facts.as_ref().and_then(|facts| facts.code).unwrap_or(MessageCode::Refused),
        }
    }

    /// The further lines.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The text that its labels point into.
    pub fn source(&self) -> Option<&Source> {
        self.source.as_deref()
    }

    /// The case in which a claim does not hold, where it is one.
    pub fn counterexample_values(&self) -> &[(String, i64)] {
        self.facts.as_ref().map_or(&[], |facts| &facts.counterexample)
    }

    /// The first line.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The help line, if any.
    pub fn help_text(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// Whether it is the command line that is wrong.
    pub fn is_usage(&self) -> bool {
        self.is_usage
    }

    /// Why there is no design, where the message is about that.
    pub fn refusal(&self) -> Option<&Refusal> {
        self.facts.as_ref()?.refusal.as_deref()
    }

    /// The labelled spans.
    pub fn labels(&self) -> &[(Span, String)] {
        &self.labels
    }

    /// As a list of one, for stages that stop at the first message.
    pub fn alone<T>(self) -> Checked<T> {
        Err(vec![self])
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Diagnostics {
        vec![diagnostic]
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.notes.iter().try_for_each(|note| write!(f, "\n  {note}"))
    }
}

impl std::error::Error for Diagnostic {}

impl miette::Diagnostic for Diagnostic {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let spans = self.labels.iter().map(|(span, text)| {
            LabeledSpan::new(Some(text.clone()), span.start, span.end.saturating_sub(span.start).max(1))
        });
        Some(Box::new(spans))
    }
}

/// The same, with messages that do not say yet what they are about being about this.
pub fn about<T>(code: MessageCode, said: Checked<T>) -> Checked<T> {
    said.map_err(|all| all.into_iter().map(|one| one.about(code)).collect())
}

/// The same, with what is wrong blamed on the command line: what was read is what a flag says.
pub fn as_usage<T>(said: Checked<T>) -> Checked<T> {
    said.map_err(|all| all.into_iter().map(Diagnostic::of_command_line).collect())
}

/// Why there is no design, where one of the messages is about that.
pub fn refusal_of(diagnostics: &[Diagnostic]) -> Option<&Refusal> {
    diagnostics.iter().find_map(Diagnostic::refusal)
}

/// The same messages, the first of which is that of a refusal now.
pub fn refused(refusal: Refusal, mut diagnostics: Diagnostics) -> Diagnostics {
    if let Some(first) = diagnostics.first_mut() {
        *first = first.clone().refuses(refusal);
    }
    diagnostics
}

/// All messages as text, each with the lines of source it points at; colour only where `colour` says so.
pub fn render(diagnostics: &[Diagnostic], colour: bool) -> String {
    let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme).with_width(110);
    let mut text = String::new();
    for diagnostic in diagnostics {
        text.push_str(&render_one(&handler, diagnostic));
    }
    text
}

fn render_one(handler: &GraphicalReportHandler, diagnostic: &Diagnostic) -> String {
    let mut text = String::new();
    let report = miette::Report::new(diagnostic.clone());
    let report = match &diagnostic.source {
        Some(source) => report.with_source_code(NamedSource::new(&source.name, source.text.clone())),
        None => report,
    };
    if handler.render_report(&mut text, report.as_ref()).is_err() {
        text = format!("error: {diagnostic}\n");
    }
    text
}

/// `1 cycle`, `2 cycles`: a count with the word for so many.
pub fn counted<N: fmt::Display + Copy + TryInto<u128>>(count: N, noun: &str) -> String {
    format!("{count} {}", plural(count, noun))
}

/// The word for so many: `cycle` where there is 1, else `cycles`.
pub fn plural<N: TryInto<u128>>(count: N, noun: &str) -> String {
    let is_one = count.try_into().is_ok_and(|count| count == 1);
    match (is_one, noun) {
        (true, _) => noun.to_owned(),
        (_, noun) if noun.ends_with("is") => format!("{}es", noun.trim_end_matches("is")),
        (_, noun) if noun.ends_with('s') => format!("{noun}es"),
        (_, noun) if noun.ends_with("ry") => format!("{}ies", noun.trim_end_matches('y')),
        (_, noun) => format!("{noun}s"),
    }
}

/// What the system says of a file, in words that anybody knows.
pub fn plain(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        _ => error.to_string(),
    }
}

/// The known name nearest to `name`, when it is near enough to be what was meant.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let score = |candidate: &str| strsim::damerau_levenshtein(&name.to_lowercase(), &candidate.to_lowercase());
    let best = known.into_iter().min_by_key(|candidate| score(candidate))?;
    // Two names of which no letter is the same are not near, however short they are.
    let longest = name.chars().count().max(best.chars().count());
    (score(best) <= 1 + name.chars().count() / 3 && score(best) < longest).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_a_word_of_its_own() {
        let of = |noun| [0u64, 1, 2].map(|count| counted(count, noun));
        assert_eq!(of("PE"), ["0 PEs", "1 PE", "2 PEs"]);
        assert_eq!(
            [plural(2, "class"), plural(2, "axis"), plural(2, "entry"), plural(-1, "step")],
            ["classes", "axes", "entries", "steps"]
        );
        assert_eq!([plural(1usize, "class"), plural(1i64, "axis"), plural(1u64, "entry")], ["class", "axis", "entry"]);
    }

    #[test]
    fn what_a_flag_says_is_blamed_on_the_command_line() {
        let plain = || Diagnostic::new("wrong");
        assert!(
            !plain().is_usage()
                && Diagnostic::usage("wrong").is_usage()
                && plain().of_command_line().note("n").is_usage()
        );
        let said = as_usage(plain().alone::<()>()).expect_err("wrong");
        assert!(said.iter().all(Diagnostic::is_usage));
    }
}
