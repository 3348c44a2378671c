//! Geometric functions and functions of matrices.

use mw_air::{BinaryOp, Flags, FloatPredicate, Scalar, Type, ValueId};

use super::{Lowering, suffix};
use crate::error::LowerError;

impl Lowering<'_, '_, '_> {
    fn dot(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let ty = self.cx.ty(a);
        let scalar = Type::Scalar(ty.scalar().unwrap_or(Scalar::Float));
        let flags = self.flags();
        self.cx.call_external_flags(&format!("air.dot.{}", suffix(&ty)), &scalar, &[a, b], flags).unwrap_or(a)
    }

    fn length_of(&mut self, x: ValueId) -> ValueId {
        let square = self.dot(x, x);
        self.call_math("sqrt", &[square])
    }

    pub(super) fn length(&mut self) -> Result<ValueId, LowerError> {
        let x = self.argument(0)?;
        Ok(self.length_of(x))
    }

    pub(super) fn length_squared(&mut self) -> Result<ValueId, LowerError> {
        let x = self.argument(0)?;
        Ok(self.dot(x, x))
    }

    pub(super) fn distance(&mut self) -> Result<ValueId, LowerError> {
        let (x, y) = self.arguments2()?;
        let between = self.arithmetic(BinaryOp::FSub, x, y);
        Ok(self.length_of(between))
    }

    pub(super) fn distance_squared(&mut self) -> Result<ValueId, LowerError> {
        let (x, y) = self.arguments2()?;
        let between = self.arithmetic(BinaryOp::FSub, x, y);
        Ok(self.dot(between, between))
    }

    pub(super) fn normalize(&mut self) -> Result<ValueId, LowerError> {
        let x = self.argument(0)?;
        let square = self.dot(x, x);
        let factor = self.call_math("rsqrt", &[square]);
        let factor = self.splat_like(factor, x);
        Ok(self.arithmetic(BinaryOp::FMul, x, factor))
    }

    pub(super) fn cross(&mut self) -> Result<ValueId, LowerError> {
        let (a, b) = self.arguments2()?;
        let poison = self.cx.poison(&self.cx.ty(a));
        let mut turned = |x: ValueId, by: [i32; 3]| self.cx.shuffle(x, poison, by.to_vec());
        let (a1, b1) = (turned(a, [1, 2, 0]), turned(b, [2, 0, 1]));
        let (a2, b2) = (turned(a, [2, 0, 1]), turned(b, [1, 2, 0]));
        let left = self.arithmetic(BinaryOp::FMul, a1, b1);
        let right = self.arithmetic(BinaryOp::FMul, a2, b2);
        Ok(self.arithmetic(BinaryOp::FSub, left, right))
    }

    pub(super) fn faceforward(&mut self) -> Result<ValueId, LowerError> {
        let (n, i, reference) = self.arguments3()?;
        let product = self.dot(i, reference);
        let zero = self.cx.zero(&self.cx.ty(product));
        let is_against = self.cx.fcmp(FloatPredicate::Olt, product, zero, Flags::NONE);
        let flags = self.flags();
        let turned = self.cx.fneg(n, flags);
        Ok(self.cx.select(is_against, n, turned))
    }

    pub(super) fn reflect(&mut self) -> Result<ValueId, LowerError> {
        let (i, n) = self.arguments2()?;
        let product = self.dot(n, i);
        let two = self.cx.float(&self.cx.ty(product), 2.0);
        let factor = self.arithmetic(BinaryOp::FMul, two, product);
        let factor = self.splat_like(factor, n);
        let part = self.arithmetic(BinaryOp::FMul, factor, n);
        Ok(self.arithmetic(BinaryOp::FSub, i, part))
    }

    /// Total reflection gives zero.
    pub(super) fn refract(&mut self) -> Result<ValueId, LowerError> {
        let (i, n, eta) = self.arguments3()?;
        let cosine = self.dot(n, i);
        let scalar = self.cx.ty(cosine);
        let one = self.cx.float(&scalar, 1.0);
        let zero = self.cx.zero(&scalar);
        let square = self.arithmetic(BinaryOp::FMul, cosine, cosine);
        let sine_square = self.arithmetic(BinaryOp::FSub, one, square);
        let eta_square = self.arithmetic(BinaryOp::FMul, eta, eta);
        let part = self.arithmetic(BinaryOp::FMul, eta_square, sine_square);
        let k = self.arithmetic(BinaryOp::FSub, one, part);
        let is_total = self.cx.fcmp(FloatPredicate::Olt, k, zero, Flags::NONE);
        let root = self.call_math("sqrt", &[k]);
        let along = self.arithmetic(BinaryOp::FMul, eta, cosine);
        let along = self.arithmetic(BinaryOp::FAdd, along, root);
        let (along, eta) = (self.splat_like(along, n), self.splat_like(eta, i));
        let scaled = self.arithmetic(BinaryOp::FMul, eta, i);
        let normal = self.arithmetic(BinaryOp::FMul, along, n);
        let direction = self.arithmetic(BinaryOp::FSub, scaled, normal);
        let none = self.cx.zero(&self.cx.ty(i));
        Ok(self.cx.select(is_total, none, direction))
    }

    /// Columns and rows of the first argument, a matrix.
    fn matrix_size(&self) -> Result<(u32, u32), LowerError> {
        match self.argument_type(0)? {
            Type::Array(column, columns) => {
                let rows = column.lanes().ok_or_else(|| self.malformed())?;
                Ok((u32::try_from(columns).map_err(|_| self.malformed())?, rows))
            }
            _ => Err(self.malformed()),
        }
    }

    pub(super) fn transpose(&mut self) -> Result<ValueId, LowerError> {
        let matrix = self.argument(0)?;
        let (columns, rows) = self.matrix_size()?;
        let from: Vec<ValueId> = (0..columns).map(|column| self.cx.extract_value(matrix, column)).collect();
        let mut to = Vec::new();
        for row in 0..rows {
            let elements: Vec<ValueId> = from.iter().map(|column| self.cx.extract(*column, row)).collect();
            to.push(self.cx.vector(&elements));
        }
        Ok(self.cx.columns(&to))
    }

    pub(super) fn determinant(&mut self) -> Result<ValueId, LowerError> {
        let matrix = self.argument(0)?;
        let (columns, rows) = self.matrix_size()?;
        let mut elements: Vec<Vec<ValueId>> = Vec::new();
        for index in 0..columns {
            let column = self.cx.extract_value(matrix, index);
            elements.push((0..rows).map(|row| self.cx.extract(column, row)).collect());
        }
        Ok(self.minor(&elements, &(0..columns as usize).collect::<Vec<_>>(), 0))
    }

    /// Determinant of the rows from `first` on in the given columns, along its first row.
    fn minor(&mut self, elements: &[Vec<ValueId>], columns: &[usize], first: usize) -> ValueId {
        if let [only] = columns {
            return elements[*only][first];
        }
        let mut sum: Option<ValueId> = None;
        for (position, column) in columns.iter().enumerate() {
            let rest: Vec<usize> = columns.iter().copied().filter(|other| other != column).collect();
            let below = self.minor(elements, &rest, first + 1);
            let term = self.arithmetic(BinaryOp::FMul, elements[*column][first], below);
            sum = Some(match sum {
                None => term,
                Some(sum) => {
                    let op = if position % 2 == 0 { BinaryOp::FAdd } else { BinaryOp::FSub };
                    self.arithmetic(op, sum, term)
                }
            });
        }
        sum.unwrap_or(elements[columns[0]][first])
    }
}
