//! The figures of the bench beside ScaLAPACK, without any of the peers.

#[path = "../../benches/peers/figures.rs"]
mod figures;

use figures::{Sample, line, median, of_exec, of_peer, ratios, spread};

const PEER: &str = "time 0.5 1.0\ntime 0.25 0.5\ntime 0.2 0.375\npanel 32 8\nresidual 1.5e-18\n";

fn sample(wall: &[f64]) -> Sample {
    Sample { wall: wall.to_vec(), cpu: vec![2.0; wall.len()], residual: None }
}

#[test]
fn the_first_run_of_a_peer_warms_up() {
    let found = Sample { wall: vec![0.25, 0.2], cpu: vec![0.5, 0.375], residual: Some(1.5e-18) };
    assert_eq!(of_peer(PEER), Some(found));
}

#[test]
fn what_a_peer_did_not_write_is_no_figure() {
    let one_run = PEER.replace("time 0.25 0.5\ntime 0.2 0.375\n", "");
    let texts = [PEER.replace("residual", "rest"), PEER.replace("0.375", "x"), PEER.replace("0.2 ", ""), one_run];
    assert!(texts.iter().all(|text| of_peer(text).is_none()) && of_peer("").is_none());
}

#[test]
fn the_first_run_of_a_program_warms_up() {
    let text = r#"{"runs": [{"seconds": 9, "processor": 9}, {"seconds": 0.5, "processor": 1}]}"#;
    assert_eq!(of_exec(text), Some(Sample { wall: vec![0.5], cpu: vec![1.0], residual: None }));
    let texts =
        [text.replace("runs", "ran"), text.replace("processor", "p"), r#"{"runs": [{"seconds": 9}]}"#.to_owned()];
    assert!(texts.iter().all(|text| of_exec(text).is_none()));
}

#[test]
fn a_wrong_result_is_no_sample() {
    let of = |residual| Sample { residual, ..sample(&[1.0]) }.checked("ours");
    assert_eq!(of(Some(1.5e-18)), Ok(Sample { residual: Some(1.5e-18), ..sample(&[1.0]) }));
    for (residual, told) in
        [(Some(f64::NAN), "residual is NaN"), (Some(1e-12), "residual is 1.0e-12"), (None, "no residual")]
    {
        let message = of(residual).expect_err(told);
        assert!(message.contains(told) && message.contains("ours"), "{message}");
    }
}

#[test]
fn a_median_is_in_the_middle() {
    assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
    assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    assert_eq!((median(&[]), spread(&[2.0, 1.0, 3.0])), (None, [1.0, 3.0]));
}

#[test]
fn ratios_are_those_of_rounds() {
    let (ours, theirs) = ([sample(&[1.0]), sample(&[2.0, 2.0, 9.0])], [sample(&[2.0]), sample(&[2.0])]);
    assert_eq!((ratios(&ours, &theirs), ratios(&ours, &theirs[..1])), (vec![2.0, 1.0], vec![2.0]));
}

#[test]
fn a_line_has_the_rate_and_the_part_that_processors_worked() {
    let line = line("ours", &[sample(&[1.0]), sample(&[2.0, 3.0])], 8e9, 2);
    assert!(line.contains("2.0000 [1.0000 3.0000] s     4.0 GFLOP/s") && line.contains("50% busy"), "{line}");
}
