//! Each element is computed once: proved of every kernel that ships, refuted where a `where` is off by one at a size that nobody tries.

use crate::hand_built::brute_force::smallest_violation;
use std::path::Path;
use std::time::Duration;
use systole_base::span::Source;
use systole_compile::smt::{Verdict, discharge_all};
use systole_compile::timing::element_obligations;
use systole_equations::recurrence::{RecurrenceSystem, Role, load};
use systole_program::obligation::{Kind, Obligation};

const FOLDERS: [&str; 2] = ["kernels", "kernels/naive"];

fn system(text: &str) -> RecurrenceSystem {
    load(&Source::new("test.rec", text.to_owned())).unwrap_or_else(|faults| panic!("{faults:?}"))
}

/// What is refuted, each with its counterexample.
fn refuted(obligations: &[Obligation]) -> Vec<(Kind, String)> {
    let proofs = discharge_all(obligations, Duration::from_secs(60)).into_iter();
    let refuted = proofs.filter_map(|proof| match proof.verdict {
        Verdict::Proved => None,
        Verdict::Refuted(example) => Some((proof.obligation.kind, example.to_string())),
        Verdict::Unknown(why) => panic!("{} of {}: {why}", proof.obligation.kind, proof.obligation.of),
    });
    refuted.collect()
}

#[test]
fn every_kernel_computes_each_element_once() {
    let root = Path::new(env!("SYSTOLE_ROOT"));
    let files = FOLDERS.iter().flat_map(|folder| std::fs::read_dir(root.join(folder)).expect("kernels"));
    let paths = files.map(|file| file.expect("a file").path());
    let paths = paths.filter(|path| path.extension().is_some_and(|end| end == "rec"));
    let mut seen = 0;
    for path in paths {
        let system = system(&std::fs::read_to_string(&path).expect("a kernel"));
        let (obligations, left) = element_obligations(&system);
        let computed = system.tensors.iter().filter(|tensor| tensor.role != Role::Input).count();
        assert_eq!((obligations.len(), left.len()), (2 * computed, 0), "{}", path.display());
        assert_eq!(refuted(&obligations), [], "{}", path.display());
        seen += 1;
    }
    assert!(seen >= 50, "{seen}");
}

/// Two equations for one vector, which meet at `4`: the second begins there, one before, or one behind. Systems are tried at sizes of up
/// to 3 when they are read, so the last two are wrong where nobody looked.
#[test]
fn an_equation_that_begins_one_too_early_or_too_late_is_refuted() {
    let text = |begin: i64| {
        format!(
            "kernel halves(N)\nin A[N]\nin B[N]\nout C[N]\nC[i] = A[i] where i <= 3\nC[i] = B[i] where {begin} <= i\n"
        )
    };
    let found = [4, 3, 5].map(|begin| {
        let (obligations, left) = element_obligations(&system(&text(begin)));
        assert_eq!(left.len(), 0);
        let brute: Vec<_> = obligations.iter().map(|obligation| smallest_violation(obligation, 6)).collect();
        (refuted(&obligations), brute)
    });
    let expected = [
        (vec![], vec![None, None]),
        (vec![(Kind::ElementApart, "N = 4, i = 3".to_owned())], vec![None, Some(vec![4, 3])]),
        (vec![(Kind::ElementCover, "N = 5, i = 4".to_owned())], vec![Some(vec![5, 4]), None]),
    ];
    assert_eq!(found, expected);
}

#[test]
fn subscripts_with_gaps_are_left() {
    let text = "kernel both(N)\nin A[N]\nout C[2*N]\nC[2*i] = A[i]\nC[2*i + 1] = A[i]\n";
    let (obligations, left) = element_obligations(&system(text));
    assert_eq!((obligations.len(), left.iter().map(|name| &**name).collect::<Vec<_>>()), (0, vec!["C"]));
}
