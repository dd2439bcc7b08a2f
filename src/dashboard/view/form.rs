//! The form that starts an agent.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::dashboard::forms::spawn_form::{FormField, FormPhase, SpawnForm};
use crate::dashboard::layout::window_width;
use crate::dashboard::view::modals::{draw_input, window};
use crate::dashboard::view::text::{after, line_of, padded, put, without_lines};
use crate::dashboard::view::theme::Theme;
use crate::text::fit::{display_width, wrapped};

/// Width of the names of fields.
const LABEL_WIDTH: u16 = 11;
/// Lines of the task that are visible at once.
const MAX_TASK_LINES: usize = 5;
/// Lines of the explanation of a field.
const MAX_REMARK_LINES: usize = 3;

/// One field as it is drawn.
struct FieldView {
    field: FormField,
    label: String,
    /// Number of lines of the value.
    height: usize,
    /// Text below the field while it has the focus, or beside a choice.
    remark: String,
    /// The selected choice; empty for a text.
    chosen: String,
    /// Columns of the value.
    width: usize,
}

impl FieldView {
    /// Returns the choice as it is drawn.
    fn choice(&self) -> String {
        format!("‹ {} › ", self.chosen)
    }
}

/// Draws the form: fields, then the command, then what went wrong. In a small terminal, the fields are scrolled to the
/// one with the focus and the command is left out first.
pub(super) fn draw(frame: &mut Frame<'_>, form: &SpawnForm, theme: Theme) {
    let width = usize::from(window_width(frame.area().width).saturating_sub(2));
    let fields = field_views(form, width.saturating_sub(LABEL_WIDTH.into()));
    let heights: usize = fields.iter().map(|field| field.height + below(form, field)).sum();
    let command = wrapped(&form.submission().command(), width.saturating_sub(1));
    let (notes, note_style) = notes(form, width.saturating_sub(1), theme);
    let inner = window(frame, "Start an agent", heights + command.len() + notes.len() + 1, theme);
    let room = usize::from(inner.height);
    let noted = notes.len().min((room / 2).max(1)).min(room);
    let shown_fields = heights.min(room - noted);
    let commanded = command.len().min((room - noted - shown_fields).saturating_sub(1));
    let height = |lines: usize| u16::try_from(lines).unwrap_or(u16::MAX);
    draw_fields(frame, Rect { height: height(shown_fields), ..inner }, (form, &fields), theme);
    let rest = Rect { y: inner.y + height(room - noted), height: height(noted), ..inner };
    for (at, line) in notes.iter().take(noted).enumerate() {
        put(frame.buffer_mut(), line_of(rest, height(at)), &format!(" {line}"), note_style);
    }
    let above = Rect { y: rest.y - height(commanded), height: height(commanded), ..inner };
    for (at, line) in command.iter().take(commanded).enumerate() {
        put(frame.buffer_mut(), line_of(above, height(at)), &format!(" {line}"), theme.dim());
    }
}

fn field_views(form: &SpawnForm, width: usize) -> Vec<FieldView> {
    form.fields()
        .into_iter()
        .map(|field| {
            let label = match &field {
                FormField::Task => "task".to_owned(),
                FormField::Spec => "spec".to_owned(),
                FormField::Directory => "directory".to_owned(),
                FormField::Workspace => "workspace".to_owned(),
                FormField::Name => "name".to_owned(),
                FormField::Param(name) => name.clone(),
            };
            let height = match field {
                FormField::Task => form.task.text().split('\n').count().clamp(1, MAX_TASK_LINES),
                _ => 1,
            };
            let remark = remark(form, &field);
            let chosen = match &field {
                FormField::Spec => form.spec.clone().unwrap_or_else(|| "…".to_owned()),
                FormField::Workspace => form.workspace.word().to_owned(),
                _ => String::new(),
            };
            FieldView { field, label, height, remark, chosen, width }
        })
        .collect()
}

/// Returns the explanation of a field.
fn remark(form: &SpawnForm, field: &FormField) -> String {
    match field {
        FormField::Task => "the first prompt; without one, the agent waits for yours".to_owned(),
        FormField::Name => "derived from spec and task".to_owned(),
        FormField::Workspace => form.workspace.description().to_owned(),
        FormField::Spec => match form.selected_option() {
            Some(option) => {
                let text = option.problem.as_ref().or(option.description.as_ref());
                text.cloned().unwrap_or_default()
            }
            None => String::new(),
        },
        FormField::Directory => {
            let names = form.survey.iter().flat_map(|survey| &survey.completions);
            let last = |path: &String| path.trim_end_matches('/').rsplit('/').next().map(str::to_owned);
            names.filter_map(last).collect::<Vec<_>>().join("  ")
        }
        FormField::Param(name) => {
            let params = form.selected_option().map(|option| option.params.as_slice()).unwrap_or_default();
            let Some((_, param)) = params.iter().find(|(param_name, _)| param_name == name) else {
                return String::new();
            };
            let default = param.default.as_ref().map(|default| format!(" [default: {default}]"));
            let about = param.description.clone().unwrap_or_else(|| param.sort.to_string());
            about + &default.unwrap_or_else(|| " (required)".to_owned())
        }
    }
}

