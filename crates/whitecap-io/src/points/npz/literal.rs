//! The literals of Python that describe an array: texts, whole numbers, truth values, tuples, lists
//! and dictionaries.
//!
//! # Guarantees
//! Nesting is bounded, and everything that is allocated stands in the text.

/// More levels than any description has.
const DEEPEST: usize = 16;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Literal {
    Text(String),
    Integer(u64),
    Truth(bool),
    /// A tuple or a list.
    List(Vec<Literal>),
    Dictionary(Vec<(Literal, Literal)>),
}

impl Literal {
    /// Reads a text that is one value; `None` if it is not.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parser = Parser { rest: text };
        let value = parser.value(0)?;
        parser.skip_space();
        parser.rest.is_empty().then_some(value)
    }

    /// The value of a key of a dictionary.
    pub fn entry(&self, key: &str) -> Option<&Literal> {
        let Literal::Dictionary(entries) = self else { return None };
        entries.iter().find(|(found, _)| found.text() == Some(key)).map(|(_, value)| value)
    }

    pub fn text(&self) -> Option<&str> {
        match self {
            Literal::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn list(&self) -> Option<&[Literal]> {
        match self {
            Literal::List(items) => Some(items),
            _ => None,
        }
    }

    /// A tuple of whole numbers.
    pub fn integers(&self) -> Option<Vec<u64>> {
        let number = |item: &Literal| match item {
            Literal::Integer(number) => Some(*number),
            _ => None,
        };
        self.list()?.iter().map(number).collect()
    }
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn takes(&mut self, word: &str) -> bool {
        self.skip_space();
        match self.rest.strip_prefix(word) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn value(&mut self, depth: usize) -> Option<Literal> {
        if depth > DEEPEST {
            return None;
        }
        for (word, truth) in [("True", true), ("False", false)] {
            if self.takes(word) {
                return Some(Literal::Truth(truth));
            }
        }
        match self.rest.chars().next()? {
            quote @ ('\'' | '"') => self.text(quote),
            '(' => self.items("(", ")", |parser| parser.value(depth + 1)).map(Literal::List),
            '[' => self.items("[", "]", |parser| parser.value(depth + 1)).map(Literal::List),
            '{' => {
                let entry = |parser: &mut Self| {
                    let key = parser.value(depth + 1)?;
                    parser.takes(":").then_some(())?;
                    Some((key, parser.value(depth + 1)?))
                };
                self.items("{", "}", entry).map(Literal::Dictionary)
            }
            _ => self.integer(),
        }
    }

    fn text(&mut self, quote: char) -> Option<Literal> {
        let mut text = String::new();
        let mut characters = self.rest.char_indices().skip(1);
        while let Some((place, character)) = characters.next() {
            match character {
                '\\' => text.push(characters.next()?.1),
                _ if character == quote => {
                    self.rest = &self.rest[place + 1..];
                    return Some(Literal::Text(text));
                }
                _ => text.push(character),
            }
        }
        None
    }

    fn integer(&mut self) -> Option<Literal> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        // Python 2 marks long integers.
        self.rest = rest.strip_prefix('L').unwrap_or(rest);
        digits.parse().ok().map(Literal::Integer)
    }

    fn items<T>(
        &mut self,
        open: &str,
        close: &str,
        item: impl Fn(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        self.takes(open).then_some(())?;
        let mut items = Vec::new();
        while !self.takes(close) {
            items.push(item(self)?);
            if !self.takes(",") {
                return self.takes(close).then_some(items);
            }
        }
        Some(items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: what NumPy writes is understood, also where a field has the name of a key; endless
    /// nesting and unfinished texts are refused.
    #[test]
    fn descriptions_are_understood() {
        let text = "{'descr': [('shape', '<f4', (3,)), ('it\\'s', '<i8')], 'fortran_order': False, 'shape': (4L,), }  \n";
        let literal = Literal::parse(text).unwrap();
        assert_eq!(literal.entry("shape").unwrap().integers(), Some(vec![4]));
        assert_eq!(literal.entry("fortran_order"), Some(&Literal::Truth(false)));
        let fields = literal.entry("descr").unwrap().list().unwrap();
        assert_eq!(fields[1].list().unwrap()[0].text(), Some("it's"));
        assert_eq!(fields[0].list().unwrap()[2].integers(), Some(vec![3]));
        assert_eq!(Literal::parse("()").unwrap().integers(), Some(vec![]));
        for wrong in ["", "{", "'a", "(1", "(1 2)", "{'a' 1}", "1 1", "-1", "[,]"] {
            assert_eq!(Literal::parse(wrong), None, "{wrong}");
        }
        assert_eq!(Literal::parse(&"[".repeat(1 << 20)), None);
    }
}
