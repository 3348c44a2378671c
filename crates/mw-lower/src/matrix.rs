//! Arithmetic with matrices, column by column.

use mw_air::{BinaryOp as Air, Scalar, Type, ValueId};
use mw_msl::ast::BinaryOp;
use mw_msl::hir::FloatRules;
use mw_msl::types::{self, TypeId};
use mw_source::Span;

use crate::context::{FunctionLowering, flags};
use crate::error::LowerError;

impl FunctionLowering<'_, '_> {
    /// An operator of which at least one side is a matrix.
    pub(crate) fn matrix_binary(
        &mut self,
        op: BinaryOp,
        left: (ValueId, TypeId),
        right: (ValueId, TypeId),
        rules: FloatRules,
        span: Span,
    ) -> Result<ValueId, LowerError> {
        let fast = flags(rules.math_mode);
        let ((left, left_ty), (right, right_ty)) = (left, right);
        match (self.shape(left_ty), self.shape(right_ty)) {
            (types::Type::Matrix { columns, .. }, types::Type::Matrix { columns: right_columns, .. }) => {
                let air = match op {
                    BinaryOp::Add => Air::FAdd,
                    BinaryOp::Sub => Air::FSub,
                    BinaryOp::Mul => {
                        let mut parts = Vec::new();
                        for index in 0..*right_columns {
                            let column = self.extract_value(right, u32::from(index));
                            parts.push(self.matrix_times_vector(left, *columns, column, rules));
                        }
                        return Ok(self.columns(&parts));
                    }
                    BinaryOp::Equal | BinaryOp::NotEqual => {
                        return Err(LowerError::unsupported(span, "comparison of matrices"));
                    }
                    _ => return Err(LowerError::malformed(span, format!("{op:?} of matrices"))),
                };
                let mut parts = Vec::new();
                for index in 0..*columns {
                    let first = self.extract_value(left, u32::from(index));
                    let second = self.extract_value(right, u32::from(index));
                    parts.push(self.binary_flags(air, first, second, fast));
                }
                Ok(self.columns(&parts))
            }
            (types::Type::Matrix { columns, .. }, types::Type::Vector(..)) if op == BinaryOp::Mul => {
                Ok(self.matrix_times_vector(left, *columns, right, rules))
            }
            (types::Type::Vector(scalar, lanes), types::Type::Matrix { columns, .. })
                if op == BinaryOp::Mul =>
            {
                let scalar = crate::types::scalar(*scalar);
                let mut parts = Vec::new();
                for index in 0..*columns {
                    let column = self.extract_value(right, u32::from(index));
                    let name = format!("air.dot.v{lanes}{}", scalar.suffix());
                    parts.push(self.call_value(&name, &Type::Scalar(scalar), &[left, column]));
                }
                Ok(self.vector(&parts))
            }
            (types::Type::Matrix { columns, rows, .. }, types::Type::Scalar(_)) => {
                self.scale(op, (left, *columns, *rows), right, rules, span)
            }
            (types::Type::Scalar(_), types::Type::Matrix { columns, rows, .. }) if op == BinaryOp::Mul => {
                self.scale(op, (right, *columns, *rows), left, rules, span)
            }
            _ => Err(LowerError::malformed(span, format!("{op:?} of a matrix and something else"))),
        }
    }

    fn scale(
        &mut self,
        op: BinaryOp,
        (matrix, columns, rows): (ValueId, u8, u8),
        factor: ValueId,
        rules: FloatRules,
        span: Span,
    ) -> Result<ValueId, LowerError> {
        let air = match op {
            BinaryOp::Mul => Air::FMul,
            BinaryOp::Div => Air::FDiv,
            _ => return Err(LowerError::malformed(span, format!("{op:?} of a matrix and a scalar"))),
        };
        let factor = self.splat(factor, u32::from(rows));
        let mut parts = Vec::new();
        for index in 0..columns {
            let column = self.extract_value(matrix, u32::from(index));
            parts.push(self.binary_flags(air, column, factor, flags(rules.math_mode)));
        }
        Ok(self.columns(&parts))
    }

    /// The sum of the columns, each times its component: one rounding for each step.
    fn matrix_times_vector(
        &mut self,
        matrix: ValueId,
        columns: u8,
        vector: ValueId,
        rules: FloatRules,
    ) -> ValueId {
        let fast = flags(rules.math_mode);
        let mut sum = None;
        for index in 0..columns {
            let column = self.extract_value(matrix, u32::from(index));
            let rows = self.ty(column).lanes().unwrap_or(1);
            let component = self.extract(vector, u32::from(index));
            let factor = self.splat(component, rows);
            sum = Some(match sum {
                None => self.binary_flags(Air::FMul, column, factor, fast),
                Some(sum) if rules.contract => self.multiply_add(column, factor, sum, fast),
                Some(sum) => {
                    let product = self.binary_flags(Air::FMul, column, factor, fast);
                    self.binary_flags(Air::FAdd, sum, product, fast)
                }
            });
        }
        sum.unwrap_or(vector)
    }

    /// A matrix with one scalar on its diagonal.
    pub(crate) fn matrix_diagonal(
        &mut self,
        scalar: ValueId,
        ty: TypeId,
        span: Span,
    ) -> Result<ValueId, LowerError> {
        let types::Type::Matrix { element, columns, rows } = self.shape(ty) else {
            return Err(LowerError::malformed(span, "a diagonal of what is no matrix"));
        };
        let column: Scalar = crate::types::scalar(*element);
        let zero = self.zero(&Type::Vector(column, u32::from(*rows)));
        let mut parts = Vec::new();
        for index in 0..*columns {
            parts.push(if index < *rows { self.insert(zero, scalar, u32::from(index)) } else { zero });
        }
        Ok(self.columns(&parts))
    }
}
