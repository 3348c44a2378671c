//! One module under construction: which functions and variables of the program it needs, and their names.

use std::sync::Arc;

use mw_air::intrinsics::MemoryAccess;
use mw_air::{
    AddressSpace, Attribute, Attributes, Constant, FuncId, Function, FunctionType, Global, GlobalId,
    Intrinsic, Layout, Linkage, Module, Type, TypedConstant,
};
use mw_msl::hir;
use mw_msl::types::{RecordId, TypeId};
use mw_source::{SourceMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::debug::DebugLowering;
use crate::error::{LowerError, LowerErrorKind};
use crate::options::LowerOptions;
use crate::types::{RecordLayout, TypeCache, is_aggregate, nests_too_deep, space, value_type};

/// Largest object that a program may declare.
const MAX_OBJECT_BYTES: u64 = 1 << 30;

/// What a module is made from, and what is there of it.
pub(crate) struct ModuleLowering<'p> {
    pub(crate) program: &'p hir::Program,
    pub(crate) options: &'p LowerOptions,
    pub(crate) module: Module,
    types: TypeCache,
    functions: FxHashMap<hir::FunctionId, FuncId>,
    /// Functions that are declared and whose bodies are still to be lowered.
    pub(crate) pending: Vec<(hir::FunctionId, FuncId)>,
    externals: FxHashMap<Arc<str>, FuncId>,
    globals: FxHashMap<hir::GlobalId, GlobalId>,
    names: FxHashSet<String>,
    /// Function constants and what is derived from them, that something uses.
    pub(crate) specialised: FxHashSet<hir::GlobalId>,
    /// The variables that the host initialises, by constant.
    pub(crate) initialisers: FxHashMap<hir::GlobalId, GlobalId>,
    /// Function constants that the source tests with `is_function_constant_defined`.
    pub(crate) optional: FxHashSet<hir::GlobalId>,
    /// Where instructions come from, if the source is known.
    pub(crate) debug: Option<DebugLowering<'p>>,
}

fn named(name: &str) -> Attribute {
    Attribute::Enum(name.into())
}

/// `memory(none)` and its like, as LLVM numbers them: two bits for each of argument memory, inaccessible
/// memory, errno and the rest.
fn memory(access: MemoryAccess) -> Option<Attribute> {
    // The textual reader of AIR keeps the attribute in this form too.
    match access {
        MemoryAccess::None => Some(Attribute::Int("memory".into(), 0)),
        MemoryAccess::Read | MemoryAccess::Write | MemoryAccess::ReadWrite => None,
    }
}

impl<'p> ModuleLowering<'p> {
    pub(crate) fn new(
        program: &'p hir::Program,
        options: &'p LowerOptions,
        sources: Option<&'p SourceMap>,
    ) -> Self {
        let module = Module {
            source_filename: options.source_name.clone(),
            triple: options.triple().into(),
            data_layout: mw_air::AIR_DATA_LAYOUT.into(),
            ..Module::default()
        };
        Self {
            program,
            options,
            module,
            types: TypeCache::default(),
            functions: FxHashMap::default(),
            pending: Vec::new(),
            externals: FxHashMap::default(),
            globals: FxHashMap::default(),
            names: FxHashSet::default(),
            specialised: FxHashSet::default(),
            initialisers: FxHashMap::default(),
            optional: FxHashSet::default(),
            debug: sources.map(|sources| DebugLowering::new(sources, options.debug_info)),
        }
    }

    /// The module, complete.
    pub(crate) fn finish(mut self) -> Module {
        if let Some(debug) = self.debug {
            self.module.debug = debug.finish();
        }
        self.module
    }

