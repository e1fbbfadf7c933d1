//! `exec --trace` on ranks: the clocks start together, receives are posted ahead, and what leaves one rank is delivered later.

use super::mpirun::mpirun;
use super::traces::{SIZE, Traced, check, tiled};

#[test]
fn ranks_have_a_track_each() {
    let emitted = tiled();
    let path = emitted.path("t.json");
    for ranks in [1, 2, 4] {
        let ran = mpirun(ranks, &[&[&*emitted.program], &SIZE[..], &["--trace", &path]].concat());
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{ranks} ranks");
        let object = ran.object();
        if ranks == 1 {
            assert_eq!(Traced::read(&path).counts().get("C.sum"), Some(&64));
            continue;
        }
        let traced = Traced::read(&path);
        check(&traced, &object, "rank", ranks);
        let posted = traced.counts()["receives posted"];
        assert!(posted >= ranks as u64, "{posted} times on {ranks} ranks");
    }
}
