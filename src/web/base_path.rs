//! Removes the path below which a reverse proxy shows the page, if the proxy has passed it on, so that the rest of the
//! server knows only paths from the root.

use axum::http::Uri;

use crate::rules::access::base_path::BasePath;

/// Removes the base path from the address of a request. An address that is not below it stays as it is.
pub(super) fn remove(uri: &mut Uri, base_path: &BasePath) {
    if !base_path.is_root()
        && let Some(rest) = without(uri, base_path)
    {
        *uri = rest;
    }
}

fn without(uri: &Uri, base_path: &BasePath) -> Option<Uri> {
    let path = base_path.strip(uri.path())?;
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(format!("{path}{query}").parse().ok()?);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_below_the_base_path_lose_it_and_others_stay() {
        for (base_path, address, expected) in [
            ("/symposium", "/symposium/", "/"),
            ("/symposium", "/symposium/api/events?x=%2Fa", "/api/events?x=%2Fa"),
            ("/symposium", "/api/events", "/api/events"),
            ("/symposium", "/symposium", "/symposium"),
            ("/symposium", "/symposium%2Fapi", "/symposium%2Fapi"),
            ("/symposium", "*", "*"),
            ("/", "/a", "/a"),
        ] {
            let mut uri: Uri = address.parse().unwrap();
            remove(&mut uri, &base_path.parse().unwrap());
            assert_eq!(uri.to_string(), expected, "{base_path} {address}");
        }
    }
}
