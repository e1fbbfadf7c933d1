//! A smaller counterexample from a large one.
//!
//! In: a world, an instance and elements on which a rule fails. Out: the same with as little as possible in it, on which it still
//! fails. One change at a time is tried, the same ones in the same order: sizes, cuts, terms, directions, then numbers.

use super::trial::{Difference, Outcome, Trial};
use crate::check::instances::{Bound, Instance, Sort, meet, rebuilt, signature_of};
use crate::check::semantics::{Arithmetic, Elements, Evaluation, Palette, Seen, Tensors, World, meaning};
use crate::rewrite::registry::access_text;
use crate::rewrite::rules::{Rule, Tag};
use crate::rewrite::terms::Term;
use egg::{Id, Language, RecExpr};
use std::cell::RefCell;
use systole_base::integer::{Affine, Polyhedron};

/// Something on which a rule fails.
#[derive(Clone, Debug)]
pub(super) struct Failing {
    pub world: World,
    pub instance: Instance,
    pub elements: Elements,
    pub difference: Difference,
}

/// How often the list of changes is gone through.
const ROUNDS: usize = 6;

impl Failing {
    /// Whether the rule fails here too; then this is what is gone on with.
    fn accept(&mut self, rule: &Rule, world: World, instance: Instance, elements: Elements) -> bool {
        match (Trial { rule, world: &world, elements: &elements }).outcome(&instance) {
            Outcome::Differs(difference) => {
                *self = Failing { world, instance, elements, difference };
                true
            }
            _ => false,
        }
    }

    /// Makes everything as small as it gets.
    pub fn shrink(&mut self, rule: &Rule) {
        for _ in 0..ROUNDS {
            let changes = [self.shrink_sizes(rule), self.shrink_domains(rule), self.shrink_terms(rule)];
            if changes == [false; 3] {
                break;
            }
        }
        self.shrink_elements(rule);
    }

    fn shrink_sizes(&mut self, rule: &Rule) -> bool {
        let mut changed = false;
        for size in self.world.sizes.clone().into_keys() {
            for value in 1..self.world.sizes[&size] {
                let mut sizes = self.world.sizes.clone();
                sizes.insert(size.clone(), value);
                let Some(world) = rebuilt(&self.world, self.world.equations.clone(), sizes) else {
                    continue;
                };
                changed |= self.accept(rule, world, self.instance.clone(), self.elements.clone());
            }
        }
        changed
    }

    /// Takes away what cuts a box.
    fn shrink_domains(&mut self, rule: &Rule) -> bool {
        let mut changed = false;
        for position in 0..self.world.equations.spaces.len() {
            let constraints = self.world.space(position).domain.set.constraints().to_vec();
            let indices = self.world.indices(position).to_vec();
            let is_side = |form: &&Affine| indices.iter().filter(|index| form.mentions([*index])).count() < 2;
            let sides: Vec<_> = constraints.iter().filter(is_side).cloned().collect();
            if sides.len() == constraints.len() {
                continue;
            }
            let mut equations = self.world.equations.clone();
            equations.spaces[position].domain.set = Polyhedron::new(sides);
            let Some(world) = rebuilt(&self.world, equations, self.world.sizes.clone()) else {
                continue;
            };
            changed |= self.accept(rule, world, self.instance.clone(), self.elements.clone());
        }
        changed
    }

    /// Puts smaller texts in the place of variables.
    fn shrink_terms(&mut self, rule: &Rule) -> bool {
        let mut changed = false;
        let names: Vec<String> = self.instance.bound.keys().cloned().collect();
        for name in names {
            let bound = self.instance.bound[&name].clone();
            for text in smaller(&self.world, &bound) {
                let mut instance = self.instance.clone();
                instance.bound.insert(name.clone(), Bound { text, ..bound.clone() });
                if self.accept(rule, self.world.clone(), instance, self.elements.clone()) {
                    changed = true;
                    break;
                }
            }
        }
        changed
    }

