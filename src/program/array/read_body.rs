//! Reads the instructions of a class.
//!
//! Instructions are numbered from 0 in the order of the text, bodies included; the place of each is noted under its
//! number, so that the validator's messages can point at it.

use super::reader::{Read, Reader};
use super::s_expression::SExpression;
use super::validate::Place;
use super::{IndexExpr, Instruction};
use systole_base::integer::Name;

/// The words that begin an instruction.
const WORDS: [&str; 20] = [
    "loop", "if", "at", "advance", "tick", "share", "end-step", "load", "prefetch", "local", "keep", "recall", "store",
    "fill", "recv", "send", "pass", "drive", "listen", "let",
];

/// Reads the body of the class with the position `class`.
pub(super) struct BodyReader<'a> {
    reader: &'a mut Reader,
    class: usize,
    next: usize,
}

impl<'a> BodyReader<'a> {
    pub fn new(reader: &'a mut Reader, class: usize) -> BodyReader<'a> {
        BodyReader { reader, class, next: 0 }
    }

    /// Instructions in the order of the text.
    pub fn block(&mut self, forms: &[SExpression]) -> Read<Vec<Instruction>> {
        forms.iter().map(|form| self.instruction(form)).collect()
    }

    fn instruction(&mut self, form: &SExpression) -> Read<Instruction> {
        self.reader.places.insert(Place::Instruction(self.class, self.next), form.span);
        self.next += 1;
        let (word, rest) = self.reader.call(form, "an instruction such as `(tick 1)`")?;
        match word {
            "loop" => self.repetition(form, rest),
            "if" => self.choice(form, rest),
            "at" | "advance" | "tick" | "let" => self.local_step(form, word, rest),
            "share" => self.reader.exactly::<0>(form, rest, "(share)").map(|_| Instruction::Share),
            "end-step" => self.reader.exactly::<0>(form, rest, "(end-step)").map(|_| Instruction::EndStep),
            "load" | "prefetch" | "local" | "keep" | "recall" | "store" | "fill" => self.memory(form, word, rest),
            "recv" | "send" | "pass" => self.channel(form, word, rest),
            "drive" | "listen" => self.bus(form, word, rest),
            _ => self.reader.unknown(form, "an instruction", &WORDS),
        }
    }

    fn repetition(&mut self, form: &SExpression, rest: &[SExpression]) -> Read<Instruction> {
        let [index, first, last, body @ ..] = rest else {
            return self.reader.expected(form, "`(loop INDEX FIRST LAST INSTRUCTION ..)`");
        };
        Ok(Instruction::Loop {
            index: self.reader.name(index, "the name of a loop index")?,
            first: self.reader.index(first)?,
            last: self.reader.index(last)?,
            body: self.block(body)?,
        })
    }

    fn choice(&mut self, form: &SExpression, rest: &[SExpression]) -> Read<Instruction> {
        let usage = "(if (CONDITION ..) (INSTRUCTION ..) (INSTRUCTION ..))";
        let [conditions, then, otherwise] = self.reader.exactly(form, rest, usage)?;
        let conditions = self.reader.list(conditions, "a list of conditions")?;
        Ok(Instruction::If {
            conditions: self.reader.each(conditions, Reader::condition)?,
            then: self.side(then)?,
            otherwise: self.side(otherwise)?,
        })
    }

    fn side(&mut self, form: &SExpression) -> Read<Vec<Instruction>> {
        let forms = self.reader.list(form, "a list of instructions")?;
        self.block(forms)
    }

    fn local_step(&self, form: &SExpression, word: &str, rest: &[SExpression]) -> Read<Instruction> {
        if word == "let" {
            let [register, value] = self.reader.exactly(form, rest, "(let REGISTER EXPRESSION)")?;
            return Ok(Instruction::Let(self.register(register)?, self.reader.scalar(value)?));
        }
        let [value] = self.reader.exactly(form, rest, &format!("({word} CYCLES)"))?;
        match word {
            "at" => Ok(Instruction::At(self.reader.index(value)?)),
            "advance" => Ok(Instruction::Advance(self.reader.index(value)?)),
            _ => Ok(Instruction::Tick(self.reader.natural(value)?)),
        }
    }

    fn memory(&self, form: &SExpression, word: &str, rest: &[SExpression]) -> Read<Instruction> {
        match word {
            "prefetch" => {
                let [element] = self.reader.exactly(form, rest, "(prefetch (ARRAY SUBSCRIPT ..))")?;
                self.element(element).map(|(array, at)| Instruction::Prefetch(array, at))
            }
            "store" => {
                let [element, register] = self.reader.exactly(form, rest, "(store (ARRAY SUBSCRIPT ..) REGISTER)")?;
                let (array, at) = self.element(element)?;
                Ok(Instruction::Store(array, at, self.register(register)?))
            }
            "keep" => {
                let [entry, register] = self.reader.exactly(form, rest, "(keep (SCRATCHPAD SUBSCRIPT ..) REGISTER)")?;
                let (pad, at) = self.element(entry)?;
                Ok(Instruction::Keep(pad, at, self.register(register)?))
            }
            "recall" => {
                let [register, entry] =
                    self.reader.exactly(form, rest, "(recall REGISTER (SCRATCHPAD SUBSCRIPT ..))")?;
                let (register, (pad, at)) = (self.register(register)?, self.element(entry)?);
                Ok(Instruction::Recall(register, pad, at))
            }
            "fill" => {
                let [element, value] = self.reader.exactly(form, rest, "(fill (ARRAY SUBSCRIPT ..) EXPRESSION)")?;
                let (array, at) = self.element(element)?;
                Ok(Instruction::Fill(array, at, self.reader.scalar(value)?))
            }
            _ => {
                let usage = format!("({word} REGISTER (ARRAY SUBSCRIPT ..))");
                let [register, element] = self.reader.exactly(form, rest, &usage)?;
                let (register, (array, at)) = (self.register(register)?, self.element(element)?);
                let make = if word == "load" { Instruction::Load } else { Instruction::Local };
                Ok(make(register, array, at))
            }
        }
    }

    fn channel(&self, form: &SExpression, word: &str, rest: &[SExpression]) -> Read<Instruction> {
        match word {
            "recv" => {
                let [register, channel] = self.reader.exactly(form, rest, "(recv REGISTER CHANNEL)")?;
                Ok(Instruction::Receive(self.register(register)?, self.link(channel)?))
            }
            "send" => {
                let [channel, register] = self.reader.exactly(form, rest, "(send CHANNEL REGISTER)")?;
                Ok(Instruction::Send(self.link(channel)?, self.register(register)?))
            }
            _ => {
                let [from, to, count] = self.reader.exactly(form, rest, "(pass CHANNEL CHANNEL COUNT)")?;
                Ok(Instruction::Pass(self.link(from)?, self.link(to)?, self.reader.index(count)?))
            }
        }
    }

    fn bus(&self, form: &SExpression, word: &str, rest: &[SExpression]) -> Read<Instruction> {
        if word == "drive" {
            let [bus, register, tag] = self.reader.exactly(form, rest, "(drive BUS REGISTER (TAG ..))")?;
            return Ok(Instruction::Drive(self.link(bus)?, self.register(register)?, self.tag(tag)?));
        }
        let [register, bus, tag] = self.reader.exactly(form, rest, "(listen REGISTER BUS (TAG ..))")?;
        Ok(Instruction::Listen(self.register(register)?, self.link(bus)?, self.tag(tag)?))
    }

    fn register(&self, form: &SExpression) -> Read<Name> {
        self.reader.name(form, "the name of a register")
    }

    fn link(&self, form: &SExpression) -> Read<Name> {
        self.reader.name(form, "the name of a channel or bus")
    }

    fn tag(&self, form: &SExpression) -> Read<Vec<IndexExpr>> {
        let forms = self.reader.list(form, "a tag such as `(k)`")?;
        self.reader.indices(forms)
    }

    fn element(&self, form: &SExpression) -> Read<(Name, Vec<IndexExpr>)> {
        match self.reader.list(form, "an element such as `(A p0 k)`")? {
            [array, subscripts @ ..] => {
                Ok((self.reader.name(array, "the name of an array")?, self.reader.indices(subscripts)?))
            }
            [] => self.reader.expected(form, "an element such as `(A p0 k)`"),
        }
    }
}
