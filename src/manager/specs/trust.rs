//! `spec trust` and `spec untrust`, and the check before a spawn: a spec of a project may change what runs on this
//! machine only if the user agreed to the current content of the project's spec files. The rule is in `rules/access/trust.rs`.

use std::path::{Path, PathBuf};

use crate::error::{Code, Error, shown};
use crate::git;
use crate::manager::specs::resolve::SpecLocation;
use crate::manager::specs::{ProjectTrust, SpecCatalog};
use crate::model::{
    DEFAULT_SPEC, ProjectFiles, Spec, SpecEffects, TrustReview, TrustState, TrustedProject, UntrustedSpec,
};
use crate::rules::access::trust;
use crate::rules::specs::spec_rows::quoted;
use crate::specs::Specs;
use crate::store::TrustedProjects;

impl ProjectTrust<'_> {
    /// Returns the effects that prevent a spawn, or `None` if the spec needs no trust or is trusted.
    pub(in crate::manager) fn untrusted(
        &self,
        specs: &Specs,
        spec: &Spec,
        dir: &Path,
    ) -> Result<Option<UntrustedSpec>, Error> {
        let Some(files) = specs.project_files().filter(|files| !self.is_own_home(&files.root)) else {
            return Ok(None);
        };
        let kinds = self.0.kinds()?;
        let effects = trust::effects(spec, &files, |name| kinds.get(name).is_some());
        if effects.is_empty() {
            return Ok(None);
        }
        let state = self.trust_state(&files)?;
        Ok((state != TrustState::Trusted).then(|| UntrustedSpec {
            spec: spec.name.clone(),
            dir: dir.to_path_buf(),
            is_changed: state == TrustState::Changed,
            effects,
            is_requested_by_agent: self.0.calling_agent().is_ok_and(|calling_agent| calling_agent.is_some()),
        }))
    }

    /// Returns the specs of the directory's project that need trust, or `None` if the project has no specs.
    pub fn trust_review(&self, location: &SpecLocation) -> Result<Option<TrustReview>, Error> {
        let dir = self.0.working_directory(location.dir.as_deref())?;
        let specs = SpecCatalog(self.0).specs(&dir, None)?;
        let Some(files) = specs.project_files().filter(|files| !self.is_own_home(&files.root)) else {
            return Ok(None);
        };
        let kinds = self.0.kinds()?;
        let mut names = files.names.clone();
        names.extend(Some(DEFAULT_SPEC.to_owned()).filter(|name| !files.names.contains(name)));
        let mut found = Vec::new();
        for name in names {
            // A spec with a mistake cannot be spawned, and correcting the mistake changes the content.
            let Ok(spec) = specs.get(&name) else { continue };
            let effects = trust::effects(&spec, &files, |name| kinds.get(name).is_some());
            let name = Some(name).filter(|name| files.names.contains(name));
            found.push(SpecEffects { name, effects });
        }
        found.retain(|spec| !spec.effects.is_empty());
        let state = self.trust_state(&files)?;
        Ok(Some(TrustReview {
            project: self.trust_key(&files.root),
            sha256: files.sha256,
            state,
            specs: found,
        }))
    }

    /// Trusts the specs of a project as they were reviewed. Agents cannot agree in place of the user.
    pub fn trust(&self, review: &TrustReview) -> Result<(), Error> {
        self.refuse_trust_by_agent(&review.project)?;
        self.0.store.begin()?;
        Ok(TrustedProjects(&self.0.store).trust(&TrustedProject {
            project: review.project.clone(),
            sha256: review.sha256.clone(),
            trusted_at: self.0.now(),
        })?)
    }

    /// Revokes the trust in the project of a directory. Returns the project and whether it was trusted.
    pub fn untrust(&self, dir: Option<&Path>) -> Result<(String, bool), Error> {
        let path = SpecCatalog(self.0).path_here(dir.unwrap_or(Path::new(".")));
        let location = SpecLocation { config: None, dir: Some(path.clone()) };
        // A project that was deleted, or whose specs were, can be named by its path.
        let project = match self.trust_review(&location) {
            Ok(Some(review)) => review.project,
            _ => path.to_string_lossy().into_owned(),
        };
        let was_trusted = TrustedProjects(&self.0.store).untrust(&project)?;
        Ok((project, was_trusted))
    }

    /// Returns all trusted projects, ordered by directory.
    pub fn trusted_projects(&self) -> Result<Vec<TrustedProject>, Error> {
        Ok(TrustedProjects(&self.0.store).list()?)
    }

    pub(in crate::manager) fn refuse_trust_by_agent(&self, project: &str) -> Result<(), Error> {
        match self.0.calling_agent()? {
            None => Ok(()),
            Some(agent) => Err(Error::not_permitted(format!(
                "agent `{}` cannot trust the specs of `{project}`",
                agent.name
            ))
            .hint(format!("a user has to agree: `symposium spec trust {project}`"))),
        }
    }

    fn trust_state(&self, files: &ProjectFiles) -> Result<TrustState, Error> {
        let key = self.trust_key(&files.root);
        let trusted = TrustedProjects(&self.0.store).list()?;
        Ok(trust::state(files, trusted.iter().find(|trusted| trusted.project == key)))
    }

    /// Returns the directory under which trust in a project is stored. An agent's worktree counts as its repository:
    /// trust in the repository holds there as long as the agent leaves the spec files unchanged.
    fn trust_key(&self, root: &Path) -> String {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let home = self.0.home.path.canonicalize().unwrap_or_else(|_| self.0.home.path.clone());
        let of_repository = || {
            let top = git::project(&root)?;
            Some(git::repository(&top).join(root.strip_prefix(&top).ok()?))
        };
        let key = if root.starts_with(home) { of_repository().unwrap_or(root) } else { root };
        key.components().collect::<PathBuf>().to_string_lossy().into_owned()
    }

    /// Returns whether the `.symposium` of a directory is the user's own state directory, seen from another
    /// environment.
    fn is_own_home(&self, root: &Path) -> bool {
        let home = self.0.env.var("HOME").map(PathBuf::from).and_then(|home| home.canonicalize().ok());
        home.is_some_and(|home| root.canonicalize().is_ok_and(|root| root == home))
    }
}

/// Maximum number of effects that an error lists; `spec trust` lists all of them.
const MAX_LISTED_EFFECTS: usize = 20;

impl From<UntrustedSpec> for Error {
    fn from(untrusted: UntrustedSpec) -> Error {
        let listed = untrusted.effects.iter().take(MAX_LISTED_EFFECTS).map(|effect| format!("it {effect}"));
        let more = untrusted.effects.len().saturating_sub(MAX_LISTED_EFFECTS);
        let dir = shown(&untrusted.dir.to_string_lossy());
        let trust = quoted(&["symposium", "spec", "trust", &dir].map(str::to_owned));
        Error::new(Code::UntrustedSpec, untrusted.to_string())
            .saw_all(listed)
            .saw_all((more > 0).then(|| format!("and {more} more")))
            .saw("nothing was started")
            .hint(match untrusted.is_requested_by_agent {
                true => format!("a user has to agree: `{trust}`"),
                false => format!("if you agree: `{trust}`, or repeat the command with `--trust`"),
            })
            .caused_by(untrusted)
    }
}
