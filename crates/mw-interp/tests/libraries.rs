//! Apple's own kernels, where `MW_LIBRARIES` names a folder that holds them (`mlx14/mlx.metallib`), against
//! straightforward Rust.

mod harness;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use harness::{as_f32s, f32s, view};
use mw_air::schema::{ArgRole, ModuleInfo};
use mw_backend::{Argument, ConstantValues, Grid, Kernel, Launch, ThreadgroupOrder};
use mw_interp::{Coverage, FindingKind, InterpBackend, InterpKernel};
use mw_metallib::Library;

fn library() -> Option<Library> {
    let folder = PathBuf::from(std::env::var_os("MW_LIBRARIES")?);
    Some(Library::open(folder.join("mlx14/mlx.metallib")).expect("MW_LIBRARIES holds mlx14/mlx.metallib"))
}

/// A kernel with its function constants set.
fn kernel(library: &Library, name: &str, constants: &ConstantValues) -> InterpKernel {
    let function = library.function(name).unwrap_or_else(|| panic!("{name} is in the library"));
    let mut module = function.read_module().unwrap_or_else(|error| panic!("{name}: {error}"));
    let info = ModuleInfo::parse(&module).unwrap_or_else(|error| panic!("{name}: {error}"));
    mw_passes::specialize::specialize(&mut module, &info, constants)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    InterpBackend::default()
        .prepare(&Arc::new(module), &Arc::new(info), 0)
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Runs a kernel with a buffer for each buffer parameter in order; an empty one is absent.
fn run(kernel: &InterpKernel, grid: Grid, buffers: &mut [Vec<u32>]) {
    let (found, _) = run_all(kernel, grid, buffers);
    assert_eq!(found, [""; 0], "{}", kernel.info().name);
}

/// As [`run`], and gives what was found and executed.
fn run_all(kernel: &InterpKernel, grid: Grid, buffers: &mut [Vec<u32>]) -> (Vec<&'static str>, Coverage) {
    let mut given = buffers.iter_mut();
    let args: Vec<Argument> = kernel
        .info()
        .args
        .iter()
        .map(|arg| match &arg.role {
            ArgRole::Buffer(_) => {
                let words = given.next().unwrap_or_else(|| panic!("a buffer for `{}`", arg.name));
                if words.is_empty() { Argument::Absent } else { Argument::Buffer(view(words)) }
            }
            _ => Argument::Builtin,
        })
        .collect();
    assert!(given.next().is_none(), "more buffers than parameters");
    let launch =
        Launch { grid, args: &args, resident: &[], order: ThreadgroupOrder::Ascending, time_limit: None };
    let mut coverage = Coverage::default();
    let name = &kernel.info().name;
    let report =
        kernel.run_observed(&launch, Some(&mut coverage)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let found: BTreeSet<&str> = report.findings.iter().map(|finding| finding.kind.describe()).collect();
    (found.into_iter().collect(), coverage)
}

/// Numbers between −2 and 2.
fn numbers(count: usize, seed: u32) -> Vec<f32> {
    let mut state = seed;
    (0..count)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.cast_signed() as f32 / 1_073_741_824.0
        })
        .collect()
}

fn int(value: u32) -> Vec<u32> {
    vec![value]
}

fn long(value: u64) -> Vec<u32> {
    vec![value as u32, (value >> 32) as u32]
}

fn threadgroups(count: [u32; 3], size: [u32; 3]) -> Grid {
    Grid::of_threadgroups(count, size)
}

#[track_caller]
fn close(name: &str, got: &[f32], want: impl IntoIterator<Item = f64>, tolerance: f64) {
    let want: Vec<f64> = want.into_iter().collect();
    assert_eq!(got.len(), want.len(), "{name}");
    for (index, (got, want)) in got.iter().zip(&want).enumerate() {
        let error = (f64::from(*got) - want).abs() / want.abs().max(1.0);
        assert!(error <= tolerance, "{name}: element {index} is {got}, not {want} (error {error:e})");
    }
}

