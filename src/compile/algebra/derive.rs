//! From a kernel to the front of its forms.
//!
//! In: a system, the rules of the algebra, sizes, limits. Out: a [`Derivation`]. For every number of passes that some form has, the form
//! with the fewest operations; a form stands on the front if no other has both fewer or as many of each. Invariant: the text of a form
//! is read back and evaluated beside the kernel it comes from before anybody sees it (`confirm`).

use super::chain::{Ends, Law, Proofs, weakest};
use super::compile::{Computed, compile};
use super::confirm::{Confirmed, confirm};
use super::coordinates::{Compounds, Recast};
use super::equations::{Chosen, kernel_text};
use super::every::every;
use super::goals::{FormCost, GoalId, Goals, Selection};
use super::least::{Least, Limit, least};
use super::show::known;
use super::terms::selected_terms;
use super::written::{Written, written};
use crate::check::ChainReport;
use crate::rewrite::{Forms, Frame, Id, Limits, Report, RuleSet, Step, Symbol, Tag, saturate_forms};
use std::collections::BTreeSet;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Bindings, Name};
use systole_equations::recurrence::{RecurrenceSystem, gather};

/// A form of a kernel.
#[derive(Clone, Debug)]
pub struct Form {
    /// What it costs at the sizes that were given.
    pub cost: FormCost,
    /// For each axis with a reduction along it the index that names it and how often its elements are gone through.
    pub passes: Vec<(Name, u32)>,
    /// Whether no form with as few passes has fewer operations.
    pub is_least: bool,
    /// No schedule has fewer steps, where an operation takes one.
    pub steps_at_least: u64,
    /// The kernel.
    pub text: String,
    /// The laws that lead to it, each equation once; where all forms are wanted none, until [`Derivation::explained`] finds them.
    pub steps: Vec<Law>,
    /// The weakest tag among them; where infinite inputs have been found to make it something else, none that speaks of them.
    pub tag: Tag,
    /// An element that infinite inputs make another one, where one was found.
    pub masked: Option<String>,
    /// What the chain of laws is between.
    ends: Vec<Ends>,
    /// The largest relative difference to the kernel that it was derived from, over random inputs.
    pub difference: f64,
}

/// The forms of a kernel.
#[derive(Clone, Debug)]
pub struct Derivation {
    /// What saturation did.
    pub report: Report,
    /// What the kernel costs as it is written.
    pub written: FormCost,
    /// The front, fewest passes first; or all forms.
    pub forms: Vec<Form>,
    /// Whether no form was left out that was asked for.
    pub is_whole: bool,
    proofs: Proofs,
}

impl Derivation {
    /// The form with its chain of laws, as short as it is found. Which other forms there are, and were asked for, makes no difference.
    pub fn explained(&self, form: &Form, rules: &RuleSet) -> Form {
        let steps = self.proofs.chain(&form.ends, rules);
        let for_finite = form.masked.as_ref().map(|_| Tag::Finite);
        let tag = for_finite.into_iter().fold(weakest(&steps), Tag::max);
        Form { tag, steps, ..form.clone() }
    }

    fn all_explained(self, rules: &RuleSet) -> Derivation {
        let forms = self.forms.iter().map(|form| self.explained(form, rules)).collect();
        Derivation { forms, ..self }
    }

    /// Puts each step of a form's chain to the test: its terms are evaluated, and its law is applied to them again.
    ///
    /// # Errors
    /// A step that does not hold.
    pub fn check_steps(&self, form: &Form, rules: &RuleSet) -> Checked<ChainReport> {
        let steps: Vec<Step> = form.steps.iter().map(Law::in_terms).collect();
        self.proofs.saturated.check_steps(&steps, rules)
    }
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Wanted<'a> {
    /// The sizes at which costs are counted.
    pub sizes: &'a Bindings,
    /// Limits of saturation.
    pub limits: Limits,
    /// All forms, up to so many, in place of the front.
    pub all: Option<usize>,
}

/// The front of all forms that `rules` lead to.
///
/// # Errors
/// Kernels whose equations scatter (`c[i + j]`); a rule that makes two different leaves equal; a form that does not compute what the
/// kernel does, with the rules that lead to it.
pub fn derive(system: &RecurrenceSystem, rules: &RuleSet, wanted: &Wanted) -> Checked<Derivation> {
    derive_recast(&Recast::plain(system), rules, wanted)
}

