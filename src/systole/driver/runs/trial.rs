//! A program over tiles is tried before anybody gets it. What is proved of it is proved of tiles; that its leaves compute what the
//! equations say of elements is not.
//!
//! In: a design over tiles and its program. Out: nothing, or the element that differs. The trial is small: a whole tile along each axis and
//! one element of the next, or, where these are too many elements to be done in a moment, part of one tile. [`simulate`] is held, bit for
//! bit, against the equations over elements, whose sums run in the order of the tiles ([`Searched::expected_at`]).

use super::agreement::compare;
use super::inputs;
use crate::driver::kernels::searched::Searched;
use crate::driver::shown::output::Output;
use std::collections::BTreeMap;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Bindings, Name, Parameters};
use systole_base::scalar::Precision;
use systole_compile::mapping::Design;
use systole_equations::tiles::{Axis, Tiled};
use systole_program::array::Program;
use systole_run::sim::{Settings, simulate};

/// A trial has no more elements than this in any space.
const MOST_POINTS: i64 = 1 << 16;

/// What sizes are that nothing divides, and all where a tile is large.
const FEW: i64 = 3;

/// Tries a program over tiles; one over elements is compared wherever it runs.
///
/// # Errors
/// The sizes, the element, and both values.
pub fn check(searched: &Searched, design: &Design, program: &Program, output: &Output) -> Checked<()> {
    let origin = &searched.kernel.origin;
    let Some(sizes) = origin.tiled().and_then(|tiled| sizes(tiled, &origin.system.parameters)) else { return Ok(()) };
    let _busy = output.busy("try");
    let given = inputs::tensors(program, &origin.system, &sizes, &[], 1)?;
    let expected = searched.expected_at(design, &sizes, &given)?;
    let settings = Settings { token: searched.setting.end.token.clone(), ..Settings::default() };
    let outcome = simulate(program, &sizes, &given, &settings)?;
    match compare(&expected, &outcome, Precision::Double).strictly().difference() {
        Some(difference) => refuse(&sizes, &difference),
        None => Ok(()),
    }
}

/// Small sizes: those at which every axis has two tiles, the second of one element, or else few elements. `None` where neither is allowed, or
/// the least that is allowed is large.
fn sizes(tiled: &Tiled, parameters: &Parameters) -> Option<Bindings> {
    let mut ragged = Bindings::new();
    for count in &tiled.counts {
        let least = count.size.saturating_add(1);
        let size = ragged.entry(count.parameter.clone()).or_insert(least);
        *size = least.max(*size);
    }
    let largest = ragged.values().copied().max().unwrap_or(FEW);
    // Where what is assumed asks for more, all are as large as the largest.
    let tried = [(&ragged, FEW), (&Bindings::new(), largest), (&Bindings::new(), FEW)];
    let mut tried = tried.into_iter().filter(|(_, usual)| *usual <= MOST_POINTS);
    tried.find_map(|(given, usual)| {
        let sizes = parameters.filled(given, usual);
        (parameters.broken_at(&sizes).is_none() && points(tiled, &sizes)? <= MOST_POINTS).then_some(sizes)
    })
}

/// As many elements as the box around the largest space has; `None` where these cannot be counted.
fn points(tiled: &Tiled, sizes: &Bindings) -> Option<i64> {
    let along = |axis: &Axis| axis.extent().evaluate(sizes);
    let within =
        |axes: &BTreeMap<Name, Axis>| axes.values().try_fold(1i64, |product, axis| product.checked_mul(along(axis)?));
    tiled.along.values().map(within).try_fold(0, |most, points| Some(points?.max(most)))
}

fn refuse(sizes: &Bindings, difference: &str) -> Checked<()> {
    let at: Vec<String> = sizes.iter().map(|(name, size)| format!("{name}={size}")).collect();
    Diagnostic::new(format!("the program over tiles {difference}, at {}", at.join(",")))
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
            check(&searched, &design, &parse("tried.pe", &text.replace(self.1[0], self.1[1]))?, output)?;
            Ok(Verdict::Good)
        }
    }

    fn tried(tiles: &str, words: [&str; 2]) -> Result<(), String> {
        let words_of = ["systole", "run", "kernels/matmul.rec", "--tile", tiles];
        let Command::Run(arguments) = Arguments::parse_from(words_of).command else { panic!("it is `run`") };
        let done = run(&Tried(&arguments, words), &Output::silent());
        done.map(|_| ()).map_err(|failure| failure.diagnostics[0].message().to_owned())
    }

    const PRODUCT: &str = "(mul (1 i k) (2 k j))";
    const SUM: &str = "(add (1 i k) (2 k j))";

    #[test]
    fn leaves_that_compute_something_else_are_refused() {
        assert_eq!(tried("i=2,j=2,k=2", [PRODUCT, PRODUCT]), Ok(()));
        let refused = tried("i=2,j=2,k=2", [PRODUCT, SUM]).expect_err("products became sums");
        assert!(refused.starts_with("the program over tiles differs from the reference: `C["), "{refused}");
        assert!(refused.ends_with("at K=3,M=3,N=3"), "{refused}");
        // One of many elements is tried in part of one, and one that is long along one axis is small.
        let refused = tried("i=4000,j=4000,k=4000", [PRODUCT, SUM]).expect_err("products became sums");
        assert!(refused.ends_with("at K=3,M=3,N=3"), "{refused}");
        let refused = tried("i=1000,j=2,k=2", [PRODUCT, SUM]).expect_err("products became sums");
        assert!(refused.ends_with("at K=3,M=1001,N=3"), "{refused}");
    }
}
