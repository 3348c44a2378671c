//! Cores, instructions, occupancy, rooflines, measurements: complete, sourced, and in agreement.

use std::collections::BTreeSet;

use mw_machine::{
    Arithmetic, Chip, Demand, DemandError, Fact, Instruction, Knob, Limiter, Measurement, Roof, Roofline,
    ShaderCore, Trust, cycle_models, memory_rates, occupancy_figures, occupancy_table, residency, sources,
    what_if,
};

fn chip(name: &str) -> &'static Chip {
    Chip::by_name(name).unwrap()
}

fn described<T>(what: &str, fact: &Fact<T>) {
    assert!(sources().contains_key(&fact.source), "{what}: unknown source `{}`", fact.source);
}

#[test]
fn every_row_has_a_described_source() {
    for chip in Chip::all() {
        let name = chip.slug();
        described(name, &chip.fp32_lanes_per_core());
        described(name, &chip.fp16_rate_vs_fp32());
        for fact in [chip.slc_mib(), chip.l2_kib()].into_iter().flatten() {
            described(name, fact);
        }
        if let Some(fact) = chip.gpu_clock_mhz() {
            described(name, fact);
            assert!((1000.0..2000.0).contains(&fact.value), "{name}: {} MHz", fact.value);
        }
    }
    for core in ShaderCore::all() {
        described(&core.slug, &core.simd_width);
        assert_eq!(*core.simd_width, 32, "{}", core.slug);
        assert_eq!(*core.threadgroup_memory_limit_bytes, 32768, "{}", core.slug);
        let optional =
            [&core.register_file_kib_per_core, &core.l1_data_kib_per_core, &core.threadgroup_banks];
        for fact in optional.into_iter().flatten() {
            described(&core.slug, fact);
        }
    }
    for row in Instruction::all() {
        assert!(sources().contains_key(&row.source), "{}: unknown source `{}`", row.name, row.source);
        let has_figure = row.throughput_cycles.is_some() || row.latency_cycles.is_some();
        assert!(has_figure || row.note.is_some(), "{}: neither figure nor note", row.name);
        if !has_figure {
            assert!(row.confidence.trust <= Trust::Inferred, "{}: sure of nothing", row.name);
        }
    }
    for (name, model) in cycle_models().iter().chain(memory_rates()) {
        for (field, fact) in model {
            described(&format!("{name}.{field}"), fact);
        }
    }
    for (name, fact) in occupancy_figures() {
        described(name, fact);
    }
    for row in occupancy_table() {
        assert!(sources().contains_key(&row.source), "{row:?}");
    }
    assert!(occupancy_figures().len() > 20, "{}", occupancy_figures().len());
    assert!(Instruction::all().len() > 70, "{}", Instruction::all().len());
}

#[test]
fn measurements_are_complete_and_their_ids_unique() {
    let mut ids = BTreeSet::new();
    for row in Measurement::all() {
        assert!(ids.insert(row.id), "{} is there twice", row.id);
        assert!(row.id.starts_with(row.family), "{}", row.id);
        assert!(row.value > 0.0 && row.value.is_finite(), "{}: {}", row.id, row.value);
        for text in [row.description.as_str(), row.chip, row.metric, row.unit, row.source.as_str()] {
            assert!(!text.is_empty(), "{}", row.id);
        }
        assert!(row.confidence.trust >= Trust::Reported, "{}", row.id);
    }
    assert_eq!(ids.len(), 1226);
}

