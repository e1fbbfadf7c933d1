//! A program with the names that its parts have in C.

use super::expression;
use super::names::{Scope, plain};
use super::writer::Writer;
use super::{NativeBackend, NativeLeaves};
use std::collections::BTreeMap;
use systole_base::integer::Name;
use systole_equations::recurrence::Role;
use systole_program::array::{ArrayDecl, Bus, Channel, IndexExpr, Instruction, Joins, Program, Scratchpad};

/// A program and its names.
pub(super) struct Kernel<'a> {
    pub program: &'a Program,
    pub leaves: NativeLeaves,
    pub backend: NativeBackend,
    /// The function that runs it; files and types are called after it.
    pub name: String,
    /// Sizes, numbers of tiles, coordinates and loop indices.
    pub variables: BTreeMap<Name, String>,
    /// What is seen where all variables are.
    pub scope: Scope,
    /// What is seen where sizes are.
    pub size_scope: Scope,
    arrays: BTreeMap<Name, String>,
    joints: BTreeMap<Name, String>,
}

impl<'a> Kernel<'a> {
    /// Names for all of a program.
    pub fn new(program: &'a Program, leaves: NativeLeaves, backend: NativeBackend) -> Kernel<'a> {
        let mut scope = Scope::new();
        let name = scope.give(&program.kernel);
        let sizes = program.parameters.iter().chain(program.tiles.iter().map(|count| &count.name));
        let coordinates = program.grid.iter().map(|coordinate| &coordinate.name);
        let mut loops = vec![];
        program.each_instruction(|instruction| {
            if let Instruction::Loop { index, .. } = instruction {
                loops.push(index);
            }
        });
        let mut variables = scope.give_all(sizes);
        let size_scope = scope.clone();
        variables.extend(scope.give_all(coordinates.chain(loops)));
        let mut shared = Scope::new();
        let array = |array: &ArrayDecl| {
            (array.name.clone(), shared.give_with(&array.name, &["_row", "_view", "_all", "_rows"]))
        };
        let arrays = program.arrays.iter().map(array).collect();
        let joints = program.channels.iter().map(|channel| &channel.name);
        let joints = shared.give_all(joints.chain(program.buses.iter().map(|bus| &bus.name)));
        Kernel { program, leaves, backend, name, variables, scope, size_scope, arrays, joints }
    }

    /// Whether registers hold tiles.
    pub fn is_over_tiles(&self) -> bool {
        self.program.is_over_tiles()
    }

    /// Whether it runs on ranks.
    pub fn is_on_ranks(&self) -> bool {
        self.backend == NativeBackend::Mpi
    }

    /// The name in capitals, which its constants begin with.
    pub fn capitals(&self) -> String {
        self.name.to_uppercase()
    }

    /// How many coordinates a PE has in C, where none at all is one that is always 0.
    pub fn grid_rank(&self) -> usize {
        self.program.grid.len().max(1)
    }

    /// The most dimensions of a box.
    pub fn box_rank(&self) -> usize {
        let arrays = self.program.arrays.iter().map(|array| array.shape.len());
        let windows = self.program.leaves.iter().flat_map(|leaf| leaf.windows.iter().map(|window| window.ranges.len()));
        arrays.chain(windows).max().unwrap_or(0).max(1)
    }

    /// A size, a number of tiles, or a coordinate.
    pub fn variable(&self, name: &Name) -> String {
        self.variables.get(name).cloned().unwrap_or_else(|| plain(name))
    }

    /// A variable where sizes and coordinates are constants, and loop indices are kept with the PE.
    pub fn of_pe(&self, name: &Name) -> String {
        let is_constant = self.sizes().any(|(size, _)| size == name)
            || self.program.grid.iter().any(|coordinate| coordinate.name == *name);
        if is_constant { self.variable(name) } else { format!("self->{}", self.variable(name)) }
    }

    /// An array, or its base.
    pub fn array(&self, name: &Name) -> &str {
        self.arrays.get(name).map_or("", String::as_str)
    }

    /// A channel or a bus of the run.
    pub fn joint(&self, name: &Name) -> &str {
        self.joints.get(name).map_or("", String::as_str)
    }

    /// The number of a leaf's function in C.
    pub fn leaf(&self, name: &Name) -> String {
        let number = self.program.leaves.iter().position(|leaf| leaf.name == *name).unwrap_or(0);
        format!("leaf_{number}_{}", plain(name))
    }

    /// The function that has the loops of a leaf.
    pub fn loops(&self, name: &Name) -> String {
        format!("loops_of_{}", self.leaf(name))
    }

    /// What a class's functions and its state end in.
    pub fn class(&self, number: usize) -> String {
        let name = self.program.classes.get(number).map_or_else(String::new, |class| plain(&class.name));
        let is_alone = self.program.classes.iter().filter(|class| plain(&class.name) == name).count() == 1;
        if is_alone { name } else { format!("{name}_{number}") }
    }

    /// Sizes and numbers of tiles, each with where the run has it.
    pub fn sizes(&self) -> impl Iterator<Item = (&'a Name, String)> {
        let parameters = self.program.parameters.iter();
        let parameters = parameters.map(|name| (name, format!("run->sizes.{}", self.variable(name))));
        let counts = self.program.tiles.iter().map(|count| &count.name);
        parameters.chain(counts.map(|name| (name, format!("run->{}", self.variable(name)))))
    }

    /// Constants for those sizes that a body mentions, and for those coordinates where a point is there, before it.
    pub fn constants(&self, writer: &mut Writer, body: &Writer, point: &str) {
        for (name, place) in self.sizes().filter(|(name, _)| body.mentions(&self.variable(name))) {
            writer.put(&format!("const int64_t {} = {place};", self.variable(name)));
        }
        for (axis, coordinate) in self.program.grid.iter().enumerate().filter(|_| !point.is_empty()) {
            let name = self.variable(&coordinate.name);
            if body.mentions(&name) {
                writer.put(&format!("const int64_t {name} = {point}[{axis}];"));
            }
        }
    }

    /// A function whose body may mention sizes and coordinates.
    pub fn function(&self, writer: &mut Writer, head: &str, point: &str, body: impl FnOnce(&mut Writer)) {
        writer.function(head, |writer| {
            let mut inner = writer.fresh();
            body(&mut inner);
            self.constants(writer, &inner, point);
            for name in ["run", "pe", "point"].into_iter().filter(|name| head.contains(&format!("*{name}"))) {
                let is_read = (name == "run" && self.mentions_size(&inner))
                    || (point.starts_with(name) && self.mentions_coordinate(&inner));
                if !is_read && !inner.mentions(name) {
                    writer.put(&format!("(void){name};"));
                }
            }
            writer.append(&inner);
        });
    }

    fn mentions_size(&self, body: &Writer) -> bool {
        self.sizes().any(|(name, _)| body.mentions(&self.variable(name)))
    }

    fn mentions_coordinate(&self, body: &Writer) -> bool {
        self.program.grid.iter().any(|coordinate| body.mentions(&self.variable(&coordinate.name)))
    }

    /// The type that the elements of an array have for its caller.
    pub fn element_type(&self, array: &ArrayDecl) -> &'static str {
        if array.role == Role::Output { "double" } else { "const double" }
    }

