//! Saturation stops by itself, and the choices are exactly those expected.

use crate::kernels;
use std::collections::BTreeSet;
use systole_base::integer::Polyhedron;
use systole_compile::rewrite::{
    Choices, Limits, Lowered, RuleSet, Transport, load_rules, lowered_term, null_directions, saturate,
};
use systole_equations::recurrence::spaces::SpaceSystem;
use systole_equations::recurrence::{Domain, Operator, Scalar, Space};

pub fn lower(space: &Space) -> Lowered {
    saturate(&SpaceSystem::of_one(space.clone()), &load_rules(None).unwrap(), &Limits::default()).unwrap()
}

fn lower_with(space: &Space, rules: &RuleSet) -> Lowered {
    saturate(&SpaceSystem::of_one(space.clone()), rules, &Limits::default()).unwrap()
}

/// One line an operand, then the chains: `A: stream <-j>, stream <j>, feed` and `C: <-k>, <k>`.
fn show(space: &Space, choices: &Choices) -> Vec<String> {
    let operands = space.operands.iter().zip(&choices.transports).map(|(operand, list)| {
        let words: Vec<String> = list.iter().map(|transport| transport.show(space)).collect();
        format!("{}: {}", operand.tensor, words.join(", "))
    });
    let chains = choices.chains.iter().map(|chain| {
        let levels: Vec<String> = chain.directions.iter().map(|along| space.show_direction(along)).collect();
        levels.join(" ")
    });
    let chains = format!("{}: {}", space.output, chains.collect::<Vec<String>>().join(", "));
    operands.chain([chains]).collect()
}

/// The same with the trees along the two indices, in either order, behind the streams.
fn branched(streams: &str, buses: &str, [one, other]: [&str; 2]) -> String {
    let pair = |first: &str, second: &str| format!("stream <{first}>, <-{second}>, stream <{first}>, <{second}>, ");
    let from = |sign: &str, first: &str, second: &str| pair(&format!("{sign}{first}"), second);
    let both = [from("-", one, other), from("-", other, one), from("", other, one), from("", one, other)].concat();
    moved(streams, buses).replacen("broadcast", &format!("{both}broadcast"), 1)
}

/// Both signs of a stream along each, a bus along each (given with the first entry positive), memory and port.
fn moved(streams: &str, buses: &str) -> String {
    let each = |word: &str, list: &str| list.split(' ').map(|d| format!("{word} {d}, ")).collect::<String>();
    format!("{}{}prefetch, feed", each("stream", streams), each("broadcast", buses))
}

/// The trees along two indices in this order, both ways each, before the `rest`.
fn trees(order: &str, rest: &str) -> String {
    let (first, second) = order.split_once(' ').unwrap();
    let ways = |index: &str| [format!("<-{index}>"), format!("<{index}>")];
    let all = ways(first).into_iter().flat_map(|one| ways(second).map(|two| format!("stream {one}, {two}, ")));
    format!("{}{rest}", all.collect::<String>())
}

fn expect(space: &Space, expected: &[String]) {
    let choices = lower(space).choices().unwrap().swap_remove(0);
    assert_eq!(show(space, &choices), expected);
}

fn line(name: &str, rest: &str) -> String {
    format!("{name}: {rest}")
}

#[test]
fn saturation_counts() {
    let expected = [
        (kernels::matmul(), (97, 55)),
        (kernels::matvec(), (73, 43)),
        (kernels::fir(), (97, 55)),
        (kernels::wide_fir(), (97, 55)),
        (kernels::polynomial(), (97, 55)),
        (kernels::mttkrp(), (493, 240)),
        (kernels::ttm(), (257, 131)),
        (kernels::elementwise(), (19, 11)),
        (kernels::outer(), (69, 36)),
        (kernels::scaled(), (144, 73)),
        (kernels::syrk(), (96, 54)),
        (kernels::convolution(), (478, 242)),
    ];
    for (space, counts) in expected {
        let report = lower(&space).report;
        assert_eq!(report.stop, "Saturated", "{}", space.kernel);
        assert_eq!((report.nodes, report.classes), counts, "{}", space.kernel);
    }
}

