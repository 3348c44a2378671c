//! Collectives, matrices and asynchronous copies, against the order that the semantics document fixes.

mod harness;

use harness::{as_f32s, compile, f32s, launch, map_words, row};
use mw_air::schema::Builtin;

const LANES: [Builtin; 1] = [Builtin::ThreadIndexInThreadgroup];

fn noise() -> Vec<u32> {
    let mut state = 99_u32;
    (0..32)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state
        })
        .collect()
}

/// Runs a collective in the lanes whose bit is set in `mask`; the others give `u32::MAX`.
fn masked(declaration: &str, call: &str, mask: u32, x: &[u32], y: &[u32]) -> Vec<u32> {
    let body = format!(
        "%bit = lshr i32 {}, %i\n%on = trunc i32 %bit to i1\nbr i1 %on, label %yes, label %no\n\
         yes:\n{call}\nbr label %no\n\
         no:\n%r = phi i32 [ %c, %yes ], [ -1, %0 ]",
        mask.cast_signed()
    );
    map_words(declaration, &body, 32, x, y)
}

fn active(mask: u32, lane: usize) -> bool {
    mask >> lane & 1 != 0
}

const MASKS: [u32; 5] = [u32::MAX, 0x0000_0001, 0xf0f0_1234, 0x8000_0001, 0x00ff_ff00];

type Combine = Box<dyn Fn(u32, u32) -> u32>;
type CombineFloat<'a> = &'a dyn Fn(f32, f32) -> f32;

/// Butterfly in groups of `group` lanes.
fn butterfly<T: Copy>(values: &[T], mask: u32, group: usize, neutral: T, op: impl Fn(T, T) -> T) -> Vec<T> {
    let mut values: Vec<T> =
        (0..32).map(|lane| if active(mask, lane) { values[lane] } else { neutral }).collect();
    let mut distance = group / 2;
    while distance > 0 {
        values = (0..32).map(|lane| op(values[lane], values[lane ^ distance])).collect();
        distance /= 2;
    }
    values
}

#[test]
fn integer_reductions() {
    let xs = noise();
    let signed =
        |f: fn(i32, i32) -> i32| move |x: u32, y: u32| f(x.cast_signed(), y.cast_signed()).cast_unsigned();
    let cases: Vec<(&str, u32, Combine)> = vec![
        ("sum.s", 0, Box::new(u32::wrapping_add)),
        ("product.u", 1, Box::new(u32::wrapping_mul)),
        ("min.u", u32::MAX, Box::new(std::cmp::Ord::min)),
        ("max.u", 0, Box::new(std::cmp::Ord::max)),
        ("min.s", i32::MAX.cast_unsigned(), Box::new(signed(std::cmp::Ord::min))),
        ("max.s", i32::MIN.cast_unsigned(), Box::new(signed(std::cmp::Ord::max))),
        ("and.u", u32::MAX, Box::new(|x, y| x & y)),
        ("or.s", 0, Box::new(|x, y| x | y)),
        ("xor.u", 0, Box::new(|x, y| x ^ y)),
    ];
    for (scope, group) in [("simd", 32), ("quad", 4)] {
        for (name, neutral, op) in &cases {
            let function = format!("air.{scope}_{name}.i32");
            let declaration = format!("declare i32 @{function}(i32)");
            let call = format!("%c = call i32 @{function}(i32 %x)");
            for mask in MASKS {
                let out = masked(&declaration, &call, mask, &xs, &xs);
                let want = butterfly(&xs, mask, group, *neutral, op);
                for lane in (0..32).filter(|lane| active(mask, *lane)) {
                    assert_eq!(out[lane], want[lane], "{function}, mask {mask:#x}, lane {lane}");
                }
            }
        }
    }
}

#[test]
fn narrow_reductions_keep_their_width() {
    let xs = noise();
    let out = map_words(
        "declare i8 @air.simd_max.s.i8(i8)\ndeclare i8 @air.simd_sum.u.i8(i8)",
        "%t = trunc i32 %x to i8\n%m = call i8 @air.simd_max.s.i8(i8 %t)\n%s = call i8 @air.simd_sum.u.i8(i8 %t)\n\
         %mw = zext i8 %m to i32\n%sw = zext i8 %s to i32\n%sh = shl i32 %sw, 8\n%r = or i32 %mw, %sh",
        32,
        &xs,
        &xs,
    );
    let max = xs.iter().map(|x| *x as i8).max().unwrap().cast_unsigned();
    let sum = xs.iter().fold(0_u8, |sum, x| sum.wrapping_add(*x as u8));
    assert!(out.iter().all(|r| *r == u32::from(max) | u32::from(sum) << 8));
}

