//! Channel depths: enough is proved, one less is refuted.

use crate::agreement::{AMPLE, agree, checked};
use crate::hand_built::designs::{cannon, design, mesh};
use crate::hand_built::spaces::{fir, matmul};
use systole_base::network::Links;
use systole_compile::mapping::MappedSpace;
use systole_compile::rewrite::Transport;
use systole_compile::smt::{Verdict, discharge};
use systole_compile::timing::{fifo_depth_obligation, load_depth_obligation};

/// The depths of the moving flows; each is proved enough and one less refuted.
fn tight_depths(design: &MappedSpace, response: i64) -> Vec<u64> {
    let flows = design.flows().unwrap();
    let moving = flows.iter().filter(|flow| !flow.is_stationary());
    moving
        .map(|flow| {
            let depth = flow.depth(response).unwrap();
            let enough = fifo_depth_obligation(design, flow, depth, response).unwrap();
            let short = fifo_depth_obligation(design, flow, depth - 1, response).unwrap();
            let verdicts = checked(&[enough, short], if depth > 3 { 3 } else { 4 });
            assert_eq!(verdicts[0].verdict, Verdict::Proved);
            assert!(matches!(verdicts[1].verdict, Verdict::Refuted(_)));
            depth
        })
        .collect()
}

#[test]
fn cannon_needs_two_words_on_each_link() {
    assert_eq!(tight_depths(&cannon(&matmul()), 1), [2, 2]);
}

#[test]
fn cannon_needs_one_word_where_the_response_is_immediate() {
    assert_eq!(tight_depths(&cannon(&matmul()), 0), [1, 1]);
}

#[test]
fn slow_filters_need_one_word_and_fast_ones_more() {
    let space = fir();
    let w1 = design(&space, "k", "2*i + k", &["prefetch", "stream i - k"], &["k"]);
    assert_eq!(tight_depths(&w1, 1), [1, 1]);
    let w2 = design(&space, "k", "i + 2*k", &["prefetch", "stream -1*i + k"], &["k"]);
    assert_eq!(tight_depths(&w2, 1), [2, 3]);
    let r2 = design(&space, "i", "2*i + k", &["stream i", "stream i - k"], &["k"]);
    assert_eq!(tight_depths(&r2, 1), [3, 2]);
}

#[test]
fn one_word_less_fails_at_the_smallest_case() {
    let space = matmul();
    let design = cannon(&space);
    let short = fifo_depth_obligation(&design, &design.flows().unwrap()[0], 1, 1).unwrap();
    let discharged = discharge(&short, AMPLE);
    agree(&discharged, 4);
    let Verdict::Refuted(case) = discharged.verdict else { panic!("depth 1 must be refuted") };
    assert_eq!(case.to_string(), "M = 1, N = 2, K = 2: points (0, 0, 0) and (0, 0, 1), T = 1");
}

#[test]
fn deep_channels_are_decided_too() {
    let space = matmul();
    let design = design(&space, "i, j", "16*i + 16*j + k", &["stream j", "stream i"], &["k"]);
    let flow = &design.flows().unwrap()[0];
    assert_eq!(flow.depth(1), Some(17));
    let enough = discharge(&fifo_depth_obligation(&design, flow, 17, 1).unwrap(), AMPLE);
    assert_eq!(enough.verdict, Verdict::Proved);
    let short = discharge(&fifo_depth_obligation(&design, flow, 16, 1).unwrap(), AMPLE);
    let Verdict::Refuted(case) = short.verdict else { panic!("depth 16 must be refuted") };
    let sizes: Vec<i64> = case.sizes().iter().map(|(_, size)| *size).collect();
    assert_eq!(sizes, [1, 2, 17]);
}

#[test]
fn a_depth_beyond_reckoning_is_refused() {
    let space = matmul();
    let design = cannon(&space);
    let refused = fifo_depth_obligation(&design, &design.flows().unwrap()[0], 1 << 40, mesh().response);
    assert!(refused.unwrap_err().message().contains("FIFO of depth 1099511627776"));
}

/// How many loads of each operand may be outstanding on a memory of this latency; each number is proved enough, and one less refuted.
fn tight_loads(design: &MappedSpace, latency: i64) -> Vec<u64> {
    let links = Links { memory: latency + 1, ..mesh() };
    let operands = 0..design.space.operands.len();
    let loaded = operands.filter(|operand| design.dataflow.transports[*operand] != Transport::Prefetch);
    let tight = |operand: usize| {
        let count = design.outstanding(operand, latency.unsigned_abs());
        let claims = [count, count - 1].map(|count| load_depth_obligation(design, operand, &links, count));
        let claims = if count > 1 { &claims[..] } else { &claims[..1] };
        let verdicts = checked(claims, 4);
        assert_eq!(verdicts[0].verdict, Verdict::Proved);
        assert!(verdicts[1..].iter().all(|short| matches!(short.verdict, Verdict::Refuted(_))));
        count
    };
    loaded.map(tight).collect()
}

#[test]
fn a_load_a_step_takes_one_more_than_the_latency() {
    for latency in [1i64, 3, 200] {
        let enough = latency.unsigned_abs() + 1;
        assert_eq!(tight_loads(&cannon(&matmul()), latency), [enough, enough]);
    }
}

#[test]
fn loads_that_are_apart_take_fewer_and_those_before_all_points_of_a_pe_one() {
    let space = matmul();
    let stays = design(&space, "i, k", "i + j + k", &["stream j", "stream i"], &["k"]);
    assert_eq!(tight_loads(&stays, 200), [1, 201]);
    let slow = design(&space, "i, j", "i + j + 3*k", &["stream j", "stream i"], &["k"]);
    assert_eq!(tight_loads(&slow, 200), [67, 67]);
    assert_eq!(tight_loads(&slow, 2), [1, 1]);
}

#[test]
fn one_load_less_fails_at_the_smallest_case() {
    let (space, links) = (matmul(), Links { memory: 4, ..mesh() });
    let short = load_depth_obligation(&cannon(&space), 0, &links, 3);
    let discharged = discharge(&short, AMPLE);
    agree(&discharged, 4);
    let Verdict::Refuted(case) = discharged.verdict else { panic!("3 loads must be refuted") };
    assert_eq!(case.to_string(), "M = 1, N = 1, K = 2: points (0, 0, 0) and (0, 0, 1)");
    assert_eq!(short.reason.broken, "3 loads of `A` outstanding cannot hide the latency of memory");
    assert_eq!(short.reason.help, "4 loads are enough, for every size");
}
