//! `symposium man`

use clap::Command;

use super::ui::Ui;
use crate::error::Error;

pub(super) fn run(command: &Command, ui: &Ui) -> Result<u8, Error> {
    let mut page = Vec::new();
    render(command, "symposium", &mut page).map_err(Error::io("cannot write the manual page"))?;
    ui.data(&String::from_utf8_lossy(&page));
    Ok(0)
}

/// The page of a command, then those of its verbs behind it.
fn render(command: &Command, name: &str, page: &mut Vec<u8>) -> std::io::Result<()> {
    clap_mangen::Man::new(command.clone().name(name.to_owned()).bin_name(name)).render(page)?;
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        render(verb, &format!("{name} {}", verb.get_name()), page)?;
    }
    Ok(())
}
