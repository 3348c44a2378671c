//! Scalar and vector instructions against Rust's own arithmetic.

mod harness;

use harness::{as_f32s, compile, f32s, launch, map_words, row};
use mw_air::schema::Builtin;

/// Words with every kind of integer and float in them.
fn samples() -> Vec<u32> {
    let mut words =
        vec![0, 1, 2, 3, 7, 31, 32, 33, 255, 256, 0x7fff_ffff, 0x8000_0000, u32::MAX, u32::MAX - 1];
    words.extend(
        [
            0.0,
            -0.0,
            1.0,
            -1.0,
            1.5,
            1e-40,
            -1e-40,
            1e-38,
            3e38,
            -3e38,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
        ]
        .map(f32::to_bits),
    );
    let mut state = 0x1234_5678_u32;
    while words.len() < 64 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        words.push(state);
    }
    words
}

fn check(declarations: &str, body: &str, expected: impl Fn(u32, u32) -> u32) {
    let xs = samples();
    for rotation in [0, 1, 5, 13, 29] {
        let mut ys = samples();
        ys.rotate_left(rotation);
        let out = map_words(declarations, body, xs.len() as u32, &xs, &ys);
        for ((x, y), r) in xs.iter().zip(&ys).zip(out) {
            assert_eq!(r, expected(*x, *y), "{body} of {x:#x}, {y:#x}");
        }
    }
}

/// As [`check`] for floats: any NaN equals any NaN.
fn check_f32(declarations: &str, body: &str, expected: impl Fn(f32, f32) -> f32) {
    let body = format!(
        "%a = bitcast i32 %x to float\n%b = bitcast i32 %y to float\n{body}\n%r = bitcast float %f to i32"
    );
    let xs = samples();
    for rotation in [0, 1, 5, 13, 29] {
        let mut ys = samples();
        ys.rotate_left(rotation);
        let out = map_words(declarations, &body, xs.len() as u32, &xs, &ys);
        for ((x, y), r) in xs.iter().zip(&ys).zip(out) {
            let (a, b) = (flush(f32::from_bits(*x)), flush(f32::from_bits(*y)));
            let (r, e) = (f32::from_bits(r), flush(expected(a, b)));
            assert!(
                r.to_bits() == e.to_bits() || r.is_nan() && e.is_nan(),
                "{body}: {a:e}, {b:e} gives {r:e}, not {e:e}"
            );
        }
    }
}

fn flush(x: f32) -> f32 {
    if x.is_subnormal() { 0.0_f32.copysign(x) } else { x }
}

#[test]
fn integers() {
    check("", "%r = add i32 %x, %y", u32::wrapping_add);
    check("", "%r = sub i32 %x, %y", u32::wrapping_sub);
    check("", "%r = mul i32 %x, %y", u32::wrapping_mul);
    check("", "%r = udiv i32 %x, %y", |x, y| x.checked_div(y).unwrap_or(0));
    check("", "%r = urem i32 %x, %y", |x, y| x.checked_rem(y).unwrap_or(x));
    check("", "%r = sdiv i32 %x, %y", |x, y| {
        if y == 0 { 0 } else { x.cast_signed().wrapping_div(y.cast_signed()).cast_unsigned() }
    });
    check("", "%r = srem i32 %x, %y", |x, y| {
        if y == 0 { x } else { x.cast_signed().wrapping_rem(y.cast_signed()).cast_unsigned() }
    });
    check("", "%r = shl i32 %x, %y", u32::wrapping_shl);
    check("", "%r = lshr i32 %x, %y", u32::wrapping_shr);
    check("", "%r = ashr i32 %x, %y", |x, y| x.cast_signed().wrapping_shr(y).cast_unsigned());
    check("", "%r = xor i32 %x, %y", |x, y| x ^ y);
}

