//! Whether a program is well formed: what every back end takes for granted.
//!
//! In: a [`Program`]. Out: everything that is wrong with it. Names are declared once and used as declared; subscripts,
//! offsets and directions have the right rank; every expression has its variables in scope; a channel that is sent on is
//! received on, and the other way round; no register is read that nothing can have written; a leaf is called with as many
//! coordinates and tiles as it takes.

use super::read_leaf::linear;
use super::relink::missing_links;
use super::validate_body::check_bodies;
use super::validate_leaf::check_tiles;
use super::{ArrayDecl, Condition, IndexExpr, Joins, Loads, Program, Scratchpad};
use std::collections::BTreeSet;
use systole_base::diagnostic::{Checked, Diagnostic, counted, nearest};
use systole_base::integer::Name;
use systole_base::scalar::Function;
use systole_equations::recurrence::{Assumption, Distribution, Role};

/// What part of a program a message is about; positions count from 0 in the order of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Program,
    Parameters,
    Tiles(usize),
    Grid,
    Network,
    Array(usize),
    Channel(usize),
    Bus(usize),
    /// Such a scratchpad.
    Scratchpad(usize),
    Leaf(usize),
    /// A leaf, and the number of a step in the order of the text, bodies included.
    Step(usize, usize),
    Class(usize),
    /// A class, and the number of an instruction in the order of the text, bodies included.
    Instruction(usize, usize),
}

/// A message and the part of the program it is about.
pub(super) type Fault = (Place, Diagnostic);

/// Refuses a program that breaks a rule of the format.
///
/// # Errors
/// Every broken rule.
pub fn validate(program: &Program) -> Checked<()> {
    let faults: Vec<Diagnostic> = find_faults(program).into_iter().map(|(_, fault)| fault).collect();
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// Every broken rule with the part that breaks it.
pub(super) fn find_faults(program: &Program) -> Vec<Fault> {
    let mut checker = Checker { program, faults: vec![] };
    checker.check_names();
    checker.check_arrays();
    checker.check_distributions();
    checker.check_order();
    check_tiles(&mut checker);
    checker.check_grid();
    checker.check_channels();
    checker.check_network();
    checker.check_buses();
    checker.check_scratchpads();
    checker.check_guards();
    check_bodies(&mut checker);
    checker.faults
}

/// Collects faults.
pub(super) struct Checker<'a> {
    pub program: &'a Program,
    pub faults: Vec<Fault>,
}

impl<'a> Checker<'a> {
    pub fn fault(&mut self, place: Place, message: impl Into<String>) {
        self.faults.push((place, Diagnostic::new(message)));
    }

    pub fn fault_unknown(&mut self, place: Place, message: &str, name: &str, known: &[&str]) {
        let fault = Diagnostic::new(message);
        let help = nearest(name, known.iter().copied()).map(|meant| format!("did you mean `{meant}`?"));
        self.faults.push((place, help.into_iter().fold(fault, Diagnostic::help)));
    }

