//! The flags of the commands that work on laws of algebra.

use crate::driver::flags::limit_arguments::LimitArguments;
use crate::driver::flags::time_arguments::TimeArguments;
use clap::Args;
use std::path::PathBuf;
use systole_compile::rewrite::Limits;

/// Which laws, and how far they are followed.
#[derive(Args, Debug)]
pub struct LawArguments {
    /// Rules of your own, read after the ones that ship; those of the algebra stand in its folder `algebra`
    #[arg(long, value_name = "DIR")]
    pub rules: Option<PathBuf>,
    /// Leave out a rule of the algebra, or all that have a tag: real, finite or assume
    #[arg(long, value_name = "RULE|TAG,..", value_delimiter = ',')]
    pub forbid: Vec<String>,
    #[command(flatten)]
    pub limits: LimitArguments,
    #[command(flatten)]
    pub time: TimeArguments,
}

impl LawArguments {
    /// How far laws are followed where nothing else is done.
    pub fn limits(&self) -> Limits {
        self.limits.of_laws(self.time.left())
    }
}

/// Axes in other coordinates; then forms are searched.
#[derive(Args, Debug, Clone, Default)]
pub struct CoordinateArguments {
    /// Cut the axis of an index into blocks, such as k=PxW (P blocks of W elements) or k=2x2xW (four, combined in pairs)
    #[arg(long, value_name = "k=PxW,..", value_delimiter = ',')]
    pub split: Vec<String>,
    /// Begin the axis of an index with another element at each place along another one, such as k=i; both are of one size then
    #[arg(long, value_name = "k=i,..", value_delimiter = ',', alias = "turn")]
    pub rotate: Vec<String>,
}

impl CoordinateArguments {
    /// Whether anything is asked for.
    pub fn are_given(&self) -> bool {
        !self.split.is_empty() || !self.rotate.is_empty()
    }
}

/// `systole derive`.
#[derive(Args, Debug)]
pub struct DeriveArguments {
    /// A .rec file, or an einsum such as `ik,kj->ij`
    pub kernel: String,
    #[command(flatten)]
    pub laws: LawArguments,
    /// Sizes at which operations are counted, such as N=64,M=64 (8 each where none are given)
    #[arg(long, value_name = "P=N,..", value_delimiter = ',')]
    pub size: Vec<String>,
    #[command(flatten)]
    pub coordinates: CoordinateArguments,
    /// Which form of the front is printed and written
    #[arg(long, default_value_t = 0)]
    pub form: usize,
    /// Write the chain of laws that leads to it as a graph, for Graphviz
    #[arg(long, value_name = "FILE.dot")]
    pub dot: Option<PathBuf>,
    /// Where to write it
    #[arg(short, long, value_name = "FILE.rec")]
    pub output: Option<PathBuf>,
}

/// `systole equal`.
#[derive(Args, Debug)]
pub struct EqualArguments {
    /// A .rec file
    pub kernel: String,
    /// One tensor that it defines
    pub one: String,
    /// Another one of the same shape
    pub other: String,
    #[command(flatten)]
    pub laws: LawArguments,
}
