//! The body of a class, as a function that can leave off wherever a PE has to wait.
//!
//! In: a class. Out: a function that goes on where the PE left off: registers and loop indices are in the PE's state, each wait has a label, and
//! the function begins with a jump to the label of the last one. What it does has no effect before the wait is over, so it may be tried again.
//!
//! `at` is a comment, and what else speaks of clocks is left out: what is sent over which channel, and in which order, follows from the
//! channels alone. What is prefetched is in the arrays anyway.

use super::class::{ClassNames, read_by};
use super::expression;
use super::kernel::Kernel;
use super::writer::Writer;
use std::collections::BTreeSet;
use systole_base::integer::Name;
use systole_base::scalar::Function;
use systole_program::array::{Bus, IndexExpr, Instruction, Joins, ScalarExpr};

/// A body that is written.
pub(super) struct BodyWriter<'k, 'a> {
    kernel: &'k Kernel<'a>,
    names: &'k ClassNames<'a>,
    /// What each wait is for; the first is the beginning.
    waits: Vec<String>,
    /// How many `pass`es have been written.
    passes: usize,
}

/// Writes the function of a class, and the list of its waits.
pub(super) fn write_class(kernel: &Kernel, names: &ClassNames, writer: &mut Writer) {
    let mut body = BodyWriter { kernel, names, waits: vec!["its beginning".to_owned()], passes: 0 };
    let suffix = &names.suffix;
    let mut text = writer.fresh();
    text.indented(|writer| body.block(&names.class.body, writer));
    let head = format!("static enum progress resume_{suffix}(struct run *run, struct pe *pe)");
    let waits = &body.waits;
    kernel.function(writer, &head, "pe->point", |writer| {
        if text.mentions("self") {
            writer.put(&names.self_pointer());
        }
        if waits.len() > 1 {
            writer.braces("switch (pe->at)", |writer| {
                for wait in 1..waits.len() {
                    writer.put(&format!("case {wait}: goto wait_{wait};"));
                }
                writer.put("default: break;");
            });
        }
        writer.append(&text);
        writer.put("return ENDED;");
    });
    writer.braces_with(&format!("static const char *const waits_{suffix}[] ="), ";", |writer| {
        let texts: Vec<String> = waits.iter().map(|wait| format!("\"{wait}\"")).collect();
        writer.put(&texts.join(", "));
    });
    writer.blank();
}

