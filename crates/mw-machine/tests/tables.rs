//! The embedded tables: complete, sourced, consistent, and right about what is known for certain.

use std::collections::BTreeSet;

use mw_machine::{Chip, DEFAULT_CHIP, Fact, Feature, GpuFamily, MemoryLimits, sources};

#[test]
fn every_source_that_a_chip_names_is_described() {
    fn check<T>(chip: &Chip, field: &str, fact: Option<&Fact<T>>, used: &mut BTreeSet<String>) {
        let Some(fact) = fact else { return };
        assert!(
            sources().contains_key(&fact.source),
            "{}: {field} names the source `{}`, which [sources] does not describe",
            chip.slug(),
            fact.source
        );
        used.insert(fact.source.clone());
    }
    let mut used = BTreeSet::new();
    for chip in Chip::all() {
        check(chip, "family", Some(&chip.family_fact()), &mut used);
        check(chip, "architecture", chip.architecture(), &mut used);
        check(chip, "year", Some(chip.year()), &mut used);
        check(chip, "gpu_cores", Some(chip.gpu_cores()), &mut used);
        check(chip, "memory_gib", chip.memory_gib(), &mut used);
        check(chip, "memory_type", Some(chip.memory_type()), &mut used);
        for configuration in chip.configurations() {
            check(chip, "bandwidth", configuration.bandwidth_gb_per_s.as_ref(), &mut used);
        }
    }
    for feature in Feature::ALL {
        let fact = feature.first_family();
        assert!(sources().contains_key(&fact.source), "{}: unknown source", feature.name());
    }
    assert!(used.len() >= 5, "only {used:?} are used: the table lost its sources");
    assert!(sources().values().all(|text| text.len() > 20), "a source without a description");
}