#[test]
fn comparisons_and_selects() {
    check("", "%c = icmp slt i32 %x, %y\n%r = select i1 %c, i32 %x, i32 %y", |x, y| {
        x.cast_signed().min(y.cast_signed()).cast_unsigned()
    });
    check("", "%c = icmp uge i32 %x, %y\n%r = zext i1 %c to i32", |x, y| u32::from(x >= y));
    check("", "%c = icmp eq i32 %x, %y\n%r = sext i1 %c to i32", |x, y| if x == y { u32::MAX } else { 0 });
    let compare = |predicate: &str| {
        format!(
            "%a = bitcast i32 %x to float\n%b = bitcast i32 %y to float\n\
             %c = fcmp {predicate} float %a, %b\n%r = zext i1 %c to i32"
        )
    };
    let float = |bits| flush(f32::from_bits(bits));
    check("", &compare("olt"), |x, y| u32::from(float(x) < float(y)));
    check("", &compare("oeq"), |x, y| u32::from(float(x) == float(y)));
    check("", &compare("une"), |x, y| u32::from(float(x) != float(y)));
    check("", &compare("uno"), |x, y| u32::from(float(x).is_nan() || float(y).is_nan()));
    check("", &compare("ugt"), |x, y| {
        u32::from(!matches!(
            float(x).partial_cmp(&float(y)),
            Some(std::cmp::Ordering::Less | std::cmp::Ordering::Equal)
        ))
    });
}

#[test]
fn integer_intrinsics() {
    let two = |name: &str| {
        (format!("declare i32 @{name}(i32, i32)"), format!("%r = call i32 @{name}(i32 %x, i32 %y)"))
    };
    let case = |name: &str, f: fn(u32, u32) -> u32| {
        let (declaration, body) = two(name);
        check(&declaration, &body, f);
    };
    case("llvm.umin.i32", std::cmp::Ord::min);
    case("llvm.umax.i32", std::cmp::Ord::max);
    case("llvm.smax.i32", |x, y| x.cast_signed().max(y.cast_signed()).cast_unsigned());
    case("llvm.usub.sat.i32", u32::saturating_sub);
    case("llvm.uadd.sat.i32", u32::saturating_add);
    case("llvm.sadd.sat.i32", |x, y| x.cast_signed().saturating_add(y.cast_signed()).cast_unsigned());
    case("llvm.ssub.sat.i32", |x, y| x.cast_signed().saturating_sub(y.cast_signed()).cast_unsigned());
    check("declare i32 @llvm.ctpop.i32(i32)", "%r = call i32 @llvm.ctpop.i32(i32 %x)", |x, _| x.count_ones());
    check("declare i32 @llvm.ctlz.i32(i32, i1)", "%r = call i32 @llvm.ctlz.i32(i32 %x, i1 false)", |x, _| {
        x.leading_zeros()
    });
    check("declare i32 @llvm.cttz.i32(i32, i1)", "%r = call i32 @llvm.cttz.i32(i32 %x, i1 false)", |x, _| {
        x.trailing_zeros()
    });
    check("declare i32 @llvm.bitreverse.i32(i32)", "%r = call i32 @llvm.bitreverse.i32(i32 %x)", |x, _| {
        x.reverse_bits()
    });
    check("declare i32 @llvm.bswap.i32(i32)", "%r = call i32 @llvm.bswap.i32(i32 %x)", |x, _| x.swap_bytes());
    check("declare i32 @llvm.abs.i32(i32, i1)", "%r = call i32 @llvm.abs.i32(i32 %x, i1 false)", |x, _| {
        x.cast_signed().wrapping_abs().cast_unsigned()
    });
    check(
        "declare i32 @llvm.fshl.i32(i32, i32, i32)",
        "%r = call i32 @llvm.fshl.i32(i32 %x, i32 %y, i32 %y)",
        |x, y| {
            let wide = (u64::from(x) << 32) | u64::from(y);
            (wide << (y % 32) >> 32) as u32
        },
    );
}

