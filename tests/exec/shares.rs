//! Each PE has one worker and each word one home: proved for any number of them, refuted where a share is off by one, and what is proved is
//! what is distributed.

use std::time::Duration;
use systole::array::Grid;
use systole::exec::{Owners, Shares, Things, numbering_obligation, owner_obligations};
use systole::integer::{Affine, Bindings, name};
use systole::obligation::{Kind, Obligation};
use systole::recurrence::Distribution;
use systole::smt::{Discharged, Verdict, discharge_all};

const DEALINGS: [Distribution; 5] = [
    Distribution::Block,
    Distribution::Cyclic,
    Distribution::BlockCyclic(2),
    Distribution::BlockCyclic(3),
    Distribution::BlockCyclic(1 << 40),
];

fn proofs(obligations: &[Obligation]) -> Vec<Discharged> {
    discharge_all(obligations, Duration::from_secs(60))
}

/// What is refuted, each with its counterexample.
fn refuted(obligations: &[Obligation]) -> Vec<(Kind, String)> {
    let said = |proof: Discharged| match proof.verdict {
        Verdict::Proved => None,
        Verdict::Refuted(example) => Some((proof.obligation.kind, example.to_string())),
        Verdict::Unknown(why) => panic!("{}: {why}", proof.obligation.kind),
    };
    proofs(obligations).into_iter().filter_map(said).collect()
}

#[test]
fn every_distribution_is_proved() {
    for distribution in DEALINGS.into_iter().chain([Distribution::BlockCyclic(usize::MAX)]) {
        let obligations = owner_obligations(distribution, &[]);
        let kinds: Vec<Kind> = obligations.iter().map(|obligation| obligation.kind).collect();
        assert_eq!(kinds, [Kind::OwnerCover, Kind::OwnerApart, Kind::OwnerNumber]);
        assert_eq!(refuted(&obligations), [], "{distribution:?}");
    }
}

#[test]
fn every_layout_is_proved() {
    for layout in DEALINGS {
        let obligations = owner_obligations(Distribution::Cyclic, &[layout]);
        let stated: Vec<(Kind, &str)> = obligations.iter().map(|one| (one.kind, &*one.of)).collect();
        let (cover, apart) = (Kind::OwnerCover, Kind::OwnerApart);
        let distributed = [(cover, "PEs"), (apart, "PEs"), (cover, "words"), (apart, "words")];
        assert_eq!(stated, [&distributed[..], &[(Kind::OwnerNumber, "workers")]].concat());
        assert_eq!(refuted(&obligations), [], "{layout:?}");
    }
    let mut off = Shares::of(Things::WORDS, Distribution::BlockCyclic(2));
    off.length = off.length.clone() + Affine::constant(1);
    let twice = "workers = 1, words = 3, word = 2, worker = 0, worker' = 0, begin = 0, begin' = 2";
    assert_eq!(refuted(&off.obligations()), [(Kind::OwnerApart, twice.to_owned())]);
}

