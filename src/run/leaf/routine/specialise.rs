//! A body at the boxes of a call: without the bounds that do not cut there and the conditions that are decided.
//!
//! In: a routine's body and the boxes of its indices. Out: a body that does the same at these boxes. What is left out depends
//! on the [`Verdict`]s alone, of which calls have few different lists, so a body is made once for each list.

use super::slot_affine::{SlotAffine, Span};
use super::{Loop, Node};

/// What a bound or a condition comes to, over all values of the indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    Always,
    Never,
    Open,
}

/// The verdicts on all bounds and conditions of a body, in the order of the text.
pub fn judge(body: &[Node], spans: &[Span], verdicts: &mut impl Extend<Verdict>) {
    margins(body, &mut |margin| verdicts.extend([verdict(margin.interval(spans))]));
}

/// By how much each bound and each condition of a body is met: a form that is at least 0; in the order of the text.
pub fn margins(body: &[Node], see: &mut impl FnMut(SlotAffine)) {
    for node in body {
        match node {
            Node::Loop(repeated) => {
                let times = |by: i64| SlotAffine { constant: 0, terms: vec![(repeated.index, by)] };
                repeated.lower.iter().for_each(|(form, by)| see(times(*by).minus(form)));
                repeated.upper.iter().for_each(|(form, by)| see(form.minus(&times(*by))));
                margins(&repeated.body, see);
            }
            Node::If { conditions, then, otherwise } => {
                conditions.iter().for_each(|form| see(form.clone()));
                margins(then, see);
                margins(otherwise, see);
            }
            Node::Set(_) | Node::Known(_) => {}
        }
    }
}

/// What a margin says.
pub fn verdict(interval: Option<Span>) -> Verdict {
    match interval {
        Some((low, _)) if low >= 0 => Verdict::Always,
        Some((_, high)) if high < 0 => Verdict::Never,
        _ => Verdict::Open,
    }
}

/// The body where these are the verdicts.
pub fn specialise(body: &[Node], verdicts: &[Verdict]) -> Vec<Node> {
    Specialiser { verdicts: verdicts.iter(), facts: vec![] }.block(body)
}

struct Specialiser<'a> {
    /// Those that are to come.
    verdicts: std::slice::Iter<'a, Verdict>,
    /// Forms that are at least 0 where the text stands.
    facts: Vec<SlotAffine>,
}

impl Specialiser<'_> {
    fn block(&mut self, body: &[Node]) -> Vec<Node> {
        body.iter().flat_map(|node| self.node(node)).collect()
    }

    fn node(&mut self, node: &Node) -> Vec<Node> {
        match node {
            Node::Loop(repeated) => self.repeated(repeated).map(Node::Loop).into_iter().collect(),
            Node::If { conditions, then, otherwise } => self.choice(conditions, then, otherwise),
            Node::Set(_) | Node::Known(_) => vec![node.clone()],
        }
    }

    fn repeated(&mut self, repeated: &Loop) -> Option<Loop> {
        let (lower, upper) = (self.bounds(&repeated.lower), self.bounds(&repeated.upper));
        let held = self.facts.len();
        let index = SlotAffine::slot(repeated.index);
        let exact = |bound: &&(SlotAffine, i64)| bound.1 == 1;
        self.facts.extend(lower.iter().flatten().filter(exact).map(|(form, _)| index.minus(form)));
        self.facts.extend(upper.iter().flatten().filter(exact).map(|(form, _)| form.minus(&index)));
        let body = self.block(&repeated.body);
        self.facts.truncate(held);
        let (lower, upper) = (lower?, upper?);
        (!body.is_empty()).then_some(Loop { lower, upper, body, ..repeated.clone() })
    }

    /// The bounds that cut; `None` where one of them leaves nothing.
    fn bounds(&mut self, bounds: &[(SlotAffine, i64)]) -> Option<Vec<(SlotAffine, i64)>> {
        let verdicts: Vec<Verdict> = self.verdicts.by_ref().take(bounds.len()).copied().collect();
        let open = bounds.iter().zip(&verdicts).filter(|(_, verdict)| **verdict == Verdict::Open);
        let open = open.map(|(bound, _)| bound.clone()).collect();
        (!verdicts.contains(&Verdict::Never)).then_some(open)
    }

    fn choice(&mut self, conditions: &[SlotAffine], then: &[Node], otherwise: &[Node]) -> Vec<Node> {
        let verdicts: Vec<Verdict> = self.verdicts.by_ref().take(conditions.len()).copied().collect();
        let is_open = |form: &SlotAffine| !self.facts.iter().any(|fact| form.follows_from(fact));
        let open =
            conditions.iter().zip(&verdicts).filter(|(form, verdict)| **verdict == Verdict::Open && is_open(form));
        let open: Vec<SlotAffine> = open.map(|(form, _)| form.clone()).collect();
        let held = self.facts.len();
        self.facts.extend(open.iter().cloned());
        let then = self.block(then);
        self.facts.truncate(held);
        let otherwise = self.block(otherwise);
        match (verdicts.contains(&Verdict::Never), open.is_empty()) {
            (true, _) => otherwise,
            (false, true) => then,
            _ => vec![Node::If { conditions: open, then, otherwise }],
        }
    }
}
