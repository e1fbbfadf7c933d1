//! Makes an instance of the left side of a rule.
//!
//! In: a rule with its sorts, a world, random numbers. Out: an [`Instance`]; `None` where the choices met so far leave nothing, and
//! another try has to be made. Invariant: what is matched is well formed, as the law of writing rules says: a direction beside an
//! access is one of its null directions, a list beside a reduction holds lines over the same points, an index beside a
//! reduction is one that the space reduces over.

use super::instance::{Bound, Instance};
use super::random::Random;
use super::sorts::{Home, Sort, Sorts, meet, signature_of};
use super::terms::Terms;
use crate::check::semantics::{Heads, World};
use crate::rewrite::registry::{access_text, direction_text, null_directions};
use crate::rewrite::rules::{Condition, Rule};
use crate::rewrite::terms::{AccessText, Term};
use egg::{ENodeOrVar, Id, Language, PatternAst, Symbol};
use std::collections::BTreeMap;
use systole_base::integer::Affine;
use systole_equations::recurrence::Operator;

/// Finds an instance of the left side of `rule`.
pub(in crate::check) fn random_instance(
    rule: &Rule,
    sorts: &Sorts,
    world: &World,
    terms: Terms,
    random: &mut Random,
) -> Option<Instance> {
    let level = if world.is_framed() || random.once_in(2) { Sort::Expression } else { Sort::Field };
    let level = if sorts.root == Sort::Value { level } else { sorts.root };
    let pattern = &rule.left;
    let mut maker = Maker {
        pattern,
        conditions: rule.conditions.all(),
        sorts,
        world,
        terms,
        random,
        level,
        bound: BTreeMap::new(),
    };
    let face = maker.home(pattern.root())?;
    for pass in [Pass::Names, Pass::Lists, Pass::Directions, Pass::Values] {
        maker.visit(pattern.root(), &face, pass)?;
    }
    Some(Instance { bound: maker.bound, space: face.space })
}

/// What is chosen in which order: directions depend on accesses, and values on spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    Names,
    Lists,
    Directions,
    Values,
}

/// An instance in the making.
pub(super) struct Maker<'a> {
    pub pattern: &'a PatternAst<Term>,
    conditions: &'a [Condition],
    sorts: &'a Sorts,
    pub world: &'a World,
    pub terms: Terms,
    pub random: &'a mut Random,
    level: Sort,
    pub bound: BTreeMap<String, Bound>,
}

