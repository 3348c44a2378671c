//! Square roots.

use crate::expr::{Expr, select};

/// `√x`, correctly rounded.
pub(crate) fn sqrt<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    args[0].sqrt()
}

/// `1 / √x`, correctly rounded up to very rare ties: the quotient with one correction by the exact residual.
pub(crate) fn rsqrt<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let x = args[0];
    let y = fast_rsqrt(args);
    // 1 − x y², from the product x y and its rounding error.
    let product = x * y;
    let error = x.fma(y, -product);
    let residual = -error.fma(y, product.fma(y, -1.0));
    let corrected = (y * 0.5).fma(residual, y);
    // At 0, ∞ and below 0 the residual is NaN.
    select(residual.fabs().lt(1.0), corrected, y)
}

/// `1 / √x` in two roundings.
pub(crate) fn fast_rsqrt<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    args[0].body.f32(1.0) / args[0].sqrt()
}
