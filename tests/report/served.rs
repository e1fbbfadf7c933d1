//! A page and one trace, served to a browser on this machine alone.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};

/// Serves until the test ends.
pub struct Server {
    at: SocketAddr,
}

impl Server {
    /// The files of a folder, and a trace at `/trace.json`.
    pub fn new(folder: PathBuf, trace: Vec<u8>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                // A browser that goes away in the middle is no fault.
                let _ = stream.and_then(|stream| answer(&stream, &folder, &trace));
            }
        });
        Server { at }
    }

    /// A page's address that names the address of a file.
    pub fn address(&self, page: &str, file: &str) -> String {
        format!("http://{at}{page}http://{at}{file}", at = self.at)
    }
}

fn answer(stream: &TcpStream, folder: &Path, trace: &[u8]) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let path = request.split([' ', '?']).nth(1).unwrap_or("/").trim_start_matches('/');
    let file = if path.is_empty() { "index.html" } else { path };
    let content = if file == "trace.json" { Ok(trace.to_vec()) } else { std::fs::read(folder.join(file)) };
    let (status, content) = content.map_or(("404 Not Found", vec![]), |content| ("200 OK", content));
    let mut stream = stream;
    write!(stream, "HTTP/1.0 {status}\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n", kind(file), content.len())?;
    stream.write_all(&content)
}

/// Browsers run scripts and modules by their type.
fn kind(file: &str) -> &'static str {
    match Path::new(file).extension().and_then(|ending| ending.to_str()) {
        Some("html") => "text/html",
        Some("js") => "text/javascript",
        Some("css") => "text/css",
        Some("wasm") => "application/wasm",
        Some("json") => "application/json",
        _ => "application/octet-stream",
    }
}
