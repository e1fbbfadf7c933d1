//! Elements that count as a number where a reduction has no terms.
//!
//! In: the [`Shape`] of a nest. Out: loops that give these elements their number, and visit no others: conditions become bounds of
//! loops, since rounds in which nothing is set would take longer than the library does for all the rest.

use super::shape::{Reset, Shape};
use crate::leaf::routine::{Loop, Node, Operation, Set, SlotAffine, Way};

/// What stands around a step.
#[derive(Clone, Copy)]
enum Around<'a> {
    Loop {
        index: usize,
        lower: &'a [SlotAffine],
        upper: &'a [SlotAffine],
    },
    /// The form is at least 0.
    Holds(&'a SlotAffine),
    /// It is not.
    Fails(&'a SlotAffine),
}

/// Steps that give elements their numbers where they count as such; `None` where these differ, since steps then have an order.
pub(super) fn resets(shape: &Shape) -> Option<Vec<Node>> {
    let mut found = vec![];
    let mut see = |around: &[Around<'_>], reset: &Reset| found.push((nest(around, reset), reset.number));
    collect(std::slice::from_ref(shape), &[], &mut see);
    let is_one = found.windows(2).all(|pair| pair[0].1.to_bits() == pair[1].1.to_bits());
    is_one.then(|| found.into_iter().map(|(node, _)| node).collect())
}

/// Sees each reset with what stands around it: once for each condition that may fail.
fn collect<'a>(shapes: &'a [Shape], around: &[Around<'a>], see: &mut impl FnMut(&[Around<'a>], &'a Reset)) {
    let with = |more: Around<'a>| [around, &[more]].concat();
    for shape in shapes {
        match shape {
            Shape::Loop { index, lower, upper, body } => {
                collect(body, &with(Around::Loop { index: *index, lower, upper }), see);
            }
            Shape::If { conditions, then, otherwise } => {
                let all: Vec<Around<'_>> = conditions.iter().map(Around::Holds).collect();
                collect(then, &[around, &all].concat(), see);
                conditions.iter().for_each(|one| collect(otherwise, &with(Around::Fails(one)), see));
            }
            Shape::Set { reset: Some(reset), .. } => {
                reset.conditions.iter().for_each(|one| see(&with(Around::Fails(one)), reset));
            }
            Shape::Set { reset: None, .. } => {}
        }
    }
}

/// A reset within the loops around it, which run where the conditions hold.
fn nest(around: &[Around<'_>], reset: &Reset) -> Node {
    let set = Node::Set(Set { target: reset.element, value: vec![Operation::Number(reset.number)] });
    let (mut node, mut conditions) = (set, vec![]);
    for around in around.iter().rev() {
        match around {
            Around::Holds(form) => conditions.push((*form).clone()),
            Around::Fails(form) => conditions.push(SlotAffine::constant(-1).minus(form)),
            Around::Loop { index, lower, upper } => {
                let (inside, outside) = conditions.into_iter().partition(|form: &SlotAffine| form.mentions(&[*index]));
                conditions = outside;
                node = Node::Loop(bounded(*index, [lower, upper], inside, node));
            }
        }
    }
    under(conditions, node)
}

/// A loop over those values of its index for which all conditions hold.
fn bounded(index: usize, [lower, upper]: [&[SlotAffine]; 2], conditions: Vec<SlotAffine>, node: Node) -> Loop {
    let (mut lower, mut upper, mut rest) = (lower.to_vec(), upper.to_vec(), vec![]);
    for form in conditions {
        match form.coefficient(index) {
            1 => lower.push(SlotAffine::slot(index).minus(&form)),
            -1 => upper.push(form.minus(&SlotAffine { constant: 0, terms: vec![(index, -1)] })),
            _ => rest.push(form),
        }
    }
    let [lower, upper] = [lower, upper].map(|forms| forms.into_iter().map(|form| (form, 1)).collect());
    Loop { index, falls: false, lower, upper, body: vec![under(rest, node)], way: Way::Around }
}

fn under(conditions: Vec<SlotAffine>, node: Node) -> Node {
    match conditions.is_empty() {
        true => node,
        false => Node::If { conditions, then: vec![node], otherwise: vec![] },
    }
}

#[cfg(test)]
mod tests {
    use super::super::shape::Term;
    use super::*;

    const I: usize = 0;
    const J: usize = 1;

    fn form(constant: i64, i: i64, j: i64) -> SlotAffine {
        SlotAffine { constant, terms: [(I, i), (J, j)].into_iter().filter(|(_, by)| *by != 0).collect() }
    }

    fn within(index: usize, lower: SlotAffine, body: Vec<Shape>) -> Shape {
        Shape::Loop { index, lower: vec![lower], upper: vec![], body }
    }

    fn set(number: f64, conditions: Vec<SlotAffine>) -> Shape {
        let reset = Some(Reset { element: 2, number, conditions });
        Shape::Set { target: 0, value: Term::Number(1.0), reset }
    }

    /// Loops as text: index, lower and upper bounds, then what is inside.
    fn said(nodes: &[Node]) -> String {
        let forms =
            |forms: &[(SlotAffine, i64)]| forms.iter().map(|(form, _)| shown(form)).collect::<Vec<_>>().join(" ");
        let line = |node: &Node| match node {
            Node::Loop(Loop { index, lower, upper, body, .. }) => {
                format!("{index} from {} to {} {{{}}}", forms(lower), forms(upper), said(body))
            }
            Node::If { conditions, then, .. } => {
                format!("if {} {{{}}}", conditions.iter().map(shown).collect::<Vec<_>>().join(" "), said(then))
            }
            _ => "set".into(),
        };
        nodes.iter().map(line).collect::<Vec<_>>().join("; ")
    }

    fn shown(form: &SlotAffine) -> String {
        format!("({}, {}, {})", form.coefficient(I), form.coefficient(J), form.constant)
    }

    #[test]
    fn conditions_become_bounds() {
        // for i from 0, for j from 0: if i - j >= 1 (set unless j >= 1), as in a factor of the first tile of a row.
        let inner = Shape::If {
            conditions: vec![form(-1, 1, -1)],
            then: vec![set(0.0, vec![form(-1, 0, 1)])],
            otherwise: vec![],
        };
        let nest = within(I, form(0, 0, 0), vec![within(J, form(0, 0, 0), vec![inner])]);
        let found = resets(&nest).expect("one number");
        assert_eq!(said(&found), "0 from (0, 0, 0) to  {1 from (0, 0, 0) to (0, 0, 0) (1, 0, -1) {set}}");
    }

    #[test]
    fn each_of_several_conditions_may_fail() {
        // for i from 0: set unless i >= 3 and 5 - 2 i >= 0; what has a factor stays a condition.
        let nest = within(I, form(0, 0, 0), vec![set(0.0, vec![form(-3, 1, 0), form(5, -2, 0)])]);
        let found = resets(&nest).expect("one number");
        let expected = "0 from (0, 0, 0) to (0, 0, 2) {set}; 0 from (0, 0, 0) to  {if (2, 0, -6) {set}}";
        assert_eq!(said(&found), expected);
        // The other side of a choice.
        let other =
            Shape::If { conditions: vec![form(0, 1, 0)], then: vec![], otherwise: vec![set(0.0, vec![form(0, 0, 1)])] };
        let found = resets(&within(J, form(0, 0, 0), vec![other])).expect("one number");
        assert_eq!(said(&found), "if (-1, 0, -1) {1 from (0, 0, 0) to (0, 0, -1) {set}}");
    }

    #[test]
    fn numbers_that_differ_are_not_put_out_of_order() {
        let two = |numbers: [f64; 2]| {
            within(I, form(0, 0, 0), numbers.map(|number| set(number, vec![form(-1, 1, 0)])).to_vec())
        };
        assert!(resets(&two([0.0, 0.0])).is_some());
        assert!(resets(&two([0.0, -0.0])).is_none());
    }
}
