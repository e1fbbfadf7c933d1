//! The digest that ends a printed program, so that a file changed by hand is noticed.
//!
//! In: a text. Out: the text sealed with `(digest "...")`, or whether a sealed text is as it was printed. It guards
//! against accidents and edits, not against someone who writes a new digest.

use sha2::{Digest, Sha256};
use systole_base::diagnostic::Diagnostic;
use systole_base::span::Source;

const OPENING: &str = "(digest \"";
const CLOSING: &str = "\"))";

/// `text`, an unclosed program, with its digest and the closing parenthesis.
pub(super) fn seal(text: &str) -> String {
    let body = format!("{text}\n  ");
    let digest = hexadecimal(&body);
    format!("{body}{OPENING}{digest}{CLOSING}\n")
}

/// Whether a text with a digest form is as it was printed; `None` where it has no digest form.
pub fn is_untouched(text: &str) -> Option<bool> {
    let (body, after) = text.rsplit_once(OPENING)?;
    Some(after.trim_end().strip_suffix(CLOSING) == Some(hexadecimal(body).as_str()))
}

/// What is to be said of a program whose text is not the one that was printed.
pub fn changed(source: &Source) -> Option<Diagnostic> {
    let said = format!("`{}` is not the text that was proved; its proofs do not cover this run", source.name);
    (is_untouched(&source.text) != Some(true)).then(|| Diagnostic::new(said))
}

fn hexadecimal(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