#[test]
fn matmul() {
    let a = line("A", &moved("<-j> <j>", "<j>"));
    let b = line("B", &moved("<-i> <i>", "<i>"));
    expect(&kernels::matmul(), &[a, b, line("C", "<-k>, <k>")]);
    assert_eq!(lower(&kernels::matmul()).choices().unwrap().swap_remove(0).count(), 50);
}

#[test]
fn an_operand_used_once_has_no_direction() {
    let x = line("x", &moved("<-i> <i>", "<i>"));
    expect(&kernels::matvec(), &[line("A", "prefetch, feed"), x, line("y", "<-k>, <k>")]);
}

#[test]
fn fir_streams_along_the_diagonal() {
    let w = line("w", &moved("<-i> <i>", "<i>"));
    expect(&kernels::fir(), &[line("x", &moved("<k-i> <i-k>", "<i-k>")), w, line("y", "<-k>, <k>")]);
}

#[test]
fn directions_go_beyond_unit_entries() {
    let x = line("x", &moved("<2*k-3*i> <3*i-2*k>", "<3*i-2*k>"));
    let w = line("w", &moved("<-i> <i>", "<i>"));
    expect(&kernels::wide_fir(), &[x, w, line("y", "<-k>, <k>")]);
}

#[test]
fn the_polynomial_product_reduces_along_antidiagonals() {
    let a = line("a", &moved("<-j> <j>", "<j>"));
    let b = line("b", &moved("<-i> <i>", "<i>"));
    expect(&kernels::polynomial(), &[a, b, line("c", "<j-i>, <i-j>")]);
}

const FOUR_WAYS: [&str; 2] = ["<-i-l> <-i> <l-i> <-l> <l> <i-l> <i> <i+l>", "<l> <i-l> <i> <i+l>"];

#[test]
fn mttkrp_nests_its_reductions_both_ways() {
    let ways =
        |index: &str| branched(&FOUR_WAYS[0].replace('l', index), &FOUR_WAYS[1].replace('l', index), ["i", index]);
    let chains = "<-k> <-l>, <-k> <l>, <-l> <-k>, <-l> <k>, <l> <-k>, <l> <k>, <k> <-l>, <k> <l>";
    let expected =
        [line("X", &moved("<-j> <j>", "<j>")), line("B", &ways("l")), line("D", &ways("k")), line("A", chains)];
    expect(&kernels::mttkrp(), &expected);
}

#[test]
fn without_interchange_the_written_order_stays() {
    let rules = load_rules(None).unwrap().without("interchange");
    let space = kernels::mttkrp();
    let choices = lower_with(&space, &rules).choices().unwrap().swap_remove(0);
    let chains: Vec<String> = choices.chains.iter().map(|c| space.show_direction(&c.directions[0])).collect();
    assert_eq!(chains, ["<-l>", "<-l>", "<l>", "<l>"]);
}

#[test]
fn three_reductions_nest_six_ways() {
    let space = kernels::product(
        "dot",
        &["i", "k", "l", "m"],
        ("y", &["i"]),
        &[("a", &["i", "k", "l", "m"])],
        &["k", "l", "m"],
    );
    let choices = lower(&space).choices().unwrap().swap_remove(0);
    assert_eq!(choices.chains.len(), 6 * 8);
}

#[test]
fn ttm() {
    let ways = branched(&FOUR_WAYS[0].replace('l', "j"), &FOUR_WAYS[1].replace('l', "j"), ["i", "j"]);
    expect(&kernels::ttm(), &[line("X", &moved("<-k> <k>", "<k>")), line("U", &ways), line("Y", "<-l>, <l>")]);
}

#[test]
fn nothing_is_reduced_in_elementwise_kernels() {
    expect(&kernels::elementwise(), &[line("A", "prefetch, feed"), line("B", "prefetch, feed"), line("C", "")]);
    let outer = [line("a", &moved("<-j> <j>", "<j>")), line("b", &moved("<-i> <i>", "<i>")), line("C", "")];
    expect(&kernels::outer(), &outer);
}

#[test]
fn a_scalar_is_known_everywhere() {
    let x = line("x", &moved("<-i> <i>", "<i>"));
    let expected = [line("alpha", &trees("i k", "prefetch")), line("A", "prefetch, feed"), x, line("y", "<-k>, <k>")];
    expect(&kernels::scaled(), &expected);
}