impl<'a> BodyWriter<'_, 'a> {
    fn block(&mut self, body: &'a [Instruction], writer: &mut Writer) {
        body.iter().for_each(|instruction| self.instruction(instruction, writer));
    }

    fn index(&self, expression: &IndexExpr) -> String {
        expression::index(expression, &|name| self.kernel.of_pe(name))
    }

    fn indices(&self, expressions: &[IndexExpr]) -> String {
        expression::indices(expressions, &|name| self.kernel.of_pe(name))
    }

    fn instruction(&mut self, instruction: &'a Instruction, writer: &mut Writer) {
        match instruction {
            Instruction::Loop { index, first, last, body } => {
                let index = self.kernel.of_pe(index);
                let (first, last) = (self.index(first), self.index(last));
                writer.braces(&format!("for ({index} = {first}; {index} <= {last}; {index}++)"), |writer| {
                    self.block(body, writer);
                });
            }
            Instruction::If { conditions, then, otherwise } => {
                let conditions = expression::conditions(conditions, &|name| self.kernel.of_pe(name));
                self.choice(&conditions, then, otherwise, writer);
            }
            Instruction::At(time) => {
                let time = expression::index(time, &|name| self.kernel.variable(name));
                writer.comment(&format!("Step {time}."));
            }
            Instruction::Advance(_)
            | Instruction::Tick(_)
            | Instruction::Share
            | Instruction::EndStep
            | Instruction::Prefetch(..) => {}
            Instruction::Load(register, array, at) | Instruction::Local(register, array, at) => {
                self.load(register, array, at, writer);
            }
            Instruction::Store(array, at, register) => {
                let register = self.names.register(register);
                self.store(array, at, &register, writer);
            }
            Instruction::Fill(array, at, value) => self.fill(array, at, value, writer),
            Instruction::Keep(pad, at, register) => {
                let (entry, register) = (self.entry(pad, at), self.names.register(register));
                self.write(&entry, &format!("word_share({register})"), writer);
            }
            Instruction::Recall(register, pad, at) => {
                let (entry, register) = (self.entry(pad, at), self.names.register(register));
                self.write(&register, &format!("word_share({entry})"), writer);
            }
            Instruction::Receive(register, channel) => {
                self.receive(channel, &self.names.register(register), writer);
            }
            Instruction::Send(channel, register) => self.send(channel, &self.names.register(register), writer),
            Instruction::Pass(from, to, count) => self.pass((from, to), count, writer),
            Instruction::Drive(bus, register, tag) => self.drive(bus, register, tag, writer),
            Instruction::Listen(register, bus, tag) => self.listen(bus, register, tag, writer),
            Instruction::Let(register, value) => self.assign(register, value, writer),
        }
    }

    /// What writes nothing, such as what speaks of clocks alone, has no braces.
    fn choice(&mut self, conditions: &str, then: &'a [Instruction], otherwise: &'a [Instruction], writer: &mut Writer) {
        let sides = [then, otherwise].map(|body| {
            let mut side = writer.fresh();
            side.indented(|writer| self.block(body, writer));
            side
        });
        match sides.each_ref().map(Writer::is_empty) {
            [true, true] => {}
            [false, true] => writer.braces(&format!("if ({conditions})"), |writer| writer.append(&sides[0])),
            [true, false] => writer.braces(&format!("if (!({conditions}))"), |writer| writer.append(&sides[1])),
            [false, false] => {
                writer.braces_with(&format!("if ({conditions})"), " else {", |writer| writer.append(&sides[0]));
                writer.append(&sides[1]);
                writer.put("}");
            }
        }
    }

    /// A word into a register or an entry, in the place of what was there.
    fn write(&self, place: &str, value: &str, writer: &mut Writer) {
        writer.put(&format!("word_set(&{place}, {value});"));
    }

    fn load(&self, register: &Name, array: &Name, at: &[IndexExpr], writer: &mut Writer) {
        let (register, element) = (self.names.register(register), self.element(array, at, ""));
        match self.kernel.is_over_tiles() {
            true => writer.hanging(&format!("if (!word_assign(&{register}, load_{element}))"), "return FAILED;"),
            false => writer.put(&format!("{register} = *at_{element};")),
        }
    }

    fn store(&self, array: &Name, at: &[IndexExpr], value: &str, writer: &mut Writer) {
        match self.kernel.is_over_tiles() {
            true => writer.put(&format!("store_{};", self.element(array, at, &format!(", {value}")))),
            false => writer.put(&format!("*at_{} = {value};", self.element(array, at, ""))),
        }
    }

    /// `A(run, i, j)`, with more behind the subscripts.
    fn element(&self, array: &Name, at: &[IndexExpr], more: &str) -> String {
        let subscripts = at.iter().map(|subscript| format!(", {}", self.index(subscript)));
        format!("{}(run{}{more})", self.kernel.array(array), subscripts.collect::<String>())
    }

    fn fill(&mut self, array: &Name, at: &[IndexExpr], value: &ScalarExpr, writer: &mut Writer) {
        if !self.kernel.is_over_tiles() {
            let value = self.number(value);
            return self.store(array, at, expression::bare(&value), writer);
        }
        let value = self.tile(value, None);
        writer.braces("", |writer| {
            writer.put(&format!("struct tile *filled = {value};"));
            writer.hanging("if (!filled)", "return FAILED;");
            self.store(array, at, "filled", writer);
            writer.put("word_drop(filled);");
        });
    }

    /// The entry of a scratchpad that has the word of an element.
    fn entry(&self, pad: &Name, at: &[IndexExpr]) -> String {
        let field = self.names.pads.get(pad).map_or("", String::as_str);
        let Some(declared) = self.kernel.scratchpad(pad) else { return String::new() };
        let variables = |name: &Name| self.kernel.of_pe(name);
        let mut address = String::new();
        for ((subscript, extent), room) in at.iter().zip(&declared.shape).zip(&declared.room) {
            let word = match (extent == room, room) {
                (true, _) => subscript.clone(),
                (false, IndexExpr::Constant(room)) => IndexExpr::Modulo(Box::new(subscript.clone()), *room),
                (false, _) => subscript.clone(),
            };
            let word = expression::index(&word, &variables);
            address = match address.is_empty() {
                true => word,
                false => format!("({address}) * {} + {word}", expression::factor(room, &variables)),
            };
        }
        format!("self->{field}[{}]", if address.is_empty() { "0" } else { &address })
    }

    /// A wait, with its label.
    fn wait(&mut self, reason: String, condition: &str, writer: &mut Writer) {
        let number = self.waits.len();
        self.waits.push(reason);
        writer.put_label(&format!("wait_{number}:"));
        writer.hanging(&format!("if (!{condition})"), &format!("return wait_at(pe, {number});"));
    }

    fn receive(&mut self, channel: &Name, register: &str, writer: &mut Writer) {
        let port = self.port(channel, false);
        self.wait(format!("a word on {channel}"), &format!("channel_receive(pe, {port}, &{register})"), writer);
    }

    fn send(&mut self, channel: &Name, register: &str, writer: &mut Writer) {
        let port = self.port(channel, true);
        self.wait(format!("a free slot of {channel}"), &format!("channel_send(pe, {port}, {register})"), writer);
    }

    fn port(&self, channel: &Name, sends: bool) -> String {
        let port = self.names.ports.get(&(channel.clone(), sends)).map_or("", String::as_str);
        format!("self->{port}")
    }

    /// `pass` is a loop that receives into a register of its own and sends it on.
    fn pass(&mut self, (from, to): (&Name, &Name), count: &IndexExpr, writer: &mut Writer) {
        let Some([counter, register]) = self.names.passes.get(self.passes) else { return };
        self.passes += 1;
        let (counter, register) = (format!("self->{counter}"), format!("self->{register}"));
        let count = self.index(count);
        writer.braces(&format!("for ({counter} = 1; {counter} <= {count}; {counter}++)"), |writer| {
            self.receive(from, &register, writer);
            self.send(to, &register, writer);
        });
    }

    fn drive(&mut self, bus: &Name, register: &Name, tag: &[IndexExpr], writer: &mut Writer) {
        let (key, register, bus) = (self.key(bus, tag), self.names.register(register), self.kernel.joint(bus));
        writer.hanging(
            &format!("if (!bus_drive(pe, &run->{bus}, (const int64_t[]){{{key}}}, {register}))"),
            "return FAILED;",
        );
    }

    fn listen(&mut self, bus: &Name, register: &Name, tag: &[IndexExpr], writer: &mut Writer) {
        let (key, register, joint) = (self.key(bus, tag), self.names.register(register), self.kernel.joint(bus));
        let condition = format!("bus_listen(pe, &run->{joint}, (const int64_t[]){{{key}}}, &{register})");
        self.wait(format!("a word on the bus {bus}"), &condition, writer);
    }

    /// The point that stands for the line of the PE, and the tag.
    fn key(&self, name: &Name, tag: &[IndexExpr]) -> String {
        let bus = self.kernel.program.buses.iter().find(|bus| bus.name == *name);
        let mut entries = bus.map_or_else(Vec::new, |bus| self.line(bus));
        entries.extend(tag.iter().map(|entry| self.index(entry)));
        entries.join(", ")
    }

    fn line(&self, bus: &Bus) -> Vec<String> {
        let Joins::Line(direction) = &bus.joins else { return vec!["0".to_owned()] };
        let coordinates = self.kernel.program.grid.iter().map(|coordinate| self.kernel.variable(&coordinate.name));
        let coordinates: Vec<String> = coordinates.collect();
        let leading = direction.iter().zip(&coordinates).find(|(step, _)| **step != 0);
        let Some((step, coordinate)) = leading else { return coordinates };
        let rounds = match step.abs() {
            1 => coordinate.clone(),
            by => format!("floor_div({coordinate}, {by})"),
        };
        let along = |(coordinate, entry): (&String, &i64)| match entry * step.signum() {
            0 => coordinate.clone(),
            1 if *coordinate == rounds => "0".to_owned(),
            by if by < 0 => format!("{coordinate} + {} * {rounds}", -by),
            by => format!("{coordinate} - {by} * {rounds}"),
        };
        coordinates.iter().zip(direction).map(along).collect()
    }

    fn assign(&mut self, register: &Name, value: &ScalarExpr, writer: &mut Writer) {
        let target = self.names.register(register);
        match self.kernel.is_over_tiles() {
            true => {
                let value = self.tile(value, Some(register));
                writer.hanging(&format!("if (!word_assign(&{target}, {value}))"), "return FAILED;");
            }
            false => writer.put(&format!("{target} = {};", expression::bare(&self.number(value)))),
        }
    }

    fn number(&self, value: &ScalarExpr) -> String {
        match value {
            ScalarExpr::Number(value) => expression::number(*value),
            ScalarExpr::Register(register) => self.names.register(register),
            ScalarExpr::Index(index) => format!("(double)({})", self.index(index)),
            ScalarExpr::Apply(function, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|argument| self.number(argument)).collect();
                expression::apply(*function, &arguments)
            }
            ScalarExpr::Call { .. } => expression::number(f64::NAN),
        }
    }

    /// An expression of tiles, whose value is the caller's. A leaf may work in place on the register that is written anyway.
    fn tile(&self, value: &ScalarExpr, target: Option<&Name>) -> String {
        match value {
            ScalarExpr::Number(value) => format!("tile_uniform({})", expression::number(*value)),
            ScalarExpr::Register(register) => format!("word_share({})", self.names.register(register)),
            ScalarExpr::Index(index) => format!("tile_uniform((double)({}))", self.index(index)),
            ScalarExpr::Apply(function, arguments) => self.elementwise(*function, arguments),
            ScalarExpr::Call { leaf, onto, at, arguments } => {
                let mut read = vec![];
                read_by(value, &mut read);
                let is_free = |register: &Name| read.iter().filter(|other| **other == register).count() == 1;
                let onto = onto.as_deref().map(|onto| match onto {
                    ScalarExpr::Register(register) if target == Some(register) && is_free(register) => {
                        format!("word_take(&{})", self.names.register(register))
                    }
                    _ => self.tile(onto, target.filter(|target| is_free(target))),
                });
                let at = (!at.is_empty()).then(|| self.indices(at));
                let run = std::iter::once("run".to_owned());
                let arguments = arguments.iter().map(|argument| self.tile(argument, None));
                let all: Vec<String> =
                    run.chain(at).chain([onto.unwrap_or_else(|| "NULL".to_owned())]).chain(arguments).collect();
                format!("{}({})", self.kernel.leaf(leaf), all.join(", "))
            }
        }
    }

    fn elementwise(&self, function: Function, arguments: &[ScalarExpr]) -> String {
        let tiles: Vec<String> = arguments.iter().map(|argument| self.tile(argument, None)).collect();
        format!("tile_apply_{}(each_{}, {})", arguments.len(), function.keyword(), tiles.join(", "))
    }
}