#[test]
fn float_reductions_have_one_order() {
    let xs: Vec<f32> = noise().iter().map(|x| x.cast_signed() as f32 / 1e6).collect();
    let minimum = |x: f32, y: f32| if y < x { y } else { x };
    let maximum = |x: f32, y: f32| if y > x { y } else { x };
    let cases: [(&str, f32, CombineFloat); 4] = [
        ("sum", -0.0, &|x, y| x + y),
        ("product", 1.0, &|x, y| x * y),
        ("min", f32::INFINITY, &minimum),
        ("max", f32::NEG_INFINITY, &maximum),
    ];
    for (scope, group) in [("simd", 32), ("quad", 4)] {
        for (name, neutral, op) in cases {
            let function = format!("air.{scope}_{name}.f32");
            let call = format!(
                "%a = bitcast i32 %x to float\n%f = call float @{function}(float %a)\n%c = bitcast float %f to i32"
            );
            for mask in MASKS {
                let out =
                    masked(&format!("declare float @{function}(float)"), &call, mask, &f32s(&xs), &f32s(&xs));
                let want = butterfly(&xs, mask, group, neutral, op);
                for lane in (0..32).filter(|lane| active(mask, *lane)) {
                    assert_eq!(out[lane], want[lane].to_bits(), "{function}, mask {mask:#x}, lane {lane}");
                }
            }
        }
    }
}

#[test]
fn half_sums_round_at_every_step() {
    let xs: Vec<half::f16> = noise().iter().map(|x| half::f16::from_f32((x >> 20) as f32 / 64.0)).collect();
    let words: Vec<u32> = xs.iter().map(|x| u32::from(x.to_bits())).collect();
    let out = map_words(
        "declare half @air.simd_sum.f16(half)",
        "%t = trunc i32 %x to i16\n%h = bitcast i16 %t to half\n%s = call half @air.simd_sum.f16(half %h)\n\
         %b = bitcast half %s to i16\n%r = zext i16 %b to i32",
        32,
        &words,
        &words,
    );
    let add = |x: half::f16, y: half::f16| half::f16::from_f32(x.to_f32() + y.to_f32());
    let want = butterfly(&xs, u32::MAX, 32, half::f16::NEG_ZERO, add);
    assert_eq!(out, want.iter().map(|x| u32::from(x.to_bits())).collect::<Vec<u32>>());
}

#[test]
fn prefixes_climb_by_doubling() {
    let xs: Vec<f32> = noise().iter().map(|x| x.cast_signed() as f32 / 1e6).collect();
    for (scope, group) in [("simd", 32), ("quad", 4)] {
        for mask in MASKS {
            let mut inclusive: Vec<f32> =
                (0..32).map(|lane| if active(mask, lane) { xs[lane] } else { -0.0 }).collect();
            let mut distance = 1;
            while distance < group {
                let old = inclusive.clone();
                for lane in 0..32 {
                    if lane % group >= distance {
                        inclusive[lane] = old[lane - distance] + old[lane];
                    }
                }
                distance *= 2;
            }
            let exclusive: Vec<f32> =
                (0..32).map(|lane| if lane % group == 0 { 0.0 } else { inclusive[lane - 1] }).collect();
            for (kind, want) in [("inclusive", &inclusive), ("exclusive", &exclusive)] {
                let function = format!("air.{scope}_prefix_{kind}_sum.f32");
                let call = format!(
                    "%a = bitcast i32 %x to float\n%f = call float @{function}(float %a)\n%c = bitcast float %f to i32"
                );
                let words = f32s(&xs);
                let out = masked(&format!("declare float @{function}(float)"), &call, mask, &words, &words);
                for lane in (0..32).filter(|lane| active(mask, *lane)) {
                    assert_eq!(out[lane], want[lane].to_bits(), "{function}, mask {mask:#x}, lane {lane}");
                }
            }
        }
    }
    let product = map_words(
        "declare i32 @air.simd_prefix_exclusive_product.u.i32(i32)",
        "%r = call i32 @air.simd_prefix_exclusive_product.u.i32(i32 %x)",
        32,
        &noise(),
        &noise(),
    );
    let mut want = 1_u32;
    for (got, x) in product.iter().zip(noise()) {
        assert_eq!(*got, want);
        want = want.wrapping_mul(x);
    }
}

