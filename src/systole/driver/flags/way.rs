//! How a program is run, as flags say it: who runs what, where arrays begin, how words get around, what works on tiles.

use crate::driver::flags::cluster_arguments::WayArguments;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, nearest};
use systole_equations::recurrence::{Distribution, LeafOrder};
use systole_run::exec::{Broadcast, Settings};
use systole_run::leaf::LeafBackend;
use systole_run::native::{NativeBackend, NativeLeaves};

/// How so many workers run a program.
pub fn way(arguments: &WayArguments, workers: usize) -> Checked<Settings> {
    let WayArguments { distribution, layout, order, grid, capacity, broadcast, leaves } = arguments;
    let (broadcast, leaves) = (self::broadcast(broadcast)?, self::leaves(leaves)?);
    let distribution = distribution.as_deref().map(self::distribution).transpose()?;
    let layout = layout.as_deref().map(self::layout).transpose()?;
    let order = order.as_deref().map(self::order).transpose()?;
    let arrangement = grid.as_deref().map(arrangement).transpose()?;
    let capacity = *capacity;
    Ok(Settings {
        workers,
        distribution,
        layout,
        order,
        arrangement,
        capacity,
        broadcast,
        leaves,
        ..Settings::default()
    })
}

/// `loops`, `native`, `faer` or `openblas`.
pub fn leaves(text: &str) -> Checked<LeafBackend> {
    match text {
        "loops" => Ok(LeafBackend::Loops),
        "native" => Ok(LeafBackend::Native),
        "faer" => Ok(LeafBackend::Faer),
        #[cfg(feature = "openblas")]
        "openblas" => Ok(LeafBackend::OpenBlas),
        #[cfg(not(feature = "openblas"))]
        "openblas" => Diagnostic::usage("this build of systole knows no OpenBLAS")
            .help("build it with `cargo build --release --features openblas`, or say `--leaves faer`")
            .alone(),
        _ => Err(unknown("library for leaves", text, &["loops", "native", "faer", "openblas"])),
    }
}

/// Those whose rates are measured: all but `native`.
pub fn measured_leaves(text: &str) -> Checked<LeafBackend> {
    match leaves(text)? {
        LeafBackend::Native => Diagnostic::usage("machine files have no rates of native leaves")
            .help("say `--leaves loops`, which has the same bits and is slower, or `--leaves faer`")
            .alone(),
        leaves => Ok(leaves),
    }
}

/// `loops` or `blas`.
pub fn native_leaves(text: &str) -> Checked<NativeLeaves> {
    let found = NativeLeaves::ALL.into_iter().find(|(_, word)| *word == text);
    let words = NativeLeaves::ALL.map(|(_, word)| word);
    found.map(|(leaves, _)| leaves).ok_or_else(|| unknown("library for leaves in C", text, &words))
}

/// `threads` or `mpi`.
pub fn native_backend(text: &str) -> Checked<NativeBackend> {
    let found = NativeBackend::ALL.into_iter().find(|(_, word)| *word == text);
    let words = NativeBackend::ALL.map(|(_, word)| word);
    found.map(|(backend, _)| backend).ok_or_else(|| unknown("back end", text, &words))
}

/// Numbers with an `x` between them.
pub fn arrangement(text: &str) -> Checked<Vec<usize>> {
    let sides = text.split('x').map(|side| side.parse().ok().filter(|side| *side > 0));
    sides.collect::<Option<Vec<usize>>>().ok_or_else(|| {
        vec![
            Diagnostic::usage(format!("`{text}` is no grid of workers"))
                .help("write --grid 2x1, a number for each axis"),
        ]
    })
}

/// How PEs are distributed.
pub fn distribution(text: &str) -> Checked<Distribution> {
    distributed(text, ("distribution", "PEs"))
}

/// How words of arrays are distributed.
pub fn layout(text: &str) -> Checked<Distribution> {
    distributed(text, ("layout", "words"))
}

/// `block`, `cyclic` or `block-cyclic:B`, of a flag that distributes something.
fn distributed(text: &str, (flag, what): (&str, &str)) -> Checked<Distribution> {
    match (Distribution::from_keyword(text), text.split_once(':')) {
        (Some(distribution), _) => Ok(distribution),
        (None, Some(("block-cyclic", length))) => {
            Diagnostic::usage(format!("`{length}` is no number of {what} to distribute at a time"))
                .help(format!("write --{flag} block-cyclic:2"))
                .alone()
        }
        _ => Err(unknown(flag, text, &Distribution::WORDS)),
    }
}

/// In which order tiles are computed.
pub fn order(text: &str) -> Checked<LeafOrder> {
    match (LeafOrder::from_keyword(text), text.split_once(':')) {
        (Some(order), _) => Ok(order),
        (None, Some((counted @ ("steps" | "turns"), together))) => {
            Diagnostic::usage(format!("`{together}` is no number of steps whose tiles a PE computes together"))
                .help(format!("write --order {counted}:4"))
                .alone()
        }
        _ => Err(unknown("order", text, &LeafOrder::WORDS)),
    }
}

/// `star`, `tree` or `chain`.
pub fn broadcast(text: &str) -> Checked<Broadcast> {
    let found = Broadcast::ALL.into_iter().find(|shape| shape.keyword() == text);
    found.ok_or_else(|| unknown("broadcast", text, &Broadcast::ALL.map(Broadcast::keyword)))
}

/// A word that is none of those that a flag takes.
pub fn unknown(what: &str, word: &str, known: &[&str]) -> Diagnostics {
    let meant = nearest(word, known.iter().copied()).map(|meant| format!("did you mean `{meant}`?"));
    let help = meant.unwrap_or_else(|| format!("there are {}", known.join(", ")));
    vec![Diagnostic::usage(format!("there is no {what} `{word}`")).help(help)]
}
