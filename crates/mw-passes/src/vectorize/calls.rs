//! Calls: built-ins, mathematical primitives, atomics, coherent accesses, barriers, recursion.

use mw_air::intrinsics::{AtomicOp, Intrinsic, Sign};
use mw_air::schema::Builtin;
use mw_air::{
    AtomicOrdering, BinaryOp, Call, Callee, CastOp, FloatPredicate, Inst, IntPredicate, RmwOp, Scalar, Type,
    ValueId,
};

use super::values::{Emitter, LANES, Wide, lowered, overload};
use crate::PassError;
use crate::abi::{BARRIER_SYMBOL, COPY_TILE_SYMBOL, offset};
use crate::scalarize::{BUILTIN_PREFIX, MATRIX_PACK, MATRIX_SLOT};
use crate::uniformity::Shape;

impl Emitter<'_, '_> {
    pub(super) fn emit_call(&mut self, call: &Call, result: Option<ValueId>) -> Result<(), PassError> {
        let Callee::Function(id) = call.callee else {
            return Err(PassError::unsupported("a call through a pointer".to_owned()));
        };
        let module = self.shared.module;
        let callee = module.function(id);
        let name = &*callee.name;
        let wide = if let Some(builtin) = name.strip_prefix(BUILTIN_PREFIX) {
            let ty = self.source.value_type(result.expect("built-ins have a value")).clone();
            Some(self.builtin(builtin, result.expect("built-ins have a value"), &ty)?)
        } else if name.starts_with(MATRIX_PACK) {
            let matrix = if let Some(matrix) = self.tile_matrix(call.args[0], call.args[1]) {
                matrix
            } else {
                let (first, second) = (self.vector(call.args[0])?, self.vector(call.args[1])?);
                self.matrix_pack(first, second)
            };
            Some(Wide::Uniform(matrix))
        } else if name.starts_with(MATRIX_SLOT) {
            let matrix = self.uniform(call.args[0])?;
            let slot = self.source.as_int(call.args[1]).unwrap_or(0);
            Some(Wide::Varying(self.matrix_slot(matrix, slot)))
        } else if !callee.is_declaration() {
            self.call_helper(id, call)?
        } else if name.starts_with("llvm.") {
            self.llvm_call(name, call, result)?
        } else if let Some(intrinsic) = Intrinsic::classify(name) {
            self.intrinsic(name, intrinsic, call, result)?
        } else {
            return Err(PassError::unsupported(format!("`{name}`")));
        };
        if let (Some(result), Some(wide)) = (result, wide) {
            self.set(result, wide);
        }
        Ok(())
    }

    fn call_helper(&mut self, id: mw_air::FuncId, call: &Call) -> Result<Option<Wide>, PassError> {
        let helper = self.shared.helper(id).ok_or_else(|| {
            PassError::unsupported(format!(
                "a call of the kernel `{}` itself",
                self.shared.module.function(id).name
            ))
        })?;
        let mut args = vec![self.context, self.mask()];
        for arg in &call.args {
            args.push(self.vector(*arg)?);
        }
        let ty = self.shared.out.function(helper).ty.clone();
        Ok(self.b().call(helper, &ty, args).map(Wide::Varying))
    }

