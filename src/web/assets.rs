//! The files of the page, embedded in the program. `scripts/web` builds them from `web/`.

use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

use super::api::refusal;

/// An embedded file.
struct Asset {
    path: &'static str,
    media_type: &'static str,
    content: &'static [u8],
}

/// Describes an embedded file by its path below the page and its media type.
macro_rules! asset {
    ($path:literal, $file:literal, $media_type:literal) => {
        Asset { path: $path, media_type: $media_type, content: include_bytes!(concat!("assets/", $file)) }
    };
}

const ASSETS: [Asset; 8] = [
    asset!("/", "index.html", "text/html; charset=utf-8"),
    asset!("/app.js", "app.js", "text/javascript; charset=utf-8"),
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
            ([(CONTENT_TYPE, asset.media_type), (CACHE_CONTROL, "no-cache")], asset.content).into_response()
        }
        None => refusal(StatusCode::NOT_FOUND, "path", "there is nothing at this address").into_response(),
    }
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
            assert!(!text("/app.js").contains(forbidden), "{forbidden}");
        }
    }
}
