//! The e-graph as text, the same for the same graph whatever the numbers of its classes are.
//!
//! In: a [`Lowered`]. Out: one line a class: its smallest term, then its nodes, each child named by its smallest term.

use crate::rewrite::saturation::{Graph, Lowered};
use crate::rewrite::terms::Term;
use egg::{Id, Language};
use std::collections::BTreeMap;

type Labels = BTreeMap<Id, (usize, String)>;

impl Lowered {
    /// The e-graph as text.
    pub fn dump(&self) -> String {
        let labels = smallest_terms(&self.graph);
        let mut lines: Vec<String> =
            self.graph.classes().map(|class| show_class(&self.graph, class.id, &labels)).collect();
        lines.sort();
        lines.join("\n")
    }
}

fn show_class(graph: &Graph, class: Id, labels: &Labels) -> String {
    let mut nodes: Vec<String> =
        graph[class].nodes.iter().filter_map(|node| node_label(node, labels)).map(|(_, text)| text).collect();
    nodes.sort();
    let label = labels.get(&class).map_or("", |(_, text)| text);
    format!("{label}:\n    {}", nodes.join("\n    "))
}

/// For each class its smallest term, first by size, then by text: a fixpoint from the leaves upwards.
fn smallest_terms(graph: &Graph) -> Labels {
    let mut labels = Labels::new();
    loop {
        let mut changed = false;
        for class in graph.classes() {
            let best = class.nodes.iter().filter_map(|node| node_label(node, &labels)).min();
            if let Some(best) = best.filter(|best| labels.get(&class.id).is_none_or(|known| best < known)) {
                labels.insert(class.id, best);
                changed = true;
            }
        }
        if !changed {
            return labels;
        }
    }
}

fn node_label(node: &Term, labels: &Labels) -> Option<(usize, String)> {
    let children: Vec<&(usize, String)> =
        node.children().iter().map(|child| labels.get(child)).collect::<Option<_>>()?;
    if children.is_empty() {
        return Some((1, node.to_string()));
    }
    let size = 1 + children.iter().map(|(size, _)| size).sum::<usize>();
    let texts: Vec<&str> = children.iter().map(|(_, text)| text.as_str()).collect();
    Some((size, format!("({node} {})", texts.join(" "))))
}
