//! `systole emit --closed-form`: a scheme as text or as JSON.

use crate::driver::flags::arguments::EmitArguments;
use crate::driver::shown::output::Output;
use crate::driver::{Done, Verdict, files};
use serde_json::{Value, json};
use systole_base::integer::{Affine, Name};
use systole_compile::systolize::{Cases, Scheme, Stream, show_guard};

/// Prints the closed forms, or writes them to a file.
pub fn write(scheme: &Scheme, arguments: &EmitArguments, saturation: &Value, output: &Output) -> Done {
    let text = scheme.to_string();
    match &arguments.output {
        Some(path) => files::write(path, &text)?,
        None => output.line(text.trim_end()),
    }
    let mut object = json(scheme);
    object["saturation"] = saturation.clone();
    output.object(&object);
    Ok(Verdict::Good)
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
    let one = |case: &systole_compile::systolize::Case<T>| json!({ "guard": show_guard(&case.guard, names), "value": value(&case.value) });
    cases.iter().map(one).collect()
}
