//! Sentences about names that are not known.

use super::function::FUNCTIONS;

/// A sentence about an unknown name: the nearest known one, and all that there are.
pub(super) fn unknown(name: &str, variables: &[&str], is_called: bool) -> String {
    let functions: Vec<&str> = FUNCTIONS.iter().map(|(name, _)| *name).collect();
    let (what, known) = match is_called {
        true => ("function", functions),
        false => ("name", variables.iter().copied().chain(["pi"]).collect()),
    };
    let meant = nearest(name, &known).map(|near| format!(", did you mean `{near}`?"));
    let listed: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    format!(
        "there is no {what} `{name}`{} Known are {}",
        meant.unwrap_or(String::from(".")),
        listed.join(", ")
    )
}

/// The known name that was probably meant: no more than two typos in five letters.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let with_distance = known.iter().map(|&known| (distance(name, known), known));
    let allowed = |known: &str| (2 * name.chars().count().max(known.chars().count()) / 5).max(1);
    let near = with_distance.filter(|&(distance, known)| distance <= allowed(known));
    near.min_by_key(|&(distance, _)| distance).map(|(_, known)| known)
}

/// Letters that must be inserted, removed or replaced, whatever their case (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (place, letter) in a.to_lowercase().chars().enumerate() {
        let mut corner = row[0];
        row[0] = place + 1;
        for column in 0..b.len() {
            let replaced = corner + usize::from(letter != b[column]);
            corner = row[column + 1];
            row[column + 1] = replaced.min(corner + 1).min(row[column] + 1);
        }
    }
    row[b.len()]
}
