//! Cells: a step holds no more operations than the machine says.
//!
//! A space has one point in a step of a PE at most (`pe-conflict` of the space), so operations that share a step are of different
//! spaces. Where a step holds `k`, no `k + 1` spaces have a point each on one PE at one time.

use super::frame::Claim;
use super::system_frame::{SpacePoint, SystemFrame};
use super::wording::{Side, sides};
use systole_base::diagnostic::{Diagnostic, counted};
use systole_base::integer::{Affine, Name, name};
use systole_program::obligation::{Formula, Kind, Obligation, Reason};

impl SystemFrame<'_> {
    /// No PE runs a point of each of these spaces at one time: they are one more than a step holds.
    pub fn full_cell(&self, crowd: &[usize]) -> Obligation {
        let points: Vec<SpacePoint> =
            crowd.iter().enumerate().map(|(number, space)| self.point(*space, number)).collect();
        let names: Vec<Name> = crowd.iter().map(|space| self.space(*space).name.clone()).collect();
        let inside = points.iter().map(|point| self.inside(&self.space(point.space).domain.set, point));
        let times: Vec<Vec<Affine>> = points.iter().map(|point| self.time(point)).collect();
        let at_once = times.windows(2).map(|pair| Formula::same(&pair[0], &pair[1]));
        let (together, extras) = self.within_block(&points);
        self.state(Claim {
            kind: Kind::PeConflict,
            of: name(&names.join(", ")),
            points: crowd.to_vec(),
            extras,
            violation: inside.chain(at_once).chain([together]).collect(),
            reason: self.one_too_many(&points, &names),
        })
    }

    /// There are too many ways to choose one operation more than a step holds.
    pub fn too_many_crowds(&self) -> Diagnostic {
        let (kernel, spaces) = (&self.design.system.kernel, self.design.parts.len());
        Diagnostic::new(format!(
            "`{kernel}` has {spaces} spaces, too many for a cell of {} operations",
            self.links.cell
        ))
        .note("that no more of them share a step is proved for each choice of one more")
        .help("say `--cell all`, or fewer operations")
    }

    fn one_too_many(&self, points: &[SpacePoint], names: &[Name]) -> Reason {
        let (first, last) = (&points[0], &points[points.len() - 1]);
        let side = |what, point: &SpacePoint| Side {
            what,
            time: self.show_time(point),
            rest: format!("of `{}` on {}", self.space(point.space).name, self.show_pe(point)),
        };
        let (available, needed) = sides(&side("one point at", first), &side("another at", last));
        let listed: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let room = counted(points.len() - 1, "operation");
        Reason {
            broken: format!("a PE runs points of {} in one step, and its cell holds {room}", listed.join(", ")),
            blame: format!("gives points of {} on one PE the same time, where a cell holds {room}", listed.join(", ")),
            available,
            needed,
            help: "shift the time of one of them, give them different places, or say `--cell` with more operations"
                .to_owned(),
            moments: points.iter().map(|point| self.moment("one point", point)).collect(),
        }
    }
}
