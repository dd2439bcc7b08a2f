//! Many terminals on one agent: terminals of different sizes attach, observe, take over, resize and detach in a random
//! order with a fixed seed. After every step there is one driver, and the window has the size of its terminal.

use std::collections::HashSet;
use std::fs;

use super::spawned;
use crate::support::TestEnv;
use crate::support::terminal::Terminal;

const STEPS: usize = 100;
/// Number of terminals that attach before the first one detaches.
const FIRST: usize = 12;
const MOST: usize = 20;

type Size = (u16, u16);

/// A random number generator with a fixed seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        // The constants are those of the MMIX generator; its low bits are poor.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    fn size(&mut self) -> Size {
        (u16::try_from(40 + self.roll(150)).unwrap(), u16::try_from(6 + self.roll(50)).unwrap())
    }
}

struct Guest<'a> {
    terminal: Terminal<'a>,
    tty: String,
    size: Size,
}

/// The attached terminals and the state that is expected of them.
struct Crowd<'a> {
    env: &'a TestEnv,
    there: Vec<Guest<'a>>,
    driver: Option<String>,
    waiting: Vec<String>,
    size: Size,
    /// Sizes that the agent may have seen, as `stty` prints them: lines first.
    sizes: HashSet<String>,
}

impl Crowd<'_> {
    fn comes_somehow(&mut self, dice: &mut Dice) -> String {
        let (how, size) = (["", "--take", "--observe"][dice.roll(3)], dice.size());
        self.comes(how, size);
        format!("one comes {how}, {size:?}")
    }

    fn comes(&mut self, how: &str, size: Size) {
        let words = [self.env.binary(), "agent", "attach", "a", how];
        let words = words.into_iter().filter(|word| !word.is_empty());
        let terminal = self.env.terminal_sized(size, words);
        terminal.wait_for_text("this is a");
        let tty = terminal.tty();
        match (how, &self.driver) {
            ("--observe", _) => {}
            ("", Some(_)) => self.waiting.push(tty.clone()),
            _ => {
                self.waiting.extend(self.driver.take());
                self.driver = Some(tty.clone());
            }
        }
        self.there.push(Guest { terminal, tty, size });
    }

    fn leaves(&mut self, at: usize, how: &str) {
        let guest = self.there.swap_remove(at);
        if how == "by its keys" {
            guest.terminal.keys(&["C-b", "d"]);
            assert_eq!(guest.terminal.wait_for_exit(), 0);
        } else {
            guest.terminal.close();
        }
        self.waiting.retain(|tty| *tty != guest.tty);
        if self.driver.as_ref() == Some(&guest.tty) {
            self.driver = (!self.waiting.is_empty()).then(|| self.waiting.remove(0));
        }
    }

    fn changes(&mut self, at: usize, size: Size) {
        let guest = &mut self.there[at];
        guest.terminal.resize(size.0, size.1);
        guest.size = size;
    }

    /// Returns the expected state: every terminal with its size and whether it may type, and the size of the window.
    fn expected(&mut self) -> String {
        let driver = self.there.iter().find(|guest| self.driver.as_ref() == Some(&guest.tty));
        if let Some(guest) = driver {
            self.size = guest.size;
            self.sizes.insert(format!("{} {}", guest.size.1 - 1, guest.size.0));
        }
        let line = |guest: &Guest<'_>| {
            let watches = u8::from(self.driver.as_ref() != Some(&guest.tty));
            format!("{} {watches} {}x{}", guest.tty, guest.size.0, guest.size.1)
        };
        let mut lines: Vec<String> = self.there.iter().map(line).collect();
        lines.sort();
        let driver = self.driver.as_deref().unwrap_or_default();
        format!("{}x{} {driver}\n{}", self.size.0, self.size.1 - 1, lines.join("\n"))
    }

    fn seen(&self) -> String {
        let words = ["display-message", "-p", "-t", "=a:"];
        let window = "#{window_width}x#{window_height} #{s/^[0-9]*@//:@symposium_driver}";
        let client = "#{client_tty} #{client_readonly} #{client_width}x#{client_height}";
        let output = self.env.tmux([&words[..], &[window, ";", "list-clients", "-F", client]].concat()).ok();
        let (window, clients) = output.stdout.split_once('\n').unwrap();
        let mut lines: Vec<&str> = clients.lines().collect();
        lines.sort_unstable();
        // A driver that is no longer attached is no driver, even if tmux still records it.
        let (size, driver) = window.split_once(' ').unwrap();
        let is_there = lines.iter().any(|line| line.split(' ').next() == Some(driver));
        format!("{size} {}\n{}", if is_there { driver } else { "" }, lines.join("\n"))
    }
}

