//! The loops of a leaf.
//!
//! In: the steps of a leaf. Out: loops over elements in the leaf's order, so that each element gets the bits of that order.

use super::expression;
use super::kernel::Kernel;
use super::leaf::LeafNames;
use super::leaf_lanes::{Lanes, NestLoop};
use super::leaf_rows::Rows;
use super::writer::Writer;
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Bound, Name};
use systole_base::scalar::Function;
use systole_equations::tiles::{Leaf, Step, Value};

/// Steps that are written.
pub(super) struct LoopWriter<'k, 'a> {
    kernel: &'k Kernel<'a>,
    leaf: &'k Leaf,
    names: &'k LeafNames,
    /// The indices whose loops are around what is written.
    around: Vec<Name>,
    /// Indices that have another text, such as one of several lines.
    named: BTreeMap<Name, String>,
    /// The index whose first rounds are done.
    begun: Option<Name>,
    /// Whether elements are computed one after the other, each with the one before it.
    pub in_line: bool,
}

impl<'k, 'a> LoopWriter<'k, 'a> {
    /// Outside of all loops.
    pub fn new(kernel: &'k Kernel<'a>, leaf: &'k Leaf, names: &'k LeafNames) -> LoopWriter<'k, 'a> {
        LoopWriter { kernel, leaf, names, around: vec![], named: BTreeMap::new(), begun: None, in_line: false }
    }

    /// Writes steps.
    pub fn block(&mut self, steps: &[Step], writer: &mut Writer) {
        steps.iter().for_each(|step| self.step(step, writer));
    }

    fn step(&mut self, step: &Step, writer: &mut Writer) {
        if self.begun.is_none()
            && let Some(lanes) = Lanes::of(self.leaf, step)
        {
            // In braces: what is named after an index is named once more by the next nest.
            writer.braces("", |writer| {
                lanes.write(self, writer);
                self.begun = Some(lanes.lane().clone());
                self.step(step, writer);
                self.begun = None;
            });
            return;
        }
        if let Some(rows) = Rows::of(self.leaf, step) {
            self.in_line = true;
            writer.braces("", |writer| rows.write(self, writer));
            self.in_line = false;
            return;
        }
        match step {
            Step::Loop { index, falls, lower, upper, body } => {
                let Some(index) = self.leaf.indices.get(*index) else { return };
                let head = self.head(&index.name, *falls, lower, upper);
                self.around.push(index.name.clone());
                writer.braces(&head, |writer| self.block(body, writer));
                self.around.pop();
            }
            Step::If { conditions, then, otherwise } => self.choice(conditions, then, otherwise, writer),
            Step::Set { window, element, value } => {
                let (target, value) = (self.element(*window, element), self.value(value));
                writer.put(&format!("{target} = {};", expression::bare(&value)));
            }
        }
    }

    /// A form over indices: where no loop gives one a value it is the first of its box.
    fn form(&self, form: &Affine) -> String {
        let variable = |name: &Name| match self.names.indices.get(name) {
            Some(_) if let Some(text) = self.named.get(name) => text.clone(),
            Some(index) if self.around.contains(name) => index.clone(),
            Some(index) => format!("{index}_span.first"),
            None => self.kernel.variable(name),
        };
        expression::affine(form, &variable)
    }

    /// The ends of a loop are found once.
    fn head(&self, index: &Name, falls: bool, lower: &[Bound], upper: &[Bound]) -> String {
        let name = &self.names.indices[index];
        let ends = NestLoop { index, lower, upper };
        let (first, last) = (self.first(ends), self.last(ends));
        match falls {
            false => format!("for (int64_t {name} = {first}, last = {last}; {name} <= last; {name}++)"),
            true => format!("for (int64_t {name} = {last}, first = {first}; {name} >= first; {name}--)"),
        }
    }

    /// The first value of a loop's index.
    pub fn first(&self, NestLoop { index, lower, .. }: NestLoop) -> String {
        let name = &self.names.indices[index];
        if self.begun.as_ref() == Some(index) {
            return format!("{name}_block");
        }
        let bounds = lower.iter().map(|bound| self.bound("ceil_div", bound));
        bounds.fold(format!("{name}_span.first"), |found, form| format!("greatest({found}, {form})"))
    }

    /// The last value of a loop's index.
    pub fn last(&self, NestLoop { index, upper, .. }: NestLoop) -> String {
        let name = &self.names.indices[index];
        let bounds = upper.iter().map(|bound| self.bound("floor_div", bound));
        bounds.fold(format!("{name}_span.last"), |found, form| format!("least({found}, {form})"))
    }

