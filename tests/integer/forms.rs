//! Forms that are no less than others for all sizes.

use proptest::prelude::*;
use systole_base::integer::{Affine, Bindings, name};

fn form(coefficients: [i64; 3], constant: i64) -> Affine {
    let terms = ["K", "M", "N"].into_iter().zip(coefficients);
    terms.fold(Affine::constant(constant), |sum, (size, times)| sum + Affine::term(&name(size), times))
}

proptest! {
    /// At sizes of 1 and more; it meets `least` at the smallest sizes unless the form itself is above it there.
    #[test]
    fn a_rising_form_is_no_less(times in [-3_i64..4, -3..4, -3..4], constant in -9_i64..10, least in -2_i64..3, at in [1_i64..9, 1..9, 1..9]) {
        let form = form(times, constant);
        let value = |form: &Affine, at: [i64; 3]| {
            let sizes: Bindings = ["K", "M", "N"].into_iter().map(name).zip(at).collect();
            form.evaluate(&sizes).unwrap()
        };
        let risen = form.rising_from(least);
        prop_assert!(value(&risen, at) >= value(&form, at).max(least));
        prop_assert!(risen.terms().all(|(_, times)| times > 0));
        prop_assert_eq!(value(&risen, [1; 3]), value(&form, [1; 3]).max(least));
    }
}