    /// The parameters and the numbers of tiles.
    fn sizes(&self) -> Vec<&'a Name> {
        let tiles = self.program.tiles.iter().map(|count| &count.name);
        self.program.parameters.iter().chain(tiles).collect()
    }

    /// The sizes and the grid's coordinates.
    pub fn globals(&self) -> Vec<&'a Name> {
        let coordinates = self.program.grid.iter().map(|coordinate| &coordinate.name);
        self.sizes().into_iter().chain(coordinates).collect()
    }

    fn check_names(&mut self) {
        let program = self.program;
        self.check_name(Place::Program, "program", &program.kernel);
        let variables = program.parameters.iter().map(|name| (Place::Parameters, name));
        let coordinates = program.grid.iter().map(|coordinate| (Place::Grid, &coordinate.name));
        let tiles = number(&program.tiles, Place::Tiles, |count| &count.name);
        self.check_distinct("parameter or coordinate", variables.chain(tiles).chain(coordinates));
        self.check_distinct("array", number(&program.arrays, Place::Array, |array| &array.name));
        let channels = number(&program.channels, Place::Channel, |channel| &channel.name);
        let buses = number(&program.buses, Place::Bus, |bus| &bus.name);
        self.check_distinct("channel or bus", channels.chain(buses));
        self.check_distinct("scratchpad", number(&program.scratchpads, Place::Scratchpad, |pad| &pad.name));
        self.check_distinct("leaf", number(&program.leaves, Place::Leaf, |leaf| &leaf.name));
        self.check_distinct("class", number(&program.classes, Place::Class, |class| &class.name));
    }

    fn check_distinct<'n>(&mut self, kind: &str, names: impl Iterator<Item = (Place, &'n Name)>) {
        let mut seen = BTreeSet::new();
        for (place, name) in names {
            self.check_name(place, kind, name);
            if !seen.insert(name) {
                self.fault(place, format!("{kind} `{name}` is declared twice"));
            }
        }
    }

    /// A name must read back as a name: a letter or `_`, then letters, digits, `_`, `-`, `.`, `'`; and no number.
    pub fn check_name(&mut self, place: Place, kind: &str, name: &str) {
        let begins = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let goes_on = name.chars().all(|c| c.is_alphanumeric() || "_-.'".contains(c));
        if !begins || !goes_on || name.parse::<f64>().is_ok() {
            let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
            self.fault(place, format!("`{name}` cannot be the name of {article} {kind}"));
        }
    }

    fn check_arrays(&mut self) {
        for (place, array) in number(&self.program.arrays, Place::Array, |array| array) {
            self.check_array(place, array);
        }
    }

    fn check_scratchpads(&mut self) {
        let sizes = self.sizes();
        for (place, pad) in number(&self.program.scratchpads, Place::Scratchpad, |pad| pad) {
            pad.shape.iter().for_each(|extent| self.check_index(place, extent, &sizes));
            self.check_room(place, pad);
        }
    }

    /// As many dimensions as the shape, each with a number of words, 1 at least, or with all of its extent.
    fn check_room(&mut self, place: Place, pad: &Scratchpad) {
        if pad.room.len() != pad.shape.len() {
            let (rank, given) = (counted(pad.shape.len(), "dimension"), pad.room.len());
            self.fault(place, format!("scratchpad `{}` has {rank}, and room for {given}", pad.name));
        }
        for (room, extent) in pad.room.iter().zip(&pad.shape) {
            if !matches!(room, IndexExpr::Constant(1..)) && room != extent {
                let fault = format!("the room of scratchpad `{}` is a number of words, or a whole extent", pad.name);
                self.fault(place, fault);
            }
        }
    }

    fn check_array(&mut self, place: Place, array: &ArrayDecl) {
        if array.role == Role::Local {
            self.fault(place, format!("array `{}` is neither input nor output", array.name));
        }
        let parameters: Vec<&Name> = self.program.parameters.iter().collect();
        array.shape.iter().for_each(|extent| self.check_index(place, extent, &parameters));
        if let Some(assumption) = array.assumption {
            self.check_assumption(place, array, assumption);
        }
        if let Some(loads) = array.loads {
            self.check_loads(place, array, loads);
        }
    }

    /// A text cannot say it; a program that is put together may.
    fn check_distributions(&mut self) {
        let layouts = number(&self.program.arrays, Place::Array, |array| &array.layout);
        let distributions: Vec<_> = layouts.chain([(Place::Program, &self.program.fold)]).collect();
        for (place, distribution) in distributions {
            if *distribution == Some(Distribution::BlockCyclic(0)) {
                self.fault(
                    place,
                    "what is distributed 0 at a time is never distributed; it must be at least 1".to_owned(),
                );
            }
        }
    }

    fn check_order(&mut self) {
        if self.program.order.is_some_and(|order| order.together == 0) {
            self.fault(Place::Program, "an order with 0 steps together; it must be at least 1".to_owned());
        }
    }

    fn check_assumption(&mut self, place: Place, array: &ArrayDecl, assumption: Assumption) {
        let (name, word) = (&array.name, assumption.keyword());
        if array.role == Role::Output {
            self.fault(place, format!("array `{name}` is an output and cannot be assumed to be `{word}`"));
        }
        if assumption.is_of_square_matrices() && !is_square(&array.shape) {
            self.fault(place, format!("array `{name}` is assumed to be `{word}`, and only a square matrix can be so"));
        }
    }

    fn check_loads(&mut self, place: Place, array: &ArrayDecl, Loads { latency, outstanding }: Loads) {
        let name = &array.name;
        if array.role == Role::Output {
            self.fault(place, format!("array `{name}` is an output, and only words of inputs can be asked for ahead"));
        }
        if latency == 0 {
            self.fault(place, format!("the loads of `{name}` have latency 0; it must be at least 1"));
        }
        if outstanding == 0 {
            self.fault(place, format!("no load of `{name}` may be outstanding; it must be at least 1"));
        }
    }

    fn check_grid(&mut self) {
        let (program, sizes) = (self.program, self.sizes());
        for coordinate in &program.grid {
            self.check_index(Place::Grid, &coordinate.first, &sizes);
            self.check_index(Place::Grid, &coordinate.last, &sizes);
        }
    }

    fn check_channels(&mut self) {
        for (place, channel) in number(&self.program.channels, Place::Channel, |channel| channel) {
            self.check_rank(place, "offset", &channel.name, &channel.offset);
            let stays = self.program.cell.is_shared() && channel.offset.iter().all(|along| *along == 0);
            if channel.latency == 0 && !stays {
                self.fault(place, format!("channel `{}` has latency 0; it must be at least 1", channel.name));
            }
            if channel.depth == 0 {
                self.fault(place, format!("channel `{}` has depth 0; it must be at least 1", channel.name));
            }
        }
    }

    /// Every channel is a link, and one array has all of them.
    fn check_network(&mut self) {
        let missing = missing_links(self.program, self.program.network);
        let place = |channel: Option<usize>| channel.map_or(Place::Network, Place::Channel);
        self.faults.extend(missing.into_iter().map(|(channel, fault)| (place(channel), fault)));
    }

    fn check_buses(&mut self) {
        for (place, bus) in number(&self.program.buses, Place::Bus, |bus| bus) {
            let Joins::Line(direction) = &bus.joins else { continue };
            self.check_rank(place, "direction", &bus.name, direction);
            if direction.iter().all(|entry| *entry == 0) {
                self.fault(place, format!("the direction of `{}` is zero", bus.name));
            }
        }
    }

    fn check_rank(&mut self, place: Place, kind: &str, name: &Name, vector: &[i64]) {
        let rank = self.program.grid.len();
        if vector.len() != rank {
            let found = vector.len();
            self.fault(
                place,
                format!("the {kind} of `{name}` has {}, the grid has rank {rank}", counted(found, "entry")),
            );
        }
    }

    fn check_guards(&mut self) {
        let globals = self.globals();
        for (place, class) in number(&self.program.classes, Place::Class, |class| class) {
            self.check_conditions(place, &class.guard, &globals);
        }
    }

    pub fn check_arity(&mut self, place: Place, function: Function, found: usize) {
        if found != function.arity() {
            let (word, arity) = (function.keyword(), function.arity());
            self.fault(place, format!("`{word}` takes {}, {found} given", counted(arity, "operand")));
        }
    }

    pub fn check_conditions(&mut self, place: Place, conditions: &[Condition], scope: &[&Name]) {
        for condition in conditions {
            self.check_index(place, &condition.left, scope);
            self.check_index(place, &condition.right, scope);
        }
    }

    /// Every variable must be in scope, every divisor positive, no operation without operands.
    pub fn check_index(&mut self, place: Place, expression: &IndexExpr, scope: &[&Name]) {
        match expression {
            IndexExpr::Constant(_) => {}
            IndexExpr::Variable(name) if scope.contains(&name) => {}
            IndexExpr::Variable(name) => {
                let known: Vec<&str> = scope.iter().map(|name| &***name).collect();
                self.fault_unknown(place, &format!("variable `{name}` is not known here"), name, &known);
            }
            _ => self.check_operation(place, expression, scope),
        }
    }

    fn check_operation(&mut self, place: Place, expression: &IndexExpr, scope: &[&Name]) {
        if let IndexExpr::Floor(_, divisor) | IndexExpr::Ceil(_, divisor) | IndexExpr::Modulo(_, divisor) = expression
            && *divisor < 1
        {
            self.fault(place, format!("the divisor of `{expression}` is not positive"));
        }
        let parts = expression.parts();
        if parts.is_empty() {
            self.fault(place, format!("`{expression}` has no operands"));
        }
        parts.into_iter().for_each(|part| self.check_index(place, part, scope));
    }
}

/// Whether two extents are the same for all sizes.
fn is_square(shape: &[IndexExpr]) -> bool {
    match shape {
        [rows, columns] => rows == columns || linear(rows).is_some_and(|rows| linear(columns) == Some(rows)),
        _ => false,
    }
}

/// Items with the places they stand at.
fn number<'p, T, R: 'p>(
    items: &'p [T],
    place: fn(usize) -> Place,
    view: fn(&'p T) -> R,
) -> impl Iterator<Item = (Place, R)> + use<'p, T, R> {
    items.iter().enumerate().map(move |(position, item)| (place(position), view(item)))
}
