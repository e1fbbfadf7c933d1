//! The types of elements that `.npy` files have.
//!
//! In: a descriptor as numpy writes it, such as `<f8`, and the bytes of an element. Out: the number, exactly; a refusal of types that are
//! no real numbers, and of elements that no 64-bit floating-point number is.

use ndarray_npy::npy::header::Header;

/// A type of element and its order of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// `b`, `i`, `u` or `f`.
    letter: u8,
    /// In bytes.
    pub size: usize,
    is_big_endian: bool,
}

impl Kind {
    /// The type that a header names.
    ///
    /// # Errors
    /// In words, another type than those of real numbers.
    pub fn of(header: &Header) -> Result<Kind, String> {
        let named = header.type_descriptor.as_string();
        let kind = named.and_then(|descriptor| Kind::read(descriptor));
        kind.ok_or_else(|| {
            let what = named.map_or("records", |descriptor| in_words(descriptor));
            let types = "truth values, whole numbers, or floating-point numbers of at most 64 bits";
            format!("its elements are {what} ({}), not {types}", header.type_descriptor)
        })
    }

    /// The type that a descriptor names.
    fn read(descriptor: &str) -> Option<Kind> {
        let [order @ (b'<' | b'>' | b'=' | b'|'), letter, digit] = *descriptor.as_bytes() else { return None };
        let size = match (letter, digit) {
            (b'b' | b'i' | b'u', b'1') => 1,
            (b'i' | b'u' | b'f', b'2') => 2,
            (b'i' | b'u' | b'f', b'4') => 4,
            (b'i' | b'u' | b'f', b'8') => 8,
            _ => return None,
        };
        let is_big_endian = order == b'>' || (order != b'<' && cfg!(target_endian = "big"));
        (order != b'|' || size == 1).then_some(Kind { letter, size, is_big_endian })
    }

    /// The number of these bytes, of which there are `size`.
    ///
    /// # Errors
    /// What is said of an element that no 64-bit floating-point number is for sure.
    pub fn decode(self, bytes: &[u8]) -> Result<f64, String> {
        let place = |bits: u64, byte: &u8| bits << 8 | u64::from(*byte);
        let bits = if self.is_big_endian { bytes.iter().fold(0, place) } else { bytes.iter().rev().fold(0, place) };
        match (self.letter, self.size) {
            (b'f', 8) => Ok(f64::from_bits(bits)),
            (b'f', 4) => Ok(f64::from(f32::from_bits(bits as u32))),
            (b'f', _) => Ok(half(bits as u16)),
            (b'b', _) if bits > 1 => Err(format!("{bits}, which is no truth value")),
            (b'i', size) => {
                let unused = 64 - 8 * size as u32;
                let number = (bits << unused).cast_signed() >> unused;
                exact(number.unsigned_abs()).map(|_| number as f64).ok_or_else(|| beyond(&number))
            }
            _ => exact(bits).ok_or_else(|| beyond(&bits)),
        }
    }
}

/// The whole number, where it is a 64-bit floating-point number; beyond 2^53 not all are.
fn exact(number: u64) -> Option<f64> {
    let nearest = number as f64;
    (nearest as u128 == u128::from(number)).then_some(nearest)
}

fn beyond(number: &impl std::fmt::Display) -> String {
    format!("{number}, which would be rounded: not every whole number beyond 2^53 is a 64-bit floating-point number")
}

/// The number of 16 bits: a sign, 5 bits of exponent, 10 of mantissa. Each is a whole multiple of 2^-24, so nothing is rounded.
fn half(bits: u16) -> f64 {
    let (exponent, mantissa) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => mantissa * 2f64.powi(-24),
        31 if mantissa == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + mantissa) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// What elements of a type that is not read are.
fn in_words(descriptor: &str) -> &'static str {
    match descriptor.trim_start_matches(['<', '>', '=', '|']).as_bytes().first() {
        Some(b'c') => "complex numbers",
        Some(b'f') => "floating-point numbers of more bits",
        Some(b'S' | b'U' | b'a') => "text",
        Some(b'O') => "objects of Python",
        Some(b'M' | b'm') => "times",
        Some(b'V') => "raw bytes",
        _ => "of an unknown type",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(descriptor: &str, bytes: &[u8]) -> Option<f64> {
        Kind::read(descriptor).expect("a known type").decode(bytes).ok()
    }

    #[test]
    fn halves_are_exact() {
        let halves = [0x3c00u16, 0xc000, 0x7bff, 0x0001, 0x0400, 0x3555, 0x7c00, 0xfc00, 0x8000];
        let expected =
            [1.0, -2.0, 65504.0, 2f64.powi(-24), 2f64.powi(-14), 0.333251953125, f64::INFINITY, -f64::INFINITY, -0.0];
        for (bits, expected) in halves.into_iter().zip(expected) {
            assert_eq!(half(bits).to_bits(), expected.to_bits(), "{bits:#x}");
            assert_eq!(decoded("<f2", &bits.to_le_bytes()), decoded(">f2", &bits.to_be_bytes()));
        }
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn whole_numbers_are_read_up_to_where_they_are_rounded() {
        let most = 1i64 << 53;
        for (number, expected) in [
            (most, Some(most as f64)),
            (-most, Some(-most as f64)),
            (most + 1, None),
            (-most - 1, None),
            (most + 2, Some(most as f64 + 2.0)),
            (i64::MAX, None),
            (i64::MIN, Some(-(2f64.powi(63)))),
        ] {
            assert_eq!(decoded("<i8", &number.to_le_bytes()), expected);
            assert_eq!(decoded(">i8", &number.to_be_bytes()), expected);
        }
        assert_eq!((decoded("<u8", &u64::MAX.to_le_bytes()), decoded("<u4", &[255; 4])), (None, Some(4294967295.0)));
        assert_eq!((decoded("|i1", &[0x80]), decoded("|u1", &[0x80])), (Some(-128.0), Some(128.0)));
        assert_eq!((decoded("<i2", &[0, 0x80]), decoded(">u2", &[0x80, 0])), (Some(-32768.0), Some(32768.0)));
        assert_eq!([0, 1, 2].map(|byte| decoded("|b1", &[byte])), [Some(0.0), Some(1.0), None]);
    }

    #[test]
    fn other_types_are_none() {
        assert!(
            ["<c16", "<U3", "|O", "<M8[s]", "|V8", "<f16", "|f8", "<b1", "f8", "<i3", ""]
                .iter()
                .all(|word| Kind::read(word).is_none_or(|kind| kind.letter == b'b'))
        );
    }
}