#[test]
fn random_client_changes_keep_one_driver_and_its_size() {
    let env = TestEnv::new();
    let script =
        "trap 'stty size >> sizes' WINCH; echo this is a; while :; do sleep 100 & wait; kill $!; done";
    spawned(&env, &["--name", "a", "--", "sh", "-c", script]);
    let (there, waiting, sizes) = (Vec::new(), Vec::new(), HashSet::new());
    let mut crowd = Crowd { env: &env, there, driver: None, waiting, size: (160, 49), sizes };
    let mut dice = Dice(35);
    for step in 0..STEPS {
        let (commands, count) = (dice.roll(10), crowd.there.len());
        let what = match commands {
            // In the end all terminals detach.
            _ if STEPS - step <= count => {
                crowd.leaves(dice.roll(count), "by its keys");
                "one leaves".to_owned()
            }
            _ if step < FIRST => crowd.comes_somehow(&mut dice),
            0..=4 if count < MOST => crowd.comes_somehow(&mut dice),
            5..=7 if count > 0 => {
                let (at, size) = (dice.roll(count), dice.size());
                crowd.changes(at, size);
                format!("one becomes {size:?}")
            }
            _ if count > 0 => {
                // In half of the cases the driver detaches.
                let driver = crowd.there.iter().position(|guest| crowd.driver.as_ref() == Some(&guest.tty));
                let any = dice.roll(count);
                let at = driver.filter(|_| dice.roll(2) == 0).unwrap_or(any);
                let how = ["by its keys", "without a word"][dice.roll(2)];
                crowd.leaves(at, how);
                format!("one leaves {how}")
            }
            _ => continue,
        };
        let expected = crowd.expected();
        let wanted = format!("step {step}, {what}:\n{expected}\n");
        env.wait_until(&wanted, || crowd.seen() == expected);
    }
    let sizes = fs::read_to_string(env.project().join("sizes")).unwrap();
    let strange: Vec<&str> = sizes.lines().filter(|line| !crowd.sizes.contains(*line)).collect();
    assert!(strange.is_empty(), "the agent saw sizes that no driver had: {strange:?}");
}

/// No step waits for the previous one: the state must be consistent at the end, whichever terminal drives.
#[test]
fn concurrent_client_changes_end_with_one_driver() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sh", "-c", "echo this is a; exec sleep 1000"]);
    let mut dice = Dice(35);
    let mut there: Vec<(Terminal<'_>, &str)> = Vec::new();
    for round in 0..8 {
        for _deed in 0..8 {
            match dice.roll(3) {
                0 if !there.is_empty() => there.swap_remove(dice.roll(there.len())).0.close(),
                1 if !there.is_empty() => {
                    let (columns, lines) = dice.size();
                    there[dice.roll(there.len())].0.resize(columns, lines);
                }
                _ => {
                    let how = ["", "--take", "--observe"][dice.roll(3)];
                    let words = [env.binary(), "agent", "attach", "a", how];
                    let words = words.into_iter().filter(|word| !word.is_empty());
                    there.push((env.terminal_sized(dice.size(), words), how));
                }
            }
        }
        let drivers = usize::from(there.iter().any(|(_, how)| *how != "--observe"));
        env.wait_until(&format!("round {round}: {} are there, {drivers} drives", there.len()), || {
            let window = "#{window_width}x#{e|+:#{window_height},1}";
            let client = "#{client_readonly} #{client_width}x#{client_height} #{==:#{@symposium_driver},#{client_pid}@#{client_name}} #{client_flags}";
            let words = ["display-message", "-p", "-t", "=a:", window, ";", "list-clients", "-F", client];
            let output = env.tmux(words).ok().stdout;
            let (size, clients) = output.split_once('\n').unwrap();
            let typing: Vec<&str> = clients.lines().filter_map(|line| line.strip_prefix("0 ")).collect();
            let driver = format!("{size} 1 ");
            clients.lines().count() == there.len()
                && typing.len() == drivers
                && typing.iter().all(|line| line.starts_with(&driver) && !line.contains("ignore-size"))
        });
    }
}
