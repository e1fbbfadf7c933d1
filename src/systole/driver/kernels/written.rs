//! The program of a proved design as it is written.

use crate::driver::kernels::searched::Searched;
use crate::driver::pipeline::Winner;
use systole_base::diagnostic::{Checked, counted};
use systole_program::array;
use systole_program::array::Program;

/// A valid program and its text.
pub struct Written {
    /// The program.
    pub program: Program,
    /// Its text.
    pub text: String,
}

impl Written {
    /// The program of a proved design.
    ///
    /// # Errors
    /// Designs outside what one program can express.
    pub fn new(searched: &Searched, winner: &Winner) -> Checked<Written> {
        let program = searched.program(&winner.design)?;
        array::validate(&program)?;
        let text = array::print(&program);
        Ok(Written { program, text })
    }

    /// How many classes of PE there are, less those that occur only where some extent is 1.
    pub fn classes(&self) -> usize {
        self.program.classes.iter().filter(|class| !class.thin).count()
    }

    /// How many lines the text has.
    pub fn lines(&self) -> usize {
        self.text.lines().count()
    }

    /// `9 classes of PE, 120 lines`.
    pub fn size(&self) -> String {
        format!("{} of PE, {}", counted(self.classes(), "class"), counted(self.lines(), "line"))
    }
}
