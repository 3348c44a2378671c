//! What every chore needs: the root of the repository, a shell in it, and the list of its files.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use xshell::{Shell, cmd};

/// The repository that the chore works on.
pub(crate) struct Context {
    /// The folder of the workspace's `Cargo.toml`.
    pub(crate) root: PathBuf,
    /// A shell whose working folder is `root`.
    pub(crate) shell: Shell,
}

impl Context {
    /// The repository that this program was built from.
    pub(crate) fn find() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .context("the xtask crate has no parent folder")?
            .to_owned();
        ensure!(
            root.join("Cargo.toml").is_file(),
            "{} is gone: the repository was moved after xtask was built; run `cargo build -p xtask`",
            root.display()
        );
        let shell = Shell::new()?;
        shell.change_dir(&root);
        Ok(Self { root, shell })
    }

    /// Files that are tracked, or new and not ignored, relative to the root, sorted.
    pub(crate) fn files(&self) -> Result<Vec<PathBuf>> {
        let listed = cmd!(self.shell, "git ls-files -z --cached --others --exclude-standard")
            .quiet()
            .read()
            .context("cannot list the repository's files: this chore needs a git checkout")?;
        let mut files: Vec<PathBuf> = listed
            .split('\0')
            .filter(|path| !path.is_empty())
            .map(PathBuf::from)
            // A file that was deleted and not yet committed is still listed.
            .filter(|path| self.root.join(path).is_file())
            .collect();
        files.sort();
        files.dedup();
        Ok(files)
    }

    /// Reads a file below the root.
    pub(crate) fn read(&self, path: &Path) -> Result<String> {
        std::fs::read_to_string(self.root.join(path))
            .with_context(|| format!("cannot read {}", path.display()))
    }
}
