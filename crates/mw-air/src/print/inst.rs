//! Instructions and terminators.

use super::constant::push_int;
use super::{Printer, push_uint};
use crate::{
    Block, BlockId, Call, Callee, Flags, Function, FunctionType, Inst, InstId, Scalar, Terminator, Type,
    ValueDef, ValueId,
};

impl<'m> Printer<'m> {
    pub(super) fn inst(&mut self, function: &'m Function, id: InstId) {
        self.out.push_str("  ");
        if id.index() >= function.inst_count() {
            self.out.push_str("<badref>\n");
            return;
        }
        let data = function.inst(id);
        if let Some(result) = data.result {
            self.out.push('%');
            self.slot(result);
            self.out.push_str(" = ");
        }
        let result_type = match data.result {
            Some(result) if result.index() < function.values().len() => function.value_type(result),
            _ => &Type::Void,
        };
        self.operation(function, &data.inst, result_type);
        self.attachments(", ", &data.metadata);
        self.location(data.location);
        self.out.push('\n');
    }

    pub(super) fn terminator(&mut self, function: &Function, block: &Block) {
        self.out.push_str("  ");
        match &block.terminator {
            Terminator::Ret(None) => self.out.push_str("ret void"),
            Terminator::Ret(Some(value)) => {
                self.out.push_str("ret ");
                self.typed(function, *value);
            }
            Terminator::Br(target) => {
                self.out.push_str("br ");
                self.label(*target);
            }
            Terminator::CondBr { condition, on_true, on_false } => {
                self.out.push_str("br ");
                self.typed(function, *condition);
                self.out.push_str(", ");
                self.label(*on_true);
                self.out.push_str(", ");
                self.label(*on_false);
            }
            Terminator::Switch { value, default, cases } => self.switch(function, *value, *default, cases),
            Terminator::Unreachable => self.out.push_str("unreachable"),
        }
        self.attachments(", ", &block.metadata);
        self.location(block.location);
        self.out.push('\n');
    }

    fn switch(&mut self, function: &Function, value: ValueId, default: BlockId, cases: &[(u64, BlockId)]) {
        let width = match function.values().get(value.index()).map(|value| &value.ty) {
            Some(Type::Scalar(Scalar::Int(width))) => *width,
            _ => 64,
        };
        self.out.push_str("switch ");
        self.typed(function, value);
        self.out.push_str(", ");
        self.label(default);
        self.out.push_str(" [\n");
        for (case, target) in cases {
            self.out.push_str("    i");
            push_uint(&mut self.out, u64::from(width));
            self.out.push(' ');
            push_int(&mut self.out, width, *case);
            self.out.push_str(", ");
            self.label(*target);
            self.out.push('\n');
        }
        self.out.push_str("  ]");
    }

