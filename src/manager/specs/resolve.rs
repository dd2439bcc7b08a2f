//! Finds the requested spec: by its name, by the name of a kind, or as a folder or file.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::manager::specs::spawn_manifest::SpawnArgs;
use crate::manager::specs::{ProjectTrust, SpecCatalog};
use crate::model::{DEFAULT_SPEC, FoundIn, Spec, UntrustedSpec, is_deceptive};
use crate::rules::status::decide::PLAIN_COMMAND;
use crate::specs::{SpecError, SpecSearch, Specs};

/// The variable with the path of a spec file.
const CONFIG: &str = "SYMPOSIUM_AGENTS_CONFIG";

/// Location at which specs are searched.
#[derive(Debug, Clone, Default)]
pub struct SpecLocation {
    /// The spec file that replaces all others.
    pub config: Option<PathBuf>,
    /// The directory an agent would work in; `None` means the current directory.
    pub dir: Option<PathBuf>,
}

/// A resolved spec, with warnings about it.
pub(in crate::manager) struct ResolvedSpec {
    pub spec: Spec,
    pub warnings: Vec<String>,
    /// The effects that the user has to agree to before an agent is spawned from the spec.
    pub untrusted: Option<UntrustedSpec>,
}

impl SpecCatalog<'_> {
    /// Returns the absolute path of the spec file that `--config` or the variable names.
    pub(in crate::manager) fn specs_file(&self, flag: Option<&Path>) -> Option<PathBuf> {
        let named = flag.map(Path::to_path_buf).or_else(|| self.0.env.var(CONFIG).map(PathBuf::from))?;
        Some(self.path_here(&named))
    }

    /// Makes a path absolute, relative to the current directory.
    pub(in crate::manager) fn path_here(&self, path: &Path) -> PathBuf {
        // Removes the `.` of `./Folder`, because the path is displayed.
        self.0.env.cwd().map_or_else(|| path.to_path_buf(), |cwd| cwd.join(path).components().collect())
    }

    /// Builds a request for a spec, searched as `location` says.
    pub(in crate::manager) fn args_for(
        &self,
        location: &SpecLocation,
        spec: Option<&str>,
    ) -> Result<SpawnArgs, Error> {
        let dir = self.0.working_directory(location.dir.as_deref())?;
        let config = self.specs_file(location.config.as_deref());
        Ok(SpawnArgs { spec: spec.map(str::to_owned), dir, config, ..SpawnArgs::default() })
    }

    /// Returns all effective specs of a directory.
    pub(in crate::manager) fn specs(&self, dir: &Path, config: Option<&Path>) -> Result<Specs, Error> {
        Ok(Specs::find(&SpecSearch { dir, home: &self.0.home.path, config })?)
    }

    /// Resolves the requested spec. A name means a spec first, then a kind, then a folder. Makes a path in the request
    /// absolute, so that the request can be repeated from any directory.
    pub(in crate::manager) fn blueprint(&self, args: &mut SpawnArgs) -> Result<ResolvedSpec, Error> {
        let wanted = args.spec.clone().unwrap_or_else(|| DEFAULT_SPEC.to_owned());
        let kinds = self.0.kinds()?;
        let is_kind = wanted != PLAIN_COMMAND && kinds.get(&wanted).is_some();
        let path = self.path_here(Path::new(&wanted));
        if names_a_spec_file(&wanted) {
            return match Specs::from_path(&path) {
                Err(SpecError::Unreadable { source, .. }) if source.kind() == ErrorKind::NotFound => {
                    Err(self.no_such_spec(&wanted, &self.specs(&args.dir, args.config.as_deref())?))
                }
                found => self.pinned(args, &path, found?),
            };
        }
        let specs = self.specs(&args.dir, args.config.as_deref())?;
        let mut warnings = specs.remarks().to_vec();
        let spec = match specs.get(&wanted) {
            Ok(Spec { kind, found_in: FoundIn::Project(path), .. })
                if is_kind && kind.as_ref() != Some(&wanted) && is_of_claude(&path) =>
            {
                warnings.push(format!("`{path}` is not used: `{wanted}` is the name of a kind"));
                specs.of_kind(&wanted)?
            }
            Err(SpecError::NoSuchSpec { .. }) if is_kind => specs.of_kind(&wanted)?,
            Err(SpecError::NoSuchSpec { .. }) if holds_spec(&path) => {
                return self.pinned(args, &path, Specs::from_path(&path)?);
            }
            Err(SpecError::NoSuchSpec { .. }) => return Err(self.no_such_spec(&wanted, &specs)),
            found => found?,
        };
        let untrusted = ProjectTrust(self.0).untrusted(&specs, &spec, &args.dir)?;
        Ok(ResolvedSpec { untrusted, ..self.with_warnings(spec, warnings) })
    }

    fn pinned(&self, args: &mut SpawnArgs, path: &Path, spec: Spec) -> Result<ResolvedSpec, Error> {
        args.spec = path.to_str().map(str::to_owned);
        Ok(self.with_warnings(spec, vec![]))
    }

    fn no_such_spec(&self, name: &str, specs: &Specs) -> Error {
        let written = specs.names().into_iter().filter(|name| *name != DEFAULT_SPEC);
        let mut known: Vec<String> = written.map(str::to_owned).collect();
        let kinds = self.0.kinds().ok();
        for kind in kinds.iter().flat_map(|kinds| kinds.names()).filter(|kind| *kind != PLAIN_COMMAND) {
            if !known.iter().any(|name| name == kind) {
                known.push(kind.to_owned());
            }
        }
        Error::no_such_spec(name.to_owned(), known, "agent spawn")
    }

    fn with_warnings(&self, spec: Spec, mut warnings: Vec<String>) -> ResolvedSpec {
        warnings.extend(spec.remarks.iter().cloned());
        // The name of a directory may contain characters that a terminal would interpret.
        let warnings = warnings.iter().map(|warning| warning.replace(is_deceptive, "\u{fffd}")).collect();
        ResolvedSpec { spec, warnings, untrusted: None }
    }
}

/// Returns whether a text is a path by its form alone; a plain name means a spec first.
fn names_a_spec_file(text: &str) -> bool {
    text.contains('/') || text == "." || text == ".." || text.ends_with(".md") || text.ends_with(".mdx")
}

/// Returns whether a file is in `.claude/agents`. Such files belong to another program, and cannot replace a kind.
fn is_of_claude(path: &str) -> bool {
    Path::new(path).parent().is_some_and(|dir| dir.ends_with(".claude/agents"))
}

fn holds_spec(folder: &Path) -> bool {
    ["agent.md", "agent.mdx"].iter().any(|file| folder.join(file).is_file())
}
