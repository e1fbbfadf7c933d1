//! The memory of each rank: its share of the arrays, its registers, the slots of its channels; and what does not fit.

use super::command::Emitted;
use super::mpirun::{Ran, mpirun};
use super::programs::Way;
use serde_json::Value;

/// A product of 4 x 4 x 4 tiles of 4 x 4.
const SIZE: [&str; 3] = ["--size", "M=16,N=16,K=16", "--json"];

/// Bytes of a tile.
const TILE: u64 = 4 * 4 * 8;

fn tiled(schedule: &str) -> Emitted {
    let flags = ["--tile", "i=4,j=4,k=4", "--schedule", schedule].map(str::to_owned).to_vec();
    let (emitted, way) = (Emitted::new("matmul"), Way { kernel: "matmul".to_owned(), flags });
    std::fs::write(&emitted.program, way.emit()).expect("written");
    emitted
}

fn run(emitted: &Emitted, ranks: usize, flags: &[&str]) -> Ran {
    mpirun(ranks, &[&[&*emitted.program], &SIZE[..], flags].concat())
}

/// The memory of each rank.
fn memory(ran: &Ran) -> Vec<Value> {
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let object = ran.object();
    object["memory"].as_array().expect("a list of ranks").clone()
}

fn bytes(rank: &Value, part: &str) -> u64 {
    rank[part].as_u64().expect("bytes")
}

/// What each rank states, in tiles: inputs, outputs, registers with one that a leaf works on, slots of channels.
fn stated(rank: &Value) -> [u64; 4] {
    ["inputs", "outputs", "registers", "channels"].map(|part| bytes(rank, part) / TILE)
}

/// What a rank holds is what it states; of the slots of its channels at most all.
fn check_held(rank: &Value) {
    let held = ["inputs", "outputs", "channels"].map(|part| bytes(&rank["held"], part));
    assert_eq!(held[..2], [bytes(rank, "inputs"), bytes(rank, "outputs")]);
    assert!(held[2] <= bytes(rank, "channels"), "{rank}");
    let parts = ["inputs", "outputs", "registers", "channels", "bookkeeping"].map(|part| bytes(rank, part));
    assert_eq!(bytes(rank, "stated"), parts.iter().sum::<u64>());
    assert!(bytes(rank, "peak") >= bytes(rank, "before"));
}

/// C stays, A enters in the first column of PEs and B in the first row. On four ranks, each with 2 x 2 PEs: half of A at
/// those of the first column, half of B at those of the first row, a quarter of C; three registers a PE; wires of two slots,
/// those that cross a border at both ends and twice more where they send, since MPI gives room back late: of A 2 inside, 2
/// across, of B the same.
#[test]
fn a_product_holds_its_share_and_the_proved_buffers() {
    let emitted = tiled("cannon");
    let registers = 3 * 4 + 1;
    let ranks = memory(&run(&emitted, 4, &[]));
    let shares: Vec<[u64; 4]> = ranks.iter().map(stated).collect();
    let of = |inputs: u64, sends: u64| [inputs, 4, registers, 2 * (2 + 2 + 2 + 2 + 2 * sends)];
    assert_eq!(shares, [of(8 + 8, 4), of(8, 2), of(8, 2), of(0, 0)]);
    ranks.iter().for_each(check_held);
    // One rank alone holds all of it, and each wire once.
    let alone = memory(&run(&emitted, 1, &[]));
    assert_eq!(stated(&alone[0]), [16 + 16, 16, 3 * 16 + 1, 2 * (12 + 12)]);
    check_held(&alone[0]);
}

/// Operands from their homes: a quarter of A, of B and of C each, which is not what the ranks load. A PE that loads words of others has
/// room for two of them: at the first rank those in the first row and the first column, at the second its first row, at the third
/// its first column.
#[test]
fn a_layout_gives_every_rank_its_share() {
    let emitted = tiled("cannon");
    let ranks = memory(&run(&emitted, 4, &["--layout", "block"]));
    let shares: Vec<[u64; 4]> = ranks.iter().map(stated).collect();
    let of = |sends: u64, supplied: u64| [4 + 4, 4, 3 * 4 + 1, 2 * (2 + 2 + 2 + 2 + 2 * sends) + supplied];
    assert_eq!(shares, [of(4, 2 * 3), of(2, 2 * 2), of(2, 2 * 2), of(0, 0)]);
    ranks.iter().for_each(check_held);
    // Where each rank has one row of tiles, C crosses on its way home, and MPI may read from all of it.
    let rows = memory(&run(&emitted, 4, &["--grid", "1x4", "--layout", "cyclic"]));
    assert_eq!(rows.iter().map(|rank| [stated(rank)[0], stated(rank)[1]]).collect::<Vec<_>>(), [[4 + 4, 4]; 4]);
    rows.iter().for_each(check_held);
}

/// A stays at the PEs (i, k): a quarter of it at each of four ranks. B enters at i = 0, C leaves at the last k.
#[test]
fn a_stationary_operand_is_a_share_of_each_rank() {
    let ranks = memory(&run(&tiled("weight-stationary"), 4, &[]));
    let shares: Vec<[u64; 2]> = ranks.iter().map(|rank| [stated(rank)[0], stated(rank)[1]]).collect();
    assert_eq!(shares, [[4 + 8, 0], [4 + 8, 8], [4, 0], [4, 8]]);
    ranks.iter().for_each(check_held);
}

#[test]
fn too_little_memory_is_said_before_anything_is_read() {
    let emitted = tiled("cannon");
    let totals: Vec<u64> = memory(&run(&emitted, 4, &[])).iter().map(|rank| bytes(rank, "stated")).collect();
    let most = *totals.iter().max().expect("a rank");
    assert_eq!(most, totals[0]);
    let with = |memory: u64| run(&emitted, 4, &["--memory", &memory.to_string()]);
    memory(&with(most));
    let target = emitted.path("c.npy");
    let limit = (totals[3] - 1).to_string();
    let refused = run(&emitted, 4, &["--memory", &limit, "--output", &format!("C={target}")]);
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    for rank in 0..4 {
        assert_eq!(refused.stderr.matches(&format!("rank {rank} would hold")).count(), 1, "{}", refused.stderr);
    }
    assert!(refused.stderr.contains("inputs 2048 bytes, outputs 512 bytes, registers 1664 bytes, channels 4096 bytes"));
    assert!(!std::path::Path::new(&target).exists());
    let one_less = with(most - 1);
    assert!(
        one_less.stderr.contains("rank 0 would hold") && !one_less.stderr.contains("rank 3"),
        "{}",
        one_less.stderr
    );
}

/// Beside what a process takes before the run, the system sees no more than is stated: share, registers, proved buffers.
#[test]
fn the_peak_of_each_rank_is_within_what_it_states() {
    let emitted = Emitted::new("matmul");
    let flags = ["--tile", "i=256,j=256,k=256", "--schedule", "cannon"].map(str::to_owned).to_vec();
    std::fs::write(&emitted.program, Way { kernel: "matmul".to_owned(), flags }.emit()).expect("written");
    for ranks in [1, 2, 4] {
        let size = ["--size", "M=1024,N=1024,K=1024", "--json", "--leaves", "faer"];
        for rank in memory(&mpirun(ranks, &[&[&*emitted.program], &size[..]].concat())) {
            let [stated, before, peak] = ["stated", "before", "peak"].map(|part| bytes(&rank, part));
            assert!(peak - before <= stated, "{ranks} ranks: {rank}");
        }
    }
}