#[test]
fn two_reads_of_one_tensor_are_two_operands() {
    let first = line("A", &moved("<-j> <j>", "<j>"));
    let second = line("A", &moved("<-i> <i>", "<i>"));
    expect(&kernels::syrk(), &[first, second, line("C", "<-k>, <k>")]);
}

#[test]
fn the_square_of_a_read_may_move_in_two_ways_at_once() {
    let space = kernels::product("norm", &["i", "k"], ("y", &["i"]), &[("x", &["k"]), ("x", &["k"])], &["k"]);
    let lowered = lower(&space);
    let choices = lowered.choices().unwrap().swap_remove(0);
    assert_eq!(choices.transports[0], choices.transports[1]);
    assert!(choices.dataflows().all(|dataflow| lowered.term(0, &dataflow).is_some()));
}

#[test]
fn numbers_and_indices_in_the_body_are_known_everywhere() {
    let mut space = kernels::matvec();
    let place = Scalar::Index(kernels::form("i-k+1"));
    let half = Scalar::Apply(systole_base::scalar::Function::Multiply, vec![Scalar::Number(0.5), place]);
    space.body = Scalar::Apply(systole_base::scalar::Function::Add, vec![space.body, half]);
    let lowered = lower(&space);
    let choices = lowered.choices().unwrap().swap_remove(0);
    assert_eq!(choices.count(), 2 * 5 * 2);
    assert!(choices.dataflows().all(|dataflow| lowered.term(0, &dataflow).is_some()));
}

#[test]
fn every_choice_is_in_the_graph_and_no_other() {
    for space in [kernels::matmul(), kernels::fir(), kernels::polynomial(), kernels::mttkrp(), kernels::scaled()] {
        let lowered = lower(&space);
        let choices = lowered.choices().unwrap().swap_remove(0);
        assert_eq!(choices.dataflows().count(), choices.count());
        assert!(choices.dataflows().all(|dataflow| lowered.term(0, &dataflow).is_some()), "{}", space.kernel);
        let mut wrong = choices.dataflows().next().unwrap();
        wrong.transports[0] = Transport::Stream(vec![1; space.dimension()]);
        assert_eq!(lowered.term(0, &wrong), None, "{}", space.kernel);
        assert!(lowered_term(&space, &wrong).is_some(), "the term can be written, but it is not equal");
    }
}

#[test]
fn a_dataflow_of_the_wrong_shape_has_no_term() {
    let lowered = lower(&kernels::matmul());
    let mut dataflow = lowered.choices().unwrap().swap_remove(0).dataflows().next().unwrap();
    dataflow.chain.directions.push(vec![0, 0, 1]);
    assert_eq!(lowered.term(0, &dataflow), None);
    dataflow.chain.directions.clear();
    assert_eq!(lowered.term(0, &dataflow), None);
    dataflow.transports.clear();
    assert_eq!(lowered.term(0, &dataflow), None);
}

#[test]
fn what_no_rule_makes_is_not_chosen() {
    let all = load_rules(None).unwrap();
    let space = kernels::matmul();
    let is_stream = |transport: &Transport| matches!(transport, Transport::Stream(_));
    let is_broadcast = |transport: &Transport| matches!(transport, Transport::Broadcast(_));
    for (rule, gone) in [
        ("choose-broadcast", &is_broadcast as &dyn Fn(&Transport) -> bool),
        ("choose-prefetch", &|transport| *transport == Transport::Prefetch),
        ("choose-feed", &|transport| *transport == Transport::Feed),
        ("choose-stream", &is_stream),
        ("inject", &is_stream),
        ("propagate", &is_stream),
    ] {
        let choices = lower_with(&space, &all.clone().without(rule)).choices().unwrap().swap_remove(0);
        assert!(!choices.transports.iter().flatten().any(gone), "{rule}");
    }
    let choices = lower_with(&space, &all.without("next-direction")).choices().unwrap().swap_remove(0);
    assert!(choices.transports[0].contains(&Transport::Stream(vec![0, 1, 0])));
    assert!(!choices.transports[0].contains(&Transport::Stream(vec![0, -1, 0])));
}

