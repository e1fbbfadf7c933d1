//! What a configuration of SCALE-Sim says that no machine here has.

use crate::driver::files;
use crate::driver::shown::output::Output;
use crate::scalesim::Configuration;
use std::path::Path;
use systole_base::diagnostic::Checked;

/// Names the keys of a machine's file that say nothing here, if it is a configuration.
///
/// # Errors
/// What is wrong with the file.
pub fn say(machine: Option<&Path>, output: &Output) -> Checked<()> {
    let Some(path) = machine.filter(|path| Configuration::is_one(path)) else { return Ok(()) };
    let source = files::read_as(path, "cfg")?;
    Configuration::parse(&source)?.warning(&source).iter().for_each(|said| output.warning(said));
    Ok(())
}
