//! Errors about specs and their parameters.

use super::{Code, Error};

impl Error {
    /// A spec or its file is invalid.
    pub(crate) fn bad_spec(mistakes: impl IntoIterator<Item = String>) -> Error {
        let mut mistakes = mistakes.into_iter();
        Error::new(Code::BadSpec, mistakes.next().unwrap_or_else(|| "a spec is invalid".to_owned()))
            .saw_all(mistakes)
            .saw("nothing was started")
            .hint("correct the file; `symposium spec check` lists every mistake in it")
    }

    /// Parameters are missing, or the spec does not declare them.
    pub(crate) fn bad_params(spec: &str, mistakes: &[String]) -> Error {
        Error::new(Code::BadParams, format!("the parameters do not match spec `{spec}`"))
            .saw_all(mistakes)
            .saw("nothing was started")
            .hint(format!(
                "`symposium spec show {spec}` lists its parameters; set one with `--param NAME=VALUE`"
            ))
            .caused_by(mistakes.join("; "))
    }

    /// The kind cannot enforce the tier of the spec.
    pub(crate) fn looser_tier(spec: &str, why: impl Into<String>, origin: impl std::fmt::Display) -> Error {
        Error::new(Code::LooserTier, why)
            .saw(format!(
                "spec `{spec}` asks for it ({origin}); the agent would have more permissions than that"
            ))
            .saw("nothing was started")
            .hint("choose another `kind`, or remove `shell_tier` from the spec")
    }
}
