//! Directions of an instance, and lists of them: as the registry has them for the access or the reduction beside them.

use super::maker::{Maker, Pass};
use super::sorts::Sort;
use crate::check::semantics::Heads;
use crate::rewrite::terms::Term;
use egg::{ENodeOrVar, Id, Language};

impl Maker<'_> {
    /// Chooses a direction that is still open, or sees that the one that is known may stand here.
    pub fn along(&mut self, id: Id, sort: Sort, face: &Heads, access: Option<&str>) -> Option<()> {
        if self.variable(id).is_none() {
            return Some(());
        }
        let candidates = match (sort, access) {
            (Sort::Reuse, Some(access)) => self.terms.reuses(self.world, face, access),
            _ => self.terms.directions(self.world, face.space),
        };
        match self.known(id) {
            Some(known) => candidates.contains(&known).then_some(()),
            None => {
                let chosen = self.random.pick(&candidates)?.clone();
                self.set(id, &chosen)
            }
        }
    }

    /// Chooses what is left of a list of directions.
    pub fn list(&mut self, id: Id, sort: Sort, face: &Heads, access: Option<&str>, pass: Pass) -> Option<()> {
        let is_pattern = matches!(&self.pattern[id], ENodeOrVar::ENode(Term::Dir(_)));
        let is_open = self.variable(id).is_some_and(|name| !self.bound.contains_key(&name));
        if !(is_pattern || is_open) {
            return match &self.pattern[id] {
                ENodeOrVar::ENode(node) if !node.is_leaf() => self.visit(id, face, pass),
                _ => Some(()),
            };
        }
        if pass != Pass::Lists {
            return Some(());
        }
        let (folding, all) = self.terms.list(self.world, face, sort, access, self.random)?;
        if is_open && self.random.once_in(3) {
            return self.set(id, &folding);
        }
        let least = self.length(id);
        let skipped = self.random.below((all.len() + 1).checked_sub(least)?);
        self.set_list(id, &all[skipped..])
    }

    /// How many directions a pattern spells.
    fn length(&self, id: Id) -> usize {
        match &self.pattern[id] {
            ENodeOrVar::ENode(Term::Dir([_, rest])) => 1 + self.length(*rest),
            _ => 0,
        }
    }

    fn set_list(&mut self, id: Id, list: &[String]) -> Option<()> {
        if let ENodeOrVar::ENode(Term::Dir([first, rest])) = &self.pattern[id] {
            let (first, rest) = (*first, *rest);
            self.set(first, list.first()?)?;
            return self.set_list(rest, &list[1..]);
        }
        self.set(id, &list.iter().rev().fold("end".to_owned(), |rest, along| format!("(dir {along} {rest})")))
    }
}
