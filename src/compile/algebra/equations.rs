//! A selection as the text of a kernel.
//!
//! In: the system, its terms, goals, a selection. Out: the text of a kernel with the same name, parameters, inputs and outputs. What is
//! reduced, and what two others use, is a tensor; tensors of the user keep their names where the selection still computes them.

use super::confirm;
use super::goals::{Combination, ComponentReduction, GoalId, Goals, Selection, Value, Way};
use super::joint::{Group, product_name};
use super::text::{Image, Place, Texts, access, conditions};
use super::written::{Root, Written};
use crate::rewrite::{Forms, Frame, Monoid, Symbol};
use std::collections::{BTreeMap, BTreeSet};
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Name, Polyhedron, name};
use systole_base::span::Source;
use systole_equations::recurrence::{RecurrenceSystem, Role, Tensor};
use systole_equations::syntax;

/// What the text is made of.
pub(super) struct Chosen<'a> {
    pub system: &'a RecurrenceSystem,
    pub written: &'a Written,
    pub forms: &'a Forms,
    pub goals: &'a Goals,
    /// For each of its terms the goal.
    pub equations: &'a [GoalId],
    pub selection: &'a Selection,
    /// For each definition of the user its goal, where the e-graph has one.
    pub defined: &'a [Option<GoalId>],
}

impl<'a> Chosen<'a> {
    /// The equations that are still needed, each with its goal.
    fn equations_needed(&self) -> Vec<(&'a Root, GoalId)> {
        let all = self.written.roots.iter().zip(self.equations.iter().copied());
        all.filter(|(_, goal)| self.selection.contains_key(goal)).collect()
    }
}

/// The kernel of a selection: with the bounds of indices where shapes do not say them, or where that is not enough with all of them.
///
/// # Errors
/// A selection that the language of kernels cannot write, such as one that stores a tensor of which only a part is computed.
pub(super) fn kernel_text(chosen: &Chosen) -> Checked<String> {
    let readable = |text: String| confirm::is_sound(chosen.system, &text).map(|()| text);
    text_with(chosen, false).and_then(readable).or_else(|_| text_with(chosen, true).and_then(readable))
}

fn text_with(chosen: &Chosen, has_bounds: bool) -> Checked<String> {
    let frame = &chosen.forms.graph.analysis.context.frame;
    let texts = Texts { goals: chosen.goals, selection: chosen.selection, frame, places: BTreeMap::new() };
    let mut writer = Writer {
        chosen,
        texts,
        taken: taken_names(chosen.system, frame),
        declared: vec![],
        lines: vec![],
        reductions: vec![],
        has_bounds,
    };
    writer.place_all();
    let Some(()) = writer.write_all() else {
        let message = format!("a form of `{}` cannot be written as a kernel", chosen.system.name);
        let help = "it stores what is computed in part only; without `--forms` a kernel is searched as it is written";
        return Diagnostic::new(message).help(help).alone();
    };
    let text = writer.whole();
    let source = Source::new(format!("{}, derived", chosen.system.name), text);
    Ok(syntax::print(&syntax::parse(&source)?))
}

/// Names that no new tensor may have.
fn taken_names(system: &RecurrenceSystem, frame: &Frame) -> Vec<Name> {
    let tensors = system.tensors.iter().map(|tensor| tensor.name.clone());
    let indices = frame.indices().iter().map(|index| index.name.clone());
    let words = [
        "sum",
        "prod",
        "max",
        "min",
        "infinity",
        "in",
        "out",
        "local",
        "where",
        "from",
        "with",
        "kernel",
        "const",
        "function",
        "schedule",
        "reduction",
    ];
    tensors.chain(indices).chain(system.parameters.iter().cloned()).chain(words.map(name)).collect()
}

struct Writer<'a> {
    chosen: &'a Chosen<'a>,
    texts: Texts<'a>,
    taken: Vec<Name>,
    declared: Vec<String>,
    reductions: Vec<String>,
    lines: Vec<String>,
    /// Whether every equation says all bounds of its indices.
    has_bounds: bool,
}