    fn builtin(&mut self, name: &str, result: ValueId, ty: &Type) -> Result<Wide, PassError> {
        let (role, axis) = name.rsplit_once('.').unwrap_or((name, "0"));
        let axis: u64 = axis.parse().unwrap_or(0);
        let builtin = Builtin::from_role(&format!("air.{role}"))
            .ok_or_else(|| PassError::unsupported(format!("the kernel argument `{role}`")))?;
        let linear = self.shared.options.shape.linear;
        let word = |this: &mut Self, at: u64| this.context_u32(at + axis * 4);
        let wide = match builtin {
            Builtin::ThreadgroupPositionInGrid => Wide::Uniform(word(self, offset::THREADGROUP_POSITION)),
            Builtin::ThreadgroupsPerGrid => Wide::Uniform(word(self, offset::THREADGROUPS_PER_GRID)),
            Builtin::ThreadsPerGrid | Builtin::GridSize => {
                Wide::Uniform(word(self, offset::THREADS_PER_GRID))
            }
            Builtin::ThreadsPerThreadgroup => Wide::Uniform(word(self, offset::THREADS_PER_THREADGROUP)),
            Builtin::DispatchThreadsPerThreadgroup => {
                Wide::Uniform(word(self, offset::DISPATCH_THREADS_PER_THREADGROUP))
            }
            Builtin::GridOrigin => Wide::Uniform(self.function.const_int(Type::I32, 0)),
            Builtin::SimdgroupIndexInThreadgroup => Wide::Uniform(self.context_u32(offset::SIMDGROUP_INDEX)),
            Builtin::SimdgroupsPerThreadgroup => {
                Wide::Uniform(self.context_u32(offset::SIMDGROUPS_PER_THREADGROUP))
            }
            Builtin::DispatchSimdgroupsPerThreadgroup => {
                Wide::Uniform(self.context_u32(offset::DISPATCH_SIMDGROUPS_PER_THREADGROUP))
            }
            Builtin::ThreadsPerSimdgroup => {
                Wide::Uniform(self.function.const_int(Type::I32, u64::from(LANES)))
            }
            Builtin::ThreadIndexInSimdgroup => Wide::Affine {
                base: self.function.const_int(Type::I32, 0),
                shape: Shape::Strided(1),
                ok: None,
            },
            Builtin::ThreadIndexInThreadgroup => {
                let index = self.context_u32(offset::SIMDGROUP_INDEX);
                let mut b = self.b();
                let lanes = b.int(&Type::I32, u64::from(LANES));
                Wide::Affine {
                    base: b.binary(BinaryOp::Mul, index, lanes),
                    shape: Shape::Strided(1),
                    ok: None,
                }
            }
            Builtin::ThreadIndexInQuadgroup => {
                let base = self.function.const_int(Type::I32, 0);
                Wide::Affine { base, shape: self.shape(result), ok: None }
            }
            Builtin::QuadgroupIndexInThreadgroup => {
                let index = self.context_u32(offset::SIMDGROUP_INDEX);
                let quads = self.lane_constant(Scalar::Int(32), |lane| u64::from(lane / 4));
                let mut b = self.b();
                let eight = b.int(&Type::I32, 8);
                let first = b.binary(BinaryOp::Mul, index, eight);
                let first = b.splat(first, LANES);
                Wide::Varying(b.binary(BinaryOp::Add, first, quads))
            }
            Builtin::QuadgroupsPerThreadgroup | Builtin::DispatchQuadgroupsPerThreadgroup => {
                let at = if builtin == Builtin::QuadgroupsPerThreadgroup {
                    offset::THREADS_PER_THREADGROUP
                } else {
                    offset::DISPATCH_THREADS_PER_THREADGROUP
                };
                let sides: Vec<ValueId> = (0..3).map(|side| self.context_u32(at + side * 4)).collect();
                let mut b = self.b();
                let area = b.binary(BinaryOp::Mul, sides[0], sides[1]);
                let threads = b.binary(BinaryOp::Mul, area, sides[2]);
                let three = b.int(&Type::I32, 3);
                let up = b.binary(BinaryOp::Add, threads, three);
                let two = b.int(&Type::I32, 2);
                Wide::Uniform(b.binary(BinaryOp::LShr, up, two))
            }
            Builtin::ThreadPositionInThreadgroup => {
                if linear {
                    let base = self.context_u32(offset::FIRST_THREAD_POSITION + axis * 4);
                    if axis == 0 {
                        Wide::Affine { base, shape: Shape::Strided(1), ok: None }
                    } else {
                        Wide::Uniform(base)
                    }
                } else {
                    Wide::Varying(self.position_in_threadgroup(axis))
                }
            }
            Builtin::ThreadPositionInGrid => {
                let group = self.context_u32(offset::THREADGROUP_POSITION + axis * 4);
                let size = self.context_u32(offset::DISPATCH_THREADS_PER_THREADGROUP + axis * 4);
                let start = self.b().binary(BinaryOp::Mul, group, size);
                if linear {
                    let first = self.context_u32(offset::FIRST_THREAD_POSITION + axis * 4);
                    let base = self.b().binary(BinaryOp::Add, start, first);
                    if axis == 0 {
                        Wide::Affine { base, shape: Shape::Strided(1), ok: None }
                    } else {
                        Wide::Uniform(base)
                    }
                } else {
                    let within = self.position_in_threadgroup(axis);
                    let start = self.splat(start);
                    Wide::Varying(self.b().binary(BinaryOp::Add, start, within))
                }
            }
        };
        Ok(self.narrow_builtin(wide, ty))
    }

