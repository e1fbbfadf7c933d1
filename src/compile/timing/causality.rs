//! Causality: a value is there before it is used.
//!
//! For a flow along `d`, `t(x)` is not before `t(x - d)` plus the time the way takes: one step on a PE, the latency of
//! every hop between PEs. Vector times are compared lexicographically and the way is paid in the finest component.

use super::frame::{Claim, Frame, later};
use super::wording::{Side, sides, tuple, vector};
use crate::mapping::{Flow, FlowRole};
use systole_base::diagnostic::Diagnostic;
use systole_base::integer::{Affine, lexicographic_sign};
use systole_program::obligation::{Formula, Kind, Moment, Obligation, Reason};

impl Frame<'_> {
    /// The obligation of one flow; a message where the network has no link for it.
    pub fn causality(&self, flow: &Flow) -> Result<Obligation, Diagnostic> {
        let least = flow.least_delay(&self.links).ok_or_else(|| self.missing_link(flow))?;
        let x = self.point(0);
        let source = x.moved(&flow.direction, -1);
        let earliest = later(self.time(&source), &Affine::constant(least));
        Ok(self.state(Claim {
            kind: Kind::Causality,
            of: flow.of.clone(),
            points: 1,
            extras: vec![],
            violation: vec![
                self.inside(&flow.set, &x),
                self.inside(&flow.set, &source),
                Formula::before(&self.time(&x), &earliest),
            ],
            reason: self.too_fast(flow, &earliest, least),
        }))
    }

    fn too_fast(&self, flow: &Flow, earliest: &[Affine], least: i64) -> Reason {
        let x = self.point(0);
        let from = self.show_pe(&x.moved(&flow.direction, -1));
        let value = self.show_value(flow, &x);
        let output = &self.space().output;
        let (available, needed) = sides(
            &Side { what: "available at", time: tuple(earliest), rest: format!("{value} from {from}") },
            &Side { what: "needed at", time: self.show_time(&x), rest: format!("at {}", self.show_pe(&x)) },
        );
        Reason {
            broken: match flow.role {
                FlowRole::Operand(_) | FlowRole::Face(..) => format!("operands of `{output}` do not meet"),
                FlowRole::Reduction(_) => format!("the running value of `{output}` is used before it is there"),
            },
            blame: self.blame_haste(flow, least),
            available,
            needed,
            help: self.needed_coefficients(flow, least),
            moments: vec![
                Moment { what: "available", place: self.place(&x.moved(&flow.direction, -1)), time: earliest.to_vec() },
                self.moment("needed", &x),
            ],
        }
    }

    fn blame_haste(&self, flow: &Flow, least: i64) -> String {
        let (of, along) = (&flow.of, self.show_along(&flow.direction));
        match lexicographic_sign(&flow.delay) {
            0 => format!("leaves no step for {of} to travel along {along}"),
            1 => format!("leaves {of} less than {} steps to travel along {along}", self.show_steps(least)),
            _ => format!("lets {of} run backwards along {along}"),
        }
    }

    fn needed_coefficients(&self, flow: &Flow, least: i64) -> String {
        let latency = self.links.latency;
        let way = match self.links.network.hops(&flow.displacement) {
            None | Some(0) => "on one PE".to_owned(),
            Some(1) => format!("on links of latency {latency}"),
            Some(hops) => format!("over {hops} links of latency {latency}"),
        };
        let coefficients = self.show_coefficients(&flow.direction);
        format!("every schedule needs {coefficients} >= {} {way}", self.show_steps(least))
    }

    fn missing_link(&self, flow: &Flow) -> Diagnostic {
        let along = self.space().show_direction(&flow.direction);
        let (of, network, by) = (&flow.of, self.links.network, vector(&flow.displacement));
        Diagnostic::new(format!("`{of}` cannot travel along {along} on a `{network}` network"))
            .note(format!("it would move by {by} PEs, and no link of the network joins PEs that far apart"))
            .help("change `place` or the direction, or choose a network with such links: `--network mesh`")
    }
}