#[test]
fn shuffles() {
    let (xs, ys) = (noise(), noise().iter().map(|x| !x).collect::<Vec<u32>>());
    for mask in MASKS {
        let value = |lane: usize| if active(mask, lane) { xs[lane] } else { 0 };
        let fill = |lane: usize| if active(mask, lane) { ys[lane] } else { 0 };
        let check = |name: &str, call: &str, declaration: &str, want: &dyn Fn(usize) -> u32| {
            let out = masked(declaration, call, mask, &xs, &ys);
            for lane in (0..32).filter(|lane| active(mask, *lane)) {
                assert_eq!(out[lane], want(lane), "{name}, mask {mask:#x}, lane {lane}");
            }
        };
        let simple = |name: &str, index: &str, want: &dyn Fn(usize) -> u32| {
            let declaration = format!("declare i32 @air.{name}.u.i32(i32, i16)");
            let call = format!("{index}\n%c = call i32 @air.{name}.u.i32(i32 %x, i16 %n)");
            check(name, &call, &declaration, want);
        };
        let five = "%n = add i16 0, 5";
        // Lane L asks for lane (3 L + 40) mod 32.
        let varying = "%t = mul i32 %i, 3\n%u = add i32 %t, 40\n%n = trunc i32 %u to i16";
        simple("simd_shuffle", varying, &|lane| value((3 * lane + 40) % 32));
        simple("simd_broadcast", five, &|_| value(5));
        simple("simd_shuffle_xor", five, &|lane| value(lane ^ 5));
        simple("simd_shuffle_up", five, &|lane| if lane < 5 { value(lane) } else { value(lane - 5) });
        simple("simd_shuffle_down", five, &|lane| if lane + 5 > 31 { value(lane) } else { value(lane + 5) });
        simple("simd_shuffle_rotate_up", five, &|lane| value((lane + 27) % 32));
        simple("simd_shuffle_rotate_down", five, &|lane| value((lane + 5) % 32));
        let two = "%n = add i16 0, 2";
        simple("quad_shuffle", two, &|lane| value(lane & !3 | 2));
        simple("quad_shuffle_xor", two, &|lane| value(lane ^ 2));
        simple("quad_shuffle_up", two, &|lane| if lane % 4 < 2 { value(lane) } else { value(lane - 2) });
        simple("quad_shuffle_rotate_up", two, &|lane| value(lane & !3 | (lane + 2) & 3));
        check(
            "broadcast_first",
            "%c = call i32 @air.simd_broadcast_first.u.i32(i32 %x)",
            "declare i32 @air.simd_broadcast_first.u.i32(i32)",
            &|_| value(mask.trailing_zeros() as usize),
        );
        for modulo in [8_usize, 32] {
            for (kind, distance) in [("up", 3_usize), ("down", 3), ("up", 1)] {
                let function = format!("air.simd_shuffle_and_fill_{kind}.u.i32");
                let call = format!("%c = call i32 @{function}(i32 %x, i32 %y, i16 {distance}, i16 {modulo})");
                check(&function, &call, &format!("declare i32 @{function}(i32, i32, i16, i16)"), &|lane| {
                    let place = lane % modulo;
                    if kind == "up" {
                        if place < distance { fill(lane + modulo - distance) } else { value(lane - distance) }
                    } else if place + distance >= modulo {
                        fill(lane + distance - modulo)
                    } else {
                        value(lane + distance)
                    }
                });
            }
        }
    }
}

#[test]
fn vectors_shuffle_element_by_element() {
    let text = "
declare <2 x i32> @air.simd_shuffle_down.u.v2i32(<2 x i32>, i16)
define void @k(ptr addrspace(1) %io, i32 %i) {
  %p = getelementptr <2 x i32>, ptr addrspace(1) %io, i32 %i
  %v = load <2 x i32>, ptr addrspace(1) %p
  %s = call <2 x i32> @air.simd_shuffle_down.u.v2i32(<2 x i32> %v, i16 1)
  store <2 x i32> %s, ptr addrspace(1) %p
  ret void
}";
    let mut buffers = [(0..64).collect::<Vec<u32>>()];
    launch(&compile(text, &LANES), row(32), &mut buffers, 0, None).expect("it runs");
    let want: Vec<u32> = (2..64).chain([62, 63]).collect();
    assert_eq!(buffers[0], want);
}

