//! `systole search`: the Pareto front, or every legal design.

use crate::driver::files::Named;
use crate::driver::flags::arguments::{SearchArguments, SoughtArguments};
use crate::driver::flags::setting::Setting;
use crate::driver::kernels::kernel::Loaded;
use crate::driver::kernels::searched::Searched;
use crate::driver::pipeline::{KernelCommand, LIMIT, on_network};
use crate::driver::shown::bound::Bound;
use crate::driver::shown::closure::Closure;
use crate::driver::shown::columns::comma_separated;
use crate::driver::shown::output::Output;
use crate::driver::shown::show;
use crate::driver::{Done, Verdict, files};
use systole_base::diagnostic::Diagnostic;
use systole_compile::extract::Found;

impl KernelCommand for SearchArguments {
    fn sought(&self) -> &SoughtArguments {
        &self.sought
    }

    fn written(&self) -> Vec<Named<'_>> {
        vec![("`--csv`", self.csv.as_deref())]
    }

    fn shows_all_forms(&self) -> bool {
        true
    }

    fn divides(&self) -> bool {
        !self.all
    }

    fn run(&self, Loaded { kernel, lowered }: Loaded, output: &Output) -> Done {
        let setting = Setting::new(&kernel, &self.sought.space)?;
        if self.all && setting.design.is_some() {
            let said =
                Diagnostic::usage("`--design` is for one design of the front, and `--all` shows all that there are");
            return Err(vec![said.help("leave one of the two out")].into());
        }
        let searched = kernel.search_as_far(&setting, self.all, output)?.chosen()?;
        let Some(best) = searched.front.first() else {
            if searched.survey.is_stopped {
                searched.stopped()?;
            }
            return Err(on_network(&searched, searched.why_nothing(LIMIT)?).into());
        };
        let report = &lowered.report;
        show::print_search(report, &searched, output);
        let (key, designs) = match self.all {
            true => ("all", &searched.survey.all[..]),
            false => ("front", &searched.front[..]),
        };
        let together = kernel.origin.together.as_ref();
        match together.filter(|_| !self.all) {
            Some(together) => together.print(self.most, output),
            None => print_table(&searched, designs, self.most, output),
        }
        let at = searched.counted().unwrap_or(&setting.sizes);
        let bound = Bound::at(&searched, at);
        if let Some(path) = &self.csv {
            let shown = together.filter(|_| !self.all);
            files::write(path, &shown.map_or_else(|| csv(&searched, designs), |together| together.csv()))?;
        }
        // Of all forms together there is no bound: each has operations of its own.
        if together.is_none() {
            output.line("");
            bound.iter().for_each(|bound| output.line(&format!("  bound     {}", bound.line(best.cost.cycles))));
            output.line(&format!("  {}", Closure::of(&searched).line()));
        }
        let winner = designs.iter().position(|found| found == best);
        let mut object = show::search_json(report, &searched, (key, designs), (winner, output));
        if let Some(bound) = &bound {
            object["bound"] = bound.to_json(best.cost.cycles);
        }
        if let Some(together) = together {
            object["together"] = together.to_json();
        }
        output.object(&object);
        Ok(Verdict::Good)
    }
}

/// All designs as comma-separated values.
fn csv(searched: &Searched, designs: &[Found]) -> String {
    let titles = show::FRONT.map(str::to_owned).to_vec();
    let row = |found: &Found| show::front_row(&found.cost, &show::design_line(searched, found));
    comma_separated(std::iter::once(titles).chain(designs.iter().map(row)))
}

fn print_table(searched: &Searched, designs: &[Found], most: usize, output: &Output) {
    output.line("");
    output.line(&format!("  {}", show::TITLES));
    for found in designs.iter().take(most) {
        show::design_rows(searched, found).iter().for_each(|row| output.line(&format!("  {row}")));
    }
    show::print_rest(designs.len(), most, output);
}