#[test]
fn every_measured_chip_is_a_known_chip() {
    let unknown: BTreeSet<&str> = Measurement::all()
        .iter()
        .map(|row| row.chip)
        .filter(|name| !matches!(*name, "A11-A13" | "M-series"))
        .filter(|name| Chip::by_name(name).is_err())
        .collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

/// Figures that were worked out apart from this crate.
#[test]
fn derived_peaks_agree_with_the_published_ones() {
    for (name, cores, fp32, fp16) in [
        ("a14", 4, 0.654, 1.309),
        ("a15", 5, 1.713, 1.713),
        ("m1", 8, 2.617, 2.617),
        ("m1-max", 32, 10.617, 10.617),
        ("m2-ultra", 76, 27.199, 27.199),
        ("m3-max", 40, 14.131, 14.131),
        ("m4-max", 40, 16.159, 16.159),
        ("m5", 10, 4.04, 8.079),
        ("m5-max", 40, 16.384, 32.768),
    ] {
        let near = |fact: Option<Fact<f64>>, wanted: f64| {
            let fact = fact.unwrap();
            assert!((fact.value - wanted).abs() < 6e-4, "{name}: {} is not {wanted}", fact.value);
            assert!(fact.confidence.trust <= Trust::Inferred, "{name}");
        };
        near(chip(name).peak_fp32_tflops(cores), fp32);
        near(chip(name).peak_fp16_tflops(cores), fp16);
    }
    let matrix = chip("m5-max").peak_matrix_fp16_tflops(40).unwrap().value;
    assert!((matrix - 65.536).abs() < 1e-6, "{matrix}");
    assert_eq!(chip("m4-max").peak_matrix_fp16_tflops(40), None);
    assert_eq!(chip("a18-pro").peak_fp32_tflops(6), None);
}

/// No published rate is above the peak that the table gives its chip.
#[test]
fn measured_rates_stay_under_their_peaks() {
    for row in Measurement::all() {
        let Ok(cores) = row.gpu_cores.parse::<u32>() else { continue };
        let Ok(chip) = Chip::by_name(row.chip) else { continue };
        if row.metric == "bandwidth" {
            let configuration = chip.configurations().iter().find(|it| it.gpu_cores == cores);
            let limit = configuration.and_then(|it| it.bandwidth_gb_per_s.as_ref());
            let limit = limit.unwrap_or_else(|| panic!("{}: no bandwidth of {}", row.id, row.chip)).value;
            assert!(row.value < limit, "{}: {} of {limit} GB/s", row.id, row.value);
        }
        if row.family == "gemm" && row.unit == "TFLOPS" && row.description.contains("fp32") {
            let peak = chip.peak_fp32_tflops(cores).unwrap().value;
            assert!(row.value < peak, "{}: {} of {peak} TFLOPS", row.id, row.value);
        }
    }
}

#[test]
fn the_formula_gives_every_row_of_the_driver() {
    let m1 = chip("m1");
    for row in occupancy_table() {
        // One simdgroup pair for each threadgroup, so that nothing but registers decides.
        let demand = Demand { register_halves: row.max_halves, threadgroup_bytes: 0, threads: 64 };
        let threads = residency(m1, demand).unwrap().simdgroups * 32;
        assert_eq!(threads, row.threads, "{} halves", row.max_halves);
    }
}

#[test]
fn residency_names_what_binds() {
    let ask = |halves, bytes, threads| {
        residency(chip("m2"), Demand { register_halves: halves, threadgroup_bytes: bytes, threads }).unwrap()
    };
    // 64 x 64 tiles of m5-gemm: 8 KiB for each of 128 threads.
    let tile = ask(64, 8192, 128);
    assert_eq!((tile.threadgroups, tile.limiter), (7, Limiter::ThreadgroupMemory));
    assert_eq!(tile.simdgroups, 28);
    let doubled = ask(64, 16384, 128);
    assert_eq!((doubled.threadgroups, doubled.simdgroups), (3, 12));
    let fat = ask(256, 0, 128);
    assert_eq!((fat.simdgroups, fat.limiter), (12, Limiter::Registers));
    let thin = ask(16, 0, 1024);
    assert_eq!((thin.simdgroups, thin.limiter), (96, Limiter::ResidentThreads));
    // Part of a simdgroup takes a whole one.
    assert_eq!(ask(16, 0, 33).simdgroups, 96);
    assert_eq!(tile.trust, Trust::Reported);
}

#[test]
fn later_cores_answer_from_one_pool_and_say_that_they_guess() {
    let demand = Demand { register_halves: 104, threadgroup_bytes: 16384, threads: 256 };
    let shared = residency(chip("m4-max"), demand).unwrap();
    assert_eq!((shared.limiter, shared.trust), (Limiter::SharedPool, Trust::Inferred));
    assert_eq!(shared.threadgroups, 212_992 / (256 * 208 + 16384));
    assert!(
        shared.threadgroups
            < residency(chip("m2"), Demand { threadgroup_bytes: 0, ..demand }).unwrap().threadgroups
    );
}

#[test]
fn impossible_demands_say_what_to_write() {
    let m2 = chip("m2");
    let ask = |halves, bytes, threads| {
        residency(m2, Demand { register_halves: halves, threadgroup_bytes: bytes, threads }).unwrap_err()
    };
    assert_eq!(ask(32, 0, 2048), DemandError::Threads { threads: 2048, limit: 1024 });
    assert_eq!(ask(32, 0, 0), DemandError::Threads { threads: 0, limit: 1024 });
    assert_eq!(ask(300, 0, 64), DemandError::Registers { registers: 150, limit: 128 });
    assert_eq!(ask(32, 40000, 64), DemandError::ThreadgroupMemory { bytes: 40000, limit: 32768 });
    assert_eq!(ask(256, 0, 1024), DemandError::DoesNotFit { threads: 1024, registers: 128, most: 384 });
    assert_eq!(ask(u32::MAX, 0, 64), DemandError::Registers { registers: 1 << 31, limit: 128 });
}

#[test]
fn what_if_curves_fall_and_pass_through_the_demand() {
    let m2 = chip("m2");
    let demand = Demand { register_halves: 64, threadgroup_bytes: 8192, threads: 128 };
    for knob in [Knob::Registers, Knob::ThreadgroupMemory] {
        let curve = what_if(m2, demand, knob);
        assert!(curve.len() > 3, "{knob:?}: {curve:?}");
        assert!(curve.windows(2).all(|pair| pair[0].simdgroups > pair[1].simdgroups), "{knob:?}: {curve:?}");
        let asked = if knob == Knob::Registers { 64 } else { 8192 };
        let here = curve.iter().find(|step| asked <= step.value).unwrap();
        assert_eq!(here.simdgroups, 28, "{knob:?}");
    }
    assert_eq!(what_if(m2, demand, Knob::Threads).len(), 32);
}

#[test]
fn a_roofline_places_kernels() {
    let m5_max = chip("m5-max");
    let configuration = m5_max.configurations().last().unwrap();
    let roofline = Roofline::of(m5_max, configuration, Arithmetic::Fp32).unwrap();
    assert!((roofline.ridge_flop_per_byte() - 16.384e12 / 614e9).abs() < 1e-9);
    assert_eq!(roofline.measured_bandwidth.unwrap().value, 516.1);
    // A 4096-cubed product on one side, a vector sum on the other.
    let product = roofline.place(2.0 * 4096.0_f64.powi(3), 3.0 * 4096.0 * 4096.0 * 4.0);
    assert_eq!(product.roof, Roof::Compute);
    assert!((product.attainable_tflops - 16.384).abs() < 1e-9);
    let sum = roofline.place(1e9, 12e9);
    assert_eq!(sum.roof, Roof::Memory);
    assert!((sum.attainable_tflops - 614e9 / 12.0 / 1e12).abs() < 1e-9);
    assert_eq!(
        Roofline::of(m5_max, configuration, Arithmetic::MatrixFp16).unwrap().compute_tflops.value.round(),
        66.0
    );
    let m4 = chip("m4");
    assert_eq!(Roofline::of(m4, &m4.configurations()[0], Arithmetic::MatrixFp16), None);
    let a18 = chip("a18-pro");
    assert_eq!(Roofline::of(a18, &a18.configurations()[0], Arithmetic::Fp32), None);
}
