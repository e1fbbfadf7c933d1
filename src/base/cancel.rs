//! Work that is to end before it is done.
//!
//! In: whoever waits for the work cancels it. Out: the work looks at its token every so often and ends with what it has.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What work looks at, and who may cancel it. Its copies are one token.
#[derive(Clone, Default)]
pub struct Token(Arc<AtomicBool>);

impl Token {
    /// The work is to end.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether it is to end.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("token")
    }
}

impl PartialEq for Token {
    fn eq(&self, other: &Token) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Token {}

#[cfg(test)]
mod tests {
    use super::Token;

    #[test]
    fn copies_are_one_token() {
        let (token, other) = (Token::default(), Token::default());
        let copy = token.clone();
        token.cancel();
        assert!(copy.is_cancelled() && !other.is_cancelled());
        assert!(copy == token && other != token);
    }
}