    /// Built-ins may be declared `ushort`.
    fn narrow_builtin(&mut self, wide: Wide, ty: &Type) -> Wide {
        if *ty == Type::I32 {
            return wide;
        }
        match wide {
            Wide::Uniform(value) => Wide::Uniform(self.b().cast(CastOp::Trunc, value, ty)),
            Wide::Affine { base, shape, ok } => {
                Wide::Affine { base: self.b().cast(CastOp::Trunc, base, ty), shape, ok }
            }
            Wide::Varying(vector) => {
                let vector_ty = Self::vector_type(ty);
                Wide::Varying(self.b().cast(CastOp::Trunc, vector, &vector_ty))
            }
        }
    }

    /// Position in a threadgroup of any shape, from the thread's index.
    fn position_in_threadgroup(&mut self, axis: u64) -> ValueId {
        let index = self.context_u32(offset::SIMDGROUP_INDEX);
        let width = self.context_u32(offset::THREADS_PER_THREADGROUP);
        let height = self.context_u32(offset::THREADS_PER_THREADGROUP + 4);
        let lanes = self.iota(Scalar::Int(32), 1);
        let mut b = self.b();
        let size = b.int(&Type::I32, u64::from(LANES));
        let first = b.binary(BinaryOp::Mul, index, size);
        let first = b.splat(first, LANES);
        let index = b.binary(BinaryOp::Add, first, lanes);
        let (width, height) = (b.splat(width, LANES), b.splat(height, LANES));
        let row = self.small_quotient(index, width);
        if axis == 0 {
            let mut b = self.b();
            let start = b.binary(BinaryOp::Mul, row, width);
            return b.binary(BinaryOp::Sub, index, start);
        }
        let plane = self.small_quotient(row, height);
        if axis == 2 {
            return plane;
        }
        let mut b = self.b();
        let start = b.binary(BinaryOp::Mul, plane, height);
        b.binary(BinaryOp::Sub, row, start)
    }

    /// Quotient of numbers below 2^16, neither of them zero as divisor: `float` is exact enough.
    pub(super) fn small_quotient(&mut self, lhs: ValueId, rhs: ValueId) -> ValueId {
        let float = Type::Vector(Scalar::Float, LANES);
        let int = Type::Vector(Scalar::Int(32), LANES);
        let mut b = self.b();
        let (l, r) = (b.cast(CastOp::UiToFp, lhs, &float), b.cast(CastOp::UiToFp, rhs, &float));
        let quotient = b.binary(BinaryOp::FDiv, l, r);
        b.cast(CastOp::FpToUi, quotient, &int)
    }

    /// The operands once where the result is uniform, on all lanes otherwise.
    fn operands(&mut self, args: &[ValueId], uniform: bool) -> Result<Vec<ValueId>, PassError> {
        args.iter().map(|arg| if uniform { self.uniform(*arg) } else { self.vector(*arg) }).collect()
    }

