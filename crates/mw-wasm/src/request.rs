//! Requests, as JSON says them.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A request; `op` names it.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Request {
    /// Compile and reflect.
    Compile(Source),
    /// Compile and run.
    Run(Box<Run>),
    /// List the launches that the source's comments describe.
    Launches(Source),
    /// Explain a diagnostic code.
    Explain(Explain),
    /// Say the engine's version.
    Version,
}

/// A source with its options.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Source {
    /// The text.
    pub source: String,
    /// Its name in messages.
    #[serde(default = "default_name")]
    pub file: String,
    /// Language version, such as `metal3.1`.
    #[serde(default)]
    pub std: Option<String>,
    /// Arithmetic may assume no NaN and no infinity; true unless said otherwise.
    #[serde(default = "yes")]
    pub fast_math: bool,
    /// Macros: name and body.
    #[serde(default)]
    pub defines: BTreeMap<String, String>,
    /// Files to include, by name.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

/// A launch.
#[derive(Debug, Deserialize)]
pub struct Run {
    /// What to compile.
    #[serde(flatten)]
    pub source: Source,
    /// Settings in the grammar of manifests: `kernel`, `grid`, `arg.x`, …
    #[serde(default)]
    pub launch: BTreeMap<String, String>,
    /// Take the settings of this `// run:` line of the source first, counted from zero.
    #[serde(default)]
    pub line: Option<usize>,
    /// Arguments whose bytes come with the request, by name or index.
    #[serde(default)]
    pub buffers: BTreeMap<String, Buffer>,
    /// Operations of simdgroups after which the kernel is stopped.
    #[serde(default)]
    pub step_limit: Option<u64>,
    /// Bytes that all arguments together may have.
    #[serde(default)]
    pub memory_limit: Option<u64>,
    /// Record what happens.
    #[serde(default)]
    pub trace: Option<TraceOptions>,
}

/// Bytes of an argument.
#[derive(Debug, Deserialize)]
pub struct Buffer {
    /// Element type, such as `f32`.
    pub dtype: String,
    /// Shape; one dimension if it is not said.
    #[serde(default)]
    pub shape: Option<Vec<usize>>,
    /// First byte, in the bytes of the request.
    pub offset: usize,
    /// Number of bytes.
    pub length: usize,
}

/// What to record.
#[derive(Debug, Default, Deserialize)]
pub struct TraceOptions {
    /// Position of the threadgroup to record; the first one if it is not said.
    #[serde(default)]
    pub threadgroup: [u32; 3],
    /// Words of four bytes after which nothing more is recorded.
    #[serde(default)]
    pub max_words: Option<usize>,
}

/// A code to explain.
#[derive(Debug, Deserialize)]
pub struct Explain {
    /// Code or name.
    pub code: String,
}

fn default_name() -> String {
    "kernel.metal".into()
}

fn yes() -> bool {
    true
}
