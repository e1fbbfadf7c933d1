//! `systole manual`: the manual pages, one for each command, made from the flags.

use crate::driver::flags::arguments::{Arguments, ManualArguments};
use crate::driver::shown::output::Output;
use crate::driver::{Done, Verdict, files};
use clap::CommandFactory;
use clap_mangen::Man;
use serde_json::json;
use std::path::PathBuf;
use systole_base::diagnostic::{Checked, Diagnostic, MessageCode, counted};

/// Runs the command.
pub fn run(arguments: &ManualArguments, output: &Output) -> Done {
    let folder = &arguments.folder;
    std::fs::create_dir_all(folder).map_err(|error| {
        let fault = Diagnostic::new(format!("cannot make the folder `{}`: {error}", folder.display()));
        vec![fault.help("name a folder that can be made").about(MessageCode::File)]
    })?;
    let pages = pages().into_iter().map(|page| write(page, arguments)).collect::<Checked<Vec<PathBuf>>>()?;
    output.line(&format!("{}: {}", folder.display(), counted(pages.len(), "page")));
    output.object(&json!({ "pages": pages }));
    Ok(Verdict::Good)
}

/// The commands that have a page, each with the name of the page: `systole`, `systole-check`, `systole-rules-check`.
fn pages() -> Vec<clap::Command> {
    let mut whole = Arguments::command().disable_help_subcommand(true);
    whole.build();
    let mut found = vec![];
    collect(whole, "systole", &mut found);
    found
}

fn collect(command: clap::Command, name: &str, found: &mut Vec<clap::Command>) {
    let below: Vec<clap::Command> = command.get_subcommands().filter(|one| !one.is_hide_set()).cloned().collect();
    found.push(command.display_name(name.to_owned()));
    below.into_iter().for_each(|one| {
        let name = format!("{name}-{}", one.get_name());
        collect(one, &name, found);
    });
}

fn write(command: clap::Command, arguments: &ManualArguments) -> Checked<PathBuf> {
    let man = Man::new(command);
    let path = arguments.folder.join(man.get_filename());
    files::write_by(&path, |file| man.render(file))?;
    Ok(path)
}
