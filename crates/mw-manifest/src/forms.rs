//! The three forms of a manifest: a TOML file, `// run:` comments, and flags.

use toml::{Table, Value as Toml};

use crate::error::ManifestError;
use crate::launch::Launch;
use crate::value::split;

impl Launch {
    /// The launches of a TOML file: one, or one for each `[[launch]]`, over what stands outside of them.
    ///
    /// ```
    /// let launches = mw_manifest::Launch::all_in_toml(
    ///     r#"
    ///     kernel = "vv_Addfloat32"
    ///     grid = 1024
    ///     threadgroup = 256
    ///     tolerance = { ulp = 1 }
    ///     [args]
    ///     a = "randn:f32[1024]"
    ///     c = { value = "zeros:f32[1024]", save = "c.npy" }
    ///     [constants]
    ///     3 = true
    ///     "#,
    /// )?;
    /// assert_eq!(launches[0].kernel.as_deref(), Some("vv_Addfloat32"));
    /// # Ok::<(), mw_manifest::ManifestError>(())
    /// ```
    pub fn all_in_toml(text: &str) -> Result<Vec<Self>, ManifestError> {
        let mut table: Table = text.parse()?;
        let launches = table.remove("launch");
        let base = of_table(&table)?;
        match launches {
            None => Ok(vec![base]),
            Some(Toml::Array(launches)) => launches
                .iter()
                .map(|launch| match launch {
                    Toml::Table(table) => Ok(base.clone().overridden_by(of_table(table)?)),
                    other => Err(bad("launch", other, "write `[[launch]]`")),
                })
                .collect(),
            Some(other) => Err(bad("launch", &other, "write `[[launch]]`")),
        }
    }

    /// The launches of the `// run:` lines of a source text, one for each line. A line that ends in `\`
    /// goes on in the next comment line.
    ///
    /// ```
    /// let source = "\
    /// // run: kernel=scale grid=8 threadgroup=8 x=arange:f32[8] \\
    /// //      constant.0=true expect.x=f32:[0,2,4,6,8,10,12,14] tol=1e-6
    /// kernel void scale(…) {}";
    /// let launches = mw_manifest::Launch::all_in_comments(source)?;
    /// assert_eq!(launches.len(), 1);
    /// assert_eq!(launches[0].args.len(), 1);
    /// # Ok::<(), mw_manifest::ManifestError>(())
    /// ```
    pub fn all_in_comments(source: &str) -> Result<Vec<Self>, ManifestError> {
        let mut launches = Vec::new();
        let mut open: Option<String> = None;
        for line in source.lines() {
            let comment = line.trim_start().strip_prefix("//").map(str::trim);
            let text = match (&mut open, comment) {
                (Some(so_far), Some(more)) => {
                    so_far.push(' ');
                    so_far.push_str(more);
                    open.take().unwrap_or_default()
                }
                (None, Some(comment)) => match comment.strip_prefix("run:") {
                    Some(text) => text.to_owned(),
                    None => continue,
                },
                (_, None) => match open.take() {
                    Some(unfinished) => unfinished,
                    None => continue,
                },
            };
            match text.strip_suffix('\\') {
                Some(unfinished) if comment.is_some() => open = Some(unfinished.to_owned()),
                _ => launches.push(Self::of_line(&text)?),
            }
        }
        if let Some(text) = open {
            launches.push(Self::of_line(&text)?);
        }
        Ok(launches)
    }

    /// The settings of one line, separated by spaces. A key that is no setting is the name or index of an
    /// argument.
    pub fn of_line(line: &str) -> Result<Self, ManifestError> {
        let mut launch = Self::default();
        let words = split(line, ' ')
            .map_err(|reason| ManifestError::BadValue { text: line.trim().to_owned(), reason })?;
        for word in words {
            let word = word.trim();
            let Some((key, value)) = word.split_once('=') else {
                return Err(ManifestError::NotASetting { word: word.to_owned() });
            };
            launch.set_short(key, value)?;
        }
        Ok(launch)
    }

    /// As [`Self::set`], but a key that is no setting is the name or index of an argument.
    fn set_short(&mut self, key: &str, value: &str) -> Result<(), ManifestError> {
        match self.set(key, value) {
            Err(ManifestError::UnknownSetting { .. }) if !key.contains('.') => {
                self.set(&format!("arg.{key}"), value)
            }
            outcome => outcome,
        }
    }
}

fn of_table(table: &Table) -> Result<Launch, ManifestError> {
    let mut launch = Launch::default();
    for (key, value) in table {
        match (key.as_str(), value) {
            ("args", Toml::Table(args)) => {
                for (name, value) in args {
                    set_argument(&mut launch, name, value)?;
                }
            }
            ("constants", Toml::Table(entries)) => set_all(&mut launch, "constant", entries)?,
            ("threadgroup_memory" | "expect" | "save", Toml::Table(entries)) => {
                set_all(&mut launch, key, entries)?;
            }
            ("tolerances", Toml::Table(entries)) => set_all(&mut launch, "tolerance", entries)?,
            _ => launch.set(key, &to_text(key, value)?)?,
        }
    }
    Ok(launch)
}

fn set_all(launch: &mut Launch, kind: &str, entries: &Table) -> Result<(), ManifestError> {
    for (name, value) in entries {
        let key = format!("{kind}.{name}");
        launch.set(&key, &to_text(&key, value)?)?;
    }
    Ok(())
}

/// An argument: a value, or a table with `value`, `expect`, `save` and `tolerance`.
fn set_argument(launch: &mut Launch, name: &str, value: &Toml) -> Result<(), ManifestError> {
    let Toml::Table(entries) = value else {
        let key = format!("arg.{name}");
        return launch.set(&key, &to_text(&key, value)?);
    };
    for (entry, value) in entries {
        let kind = match entry.as_str() {
            "value" => "arg",
            "expect" | "save" | "tolerance" => entry,
            _ => {
                let known = "an argument's table has `value`, `expect`, `save` and `tolerance`";
                return Err(bad(&format!("args.{name}.{entry}"), value, known));
            }
        };
        let key = format!("{kind}.{name}");
        launch.set(&key, &to_text(&key, value)?)?;
    }
    Ok(())
}

/// A TOML value as the grammar writes it: lists of numbers are sizes, lists of text are structures, tables
/// are `key=value` lists.
fn to_text(key: &str, value: &Toml) -> Result<String, ManifestError> {
    Ok(match value {
        Toml::String(text) => text.clone(),
        Toml::Integer(number) => number.to_string(),
        Toml::Float(number) => number.to_string(),
        Toml::Boolean(flag) => flag.to_string(),
        Toml::Array(elements) => {
            let texts: Vec<String> =
                elements.iter().map(|element| to_text(key, element)).collect::<Result<_, _>>()?;
            let is_struct =
                elements.iter().any(|element| matches!(element, Toml::String(_) | Toml::Array(_)));
            if is_struct { format!("{{{}}}", texts.join(",")) } else { texts.join(",") }
        }
        Toml::Table(entries) => {
            let texts: Vec<String> = entries
                .iter()
                .map(|(name, value)| Ok(format!("{name}={}", to_text(key, value)?)))
                .collect::<Result<_, ManifestError>>()?;
            texts.join(",")
        }
        Toml::Datetime(_) => return Err(bad(key, value, "dates mean nothing here")),
    })
}

fn bad(key: &str, value: &Toml, reason: &str) -> ManifestError {
    ManifestError::BadSetting { key: key.to_owned(), value: value.to_string(), reason: reason.to_owned() }
}
