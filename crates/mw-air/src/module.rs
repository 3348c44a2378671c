//! Modules and their global variables.

use std::sync::Arc;

use crate::{
    AddressSpace, DebugInfo, FuncId, Function, GlobalId, Linkage, MdId, Metadata, Type, TypedConstant,
};

/// A global variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Global {
    /// Symbol name; may be empty.
    pub name: Arc<str>,
    /// Type of the contents.
    pub ty: Type,
    /// Where it lives: threadgroup memory or constant data.
    pub space: AddressSpace,
    /// Initial contents; `None` for a declaration.
    pub initializer: Option<TypedConstant>,
    /// Never written.
    pub is_constant: bool,
    /// Linkage.
    pub linkage: Linkage,
    /// Alignment in bytes; 0 for the type's own.
    pub align: u32,
    /// Section, such as `air.fc_initializer`.
    pub section: Option<Arc<str>>,
    /// `unnamed_addr`: 0 none, 1 global, 2 local.
    pub unnamed_addr: u8,
    /// Its contents may come from outside (function constants).
    pub externally_initialized: bool,
    /// Attached metadata.
    pub metadata: Vec<(Arc<str>, MdId)>,
}

impl Global {
    /// A private, initialised variable.
    pub fn new(name: &str, ty: Type, space: AddressSpace) -> Self {
        Self {
            name: name.into(),
            ty,
            space,
            initializer: None,
            is_constant: false,
            linkage: Linkage::Internal,
            align: 0,
            section: None,
            unnamed_addr: 0,
            externally_initialized: false,
            metadata: Vec::new(),
        }
    }
}

/// A module: one kernel with its helpers, as a metallib stores it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Module {
    /// Name of the source, as the compiler wrote it.
    pub source_filename: String,
    /// Target triple, such as `air64_v26-apple-macosx14.0.0`.
    pub triple: String,
    /// LLVM data layout string.
    pub data_layout: String,
    /// Global variables.
    pub globals: Vec<Global>,
    /// Functions, declarations included.
    pub functions: Vec<Function>,
    /// Metadata.
    pub metadata: Metadata,
    /// Where the code comes from.
    pub debug: DebugInfo,
}

/// The data layout of every AIR module seen so far.
pub const AIR_DATA_LAYOUT: &str = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32";

impl Module {
    /// One function.
    pub fn function(&self, id: FuncId) -> &Function {
        &self.functions[id.index()]
    }

    /// One function, to change it.
    pub fn function_mut(&mut self, id: FuncId) -> &mut Function {
        &mut self.functions[id.index()]
    }

    /// One global variable.
    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.index()]
    }

    /// Handles of all functions.
    pub fn function_ids(&self) -> impl Iterator<Item = FuncId> + use<> {
        (0..self.functions.len()).map(FuncId::new)
    }

    /// Handles of all global variables.
    pub fn global_ids(&self) -> impl Iterator<Item = GlobalId> + use<> {
        (0..self.globals.len()).map(GlobalId::new)
    }

    /// The function called `name`.
    pub fn function_named(&self, name: &str) -> Option<FuncId> {
        self.functions.iter().position(|function| &*function.name == name).map(FuncId::new)
    }

    /// The global variable called `name`.
    pub fn global_named(&self, name: &str) -> Option<GlobalId> {
        self.globals.iter().position(|global| &*global.name == name).map(GlobalId::new)
    }

    /// Appends a function.
    pub fn add_function(&mut self, function: Function) -> FuncId {
        self.functions.push(function);
        FuncId::new(self.functions.len() - 1)
    }

    /// Appends a global variable.
    pub fn add_global(&mut self, global: Global) -> GlobalId {
        self.globals.push(global);
        GlobalId::new(self.globals.len() - 1)
    }
}
