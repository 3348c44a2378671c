//! Metal source from disk: flags of a compilation, and the files that it includes.
//!
//! The front-end reads no files; this is where they come from.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use metalworking::{CompileOptions, FileProvider, LanguageVersion, SourceProgram};

use crate::exit::Failure;

/// No source file is longer.
const MAX_SOURCE_BYTES: u64 = 64 << 20;

/// Flags that change what a source means.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SourceArgs {
    /// Define a macro, `NAME` or `NAME=BODY`
    #[arg(short = 'D', value_name = "NAME[=BODY]")]
    pub(crate) defines: Vec<String>,
    /// Look for included files in this folder too
    #[arg(short = 'I', value_name = "FOLDER")]
    pub(crate) include_folders: Vec<PathBuf>,
    /// Language version: metal2.4, metal3.0, metal3.1, metal3.2, metal4.0, metal4.1
    #[arg(long = "std", value_name = "VERSION")]
    pub(crate) language: Option<LanguageVersion>,
    /// Let floating-point arithmetic assume no NaN and no infinity (the default)
    #[arg(long = "ffast-math", overrides_with = "no_fast_math")]
    pub(crate) fast_math: bool,
    /// Keep to IEEE arithmetic
    #[arg(long = "fno-fast-math", overrides_with = "fast_math")]
    pub(crate) no_fast_math: bool,
    /// Write which line each instruction comes from
    #[arg(short = 'g')]
    pub(crate) debug_info: bool,
}

/// Spells compilers' flags as the command line's parser wants them: `-std=x` as `--std=x`, and so on.
pub(crate) fn modern_flags(args: impl Iterator<Item = std::ffi::OsString>) -> Vec<std::ffi::OsString> {
    args.map(|arg| match arg.to_str() {
        Some(text) if text.starts_with("-std=") || matches!(text, "-ffast-math" | "-fno-fast-math") => {
            format!("-{text}").into()
        }
        _ => arg,
    })
    .collect()
}

/// Files on disk.
#[derive(Clone, Copy, Debug, Default)]
struct DiskFiles;

impl FileProvider for DiskFiles {
    fn read(&self, path: &str) -> Option<Arc<str>> {
        read(Path::new(path)).ok().map(Into::into)
    }
}

/// The text of a file; bytes that are not UTF-8 become replacement characters, as in comments they may.
fn read(path: &Path) -> std::io::Result<String> {
    let length = std::fs::metadata(path)?.len();
    if length > MAX_SOURCE_BYTES {
        return Err(std::io::Error::other(format!(
            "{length} bytes are more than the {MAX_SOURCE_BYTES} that a source may have"
        )));
    }
    Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())
}

impl SourceArgs {
    /// The options of compiling the file at `path`.
    pub(crate) fn options(&self, path: &Path) -> CompileOptions {
        let macros = self
            .defines
            .iter()
            .map(|define| match define.split_once('=') {
                Some((name, body)) => (name.to_owned(), body.to_owned()),
                None => (define.clone(), "1".to_owned()),
            })
            .collect();
        CompileOptions {
            language_version: self.language.unwrap_or_default(),
            fast_math: !self.no_fast_math,
            macros,
            include_folders: self
                .include_folders
                .iter()
                .map(|folder| folder.to_string_lossy().into_owned())
                .collect(),
            file_name: path.to_string_lossy().into_owned(),
            debug_info: self.debug_info,
            files: Arc::new(DiskFiles),
        }
    }

    /// Reads and checks a file.
    pub(crate) fn compile(&self, path: &Path) -> Result<SourceProgram, Failure> {
        let text = text(path)?;
        Ok(SourceProgram::compile(&text, &self.options(path))?)
    }
}

/// The text of a source file.
pub(crate) fn text(path: &Path) -> Result<String, Failure> {
    read(path).map_err(|error| Failure::usage(format!("cannot read `{}`: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::modern_flags;

    #[test]
    fn compilers_flags_are_understood() {
        let args = ["mw", "compile", "-std=metal3.1", "-fno-fast-math", "-DX=1", "-O2"];
        let modern = modern_flags(args.iter().map(Into::into));
        assert_eq!(modern, ["mw", "compile", "--std=metal3.1", "--fno-fast-math", "-DX=1", "-O2"]);
    }
}
