//! Gives library functions their bodies.

use std::fmt;

use mw_air::{
    Attribute, Attributes, Flags, FuncId, Function, FunctionType, Inst, Linkage, MdId, MdOperand, Module,
    Scalar, Type, ValueId,
};
use rustc_hash::FxHashSet;

use crate::convert::{self, Number};
use crate::expr::{Body, Expr, Externs, suffix};
use crate::library::{FLOAT, FloatFunction, INT, IntFunction, Narrow, Signature};
use crate::name::{self, Name, Rounding, Shape, Side};
use crate::pack::{self, Format};
use crate::primitives::is_primitive;
use crate::vector;

/// External functions that no engine could run.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct LinkError {
    /// All of them, in the order of the module.
    pub problems: Vec<Problem>,
}

/// One external function and what is wrong with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// No library function has this name.
    Unknown(String),
    /// The name is known, but not with the type that the module declares.
    WrongType {
        /// Name of the function.
        name: String,
        /// Its type in the module.
        found: String,
    },
    /// Known, and not provided.
    Unsupported {
        /// Name of the function.
        name: String,
        /// What it belongs to.
        reason: &'static str,
    },
}

impl Problem {
    /// Name of the function.
    pub fn name(&self) -> &str {
        match self {
            Self::Unknown(name) | Self::WrongType { name, .. } | Self::Unsupported { name, .. } => name,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => write!(f, "`{name}` (no such library function)"),
            Self::WrongType { name, found } => write!(f, "`{name}` (declared with another type: {found})"),
            Self::Unsupported { name, reason } => write!(f, "`{name}` ({reason})"),
        }
    }
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.problems.len();
        let what = if count == 1 { "function is" } else { "functions are" };
        write!(f, "{count} external {what} not provided: ")?;
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

/// What a declaration stands for.
enum Library {
    Float { fast: bool, function: &'static FloatFunction, shape: Shape },
    Int { signed: Option<bool>, function: &'static IntFunction, shape: Shape },
    Convert { to: Side, from: Side, rounding: Option<Rounding> },
    Pack(Format),
    Unpack(Format),
    Dot,
    All,
    Any,
}

/// Gives every declared library function a body, and drops all fast-math flags of the module.
///
/// Bodies have internal linkage and the attributes `alwaysinline` and `nounwind`. Functions that they call
/// are added once. Engine primitives stay declarations; linking twice changes nothing.
///
/// # Errors
/// Names every declared function that is neither a primitive nor a library function. The module is then
/// partly linked and of no use.
pub fn link(module: &mut Module) -> Result<(), LinkError> {
    for function in &mut module.functions {
        drop_fast_math(function);
    }
    let flush = flushes_denormals(module);
    let mut problems = Vec::new();
    let mut externs = Externs {
        by_name: module.function_ids().map(|id| (module.function(id).name.to_string(), id)).collect(),
        added: Vec::new(),
        base: module.functions.len(),
    };
    let mut next = 0;
    while next < module.functions.len() {
        let id = FuncId::new(next);
        next += 1;
        let function = module.function(id);
        if !function.is_declaration() || is_primitive(&function.name) {
            continue;
        }
        let library = match classify(&function.name, &function.ty) {
            Ok(library) => library,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        let (function, used) = define(declaration_to_fill(function), &library, externs, flush);
        *module.function_mut(id) = function;
        externs = used;
        module.functions.append(&mut externs.added);
        externs.base = module.functions.len();
    }
    if problems.is_empty() { Ok(()) } else { Err(LinkError { problems }) }
}

/// Whether the module asks for f32 denormals to be flushed.
fn flushes_denormals(module: &Module) -> bool {
    let mut seen = FxHashSet::default();
    let mut work: Vec<MdId> = module.metadata.named("air.compile_options").to_vec();
    while let Some(id) = work.pop() {
        if !seen.insert(id) {
            continue;
        }
        for operand in &module.metadata.node(id).operands {
            match operand {
                MdOperand::String(text) if &**text == "air.compile.denorms_disable" => return true,
                MdOperand::Node(node) => work.push(*node),
                _ => {}
            }
        }
    }
    false
}

fn drop_fast_math(function: &mut Function) {
    for block in function.block_ids() {
        for inst in function.block(block).insts.clone() {
            match &mut function.inst_mut(inst).inst {
                Inst::Binary { flags, .. }
                | Inst::FNeg { flags, .. }
                | Inst::Cast { flags, .. }
                | Inst::FCmp { flags, .. }
                | Inst::Select { flags, .. }
                | Inst::Phi { flags, .. } => *flags = flags.without(Flags::FAST),
                Inst::Call(call) => call.flags = call.flags.without(Flags::FAST),
                _ => {}
            }
        }
    }
}

/// A fresh function of the same name and type, without what only suits a declaration.
fn declaration_to_fill(declared: &Function) -> Function {
    let mut function = Function::new(&declared.name, declared.ty.clone());
    function.linkage = Linkage::Internal;
    let reads_memory = function.ty.params.iter().any(|ty| ty.address_space().is_some());
    let mut attrs: Vec<Attribute> =
        ["alwaysinline", "nofree", "norecurse", "nosync", "nounwind", "willreturn"]
            .map(|name| Attribute::Enum(name.into()))
            .into();
    if !reads_memory {
        attrs.push(Attribute::Int("memory".into(), 0));
    }
    function.attrs = Attributes(attrs);
    function
}

fn classify(name: &str, ty: &FunctionType) -> Result<Library, Problem> {
    let unsupported = |reason| Problem::Unsupported { name: name.to_owned(), reason };
    if name.starts_with("__tensorops_impl_") || (name.starts_with("air.") && name.contains("_tensor")) {
        return Err(unsupported("tensor operations are not supported"));
    }
    let unknown = || Problem::Unknown(name.to_owned());
    let wrong_type = || Problem::WrongType { name: name.to_owned(), found: type_text(ty) };
    let check = |admitted: bool, library: Library| if admitted { Ok(library) } else { Err(wrong_type()) };
    match name::parse(name).ok_or_else(unknown)? {
        Name::Convert { to, from, rounding } => {
            let directed = rounding.is_some_and(|rounding| rounding != Rounding::ToNearestEven);
            if directed && to.ty.scalar.is_float() {
                return Err(unsupported("conversions to a float round to nearest even only"));
            }
            let admitted =
                ty.ret == to.ty.ty() && ty.params == [from.ty.ty()] && to.ty.lanes == from.ty.lanes;
            check(admitted, Library::Convert { to, from, rounding })
        }
        Name::Pack { unpack, format, shape } => {
            let format = Format::named(format).ok_or_else(unknown)?;
            let (from, to) = (shape.ty(), format.packed());
            let (from, to) = if unpack { (to, from) } else { (from, to) };
            let admitted = format.fits(shape) && ty.params == [from] && ty.ret == to;
            check(admitted, if unpack { Library::Unpack(format) } else { Library::Pack(format) })
        }
        Name::Plain { operation: "dot", signed: None, shape, .. } => {
            let vector = shape.ty();
            let admitted = shape.lanes.is_some()
                && shape.scalar.is_float()
                && ty.ret == Type::Scalar(shape.scalar)
                && ty.params == [vector.clone(), vector];
            check(admitted, Library::Dot)
        }
        Name::Plain { fast: false, operation: operation @ ("all" | "any"), signed: None, shape } => {
            let admitted = shape.lanes.is_some()
                && shape.scalar == Scalar::Int(1)
                && ty.ret == Type::I1
                && ty.params == [shape.ty()];
            check(admitted, if operation == "all" { Library::All } else { Library::Any })
        }
        Name::Plain { fast, operation, signed, shape } if shape.scalar.is_float() => {
            let function =
                FLOAT.iter().find(|f| f.name == operation && signed.is_none()).ok_or_else(unknown)?;
            check(function.signature.admits(ty, shape), Library::Float { fast, function, shape })
        }
        Name::Plain { fast, operation, signed, shape } => {
            let function = INT.iter().find(|f| f.name == operation && !fast).ok_or_else(unknown)?;
            if shape.scalar == Scalar::Int(1)
                || (operation.ends_with("24") && shape.scalar != Scalar::Int(32))
            {
                return Err(unknown());
            }
            check(function.signature.admits(ty, shape), Library::Int { signed, function, shape })
        }
    }
}

fn type_text(ty: &FunctionType) -> String {
    let params: Vec<String> = ty.params.iter().map(ToString::to_string).collect();
    format!("{} ({})", ty.ret, params.join(", "))
}

fn define(function: Function, library: &Library, externs: Externs, flush: bool) -> (Function, Externs) {
    let body = Body::new(function, externs, flush);
    let args = body.params();
    let result: ValueId = match library {
        Library::Float { fast, function, shape } => float_body(&body, &args, *fast, function, *shape).value,
        Library::Int { signed, function, shape } => match shape.lanes {
            None => (function.body)(&args, signed.unwrap_or(true)).value,
            Some(lanes) => {
                let kind = match signed {
                    None => "",
                    Some(true) => ".s",
                    Some(false) => ".u",
                };
                let scalar = format!("air.{}{kind}.{}", function.name, shape.scalar.suffix());
                let element = Type::Scalar(shape.scalar);
                by_element(&body, &args, &scalar, lanes, &element, None).value
            }
        },
        Library::Convert { to, from, rounding } => {
            let convert_one = |x| {
                let (from, to) = (number(from), number(to));
                convert::convert(x, from, to, *rounding)
            };
            if from.ty.lanes.is_none() {
                convert_one(args[0]).value
            } else {
                let converted: Vec<_> = vector::elements(args[0]).into_iter().map(convert_one).collect();
                vector::collect(&to.ty.ty(), &converted).value
            }
        }
        Library::Pack(format) => pack::pack(args[0], format).value,
        Library::Unpack(format) => pack::unpack(args[0], format, &body.return_type()).value,
        Library::Dot => vector::dot(args[0], args[1]).value,
        Library::All => vector::all(args[0]).value,
        Library::Any => vector::any(args[0]).value,
    };
    drop(args);
    body.finish(Some(result))
}

fn number(side: &Side) -> Number {
    Number { kind: side.kind, scalar: side.ty.scalar }
}

fn float_body<'a>(
    body: &'a Body,
    args: &[Expr<'a>],
    fast: bool,
    function: &FloatFunction,
    shape: Shape,
) -> Expr<'a> {
    let prefix = if fast { "air.fast_" } else { "air." };
    let scalar = Type::Scalar(shape.scalar);
    if function.name == "fma" {
        // A primitive of every length.
        return (function.body)(args);
    }
    if let Some(lanes) = shape.lanes {
        let one = format!("{prefix}{}.{}", function.name, suffix(&scalar));
        let (result, stored) = match function.signature {
            Signature::ToInt => (Type::I32, None),
            Signature::StoresSame => (scalar.clone(), Some(scalar)),
            Signature::StoresInt => (scalar, Some(Type::I32)),
            _ => (scalar, None),
        };
        return by_element(body, args, &one, lanes, &result, stored.as_ref());
    }
    if shape.scalar == Scalar::Float || function.narrow == Narrow::Direct {
        let chosen = if fast { function.fast.unwrap_or(function.body) } else { function.body };
        return chosen(args);
    }
    through_float(body, args, &format!("{prefix}{}.f32", function.name), function.signature, &scalar)
}

/// A half or bfloat function by the f32 function `wide`.
fn through_float<'a>(
    body: &'a Body,
    args: &[Expr<'a>],
    wide: &str,
    signature: Signature,
    narrow: &Type,
) -> Expr<'a> {
    let mut wide_args: Vec<Expr<'a>> =
        args.iter().map(|arg| if arg.ty().is_float() { arg.to_f32() } else { *arg }).collect();
    if signature == Signature::StoresSame {
        // The second result passes through memory of its own.
        wide_args[1] = body.alloca(&Type::FLOAT);
    }
    let result = if signature == Signature::ToInt { Type::I32 } else { Type::FLOAT };
    let value = body.call(wide, &wide_args, &result);
    if signature == Signature::StoresSame {
        args[1].store(wide_args[1].load(&Type::FLOAT).to_float(narrow));
    }
    if signature == Signature::ToInt { value } else { value.to_float(narrow) }
}

/// A vector function by the scalar function `one`, element by element. Scalars (flags, field positions) go to
/// each element as they are; a pointer is moved on by one `stored` for each.
fn by_element<'a>(
    body: &'a Body,
    args: &[Expr<'a>],
    one: &str,
    lanes: u32,
    result: &Type,
    stored: Option<&Type>,
) -> Expr<'a> {
    let elements: Vec<Expr<'a>> = (0..lanes)
        .map(|lane| {
            let args: Vec<Expr<'a>> = args
                .iter()
                .map(|arg| match (arg.ty(), stored) {
                    (Type::Vector(..), _) => arg.element(lane),
                    (ty, Some(stored)) if ty.is_ptr() => arg.offset(stored, lane),
                    _ => *arg,
                })
                .collect();
            body.call(one, &args, result)
        })
        .collect();
    vector::collect(&body.return_type(), &elements)
}