    fn bound(&self, function: &str, Bound { form, coefficient }: &Bound) -> String {
        match coefficient {
            1 => self.form(form),
            by => format!("{function}({}, {by})", self.form(form)),
        }
    }

    /// An index as C has it.
    pub fn index(&self, index: &Name) -> String {
        self.names.indices.get(index).cloned().unwrap_or_default()
    }

    /// A window as C has it.
    pub fn window(&self, window: usize) -> &str {
        self.names.windows.get(window).map_or("", String::as_str)
    }

    /// Has an index mean another text.
    pub fn name(&mut self, index: &Name, text: String) {
        self.named.insert(index.clone(), text);
    }

    /// Has it mean itself again.
    pub fn forget(&mut self, index: &Name) {
        self.named.remove(index);
    }

    /// What follows is within a loop of this index.
    pub fn enter(&mut self, index: &Name) {
        self.around.push(index.clone());
    }

    /// It is not any more.
    pub fn leave(&mut self) {
        self.around.pop();
    }

    /// A loop with something within it.
    pub fn within(&mut self, one: NestLoop, writer: &mut Writer, body: &mut dyn FnMut(&mut Self, &mut Writer)) {
        let head = self.head(one.index, false, one.lower, one.upper);
        self.enter(one.index);
        writer.braces(&head, |writer| body(self, writer));
        self.leave();
    }

    fn choice(&mut self, conditions: &[Affine], then: &[Step], otherwise: &[Step], writer: &mut Writer) {
        let all: Vec<String> = conditions.iter().map(|form| format!("{} >= 0", self.form(form))).collect();
        let all = if all.is_empty() { "true".to_owned() } else { all.join(" && ") };
        let tail = if otherwise.is_empty() { "" } else { " else {" };
        writer.braces_with(&format!("if ({all})"), tail, |writer| self.block(then, writer));
        if !otherwise.is_empty() {
            writer.indented(|writer| self.block(otherwise, writer));
            writer.put("}");
        }
    }

    /// An element of a window.
    pub fn element(&self, window: usize, element: &[Affine]) -> String {
        let name = self.names.windows.get(window).map_or("", String::as_str);
        let along = |(dimension, form): (usize, &Affine)| match (dimension + 1 == element.len(), self.form(form)) {
            (true, form) => form,
            (false, form) if form.contains([' ', '-']) => format!("{name}_step{dimension} * ({form})"),
            (false, form) => format!("{name}_step{dimension} * {form}"),
        };
        let address: Vec<String> = element.iter().enumerate().map(along).collect();
        match address.is_empty() {
            true => format!("{name}[0]"),
            false => format!("{name}[{} - {name}_origin]", address.join(" + ")),
        }
    }

    fn value(&self, value: &Value) -> String {
        self.value_with(value, &|_, _| None)
    }

    /// A value, of which some elements are read elsewhere.
    pub fn value_with(&self, value: &Value, read: &dyn Fn(usize, &[Affine]) -> Option<String>) -> String {
        match value {
            Value::Number(value) => expression::number(*value),
            Value::Index(form) => format!("(double)({})", self.form(form)),
            Value::Element(window, element) => read(*window, element).unwrap_or_else(|| self.element(*window, element)),
            Value::Apply(Function::Select, arguments)
                if let [Value::Apply(comparison, sides), first, second] = &arguments[..]
                    && comparison.arity() == 2
                    && let Some(sign) = expression::comparison(*comparison)
                    && let [x, y] = &sides[..] =>
            {
                let [x, y, first, second] = [x, y, first, second].map(|part| self.value_with(part, read));
                match sign {
                    "==" => format!("choose_equal({x}, {y}, {first}, {second})"),
                    "!=" => format!("choose_equal({x}, {y}, {second}, {first})"),
                    _ => format!("choose({x} {sign} {y}, {first}, {second})"),
                }
            }
            Value::Apply(function @ (Function::Maximum | Function::Minimum), arguments) if self.in_line => {
                let arguments: Vec<String> = arguments.iter().map(|argument| self.value_with(argument, read)).collect();
                let name = if *function == Function::Maximum { "larger_in_line" } else { "smaller_in_line" };
                format!("{name}({})", arguments.join(", "))
            }
            Value::Apply(function, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|argument| self.value_with(argument, read)).collect();
                expression::apply(*function, &arguments)
            }
        }
    }
}
