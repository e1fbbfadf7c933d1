//! Programs that say their network, and programs on other links.

use super::refusals::expect_of;
use super::round_trip::MATMUL;
use systole_base::diagnostic::render;
use systole_base::network::Network;
use systole_program::array::{Program, on_buses, on_links, parse, print, validate};

/// A program with these channels; each has a sender and a receiver in one class.
fn with(network: &str, offsets: &[[i64; 2]]) -> String {
    let channels = (0..offsets.len()).map(|number| {
        let [x, y] = offsets[number];
        format!("(channel c{number} (offset {x} {y}) (latency 7) (depth 2))\n")
    });
    let uses = (0..offsets.len()).map(|number| format!("(send c{number} x) (recv x c{number}) "));
    let (channels, uses) = (channels.collect::<String>(), uses.collect::<String>());
    format!(
        "(program p (version 1) (grid (p0 0 3) (p1 0 3))\n{network}\n{channels}(class pe (guard) (let x 1) {uses}))"
    )
}

fn program(text: &str) -> Program {
    parse("p.pe", text).unwrap_or_else(|faults| panic!("{}", render(&faults, false)))
}

fn latencies(program: &Program) -> Vec<u64> {
    program.channels.iter().map(|channel| channel.latency).collect()
}

fn refusals(program: &Program, network: Network) -> String {
    let faults = on_links(program, network, 2).expect_err("a network without the link");
    faults.iter().map(|fault| format!("{fault}\n{}\n", fault.help_text().unwrap_or(""))).collect()
}

#[test]
fn a_channel_takes_the_latency_of_its_hops_and_never_none() {
    let program = program(&with("", &[[0, 0], [0, 1], [-1, 1], [2, -3]]));
    for (network, hops) in [(Network::Mesh, [0, 1, 2, 5])] {
        for latency in [1, 2, 3] {
            let found = on_links(&program, network, latency).unwrap();
            assert_eq!(latencies(&found), hops.map(|hops: u64| (hops * latency).max(1)));
            assert!(validate(&found).is_ok());
            assert_eq!(Program { channels: program.channels.clone(), ..found }, program, "nothing else changes");
        }
    }
    let near = self::program(&with("", &[[0, 0], [0, 1], [-1, 1]]));
    for network in [Network::King, Network::Hex] {
        let found = on_links(&near, network, 4).unwrap();
        assert_eq!((latencies(&found), found.network), (vec![1, 4, 4], network));
    }
}

#[test]
fn numbers_that_do_not_fit_are_as_large_as_can_be() {
    let far = program(&with("", &[[i64::MAX, 1], [i64::MIN + 1, i64::MAX]]));
    assert_eq!(latencies(&on_links(&far, Network::Mesh, u64::MAX).unwrap()), [i64::MAX as u64; 2]);
}

#[test]
fn links_that_a_network_lacks_are_named_all_at_once() {
    let program = program(&with("", &[[0, 1], [1, 1], [0, 2], [-1, 1]]));
    let found = refusals(&program, Network::Wire);
    for part in [
        "the `wire` network has no link for channel `c1`\n  its offset is [1, 1]",
        "no link for channel `c2`",
        "no link for channel `c3`",
        "name another network in the machine file",
    ] {
        assert!(found.contains(part), "no `{part}` in {found}");
    }
    assert!(!found.contains("`c0`"));
    let found = refusals(&program, Network::Hex);
    assert!(found.contains("no link for channel `c2`"), "{found}");
    assert!(found.contains("the `hex` network has one diagonal, channels `c1` and `c3` take both"), "{found}");
    assert!(found.contains("their offsets are [1, 1] and [-1, 1]"), "{found}");
    assert!(refusals(&program, Network::Line).contains("a `line` network has no arrays of rank 2"));
    assert!(on_links(&program, Network::Mesh, 2).is_ok());
}

#[test]
fn buses_have_the_latency_of_the_machine() {
    let program = program(&MATMUL.replace("(- B)", "(neg B)"));
    let found = on_buses(program.clone(), 3, 1);
    assert_eq!((found.buses[0].latency, &found.channels), (3, &program.channels));
}

#[test]
fn a_network_is_read_and_written_where_it_is_not_the_mesh() {
    for (word, network) in [("hex", Network::Hex), ("king", Network::King), ("wire", Network::Wire)] {
        let program = program(&with(&format!("(network {word})"), &[[0, 1], [1, 0]]));
        assert_eq!(program.network, network);
        let printed = print(&program);
        assert!(
            printed.contains(&format!("\n  (grid (p0 0 3) (p1 0 3))\n  (network {word})\n  (channel c0 ")),
            "{printed}"
        );
        assert_eq!(parse("q.pe", &printed).unwrap(), program);
    }
    for mesh in ["", "(network mesh)"] {
        let program = program(&with(mesh, &[[2, 5]]));
        assert_eq!(program.network, Network::Mesh);
        assert!(!print(&program).contains("network"));
    }
}

#[test]
fn networks_that_are_no_network_of_the_program_are_refused() {
    let good = with("(network hex)", &[[0, 1], [1, 1]]);
    program(&good);
    let refuse = |what: &str, by: &str, message: &str| expect_of(&good, what, by, message);
    refuse("(network hex)", "(network hexx)", "`hexx` is not a network");
    refuse("(network hex)", "(network hexx)", "did you mean `hex`?");
    refuse("(network hex)", "(network)", "expected `(network NETWORK)`");
    refuse("(network hex)", "(network hex) (network hex)", "expected one network");
    refuse("(network hex)", "(network mesh) (network hex)", "expected one network");
    refuse("(network hex)", "(network wire)", "m.pe:4: the `wire` network has no link for channel `c1`");
    refuse("(network hex)", "(network line)", "m.pe:2: a `line` network has no arrays of rank 2");
    refuse("(offset 0 1)", "(offset 0 2)", "m.pe:3: the `hex` network has no link for channel `c0`");
    refuse("(offset 0 1)", "(offset -1 1)", "the `hex` network has one diagonal, channels `c1` and `c0` take both");
}