/// The functions that are applied to tiles element by element, each as a function of C.
pub(super) fn write_elementwise(kernel: &Kernel, writer: &mut Writer) {
    let mut applied = BTreeSet::new();
    each_part(kernel, |part| {
        if let ScalarExpr::Apply(function, _) = part {
            applied.insert(*function);
        }
    });
    for function in applied {
        let parameters = ["a", "b", "c"].iter().take(function.arity()).map(|name| (*name).to_owned());
        let parameters: Vec<String> = parameters.collect();
        let declared: Vec<String> = parameters.iter().map(|name| format!("double {name}")).collect();
        let head = format!("static double each_{}({})", function.keyword(), declared.join(", "));
        let value = expression::apply(function, &parameters);
        writer.function(&head, |writer| writer.put(&format!("return {};", expression::bare(&value))));
    }
}

/// The leaves that some PE calls.
pub(super) fn called(kernel: &Kernel) -> BTreeSet<Name> {
    let mut called = BTreeSet::new();
    each_part(kernel, |part| {
        if let ScalarExpr::Call { leaf, .. } = part {
            called.insert(leaf.clone());
        }
    });
    called
}

/// Shows all expressions of all bodies, those within others too.
fn each_part(kernel: &Kernel, mut see: impl FnMut(&ScalarExpr)) {
    kernel.program.each_instruction(|instruction| match instruction {
        Instruction::Let(_, value) | Instruction::Fill(_, _, value) => descend(value, &mut see),
        _ => {}
    });
}

fn descend(value: &ScalarExpr, see: &mut impl FnMut(&ScalarExpr)) {
    see(value);
    match value {
        ScalarExpr::Apply(_, arguments) => arguments.iter().for_each(|argument| descend(argument, see)),
        ScalarExpr::Call { onto, arguments, .. } => {
            onto.iter().for_each(|onto| descend(onto, see));
            arguments.iter().for_each(|argument| descend(argument, see));
        }
        _ => {}
    }
}