    fn operation(&mut self, function: &Function, inst: &Inst, result: &Type) {
        match inst {
            Inst::Binary { op, lhs, rhs, flags } => {
                self.out.push_str(op.name());
                self.flags(*flags, op.allowed_flags());
                self.pair(function, *lhs, *rhs);
            }
            Inst::FNeg { value, flags } => {
                self.out.push_str("fneg");
                self.flags(*flags, Flags::FAST);
                self.out.push(' ');
                self.typed(function, *value);
            }
            Inst::Cast { op, value, flags } => {
                self.out.push_str(op.name());
                self.flags(*flags, op.allowed_flags());
                self.out.push(' ');
                self.typed(function, *value);
                self.out.push_str(" to ");
                self.ty(result);
            }
            Inst::ICmp { predicate, lhs, rhs, flags } => {
                self.out.push_str("icmp");
                self.flags(*flags, Flags::SAMESIGN);
                self.out.push(' ');
                self.out.push_str(predicate.name());
                self.pair(function, *lhs, *rhs);
            }
            Inst::FCmp { predicate, lhs, rhs, flags } => {
                self.out.push_str("fcmp");
                self.flags(*flags, Flags::FAST);
                self.out.push(' ');
                self.out.push_str(predicate.name());
                self.pair(function, *lhs, *rhs);
            }
            Inst::Select { condition, on_true, on_false, flags } => {
                self.out.push_str("select");
                self.float_flags(*flags, result);
                self.out.push(' ');
                self.list(function, &[*condition, *on_true, *on_false]);
            }
            Inst::Freeze { value } => {
                self.out.push_str("freeze ");
                self.typed(function, *value);
            }
            Inst::Phi { incoming, flags } => {
                self.out.push_str("phi");
                self.float_flags(*flags, result);
                self.out.push(' ');
                self.ty(result);
                for (index, (block, value)) in incoming.iter().enumerate() {
                    self.out.push_str(if index == 0 { " [ " } else { ", [ " });
                    self.value(function, *value);
                    self.out.push_str(", ");
                    self.block(*block);
                    self.out.push_str(" ]");
                }
            }
            Inst::ExtractElement { vector, index } => {
                self.out.push_str("extractelement ");
                self.list(function, &[*vector, *index]);
            }
            Inst::InsertElement { vector, element, index } => {
                self.out.push_str("insertelement ");
                self.list(function, &[*vector, *element, *index]);
            }
            Inst::ShuffleVector { first, second, mask } => {
                self.out.push_str("shufflevector ");
                self.list(function, &[*first, *second]);
                self.shuffle_mask(mask);
            }
            Inst::ExtractValue { aggregate, indices } => {
                self.out.push_str("extractvalue ");
                self.typed(function, *aggregate);
                self.member_path(indices);
            }
            Inst::InsertValue { aggregate, element, indices } => {
                self.out.push_str("insertvalue ");
                self.list(function, &[*aggregate, *element]);
                self.member_path(indices);
            }
            Inst::Alloca { ty, count, align, space } => {
                self.out.push_str("alloca ");
                self.ty(ty);
                if let Some(count) = count {
                    self.out.push_str(", ");
                    self.typed(function, *count);
                }
                self.align(*align);
                if space.0 != 0 {
                    self.out.push_str(", addrspace(");
                    push_uint(&mut self.out, u64::from(space.0));
                    self.out.push(')');
                }
            }
            Inst::Load { ptr, align, volatile, ordering } => {
                self.out.push_str(if ordering.is_some() { "load atomic " } else { "load " });
                self.out.push_str(if *volatile { "volatile " } else { "" });
                self.ty(result);
                self.out.push_str(", ");
                self.typed(function, *ptr);
                if let Some(ordering) = ordering {
                    self.out.push(' ');
                    self.out.push_str(ordering.name());
                }
                self.align(*align);
            }
            Inst::Store { ptr, value, align, volatile, ordering } => {
                self.out.push_str(if ordering.is_some() { "store atomic " } else { "store " });
                self.out.push_str(if *volatile { "volatile " } else { "" });
                self.list(function, &[*value, *ptr]);
                if let Some(ordering) = ordering {
                    self.out.push(' ');
                    self.out.push_str(ordering.name());
                }
                self.align(*align);
            }
            Inst::Gep { source, base, indices, flags } => {
                self.out.push_str("getelementptr");
                self.flags(*flags, Flags::INBOUNDS.union(Flags::NUSW).union(Flags::NUW));
                self.out.push(' ');
                self.ty(source);
                self.out.push_str(", ");
                self.typed(function, *base);
                for index in indices {
                    self.out.push_str(", ");
                    self.typed(function, *index);
                }
            }
            Inst::Call(call) => self.call(function, call),
            Inst::AtomicRmw { op, ptr, value, ordering, align, volatile } => {
                self.out.push_str(if *volatile { "atomicrmw volatile " } else { "atomicrmw " });
                self.out.push_str(op.name());
                self.out.push(' ');
                self.list(function, &[*ptr, *value]);
                self.out.push(' ');
                self.out.push_str(ordering.name());
                self.align(*align);
            }
            Inst::CmpXchg { ptr, expected, new, success, failure, align, weak, volatile } => {
                self.out.push_str(if *weak { "cmpxchg weak " } else { "cmpxchg " });
                self.out.push_str(if *volatile { "volatile " } else { "" });
                self.list(function, &[*ptr, *expected, *new]);
                self.out.push(' ');
                self.out.push_str(success.name());
                self.out.push(' ');
                self.out.push_str(failure.name());
                self.align(*align);
            }
            Inst::Fence { ordering } => {
                self.out.push_str("fence ");
                self.out.push_str(ordering.name());
            }
        }
    }

    fn call(&mut self, function: &Function, call: &Call) {
        self.out.push_str(match call.tail {
            1 => "tail call",
            2 => "musttail call",
            3 => "notail call",
            _ => "call",
        });
        self.float_flags(call.flags, &call.ty.ret);
        self.out.push(' ');
        self.calling_convention(call.calling_convention);
        self.attributes(&call.ret_attrs, "", " ");
        self.callee_type(&call.ty);
        self.out.push(' ');
        match call.callee {
            Callee::Function(callee) => match self.symbols.functions.get(callee.index()) {
                Some(symbol) => self.out.push_str(symbol),
                None => self.out.push_str("<badref>"),
            },
            Callee::Value(value) => self.value(function, value),
        }
        self.out.push('(');
        for (index, arg) in call.args.iter().enumerate() {
            if index != 0 {
                self.out.push_str(", ");
            }
            self.value_type(function, *arg);
            if let Some(attributes) = call.arg_attrs.get(index) {
                self.attributes(attributes, " ", "");
            }
            self.out.push(' ');
            self.value(function, *arg);
        }
        self.out.push(')');
        self.attributes(&call.attrs, " ", "");
    }

    /// The return type, or the whole type where the callee takes more arguments than it lists.
    fn callee_type(&mut self, ty: &FunctionType) {
        self.ty(&ty.ret);
        if ty.varargs {
            self.out.push_str(" (");
            for param in &ty.params {
                self.ty(param);
                self.out.push_str(", ");
            }
            self.out.push_str("...)");
        }
    }

