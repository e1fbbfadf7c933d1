//! Chains of laws as the commands print them: for people, as JSON, as a graph.
//!
//! In: the steps of an explanation, phase by phase, and what their tests have come through. Out: text. A chain is printed only once each of
//! its steps has been put to the test.

use crate::driver::shown::output::Output;
use crate::driver::shown::show::sizes_text;
use petgraph::dot::{Config, Dot};
use petgraph::graph::{DiGraph, NodeIndex};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use systole_base::diagnostic::counted;
use systole_base::integer::Bindings;
use systole_compile::algebra::Law;
use systole_compile::check::ChainReport;
use systole_compile::rewrite::{Notation, RuleSet, Step, TermNames};

/// A step as it is shown.
#[derive(Clone, Debug)]
pub struct Link {
    /// When it happens: `algebra`, `tiling`, `dataflow`.
    pub phase: &'static str,
    /// The rule, or what the e-graph calls what it does itself.
    pub rule: String,
    /// Why it holds; empty where the name says it.
    pub law: String,
    /// How far it holds; nothing for a proof.
    pub tag: Option<String>,
    /// Whether the rule was used from right to left.
    pub backward: bool,
    /// The equation before and after, in the mathematics of kernels.
    pub sides: [String; 2],
    /// The same as terms of the e-graph.
    pub terms: [String; 2],
}

impl From<&Law> for Link {
    fn from(law: &Law) -> Link {
        Link {
            phase: "algebra",
            rule: law.step.rule.clone(),
            law: law.law.clone(),
            tag: Some(law.tag.to_string()),
            backward: law.step.backward,
            sides: [law.step.before.clone(), law.step.after.clone()],
            terms: law.terms.clone(),
        }
    }
}

impl Link {
    /// A step of the dataflow.
    pub fn of_dataflow(step: &Step, rules: &RuleSet) -> Link {
        let rule = rules.find(&step.rule);
        let terms = [step.before.clone(), step.after.clone()];
        Link {
            phase: "dataflow",
            rule: step.rule.clone(),
            law: rule.map_or_else(String::new, |rule| rule.law.clone()),
            tag: rule.map(|rule| rule.tag.to_string()),
            backward: step.backward,
            sides: terms.each_ref().map(|text| Notation::show(text, &TermNames::new())),
            terms,
        }
    }

    /// The step from the equations over elements to those over tiles.
    pub fn of_tiles(sides: [String; 2]) -> Link {
        Link {
            phase: "tiling",
            rule: "tile".to_owned(),
            law: "a tile is computed from tiles as its elements are from elements; sums run tile by tile".to_owned(),
            tag: Some("real".to_owned()),
            backward: false,
            terms: sides.clone(),
            sides,
        }
    }

    /// The rule with its tag.
    fn title(&self) -> String {
        let tag = self.tag.as_ref().map_or_else(String::new, |tag| format!(" ({tag})"));
        format!("{}{tag}", self.rule)
    }

    fn json(&self) -> Value {
        json!({
            "phase": self.phase, "rule": self.rule, "law": self.law, "tag": self.tag, "backward": self.backward,
            "before": self.sides[0], "after": self.sides[1], "terms": self.terms,
        })
    }
}

/// A chain with what its steps have come through.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    /// The steps, in the order of the phases.
    pub links: Vec<Link>,
    /// What they have come through.
    pub checked: ChainReport,
}

impl Chain {
    /// The chain of a form.
    pub fn of_laws(laws: &[Law], checked: ChainReport) -> Chain {
        Chain { links: laws.iter().map(Link::from).collect(), checked }
    }

    /// Goes on with another chain.
    pub fn and(mut self, other: Chain) -> Chain {
        self.links.extend(other.links);
        Chain { links: self.links, checked: self.checked.and(other.checked) }
    }

    /// Prints the steps, numbered, under the names of their phases, and what they have come through.
    pub fn print(&self, output: &Output) {
        let mut phase = "";
        for (number, link) in self.links.iter().enumerate() {
            if link.phase != phase {
                phase = link.phase;
                let count = self.links.iter().filter(|link| link.phase == phase).count();
                output.line(&format!("{phase}, {}", counted(count, "step")));
            }
            let law = if link.law.is_empty() { String::new() } else { format!(": {}", link.law) };
            output.line(&format!("  {:>3}. {}{law}", number + 1, link.title()));
            let [before, after] = &link.sides;
            let (from, arrow, to) = if link.backward { (after, "<-", before) } else { (before, "->", after) };
            output.line(&format!("       {from}\n    {arrow} {to}"));
        }
        output.line(&self.summary());
    }

    /// `each of 18 steps evaluated equal at K=4,M=3,N=2 and K=1,M=1,N=1; the conditions of 4 hold`.
    fn summary(&self) -> String {
        let ChainReport { steps, evaluated, definitions, conditions, sizes } = &self.checked;
        if *steps == 0 {
            return "no step: the equations stay as they are written".to_owned();
        }
        let sizes: Vec<String> = sizes.iter().map(sizes_text).collect();
        let each = if evaluated == steps { "each".to_owned() } else { evaluated.to_string() };
        let mut text = format!("{each} of {} evaluated equal at {}", counted(*steps, "step"), sizes.join(" and "));
        for (count, one, many) in [
            (*definitions, "names a result and says no more", "name results and say no more"),
            (steps - evaluated - definitions, "has no value at these sizes", "have no value at these sizes"),
        ] {
            if count > 0 {
                text += &format!("; {count} {}", if count == 1 { one } else { many });
            }
        }
        if *conditions > 0 {
            text += &format!("; the conditions of {conditions} hold");
        }
        text
    }

    /// The steps as JSON.
    pub fn steps_json(&self) -> Value {
        self.links.iter().map(Link::json).collect()
    }

    /// What they have come through as JSON.
    pub fn checked_json(&self) -> Value {
        let ChainReport { steps, evaluated, definitions, conditions, sizes } = &self.checked;
        let sizes = sizes.iter().map(|sizes: &Bindings| -> Value {
            sizes.iter().map(|(size, value)| (size.to_string(), json!(value))).collect::<serde_json::Map<_, _>>().into()
        });
        json!({
            "steps": steps, "evaluated": evaluated, "definitions": definitions, "conditions": conditions,
            "sizes": sizes.collect::<Vec<_>>(),
        })
    }

    /// The chain for Graphviz: a node for each equation, an edge for each step.
    pub fn dot(&self) -> String {
        let mut graph: DiGraph<&str, String> = DiGraph::new();
        let mut nodes: BTreeMap<&str, NodeIndex> = BTreeMap::new();
        for (number, link) in self.links.iter().enumerate() {
            let [before, after] = link.sides.each_ref().map(String::as_str);
            let [one, other] = [before, after].map(|text| *nodes.entry(text).or_insert_with(|| graph.add_node(text)));
            graph.add_edge(one, other, format!("{}. {}", number + 1, link.title()));
        }
        let label = |text: &str| format!("label=\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
        let of_node = |_: &_, (_, text): (NodeIndex, &&str)| format!("shape=box {}", label(text));
        let of_edge = |_: &_, edge: petgraph::graph::EdgeReference<String>| label(edge.weight());
        let shown = Dot::with_attr_getters(&graph, &[Config::NodeNoLabel, Config::EdgeNoLabel], &of_edge, &of_node);
        format!("{shown}")
    }
}
