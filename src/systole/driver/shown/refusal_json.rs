//! Why there is no design, for programs: `"refusal": {"kind": ..}` beside what else a command has to say.

use serde_json::{Value, json};
use systole_base::diagnostic::{Diagnostics, refusal_of};
use systole_base::refusal::{Clash, Refusal, WithoutOne};

/// The object of a command that stopped early since there is no design.
pub fn failure_json(diagnostics: &Diagnostics) -> Option<Value> {
    Some(json!({ "refusal": refusal_json(refusal_of(diagnostics)?) }))
}

/// A refusal: its kind, and what is known of it.
pub fn refusal_json(refusal: &Refusal) -> Value {
    let known = match refusal {
        Refusal::Cycle { elements, sizes } => json!({ "elements": elements, "sizes": sizes }),
        Refusal::NoOrder { rows, left } => {
            let reads: Vec<Value> = left.iter().map(|(tensor, by)| json!({ "tensor": tensor, "space": by })).collect();
            json!({ "rows": rows, "reads": reads })
        }
        Refusal::Contradiction(clash) => clash_json(clash),
        Refusal::Machine { machine, takes } => json!({ "machine": machine, "takes": takes }),
        Refusal::NotFound { limits, flags, lines } => {
            let mut object = lines.as_ref().map_or_else(|| json!({}), clash_json);
            object["limits"] = json!(limits);
            object["flags"] = json!(flags);
            object
        }
    };
    let mut object = json!({ "kind": refusal.keyword() });
    known.as_object().into_iter().flatten().for_each(|(key, value)| object[key] = value.clone());
    object
}

fn clash_json(clash: &Clash) -> Value {
    let lines: Vec<Value> = clash.lines.iter().map(|one| json!({ "line": one.line, "text": one.text })).collect();
    let without_one = match clash.without_one {
        WithoutOne::Design => "design",
        WithoutOne::Open => "open",
        WithoutOne::Unknown => "unknown",
    };
    json!({ "lines": lines, "without_one": without_one })
}
