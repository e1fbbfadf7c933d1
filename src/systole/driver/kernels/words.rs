//! A design in words, and where they stand on the lines of a command.

/// A design in words.
pub enum Words {
    /// One space takes one line.
    Line {
        /// When and where its points run.
        map: String,
        /// How its values move.
        dataflow: String,
    },
    /// Several spaces take a line each.
    Spaces(Vec<String>),
}

impl Words {
    /// What stands on the line of the design's kernel.
    pub fn title(&self, kernel: &str) -> String {
        match self {
            Words::Line { map, .. } => format!("{kernel}   {map}"),
            Words::Spaces(_) => kernel.to_owned(),
        }
    }

    /// What stands below the title where the recurrences do not say how values move.
    pub fn moves(&self) -> Option<&str> {
        match self {
            Words::Line { dataflow, .. } => Some(dataflow),
            Words::Spaces(_) => None,
        }
    }

    /// The design on one line, where it takes no more.
    pub fn line(&self) -> Option<String> {
        match self {
            Words::Line { map, dataflow } => Some(format!("{map}   {dataflow}")),
            Words::Spaces(_) => None,
        }
    }

    /// The lines of the spaces, where each has its own.
    pub fn spaces(&self) -> &[String] {
        match self {
            Words::Line { .. } => &[],
            Words::Spaces(lines) => lines,
        }
    }
}
