//! Similar names, for mistyped ones.

/// The names similar to `wanted`, most similar first, without duplicates, at most `limit`. O(names × their lengths).
pub(crate) fn nearest(
    wanted: &str,
    names: impl IntoIterator<Item = String>,
    limit: usize,
) -> Vec<String> {
    let wanted = wanted.trim().to_lowercase();
    let mut like: Vec<(usize, String)> = names
        .into_iter()
        .filter_map(|name| Some((distance(&wanted, &name.to_lowercase())?, name)))
        .collect();
    like.sort();
    like.dedup_by(|one, other| one.1 == other.1);
    like.truncate(limit);
    like.into_iter().map(|(_, name)| name).collect()
}

/// The distance between two names; `None` if they are not similar.
fn distance(wanted: &str, name: &str) -> Option<usize> {
    /// Maximum number of characters compared.
    const COMPARED: usize = 64;
    if wanted.is_empty() || name.is_empty() {
        return None;
    }
    if name.contains(wanted) || (name.chars().count() > 2 && wanted.contains(name)) {
        return Some(1);
    }
    let one: Vec<char> = wanted.chars().take(COMPARED).collect();
    let other: Vec<char> = name.chars().take(COMPARED).collect();
    let edits = edits(&one, &other);
    let longest = one.len().max(other.len());
    if edits < longest && edits <= longest.div_ceil(3) {
        return Some(1 + edits);
    }
    let shares_a_word = wanted
        .split_whitespace()
        .filter(|word| word.chars().count() > 2)
        .any(|word| name.split_whitespace().any(|other| other == word));
    shares_a_word.then_some(COMPARED)
}

/// The Levenshtein distance.
fn edits(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (place, against) in other.iter().enumerate() {
            let change = diagonal + usize::from(letter != against);
            diagonal = row[place + 1];
            row[place + 1] = change.min(row[place] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[track_caller]
    fn check(wanted: &str, expected: &[&str]) {
        let known = [
            "Mara Lind",
            "Jonas Berg",
            "PostgreSQL",
            "Bonn",
            "Mara Lind",
            "北京",
            "X",
        ];
        assert_eq!(nearest(wanted, known.map(str::to_owned), 3), expected);
    }

    #[test]
    fn the_likest_names_come_first_and_each_once() {
        check("mara", &["Mara Lind"]);
        check("Mara Lnid", &["Mara Lind"]);
        check("postgre", &["PostgreSQL"]);
        check("Bonm", &["Bonn"]);
        check("Ada Berg", &["Jonas Berg"]);
        check("北", &["北京"]);
        check("", &[]);
        check("xyzzy", &[]);
    }
}
