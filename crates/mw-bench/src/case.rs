//! [`Set`] and [`Case`]: launches with their data and their expected results, as `python/reference` writes them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The cases of a folder.
#[derive(Clone, Debug, Deserialize)]
pub struct Set {
    /// Versions of the packages that made the references, by name.
    #[serde(default)]
    pub versions: BTreeMap<String, String>,
    /// The cases.
    pub cases: Vec<Case>,
    /// Where the arrays lie.
    #[serde(skip)]
    pub folder: PathBuf,
}

/// One or more launches that together compute something, with the data and the expected results.
#[derive(Clone, Debug, Deserialize)]
pub struct Case {
    /// What kind of kernels it is about.
    #[serde(default)]
    pub group: String,
    /// The kernel family: names that differ only in types and sizes are one family.
    pub family: String,
    /// Name of the case in its family.
    pub name: String,
    /// Shape in words, for tables.
    #[serde(default)]
    pub shape: String,
    /// Initial contents of the buffers, in the grammar of `mw-manifest`, by name.
    #[serde(default)]
    pub buffers: BTreeMap<String, String>,
    /// The launches, in order.
    pub steps: Vec<Step>,
    /// What must come out.
    pub outputs: Vec<Output>,
    /// Why the kernel reads beside an argument, where it does: no result depends on it, but the interpreter
    /// reports it.
    #[serde(default)]
    pub strays: Option<String>,
    /// The MLX call that computes the same on the CPU.
    #[serde(default)]
    pub mlx_call: String,
    /// Median time of that call in seconds, where it was measured.
    #[serde(default)]
    pub mlx_seconds: Option<f64>,
    /// Bytes that the algorithm must move at least.
    #[serde(default)]
    pub bytes: Option<u64>,
    /// Floating-point operations of the algorithm.
    #[serde(default)]
    pub flops: Option<u64>,
}

impl Case {
    /// Whether its group, family, name or a kernel's name contains a text.
    pub fn mentions(&self, part: &str) -> bool {
        let kernels = self.steps.iter().map(|step| &step.kernel);
        [&self.group, &self.family, &self.name].into_iter().chain(kernels).any(|text| text.contains(part))
    }
}

impl Output {
    /// The largest error that passes, in words.
    pub fn allowed(&self) -> String {
        match &self.scale {
            Some(_) => format!("{:.1e} {}", self.tolerance, self.unit),
            None => format!("{} ulp", self.ulp),
        }
    }
}

/// One launch.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Kernel name.
    pub kernel: String,
    /// Threads, or empty.
    #[serde(default)]
    pub grid: Option<[usize; 3]>,
    /// Threadgroups, where `grid` is empty.
    #[serde(default)]
    pub threadgroups: Option<[usize; 3]>,
    /// Threads per threadgroup.
    pub threadgroup: [usize; 3],
    /// Function constants by index.
    #[serde(default)]
    pub constants: BTreeMap<u32, String>,
    /// Dynamic threadgroup memory in bytes by index.
    #[serde(default)]
    pub memory: BTreeMap<u32, usize>,
    /// Arguments by buffer index: `@name` or `@name+bytes` is a buffer, anything else a value.
    pub args: BTreeMap<u32, String>,
}

/// What a buffer must hold afterwards.
///
/// An element passes when it is within `ulp` units in the last place of its type, or within
/// `tolerance · scale` of what is expected.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Name of the buffer.
    pub buffer: String,
    /// File with the expected elements; its type may be wider than the buffer's.
    pub expected: String,
    /// Units in the last place.
    #[serde(default)]
    pub ulp: u64,
    /// How large the terms are that errors grow with: a file (one number for each element), or one number.
    #[serde(default)]
    pub scale: Option<Scale>,
    /// Largest error as a part of the scale.
    #[serde(default)]
    pub tolerance: f64,
    /// What the scale is, for tables: `Σ|x|`.
    #[serde(default)]
    pub unit: String,
}

/// The size that errors are measured against.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Scale {
    /// The same for all elements.
    Number(f64),
    /// A file with one number for each element.
    File(String),
}

/// A folder of cases cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SetError {
    /// No manifest, or it is unreadable.
    #[error("cannot read {path}: make the reference values with `make setup` or `python -m reference`")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// Not the JSON that is expected.
    #[error("{path} is no set of cases")]
    Parse {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
}

impl Set {
    /// Reads `manifest.json` of a folder.
    pub fn open(folder: &Path) -> Result<Self, SetError> {
        let path = folder.join("manifest.json");
        let text = std::fs::read(&path).map_err(|source| SetError::Read { path: path.clone(), source })?;
        let mut set: Self =
            serde_json::from_slice(&text).map_err(|source| SetError::Parse { path, source })?;
        folder.clone_into(&mut set.folder);
        Ok(set)
    }
}