#[test]
fn votes() {
    let xs = noise();
    let odd = |lane: usize| xs[lane] & 1 != 0;
    for mask in MASKS {
        let ballot: u32 =
            (0..32).filter(|lane| active(mask, *lane) && odd(*lane)).map(|lane| 1 << lane).sum();
        let check = |declaration: &str, call: &str, want: &dyn Fn(usize) -> u32| {
            let out = masked(declaration, call, mask, &xs, &xs);
            for lane in (0..32).filter(|lane| active(mask, *lane)) {
                assert_eq!(out[lane], want(lane), "{call}, mask {mask:#x}, lane {lane}");
            }
        };
        let predicate = |name: &str| {
            format!("%b = trunc i32 %x to i1\n%v = call i1 @air.{name}(i1 %b)\n%c = zext i1 %v to i32")
        };
        check("declare i1 @air.simd_any(i1)", &predicate("simd_any"), &|_| u32::from(ballot != 0));
        check("declare i1 @air.simd_all(i1)", &predicate("simd_all"), &|_| u32::from(ballot == mask));
        let quad = |lane: usize, bits: u32| bits >> (lane & !3) & 15;
        check("declare i1 @air.quad_any(i1)", &predicate("quad_any"), &|lane| {
            u32::from(quad(lane, ballot) != 0)
        });
        check("declare i1 @air.quad_all(i1)", &predicate("quad_all"), &|lane| {
            u32::from(quad(lane, ballot) == quad(lane, mask))
        });
        check(
            "declare i64 @air.simd_ballot.i64(i1)",
            "%b = trunc i32 %x to i1\n%v = call i64 @air.simd_ballot.i64(i1 %b)\n%c = trunc i64 %v to i32",
            &|_| ballot,
        );
        check(
            "declare i1 @air.simd_is_first()",
            "%v = call i1 @air.simd_is_first()\n%c = zext i1 %v to i32",
            &|lane| u32::from(lane as u32 == mask.trailing_zeros()),
        );
        check(
            "declare i1 @air.is_uniform.i32(i32)",
            "%v = call i1 @air.is_uniform.i32(i32 %x)\n%w = call i1 @air.is_uniform.i32(i32 7)\n\
             %vz = zext i1 %v to i32\n%wz = zext i1 %w to i32\n%sh = shl i32 %wz, 1\n%c = or i32 %vz, %sh",
            &|_| 2 | u32::from(mask.is_power_of_two()),
        );
        check(
            "declare i1 @air.simd_vote_all.i64(i64)\ndeclare i1 @air.simd_vote_any.i64(i64)",
            &format!(
                "%v = call i1 @air.simd_vote_all.i64(i64 {0})\n%w = call i1 @air.simd_vote_any.i64(i64 1)\n\
                 %vz = zext i1 %v to i32\n%wz = zext i1 %w to i32\n%sh = shl i32 %wz, 1\n%c = or i32 %vz, %sh",
                i64::from(mask)
            ),
            &|_| 1 | (mask & 1) << 1,
        );
    }
    let out = map_words(
        "declare i32 @air.get_simdgroup_size.i32()\ndeclare i16 @air.get_thread_index_in_simdgroup.i16()",
        "%s = call i32 @air.get_simdgroup_size.i32()\n%l = call i16 @air.get_thread_index_in_simdgroup.i16()\n\
         %w = zext i16 %l to i32\n%t = mul i32 %s, 100\n%r = add i32 %t, %w",
        40,
        &[0; 40],
        &[0; 40],
    );
    assert_eq!(out, (0..40).map(|x| 3200 + x % 32).collect::<Vec<u32>>());
}