    fn shuffle_mask(&mut self, mask: &[i32]) {
        self.out.push_str(", <");
        push_uint(&mut self.out, mask.len() as u64);
        self.out.push_str(" x i32> ");
        if mask.iter().all(|index| *index == 0) {
            self.out.push_str("zeroinitializer");
        } else if mask.iter().all(|index| *index < 0) {
            self.out.push_str("poison");
        } else {
            for (position, index) in mask.iter().enumerate() {
                self.out.push_str(if position == 0 { "<i32 " } else { ", i32 " });
                match u64::try_from(*index) {
                    Ok(index) => push_uint(&mut self.out, index),
                    Err(_) => self.out.push_str("poison"),
                }
            }
            self.out.push('>');
        }
    }

    fn member_path(&mut self, indices: &[u32]) {
        for index in indices {
            self.out.push_str(", ");
            push_uint(&mut self.out, u64::from(*index));
        }
    }

    fn align(&mut self, align: u32) {
        if align != 0 {
            self.out.push_str(", align ");
            push_uint(&mut self.out, u64::from(align));
        }
    }

    /// Writes those of `flags` that the operation may carry.
    fn flags(&mut self, flags: Flags, allowed: Flags) {
        let flags = Flags(flags.0 & allowed.0);
        if flags == Flags::NONE {
            return;
        }
        if flags.contains(Flags::FAST) {
            self.out.push_str(" fast");
            return;
        }
        for (flag, name) in FLAG_NAMES {
            // `inbounds` says more than `nusw`.
            let implied = flag == Flags::NUSW && flags.contains(Flags::INBOUNDS);
            if flags.contains(flag) && !implied {
                self.out.push_str(name);
            }
        }
    }

    /// Writes fast-math flags where the type may have them.
    fn float_flags(&mut self, flags: Flags, ty: &Type) {
        if flags != Flags::NONE && ty.is_float() {
            self.flags(flags, Flags::FAST);
        }
    }

    /// `ty lhs, rhs` behind a space.
    fn pair(&mut self, function: &Function, lhs: ValueId, rhs: ValueId) {
        self.out.push(' ');
        self.typed(function, lhs);
        self.out.push_str(", ");
        self.value(function, rhs);
    }

    /// Typed values with commas between them.
    fn list(&mut self, function: &Function, values: &[ValueId]) {
        for (index, value) in values.iter().enumerate() {
            if index != 0 {
                self.out.push_str(", ");
            }
            self.typed(function, *value);
        }
    }

    fn typed(&mut self, function: &Function, value: ValueId) {
        self.value_type(function, value);
        self.out.push(' ');
        self.value(function, value);
    }

    fn value_type(&mut self, function: &Function, value: ValueId) {
        match function.values().get(value.index()) {
            Some(data) => self.structs.push_type(&mut self.out, &data.ty),
            None => self.out.push_str("<badref>"),
        }
    }

    fn value(&mut self, function: &Function, value: ValueId) {
        match function.values().get(value.index()) {
            Some(data) => match &data.def {
                ValueDef::Const(constant) => self.constant(&data.ty, constant),
                ValueDef::Param(_) | ValueDef::Inst(_) => {
                    self.out.push('%');
                    self.slot(value);
                }
            },
            None => self.out.push_str("<badref>"),
        }
    }

    fn slot(&mut self, value: ValueId) {
        match self.slots.get(value.index()) {
            Some(slot) if *slot != u32::MAX => push_uint(&mut self.out, u64::from(*slot)),
            _ => self.out.push_str("<badref>"),
        }
    }

    fn label(&mut self, block: BlockId) {
        self.out.push_str("label ");
        self.block(block);
    }

    fn block(&mut self, block: BlockId) {
        self.out.push('%');
        match self.block_slots.get(block.index()) {
            Some(slot) => push_uint(&mut self.out, u64::from(*slot)),
            None => self.out.push_str("<badref>"),
        }
    }
}

/// Flags in LLVM's order of writing, each behind a space.
const FLAG_NAMES: [(Flags, &str); 15] = [
    (Flags::REASSOC, " reassoc"),
    (Flags::NNAN, " nnan"),
    (Flags::NINF, " ninf"),
    (Flags::NSZ, " nsz"),
    (Flags::ARCP, " arcp"),
    (Flags::CONTRACT, " contract"),
    (Flags::AFN, " afn"),
    (Flags::INBOUNDS, " inbounds"),
    (Flags::NUSW, " nusw"),
    (Flags::NUW, " nuw"),
    (Flags::NSW, " nsw"),
    (Flags::EXACT, " exact"),
    (Flags::DISJOINT, " disjoint"),
    (Flags::NNEG, " nneg"),
    (Flags::SAMESIGN, " samesign"),
];