    /// The extents of an array or a scratchpad, as C.
    pub fn extents(&self, shape: &[IndexExpr]) -> Vec<String> {
        shape.iter().map(|extent| expression::index(extent, &|name| self.variable(name))).collect()
    }

    /// What the run has of channels, with their declarations.
    pub fn channels(&self) -> impl Iterator<Item = (&'a Channel, &str)> {
        self.program.channels.iter().map(|channel| (channel, self.joint(&channel.name)))
    }

    /// What the run has of buses, with their declarations.
    pub fn buses(&self) -> impl Iterator<Item = (&'a Bus, &str)> {
        self.program.buses.iter().map(|bus| (bus, self.joint(&bus.name)))
    }

    /// How long the keys of a bus are: the point that stands for a line, and the tag.
    pub fn key_length(&self, bus: &Bus) -> usize {
        let mut tag_length = 0;
        self.program.each_instruction(|instruction| match instruction {
            Instruction::Drive(name, _, tag) | Instruction::Listen(_, name, tag) if *name == bus.name => {
                tag_length = tag.len();
            }
            _ => {}
        });
        let line = if bus.joins == Joins::All { 1 } else { self.program.grid.len() };
        line + tag_length
    }

    /// A scratchpad's declaration.
    pub fn scratchpad(&self, name: &Name) -> Option<&'a Scratchpad> {
        self.program.scratchpads.iter().find(|pad| pad.name == *name)
    }
}