/// A kernel that multiplies two 8×8 matrices, with the load and store calls of one AIR version.
fn product(element: &str, suffix: &str, load: &str, store: &str, signature: &str) -> String {
    format!(
        "
declare <64 x {element}> @air.simdgroup_matrix_8x8_load.v64{suffix}.p1{suffix}(ptr addrspace(1), {signature})
declare void @air.simdgroup_matrix_8x8_store.v64{suffix}.p1{suffix}(<64 x {element}>, ptr addrspace(1), {signature})
declare <64 x {element}> @air.simdgroup_matrix_8x8_multiply_accumulate.v64{suffix}.v64{suffix}.v64{suffix}.v64{suffix}(<64 x {element}>, <64 x {element}>, <64 x {element}>)
declare <64 x {element}> @air.simdgroup_matrix_8x8_init_filled.v64{suffix}.{suffix}({element})
declare <64 x {element}> @air.simdgroup_matrix_8x8_init_diag.v64{suffix}.{suffix}({element})
define void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i32 %i) {{
  %ma = call <64 x {element}> @air.simdgroup_matrix_8x8_load.v64{suffix}.p1{suffix}(ptr addrspace(1) %a, {load})
  %mb = call <64 x {element}> @air.simdgroup_matrix_8x8_load.v64{suffix}.p1{suffix}(ptr addrspace(1) %b, {load})
  %zero = call <64 x {element}> @air.simdgroup_matrix_8x8_init_filled.v64{suffix}.{suffix}({element} 1.0)
  %diag = call <64 x {element}> @air.simdgroup_matrix_8x8_init_diag.v64{suffix}.{suffix}({element} 2.0)
  %two = call <64 x {element}> @air.simdgroup_matrix_8x8_multiply_accumulate.v64{suffix}.v64{suffix}.v64{suffix}.v64{suffix}(<64 x {element}> %diag, <64 x {element}> %zero, <64 x {element}> zeroinitializer)
  %slot = alloca {{ <64 x {element}> }}, align 256
  store <64 x {element}> %two, ptr %slot
  %back = load <64 x {element}>, ptr %slot
  %r = call <64 x {element}> @air.simdgroup_matrix_8x8_multiply_accumulate.v64{suffix}.v64{suffix}.v64{suffix}.v64{suffix}(<64 x {element}> %ma, <64 x {element}> %mb, <64 x {element}> %back)
  %pair = shufflevector <64 x {element}> %r, <64 x {element}> poison, <2 x i32> <i32 0, i32 1>
  %swapped = shufflevector <2 x {element}> %pair, <2 x {element}> poison, <64 x i32> <i32 0, i32 1, {poison}>
  call void @air.simdgroup_matrix_8x8_store.v64{suffix}.p1{suffix}(<64 x {element}> %swapped, ptr addrspace(1) %c, {store})
  ret void
}}",
        poison = vec!["i32 poison"; 62].join(", ")
    )
}

#[test]
fn matrix_products_chain_fused_multiply_adds() {
    let values: Vec<f32> = noise().iter().cycle().take(160).map(|x| x.cast_signed() as f32 / 1e9).collect();
    let (a, b) = (&values[..80], &values[77..157]);
    let old = "i64, <2 x i64>, i1";
    let new = "<2 x i64>, <2 x i64>, <2 x i64>";
    let cases = [
        (
            "i64 10, <2 x i64> zeroinitializer, i1 false",
            "i64 10, <2 x i64> zeroinitializer, i1 false",
            old,
            false,
        ),
        (
            "i64 10, <2 x i64> zeroinitializer, i1 true",
            "i64 10, <2 x i64> zeroinitializer, i1 true",
            old,
            true,
        ),
        (
            "<2 x i64> <i64 10, i64 8>, <2 x i64> <i64 1, i64 10>, <2 x i64> zeroinitializer",
            "<2 x i64> <i64 10, i64 8>, <2 x i64> <i64 1, i64 10>, <2 x i64> zeroinitializer",
            new,
            false,
        ),
    ];
    for (load, store, signature, transposed) in cases {
        let text = product("float", "f32", load, store, signature);
        let mut buffers = [f32s(a), f32s(b), vec![0; 80]];
        let report = launch(&compile(&text, &LANES), row(32), &mut buffers, 0, None).expect("it runs");
        assert_eq!(report.findings, []);
        let at = |m: &[f32], row: usize, column: usize| {
            if transposed { m[column * 10 + row] } else { m[row * 10 + column] }
        };
        let out = as_f32s(&buffers[2]);
        for row in 0..8 {
            for column in 0..8 {
                let want = (0..8).fold(2.0_f32, |sum, k| at(a, row, k).mul_add(at(b, k, column), sum));
                assert_eq!(at(&out, row, column), want, "row {row}, column {column}");
            }
        }
        // Nothing beside the tile was written.
        assert!((0..8).all(|row| out[row * 10 + 8..(row * 10 + 10).min(78)].iter().all(|x| *x == 0.0)));
    }
}

