//! Whether OpenBLAS has chosen kernels as wide as the processor's vectors.
//!
//! The library knows processors by their numbers, and runs its oldest kernels on one that came after it: an eighth of the speed, without
//! a word (0.3.21 on a processor of 2023). What the processor says of itself tells that.

/// Vectors of so many bits; the kernels of a processor use those of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Width {
    Bits128,
    Bits256,
    Bits512,
}

impl Width {
    /// Of this processor, as far as OpenBLAS has kernels for it; `None` for processors of another family.
    #[cfg(target_arch = "x86_64")]
    fn of_processor() -> Option<Width> {
        let has_512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        let has_256 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        Some(if has_512 {
            Width::Bits512
        } else if has_256 {
            Width::Bits256
        } else {
            Width::Bits128
        })
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn of_processor() -> Option<Width> {
        None
    }

    /// Of kernels, by the names that the library gives them (`OPENBLAS_CORETYPE`).
    fn of_kernels(name: &str) -> Width {
        match &*name.to_lowercase() {
            "skylakex" | "cooperlake" | "sapphirerapids" => Width::Bits512,
            "haswell" | "zen" | "excavator" => Width::Bits256,
            _ => Width::Bits128,
        }
    }

    /// The first kernels of that width.
    fn kernels(self) -> Option<&'static str> {
        match self {
            Width::Bits128 => None,
            Width::Bits256 => Some("Haswell"),
            Width::Bits512 => Some("SkylakeX"),
        }
    }
}

/// Kernels for wider vectors than those chosen, which this processor can run: a word for `OPENBLAS_CORETYPE`, to be set before the process
/// starts. `None` where the choice is as wide as the processor.
pub(super) fn wider_kernels() -> Option<&'static str> {
    wider(&::openblas::core_name(), Width::of_processor()?)
}

fn wider(chosen: &str, processor: Width) -> Option<&'static str> {
    if Width::of_kernels(chosen) < processor { processor.kernels() } else { None }
}

#[cfg(test)]
mod tests {
    use super::{Width, wider};

    #[test]
    fn the_oldest_kernels_on_a_new_processor_are_told() {
        assert_eq!(wider("Prescott", Width::Bits512), Some("SkylakeX"));
        assert_eq!(wider("Haswell", Width::Bits512), Some("SkylakeX"));
        assert_eq!(wider("Prescott", Width::Bits256), Some("Haswell"));
    }

    #[test]
    fn kernels_as_wide_as_the_processor_are_not() {
        assert_eq!(wider("SapphireRapids", Width::Bits512), None);
        assert_eq!(wider("SkylakeX", Width::Bits256), None);
        assert_eq!(wider("Zen", Width::Bits256), None);
        assert_eq!(wider("Nehalem", Width::Bits128), None);
    }
}
