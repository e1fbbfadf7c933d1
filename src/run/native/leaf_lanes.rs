//! Nests of sums whose elements are computed side by side.
//!
//! In: loops right within each other around one assignment `T[..] = f(T[..], ..)`. Out: the same, where 16 elements along one
//! index, and 4 along another, are in registers while their terms come, each in the order of the loops; so each element keeps
//! its bits. Operands whose neighbours along the 16 do not lie side by side are copied beforehand, a few terms at a time, so
//! that they do. What is left over at the end of the 16 is done by the loops as they were.
//!
//! That needs loops whose ends do not depend on each other, as of whole tiles of a product; triangles stay as they are.

use super::leaf_loops::LoopWriter;
use super::writer::Writer;
use systole_base::integer::{Affine, Bound, Name};
use systole_equations::tiles::{Leaf, Step, Value};

/// So many elements are side by side: two registers of the widest vectors, four of others.
pub(super) const LANES: i64 = 16;

/// So many lines of them share what is read.
const ROWS: i64 = 4;

/// With fewer terms in a whole tile it is not worth while.
const FEWEST: i64 = 8;

/// So many terms are copied at a time.
const CHUNK: i64 = 64;

/// A loop of a nest.
#[derive(Clone, Copy, Debug)]
pub(super) struct NestLoop<'l> {
    pub index: &'l Name,
    pub lower: &'l [Bound],
    pub upper: &'l [Bound],
}

/// A nest that can be computed side by side.
#[derive(Debug)]
pub(super) struct Lanes<'l> {
    /// The 16 run along it.
    lane: NestLoop<'l>,
    /// The 4 run along it, if there is one.
    row: Option<NestLoop<'l>>,
    /// The last loop of terms.
    term: NestLoop<'l>,
    /// The loops around these, terms before elements.
    around: Vec<NestLoop<'l>>,
    window: usize,
    element: &'l [Affine],
    value: &'l Value,
    /// What is copied to lie side by side: one access of a window each.
    packed: Vec<(usize, &'l [Affine])>,
}

