//! Expressions of a wanted type. Each is written so that it has exactly that type: casts are explicit.

use super::types::{Scalar, Ty};
use super::{Generator, MAX_DEPTH};

/// Functions of one float that give one.
const FLOAT_1: &[&str] =
    &["exp", "log2", "sqrt", "rsqrt", "sin", "floor", "round", "fabs", "tanh", "fract", "trunc"];
/// The same for `float` alone.
const PRECISE_1: &[&str] = &["precise::exp", "fast::cos", "precise::sqrt", "fast::log2"];
/// Functions of two values of any number type.
const ANY_2: &[&str] = &["min", "max"];
/// Functions of one integer.
const INT_1: &[&str] = &["popcount", "clz", "ctz", "reverse_bits", "abs"];
/// Simdgroup functions of one value.
const SIMD_1: &[&str] =
    &["simd_sum", "simd_max", "simd_min", "simd_prefix_exclusive_sum", "simd_broadcast_first"];

impl Generator<'_, '_> {
    /// An expression of a type.
    pub(super) fn expression(&mut self, ty: Ty) -> String {
        if self.depth >= MAX_DEPTH || self.is_done() {
            return self.leaf(ty);
        }
        self.depth += 1;
        let text = self.inner(ty);
        self.depth -= 1;
        text
    }

    fn inner(&mut self, ty: Ty) -> String {
        if ty.scalar == Scalar::Bool {
            return self.condition(ty);
        }
        match self.below(16) {
            0..=2 => self.leaf(ty),
            3..=5 => self.arithmetic(ty),
            6 => {
                let (condition, yes, no) =
                    (self.expression(Ty::BOOL), self.expression(ty), self.expression(ty));
                format!("({condition} ? {yes} : {no})")
            }
            7 => {
                let from = self.plain_type().with_lanes(ty.lanes);
                format!("{ty}({})", self.expression(from))
            }
            8 => self.library(ty),
            9 => self.vectors(ty),
            10 => self.load(ty),
            11 => self.call(ty),
            12 => self.member(ty),
            13 => self.bits(ty),
            // There is no `select` of `bfloat`.
            14 if ty.scalar != Scalar::Bfloat => {
                let (mask, yes, no) =
                    (self.expression(ty.with(Scalar::Bool)), self.expression(ty), self.expression(ty));
                format!("select({no}, {yes}, {mask})")
            }
            _ => self.collective(ty),
        }
    }

    /// A variable or literal.
    fn leaf(&mut self, ty: Ty) -> String {
        let fitting: Vec<usize> =
            (0..self.variables.len()).filter(|index| self.variables[*index].ty == ty).collect();
        if !fitting.is_empty() && !self.one_in(3) {
            let chosen = fitting[self.below(fitting.len())];
            return self.variables[chosen].name.clone();
        }
        self.literal(ty)
    }

    fn literal(&mut self, ty: Ty) -> String {
        let number = self.below(12);
        let text = match ty.scalar {
            Scalar::Bool => ["false", "true"][number % 2].to_owned(),
            Scalar::Float => format!("{number}.5f"),
            Scalar::Half => format!("{number}.25h"),
            Scalar::Uint => ["0u", "1u", "2u", "0xffffffffu", "7u", "31u"][number % 6].to_owned(),
            Scalar::Int => ["0", "1", "-1", "2147483647", "5", "(-2147483647 - 1)"][number % 6].to_owned(),
            _ => number.to_string(),
        };
        format!("{ty}({text})")
    }

    fn arithmetic(&mut self, ty: Ty) -> String {
        let ops: &[&str] = if ty.is_float() {
            &["+", "-", "*", "/"]
        } else {
            &["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"]
        };
        let op = ops[self.below(ops.len())];
        let (left, right) = (self.expression(ty), self.expression(ty));
        let right = if op == "<<" || op == ">>" { format!("({right} & {ty}(7))") } else { right };
        match self.below(8) {
            0 => format!("{ty}(-{left})"),
            1 if !ty.is_float() => format!("{ty}(~{left})"),
            // Small types widen; the result goes back.
            _ => format!("{ty}({left} {op} {right})"),
        }
    }

    fn condition(&mut self, ty: Ty) -> String {
        match self.below(6) {
            0 => self.leaf(ty),
            1 => format!("(!{})", self.expression(ty)),
            2 if ty.lanes == 1 => {
                let (left, right) = (self.expression(ty), self.expression(ty));
                format!("({left} {} {right})", ["&&", "||"][self.below(2)])
            }
            3 if ty.lanes == 1 => {
                let wide = Ty { lanes: [2, 3, 4][self.below(3)], ..ty };
                format!("{}({})", ["any", "all"][self.below(2)], self.expression(wide))
            }
            _ => {
                let of = self.number_type().with_lanes(ty.lanes);
                let op = ["<", ">", "<=", ">=", "==", "!="][self.below(6)];
                let (left, right) = (self.expression(of), self.expression(of));
                format!("({left} {op} {right})")
            }
        }
    }