/// One PE more, or one fewer, in the length of shares, their distance, that of rounds, or what is divided.
#[test]
fn shares_that_are_off_by_one_are_refuted() {
    let one = Affine::constant(1);
    let of = |distribution, change: fn(&mut Shares, Affine), by: i64| {
        let mut shares = Shares::of(Things::PES, distribution);
        change(&mut shares, one.clone() * by);
        refuted(&shares.obligations())
    };
    let length: fn(&mut Shares, Affine) = |shares, by| shares.length = shares.length.clone() + by;
    let stride: fn(&mut Shares, Affine) = |shares, by| shares.stride = shares.stride.clone() + by;
    let period: fn(&mut Shares, Affine) = |shares, by| shares.period = shares.period.clone().map(|period| period + by);
    let divided: fn(&mut Shares, Affine) = |shares, by| shares.divided = shares.divided.clone() + by;
    let (cover, apart) = (Kind::OwnerCover, Kind::OwnerApart);
    let two = Distribution::BlockCyclic(2);
    let found = [
        of(Distribution::Block, length, -1),
        of(Distribution::Block, length, 1),
        of(Distribution::Block, stride, -1),
        of(Distribution::Block, stride, 1),
        of(Distribution::Block, divided, -1),
        of(two, length, -1),
        of(two, length, 1),
        of(two, stride, 1),
        of(two, period, 1),
        of(two, period, -1),
    ];
    let expected: [&[(Kind, &str)]; 10] = [
        &[(cover, "workers = 1, PEs = 1, PE = 0, block = 1")],
        &[(apart, "workers = 2, PEs = 2, PE = 1, block = 1, worker = 0, worker' = 1")],
        &[
            (cover, "workers = 2, PEs = 2, PE = 1, block = 1"),
            (apart, "workers = 2, PEs = 1, PE = 0, block = 1, worker = 0, worker' = 1"),
        ],
        &[(cover, "workers = 2, PEs = 2, PE = 1, block = 1")],
        &[(cover, "workers = 1, PEs = 1, PE = 0, block = 0")],
        &[(cover, "workers = 1, PEs = 2, PE = 1, worker = 0, begin = 0")],
        &[(apart, "workers = 1, PEs = 3, PE = 2, worker = 0, worker' = 0, begin = 0, begin' = 2")],
        &[
            (cover, "workers = 2, PEs = 3, PE = 2, worker = 0, begin = 0"),
            (apart, "workers = 2, PEs = 5, PE = 4, worker = 1, worker' = 0, begin = 0, begin' = 4"),
        ],
        &[(cover, "workers = 1, PEs = 3, PE = 2, worker = 1, begin = 0")],
        &[(apart, "workers = 1, PEs = 2, PE = 1, worker = 0, worker' = 0, begin = 0, begin' = 1")],
    ];
    let found: Vec<Vec<(Kind, &str)>> =
        found.iter().map(|all| all.iter().map(|(kind, text)| (*kind, &**text)).collect()).collect();
    assert_eq!(found, expected);
}

#[test]
fn rows_of_workers_that_are_off_by_one_are_refuted() {
    assert_eq!(refuted(&[numbering_obligation(|columns| columns)]), []);
    let example = |by: i64| refuted(&[numbering_obligation(|columns| columns + by)]);
    let said = |text: &str| [(Kind::OwnerNumber, text.to_owned())];
    assert_eq!(example(-1), said("rows = 2, columns = 1, row = 0, column = 0, row' = 1, column' = 0"));
    assert_eq!(example(1), said("rows = 2, columns = 1, row = 1, column = 0, row' = 0, column' = 0"));
}

/// The shares of which that is proved are those by which PEs are distributed.
#[test]
fn each_pe_is_in_the_share_of_its_worker_alone() {
    for (distribution, workers, extent) in DEALINGS.into_iter().flat_map(|distribution| {
        (1..=5usize).flat_map(move |workers| (1..=14usize).map(move |extent| (distribution, workers, extent)))
    }) {
        let shares = Shares::of(Things::PES, distribution);
        let owners = Owners::new(&Grid { first: vec![0], extents: vec![extent] }, workers, distribution);
        let sizes = [("workers", workers), ("PEs", extent), ("block", extent.div_ceil(workers))];
        let sizes: Bindings = sizes.map(|(size, value)| (name(size), value as i64)).into();
        let begins: Vec<i64> = match &shares.period {
            None => vec![0],
            Some(period) => {
                let later = (1..extent as i64).filter_map(|round| period.evaluate(&sizes)?.checked_mul(round));
                std::iter::once(0).chain(later).collect()
            }
        };
        for pe in 0..extent {
            let has = |worker: &i64, begin: &i64| {
                let [worker, begin, pe] = [*worker, *begin, pe as i64].map(Affine::constant);
                shares.has((&worker, &begin), &pe).holds(&sizes).expect("all have values")
            };
            let found = (0..workers as i64).filter(|worker| begins.iter().any(|begin| has(worker, begin)));
            assert_eq!(found.collect::<Vec<_>>(), [owners.of(pe) as i64], "{distribution:?} {workers} {extent} {pe}");
        }
    }
}
