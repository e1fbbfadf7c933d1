//! A schedule with its tiles, and the programs of its designs.
//!
//! In: the flags of `systole tune`. Out: every schedule with every tiling, and for each the programs of its best designs, not proved
//! yet; or the program of one of them with its proofs.

use crate::driver::flags::arguments::SoughtArguments;
use crate::driver::flags::setting::{Setting, check_flags};
use crate::driver::kernels::distributed::run_obligations;
use crate::driver::kernels::kernel::Loaded;
use crate::driver::kernels::origin::tile_size;
use crate::driver::pipeline::{KernelCommand, first_proved, messages, on_network, verdict};
use crate::driver::runs::{inputs, trial};
use crate::driver::shown::output::Output;
use crate::driver::{Done, Failure, Verdict, pipeline};
use std::cell::RefCell;
use std::time::Duration;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_compile::smt;
use systole_equations::recurrence;
use systole_program::array::{Program, print, validate};
use systole_run::exec::Settings;

/// A schedule with its tiles.
pub struct Draft {
    sought: SoughtArguments,
    /// The schedule, `search` where none is taken from the file, and the tiles.
    pub name: String,
}

/// A program, and how many obligations of it are proved.
pub struct Drafted {
    pub program: Program,
    pub text: String,
    pub proofs: usize,
}

impl Draft {
    /// Every schedule with every tiling, in the order of the file and of the flags.
    ///
    /// # Errors
    /// A kernel that cannot be read, a side that is no number.
    pub fn all(sought: &SoughtArguments) -> Checked<Vec<Draft>> {
        check_flags(&sought.space)?;
        let system = recurrence::load(&pipeline::source(&sought.kernel.kernel)?)?;
        let named = system.schedules.iter().map(|schedule| Some(schedule.name.to_string()));
        let schedules: Vec<Option<String>> = match &sought.space.schedule {
            Some(name) => vec![Some(name.clone())],
            None => named.chain([None]).collect(),
        };
        let tilings = tilings(&sought.space.tile)?;
        let with = |schedule: &Option<String>| -> Vec<Draft> {
            tilings.iter().map(|tiling| Draft::new(sought, schedule.as_deref(), tiling)).collect()
        };
        Ok(schedules.iter().flat_map(with).collect())
    }

    fn new(sought: &SoughtArguments, schedule: Option<&str>, tiling: &[String]) -> Draft {
        let mut sought = sought.clone();
        sought.space.schedule = schedule.map(str::to_owned);
        sought.space.tile = tiling.to_vec();
        let tiles = if tiling.is_empty() { String::new() } else { format!(" {}", tiling.join(",")) };
        Draft { sought, name: format!("{}{tiles}", schedule.unwrap_or("search")) }
    }

    /// The programs of its best designs, so many at most.
    ///
    /// # Errors
    /// No design.
    pub fn programs(&self, most: usize) -> Result<Vec<Program>, Failure> {
        let drafted = self.run(Task::Weigh(most))?;
        Ok(drafted.into_iter().map(|drafted| drafted.program).collect())
    }

    /// The program of one of these designs, distributed as it is said to be; it is proved, and so is that run of it.
    ///
    /// # Errors
    /// An obligation that is refuted or unknown.
    pub fn proved(&self, design: usize, way: &Settings, limit: u64) -> Result<Drafted, Failure> {
        let proved = self.run(Task::Prove { design, way, limit })?.pop();
        proved.ok_or_else(|| vec![Diagnostic::new("the design is not found again")].into())
    }

    fn run(&self, task: Task<'_>) -> Result<Vec<Drafted>, Failure> {
        let drafting = Drafting { draft: self, task, drafted: RefCell::default() };
        pipeline::run(&drafting, &Output::silent())?;
        Ok(drafting.drafted.into_inner())
    }
}

/// What is to be done with the front.
#[derive(Clone, Copy)]
enum Task<'a> {
    /// So many programs at most.
    Weigh(usize),
    /// The program of one design, run in this way, each obligation within so many milliseconds.
    Prove { design: usize, way: &'a Settings, limit: u64 },
}

struct Drafting<'a> {
    draft: &'a Draft,
    task: Task<'a>,
    drafted: RefCell<Vec<Drafted>>,
}

impl KernelCommand for Drafting<'_> {
    fn sought(&self) -> &SoughtArguments {
        &self.draft.sought
    }

    fn divides(&self) -> bool {
        false
    }

    fn run(&self, Loaded { kernel, .. }: Loaded, output: &Output) -> Done {
        let setting = Setting::new(&kernel, &self.draft.sought.space)?;
        let mut searched = kernel.search_to_the_end(&setting, output)?;
        let drafted = match self.task {
            // Then it says why.
            Task::Weigh(_) if searched.front.is_empty() => {
                first_proved(&searched, pipeline::LIMIT, output).map(|_| vec![])?
            }
            Task::Weigh(most) => {
                let designs = searched.front.iter().take(most);
                let program = |found| drafted(searched.program(&searched.design(found))?, 0);
                designs.map(program).collect::<Checked<_>>()?
            }
            Task::Prove { design, way, limit } => {
                let Settings { capacity, distribution, layout, order, .. } = *way;
                let origin = &kernel.origin;
                let distributions = origin.distributions.unless(distribution, layout, &origin.system).in_order(order);
                searched.front = searched.front.into_iter().skip(design).take(1).collect();
                let (_, _, design, proofs) = first_proved(&searched, limit, output)?;
                let (of_run, _) = run_obligations(&searched, &design, capacity, &distributions)?;
                let run = smt::discharge_all(&of_run, Duration::from_millis(limit));
                match verdict(&run) {
                    Verdict::Good => {
                        let mut program = searched.program(&design)?;
                        distributions.write(&mut program);
                        trial::check(&searched, &design, &program, output)?;
                        vec![drafted(program, proofs.len() + run.len())?]
                    }
                    verdict => {
                        let diagnostics = on_network(&searched, messages(&searched, &run));
                        return Err(Failure { diagnostics, verdict });
                    }
                }
            }
        };
        *self.drafted.borrow_mut() = drafted;
        Ok(Verdict::Good)
    }
}

fn drafted(program: Program, proofs: usize) -> Checked<Drafted> {
    validate(&program)?;
    Ok(Drafted { text: print(&program), program, proofs })
}

/// Every combination of the sides of tiles, `i=64:128,j=64`, the last index fastest.
fn tilings(tiles: &[String]) -> Checked<Vec<Vec<String>>> {
    inputs::check_once("--tile", tiles)?;
    let mut tilings = vec![vec![]];
    for text in tiles.iter().filter(|text| !text.is_empty()) {
        let Some((index, sides)) = text.split_once('=') else {
            let fault = Diagnostic::usage(format!("`{text}` is no index with sides of tiles"));
            return fault.help("write --tile i=64:128,j=64, several sides with `:`").alone();
        };
        let sides: Vec<String> = sides.split(':').map(|side| format!("{index}={side}")).collect();
        sides.iter().try_for_each(|side| tile_size(side).map(|_| ()))?;
        let with = |tiling: &Vec<String>, side: &String| [&tiling[..], std::slice::from_ref(side)].concat();
        tilings = tilings.iter().flat_map(|tiling| sides.iter().map(move |side| with(tiling, side))).collect();
    }
    Ok(tilings)
}
