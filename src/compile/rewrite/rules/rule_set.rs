//! Sets of rules: the ones that come with the program, and a user's own.
//!
//! In: directories of `*.rules` files, read in the order of their names. Out: a [`RuleSet`] in which every name is
//! unique. Without a `rules/` directory the texts that were current when the program was built stand in.

use super::monoid::Monoid;
use super::reader::{Rule, read_rules};
use super::rule_text::Tag;
use crate::rewrite::saturation::Step;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, MessageCode, about};
use systole_base::span::Source;

/// The rules at the time of the build, with the names of their files.
const EMBEDDED: [(&str, &str); 3] = [
    ("dataflow.rules", include_str!("../../rules/dataflow.rules")),
    ("handoff.rules", include_str!("../../rules/handoff.rules")),
    ("pointwise.rules", include_str!("../../rules/pointwise.rules")),
];

/// Those of the algebra.
const ALGEBRA: [(&str, &str); 6] = [
    ("folds.rules", include_str!("../../rules/algebra/folds.rules")),
    ("functions.rules", include_str!("../../rules/algebra/functions.rules")),
    ("orders.rules", include_str!("../../rules/algebra/orders.rules")),
    ("recursion.rules", include_str!("../../rules/algebra/recursion.rules")),
    ("reductions.rules", include_str!("../../rules/algebra/reductions.rules")),
    ("ring.rules", include_str!("../../rules/algebra/ring.rules")),
];

/// Rules with unique names, in the order in which they run.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    rules: Vec<Rule>,
    monoids: Vec<Monoid>,
}

impl RuleSet {
    /// The rules of these texts; messages of all of them at once.
    pub fn from_sources(sources: &[Arc<Source>]) -> Checked<RuleSet> {
        let mut set = RuleSet::default();
        let mut diagnostics: Diagnostics = vec![];
        for source in sources {
            match read_rules(source) {
                Ok((rules, monoids)) => {
                    set.rules.extend(rules);
                    set.monoids.extend(monoids);
                }
                Err(wrong) => diagnostics.extend(wrong),
            }
        }
        diagnostics.extend(set.duplicates());
        if diagnostics.is_empty() { Ok(set) } else { Err(diagnostics) }
    }

    /// The rules, in the order in which they run.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The monoids that the files declare.
    pub fn monoids(&self) -> &[Monoid] {
        &self.monoids
    }

    /// The rule called `name`.
    pub fn find(&self, name: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.name == name)
    }

    /// The set of the rule called `name` alone; empty where there is none.
    pub fn only(mut self, name: &str) -> RuleSet {
        self.rules.retain(|rule| rule.name == name);
        self
    }

    /// The set of the rules that these steps apply.
    pub fn among(mut self, steps: &[Step]) -> RuleSet {
        self.rules.retain(|rule| steps.iter().any(|step| step.rule == rule.name));
        self
    }

    /// The set without the rule called `name`.
    pub fn without(mut self, name: &str) -> RuleSet {
        self.rules.retain(|rule| rule.name != name);
        self
    }

    /// The set without the rules of this tag.
    pub fn without_tag(mut self, tag: Tag) -> RuleSet {
        self.rules.retain(|rule| rule.tag != tag);
        self
    }

    fn duplicates(&self) -> Diagnostics {
        let mut first: BTreeMap<&str, &Rule> = BTreeMap::new();
        let mut diagnostics = vec![];
        for rule in &self.rules {
            match first.get(rule.name.as_str()) {
                Some(known) => diagnostics.push(duplicate(known, rule)),
                None => {
                    first.insert(&rule.name, rule);
                }
            }
        }
        diagnostics
    }
}

fn duplicate(first: &Rule, second: &Rule) -> Diagnostic {
    Diagnostic::new(format!("two rules are called `{}`", second.name))
        .label(&second.source, second.span, "the second")
        .note(format!("the first is at {}", first.origin))
        .help("a rule keeps its name for life: give the new rule another one")
}

/// When rules run: each phase has an e-graph of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Laws of expressions, which multiply the forms of the equations.
    Algebra,
    /// Laws of moving operands and ordering reductions, which saturate.
    Dataflow,
}

impl Phase {
    /// Its folder within a directory of rules.
    fn folder(self, directory: &Path) -> PathBuf {
        match self {
            Phase::Algebra => directory.join("algebra"),
            Phase::Dataflow => directory.to_owned(),
        }
    }
}

/// The rules of the dataflow that come with the program and those of the directory `extra`, in this order.
pub fn load_rules(extra: Option<&Path>) -> Checked<RuleSet> {
    load_phase(Phase::Dataflow, extra)
}

/// The rules of a phase that come with the program and those of the directory `extra`, in this order. A directory without a folder
/// for the phase has none.
pub fn load_phase(phase: Phase, extra: Option<&Path>) -> Checked<RuleSet> {
    about(MessageCode::Rules, read_phase(phase, extra))
}

fn read_phase(phase: Phase, extra: Option<&Path>) -> Checked<RuleSet> {
    let own = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/rules"));
    let mut sources = if own.is_dir() { read_directory(&phase.folder(own))? } else { embedded(phase) };
    let directory = extra.map(|directory| phase.folder(directory));
    if let Some(directory) = directory.filter(|directory| phase == Phase::Dataflow || directory.is_dir()) {
        sources.extend(read_directory(&directory)?);
    }
    RuleSet::from_sources(&sources)
}

/// The rules of the dataflow as they were when the program was built.
pub fn embedded_sources() -> Vec<Arc<Source>> {
    embedded(Phase::Dataflow)
}

fn embedded(phase: Phase) -> Vec<Arc<Source>> {
    let texts = match phase {
        Phase::Algebra => ALGEBRA.as_slice(),
        Phase::Dataflow => EMBEDDED.as_slice(),
    };
    texts.iter().map(|(name, text)| Source::new(*name, *text)).collect()
}

/// All `*.rules` files of a directory, sorted by name.
pub fn read_directory(directory: &Path) -> Checked<Vec<Arc<Source>>> {
    let mut paths = list_rules(directory).map_err(|error| unreadable(directory, &error))?;
    paths.sort();
    paths.iter().map(|path| read_file(path)).collect()
}

fn list_rules(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let paths = fs::read_dir(directory)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()?;
    Ok(paths.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "rules")).collect())
}

fn read_file(path: &Path) -> Checked<Arc<Source>> {
    let text = fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    Ok(Source::new(name, text))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostics {
    Diagnostic::new(format!("cannot read rules from `{}`: {error}", path.display())).into()
}
