//! Builds a launch plan from a spawn request: finds the spec, its kind and the program, and translates the spec's
//! options to the kind's flags. Creates nothing, so that a failure leaves nothing behind.

use std::path::{Path, PathBuf};

use crate::error::{Error, shown};
use crate::kinds::{self, CliOptions};
use crate::manager::specs::spawn_manifest::SpawnArgs;
use crate::manager::specs::spawn_request::{Lifetime, SpawnRequest};
use crate::manager::specs::{LaunchPlanner, SpecCatalog};
use crate::model::{AgentName, AgentRecord, GivenParam, Kind, Prompt, Restart, Spec, Title, UntrustedSpec};
use crate::rules::lifecycle::default_kind;
use crate::rules::lifecycle::inherit::{Inheritance, inherit};
use crate::rules::specs::params;
use crate::rules::status::decide::PLAIN_COMMAND;

/// The longest single argument of a program on Linux, without its terminator: `MAX_ARG_STRLEN`.
const MAX_ARGUMENT_BYTES: usize = 131_071;

/// The spec or command that an agent runs.
#[derive(Debug, Clone)]
pub enum SpawnTarget {
    /// A spec or kind by name, or a folder or file; `None` means `default`.
    Spec(Option<String>),
    /// A command without a spec.
    Command(Vec<String>),
}

impl Default for SpawnTarget {
    fn default() -> SpawnTarget {
        SpawnTarget::Spec(None)
    }
}

/// A checked launch plan: the spec, the kind and the command line of an agent.
pub(in crate::manager) struct LaunchPlan {
    pub spec: Spec,
    pub args: SpawnArgs,
    pub kind_name: String,
    pub kind: Kind,
    pub command: Vec<String>,
    pub params: Vec<GivenParam>,
    pub warnings: Vec<String>,
    /// The effects of the spec that the user has to agree to before it runs.
    pub untrusted: Option<UntrustedSpec>,
}

impl LaunchPlan {
    /// Refuses a spec of a project that the user has not trusted.
    pub(in crate::manager) fn refuse_untrusted(&self) -> Result<(), Error> {
        self.untrusted.clone().map_or(Ok(()), |untrusted| Err(untrusted.into()))
    }

    /// Copies the settings of the spec and of the request into a record.
    pub(in crate::manager) fn write_into(&self, record: &mut AgentRecord) {
        let first_line = self.spec.description.as_deref().and_then(|text| text.lines().next());
        record.title = self.args.title.as_deref().or(first_line).and_then(Title::clean).map(String::from);
        record.spec.clone_from(&self.spec.name);
        record.kind.clone_from(&self.kind_name);
        record.command.clone_from(&self.command);
        record.ephemeral = self.spec.ephemeral || self.args.ephemeral;
        let policy = self.args.restart.unwrap_or(self.spec.restart);
        record.restart = Restart { policy, ..record.restart.clone() };
        record.params.clone_from(&self.params);
        let last = record.heartbeat.as_ref().and_then(|heartbeat| heartbeat.last);
        record.heartbeat = self.spec.heartbeat.clone();
        if let Some(heartbeat) = &mut record.heartbeat {
            heartbeat.last = last;
            heartbeat.prompt = params::fill(&heartbeat.prompt, &self.params);
        }
    }

    /// Fills the parameters into the initial prompt and checks that it can be typed into a terminal.
    pub(in crate::manager) fn task(&self, text: Option<&str>) -> Result<Option<Prompt>, Error> {
        let filled = text.map(|text| params::fill(text, &self.params));
        filled.as_deref().map(str::parse).transpose().map_err(Error::unsendable)
    }
}

