//! Words on buses between ranks: each other rank of a line is handed a word once, in every shape, and the bits are those of the equations.

use super::command::Emitted;
use super::mpirun::mpirun;
use systole::exec::Broadcast;

/// Tiles of 4, so 4 x 4 PEs with 4 words on each line; ranks stand along the lines of A.
#[test]
fn words_are_handed_on_between_ranks() {
    let emitted = Emitted::of("kernels/matmul.rec", &["--tile", "i=4,j=4,k=4", "--schedule", "summa"]);
    let flags = ["--size", "M=15,N=14,K=13", "--reference", "kernels/matmul.rec", "--json", "--distribution", "cyclic"];
    for (ranks, broadcast) in [2, 3, 4].into_iter().flat_map(|ranks| Broadcast::ALL.map(|shape| (ranks, shape))) {
        let grid = format!("1x{ranks}");
        let way = ["--grid", &grid, "--broadcast", broadcast.keyword()];
        let ran = mpirun(ranks, &[&[&*emitted.program], &flags[..], &way].concat());
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{broadcast:?} on {ranks}");
        let found = ran.object();
        assert_eq!(found["rounding"], 0.0, "{broadcast:?} on {ranks}");
        assert_eq!(
            (&found["words"], &found["broadcast"]),
            (&(4 * 4 * (ranks - 1)).into(), &broadcast.keyword().into())
        );
    }
}
