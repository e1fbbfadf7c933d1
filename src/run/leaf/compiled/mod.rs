//! Leaves as machine code: their loops in C, compiled by the system's C compiler.
//!
//! In: a program. Out: for each of its leaves a function in a shared object, with the bits of loop leaves: the text is that of
//! `emit --target c`, the flags leave each operation as it is written. An object is compiled when it is first needed, and kept
//! in a folder (`cache`) under a digest of all that it depends on. Sizes are arguments, so a program has one object.
//!
//! Machine code checks no subscript. So a call comes here only if its loops were gone through before, bound by bound, and no
//! access leaves its window (`call/checked.rs`).

use crate::native::{LeafText, leaves_text};
use shared_object::{SharedObject, Window};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use systole_base::integer::Bindings;
use systole_program::array::Program;

mod compiler;

mod cache;

use compiler::Compiler;

/// The leaves of a program at given sizes, as machine code.
#[derive(Clone, Debug)]
pub struct CompiledLeaves {
    object: Arc<SharedObject>,
    /// For each leaf the position of its function.
    functions: Vec<Option<usize>>,
    /// The numbers that every function takes first.
    pub sizes: Vec<i64>,
}

impl CompiledLeaves {
    /// The leaves of a valid program.
    ///
    /// # Errors
    /// Why there are none: no C compiler, or one that does not compile them.
    pub fn new(program: &Program, sizes: &Bindings) -> Result<CompiledLeaves, String> {
        let text = leaves_text(program);
        let object = object_of(&text)?;
        let mut next = 0..;
        let functions = text.functions.iter().map(|function| function.as_ref().and_then(|_| next.next())).collect();
        let names = program.parameters.iter().chain(program.tiles.iter().map(|count| &count.name));
        let sizes = names.map(|name| sizes.get(name).copied().unwrap_or(0)).collect();
        Ok(CompiledLeaves { object, functions, sizes })
    }

    /// Whether a leaf has a function.
    pub fn has(&self, leaf: usize) -> bool {
        self.functions.get(leaf).is_some_and(Option::is_some)
    }

    /// Calls the function of a leaf; whether it has one.
    pub fn call(&self, leaf: usize, numbers: &[i64], windows: &mut [Window<'_>]) -> bool {
        let function = self.functions.get(leaf).copied().flatten();
        function.is_some_and(|function| self.object.call(function, numbers, windows))
    }
}

/// Compiles the leaves of a program, or finds them compiled, so that runs find them at once.
///
/// # Errors
/// Why there are none.
pub fn compile_natively(program: &Program) -> Result<(), String> {
    object_of(&leaves_text(program)).map(|_| ())
}

/// The command of the C compiler that leaves are compiled by, where one works.
pub fn c_compiler() -> Option<String> {
    Compiler::find().ok().map(|compiler| compiler.command())
}

type Outcome = Result<Arc<SharedObject>, String>;

/// What this process has loaded, and what it could not compile, by digests.
static OBJECTS: Mutex<BTreeMap<String, Outcome>> = Mutex::new(BTreeMap::new());

fn object_of(text: &LeafText) -> Outcome {
    let compiler = Compiler::find()?;
    let digest = compiler.digest(&text.text);
    // Threads of a process that need the same object wait for the first of them.
    let Ok(mut objects) = OBJECTS.lock() else { return Err("another thread has failed".to_owned()) };
    let names: Vec<String> = text.functions.iter().flatten().cloned().collect();
    let make = || cache::object(&digest, &names, &|folder| compiler.compile(&text.text, folder)).map(Arc::new);
    objects.entry(digest.clone()).or_insert_with(make).clone()
}
