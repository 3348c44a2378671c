//! Reading the schema out of metadata nodes.

use std::sync::Arc;

use super::{
    Access, ArgRole, BufferArg, Builtin, FunctionConstant, KernelArg, KernelInfo, ModuleInfo, StructMember,
};
use crate::{
    AddressSpace, Constant, ConstantExpr, FuncId, GlobalId, MdId, MdOperand, Module, Scalar, Type,
    TypedConstant,
};

/// Metadata that does not follow the `air.*` schema, or asks for what compute kernels here cannot have.
///
/// `at` is a path into the metadata, such as `air.kernel[0].args[3]`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SchemaError {
    /// A node has fewer operands than the schema gives it.
    #[error("`{at}` ends early: {expected} is missing")]
    Missing {
        /// Where.
        at: String,
        /// What should stand there.
        expected: &'static str,
    },
    /// An operand is of another kind.
    #[error("`{at}` holds {found} where the schema has {expected}")]
    Kind {
        /// Where.
        at: String,
        /// What should stand there.
        expected: &'static str,
        /// What stands there.
        found: &'static str,
    },
    /// A handle points outside the module.
    #[error("`{at}` refers to a node, function or variable that the module does not have")]
    Dangling {
        /// Where.
        at: String,
    },
    /// A number outside its range.
    #[error("`{at}` holds {value} for {what}, which must be {limit}")]
    Range {
        /// Where.
        at: String,
        /// What the number means.
        what: &'static str,
        /// The number.
        value: u64,
        /// What is allowed.
        limit: &'static str,
    },
    /// A kernel does not describe each of its parameters once.
    #[error("`{at}` describes {described} arguments, but `{kernel}` has {params} parameters")]
    ArgumentCount {
        /// Where.
        at: String,
        /// The kernel.
        kernel: Arc<str>,
        /// Number of argument nodes.
        described: usize,
        /// Number of parameters.
        params: usize,
    },
    /// Two nodes describe the same parameter.
    #[error("`{at}` describes parameter {index} of the kernel a second time")]
    DuplicateArgument {
        /// Where.
        at: String,
        /// Parameter.
        index: u32,
    },
    /// A role that no engine provides, such as a texture.
    #[error(
        "`{at}` has the role `{role}`, which is not supported: arguments of compute kernels are buffers, \
         argument buffers, visible function tables and thread indices"
    )]
    UnsupportedRole {
        /// Where.
        at: String,
        /// The role.
        role: Arc<str>,
    },
    /// The description disagrees with the parameter's type.
    #[error("`{at}` describes {described}, but the parameter is a `{found}`")]
    ParameterType {
        /// Where.
        at: String,
        /// What the node says.
        described: String,
        /// Type of the parameter.
        found: String,
    },
    /// More members than a structure can have.
    #[error("`{at}` brings the structure to more than {limit} members")]
    Members {
        /// Where.
        at: String,
        /// The limit.
        limit: usize,
    },
    /// Nodes inside nodes without end.
    #[error("`{at}` is nested more than {limit} structures deep")]
    Depth {
        /// Where.
        at: String,
        /// The limit.
        limit: usize,
    },
}

/// Structures may nest this deep; Metal's own limits are far below.
const MAX_DEPTH: usize = 32;
/// Members that the structure of one argument may have, nested ones included. Nodes may be shared, so a few
/// could stand for any number of members.
const MAX_MEMBERS: usize = 1 << 16;

impl ModuleInfo {
    /// Reads the schema out of a module's metadata.
    ///
    /// # Errors
    /// When a node is malformed, or an argument has a role that engines do not provide.
    pub fn parse(module: &Module) -> Result<Self, SchemaError> {
        let mut info = Self::default();
        if let Some(mut node) = first(module, "air.version")? {
            info.air_version = (node.number("major version")?, node.number("minor version")?);
        }
        if let Some(mut node) = first(module, "air.language_version")? {
            node.string("language")?;
            info.language_version = (node.number("major version")?, node.number("minor version")?);
        }
        for mut node in list(module, "air.compile_options")? {
            match &*node.string("option")? {
                "air.compile.fast_math_enable" => info.fast_math = true,
                "air.compile.denorms_disable" => info.denorms_disabled = true,
                _ => {}
            }
        }
        for node in list(module, "air.kernel")? {
            info.kernels.push(kernel(node)?);
        }
        for mut node in list(module, "air.function_constants")? {
            info.function_constants.push(FunctionConstant {
                global: node.global("initialiser variable")?,
                type_name: node.string("type name")?,
                name: node.string("constant name")?,
                index: node.number("index")?,
                required: node.number("flag")? != 0,
            });
        }
        Ok(info)
    }
}