#[test]
fn what_cannot_be_lowered_is_named() {
    let all = load_rules(None).unwrap();
    let refused =
        |space: &Space, rules: &RuleSet| lower_with(space, rules).choices().unwrap_err()[0].message().to_owned();
    let matmul = kernels::matmul();
    assert_eq!(refused(&matmul, &all.clone().without("send")), "no rule lowers the reduction into `C`");
    let message = refused(&matmul, &all.clone().without("push-in-mul"));
    assert_eq!(message, "no rule lowers the read of `A[i,k]`");
    let message = refused(&kernels::scaled(), &all.clone().without("choose-const").without("choose-axes"));
    assert_eq!(message, "no rule lowers the read of `alpha[]`");
    let own = kernels::product("prefix", &["i"], ("P", &["i"]), &[("P", &["i-1"])], &[]);
    let alone =
        all.clone().without("choose-handoff").without("choose-local").without("choose-memory").without("self-dep");
    assert_eq!(refused(&own, &alone), "no rule lowers the read of `P[i-1]`");
    let both = [Transport::Handoff, Transport::Local, Transport::Memory];
    assert_eq!(lower_with(&own, &all).choices().unwrap().swap_remove(0).transports, [both]);
}

#[test]
fn nested_reductions_over_a_triangle_have_no_chain() {
    let mut space = kernels::mttkrp();
    let below = [kernels::form("k-l")];
    space.domain =
        Domain { indices: space.domain.indices.clone(), set: space.domain.set.intersect(&Polyhedron::new(below)) };
    let wrong = lower(&space).choices().unwrap_err();
    assert_eq!(wrong[0].message(), "no rule lowers the reduction into `A`");
    assert!(wrong[0].help_text().unwrap().contains("do not depend on each other"));
}

#[test]
fn a_single_reduction_over_a_triangle_has_one() {
    let mut space = kernels::matmul();
    space.domain.set.add(kernels::form("i-k"));
    assert_eq!(lower(&space).choices().unwrap().swap_remove(0).count(), 50);
}

#[test]
fn fibres_that_are_not_lines_are_refused() {
    let rules = load_rules(None).unwrap();
    let refuse =
        |space: &Space| saturate(&SpaceSystem::of_one(space.clone()), &rules, &Limits::default()).err().unwrap();
    let operands: &[(&str, &[&str])] = &[("a", &["i", "k"]), ("b", &["j", "k"])];
    let plane = kernels::product("plane", &["i", "j", "k"], ("c", &["i+j"]), operands, &["i", "j", "k"]);
    let wrong = refuse(&plane);
    assert_eq!(wrong[0].message(), "the fibres of `c[i+j]` are not lines");
    assert!(!wrong[0].labels().is_empty() && wrong[0].help_text().is_some());
    let operands: &[(&str, &[&str])] = &[("a", &["i"]), ("b", &["j"])];
    let points = kernels::product("points", &["i", "j"], ("c", &["i+j", "j"]), operands, &["i", "j"]);
    assert_eq!(refuse(&points)[0].message(), "the fibres of `c[i+j,j]` are single points");
}

#[test]
fn huge_coefficients_are_refused() {
    let rules = load_rules(None).unwrap();
    let strided = |subscripts: &[&str]| {
        kernels::product("strided", &["i", "k", "l"], ("y", &["i"]), &[("x", subscripts)], &["k", "l"])
    };
    let beyond = ["1048576*i+k", "9223372036854775807*i+k+l"];
    for subscripts in [&beyond[..1], &beyond[1..], &["1024*i+k", "1024*k+l"], &beyond] {
        let wrong = saturate(&SpaceSystem::of_one(strided(subscripts)), &rules, &Limits::default()).err().unwrap();
        assert_eq!(wrong[0].message(), "the subscripts of `x` have coefficients that are too large");
    }
    let choices = lower(&strided(&["1048575*i+k"])).choices().unwrap().swap_remove(0);
    assert!(choices.transports[0].contains(&Transport::Stream(vec![1, -1_048_575, 0])));
    assert!(lower(&strided(&["1023*i+k", "1023*k+l"])).choices().is_ok());
}