    /// Puts simple numbers into the elements that matter.
    fn shrink_elements(&mut self, rule: &Rule) {
        for palette in [Palette::Integers, Palette::Quarters] {
            let elements = Elements { palette, ..self.elements.clone() };
            if self.elements.palette != palette && !self.is_assumed(rule) {
                self.accept(rule, self.world.clone(), self.instance.clone(), elements);
            }
        }
        for element in self.seen(rule).into_keys() {
            let now = self.elements.element(&element.0, &element.1);
            let simple: [f64; 9] = [0.0, 1.0, 2.0, -1.0, f64::NEG_INFINITY, f64::INFINITY, 0.5, 3.0, 0.1];
            let simpler = simple.iter().take_while(|number| number.to_bits() != now.to_bits());
            for number in simpler {
                let mut elements = self.elements.clone();
                elements.fixed.insert(element.clone(), *number);
                if self.accept(rule, self.world.clone(), self.instance.clone(), elements) {
                    break;
                }
            }
        }
    }

    fn is_assumed(&self, rule: &Rule) -> bool {
        rule.tag == Tag::Assume
    }

    /// The elements on which the two values depend.
    pub fn seen(&self, rule: &Rule) -> Seen {
        let mut evaluation =
            Evaluation::new(&self.world, &self.elements, Arithmetic::of(rule.tag, self.elements.palette));
        evaluation.seen = Some(RefCell::default());
        let space = self.instance.space;
        let right = self.difference.term.parse().ok();
        for term in [self.instance.term(&rule.left), right].into_iter().flatten() {
            if let Ok(meaning) = meaning(&self.world, &term, space) {
                evaluation.number(&meaning, &self.difference.point);
            }
        }
        evaluation.seen.map(RefCell::into_inner).unwrap_or_default()
    }
}

/// Texts that may stand where `bound` does, each shorter than it, the shortest first.
fn smaller(world: &World, bound: &Bound) -> Vec<String> {
    let mut texts: Vec<String> = vec![];
    if matches!(bound.sort, Sort::Expression | Sort::Field) {
        texts.extend(["0", "1", "2", "-1"].map(str::to_owned));
        texts.extend(reads(world, bound));
    }
    if matches!(bound.sort, Sort::Operator) {
        texts.extend(["sum"].map(str::to_owned));
    }
    if let Ok(term) = bound.text.parse::<RecExpr<Term>>() {
        let parts = (0..term.as_ref().len()).map(Id::from).filter(|id| is_of(&term, *id, bound.sort));
        texts.extend(parts.map(|id| term[id].build_recexpr(|child| term[child].clone()).to_string()));
    }
    texts.retain(|text| text.len() < bound.text.len());
    texts.sort_by_key(String::len);
    texts
}

/// Single reads on the space of a value.
fn reads(world: &World, bound: &Bound) -> Vec<String> {
    let Some(face) = &bound.face else { return vec![] };
    let space = world.space(face.space);
    let reads =
        space.operands.iter().map(|operand| format!("(at {} {})", operand.tensor, access_text(&operand.access)));
    match bound.sort {
        Sort::Field if face.heads.is_empty() => reads.map(|read| format!("(in {} {read})", space.name)).collect(),
        Sort::Field => vec![],
        _ => reads.collect(),
    }
}

/// Whether a subterm may stand where a term of this sort does.
fn is_of(term: &RecExpr<Term>, id: Id, sort: Sort) -> bool {
    let node = &term[id];
    let known = match signature_of(node) {
        Some(signature) => signature.result,
        None if matches!(node, Term::Number(_)) => Sort::Number,
        None if node.is_leaf() => return false,
        None => return node.children().iter().all(|child| is_of(term, *child, sort)),
    };
    match known {
        Sort::Value => node.children().iter().all(|child| term[*child].is_leaf() || is_of(term, *child, sort)),
        known => meet(known, sort).is_some(),
    }
}