/// A cursor over the operands of a node, which knows where it stands.
struct Node<'m> {
    module: &'m Module,
    at: String,
    operands: &'m [MdOperand],
    next: usize,
}

fn list<'m>(module: &'m Module, name: &str) -> Result<Vec<Node<'m>>, SchemaError> {
    let nodes = module.metadata.named(name);
    nodes.iter().enumerate().map(|(index, id)| Node::open(module, *id, format!("{name}[{index}]"))).collect()
}

fn first<'m>(module: &'m Module, name: &str) -> Result<Option<Node<'m>>, SchemaError> {
    Ok(list(module, name)?.into_iter().next())
}

impl<'m> Node<'m> {
    fn open(module: &'m Module, id: MdId, at: String) -> Result<Self, SchemaError> {
        match module.metadata.nodes.get(id.index()) {
            Some(node) => Ok(Self { module, at, operands: &node.operands, next: 0 }),
            None => Err(SchemaError::Dangling { at }),
        }
    }

    fn peek(&self) -> Option<&'m MdOperand> {
        self.operands.get(self.next)
    }

    fn take(&mut self, expected: &'static str) -> Result<&'m MdOperand, SchemaError> {
        let operand = self.peek().ok_or_else(|| SchemaError::Missing { at: self.at.clone(), expected })?;
        self.next += 1;
        Ok(operand)
    }

    fn wrong(&self, expected: &'static str, found: &MdOperand) -> SchemaError {
        SchemaError::Kind { at: self.at.clone(), expected, found: kind_name(found) }
    }

    fn dangling(&self) -> SchemaError {
        SchemaError::Dangling { at: self.at.clone() }
    }

    fn string(&mut self, expected: &'static str) -> Result<Arc<str>, SchemaError> {
        match self.take(expected)? {
            MdOperand::String(text) => Ok(Arc::clone(text)),
            other => Err(self.wrong(expected, other)),
        }
    }

    fn number(&mut self, what: &'static str) -> Result<u32, SchemaError> {
        let operand = self.take(what)?;
        let MdOperand::Value(constant) = operand else { return Err(self.wrong(what, operand)) };
        let value = constant.as_int().ok_or_else(|| self.wrong(what, operand))?;
        u32::try_from(value).map_err(|_| SchemaError::Range {
            at: self.at.clone(),
            what,
            value,
            limit: "below 2^32",
        })
    }

    fn child(&mut self, expected: &'static str, name: &str) -> Result<Self, SchemaError> {
        match self.take(expected)? {
            MdOperand::Node(id) => Self::open(self.module, *id, format!("{}.{name}", self.at)),
            other => Err(self.wrong(expected, other)),
        }
    }

    fn global(&mut self, expected: &'static str) -> Result<GlobalId, SchemaError> {
        let operand = self.take(expected)?;
        match operand {
            MdOperand::Value(constant) => match &strip_casts(constant).value {
                Constant::Global(id) if id.index() < self.module.globals.len() => Ok(*id),
                Constant::Global(_) => Err(self.dangling()),
                _ => Err(self.wrong(expected, operand)),
            },
            _ => Err(self.wrong(expected, operand)),
        }
    }

    fn function(&mut self, expected: &'static str) -> Result<FuncId, SchemaError> {
        let operand = self.take(expected)?;
        match operand {
            MdOperand::Value(constant) => match &strip_casts(constant).value {
                Constant::Function(id) if id.index() < self.module.functions.len() => Ok(*id),
                Constant::Function(_) => Err(self.dangling()),
                _ => Err(self.wrong(expected, operand)),
            },
            _ => Err(self.wrong(expected, operand)),
        }
    }
}

/// The constant under bitcasts and address-space casts.
fn strip_casts(mut constant: &TypedConstant) -> &TypedConstant {
    while let Constant::Expr(expr) = &constant.value {
        match &**expr {
            ConstantExpr::Cast { value, .. } => constant = value,
            ConstantExpr::Gep { .. } | ConstantExpr::Binary { .. } => break,
        }
    }
    constant
}

fn kind_name(operand: &MdOperand) -> &'static str {
    match operand {
        MdOperand::Null => "nothing",
        MdOperand::String(_) => "a string",
        MdOperand::Node(_) => "a node",
        MdOperand::Value(constant) if constant.as_int().is_some() => "a number",
        MdOperand::Value(_) => "a constant",
    }
}

