//! Reads the remote and the worktree from a repository's configuration.

use std::path::Path;

use crate::bounded::read_regular;

/// Maximum size of a configuration file.
const LONGEST: u64 = 256 * 1024;

/// Maximum length of a remote address.
const LONGEST_ADDRESS: usize = 512;

/// The address of `origin`, else of the first remote, normalised.
pub(super) fn remote(store: &Path) -> Option<String> {
    let text = settings(store)?;
    let remotes: Vec<_> = entries(&text)
        .filter_map(|(section, key, value)| {
            let name = section.strip_prefix("remote \"")?.strip_suffix('"')?;
            (key == "url").then_some((name, value))
        })
        .collect();
    let origin = remotes.iter().find(|(name, _)| *name == "origin");
    let (_, address) = origin.or(remotes.first())?;
    normal(address)
}

/// The configured worktree folder.
pub(super) fn worktree(store: &Path) -> Option<String> {
    let text = settings(store)?;
    let found = entries(&text)
        .find(|(section, key, _)| section.eq_ignore_ascii_case("core") && key == "worktree")?;
    Some(found.2.to_owned())
}

fn settings(store: &Path) -> Option<String> {
    let bytes = read_regular(&store.join("config"), LONGEST).ok()??;
    String::from_utf8(bytes).ok()
}

/// Section, lower-case key and value of every setting. Included files are not read.
fn entries(text: &str) -> impl Iterator<Item = (&str, String, &str)> {
    let mut section = "";
    text.lines().filter_map(move |line| {
        let line = line.trim();
        if let Some(header) = line.strip_prefix('[') {
            section = header.split(']').next().unwrap_or_default().trim();
            return None;
        }
        let (key, value) = line.split_once('=')?;
        let value = value.trim().trim_matches('"');
        Some((section, key.trim().to_ascii_lowercase(), value))
    })
}

/// The address without scheme, user, password, port and the suffix `.git`, so that all URLs of one repository are equal.
fn normal(address: &str) -> Option<String> {
    let address = address.trim();
    if address.is_empty()
        || address.len() > LONGEST_ADDRESS
        || address.chars().any(char::is_control)
    {
        return None;
    }
    let (host, path) = if let Some((scheme, rest)) = address.split_once("://") {
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        if scheme.eq_ignore_ascii_case("file") {
            return Some(format!("/{}", ending_cut(path)));
        }
        (authority, path)
    } else if let Some((host, path)) = address
        .split_once(':')
        .filter(|(host, path)| !host.contains('/') && host.len() > 1 && !path.starts_with('\\'))
    {
        (host, path)
    } else {
        return Some(ending_cut(address).to_owned());
    };
    let host = host.rsplit('@').next().unwrap_or(host);
    let host = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let path = ending_cut(path.trim_start_matches('/'));
    (!host.is_empty()).then(|| format!("{}/{path}", host.to_ascii_lowercase()))
}

fn ending_cut(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.strip_suffix(".git")
        .unwrap_or(path)
        .trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(address: &str, expected: Option<&str>) {
        assert_eq!(normal(address).as_deref(), expected, "{address}");
    }

    #[test]
    fn all_urls_of_a_repository_have_one_address() {
        for address in [
            "https://github.com/ada/api.git",
            "https://github.com/ada/api",
            "https://ada:secret@GitHub.com/ada/api.git/",
            "git@github.com:ada/api.git",
            "ssh://git@github.com:22/ada/api.git",
            "git://github.com/ada/api",
        ] {
            check(address, Some("github.com/ada/api"));
        }
        check("/srv/git/api.git", Some("/srv/git/api"));
        check("file:///srv/git/api.git", Some("/srv/git/api"));
        check("../api", Some("../api"));
        check("", None);
        check("a\u{7}b", None);
        check(&"x".repeat(513), None);
    }

    #[test]
    fn origin_comes_before_other_remotes() {
        let folder = tempfile::tempdir().expect("a folder");
        let check = |settings: &str, expected: Option<&str>| {
            std::fs::write(folder.path().join("config"), settings).expect("written");
            assert_eq!(remote(folder.path()).as_deref(), expected, "{settings}");
        };
        check("", None);
        check("[core]\n\tbare = false\n", None);
        let other = "[remote \"mine\"]\n\turl = https://b.example/x\n";
        check(other, Some("b.example/x"));
        check(
            &format!(
                "{other}[remote \"origin\"]\n\tfetch = +a:b\n\tURL = \"https://a.example/x\"\n"
            ),
            Some("a.example/x"),
        );
    }
}
