//! What the command line says about a compilation, as far as lowering asks.

/// Options of one compilation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LowerOptions {
    /// Metal language version, such as (3, 1). It decides the AIR version.
    pub language_version: (u32, u32),
    /// Fast math is the default of the module, as its metadata tells.
    pub fast_math: bool,
    /// Name of the source file, without its folder.
    pub source_name: String,
    /// Lines of the source are part of the module's text (`-g`), where they are known.
    pub debug_info: bool,
}

impl Default for LowerOptions {
    fn default() -> Self {
        Self {
            language_version: (3, 1),
            fast_math: true,
            source_name: "program.metal".into(),
            debug_info: false,
        }
    }
}

impl LowerOptions {
    /// AIR version that Apple's compiler writes for the language version.
    pub fn air_version(&self) -> (u32, u32) {
        match self.language_version {
            (0..=2, _) => (2, 4),
            (3, 0) => (2, 5),
            (3, 1) => (2, 6),
            (3, _) => (2, 7),
            _ => (2, 8),
        }
    }

    /// Target triple of the AIR version.
    pub(crate) fn triple(&self) -> &'static str {
        match self.air_version() {
            (2, 4) => "air64-apple-macosx12.0.0",
            (2, 5) => "air64-apple-macosx13.0.0",
            (2, 6) => "air64_v26-apple-macosx14.0.0",
            (2, 7) => "air64_v27-apple-macosx15.0.0",
            _ => "air64_v28-apple-macosx26.0.0",
        }
    }

    /// SDK version that the module claims to be compiled with.
    pub(crate) fn sdk_version(&self) -> (u32, u32) {
        match self.air_version() {
            (2, 4) => (12, 0),
            (2, 5) => (13, 0),
            (2, 6) => (14, 0),
            (2, 7) => (15, 0),
            _ => (26, 0),
        }
    }
}
