//! Modules that declare library functions, from lines `name = ret (param, …)` as in `surface.txt`.

#![allow(unreachable_pub, reason = "shared by tests and examples, each a crate of its own")]
#![allow(dead_code, reason = "no test uses all of it")]

pub mod evaluate;

use mw_air::{
    AddressSpace, Function, FunctionType, MdNode, MdOperand, Module, NamedMetadata, Scalar, StructType, Type,
};

/// Parses a type in LLVM's spelling; pointers may be typed (`float as(1)*`), the pointee is dropped.
pub fn parse_type(text: &str) -> Type {
    let text = text.trim();
    if let Some(pointee) = text.strip_suffix('*') {
        let space = pointee.rsplit_once("as(").and_then(|(_, rest)| rest.strip_suffix(')'));
        return Type::ptr(AddressSpace(space.map_or(0, |space| space.parse().expect("address space"))));
    }
    if let Some(inner) = text.strip_prefix('<') {
        let (lanes, scalar) = inner.strip_suffix('>').expect("vector").split_once(" x ").expect("vector");
        let scalar = parse_type(scalar).scalar().expect("scalar");
        return Type::Vector(scalar, lanes.parse().expect("lanes"));
    }
    match text {
        "void" => Type::Void,
        "half" => Type::HALF,
        "bfloat" => Type::BFLOAT,
        "float" => Type::FLOAT,
        "double" => Type::DOUBLE,
        _ => match text.strip_prefix('i').and_then(|bits| bits.parse().ok()) {
            Some(bits) => Type::Scalar(Scalar::Int(bits)),
            None => Type::Struct(std::sync::Arc::new(StructType {
                name: Some(text.trim_start_matches('%').into()),
                fields: Vec::new(),
                packed: false,
                opaque: true,
            })),
        },
    }
}

/// Parses `ret (param, …)`.
pub fn parse_signature(text: &str) -> FunctionType {
    let (ret, params) = text.split_once('(').expect("parameter list");
    let params = params.trim().strip_suffix(')').expect("parameter list");
    let mut depth = 0;
    let mut parts = vec![String::new()];
    for c in params.chars() {
        match c {
            '<' | '(' => depth += 1,
            '>' | ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().expect("never empty").push(c);
    }
    let params = parts.iter().filter(|part| !part.trim().is_empty()).map(|part| parse_type(part)).collect();
    FunctionType { ret: parse_type(ret), params, varargs: false }
}

/// A module with these declarations; `flush` sets the option that denormals are flushed.
pub fn module(lines: &[&str], flush: bool) -> Module {
    let mut module = Module::default();
    for line in lines {
        let (name, signature) = line.split_once(" = ").expect("name = signature");
        if module.function_named(name).is_some() {
            // Matrix loads and stores have another type in newer libraries.
            continue;
        }
        module.add_function(Function::new(name, parse_signature(signature)));
    }
    if flush {
        let node = module.metadata.add(MdNode {
            distinct: false,
            operands: vec![MdOperand::String("air.compile.denorms_disable".into())],
        });
        module.metadata.named.push(NamedMetadata { name: "air.compile_options".into(), nodes: vec![node] });
    }
    module
}