    fn llvm_call(
        &mut self,
        name: &str,
        call: &Call,
        result: Option<ValueId>,
    ) -> Result<Option<Wide>, PassError> {
        let Some(result) = result else {
            return match name {
                "llvm.donothing" => Ok(None),
                _ => Err(PassError::unsupported(format!("`{name}`"))),
            };
        };
        let uniform = self.is_uniform(result) && call.args.iter().all(|arg| self.is_uniform(*arg));
        let operands = self.operands(&call.args, uniform)?;
        let head = name.trim_start_matches("llvm.").split('.').next().unwrap_or_default();
        let scalar = self.source.value_type(result).scalar().expect("scalar");
        let from = call.args.first().and_then(|arg| self.source.value_type(*arg).scalar()).unwrap_or(scalar);
        let value = match head {
            "fma" | "fmuladd" => self.fused(scalar, &operands),
            "sqrt" | "floor" | "ceil" | "trunc" | "rint" | "roundeven" | "fabs" | "copysign"
            | "nearbyint" => self.float_function(head, scalar, &operands),
            "fptosi" | "fptoui" => {
                let float = self.widen_float(from, operands[0]);
                let target = self.function.value_type(float).with_scalar(lowered(scalar));
                self.saturating_to_int(float, &target, head == "fptosi")
            }
            "ctlz" | "cttz" | "abs" => {
                let no = self.function.const_int(Type::I1, 0);
                self.same_type(head, vec![operands[0], no], operands[0])
            }
            "ctpop" | "bitreverse" | "bswap" | "smin" | "smax" | "umin" | "umax" | "fshl" | "fshr" => {
                self.same_type(head, operands.clone(), operands[0])
            }
            "usub" | "uadd" | "ssub" | "sadd" if name.contains(".sat.") => {
                self.same_type(&format!("{head}.sat"), operands.clone(), operands[0])
            }
            "is" if name.starts_with("llvm.is.fpclass.") => {
                let classes = self.source.as_int(call.args[1]).unwrap_or(0);
                // Widening turns a 16-bit denormal into a normal number.
                let (negative, positive) = (classes & 0x18, classes & 0x180);
                let told_apart = !matches!(negative, 0 | 0x18) || !matches!(positive, 0 | 0x180);
                if from != Scalar::Float && from != Scalar::Double && told_apart {
                    return Err(PassError::unsupported(format!("`{name}` that tells denormals apart")));
                }
                let value = self.widen_float(from, operands[0]);
                let ty = self.function.value_type(value).clone();
                let suffix = overload(&ty);
                let classes = self.function.const_int(Type::I32, classes);
                let ret = ty.with_scalar(Scalar::Int(1));
                self.call_value(&format!("llvm.is.fpclass.{suffix}"), vec![value, classes], &ret)
            }
            "expect" => operands[0],
            _ => return Err(PassError::unsupported(format!("`{name}`"))),
        };
        Ok(Some(if uniform { Wide::Uniform(value) } else { Wide::Varying(value) }))
    }

    /// Calls `llvm.<head>` for the type of `like`.
    pub(super) fn same_type(&mut self, head: &str, args: Vec<ValueId>, like: ValueId) -> ValueId {
        let ty = self.function.value_type(like).clone();
        self.call_value(&format!("llvm.{head}.{}", overload(&ty)), args, &ty)
    }

    /// `a * b + c` rounded once, in the format `scalar`.
    pub(super) fn fused(&mut self, scalar: Scalar, operands: &[ValueId]) -> ValueId {
        match scalar {
            Scalar::Half => {
                let mut wide = Vec::new();
                for operand in operands {
                    let float = self.half_to_float(*operand);
                    let double = self.function.value_type(float).with_scalar(Scalar::Double);
                    wide.push(self.b().cast(CastOp::FpExt, float, &double));
                }
                let like = wide[0];
                let sum = self.same_type("fma", wide, like);
                let float = self.double_to_float_odd(sum);
                self.float_to_half(float)
            }
            Scalar::BFloat => {
                let wide: Vec<ValueId> =
                    operands.iter().map(|operand| self.bfloat_to_float(*operand)).collect();
                let like = wide[0];
                let sum = self.same_type("fma", wide, like);
                self.float_to_bfloat(sum)
            }
            Scalar::Int(_) | Scalar::Float | Scalar::Double | Scalar::Ptr(_) => {
                self.same_type("fma", operands.to_vec(), operands[0])
            }
        }
    }

    fn float_function(&mut self, head: &str, scalar: Scalar, operands: &[ValueId]) -> ValueId {
        let wide: Vec<ValueId> = operands.iter().map(|operand| self.widen_float(scalar, *operand)).collect();
        let like = wide[0];
        let value = self.same_type(head, wide, like);
        // Rounding functions are no arithmetic to the processor, which then keeps a denormal.
        let value = if scalar == Scalar::Float
            && matches!(head, "floor" | "ceil" | "trunc" | "rint" | "roundeven" | "nearbyint")
        {
            self.flush(value)
        } else {
            value
        };
        self.narrow_float(scalar, value)
    }