impl<'l> Lanes<'l> {
    /// The nest that begins with a step, if it is one.
    pub fn of(leaf: &'l Leaf, step: &'l Step) -> Option<Lanes<'l>> {
        let (mut loops, mut step) = (vec![], step);
        let (window, element, value) = loop {
            match step {
                Step::Loop { index, falls: false, lower, upper, body } => {
                    let [only] = &body[..] else { return None };
                    loops.push(NestLoop { index: &leaf.indices.get(*index)?.name, lower, upper });
                    step = only;
                }
                Step::Set { window, element, value } => break (*window, &element[..], value),
                _ => return None,
            }
        };
        Lanes::split(leaf, &loops, (window, element, value))
    }

    fn split(
        leaf: &'l Leaf,
        loops: &[NestLoop<'l>],
        (window, element, value): (usize, &'l [Affine], &'l Value),
    ) -> Option<Lanes<'l>> {
        let within = |form: &Affine| loops.iter().any(|other| form.mentions([other.index]));
        let is_free = |one: &NestLoop| !one.lower.iter().chain(one.upper).any(|bound| within(&bound.form));
        let mut reads = vec![];
        elements(value, &mut reads);
        let is_own = |(read, at): &(usize, &[Affine])| *read == window && *at == element;
        let is_sum = reads.iter().any(is_own) && reads.iter().all(|read| read.0 != window || is_own(read));
        let (kept, terms): (Vec<NestLoop>, Vec<NestLoop>) =
            loops.iter().partition(|one| element.iter().any(|form| form.mentions([one.index])));
        // Elements are told apart by a subscript for each index.
        let is_distinct = |one: &NestLoop| element.iter().any(|form| is_alone(form, one.index, loops));
        if !is_sum || !loops.iter().all(is_free) || !kept.iter().all(is_distinct) {
            return None;
        }
        let (term, others) = terms.split_last()?;
        let size = |one: &NestLoop| size_of(leaf, one.index);
        if size(term) < FEWEST {
            return None;
        }
        let is_last = |one: &NestLoop| element.last().is_some_and(|form| form.mentions([one.index]));
        let wide = kept.iter().filter(|one| size(one) >= LANES);
        let lane = *wide.max_by_key(|one| is_last(one))?;
        let rows = kept.iter().filter(|one| one.index != lane.index && size(one) >= ROWS);
        let row = rows.max_by_key(|one| size(one)).copied();
        let is_other = |one: &&NestLoop| one.index != lane.index && row.is_none_or(|row| row.index != one.index);
        let around = others.iter().chain(kept.iter().filter(is_other)).copied().collect();
        let mut packed: Vec<(usize, &[Affine])> = vec![];
        for (read, at) in reads.iter().filter(|read| !is_own(read)) {
            let is_apart = at.iter().any(|form| form.mentions([lane.index])) && !lies_along(at, lane.index);
            let moves = row.is_some_and(|row| at.iter().any(|form| form.mentions([row.index])));
            if is_apart && !moves && !packed.contains(&(*read, *at)) {
                packed.push((*read, *at));
            }
        }
        let windows: Vec<usize> = packed.iter().map(|(window, _)| *window).collect();
        let is_once = windows.iter().enumerate().all(|(place, window)| !windows[..place].contains(window));
        is_once.then_some(Lanes { lane, row, term: *term, around, window, element, value, packed })
    }

    /// The index along which the 16 run.
    pub fn lane(&self) -> &Name {
        self.lane.index
    }

    /// Writes the nest as far as there are 16 elements; what follows begins at `<index>_block`.
    pub fn write(&self, loops: &mut LoopWriter, writer: &mut Writer) {
        let lane = loops.index(self.lane.index);
        let (first, last) = (loops.first(self.lane), loops.last(self.lane));
        writer.comment(&format!("{LANES} elements along {lane} at a time, each with its terms in their order."));
        writer.put(&format!("int64_t {lane}_block = {first};"));
        let head =
            format!("for (const int64_t last = {last}; {lane}_block + {} <= last; {lane}_block += {LANES})", LANES - 1);
        writer.braces(&head, |writer| {
            loops.name(self.lane.index, format!("({lane}_block + lane)"));
            self.write_around(&self.around, loops, writer);
            loops.forget(self.lane.index);
        });
    }

    fn write_around(&self, around: &[NestLoop], loops: &mut LoopWriter, writer: &mut Writer) {
        match around {
            [one, others @ ..] => loops.within(*one, writer, &mut |loops, writer| {
                self.write_around(others, loops, writer);
            }),
            [] if self.packed.is_empty() => {
                // Without a term no element is looked at, as in the loops.
                let ends = (loops.first(self.term), loops.last(self.term));
                let head = format!("if ({} <= {})", ends.0, ends.1);
                writer.braces(&head, |writer| self.write_rows(&ends, loops, writer));
            }
            // Nor without a line.
            [] => match self.row {
                Some(row) => {
                    let head = format!("if ({} <= {})", loops.first(row), loops.last(row));
                    writer.braces(&head, |writer| self.write_chunk(loops, writer));
                }
                None => self.write_chunk(loops, writer),
            },
        }
    }

    /// Copies what does not lie side by side, for some terms.
    fn write_chunk(&self, loops: &mut LoopWriter, writer: &mut Writer) {
        let term = loops.index(self.term.index);
        let (first, last) = (loops.first(self.term), loops.last(self.term));
        let head = format!(
            "for (int64_t {term}_chunk = {first}, last = {last}; {term}_chunk <= last; {term}_chunk += {CHUNK})"
        );
        writer.braces(&head, |writer| {
            writer.put(&format!("const int64_t {term}_end = least({term}_chunk + {}, last);", CHUNK - 1));
            for (window, _) in &self.packed {
                writer.put(&format!("double {}_lanes[{CHUNK}][{LANES}];", loops.window(*window)));
            }
            writer.braces(&terms(&term, (&format!("{term}_chunk"), &format!("{term}_end"))), |writer| {
                loops.enter(self.term.index);
                writer.braces(EACH_LANE, |writer| {
                    for (window, at) in &self.packed {
                        let name = loops.window(*window);
                        let read = loops.element(*window, at);
                        writer.put(&format!("{name}_lanes[{term} - {term}_chunk][lane] = {read};"));
                    }
                });
                loops.leave();
            });
            let ends = (format!("{term}_chunk"), format!("{term}_end"));
            self.write_rows(&ends, loops, writer);
        });
    }

    /// Four lines at a time, then one.
    fn write_rows(&self, ends: &(String, String), loops: &mut LoopWriter, writer: &mut Writer) {
        let Some(row) = self.row else { return self.write_sums(1, ends, loops, writer) };
        let name = loops.index(row.index);
        let (first, last) = (loops.first(row), loops.last(row));
        writer.put(&format!("int64_t {name} = {first};"));
        writer.put(&format!("const int64_t {name}_end = {last};"));
        for (count, head) in [
            (ROWS, format!("for (; {name} + {} <= {name}_end; {name} += {ROWS})", ROWS - 1)),
            (1, format!("for (; {name} <= {name}_end; {name}++)")),
        ] {
            writer.braces(&head, |writer| self.write_sums(count, ends, loops, writer));
        }
    }

    /// So many lines of 16 elements, in registers while their terms come.
    fn write_sums(&self, count: i64, ends: &(String, String), loops: &mut LoopWriter, writer: &mut Writer) {
        let sums = |number: i64| format!("{}_row{number}", loops.window(self.window));
        let sums: Vec<String> = (0..count).map(sums).collect();
        let term = loops.index(self.term.index);
        let declared: Vec<String> = sums.iter().map(|name| format!("{name}[{LANES}]")).collect();
        writer.put(&format!("double {};", declared.join(", ")));
        writer.braces(EACH_LANE, |writer| {
            self.each_row(&sums, loops, &mut |name, loops| {
                writer.put(&format!("{name}[lane] = {};", loops.element(self.window, self.element)));
            });
        });
        writer.braces(&terms(&term, (&ends.0, &ends.1)), |writer| {
            writer.braces(EACH_LANE, |writer| {
                loops.enter(self.term.index);
                self.each_row(&sums, loops, &mut |name, loops| {
                    let read = |window: usize, at: &[Affine]| match window == self.window {
                        true => Some(format!("{name}[lane]")),
                        false if self.packed.contains(&(window, at)) => {
                            Some(format!("{}_lanes[{term} - {term}_chunk][lane]", loops.window(window)))
                        }
                        false => None,
                    };
                    let value = loops.value_with(self.value, &read);
                    writer.put(&format!("{name}[lane] = {};", super::expression::bare(&value)));
                });
                loops.leave();
            });
        });
        writer.braces(EACH_LANE, |writer| {
            self.each_row(&sums, loops, &mut |name, loops| {
                writer.put(&format!("{} = {name}[lane];", loops.element(self.window, self.element)));
            });
        });
    }

    /// Something for each line, with the line's index named.
    fn each_row(&self, sums: &[String], loops: &mut LoopWriter, see: &mut dyn FnMut(&str, &LoopWriter)) {
        for (number, name) in sums.iter().enumerate() {
            if let Some(row) = self.row {
                let index = loops.index(row.index);
                loops.name(row.index, if number == 0 { index } else { format!("({index} + {number})") });
            }
            see(name, loops);
        }
        self.row.iter().for_each(|row| loops.forget(row.index));
    }
}

