//! The first ten minutes: a kernel to begin with, what ships, checks that follow a file, what a machine lacks, completions and manual pages.

use super::start::{Ran, good, json, keys, misused, object, refused, systole};
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs `systole` in a folder in which nothing of ours is.
fn elsewhere(folder: &Path, arguments: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_systole"));
    let output = command.args(arguments).current_dir(folder).output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    Ran { code: output.status.code().expect("a code"), stdout: text(output.stdout), stderr: text(output.stderr) }
}

fn well(folder: &Path, arguments: &[&str]) -> String {
    let ran = elsewhere(folder, arguments);
    assert_eq!((ran.code, &*ran.stderr), (0, ""), "{arguments:?}: {}", ran.stdout);
    ran.stdout
}

#[test]
fn a_new_kernel_runs_and_its_schedule_is_proved() {
    let folder = tempfile::tempdir().unwrap();
    let said = well(folder.path(), &["new", "product.rec"]);
    let next: Vec<&str> = said.lines().skip(1).map(|line| line.trim_start_matches("next:").trim()).collect();
    let run = "systole run product.rec --size M=4,N=4";
    let prove = "systole prove product.rec --schedule rows";
    assert_eq!(next, [run, "systole check product.rec --watch", prove]);
    for command in [run, prove] {
        well(folder.path(), &command.split(' ').skip(1).collect::<Vec<_>>());
    }
    let path = folder.path().join("product.rec");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("kernel product(M, N)") && text.lines().filter(|line| line.starts_with('#')).count() >= 5);
    // What its comment says of another time is so.
    fs::write(&path, text.replace("time i + j", "time j")).unwrap();
    let ran = elsewhere(folder.path(), &["prove", "product.rec", "--schedule", "rows"]);
    assert!(ran.code == 1 && ran.stderr.contains("do not meet"), "{}", ran.stderr);
}

#[test]
fn a_new_kernel_is_written_over_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("mine.rec"), "mine").unwrap();
    std::os::unix::fs::symlink("nowhere", path("link.rec")).unwrap();
    for name in ["mine.rec", "link.rec"] {
        assert!(refused(&["new", &path(name)]).contains("is there already, and is left as it is"));
    }
    assert_eq!(fs::read_to_string(path("mine.rec")).unwrap(), "mine");
    for name in ["two words.rec", "3x.rec", "product.txt", "product", ".rec", "infinity.rec"] {
        let message = misused(&["new", &path(name)]);
        assert!(message.contains("no name for the file of a kernel") && message.contains("product.rec"), "{message}");
    }
    assert!(refused(&["new", &path("no/folder.rec")]).contains("there is no folder"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn a_kernel_that_ships_is_one_to_begin_with() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.rec").display().to_string();
    let written = json(&["new", &path, "--from", "kernels/layers/mlp.rec"]);
    assert_eq!(keys(&written), BTreeSet::from(["file", "next"]));
    assert_eq!(fs::read_to_string(&path).unwrap(), fs::read_to_string("kernels/layers/mlp.rec").unwrap());
    let other = folder.path().join("other.rec").display().to_string();
    let message = misused(&["new", &other, "--from", "kernels/matmull.rec"]);
    assert!(message.contains("did you mean `kernels/matmul.rec`?"), "{message}");
    assert!(misused(&["new", &other, "--from", "machines/ideal.toml"]).contains("no kernel ships as"));
    assert!(!Path::new(&other).exists());
}

/// All files with this extension below a folder.
fn files(folder: &str, extension: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|ending| ending == extension) => {
                    found.insert(path.display().to_string());
                }
                false => {}
            }
        }
    }
    found
}

#[test]
fn every_kernel_and_every_machine_is_an_example() {
    let written = json(&["examples"]);
    let examples = written["examples"].as_array().unwrap();
    let paths: BTreeSet<String> = examples.iter().map(|one| one["path"].as_str().unwrap().to_owned()).collect();
    assert_eq!(paths, &files("kernels", "rec") | &files("machines", "toml"));
    for one in examples {
        let text = |key: &str| one[key].as_str().unwrap_or_else(|| panic!("{one}")).to_owned();
        assert!(text("command").contains(&text("path")) && text("command").starts_with("systole "), "{one}");
        assert!(!text("title").is_empty() && text("kind") != "others", "{one}");
    }
    assert!(good(&["examples", "cannon"]).contains("systole prove kernels/matmul.rec --schedule cannon"));
    assert!(good(&["examples", "mttkrp"]).contains("product: A = B (C . D), the heart"), "a title is a whole sentence");
    let message = misused(&["examples", "colesky"]);
    assert!(message.contains("did you mean `cholesky`?"), "{message}");
    assert!(misused(&["examples", "nothing of the kind"]).contains("systole examples lists all"));
}

