//! The system's C compiler.
//!
//! In: what the environment names (`CC`), else `cc`, `gcc`, `clang`. Out: shared objects, and a digest of all that one depends
//! on: the text, the flags, and what the compiler defines beforehand, which says its version and which instructions of this
//! processor it uses. So another compiler, or the cache of another processor, is another digest.

use crate::native::BIT_FLAGS;
use sha2::{Digest, Sha256};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A compiler that works.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// The command, with the arguments that `CC` gives it.
    command: Vec<String>,
    flags: Vec<String>,
    /// What it defines beforehand.
    defines: Vec<u8>,
}

/// Those that are looked for where the environment names none.
const USUAL: [&str; 3] = ["cc", "gcc", "clang"];

/// How loops are compiled, beside what the bits need.
const FLAGS: [&str; 6] = ["-std=c11", "-O3", "-shared", "-fPIC", "-fno-math-errno", "-fno-trapping-math"];

/// All instructions of this processor; some compilers do not know it on some processors.
const FOR_THIS_PROCESSOR: &str = "-march=native";

impl Compiler {
    /// The one that the environment names, or else the first that is there.
    ///
    /// # Errors
    /// There is none, or the one that was named does not work.
    pub fn find() -> Result<Compiler, String> {
        match std::env::var("CC").ok().filter(|named| !named.trim().is_empty()) {
            Some(named) => Compiler::of(&named).map_err(|why| format!("`CC` is `{named}`, which {why}")),
            None => {
                let mut refused = vec![];
                for usual in USUAL {
                    match Compiler::of(usual) {
                        Ok(compiler) => return Ok(compiler),
                        Err(why) => refused.push(format!("`{usual}` {why}")),
                    }
                }
                Err(format!("there is no C compiler that works: {}", refused.join(", ")))
            }
        }
    }

    /// The command by which it is started.
    pub fn command(&self) -> String {
        self.command.join(" ")
    }

    fn of(command: &str) -> Result<Compiler, String> {
        let command: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        let base: Vec<String> = FLAGS.iter().chain(&BIT_FLAGS).map(|flag| (*flag).to_owned()).collect();
        let with = [base.clone(), vec![FOR_THIS_PROCESSOR.to_owned()]].concat();
        let [wide, narrow] = [with, base].map(|flags| Compiler { command: command.clone(), flags, defines: vec![] });
        wide.ready().or_else(|_| narrow.ready())
    }

    /// The same, with what it defines.
    fn ready(self) -> Result<Compiler, String> {
        let output = self.run(&["-dM", "-E", "-x", "c", "-"])?;
        let is_compiler = String::from_utf8_lossy(&output.stdout).contains("__STDC__");
        if is_compiler { Ok(Compiler { defines: output.stdout, ..self }) } else { Err("is no C compiler".to_owned()) }
    }

    /// What it says, if all is well with it.
    fn run(&self, arguments: &[&str]) -> Result<Output, String> {
        let [name, own @ ..] = &self.command[..] else { return Err("is no command".to_owned()) };
        let mut command = Command::new(name);
        let command = command.args(own).args(&self.flags).args(arguments).stdin(Stdio::null());
        let output = command.output().map_err(|error| match error.kind() {
            ErrorKind::NotFound => "is not found".to_owned(),
            _ => format!("cannot be started: {error}"),
        })?;
        match output.status.success() {
            true => Ok(output),
            false => {
                let said = String::from_utf8_lossy(&output.stderr);
                let first = said.lines().find(|line| line.contains("error")).or_else(|| said.lines().next());
                Err(first.map_or_else(|| format!("fails ({})", output.status), |line| format!("says: {}", line.trim())))
            }
        }
    }

    /// A name for the object of a text.
    pub fn digest(&self, text: &str) -> String {
        let mut digest = Sha256::new();
        let lists = [&self.command, &self.flags].into_iter().flatten().map(String::as_bytes);
        for part in lists.chain([&self.defines[..], text.as_bytes()]) {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Compiles a text within a folder, and says where the object is.
    ///
    /// # Errors
    /// What the compiler says, or the system of its files.
    pub fn compile(&self, text: &str, folder: &Path) -> Result<PathBuf, String> {
        let (source, object) = (folder.join("leaves.c"), folder.join("leaves.so"));
        std::fs::write(&source, text).map_err(|error| format!("`{}`: {error}", source.display()))?;
        let paths = [&object, &source].map(|path| path.to_string_lossy().into_owned());
        let compiled = self.run(&["-o", &paths[0], &paths[1], "-lm"]);
        compiled.map(|_| object).map_err(|why| format!("the C compiler `{}` {why}", self.command()))
    }
}
