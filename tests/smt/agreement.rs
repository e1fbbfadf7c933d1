//! Proves designs and holds every verdict against brute force.

use crate::hand_built::brute_force::smallest_violation;
use std::time::Duration;
use systole_base::network::Links;
use systole_compile::mapping::MappedSpace;
use systole_compile::smt::{Discharged, Verdict, discharge_all, settle};
use systole_compile::timing::space_obligations;
use systole_program::obligation::{Kind, Obligation};

/// Long enough to decide any query of the tests on a busy machine.
pub const AMPLE: Duration = Duration::from_secs(120);

/// The verdicts on a design, each equal to that of brute force at sizes up to 4 (3 where there are four of them).
pub fn verdicts(design: &MappedSpace, links: &Links) -> Vec<Discharged> {
    let largest = if design.space.parameters.len() > 3 { 3 } else { 4 };
    checked(&space_obligations(design, links).unwrap(), largest)
}

/// The verdicts, each equal to that of brute force at sizes up to `largest`.
pub fn checked(obligations: &[Obligation], largest: i64) -> Vec<Discharged> {
    let verdicts = discharge_all(obligations, AMPLE);
    verdicts.iter().for_each(|discharged| agree(discharged, largest));
    verdicts
}

/// Proved means that brute force finds nothing; refuted means that it finds the very same smallest counterexample.
pub fn agree(discharged: &Discharged, largest: i64) {
    let obligation = &discharged.obligation;
    let expected = smallest_violation(obligation, largest);
    let claim = format!("{} of `{}`", obligation.kind, obligation.of);
    assert_eq!(settle(obligation, AMPLE), discharged.verdict, "{claim} is settled alike");
    match &discharged.verdict {
        Verdict::Proved => assert_eq!(expected, None, "{claim} was proved"),
        Verdict::Refuted(found) => {
            let values: Vec<i64> = found.values.iter().map(|(_, value)| *value).collect();
            assert_eq!(Some(values), expected, "{claim} was refuted by {found}");
            assert!(found.smallest);
        }
        Verdict::Unknown(why) => panic!("{claim} is unknown: {why}"),
    }
}

/// Every obligation of the design is proved.
pub fn assert_proved(design: &MappedSpace, links: &Links) {
    for discharged in verdicts(design, links) {
        let (kind, of) = (discharged.obligation.kind, &discharged.obligation.of);
        assert_eq!(discharged.verdict, Verdict::Proved, "{kind} of `{of}`");
    }
}

/// What is refuted of the design, in order: the kind, the tensor and the counterexample.
pub fn refutations(design: &MappedSpace, links: &Links) -> Vec<(Kind, String, String)> {
    refuted(&verdicts(design, links))
}

/// What is refuted among the verdicts.
pub fn refuted(verdicts: &[Discharged]) -> Vec<(Kind, String, String)> {
    let describe = |discharged: &Discharged| match &discharged.verdict {
        Verdict::Refuted(found) => {
            Some((discharged.obligation.kind, discharged.obligation.of.to_string(), found.to_string()))
        }
        _ => None,
    };
    verdicts.iter().filter_map(describe).collect()
}
