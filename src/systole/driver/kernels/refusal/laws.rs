//! The laws of a clash in the words of the source: a note for each, and a label where it stands.

use crate::driver::flags::setting::Setting;
use systole_base::diagnostic::{Diagnostic, counted};
use systole_base::integer::Affine;
use systole_base::span::Span;
use systole_compile::extract::Law;
use systole_compile::mapping::{Design, Field, FlowRole, Giver, Handoff};

/// What the words of a law are taken from.
pub struct Laws<'a> {
    /// The design that has no times.
    pub design: &'a Design<'a>,
    /// Its handoffs.
    pub handoffs: &'a [Handoff],
    /// What the schedule and the flags say.
    pub setting: &'a Setting,
}

/// A law in words: what it says, and where it stands with a word on that.
struct Said {
    note: String,
    label: Option<(Span, String)>,
}

impl Laws<'_> {
    /// Adds every law to the message.
    pub fn add_all(&self, diagnostic: Diagnostic, laws: &[Law]) -> Diagnostic {
        let said: Vec<Said> = laws.iter().filter_map(|law| self.say(law)).collect();
        let labels: Vec<(Span, String)> = said.iter().filter_map(|said| said.label.clone()).collect();
        let noted = said.into_iter().fold(diagnostic, |diagnostic, said| diagnostic.note(said.note));
        let source = &self.design.system.source;
        apart(labels).into_iter().fold(noted, |diagnostic, (span, text)| diagnostic.label(source, span, text))
    }

    fn say(&self, law: &Law) -> Option<Said> {
        match law {
            Law::Stream(space, operand) => Some(self.stream(*space, *operand)),
            Law::Bus(space, operand) => Some(self.bus(*space, *operand)),
            Law::Reduction(space) => Some(self.reduction(*space)),
            Law::Handoff(position) => self.handoff(self.handoffs.get(*position)?),
            Law::Conflict(space) => Some(self.conflict(*space)),
            Law::Given(space) => self.given(*space),
            Law::Apart(one, other) => Some(self.apart_from(*one, *other)),
            Law::Link(position) => Some(self.words_apart(self.handoffs.get(*position)?)),
            Law::Span(_) => None,
        }
    }

    fn stream(&self, space: usize, operand: usize) -> Said {
        let reader = &self.design.system.spaces[space];
        let read = &reader.operands[operand];
        let how = self.design.parts[space].dataflow.transports[operand].show(reader);
        let (tensor, name, time) = (&read.tensor, &reader.name, self.hop(space, operand));
        let note = format!("{how}: `{tensor}` needs {time} from one point of `{name}` to the next");
        Said { note, label: Some((read.span, "moves from point to point".to_owned())) }
    }

    fn bus(&self, space: usize, operand: usize) -> Said {
        let reader = &self.design.system.spaces[space];
        let read = &reader.operands[operand];
        let how = self.design.parts[space].dataflow.transports[operand].show(reader);
        let note = format!("{how}: all points of `{}` on a bus of `{}` run at one time", reader.name, read.tensor);
        Said { note, label: Some((read.span, "heard at once".to_owned())) }
    }

    fn reduction(&self, space: usize) -> Said {
        let reader = &self.design.system.spaces[space];
        let chain = &self.design.parts[space].dataflow.chain;
        let along: Vec<String> = chain.directions.iter().map(|d| reader.show_direction(d)).collect();
        let along = along.join(" and ");
        let note = format!("`{}` is combined along {along}, a step from each point to the next", reader.output);
        Said { note, label: Some((reader.span, "combined in order".to_owned())) }
    }

    fn conflict(&self, space: usize) -> Said {
        let reader = &self.design.system.spaces[space];
        let place = self.design.place(space, &self.design.point(space));
        let place: Vec<String> = place.iter().map(Affine::to_string).collect();
        let note = format!("no two points of `{}` on PE ({}) run at one time", reader.name, place.join(", "));
        let label = self.setting.constraint.place_span.map(|span| (span, "puts several points on a PE".to_owned()));
        Said { note, label }
    }

    fn apart_from(&self, one: usize, other: usize) -> Said {
        let spaces = &self.design.system.spaces;
        let note = format!("a PE runs one of `{}` and `{}` at a time", spaces[one].name, spaces[other].name);
        Said { note, label: None }
    }

    fn words_apart(&self, handoff: &Handoff) -> Said {
        let reader = &self.design.system.spaces[handoff.reader];
        let operand = &reader.operands[handoff.operand];
        let note = format!("a link carries one word of `{}` for `{}` at a time", operand.tensor, reader.name);
        Said { note, label: Some((operand.span, "taken over several hops".to_owned())) }
    }

    fn given(&self, space: usize) -> Option<Said> {
        let (step, span) = self.setting.constraint.steps.get(space)?.as_ref()?;
        let space = &self.design.system.spaces[space];
        let form = Affine::from_row(space.indices(), step.rows().first()?);
        let note = format!("the schedule runs `{}` at {form}, up to a shift", space.name);
        Some(Said { note, label: Some((*span, "fixes the time".to_owned())) })
    }

    fn hop(&self, space: usize, operand: usize) -> String {
        let alone = self.design.alone(space);
        let flows = alone.flows().unwrap_or_default();
        let flow = flows.iter().find(|flow| flow.role == FlowRole::Operand(operand));
        steps(flow.and_then(|flow| flow.least_delay(&self.setting.machine.links)).unwrap_or(1))
    }

    fn handoff(&self, handoff: &Handoff) -> Option<Said> {
        let system = self.design.system;
        let (reader, links) = (&system.spaces[handoff.reader], &self.setting.machine.links);
        let operand = &reader.operands[handoff.operand];
        let Giver::Point { space, field, at, .. } = &handoff.giver else { return None };
        let giver = &system.spaces[*space];
        let what = match field {
            Field::Result => "computed",
            Field::Operand(_) => "passed on",
        };
        let point: Vec<String> = at.iter().map(|form| form.compact()).collect();
        let least = steps(self.design.least_handoff_delay(handoff, links).unwrap_or(1));
        let (name, tensor, from, at) = (&reader.name, &operand.tensor, &giver.name, point.join(","));
        let level = *space != handoff.reader && self.design.gives_many(handoff);
        let alike = if level { ", and not later and later as the sizes grow" } else { "" };
        let note = format!("`{name}` takes `{tensor}` {what} by `{from}` at ({at}), {least} later at least{alike}");
        Some(Said { note, label: Some((operand.span, "taken here".to_owned())) })
    }
}

fn steps(count: i64) -> String {
    counted(count, "step")
}

/// The labels without those said twice; one that holds another is cut before it, so that both can be drawn.
fn apart(mut labels: Vec<(Span, String)>) -> Vec<(Span, String)> {
    labels.sort();
    labels.dedup();
    let starts: Vec<Span> = labels.iter().map(|(span, _)| *span).collect();
    let cut = |(span, text): (Span, String)| {
        let inner = starts.iter().filter(|other| other.start > span.start && other.start < span.end);
        let end = inner.map(|other| other.start).min().unwrap_or(span.end);
        (Span { start: span.start, end }, text)
    };
    labels.into_iter().map(cut).collect()
}