#[test]
fn a_subscript_of_parameters_alone_is_a_scalar() {
    let space = kernels::product("tail", &["i", "k"], ("y", &["i"]), &[("x", &["K-1"]), ("A", &["i", "k"])], &["k"]);
    let lowered = lower(&space);
    let choices = lowered.choices().unwrap().swap_remove(0);
    let tree = |i: i64, k: i64| Transport::Tree(vec![vec![i, 0], vec![0, k]]);
    assert_eq!(choices.transports[0], [tree(-1, -1), tree(-1, 1), tree(1, -1), tree(1, 1), Transport::Prefetch]);
    assert!(choices.dataflows().all(|dataflow| lowered.term(0, &dataflow).is_some()));
}

#[test]
fn limits_are_reported_and_what_was_found_stays_right() {
    let rules = load_rules(None).unwrap();
    let space = kernels::mttkrp();
    let stopped = saturate(&SpaceSystem::of_one(space.clone()), &rules, &Limits::of(100, 50)).unwrap();
    assert_eq!(stopped.report.stop, "NodeLimit");
    let stopped = saturate(&SpaceSystem::of_one(space.clone()), &rules, &Limits::of(3, 100_000)).unwrap();
    assert_eq!((stopped.report.stop.as_str(), stopped.report.iterations), ("IterationLimit", 3));
    assert!(!stopped.report.is_saturated() && stopped.choices().is_err());
}

#[test]
fn the_same_input_gives_the_same_graph() {
    for space in [kernels::matmul(), kernels::mttkrp(), kernels::fir()] {
        let (one, other) = (lower(&space), lower(&space));
        assert_eq!(one.dump(), other.dump());
        assert_eq!(one.choices().unwrap().swap_remove(0), other.choices().unwrap().swap_remove(0));
    }
    assert_ne!(lower(&kernels::matmul()).dump(), lower(&kernels::fir()).dump());
}

#[test]
fn every_operator_of_reductions_lowers() {
    for (operator, _) in Operator::ALL {
        let mut space = kernels::matmul();
        space.reduction = Some(operator);
        assert_eq!(lower(&space).choices().unwrap().swap_remove(0).count(), 50);
    }
}

/// The null directions are exactly the small vectors that the access sends to zero.
#[test]
fn null_directions_of_plain_accesses_are_those_of_brute_force() {
    let names = ["i", "j", "k", "l"];
    for mask in 0..15_usize {
        let used: Vec<&str> = (0..4).filter(|bit| mask >> bit & 1 == 1).map(|bit| names[bit]).collect();
        let space = kernels::product("any", &names, ("y", &["i"]), &[("x", &used)], &["j", "k", "l"]);
        let digits = |rank: usize| (0..4).map(move |place| (rank / 3_usize.pow(place)) as i64 % 3 - 1);
        let small = (0..81).map(|rank| digits(rank).collect::<Vec<i64>>());
        let null = |vector: &Vec<i64>| (0..4).all(|place| mask >> place & 1 == 0 || vector[place] == 0);
        let expected: BTreeSet<Vec<i64>> = small.filter(|v| null(v) && v.iter().any(|entry| *entry != 0)).collect();
        let found = null_directions(&space, &space.operands[0].access);
        assert_eq!(found.len(), if mask == 0 { 0 } else { expected.len() });
        assert!(mask == 0 || found.into_iter().collect::<BTreeSet<_>>() == expected, "{used:?}");
    }
}

#[test]
fn many_null_directions_are_not_combined() {
    let names = ["a", "b", "c", "d", "e", "f", "g"];
    let count = |used: &[&str]| {
        let space = kernels::product("any", &names, ("y", &["a"]), &[("x", used)], &["g"]);
        null_directions(&space, &space.operands[0].access).len()
    };
    assert_eq!((count(&["a"]), count(&["a", "b"])), (12, 242));
}

#[test]
fn names_may_be_words_of_the_language() {
    let operands: &[(&str, &[&str])] = &[("end", &["in", "sum"]), ("add", &["sum", "max"])];
    let space = kernels::product("in", &["in", "max", "sum"], ("read", &["in", "max"]), operands, &["sum"]);
    let mut lowered = lower(&space);
    let choices = lowered.choices().unwrap().swap_remove(0);
    // The index `sum` and the operator `sum` share one leaf.
    assert_eq!((lowered.report.nodes, choices.count()), (97 - 1, 50));
    assert!(choices.dataflows().all(|dataflow| !lowered.explain(0, &dataflow).is_empty()));
}

#[test]
fn results_may_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Lowered>();
    shared::<RuleSet>();
}
