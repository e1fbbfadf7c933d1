//! A program over tiles is tried before anybody gets it. What is proved of it is proved of tiles; that its leaves compute what the
//! equations say of elements is not.
//!
//! In: a design over tiles and its program. Out: nothing, or the element that differs. The trial is small: one whole tile along each axis
//! and one element of the next, where that is few enough elements to be done in a moment. [`simulate`] is held against
//! [`Searched::expected_at`], which has the order of the tiles, bit for bit, and that against [`evaluate`], which knows of no tiles.

use super::agreement::{Agreement, compare, compare_outputs};
use super::inputs;
use crate::driver::kernels::searched::Searched;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Bindings, Parameters};
use systole_base::scalar::Precision;
use systole_compile::mapping::Design;
use systole_equations::recurrence::evaluate;
use systole_equations::tiles::Tiled;
use systole_program::array::Program;
use systole_run::sim::{Settings, simulate};

/// A trial has no more points than this in any space.
const MOST_POINTS: i64 = 1 << 21;

/// What sizes are that nothing divides.
const UNDIVIDED: i64 = 3;

/// Tries a program over tiles; one over elements is compared wherever it runs.
///
/// # Errors
/// The sizes, the element, and both values.
pub fn check(searched: &Searched, design: &Design, program: &Program) -> Checked<()> {
    let origin = &searched.kernel.origin;
    let Some(sizes) = origin.tiled().and_then(|tiled| sizes(tiled, &origin.system.parameters)) else { return Ok(()) };
    let system = &origin.system;
    let given = inputs::tensors(program, system, &sizes, &[], 1)?;
    let elements = evaluate(system, &sizes, &given)?;
    let tiles = searched.expected_at(design, &sizes, &given)?;
    let settings = Settings { token: searched.setting.end.token.clone(), ..Settings::default() };
    let outcome = simulate(program, &sizes, &given, &settings)?;
    let of_run = compare(&tiles, &outcome, Precision::Double).strictly();
    let of_order = compare_outputs(&elements, &tiles, Precision::Double);
    match [of_run, of_order].into_iter().find(|agreement| !agreement.is_good()) {
        Some(agreement) => refuse(&sizes, &agreement),
        None => Ok(()),
    }
}

/// Small sizes at which every axis has two tiles, the second of one element; `None` where these are no few elements, or not allowed.
fn sizes(tiled: &Tiled, parameters: &Parameters) -> Option<Bindings> {
    let mut sizes = Bindings::new();
    for count in &tiled.counts {
        let least = count.size.checked_add(1)?;
        let size = sizes.entry(count.parameter.clone()).or_insert(least);
        *size = least.max(*size);
    }
    let sizes = parameters.filled(&sizes, UNDIVIDED);
    let rank = tiled.along.values().map(|axes| axes.len()).max().unwrap_or(0);
    let points = sizes.values().max()?.checked_pow(u32::try_from(rank).ok()?)?;
    (points <= MOST_POINTS && parameters.broken_at(&sizes).is_none()).then_some(sizes)
}

fn refuse(sizes: &Bindings, agreement: &Agreement) -> Checked<()> {
    let at: Vec<String> = sizes.iter().map(|(name, size)| format!("{name}={size}")).collect();
    let said = agreement.to_string().replace("DIFFERS", "differs");
    Diagnostic::new(format!("the program over tiles {said}, at {}", at.join(",")))
        .note("its proofs are about tiles; it was tried before it was written")
        .help("this is a fault of ours: report the kernel, and leave `--tile` out meanwhile")
        .alone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::flags::arguments::{Arguments, Command, RunArguments, SoughtArguments};
    use crate::driver::flags::setting::Setting;
    use crate::driver::kernels::kernel::Loaded;
    use crate::driver::pipeline::{KernelCommand, first_proved, run};
    use crate::driver::shown::output::Output;
    use crate::driver::{Done, Verdict};
    use clap::Parser;
    use systole_program::array::{parse, print};

    /// Tries the program of a command, with a word of its text in place of another.
    struct Tried<'a>(&'a RunArguments, [&'a str; 2]);

    impl KernelCommand for Tried<'_> {
        fn sought(&self) -> &SoughtArguments {
            &self.0.sought
        }

        fn run(&self, Loaded { kernel, .. }: Loaded, output: &Output) -> Done {
            let setting = Setting::new(&kernel, &self.0.sought.space)?;
            let searched = kernel.search(&setting, output)?;
            let (_, _, design, _) = first_proved(&searched, 10_000, output)?;
            let text = print(&searched.program(&design)?);
            assert!(text.contains(self.1[0]), "{text}");
            check(&searched, &design, &parse("tried.pe", &text.replace(self.1[0], self.1[1]))?)?;
            Ok(Verdict::Good)
        }
    }

    fn tried(tiles: &str, words: [&str; 2]) -> Result<(), String> {
        let words_of = ["systole", "run", "kernels/matmul.rec", "--tile", tiles];
        let Command::Run(arguments) = Arguments::parse_from(words_of).command else { panic!("it is `run`") };
        let done = run(&Tried(&arguments, words), &Output::silent());
        done.map(|_| ()).map_err(|failure| failure.diagnostics[0].message().to_owned())
    }

    #[test]
    fn leaves_that_compute_something_else_are_refused() {
        assert_eq!(tried("i=2,j=2,k=2", ["(mul (1 i k)", "(mul (1 i k)"]), Ok(()));
        let refused =
            tried("i=2,j=2,k=2", ["(mul (1 i k) (2 k j))", "(add (1 i k) (2 k j))"]).expect_err("products became sums");
        assert!(refused.starts_with("the program over tiles differs from the reference: `C["), "{refused}");
        assert!(refused.ends_with("at K=3,M=3,N=3"), "{refused}");
    }

    #[test]
    fn tiles_of_many_elements_are_not_tried() {
        assert_eq!(tried("i=4000,j=4000,k=4000", ["(mul (1 i k) (2 k j))", "(add (1 i k) (2 k j))"]), Ok(()));
    }
}
