//! `systole search`: the Pareto front, or every legal design.

use super::arguments::{SearchArguments, SoughtArguments};
use super::kernel::Kernel;
use super::output::Output;
use super::pipeline::{KernelCommand, LIMIT, Loaded, Searched};
use super::setting::Setting;
use super::{Done, Verdict, show};
use crate::cost::Cost;

impl KernelCommand for SearchArguments {
    fn sought(&self) -> &SoughtArguments {
        &self.sought
    }

    fn shows_all_forms(&self) -> bool {
        true
    }

    fn run<K: Kernel>(&self, Loaded { kernel, lowered }: Loaded<K>, output: &Output) -> Done {
        let setting = Setting::new(&kernel, &self.sought.space)?;
        let searched = kernel.search(&setting, self.all, output)?;
        let Some(best) = searched.front.first() else {
            return Err(K::why_nothing(&searched, LIMIT)?.into());
        };
        let report = K::report(&lowered);
        show::print_search(report, &searched, output);
        let (key, designs) = match self.all {
            true => ("all", K::every(&searched.survey)),
            false => ("front", &searched.front[..]),
        };
        print_table(&searched, designs, self.most, output);
        if let Some(together) = &kernel.origin().together {
            together.print(self.most, output);
        }
        let winner = designs.iter().position(|found| found == best);
        let mut object = show::search_json(report, &searched, (key, designs), winner);
        if let Some(together) = &kernel.origin().together {
            object["together"] = together.to_json();
        }
        output.object(&object);
        Ok(Verdict::Good)
    }
}

/// The names of the columns that [`costs`] has.
pub const TITLES: &str = "cycles   PEs  channel  memory  buffers  fanout";

/// What a design costs, in columns.
pub fn costs(cost: &Cost) -> String {
    format!(
        "{:>6} {:>5} {:>8} {:>7} {:>8} {:>7}",
        cost.cycles, cost.pes, cost.channel_words, cost.memory_words, cost.buffers, cost.fanout
    )
}

fn print_table<K: Kernel>(searched: &Searched<K>, designs: &[K::Found], most: usize, output: &Output) {
    output.line("");
    output.line(&format!("  {TITLES}   design"));
    for found in designs.iter().take(most) {
        let (cost, words) = (K::cost(found), K::words(&K::design(searched, found)));
        let line = words.line().map_or_else(String::new, |line| format!("   {line}"));
        output.line(&format!("  {}{line}", costs(cost)));
        words.spaces().iter().for_each(|line| output.line(&format!("           {line}")));
    }
    if designs.len() > most {
        output.line(&format!("  and {} more: --most {}, or --json", designs.len() - most, designs.len()));
    }
}
