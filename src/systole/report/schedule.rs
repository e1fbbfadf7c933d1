//! A design for the page: its schedule in mathematics, its proofs, the rules that led to it.

use serde::Serialize;
use systole_base::integer::Affine;
use systole_compile::mapping::Fold;
use systole_compile::rewrite::Step;
use systole_compile::smt::{Discharged, Verdict};
use systole_equations::recurrence::Space;

/// A space of a design with the PE and the time of its points.
#[derive(Clone, Debug)]
pub struct LaidOut<'a> {
    /// The space.
    pub space: &'a Space,
    /// The PE of a point, over its indices and the sizes: one form for each dimension of the array.
    pub place: Vec<Affine>,
    /// Which of these PEs are one.
    pub fold: Fold,
    /// The time of a point, in components.
    pub time: Vec<Affine>,
    /// How each value moves, in words.
    pub moves: Vec<String>,
}

/// The schedule of a space as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpaceSchedule {
    /// The space.
    pub name: String,
    /// Its indices.
    pub indices: Vec<String>,
    /// The time of a point.
    pub time: String,
    /// The PE of a point.
    pub place: String,
    /// How each value moves.
    pub moves: Vec<String>,
}

impl From<&LaidOut<'_>> for SpaceSchedule {
    fn from(laid: &LaidOut) -> SpaceSchedule {
        SpaceSchedule {
            name: laid.space.name.to_string(),
            indices: laid.space.indices().iter().map(|index| index.to_string()).collect(),
            time: match &laid.time[..] {
                [single] => single.to_string(),
                several => tuple(several),
            },
            place: format!("({})", laid.fold.show(&laid.place).join(", ")),
            moves: laid.moves.clone(),
        }
    }
}

fn tuple(forms: &[Affine]) -> String {
    format!("({})", forms.iter().map(Affine::to_string).collect::<Vec<_>>().join(", "))
}

/// An obligation with its verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Proof {
    /// Which law.
    pub kind: &'static str,
    /// What it is about.
    pub of: String,
    /// `proved`, `refuted` or `unknown`.
    pub verdict: &'static str,
    /// The counterexample, or why the solver does not know.
    pub remark: String,
    /// How long it took.
    pub milliseconds: f64,
    /// What holds where it is proved, as a sentence.
    pub sentence: &'static str,
}

impl From<&Discharged> for Proof {
    fn from(proof: &Discharged) -> Proof {
        Proof {
            kind: proof.obligation.kind.keyword(),
            of: proof.obligation.of.to_string(),
            verdict: proof.verdict.keyword(),
            remark: match &proof.verdict {
                Verdict::Proved => String::new(),
                Verdict::Refuted(example) => example.to_string(),
                Verdict::Unknown(why) => why.clone(),
            },
            milliseconds: proof.milliseconds,
            sentence: proof.obligation.kind.sentence(),
        }
    }
}

/// A step from the equations to the design.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// The rule.
    pub rule: String,
    /// The term it was applied to.
    pub before: String,
    /// What became of it.
    pub after: String,
}

impl From<&Step> for Rule {
    fn from(step: &Step) -> Rule {
        Rule { rule: step.rule.clone(), before: step.before.clone(), after: step.after.clone() }
    }
}