/// The front of all forms of a system in other coordinates. Reductions over all elements of an axis have to follow from `rules`.
///
/// # Errors
/// Those of [`derive()`]; no form at all.
pub fn derive_recast(recast: &Recast, rules: &RuleSet, wanted: &Wanted) -> Checked<Derivation> {
    check(&recast.system)?;
    let first = cost_as_written(&recast.system, wanted)?;
    let compiled = Compiled::new(recast, rules, wanted)?;
    let (selections, are_all) = selections(&compiled.computed.goals, wanted.all);
    let (found, are_written) = compiled.texts(selections)?;
    let found: Vec<Form> = found.into_iter().map(|found| compiled.finish(found)).collect::<Checked<_>>()?;
    let Compiled { written, forms, .. } = compiled;
    let report = forms.report.clone();
    let proofs = Proofs { saturated: forms, known: known(&written.definitions) };
    let is_whole = are_all && are_written;
    let derivation = Derivation { report, written: first, forms: found, is_whole, proofs };
    // Of many forms most chains are never read.
    Ok(if wanted.all.is_none() { derivation.all_explained(rules) } else { derivation })
}

/// A system with the e-graph of all its forms, and what each operation in it costs.
struct Compiled<'a> {
    system: &'a RecurrenceSystem,
    sizes: &'a Bindings,
    written: Written,
    forms: Forms,
    computed: Computed,
}

impl<'a> Compiled<'a> {
    fn new(recast: &'a Recast, rules: &RuleSet, wanted: &Wanted<'a>) -> Checked<Compiled<'a>> {
        let (system, sizes) = (&recast.system, wanted.sizes);
        let written = written(system, &recast.compounds);
        let forms = saturate(&written, rules, &wanted.limits)?;
        let computed = compile(&forms, system, &written, sizes)?;
        Ok(Compiled { system, sizes, written, forms, computed })
    }

    /// The kernels of selections, each text once; and whether all could be written as kernels.
    fn texts(&self, selections: Vec<Least>) -> Checked<(Vec<(Least, String)>, bool)> {
        let defined = self.defined();
        let (mut found, mut unwritten) = (vec![], None);
        for least in selections {
            match self.text(&least.selection, &defined) {
                Ok(text) if found.iter().any(|(_, known)| *known == text) => {}
                Ok(text) => found.push((least, text)),
                Err(why) => unwritten = unwritten.or(Some(why)),
            }
        }
        match unwritten {
            Some(why) if found.is_empty() => Err(why),
            None if found.is_empty() => {
                Diagnostic::new(format!("no form of `{}` follows in these coordinates", self.system.name))
                    .help("the laws `split` and `turn` say in which order its elements may be met")
                    .alone()
            }
            unwritten => Ok((found, unwritten.is_none())),
        }
    }

    fn text(&self, selection: &Selection, defined: &[Option<GoalId>]) -> Checked<String> {
        let Compiled { system, written, forms, computed, .. } = self;
        let Computed { goals, equations, .. } = computed;
        kernel_text(&Chosen { system, written, forms, goals, equations, selection, defined })
    }

    /// For each definition of the user its goal.
    fn defined(&self) -> Vec<Option<GoalId>> {
        let graph = &self.forms.graph;
        let goal = |id: Id| self.computed.classes.get(&graph.find(id)).copied();
        let definitions = self.written.definitions.iter();
        definitions.map(|definition| graph.lookup_expr(&definition.term).and_then(goal)).collect()
    }

    /// The form of a selection, without its chain.
    fn finish(&self, (least, text): (Least, String)) -> Checked<Form> {
        let goals = &self.computed.goals;
        let Confirmed { difference, masked } = confirm(self.system, &text)?;
        let frame = &self.forms.graph.analysis.context.frame;
        let named = |(axis, passes): (usize, u32)| {
            let index = frame.indices().iter().find(|index| index.axis == axis)?;
            Some((index.name.clone(), passes))
        };
        let passes = goals.passes_of(&least.selection).into_iter().enumerate().filter_map(named).collect();
        let count = |index: &str| frame.count(Symbol::from(index)).filter(|form| !depends(frame, form));
        let terms =
            |index: &str| count(index).and_then(|form| u64::try_from(form.evaluate(self.sizes)?).ok()).unwrap_or(0);
        let steps_at_least = goals.steps(&least.selection, &terms);
        let ends = self.ends(&least.selection);
        let (cost, is_least) = (least.cost, least.is_proved);
        Ok(Form {
            cost,
            passes,
            is_least,
            steps_at_least,
            text,
            steps: vec![],
            tag: Tag::Exact,
            masked,
            ends,
            difference,
        })
    }

    /// The equations as they are written, each with what the selection makes of it.
    fn ends(&self, selection: &Selection) -> Vec<Ends> {
        let terms = selected_terms(&self.forms, (&self.computed.goals, &self.computed.equations), selection);
        let pairs = self.written.roots.iter().zip(terms);
        pairs.filter_map(|(root, term)| Some([root.term.clone(), term?])).collect()
    }
}

