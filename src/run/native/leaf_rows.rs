//! Recurrences of which several lines are computed together.
//!
//! In: two loops right within each other around one assignment, whose element needs the one before it in its line, so that a
//! line alone waits for one element after the other: alignments, prefix sums of rows, Gauss-Seidel. Out: the same, four lines
//! at a time, column by column. The four are a diagonal's worth of work that does not wait for each other, and what they need
//! of each other stays in registers. Each element has the operands that it had, so its bits stay.
//!
//! **Why the order may change.** An element of line `i` and column `j` needs elements of lines up to `i` and columns up to
//! `j` alone, and no other is read. So whatever the order of the columns within four lines, each is there before it is needed.

use super::expression;
use super::leaf_lanes::{NestLoop, elements, is_alone};
use super::leaf_loops::LoopWriter;
use super::writer::Writer;
use systole_base::integer::Affine;
use systole_equations::tiles::{Leaf, Step, Value};

/// So many lines are computed together.
const LINES: i64 = 4;

/// A recurrence along two loops.
#[derive(Debug)]
pub(super) struct Rows<'l> {
    line: NestLoop<'l>,
    column: NestLoop<'l>,
    window: usize,
    element: &'l [Affine],
    value: &'l Value,
    /// The dimensions of the element that lines and columns are.
    dimensions: [usize; 2],
}

impl<'l> Rows<'l> {
    /// The recurrence that begins with a step, if it is one.
    pub fn of(leaf: &'l Leaf, step: &'l Step) -> Option<Rows<'l>> {
        let (line, inner) = only(leaf, step)?;
        let (column, inner) = only(leaf, inner)?;
        let Step::Set { window, element, value } = inner else { return None };
        let loops = [line, column];
        let within = |form: &Affine| loops.iter().any(|one| form.mentions([one.index]));
        let is_free = |one: &NestLoop| !one.lower.iter().chain(one.upper).any(|bound| within(&bound.form));
        let place = |one: &NestLoop| {
            let mut mentioning = (0..element.len()).filter(|dimension| element[*dimension].mentions([one.index]));
            let only = mentioning.next().filter(|_| mentioning.next().is_none())?;
            (is_alone(&element[only], one.index, &loops) && element[only].coefficient(one.index) == 1).then_some(only)
        };
        let dimensions = [place(&line)?, place(&column)?];
        let rows = Rows { line, column, window: *window, element, value, dimensions };
        let mut reads = vec![];
        elements(value, &mut reads);
        let own = reads.iter().filter(|(read, _)| read == window);
        let back: Vec<[i64; 2]> = own.map(|(_, at)| rows.back(at)).collect::<Option<_>>()?;
        let is_before = |[lines, columns]: &[i64; 2]| *lines >= 0 && *columns >= 0 && [*lines, *columns] != [0, 0];
        let waits = back.iter().any(|[lines, _]| *lines == 0);
        (loops.iter().all(is_free) && waits && back.iter().all(is_before)).then_some(rows)
    }

    /// How many lines and columns back an element lies that is read.
    fn back(&self, at: &[Affine]) -> Option<[i64; 2]> {
        let mut back = [0; 2];
        for (dimension, (own, read)) in self.element.iter().zip(at).enumerate() {
            let distance = own.clone() - read.clone();
            match self.dimensions.iter().position(|known| *known == dimension) {
                Some(place) if distance.is_constant() => back[place] = distance.constant_term(),
                None if distance == Affine::constant(0) => {}
                _ => return None,
            }
        }
        Some(back)
    }

    /// Writes the recurrence.
    pub fn write(&self, loops: &mut LoopWriter, writer: &mut Writer) {
        let (line, column) = (loops.index(self.line.index), loops.index(self.column.index));
        writer.comment(&format!(
            "{LINES} lines along {line} together: an element waits for the one before it in its line."
        ));
        writer.put(&format!("int64_t {line} = {};", loops.first(self.line)));
        writer.put(&format!("const int64_t {line}_end = {};", loops.last(self.line)));
        writer.put(&format!("const int64_t {column}_block = {};", loops.first(self.column)));
        writer.put(&format!("const int64_t {column}_end = {};", loops.last(self.column)));
        // Before its first column a window may have nothing, where there is no column.
        let has_columns = format!("{column}_block <= {column}_end");
        for (count, head) in [
            (LINES, format!("for (; {has_columns} && {line} + {} <= {line}_end; {line} += {LINES})", LINES - 1)),
            (1, format!("for (; {has_columns} && {line} <= {line}_end; {line}++)")),
        ] {
            loops.enter(self.line.index);
            writer.braces(&head, |writer| self.write_lines(count, loops, writer));
            loops.leave();
        }
    }

    fn write_lines(&self, count: i64, loops: &mut LoopWriter, writer: &mut Writer) {
        let column = loops.index(self.column.index);
        let before = self.reads_before();
        if before {
            loops.name(self.column.index, format!("{column}_block"));
            self.each_line(count, loops, &mut |number, loops| {
                let previous = self.previous();
                let read = loops.element(self.window, &previous);
                writer.put(&format!("double {}_before{number} = {read};", loops.window(self.window)));
            });
            loops.forget(self.column.index);
        }
        let head = format!("for (int64_t {column} = {column}_block; {column} <= {column}_end; {column}++)");
        loops.enter(self.column.index);
        writer.braces(&head, |writer| {
            self.each_line(count, loops, &mut |number, loops| {
                let name = loops.window(self.window);
                let read = |window: usize, at: &[Affine]| {
                    let [lines, columns] = self.back(at).filter(|_| window == self.window)?;
                    let of = match columns {
                        0 => "row",
                        1 if before => "before",
                        _ => return None,
                    };
                    (lines <= number).then(|| format!("{name}_{of}{}", number - lines))
                };
                let value = loops.value_with(self.value, &read);
                writer.put(&format!("const double {name}_row{number} = {};", expression::bare(&value)));
            });
            self.each_line(count, loops, &mut |number, loops| {
                let (name, at) = (loops.window(self.window), loops.element(self.window, self.element));
                writer.put(&format!("{at} = {name}_row{number};"));
                if before {
                    writer.put(&format!("{name}_before{number} = {name}_row{number};"));
                }
            });
        });
        loops.leave();
    }

    /// The element one column back.
    fn previous(&self) -> Vec<Affine> {
        let mut previous = self.element.to_vec();
        previous[self.dimensions[1]] = previous[self.dimensions[1]].clone() - Affine::constant(1);
        previous
    }

    /// Whether each element needs the one before it in its line, so that there is one before the first.
    fn reads_before(&self) -> bool {
        let mut reads = vec![];
        elements(self.value, &mut reads);
        let mut own = reads.iter().filter(|(window, _)| *window == self.window);
        own.any(|(_, at)| self.back(at) == Some([0, 1]))
    }

    /// Something for each line, with the line's index named.
    fn each_line(&self, count: i64, loops: &mut LoopWriter, see: &mut dyn FnMut(i64, &LoopWriter)) {
        let index = loops.index(self.line.index);
        for number in 0..count {
            loops.name(self.line.index, if number == 0 { index.clone() } else { format!("({index} + {number})") });
            see(number, loops);
        }
        loops.forget(self.line.index);
    }
}

/// A loop whose index rises, with the one step within it.
fn only<'l>(leaf: &'l Leaf, step: &'l Step) -> Option<(NestLoop<'l>, &'l Step)> {
    let Step::Loop { index, falls: false, lower, upper, body } = step else { return None };
    let [inner] = &body[..] else { return None };
    Some((NestLoop { index: &leaf.indices.get(*index)?.name, lower, upper }, inner))
}
