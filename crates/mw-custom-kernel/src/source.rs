//! [`KernelSource`]: a text to compile, and how it is cut into files so that messages name the user's own lines.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use metalworking::{CompileOptions, MemoryFiles};

use crate::prelude::{PRELUDE, PRELUDE_NAME};

/// How free the compiler is with floating-point arithmetic, with MLX's numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u32)]
pub enum MathMode {
    /// IEEE behavior for special values.
    #[default]
    Safe = 0,
    /// May reorder, but respects infinities and NaN. Compiled as [`Self::Safe`], which keeps that promise.
    Relaxed = 1,
    /// May assume that there is no infinity and no NaN.
    Fast = 2,
}

impl MathMode {
    /// The mode with this number.
    pub fn from_number(number: u32) -> Option<Self> {
        [Self::Safe, Self::Relaxed, Self::Fast].get(number as usize).copied()
    }
}

/// A kernel's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelSource {
    /// The user's name, for messages and counts.
    pub label: String,
    /// The function's name.
    pub function: String,
    /// All of it, without what MLX's own definitions add.
    pub text: String,
    /// Where header and body lie, if that is known.
    pub(crate) pieces: Option<Pieces>,
    /// How free the compiler is with arithmetic.
    pub math_mode: MathMode,
}

/// Where in the text the user's own parts are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Pieces {
    pub(crate) header_end: usize,
    pub(crate) body: Range<usize>,
}

const PREFIX: &str = "custom_kernel_";

impl KernelSource {
    /// A text that came from somewhere else, such as a function that was exported. Header and body are found
    /// again where the text is of the usual form.
    pub fn from_text(function: &str, text: &str, math_mode: MathMode) -> Self {
        let pieces = find_pieces(function, text);
        Self {
            label: function.strip_prefix(PREFIX).unwrap_or(function).to_owned(),
            function: function.to_owned(),
            text: text.to_owned(),
            pieces,
            math_mode,
        }
    }

    /// The main file and the options to compile it with. The user's parts are files of their own, which the main
    /// file includes: so a message says `my_kernel:3:5`, line 3 of the body, and shows that line.
    pub fn compilation(&self) -> (String, CompileOptions) {
        let mut files = MemoryFiles::default();
        files.add(PRELUDE_NAME, PRELUDE);
        let mut main = format!("#include \"{PRELUDE_NAME}\"\n");
        let label = file_name(&self.label);
        match self.pieces.as_ref().filter(|pieces| self.can_be_cut(pieces)) {
            Some(pieces) => {
                let header = &self.text[..pieces.header_end];
                if !header.is_empty() {
                    let name = format!("{label} (header)");
                    writeln!(main, "#include \"{name}\"").expect("writing to a string");
                    files.add(name, header);
                }
                main.push_str(&self.text[pieces.header_end..pieces.body.start]);
                write!(main, "#include \"{label}\"").expect("writing to a string");
                files.add(label.clone(), &self.text[pieces.body.clone()]);
                main.push_str(&self.text[pieces.body.end..]);
            }
            None => main.push_str(&self.text),
        }
        let options = CompileOptions {
            fast_math: self.math_mode == MathMode::Fast,
            file_name: format!("{label} (generated)"),
            files: Arc::new(files),
            ..CompileOptions::default()
        };
        (main, options)
    }

    /// Whether the parts as files mean what they mean in one text: an unfinished last line would reach into what
    /// follows.
    fn can_be_cut(&self, pieces: &Pieces) -> bool {
        let ends_well = |part: &str, must_end: bool| {
            let line = part.rsplit('\n').next().unwrap_or_default();
            !line.ends_with('\\') && (!must_end || !line.contains("//"))
        };
        ends_well(&self.text[..pieces.header_end], true) && ends_well(&self.text[pieces.body.clone()], false)
    }
}

/// A label that can stand between the quotes of an include directive.
fn file_name(label: &str) -> String {
    let clean = |c: char| if c == '"' || c == '/' || c == '\\' || c.is_control() { '_' } else { c };
    let name: String = label.chars().map(clean).collect();
    if name.is_empty() { "kernel".to_owned() } else { name }
}

/// Ends the list of parameters.
const OPEN: &str = ") {\n";

fn find_pieces(function: &str, text: &str) -> Option<Pieces> {
    let declaration = text.find(&format!("[[kernel]] void {function}(\n"))?;
    let line_before = text[..declaration].strip_suffix('\n').map(|before| {
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        (start, &before[start..])
    });
    let header_end = match line_before {
        Some((start, line)) if line.starts_with("template <") && line.ends_with('>') => start,
        _ => declaration,
    };
    let start = declaration + text[declaration..].find(OPEN)? + OPEN.len();
    let instantiation = format!("\n}}\n\ntemplate [[host_name(\"{function}\")]]");
    let end =
        text[start..].rfind(&instantiation).or_else(|| text[start..].strip_suffix("\n}\n").map(str::len))?;
    Some(Pieces { header_end, body: start..start + end })
}
