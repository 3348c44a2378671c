//! `mw run script.py …`: hands a Python script to an interpreter that has the package `metalworking`.
//!
//! The package's own `mw` never comes here: it runs the script itself (`python/metalworking/_script.py`).

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::exit::Failure;

/// What is passed on to the interpreter, if the command line names a script.
pub(crate) fn words(args: &[OsString]) -> Option<&[OsString]> {
    let is_script = |path: &OsString| {
        let extension = Path::new(path).extension().and_then(OsStr::to_str);
        matches!(extension, Some("py" | "pyw"))
    };
    match args {
        [_, run, path, ..] if run == "run" && is_script(path) => Some(&args[1..]),
        _ => None,
    }
}

/// Becomes the interpreter. Returns only when that fails.
pub(crate) fn run(words: &[OsString]) -> Failure {
    let candidates = candidates();
    let Some(python) = candidates.iter().find(|python| has_package(python)) else {
        let tried: Vec<String> = candidates.iter().map(|python| format!("`{}`", python.display())).collect();
        return Failure::unsupported(format!(
            "`{}` is a Python script, and no interpreter here has the package metalworking: install it with pip, or set \
             MW_PYTHON to an interpreter that has it (tried {})",
            words[1].display(),
            tried.join(", ")
        ));
    };
    let error = Command::new(python).args(["-m", "metalworking"]).args(words).exec();
    Failure::usage(format!("cannot start `{}`: {error}", python.display()))
}

/// Interpreters in the order in which they are asked: the one that `MW_PYTHON` names and no other, or that of the
/// active environment and those on the path.
fn candidates() -> Vec<PathBuf> {
    let setting = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(python) = setting("MW_PYTHON") {
        return vec![python];
    }
    let of_environment = setting("VIRTUAL_ENV").map(|folder| folder.join("bin/python"));
    of_environment.into_iter().chain(["python3".into(), "python".into()]).collect()
}

fn has_package(python: &Path) -> bool {
    let code = "import importlib.util, sys; sys.exit(importlib.util.find_spec('metalworking') is None)";
    let mut command = Command::new(python);
    command.args(["-c", code]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::words;

    fn passed_on(line: &str) -> Option<String> {
        let args: Vec<OsString> = line.split(' ').map(Into::into).collect();
        let words = words(&args)?;
        Some(words.join(std::ffi::OsStr::new(" ")).into_string().expect("text"))
    }

    #[test]
    fn scripts_are_told_from_libraries() {
        assert_eq!(passed_on("mw run a/b.py -m x").as_deref(), Some("run a/b.py -m x"));
        for line in ["mw run lib.metallib k.py", "mw inspect a.py", "mw run -m a.py", "mw", "mw run"] {
            assert_eq!(passed_on(line), None, "{line}");
        }
    }
}
