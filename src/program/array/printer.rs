//! A program as text: one instruction a line, indented, ending in a digest of itself.
//!
//! In: a [`Program`]. Out: the text that [`parse`](super::parse) reads back as an equal program. The same program always
//! gives the same bytes.

use super::print_leaf::{print_axes, print_leaf, print_slant, print_straight, print_tiles};
use super::{
    ArrayDecl, Bus, Channel, Class, Comparison, Condition, Coordinate, IndexExpr, Instruction, Joins, Loads, Program,
    ScalarExpr, Scratchpad, VERSION, digest,
};
use std::fmt;
use std::fmt::Display;
use systole_base::integer::{Affine, sides};
use systole_base::network::Network;
use systole_equations::recurrence::Role;

/// The program's text, with its digest.
pub fn print(program: &Program) -> String {
    let mut text = format!("(program {} (version {VERSION})", program.kernel);
    for form in declarations(program) {
        text.push_str("\n  ");
        text.push_str(&form);
    }
    for leaf in &program.leaves {
        print_leaf(leaf).iter().for_each(|line| text.push_str(&format!("\n  {line}")));
    }
    for class in &program.classes {
        print_class(class).iter().for_each(|line| text.push_str(&format!("\n  {line}")));
    }
    digest::seal(&text)
}

fn declarations(program: &Program) -> Vec<String> {
    let mut forms = vec![];
    if !program.parameters.is_empty() {
        forms.push(format!("(parameters{})", spaced(&program.parameters)));
    }
    forms.extend(program.parameters.assumed().iter().map(|form| format!("(assume {})", at_least_zero(form))));
    forms.extend(program.tiles.iter().map(print_tiles));
    forms.extend(program.arrays.iter().map(print_array));
    if !program.grid.is_empty() {
        forms.push(format!("(grid{})", spaced(&program.grid)));
    }
    if program.network != Network::Mesh {
        forms.push(format!("(network {})", program.network));
    }
    if program.cell.is_shared() {
        forms.push(format!("(cell {})", program.cell));
    }
    forms.extend(program.fold.iter().map(|fold| format!("(fold {fold})")));
    forms.extend(program.order.iter().map(|order| format!("(order {order})")));
    forms.extend(program.channels.iter().map(print_channel));
    forms.extend(program.buses.iter().map(print_bus));
    forms.extend(program.scratchpads.iter().map(print_scratchpad));
    forms
}

fn at_least_zero(form: &Affine) -> Condition {
    let [left, right] = sides(form).map(|side| IndexExpr::affine(&side));
    Condition { comparison: Comparison::AtLeast, left, right }
}

/// Each part with a space before it.
pub(super) fn spaced<T: Display>(parts: &[T]) -> String {
    parts.iter().map(|part| format!(" {part}")).collect()
}

pub(super) fn joined<T: Display>(parts: &[T]) -> String {
    spaced(parts).trim_start().to_owned()
}

/// The word for an array's role.
pub(super) fn role_keyword(role: Role) -> &'static str {
    match role {
        Role::Input => "in",
        Role::Output => "out",
        Role::Local => "local",
    }
}

fn print_array(array: &ArrayDecl) -> String {
    let assumed = array.assumption.map_or_else(String::new, |assumption| format!(" (is {})", assumption.keyword()));
    let layout = array.layout.map_or_else(String::new, |layout| format!(" (layout {layout})"));
    let loads = array.loads.map_or_else(String::new, |Loads { latency, outstanding }| {
        format!(" (loads (latency {latency}) (outstanding {outstanding}))")
    });
    let slant = array.slant.as_ref().map_or_else(String::new, |slant| format!(" {}", print_slant(slant)));
    let straight =
        array.straight.as_ref().map_or_else(String::new, |straight| format!(" {}", print_straight(straight)));
    let axes = if array.axes.is_empty() { String::new() } else { format!(" {}", print_axes(&array.axes)) };
    format!(
        "(array {} {} ({}){assumed}{layout}{loads}{slant}{straight}{axes})",
        array.name,
        role_keyword(array.role),
        joined(&array.shape)
    )
}

fn print_channel(channel: &Channel) -> String {
    let Channel { name, offset, latency, depth } = channel;
    format!("(channel {name} (offset{}) (latency {latency}) (depth {depth}))", spaced(offset))
}

fn print_bus(bus: &Bus) -> String {
    let joins = match &bus.joins {
        Joins::Line(direction) => format!("(direction{})", spaced(direction)),
        Joins::All => "(joins all)".to_owned(),
    };
    format!("(bus {} {joins} (latency {}))", bus.name, bus.latency)
}

fn print_scratchpad(scratchpad: &Scratchpad) -> String {
    let Scratchpad { name, shape, room } = scratchpad;
    let room = if scratchpad.is_folded() { format!(" (room{})", spaced(room)) } else { String::new() };
    format!("(scratchpad {name} ({}){room})", joined(shape))
}

fn print_class(class: &Class) -> Vec<String> {
    let keyword = if class.thin { "thin-class" } else { "class" };
    let header = format!("({keyword} {} (guard{})", class.name, spaced(&class.guard));
    close(header, indented(print_block(&class.body), "  "))
}

/// The lines of a class as they stand in the program, and for each that is an instruction its number in the class.
pub fn class_lines(class: &Class) -> Vec<(String, Option<usize>)> {
    let mut numbers = 0..;
    // The first line is the guard, and a side of an `if` without instructions is parentheses alone.
    let is_instruction = |at: usize, line: &str| at > 0 && line.contains(|letter: char| !"() ".contains(letter));
    let numbered = |(at, line): (usize, String)| {
        let number = if is_instruction(at, &line) { numbers.next() } else { None };
        (line, number)
    };
    print_class(class).into_iter().enumerate().map(numbered).collect()
}

