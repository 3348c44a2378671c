//! Brings LLVM's textual modules into a form in which equal modules are equal strings.
//!
//! Both sides of a comparison come out of `llvm-dis`; what may still differ without meaning anything is undone
//! here: numbers of values, metadata and attribute groups, the order of symbols, comments, and casts between
//! pointers of one type, which LLVM keeps when it reads typed-pointer bitcode and our reader resolves.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;

/// The canonical form of a module.
pub(crate) fn normalize(text: &str) -> String {
    let mut module = Module::split(text);
    module.drop_debug_info();
    let mut out = String::new();
    for line in &module.header {
        writeln!(out, "{line}").unwrap();
    }
    let mut numbering = Numbering { module: &module, numbers: HashMap::new(), order: Vec::new() };
    for (name, line) in &module.named {
        writeln!(out, "{name} = {}", numbering.rewrite(line)).unwrap();
    }
    for symbol in module.symbols.values() {
        let symbol =
            if symbol.contains('\n') { rename_locals(symbol, &module.types) } else { symbol.clone() };
        writeln!(out, "{}", numbering.rewrite(&symbol)).unwrap();
    }
    let mut index = 0;
    while let Some(node) = numbering.order.get(index).cloned() {
        let body = module.nodes.get(&node).cloned().unwrap_or_else(|| "missing".to_owned());
        let body = numbering.rewrite(&body);
        writeln!(out, "!{index} = {body}").unwrap();
        index += 1;
    }
    out
}

/// The parts of a module's text.
#[derive(Default)]
struct Module {
    /// Triple, layout, type definitions.
    header: Vec<String>,
    types: Vec<String>,
    /// Globals and functions by name.
    symbols: BTreeMap<String, String>,
    named: BTreeMap<String, String>,
    nodes: BTreeMap<String, String>,
    attributes: HashMap<String, String>,
}

impl Module {
    fn split(text: &str) -> Self {
        let mut module = Self::default();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let line = strip_comment(line).trim_end();
            if line.is_empty() || line.starts_with("source_filename") {
                continue;
            }
            if line.starts_with("define ") {
                let mut body = without_alignment(line);
                for inner in lines.by_ref() {
                    let inner = strip_comment(inner).trim_end();
                    if !inner.is_empty() {
                        body.push('\n');
                        body.push_str(&strip_scope(inner));
                    }
                    if inner == "}" {
                        break;
                    }
                }
                module.symbols.insert(symbol_name(&body), body);
            } else if line.starts_with("declare void @llvm.lifetime.") && line.ends_with(".i64(i64)") {
                // What LLVM's upgrade leaves behind of the old markers.
            } else if line.starts_with("declare ") || line.starts_with('@') {
                module.symbols.insert(symbol_name(line), line.to_owned());
            } else if let Some(rest) = line.strip_prefix("attributes ") {
                let (name, body) = rest.split_once(" = ").expect("an attribute group has a body");
                module.attributes.insert(name.to_owned(), body.to_owned());
            } else if line.starts_with('!') {
                let (name, body) = line.split_once(" = ").expect("metadata has a body");
                if name[1..].bytes().all(|byte| byte.is_ascii_digit()) {
                    module.nodes.insert(name[1..].to_owned(), body.to_owned());
                } else {
                    module.named.insert(name.to_owned(), body.to_owned());
                }
            } else {
                if let Some((name, _)) = line.split_once(" = type ") {
                    module.types.push(name.to_owned());
                }
                module.header.push(line.to_owned());
            }
        }
        module.header.sort();
        module
    }

    /// Removes debug information, which AIR does not keep: `!dbg` attachments, records, and nodes.
    fn drop_debug_info(&mut self) {
        let debug: HashSet<String> = self
            .nodes
            .iter()
            .filter(|(_, body)| body.trim_start_matches("distinct ").starts_with("!DI"))
            .map(|(number, _)| format!("!{number}"))
            .collect();
        if debug.is_empty() {
            return;
        }
        self.named.retain(|name, _| !name.starts_with("!llvm.dbg."));
        for symbol in self.symbols.values_mut() {
            let lines = symbol.lines().filter(|line| !line.trim_start().starts_with("#dbg_"));
            *symbol = lines.map(|line| without_attachments(line, &debug)).collect::<Vec<_>>().join("\n");
        }
        // Where such a node is an operand of another, ours has none.
        for body in self.nodes.values_mut() {
            *body = tokens(body)
                .into_iter()
                .map(|token| if debug.contains(token) { "null" } else { token })
                .collect();
        }
    }
}

/// A function's header without its alignment, which AIR does not keep: it says where machine code may start.
fn without_alignment(header: &str) -> String {
    match header.strip_suffix(" {").and_then(|header| header.rsplit_once(" align ")) {
        Some((header, digits)) if digits.bytes().all(|byte| byte.is_ascii_digit()) => format!("{header} {{"),
        _ => header.to_owned(),
    }
}

