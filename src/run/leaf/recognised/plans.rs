//! The bodies that calls run where a library is asked for.
//!
//! A body is specialised to the boxes of a call, and its nests are replaced by what a library knows. That depends on the
//! verdicts on its bounds alone, and on which indices have one value, so it is done once for each list of verdicts and kept; who is
//! first does not matter.

use super::definitions::{Definition, definitions};
use super::rounds::Rounds;
use super::{Kind, Search};
use crate::leaf::routine::{Few, Node, Routine, Span, Verdict, judge, specialise};
use std::collections::HashMap;
use std::sync::{Arc, RwLock};
use systole_base::diagnostic::Checked;

/// What a call runs.
#[derive(Debug)]
pub struct Plan {
    pub body: Vec<Node>,
    /// Whether it writes a window; loops that stand in for a library may write more ([`Run::own`](crate::leaf::call::Run::own)).
    pub written: Vec<bool>,
}

type Kept = RwLock<HashMap<Vec<Verdict>, Arc<Plan>>>;

/// The bodies of all leaves, as far as calls have needed them; none where loops run everything.
#[derive(Clone, Debug, Default)]
pub struct Plans {
    definitions: &'static [Definition],
    kept: Arc<Vec<Kept>>,
}

impl Plans {
    /// Nothing yet for each of these.
    ///
    /// # Errors
    /// Those of [`definitions`].
    pub fn new(routines: &[Routine]) -> Checked<Plans> {
        let kept = routines.iter().map(|_| Kept::default()).collect();
        Ok(Plans { definitions: definitions()?, kept: Arc::new(kept) })
    }

    /// What a leaf runs at these boxes of its indices; `None` where no library is asked for.
    pub fn plan(&self, leaf: usize, routine: &Routine, spans: &[Span]) -> Option<Arc<Plan>> {
        let kept = self.kept.get(leaf)?;
        let mut verdicts = Few::new();
        judge(&routine.body, spans, &mut verdicts);
        let is_one: Vec<bool> = spans.iter().map(|(first, last)| first == last).collect();
        verdicts.extend(is_one.iter().map(|is_one| if *is_one { Verdict::Always } else { Verdict::Open }));
        if let Some(plan) = kept.read().ok().and_then(|kept| kept.get(&*verdicts).cloned()) {
            return Some(plan);
        }
        let plan = Arc::new(self.make(routine, &verdicts, is_one));
        if let Ok(mut kept) = kept.write() {
            kept.insert(verdicts.into_vec(), Arc::clone(&plan));
        }
        Some(plan)
    }

    fn make(&self, routine: &Routine, verdicts: &[Verdict], is_one: Vec<bool>) -> Plan {
        let mut body = specialise(&routine.body, verdicts);
        let (filled, spans) = (routine.filled(), routine.extents());
        let search =
            Search { definitions: self.definitions, accesses: &routine.accesses, filled: &filled, spans: &spans };
        search.replace(&mut body);
        Rounds { accesses: &routine.accesses, spans: &spans, is_one }.open(&mut body);
        let mut written = vec![false; routine.windows.len()];
        note_writes(&body, routine, &mut written);
        Plan { body, written }
    }
}

/// Notes the windows that a body writes where the library does its tasks.
fn note_writes(body: &[Node], routine: &Routine, written: &mut [bool]) {
    let window = |access: usize| routine.accesses[access].window;
    for node in body {
        match node {
            Node::Set(set) => written[window(set.target)] = true,
            Node::Loop(repeated) => note_writes(&repeated.body, routine, written),
            Node::If { then, otherwise, .. } => {
                [then, otherwise].iter().for_each(|side| note_writes(side, routine, written))
            }
            Node::Known(known) => match &known.kind {
                Kind::Product(_) => note_writes(&known.loops.body, routine, written),
                Kind::Task(assignment) => {
                    written[window(assignment.result.access)] = true;
                    note_writes(&assignment.resets, routine, written);
                }
            },
        }
    }
}
