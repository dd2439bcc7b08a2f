//! Windows above the list. Each has a frame with a title and fits into the terminal.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::widgets::{Block, Clear, Widget};

use crate::dashboard::layout::{window_area, window_text_width};
use crate::dashboard::state::DashboardState;
use crate::dashboard::state::event::PromptUse;
use crate::dashboard::state::manage::listed;
use crate::dashboard::state::modal::{
    AskWindow, CommentWindow, ConfirmWindow, HelpWindow, MenuWindow, Modal, PaletteWindow, PromptWindow,
};
use crate::dashboard::state::text_input::TextInput;

use crate::dashboard::view::text::{
    after, cut_wide_characters, line_of, padded, put, without_columns, without_lines,
};
use crate::dashboard::view::theme::Theme;
use crate::dashboard::view::{form, question};
use crate::text::fit::wrapped;

/// Columns of the keys in the help.
const HELP_KEYS_WIDTH: usize = 12;

/// Draws the topmost window. The filter has no window: it is in the footer.
pub(super) fn draw(frame: &mut Frame<'_>, state: &DashboardState, theme: Theme) {
    match state.modals.last() {
        None | Some(Modal::Filter(_) | Modal::Grid | Modal::Diff) => {}
        Some(Modal::Comment(window)) => draw_comment(frame, window, theme),
        Some(Modal::Prompt(window)) => draw_prompt(frame, window, theme),
        Some(Modal::Ask(window)) => draw_ask(frame, window, theme),
        Some(Modal::Confirm(window)) => draw_confirm(frame, window, theme),
        Some(Modal::Review(window)) => question::window::draw(frame, state, window, theme),
        Some(Modal::Spawn(form)) => form::draw(frame, form, theme),
        Some(Modal::Palette(window)) => draw_palette(frame, state, window, theme),
        Some(Modal::Menu(window)) => draw_menu(frame, state, window, theme),
        Some(Modal::Help(window)) => draw_help(frame, state, window, theme),
    }
}

/// Draws the frame of a window with room for a number of lines and returns the area inside.
pub(super) fn window(frame: &mut Frame<'_>, title: &str, lines: usize, theme: Theme) -> Rect {
    let area = window_area((frame.area().width, frame.area().height), lines);
    framed(frame, area, title, theme)
}

/// Clears an area, draws a frame with a title around it and returns the area inside.
fn framed(frame: &mut Frame<'_>, area: Rect, title: &str, theme: Theme) -> Rect {
    cut_wide_characters(frame.buffer_mut(), area);
    Clear.render(area, frame.buffer_mut());
    let block = Block::bordered().border_style(theme.accent());
    let inner = block.inner(area);
    block.render(area, frame.buffer_mut());
    let head =
        Rect { x: area.x + 1, width: area.width.saturating_sub(2), height: area.height.min(1), ..area };
    put(frame.buffer_mut(), head, &format!(" {title} "), theme.accent());
    inner
}

fn draw_prompt(frame: &mut Frame<'_>, prompt: &PromptWindow, theme: Theme) {
    let names = listed(&prompt.targets);
    let title = match (prompt.how, prompt.answers.is_some()) {
        (PromptUse::Send, true) => format!("Answer {names}"),
        (PromptUse::Send, false) => format!("Prompt to {names}"),
        (PromptUse::Task, _) => format!("Task for {names}"),
        (PromptUse::Message, _) => format!("Message to {names}"),
    };
    let lines = prompt.input.text().split('\n').count().max(3);
    let inner = window(frame, &title, lines, theme);
    draw_input(frame, inner, &prompt.input);
}

fn draw_comment(frame: &mut Frame<'_>, comment: &CommentWindow, theme: Theme) {
    let title = format!("Comment on {}:{}", comment.file, comment.rows.lines);
    let lines = comment.input.text().split('\n').count().max(3);
    let inner = window(frame, &title, lines, theme);
    draw_input(frame, inner, &comment.input);
}

fn draw_ask(frame: &mut Frame<'_>, ask: &AskWindow, theme: Theme) {
    let inner = window(frame, &ask.title, 1, theme);
    draw_input(frame, inner, &ask.input);
}

/// Draws a text with its cursor. Long lines are scrolled sideways, long texts upwards.
pub(super) fn draw_input(frame: &mut Frame<'_>, area: Rect, input: &TextInput) {
    if area.is_empty() {
        return;
    }
    let (column, line) = input.cursor();
    let first = (line + 1).saturating_sub(area.height.into());
    let shift = (column + 1).saturating_sub(area.width.into());
    for (at, text) in input.text().split('\n').skip(first).take(area.height.into()).enumerate() {
        let place = line_of(area, u16::try_from(at).unwrap_or(u16::MAX));
        put(frame.buffer_mut(), place, &without_columns(text, shift), Style::new());
    }
    let (x, y) = (u16::try_from(column - shift).unwrap_or(0), u16::try_from(line - first).unwrap_or(0));
    frame.set_cursor_position(Position { x: area.x + x, y: area.y + y });
}

