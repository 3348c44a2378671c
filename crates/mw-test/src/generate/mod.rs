//! Kernels made of bytes: a grammar that follows the types, so that most of what it writes is correct Metal.
//!
//! The same bytes give the same text; where they end, the shortest way out is taken.

mod expression;
mod function;
mod statement;
mod types;

use std::fmt::Write as _;

use arbitrary::Unstructured;

use types::{Scalar, Ty};

/// A Metal source made of bytes.
pub fn generate(bytes: &[u8]) -> String {
    let mut unstructured = Unstructured::new(bytes);
    let mut generator = Generator::new(&mut unstructured);
    generator.program();
    generator.out
}

/// A name in scope.
#[derive(Clone, Debug)]
struct Variable {
    name: String,
    ty: Ty,
    is_mutable: bool,
}

/// A memory that is indexed.
#[derive(Clone, Debug)]
struct Buffer {
    name: String,
    element: Ty,
    is_writable: bool,
    /// Elements; an index is taken modulo this.
    length: u32,
}

/// A function that can be called.
#[derive(Clone, Debug)]
struct Helper {
    name: String,
    result: Ty,
    parameters: Vec<Ty>,
    /// Takes and gives any arithmetic type.
    is_template: bool,
}

/// A structure.
#[derive(Clone, Debug)]
struct Record {
    name: String,
    fields: Vec<(String, Ty)>,
}

struct Generator<'u, 'b> {
    bytes: &'u mut Unstructured<'b>,
    out: String,
    indent: usize,
    depth: usize,
    next_name: u32,
    variables: Vec<Variable>,
    buffers: Vec<Buffer>,
    helpers: Vec<Helper>,
    records: Vec<Record>,
    /// Loops around the current place.
    loops: u32,
    /// Inside a kernel, where simdgroup functions may be called.
    in_kernel: bool,
    /// What the function gives.
    result: Option<Ty>,
}

/// Expressions and statements nest this deep.
const MAX_DEPTH: usize = 6;

impl<'u, 'b> Generator<'u, 'b> {
    fn new(bytes: &'u mut Unstructured<'b>) -> Self {
        Self {
            bytes,
            out: String::new(),
            indent: 0,
            depth: 0,
            next_name: 0,
            variables: Vec::new(),
            buffers: Vec::new(),
            helpers: Vec::new(),
            records: Vec::new(),
            loops: 0,
            in_kernel: false,
            result: None,
        }
    }

    /// A number below `bound`; 0 when the bytes are used up.
    fn below(&mut self, bound: usize) -> usize {
        self.bytes.int_in_range(0..=bound.saturating_sub(1)).unwrap_or(0)
    }

    /// True once in `times`; false when the bytes are used up.
    fn one_in(&mut self, times: usize) -> bool {
        !self.is_done() && self.below(times) == 0
    }

    fn is_done(&self) -> bool {
        self.bytes.is_empty()
    }

    fn name(&mut self, prefix: &str) -> String {
        self.next_name += 1;
        format!("{prefix}{}", self.next_name)
    }

    fn line(&mut self, text: &str) {
        let width = self.indent * 2;
        let _ = writeln!(self.out, "{:width$}{text}", "");
    }

    fn program(&mut self) {
        if self.one_in(3) {
            let version = ["metal2.4", "metal3.0", "metal3.1", "metal3.2", "metal4.0"][self.below(5)];
            let math = if self.one_in(2) { " -fno-fast-math" } else { "" };
            // Without `bfloat` in old versions the text may be refused, which is fine.
            self.line(&format!("// flags: -std={version}{math}"));
        }
        self.line("#include <metal_stdlib>");
        self.line("using namespace metal;");
        for _ in 0..self.below(3) {
            self.record();
        }
        for _ in 0..self.below(4) {
            self.helper();
        }
        self.kernel();
    }

    fn record(&mut self) {
        let name = self.name("S");
        self.line(&format!("struct {name} {{"));
        let mut fields = Vec::new();
        for _ in 0..=self.below(3) {
            let ty = self.plain_type();
            let field = self.name("f");
            self.line(&format!("  {ty} {field};"));
            fields.push((field, ty));
        }
        self.line("};");
        self.records.push(Record { name, fields });
    }

    /// A scalar or vector type.
    fn plain_type(&mut self) -> Ty {
        let scalar = Scalar::ALL[self.below(Scalar::ALL.len())];
        let lanes = [1, 1, 1, 2, 3, 4][self.below(6)];
        Ty { scalar, lanes }
    }

    /// A scalar or vector type of numbers.
    fn number_type(&mut self) -> Ty {
        let ty = self.plain_type();
        if ty.scalar == Scalar::Bool { Ty { scalar: Scalar::Int, ..ty } } else { ty }
    }
}
