//! Macros that are there before the first line.

use std::fmt::Write as _;

use crate::options::{LanguageVersion, Options};

/// Definitions that follow from the language version and options.
pub(super) fn text(options: &Options) -> String {
    let version = options.version;
    let cplusplus = if version >= LanguageVersion::Metal4_0 { "201703L" } else { "201402L" };
    let mut text = format!(
        "#define __METAL__ 1
#define __METAL_VERSION__ {}
#define __METAL_MACOS__ 1
#define __cplusplus {cplusplus}
#define __STDC__ 1
#define __STDC_HOSTED__ 0
#define __clang__ 1
#define __CHAR_BIT__ 8
#define __LITTLE_ENDIAN__ 1
",
        version.number()
    );
    if version.has_bfloat() {
        text.push_str("#define __HAVE_BFLOAT__ 1\n");
    }
    if version >= LanguageVersion::Metal4_0 {
        text.push_str("#define __HAVE_TENSOR__ 1\n");
    }
    if options.fast_math {
        text.push_str("#define __FAST_MATH__ 1\n");
    }
    text
}

/// Definitions that the user gave beside the text.
pub(super) fn defines(options: &Options) -> String {
    let mut text = String::new();
    for (name, body) in &options.defines {
        // A line break would begin a new directive.
        let body = body.replace(['\n', '\r'], " ");
        let _ = writeln!(text, "#define {} {body}", name.replace(['\n', '\r'], " "));
    }
    text
}