#[test]
fn elementwise() {
    let Some(library) = library() else { return };
    let none = ConstantValues::new();
    let (a, b) = (numbers(1000, 1), numbers(1000, 2));
    for (name, f) in [
        ("vv_Addfloat32", (|x, y| x + y) as fn(f32, f32) -> f32),
        ("vv_Multiplyfloat32", |x, y| x * y),
        ("vv_Dividefloat32", |x, y| x / y),
        ("vv_Maximumfloat32", f32::max),
    ] {
        let kernel = kernel(&library, name, &none);
        let mut buffers = [f32s(&a), f32s(&b), vec![0; 1000], int(1000)];
        run(&kernel, Grid::of_threads([1000, 1, 1], [256, 1, 1]), &mut buffers);
        let want: Vec<f32> = a.iter().zip(&b).map(|(x, y)| f(*x, *y)).collect();
        assert_eq!(as_f32s(&buffers[2]), want, "{name}");
    }
    for (name, f, tolerance) in [
        ("v_Absfloat32float32", f64::abs as fn(f64) -> f64, 0.0),
        ("v_Expfloat32float32", f64::exp, 3e-7),
        ("v_Sinfloat32float32", f64::sin, 3e-7),
        ("v_Tanhfloat32float32", f64::tanh, 6e-7),
        ("v_Floorfloat32float32", f64::floor, 0.0),
    ] {
        let kernel = kernel(&library, name, &none);
        let mut buffers = [f32s(&a), vec![0; 1000], int(1000)];
        run(&kernel, Grid::of_threads([1000, 1, 1], [256, 1, 1]), &mut buffers);
        close(name, &as_f32s(&buffers[1]), a.iter().map(|x| f(f64::from(*x))), tolerance);
    }
}

#[test]
fn row_normalisations() {
    let Some(library) = library() else { return };
    let none = ConstantValues::new();
    let (rows, axis) = (3_usize, 1000_usize);
    let (x, w, b) = (numbers(rows * axis, 3), numbers(axis, 4), numbers(axis, 5));
    let wide = |values: &[f32]| values.iter().map(|x| f64::from(*x)).collect::<Vec<f64>>();
    let grid = threadgroups([rows as u32, 1, 1], [256, 1, 1]);
    let eps = 1e-5_f32;

    let rms = kernel(&library, "rmsfloat32", &{
        let mut constants = ConstantValues::new();
        constants.set_bool(20, true);
        constants
    });
    let mut buffers = [f32s(&x), f32s(&w), vec![0; rows * axis], f32s(&[eps]), int(axis as u32), int(1)];
    run(&rms, grid, &mut buffers);
    let want = wide(&x)
        .chunks(axis)
        .flat_map(|row| {
            let mean = row.iter().map(|x| x * x).sum::<f64>() / axis as f64;
            let scale = 1.0 / (mean + f64::from(eps)).sqrt();
            row.iter().zip(&w).map(|(x, w)| x * scale * f64::from(*w)).collect::<Vec<f64>>()
        })
        .collect::<Vec<f64>>();
    close("rms", &as_f32s(&buffers[2]), want, 1e-6);

    let softmax = kernel(&library, "block_softmax_float32", &none);
    let mut buffers = [f32s(&x), vec![0; rows * axis], int(axis as u32)];
    run(&softmax, grid, &mut buffers);
    let want = wide(&x)
        .chunks(axis)
        .flat_map(|row| {
            let sum: f64 = row.iter().map(|x| x.exp()).sum();
            row.iter().map(|x| x.exp() / sum).collect::<Vec<f64>>()
        })
        .collect::<Vec<f64>>();
    close("softmax", &as_f32s(&buffers[1]), want, 1e-6);

    let layer_norm = kernel(&library, "layer_normfloat32", &none);
    let mut buffers =
        [f32s(&x), f32s(&w), f32s(&b), vec![0; rows * axis], f32s(&[eps]), int(axis as u32), int(1), int(1)];
    // Threads past the end of a row clear their elements from a negative index on.
    let small = threadgroups([rows as u32, 1, 1], [128, 1, 1]);
    let (found, _) = run_all(&layer_norm, small, &mut buffers);
    assert_eq!(found, [FindingKind::OutsidePrivate.describe()]);
    let want = wide(&x)
        .chunks(axis)
        .flat_map(|row| {
            let mean = row.iter().sum::<f64>() / axis as f64;
            let variance = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / axis as f64;
            let scale = 1.0 / (variance + f64::from(eps)).sqrt();
            row.iter()
                .zip(w.iter().zip(&b))
                .map(|(x, (w, b))| (x - mean) * scale * f64::from(*w) + f64::from(*b))
                .collect::<Vec<f64>>()
        })
        .collect::<Vec<f64>>();
    close("layer_norm", &as_f32s(&buffers[3]), want, 2e-6);
}