#[test]
fn floats() {
    check_f32("", "%f = fadd float %a, %b", |x, y| x + y);
    check_f32("", "%f = fsub float %a, %b", |x, y| x - y);
    check_f32("", "%f = fmul float %a, %b", |x, y| x * y);
    check_f32("", "%f = fdiv float %a, %b", |x, y| x / y);
    check_f32("", "%f = frem float %a, %b", |x, y| x % y);
    let one =
        |name: &str| (format!("declare float @{name}(float)"), format!("%f = call float @{name}(float %a)"));
    for (name, f) in [
        ("llvm.sqrt.f32", f32::sqrt as fn(f32) -> f32),
        ("llvm.floor.f32", f32::floor),
        ("llvm.ceil.f32", f32::ceil),
        ("llvm.trunc.f32", f32::trunc),
        ("llvm.roundeven.f32", f32::round_ties_even),
    ] {
        let (declaration, body) = one(name);
        check_f32(&declaration, &body, |x, _| f(x));
    }
    check_f32(
        "declare float @llvm.fmuladd.f32(float, float, float)",
        "%f = call float @llvm.fmuladd.f32(float %a, float %b, float %a)",
        |x, y| x.mul_add(y, x),
    );
}

#[test]
fn sign_operations_move_bits_and_flush_nothing() {
    check("", "%a = bitcast i32 %x to float\n%f = fneg float %a\n%r = bitcast float %f to i32", |x, _| {
        x ^ 0x8000_0000
    });
    check(
        "declare float @llvm.fabs.f32(float)",
        "%a = bitcast i32 %x to float\n%f = call float @llvm.fabs.f32(float %a)\n%r = bitcast float %f to i32",
        |x, _| x & 0x7fff_ffff,
    );
    check(
        "declare float @llvm.copysign.f32(float, float)",
        "%a = bitcast i32 %x to float\n%b = bitcast i32 %y to float\n\
         %f = call float @llvm.copysign.f32(float %a, float %b)\n%r = bitcast float %f to i32",
        |x, y| x & 0x7fff_ffff | y & 0x8000_0000,
    );
}

#[test]
fn conversions() {
    check("", "%t = trunc i32 %x to i8\n%r = sext i8 %t to i32", |x, _| i32::from(x as i8).cast_unsigned());
    check("", "%t = trunc i32 %x to i16\n%r = zext i16 %t to i32", |x, _| x & 0xffff);
    check(
        "declare i32 @llvm.fptosi.sat.i32.f32(float)",
        "%a = bitcast i32 %x to float\n%r = call i32 @llvm.fptosi.sat.i32.f32(float %a)",
        |x, _| (f32::from_bits(x) as i32).cast_unsigned(),
    );
    check(
        "declare i8 @llvm.fptoui.sat.i8.f32(float)",
        "%a = bitcast i32 %x to float\n%c = call i8 @llvm.fptoui.sat.i8.f32(float %a)\n%r = zext i8 %c to i32",
        |x, _| u32::from(f32::from_bits(x) as u8),
    );
    check("", "%f = sitofp i32 %x to float\n%r = bitcast float %f to i32", |x, _| {
        (x.cast_signed() as f32).to_bits()
    });
    check("", "%f = uitofp i32 %x to float\n%r = bitcast float %f to i32", |x, _| (x as f32).to_bits());
    let half = "%a = bitcast i32 %x to float\n%h = fptrunc float %a to half\n\
                %w = fpext half %h to float\n%r = bitcast float %w to i32";
    check("", half, |x, _| {
        let value = half::f16::from_f32(f32::from_bits(x)).to_f32();
        if value.is_nan() { interp_nan(x) } else { value.to_bits() }
    });
    let bfloat = "%a = bitcast i32 %x to float\n%h = fptrunc float %a to bfloat\n\
                  %w = fpext bfloat %h to float\n%r = bitcast float %w to i32";
    check("", bfloat, |x, _| {
        let value = f32::from_bits(x);
        if value.is_nan() { (x >> 16 | 0x40) << 16 } else { half::bf16::from_f32(value).to_f32().to_bits() }
    });
}

/// What a binary32 NaN becomes on its way through binary16: quiet, sign and upper payload kept.
fn interp_nan(bits: u32) -> u32 {
    bits & 0x8000_0000 | 0x7fc0_0000 | bits & 0x007f_e000
}

