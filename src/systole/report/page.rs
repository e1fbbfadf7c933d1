//! The page: the data in the template, with its style and script inside.
//!
//! Invariant: no text of a user ends an element or begins one. In the JSON every `<` is written as an escape, which the
//! page's own reader turns back; everywhere else `&`, `<`, `>` and quotes are entities. The page loads nothing: its content
//! policy forbids every request.

use super::data::{Fact, Report};
use systole_base::diagnostic::{Checked, Diagnostic};

const TEMPLATE: &str = include_str!("page.html");

const STYLE: &str = include_str!("page.css");

/// The script in the order in which its parts build on each other.
const SCRIPT: [&str; 9] = [
    include_str!("script/drawing.js"),
    include_str!("script/player.js"),
    include_str!("script/work.js"),
    include_str!("script/array.js"),
    include_str!("script/diagrams.js"),
    include_str!("script/clash.js"),
    include_str!("script/tables.js"),
    include_str!("script/front.js"),
    include_str!("script/page.js"),
];

/// The text of the page.
///
/// # Errors
/// Data that cannot be written as JSON, which is a defect.
pub fn page(report: &Report) -> Checked<String> {
    let data = serde_json::to_string(report)
        .map_err(|error| vec![Diagnostic::new(format!("the page's data cannot be written: {error}"))])?;
    let values = [
        ("title", escaped(&report.title)),
        ("style", STYLE.to_owned()),
        ("summary", summary(report)),
        ("data", data.replace('<', "\\u003c")),
        ("script", SCRIPT.concat()),
    ];
    Ok(filled(TEMPLATE, &values))
}

/// The template with each `{{name}}` replaced once; what is filled in is not looked at again.
fn filled(template: &str, values: &[(&str, String)]) -> String {
    let mut parts = template.split("{{");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once("}}").unwrap_or((part, ""));
        text.push_str(values.iter().find(|(key, _)| *key == name).map_or("", |(_, value)| value));
        text.push_str(rest);
    }
    text
}

/// The summary for readers without script: facts, schedule and proofs as tables.
fn summary(report: &Report) -> String {
    let fact = |fact: &Fact| vec![fact.name.clone(), fact.value.clone()];
    let facts = table(&["", ""], report.facts.iter().map(fact));
    let line = |line: &super::SpaceSchedule| {
        vec![line.name.clone(), format!("t = {}", line.time), format!("PE {}", line.place), line.moves.join(", ")]
    };
    let schedule = table(&["space", "time", "place", "transports"], report.schedule.iter().map(line));
    let proof = |proof: &super::Proof| {
        vec![proof.kind.to_owned(), proof.of.clone(), proof.verdict.to_owned(), proof.remark.clone()]
    };
    let proofs = table(&["obligation", "of", "verdict", ""], report.proofs.iter().map(proof));
    let equations: String = report.equations.iter().map(|text| format!("<p>{}</p>", escaped(text))).collect();
    let waits = report.run.iter().filter_map(|run| run.deadlock.as_ref()).flat_map(|waits| &waits.listed);
    let waits: String = waits.map(|wait| format!("<p>{}</p>", escaped(&wait.text))).collect();
    format!("{equations}{facts}{schedule}{proofs}{waits}")
}

fn table(heads: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let cells = |cells: &mut dyn Iterator<Item = String>, tag: &str| -> String {
        cells.map(|cell| format!("<{tag}>{}</{tag}>", escaped(&cell))).collect()
    };
    let rows: String = rows.map(|row| format!("<tr>{}</tr>", cells(&mut row.into_iter(), "td"))).collect();
    if rows.is_empty() {
        return rows;
    }
    let head = cells(&mut heads.iter().map(|head| (*head).to_owned()), "th");
    format!("<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")
}

/// Text as it stands in an element or in an attribute.
fn escaped(text: &str) -> String {
    let entity = |letter: char| match letter {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        '\'' => "&#39;".to_owned(),
        letter => letter.to_string(),
    };
    text.chars().map(entity).collect()
}
