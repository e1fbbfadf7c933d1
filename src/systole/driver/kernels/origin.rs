//! The kernel as the user gave it, where the equations that are searched may be over its tiles.
//!
//! In: the user's equations, and the tiles that schedule and flags ask for. Out: the equations to be searched, their sizes for
//! the sizes of the user, and programs that take the user's sizes and arrays.
//!
//! A run that stores elements notices one that is not stored, or stored twice. A run over tiles does not, so nothing is tiled
//! before `element-cover` and `element-apart` are proved of its elements.

use crate::driver::kernels::distributed::Distributions;
use crate::driver::kernels::together::Together;
use crate::driver::pipeline::LIMIT;
use crate::driver::runs::inputs;
use crate::driver::shown::steps::Chain;
use std::time::Duration;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics};
use systole_base::integer::{Bindings, name};
use systole_compile::emit::over_tiles;
use systole_compile::rewrite::Report;
use systole_compile::smt;
use systole_compile::smt::Discharged;
use systole_compile::timing::element_obligations;
use systole_equations::recurrence;
use systole_equations::recurrence::{Directive, Equation, RecurrenceSystem, Role, Schedule, Space};
use systole_equations::tiles::{TileSize, Tiled, evaluate_tiled, tile};
use systole_program::array::{ArrayDecl, Program, Tensors};

/// Equations, and how they come from those of the user's.
pub struct Derived {
    /// The equations.
    pub system: RecurrenceSystem,
    /// The laws of algebra that lead to them.
    pub algebra: Chain,
    /// How far the laws were followed, where they were.
    pub followed: Option<Report>,
    /// The designs of all forms together, where they are asked for.
    pub together: Option<Together>,
    /// The equations that they come from, in the same coordinates.
    pub written: Option<RecurrenceSystem>,
}

impl Derived {
    /// The user's own equations.
    pub fn plain(system: RecurrenceSystem) -> Derived {
        Derived { system, algebra: Chain::default(), followed: None, together: None, written: None }
    }
}

/// What the user gave.
pub struct Origin {
    /// The equations over elements.
    pub system: RecurrenceSystem,
    /// The laws of algebra by which they come from others.
    pub algebra: Chain,
    /// How far these laws were followed, where they were.
    pub followed: Option<Report>,
    /// The designs of all forms together, where they were asked for.
    pub together: Option<Together>,
    /// The equations as the user wrote them, in the same coordinates, where those over elements are a form of them.
    pub written: Option<RecurrenceSystem>,
    /// How the schedule distributes PEs and arrays.
    pub distributions: Distributions,
    /// The tiles, of the sides that hold.
    pub tiles: Vec<TileSize>,
    /// What is to be said of sides that are less than was asked for.
    pub lessened: Vec<Diagnostic>,
    tiled: Option<Tiled>,
}

impl Origin {
    /// The user's equations, which come from others by laws of algebra, with the tiles of the schedule that is named and of
    /// `--tile`, if there are any.
    ///
    /// # Errors
    /// What [`tile`] refuses; flags that name no size; with tiles, elements that are not computed once.
    pub fn new(derived: Derived, schedule: Option<&str>, tiles: &[String]) -> Checked<Origin> {
        let Derived { system, algebra, followed, together, written } = derived;
        let named = schedule.map(|named| system.asked_schedule(named)).transpose()?;
        let sizes = tile_sizes(tiles, named)?;
        let tiled = if sizes.is_empty() { None } else { Some(tile(&system, &sizes)?) };
        if tiled.is_some() {
            check_elements(&system)?;
        }
        let distributions = named.map(Distributions::of).unwrap_or_default();
        let sides = tiled.as_ref().map_or_else(Vec::new, |tiled| tiled.sides.clone());
        let tiles = sizes.iter().zip(&sides).map(|(one, side)| TileSize { size: *side, ..one.clone() }).collect();
        let lessened = sizes.iter().zip(sides).filter_map(|(one, side)| lessened(&system, one, side)).collect();
        Ok(Origin { system, algebra, followed, together, written, distributions, tiles, lessened, tiled })
    }

    /// What a size is where the user gives none: with a single tile what goes from tile to tile would cost nothing.
    pub fn usual_size(&self) -> i64 {
        let sides = self.tiled.iter().flat_map(|tiled| &tiled.counts).map(|count| count.size);
        sides.map(|side| side.saturating_mul(2)).fold(8, i64::max)
    }

    /// The equations to be searched.
    pub fn searched(&self) -> &RecurrenceSystem {
        self.tiled.as_ref().map_or(&self.system, |tiled| &tiled.system)
    }

