//! Opening what a command names: libraries, which of several, functions with their constants.

use std::path::Path;

use metalworking::{ConstantScalar, Function, FunctionConstantValues, Library};
use mw_manifest::{ConstantText, Key};

use crate::exit::Failure;
use crate::source::SourceArgs;

/// The libraries in a file; more than one in some programs.
pub(crate) fn open_all(path: &Path) -> Result<Vec<Library>, Failure> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension {
        "ll" => Ok(vec![Library::open(path)?]),
        "metal" => Ok(vec![SourceArgs::default().compile(path)?.into()]),
        "py" => Err(Failure::unsupported(format!(
            "`{}` is a Python script: run it with the interpreter that has metalworking installed",
            path.display()
        ))),
        _ => match mw_metallib::Library::open_all(path) {
            Ok(libraries) => Ok(libraries.into_iter().map(Library::from).collect()),
            // It names the file already.
            Err(error @ mw_metallib::LibraryError::Io { .. }) => Err(error.into()),
            Err(error) => {
                let source = std::sync::Arc::new(error);
                Err(metalworking::LibraryError::Read { path: Some(path.to_owned()), source }.into())
            }
        },
    }
}

/// The one library of a file that is meant: by position, or the one that has the kernel.
pub(crate) fn open_with(path: &Path, position: Option<usize>, kernel: &str) -> Result<Library, Failure> {
    let mut libraries = open_all(path)?;
    if let Some(position) = position {
        return pick(&mut libraries, position, path);
    }
    let holder = libraries.iter().position(|library| library.function_names().contains(&kernel));
    match holder {
        Some(holder) => Ok(libraries.swap_remove(holder)),
        // Not found: the error of the first library suggests names.
        None if !libraries.is_empty() => Ok(libraries.swap_remove(0)),
        None => Err(Failure::usage(format!("`{}` holds no library", path.display()))),
    }
}

/// The library at a position.
pub(crate) fn pick(libraries: &mut Vec<Library>, position: usize, path: &Path) -> Result<Library, Failure> {
    if position >= libraries.len() {
        return Err(Failure::usage(format!(
            "`{}` holds {} libraries: --library takes 0 to {}",
            path.display(),
            libraries.len(),
            libraries.len().saturating_sub(1)
        )));
    }
    Ok(libraries.swap_remove(position))
}

/// The function with its constants set, as far as they are given; `None` of them leaves it as it is.
pub(crate) fn specialize<'a>(
    function: &Function,
    constants: impl IntoIterator<Item = (&'a Key, &'a ConstantText)>,
) -> Result<Function, Failure> {
    let mut values = FunctionConstantValues::new();
    for (key, text) in constants {
        let declared = function.function_constants();
        let Some(constant) = declared.iter().find(|it| key.means(it.index, &it.name)) else {
            let names: Vec<String> =
                declared.iter().map(|it| format!("{} `{}` ({})", it.index, it.name, it.type_name)).collect();
            let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(Failure::usage(format!(
                "kernel `{}` has no function constant `{key}`; it has {names}",
                function.name()
            )));
        };
        let bad = |reason: String| {
            Failure::usage(format!("function constant {} `{}`: {reason}", constant.index, constant.name))
        };
        let bytes = text.to_bytes(&constant.type_name).map_err(bad)?;
        let value = ConstantScalar::from_bytes(&constant.type_name, &bytes)
            .ok_or_else(|| bad(format!("type `{}` is not supported", constant.type_name)))?;
        values.set(constant.index, value);
    }
    function.specialized(&values).map_err(|error| match error {
        metalworking::FunctionError::MissingConstants { name, missing } => Failure::usage(format!(
            "kernel `{name}` needs values for its function constants {}: write `--constant INDEX=VALUE` for each",
            missing.join(", ")
        )),
        other => other.into(),
    })
}
