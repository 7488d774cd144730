//! Messages about settings, in terms of the command line.
//!
//! Messages name settings as shot files do: `close-cell`, or an example such as
//! `area = { min = [0, 0], max = [1, 1] }`. Here they become `--close-cell` and `--area 0,0,1,1`.

use super::SettingFlags;

impl SettingFlags {
    /// A message with flags in place of the keys of shot files. Words in backquotes that are no setting, such
    /// as the names of columns, stay.
    pub fn in_words(&self, message: &str) -> String {
        let mut told = String::new();
        let mut rest = message;
        while let Some(start) = rest.find('`') {
            let Some(length) = rest[start + 1..].find('`') else { break };
            let word = &rest[start + 1..start + 1 + length];
            told.push_str(&self.examples(&rest[..start]));
            match self.flag_of(word) {
                Some(flag) => told.push_str(&format!("--{flag}")),
                None => told.push_str(&format!("`{word}`")),
            }
            rest = &rest[start + length + 2..];
        }
        told + &self.examples(rest)
    }

    /// The flag of a key: its own, or that of a nested table's key if there is only one.
    fn flag_of(&self, key: &str) -> Option<&str> {
        let names = || self.flags.iter().map(|flag| flag.name.as_str());
        let whole = key.replace('.', "-");
        if let Some(name) = names().find(|name| *name == whole) {
            return Some(name);
        }
        let mut nested =
            self.flags.iter().filter(|flag| flag.path.last().is_some_and(|k| k == key));
        match (nested.next(), nested.next()) {
            (Some(only), None) => Some(&only.name),
            _ => None,
        }
    }

    /// Text with examples such as `fill = [{ box = { min = [0, 0, 0], max = [1, 1, 1] } }]` in the form of
    /// flags: `--fill-box 0,0,0,1,1,1`.
    fn examples(&self, text: &str) -> String {
        let Some((start, key)) = self.first_assignment(text) else { return text.to_owned() };
        let value_start = start + key.len() + " = ".len();
        let value = &text[value_start..value_start + value_length(&text[value_start..])];
        let choice = value.split(['[', '{', '}', ']', ' ', ',']).find_map(|word| {
            let flag = format!("{key}-{word}");
            self.flags
                .iter()
                .find(|f| f.name == flag)
                .filter(|_| !matches!(word, "" | "min" | "max"))
        });
        let flag = choice.map_or(key, |flag| flag.name.as_str());
        let numbers: Vec<&str> = value
            .split(['[', '{', '}', ']', ' ', ',', '='])
            .filter(|word| word.parse::<f64>().is_ok())
            .collect();
        let given =
            if numbers.is_empty() { value.trim_matches('"').to_owned() } else { numbers.join(",") };
        let rest = self.examples(&text[value_start + value.len()..]);
        format!("{}--{flag} {given}{rest}", &text[..start])
    }

    /// The first `key = ` of a setting, and where it is.
    fn first_assignment(&self, text: &str) -> Option<(usize, &str)> {
        let found = self.flags.iter().filter_map(|flag| {
            let start = text.find(&format!("{} = ", flag.name))?;
            let before = text[..start].chars().next_back();
            let is_whole = before.is_none_or(|before| !before.is_alphanumeric() && before != '-');
            is_whole.then_some((start, flag.name.as_str()))
        });
        found.min_by_key(|(start, key)| (*start, usize::MAX - key.len()))
    }
}

/// How long the value at the beginning of a text is: to the bracket that closes it, or to the end of a word.
fn value_length(text: &str) -> usize {
    let mut open = 0;
    for (place, letter) in text.char_indices() {
        match letter {
            '[' | '{' => open += 1,
            ']' | '}' => {
                open -= 1;
                if open == 0 {
                    return place + 1;
                }
            }
            ' ' | ',' | ';' if open == 0 => return place,
            _ => {}
        }
    }
    text.len()
}
