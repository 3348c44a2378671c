//! Canonical printer: AIR as LLVM assembly that `llvm-as` 22 accepts.
//!
//! Canonical means that two modules which differ only in numbering, in the order of their tables or in
//! things that nothing uses print the same:
//!
//! - values and blocks are numbered in the order in which they stand, metadata in the order in which it is
//!   first reached (named lists first, then attachments in text order);
//! - structure types are listed in the order in which they are first needed, and only if they are;
//! - attributes stand inline; floats are hexadecimal; vectors of one repeated number are `splat`.
//!
//! Everything is written into one `String` without allocation per instruction, because the JIT hands its
//! modules to LLVM in this form. The printer never fails: what the [verifier](mod@crate::verify) would refuse
//! is printed as `<badref>` and refused by the next reader.

mod attributes;
mod constant;
mod debug;
mod inst;
mod metadata;
mod symbols;

use std::fmt;

use crate::{Function, Global, InstId, Linkage, Module};

pub(crate) use attributes::{MEMORY_ACCESS, MEMORY_OTHER, MEMORY_PLACES};
use metadata::MetadataNumbers;
use symbols::{StructTable, Symbols};

/// What to print, and under which target.
#[derive(Clone, Copy, Debug)]
pub struct PrintOptions<'a> {
    /// Print metadata: named lists, nodes and attachments.
    pub metadata: bool,
    /// Print debug information, if the module wants it printed.
    pub debug: bool,
    /// Triple to print in place of the module's.
    pub triple: Option<&'a str>,
    /// Data layout to print in place of the module's.
    pub data_layout: Option<&'a str>,
}

impl Default for PrintOptions<'_> {
    fn default() -> Self {
        Self { metadata: true, debug: true, triple: None, data_layout: None }
    }
}

/// The module as LLVM assembly.
pub fn print(module: &Module, options: &PrintOptions<'_>) -> String {
    let mut printer = Printer::new(module, options.metadata);
    if options.metadata && options.debug && module.debug.is_emitted {
        printer.debug = true;
        printer.number_unit();
    }
    printer.globals();
    printer.functions();
    if options.metadata {
        printer.metadata();
    }
    let mut text = String::with_capacity(printer.out.len() + 1024);
    header(&mut text, module, options);
    printer.structs.write_definitions(&mut text);
    text.push_str(&printer.out);
    text
}

/// One function of the module as LLVM assembly, for messages: without the types and metadata it refers to.
pub fn print_function(module: &Module, function: &Function) -> String {
    let mut printer = Printer::new(module, false);
    printer.function(function);
    printer.out
}

/// One instruction of the function as LLVM assembly, for messages.
pub fn print_instruction(module: &Module, function: &Function, inst: InstId) -> String {
    let mut printer = Printer::new(module, false);
    printer.number_values(function);
    printer.inst(function, inst);
    printer.out.trim().to_owned()
}

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print(self, &PrintOptions::default()))
    }
}

fn header(text: &mut String, module: &Module, options: &PrintOptions<'_>) {
    let data_layout = options.data_layout.unwrap_or(&module.data_layout);
    let triple = options.triple.unwrap_or(&module.triple);
    for (key, value) in [
        ("source_filename = ", module.source_filename.as_str()),
        ("target datalayout = ", data_layout),
        ("target triple = ", triple),
    ] {
        if !value.is_empty() {
            text.push_str(key);
            push_quoted(text, value);
            text.push('\n');
        }
    }
}

/// State of one printing.
struct Printer<'m> {
    module: &'m Module,
    out: String,
    structs: StructTable,
    symbols: Symbols,
    numbers: Option<MetadataNumbers<'m>>,
    /// Debug information is printed.
    debug: bool,
    /// The function being printed has a subprogram, so that its instructions have positions.
    is_located: bool,
    /// Number of each value of the function being printed; `u32::MAX` for constants.
    slots: Vec<u32>,
    /// Number of each block of the function being printed.
    block_slots: Vec<u32>,
}

impl<'m> Printer<'m> {
    fn new(module: &'m Module, metadata: bool) -> Self {
        Self {
            module,
            out: String::with_capacity(4096),
            structs: StructTable::default(),
            symbols: Symbols::new(module),
            numbers: metadata.then(|| MetadataNumbers::new(module)),
            debug: false,
            is_located: false,
            slots: Vec::new(),
            block_slots: Vec::new(),
        }
    }

    fn globals(&mut self) {
        if !self.module.globals.is_empty() {
            self.out.push('\n');
        }
        for (index, global) in self.module.globals.iter().enumerate() {
            self.out.push_str(&self.symbols.globals[index]);
            self.out.push_str(" = ");
            self.global(global);
            self.out.push('\n');
        }
    }

    fn global(&mut self, global: &'m Global) {
        if global.initializer.is_none() && global.linkage == Linkage::External {
            self.out.push_str("external ");
        } else {
            self.out.push_str(linkage_prefix(global.linkage));
        }
        self.unnamed_addr(global.unnamed_addr);
        if global.space.0 != 0 {
            self.out.push_str("addrspace(");
            push_uint(&mut self.out, u64::from(global.space.0));
            self.out.push_str(") ");
        }
        if global.externally_initialized {
            self.out.push_str("externally_initialized ");
        }
        self.out.push_str(if global.is_constant { "constant " } else { "global " });
        self.ty(&global.ty);
        if let Some(initializer) = &global.initializer {
            self.out.push(' ');
            self.constant(&initializer.ty, &initializer.value);
        }
        if let Some(section) = &global.section {
            self.out.push_str(", section ");
            push_quoted(&mut self.out, section);
        }
        if global.align != 0 {
            self.out.push_str(", align ");
            push_uint(&mut self.out, u64::from(global.align));
        }
        self.attachments(", ", &global.metadata);
    }