/// Returns the number of lines below a field: its explanation, while it has the focus and no room beside it.
fn below(form: &SpawnForm, view: &FieldView) -> usize {
    if form.focus != view.field || view.remark.is_empty() {
        return 0;
    }
    wrapped_remark(view).len().min(MAX_REMARK_LINES) * usize::from(is_explained_below(form, view))
}

fn is_explained_below(form: &SpawnForm, view: &FieldView) -> bool {
    match view.field {
        // An empty field shows its explanation in itself.
        FormField::Directory => true,
        FormField::Spec | FormField::Workspace => !fits_beside(view),
        _ => {
            form.text(&view.field).is_some_and(|input| !input.text().is_empty())
                && matches!(view.field, FormField::Param(_))
        }
    }
}

/// Returns whether the explanation of a choice has room beside it.
fn fits_beside(view: &FieldView) -> bool {
    display_width(&view.choice()) + display_width(&view.remark) <= view.width
}

fn wrapped_remark(view: &FieldView) -> Vec<String> {
    wrapped(&view.remark, view.width)
}

fn draw_fields(frame: &mut Frame<'_>, area: Rect, (form, fields): (&SpawnForm, &[FieldView]), theme: Theme) {
    let mut first = 0;
    let mut line = 0;
    for view in fields {
        line += view.height + below(form, view);
        if view.field == form.focus {
            first = line.saturating_sub(area.height.into());
        }
    }
    let mut at = 0;
    for view in fields {
        let height = view.height + below(form, view);
        if at >= first && at + height <= first + usize::from(area.height) {
            let top = u16::try_from(at - first).unwrap_or(0);
            let rect = Rect { y: area.y + top, height: u16::try_from(height).unwrap_or(1), ..area };
            draw_field(frame, rect, (form, view), theme);
        }
        at += height;
    }
}

fn draw_field(frame: &mut Frame<'_>, area: Rect, (form, view): (&SpawnForm, &FieldView), theme: Theme) {
    let is_focused = form.focus == view.field;
    let style = if is_focused { theme.accent() } else { theme.dim() };
    let mark = if is_focused { "›" } else { " " };
    let label = padded(&format!("{mark}{}", view.label), LABEL_WIDTH.into());
    let value = after(area, put(frame.buffer_mut(), line_of(area, 0), &label, style));
    let value_area = Rect { height: u16::try_from(view.height).unwrap_or(1), ..value };
    if !view.chosen.is_empty() {
        let used = put(frame.buffer_mut(), value, &view.choice(), Style::new());
        let has_problem = matches!(view.field, FormField::Spec)
            && form.selected_option().is_some_and(|option| option.problem.is_some());
        let style = if has_problem { theme.bad() } else { theme.dim() };
        match below(form, view) {
            0 => drop(put(frame.buffer_mut(), after(value, used), &view.remark, style)),
            _ => draw_remark(frame, without_lines(value, 1), view, style),
        }
        return;
    }
    let text = form.text(&view.field);
    match text.filter(|input| !input.text().is_empty()) {
        None => drop(put(frame.buffer_mut(), value, &view.remark, theme.dim())),
        Some(input) if !is_focused => {
            for (at, line) in input.text().split('\n').take(view.height).enumerate() {
                put(
                    frame.buffer_mut(),
                    line_of(value_area, u16::try_from(at).unwrap_or(0)),
                    line,
                    Style::new(),
                );
            }
        }
        Some(_) => {}
    }
    if is_focused {
        let empty = crate::dashboard::state::text_input::TextInput::default();
        let input = text.unwrap_or(&empty);
        draw_input(frame, value_area, input);
    }
    if below(form, view) > 0 {
        draw_remark(frame, without_lines(value, view.height), view, theme.dim());
    }
}

/// Draws the explanation of a field below it.
fn draw_remark(frame: &mut Frame<'_>, area: Rect, view: &FieldView, style: Style) {
    for (at, line) in wrapped_remark(view).iter().take(MAX_REMARK_LINES).enumerate() {
        put(frame.buffer_mut(), line_of(area, u16::try_from(at).unwrap_or(u16::MAX)), line, style);
    }
}

/// Returns the lines below the command: the progress, the problem, or the most important keys.
fn notes(form: &SpawnForm, width: usize, theme: Theme) -> (Vec<String>, Style) {
    let survey = form.survey.as_ref().and_then(|survey| survey.options.as_ref().err());
    match &form.phase {
        FormPhase::Starting => (vec!["starting…".to_owned()], theme.attention()),
        FormPhase::Refused(refusal) => {
            let mut lines: Vec<String> = Vec::new();
            if refusal.review.is_some() {
                lines.push("C-t trusts these specs as they are now, and starts the agent:".to_owned());
            }
            lines.extend(refusal.lines.iter().flat_map(|line| wrapped(line, width)));
            (lines, theme.bad())
        }
        FormPhase::Editing => match survey {
            Some(problem) => (wrapped(problem, width), theme.bad()),
            None => (wrapped("Enter start · Tab next field · Escape cancel", width), theme.dim()),
        },
    }
}
