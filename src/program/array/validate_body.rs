//! The validator's rules about instructions.

use super::validate::{Checker, Place};
use super::{ArrayDecl, IndexExpr, Instruction, ScalarExpr};
use std::collections::{BTreeMap, BTreeSet};
use systole_base::diagnostic::{Diagnostic, counted};
use systole_base::integer::Name;
use systole_equations::recurrence::Role;

/// Checks the body of every class, then how channels and buses are used across classes.
pub(super) fn check_bodies<'a>(checker: &mut Checker<'a>) {
    let mut used = LinkUse::default();
    for (position, class) in checker.program.classes.iter().enumerate() {
        let scope = checker.globals();
        let mut walk = Walk { checker, used: &mut used, class: position, next: 0, scope, written: BTreeSet::new() };
        walk.block(&class.body);
    }
    used.check(checker);
}

/// Which links some class puts words on, and which some class takes words from; the length of each bus's tags.
#[derive(Default)]
struct LinkUse<'a> {
    given: BTreeMap<&'a Name, Place>,
    taken: BTreeMap<&'a Name, Place>,
    tag_length: BTreeMap<&'a Name, usize>,
}

impl LinkUse<'_> {
    /// A bus may be driven for nobody; a channel may not, for it would fill up.
    fn check(&self, checker: &mut Checker<'_>) {
        for channel in &checker.program.channels {
            match (self.given.get(&channel.name), self.taken.get(&channel.name)) {
                (Some(place), None) => {
                    checker.fault(*place, format!("channel `{}` is sent on but never received on", channel.name));
                }
                (None, Some(place)) => {
                    checker.fault(*place, format!("channel `{}` is received on but never sent on", channel.name));
                }
                _ => {}
            }
        }
        for bus in &checker.program.buses {
            if let (None, Some(place)) = (self.given.get(&bus.name), self.taken.get(&bus.name)) {
                checker.fault(*place, format!("bus `{}` is listened to but never driven", bus.name));
            }
        }
    }
}

/// A walk over one class's body.
struct Walk<'a, 'c> {
    checker: &'c mut Checker<'a>,
    used: &'c mut LinkUse<'a>,
    class: usize,
    next: usize,
    /// Integer variables that are known.
    scope: Vec<&'a Name>,
    /// Registers that some instruction before, or in an enclosing loop, writes.
    written: BTreeSet<&'a Name>,
}

