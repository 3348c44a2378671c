//! Expressions of the launch rules: integers, floats and words, with C's operators.
//!
//! `(M + bm - 1) / bm`, `ta == 't' ? M : K`, `max(1, n / 4)`, `K % bk == 0`. Integer division truncates;
//! a division by zero is an error. Words are compared and nothing else.

use std::collections::BTreeMap;

/// A value of an expression.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Number {
    /// Integer; a truth value is 0 or 1.
    Int(i64),
    /// Floating point.
    Float(f64),
    /// A word, such as a piece of a kernel's name.
    Word(String),
}

impl Number {
    /// As an integer; floats are truncated.
    pub(super) fn int(&self) -> Result<i64, String> {
        match self {
            Self::Int(value) => Ok(*value),
            Self::Float(value) => Ok(*value as i64),
            Self::Word(word) => Err(format!("`{word}` is no number")),
        }
    }

    /// As a float.
    pub(super) fn float(&self) -> Result<f64, String> {
        match self {
            Self::Int(value) => Ok(*value as f64),
            Self::Float(value) => Ok(*value),
            Self::Word(word) => Err(format!("`{word}` is no number")),
        }
    }
}

/// Variables by name.
pub(super) type Variables = BTreeMap<String, Number>;

/// The value of an expression.
pub(super) fn evaluate(text: &str, variables: &Variables) -> Result<Number, String> {
    let mut parser = Parser { rest: text, variables };
    let value = parser.ternary().map_err(|error| format!("{error} in `{text}`"))?;
    parser.skip();
    if parser.rest.is_empty() {
        Ok(value)
    } else {
        Err(format!("`{}` is left over in `{text}`", parser.rest))
    }
}

/// Splits at commas that stand outside of brackets; the empty text has no parts.
pub(super) fn split_list(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_i32, 0);
    for (at, character) in text.char_indices() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() {
        parts.push(text[start..].trim());
    }
    parts
}

struct Parser<'a> {
    rest: &'a str,
    variables: &'a Variables,
}

/// Binary operators by level, loosest first; longer spellings before their prefixes.
const LEVELS: [&[&str]; 6] =
    [&["||"], &["&&"], &["==", "!="], &["<=", ">=", "<", ">"], &["+", "-"], &["*", "/", "%"]];

impl<'a> Parser<'a> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.eat(token) { Ok(()) } else { Err(format!("`{token}` is missing before `{}`", self.rest)) }
    }

    fn ternary(&mut self) -> Result<Number, String> {
        let condition = self.binary(0)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let on_true = self.ternary()?;
        self.expect(":")?;
        let on_false = self.ternary()?;
        Ok(if condition.int()? != 0 { on_true } else { on_false })
    }

    fn binary(&mut self, level: usize) -> Result<Number, String> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.eat(operator)) {
            let right = self.binary(level + 1)?;
            left = apply(operator, &left, &right)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Number, String> {
        if self.eat("-") {
            return match self.unary()? {
                Number::Int(value) => Ok(Number::Int(value.wrapping_neg())),
                other => Ok(Number::Float(-other.float()?)),
            };
        }
        if self.eat("!") {
            return Ok(Number::Int(i64::from(self.unary()?.int()? == 0)));
        }
        self.primary()
    }

    fn take(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|character| !belongs(character)).unwrap_or(self.rest.len());
        let (token, rest) = self.rest.split_at(end);
        self.rest = rest;
        token
    }

    fn primary(&mut self) -> Result<Number, String> {
        self.skip();
        if self.eat("(") {
            let value = self.ternary()?;
            self.expect(")")?;
            return Ok(value);
        }
        if self.eat("'") {
            let word = self.take(|character| character != '\'').to_owned();
            self.expect("'")?;
            return Ok(Number::Word(word));
        }
        let name = self.take(|character| character.is_ascii_alphanumeric() || "_.".contains(character));
        let Some(first) = name.chars().next() else {
            return Err(format!("a value is missing before `{}`", self.rest));
        };
        if first.is_ascii_digit() {
            // `1e-5`: the sign belongs to the number.
            if name.ends_with('e') && self.rest.starts_with('-') && name.contains('e') {
                self.rest = &self.rest[1..];
                let exponent = self.take(|character| character.is_ascii_digit());
                let text = format!("{name}-{exponent}");
                return text.parse().map(Number::Float).map_err(|_| format!("`{text}` is no number"));
            }
            return match name.parse() {
                Ok(value) => Ok(Number::Int(value)),
                Err(_) => name.parse().map(Number::Float).map_err(|_| format!("`{name}` is no number")),
            };
        }
        if self.eat("(") {
            let mut arguments = Vec::new();
            while !self.eat(")") {
                arguments.push(self.ternary()?);
                if !self.eat(",") {
                    self.expect(")")?;
                    break;
                }
            }
            return call(name, &arguments);
        }
        self.variables.get(name).cloned().ok_or_else(|| format!("there is no variable `{name}`"))
    }
}