    /// A float result with denormals as zeros, where the module wants it.
    pub(super) fn flush(&mut self, value: ValueId) -> ValueId {
        if !self.shared.options.flush_denormals {
            return value;
        }
        let ty = self.function.value_type(value).clone();
        let int = ty.with_scalar(Scalar::Int(32));
        let mut b = self.b();
        let bits = b.cast(CastOp::Bitcast, value, &int);
        let exponent = b.int(&int, 0x7f80_0000);
        let sign = b.int(&int, 0x8000_0000);
        let zero = b.int(&int, 0);
        let high = b.binary(BinaryOp::And, bits, exponent);
        let small = b.icmp(IntPredicate::Eq, high, zero);
        let signed_zero = b.binary(BinaryOp::And, bits, sign);
        let flushed = b.select(small, signed_zero, bits);
        b.cast(CastOp::Bitcast, flushed, &ty)
    }

    fn intrinsic(
        &mut self,
        name: &str,
        intrinsic: Intrinsic,
        call: &Call,
        result: Option<ValueId>,
    ) -> Result<Option<Wide>, PassError> {
        Ok(match intrinsic {
            Intrinsic::ThreadgroupBarrier => {
                self.has_barriers = true;
                let context = self.context;
                self.call_external(BARRIER_SYMBOL, vec![context], &Type::Void);
                None
            }
            // The lanes of a simdgroup run in step, and memory operations stay in order.
            Intrinsic::SimdgroupBarrier => None,
            Intrinsic::Fence => {
                self.b().fence(AtomicOrdering::SeqCst);
                None
            }
            Intrinsic::Atomic { op, ty, .. } => self.atomic(op, ty.sign, ty.scalar, call, result)?,
            Intrinsic::Simd { op, ty } => Some(self.collective(name, op, ty, call, LANES)?),
            Intrinsic::Quad { op, ty } => Some(self.collective(name, op, ty, call, 4)?),
            Intrinsic::Matrix(op) => self.matrix_call(op, call)?,
            Intrinsic::Coherent { store: false, .. } => {
                let result = result.expect("loads have a value");
                let ty = self.source.value_type(result).clone();
                let align = mw_air::Layout::align(&ty);
                Some(self.load_from(call.args[0], &ty, align, true, true)?)
            }
            Intrinsic::Coherent { store: true, .. } => {
                let ty = self.source.value_type(call.args[0]).clone();
                let align = mw_air::Layout::align(&ty);
                self.store_to(call.args[1], call.args[0], &ty, align, true)?;
                None
            }
            Intrinsic::SimdgroupSize { ty } => {
                Some(Wide::Uniform(self.function.const_int(Type::Scalar(ty.scalar), u64::from(LANES))))
            }
            Intrinsic::ThreadIndexInSimdgroup { ty } => Some(Wide::Affine {
                base: self.function.const_int(Type::Scalar(ty.scalar), 0),
                shape: Shape::Strided(1),
                ok: None,
            }),
            Intrinsic::AsyncCopy { dimensions, .. } => {
                self.copy_tile(dimensions, &call.args)?;
                // The copy is done: the event says nothing.
                Some(Wide::Uniform(self.function.const_int(Type::I32, 0)))
            }
            Intrinsic::WaitEvents => None,
            Intrinsic::IsUniform { .. } => {
                // Only feeds assumptions, which are gone.
                let yes = self.function.const_int(Type::I1, 1);
                Some(if result.is_some_and(|result| self.is_uniform(result)) {
                    Wide::Uniform(yes)
                } else {
                    Wide::Varying(self.splat(yes))
                })
            }
            Intrinsic::Math { .. }
            | Intrinsic::Integer { .. }
            | Intrinsic::Relational { .. }
            | Intrinsic::Convert { .. }
            | Intrinsic::NormalizePredicate { .. }
            | Intrinsic::IsFunctionConstantDefined
            | Intrinsic::VisibleFunctionPointer
            | Intrinsic::Tensor(_)
            | Intrinsic::TensorOperations => return Err(PassError::unsupported(format!("`{name}`"))),
        })
    }

