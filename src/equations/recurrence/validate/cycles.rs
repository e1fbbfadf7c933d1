//! No element is defined by itself, directly or through others.

use super::definitions::element_at;
use crate::recurrence::enumeration::{points_within, small_sizes};
use crate::recurrence::gather::gather;
use crate::recurrence::sizes::show_sizes;
use crate::recurrence::table::show_element;
use crate::recurrence::{Equation, Expr, RecurrenceSystem, Role};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use systole_base::diagnostic::Diagnostic;
use systole_base::integer::{Affine, Bindings, Name, Vector};
use systole_base::refusal::Refusal;

/// The largest size that is tried.
const LARGEST: i64 = 3;

/// Sets with more points than this are not enumerated.
const POINT_LIMIT: u64 = 10_000;

/// How many sizes are listed for cycles of groups, of which the smallest are looked at.
const SIZES_LIMIT: i64 = 4096;

/// How many reads are looked at for a cycle of groups, at all sizes together.
const READ_LIMIT: usize = 500_000;

/// One element of a tensor.
type Element = (Name, Vector);

/// The graph of what each element is computed from.
#[derive(Default)]
struct Dependences {
    graph: DiGraph<Element, ()>,
    nodes: BTreeMap<Element, NodeIndex>,
}

/// The shortest cycle at the smallest sizes that have one.
pub(super) fn check_cycles(system: &RecurrenceSystem) -> Option<Diagnostic> {
    if !reads_computed(system) {
        return None;
    }
    let equations = gathered(system);
    small_sizes(&system.parameters, LARGEST).into_iter().find_map(|sizes| {
        let cycle = find_cycle(&build_graph(system, &equations, &sizes)?)?;
        Some(refuse(system, &cycle, &sizes))
    })
}

/// In which group of its tensor an element is.
type Group<'a> = dyn Fn(&Name, &[i64]) -> Vector + 'a;

/// The shortest cycle among groups of elements at the smallest sizes that have one, `largest` for each from its least one on, as far as
/// that takes no long look.
pub fn cycle_of_groups(system: &RecurrenceSystem, largest: i64, group: &Group) -> Option<Diagnostic> {
    let (equations, mut seen) = (gathered(system), 0);
    let count = system.parameters.iter().count() as u32;
    let is_short = |largest: &i64| largest.checked_pow(count).is_some_and(|all| all <= SIZES_LIMIT);
    let largest = (1..=largest).take_while(is_short).last()?;
    for sizes in small_sizes(&system.parameters, largest) {
        let elements = build_graph(system, &equations, &sizes)?;
        if let Some(cycle) = find_cycle(&elements.in_groups(group)) {
            return Some(refuse(system, &cycle, &sizes));
        }
        seen += elements.graph.edge_count();
        if seen > READ_LIMIT {
            return None;
        }
    }
    None
}

/// The equations, each of which defines an element at a point.
fn gathered(system: &RecurrenceSystem) -> Vec<Equation> {
    let gathered = |equation: &Equation| Some(gather(equation, system.tensor(&equation.target)?));
    system.equations.iter().filter_map(gathered).collect()
}

/// Whether any equation reads what an equation defines.
fn reads_computed(system: &RecurrenceSystem) -> bool {
    fn reads(system: &RecurrenceSystem, expression: &Expr) -> bool {
        match expression {
            Expr::Number(_) | Expr::Index(_) => false,
            Expr::Read { tensor, .. } => is_computed(system, tensor),
            Expr::Apply(_, arguments) => arguments.iter().any(|argument| reads(system, argument)),
            Expr::Reduce { body, .. } => reads(system, body),
        }
    }
    system.equations.iter().any(|equation| reads(system, &equation.value))
}

fn is_computed(system: &RecurrenceSystem, tensor: &str) -> bool {
    system.tensor(tensor).is_some_and(|tensor| tensor.role != Role::Input)
}

fn build_graph(system: &RecurrenceSystem, equations: &[Equation], sizes: &Bindings) -> Option<Dependences> {
    let mut dependences = Dependences::default();
    for equation in equations {
        for point in points_within(&equation.domain.set, &equation.domain.indices, sizes, POINT_LIMIT)? {
            let element = (equation.target.clone(), element_at(equation, &point, sizes)?);
            let node = dependences.node(element);
            let mut bindings = sizes.clone();
            bindings.extend(equation.domain.indices.iter().cloned().zip(point));
            dependences.add_reads(system, node, &equation.value, &mut bindings)?;
        }
    }
    Some(dependences)
}

