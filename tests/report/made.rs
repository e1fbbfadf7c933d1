//! Pages made by the command, and their data.

use assert_cmd::Command;
use serde_json::Value;
use std::path::PathBuf;
use tempfile::TempDir;

/// Four PEs that each wait for the word of the one before, once two words have gone round half way.
pub const RING: &str = "(program ring (version 1) (grid (p0 0 1) (p1 0 1))
  (channel east (offset 0 1) (latency 1) (depth 2)) (channel south (offset 1 0) (latency 1) (depth 2))
  (channel west (offset 0 -1) (latency 1) (depth 2)) (channel north (offset -1 0) (latency 1) (depth 2))
  (class a (guard (= p0 0) (= p1 0)) (let x 1) (tick 2) (send east x) (recv y north) (send east y))
  (class b (guard (= p0 0) (= p1 1)) (recv x east) (tick 1) (recv y east) (send south y))
  (class c (guard (= p0 1) (= p1 1)) (recv x south) (tick 1) (send west x))
  (class d (guard (= p0 1) (= p1 0)) (recv x west) (tick 1) (send north x)))";

/// A page in a folder of its own.
pub struct Made {
    folder: TempDir,
    /// What the command printed on standard output.
    pub printed: String,
    /// Its exit code.
    pub code: Option<i32>,
}

impl Made {
    /// The page of a command; `text`, where it is given, is in the file that `FILE` in the flags stands for.
    pub fn new(flags: &[&str], text: Option<&str>) -> Made {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("given").display().to_string();
        std::fs::write(&file, text.unwrap_or_default()).unwrap();
        let page = folder.path().join("page.html").display().to_string();
        let flags = flags.iter().map(|flag| if *flag == "FILE" { &file[..] } else { flag });
        let output = Command::new(env!("CARGO_BIN_EXE_systole"))
            .current_dir(env!("SYSTOLE_ROOT"))
            .args(flags)
            .args(["--report", &page])
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        Made { folder, printed, code: output.status.code() }
    }

    /// Matrix product on a grid of these sizes.
    pub fn product(size: &str) -> Made {
        Made::new(&["run", "kernels/matmul.rec", "--size", size], None)
    }

    /// The schedule that ships wrong.
    pub fn too_fast() -> Made {
        Made::new(&["prove", "kernels/matmul.rec", "--schedule", "too-fast"], None)
    }

    /// The ring that waits for itself.
    pub fn ring() -> Made {
        Made::new(&["sim", "FILE"], Some(RING))
    }

    /// Two pairs of PEs that hold each other up.
    pub fn two_cycles() -> Made {
        Made::new(&["sim", "FILE"], Some(include_str!("../sim/deadlocks/two-cycles.pe")))
    }

    /// Where the page is.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("page.html")
    }

    /// The text of the page.
    pub fn text(&self) -> String {
        std::fs::read_to_string(self.path()).unwrap()
    }

    /// The data in the page.
    pub fn data(&self) -> Value {
        data(&self.text())
    }
}

/// The data in the text of a page.
pub fn data(text: &str) -> Value {
    let (_, rest) = text.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}
