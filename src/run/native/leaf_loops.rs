//! The loops of a leaf.
//!
//! In: the steps of a leaf. Out: loops over elements in the leaf's order, so that each element gets the bits of that order.

use super::expression;
use super::kernel::Kernel;
use super::leaf::LeafNames;
use super::writer::Writer;
use systole_base::integer::{Affine, Bound, Name};
use systole_equations::tiles::{Leaf, Step, Value};

/// Steps that are written.
pub(super) struct LoopWriter<'k, 'a> {
    kernel: &'k Kernel<'a>,
    leaf: &'k Leaf,
    names: &'k LeafNames,
    /// The indices whose loops are around what is written.
    around: Vec<Name>,
}

impl<'k, 'a> LoopWriter<'k, 'a> {
    /// Outside of all loops.
    pub fn new(kernel: &'k Kernel<'a>, leaf: &'k Leaf, names: &'k LeafNames) -> LoopWriter<'k, 'a> {
        LoopWriter { kernel, leaf, names, around: vec![] }
    }

    /// Writes steps.
    pub fn block(&mut self, steps: &[Step], writer: &mut Writer) {
        steps.iter().for_each(|step| self.step(step, writer));
    }

    fn step(&mut self, step: &Step, writer: &mut Writer) {
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
            Some(index) if self.around.contains(name) => index.clone(),
            Some(index) => format!("{index}_span.first"),
            None => self.kernel.variable(name),
        };
        expression::affine(form, &variable)
    }

    /// The ends of a loop are found once.
    fn head(&self, index: &Name, falls: bool, lower: &[Bound], upper: &[Bound]) -> String {
        let name = &self.names.indices[index];
        let bound = |function: &str, Bound { form, coefficient }: &Bound| match coefficient {
            1 => self.form(form),
            by => format!("{function}({}, {by})", self.form(form)),
        };
        let first = lower.iter().map(|form| bound("ceil_div", form));
        let last = upper.iter().map(|form| bound("floor_div", form));
        let first = first.fold(format!("{name}_span.first"), |found, form| format!("greatest({found}, {form})"));
        let last = last.fold(format!("{name}_span.last"), |found, form| format!("least({found}, {form})"));
        match falls {
            false => format!("for (int64_t {name} = {first}, last = {last}; {name} <= last; {name}++)"),
            true => format!("for (int64_t {name} = {last}, first = {first}; {name} >= first; {name}--)"),
        }
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

    fn element(&self, window: usize, element: &[Affine]) -> String {
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
        match value {
            Value::Number(value) => expression::number(*value),
            Value::Index(form) => format!("(double)({})", self.form(form)),
            Value::Element(window, element) => self.element(*window, element),
            Value::Apply(function, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|argument| self.value(argument)).collect();
                expression::apply(*function, &arguments)
            }
        }
    }
}