    /// Hands an asynchronous copy to the caller's function, which does it at once.
    fn copy_tile(&mut self, dimensions: u8, args: &[ValueId]) -> Result<(), PassError> {
        let mut values = Vec::new();
        for arg in args {
            values.push(self.uniform_or_first(*arg)?);
        }
        let (one, zero) = (self.function.const_int(Type::I64, 1), self.function.const_int(Type::I64, 0));
        let fields: Vec<ValueId> = match (dimensions, &*values) {
            // Size, alignment, target, source, count.
            (1, &[size, _, to, from, count]) => {
                vec![size, to, count, one, count, one, from, count, one, count, one, zero, zero, zero]
            }
            (
                2,
                &[size, _, to, row, column, width, height, from, source_row, source_column, w, h, x, y, mode],
            ) => {
                let mode = self.b().cast(CastOp::ZExt, mode, &Type::I64);
                vec![size, to, row, column, width, height, from, source_row, source_column, w, h, x, y, mode]
            }
            _ => return Err(PassError::invalid("an asynchronous copy with an unknown signature".to_owned())),
        };
        let slot = self.slot(&Type::array(Type::I64, fields.len() as u64));
        for (index, field) in fields.into_iter().enumerate() {
            let mut b = self.b();
            let index = b.int(&Type::I64, index as u64);
            let place = b.gep(&Type::I64, slot, vec![index]);
            b.store(place, field, 8);
        }
        self.call_external(COPY_TILE_SYMBOL, vec![slot], &Type::Void);
        Ok(())
    }

    fn atomic(
        &mut self,
        op: AtomicOp,
        sign: Sign,
        scalar: Scalar,
        call: &Call,
        result: Option<ValueId>,
    ) -> Result<Option<Wide>, PassError> {
        let align = scalar.bits() / 8;
        let element = Type::Scalar(scalar);
        let mask = self.mask();
        if op == AtomicOp::Load {
            let wide = self.atomic_load(call.args[0], &element, align, mask)?;
            return Ok(Some(wide));
        }
        let addresses = self.vector(call.args[0])?;
        let addresses = self.spill(addresses);
        if op == AtomicOp::CompareExchangeWeak {
            return self.compare_exchange(&element, addresses, call, mask).map(Some);
        }
        let values = self.vector(call.args[1])?;
        let values = self.spill(values);
        let old = match result {
            Some(_) => {
                let zero = self.b().zero(&Type::Vector(scalar, LANES));
                Some(self.spill(zero))
            }
            None => None,
        };
        let float = scalar.is_float();
        self.for_each_lane(mask, |this, lane| {
            let (address, value) = (this.lane_of(addresses, lane), this.lane_of(values, lane));
            let monotonic = AtomicOrdering::Monotonic;
            let rmw = match op {
                AtomicOp::Store => {
                    let inst = Inst::Store {
                        ptr: address,
                        value,
                        align,
                        volatile: false,
                        ordering: Some(monotonic),
                    };
                    this.b().push_void(inst);
                    return Ok(());
                }
                AtomicOp::Exchange => RmwOp::Xchg,
                AtomicOp::Add if float => RmwOp::FAdd,
                AtomicOp::Add => RmwOp::Add,
                AtomicOp::Sub if float => RmwOp::FSub,
                AtomicOp::Sub => RmwOp::Sub,
                AtomicOp::And => RmwOp::And,
                AtomicOp::Or => RmwOp::Or,
                AtomicOp::Xor => RmwOp::Xor,
                AtomicOp::Min | AtomicOp::Max if float => {
                    return Err(PassError::unsupported("an atomic minimum or maximum of floats".to_owned()));
                }
                AtomicOp::Min if sign == Sign::Signed => RmwOp::Min,
                AtomicOp::Min => RmwOp::UMin,
                AtomicOp::Max if sign == Sign::Signed => RmwOp::Max,
                AtomicOp::Max => RmwOp::UMax,
                AtomicOp::Load | AtomicOp::CompareExchangeWeak => unreachable!("handled above"),
            };
            let inst =
                Inst::AtomicRmw { op: rmw, ptr: address, value, ordering: monotonic, align, volatile: false };
            let before = this.b().push(inst, Type::Scalar(scalar));
            if let Some(old) = old {
                this.set_lane(old, lane, before);
            }
            Ok(())
        })?;
        Ok(old.map(|old| Wide::Varying(self.unspill(old))))
    }

