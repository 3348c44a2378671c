//! The packages with Metal sources: what of each is compiled, and with which flags.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use xshell::cmd;

use super::tool::Source;
use crate::context::Context;

/// How a package ships its kernels.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// In `.metal` files.
    Files,
    /// In headers that instantiate their kernels: one source includes them all.
    Headers,
    /// As bodies in strings of Python files, wrapped as MLX wraps them.
    Bodies,
}

/// A package, what of it is compiled, and how many kernels it has.
pub(super) struct Package {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    /// Entry points by the registry's count.
    pub(super) kernels: usize,
    form: Form,
    /// Folders below the package in which `#include` looks.
    include_folders: &'static [&'static str],
}

pub(super) const PACKAGES: &[Package] = &[
    Package {
        name: "candle-metal-kernels",
        version: "0.11.1",
        kernels: 1749,
        form: Form::Files,
        include_folders: &[],
    },
    Package {
        name: "mistralrs-quant",
        version: "0.8.1",
        kernels: 3988,
        form: Form::Files,
        include_folders: &["src/metal_kernels"],
    },
    Package {
        name: "mistralrs-paged-attn",
        version: "0.8.1",
        kernels: 331,
        form: Form::Files,
        include_folders: &["src/metal/kernels"],
    },
    Package {
        name: "luminal_metal",
        version: "0.2.0",
        kernels: 1170,
        form: Form::Files,
        include_folders: &[],
    },
    Package { name: "tract-metal", version: "0.23.9", kernels: 882, form: Form::Files, include_folders: &[] },
    Package {
        name: "llama-cpp-sys-2",
        version: "0.1.161",
        kernels: 1151,
        form: Form::Files,
        include_folders: &[
            "llama.cpp/ggml/src",
            "llama.cpp/ggml/src/ggml-metal",
            "llama.cpp/ggml/src/ggml-metal/kernels",
        ],
    },
    Package {
        name: "torch",
        version: "2.15.0",
        kernels: 1827,
        form: Form::Headers,
        include_folders: &["torch/include"],
    },
    bodies("mlx-lm", "0.32.2", 20),
    bodies("mlx-vlm", "0.7.10", 97),
    bodies("mlx-audio", "0.6.2", 9),
    bodies("zmlx", "0.10.0", 147),
];

/// A Python package; `kernels` counts its calls of `metal_kernel`, some of which make several kernels.
const fn bodies(name: &'static str, version: &'static str, kernels: usize) -> Package {
    Package { name, version, kernels, form: Form::Bodies, include_folders: &["../mlx-metal/mlx/include"] }
}

impl Package {
    /// The package's sources; those that are made of something else are made anew.
    pub(super) fn sources(&self, context: &Context) -> Result<Vec<Source>> {
        let folder = self.folder(context);
        let made = self.out(context).join("src");
        let below = match self.form {
            Form::Files => folder.clone(),
            Form::Headers => {
                include_headers(context, &folder, &made)?;
                made
            }
            Form::Bodies => {
                let python = crate::libraries::python(context);
                cmd!(context.shell, "{python} -c {BODIES} {folder} {made}")
                    .quiet()
                    .ignore_stdout()
                    .ignore_stderr()
                    .run()?;
                made
            }
        };
        let mut flags: Vec<String> = Vec::new();
        if self.name == "llama-cpp-sys-2" {
            // Its build script says so where the device has bfloat.
            flags.extend(["-D".into(), "GGML_METAL_HAS_BF16=1".into()]);
        }
        for include in self.include_folders {
            flags.extend(["-I".into(), folder.join(include).to_string_lossy().into_owned()]);
        }
        let mut list = Vec::new();
        for path in files(&below, "metal")? {
            let name = path.strip_prefix(&below)?.to_string_lossy().replace('/', "_");
            if PARTS.iter().any(|part| name.ends_with(part)) {
                continue;
            }
            let out = self.out(context).join(&name);
            let is_optimized = OPTIMIZED.iter().any(|file| name.ends_with(file));
            list.push(Source { name, path, flags: flags.clone(), is_optimized, out });
        }
        Ok(list)
    }

    /// Where the package lies.
    pub(super) fn folder(&self, context: &Context) -> PathBuf {
        context.root.join(".cache/corpora").join(self.name)
    }

    /// Where libraries and journals go.
    pub(super) fn out(&self, context: &Context) -> PathBuf {
        context.root.join(".cache/corpora-out").join(self.name)
    }
}

/// Files whose kernels read through a null pointer where they do not use what they read, as MLX's block sort did
/// without an index to carry along: any compiler's clean-up takes the read away, and the interpreter would stop.
const OPTIMIZED: &[&str] = &["mlx_sort.metal", "kernels_sort.metal"];

/// Files that others include after they have defined what these need.
const PARTS: &[&str] = &["fa_common.metal", "fa_vec_common.metal"];

/// Takes kernel bodies out of Python files and wraps them.
const BODIES: &str = include_str!("bodies.py");

/// What PyTorch's own sources say before they include its kernels.
const PREAMBLE: &str = "#include <metal_stdlib>\n#include <c10/metal/common.h>\n#include <c10/metal/utils.h>\n\
     #include <c10/metal/indexing.h>\nusing namespace metal;\n\
     #include <ATen/native/mps/kernels/LinearAlgebra.h>\n";

/// Writes a source that includes every header with kernels.
pub(super) fn include_headers(context: &Context, folder: &Path, made: &Path) -> Result<()> {
    context.shell.create_dir(made)?;
    let mut source = PREAMBLE.to_owned();
    for header in files(folder, "h")? {
        if !fs::read_to_string(&header)?.contains("host_name") {
            continue;
        }
        let path = header.strip_prefix(folder)?.to_string_lossy().into_owned();
        let path = path.split_once("include/").map_or(path.as_str(), |(_, path)| path);
        writeln!(source, "#include <{path}>")?;
    }
    let path = made.join("headers.metal");
    // What has not changed keeps its time, so that it is not compiled anew.
    if context.shell.read_file(&path).ok().as_ref() != Some(&source) {
        context.shell.write_file(path, source)?;
    }
    Ok(())
}

/// The files below a folder with this extension, sorted.
pub(super) fn files(folder: &Path, wanted: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder).with_context(|| {
            format!("cannot read {}: `cargo xtask corpora fetch` brings the packages", folder.display())
        })? {
            let path = entry?.path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == wanted) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