    /// Type of the objects of a type of the program.
    pub(crate) fn memory_type(&mut self, id: TypeId, span: Span) -> Result<Type, LowerError> {
        // What is far too large must not be built first.
        let (bytes, _) = self.program.layout(id);
        if bytes > MAX_OBJECT_BYTES {
            return Err(LowerError {
                span,
                kind: LowerErrorKind::TooLarge { bytes, limit: MAX_OBJECT_BYTES },
            });
        }
        let ty = self.types.memory_type(self.program, id).ok_or_else(|| {
            if nests_too_deep(self.program, id) {
                return LowerError { span, kind: LowerErrorKind::TooDeep { limit: crate::types::MAX_DEPTH } };
            }
            LowerError::malformed(span, format!("no object can have the type {:?}", self.program.ty(id)))
        })?;
        let bytes = Layout::alloc_size(&ty);
        if bytes > MAX_OBJECT_BYTES {
            return Err(LowerError {
                span,
                kind: LowerErrorKind::TooLarge { bytes, limit: MAX_OBJECT_BYTES },
            });
        }
        if ty.nodes_up_to(mw_air::MAX_TYPE_NODES) >= mw_air::MAX_TYPE_NODES {
            return Err(LowerError::unsupported(
                span,
                format!("a type made of more than {} others", mw_air::MAX_TYPE_NODES),
            ));
        }
        Ok(ty)
    }

    /// The structure of a record.
    pub(crate) fn record_layout(
        &mut self,
        id: RecordId,
        span: Span,
    ) -> Result<Arc<RecordLayout>, LowerError> {
        self.types
            .record(self.program, id)
            .ok_or_else(|| LowerError::malformed(span, "a record with a member that is no object"))
    }

    /// A name that nothing in the module has, close to the one wished for.
    pub(crate) fn unique_name(&mut self, wish: &str) -> String {
        let mut name = wish.to_owned();
        let mut number = 0;
        while !self.names.insert(name.clone()) {
            number += 1;
            name = format!("{wish}.{number}");
        }
        name
    }

    /// Type of a function: results of record type go through a pointer in front, records come as pointers
    /// to copies.
    pub(crate) fn signature(&self, function: &hir::Function) -> Result<FunctionType, LowerError> {
        let mut params = Vec::new();
        let ret = if is_aggregate(self.program, function.result.ty) {
            params.push(Type::ptr(AddressSpace::THREAD));
            Type::Void
        } else {
            self.value(function.result.ty, function.span)?
        };
        for parameter in function.locals.iter().take(function.parameters as usize) {
            params.push(if is_aggregate(self.program, parameter.ty.ty) {
                Type::ptr(AddressSpace::THREAD)
            } else {
                self.value(parameter.ty.ty, parameter.span)?
            });
        }
        Ok(FunctionType { ret, params, varargs: false })
    }

    fn value(&self, id: TypeId, span: Span) -> Result<Type, LowerError> {
        value_type(self.program, id)
            .ok_or_else(|| LowerError::malformed(span, "a parameter or result of a type without values"))
    }

    /// The function of the module for one of the program, which gets its body later.
    pub(crate) fn function(&mut self, id: hir::FunctionId) -> Result<FuncId, LowerError> {
        if let Some(known) = self.functions.get(&id) {
            return Ok(*known);
        }
        let function = self.program.function(id);
        let ty = self.signature(function)?;
        if function.body.is_none() {
            // The label is the name that the outside knows.
            let external = self.declare(&function.air_name, &ty);
            self.functions.insert(id, external);
            return Ok(external);
        }
        let name = self.unique_name(&function.air_name);
        let mut lowered = Function::new(&name, ty);
        lowered.linkage = Linkage::Internal;
        lowered.unnamed_addr = 1;
        lowered.attrs = self.function_attributes(function);
        let air = self.module.add_function(lowered);
        self.functions.insert(id, air);
        self.pending.push((id, air));
        Ok(air)
    }

    /// Makes the function of a kernel, under the kernel's name and visible to the outside.
    pub(crate) fn kernel_function(&mut self, kernel: &hir::Kernel) -> Result<FuncId, LowerError> {
        let function = self.program.function(kernel.function);
        let ty = self.signature(function)?;
        let name = self.unique_name(&kernel.name);
        let mut lowered = Function::new(&name, ty);
        lowered.attrs = self.function_attributes(function);
        if let Some(limit) = kernel.max_total_threads_per_threadgroup {
            lowered.attrs.0.push(Attribute::String("max-work-group-size".into(), limit.to_string().into()));
        }
        let air = self.module.add_function(lowered);
        // Another instantiation under a second name gets a body of its own.
        self.functions.entry(kernel.function).or_insert(air);
        self.pending.push((kernel.function, air));
        Ok(air)
    }