/// A loop over [`LANES`].
const EACH_LANE: &str = "for (int64_t lane = 0; lane < 16; lane++)";

/// A loop over terms.
fn terms(term: &str, (first, last): (&str, &str)) -> String {
    format!("for (int64_t {term} = {first}, last = {last}; {term} <= last; {term}++)")
}

/// Whether a subscript is an index and what is the same in all of the nest.
pub(super) fn is_alone(form: &Affine, index: &Name, loops: &[NestLoop]) -> bool {
    form.coefficient(index).abs() == 1 && !loops.iter().any(|one| one.index != index && form.mentions([one.index]))
}

/// Whether neighbours along an index lie side by side.
fn lies_along(at: &[Affine], index: &Name) -> bool {
    let Some((last, outer)) = at.split_last() else { return false };
    last.coefficient(index) == 1 && !outer.iter().any(|form| form.mentions([index]))
}

/// How many elements a whole tile has along an index.
fn size_of(leaf: &Leaf, index: &Name) -> i64 {
    leaf.indices.iter().find(|one| one.name == *index).map_or(1, |one| one.axis.size)
}

/// The elements that a value reads.
pub(super) fn elements<'l>(value: &'l Value, found: &mut Vec<(usize, &'l [Affine])>) {
    match value {
        Value::Element(window, at) => found.push((*window, at)),
        Value::Apply(_, arguments) => arguments.iter().for_each(|argument| elements(argument, found)),
        Value::Number(_) | Value::Index(_) => {}
    }
}
