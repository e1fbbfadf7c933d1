//! The recurrences of systems, with the handshakes between spaces.

use crate::system_kernels::*;
use crate::systems::lower;
use systole_compile::rewrite::{Dataflow, Transport, recurrences};
use systole_equations::recurrence::spaces::SpaceSystem;

/// Each computed operand streamed along its positive direction if it has one, all others fed; chains forwards.
fn streamed(system: &SpaceSystem) -> Vec<Dataflow> {
    let choices = lower(system).choices().unwrap();
    let best = |choices: &systole_compile::rewrite::Choices| {
        let score = |dataflow: &Dataflow| {
            let streams = dataflow.transports.iter().filter(|transport| matches!(transport, Transport::Stream(_)));
            (streams.count(), dataflow.clone())
        };
        choices.dataflows().map(|dataflow| score(&dataflow)).max().unwrap().1
    };
    choices.iter().map(best).collect()
}

fn texts(system: &SpaceSystem, dataflows: &[Dataflow]) -> Vec<String> {
    recurrences(system, dataflows).iter().map(ToString::to_string).collect()
}

fn shown(text: &str) -> Vec<String> {
    let system = cut(text);
    texts(&system, &streamed(&system))
}

#[test]
fn the_triangular_solve_is_the_papers_figure() {
    let expected = [
        "X.sum:",
        "(i,j)_L <- L[i,j]  through own port",
        "(j+1,j)_X <- (j)_X in X",
        "(i,j)_X <- (i-1,j)_X",
        "(i,-1)_X.sum <- 0",
        "(i,j)_X.sum <- (i,j-1)_X.sum + (i,j)_L * (i,j)_X",
        "X:",
        "(i)_B <- B[i]  through own port",
        "(i)_X.sum <- (i,i-1)_X.sum in X.sum  where i - 1 >= 0",
        "(i)_X.sum <- 0  where -i >= 0",
        "(i)_L <- L[i,i]  through own port",
        "(i)_X <- ((i)_B - (i)_X.sum) / (i)_L",
        "X[i] <- (i)_X",
    ];
    assert_eq!(shown(TRISOLVE), expected);
}

#[test]
fn the_sums_of_cholesky_give_to_both_equations() {
    let lines = shown(CHOLESKY);
    for line in [
        "(i)_L.sum.2 <- (i,i,i-1)_L.sum.2 in L.sum.2  where i - 1 >= 0",
        "(i,k+1,k)_L.1 <- (i,k)_L in L.2",
        "(j,j,k)_L.2 <- (j,k)_L in L.2",
        "(i,j)_L.sum.2 <- (i,j,j-1)_L.sum.2 in L.sum.2  where j - 1 >= 0",
        "(j+1,j)_L.1 <- (j)_L in L",
        "(i,j)_L <- ((i,j)_A - (i,j)_L.sum.2) / (i,j)_L.1",
    ] {
        assert!(lines.contains(&line.to_owned()), "{line}\n{lines:#?}");
    }
}

/// A chain that runs backwards hands over at its other end.
#[test]
fn the_giver_is_where_the_chain_ends() {
    let system = cut(TRISOLVE);
    let mut dataflows = streamed(&system);
    dataflows[0].chain.directions[0] = vec![0, -1];
    let lines = texts(&system, &dataflows);
    assert!(lines.contains(&"(i)_X.sum <- (i,0)_X.sum in X.sum  where i - 1 >= 0".to_owned()), "{lines:#?}");
}

#[test]
fn own_results_come_from_points_before_and_known_values_from_nobody() {
    let expected = [
        "P:",
        "()_A <- A[0]  known everywhere",
        "()_P <- ()_A",
        "P[0] <- ()_P",
        "P.2:",
        "(i)_P.1 <- ()_P in P  through memory  where -i + 1 >= 0",
        "(i)_P.1 <- (i-1)_P  through memory  where i - 2 >= 0",
        "(i)_A <- A[i]  through own port",
        "(i)_P <- (i)_P.1 + (i)_A",
        "P[i] <- (i)_P",
    ];
    assert_eq!(shown(PREFIX_SUM), expected);
    assert!(shown(SMITH_WATERMAN).contains(&"(i,j)_H.3 <- 0  where -j + 1 >= 0".to_owned()));
    let distance = "kernel distance(N)\nin a[N]\nout D[N + 1]\nD[0] = N\nD[i] = D[i - 1] + a[i - 1] where i >= 1";
    let expected = ["(i)_D.1 <- (i-1)_D  through memory  where i - 2 >= 0", "(i)_D.1 <- (N)  where -i + 1 >= 0"];
    assert_eq!(shown(distance)[1..3], expected);
}

/// Sums are not written to memory; nor are tensors that nobody asked for.
#[test]
fn only_outputs_are_written() {
    let lines = shown(PLAIN_ATTENTION);
    let written: Vec<&String> = lines.iter().filter(|line| line.contains("] <- ")).collect();
    assert_eq!(written, ["O[i,d] <- (i,d)_O"]);
}