#[test]
fn what_ships_is_read_in_any_folder() {
    let folder = tempfile::tempdir().unwrap();
    let here = |arguments: &[&str]| well(folder.path(), arguments);
    for command in ["run kernels/matmul.rec --size M=4,N=4,K=4", "derive kernels/naive/prefix_sum.rec"] {
        here(&command.split(' ').collect::<Vec<_>>());
    }
    let flags = ["search", "kernels/fir.rec", "--size", "N=4,K=3", "--machine", "machines/slow-links.toml"];
    let of_all = |printed: String| object(&printed)["front"].clone();
    assert_eq!(of_all(here(&[&flags[..], &["--json"]].concat())), of_all(good(&[&flags[..], &["--json"]].concat())));
    let ran = elsewhere(folder.path(), &["check", "kernels/matmull.rec"]);
    assert!(ran.code == 1 && ran.stderr.contains("did you mean `kernels/matmul.rec`, which ships?"), "{}", ran.stderr);
    // A file of the user's own under that name is meant before what ships.
    fs::create_dir(folder.path().join("kernels")).unwrap();
    fs::write(folder.path().join("kernels/matmul.rec"), "kernel mine(N)\nin x[N]\nout y[N]\ny[i] = x[i]\n").unwrap();
    assert!(here(&["check", "kernels/matmul.rec"]).starts_with("kernel mine(N)"));
}

/// A file that is watched is checked when it changes: right, wrong, right.
#[test]
fn a_check_follows_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.rec");
    let right = "kernel k(N)\nin x[N]\nout y[N]\ny[i] = x[i]\n";
    fs::write(&path, right).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_systole"));
    command.args(["check", "k.rec", "--watch", "--json"]).current_dir(folder.path());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || object(&lines.next().expect("an object").unwrap());
    assert_eq!(next()["kernel"], "k");
    fs::write(&path, right.replace("x[i]\n", "z[i]\n")).unwrap();
    assert_eq!(next()["diagnostics"][0]["code"], "kernel");
    fs::write(&path, right.replace("kernel k", "kernel again")).unwrap();
    assert_eq!(next()["kernel"], "again");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(misused(&["check", "ik,kj->ij", "--watch"]).contains("is no file that could change"));
}

#[test]
fn a_shell_can_complete_every_command() {
    let bash = good(&["completions", "bash"]);
    let commands = ["check", "search", "prove", "run", "emit", "sim", "exec", "new", "examples", "completions"];
    for shell in ["bash", "zsh", "fish"] {
        let script = good(&["completions", shell]);
        assert!(commands.iter().all(|command| script.contains(command)) && script.contains("fit-fifos"), "{shell}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("systole.bash");
    let asked = "\nCOMP_WORDS=(systole pro); COMP_CWORD=1; _systole systole pro systole; echo \"${COMPREPLY[@]}\"\n";
    fs::write(&path, bash.clone() + asked).unwrap();
    let completed = Command::new("bash").arg(&path).output().expect("bash starts");
    assert_eq!(String::from_utf8_lossy(&completed.stdout), "prove\n", "{}", String::from_utf8_lossy(&completed.stderr));
    let written = json(&["completions", "bash"]);
    assert_eq!((written["shell"].as_str(), written["script"].as_str()), (Some("bash"), Some(&*bash)));
    assert!(misused(&["completions", "tcsh"]).contains("tcsh"));
}

#[test]
fn every_command_has_a_manual_page_with_its_flags() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man/man1");
    let written = json(&["manual", pages.to_str().unwrap()]);
    let there = fs::read_dir(&pages).unwrap().count();
    assert_eq!(written["pages"].as_array().unwrap().len(), there);
    let page = |name: &str| fs::read_to_string(pages.join(name)).unwrap_or_else(|_| panic!("{name}"));
    assert!(page("systole.1").contains("recurrence") || page("systole.1").contains("Recurrence"));
    for (command, flag) in [("sim", "fit"), ("prove", "dump"), ("rules-check", "cases"), ("check", "watch")] {
        assert!(page(&format!("systole-{command}.1")).contains(flag), "{command}");
    }
    assert!(there >= 20 && !pages.join("systole-help.1").exists());
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(refused(&["manual", file.to_str().unwrap()]).contains("cannot make the folder"));
}

#[test]
fn doctor_says_what_to_install_for_what() {
    let written = json(&["doctor"]);
    let findings = written["findings"].as_array().unwrap();
    for one in findings {
        assert_eq!(keys(one), BTreeSet::from(["found", "name", "purpose", "remedy"]));
        assert_eq!(one["found"].is_null(), one["remedy"].is_string(), "{one}");
    }
    let names: Vec<&str> = findings.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert!(["solver", "rules", "kernels", "C compiler", "BLAS", "mpirun"].iter().all(|name| names.contains(name)));
    // Where nothing is on the path, nothing is found there.
    let ran = super::start::systole_under(&[("PATH", "")], &["doctor"]);
    assert!(ran.code == 0 && ran.stdout.contains("apt-get install gcc"), "{}", ran.stdout);
    assert_eq!(systole(&["doctor", "more"]).code, 2);
}

/// What goes on until it is ended is no command within a process.
#[test]
fn a_command_within_a_process_ends() {
    for words in [&["check", "kernels/matmul.rec", "--watch"][..], &["language-server"]] {
        let ran = systole::driver::run(words);
        assert_eq!((ran.code, &*ran.printed), (2, ""), "{words:?}");
        assert!(ran.said.contains("goes on until it is ended"), "{}", ran.said);
    }
    assert_eq!(systole::driver::run(&["check", "kernels/matmul.rec"]).code, 0);
}

/// What is printed runs as it stands, also where a folder has a blank in its name.
#[test]
fn a_command_to_go_on_with_is_quoted_where_it_has_to_be() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("a b")).unwrap();
    let path = folder.path().join("a b/first.rec").display().to_string();
    assert!(good(&["new", &path]).contains(&format!("run '{path}' --size")), "{path}");
}
