//! What a PE of a class has: its state, its channels, its memory.
//!
//! In: a class. Out: a struct with its registers, loop indices, channels and scratchpads, and the functions that fill it
//! before a run and free it after.

use super::expression;
use super::kernel::Kernel;
use super::names::Scope;
use super::writer::Writer;
use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::Name;
use systole_program::array::{Channel, Class, IndexExpr, Instruction, ScalarExpr};

/// A class with the names of what its PEs have.
pub(super) struct ClassNames<'a> {
    pub class: &'a Class,
    /// What its functions and its state end in.
    pub suffix: String,
    pub registers: BTreeMap<Name, String>,
    /// By the name of the channel, and whether the PE sends.
    pub ports: BTreeMap<(Name, bool), String>,
    pub pads: BTreeMap<Name, String>,
    loops: BTreeSet<String>,
    /// Of each `pass` what counts its words, and the register through which they go.
    pub passes: Vec<[String; 2]>,
}

impl<'a> ClassNames<'a> {
    /// Names for a class.
    pub fn new(kernel: &Kernel<'a>, number: usize) -> ClassNames<'a> {
        let class = &kernel.program.classes[number];
        let mut scope = kernel.scope.clone();
        let mut names = ClassNames {
            class,
            suffix: kernel.class(number),
            registers: BTreeMap::new(),
            ports: BTreeMap::new(),
            pads: BTreeMap::new(),
            loops: BTreeSet::new(),
            passes: vec![],
        };
        each(&class.body, &mut |instruction| names.add(kernel, instruction, &mut scope));
        names
    }

    fn add(&mut self, kernel: &Kernel<'a>, instruction: &'a Instruction, scope: &mut Scope) {
        match instruction {
            Instruction::Loop { index, .. } => _ = self.loops.insert(kernel.variable(index)),
            Instruction::Pass(from, to, _) => {
                self.port(from, false, scope);
                self.port(to, true, scope);
                self.passes.push([scope.give("passed"), scope.give("passing")]);
            }
            Instruction::Send(channel, _) => self.port(channel, true, scope),
            Instruction::Receive(_, channel) => self.port(channel, false, scope),
            Instruction::Keep(pad, ..) | Instruction::Recall(_, pad, _) if !self.pads.contains_key(pad) => {
                self.pads.insert(pad.clone(), scope.give(&format!("{pad}_pad")));
            }
            _ => {}
        }
        for register in registers(instruction) {
            self.registers.entry(register.clone()).or_insert_with(|| scope.give(register));
        }
    }

    fn port(&mut self, channel: &Name, sends: bool, scope: &mut Scope) {
        let ending = if sends { "out" } else { "in" };
        let port = self.ports.entry((channel.clone(), sends));
        port.or_insert_with(|| scope.give(&format!("{channel}_{ending}")));
    }

    /// A register, as C.
    pub fn register(&self, name: &Name) -> String {
        self.registers.get(name).map_or_else(String::new, |register| format!("self->{register}"))
    }

    /// The pointer to the state of a PE.
    pub fn self_pointer(&self) -> String {
        format!("struct state_{0} *self = (struct state_{0} *)pe;", self.suffix)
    }

    /// All registers, those of `pass` too.
    fn all_registers(&self) -> Vec<&str> {
        let passing = self.passes.iter().map(|[_, register]| register.as_str());
        self.registers.values().map(String::as_str).chain(passing).collect()
    }

    /// The struct.
    pub fn write_state(&self, writer: &mut Writer) {
        writer.braces_with(&format!("struct state_{}", self.suffix), ";", |writer| {
            writer.put("struct pe pe;");
            let counters = self.passes.iter().map(|[counter, _]| counter.as_str());
            declare(writer, "int64_t ", &self.loops.iter().map(String::as_str).chain(counters).collect::<Vec<_>>());
            declare(writer, "word ", &self.all_registers());
            let pointers = |names: Vec<&String>| names.into_iter().map(|name| format!("*{name}")).collect::<Vec<_>>();
            for (kind, names) in
                [("struct channel ", self.ports.values().collect()), ("word ", self.pads.values().collect::<Vec<_>>())]
            {
                declare(writer, kind, &pointers(names).iter().map(String::as_str).collect::<Vec<_>>());
            }
        });
        writer.blank();
    }

    /// The function that gives a PE its channels and its memory.
    pub fn write_join(&self, kernel: &Kernel, writer: &mut Writer) {
        let head = format!("static bool join_{}(struct run *run, struct pe *pe)", self.suffix);
        kernel.function(writer, &head, "pe->point", |writer| {
            if !self.ports.is_empty() || !self.pads.is_empty() {
                writer.put(&self.self_pointer());
            }
            for ((name, sends), port) in &self.ports {
                let channel = kernel.program.channels.iter().find(|channel| channel.name == *name);
                let offset =
                    channel.filter(|_| !sends).map_or_else(|| zeros(kernel), |channel| offset(kernel, channel));
                writer.put(&format!(
                    "self->{port} = channel_at(&run->{}, &run->grid, pe->point, (const int64_t[]){{{offset}}});",
                    kernel.joint(name)
                ));
            }
            for (name, field) in &self.pads {
                let room = kernel.scratchpad(name).map_or_else(String::new, |pad| pad_volume(kernel, &pad.room));
                writer.put(&format!("self->{field} = calloc({room} + 1, sizeof(word));"));
            }
            let all: Vec<String> = self.pads.values().map(|field| format!("self->{field}")).collect();
            let answer = if all.is_empty() { "true".to_owned() } else { all.join(" && ") };
            writer.put(&format!("return {answer};"));
        });
    }

    /// The function that frees what a PE has.
    pub fn write_leave(&self, kernel: &Kernel, writer: &mut Writer) {
        let head = format!("static void leave_{}(struct run *run, struct pe *pe)", self.suffix);
        let registers = if kernel.is_over_tiles() { self.all_registers() } else { vec![] };
        kernel.function(writer, &head, "pe->point", |writer| {
            if !registers.is_empty() || !self.pads.is_empty() {
                writer.put(&self.self_pointer());
            }
            registers.iter().for_each(|register| writer.put(&format!("word_drop(self->{register});")));
            for (name, field) in &self.pads {
                if kernel.is_over_tiles() {
                    let room = kernel.scratchpad(name).map_or_else(String::new, |pad| pad_volume(kernel, &pad.room));
                    writer.put(&format!("for (size_t entry = 0; self->{field} && entry < {room}; entry++)"));
                    writer.indented(|writer| writer.put(&format!("word_drop(self->{field}[entry]);")));
                }
                writer.put(&format!("free(self->{field});"));
            }
        });
    }
}

/// How many words a scratchpad has.
fn pad_volume(kernel: &Kernel, room: &[IndexExpr]) -> String {
    match kernel.extents(room).as_slice() {
        [] => "1".to_owned(),
        extents => format!("volume_of((const int64_t[]){{{}}}, {})", extents.join(", "), extents.len()),
    }
}

fn zeros(kernel: &Kernel) -> String {
    vec!["0"; kernel.grid_rank()].join(", ")
}

fn offset(kernel: &Kernel, channel: &Channel) -> String {
    let entries: Vec<String> = channel.offset.iter().map(i64::to_string).collect();
    if entries.is_empty() { zeros(kernel) } else { entries.join(", ") }
}

/// `double a, b;`, nothing for no names.
fn declare(writer: &mut Writer, kind: &str, names: &[&str]) {
    if !names.is_empty() {
        writer.put(&format!("{kind}{};", names.join(", ")));
    }
}

/// Shows each instruction of a body, those within others too.
pub(super) fn each<'b>(body: &'b [Instruction], see: &mut impl FnMut(&'b Instruction)) {
    for instruction in body {
        see(instruction);
        match instruction {
            Instruction::Loop { body, .. } => each(body, see),
            Instruction::If { then, otherwise, .. } => [then, otherwise].into_iter().for_each(|body| each(body, see)),
            _ => {}
        }
    }
}

/// The registers of an instruction, those that it writes and reads.
fn registers(instruction: &Instruction) -> Vec<&Name> {
    match instruction {
        Instruction::Load(register, ..)
        | Instruction::Local(register, ..)
        | Instruction::Keep(_, _, register)
        | Instruction::Recall(register, ..)
        | Instruction::Store(_, _, register)
        | Instruction::Receive(register, _)
        | Instruction::Send(_, register)
        | Instruction::Drive(_, register, _)
        | Instruction::Listen(register, ..) => vec![register],
        Instruction::Let(register, value) => {
            let mut all = vec![register];
            read_by(value, &mut all);
            all
        }
        _ => vec![],
    }
}

/// Adds the registers of an expression.
pub(super) fn read_by<'v>(value: &'v ScalarExpr, all: &mut Vec<&'v Name>) {
    match value {
        ScalarExpr::Number(_) | ScalarExpr::Index(_) => {}
        ScalarExpr::Register(register) => all.push(register),
        ScalarExpr::Apply(_, arguments) => arguments.iter().for_each(|argument| read_by(argument, all)),
        ScalarExpr::Call { onto, arguments, .. } => {
            onto.iter().for_each(|onto| read_by(onto, all));
            arguments.iter().for_each(|argument| read_by(argument, all));
        }
    }
}

/// The conditions that a PE's coordinates satisfy, in words of the program.
pub(super) fn guard(kernel: &Kernel, class: &Class) -> String {
    expression::conditions(&class.guard, &|name| kernel.variable(name))
}
