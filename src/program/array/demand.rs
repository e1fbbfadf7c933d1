//! What the PEs of a program need of their own: registers and words of local memory.
//!
//! In: a program and sizes. Out: for each class that occurs at these sizes the registers its text names, and the most
//! different words that one of its PEs has use for: elements that it prefetches, and words of scratchpads that it keeps something
//! in. Both depend on coordinates, loops and sizes only, so they are counted without a run.

use super::code::Pad;
use super::{Condition, IndexExpr, Instruction, Program, bind_tiles, compile};
use std::collections::BTreeSet;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Bindings, Name, Vector};

/// The needs of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    /// The class.
    pub class: Name,
    /// Registers of each of its PEs.
    pub registers: u64,
    /// The most words that one of its PEs holds in its own memory.
    pub words: u64,
    /// The first PE that holds so many.
    pub pe: Vector,
}

/// The needs of each class that occurs at these sizes, in the order of the program.
///
/// # Errors
/// A program that is not valid, sizes that do not fit it, numbers that do not fit 64 bits.
pub fn demands(program: &Program, sizes: &Bindings) -> Checked<Vec<Demand>> {
    let code = compile(program, sizes)?;
    let mut found: Vec<Option<Demand>> = vec![None; program.classes.len()];
    for placed in &code.pes {
        let (class, pe) = (&program.classes[placed.class], code.grid.point(placed.position));
        let mut bindings = bind_tiles(program, sizes);
        bindings.extend(program.grid.iter().map(|side| side.name.clone()).zip(pe.iter().copied()));
        let mut held =
            Held { pads: (program, &code.scratchpads), bindings, elements: BTreeSet::new(), kept: BTreeSet::new() };
        held.visit(&class.body).ok_or_else(|| vec![too_large(&class.name)])?;
        let words = (held.elements.len() + held.kept.len()) as u64;
        if found[placed.class].as_ref().is_none_or(|known| known.words < words) {
            let registers = code.classes[placed.class].registers as u64;
            found[placed.class] = Some(Demand { class: class.name.clone(), registers, words, pe });
        }
    }
    Ok(found.into_iter().flatten().collect())
}

fn too_large(class: &str) -> Diagnostic {
    Diagnostic::new(format!("a number of class `{class}` does not fit 64 bits at these sizes"))
}

/// What a PE has in its own memory.
struct Held<'a> {
    /// The scratchpads by name, and as they are at these sizes.
    pads: (&'a Program, &'a [Pad]),
    bindings: Bindings,
    /// What it has prefetched.
    elements: BTreeSet<(Name, Vector)>,
    /// The words of scratchpads in which it has kept something.
    kept: BTreeSet<(usize, Vector)>,
}

impl Held<'_> {
    /// Follows what is prefetched and kept; `None` where a number does not fit.
    fn visit(&mut self, body: &[Instruction]) -> Option<()> {
        body.iter().filter(|instruction| fills(instruction)).try_for_each(|instruction| match instruction {
            Instruction::Loop { index, first, last, body } => self.repeat(index, (first, last), body),
            Instruction::If { conditions, then, otherwise } => {
                let holds = self.all_hold(conditions)?;
                self.visit(if holds { then } else { otherwise })
            }
            Instruction::Prefetch(array, subscripts) => {
                let element = self.values(subscripts)?;
                self.elements.insert((array.clone(), element));
                Some(())
            }
            Instruction::Keep(pad, subscripts, _) => {
                let (program, pads) = self.pads;
                let position = program.scratchpads.iter().position(|known| known.name == *pad)?;
                let rooms = pads.get(position)?.room.iter();
                let word = self.values(subscripts)?.into_iter().zip(rooms);
                let word = word.map(|(subscript, room)| subscript.rem_euclid((*room).max(1) as i64));
                self.kept.insert((position, word.collect()));
                Some(())
            }
            _ => Some(()),
        })
    }

    fn values(&self, subscripts: &[IndexExpr]) -> Option<Vector> {
        subscripts.iter().map(|form| form.evaluate(&self.bindings)).collect()
    }

    fn repeat(&mut self, index: &Name, (first, last): (&IndexExpr, &IndexExpr), body: &[Instruction]) -> Option<()> {
        for value in first.evaluate(&self.bindings)?..=last.evaluate(&self.bindings)? {
            self.bindings.insert(index.clone(), value);
            self.visit(body)?;
        }
        self.bindings.remove(index);
        Some(())
    }

    fn all_hold(&self, conditions: &[Condition]) -> Option<bool> {
        conditions.iter().try_fold(true, |all, condition| Some(all && condition.holds(&self.bindings)?))
    }
}

/// Whether an instruction prefetches or keeps, itself or within.
fn fills(instruction: &Instruction) -> bool {
    match instruction {
        Instruction::Prefetch(..) | Instruction::Keep(..) => true,
        Instruction::Loop { body, .. } => body.iter().any(fills),
        Instruction::If { then, otherwise, .. } => then.iter().chain(otherwise).any(fills),
        _ => false,
    }
}