    fn atomic_load(&mut self, ptr: ValueId, ty: &Type, align: u32, mask: ValueId) -> Result<Wide, PassError> {
        let scalar = ty.scalar().expect("scalar");
        let addresses = self.vector(ptr)?;
        let addresses = self.spill(addresses);
        let zero = self.b().zero(&Type::Vector(scalar, LANES));
        let values = self.spill(zero);
        self.for_each_lane(mask, |this, lane| {
            let address = this.lane_of(addresses, lane);
            let ordering = Some(AtomicOrdering::Monotonic);
            let value = this
                .b()
                .push(Inst::Load { ptr: address, align, volatile: false, ordering }, Type::Scalar(scalar));
            this.set_lane(values, lane, value);
            Ok(())
        })?;
        Ok(Wide::Varying(self.unspill(values)))
    }

    /// The expected value stands in private memory and is replaced by the old one.
    fn compare_exchange(
        &mut self,
        ty: &Type,
        addresses: (ValueId, Scalar),
        call: &Call,
        mask: ValueId,
    ) -> Result<Wide, PassError> {
        let expected = self.private_load(call.args[1], ty)?;
        let scalar = ty.scalar().expect("scalar");
        let int = Scalar::Int(scalar.bits() as u16);
        let bits = |this: &mut Self, value: ValueId| {
            let ty = this.function.value_type(value).with_scalar(int);
            if *this.function.value_type(value) == ty {
                value
            } else {
                this.b().cast(CastOp::Bitcast, value, &ty)
            }
        };
        let expected = bits(self, expected);
        let desired = self.vector(call.args[2])?;
        let desired = bits(self, desired);
        let (expected, desired) = (self.spill(expected), self.spill(desired));
        let zero = self.b().zero(&Type::Vector(int, LANES));
        let old = self.spill(zero);
        self.for_each_lane(mask, |this, lane| {
            let address = this.lane_of(addresses, lane);
            let (want, new) = (this.lane_of(expected, lane), this.lane_of(desired, lane));
            let element = Type::Scalar(int);
            let inst = Inst::CmpXchg {
                ptr: address,
                expected: want,
                new,
                success: AtomicOrdering::Monotonic,
                failure: AtomicOrdering::Monotonic,
                align: int.bits() / 8,
                weak: false,
                volatile: false,
            };
            let pair = this.b().push(inst, Type::literal_struct(vec![element.clone(), Type::I1]));
            let before = this.b().push(Inst::ExtractValue { aggregate: pair, indices: vec![0] }, element);
            this.set_lane(old, lane, before);
            Ok(())
        })?;
        let old = self.unspill(old);
        let vector = Type::Vector(lowered(scalar), LANES);
        let value = if *self.function.value_type(old) == vector {
            old
        } else {
            self.b().cast(CastOp::Bitcast, old, &vector)
        };
        self.private_store(call.args[1], value, ty)?;
        Ok(Wide::Varying(value))
    }

    /// The smaller or greater of two numbers: a number wins over NaN, −0 is below +0.
    pub(super) fn float_extreme(&mut self, a: ValueId, b: ValueId, greatest: bool) -> ValueId {
        let ty = self.function.value_type(a).clone();
        let int = ty.with_scalar(Scalar::Int(ty.scalar().expect("float").bits() as u16));
        let mut builder = self.b();
        let (a_bits, b_bits) =
            (builder.cast(CastOp::Bitcast, a, &int), builder.cast(CastOp::Bitcast, b, &int));
        let tie = builder.binary(if greatest { BinaryOp::And } else { BinaryOp::Or }, a_bits, b_bits);
        let tie = builder.cast(CastOp::Bitcast, tie, &ty);
        let better = builder.fcmp(if greatest { FloatPredicate::Ogt } else { FloatPredicate::Olt }, b, a);
        let a_nan = builder.fcmp(FloatPredicate::Uno, a, a);
        let take_b = builder.binary(BinaryOp::Or, better, a_nan);
        let zero = builder.zero(&ty);
        let (a_zero, equal) =
            (builder.fcmp(FloatPredicate::Oeq, a, zero), builder.fcmp(FloatPredicate::Oeq, a, b));
        let both_zero = builder.binary(BinaryOp::And, a_zero, equal);
        let other = builder.select(both_zero, tie, a);
        let value = builder.select(take_b, b, other);
        if ty.scalar() == Some(Scalar::Float) { self.flush(value) } else { value }
    }
}