fn kernel(mut node: Node<'_>) -> Result<KernelInfo, SchemaError> {
    let function_id = node.function("kernel function")?;
    let function = node.module.function(function_id);
    node.child("list of outputs", "outputs")?;
    let mut list = node.child("list of arguments", "args")?;
    let params = &function.ty.params;
    if list.operands.len() != params.len() {
        return Err(SchemaError::ArgumentCount {
            at: list.at,
            kernel: Arc::clone(&function.name),
            described: list.operands.len(),
            params: params.len(),
        });
    }
    let mut args: Vec<Option<KernelArg>> = vec![None; params.len()];
    for position in 0..params.len() {
        let mut arg = list.child("argument node", "")?;
        arg.at = format!("{}[{position}]", list.at);
        let index = arg.number("parameter index")?;
        let Some(param) = params.get(index as usize) else {
            return Err(SchemaError::Range {
                at: arg.at,
                what: "the parameter index",
                value: index.into(),
                limit: "below the number of parameters",
            });
        };
        let at = arg.at.clone();
        if args[index as usize].replace(argument(arg, param)?).is_some() {
            return Err(SchemaError::DuplicateArgument { at, index });
        }
    }
    let mut max_threads_per_threadgroup = None;
    while let Some(operand) = node.peek() {
        node.next += 1;
        let MdOperand::Node(id) = operand else { continue };
        let mut extra = Node::open(node.module, *id, format!("{}.options", node.at))?;
        if matches!(extra.peek(), Some(MdOperand::String(key)) if &**key == "air.max_work_group_size") {
            extra.next += 1;
            max_threads_per_threadgroup = Some(extra.number("threads per threadgroup")?);
        }
    }
    Ok(KernelInfo {
        function: function_id,
        name: Arc::clone(&function.name),
        // Each place was filled once: as many nodes as places, and none twice.
        args: args.into_iter().flatten().collect(),
        max_threads_per_threadgroup,
    })
}

/// What the keys of an argument node say.
#[derive(Default)]
struct Keys {
    location: Option<(u32, u32)>,
    access: Option<Access>,
    space: Option<u32>,
    size: Option<u32>,
    type_size: Option<u32>,
    type_align: Option<u32>,
    members: Vec<StructMember>,
    type_name: Option<Arc<str>>,
    name: Option<Arc<str>>,
    unused: bool,
}

fn argument(mut node: Node<'_>, param: &Type) -> Result<KernelArg, SchemaError> {
    let mut role = node.string("role")?;
    let mut predicate = None;
    if &*role == "air.function_constant" {
        let mut condition = node.child("condition", "function_constant")?;
        predicate = Some(condition.global("variable with the condition")?);
        role = node.string("role")?;
    }
    let keys = keys(&mut node)?;
    let at = node.at;
    let role = match &*role {
        "air.buffer" => ArgRole::Buffer(buffer(&at, &keys, param)?),
        "air.indirect_buffer" => ArgRole::IndirectBuffer(buffer(&at, &keys, param)?),
        "air.visible_function_table" => {
            expect_param(&at, "a visible function table", param, param.is_ptr())?;
            let (location, _) = required(&at, keys.location, "`air.location_index`")?;
            ArgRole::VisibleFunctionTable { location }
        }
        _ => match Builtin::from_role(&role) {
            Some(builtin) => {
                let fits = matches!(param.scalar(), Some(Scalar::Int(16 | 32)))
                    && param.lanes().is_some_and(|lanes| lanes <= 3);
                expect_param(&at, "a thread index or size", param, fits)?;
                ArgRole::Builtin(builtin)
            }
            None => return Err(SchemaError::UnsupportedRole { at, role }),
        },
    };
    Ok(KernelArg {
        role,
        predicate,
        type_name: keys.type_name.unwrap_or_else(|| "".into()),
        name: keys.name.unwrap_or_else(|| "".into()),
        unused: keys.unused,
    })
}

