//! `systole calibrate`.

use super::Done;
use super::cluster_arguments::CalibrateArguments;
use super::output::Output;

pub fn run(_arguments: &CalibrateArguments, _output: &Output) -> Done {
    Ok(super::Verdict::Good)
}
