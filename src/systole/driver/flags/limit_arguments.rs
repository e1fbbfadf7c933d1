//! How far rules are followed: the flags of all commands that saturate, and what is said where they struck.
//!
//! In: flags. Out: [`Limits`] of the laws of algebra and of the rules of dataflows, which have limits of their own where the flags say
//! nothing. Invariant: what is found within nodes and rounds is the same on every machine; laws that end after some time say so. Rules of
//! dataflows saturate soon and have no limit of time: without them there would be nothing to go on with.

use clap::Args;
use serde_json::{Value, json};
use std::time::Duration;
use systole_base::diagnostic::{Diagnostics, counted};
use systole_compile::rewrite::{Limits, Report};

/// How far rules are followed.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct LimitArguments {
    /// E-nodes beyond which no round begins; one that has begun stops at twice as many [default: 2000 for laws of algebra, 100000 for dataflows]
    #[arg(long)]
    pub nodes: Option<usize>,
    /// The most rounds of all rules [default: 30 for laws of algebra, 100 for dataflows]
    #[arg(long)]
    pub rounds: Option<usize>,
}

impl LimitArguments {
    /// Those of the laws of algebra, which multiply terms; they end after this time, if one is given.
    pub fn of_laws(&self, time: Option<Duration>) -> Limits {
        let limits = self.or(Limits::of(30, 2000));
        Limits { time: time.unwrap_or(limits.time), ..limits }
    }

    /// Those of the rules of dataflows, which saturate.
    pub fn of_dataflows(&self) -> Limits {
        self.or(Limits::default())
    }

    fn or(&self, limits: Limits) -> Limits {
        Limits {
            iterations: self.rounds.unwrap_or(limits.iterations),
            nodes: self.nodes.unwrap_or(limits.nodes),
            time: limits.time,
        }
    }
}

/// What saturation did, in words.
pub fn told(report: &Report) -> String {
    let Report { nodes, classes, iterations, .. } = report;
    let (nodes, classes) = (counted(*nodes, "e-node"), counted(*classes, "class"));
    let rounds = counted(*iterations, "round");
    format!("{nodes}, {classes}, {} in {rounds}{}", report.stop_text(), hint(report))
}

fn hint(report: &Report) -> &'static str {
    if report.stop == "TimeLimit" { ", which depends on the machine" } else { "" }
}

/// The same for programs.
pub fn to_json(report: &Report) -> Value {
    json!({
        "nodes": report.nodes, "classes": report.classes, "iterations": report.iterations, "stop": report.stop,
    })
}

/// The messages of a command that found nothing, with a word on the limit that may be why.
pub fn blamed(report: &Report, mut messages: Diagnostics) -> Diagnostics {
    if !report.is_saturated() && !messages.is_empty() {
        let why = format!("rewriting was {}{}", report.stop_text(), hint(report));
        // With more of it what is said here may not be so.
        let flag = match report.stop.as_str() {
            "TimeLimit" => "--seconds",
            _ => "--nodes or --rounds",
        };
        let first = messages.remove(0).note(why).help(format!("allow more with {flag}"));
        messages.insert(0, first);
    }
    messages
}
