//! What access maps and directions say, read from their texts.
//!
//! In: `[i-k,2*j+1]` or `<i-j>` over the indices of a space, with sizes. Out: rows of coefficients and constants. Shares nothing
//! with the registry that rules are applied by.

use systole_base::integer::{Affine, Bindings, Name, dot};

/// A linear form over the indices of a space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::check) struct AffineRow {
    pub row: Vec<i64>,
    pub constant: i64,
}

impl AffineRow {
    /// A form over indices and sizes.
    pub fn of(form: &Affine, indices: &[Name], sizes: &Bindings) -> AffineRow {
        let values = sizes.iter().map(|(size, value)| (size.clone(), Affine::constant(*value))).collect();
        let fixed = form.substitute(&values);
        AffineRow { row: fixed.row(indices), constant: fixed.constant_term() }
    }

    /// Its value at a point.
    pub fn at(&self, point: &[i64]) -> i64 {
        dot(&self.row, point) + self.constant
    }
}

/// The forms of `[..]`, or the one of `<..>`; `None` for other texts and unknown names.
pub(super) fn forms(text: &str, indices: &[Name], sizes: &Bindings) -> Option<Vec<AffineRow>> {
    let inside = text.strip_prefix(['[', '<'])?.strip_suffix([']', '>'])?;
    inside.split(',').filter(|piece| !piece.is_empty()).map(|piece| form(piece, indices, sizes)).collect()
}

fn form(text: &str, indices: &[Name], sizes: &Bindings) -> Option<AffineRow> {
    let mut form = AffineRow { row: vec![0; indices.len()], constant: 0 };
    let signed = text.replace('-', "+-");
    for term in signed.split('+').filter(|term| !term.is_empty()) {
        let (sign, term) = term.strip_prefix('-').map_or((1, term), |rest| (-1, rest));
        let (factor, name) = match term.split_once('*') {
            Some((factor, name)) => (factor.parse::<i64>().ok()?, Some(name)),
            None => term.parse::<i64>().map_or((1, Some(term)), |number| (number, None)),
        };
        let coefficient = sign * factor;
        match name {
            None => form.constant += coefficient,
            Some(name) => match indices.iter().position(|index| **index == *name) {
                Some(position) => form.row[position] += coefficient,
                None => form.constant += coefficient * sizes.get(name)?,
            },
        }
    }
    Some(form)
}