    fn functions(&mut self) {
        for function in &self.module.functions {
            self.out.push('\n');
            self.function(function);
        }
    }

    fn function(&mut self, function: &'m Function) {
        self.number_values(function);
        let declaration = function.is_declaration();
        self.out.push_str(if declaration { "declare" } else { "define" });
        // LLVM puts a declaration's attachments before its type, a definition's after it.
        if declaration {
            self.attachments(" ", &function.metadata);
        }
        self.out.push(' ');
        self.out.push_str(linkage_prefix(function.linkage));
        self.calling_convention(function.calling_convention);
        self.attributes(&function.ret_attrs, "", " ");
        self.ty(&function.ty.ret);
        self.out.push(' ');
        match self.symbols.function(self.module, function) {
            Some(symbol) => self.out.push_str(symbol),
            None => symbols::push_symbol(&mut self.out, '@', &function.name),
        }
        self.out.push('(');
        for (index, ty) in function.ty.params.iter().enumerate() {
            if index != 0 {
                self.out.push_str(", ");
            }
            self.ty(ty);
            if let Some(attributes) = function.param_attrs.get(index) {
                self.attributes(attributes, " ", "");
            }
            if !declaration {
                self.out.push_str(" %");
                push_uint(&mut self.out, index as u64);
            }
        }
        if function.ty.varargs {
            self.out.push_str(if function.ty.params.is_empty() { "..." } else { ", ..." });
        }
        self.out.push(')');
        match function.unnamed_addr {
            1 => self.out.push_str(" unnamed_addr"),
            2 => self.out.push_str(" local_unnamed_addr"),
            _ => {}
        }
        self.attributes(&function.attrs, " ", "");
        if let Some(section) = &function.section {
            self.out.push_str(" section ");
            push_quoted(&mut self.out, section);
        }
        if declaration {
            self.out.push('\n');
            return;
        }
        self.attachments(" ", &function.metadata);
        self.subprogram(function);
        self.out.push_str(" {\n");
        for (index, block) in function.blocks.iter().enumerate() {
            if index != 0 {
                self.out.push('\n');
                push_uint(&mut self.out, u64::from(self.block_slots[index]));
                self.out.push_str(":\n");
            }
            for id in &block.insts {
                self.inst(function, *id);
            }
            self.terminator(function, block);
        }
        self.out.push_str("}\n");
        self.is_located = false;
    }

    /// Gives numbers as LLVM does: parameters, then each block followed by its results.
    fn number_values(&mut self, function: &Function) {
        self.slots.clear();
        self.slots.resize(function.values().len(), u32::MAX);
        self.block_slots.clear();
        let mut next = 0_u32;
        for slot in self.slots.iter_mut().take(function.ty.params.len()) {
            *slot = next;
            next += 1;
        }
        for block in &function.blocks {
            self.block_slots.push(next);
            next += 1;
            for inst in &block.insts {
                if inst.index() >= function.inst_count() {
                    continue;
                }
                if let Some(slot) =
                    function.inst(*inst).result.and_then(|result| self.slots.get_mut(result.index()))
                {
                    *slot = next;
                    next += 1;
                }
            }
        }
    }

    fn calling_convention(&mut self, convention: u32) {
        match convention {
            0 => {}
            8 => self.out.push_str("fastcc "),
            9 => self.out.push_str("coldcc "),
            other => {
                self.out.push_str("cc ");
                push_uint(&mut self.out, u64::from(other));
                self.out.push(' ');
            }
        }
    }

    fn unnamed_addr(&mut self, unnamed_addr: u8) {
        match unnamed_addr {
            1 => self.out.push_str("unnamed_addr "),
            2 => self.out.push_str("local_unnamed_addr "),
            _ => {}
        }
    }
}

/// Keyword of a linkage with a space behind it; nothing for `external`.
fn linkage_prefix(linkage: Linkage) -> &'static str {
    match linkage {
        Linkage::External => "",
        Linkage::Internal => "internal ",
        Linkage::Private => "private ",
        Linkage::WeakOdr => "weak_odr ",
        Linkage::Weak => "weak ",
        Linkage::LinkOnceOdr => "linkonce_odr ",
        Linkage::LinkOnce => "linkonce ",
        Linkage::Appending => "appending ",
        Linkage::Common => "common ",
        Linkage::AvailableExternally => "available_externally ",
        Linkage::ExternWeak => "extern_weak ",
    }
}

/// Writes a decimal number without going through `fmt`.
fn push_uint(out: &mut String, mut value: u64) {
    let mut digits = [0_u8; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    // Digits are ASCII.
    out.push_str(std::str::from_utf8(&digits[start..]).unwrap_or_default());
}

/// Writes the last `digits` upper-case hexadecimal digits, at most 16.
fn push_hex(out: &mut String, value: u64, digits: u32) {
    let mut text = [0_u8; 16];
    for (position, byte) in text.iter_mut().enumerate() {
        *byte = b"0123456789ABCDEF"[(value >> (60 - 4 * position)) as usize & 15];
    }
    let start = 16_usize.saturating_sub(digits as usize);
    // Digits are ASCII.
    out.push_str(std::str::from_utf8(&text[start..]).unwrap_or_default());
}

/// Writes a string in quotes, with `\XX` for what LLVM escapes.
fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    push_escaped(out, text.as_bytes());
    out.push('"');
}

/// Writes bytes with `\XX` for everything but plain ASCII.
fn push_escaped(out: &mut String, bytes: &[u8]) {
    for byte in bytes {
        if (0x20..0x7f).contains(byte) && *byte != b'"' && *byte != b'\\' {
            out.push(*byte as char);
        } else {
            out.push('\\');
            push_hex(out, u64::from(*byte), 2);
        }
    }
}
