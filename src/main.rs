//! Parses the arguments, runs the command and exits. All other code is in the library.

fn main() {
    std::panic::set_hook(Box::new(|panic| {
        let report = format!(
            "error: symposium has a bug: {panic}\nhint: no data is lost, the next command repairs incomplete changes; please report this bug\n"
        );
        let _ = std::io::Write::write_all(&mut std::io::stderr(), report.as_bytes());
        exit(70);
    }));
    exit(symposium::cli::run(std::env::args_os()));
}

#[expect(clippy::disallowed_methods, reason = "the only place that exits")]
fn exit(code: u8) -> ! {
    std::process::exit(code.into())
}