fn keys(node: &mut Node<'_>) -> Result<Keys, SchemaError> {
    let mut keys = Keys::default();
    while let Some(operand) = node.peek() {
        node.next += 1;
        // Values of keys that are not known here are stepped over.
        let MdOperand::String(key) = operand else { continue };
        match &**key {
            "air.location_index" => {
                keys.location = Some((node.number("binding index")?, node.number("number of bindings")?));
            }
            "air.read" => keys.access = Some(Access::Read),
            "air.write" => keys.access = Some(Access::Write),
            "air.read_write" => keys.access = Some(Access::ReadWrite),
            "air.address_space" => keys.space = Some(node.number("address space")?),
            "air.buffer_size" => keys.size = Some(node.number("size in bytes")?),
            "air.arg_type_size" => keys.type_size = Some(node.number("size in bytes")?),
            "air.arg_type_align_size" => keys.type_align = Some(node.number("alignment in bytes")?),
            "air.arg_type_name" => keys.type_name = Some(node.string("type name")?),
            "air.arg_name" => keys.name = Some(node.string("argument name")?),
            "air.arg_unused" => keys.unused = true,
            "air.struct_type_info" => {
                let info = node.child("structure members", "struct_type_info")?;
                keys.members = members(info, 0, &mut 0)?;
            }
            _ => {}
        }
    }
    Ok(keys)
}

fn buffer(at: &str, keys: &Keys, param: &Type) -> Result<BufferArg, SchemaError> {
    let (location, count) = required(at, keys.location, "`air.location_index`")?;
    let access = required(at, keys.access, "`air.read`, `air.write` or `air.read_write`")?;
    let space = AddressSpace(required(at, keys.space, "`air.address_space`")?);
    if !matches!(space, AddressSpace::DEVICE | AddressSpace::CONSTANT | AddressSpace::THREADGROUP) {
        return Err(SchemaError::Range {
            at: at.to_owned(),
            what: "the address space",
            value: space.0.into(),
            limit: "1 (device), 2 (constant) or 3 (threadgroup)",
        });
    }
    let described = match space {
        AddressSpace::DEVICE => "a buffer in device memory",
        AddressSpace::CONSTANT => "a buffer in constant memory",
        _ => "an allocation in threadgroup memory",
    };
    expect_param(at, described, param, *param == Type::ptr(space))?;
    Ok(BufferArg {
        location,
        count,
        access,
        space,
        size: keys.size,
        type_size: keys.type_size,
        type_align: keys.type_align,
        members: keys.members.clone(),
    })
}

fn required<T>(at: &str, value: Option<T>, expected: &'static str) -> Result<T, SchemaError> {
    value.ok_or_else(|| SchemaError::Missing { at: at.to_owned(), expected })
}

fn expect_param(at: &str, described: &str, param: &Type, fits: bool) -> Result<(), SchemaError> {
    if fits {
        return Ok(());
    }
    Err(SchemaError::ParameterType {
        at: at.to_owned(),
        described: described.to_owned(),
        found: param.to_string(),
    })
}

/// Members of a structure: offset, size, array length, type name and name of each, one after another.
///
/// The node of a nested structure stands before its five; the resource that a pointer in an argument buffer
/// is stands behind them, as a node or by its number.
fn members(mut node: Node<'_>, depth: usize, count: &mut usize) -> Result<Vec<StructMember>, SchemaError> {
    if depth >= MAX_DEPTH {
        return Err(SchemaError::Depth { at: node.at, limit: MAX_DEPTH });
    }
    if *count > MAX_MEMBERS {
        return Err(SchemaError::Members { at: node.at, limit: MAX_MEMBERS });
    }
    let mut members: Vec<StructMember> = Vec::new();
    let mut nested = None;
    while let Some(operand) = node.peek() {
        let MdOperand::String(key) = operand else {
            *count += 1;
            if *count > MAX_MEMBERS {
                return Err(SchemaError::Members { at: node.at, limit: MAX_MEMBERS });
            }
            members.push(StructMember {
                offset: node.number("member offset")?,
                size: node.number("member size")?,
                array_length: node.number("member array length")?,
                type_name: node.string("member type name")?,
                name: node.string("member name")?,
                members: nested.take().unwrap_or_default(),
                indirect: false,
            });
            continue;
        };
        node.next += 1;
        match &**key {
            "air.struct_type_info" => {
                let name = format!("members[{}]", members.len());
                let child = node.child("nested structure", &name)?;
                *count += 1;
                nested = Some(self::members(child, depth + 1, count)?);
            }
            "air.indirect_argument" => {
                node.take("resource of the argument buffer")?;
                if let Some(last) = members.last_mut() {
                    last.indirect = true;
                }
            }
            _ => {
                // The value of a key that is not known here; a number would be taken for a member's offset.
                if matches!(node.peek(), Some(MdOperand::Node(_) | MdOperand::Null)) {
                    node.next += 1;
                }
            }
        }
    }
    if nested.is_some() {
        return Err(SchemaError::Missing { at: node.at, expected: "the member of a nested structure" });
    }
    Ok(members)
}
