//! `systole emit --closed-form`: the scheme of a schedule, as text or as JSON.

use super::arguments::EmitArguments;
use super::output::Output;
use super::pipeline::{self, Loaded};
use super::setting::Setting;
use super::{Done, Verdict, border, files, show};
use crate::diagnostic::Checked;
use crate::integer::{Affine, Name};
use crate::mapping::SpaceTimeMap;
use crate::systolize::{Cases, Scheme, Stream, show_guard, systolize};
use serde_json::{Value, json};

/// Prints the closed forms of the schedule's place and time, or of the best design that a search finds for it.
pub fn run(loaded: &Loaded, arguments: &EmitArguments, output: &Output) -> Done {
    let setting = Setting::new(loaded, &arguments.space)?;
    let map = match (&setting.constraint.place, &setting.constraint.step) {
        (Some(place), Some(step)) => SpaceTimeMap { place: place.clone(), step: step.clone() },
        _ => searched(loaded, arguments, output)?,
    };
    let scheme = systolize(&loaded.space, &map, &border::loading(&setting.constraint))?;
    let text = scheme.to_string();
    match &arguments.output {
        Some(path) => files::write(path, &text)?,
        None => output.line(text.trim_end()),
    }
    output.object(&json(&scheme));
    Ok(Verdict::Good)
}

fn searched(loaded: &Loaded, arguments: &EmitArguments, output: &Output) -> Checked<SpaceTimeMap> {
    let searched = pipeline::search(loaded, &arguments.space, false, output)?;
    let best = searched.front.first().map(|found| found.map.clone());
    best.ok_or_else(|| vec![show::nothing_found(loaded, &searched)])
}

/// The scheme as an object: forms and guards as text, vectors as numbers.
fn json(scheme: &Scheme) -> Value {
    let names = &scheme.processes.coordinates;
    let sides = names.iter().enumerate().map(|(axis, name)| scheme.show_side(axis, name));
    let quotients = scheme.quotients.iter().map(|quotient| {
        json!({ "name": &*quotient.name, "numerator": quotient.numerator.to_string(), "divisor": quotient.divisor })
    });
    json!({
        "kernel": &*scheme.kernel,
        "place": scheme.place.rows(),
        "step": scheme.step,
        "processes": sides.collect::<Vec<_>>(),
        "quotients": quotients.collect::<Vec<_>>(),
        "increment": scheme.increment,
        "first": cases(&scheme.first, names, |forms| point(forms)),
        "last": cases(&scheme.last, names, |forms| point(forms)),
        "count": cases(&scheme.count, names, number),
        "streams": scheme.streams.iter().map(|stream| stream_json(stream, names)).collect::<Vec<_>>(),
    })
}

fn stream_json(stream: &Stream, names: &[Name]) -> Value {
    let (before, after) = if stream.is_stationary() { ("recover", "load") } else { ("soak", "drain") };
    json!({
        "tensor": &*stream.tensor,
        "stationary": stream.is_stationary(),
        "flow": stream.flow,
        "direction": stream.direction,
        "increment": stream.increment,
        "internal_buffers": stream.denominator - 1,
        "first": cases(&stream.first, names, |forms| point(forms)),
        "last": cases(&stream.last, names, |forms| point(forms)),
        "elements": cases(&stream.count, names, number),
        before: cases(&stream.before, names, number),
        after: cases(&stream.after, names, number),
    })
}

fn point(forms: &[Affine]) -> Value {
    forms.iter().map(Affine::to_string).collect()
}

fn number(form: &Affine) -> Value {
    form.to_string().into()
}

fn cases<T>(cases: &Cases<T>, names: &[Name], value: impl Fn(&T) -> Value) -> Value {
    let one = |case: &crate::systolize::Case<T>| json!({ "guard": show_guard(&case.guard, names), "value": value(&case.value) });
    cases.iter().map(one).collect()
}
