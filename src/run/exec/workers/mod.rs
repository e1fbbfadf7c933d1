//! A worker: some PEs as coroutines, and the packets between it and the others.
//!
//! In: a plan, arrays, packets as they come. Out: packets for the others, results. A worker knows nothing of threads, ranks or clocks; who
//! runs it carries the packets.
//!
//! **Order.** A PE that stands before a leaf first sends what it already holds of what it will send after it (`ahead`:
//! only sends that it is certain to reach, in the order of each wire). Then it lets all others that need no leaf go
//! first. Before and after each leaf the other workers are heard, and what has room since is sent. Leaves run in the
//! order of the program's steps (`agenda`), counted from the first leaf of each PE if no tile that a PE computes goes
//! to another PE. So a tile that passes through does not wait for the products it is used in, and the next panel of
//! Cholesky is factored before the updates of the last one are done.
//!
//! **Wires.** A channel between two PEs of one worker is a local queue. Any other has an end at each worker, and its
//! sender spends a credit for each word, which comes back when the receiver has received it (`wires`). So a channel
//! holds no more than its declared depth, wherever its ends are. What goes to one worker travels many parcels to a
//! packet. Packets leave when they are full, or when the worker has nothing else to do.
//!
//! **Words.** A word is a number or a tile, of double or of single precision (`word`), which is decided once a run, by
//! static dispatch. A tile goes from thread to thread as a pointer that both ends hold, from rank to rank as a message
//! of its own after its packet. A leaf works in place on a tile that nobody else holds. In single precision sources and
//! sinks speak doubles all the same: a number is rounded when it is stored. Control flow does not depend on numbers, so
//! neither proofs nor cycles know of precision.
//!
//! **Buses.** A word that is driven goes to every worker with a PE on the line. It is handed on when it arrives, before
//! any PE here has heard it, and nobody waits for that. A tile stays until all PEs of the worker that will listen have
//! heard it.
//!
//! **Layouts.** A PE asks the homes of other workers for the next two words that it will load, which its control flow
//! alone says, and waits if the first is not there yet (`supplies`). A result goes to its home when it is stored. A
//! home answers whatever its own PEs wait for, so the loads of a PE are one more channel whose writer waits for room
//! alone, and nothing can deadlock that did not before.

pub mod worker;

pub mod agenda;

pub mod surroundings;

pub mod word;

pub mod wires;

pub mod lines;

pub mod supplies;

pub mod packet;

pub mod returns;

pub mod outbox;

pub mod ahead;
