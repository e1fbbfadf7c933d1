//! Refuted schedules on the array: the moments that a refutation names are where the design puts them.

use super::made::Made;
use serde_json::{Value, json};

/// The refuted obligation of this kind.
fn clash(made: &Made, kind: &str) -> Value {
    assert_eq!(made.code, Some(1), "{}", made.printed);
    let data = made.data();
    let clashes = data["clashes"].as_array().unwrap();
    clashes.iter().find(|clash| clash["kind"] == kind).unwrap_or_else(|| panic!("no {kind} in {clashes:#?}")).clone()
}

/// The PE and the time of each side.
fn sides(clash: &Value) -> Vec<(Value, Value)> {
    let time = |side: &Value| clash["times"][side["time"].as_u64().unwrap() as usize].clone();
    clash["sides"].as_array().unwrap().iter().map(|side| (side["pe"].clone(), time(side))).collect()
}

/// A wrong schedule of matrix product.
fn scheduled(lines: &str, flags: &[&str]) -> Made {
    let text = format!(
        "kernel matmul(M, N, K)\nin A[M, K], B[K, N]\nout C[M, N]\nC[i, j] = sum(k) A[i, k] * B[k, j]\nschedule wrong\n{lines}\n"
    );
    Made::new(&[&["prove", "FILE", "--schedule", "wrong"], flags].concat(), Some(&text))
}

#[test]
fn the_operands_of_the_schedule_that_ships_wrong_miss_each_other_by_a_cycle() {
    let clash = clash(&Made::too_fast(), "causality");
    assert_eq!(clash["of"], "A");
    assert_eq!(clash["example"], "M = 1, N = 2, K = 1: point (0, 1, 0)");
    assert_eq!(sides(&clash), [(json!([0, 0]), json!([1])), (json!([0, 1]), json!([0]))]);
    assert_eq!(clash["points"], json!([[0, [0, 0, 0], 0, 0], [0, [0, 1, 0], 1, 0]]));
}

#[test]
fn two_points_of_one_pe_at_one_time_are_drawn_there() {
    let clash = clash(&scheduled("place (i, j)   time i + j", &[]), "pe-conflict");
    let sides = sides(&clash);
    assert_eq!(sides.len(), 2);
    assert_eq!(sides[0], sides[1]);
    let at = clash["sides"][0]["time"].as_u64();
    let pes = clash["array"]["pes"].as_array().unwrap();
    let here = |point: &&Value| point[3].as_u64() == at && pes[point[2].as_u64().unwrap() as usize] == sides[0].0;
    assert_eq!(clash["points"].as_array().unwrap().iter().filter(here).count(), 2);
}

#[test]
fn a_channel_that_is_too_shallow_shows_the_words_that_need_it() {
    let flags = ["prove", "kernels/matmul.rec", "--schedule", "cannon", "--depth"];
    let clash = clash(&Made::new(&[&flags[..], &["1"]].concat(), None), "fifo-depth");
    let sides = sides(&clash);
    assert_eq!(sides.len(), 2, "one word more than there is room for");
    assert_eq!(sides[0].0, sides[1].0, "both leave one PE");
    assert_ne!(sides[0].1, sides[1].1, "one after the other");
    let enough = Made::new(&[&flags[..], &["2"]].concat(), None);
    assert_eq!((enough.code, enough.data()["clashes"].clone()), (Some(0), json!([])));
}

/// A schedule of several spaces that no steps satisfy: the page shows the design that breaks one law of the clash.
#[test]
fn an_impossible_schedule_of_several_spaces_is_drawn_where_it_breaks() {
    let wrong = |name: &str| {
        let file = format!("tests/errors/schedules/{name}.rec");
        Made::new(&["prove", &file, "--schedule", "wrong"], None)
    };
    let made = wrong("step-against-a-dependence");
    let late = clash(&made, "handoff");
    assert_eq!(sides(&late).len(), 2, "when it is there, and when it is taken");
    let folded = clash(&wrong("fold-of-pes-that-work-together"), "pe-conflict");
    let sides = sides(&folded);
    assert_eq!((&sides[0].1, sides[0].0 == sides[1].0), (&sides[1].1, false), "two PEs of the map at one time");
}