fn apply(operator: &str, left: &Number, right: &Number) -> Result<Number, String> {
    let truth = |value: bool| Ok(Number::Int(i64::from(value)));
    match operator {
        "==" => return truth(left == right),
        "!=" => return truth(left != right),
        _ => {}
    }
    if let (Number::Int(left), Number::Int(right)) = (left, right) {
        let (left, right) = (*left, *right);
        let value = match operator {
            "||" => i64::from(left != 0 || right != 0),
            "&&" => i64::from(left != 0 && right != 0),
            "<=" => i64::from(left <= right),
            ">=" => i64::from(left >= right),
            "<" => i64::from(left < right),
            ">" => i64::from(left > right),
            "+" => left.wrapping_add(right),
            "-" => left.wrapping_sub(right),
            "*" => left.wrapping_mul(right),
            "/" => left.checked_div(right).ok_or("a division by zero")?,
            _ => left.checked_rem(right).ok_or("a division by zero")?,
        };
        return Ok(Number::Int(value));
    }
    let (left, right) = (left.float()?, right.float()?);
    Ok(match operator {
        "<=" => return truth(left <= right),
        ">=" => return truth(left >= right),
        "<" => return truth(left < right),
        ">" => return truth(left > right),
        "+" => Number::Float(left + right),
        "-" => Number::Float(left - right),
        "*" => Number::Float(left * right),
        "/" => Number::Float(left / right),
        _ => return Err(format!("`{operator}` takes integers")),
    })
}

fn call(name: &str, arguments: &[Number]) -> Result<Number, String> {
    let ints: Result<Vec<i64>, String> = arguments.iter().map(Number::int).collect();
    let value = match (name, &*ints?) {
        ("min", [first, rest @ ..]) => rest.iter().fold(*first, |least, value| least.min(*value)),
        ("max", [first, rest @ ..]) => rest.iter().fold(*first, |most, value| most.max(*value)),
        ("ceildiv", [value, by]) if *by > 0 => (value + by - 1) / by,
        ("align", [value, to]) if *to > 0 => (value + to - 1) / to * to,
        ("log2", [value]) if *value > 0 => i64::from(value.ilog2()),
        ("pick", [index, values @ ..]) if !values.is_empty() => {
            values[index.rem_euclid(values.len() as i64) as usize]
        }
        _ => return Err(format!("there is no function `{name}` of {} arguments", arguments.len())),
    };
    Ok(Number::Int(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Number {
        let variables =
            Variables::from([("M".to_owned(), Number::Int(70)), ("ta".to_owned(), Number::Word("t".into()))]);
        evaluate(text, &variables).unwrap()
    }

    #[test]
    fn operators_bind_as_in_c() {
        assert_eq!(value("(M + 63) / 64 * 2 - 1"), Number::Int(3));
        assert_eq!(value("ta == 't' ? M : 1"), Number::Int(70));
        assert_eq!(value("M % 64 == 0 || 3 < 2"), Number::Int(0));
        assert_eq!(value("max(1, align(M, 32), -5)"), Number::Int(96));
        assert_eq!(value("1e-5"), Number::Float(1e-5));
        assert_eq!(value("-0.5 * 3"), Number::Float(-1.5));
        assert_eq!(value("!M"), Number::Int(0));
        assert_eq!(value("pick(M, 5, 6, 7)"), Number::Int(6));
        assert_eq!(value("pick(-1, 5, 6, 7)"), Number::Int(7));
    }

    #[test]
    fn mistakes_are_named() {
        let none = Variables::new();
        assert_eq!(evaluate("1 / 0", &none).unwrap_err(), "a division by zero in `1 / 0`");
        assert!(evaluate("x + 1", &none).unwrap_err().contains("`x`"));
        assert!(evaluate("1 2", &none).unwrap_err().contains("left over"));
        assert!(evaluate("(1", &none).unwrap_err().contains("`)`"));
    }

    #[test]
    fn lists_split_outside_of_brackets() {
        assert_eq!(split_list("max(1, 2), [3, 4], 5"), ["max(1, 2)", "[3, 4]", "5"]);
        assert!(split_list(" ").is_empty());
    }
}