impl Dependences {
    fn node(&mut self, element: Element) -> NodeIndex {
        let Dependences { graph, nodes } = self;
        *nodes.entry(element).or_insert_with_key(|element| graph.add_node(element.clone()))
    }

    /// What groups are computed from beside themselves.
    fn in_groups(&self, group: &Group) -> Dependences {
        let mut groups = Dependences::default();
        for edge in self.graph.edge_indices() {
            let Some((read, reader)) = self.graph.edge_endpoints(edge) else { continue };
            let [read, reader] = [read, reader].map(|node| {
                let (tensor, element) = &self.graph[node];
                groups.node((tensor.clone(), group(tensor, element)))
            });
            if read != reader {
                groups.graph.update_edge(read, reader, ());
            }
        }
        groups
    }

    /// An edge from each computed element that the expression reads to `target`.
    fn add_reads(
        &mut self,
        system: &RecurrenceSystem,
        target: NodeIndex,
        expression: &Expr,
        bindings: &mut Bindings,
    ) -> Option<()> {
        match expression {
            Expr::Number(_) | Expr::Index(_) => Some(()),
            Expr::Read { tensor, subscripts, .. } => {
                if is_computed(system, tensor) {
                    let source = self.node((tensor.clone(), values(subscripts, bindings)?));
                    self.graph.update_edge(source, target, ());
                }
                Some(())
            }
            Expr::Apply(_, arguments) => {
                arguments.iter().try_for_each(|argument| self.add_reads(system, target, argument, bindings))
            }
            Expr::Reduce { index, range, body, .. } => {
                for point in points_within(range, std::slice::from_ref(index), bindings, POINT_LIMIT)? {
                    bindings.insert(index.clone(), *point.first()?);
                    self.add_reads(system, target, body, bindings)?;
                }
                bindings.remove(index);
                Some(())
            }
        }
    }
}

fn values(forms: &[Affine], bindings: &Bindings) -> Option<Vector> {
    forms.iter().map(|form| form.evaluate(bindings)).collect()
}

/// A shortest cycle through the first element that lies on one, in the order of the dependences.
fn find_cycle(dependences: &Dependences) -> Option<Vec<Element>> {
    let graph = &dependences.graph;
    let loops = |component: &Vec<NodeIndex>| component.len() > 1 || graph.contains_edge(component[0], component[0]);
    let start = kosaraju_scc(graph).into_iter().filter(loops).flatten().min_by_key(|node| &graph[*node])?;
    let mut came_from: BTreeMap<NodeIndex, NodeIndex> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for next in graph.neighbors(node) {
            if next == start {
                return Some(trace(dependences, &came_from, start, node));
            }
            if let Entry::Vacant(entry) = came_from.entry(next) {
                entry.insert(node);
                queue.push_back(next);
            }
        }
    }
    None
}

/// The path from `start` to `end` along the recorded steps.
fn trace(
    dependences: &Dependences,
    came_from: &BTreeMap<NodeIndex, NodeIndex>,
    start: NodeIndex,
    end: NodeIndex,
) -> Vec<Element> {
    let mut path = vec![end];
    let mut node = end;
    while let Some(previous) = came_from.get(&node).filter(|_| node != start) {
        path.push(*previous);
        node = *previous;
    }
    path.reverse();
    path.into_iter().map(|node| dependences.graph[node].clone()).collect()
}

fn refuse(system: &RecurrenceSystem, cycle: &[Element], sizes: &Bindings) -> Diagnostic {
    let names: Vec<String> = cycle.iter().map(|(tensor, element)| show_element(tensor, element)).collect();
    let first = names.first().cloned().unwrap_or_default();
    let chain = names.iter().chain([&first]).cloned().collect::<Vec<_>>().join(" -> ");
    let diagnostic = Diagnostic::new(format!("element `{first}` is defined by itself"));
    let targets = system.equations.iter().filter(|equation| cycle.iter().any(|(tensor, _)| *tensor == equation.target));
    // What is written as one equation may be several.
    let written: BTreeSet<_> = targets.map(|equation| (equation.span, &equation.target)).collect();
    let diagnostic = written.into_iter().fold(diagnostic, |diagnostic, (span, target)| {
        diagnostic.label(&system.source, span, format!("defines `{target}`"))
    });
    diagnostic
        .note(format!("{chain} (each is needed for the next) at {}", show_sizes(sizes)))
        .help("let each element depend on elements before it only, for instance with `where`")
        .refuses(Refusal::Cycle { elements: names, sizes: show_sizes(sizes) })
}
