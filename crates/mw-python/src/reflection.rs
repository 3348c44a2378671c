//! What kernels tell about themselves, as Python data: `Binding`, `StructMember`, `FunctionConstant`.

use metalworking as mw;
use mw_air::AddressSpace;
use pyo3::prelude::*;

/// One argument of a kernel (``MTLBinding``).
#[pyclass(frozen, eq, get_all, module = "metalworking", name = "Binding")]
#[derive(Clone, PartialEq)]
pub(crate) struct PyBinding {
    /// Name in the source; empty when it gave none.
    name: String,
    /// Metal type name, of an element where the argument is a pointer.
    type_name: String,
    /// ``"buffer"``, ``"threadgroup"``, ``"visible_function_table"`` or ``"builtin"``.
    kind: &'static str,
    /// ``[[buffer(index)]]`` or ``[[threadgroup(index)]]``; None for built-in arguments.
    index: Option<u32>,
    /// False when a function constant gates it off or the body never reads it.
    is_used: bool,
    /// ``"read"``, ``"write"`` or ``"read_write"``, for buffers.
    access: Option<&'static str>,
    /// ``"device"`` or ``"constant"``, for buffers.
    address_space: Option<&'static str>,
    /// Extent in bytes, where it is known: for references.
    size: Option<u32>,
    /// Size in bytes of an element.
    element_size: Option<u32>,
    /// Alignment in bytes of an element.
    element_align: Option<u32>,
    /// Members of a structure, in order.
    members: Vec<PyStructMember>,
    /// Metal's attribute of a built-in argument, such as ``"thread_position_in_grid"``.
    builtin: Option<String>,
}

impl PyBinding {
    pub(crate) fn of(binding: &mw::Binding) -> Self {
        let mut this = Self {
            name: binding.name.clone(),
            type_name: binding.type_name.clone(),
            kind: "buffer",
            index: None,
            is_used: binding.is_used,
            access: None,
            address_space: None,
            size: None,
            element_size: None,
            element_align: None,
            members: Vec::new(),
            builtin: None,
        };
        match &binding.kind {
            mw::BindingKind::Buffer { index, access, space, size, element_size, element_align, members } => {
                this.index = Some(*index);
                this.access = Some(match access {
                    mw::Access::Read => "read",
                    mw::Access::Write => "write",
                    mw::Access::ReadWrite => "read_write",
                });
                this.address_space =
                    Some(if *space == AddressSpace::CONSTANT { "constant" } else { "device" });
                this.size = *size;
                this.element_size = *element_size;
                this.element_align = *element_align;
                this.members = members.iter().map(PyStructMember::of).collect();
            }
            mw::BindingKind::Threadgroup { index } => {
                this.kind = "threadgroup";
                this.index = Some(*index);
            }
            mw::BindingKind::VisibleFunctionTable { index } => {
                this.kind = "visible_function_table";
                this.index = Some(*index);
            }
            mw::BindingKind::Builtin(builtin) => {
                this.kind = "builtin";
                this.builtin = Some(builtin.role().trim_start_matches("air.").to_owned());
            }
        }
        this
    }
}

#[pymethods]
impl PyBinding {
    fn __repr__(&self) -> String {
        let place = match (&self.builtin, self.index) {
            (Some(builtin), _) => format!("[[{builtin}]]"),
            (None, Some(index)) => format!("[[{}({index})]]", self.kind),
            (None, None) => self.kind.to_owned(),
        };
        format!("<metalworking.Binding {} {} {place}>", self.type_name, self.name)
    }
}

/// A member of a structure behind a buffer.
#[pyclass(frozen, eq, get_all, module = "metalworking", name = "StructMember")]
#[derive(Clone, PartialEq)]
pub(crate) struct PyStructMember {
    /// Member name.
    name: String,
    /// Metal type name.
    type_name: String,
    /// Offset in bytes.
    offset: u32,
    /// Size in bytes, of one element where the member is an array.
    size: u32,
    /// Number of elements of an array, 0 otherwise.
    array_length: u32,
    /// Members of a nested structure.
    members: Vec<PyStructMember>,
}

impl PyStructMember {
    fn of(member: &mw::StructMember) -> Self {
        Self {
            name: member.name.to_string(),
            type_name: member.type_name.to_string(),
            offset: member.offset,
            size: member.size,
            array_length: member.array_length,
            members: member.members.iter().map(Self::of).collect(),
        }
    }
}

#[pymethods]
impl PyStructMember {
    fn __repr__(&self) -> String {
        format!("<metalworking.StructMember {} {} at {}>", self.type_name, self.name, self.offset)
    }
}

/// A function constant that a kernel declares.
#[pyclass(frozen, eq, get_all, module = "metalworking", name = "FunctionConstant")]
#[derive(Clone, PartialEq)]
pub(crate) struct PyFunctionConstant {
    /// Name in the source.
    name: String,
    /// ``[[function_constant(index)]]``.
    index: u32,
    /// Metal type name.
    type_name: String,
    /// Whether it must have a value: the source does not test it with
    /// ``is_function_constant_defined``.
    required: bool,
}

impl PyFunctionConstant {
    pub(crate) fn of(constant: &mw::FunctionConstant) -> Self {
        Self {
            name: constant.name.to_string(),
            index: constant.index,
            type_name: constant.type_name.to_string(),
            required: constant.required,
        }
    }
}

#[pymethods]
impl PyFunctionConstant {
    fn __repr__(&self) -> String {
        format!("<metalworking.FunctionConstant {} `{}` ({})>", self.index, self.name, self.type_name)
    }
}
