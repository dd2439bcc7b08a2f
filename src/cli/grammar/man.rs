//! The `symposium man` command: shows the manual page at a terminal and prints it as roff elsewhere.

use clap::Command;
use clap_mangen::Man;

use super::commands;
use crate::cli::grammar::definition::CommandDefinition;
use crate::cli::render::ui::{self, Ui};
use crate::error::Error;
use crate::manager::Diagnostics;

pub(in crate::cli) const COMMAND: CommandDefinition =
    CommandDefinition::standalone("man", "Show the manual; print it as roff when piped", |_, alone| {
        run(&commands::root(), alone.ui)
    });

/// The sections that follow the commands: title and roff text.
const SECTIONS: &[(&str, &str)] = &[
    (
        "EXAMPLES",
        ".TP\n\
         Start an agent with a task and go to its screen (leave with C\\-b d):\n\
         symposium new claude \\-\\-name api\\-fix \\-\\-task \"fix the login bug\" \\-\\-attach\n\
         .TP\n\
         List agents, those that wait for you first:\n\
         symposium ls\n\
         .TP\n\
         Answer a question, send a prompt, read what happened:\n\
         symposium approve api\\-fix; symposium send api\\-fix \"also add a test\"; symposium recap\n\
         .TP\n\
         Queue work and wait for it:\n\
         symposium task add api\\-fix \"write the changelog\" \\-\\-after 1; symposium task wait 2\n\
         .TP\n\
         Bring agents back after a reboot:\n\
         symposium agent restore \\-\\-all\n",
    ),
    (
        "FILES",
        ".TP\n~/.symposium/\nThe state directory, mode 0700.\n\
         .TP\nagent\\-sessions.json, agent\\-sessions.json.bak\nThe registry of agents and its last good copy.\n\
         .TP\nledger.db\nTasks, messages, notes and events.\n\
         .TP\nconfig.toml, agents.toml, specs/, kinds.toml, tmux.conf\nConfiguration written by the user.\n\
         .TP\ninstances/NAME/\nTranscript, spec and state of an agent, and workspace/, its worktree or scratch folder.\n\
         .TP\nsupervisor.log\nThe log of the supervisor.\n\
         .TP\n.symposium/agents.toml, .claude/agents/*.md\nSpecs of a project.\n",
    ),
    (
        "ENVIRONMENT",
        ".TP\nSYMPOSIUM_HOME\nThe state directory, or @NAME of an environment.\n\
         .TP\nSYMPOSIUM_TMUX_SOCKET\nThe socket of the tmux server.\n\
         .TP\nSYMPOSIUM_AGENTS_CONFIG\nThe file with specs, in place of those of the project and the user.\n\
         .TP\nSYMPOSIUM_AGENT, SYMPOSIUM_AGENT_ID\nSet for each agent: its name and id.\n\
         .TP\nCOLUMNS\nThe width of lists that are not printed to a terminal.\n\
         .TP\nNO_COLOR\nPrint without colour.\n",
    ),
    (
        "EXIT STATUS",
        ".TP\n0\nThe command did what was asked.\n\
         .TP\n1\nIt failed.\n\
         .TP\n2\nThe command line is wrong.\n\
         .TP\n3\nThe agent, task, spec or host was not found.\n\
         .TP\n4\ntmux cannot be used.\n\
         .TP\n5\nThe state directory cannot be used.\n\
         .TP\n6\nThe delivery of a prompt was not confirmed.\n\
         .TP\n7\nA time limit was reached.\n\
         .TP\n70\nAn internal error.\n",
    ),
];

fn run(command: &Command, ui: &Ui) -> Result<u8, Error> {
    let page = page(command).map_err(Error::io("cannot write the manual page"))?;
    if !ui::is_interactive() || ui.json || !Diagnostics::show_manual(&page)? {
        ui.data(&String::from_utf8_lossy(&page));
    }
    Ok(0)
}

/// Renders the page: the root command, each command as a section, then the sections that apply to all of them.
fn page(command: &Command) -> std::io::Result<Vec<u8>> {
    let mut command = command.clone();
    command.build();
    let mut page = Vec::new();
    let root = Man::new(command.clone());
    root.render_title(&mut page)?;
    root.render_name_section(&mut page)?;
    root.render_synopsis_section(&mut page)?;
    root.render_description_section(&mut page)?;
    root.render_options_section(&mut page)?;
    for noun in visible(&command) {
        section(noun, &format!("symposium {}", noun.get_name()), &mut page)?;
    }
    for (title, text) in SECTIONS {
        page.extend_from_slice(format!(".SH \"{title}\"\n{text}").as_bytes());
    }
    Ok(page)
}

fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|verb| !verb.is_hide_set() && verb.get_name() != "help")
}

/// Renders a command and its subcommands. The global options are only in the section of the root command.
fn section(command: &Command, name: &str, page: &mut Vec<u8>) -> std::io::Result<()> {
    let own = command.clone().name(name.to_owned()).bin_name(name).mut_args(|arg| {
        let is_global = arg.is_global_set() || arg.get_id() == "help" || arg.get_id() == "version";
        if is_global { arg.hide(true) } else { arg }
    });
    let man = Man::new(own);
    let mut text = Vec::new();
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    let text = String::from_utf8_lossy(&text).replace(".SH ", ".SS ");
    // A command without options of its own has an empty section.
    let text = text.strip_suffix(".SS OPTIONS\n").unwrap_or(&text);
    page.extend_from_slice(format!(".SH \"{}\"\n{text}", name.to_uppercase()).as_bytes());
    for verb in visible(command) {
        section(verb, &format!("{name} {}", verb.get_name()), page)?;
    }
    Ok(())
}
