//! A design in words, and where they stand on the lines of a command.

/// A design in words.
pub enum DesignText {
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

impl DesignText {
    /// What stands on the line of the design's kernel.
    pub fn title(&self, kernel: &str) -> String {
        match self {
            DesignText::Line { map, .. } => format!("{kernel}   {map}"),
            DesignText::Spaces(_) => kernel.to_owned(),
        }
    }

    /// What stands below the title where the recurrences do not say how values move.
    pub fn moves(&self) -> Option<&str> {
        match self {
            DesignText::Line { dataflow, .. } => Some(dataflow),
            DesignText::Spaces(_) => None,
        }
    }

    /// The design on one line, where it takes no more.
    pub fn line(&self) -> Option<String> {
        match self {
            DesignText::Line { map, dataflow } => Some(format!("{map}   {dataflow}")),
            DesignText::Spaces(_) => None,
        }
    }

    /// The lines of the spaces, where each has its own.
    pub fn spaces(&self) -> &[String] {
        match self {
            DesignText::Line { .. } => &[],
            DesignText::Spaces(lines) => lines,
        }
    }
}