    fn library(&mut self, ty: Ty) -> String {
        // `bfloat` has few functions of its own.
        if ty.scalar == Scalar::Bfloat {
            let wide = ty.with(Scalar::Float);
            return format!("{ty}({})", self.expression(wide));
        }
        if ty.is_float() {
            return match self.below(5) {
                0 => {
                    let (a, b, c) = (self.expression(ty), self.expression(ty), self.expression(ty));
                    format!("{}({a}, {b}, {c})", ["fma", "mix", "clamp", "smoothstep"][self.below(4)])
                }
                1 => {
                    let (a, b) = (self.expression(ty), self.expression(ty));
                    format!("{}({a}, {b})", ["pow", "fmod", "fmin", "step", "copysign"][self.below(5)])
                }
                2 if ty.lanes == 1 => {
                    let wide = Ty { lanes: [2, 3, 4][self.below(3)], ..ty };
                    let (a, b) = (self.expression(wide), self.expression(wide));
                    format!("dot({a}, {b})")
                }
                3 if ty.lanes > 1 && self.one_in(2) => format!("normalize({})", self.expression(ty)),
                3 if ty.scalar == Scalar::Float => {
                    format!("{}({})", PRECISE_1[self.below(PRECISE_1.len())], self.expression(ty))
                }
                _ => format!("{}({})", FLOAT_1[self.below(FLOAT_1.len())], self.expression(ty)),
            };
        }
        match self.below(3) {
            0 => format!("{ty}({}({}))", INT_1[self.below(INT_1.len())], self.expression(ty)),
            1 => {
                let (a, b, c) = (self.expression(ty), self.expression(ty), self.expression(ty));
                format!("clamp({a}, {b}, {c})")
            }
            _ => {
                let (a, b) = (self.expression(ty), self.expression(ty));
                let name = if self.one_in(2) {
                    ANY_2[self.below(2)]
                } else {
                    ["mulhi", "addsat", "absdiff"][self.below(3)]
                };
                format!("{ty}({name}({a}, {b}))")
            }
        }
    }

    /// Vectors from parts, and parts of vectors.
    fn vectors(&mut self, ty: Ty) -> String {
        match ty.lanes {
            1 => {
                let wide = Ty { lanes: [2, 3, 4][self.below(3)], ..ty };
                let vector = self.expression(wide);
                if self.one_in(2) {
                    let index = self.expression(Ty::UINT);
                    return format!("{wide}({vector})[{index} % {}u]", wide.lanes);
                }
                let component = ["x", "y", "z", "w"][self.below(wide.lanes as usize)];
                format!("{wide}({vector}).{component}")
            }
            2 => format!("{ty}({}, {})", self.expression(ty.element()), self.expression(ty.element())),
            lanes => {
                if self.one_in(2) {
                    let from = Ty { lanes: 4, ..ty };
                    let letters: String = (0..lanes).map(|_| ['x', 'y', 'z', 'w'][self.below(4)]).collect();
                    return format!("{from}({}).{letters}", self.expression(from));
                }
                let rest = Ty { lanes: lanes - 2, ..ty };
                let pair = Ty { lanes: 2, ..ty };
                format!("{ty}({}, {})", self.expression(pair), self.expression(rest))
            }
        }
    }

    fn load(&mut self, ty: Ty) -> String {
        let fitting: Vec<usize> =
            (0..self.buffers.len()).filter(|index| self.buffers[*index].element == ty).collect();
        if fitting.is_empty() {
            return self.leaf(ty);
        }
        let chosen = fitting[self.below(fitting.len())];
        let buffer = self.buffers[chosen].clone();
        let index = self.expression(Ty::UINT);
        format!("{}[{index} % {}u]", buffer.name, buffer.length)
    }

    fn call(&mut self, ty: Ty) -> String {
        let fitting: Vec<usize> = (0..self.helpers.len())
            .filter(|index| self.helpers[*index].is_template || self.helpers[*index].result == ty)
            .collect();
        if fitting.is_empty() {
            return self.leaf(ty);
        }
        let chosen = fitting[self.below(fitting.len())];
        let helper = self.helpers[chosen].clone();
        let parameters =
            if helper.is_template { vec![ty; helper.parameters.len()] } else { helper.parameters };
        let arguments: Vec<String> = parameters.into_iter().map(|ty| self.expression(ty)).collect();
        format!("{}({})", helper.name, arguments.join(", "))
    }

    fn member(&mut self, ty: Ty) -> String {
        let fitting: Vec<String> = (self.records.iter())
            .flat_map(|record| record.fields.iter().map(move |(field, of)| (record, field, *of)))
            .filter(|(.., of)| *of == ty)
            .map(|(record, field, _)| format!("{}{{}}.{field}", record.name))
            .collect();
        if fitting.is_empty() {
            return self.leaf(ty);
        }
        fitting[self.below(fitting.len())].clone()
    }

    /// The bits of another type of the same size.
    fn bits(&mut self, ty: Ty) -> String {
        let same: Vec<Scalar> = Scalar::ALL
            .into_iter()
            .filter(|scalar| scalar.bits() == ty.scalar.bits() && scalar.bits().is_some())
            .collect();
        if same.is_empty() {
            return self.leaf(ty);
        }
        let from = ty.with(same[self.below(same.len())]);
        format!("as_type<{ty}>({})", self.expression(from))
    }

    fn collective(&mut self, ty: Ty) -> String {
        let is_known = matches!(ty.scalar, Scalar::Float | Scalar::Half | Scalar::Int | Scalar::Uint);
        if !self.in_kernel || !is_known {
            return self.leaf(ty);
        }
        match self.below(3) {
            0 => {
                let lane = self.below(32);
                format!("simd_shuffle({}, ushort({lane}))", self.expression(ty))
            }
            1 => format!("simd_shuffle_xor({}, ushort({}))", self.expression(ty), self.below(32)),
            _ => format!("{}({})", SIMD_1[self.below(SIMD_1.len())], self.expression(ty)),
        }
    }
}

impl Ty {
    /// The same element, another number of them.
    fn with_lanes(self, lanes: u32) -> Self {
        Self { lanes, ..self }
    }
}
