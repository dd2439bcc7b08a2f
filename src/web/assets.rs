//! The files of the page, embedded in the program. `scripts/web` builds them from `web/`. They are compressed when a
//! browser asks for them the first time.

use std::io::Write;
use std::sync::OnceLock;

use axum::extract::Request;
use axum::http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::api::refusal;

/// An embedded file.
struct Asset {
    path: &'static str,
    media_type: &'static str,
    content: &'static [u8],
    /// The content compressed with gzip.
    compressed: OnceLock<Vec<u8>>,
}

impl Asset {
    /// Returns the compressed content.
    fn compressed(&'static self) -> &'static [u8] {
        self.compressed.get_or_init(|| {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
            // Writing to memory does not fail.
            let _ = encoder.write_all(self.content);
            encoder.finish().unwrap_or_default()
        })
    }
}

/// Describes an embedded file by its path below the page and its media type.
macro_rules! asset {
    ($path:literal, $file:literal, $media_type:literal) => {
        Asset {
            path: $path,
            media_type: $media_type,
            content: include_bytes!(concat!("assets/", $file)),
            compressed: OnceLock::new(),
        }
    };
}

static ASSETS: [Asset; 9] = [
    asset!("/", "index.html", "text/html; charset=utf-8"),
    asset!("/app.js", "app.js", "text/javascript; charset=utf-8"),
    asset!("/terminal.js", "terminal.js", "text/javascript; charset=utf-8"),
    asset!("/app.css", "app.css", "text/css; charset=utf-8"),
    asset!("/worker.js", "worker.js", "text/javascript; charset=utf-8"),
    asset!("/manifest.webmanifest", "manifest.webmanifest", "application/manifest+json"),
    asset!("/icon.svg", "icon.svg", "image/svg+xml"),
    asset!("/icon-192.png", "icon-192.png", "image/png"),
    asset!("/icon-512.png", "icon-512.png", "image/png"),
];

/// Checks whether a path names an embedded file.
pub(super) fn is_asset(path: &str) -> bool {
    ASSETS.iter().any(|asset| asset.path == path)
}

/// Answers with an embedded file.
pub(super) async fn serve(request: Request) -> Response {
    match ASSETS.iter().find(|asset| asset.path == request.uri().path()) {
        // The page must match the server after an update, so browsers ask again each time; the files are small.
        Some(asset) => {
            let headers =
                [(CONTENT_TYPE, asset.media_type), (CACHE_CONTROL, "no-cache"), (VARY, "accept-encoding")];
            match accepts_gzip(request.headers()) && !asset.media_type.starts_with("image/png") {
                true => (headers, [(CONTENT_ENCODING, "gzip")], asset.compressed()).into_response(),
                false => (headers, asset.content).into_response(),
            }
        }
        None => refusal(StatusCode::NOT_FOUND, "path", "there is nothing at this address").into_response(),
    }
}

/// Checks whether a browser accepts gzip. All do, and send it as a plain word.
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let encodings = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    encodings.flat_map(|value| value.split(',')).any(|encoding| encoding.trim() == "gzip")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(path: &str) -> &'static str {
        let asset = ASSETS.iter().find(|asset| asset.path == path).unwrap();
        std::str::from_utf8(asset.content).unwrap()
    }

    #[test]
    fn the_page_names_only_files_that_exist() {
        let page = text("/");
        let quoted = page.split('"').skip(1).step_by(2);
        let files: Vec<&str> = quoted.filter(|value| value.contains('.') && !value.contains(' ')).collect();
        assert!(files.len() >= 4, "{files:?}");
        for file in files {
            assert!(is_asset(&format!("/{file}")), "{file}");
        }
    }

    #[test]
    fn no_file_has_inline_scripts_or_writes_markup() {
        let page = text("/");
        assert!(!page.contains("<script>") && !page.contains("<style") && !page.contains(" on"), "{page}");
        for forbidden in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
            for script in ["/app.js", "/terminal.js"] {
                assert!(!text(script).contains(forbidden), "{forbidden} in {script}");
            }
        }
    }

    #[test]
    fn the_page_with_its_terminal_takes_less_than_300_kilobytes() {
        let sizes = ASSETS.iter().map(|asset| asset.compressed().len().min(asset.content.len()));
        let sum: usize = sizes.sum();
        assert!(sum < 300_000, "{sum}");
    }

    #[test]
    fn the_terminal_sets_styles_only_as_the_policy_permits() {
        for forbidden in ["createElement(\"style\")", "setAttribute(\"style\""] {
            assert!(!text("/terminal.js").contains(forbidden), "{forbidden}");
        }
    }
}
