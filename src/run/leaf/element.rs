//! What elements of tiles are.

use super::buffer::{Buffer, Left};
use std::sync::Arc;
use systole_base::scalar::Real;

/// The library that any build has knows it.
#[cfg(not(feature = "openblas"))]
pub trait LibraryScalar: faer::traits::RealField {}

#[cfg(not(feature = "openblas"))]
impl<N: faer::traits::RealField> LibraryScalar for N {}

/// All libraries of this build know it.
#[cfg(feature = "openblas")]
pub trait LibraryScalar: faer::traits::RealField + openblas::Number {}

#[cfg(feature = "openblas")]
impl<N: faer::traits::RealField + openblas::Number> LibraryScalar for N {}

/// A number that tiles consist of, and that libraries know.
pub trait Element: Real + LibraryScalar {
    /// What buffers of such elements have left.
    #[doc(hidden)]
    fn left() -> &'static Left<Self>;

    /// The same numbers, if they are those of double precision.
    fn doubles(values: &[Self]) -> Option<&[f64]>;

    /// The same to be written.
    fn doubles_mut(values: &mut [Self]) -> Option<&mut [f64]>;

    /// A tile's elements, as what carries tiles of any elements takes them.
    fn enclose(values: Arc<Buffer<Self>>) -> Enclosed;

    /// The elements that were enclosed; `None` for others.
    fn disclose(enclosed: &Enclosed) -> Option<Arc<Buffer<Self>>>;
}

/// The elements of a tile on its way, of whatever kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Enclosed {
    /// Of double precision.
    Double(Arc<Buffer<f64>>),
    /// Of single precision.
    Single(Arc<Buffer<f32>>),
}

impl Enclosed {
    /// How many elements there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Enclosed::Double(values) => values.len(),
            Enclosed::Single(values) => values.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

macro_rules! elements {
    ($($real:ident $precision:ident $values:ident $doubles:expr;)*) => {
        $(impl Element for $real {
            fn left() -> &'static Left<$real> {
                static LEFT: Left<$real> = Left::new();
                &LEFT
            }

            fn doubles($values: &[$real]) -> Option<&[f64]> {
                $doubles
            }

            fn doubles_mut($values: &mut [$real]) -> Option<&mut [f64]> {
                $doubles
            }

            fn enclose(values: Arc<Buffer<$real>>) -> Enclosed {
                Enclosed::$precision(values)
            }

            fn disclose(enclosed: &Enclosed) -> Option<Arc<Buffer<$real>>> {
                match enclosed {
                    Enclosed::$precision(values) => Some(Arc::clone(values)),
                    _ => None,
                }
            }
        })*
    };
}

elements! {
    f64 Double values Some(values);
    f32 Single _values None;
}
