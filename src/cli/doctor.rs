//! `symposium doctor`

use super::render::ui::Ui;
use crate::error::Error;
use crate::manager::{Check, Health, Manager};

pub(super) fn run(manager: Result<Manager, Error>, ui: &Ui) -> Result<u8, Error> {
    let checks = match &manager {
        Ok(manager) => manager.doctor(),
        Err(error) => Manager::doctor_without_home(error),
    };
    let code = u8::from(checks.iter().any(|check| check.health == Health::Bad));
    if ui.json {
        ui.json(&checks);
    } else {
        ui.data(&checks.iter().map(line).collect::<String>());
    }
    Ok(code)
}

fn line(check: &Check) -> String {
    let word = match check.health {
        Health::Good => "ok  ",
        Health::Note => "note",
        Health::Bad => "BAD ",
    };
    let advice = check.advice.as_ref().map(|advice| format!("      do: {advice}\n")).unwrap_or_default();
    format!("{word}  {}: {}\n{advice}", check.what, check.saw)
}
