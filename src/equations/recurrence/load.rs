//! From text to a valid system in one call.

use super::guards::without_guards;
use super::{RecurrenceSystem, lower, validate};
use crate::syntax::ast::File;
use crate::syntax::parse;
use std::sync::Arc;
use systole_base::diagnostic::{Checked, MessageCode, about};
use systole_base::span::Source;

/// Parses, lowers and validates a kernel. Reads that only a guard keeps within bounds are equations of their own then.
pub fn load(source: &Arc<Source>) -> Checked<RecurrenceSystem> {
    let file = parse(source)?;
    about(MessageCode::Kernel, understand(&file, source))
}

fn understand(file: &File, source: &Arc<Source>) -> Checked<RecurrenceSystem> {
    let system = lower(file, source)?;
    validate(&system)?;
    without_guards(&system)
}
