//! Entry points: what the metadata says of a kernel and its arguments.

use mw_air::schema::Builtin;
use mw_air::{
    AddressSpace, Attribute, Attributes, Constant, FuncId, GlobalId, MdId, MdNode, MdOperand, NamedMetadata,
    Type, TypedConstant,
};
use mw_msl::hir::{self, Access, ArgumentKind, Kernel, KernelArgument};
use mw_msl::types::{self, QualType, TypeId};

use crate::error::LowerError;
use crate::module::ModuleLowering;
use crate::names::type_name;
use crate::specialise::source_name;

/// Structures of argument descriptions may nest this deep.
const MAX_DEPTH: usize = 16;

fn text(text: impl AsRef<str>) -> MdOperand {
    MdOperand::String(text.as_ref().into())
}

fn number(value: u64) -> MdOperand {
    MdOperand::Value(TypedConstant::int(Type::I32, value))
}

impl ModuleLowering<'_> {
    pub(crate) fn node(&mut self, operands: Vec<MdOperand>) -> MdId {
        self.module.metadata.add(MdNode { distinct: false, operands })
    }

    fn name_nodes(&mut self, name: &str, nodes: Vec<MdId>) {
        if !nodes.is_empty() {
            self.module.metadata.named.push(NamedMetadata { name: name.into(), nodes });
        }
    }

    /// Everything that a module says besides its kernels.
    pub(crate) fn module_metadata(&mut self) {
        let (air_major, air_minor) = self.options.air_version();
        let (major, minor) = self.options.language_version;
        let (sdk_major, sdk_minor) = self.options.sdk_version();
        let sdk = TypedConstant {
            ty: Type::array(Type::I32, 2),
            value: Constant::Aggregate(
                vec![
                    TypedConstant::int(Type::I32, u64::from(sdk_major)),
                    TypedConstant::int(Type::I32, u64::from(sdk_minor)),
                ]
                .into(),
            ),
        };
        let mut flags = vec![self.node(vec![number(2), text("SDK Version"), MdOperand::Value(sdk)])];
        for (behaviour, name, value) in [
            (1, "wchar_size", 4),
            (7, "frame-pointer", 2),
            (7, "air.max_device_buffers", 31),
            (7, "air.max_constant_buffers", 31),
            (7, "air.max_threadgroup_buffers", 31),
            (7, "air.max_textures", 128),
            (7, "air.max_read_write_textures", 8),
            (7, "air.max_samplers", 16),
        ] {
            flags.push(self.node(vec![number(behaviour), text(name), number(value)]));
        }
        if self.options.debug_info && self.debug.is_some() {
            for (name, value) in [("Dwarf Version", 4), ("Debug Info Version", 3)] {
                flags.push(self.node(vec![number(2), text(name), number(value)]));
            }
        }
        self.name_nodes("llvm.module.flags", flags);
        let ident = self.node(vec![text(format!("metalworking {}", env!("CARGO_PKG_VERSION")))]);
        self.name_nodes("llvm.ident", vec![ident]);
        let version = self.node(vec![number(u64::from(air_major)), number(u64::from(air_minor)), number(0)]);
        self.name_nodes("air.version", vec![version]);
        let language =
            self.node(vec![text("Metal"), number(u64::from(major)), number(u64::from(minor)), number(0)]);
        self.name_nodes("air.language_version", vec![language]);
        let math = if self.options.fast_math {
            "air.compile.fast_math_enable"
        } else {
            "air.compile.fast_math_disable"
        };
        let mut options = Vec::new();
        for option in ["air.compile.denorms_disable", math, "air.compile.framebuffer_fetch_enable"] {
            options.push(self.node(vec![text(option)]));
        }
        self.name_nodes("air.compile_options", options);
        let constants = self.constant_nodes();
        self.name_nodes("air.function_constants", constants);
    }

    /// Describes kernels, each with its function.
    pub(crate) fn kernel_metadata(
        &mut self,
        kernels: &[(&Kernel, FuncId)],
        predicates: &[(hir::GlobalId, GlobalId)],
    ) -> Result<(), LowerError> {
        let mut nodes = Vec::new();
        for (kernel, function) in kernels {
            nodes.push(self.kernel_node(kernel, *function, predicates)?);
        }
        self.name_nodes("air.kernel", nodes);
        Ok(())
    }

    fn kernel_node(
        &mut self,
        kernel: &Kernel,
        function: FuncId,
        predicates: &[(hir::GlobalId, GlobalId)],
    ) -> Result<MdId, LowerError> {
        let data = self.program.function(kernel.function);
        if data.parameters as usize != kernel.arguments.len() {
            return Err(LowerError::malformed(kernel.span, "a kernel that does not describe each parameter"));
        }
        let unused = crate::unused::unused_parameters(&self.module, function);
        let mut arguments = Vec::new();
        let mut attributes = Vec::new();
        for (index, (argument, local)) in kernel.arguments.iter().zip(&data.locals).enumerate() {
            let is_unused = unused.get(index).copied().unwrap_or(false);
            arguments.push(MdOperand::Node(self.argument_node(
                index,
                argument,
                local.ty.ty,
                predicates,
                is_unused,
            )?));
            attributes.push(self.argument_attributes(argument, local.ty.ty));
        }
        self.module.function_mut(function).param_attrs = attributes;
        let outputs = self.node(Vec::new());
        let inputs = self.node(arguments);
        let mut operands = vec![
            MdOperand::Value(TypedConstant {
                ty: Type::ptr(AddressSpace::THREAD),
                value: Constant::Function(function),
            }),
            MdOperand::Node(outputs),
            MdOperand::Node(inputs),
        ];
        if let Some(limit) = kernel.max_total_threads_per_threadgroup {
            let limit = self.node(vec![text("air.max_work_group_size"), number(u64::from(limit))]);
            operands.push(MdOperand::Node(limit));
        }
        Ok(self.node(operands))
    }

    /// Attributes of a kernel's parameter.
    fn argument_attributes(&self, argument: &KernelArgument, ty: TypeId) -> Attributes {
        let mut list = vec![Attribute::Enum("noundef".into())];
        if let ArgumentKind::Buffer { .. } | ArgumentKind::ThreadgroupMemory { .. } = argument.kind {
            if argument.is_reference
                && let types::Type::Pointer(target) | types::Type::Reference { target, .. } =
                    self.program.ty(ty)
            {
                let (size, align) = self.program.layout(target.ty);
                if size > 0 {
                    list.push(Attribute::Int("align".into(), align));
                    list.push(Attribute::Int("dereferenceable".into(), size));
                }
            }
            list.push(Attribute::String("air-buffer-no-alias".into(), "".into()));
        }
        Attributes(list)
    }

    fn argument_node(
        &mut self,
        index: usize,
        argument: &KernelArgument,
        ty: TypeId,
        predicates: &[(hir::GlobalId, GlobalId)],
        is_unused: bool,
    ) -> Result<MdId, LowerError> {
        let mut operands = vec![number(index as u64)];
        if let Some(gate) = argument.gate {
            let predicate = predicates
                .iter()
                .find(|(id, _)| *id == gate)
                .ok_or_else(|| LowerError::malformed(argument.span, "a gate without its variable"))?;
            let name = source_name(&self.program.global(gate).name).to_owned();
            let condition = self.node(vec![
                MdOperand::Value(TypedConstant {
                    ty: Type::ptr(AddressSpace::CONSTANT),
                    value: Constant::Global(predicate.1),
                }),
                text("bool"),
                text(name),
            ]);
            operands.push(text("air.function_constant"));
            operands.push(MdOperand::Node(condition));
        }
        match &argument.kind {
            ArgumentKind::Builtin(role) => {
                let role = format!("air.{role}");
                if Builtin::from_role(&role).is_none() {
                    return Err(LowerError::unsupported(argument.span, format!("`[[{}]]`", &role[4..])));
                }
                operands.push(text(role));
            }
            ArgumentKind::Buffer { index, access } => {
                let target = self.target(argument, ty)?;
                self.buffer_operands(&mut operands, argument, target, *index, *access)?;
            }
            ArgumentKind::ThreadgroupMemory { index } => {
                let target = self.target(argument, ty)?;
                let access = if target.is_const { Access::Read } else { Access::ReadWrite };
                self.buffer_operands(&mut operands, argument, target, *index, access)?;
            }
            ArgumentKind::Unsupported(what) => {
                return Err(LowerError::unsupported(argument.span, what.clone()));
            }
        }
        operands.push(text("air.arg_type_name"));
        operands.push(text(self.argument_type_name(argument, ty)));
        if !argument.name.is_empty() {
            operands.push(text("air.arg_name"));
            operands.push(text(&argument.name));
        }
        if is_unused {
            operands.push(text("air.arg_unused"));
        }
        Ok(self.node(operands))
    }

    /// The name of an argument's type: as written, but records by their full name.
    fn argument_type_name(&self, argument: &KernelArgument, ty: TypeId) -> String {
        if let types::Type::Pointer(target) | types::Type::Reference { target, .. } = self.program.ty(ty)
            && let types::Type::Record(_) = self.program.ty(target.ty)
            && !(argument.is_template_parameter && argument.type_name.contains('<'))
        {
            return type_name(self.program, target.ty);
        }
        if let types::Type::Pointer(target) | types::Type::Reference { target, .. } = self.program.ty(ty)
            && let types::Type::Atomic(_) = self.program.ty(target.ty)
        {
            return ATOMIC.to_owned();
        }
        argument.type_name.clone()
    }

    fn target(&self, argument: &KernelArgument, ty: TypeId) -> Result<QualType, LowerError> {
        match self.program.ty(ty) {
            types::Type::Pointer(target) | types::Type::Reference { target, .. } => Ok(*target),
            _ => Err(LowerError::malformed(argument.span, "a buffer that is no pointer")),
        }
    }

    fn buffer_operands(
        &mut self,
        operands: &mut Vec<MdOperand>,
        argument: &KernelArgument,
        target: QualType,
        index: u32,
        access: Access,
    ) -> Result<(), LowerError> {
        let program = self.program;
        let (size, align) = program.layout(target.ty);
        let record = match program.ty(target.ty) {
            types::Type::Record(record) => Some(*record),
            _ => None,
        };
        let is_indirect = record.is_some() && holds_resources(program, target.ty, 0);
        operands.push(text(if is_indirect { "air.indirect_buffer" } else { "air.buffer" }));
        // Arrays and pointers to arrays have a known extent too.
        let extent = match argument.array_length {
            Some(length) => Some(length.saturating_mul(size)),
            None if argument.is_reference || matches!(program.ty(target.ty), types::Type::Array(..)) => {
                Some(size)
            }
            None => None,
        };
        if let Some(extent) = extent.filter(|extent| *extent > 0) {
            operands.push(text("air.buffer_size"));
            operands.push(number(extent));
        }
        operands.extend([text("air.location_index"), number(u64::from(index)), number(1)]);
        operands.push(text(match access {
            Access::Read => "air.read",
            Access::Write => "air.write",
            Access::ReadWrite => "air.read_write",
        }));
        operands.extend([text("air.address_space"), number(u64::from(target.space.number()))]);
        if let Some(record) = record {
            let info = self.struct_info(record, &mut 0, 0, argument)?;
            operands.extend([text("air.struct_type_info"), MdOperand::Node(info)]);
        }
        if let types::Type::Atomic(scalar) = program.ty(target.ty) {
            let info = self.atomic_info(*scalar, size);
            operands.extend([text("air.struct_type_info"), MdOperand::Node(info)]);
        }
        if !matches!(program.ty(target.ty), types::Type::Void) && size > 0 {
            operands.extend([text("air.arg_type_size"), number(size)]);
            operands.extend([text("air.arg_type_align_size"), number(align)]);
        }
        Ok(())
    }

    /// Members of a record: offset, size, length, type and name of each. `resources` counts the pointers.
    fn struct_info(
        &mut self,
        record: types::RecordId,
        resources: &mut u64,
        depth: usize,
        argument: &KernelArgument,
    ) -> Result<MdId, LowerError> {
        if depth > MAX_DEPTH {
            return Err(LowerError::unsupported(
                argument.span,
                format!("a buffer of structures nested more than {MAX_DEPTH} deep"),
            ));
        }
        let program = self.program;
        let mut operands = Vec::new();
        for field in &program.record(record).fields {
            let (element, length) = match program.ty(field.ty.ty) {
                types::Type::Array(element, length) => (*element, *length),
                _ => (field.ty.ty, 0),
            };
            let first = *resources;
            let holds = holds_resources(program, element, 0);
            match program.ty(element) {
                types::Type::Record(inner) => {
                    // Resources of a nested structure are counted from its own start.
                    let mut own = 0;
                    let node = self.struct_info(*inner, &mut own, depth + 1, argument)?;
                    operands.extend([text("air.struct_type_info"), MdOperand::Node(node)]);
                    *resources += own * length.max(1);
                }
                types::Type::Atomic(scalar) => {
                    let node = self.atomic_info(*scalar, program.layout(element).0);
                    operands.extend([text("air.struct_type_info"), MdOperand::Node(node)]);
                }
                types::Type::Pointer(_) => *resources += length.max(1),
                _ => {}
            }
            let name = match program.ty(element) {
                types::Type::Atomic(_) => ATOMIC.to_owned(),
                _ => type_name(program, element),
            };
            operands.extend([
                number(field.offset_bytes),
                number(program.layout(element).0),
                number(length),
                text(name),
                text(&field.name),
            ]);
            if holds {
                operands.push(text("air.indirect_argument"));
                let id = field.argument_id.map_or(first, u64::from);
                match program.ty(element) {
                    types::Type::Pointer(target) => {
                        operands.push(MdOperand::Node(self.resource(*target, id, &field.name)));
                    }
                    _ => operands.push(number(id)),
                }
            }
        }
        Ok(self.node(operands))
    }

    /// Apple's atomic types are structures of one member.
    fn atomic_info(&mut self, scalar: types::Scalar, size: u64) -> MdId {
        self.node(vec![number(0), number(size), number(0), text(scalar.name()), text("__s")])
    }

    /// A pointer inside an argument buffer.
    fn resource(&mut self, target: QualType, id: u64, name: &str) -> MdId {
        let (size, align) = self.program.layout(target.ty);
        let type_name = type_name(self.program, target.ty);
        let access = if target.is_const || target.space == types::AddressSpace::Constant {
            "air.read"
        } else {
            "air.read_write"
        };
        let mut operands = vec![
            number(id),
            text("air.buffer"),
            text("air.location_index"),
            number(id),
            number(1),
            text(access),
            text("air.address_space"),
            number(u64::from(target.space.number())),
        ];
        if size > 0 {
            operands.extend([text("air.arg_type_size"), number(size)]);
            operands.extend([text("air.arg_type_align_size"), number(align)]);
        }
        operands.extend([text("air.arg_type_name"), text(type_name), text("air.arg_name"), text(name)]);
        self.node(operands)
    }
}

/// The name of every atomic type in reflection.
const ATOMIC: &str = "metal::_atomic";

/// Whether objects of the type hold device or constant pointers, which makes a buffer of them an argument
/// buffer.
fn holds_resources(program: &hir::Program, ty: TypeId, depth: usize) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    match program.ty(ty) {
        types::Type::Pointer(target) => {
            matches!(target.space, types::AddressSpace::Device | types::AddressSpace::Constant)
        }
        types::Type::Array(element, _) => holds_resources(program, *element, depth + 1),
        types::Type::Record(record) => program
            .record(*record)
            .fields
            .iter()
            .any(|field| holds_resources(program, field.ty.ty, depth + 1)),
        _ => false,
    }
}