/// A line without attachments of the given nodes.
fn without_attachments(line: &str, nodes: &HashSet<String>) -> String {
    let mut line = line.to_owned();
    while let Some((before, kind)) = line.rsplit_once(" !dbg !") {
        let end = kind.find(|c: char| !c.is_ascii_digit()).unwrap_or(kind.len());
        if !nodes.contains(&format!("!{}", &kind[..end])) {
            break;
        }
        line = format!("{}{}", before.trim_end_matches(','), &kind[end..]);
    }
    line
}

/// The first `@name` of a line.
fn symbol_name(line: &str) -> String {
    tokens(line).into_iter().find(|token| token.starts_with('@')).unwrap_or_default().to_owned()
}

/// Replaces metadata numbers by the order of their first use, and attribute group numbers by their contents.
struct Numbering<'m> {
    module: &'m Module,
    numbers: HashMap<String, usize>,
    order: Vec<String>,
}

impl Numbering<'_> {
    fn rewrite(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for token in tokens(text) {
            let digits = &token[token.len().min(1)..];
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            if token.starts_with('!') && is_number {
                let next = self.order.len();
                let number = *self.numbers.entry(digits.to_owned()).or_insert(next);
                if number == next {
                    self.order.push(digits.to_owned());
                }
                write!(out, "!{number}").unwrap();
            } else if token.starts_with('#') && is_number {
                out.push_str(self.module.attributes.get(token).map_or(token, String::as_str));
            } else {
                out.push_str(token);
            }
        }
        out
    }
}

/// Renames local values and labels in the order of their first use, without casts that do nothing.
fn rename_locals(function: &str, types: &[String]) -> String {
    let mut aliases: HashMap<&str, &str> = HashMap::new();
    let mut kept = Vec::new();
    for line in function.lines() {
        match pointer_cast(line) {
            Some((result, operand)) => {
                aliases.insert(result, operand);
            }
            None => kept.push(line),
        }
    }
    let mut names: HashMap<String, usize> = HashMap::new();
    let mut out = String::with_capacity(function.len());
    for (position, line) in kept.into_iter().enumerate() {
        if let Some(label) = line.strip_suffix(':') {
            // The entry block's label is printed only if it has a name.
            if position == 1 {
                continue;
            }
            let name = format!("%{label}");
            let next = names.len();
            let number = *names.entry(name).or_insert(next);
            writeln!(out, "{number}:").unwrap();
            continue;
        }
        for token in tokens(line) {
            let mut token = token;
            while let Some(operand) = aliases.get(token) {
                token = operand;
            }
            if token.starts_with('%') && !types.iter().any(|name| name == token) {
                let next = names.len();
                let number = *names.entry(token.to_owned()).or_insert(next);
                write!(out, "%{number}").unwrap();
            } else {
                out.push_str(token);
            }
        }
        out.push('\n');
    }
    out
}

/// Result and operand of `%r = bitcast ptr %x to ptr`.
fn pointer_cast(line: &str) -> Option<(&str, &str)> {
    let (result, rest) = line.trim().split_once(" = bitcast ")?;
    let (from, to) = rest.rsplit_once(" to ")?;
    let to = to.split(", !").next()?;
    let operand = from.strip_prefix(to)?.strip_prefix(' ')?;
    (to.starts_with("ptr") || to.contains(" x ptr")).then_some((result, operand))
}

/// A line without the scope of its atomic access, which AIR does not keep.
fn strip_scope(line: &str) -> String {
    match line.split_once(" syncscope(\"") {
        Some((before, rest)) => format!("{before}{}", rest.split_once("\")").map_or("", |(_, after)| after)),
        None => line.to_owned(),
    }
}

/// A line without its comment.
fn strip_comment(line: &str) -> &str {
    let mut quoted = false;
    for (position, byte) in line.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b';' if !quoted => return &line[..position],
            _ => {}
        }
    }
    line
}

/// Cuts text into names with their sigils, strings, and single characters or runs between them.
fn tokens(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'$' | b'.' | b'_' | b'-');
    let mut tokens = Vec::new();
    let mut position = 0;
    while position < bytes.len() {
        let start = position;
        let byte = bytes[position];
        let sigil = matches!(byte, b'%' | b'@' | b'!' | b'#');
        position += 1;
        if (sigil && bytes.get(position) == Some(&b'"')) || byte == b'"' {
            if sigil {
                position += 1;
            }
            while position < bytes.len() && bytes[position] != b'"' {
                position += 1;
            }
            position = (position + 1).min(bytes.len());
        } else if sigil || is_name(byte) {
            while position < bytes.len() && is_name(bytes[position]) {
                position += 1;
            }
        } else {
            while position < bytes.len()
                && !is_name(bytes[position])
                && !matches!(bytes[position], b'%' | b'@' | b'!' | b'#' | b'"')
            {
                position += 1;
            }
        }
        tokens.push(&text[start..position]);
    }
    tokens
}