impl<'a> Walk<'a, '_> {
    fn block(&mut self, body: &'a [Instruction]) {
        body.iter().for_each(|instruction| self.instruction(instruction));
    }

    fn instruction(&mut self, instruction: &'a Instruction) {
        let place = Place::Instruction(self.class, self.next);
        self.next += 1;
        match instruction {
            Instruction::Loop { index, first, last, body } => self.repetition(place, index, [first, last], body),
            Instruction::If { conditions, then, otherwise } => {
                self.checker.check_conditions(place, conditions, &self.scope);
                self.block(then);
                self.block(otherwise);
            }
            Instruction::At(cycles) | Instruction::Advance(cycles) => self.index(place, cycles),
            Instruction::Tick(_) => {}
            Instruction::Share | Instruction::EndStep if self.checker.program.cell.is_shared() => {}
            Instruction::Share | Instruction::EndStep => {
                let message =
                    format!("`{}` in a program that does not say how much a cell holds", instruction.summary());
                self.checker.fault(place, message);
            }
            Instruction::Load(..)
            | Instruction::Prefetch(..)
            | Instruction::Local(..)
            | Instruction::Store(..)
            | Instruction::Fill(..) => {
                self.memory(place, instruction);
            }
            Instruction::Keep(pad, at, register) => {
                self.entry(place, pad, at);
                self.read(place, register);
            }
            Instruction::Recall(register, pad, at) => {
                self.entry(place, pad, at);
                self.write(place, register);
            }
            Instruction::Receive(..) | Instruction::Send(..) | Instruction::Pass(..) => {
                self.channel(place, instruction);
            }
            Instruction::Drive(..) | Instruction::Listen(..) => self.bus(place, instruction),
            Instruction::Let(register, value) => {
                self.scalar(place, value);
                self.write(place, register);
            }
        }
    }

    /// What the body writes in one round may be read in the next, so it counts as written from the start.
    fn repetition(&mut self, place: Place, index: &'a Name, ends: [&'a IndexExpr; 2], body: &'a [Instruction]) {
        ends.into_iter().for_each(|end| self.index(place, end));
        self.checker.check_name(place, "loop index", index);
        if self.scope.contains(&index) {
            self.checker.fault(place, format!("loop index `{index}` hides another variable of that name"));
        }
        collect_writes(body, &mut self.written);
        self.scope.push(index);
        self.block(body);
        self.scope.pop();
    }

    fn memory(&mut self, place: Place, instruction: &'a Instruction) {
        match instruction {
            Instruction::Load(register, array, at) | Instruction::Local(register, array, at) => {
                self.element(place, array, at, Role::Input);
                self.write(place, register);
            }
            Instruction::Prefetch(array, at) => self.element(place, array, at, Role::Input),
            Instruction::Store(array, at, register) => {
                self.element(place, array, at, Role::Output);
                self.read(place, register);
            }
            Instruction::Fill(array, at, value) => {
                self.element(place, array, at, Role::Output);
                self.known(place, array, value);
            }
            _ => {}
        }
    }

    /// What is there before the run cannot depend on it.
    fn known(&mut self, place: Place, array: &Name, value: &'a ScalarExpr) {
        self.scalar(place, value);
        if let Some(register) = some_register(value) {
            let message = format!("`{array}` is filled before the run, when register `{register}` has no value yet");
            let fault = Diagnostic::new(message).help("use `store`, or write the value over indices alone");
            self.checker.faults.push((place, fault));
        }
    }

    fn element(&mut self, place: Place, array: &'a Name, at: &'a [IndexExpr], role: Role) {
        self.indices(place, at);
        match self.checker.program.arrays.iter().find(|known| known.name == *array) {
            Some(declaration) => self.access(place, declaration, at.len(), role),
            None => {
                let known: Vec<&str> = self.checker.program.arrays.iter().map(|array| &*array.name).collect();
                self.checker.fault_unknown(place, &format!("array `{array}` is not declared"), array, &known);
            }
        }
    }

    /// An entry of a scratchpad.
    fn entry(&mut self, place: Place, pad: &'a Name, at: &'a [IndexExpr]) {
        self.indices(place, at);
        let program = self.checker.program;
        let Some(known) = program.scratchpads.iter().find(|known| known.name == *pad) else {
            let known: Vec<&str> = program.scratchpads.iter().map(|pad| &*pad.name).collect();
            return self.checker.fault_unknown(place, &format!("scratchpad `{pad}` is not declared"), pad, &known);
        };
        if known.shape.len() != at.len() {
            let (rank, given) = (counted(known.shape.len(), "dimension"), counted(at.len(), "subscript"));
            self.checker.fault(place, format!("scratchpad `{pad}` has {rank}, {given} given"));
        }
    }

    fn access(&mut self, place: Place, array: &ArrayDecl, subscripts: usize, role: Role) {
        let (name, rank) = (&array.name, array.shape.len());
        if subscripts != rank {
            let message = format!(
                "array `{name}` has {}, {} given",
                counted(rank, "dimension"),
                counted(subscripts, "subscript")
            );
            self.checker.fault(place, message);
        }
        if array.role != role {
            let message = match role {
                Role::Output => format!("array `{name}` is an input and cannot be stored to"),
                _ => format!("array `{name}` is an output and cannot be read"),
            };
            self.checker.fault(place, message);
        }
    }

    fn channel(&mut self, place: Place, instruction: &'a Instruction) {
        match instruction {
            Instruction::Receive(register, channel) => {
                self.take(place, channel, false);
                self.write(place, register);
            }
            Instruction::Send(channel, register) => {
                self.give(place, channel, false);
                self.read(place, register);
            }
            Instruction::Pass(from, to, count) => {
                self.take(place, from, false);
                self.give(place, to, false);
                self.index(place, count);
            }
            _ => {}
        }
    }

    fn bus(&mut self, place: Place, instruction: &'a Instruction) {
        match instruction {
            Instruction::Drive(bus, register, tag) => {
                self.give(place, bus, true);
                self.read(place, register);
                self.tag(place, bus, tag);
            }
            Instruction::Listen(register, bus, tag) => {
                self.take(place, bus, true);
                self.tag(place, bus, tag);
                self.write(place, register);
            }
            _ => {}
        }
    }

    fn tag(&mut self, place: Place, bus: &'a Name, tag: &'a [IndexExpr]) {
        self.indices(place, tag);
        let known = *self.used.tag_length.entry(bus).or_insert(tag.len());
        if known != tag.len() {
            let found = tag.len();
            self.checker
                .fault(place, format!("a tag of bus `{bus}` has {}, another one has {known}", counted(found, "entry")));
        }
    }

    fn give(&mut self, place: Place, link: &'a Name, bus: bool) {
        self.link(place, link, bus);
        self.used.given.entry(link).or_insert(place);
    }

    fn take(&mut self, place: Place, link: &'a Name, bus: bool) {
        self.link(place, link, bus);
        self.used.taken.entry(link).or_insert(place);
    }

    fn link(&mut self, place: Place, link: &Name, bus: bool) {
        let program = self.checker.program;
        let known: Vec<&str> = match bus {
            true => program.buses.iter().map(|bus| &*bus.name).collect(),
            false => program.channels.iter().map(|channel| &*channel.name).collect(),
        };
        if !known.contains(&&**link) {
            let kind = if bus { "bus" } else { "channel" };
            self.checker.fault_unknown(place, &format!("{kind} `{link}` is not declared"), link, &known);
        }
    }

    fn scalar(&mut self, place: Place, value: &'a ScalarExpr) {
        match value {
            ScalarExpr::Number(_) => {}
            ScalarExpr::Register(register) => self.read(place, register),
            ScalarExpr::Index(form) => self.index(place, form),
            ScalarExpr::Apply(function, arguments) => {
                self.checker.check_arity(place, *function, arguments.len());
                arguments.iter().for_each(|argument| self.scalar(place, argument));
            }
            ScalarExpr::Call { leaf, onto, at, arguments } => {
                self.call(place, leaf, at.len(), arguments.len());
                at.iter().for_each(|coordinate| self.index(place, coordinate));
                onto.iter().for_each(|onto| self.scalar(place, onto));
                arguments.iter().for_each(|argument| self.scalar(place, argument));
            }
        }
    }

    /// A leaf is called with as many coordinates and tiles as it takes.
    fn call(&mut self, place: Place, leaf: &Name, coordinates: usize, tiles: usize) {
        let program = self.checker.program;
        let Some(known) = program.leaves.iter().find(|known| known.name == *leaf) else {
            let names: Vec<&str> = program.leaves.iter().map(|leaf| &*leaf.name).collect();
            return self.checker.fault_unknown(place, &format!("leaf `{leaf}` is not declared"), leaf, &names);
        };
        let (takes, arguments) = (known.coordinates.len(), known.arguments.len());
        if coordinates != takes {
            self.checker
                .fault(place, format!("leaf `{leaf}` has {}, {coordinates} given", counted(takes, "coordinate")));
        }
        if tiles != arguments {
            self.checker.fault(place, format!("leaf `{leaf}` takes {}, {tiles} given", counted(arguments, "tile")));
        }
    }

    fn read(&mut self, place: Place, register: &'a Name) {
        if !self.written.contains(register) {
            let known: Vec<&str> = self.written.iter().map(|name| &***name).collect();
            let message = format!("register `{register}` is read, but nothing before writes it");
            self.checker.fault_unknown(place, &message, register, &known);
        }
    }

    fn write(&mut self, place: Place, register: &'a Name) {
        self.checker.check_name(place, "register", register);
        self.written.insert(register);
    }

    fn index(&mut self, place: Place, expression: &'a IndexExpr) {
        self.checker.check_index(place, expression, &self.scope);
    }

    fn indices(&mut self, place: Place, expressions: &'a [IndexExpr]) {
        expressions.iter().for_each(|expression| self.index(place, expression));
    }
}

/// A register that an expression reads, if there is one.
fn some_register(value: &ScalarExpr) -> Option<&Name> {
    match value {
        ScalarExpr::Number(_) | ScalarExpr::Index(_) => None,
        ScalarExpr::Register(register) => Some(register),
        ScalarExpr::Apply(_, arguments) => arguments.iter().find_map(some_register),
        ScalarExpr::Call { onto, arguments, .. } => {
            onto.as_deref().into_iter().chain(arguments).find_map(some_register)
        }
    }
}

/// Adds every register that some instruction of `body` writes.
fn collect_writes<'a>(body: &'a [Instruction], written: &mut BTreeSet<&'a Name>) {
    for instruction in body {
        match instruction {
            Instruction::Loop { body, .. } => collect_writes(body, written),
            Instruction::If { then, otherwise, .. } => {
                collect_writes(then, written);
                collect_writes(otherwise, written);
            }
            Instruction::Load(register, ..)
            | Instruction::Local(register, ..)
            | Instruction::Recall(register, ..)
            | Instruction::Receive(register, _)
            | Instruction::Listen(register, ..)
            | Instruction::Let(register, _) => {
                written.insert(register);
            }
            _ => {}
        }
    }
}