#[test]
fn matrix_products_of_halves_round_to_half() {
    let values: Vec<half::f16> =
        noise().iter().cycle().take(160).map(|x| half::f16::from_f32(x.cast_signed() as f32 / 1e9)).collect();
    let (a, b) = (&values[..64], &values[77..141]);
    let pack = |m: &[half::f16]| -> Vec<u32> {
        m.chunks(2).map(|pair| u32::from(pair[0].to_bits()) | u32::from(pair[1].to_bits()) << 16).collect()
    };
    let operands = "i64 8, <2 x i64> zeroinitializer, i1 false";
    let text = product("half", "f16", operands, operands, "i64, <2 x i64>, i1")
        .replace("half 1.0", "half 0xH3C00")
        .replace("half 2.0", "half 0xH4000");
    let mut buffers = [pack(a), pack(b), vec![0; 32]];
    launch(&compile(&text, &LANES), row(32), &mut buffers, 0, None).expect("it runs");
    for row in 0..8 {
        for column in 0..8 {
            let want = (0..8).fold(half::f16::from_f32(2.0), |sum, k| {
                let (x, y) = (a[row * 8 + k].to_f64(), b[k * 8 + column].to_f64());
                half::f16::from_f64(x * y + sum.to_f64())
            });
            let word = buffers[2][row * 4 + column / 2];
            let got = (word >> (column % 2 * 16)) as u16;
            assert_eq!(got, want.to_bits(), "row {row}, column {column}");
        }
    }
}

#[test]
fn async_copies_clamp() {
    let text = "
@tile = internal addrspace(3) global [64 x i16] undef
declare ptr @air.simdgroup_async_copy_2d.p3i8.p1i8(i64, i64, ptr addrspace(3), i64, i64, <2 x i64>, ptr addrspace(1), i64, i64, <2 x i64>, <2 x i64>, i32)
declare ptr @air.simdgroup_async_copy_1d.p3i8.p1i8(i64, i64, ptr addrspace(3), ptr addrspace(1), i64)
declare void @air.wait_simdgroup_events(i32, ptr)
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %i) {
  %event = alloca ptr
  %e = call ptr @air.simdgroup_async_copy_2d.p3i8.p1i8(i64 2, i64 2, ptr addrspace(3) @tile, i64 8, i64 1, <2 x i64> <i64 6, i64 3>, ptr addrspace(1) %in, i64 10, i64 1, <2 x i64> <i64 4, i64 2>, <2 x i64> zeroinitializer, i32 MODE)
  store ptr %e, ptr %event
  call void @air.wait_simdgroup_events(i32 1, ptr %event)
  %row4 = getelementptr i16, ptr addrspace(3) @tile, i32 32
  %from = getelementptr i16, ptr addrspace(1) %in, i32 12
  %e2 = call ptr @air.simdgroup_async_copy_1d.p3i8.p1i8(i64 2, i64 2, ptr addrspace(3) %row4, ptr addrspace(1) %from, i64 5)
  %p = getelementptr i16, ptr addrspace(3) @tile, i32 %i
  %v = load i16, ptr addrspace(3) %p
  %q = getelementptr i16, ptr addrspace(1) %out, i32 %i
  store i16 %v, ptr addrspace(1) %q
  ret void
}";
    for (mode, edge) in [("0", false), ("1", true)] {
        let kernel = compile(&text.replace("MODE", mode), &LANES);
        let input: Vec<u32> = (0..10_u32).map(|x| (2 * x + 1) | (2 * x + 2) << 16).collect();
        let mut buffers = [vec![0; 32], input];
        launch(&kernel, row(64), &mut buffers, 0, None).expect("it runs");
        let got: Vec<u16> = buffers[0].iter().flat_map(|word| [*word as u16, (word >> 16) as u16]).collect();
        for y in 0..3_usize {
            for x in 0..6_usize {
                let want = match (x < 4 && y < 2, edge) {
                    (true, _) => y * 10 + x + 1,
                    (false, false) => 0,
                    (false, true) => y.min(1) * 10 + x.min(3) + 1,
                };
                assert_eq!(usize::from(got[y * 8 + x]), want, "mode {mode}, {x}, {y}");
            }
        }
        assert_eq!(got[32..38], [13, 14, 15, 16, 17, 0]);
    }
}
