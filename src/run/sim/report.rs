//! An outcome as JSON and as a table.

use super::{Counters, Outcome};
use crate::shared::{Deadlock, PeerState};
use serde_json::{Map, Value, json};
use systole_base::diagnostic::{WIDEST, counted};

/// How many blocked PEs the JSON lists; `total` counts all.
const LISTED: usize = 64;

/// The outcome with the keys that others rely on; with `lead`, where the first step has to wait for memory, with `step`, where a step takes more than a cycle, and with `calls`, where
/// leaves were called.
pub fn to_json(outcome: &Outcome) -> Value {
    let counters = &outcome.counters;
    let mut object = json!({
        "cycles": outcome.cycles,
        "pes": outcome.pes,
        "busy": counters.busy(),
        "stall": counters.stalled(),
        "starve": counters.starved(),
        "utilisation": outcome.utilisation(),
        "fullest": counters.fullest,
        "messages": counters.messages(),
        "max_depth": each_channel(counters, |channel| channel.max_depth),
        "depth": each_channel(counters, |channel| channel.declared_depth),
        "memory_words": memory_words(counters),
        "operations": operations(counters),
        "matches_reference": null,
        "deadlock": outcome.deadlock.as_ref().map_or(Value::Null, deadlock_to_json),
    });
    if outcome.lead > 0 {
        object["lead"] = json!(outcome.lead);
    }
    if outcome.step > 1 {
        object["step"] = json!(outcome.step);
    }
    if !counters.calls.is_empty() {
        let calls = counters.calls.iter().map(|(leaf, count)| (leaf.to_string(), json!(count)));
        object["calls"] = Value::Object(calls.collect());
    }
    object
}

fn each_channel(counters: &Counters, value: impl Fn(&super::ChannelCounters) -> u64) -> Map<String, Value> {
    counters.channels.iter().map(|channel| (channel.name.to_string(), json!(value(channel)))).collect()
}

fn memory_words(counters: &Counters) -> Map<String, Value> {
    let words = counters.memory.iter().map(|(name, traffic)| {
        let value = json!({
            "loaded": traffic.loaded,
            "prefetched": traffic.prefetched,
            "local": traffic.local,
            "stored": traffic.stored,
        });
        (name.to_string(), value)
    });
    words.collect()
}

fn operations(counters: &Counters) -> Map<String, Value> {
    counters.operations.iter().map(|(function, count)| (function.keyword().to_owned(), json!(count))).collect()
}

/// A deadlock as JSON.
pub fn deadlock_to_json(deadlock: &Deadlock) -> Value {
    let show = |blocked: &crate::shared::Blocked| {
        json!({
            "pe": blocked.pe,
            "class": &*blocked.class,
            "channel": &*blocked.link,
            "cause": blocked.cause.keyword(),
            "clock": blocked.clock,
            "waits_for": blocked.peer.as_ref().map(|peer| &peer.pe),
            "tag": blocked.tag,
            "peer": blocked.peer.as_ref().map(|peer| peer.state.keyword()),
            "peer_finished": blocked.peer.as_ref().map(|peer| peer.state == PeerState::Finished),
        })
    };
    let pes = |positions: &[usize]| positions.iter().map(|at| json!(deadlock.blocked[*at].pe)).collect::<Vec<_>>();
    json!({
        "total": deadlock.blocked.len(),
        "blocked": deadlock.blocked.iter().take(LISTED).map(show).collect::<Vec<_>>(),
        "cycle": pes(&deadlock.cycle),
        "other_cycles": deadlock.other_cycles.iter().take(LISTED).map(|cycle| pes(cycle)).collect::<Vec<_>>(),
        "ends": pes(deadlock.ends().get(..LISTED).unwrap_or(&deadlock.ends())),
    })
}

/// The outcome as lines for people.
pub fn to_table(outcome: &Outcome) -> String {
    let mut rows = totals(outcome);
    let calls = outcome.counters.calls.iter();
    rows.extend(calls.map(|(leaf, count)| (format!("leaf {leaf}"), counted(*count, "call"))));
    rows.extend(channel_rows(&outcome.counters));
    rows.extend(memory_rows(&outcome.counters));
    let width = rows.iter().map(|(key, _)| key.chars().count()).max().unwrap_or(0).min(WIDEST);
    rows.iter().map(|(key, value)| format!("{key:<width$}  {value}\n")).collect()
}

fn totals(outcome: &Outcome) -> Vec<(String, String)> {
    let counters = &outcome.counters;
    let percent = 100.0 * outcome.utilisation();
    let row = |key: &str, value: String| (key.to_owned(), value);
    let step = (outcome.step > 1).then(|| row("step", counted(outcome.step, "cycle")));
    let lead =
        (outcome.lead > 0).then(|| row("lead", format!("{} before the first step", counted(outcome.lead, "cycle"))));
    let mut rows = vec![row("cycles", outcome.cycles.to_string())];
    rows.extend(lead.into_iter().chain(step));
    rows.extend([
        row("PEs", outcome.pes.to_string()),
        row("busy", format!("{} ({percent:.1} %)", counted(counters.busy(), "PE-cycle"))),
        row("fullest", format!("{} busy in one cycle", counted(counters.fullest, "PE"))),
        row("stalled", counted(counters.stalled(), "PE-cycle")),
        row("starved", counted(counters.starved(), "PE-cycle")),
        row("messages", counters.messages().to_string()),
    ]);
    rows
}

fn channel_rows(counters: &Counters) -> Vec<(String, String)> {
    let channels = counters.channels.iter().map(|channel| {
        let (words, used, declared) = (channel.words, channel.max_depth, channel.declared_depth);
        (format!("channel {}", channel.name), format!("{}, depth {used} of {declared}", counted(words, "word")))
    });
    let buses = counters.buses.iter().map(|bus| {
        (format!("bus {}", bus.name), format!("{} driven, {} heard", counted(bus.driven, "word"), bus.heard))
    });
    channels.chain(buses).collect()
}

fn memory_rows(counters: &Counters) -> Vec<(String, String)> {
    let rows = counters.memory.iter().map(|(name, traffic)| {
        let parts = [
            (traffic.loaded, "loaded"),
            (traffic.prefetched, "prefetched"),
            (traffic.local, "read locally"),
            (traffic.stored, "stored"),
        ];
        let shown = parts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
        (format!("array {name}"), shown.collect::<Vec<_>>().join(", "))
    });
    rows.collect()
}
