//! From tokens to steps, by recursive descent.
//!
//! ```text
//! comparison = sum [("<" | ">" | "<=" | ">=") sum]
//! sum        = product {("+" | "-") product}
//! product    = signed {("*" | "/") signed}
//! signed     = ("-" | "+") signed | power
//! power      = atom ["^" signed]
//! atom       = number | name | name "(" comparison {"," comparison} ")" | "(" comparison ")"
//! ```

use super::builder::{Builder, Value};
use super::error::{ExpressionError, Place};
use super::function::Function;
use super::names::unknown;
use super::operation::Operation;
use super::token::{Token, tokens};

/// The longest text, in bytes.
const LONGEST: usize = 10_000;
/// How deep parentheses, powers and signs may be nested.
const DEEPEST: usize = 100;
/// What an operand can be.
const OPERAND: &str = "a number, a name or `(`";

/// The steps of a text and its value.
pub(super) fn parse(text: &str, names: &[&str]) -> Result<(Builder, Value), ExpressionError> {
    if text.len() > LONGEST {
        let start = Place { line: 1, column: 1 };
        return Err(start.error(format!(
            "the expression has {} bytes, but at most {LONGEST} are read: use a shorter one",
            text.len()
        )));
    }
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens, next: 0, names, depth: 0, builder: Builder::default() };
    let value = parser.comparison()?;
    match parser.peek() {
        Token::End => Ok((parser.builder, value)),
        Token::Sign("<" | ">" | "<=" | ">=") => Err(parser.place().error(
            "comparisons cannot be chained: expected the end; use parentheses, as in (a < b)*(b < c)",
        )),
        _ => Err(parser.expected("an operator or the end")),
    }
}

struct Parser<'a> {
    tokens: Vec<(Token, Place)>,
    next: usize,
    names: &'a [&'a str],
    depth: usize,
    builder: Builder,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.next].0
    }

    fn place(&self) -> Place {
        self.tokens[self.next].1
    }

    /// The next token; the end stays where it is.
    fn take(&mut self) -> (Token, Place) {
        let taken = self.tokens[self.next].clone();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        taken
    }

    /// Takes a sign if it is one of those wanted.
    fn take_sign(&mut self, wanted: &[&str]) -> Option<(&'static str, Place)> {
        let Token::Sign(sign) = *self.peek() else { return None };
        wanted.contains(&sign).then(|| (sign, self.take().1))
    }

    fn expected(&self, what: &str) -> ExpressionError {
        let found = self.peek().in_words();
        self.place().error(format!("expected {what}, but found {found}"))
    }

    fn comparison(&mut self) -> Result<Value, ExpressionError> {
        let left = self.sum()?;
        let Some((sign, place)) = self.take_sign(&["<", ">", "<=", ">="]) else { return Ok(left) };
        let right = self.sum()?;
        let (operation, a, b) = match sign {
            "<" => (Operation::Less, left, right),
            ">" => (Operation::Less, right, left),
            "<=" => (Operation::LessOrEqual, left, right),
            _ => (Operation::LessOrEqual, right, left),
        };
        self.builder.binary(operation, a, b, place)
    }

    fn sum(&mut self) -> Result<Value, ExpressionError> {
        let mut value = self.product()?;
        while let Some((sign, place)) = self.take_sign(&["+", "-"]) {
            let right = self.product()?;
            let operation = if sign == "+" { Operation::Add } else { Operation::Subtract };
            value = self.builder.binary(operation, value, right, place)?;
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<Value, ExpressionError> {
        let mut value = self.signed()?;
        while let Some((sign, place)) = self.take_sign(&["*", "/"]) {
            if *self.peek() == Token::Sign("*") {
                return Err(self.expected(&format!("{OPERAND} (a power is written a^b)")));
            }
            let right = self.signed()?;
            let operation = if sign == "*" { Operation::Multiply } else { Operation::Divide };
            value = self.builder.binary(operation, value, right, place)?;
        }
        Ok(value)
    }

    /// All nesting goes through here.
    fn signed(&mut self) -> Result<Value, ExpressionError> {
        if self.depth == DEEPEST {
            return Err(self.place().error(format!(
                "the expression is nested too deeply here: expected at most {DEEPEST} levels of parentheses, powers and signs"
            )));
        }
        self.depth += 1;
        let value = match self.take_sign(&["-", "+"]) {
            Some(("-", place)) => {
                let value = self.signed()?;
                self.builder.unary(Operation::Negate, value, place)
            }
            Some(_) => self.signed(),
            None => self.power(),
        };
        self.depth -= 1;
        value
    }

    fn power(&mut self) -> Result<Value, ExpressionError> {
        let base = self.atom()?;
        let Some((_, place)) = self.take_sign(&["^"]) else { return Ok(base) };
        let exponent = self.signed()?;
        self.builder.power(base, exponent, place)
    }

    fn atom(&mut self) -> Result<Value, ExpressionError> {
        match self.peek() {
            Token::Number(value) => {
                let value = Value::Number(*value);
                self.take();
                Ok(value)
            }
            Token::Name(_) => self.name(),
            Token::Sign("(") => {
                self.take();
                let value = self.comparison()?;
                self.close("an operator or `)`")?;
                Ok(value)
            }
            _ => Err(self.expected(OPERAND)),
        }
    }

    fn close(&mut self, expected: &str) -> Result<(), ExpressionError> {
        match self.take_sign(&[")"]) {
            Some(_) => Ok(()),
            None => Err(self.expected(expected)),
        }
    }

    /// A variable, a constant or a call. Variables hide constants; functions are names before parentheses.
    fn name(&mut self) -> Result<Value, ExpressionError> {
        let (Token::Name(name), place) = self.take() else { return Err(self.expected(OPERAND)) };
        let is_called = *self.peek() == Token::Sign("(");
        let variable = self.names.iter().position(|known| *known == name);
        match (Function::named(&name), variable) {
            (Some(function), _) if is_called => self.call(&name, function, place),
            (_, Some(_)) if is_called => Err(self.place().error(format!(
                "`{name}` is a variable, not a function: expected an operator before `(`"
            ))),
            (_, Some(variable)) => Ok(Value::Variable(variable)),
            (Some(_), None) => Err(self.expected(&format!("`(` after the function `{name}`"))),
            (None, None) if name == "pi" && !is_called => Ok(Value::Number(std::f32::consts::PI)),
            (None, None) => Err(place.error(unknown(&name, self.names, is_called))),
        }
    }

    fn call(
        &mut self,
        name: &str,
        function: Function,
        place: Place,
    ) -> Result<Value, ExpressionError> {
        self.take();
        let mut arguments = Vec::new();
        if *self.peek() != Token::Sign(")") {
            arguments.push(self.comparison()?);
            while self.take_sign(&[","]).is_some() {
                arguments.push(self.comparison()?);
            }
        }
        self.close("an operator, `,` or `)`")?;
        let (found, expected) = (arguments.len(), function.takes());
        if found != expected {
            let noun = if expected == 1 { "argument" } else { "arguments" };
            return Err(
                place.error(format!("`{name}` takes {expected} {noun}, but {found} were given"))
            );
        }
        function.call(&mut self.builder, &arguments, place)
    }
}
