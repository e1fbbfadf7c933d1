//! Loads loops that a C compiler made of the leaves of a program, and calls them on slices of numbers.
//!
//! In: the path of a shared object, and the names of its functions. Out: functions that take numbers and windows. This is
//! one of three packages with `unsafe` code, so that all others forbid it. What a slice cannot promise, whoever calls does:
//! the object was compiled from text that systole wrote, and by these numbers its loops stay within these windows. The
//! stage `leaf` goes through the bounds of each kind of call before it comes here.

use libloading::Library;
use std::path::Path;

/// What a function of the object is: numbers in a fixed order, and where each window begins.
type Function = unsafe extern "C" fn(numbers: *const i64, windows: *const *mut f64);

/// A shared object that is loaded, with the functions that were asked for.
#[derive(Debug)]
pub struct SharedObject {
    functions: Vec<Function>,
    /// Functions live as long as it does.
    _library: Library,
}

/// The elements that a function works on.
#[derive(Debug)]
pub enum Window<'a> {
    /// It reads them.
    Read(&'a [f64]),
    /// It reads and writes them.
    Written(&'a mut [f64]),
}

impl Window<'_> {
    fn begin(&mut self) -> *mut f64 {
        match self {
            Window::Read(values) => values.as_ptr().cast_mut(),
            Window::Written(values) => values.as_mut_ptr(),
        }
    }
}

impl SharedObject {
    /// Loads an object.
    ///
    /// # Errors
    /// What the system's loader says of a file that is no shared object of this machine, or lacks a function.
    pub fn open(path: &Path, names: &[String]) -> Result<SharedObject, String> {
        // SAFETY: the object has no initialisers of its own: it is functions alone.
        let library = unsafe { Library::new(path) }.map_err(|error| error.to_string())?;
        let function = |name: &String| {
            // SAFETY: all functions of such objects have this type.
            let symbol = unsafe { library.get::<Function>(name.as_bytes()) };
            symbol.map(|symbol| *symbol).map_err(|error| error.to_string())
        };
        let functions = names.iter().map(function).collect::<Result<_, _>>()?;
        Ok(SharedObject { functions, _library: library })
    }

    /// Calls a function by its position in the list of names; whether there is one.
    pub fn call(&self, function: usize, numbers: &[i64], windows: &mut [Window<'_>]) -> bool {
        const MOST: usize = 16;
        let Some(function) = self.functions.get(function) else { return false };
        let mut few = [std::ptr::null_mut(); MOST];
        let many: Vec<*mut f64>;
        let begins = if windows.len() <= MOST {
            few.iter_mut().zip(windows).for_each(|(begin, window)| *begin = window.begin());
            &few[..]
        } else {
            many = windows.iter_mut().map(Window::begin).collect();
            &many[..]
        };
        // SAFETY: windows that are written are borrowed alone; that loops stay within them, whoever calls has checked.
        unsafe { function(numbers.as_ptr(), begins.as_ptr()) };
        true
    }
}
