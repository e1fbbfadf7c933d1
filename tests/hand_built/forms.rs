//! Affine forms as text.

use systole_base::integer::{Affine, Name, name};

/// A form such as `2*i + j - N + 1`, with or without blanks.
pub fn form(text: &str) -> Affine {
    let spaced = text.replace('+', " + ").replace('-', " - ");
    let mut sum = Affine::default();
    let mut sign = 1;
    for word in spaced.split_whitespace() {
        match word {
            "+" => sign = 1,
            "-" => sign = -1,
            _ => sum = sum + term(word) * sign,
        }
    }
    sum
}

fn term(word: &str) -> Affine {
    if let Ok(number) = word.parse() {
        return Affine::constant(number);
    }
    match word.split_once('*') {
        Some((factor, variable)) => Affine::term(&name(variable), factor.parse().expect("a number")),
        None => Affine::variable(&name(word)),
    }
}

/// Forms with commas between them.
pub fn forms(text: &str) -> Vec<Affine> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(form).collect()
}

/// Names with blanks between them.
pub fn names(text: &str) -> Vec<Name> {
    text.split_whitespace().map(name).collect()
}