impl Writer<'_> {
    /// All goals that are computed, without those that only pass another one on.
    fn needed(&self) -> BTreeMap<GoalId, usize> {
        let mut uses: BTreeMap<GoalId, usize> = BTreeMap::new();
        let mut open: Vec<GoalId> = self.chosen.goals.computed(self.chosen.selection);
        while let Some(goal) = open.pop() {
            let goal = self.texts.resolved(goal);
            let count = uses.entry(goal).or_insert(0);
            *count += 1;
            if *count == 1
                && let Some((_, children, beside)) = self.texts.way(goal)
            {
                open.extend(children.iter().chain(beside));
            }
        }
        uses
    }

    /// Says which goals are stored, and where.
    fn place_all(&mut self) {
        let uses = self.needed();
        let groups = self.texts.groups(&uses.keys().copied().collect());
        let grouped: BTreeSet<GoalId> = groups.iter().flat_map(|group| group.members.keys().copied()).collect();
        let computed = self.chosen.goals.computed(self.chosen.selection);
        let is_read = |goal: GoalId| computed.iter().any(|known| self.texts.resolved(*known) == goal);
        let mut stored = vec![];
        for (goal, count) in &uses {
            let is_root = self.chosen.equations.iter().any(|root| self.texts.resolved(*root) == *goal);
            let stays = match self.texts.way(*goal).map(|(value, ..)| value) {
                Some(Value::Apply(_)) => *count > 1,
                Some(Value::Fold(ComponentReduction { operator: Combination::Built(_), backward: false, .. })) => {
                    (!is_root && !self.chosen.goals.is_recurrent(*goal, self.chosen.selection))
                        || *count > 1
                        || grouped.contains(goal)
                }
                Some(
                    Value::Fold(_)
                    | Value::Paired(_)
                    | Value::Running { .. }
                    | Value::Sliding { .. }
                    | Value::Mirrored { .. },
                ) => true,
                _ => false,
            };
            let stays = stays || is_read(*goal) && !is_root;
            // A tensor has all its elements: what is computed in part needs others beside it, so it stands where it is used, if once.
            let binds_again = self.binds_again(*goal, &uses);
            let needs_place = binds_again || self.times_written(*goal, &uses, &groups) > 1;
            let is_padded = needs_place && !grouped.contains(goal) && self.is_padded(*goal);
            let is_whole = self.is_whole(*goal);
            if stays && (is_whole || is_padded) || binds_again && is_padded && !is_whole {
                stored.push(*goal);
            }
        }
        for goal in stored {
            let place = self.place(goal);
            self.texts.places.insert(goal, place);
        }
    }

    /// Whether all indices of a goal start from 0 and end where a form of the sizes says.
    fn is_whole(&self, goal: GoalId) -> bool {
        let frame = self.texts.frame;
        self.chosen.goals.goals[goal].indices.iter().all(|index| frame.is_whole(Symbol::from(&**index)))
    }

    /// Whether a goal that is computed in part may be a tensor with zeros beside it: indices have values from 0 on, as subscripts have,
    /// and end where a form of the sizes says.
    fn is_padded(&self, goal: GoalId) -> bool {
        let is_plain = |fold: &ComponentReduction| matches!(fold.operator, Combination::Built(_)) && !fold.backward;
        let is_plain = match self.texts.way(goal) {
            Some((Value::Apply(_), ..)) => true,
            Some((Value::Fold(fold), ..)) => is_plain(fold),
            _ => false,
        };
        is_plain && self.has_subscripts(goal)
    }

    /// Whether a reduction binds an index that what it stands in has already.
    fn binds_again(&self, goal: GoalId, uses: &BTreeMap<GoalId, usize>) -> bool {
        let Some(bound) = self.texts.way(goal).and_then(|(value, ..)| value.bound()) else { return false };
        let takes = |user: &GoalId| {
            let children = self.texts.way(*user).map_or(&[][..], |(_, children, _)| children);
            children.iter().any(|child| self.texts.resolved(*child) == goal)
        };
        uses.keys().any(|user| takes(user) && self.chosen.goals.goals[*user].indices.contains(bound))
    }

    /// How often a goal that is not stored stands in the text: a joint equation has each component's own term once.
    fn times_written(&self, goal: GoalId, uses: &BTreeMap<GoalId, usize>, groups: &[Group]) -> usize {
        let component = |user: &GoalId| groups.iter().find_map(|group| group.members.get(user).copied());
        let written = |user: &GoalId| match component(user) {
            Some(component) => self.texts.own_argument(*user, component).into_iter().collect(),
            None => self.texts.way(*user).map_or_else(Vec::new, |(_, children, _)| children.to_vec()),
        };
        let children = uses.keys().flat_map(written);
        children.filter(|child| self.texts.resolved(*child) == goal).count()
    }

    fn has_subscripts(&self, goal: GoalId) -> bool {
        self.chosen.goals.goals[goal].indices.iter().all(|index| {
            let variable = Affine::variable(index);
            let around = self.texts.frame.surroundings(std::iter::once(&variable));
            around.implies(&variable) && self.extent(index).is_some()
        })
    }

    /// A tensor for a goal: the user's own where it is one, or a new one over the goal's indices.
    fn place(&mut self, goal: GoalId) -> Place {
        let definitions = self.chosen.written.definitions.iter().zip(self.chosen.defined);
        if let Some(root) = self.own_equation(goal) {
            return Place { tensor: root.target.clone(), subscripts: root.subscripts.clone() };
        }
        let mut own = definitions.filter(|(_, defined)| defined.is_some_and(|found| self.may_be(found, goal)));
        let is_backward =
            matches!(self.texts.way(goal), Some((Value::Fold(ComponentReduction { backward: true, .. }), ..)));
        let is_free = |(definition, _): &(&Root, _)| self.is_free(&definition.target);
        if let Some((definition, _)) = own.find(is_free).filter(|_| !is_backward) {
            return Place { tensor: definition.target.clone(), subscripts: definition.subscripts.clone() };
        }
        let mut subscripts: Vec<Affine> = self.chosen.goals.goals[goal].indices.iter().map(Affine::variable).collect();
        if let Some((Value::Fold(ComponentReduction { index, backward: true, .. }), ..)) = self.texts.way(goal) {
            let first = self.texts.frame.ends(Symbol::from(&**index)).map(|(low, _)| low);
            subscripts.push(first.unwrap_or_default());
        }
        let tensor = self.fresh(self.wanted_name(goal));
        Place { tensor, subscripts }
    }

    /// Whether a new equation may define a tensor of the user: its only one, or the only one that is left.
    fn is_free(&self, tensor: &Name) -> bool {
        let equations = self.chosen.system.equations.iter().filter(|equation| equation.target == *tensor).count();
        let is_stored = self.texts.places.values().any(|place| place.tensor == *tensor);
        equations == 1 || !self.is_opaque(tensor) && !is_stored
    }

    /// The only equation of a tensor that has one, where it computes this goal.
    fn own_equation(&self, goal: GoalId) -> Option<&Root> {
        let is_only = |root: &Root| {
            let others = self.chosen.written.roots.iter().filter(|other| other.target == root.target).count();
            let is_inlined = self.chosen.written.definitions.iter().any(|known| known.target == root.target);
            others == 1 && !is_inlined
        };
        let computes = |known: GoalId| self.texts.resolved(known) == goal;
        self.chosen
            .equations_needed()
            .into_iter()
            .find(|(root, known)| computes(*known) && is_only(root))
            .map(|(root, _)| root)
    }

    /// Whether a goal is, or could be had from, another one without a change.
    fn may_be(&self, found: GoalId, goal: GoalId) -> bool {
        let options = &self.chosen.goals.goals[found].options;
        let passes_on = |way: &Way| way.value == Value::Same && way.children.as_slice() == [goal];
        self.texts.resolved(found) == goal || options.iter().any(passes_on)
    }

    fn wanted_name(&self, goal: GoalId) -> &'static str {
        match self.texts.way(goal).map(|(value, ..)| value) {
            Some(Value::Apply(_)) => "e",
            Some(Value::Running { .. } | Value::Sliding { .. } | Value::Mirrored { .. }) => "r",
            Some(Value::Fold(ComponentReduction { operator: Combination::Built(operator), .. })) => {
                match operator.keyword() {
                    "max" | "min" => "m",
                    _ => "t",
                }
            }
            _ => "f",
        }
    }

    fn fresh(&mut self, wanted: &str) -> Name {
        let numbered = (1..).map(|number| name(&format!("{wanted}{number}")));
        let chosen =
            numbered.take(100_000).find(|candidate| !self.taken.contains(candidate)).unwrap_or_else(|| name(wanted));
        self.taken.push(chosen.clone());
        chosen
    }

    fn write_all(&mut self) -> Option<()> {
        let stored: Vec<(GoalId, Place)> =
            self.texts.places.iter().map(|(goal, place)| (*goal, place.clone())).collect();
        let groups = self.texts.groups(&stored.iter().map(|(goal, _)| *goal).collect());
        for (goal, place) in &stored {
            self.declare(*goal, place)?;
            if !groups.iter().any(|group| group.members.contains_key(goal)) {
                let lines = self.equations(*goal, place)?;
                self.lines.extend(lines);
            }
        }
        for group in &groups {
            let called = product_name(group, &self.taken);
            self.taken.push(called.clone());
            let [reduction, equation] = self.texts.joint(group, self.monoid(&group.monoid)?, &called, &self.taken)?;
            self.reductions.push(reduction);
            self.lines.push(equation);
        }
        for (root, goal) in self.chosen.equations_needed() {
            let line = self.root_line(root, goal)?;
            self.lines.extend(line);
        }
        Some(())
    }

    fn monoid(&self, name: &str) -> Option<&'_ Monoid> {
        self.chosen.forms.graph.analysis.context.monoids.iter().find(|monoid| monoid.name == name)
    }

    fn monoid_of(&self, fold: &ComponentReduction) -> Option<&'_ Monoid> {
        match &fold.operator {
            Combination::Declared(name, _) => self.monoid(name),
            Combination::Built(_) => None,
        }
    }

    /// The equation of a root, unless it stands already.
    fn root_line(&self, root: &Root, goal: GoalId) -> Option<Option<String>> {
        let goal = self.texts.resolved(goal);
        let image = Image::new();
        let target = access(&root.target, &root.subscripts, &image);
        let value = self.texts.value(goal, &image)?;
        if value == target {
            return Some(None);
        }
        let shape = &self.chosen.system.tensor(&root.target)?.shape;
        let inside = root
            .subscripts
            .iter()
            .zip(shape)
            .flat_map(|(form, extent)| [form.clone(), extent.clone() - form.clone() - Affine::constant(1)]);
        let known = Polyhedron::new(inside).intersect(&Polyhedron::sizes(&self.chosen.system.parameters));
        let known = if self.has_bounds { Polyhedron::default() } else { known };
        Some(Some(format!("{target} = {value}{}", conditions(&root.domain, &known))))
    }

    fn equations(&self, goal: GoalId, place: &Place) -> Option<Vec<String>> {
        match self.texts.way(goal)?.0 {
            Value::Running { .. } => Some(self.texts.running(goal, place)?.lines),
            Value::Paired(fold) => {
                let (target, monoid) = (access(&place.tensor, &place.subscripts, &Image::new()), self.monoid_of(fold));
                let value = self.texts.paired(goal, monoid)?;
                Some(vec![format!("{target} = {value}{}", self.goal_conditions(goal)?)])
            }
            Value::Sliding { .. } => Some(self.texts.sliding(goal, place)?.lines),
            Value::Mirrored { .. } => Some(self.texts.mirrored(goal, place)?.lines),
            Value::Fold(ComponentReduction {
                operator: Combination::Declared(monoid, _),
                index,
                backward: true,
                ..
            }) => {
                let mut whole = place.clone();
                *whole.subscripts.last_mut()? = Affine::variable(index);
                Some(self.texts.backward(goal, &whole, self.monoid(monoid)?)?.lines)
            }
            _ => {
                let image = Image::new();
                let (target, value) =
                    (access(&place.tensor, &place.subscripts, &image), self.texts.expression(goal, &image)?);
                let own = format!("{target} = {value}{}", self.goal_conditions(goal)?);
                Some(std::iter::once(own).chain(self.rest(goal, &target)?).collect())
            }
        }
    }

    /// Equations for the elements of a goal's tensor at which the goal has no point: nobody reads them.
    fn rest(&self, goal: GoalId, target: &str) -> Option<Vec<String>> {
        let (domain, known) = self.goal_domain(goal)?;
        let outside = known.outside(&domain);
        let rest = |part: &Polyhedron| format!("{target} = 0{}", conditions(part, &self.said(&known)));
        Some(outside.iter().filter(|part| !part.is_empty()).map(rest).collect())
    }

    /// What the ranges of a goal's indices say beyond the extents of its tensor.
    fn goal_conditions(&self, goal: GoalId) -> Option<String> {
        let (domain, known) = self.goal_domain(goal)?;
        Some(conditions(&domain, &self.said(&known)))
    }

    /// What an equation does not have to say of its indices.
    fn said(&self, known: &Polyhedron) -> Polyhedron {
        if self.has_bounds { Polyhedron::default() } else { known.clone() }
    }

    /// The points of a goal, and the elements of its tensor.
    fn goal_domain(&self, goal: GoalId) -> Option<(Polyhedron, Polyhedron)> {
        let (mut domain, mut known) = (Polyhedron::default(), Polyhedron::sizes(&self.chosen.system.parameters));
        for index in &self.chosen.goals.goals[goal].indices {
            domain = domain.intersect(&self.texts.frame.index(index)?.range);
            let variable = Affine::variable(index);
            let end = self.extent(index)?;
            known = known.intersect(&Polyhedron::new([variable.clone(), end - variable - Affine::constant(1)]));
        }
        Some((domain, known))
    }

    fn declare(&mut self, goal: GoalId, place: &Place) -> Option<()> {
        let known = self.chosen.system.tensor(&place.tensor).filter(|tensor| tensor.role != Role::Local);
        if known.is_some() || self.is_opaque(&place.tensor) {
            return Some(());
        }
        let mut extents = vec![];
        for form in &place.subscripts {
            extents.push(form.as_variable().map(|index| self.extent(index)));
        }
        if let Some((Value::Fold(ComponentReduction { index, backward: true, .. }), ..)) = self.texts.way(goal) {
            *extents.last_mut()? = Some(self.extent(index));
        }
        let shape: Vec<Affine> = extents.into_iter().flatten().collect::<Option<_>>()?;
        self.declared.push(access(&place.tensor, &shape, &Image::new()));
        Some(())
    }

    /// One more than the largest value of an index.
    fn extent(&self, index: &Name) -> Option<Affine> {
        let range = self.texts.frame.surroundings(std::iter::once(&Affine::variable(index)));
        let others = self.texts.frame.indices().iter().map(|other| &other.name).filter(|other| *other != index);
        let (_, upper) = range.eliminate_all(others).bounds(index);
        let mut ends = upper.iter().filter(|bound| bound.coefficient == 1);
        Some(ends.next()?.form.clone() + Affine::constant(1))
    }

    fn whole(&self) -> String {
        let system = self.chosen.system;
        let (names, assumptions) = (system.parameters.join(", "), system.parameters.assumptions());
        let mut lines = vec![format!("kernel {}({names}){assumptions}", system.name)];
        let mut given = |word: &str, role: Role| {
            let tensors: Vec<String> = system.tensors_with(role).map(declaration).collect();
            if !tensors.is_empty() {
                lines.push(format!("{word} {}", tensors.join(", ")));
            }
        };
        given("in", Role::Input);
        given("out", Role::Output);
        let kept: Vec<&Tensor> =
            system.tensors_with(Role::Local).filter(|tensor| self.is_opaque(&tensor.name)).collect();
        let locals: Vec<String> = kept.into_iter().map(declaration).chain(self.declared.iter().cloned()).collect();
        if !locals.is_empty() {
            lines.push(format!("local {}", locals.join(", ")));
        }
        lines.extend(self.reductions.iter().cloned());
        lines.extend(self.lines.iter().cloned());
        lines.join("\n") + "\n"
    }

    /// Whether a tensor is defined by equations that are still needed.
    fn is_opaque(&self, tensor: &Name) -> bool {
        self.chosen.equations_needed().iter().any(|(root, _)| root.target == *tensor)
    }
}

fn declaration(tensor: &Tensor) -> String {
    let assumed = tensor.assumption.map_or_else(String::new, |word| format!(" is {}", word.keyword()));
    format!("{}{assumed}", access(&tensor.name, &tensor.shape, &Image::new()))
}
