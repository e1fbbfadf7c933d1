//! Text to program.
//!
//! In: a text and the name messages give it. Out: a validated [`Program`], or every declaration that could not be read,
//! each with its line, what was expected and what was found; then everything the validator refuses, at its place in the
//! text. Whether the text is the one that was proved is another question: [`is_untouched`](super::is_untouched).

use super::printer::role_keyword;
use super::read_body::BodyReader;
use super::read_leaf::LeafReader;
use super::reader::{Read, Reader};
use super::s_expression::{SExpression, read_form};
use super::validate::{Place, find_faults};
use super::{ArrayDecl, Bus, Channel, Class, Coordinate, Joins, Loads, Program, Scratchpad, VERSION};
use std::sync::Arc;
use systole_base::cell::Cell;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, MessageCode, about};
use systole_base::integer::{Parameters, name};
use systole_base::network::Network;
use systole_base::span::{Source, Span};
use systole_equations::recurrence::{Assumption, Distribution, LeafOrder, Role};

const WORDS: [&str; 17] = [
    "version",
    "parameters",
    "assume",
    "tiles",
    "array",
    "grid",
    "scratchpad",
    "network",
    "cell",
    "fold",
    "order",
    "channel",
    "bus",
    "leaf",
    "class",
    "thin-class",
    "digest",
];

/// The program that `text` holds; `file` is what messages call the text.
///
/// # Errors
/// Everything that is wrong with the text, each message with its line.
pub fn parse(file: &str, text: &str) -> Checked<Program> {
    about(MessageCode::Program, read(file, text))
}

fn read(file: &str, text: &str) -> Checked<Program> {
    let source = Source::new(file, text);
    let mut parser = Parser::new(&source);
    let forms = read_form(&source)?;
    let declarations = parser.header(&forms)?;
    parser.declarations(declarations);
    parser.finish()
}

struct Parser {
    reader: Reader,
    program: Program,
    faults: Diagnostics,
}

impl Parser {
    fn new(source: &Arc<Source>) -> Parser {
        let program = Program {
            kernel: name(""),
            parameters: Parameters::default(),
            tiles: vec![],
            leaves: vec![],
            arrays: vec![],
            grid: vec![],
            network: Network::Mesh,
            cell: Cell::ONE,
            fold: None,
            order: None,
            channels: vec![],
            buses: vec![],
            scratchpads: vec![],
            classes: vec![],
        };
        Parser { reader: Reader::new(source), program, faults: vec![] }
    }

