//! A topology as layers.
//!
//! In: the text of a CSV file, a layer a line below the names of the columns. Convolutions have eight columns: name, height and width of
//! the input, height and width of a filter, channels, filters, stride; a ninth may be the stride along the width. Products have four:
//! name, M, N, K. A further column for sparsity may say that nothing is left out. Out: the layers, each as a product.
//! A layer with `DP` in its name is depthwise: a group for each channel. A stride that leaves a part of the input over has one window
//! more, which reaches over the edge, as SCALE-Sim counts it.

use super::lines::{MOST, line_at, number, refusal};
use csv::{ReaderBuilder, StringRecord, Trim};
use std::sync::Arc;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, MessageCode};
use systole_base::span::{Source, Span};

/// The columns of a convolution behind its name.
const CONVOLUTION: [&str; 7] =
    ["IFMAP height", "IFMAP width", "filter height", "filter width", "channels", "filters", "stride"];

/// The columns of a product behind its name.
const PRODUCT: [&str; 3] = ["M", "N", "K"];

/// A layer that is convolved channel by channel has this in its name.
const DEPTHWISE: &str = "DP";

/// A layer of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// Its name.
    pub name: String,
    /// Its line, from 1.
    pub line: usize,
    /// How many products there are, each of these sizes.
    pub groups: i64,
    /// M, N and K.
    pub product: [i64; 3],
    /// Whether a window reaches over the edge of the input.
    pub is_over_the_edge: bool,
}

impl Layer {
    /// Multiplications in all; `None` where they do not fit.
    pub fn operations(&self) -> Option<i64> {
        self.product.iter().try_fold(self.groups, |all, size| all.checked_mul(*size))
    }
}

/// What the lines of a file are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Convolutions,
    Products,
}

impl Form {
    fn columns(self) -> &'static [&'static str] {
        match self {
            Form::Convolutions => &CONVOLUTION,
            Form::Products => &PRODUCT,
        }
    }
}

/// Reads a file.
///
/// # Errors
/// A first line that names the columns of neither form; of every line what it lacks, what is no number, filters larger than their input,
/// sparse layers, more operations than can be counted; no layers at all.
pub fn topology(source: &Arc<Source>) -> Checked<Vec<Layer>> {
    let mut lines = lines(source)?.into_iter();
    let form = form(source, lines.next().as_ref())?;
    let (mut layers, mut problems) = (vec![], vec![]);
    for line in lines {
        match line.layer(form) {
            Ok(layer) => layers.push(layer),
            Err(wrong) => problems.extend(wrong),
        }
    }
    if problems.is_empty() && layers.is_empty() {
        problems.push(Diagnostic::new(format!("`{}` has no layers", source.name)).about(MessageCode::File));
    }
    if problems.is_empty() { Ok(layers) } else { Err(problems) }
}

/// A line that is not empty.
struct Line<'a> {
    source: &'a Arc<Source>,
    span: Span,
    cells: Vec<String>,
}

fn lines(source: &Arc<Source>) -> Checked<Vec<Line<'_>>> {
    let mut reader =
        ReaderBuilder::new().has_headers(false).flexible(true).trim(Trim::All).from_reader(source.text.as_bytes());
    let mut lines = vec![];
    for record in reader.records() {
        let record = record.map_err(|why| {
            let message = format!("`{}` is not a file of comma-separated values: {why}", source.name);
            vec![Diagnostic::new(message).about(MessageCode::File)]
        })?;
        lines.extend(Line::of(source, &record));
    }
    Ok(lines)
}

/// What the first line says that the others are.
fn form(source: &Arc<Source>, head: Option<&Line<'_>>) -> Checked<Form> {
    let help = "a topology begins with `Layer name, IFMAP Height, ..` or with `Layer, M, N, K`";
    let Some(head) = head else {
        return Diagnostic::new(format!("`{}` is empty", source.name)).help(help).about(MessageCode::File).alone();
    };
    let names = &head.cells[1.min(head.cells.len())..];
    let is_product = names.len() >= PRODUCT.len() && PRODUCT.iter().zip(names).all(|(name, cell)| name == cell);
    match names.iter().all(|name| name.parse::<f64>().is_err()) {
        true if is_product => Ok(Form::Products),
        true if names.len() >= CONVOLUTION.len() => Ok(Form::Convolutions),
        _ => head.refuse("the first line does not name the columns of a topology", "these columns").help(help).alone(),
    }
}

