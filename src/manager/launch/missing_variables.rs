//! Names of the variables that an agent had at spawn, compared with the shell that brings it back.

use crate::manager::launch::Launcher;
use crate::manager::specs::LaunchPlanner;
use crate::model::AgentName;
use crate::rules::specs::variables::{is_needed, warnings};

impl Launcher<'_> {
    /// Returns the names of the caller's variables that an agent may fail without. Values are not stored anywhere.
    pub(in crate::manager) fn needed_variables(&self) -> Vec<String> {
        let names = self.0.env.for_agents().filter_map(|(name, _)| name.to_str());
        let mut names: Vec<String> = names.filter(|name| is_needed(name)).map(str::to_owned).collect();
        names.sort();
        names
    }

    /// Warns of variables that these agents had at spawn and that the caller's environment lacks.
    pub(in crate::manager) fn warn_of_lacking_variables<'a>(
        &self,
        names: impl IntoIterator<Item = &'a AgentName>,
    ) {
        let here = self.needed_variables();
        let lacking: Vec<(AgentName, Vec<String>)> = names
            .into_iter()
            .map(|name| (name.clone(), self.lacking_variables(name, &here)))
            .filter(|(_, lacking)| !lacking.is_empty())
            .collect();
        warnings(&lacking).into_iter().for_each(|warning| self.0.notice(warning));
    }

    fn lacking_variables(&self, name: &AgentName, here: &[String]) -> Vec<String> {
        let Some(note) = LaunchPlanner(self.0).spawn_manifest(name) else { return Vec::new() };
        let of_spec = note.spec.map(|spec| spec.env).unwrap_or_default();
        let given: Vec<String> = of_spec.into_iter().chain(note.env).map(|(key, _)| key).collect();
        note.variables.into_iter().filter(|name| !here.contains(name) && !given.contains(name)).collect()
    }
}