    /// Reads the name and the version, without which nothing else has a meaning; gives the forms after them.
    fn header<'a>(&mut self, form: &'a SExpression) -> Read<&'a [SExpression]> {
        let usage = format!("`(program NAME (version {VERSION}) ..)`");
        let [kernel, version, rest @ ..] = self.reader.call_of(form, "program", &usage)? else {
            return self.reader.expected(form, &usage);
        };
        self.reader.places.insert(Place::Program, kernel.span);
        self.program.kernel = self.reader.name(kernel, "the program's name")?;
        let [number] = self.reader.exactly(version, self.reader.call_of(version, "version", &usage)?, "(version N)")?;
        match self.reader.natural(number)? {
            VERSION => Ok(rest),
            found => {
                let message = format!("version {found} of the program text is not known");
                let fault = self.reader.fault(version.span, &message, "here");
                Err(fault.help(format!("this program reads version {VERSION}; emit the file again")))
            }
        }
    }

    fn declarations(&mut self, forms: &[SExpression]) {
        for form in forms {
            if let Err(fault) = self.declaration(form) {
                self.faults.push(fault);
            }
        }
    }

    fn declaration(&mut self, form: &SExpression) -> Read<()> {
        let (word, rest) = self.reader.call(form, "a declaration such as `(class ..)`")?;
        match word {
            "parameters" => self.parameters(form, rest),
            "assume" => self.assume(form, rest),
            "tiles" => self.tiles(form, rest),
            "array" => self.array(form, rest),
            "grid" => self.grid(form, rest),
            "network" => self.network(form),
            "cell" => self.cell(form),
            "fold" => self.fold(form),
            "order" => self.order(form),
            "channel" => self.channel(form, rest),
            "bus" => self.bus(form, rest),
            "scratchpad" => self.scratchpad(form, rest),
            "leaf" => self.leaf(form, rest),
            "class" | "thin-class" => self.class(form, word == "thin-class", rest),
            "digest" => self.reader.exactly::<1>(form, rest, "(digest \"..\")").map(|_| ()),
            "version" => self.reader.expected(form, "one version"),
            _ => self.reader.unknown(form, "a declaration", &WORDS),
        }
    }

    fn note(&mut self, place: Place, span: Span) {
        self.reader.places.insert(place, span);
    }

    fn parameters(&mut self, form: &SExpression, rest: &[SExpression]) -> Read<()> {
        self.note(Place::Parameters, form.span);
        let names = self.reader.each(rest, |reader, form| reader.name(form, "the name of a parameter"))?;
        self.program.parameters.extend(names);
        Ok(())
    }

    fn assume(&mut self, form: &SExpression, rest: &[SExpression]) -> Read<()> {
        let [condition] = self.reader.exactly(form, rest, "(assume (>= N 2))")?;
        let assumed = self.reader.linear_condition(condition)?;
        if assumed.terms().any(|(name, _)| !self.program.parameters.contains(name)) {
            return self.reader.expected(condition, "a condition over the parameters that were declared before");
        }
        self.program.parameters.assume(assumed);
        Ok(())
    }

    fn tiles(&mut self, form: &SExpression, rest: &[SExpression]) -> Read<()> {
        self.note(Place::Tiles(self.program.tiles.len()), form.span);
        self.program.tiles.push(self.reader.tile_count(form, rest)?);
        Ok(())
    }

    fn leaf(&mut self, form: &SExpression, rest: &[SExpression]) -> Read<()> {
        let position = self.program.leaves.len();
        self.note(Place::Leaf(position), form.span);
        self.program.leaves.push(LeafReader::new(&mut self.reader, position).read(form, rest)?);
        Ok(())
    }

    /// What nothing is assumed of, no layout, loads that ask for their words themselves, and the axes of an array of numbers are
    /// left out.
    fn array(&mut self, form: &SExpression, rest: &[SExpression]) -> Read<()> {
        self.note(Place::Array(self.program.arrays.len()), form.span);
        let (rest, more) = rest.split_at(rest.len().min(3));
        let [array, role, shape] = self.reader.exactly(form, rest, "(array NAME in|out (EXTENT ..))")?;
        let (assumption, more) = self.array_setting(more, "is", Parser::assumption)?;
        let (layout, more) = self.array_setting(more, "layout", |parser, form| parser.distribution(form, "layout"))?;
        let (loads, more) = self.array_setting(more, "loads", Parser::loads)?;
        let (slant, more) = self.array_setting(more, "slant", |parser, form| parser.reader.slant(form))?;
        let (straight, more) = self.array_setting(more, "straight", |parser, form| parser.reader.straight(form))?;
        let axes = match more {
            [] => vec![],
            [axes] => self.reader.axes(axes)?,
            [_, other, ..] => return self.reader.expected(other, "nothing after the axes"),
        };
        let name = self.reader.name(array, "the name of an array")?;
        let known = [Role::Input, Role::Output];
        let Some(role) = known.into_iter().find(|known| role.atom() == Some(role_keyword(*known))) else {
            return self.reader.expected(role, "`in` or `out`");
        };
        let extents = self.reader.list(shape, "a list of extents")?;
        let shape = self.reader.indices(extents)?;
        self.program.arrays.push(ArrayDecl { name, role, shape, assumption, layout, loads, axes, slant, straight });
        Ok(())
    }

    /// What stands behind the shape of an array and begins with a word, and the forms after it.
    fn array_setting<'a, T>(
        &self,
        more: &'a [SExpression],
        word: &str,
        read: impl Fn(&Parser, &SExpression) -> Read<T>,
    ) -> Read<(Option<T>, &'a [SExpression])> {
        match more {
            [form, rest @ ..]
                if form.list().and_then(<[SExpression]>::first).and_then(SExpression::atom) == Some(word) =>
            {
                Ok((Some(read(self, form)?), rest))
            }
            _ => Ok((None, more)),
        }
    }

    /// `(is positive_definite)`.
    fn assumption(&self, form: &SExpression) -> Read<Assumption> {
        let parts = self.reader.call_of(form, "is", "`(is ASSUMPTION)`")?;
        let [word] = self.reader.exactly(form, parts, "(is ASSUMPTION)")?;
        let found = word.atom().and_then(Assumption::from_keyword);
        let known = Assumption::ALL.map(|(_, word)| word);
        found.map_or_else(|| self.reader.unknown(word, "what an array can be assumed to be", &known), Ok)
    }

    /// `(loads (latency 200) (outstanding 201))`.
    fn loads(&self, form: &SExpression) -> Read<Loads> {
        let usage = "(loads (latency N) (outstanding N))";
        let parts = self.reader.call_of(form, "loads", &format!("`{usage}`"))?;
        let [latency, outstanding] = self.reader.exactly(form, parts, usage)?;
        Ok(Loads { latency: self.setting(latency, "latency")?, outstanding: self.setting(outstanding, "outstanding")? })
    }

    /// `(network hex)`.
    fn network(&mut self, form: &SExpression) -> Read<()> {
        if self.reader.places.contains_key(&Place::Network) {
            return self.reader.expected(form, "one network");
        }
        self.note(Place::Network, form.span);
        let parts = self.reader.call_of(form, "network", "`(network NETWORK)`")?;
        let [word] = self.reader.exactly(form, parts, "(network NETWORK)")?;
        let found = word.atom().and_then(Network::from_keyword);
        let known = Network::ALL.map(|(_, word)| word);
        self.program.network = found.map_or_else(|| self.reader.unknown(word, "a network", &known), Ok)?;
        Ok(())
    }

    /// `(cell 4)`, or `(cell all)`.
    fn cell(&mut self, form: &SExpression) -> Read<()> {
        if self.program.cell.is_shared() {
            return self.reader.expected(form, "one cell");
        }
        let parts = self.reader.call_of(form, "cell", "`(cell OPERATIONS)`")?;
        let [word] = self.reader.exactly(form, parts, "(cell OPERATIONS)")?;
        match word.atom().and_then(|word| Cell::from_word(word, u64::MAX)).filter(|cell| cell.is_shared()) {
            Some(cell) => self.program.cell = cell,
            None => return self.reader.expected(word, "a number of operations, 2 at least, or `all`"),
        }
        Ok(())
    }

    /// `(fold cyclic)`.
    fn fold(&mut self, form: &SExpression) -> Read<()> {
        if self.program.fold.is_some() {
            return self.reader.expected(form, "one fold");
        }
        self.program.fold = Some(self.distribution(form, "fold")?);
        Ok(())
    }

    /// `(order turns:4)`.
    fn order(&mut self, form: &SExpression) -> Read<()> {
        if self.program.order.is_some() {
            return self.reader.expected(form, "one order");
        }
        let parts = self.reader.call_of(form, "order", "`(order ORDER)`")?;
        let [word] = self.reader.exactly(form, parts, "(order ORDER)")?;
        let Some(order) = word.atom().and_then(LeafOrder::from_keyword) else {
            return self.reader.unknown(word, "an order of tiles", &LeafOrder::WORDS);
        };
        self.program.order = Some(order);
        Ok(())
    }

    /// How something is distributed, behind the word for what it is.
    fn distribution(&self, form: &SExpression, keyword: &str) -> Read<Distribution> {
        let usage = format!("({keyword} DEALING)");
        let parts = self.reader.call_of(form, keyword, &format!("`{usage}`"))?;
        let [word] = self.reader.exactly(form, parts, &usage)?;
        let found = word.atom().and_then(Distribution::from_keyword);
        found.map_or_else(|| self.reader.unknown(word, "how something is distributed", &Distribution::WORDS), Ok)
    }

    fn grid(&mut self, form: &SExpression, rest: &[SExpression]) -> Read<()> {
        if !self.program.grid.is_empty() {
            return self.reader.expected(form, "one grid");
        }
        self.note(Place::Grid, form.span);
        self.program.grid = self.reader.each(rest, |reader, form| {
            let parts = reader.list(form, "a coordinate such as `(p0 0 (- N 1))`")?;
            let [name, first, last] = parts else { return reader.expected(form, "`(NAME FIRST LAST)`") };
            let name = reader.name(name, "the name of a coordinate")?;
            Ok(Coordinate { name, first: reader.index(first)?, last: reader.index(last)? })
        })?;
        Ok(())
    }

    fn channel(&mut self, form: &SExpression, rest: &[SExpression]) -> Read<()> {
        self.note(Place::Channel(self.program.channels.len()), form.span);
        let usage = "(channel NAME (offset N ..) (latency N) (depth N))";
        let [name, offset, latency, depth] = self.reader.exactly(form, rest, usage)?;
        let channel = Channel {
            name: self.reader.name(name, "the name of a channel")?,
            offset: self.vector(offset, "offset")?,
            latency: self.setting(latency, "latency")?,
            depth: self.setting(depth, "depth")?,
        };
        self.program.channels.push(channel);
        Ok(())
    }

    /// `(scratchpad S (N M))`: words of each PE for itself. The room may be left out: a word for each element.
    fn scratchpad(&mut self, form: &SExpression, rest: &[SExpression]) -> Read<()> {
        self.note(Place::Scratchpad(self.program.scratchpads.len()), form.span);
        let (rest, more) = rest.split_at(rest.len().min(2));
        let [name, shape] = self.reader.exactly(form, rest, "(scratchpad NAME (EXTENT ..))")?;
        let name = self.reader.name(name, "the name of a scratchpad")?;
        let shape = self.reader.indices(self.reader.list(shape, "a list of extents")?)?;
        let room = match more {
            [] => shape.clone(),
            [room] => self.reader.indices(self.reader.call_of(room, "room", "`(room WORDS ..)`")?)?,
            [_, other, ..] => return self.reader.expected(other, "nothing after the room"),
        };
        self.program.scratchpads.push(Scratchpad { name, shape, room });
        Ok(())
    }

    /// The latency of a bus may be left out: a wire.
    fn bus(&mut self, form: &SExpression, rest: &[SExpression]) -> Read<()> {
        self.note(Place::Bus(self.program.buses.len()), form.span);
        let [name, joins, latency @ ..] = rest else {
            return self.reader.expected(form, "`(bus NAME (direction N ..) (latency N))`");
        };
        let latency = match latency {
            [] => 0,
            [latency] => self.setting(latency, "latency")?,
            [_, other, ..] => return self.reader.expected(other, "nothing after the latency"),
        };
        let name = self.reader.name(name, "the name of a bus")?;
        self.program.buses.push(Bus { name, joins: self.joins(joins)?, latency });
        Ok(())
    }

    /// `(direction 1 0)`, or `(joins all)`.
    fn joins(&self, form: &SExpression) -> Read<Joins> {
        let Ok(word) = self.reader.call_of(form, "joins", "`(joins all)`") else {
            return self.vector(form, "direction").map(Joins::Line);
        };
        match self.reader.exactly(form, word, "(joins all)")? {
            [word] if self.reader.name(word, "`all`").is_ok_and(|word| &*word == "all") => Ok(Joins::All),
            [word] => self.reader.expected(word, "`all`"),
        }
    }

    /// `(offset 0 1)`.
    fn vector(&self, form: &SExpression, keyword: &str) -> Read<Vec<i64>> {
        let entries = self.reader.call_of(form, keyword, &format!("`({keyword} N ..)`"))?;
        self.reader.each(entries, Reader::integer)
    }

    /// `(latency 1)`.
    fn setting(&self, form: &SExpression, keyword: &str) -> Read<u64> {
        let usage = format!("({keyword} N)");
        let parts = self.reader.call_of(form, keyword, &format!("`{usage}`"))?;
        let [value] = self.reader.exactly(form, parts, &usage)?;
        self.reader.natural(value)
    }

    fn class(&mut self, form: &SExpression, thin: bool, rest: &[SExpression]) -> Read<()> {
        let position = self.program.classes.len();
        self.note(Place::Class(position), form.span);
        let [name, guard, body @ ..] = rest else {
            return self.reader.expected(form, "`(class NAME (guard CONDITION ..) INSTRUCTION ..)`");
        };
        let name = self.reader.name(name, "the name of a class")?;
        let conditions = self.reader.call_of(guard, "guard", "`(guard CONDITION ..)`")?;
        let guard = self.reader.each(conditions, Reader::condition)?;
        let body = BodyReader::new(&mut self.reader, position).block(body)?;
        self.program.classes.push(Class { name, thin, guard, body });
        Ok(())
    }

    fn finish(mut self) -> Checked<Program> {
        if self.faults.is_empty() {
            self.faults = find_faults(&self.program).into_iter().map(|fault| self.locate(fault)).collect();
        }
        if self.faults.is_empty() { Ok(self.program) } else { Err(self.faults) }
    }

    fn locate(&self, (place, fault): (Place, Diagnostic)) -> Diagnostic {
        let span = self.reader.places.get(&place).copied().unwrap_or_default();
        let located = self.reader.fault(span, fault.message(), "here");
        fault.help_text().into_iter().fold(located, |located, help| located.help(help))
    }
}