    fn function_attributes(&self, function: &hir::Function) -> Attributes {
        // Until the body is known, it may hold a barrier.
        let mut attrs = vec![named("convergent"), named("nounwind")];
        if function.is_always_inline {
            attrs.insert(0, named("alwaysinline"));
        } else if function.is_noinline {
            attrs.insert(1, named("noinline"));
        }
        if self.options.fast_math {
            for key in ["no-infs-fp-math", "no-nans-fp-math", "no-signed-zeros-fp-math", "unsafe-fp-math"] {
                attrs.push(Attribute::String(key.into(), "true".into()));
            }
        }
        attrs.push(Attribute::String("no-builtins".into(), "".into()));
        Attributes(attrs)
    }

    /// The declaration of a function outside the module.
    pub(crate) fn declare(&mut self, name: &str, ty: &FunctionType) -> FuncId {
        if let Some(known) = self.externals.get(name) {
            return *known;
        }
        let mut function = Function::new(name, ty.clone());
        let mut attrs = Vec::new();
        match Intrinsic::classify(name) {
            Some(intrinsic) => {
                if intrinsic.is_convergent() {
                    attrs.push(named("convergent"));
                } else if intrinsic.memory() == MemoryAccess::None {
                    attrs.push(named("nofree"));
                    attrs.push(named("nosync"));
                }
                attrs.push(named("mustprogress"));
                attrs.push(named("nounwind"));
                attrs.push(named("willreturn"));
                if !intrinsic.is_convergent() {
                    attrs.extend(memory(intrinsic.memory()));
                }
            }
            None if name.starts_with("llvm.") => {}
            None => {
                attrs.push(named("convergent"));
                attrs.push(named("nounwind"));
            }
        }
        function.attrs = Attributes(attrs);
        let id = self.module.add_function(function);
        self.names.insert(name.to_owned());
        self.externals.insert(name.into(), id);
        id
    }

    /// Attributes of calls of a function.
    pub(crate) fn call_attributes(&self, callee: FuncId) -> Attributes {
        let function = self.module.function(callee);
        let keep = ["convergent", "nounwind", "willreturn", "memory"];
        Attributes(
            function
                .attrs
                .0
                .iter()
                .filter(|attribute| match attribute {
                    Attribute::Enum(name) | Attribute::Int(name, _) => keep.contains(&&**name),
                    Attribute::String(..) | Attribute::Type(..) => false,
                })
                .cloned()
                .collect(),
        )
    }

    /// The variable of the module for one of the program, and its address space.
    pub(crate) fn global(&mut self, id: hir::GlobalId) -> Result<(GlobalId, AddressSpace), LowerError> {
        let global = self.program.global(id);
        let space = match global.kind {
            hir::GlobalKind::Threadgroup => AddressSpace::THREADGROUP,
            _ => match space(global.ty.space) {
                AddressSpace::THREADGROUP => AddressSpace::THREADGROUP,
                _ => AddressSpace::CONSTANT,
            },
        };
        if let Some(known) = self.globals.get(&id) {
            return Ok((*known, space));
        }
        let ty = self.memory_type(global.ty.ty, global.span)?;
        let name = self.unique_name(&global.name);
        let mut variable = Global::new(&name, ty.clone(), space);
        variable.align = (global.align_bytes as u32).max(Layout::align(&ty));
        variable.unnamed_addr = 1;
        let undefined = TypedConstant { ty: ty.clone(), value: Constant::Undef };
        variable.initializer = Some(match &global.kind {
            hir::GlobalKind::Constant(constant) => {
                variable.is_constant = space == AddressSpace::CONSTANT;
                self.memory_constant(global.ty.ty, constant, global.span)?
            }
            hir::GlobalKind::Threadgroup => undefined,
            hir::GlobalKind::FunctionConstant { .. } | hir::GlobalKind::Derived(_) => {
                self.specialised.insert(id);
                undefined
            }
        });
        let air = self.module.add_global(variable);
        self.globals.insert(id, air);
        Ok((air, space))
    }
}