/// A header line, lines below it, and the parenthesis that closes the header.
pub(super) fn close(header: String, below: Vec<String>) -> Vec<String> {
    let mut lines = vec![header];
    lines.extend(below);
    if let Some(last) = lines.last_mut() {
        last.push(')');
    }
    lines
}

pub(super) fn indented(lines: Vec<String>, by: &str) -> Vec<String> {
    lines.into_iter().map(|line| format!("{by}{line}")).collect()
}

fn print_block(body: &[Instruction]) -> Vec<String> {
    body.iter().flat_map(print_instruction).collect()
}

fn print_instruction(instruction: &Instruction) -> Vec<String> {
    let header = instruction.headline();
    match instruction {
        Instruction::Loop { body, .. } => close(header, indented(print_block(body), "  ")),
        Instruction::If { then, otherwise, .. } => {
            let sides = [print_list(then), print_list(otherwise)].concat();
            close(header, indented(sides, "  "))
        }
        _ => vec![header],
    }
}

/// Instructions as a parenthesised list, the first right behind the parenthesis.
fn print_list(body: &[Instruction]) -> Vec<String> {
    let mut lines = indented(print_block(body), " ");
    match lines.first_mut() {
        Some(first) => first.replace_range(0..1, "("),
        None => lines.push("(".to_owned()),
    }
    if let Some(last) = lines.last_mut() {
        last.push(')');
    }
    lines
}

impl Instruction {
    /// The instruction on one line, with the bodies of a loop or an `if` as dots.
    pub fn summary(&self) -> String {
        match self {
            Instruction::Loop { .. } | Instruction::If { .. } => format!("{} ..)", self.headline()),
            _ => self.headline(),
        }
    }

    /// The instruction on one line; of a loop or an `if` only the part before its body, not closed.
    fn headline(&self) -> String {
        match self {
            Instruction::Loop { index, first, last, .. } => format!("(loop {index} {first} {last}"),
            Instruction::If { conditions, .. } => format!("(if ({})", joined(conditions)),
            Instruction::At(time) => format!("(at {time})"),
            Instruction::Advance(cycles) => format!("(advance {cycles})"),
            Instruction::Tick(cycles) => format!("(tick {cycles})"),
            Instruction::Share => "(share)".to_owned(),
            Instruction::EndStep => "(end-step)".to_owned(),
            Instruction::Load(register, array, at) => format!("(load {register} ({array}{}))", spaced(at)),
            Instruction::Prefetch(array, at) => format!("(prefetch ({array}{}))", spaced(at)),
            Instruction::Local(register, array, at) => format!("(local {register} ({array}{}))", spaced(at)),
            Instruction::Keep(pad, at, register) => format!("(keep ({pad}{}) {register})", spaced(at)),
            Instruction::Recall(register, pad, at) => format!("(recall {register} ({pad}{}))", spaced(at)),
            Instruction::Store(array, at, register) => format!("(store ({array}{}) {register})", spaced(at)),
            Instruction::Fill(array, at, value) => format!("(fill ({array}{}) {value})", spaced(at)),
            Instruction::Receive(register, channel) => format!("(recv {register} {channel})"),
            Instruction::Send(channel, register) => format!("(send {channel} {register})"),
            Instruction::Pass(from, to, count) => format!("(pass {from} {to} {count})"),
            Instruction::Drive(bus, register, tag) => format!("(drive {bus} {register} ({}))", joined(tag)),
            Instruction::Listen(register, bus, tag) => format!("(listen {register} {bus} ({}))", joined(tag)),
            Instruction::Let(register, value) => format!("(let {register} {value})"),
        }
    }
}

impl Display for Coordinate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({} {} {})", self.name, self.first, self.last)
    }
}

impl Display for IndexExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IndexExpr::Constant(value) => write!(f, "{value}"),
            IndexExpr::Variable(name) => f.write_str(name),
            IndexExpr::Sum(parts) => write!(f, "(+{})", spaced(parts)),
            IndexExpr::Difference(a, b) => write!(f, "(- {a} {b})"),
            IndexExpr::Product(parts) => write!(f, "(*{})", spaced(parts)),
            IndexExpr::Floor(part, divisor) => write!(f, "(floor {part} {divisor})"),
            IndexExpr::Ceil(part, divisor) => write!(f, "(ceil {part} {divisor})"),
            IndexExpr::Modulo(part, divisor) => write!(f, "(mod {part} {divisor})"),
            IndexExpr::Min(parts) => write!(f, "(min{})", spaced(parts)),
            IndexExpr::Max(parts) => write!(f, "(max{})", spaced(parts)),
        }
    }
}

impl Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({} {} {})", self.comparison.keyword(), self.left, self.right)
    }
}

impl Display for ScalarExpr {
    /// A number is written with the fewest digits that read back as the same bits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScalarExpr::Number(value) => write!(f, "{value:?}"),
            ScalarExpr::Register(name) => f.write_str(name),
            ScalarExpr::Index(form) => write!(f, "(index {form})"),
            ScalarExpr::Apply(function, arguments) => write!(f, "({}{})", function.keyword(), spaced(arguments)),
            ScalarExpr::Call { leaf, onto: None, at, arguments } => {
                write!(f, "(call {leaf} (at{}){})", spaced(at), spaced(arguments))
            }
            ScalarExpr::Call { leaf, onto: Some(onto), at, arguments } => {
                write!(f, "(call-onto {onto} {leaf} (at{}){})", spaced(at), spaced(arguments))
            }
        }
    }
}