#[test]
fn every_chip_has_a_usable_row() {
    let mut slugs = BTreeSet::new();
    for chip in Chip::all() {
        let slug = chip.slug();
        assert!(slugs.insert(slug), "{slug} is there twice");
        assert!(slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'), "{slug}");
        assert!(chip.name().starts_with("Apple "), "{slug}: {}", chip.name());
        assert!((2017..=2030).contains(&chip.year().value), "{slug}: {}", chip.year().value);
        assert!(!chip.configurations().is_empty(), "{slug} has no number of cores");
        assert!(chip.gpu_cores().windows(2).all(|pair| pair[0] < pair[1]), "{slug}: cores not ascending");
        if let Some(memory) = chip.memory_gib() {
            assert!(memory.windows(2).all(|pair| pair[0] < pair[1]), "{slug}: memory not ascending");
        }
        for configuration in chip.configurations() {
            if let Some(bandwidth) = &configuration.bandwidth_gb_per_s {
                assert!((20.0..2000.0).contains(&bandwidth.value), "{slug}: {bandwidth:?}");
            }
        }
        if let Some(architecture) = chip.architecture() {
            let tail =
                architecture.strip_prefix("applegpu_g").unwrap_or_else(|| panic!("{slug}: {architecture:?}"));
            assert!(tail.len() == 3 && tail[..2].parse::<u32>().is_ok(), "{slug}: {architecture:?}");
        }
    }
    assert_eq!(slugs.len(), 32);
}

#[test]
fn more_cores_never_mean_less_bandwidth() {
    for chip in Chip::all() {
        let figures: Vec<f64> = chip
            .configurations()
            .iter()
            .filter_map(|c| c.bandwidth_gb_per_s.as_ref().map(|fact| fact.value))
            .collect();
        assert!(figures.windows(2).all(|pair| pair[0] <= pair[1]), "{}: {figures:?}", chip.slug());
    }
}

#[test]
fn families_and_architectures_that_are_known_for_certain() {
    for (slug, family, architecture) in [
        ("m1", 7, Some("applegpu_g13g")),
        ("m1-max", 7, Some("applegpu_g13s")),
        ("m2", 8, Some("applegpu_g14g")),
        ("m2-ultra", 8, Some("applegpu_g14d")),
        ("m3", 9, Some("applegpu_g15g")),
        ("m4-pro", 9, Some("applegpu_g16s")),
        ("m4-max", 9, Some("applegpu_g16s")),
        ("m5", 10, Some("applegpu_g17g")),
        ("m5-max", 10, Some("applegpu_g17s")),
        ("a14", 7, Some("applegpu_g13p")),
        ("m6", 10, None),
    ] {
        let chip = Chip::by_name(slug).unwrap();
        assert_eq!(chip.family(), GpuFamily::Apple(family), "{slug}");
        assert_eq!(chip.architecture().map(|fact| fact.value.as_str()), architecture, "{slug}");
    }
}

#[test]
fn limits_are_those_of_every_apple_gpu_since_a11() {
    for chip in Chip::all() {
        let limits = chip.limits();
        assert_eq!(limits.thread_execution_width, 32);
        assert_eq!(limits.max_threads_per_threadgroup, 1024);
        assert_eq!(limits.max_threadgroup_memory_bytes, 32768);
        assert_eq!(limits.threadgroup_memory_alignment_bytes, 16);
        assert_eq!(limits.max_buffer_arguments, 31);
        assert_eq!(limits.max_inline_bytes, 4096);
    }
    // A row that a younger family overrides.
    assert_eq!(Chip::by_name("a11").unwrap().limits().max_texture_arguments, 96);
    assert_eq!(Chip::by_name("m2").unwrap().limits().max_texture_arguments, 128);
}

#[test]
fn features_arrive_with_their_family() {
    let chip = |slug| Chip::by_name(slug).unwrap();
    assert!(!chip("a13").supports(Feature::SimdgroupMatrix));
    assert!(chip("m1").supports(Feature::SimdgroupMatrix));
    assert!(!chip("m1").supports(Feature::Atomic64MinMax));
    assert!(chip("m2").supports(Feature::Atomic64MinMax));
    assert!(!chip("m2").supports(Feature::Atomic64));
    assert!(chip("m3").supports(Feature::Atomic64));
    assert!(!chip("m4-max").supports(Feature::NeuralAccelerators));
    assert!(chip("m5").supports(Feature::NeuralAccelerators));
}

#[test]
fn supports_family_answers_as_a_device_does() {
    let m2 = Chip::default();
    assert_eq!(m2.slug(), "m2");
    for family in [1, 4, 7, 8] {
        assert!(m2.supports_family(GpuFamily::Apple(family)), "Apple{family}");
    }
    for family in [0, 9, 10] {
        assert!(!m2.supports_family(GpuFamily::Apple(family)), "Apple{family}");
    }
    for family in [GpuFamily::Metal3, GpuFamily::Metal4, GpuFamily::Mac2, GpuFamily::Common(3)] {
        assert!(m2.supports_family(family), "{family}");
    }
    let a13 = Chip::by_name("a13").unwrap();
    for family in [GpuFamily::Metal3, GpuFamily::Metal4, GpuFamily::Mac2] {
        assert!(!a13.supports_family(family), "{family}");
    }
}

#[test]
fn memory_limits_are_shares_in_whole_pages() {
    const GIB: u64 = 1 << 30;
    let limits = MemoryLimits::for_memory(192 * GIB);
    assert_eq!(limits.recommended_working_set_bytes, 144 * GIB);
    // What a 192 GB M2 Ultra printed.
    assert_eq!(limits.max_buffer_bytes, 115_964_116_992);
    let odd = MemoryLimits::for_memory(25_000_000_001);
    assert_eq!(odd.recommended_working_set_bytes % (16 * 1024), 0);
    assert_eq!(odd.max_buffer_bytes % (16 * 1024), 0);
    assert!(odd.max_buffer_bytes < odd.recommended_working_set_bytes);
    assert_eq!(MemoryLimits::for_memory(0).max_buffer_bytes, 0);
}

#[test]
fn a_setting_picks_the_chip() {
    assert_eq!(Chip::from_setting(None).unwrap().slug(), DEFAULT_CHIP);
    assert_eq!(Chip::from_setting(Some("  ")).unwrap().slug(), DEFAULT_CHIP);
    assert_eq!(Chip::from_setting(Some("M4 Max")).unwrap().slug(), "m4-max");
    assert_eq!(Chip::from_setting(Some("Apple A14 Bionic")).unwrap().slug(), "a14");
    assert!(Chip::from_setting(Some("m99")).is_err());
}

#[test]
fn every_spelling_of_a_name_finds_its_chip() {
    for chip in Chip::all() {
        for spelling in [chip.slug().to_owned(), chip.name().to_owned(), chip.slug().replace('-', "")] {
            assert_eq!(Chip::by_name(&spelling).unwrap().slug(), chip.slug(), "{spelling}");
        }
    }
}

#[test]
fn an_unknown_name_gets_suggestions_and_the_list() {
    let error = Chip::by_name("m4-mex").unwrap_err();
    assert_eq!(error.suggestions.first(), Some(&"m4-max"));
    assert!(error.to_string().starts_with("unknown chip `m4-mex`: did you mean `m4-max`"), "{error}");
    assert!(error.to_string().contains("known chips are a11, "), "{error}");

    let error = Chip::by_name("rtx-4090").unwrap_err();
    assert!(error.suggestions.is_empty(), "{error}");
    assert!(error.to_string().starts_with("unknown chip `rtx-4090`; known chips are "), "{error}");

    assert!(Chip::by_name("").is_err());
    assert!(Chip::by_name(&"m".repeat(1 << 20)).is_err());
}