fn draw_confirm(frame: &mut Frame<'_>, confirm: &ConfirmWindow, theme: Theme) {
    let width = window_text_width((frame.area().width, frame.area().height));
    let mut lines: Vec<String> = wrapped(&confirm.title, width);
    lines.extend(confirm.lines.iter().flat_map(|line| wrapped(line, width)));
    let answers = if confirm.operation.is_some() { "y yes · n no" } else { "n no" };
    lines.extend([String::new(), answers.to_owned()]);
    draw_question(frame, "Sure?", lines, theme);
}

/// Draws a window whose first line asks and whose last line has the keys.
fn draw_question(frame: &mut Frame<'_>, title: &str, mut lines: Vec<String>, theme: Theme) {
    let inner = window(frame, title, lines.len(), theme);
    // The answer stays visible in a small terminal.
    let room = usize::from(inner.height);
    if lines.len() > room {
        let answer = lines.split_off(lines.len() - 1);
        lines.truncate(room.saturating_sub(2));
        lines.push("…".to_owned());
        lines.extend(answer);
    }
    for (at, line) in lines.iter().enumerate() {
        let style = if at == 0 { theme.attention() } else { Style::new() };
        put(
            frame.buffer_mut(),
            line_of(inner, u16::try_from(at).unwrap_or(u16::MAX)),
            &format!(" {line}"),
            style,
        );
    }
}

fn draw_palette(frame: &mut Frame<'_>, state: &DashboardState, palette: &PaletteWindow, theme: Theme) {
    let actions = palette.matches(&state.bindings);
    let inner = window(frame, "Actions", 16, theme);
    let list = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
    let first = (palette.selected + 1).saturating_sub(list.height.into());
    for (at, action) in actions.iter().enumerate().skip(first).take(list.height.into()) {
        let rect = line_of(list, u16::try_from(at - first).unwrap_or(u16::MAX));
        let key = state.bindings.key_of(*action).map(|key| key.to_string()).unwrap_or_default();
        let text = format!(" {} {}", padded(&key, 8), action.description());
        let style = if at == palette.selected { theme.selected() } else { Style::new() };
        put(frame.buffer_mut(), rect, &padded(&text, rect.width.into()), style);
    }
    if actions.is_empty() {
        put(frame.buffer_mut(), line_of(list, 0), " no action matches", theme.dim());
    }
    draw_input(frame, line_of(inner, 0), &palette.input);
}

fn draw_menu(frame: &mut Frame<'_>, state: &DashboardState, menu: &MenuWindow, theme: Theme) {
    let area = menu.area(state.size).intersection(frame.area());
    let inner = framed(frame, area, &menu.title, theme);
    let first = menu.first(inner.height.into());
    for (at, action) in menu.actions.iter().enumerate().skip(first).take(inner.height.into()) {
        let place = line_of(inner, u16::try_from(at - first).unwrap_or(u16::MAX));
        let key = state.bindings.key_of(*action).map(|key| key.to_string()).unwrap_or_default();
        let text = format!(" {} {}", padded(&key, 5), state.bindings.short_name(*action));
        let style = if at == menu.selected { theme.selected() } else { Style::new() };
        put(frame.buffer_mut(), place, &padded(&text, place.width.into()), style);
    }
}

fn draw_help(frame: &mut Frame<'_>, state: &DashboardState, help: &HelpWindow, theme: Theme) {
    let lines = help.lines(&state.bindings);
    let inner = window(frame, &format!("Keys: {}", help.screen.title()), 60, theme);
    let list = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
    let mut rest = list;
    for line in lines.iter().skip(help.scroll) {
        let keys = format!(" {} ", padded(&line.keys, HELP_KEYS_WIDTH));
        let used = put(frame.buffer_mut(), line_of(rest, 0), &keys, theme.accent());
        let texts = wrapped(&line.what, after(rest, used).width.into());
        for (at, text) in texts.iter().enumerate() {
            let place = line_of(rest, u16::try_from(at).unwrap_or(u16::MAX));
            put(frame.buffer_mut(), after(place, used), text, Style::new());
        }
        rest = without_lines(rest, texts.len());
    }
    if lines.is_empty() {
        put(frame.buffer_mut(), line_of(list, 0), " no key matches", theme.dim());
    }
    draw_input(frame, line_of(inner, 0), &help.input);
    if help.input.text().is_empty() {
        put(frame.buffer_mut(), line_of(inner, 0), " type to search", theme.dim());
    }
}
