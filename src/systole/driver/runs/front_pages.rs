//! `--pages`: a page for each design of the front, each proved and run, all with the same plot.
//!
//! In: a search, the path of the page of the best design. Out: the front, with the names of the pages that were written beside that path:
//! `front.html` has `front.2.html` for the second design. A design that is not proved, or that one program cannot express, has none.

use crate::driver::flags::program_arguments::ArrayArguments;
use crate::driver::kernels::searched::Searched;
use crate::driver::kernels::shape;
use crate::driver::kernels::written::Written;
use crate::driver::pipeline::{Winner, prove};
use crate::driver::runs::agreement::compare;
use crate::driver::runs::{inputs, timed};
use crate::driver::shown::reporting;
use crate::report::{Front, Recorder, Report};
use std::path::{Path, PathBuf};
use systole_base::diagnostic::Checked;
use systole_base::scalar::Precision;
use systole_compile::rewrite::Lowered;
use systole_compile::smt::Verdict;
use systole_program::array::{Program, check};
use systole_run::sim::{Outcome, simulate_observed};

/// What the pages are made of.
pub struct FrontPages<'a> {
    searched: &'a Searched<'a>,
    path: &'a Path,
    limit: u64,
    arrays: &'a ArrayArguments,
}

/// A page that is not written yet.
struct Drafted {
    place: usize,
    report: Report,
    program: Program,
    outcome: Outcome,
    recorder: Recorder,
}

impl<'a> FrontPages<'a> {
    /// Pages beside a path, with so many milliseconds for the proof of each obligation.
    pub fn new(
        searched: &'a Searched<'a>,
        (path, limit): (&'a Path, u64),
        arrays: &'a ArrayArguments,
    ) -> FrontPages<'a> {
        FrontPages { searched, path, limit, arrays }
    }

    /// Writes all pages but that of the winner; the front as the winner's page has it.
    ///
    /// # Errors
    /// What a run or a file refuses.
    pub fn write(&self, lowered: &mut Lowered, winner: usize) -> Checked<Front> {
        let mut front = reporting::front(self.searched, winner);
        let mut drafted = vec![];
        for place in (0..front.rows.len()).filter(|place| *place != winner) {
            drafted.extend(self.draft(lowered, place)?);
        }
        for place in drafted.iter().map(|draft| draft.place).chain([winner]) {
            let file = self.file(place, winner);
            // The winner may stand behind those that are drawn.
            if let Some(row) = front.rows.get_mut(place) {
                row.page = file.file_name().map(|name| name.to_string_lossy().into_owned());
            }
        }
        for Drafted { place, mut report, program, outcome, recorder } in drafted {
            report.front = Some(Front { shown: Some(place), ..front.clone() });
            reporting::write_run(&self.file(place, winner), report, &program, (&outcome, recorder))?;
        }
        Ok(front)
    }

    /// The file of a design: that of the winner is the one that was asked for.
    fn file(&self, place: usize, winner: usize) -> PathBuf {
        match place == winner {
            true => self.path.to_owned(),
            false => self.path.with_extension(format!("{}.html", place + 1)),
        }
    }

    /// Proves and runs a design; nothing where it is refuted, not decided, or has no program.
    fn draft(&self, lowered: &mut Lowered, place: usize) -> Checked<Option<Drafted>> {
        let searched = self.searched;
        let Some(found) = searched.front.get(place) else { return Ok(None) };
        let design = searched.design(found);
        let Ok(proofs) = prove(searched, &design, self.limit) else { return Ok(None) };
        if proofs.iter().any(|proof| proof.verdict != Verdict::Proved) {
            return Ok(None);
        }
        let record = format!("proved-by-{}-obligations-{place}", proofs.len());
        shape::record(lowered, &design, &record);
        let winner = Winner { index: place, found: found.clone(), design, proofs, record };
        let Ok(Written { program, .. }) = Written::new(searched, &winner) else { return Ok(None) };
        let setting = searched.setting;
        check(&program, &setting.given)?;
        let system = &searched.kernel.origin.system;
        let tensors = inputs::tensors(&program, system, &setting.given, &self.arrays.given()?, self.arrays.seed)?;
        let (mut recorder, settings) = (Recorder::default(), timed::settings(&setting.machine));
        let outcome = simulate_observed(&program, &setting.given, &tensors, &settings, &mut recorder)?;
        let expected = searched.expected(&winner.design, &tensors)?;
        let agreement = compare(&expected, &outcome, Precision::Double).strictly();
        let steps = shape::explain(lowered, &winner.design);
        let report = reporting::of_winner(searched, &winner, &steps, (&outcome, (&agreement, None)));
        Ok(Some(Drafted { place, report, program, outcome, recorder }))
    }
}
