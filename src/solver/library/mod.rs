//! Where the shared library is looked for, and what a call of it goes through.

mod slots;

use crate::{Missing, WAYS};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use slots::NAMES;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;
use std::sync::{Once, OnceLock};

/// The oldest Z3 whose functions and constants are those that the package `z3` knows.
const OLDEST: [u32; 3] = [4, 13, 3];

/// Names that the system's loader looks for: as it was linked, and without a version. It looks in LD_LIBRARY_PATH first, then where
/// `build.rs` says, beside the command before all, then where the system has its libraries.
const FILES: [&str; 2] = [env!("SYSTOLE_Z3_FILE"), "libz3.so"];

/// Loads Z3, once.
///
/// # Errors
/// There is none, or it is too old.
pub fn load() -> Result<(), Missing> {
    static LOADED: OnceLock<Result<(), Missing>> = OnceLock::new();
    LOADED.get_or_init(find).clone()
}

/// What the first jump through an empty slot calls. There is nobody to return an error to.
extern "C" fn load_or_end() {
    static SAID: Once = Once::new();
    let Err(missing) = load() else { return };
    // Threads that find it missing together say so once.
    SAID.call_once(|| {
        eprintln!("error: Z3 was not found\n  {}", missing.reasons.join("\n  "));
        eprintln!("any one of these is enough:\n  {}", WAYS.join("\n  "));
        std::process::exit(1);
    });
}

fn find() -> Result<(), Missing> {
    let mut reasons = vec![];
    let mut names: Vec<OsString> = FILES.map(OsString::from).into();
    names.dedup();
    for name in &names {
        match open(name) {
            Ok(()) => return Ok(()),
            Err(why) => reasons.push(why),
        }
    }
    let found = of_python().and_then(|file| open(&file));
    found.map_err(|why| {
        reasons.push(why);
        Missing { reasons }
    })
}

/// The library of the package `z3-solver`. The folder that the command is started in is none of Python's here: it may have a `z3` of its own.
fn of_python() -> Result<OsString, String> {
    let code = "import importlib.util as u, sys; sys.path = list(filter(None, sys.path)); print(u.find_spec('z3').submodule_search_locations[0])";
    let output = Command::new("python3").args(["-c", code]).output();
    let output = output.map_err(|error| format!("`python3` was not started: {error}"))?;
    let package = String::from_utf8_lossy(&output.stdout);
    match output.status.success() {
        true => Ok(Path::new(package.trim()).join("lib/libz3.so").into_os_string()),
        false => Err("`python3` has no package `z3`".to_owned()),
    }
}

/// Loads a library and fills the slots, if it is new enough.
fn open(name: &OsStr) -> Result<(), String> {
    // SAFETY: Z3's initialisers set up its own memory alone.
    let library = unsafe { Library::open(Some(name), RTLD_NOW | RTLD_LOCAL) }.map_err(|error| said(&error))?;
    let version = version(&library)?;
    if version < OLDEST {
        let shown = |version: [u32; 3]| version.map(|part| part.to_string()).join(".");
        return Err(format!("{}: Z3 {} is older than {}", name.display(), shown(version), shown(OLDEST)));
    }
    let address = |name: &str| {
        // SAFETY: only the address is taken here; what is called by it has the type that the package `z3` declares.
        unsafe { library.get::<unsafe extern "C" fn()>(name.as_bytes()) }.ok().map(|symbol| *symbol)
    };
    slots::fill(NAMES.iter().map(|name| address(name)));
    // It stays for as long as the process.
    std::mem::forget(library);
    Ok(())
}

/// What the loader says, on one line.
fn said(error: &libloading::Error) -> String {
    std::error::Error::source(error).unwrap_or(error).to_string()
}

fn version(library: &Library) -> Result<[u32; 3], String> {
    type GetVersion = unsafe extern "C" fn(*mut u32, *mut u32, *mut u32, *mut u32);
    // SAFETY: this is its type in every version of Z3.
    let get = unsafe { library.get::<GetVersion>(b"Z3_get_version") }.map_err(|error| said(&error))?;
    let [mut major, mut minor, mut patch, mut revision] = [0; 4];
    // SAFETY: it writes these four numbers.
    unsafe { get(&raw mut major, &raw mut minor, &raw mut patch, &raw mut revision) };
    Ok([major, minor, patch])
}
