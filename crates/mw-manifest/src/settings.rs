//! One setting: `key = value`. Files, comments and flags all come down to this.

use crate::compare::Tolerance;
use crate::constant::ConstantText;
use crate::error::ManifestError;
use crate::launch::{GridSize, Key, Launch};
use crate::value::Value;

/// All settings, as an error lists them.
pub(crate) const KEYS: [&str; 14] = [
    "kernel",
    "library",
    "grid",
    "threadgroups",
    "threadgroup",
    "arg.NAME",
    "constant.INDEX",
    "threadgroup_memory.INDEX",
    "expect.NAME",
    "save.NAME",
    "tolerance",
    "schedule",
    "chip",
    "seed",
];

impl Launch {
    /// Applies one setting.
    ///
    /// | key | value |
    /// | --- | --- |
    /// | `kernel`, `library`, `chip` | text |
    /// | `grid`, `threadgroups`, `threadgroup` | `256`, `16,16`, `8,8,2` |
    /// | `arg.NAME`, `arg.INDEX` | a [`Value`] |
    /// | `constant.NAME`, `constant.INDEX` | a [`ConstantText`] |
    /// | `threadgroup_memory.INDEX` | bytes |
    /// | `expect.NAME` | a [`Value`] |
    /// | `save.NAME` | a path |
    /// | `tolerance`, `tolerance.NAME` | a [`Tolerance`] |
    /// | `schedule`, `seed` | a number |
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), ManifestError> {
        self.try_set(key, value).unwrap_or_else(|reason| {
            Err(ManifestError::BadSetting { key: key.to_owned(), value: value.to_owned(), reason })
        })
    }

    /// The outer error is about the value, the inner one about anything else.
    fn try_set(&mut self, key: &str, value: &str) -> Result<Result<(), ManifestError>, String> {
        let (head, name) = match key.split_once('.') {
            Some((head, name)) => (head, Some(name)),
            None => (key, None),
        };
        let value = value.trim();
        match (head, name) {
            ("kernel", None) => self.kernel = Some(text(value)?),
            ("library", None) => self.library = Some(text(value)?.into()),
            ("chip", None) => self.chip = Some(text(value)?),
            ("grid", None) => self.grid = Some(GridSize::Threads(size(value)?)),
            ("threadgroups", None) => self.grid = Some(GridSize::Threadgroups(size(value)?)),
            ("threadgroup", None) => self.threadgroup = Some(size(value)?),
            ("arg", Some(name)) => {
                self.args.insert(Key::parse(name), parse_value(value)?);
            }
            ("constant", Some(name)) => {
                self.constants.insert(Key::parse(name), ConstantText::parse(value)?);
            }
            ("threadgroup_memory", Some(index)) => {
                let index = index.parse().map_err(|_| format!("`{index}` is no threadgroup index"))?;
                self.threadgroup_memory.insert(index, number(value)?);
            }
            ("expect", Some(name)) => {
                self.expect.insert(Key::parse(name), parse_value(value)?);
            }
            ("save", Some(name)) => {
                self.save.insert(Key::parse(name), text(value)?.into());
            }
            ("tolerance" | "tol", None) => self.tolerance = Some(Tolerance::parse(value)?),
            ("tolerance" | "tol", Some(name)) => {
                self.tolerances.insert(Key::parse(name), Tolerance::parse(value)?);
            }
            ("schedule", None) => self.schedule = Some(number(value)?),
            ("seed", None) => self.seed = Some(number(value)?),
            _ => return Ok(Err(ManifestError::UnknownSetting { key: key.to_owned() })),
        }
        Ok(Ok(()))
    }
}

fn text(value: &str) -> Result<String, String> {
    if value.is_empty() { Err("it is empty".to_owned()) } else { Ok(value.to_owned()) }
}

fn number<N: std::str::FromStr>(value: &str) -> Result<N, String> {
    value.replace('_', "").parse().map_err(|_| format!("`{value}` is no number that fits"))
}

/// `256`, `16,16`, `8,8,2`; also with `x` between, and in parentheses or brackets.
fn size(value: &str) -> Result<[usize; 3], String> {
    let bare = value.trim_matches(|c| matches!(c, '(' | ')' | '[' | ']'));
    let parts: Vec<&str> = bare.split([',', 'x']).map(str::trim).collect();
    if parts.len() > 3 {
        return Err("a size has at most three dimensions".to_owned());
    }
    let mut size = [1; 3];
    for (axis, part) in parts.iter().enumerate() {
        let extent: usize = number(part)?;
        if extent == 0 {
            return Err("every dimension is at least 1; leave unused ones out".to_owned());
        }
        size[axis] = extent;
    }
    Ok(size)
}

fn parse_value(value: &str) -> Result<Value, String> {
    Value::parse(value).map_err(|error| match error {
        ManifestError::BadValue { reason, .. } => reason,
        other => other.to_string(),
    })
}