/// What the equations cost as they are written.
fn cost_as_written(system: &RecurrenceSystem, wanted: &Wanted) -> Checked<FormCost> {
    let written = written(system, &Compounds::default());
    let as_written = saturate(&written, &RuleSet::default(), &wanted.limits)?;
    let goals = compile(&as_written, system, &written, wanted.sizes)?.goals;
    let Some(first) = least(&goals, &unbounded(&goals, true)) else {
        return defect("the equations as they are written have no cost").alone();
    };
    Ok(first.cost)
}

/// The e-graph of all forms of a kernel's equations, with nothing chosen yet.
///
/// # Errors
/// A rule that makes two different leaves equal.
pub fn saturate_equations(recast: &Recast, rules: &RuleSet, limits: &Limits) -> Checked<Forms> {
    saturate(&written(&recast.system, &recast.compounds), rules, limits)
}

fn saturate(written: &Written, rules: &RuleSet, limits: &Limits) -> Checked<Forms> {
    let inputs = written.roots.iter().map(|root| root.term.clone()).collect();
    saturate_forms(written.frame.clone(), inputs, rules, limits)
}

fn check(system: &RecurrenceSystem) -> Checked<()> {
    for equation in &system.equations {
        let Some(target) = system.tensor(&equation.target) else { continue };
        if gather(equation, target).subscripts != equation.subscripts {
            let message = format!("`{}` is written where its terms are, not where it is stored", equation.target);
            let diagnostic = Diagnostic::new(message).label(&system.source, equation.span, "this equation scatters");
            return diagnostic
                .help("forms are searched of equations with plain subscripts; write it as a sum for each element")
                .alone();
        }
    }
    Ok(())
}

fn defect(message: &str) -> Diagnostic {
    Diagnostic::new(message).help("this is a defect of systole: please report the kernel")
}

fn unbounded(goals: &Goals, overflows: bool) -> Limit {
    Limit { passes: vec![u32::MAX; goals.axes as usize], overflows }
}

/// Whether a form depends on an index.
fn depends(frame: &Frame, form: &Affine) -> bool {
    form.mentions(frame.indices().iter().map(|index| &index.name))
}

/// The front, or all selections with the cheapest first; and whether these are all that were asked for.
fn selections(goals: &Goals, all: Option<usize>) -> (Vec<Least>, bool) {
    let Some(most) = all else { return (front(goals), true) };
    let (selections, is_whole) = every(goals, most);
    // Where there are too many, the front is among the first.
    let best = if is_whole { vec![] } else { front(goals) };
    let selections = best.into_iter().map(|least| least.selection).chain(selections);
    let judged = selections.filter_map(|selection| {
        let cost = goals.cost(&selection)?;
        Some(Least { selection, cost, is_proved: false })
    });
    let mut found: Vec<Least> = judged.collect();
    found.sort_by(|one, other| (&one.cost, &one.selection).cmp(&(&other.cost, &other.selection)));
    (found, is_whole)
}

/// The cheapest selection for each number of passes that cannot be had with fewer operations otherwise.
fn front(goals: &Goals) -> Vec<Least> {
    let mut found: Vec<Least> = [false, true].iter().flat_map(|overflows| all_passes(goals, *overflows)).collect();
    let all: Vec<FormCost> = found.iter().map(|least| least.cost.clone()).collect();
    let is_beaten = |cost: &FormCost| {
        let no_worse = |other: &FormCost| {
            other.overflows <= cost.overflows && other.passes <= cost.passes && other.operations <= cost.operations
        };
        all.iter().any(|other| other != cost && no_worse(other))
    };
    found.retain(|least| !is_beaten(&least.cost));
    found.sort_by(|one, other| (&one.cost, &one.selection).cmp(&(&other.cost, &other.selection)));
    found.dedup_by(|one, other| one.cost == other.cost);
    found
}

/// The cheapest selection for all numbers of passes along the axes, from those of the cheapest of all downwards.
fn all_passes(goals: &Goals, overflows: bool) -> Vec<Least> {
    let mut found: Vec<Least> = vec![];
    let mut open = BTreeSet::from([unbounded(goals, overflows)]);
    let mut seen: BTreeSet<Limit> = BTreeSet::new();
    while let Some(limit) = open.pop_last() {
        if !seen.insert(limit.clone()) {
            continue;
        }
        let Some(best) = least(goals, &limit) else { continue };
        let passes = goals.passes_of(&best.selection);
        for axis in 0..passes.len() {
            let mut fewer = Limit { passes: passes.clone(), overflows };
            if fewer.passes[axis] > 1 {
                fewer.passes[axis] -= 1;
                open.insert(fewer);
            }
        }
        found.push(best);
    }
    found
}
