//! What laws need to know of tensors that need themselves, and of what is computed from them.
//!
//! In: the terms of all equations. Out: in the frame, what the equation of such a tensor says of each element that another equation reads;
//! and what the equation of the reader says of the elements that its own would meet if that were put in place of the read. These are definitions
//! and no laws: that an element may stand for what they say, and where, is the matter of `rules/algebra/recursion.rules`.
//!
//! `(defined X g)` stands for what the equation of `X` says of `X[g]`. Two laws do the rest, those of Burstall and
//! Darlington: `unfold-element` and `fold-element`. With the laws of sums between them `L^-1 B`, written as an inverse
//! and a product, becomes forward substitution, and the inverse is gone.
//!
//! A fold that reads an element before it is there would be a true equation and no program. So an element of what is
//! being computed has a value only if it comes before the one at the point. `systole rules check` refutes a fold
//! without that condition (`earlier`, which polyhedra decide for all sizes). Elements come in the lexicographic order
//! of their subscripts, or in its reverse, a tensor in one of the two. A selection that would mix the orders of two
//! tensors is none (`circles`). A goal that reads a tensor with equations of its own needs these as well, *elsewhere*
//! (`Way`), so a local tensor that no form reads any more is not computed.
//!
//! No rule substitutes. `pick-term` names the term at one value of an index by `(pick s k g e)`, and the analysis puts
//! the form in place of the index.

use super::inline::recursive;
use super::written::{Root, Writer};
use crate::rewrite::{RecExpr, Term};
use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::{Affine, Name, name};

/// An element of a tensor.
type Element = (Name, Vec<Affine>);

impl Writer<'_> {
    /// Notes the definitions that the laws of recursion speak of.
    pub fn define_recursions(&mut self, roots: &[Root], definitions: &[Root]) {
        let recursive = recursive(self.system);
        for root in roots.iter().chain(definitions) {
            let others = self.reads(&root.term).into_iter().filter(|(tensor, _)| *tensor != root.target);
            for (tensor, read) in others.collect::<Vec<Element>>() {
                let Some(position) = recursive.get(&tensor) else { continue };
                let term = self.term_of(*position, &read);
                self.frame.define(&tensor, &read, term.clone());
                self.meet_again(root, &tensor, &read, &term);
            }
        }
    }

    /// The elements that a term reads.
    fn reads(&self, term: &RecExpr<Term>) -> BTreeSet<Element> {
        let element = |node: &Term| {
            let Term::At([tensor, access]) = node else { return None };
            let Term::Access(access) = term[*access] else { return None };
            Some((name(&term[*tensor].to_string()), self.frame.access(access)?.to_vec()))
        };
        term.as_ref().iter().filter_map(element).collect()
    }

    /// Notes what the equation of what stands for its definition says where it would read what the definition of its read reads.
    fn meet_again(&mut self, root: &Root, tensor: &Name, read: &[Affine], definition: &RecExpr<Term>) {
        let Some(position) = self.inlined.get(&root.target).copied() else { return };
        for (_, next) in self.reads(definition).into_iter().filter(|(other, _)| other == tensor) {
            let Some(image) = image(&root.subscripts, read, &next) else { continue };
            if self.frame.definition_of(&root.target, &root.subscripts).is_none() {
                self.frame.compute(&root.target, &root.subscripts, &root.domain);
                self.frame.define(&root.target, &root.subscripts, root.term.clone());
            }
            let there: Vec<Affine> = root.subscripts.iter().map(|form| form.substitute(&image)).collect();
            let term = self.term_of(position, &there);
            self.frame.define(&root.target, &there, term);
        }
    }
}

/// What the indices of an element have to be for one read of its equation to become another one.
fn image(own: &[Affine], read: &[Affine], next: &[Affine]) -> Option<BTreeMap<Name, Affine>> {
    let free: BTreeSet<&Name> = own.iter().filter_map(Affine::as_variable).collect();
    let pairs = read.iter().zip(next).filter_map(|(one, other)| Some((one.as_variable()?, other)));
    let image: BTreeMap<Name, Affine> =
        pairs.filter(|(index, _)| free.contains(index)).map(|(index, form)| (index.clone(), form.clone())).collect();
    let is_met = read.iter().map(|form| form.substitute(&image)).eq(next.iter().cloned());
    let moves = image.iter().any(|(index, form)| form.as_variable() != Some(index));
    (is_met && moves).then_some(image)
}