#[test]
fn half_and_bfloat_arithmetic_goes_through_binary32() {
    let body = |op: &str, ty: &str| {
        format!(
            "%xl = trunc i32 %x to i16\n%yl = trunc i32 %y to i16\n\
             %a = bitcast i16 %xl to {ty}\n%b = bitcast i16 %yl to {ty}\n\
             %h = {op} {ty} %a, %b\n%hb = bitcast {ty} %h to i16\n%r = zext i16 %hb to i32"
        )
    };
    let same = |got: u32, want: half::f16| {
        got == u32::from(want.to_bits()) || want.is_nan() && half::f16::from_bits(got as u16).is_nan()
    };
    let xs: Vec<u32> = (0..64).map(|index| (index * 1021) & 0xffff).collect();
    let ys: Vec<u32> = (0..64).map(|index| 0xffff - ((index * 777) & 0xffff)).collect();
    for (op, f) in
        [("fadd", (|x, y| x + y) as fn(f32, f32) -> f32), ("fmul", |x, y| x * y), ("fdiv", |x, y| x / y)]
    {
        let out = map_words("", &body(op, "half"), 64, &xs, &ys);
        for ((x, y), r) in xs.iter().zip(&ys).zip(&out) {
            let (a, b) = (half::f16::from_bits(*x as u16).to_f32(), half::f16::from_bits(*y as u16).to_f32());
            assert!(same(*r, half::f16::from_f32(f(a, b))), "{op} half {x:#x} {y:#x}");
        }
        let out = map_words("", &body(op, "bfloat"), 64, &xs, &ys);
        for ((x, y), r) in xs.iter().zip(&ys).zip(&out) {
            let (a, b) = (flush(f32::from_bits(x << 16)), flush(f32::from_bits(y << 16)));
            let want = half::bf16::from_f32(flush(f(a, b)));
            let got = half::bf16::from_bits(*r as u16);
            assert!(
                got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
                "{op} bfloat {x:#x} {y:#x}"
            );
        }
    }
}

#[test]
fn vectors_are_taken_apart_and_put_together() {
    let text = "
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %i) {
  %v = load <4 x i32>, ptr addrspace(1) %in, align 16
  %w = shufflevector <4 x i32> %v, <4 x i32> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  %s = add <4 x i32> %v, %w
  %d = extractelement <4 x i32> %v, i32 %i
  %e = insertelement <4 x i32> %s, i32 %d, i32 %i
  %c = icmp ugt <4 x i32> %e, <i32 105, i32 105, i32 105, i32 105>
  %z = select <4 x i1> %c, <4 x i32> %e, <4 x i32> zeroinitializer
  %cb = bitcast <4 x i1> %c to i4
  %cw = zext i4 %cb to i32
  %b = bitcast <4 x i32> %z to <2 x i64>
  %b1 = extractelement <2 x i64> %b, i64 1
  %hi = lshr i64 %b1, 32
  %hi32 = trunc i64 %hi to i32
  %p = getelementptr <4 x i32>, ptr addrspace(1) %out, i32 %i, i32 0
  store <4 x i32> %z, ptr addrspace(1) %p, align 16
  %q = getelementptr i32, ptr addrspace(1) %out, i32 16
  %q2 = getelementptr i32, ptr addrspace(1) %q, i32 %i
  %mix = mul i32 %hi32, 16
  %r = add i32 %mix, %cw
  store i32 %r, ptr addrspace(1) %q2
  ret void
}";
    let kernel = compile(text, &[Builtin::ThreadIndexInThreadgroup]);
    let mut buffers = [vec![0; 20], vec![1, 2, 100, 200]];
    launch(&kernel, row(4), &mut buffers, 0, None).expect("it runs");
    let mut expected = Vec::new();
    let mut tail = Vec::new();
    for thread in 0..4_usize {
        let input = [1, 2, 100, 200];
        let mut sum = [201, 102, 102, 201];
        sum[thread] = input[thread];
        let bits: u32 = sum.iter().enumerate().map(|(lane, value)| u32::from(*value > 105) << lane).sum();
        let kept = sum.map(|value| if value > 105 { value } else { 0 });
        expected.extend(kept);
        tail.push(kept[3] * 16 + bits);
    }
    expected.extend(tail);
    assert_eq!(buffers[0], expected);
}