impl<'a> Line<'a> {
    /// The line of a record without the empty cell behind its last comma; nothing where all are empty.
    fn of(source: &'a Arc<Source>, record: &StringRecord) -> Option<Line<'a>> {
        let start = usize::try_from(record.position()?.byte()).ok()?;
        let mut cells: Vec<String> = record.iter().map(str::to_owned).collect();
        while cells.last().is_some_and(String::is_empty) {
            cells.pop();
        }
        let blank = source.text.get(start..)?.chars().take_while(|letter| letter.is_whitespace());
        let start = start + blank.map(char::len_utf8).sum::<usize>();
        (!cells.is_empty()).then(|| Line { source, span: line_at(source, start), cells })
    }

    fn refuse(&self, message: impl Into<String>, label: &str) -> Diagnostic {
        refusal(self.source, self.span, message.into(), label)
    }

    fn layer(&self, form: Form) -> Result<Layer, Diagnostics> {
        let (name, rest) = self.cells.split_first().ok_or_else(Vec::new)?;
        let numbers = self.numbers(form, self.dense(rest)?)?;
        let layer = match (form, &numbers[..]) {
            (Form::Products, [m, n, k]) => self.plain(name, [*m, *n, *k]),
            (Form::Convolutions, [height, width, down, across, channels, filters, strides @ ..]) => {
                let strides = [strides[0], *strides.last().unwrap_or(&strides[0])];
                self.convolution(name, [[*height, *width], [*down, *across], strides], [*channels, *filters])?
            }
            _ => return Err(vec![]),
        };
        match layer.operations() {
            Some(_) => Ok(layer),
            None => Err(vec![self.refuse(format!("`{name}` has more operations than can be counted"), "too large")]),
        }
    }

    /// The cells without that for sparsity, which may say that all of a block is there.
    fn dense<'c>(&self, cells: &'c [String]) -> Result<&'c [String], Diagnostics> {
        let Some((ratio, rest)) = cells.split_last().filter(|(last, _)| last.contains(':')) else { return Ok(cells) };
        match ratio.split_once(':') {
            Some((kept, of)) if kept.trim() == of.trim() => Ok(rest),
            _ => {
                let said = self.refuse(format!("a layer of which only {ratio} is there has no counterpart"), "sparse");
                Err(vec![said.help("leave the column out, or write 1:1")])
            }
        }
    }

    /// The numbers of all columns, and of a second stride if there is one.
    fn numbers(&self, form: Form, cells: &[String]) -> Result<Vec<i64>, Diagnostics> {
        let columns = form.columns();
        let most = columns.len() + usize::from(form == Form::Convolutions);
        if !(columns.len()..=most).contains(&cells.len()) {
            let message = format!("a layer has a name and {} numbers, this line has {}", columns.len(), cells.len());
            return Err(vec![self.refuse(message, "this layer").help(format!("in order: {}", columns.join(", ")))]);
        }
        let named = cells.iter().zip(columns.iter().chain(columns.last()));
        let read = named.map(|(cell, column)| {
            let wrong = || self.refuse(format!("`{cell}` is no number of {column}"), "in this line");
            number(cell, 1).ok_or_else(|| wrong().help(format!("a whole number from 1 to {MOST}")))
        });
        let (numbers, wrong): (Vec<_>, Vec<_>) = read.partition(Result::is_ok);
        match wrong.is_empty() {
            true => Ok(numbers.into_iter().flatten().collect()),
            false => Err(wrong.into_iter().filter_map(Result::err).collect()),
        }
    }

    fn plain(&self, name: &str, product: [i64; 3]) -> Layer {
        let line = self.source.line(self.span.start);
        Layer { name: name.to_owned(), line, groups: 1, product, is_over_the_edge: false }
    }

    /// A convolution as a product; `sides` are those of the input, of a filter, and the strides.
    fn convolution(&self, name: &str, sides: [[i64; 2]; 3], of: [i64; 2]) -> Result<Layer, Diagnostics> {
        let ([input, filter, strides], [channels, filters]) = (sides, of);
        let rest = [0, 1].map(|axis| input[axis] - filter[axis]);
        if rest.iter().any(|rest| *rest < 0) {
            let message = format!("a filter of {} does not fit an input of {}", pair(filter), pair(input));
            let help = "SCALE-Sim takes an input with its border: add what is padded to its height and width";
            return Err(vec![self.refuse(message, "this layer").help(help)]);
        }
        let windows = [0, 1].map(|axis| 1 + rest[axis] / strides[axis] + i64::from(rest[axis] % strides[axis] > 0));
        let groups = if name.contains(DEPTHWISE) { channels } else { 1 };
        let weights = filter[0] * filter[1] * (channels / groups);
        let is_over_the_edge = rest.iter().zip(&strides).any(|(rest, stride)| rest % stride > 0);
        let plain = self.plain(name, [windows[0] * windows[1], filters, weights]);
        Ok(Layer { groups, is_over_the_edge, ..plain })
    }
}

fn pair([height, width]: [i64; 2]) -> String {
    format!("{height} x {width}")
}
