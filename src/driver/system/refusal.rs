//! Why there is no design: the laws that clash, in the words of the source.

use super::pipeline::{Loaded, Searched};
use super::setting::Setting;
use crate::diagnostic::Diagnostic;
use crate::driver::show::grouped;
use crate::extract::{Law, Stuck, why_stuck};
use crate::mapping::{Field, Giver, Handoff, Part, SystemDesign};
use crate::smt::{Discharged, refutation_message};

/// The messages of all obligations that are not proved.
pub fn messages(loaded: &Loaded, proofs: &[Discharged]) -> Vec<Diagnostic> {
    proofs.iter().filter_map(|proof| refutation_message(&loaded.cut.spaces[0], None, proof)).collect()
}

/// The message for an empty front.
pub fn nothing_found(loaded: &Loaded, searched: &Searched, setting: &Setting) -> Vec<Diagnostic> {
    let survey = &searched.survey;
    let clash = survey.stuck.as_ref().and_then(|parts| {
        let why = why_stuck(&setting.problem(loaded).ok()?, parts)?;
        Some(stuck(loaded, setting, parts, &why))
    });
    let message = format!("no design of `{}` is legal among {} placements", loaded.cut.kernel, grouped(survey.maps));
    match (clash, &survey.unreachable) {
        (Some(clash), _) => vec![clash],
        (None, Some(why)) => why.clone(),
        (None, None) => {
            let spaces =
                loaded.cut.spaces.iter().map(|space| format!("`{}` has {} dimensions", space.name, space.dimension()));
            let diagnostic = Diagnostic::new(message)
                .note(spaces.collect::<Vec<_>>().join(", "))
                .help("a PE takes one dimension of a space; choose a place of one rank less, or another network");
            vec![match setting.constraint.place_span {
                Some(span) => diagnostic.label(&loaded.cut.source, span, "this place"),
                None => diagnostic,
            }]
        }
    }
}

/// The laws that cannot hold together under the places and the dataflow that got furthest.
fn stuck(loaded: &Loaded, setting: &Setting, parts: &[Part], why: &Stuck) -> Diagnostic {
    let laws = match why {
        Stuck::Undecided(why) => {
            return Diagnostic::new(format!("the solver did not decide the steps of `{}`", loaded.cut.kernel))
                .note(why);
        }
        Stuck::Clash(laws) => laws,
    };
    let design = SystemDesign { system: &loaded.cut, parts: parts.to_vec(), boundary_io: false };
    let handoffs = design.handoffs(setting.machine.links.network).unwrap_or_default();
    let words = Words { design: &design, handoffs: &handoffs, setting };
    let first = Diagnostic::new(format!("no times of `{}` satisfy all of these together", loaded.cut.kernel));
    let clash = laws.iter().fold(first, |diagnostic, law| words.add(diagnostic, law));
    clash.help("each is needed for the contradiction: change any one of them")
}

/// What the words of a law are taken from.
struct Words<'a> {
    design: &'a SystemDesign<'a>,
    handoffs: &'a [Handoff],
    setting: &'a Setting,
}

impl Words<'_> {
    fn add(&self, diagnostic: Diagnostic, law: &Law) -> Diagnostic {
        let system = self.design.system;
        let source = &system.source;
        match law {
            Law::Stream(space, operand) => {
                let (reader, read) = (&system.spaces[*space], &system.spaces[*space].operands[*operand]);
                let how = self.design.parts[*space].dataflow.transports[*operand].show(reader);
                let note = format!(
                    "{how}: `{}` needs {} from one point of `{}` to the next",
                    read.tensor,
                    self.hop(*space, *operand),
                    reader.name
                );
                diagnostic.label(source, read.span, "moves from point to point").note(note)
            }
            Law::Reduction(space) => {
                let reader = &system.spaces[*space];
                let along: Vec<String> = self.design.parts[*space]
                    .dataflow
                    .chain
                    .directions
                    .iter()
                    .map(|d| reader.show_direction(d))
                    .collect();
                let note = format!(
                    "`{}` is combined along {}, a step from each point to the next",
                    reader.output,
                    along.join(" and ")
                );
                diagnostic.label(source, reader.span, "combined in order").note(note)
            }
            Law::Handoff(position) => match self.handoffs.get(*position) {
                Some(handoff) => self.handoff(diagnostic, handoff),
                None => diagnostic,
            },
            Law::Conflict(space) => {
                let reader = &system.spaces[*space];
                let place: Vec<String> =
                    self.design.place(*space, &self.design.point(*space)).iter().map(|f| f.to_string()).collect();
                let note = format!("no two points of `{}` on PE ({}) run at one time", reader.name, place.join(", "));
                match self.setting.constraint.place_span {
                    Some(span) => diagnostic.label(source, span, "puts several points on a PE").note(note),
                    None => diagnostic.note(note),
                }
            }
            Law::Apart(one, other) => diagnostic.note(format!(
                "`{}` and `{}` do not meet on a PE",
                system.spaces[*one].name, system.spaces[*other].name
            )),
            Law::Given(space) => match self.setting.constraint.steps.get(*space).and_then(Option::as_ref) {
                Some((step, span)) => {
                    let form = crate::integer::Affine::from_row(system.spaces[*space].indices(), step);
                    let note = format!("the schedule runs `{}` at {form}, up to a shift", system.spaces[*space].name);
                    diagnostic.label(source, *span, "fixes the time").note(note)
                }
                None => diagnostic,
            },
            Law::Span(space) => diagnostic.note(format!("`{}` starts at a first step", system.spaces[*space].name)),
        }
    }

    fn hop(&self, space: usize, operand: usize) -> String {
        let alone = self.design.alone(space);
        let flows = alone.flows().unwrap_or_default();
        let flow = flows.iter().find(|flow| flow.role == crate::mapping::FlowRole::Operand(operand));
        let steps = flow.and_then(|flow| flow.least_delay(&self.setting.machine.links)).unwrap_or(1);
        if steps == 1 { "a step".to_owned() } else { format!("{steps} steps") }
    }

    fn handoff(&self, diagnostic: Diagnostic, handoff: &Handoff) -> Diagnostic {
        let system = self.design.system;
        let (reader, links) = (&system.spaces[handoff.reader], &self.setting.machine.links);
        let operand = &reader.operands[handoff.operand];
        let Giver::Point { space, field, at, .. } = &handoff.giver else { return diagnostic };
        let giver = &system.spaces[*space];
        let what = match field {
            Field::Result => "computed",
            Field::Operand(_) => "passed on",
        };
        let point: Vec<String> = at.iter().map(|form| form.to_string().replace(' ', "")).collect();
        let least = self.design.least_handoff_delay(handoff, links).unwrap_or(1);
        let note = format!(
            "`{}` takes `{}` {what} by `{}` at ({}), {least} {} later at least",
            reader.name,
            operand.tensor,
            giver.name,
            point.join(","),
            if least == 1 { "step" } else { "steps" }
        );
        diagnostic.label(&system.source, operand.span, "taken here").note(note)
    }
}