/// `run` stops at a refuted schedule, and its page shows what that of `prove` does: of one space, of several, and where a place leaves no time.
#[test]
fn a_run_of_a_refuted_schedule_writes_the_page_of_the_refutation() {
    let sizes = ["--size", "M=3,N=3,K=3"];
    for (kernel, schedule, sizes) in [
        ("kernels/matmul.rec", "too-fast", &sizes[..]),
        ("tests/errors/schedules/step-against-a-dependence.rec", "wrong", &["--size", "M=4,N=4"]),
    ] {
        let page = |command: &str, sizes: &[&str]| {
            let made = Made::new(&[&[command, kernel, "--schedule", schedule], sizes].concat(), None);
            assert_eq!(made.code, Some(1), "{}", made.printed);
            made.data()
        };
        let (run, prove) = (page("run", sizes), page("prove", &[]));
        assert!(!run["clashes"].as_array().unwrap().is_empty(), "{kernel}");
        assert_eq!((&run["clashes"], &run["command"]), (&prove["clashes"], &"run".into()), "{kernel}");
    }
}

#[test]
fn the_page_of_a_proved_schedule_has_its_proofs_and_no_counterexample() {
    let made = Made::new(&["prove", "kernels/trisolve.rec", "--schedule", "row"], None);
    assert_eq!(made.code, Some(0));
    let data = made.data();
    assert_eq!((&data["clashes"], &data["run"]), (&json!([]), &Value::Null));
    assert_eq!(data["schedule"].as_array().unwrap().len(), 2);
    assert!(data["proofs"].as_array().unwrap().iter().all(|proof| proof["verdict"] == "proved"));
    let folded = Made::new(&["prove", "kernels/trisolve.rec", "--schedule", "folded"], None).data();
    assert_eq!(folded["schedule"][0]["place"], "(floor((i - j)/2))");
}

/// PE 0 waits for a tag that PE 1 would drive after the word that PE 0 would send.
#[test]
fn a_wait_for_a_bus_names_the_next_pe_of_the_cycle() {
    let text = "(program bus (version 1) (grid (p0 0 1)) (bus row (direction 1))
                  (channel right (offset 1) (latency 1) (depth 2))
                  (class a (guard (= p0 0)) (listen x row (0)) (send right x))
                  (class b (guard (= p0 1)) (recv y right) (drive row y (0))))";
    let waits = Made::new(&["sim", "FILE"], Some(text)).data()["run"]["deadlock"].clone();
    assert_eq!((&waits["listed"][0]["pe"], &waits["listed"][0]["peer"]), (&json!([0]), &json!([1])));
    assert_eq!(waits["listed"][0]["cause"], "undriven");
    let idle = Made::new(&["sim", "FILE"], Some(&text.replace("(listen x row (0))", "(let x 1)")));
    assert_eq!((idle.code, idle.data()["run"]["deadlock"].clone()), (Some(0), Value::Null));
}

/// Two pairs that wait for each other, and a fifth PE that waits for one of them.
#[test]
fn every_cycle_of_waits_is_listed_as_one() {
    let made = Made::two_cycles();
    assert_eq!(made.code, Some(1));
    let waits = made.data()["run"]["deadlock"].clone();
    assert_eq!((&waits["total"], &waits["cycle"], &waits["other_cycles"]), (&json!(5), &json!(2), &json!([2])));
    let listed = waits["listed"].as_array().unwrap();
    for pair in [0, 2] {
        assert_eq!((&listed[pair]["peer"], &listed[pair + 1]["peer"]), (&listed[pair + 1]["pe"], &listed[pair]["pe"]));
    }
    assert_eq!((&listed[4]["pe"], &listed[4]["peer"]), (&json!([4]), &json!([3])));
    assert_eq!(Made::ring().data()["run"]["deadlock"]["other_cycles"], json!([]));
}

#[test]
fn the_page_of_a_deadlock_has_its_waits_in_the_order_of_the_cycle() {
    let made = Made::ring();
    assert_eq!(made.code, Some(1));
    let waits = made.data()["run"]["deadlock"].clone();
    assert_eq!((&waits["total"], &waits["cycle"]), (&json!(4), &json!(4)));
    let listed = waits["listed"].as_array().unwrap();
    for (number, wait) in listed.iter().enumerate() {
        assert_eq!(wait["peer"], listed[(number + 1) % 4]["pe"], "each waits for the next");
        assert_eq!(wait["cause"], "empty");
    }
}