#[test]
fn structures_and_arrays_are_values() {
    let text = "
%pair = type { i32, [2 x float], i8 }
define internal %pair @make(i32 %x, float %y) {
  %a = insertvalue %pair undef, i32 %x, 0
  %b = insertvalue %pair %a, float %y, 1, 1
  %c = insertvalue %pair %b, float 2.5, 1, 0
  %d = insertvalue %pair %c, i8 7, 2
  ret %pair %d
}
define void @k(ptr addrspace(1) %out, i32 %i) {
  %f = sitofp i32 %i to float
  %s = call %pair @make(i32 %i, float %f)
  %slot = alloca %pair
  store %pair %s, ptr %slot
  %t = load %pair, ptr %slot
  %x = extractvalue %pair %t, 0
  %y = extractvalue %pair %t, 1, 1
  %z = extractvalue %pair %t, 1, 0
  %m = extractvalue %pair %t, 2
  %sum = fadd float %y, %z
  %mw = zext i8 %m to i32
  %xm = mul i32 %x, %mw
  %p = getelementptr {i32, float}, ptr addrspace(1) %out, i32 %i
  store i32 %xm, ptr addrspace(1) %p
  %q = getelementptr {i32, float}, ptr addrspace(1) %out, i32 %i, i32 1
  store float %sum, ptr addrspace(1) %q
  ret void
}";
    let kernel = compile(text, &[Builtin::ThreadIndexInThreadgroup]);
    let mut buffers = [vec![0; 80]];
    launch(&kernel, row(40), &mut buffers, 0, None).expect("it runs");
    for thread in 0..40 {
        assert_eq!(buffers[0][thread * 2], thread as u32 * 7);
        assert_eq!(as_f32s(&buffers[0])[thread * 2 + 1], thread as f32 + 2.5);
    }
}

#[test]
fn constants_and_constant_expressions() {
    let text = "
@table = internal addrspace(2) constant [4 x { i16, float }] [{ i16, float } { i16 1, float 1.0 }, { i16, float } { i16 2, float 2.0 }, { i16, float } { i16 3, float 3.0 }, { i16, float } zeroinitializer]
@copy = internal addrspace(2) global i32 undef
@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 200, ptr @late, ptr null }, { i32, ptr, ptr } { i32 100, ptr @early, ptr null }]
define internal void @early() {
  store i32 40, ptr addrspace(2) @copy
  ret void
}
define internal void @late() {
  %x = load i32, ptr addrspace(2) @copy
  %y = add i32 %x, 2
  store i32 %y, ptr addrspace(2) @copy
  ret void
}
define void @k(ptr addrspace(1) %out, i32 %i) {
  %x = load float, ptr addrspace(2) getelementptr inbounds ([4 x { i16, float }], ptr addrspace(2) @table, i64 0, i64 1, i32 1)
  %p = getelementptr [4 x { i16, float }], ptr addrspace(2) @table, i64 0, i32 %i, i32 1
  %y = load float, ptr addrspace(2) %p
  %s = fadd float %x, %y
  %c = load i32, ptr addrspace(2) @copy
  %cf = uitofp i32 %c to float
  %t = fadd float %s, %cf
  %q = getelementptr float, ptr addrspace(1) %out, i32 %i
  store float %t, ptr addrspace(1) %q
  ret void
}";
    let kernel = compile(text, &[Builtin::ThreadIndexInThreadgroup]);
    let mut buffers = [vec![0; 4]];
    launch(&kernel, row(4), &mut buffers, 0, None).expect("it runs");
    assert_eq!(buffers[0], f32s(&[45.0, 46.0, 47.0, 44.0]));
}

#[test]
fn library_functions_are_linked() {
    let body =
        "%a = bitcast i32 %x to float\n%e = call float @air.exp2.f32(float %a)\n%r = bitcast float %e to i32";
    let xs = f32s(&[0.0, 1.0, 10.0, -3.0]);
    let out = map_words("declare float @air.exp2.f32(float)", body, 4, &xs, &xs);
    assert_eq!(as_f32s(&out), [1.0, 2.0, 1024.0, 0.125]);
}