impl Maker<'_> {
    pub fn bind(&mut self, name: &str, text: &str) -> Option<()> {
        let sort = self.sorts.variables.get(name).copied().unwrap_or(Sort::Any);
        let bound = self.bound.entry(name.to_owned()).or_insert(Bound { text: text.to_owned(), sort, face: None });
        (bound.text == text).then_some(())
    }

    /// The text of a subterm, where all of it is known.
    pub fn known(&self, id: Id) -> Option<String> {
        match &self.pattern[id] {
            ENodeOrVar::Var(variable) => self.bound.get(&variable.to_string()).map(|bound| bound.text.clone()),
            ENodeOrVar::ENode(node) if node.is_leaf() => Some(node.to_string()),
            ENodeOrVar::ENode(_) => None,
        }
    }

    pub fn variable(&self, id: Id) -> Option<String> {
        match &self.pattern[id] {
            ENodeOrVar::Var(variable) => Some(variable.to_string()),
            ENodeOrVar::ENode(_) => None,
        }
    }

    /// Binds a subterm to `text`, or sees that it is that.
    pub fn set(&mut self, id: Id, text: &str) -> Option<()> {
        match self.variable(id) {
            Some(name) => self.bind(&name, text),
            None => self.known(id).filter(|known| known == text).map(|_| ()),
        }
    }

    /// The space of a term, chosen where nothing says which it is.
    fn home(&mut self, id: Id) -> Option<Heads> {
        if let ENodeOrVar::ENode(node) = &self.pattern[id] {
            let children = node.children().to_vec();
            match signature_of(node).map(|signature| signature.home) {
                Some(Home::On(space) | Home::Between(space, _)) => return self.space(*children.get(space)?),
                Some(Home::From(_)) => {}
                _ => {
                    let speaks = children.into_iter().find(|child| self.names_space(*child));
                    return match speaks {
                        Some(child) => self.home(child),
                        None => Some(self.any_face()),
                    };
                }
            }
        }
        Some(self.any_face())
    }

    /// Whether a part says on which space the whole is.
    fn names_space(&self, id: Id) -> bool {
        let ENodeOrVar::ENode(node) = &self.pattern[id] else { return false };
        match signature_of(node).map(|signature| signature.home) {
            Some(Home::On(_) | Home::Between(..)) => true,
            Some(Home::From(_)) => false,
            _ => node.children().iter().any(|child| self.names_space(*child)),
        }
    }

    fn any_space(&mut self) -> Heads {
        Heads::whole(self.random.below(self.world.equations.spaces.len()))
    }

    fn any_face(&mut self) -> Heads {
        let mut face = self.any_space();
        let may_be_heads = self.level != Sort::Expression && !self.terms.reals && !self.world.is_framed();
        while may_be_heads && face.heads.len() < 2 && self.random.once_in(5) {
            match self.terms.any_direction(self.world, face.space, self.random) {
                Some(along) => face.heads.push(along),
                None => break,
            }
        }
        face
    }

    /// Chooses the space that a child names.
    fn space(&mut self, id: Id) -> Option<Heads> {
        if let Some(ENodeOrVar::ENode(Term::Heads([of, along]))) = self.pattern.as_ref().get(usize::from(id)) {
            let (of, along) = (*of, *along);
            let mut face = self.space(of)?;
            let vector = self.terms.any_direction(self.world, face.space, self.random)?;
            self.set(along, &self.direction(face.space, &vector))?;
            face.heads.push(vector);
            return Some(face);
        }
        if let Some(name) = self.variable(id) {
            let whole = self.sorts.variables.get(&name) == Some(&Sort::Whole);
            let face = if whole { self.any_space() } else { self.any_face() };
            self.bind(&name, &self.terms.face(self.world, &face))?;
            return Some(face);
        }
        self.world.position(&self.known(id)?).map(Heads::whole)
    }

    /// Makes a child name this space.
    fn set_space(&mut self, id: Id, face: &Heads) -> Option<()> {
        if let ENodeOrVar::ENode(Term::Heads([of, along])) = &self.pattern[id] {
            let (last, others) = face.heads.split_last()?;
            let (of, along) = (*of, *along);
            self.set(along, &self.direction(face.space, last))?;
            return self.set_space(of, &Heads { space: face.space, heads: others.to_vec() });
        }
        let is_whole = self.variable(id).is_some_and(|name| self.sorts.variables.get(&name) == Some(&Sort::Whole));
        let text = self.terms.face(self.world, face);
        if is_whole && !face.heads.is_empty() { None } else { self.set(id, &text) }
    }

    fn direction(&self, space: usize, vector: &[i64]) -> String {
        direction_text(self.world.space(space), vector).to_string()
    }

    /// Goes through the pattern below `id`, a term on `face`, and chooses what the pass is about.
    pub fn visit(&mut self, id: Id, face: &Heads, pass: Pass) -> Option<()> {
        let node = match &self.pattern[id] {
            ENodeOrVar::Var(variable) => return self.value(&variable.to_string(), face, pass),
            ENodeOrVar::ENode(node) => node.clone(),
        };
        let children = node.children();
        let Some(signature) = signature_of(&node) else {
            return children.iter().try_for_each(|child| self.visit(*child, face, pass));
        };
        let inside = match signature.home {
            Home::Here => face.clone(),
            Home::On(space) => self.set_space(children[space], face).map(|()| face.clone())?,
            Home::From(space) => self.giver(children[space])?,
            Home::Between(reader, giver) => {
                self.set_space(children[reader], face)?;
                self.giver(children[giver])?
            }
        };
        for (place, (child, sort)) in children.iter().zip(signature.children).enumerate() {
            match sort {
                Sort::Expression | Sort::Field | Sort::Value | Sort::Message => self.visit(*child, &inside, pass)?,
                Sort::Directions | Sort::Reuses | Sort::Lines => {
                    let access = access_of(&node).and_then(|access| self.known(access));
                    self.list(*child, *sort, face, access.as_deref(), pass)?;
                }
                Sort::Along | Sort::Reuse if pass == Pass::Directions => {
                    let access = access_of(&node).and_then(|access| self.known(access));
                    self.along(*child, *sort, face, access.as_deref())?;
                }
                _ if pass == Pass::Names => self.name(&node, place, *sort, face, &inside)?,
                _ => {}
            }
        }
        Some(())
    }

    fn giver(&mut self, id: Id) -> Option<Heads> {
        match self.known(id) {
            Some(name) => self.world.position(&name).map(Heads::whole),
            None => {
                let giver = self.random.below(self.world.equations.spaces.len());
                self.set(id, &self.world.space(giver).name)?;
                Some(Heads::whole(giver))
            }
        }
    }

    /// Chooses a name, an access or an operator that is still open.
    fn name(&mut self, node: &Term, place: usize, sort: Sort, face: &Heads, inside: &Heads) -> Option<()> {
        let child = node.children()[place];
        if let (Sort::Index, ENodeOrVar::ENode(several)) = (sort, &self.pattern[child]) {
            return self.indices(&several.clone(), face);
        }
        let Some(name) = self.variable(child).filter(|name| !self.bound.contains_key(name)) else { return Some(()) };
        let sort = meet(sort, self.sorts.variables.get(&name).copied().unwrap_or(Sort::Any)).unwrap_or(sort);
        let text = match sort {
            Sort::Tensor => return self.operand(node, face),
            Sort::Access | Sort::Form | Sort::Given | Sort::Fibre => self.access(&name, sort, face, inside)?,
            Sort::Operator => self.random.pick(&Operator::ALL)?.1.to_owned(),
            Sort::Index => self.random.pick(&self.world.space(face.space).reduced)?.to_string(),
            Sort::Leaf => format!("leaf{}", self.random.below(3)),
            Sort::Name => "[i]".to_owned(),
            _ => return Some(()),
        };
        self.bind(&name, &text)
    }

    /// Chooses the indices of a node that stands in place of one, each another one.
    fn indices(&mut self, several: &Term, face: &Heads) -> Option<()> {
        let mut free = self.world.space(face.space).reduced.clone();
        several.children().iter().try_for_each(|child| {
            let chosen = free.remove(self.random.below(free.len().max(1)).min(free.len().checked_sub(1)?));
            self.set(*child, &chosen)
        })
    }

    /// Chooses a tensor and how it is accessed: one of the operands of the space.
    fn operand(&mut self, node: &Term, face: &Heads) -> Option<()> {
        let [tensor, access] = [tensor_of(node)?, access_of(node)?];
        let operands = &self.world.space(face.space).operands;
        // The last one is what the space reads of its own, where it does.
        let own = self.random.once_in(3).then(|| operands.last()).flatten();
        let chosen = own.or_else(|| self.random.pick(operands))?;
        let other = if self.random.once_in(6) { self.random.pick(operands)? } else { chosen };
        self.set(tensor, &chosen.tensor)?;
        match self.known(access) {
            Some(_) => Some(()),
            None => self.set(access, access_text(&other.access).0.as_str()),
        }
    }

    fn access(&mut self, name: &str, sort: Sort, face: &Heads, inside: &Heads) -> Option<String> {
        let space = self.world.space(face.space);
        let wanted = self.world.output(inside.space).len();
        let known = space.operands.iter().map(|operand| &operand.access).chain([&space.output_access]);
        let fits = |access: &&Vec<Affine>| match sort {
            Sort::Given => access.len() == wanted,
            Sort::Form => access.len() == 1,
            Sort::Fibre => null_directions(space, access).len() == 2,
            _ => true,
        };
        let mut candidates: Vec<AccessText> = known.filter(fits).map(|access| access_text(access)).collect();
        if !self.random.once_in(4) {
            self.prefer_exchanged(name, &mut candidates);
        }
        self.random.pick(&candidates).map(AccessText::to_string)
    }

    /// Where a condition asks that this access be another one with two indices exchanged, leaves those that are; all where there is none.
    fn prefer_exchanged(&self, name: &str, candidates: &mut Vec<AccessText>) {
        let condition = self.conditions.iter().find(|condition| condition.predicate.name == "swapped");
        let Some([_, one, other]) = condition.map(|condition| condition.arguments.as_slice()) else { return };
        let partner = if one.to_string() == name { other } else { one };
        let Some(partner) = self.bound.get(&partner.to_string()) else { return };
        let partner = AccessText(Symbol::from(&*partner.text));
        let frame = &self.world.context.frame;
        let is_exchanged = |access: &AccessText| frame.swapped(partner, *access).is_some();
        if candidates.iter().any(is_exchanged) {
            candidates.retain(is_exchanged);
        }
    }

    /// Chooses an expression, a field or a message.
    fn value(&mut self, name: &str, face: &Heads, pass: Pass) -> Option<()> {
        if pass != Pass::Values {
            return Some(());
        }
        if let Some(known) = self.bound.get(name) {
            return known.face.as_ref().is_none_or(|other| other == face).then_some(());
        }
        let sort = self.sorts.variables.get(name).copied().unwrap_or(Sort::Value);
        let sort = if sort == Sort::Value { self.level } else { sort };
        let depth = self.random.below(3);
        let text = self.terms.random(self.world, face, sort, depth, self.random)?;
        self.bound.insert(name.to_owned(), Bound { text, sort, face: Some(face.clone()) });
        Some(())
    }
}

fn access_of(node: &Term) -> Option<Id> {
    child_of(node, |sort| matches!(sort, Sort::Access | Sort::Form | Sort::Given | Sort::Fibre))
}

fn tensor_of(node: &Term) -> Option<Id> {
    child_of(node, |sort| sort == Sort::Tensor)
}

fn child_of(node: &Term, is_wanted: impl Fn(Sort) -> bool) -> Option<Id> {
    let place = signature_of(node)?.children.iter().position(|sort| is_wanted(*sort))?;
    node.children().get(place).copied()
}