#[test]
fn reductions_and_scans() {
    let Some(library) = library() else { return };
    let none = ConstantValues::new();
    let x = numbers(5000, 6);
    let sum = kernel(&library, "all_reduce_sumfloat32", &none);
    let mut buffers = [f32s(&x), vec![0; 1], long(5000), long(5000)];
    run(&sum, threadgroups([1, 1, 1], [256, 1, 1]), &mut buffers);
    close("sum", &as_f32s(&buffers[1]), [x.iter().map(|x| f64::from(*x)).sum()], 1e-5);

    let max = kernel(&library, "all_reduce_maxint32", &none);
    let ints: Vec<u32> = x.iter().map(|x| x.to_bits()).collect();
    let mut buffers = [ints.clone(), vec![0; 1], long(5000), long(5000)];
    run(&max, threadgroups([1, 1, 1], [128, 1, 1]), &mut buffers);
    assert_eq!(Some(buffers[1][0].cast_signed()), ints.iter().map(|x| x.cast_signed()).max());

    let scan = kernel(&library, "contig_scan_inclusive_sum_float32_float32", &none);
    let (rows, axis) = (3_usize, 1500_usize);
    let mut buffers = [f32s(&x[..rows * axis]), vec![0; rows * axis], long(axis as u64)];
    run(&scan, threadgroups([1, rows as u32, 1], [256, 1, 1]), &mut buffers);
    let want = x[..rows * axis].chunks(axis).flat_map(|row| {
        row.iter().scan(0.0, |sum, x| {
            *sum += f64::from(*x);
            Some(*sum)
        })
    });
    close("scan", &as_f32s(&buffers[1]), want, 1e-5);
}

#[test]
fn sorts() {
    let Some(library) = library() else { return };
    let (rows, axis) = (2_usize, 900_usize);
    let mut x = numbers(rows * axis, 7);
    x[17] = f32::NAN;
    x[5] = -0.0;
    let sort = kernel(&library, "c_block_sort_float32_float32_bn256_tn4", &ConstantValues::new());
    let n = axis as u32;
    let mut buffers = [f32s(&x), vec![0; rows * axis], int(n), int(1), int(1), int(n), int(n)];
    run(&sort, threadgroups([1, rows as u32, 1], [256, 1, 1]), &mut buffers);
    for (got, input) in as_f32s(&buffers[1]).chunks(axis).zip(x.chunks(axis)) {
        let mut want = input.to_vec();
        // NaN comes last.
        want.sort_by(|a, b| {
            a.is_nan().cmp(&b.is_nan()).then(a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal))
        });
        assert!(got.iter().zip(&want).all(|(x, y)| x == y || x.is_nan() && y.is_nan()));
    }
}

#[test]
fn matrix_times_vector() {
    let Some(library) = library() else { return };
    let (rows, columns) = (67_usize, 300_usize);
    let (a, x) = (numbers(rows * columns, 8), numbers(columns, 9));
    let gemv = kernel(&library, "gemv_float32_bm1_bn8_sm1_sn32_tm4_tn4_nc0_axpby0", &ConstantValues::new());
    let mut buffers = [
        f32s(&a),
        f32s(&x),
        f32s(&[0.0]),
        vec![0; rows],
        int(columns as u32),
        int(rows as u32),
        int(columns as u32),
        f32s(&[1.0]),
        f32s(&[0.0]),
        int(1),
        int(1),
        long(0),
        long(0),
        long(0),
        int(1),
    ];
    // One lane of each simdgroup goes to the barrier that adds the simdgroups' sums.
    let (found, _) = run_all(&gemv, threadgroups([rows.div_ceil(4) as u32, 1, 1], [32, 8, 1]), &mut buffers);
    assert_eq!(found, [FindingKind::DivergentBarrier.describe()]);
    let want = a
        .chunks(columns)
        .map(|row| row.iter().zip(&x).map(|(a, x)| f64::from(*a) * f64::from(*x)).sum::<f64>());
    close("gemv", &as_f32s(&buffers[3]), want, 1e-5);
}

#[test]
fn matrix_times_matrix() {
    let Some(library) = library() else { return };
    for (m, n, k) in [(64_usize, 64_usize, 32_usize), (70, 90, 37)] {
        let (a, b) = (numbers(m * k, 10), numbers(k * n, 11));
        let mut constants = ConstantValues::new();
        constants.set_bool(10, false).set_bool(100, false).set_bool(110, false);
        constants.set_bool(200, m % 64 == 0).set_bool(201, n % 64 == 0).set_bool(202, k % 16 == 0);
        let gemm = kernel(&library, "steel_gemm_fused_nn_float32_float32_bm64_bn64_bk16_wm2_wn2", &constants);
        let (tiles_m, tiles_n) = (m.div_ceil(64) as u32, n.div_ceil(64) as u32);
        let mut params: Vec<u32> =
            [m, n, k, k, n, n].iter().map(|x| *x as u32).chain([tiles_n, tiles_m]).collect();
        params.extend([0; 6]);
        params.extend([0, (k / 16) as u32, 1, 0]);
        let mut buffers = [f32s(&a), f32s(&b), vec![], vec![0; m * n], params, vec![], vec![], vec![]];
        run(&gemm, threadgroups([tiles_n, tiles_m, 1], [32, 2, 2]), &mut buffers);
        let want = (0..m * n).map(|at| {
            let (row, column) = (at / n, at % n);
            (0..k).map(|k_| f64::from(a[row * k + k_]) * f64::from(b[k_ * n + column])).sum::<f64>()
        });
        close("gemm", &as_f32s(&buffers[3]), want, 1e-5);
    }
}

