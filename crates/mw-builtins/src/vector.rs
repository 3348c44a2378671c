//! Functions that take a vector as a whole.

use mw_air::Type;

use crate::expr::Expr;

/// Elements of a vector.
pub(crate) fn elements(vector: Expr<'_>) -> Vec<Expr<'_>> {
    let lanes = vector.ty().lanes().unwrap_or(1);
    (0..lanes).map(|lane| vector.element(lane)).collect()
}

/// A vector of type `ty` of these elements.
pub(crate) fn collect<'a>(ty: &Type, elements: &[Expr<'a>]) -> Expr<'a> {
    let start = elements[0].body.poison(ty);
    elements.iter().zip(0..).fold(start, |vector, (element, lane)| vector.with_element(lane, *element))
}

/// Sum of products, in the order of the elements, in f32.
pub(crate) fn dot<'a>(x: Expr<'a>, y: Expr<'a>) -> Expr<'a> {
    let products = elements(x).into_iter().zip(elements(y)).map(|(x, y)| (x.to_f32(), y.to_f32()));
    let sum = products.fold(None, |sum: Option<Expr<'a>>, (x, y)| {
        Some(match sum {
            None => x * y,
            Some(sum) => x.fma(y, sum),
        })
    });
    let result = x.body.return_type();
    sum.expect("vectors have elements").to_float(&result)
}

/// Whether all elements are true.
pub(crate) fn all(x: Expr<'_>) -> Expr<'_> {
    elements(x).into_iter().reduce(|all, element| all & element).expect("vectors have elements")
}

/// Whether an element is true.
pub(crate) fn any(x: Expr<'_>) -> Expr<'_> {
    elements(x).into_iter().reduce(|any, element| any | element).expect("vectors have elements")
}
