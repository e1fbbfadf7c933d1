//! How the reduction of a space is bound, and which spaces this stage can lower.
//!
//! In: a [`Space`]. Out: its [`Levels`], or messages. Invariant: what passes [`check_space`] has null lattices within 64 bits
//! and fibres that are lines. Paper: Cyclotron sections 4.1 and 4.2.

use crate::rewrite::registry::{access_text, null_directions};
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Name};
use systole_base::refusal::Refusal;
use systole_equations::recurrence::{Operand, Operator, Space};

/// How large the coefficients in the subscripts of one access may be: the product, over the subscripts, of the sums of
/// their magnitudes. It bounds the minors of the access, and so keeps its null lattice within 64 bits.
pub const MAX_COEFFICIENTS: u64 = 1 << 20;

/// How the reduction of a space is bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Levels {
    /// No reduction.
    None,
    /// Nested reductions over these indices, outermost first.
    Nested(Operator, Vec<Name>),
    /// One reduction over the fibres of the output access.
    Fibre(Operator),
}

/// The levels of the reduction of `space`.
pub(super) fn levels(space: &Space) -> Levels {
    let scattered = space.output_access.iter().any(|form| form.mentions(&space.reduced));
    match space.reduction {
        Some(operator) if scattered => Levels::Fibre(operator),
        Some(operator) => Levels::Nested(operator, space.reduced.clone()),
        None => Levels::None,
    }
}

/// Refuses what this stage cannot lower: huge coefficients, and fibres that are not lines.
pub(crate) fn check_space(space: &Space) -> Checked<()> {
    let accesses = space.operands.iter().map(|operand| (&operand.tensor, &operand.access, operand.span));
    let accesses = accesses.chain([(&space.output, &space.output_access, space.span)]);
    let huge = accesses.filter(|(_, access, _)| spread(space, access) > MAX_COEFFICIENTS);
    let wrong: Vec<Diagnostic> = huge
        .map(|(tensor, _, span)| {
            Diagnostic::new(format!("the subscripts of `{tensor}` have coefficients that are too large")).label(
                &space.source,
                span,
                format!("their product is above {MAX_COEFFICIENTS}"),
            )
        })
        .collect();
    if wrong.is_empty() { check_fibre(space) } else { Err(wrong) }
}

fn spread(space: &Space, access: &[Affine]) -> u64 {
    let sum =
        |form: &Affine| form.row(space.indices()).iter().fold(0, |sum: u64, c| sum.saturating_add(c.unsigned_abs()));
    space.in_halves(access).iter().map(sum).filter(|sum| *sum > 0).fold(1, u64::saturating_mul)
}

fn check_fibre(space: &Space) -> Checked<()> {
    if !matches!(levels(space), Levels::Fibre(_)) {
        return Ok(());
    }
    match null_directions(space, &space.output_access).len() {
        2 => Ok(()),
        0 => refuse_fibre(space, "single points", "write the equation without a reduction").alone(),
        _ => refuse_fibre(space, "not lines", "reduce over one index less, into a tensor with one subscript more")
            .alone(),
    }
}

fn refuse_fibre(space: &Space, what: &str, help: &str) -> Diagnostic {
    let access = access_text(&space.output_access);
    Diagnostic::new(format!("the fibres of `{}{access}` are {what}", space.output))
        .label(&space.source, space.span, "a reduction into computed subscripts runs along lines")
        .help(help)
        .of_refusal(Refusal::beyond("a reduction into computed subscripts runs along lines"))
}

/// Whether no index occurs in the access of `operand`.
pub(crate) fn is_constant(space: &Space, operand: &Operand) -> bool {
    !operand.access.iter().any(|form| form.mentions(space.indices()))
}