impl LaunchPlanner<'_> {
    /// Builds the launch plan for a request in a directory.
    pub(in crate::manager) fn chosen(
        &self,
        request: &SpawnRequest,
        parent: Option<&AgentName>,
        dir: &Path,
    ) -> Result<LaunchPlan, Error> {
        let (spec, command) = match &request.body {
            SpawnTarget::Spec(spec) => (spec.clone(), vec![]),
            SpawnTarget::Command(argv) => (None, argv.clone()),
        };
        let args = SpawnArgs {
            spec,
            command,
            dir: dir.to_path_buf(),
            config: SpecCatalog(self.0).specs_file(request.config.as_deref()),
            title: request.title.clone(),
            restart: request.restart,
            ephemeral: request.lifetime == Some(Lifetime::Task),
            params: request.params.clone(),
            inherited: parent.map(|parent| self.inheritance(parent)).transpose()?,
        };
        match &request.body {
            SpawnTarget::Command(argv) => self.chosen_command(args, argv, dir),
            SpawnTarget::Spec(_) => self.plan_again(args, dir),
        }
    }

    /// Builds the launch plan for a stored request, with the specs as they are now.
    pub(in crate::manager) fn plan_again(
        &self,
        mut args: SpawnArgs,
        dir: &Path,
    ) -> Result<LaunchPlan, Error> {
        let found = SpecCatalog(self.0).blueprint(&mut args)?;
        let chosen = self.chosen_from(found.spec, args, dir, found.warnings)?;
        Ok(LaunchPlan { untrusted: found.untrusted, ..chosen })
    }

    /// Builds the launch plan for a spec that was found or imported.
    pub(in crate::manager) fn chosen_from(
        &self,
        mut spec: Spec,
        args: SpawnArgs,
        dir: &Path,
        mut warnings: Vec<String>,
    ) -> Result<LaunchPlan, Error> {
        if let Some(inherited) = &args.inherited {
            inherit(&mut spec, inherited)
                .map_err(|why| Error::looser_tier(&spec.name, why, spec.origin("shell_tier")))?;
        }
        let params = settled(&spec, &args)?;
        let (kind_name, kind) = self.kind_for(&spec, dir)?;
        let command = self.command_for(&spec, &kind_name, &kind, dir)?;
        let options = CliOptions {
            model: spec.model.clone(),
            system_prompt: filled_prompt(&spec, &params, &mut warnings)?,
            tier: spec.shell_tier,
            tools: spec.tools.clone().unwrap_or_default(),
        };
        let base = kinds::base(&kind, &command, &options).map_err(|looser| {
            Error::looser_tier(&spec.name, looser.to_string(), spec.origin("shell_tier"))
        })?;
        warnings.extend(base.unsupported);
        Ok(LaunchPlan { spec, args, kind_name, kind, command: base.args, params, warnings, untrusted: None })
    }

    /// Returns the settings that an agent passes on to its children.
    pub(in crate::manager) fn inheritance(&self, parent: &AgentName) -> Result<Inheritance, Error> {
        let record = self.0.record(parent, "show")?;
        let spec = self.spawn_manifest(parent).and_then(|note| note.spec).unwrap_or_default();
        Ok(Inheritance {
            from: parent.to_string(),
            kind: Some(record.kind).filter(|kind| kind != PLAIN_COMMAND),
            model: spec.model,
            tier: spec.shell_tier,
            tools: spec.tools.unwrap_or_default(),
        })
    }

    /// Returns the kind of a spec: the one it names, none for a plain command, else the first one that is installed.
    fn kind_for(&self, spec: &Spec, dir: &Path) -> Result<(String, Kind), Error> {
        let kinds = self.0.kinds()?;
        let is_here = |name: &str| kinds.get(name).is_some_and(|kind| self.program_of(kind, dir).is_some());
        let name = match &spec.kind {
            Some(kind) => kind.as_str(),
            None if !spec.command.is_empty() => PLAIN_COMMAND,
            None => default_kind::kind(is_here),
        };
        if name == PLAIN_COMMAND && !spec.command.is_empty() {
            return Ok((name.to_owned(), Kind { title: "a plain command".into(), ..Kind::default() }));
        }
        match kinds.get(name).filter(|_| name != PLAIN_COMMAND) {
            Some(kind) => Ok((name.to_owned(), kind.clone())),
            None => {
                let known: Vec<&str> = kinds.names().collect();
                let why = match name {
                    PLAIN_COMMAND => "`kind = \"command\"` needs a `command`".to_owned(),
                    name => format!("`kind` `{}` is not known; known: {}", shown(name), known.join(", ")),
                };
                Err(Error::bad_spec([format!("{}: {why}", spec.origin("kind"))]))
            }
        }
    }

    /// Returns the program with the arguments of the spec, which precede those of the kind.
    fn command_for(
        &self,
        spec: &Spec,
        kind_name: &str,
        kind: &Kind,
        dir: &Path,
    ) -> Result<Vec<String>, Error> {
        if let [program, ..] = spec.command.as_slice() {
            let found = self.find_program(program, dir).ok_or_else(|| {
                Error::program_missing(
                    &shown(program),
                    kind_name,
                    &format!("it is the `command` of spec `{}` ({})", spec.name, spec.origin("command")),
                )
            })?;
            let mut command = spec.command.clone();
            command[0] = found.to_string_lossy().into_owned();
            return Ok(command);
        }
        let program = self.program_of(kind, dir).ok_or_else(|| {
            Error::program_missing(
                kind.program.first().map_or(kind_name, String::as_str),
                kind_name,
                &kind.install,
            )
        })?;
        Ok(vec![program.to_string_lossy().into_owned()])
    }

    /// Finds the program of a kind. The demo agent is the own binary; every other program is searched in PATH.
    pub(in crate::manager) fn program_of(&self, kind: &Kind, dir: &Path) -> Option<PathBuf> {
        if kind.program.first().is_some_and(|program| program == kinds::SELF) {
            return Some(self.0.env.exe().to_path_buf());
        }
        kinds::find_program(kind, self.0.env.var("PATH"), dir)
    }

    /// Finds a program by its name in PATH, or by a path relative to a directory.
    pub(in crate::manager) fn find_program(&self, program: &str, dir: &Path) -> Option<PathBuf> {
        let kind = Kind { program: vec![program.to_owned()], ..Kind::default() };
        kinds::find_program(&kind, self.0.env.var("PATH"), dir)
    }

    fn chosen_command(&self, args: SpawnArgs, argv: &[String], dir: &Path) -> Result<LaunchPlan, Error> {
        let program = argv.first().filter(|program| !program.is_empty()).ok_or_else(|| {
            Error::usage("no command was given after `--`").hint("`symposium agent spawn -- make watch`")
        })?;
        if let Some(bad) = argv.iter().find(|word| word.contains('\0')) {
            return Err(Error::usage(format!("`{}` contains a NUL byte", shown(bad))));
        }
        let found = self.find_program(program, dir).ok_or_else(|| {
            Error::program_missing(
                &shown(program),
                PLAIN_COMMAND,
                "check the spelling; a pipeline needs a shell: `symposium agent spawn -- sh -c '…'`",
            )
        })?;
        let mut command = argv.to_vec();
        command[0] = found.to_string_lossy().into_owned();
        let stem = Path::new(program)
            .file_name()
            .map_or_else(|| program.clone(), |name| name.to_string_lossy().into_owned());
        let spec = Spec { name: stem, command: argv.to_vec(), ..Spec::default() };
        let params = settled(&spec, &args)?;
        let (kind_name, kind) = (PLAIN_COMMAND.into(), Kind::default());
        Ok(LaunchPlan { spec, args, kind_name, kind, command, params, warnings: vec![], untrusted: None })
    }
}

fn settled(spec: &Spec, args: &SpawnArgs) -> Result<Vec<GivenParam>, Error> {
    params::resolve_values(&spec.params, &args.params).map_err(|wrong| Error::bad_params(&spec.name, &wrong))
}

/// Fills the parameters into the system prompt. Warns about names in braces that are not parameters.
fn filled_prompt(
    spec: &Spec,
    params: &[GivenParam],
    warnings: &mut Vec<String>,
) -> Result<Option<String>, Error> {
    let Some(text) = &spec.system_prompt else { return Ok(None) };
    for name in params::unknown_names(text, params) {
        warnings
            .push(format!("`{{{{{name}}}}}` in its system prompt is not a parameter and is left unchanged"));
    }
    let filled = params::fill(text, params);
    match filled.len() {
        ..=MAX_ARGUMENT_BYTES => Ok(Some(filled)),
        bytes => Err(Error::bad_params(
            &spec.name,
            &[format!(
                "with its parameters, the system prompt would have {bytes} bytes; the limit is {MAX_ARGUMENT_BYTES}"
            )],
        )),
    }
}