    /// How the equations are tiled, if they are.
    pub fn tiled(&self) -> Option<&Tiled> {
        self.tiled.as_ref()
    }

    /// The sizes of the equations that are searched.
    pub fn sizes(&self, given: &Bindings) -> Bindings {
        self.tiled.as_ref().map_or_else(|| given.clone(), |tiled| tiled.sizes(given))
    }

    /// What the user's equations mean where the reductions of these spaces over tiles run along these chains.
    ///
    /// # Errors
    /// As for [`evaluate_tiled`].
    pub fn expected(
        &self,
        tiled: &Tiled,
        chains: &[(&Space, &recurrence::Chain)],
        sizes: &Bindings,
        inputs: &Tensors,
    ) -> Checked<Tensors> {
        let chains = tiled.chains(chains);
        evaluate_tiled(tiled, &chains, sizes, inputs)
    }

    /// The program for the user's sizes and arrays, distributed as the schedule says.
    pub fn finish(&self, program: Program) -> Program {
        let mut program = match &self.tiled {
            Some(tiled) => over_tiles(program, tiled, &self.system),
            None => program,
        };
        self.declare_inputs(&mut program);
        self.distributions.write(&mut program);
        program
    }

    /// Declares the inputs of the kernel that no class of PE reads: whoever runs the program may give them.
    fn declare_inputs(&self, program: &mut Program) {
        for (number, tensor) in self.system.tensors_with(Role::Input).enumerate() {
            if program.arrays.iter().all(|array| array.name != tensor.name) {
                let axes = self.tiled.as_ref().and_then(|tiled| tiled.axes.get(&tensor.name).cloned());
                let array = ArrayDecl { axes: axes.unwrap_or_default(), ..ArrayDecl::of(tensor) };
                program.arrays.insert(number.min(program.arrays.len()), array);
            }
        }
    }
}

/// What is said where the side that holds is not the one that was asked for.
fn lessened(system: &RecurrenceSystem, asked: &TileSize, held: i64) -> Option<Diagnostic> {
    let TileSize { index, size, span } = asked;
    let said = Diagnostic::new(format!("`{index}` is in tiles of {held}, not of {size}, like what it is divided with"))
        .help("give one size to indices that meet in a subscript, or that a range compares: the least of them holds");
    let said = match span {
        Some(span) => said.label(&system.source, *span, format!("tiles of {size}")),
        None => said,
    };
    (held != *size).then_some(said)
}

/// Refuses equations of which it is not proved that they write each element once. A run notices that where it stores elements; a tile is
/// stored as a whole. That subscripts name points without gaps is what [`tile`] asks for.
fn check_elements(system: &RecurrenceSystem) -> Checked<()> {
    let (obligations, _) = element_obligations(system);
    let proofs = smt::discharge_all(&obligations, Duration::from_millis(LIMIT));
    let message = |proof: &Discharged| {
        let message = smt::unproved_message(proof)?.note("a tile is stored as a whole, so no run would notice");
        let writers = system.equations.iter().filter(|equation| equation.target == proof.obligation.of);
        let label = |message: Diagnostic, equation: &Equation| {
            message.label(&system.source, equation.span, "writes some of them")
        };
        Some(writers.fold(message, label))
    };
    let messages: Diagnostics = proofs.iter().filter_map(message).collect();
    if messages.is_empty() { Ok(()) } else { Err(messages) }
}

/// The sizes of tiles; a flag stands in for what the schedule says of the same index.
fn tile_sizes(flags: &[String], schedule: Option<&Schedule>) -> Checked<Vec<TileSize>> {
    inputs::check_once("--tile", flags)?;
    let mut sizes = flags.iter().map(|text| tile_size(text)).collect::<Checked<Vec<TileSize>>>()?;
    for (directive, span) in schedule.into_iter().flat_map(|schedule| &schedule.directives) {
        if let Directive::Tile(index, size) = directive
            && sizes.iter().all(|known| known.index != *index)
        {
            sizes.push(TileSize { index: index.clone(), size: *size, span: Some(*span) });
        }
    }
    Ok(sizes)
}

pub fn tile_size(text: &str) -> Checked<TileSize> {
    let parts = text.split_once('=').and_then(|(index, size)| Some((index.trim(), size.trim().parse::<i64>().ok()?)));
    match parts {
        Some((index, size @ 1..=1_000_000)) => Ok(TileSize { index: name(index), size, span: None }),
        _ => Diagnostic::usage(format!("`{text}` is not a size of tiles"))
            .help("write --tile i=64,j=64; sizes are whole numbers from 1 to 1000000")
            .alone(),
    }
}