#[test]
fn attention_of_one_query() {
    let Some(library) = library() else { return };
    let (heads, keys, size) = (2_usize, 50_usize, 64_usize);
    let q = numbers(heads * size, 12);
    let (k, v) = (numbers(heads * keys * size, 13), numbers(heads * keys * size, 14));
    let scale = 0.125_f32;
    let mut constants = ConstantValues::new();
    for index in 20..26 {
        constants.set_bool(index, false);
    }
    let attention = kernel(&library, "sdpa_vector_float_64_64", &constants);
    let (head, row) = (long((keys * size) as u64), long(size as u64));
    let mut buffers = vec![
        f32s(&q),
        f32s(&k),
        f32s(&v),
        vec![0; heads * size],
        int(1),
        int(keys as u32),
        head.clone(),
        row.clone(),
        head,
        row,
        f32s(&[scale]),
    ];
    buffers.resize(18, vec![]);
    run(&attention, threadgroups([heads as u32, 1, 1], [1024, 1, 1]), &mut buffers);
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    let mut want = Vec::new();
    for head in 0..heads {
        let query = &q[head * size..][..size];
        let row = |m: &'static str, key: usize| {
            let matrix = if m == "k" { &k } else { &v };
            &matrix[(head * keys + key) * size..][..size]
        };
        let weights: Vec<f64> =
            (0..keys).map(|key| (dot(query, row("k", key)) * f64::from(scale)).exp()).collect();
        let sum: f64 = weights.iter().sum();
        for column in 0..size {
            let total: f64 = (0..keys).map(|key| weights[key] * f64::from(row("v", key)[column])).sum();
            want.push(total / sum);
        }
    }
    close("sdpa_vector", &as_f32s(&buffers[3]), want, 1e-5);
}

#[test]
fn narrow_floats() {
    let Some(library) = library() else { return };
    let none = ConstantValues::new();
    let (a, b) = (numbers(500, 15), numbers(500, 16));
    let add = kernel(&library, "vv_Addbfloat16", &none);
    let pack = |bits: Vec<u16>| -> Vec<u32> {
        bits.chunks(2).map(|pair| u32::from(pair[0]) | u32::from(pair[1]) << 16).collect()
    };
    let bfloat = |values: &[f32]| pack(values.iter().map(|x| half::bf16::from_f32(*x).to_bits()).collect());
    let mut buffers = [bfloat(&a), bfloat(&b), vec![0; 250], int(500)];
    run(&add, Grid::of_threads([500, 1, 1], [64, 1, 1]), &mut buffers);
    let sums: Vec<f32> = a
        .iter()
        .zip(&b)
        .map(|(a, b)| half::bf16::from_f32(*a).to_f32() + half::bf16::from_f32(*b).to_f32())
        .collect();
    assert_eq!(buffers[2], bfloat(&sums));

    let multiply = kernel(&library, "vv_Multiplyfloat16", &none);
    let narrow = |values: &[f32]| pack(values.iter().map(|x| half::f16::from_f32(*x).to_bits()).collect());
    let mut buffers = [narrow(&a), narrow(&b), vec![0; 250], int(500)];
    run(&multiply, Grid::of_threads([500, 1, 1], [64, 1, 1]), &mut buffers);
    let products: Vec<f32> = a
        .iter()
        .zip(&b)
        .map(|(a, b)| half::f16::from_f32(*a).to_f32() * half::f16::from_f32(*b).to_f32())
        .collect();
    assert_eq!(buffers[2], narrow(&products));
}

#[test]
fn a_sample_of_the_library_compiles() {
    let Some(library) = library() else { return };
    let count = library.len();
    for index in (0..count).step_by(97) {
        let function = library.function_at(index).expect("an index below the length");
        let mut module =
            function.read_module().unwrap_or_else(|error| panic!("{}: {error}", function.name()));
        let info = ModuleInfo::parse(&module).unwrap_or_else(|error| panic!("{}: {error}", function.name()));
        let mut constants = ConstantValues::new();
        for constant in &info.function_constants {
            constants.set(constant.index, 1, if &*constant.type_name == "bool" { 1 } else { 4 });
        }
        mw_passes::specialize::specialize(&mut module, &info, &constants)
            .unwrap_or_else(|error| panic!("{}: {error}", function.name()));
        let kernel = InterpBackend::default()
            .prepare(&Arc::new(module), &Arc::new(info), 0)
            .unwrap_or_else(|error| panic!("{}: {error}", function.name()));
        assert!(kernel.own_blocks().count() > 0);
    }
}
