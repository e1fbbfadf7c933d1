//! Loops of one round.
//!
//! In: a body whose nests are known as far as a library knows them, and the indices whose box is one element. Out: the same without loops
//! over these indices, which have their value all the time; bounds become conditions. An index that is not divided is such a one in
//! every call: loops around and within it come together, and run side by side.

use crate::leaf::routine::{Access, Loop, Node, SlotAffine, Span, choose_ways};

/// Where loops stand.
pub(super) struct Rounds<'a> {
    pub accesses: &'a [Access],
    /// All values that the indices may have.
    pub spans: &'a [Span],
    /// Whether the box of an index is one element.
    pub is_one: Vec<bool>,
}

impl Rounds<'_> {
    /// Takes the loops of one round out of a body.
    pub fn open(&self, body: &mut Vec<Node>) {
        let nodes = std::mem::take(body);
        *body = nodes.into_iter().flat_map(|node| self.opened(node)).collect();
    }

    fn opened(&self, node: Node) -> Vec<Node> {
        match node {
            Node::Loop(mut repeated) => {
                self.open(&mut repeated.body);
                match self.is_one[repeated.index] {
                    true => once(repeated),
                    false => vec![self.in_its_way(repeated)],
                }
            }
            Node::If { conditions, mut then, mut otherwise } => {
                self.open(&mut then);
                self.open(&mut otherwise);
                vec![Node::If { conditions, then, otherwise }]
            }
            Node::Set(_) | Node::Known(_) => vec![node],
        }
    }

    /// A loop that no library has a part in may run in another way than before.
    fn in_its_way(&self, repeated: Loop) -> Node {
        let mut node = [Node::Loop(repeated)];
        if !has_known(&node) {
            choose_ways(&mut node, self.accesses, self.spans);
        }
        let [node] = node;
        node
    }
}

/// What a loop of one round does.
fn once(Loop { index, lower, upper, body, .. }: Loop) -> Vec<Node> {
    let times = |by: i64| SlotAffine { constant: 0, terms: vec![(index, by)] };
    let lower = lower.into_iter().map(|(form, by)| times(by).minus(&form));
    let conditions: Vec<SlotAffine> = lower.chain(upper.into_iter().map(|(form, by)| form.minus(&times(by)))).collect();
    match conditions.is_empty() {
        true => body,
        false => vec![Node::If { conditions, then: body, otherwise: vec![] }],
    }
}

fn has_known(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| match node {
        Node::Known(_) => true,
        Node::Loop(repeated) => has_known(&repeated.body),
        Node::If { then, otherwise, .. } => has_known(then) || has_known(otherwise),
        Node::Set(_) => false,
    })
}
