//! `mw roofline`: the two ceilings of a chip, and where a kernel lies under them.

use clap::Args;
use mw_machine::{Arithmetic, Chip, Configuration, Measurement, Placement, Roof, Roofline};
use serde_json::{Value, json};

use super::chips::caution;
use crate::Outcome;
use crate::exit::Failure;
use crate::output::{Output, table};

#[derive(Debug, Args)]
pub(crate) struct RooflineArgs {
    /// The chip (default: `MW_CHIP`, or m2)
    #[arg(long, value_name = "CHIP", env = "MW_CHIP")]
    pub(crate) chip: Option<String>,
    /// GPU cores of the chip (default: its largest configuration)
    #[arg(long, value_name = "N")]
    pub(crate) cores: Option<u32>,
    /// Operations that the kernel does, a multiply-add being two: `137e9`
    #[arg(long, value_name = "N", requires = "bytes")]
    pub(crate) flops: Option<f64>,
    /// Bytes that the kernel moves to and from memory
    #[arg(long, value_name = "N", requires = "flops")]
    pub(crate) bytes: Option<f64>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &RooflineArgs, output: &Output) -> Outcome {
    let chip = Chip::from_setting(args.chip.as_deref()).map_err(|error| Failure::usage(error.to_string()))?;
    let configuration = configuration(chip, args.cores)?;
    let rooflines: Vec<(Arithmetic, Roofline)> = Arithmetic::ALL
        .into_iter()
        .filter_map(|arithmetic| Some((arithmetic, Roofline::of(chip, configuration, arithmetic)?)))
        .collect();
    if rooflines.is_empty() {
        return Err(Failure::unsupported(format!(
            "nobody published the clock or the bandwidth of {}: it has no roofline",
            chip.name()
        )));
    }
    let kernel = match (args.flops, args.bytes) {
        (Some(flops), Some(bytes)) => Some((positive("flops", flops)?, positive("bytes", bytes)?)),
        _ => None,
    };
    let best_gemm = Measurement::best(chip.name(), configuration.gpu_cores, "gemm", "compute_rate")
        .filter(|row| row.unit == "TFLOPS");
    output.json(&document(chip, configuration, &rooflines, kernel, best_gemm));
    if output.is_json() {
        return Ok(());
    }
    output.line(format!("{}, {} GPU cores", chip.name(), configuration.gpu_cores));
    let mut rows = table(&["arithmetic", "peak TFLOPS", "GB/s", "ridge, FLOP/byte"]);
    for (arithmetic, roofline) in &rooflines {
        rows.add_row([
            arithmetic.name().to_owned(),
            format!(
                "{:.2}{}",
                roofline.compute_tflops.value,
                caution(roofline.compute_tflops.confidence.trust)
            ),
            format!("{}", roofline.bandwidth_gb_per_s.value),
            format!("{:.1}", roofline.ridge_flop_per_byte()),
        ]);
    }
    output.line(rows.to_string());
    if let Some(row) = rooflines[0].1.measured_bandwidth {
        let share = 100.0 * row.value / rooflines[0].1.bandwidth_gb_per_s.value;
        output.line(format!(
            "published: {} GB/s, {share:.0} % of that ({}; {})",
            row.value, row.description, row.source
        ));
    }
    if let Some(row) = best_gemm {
        output.line(format!("published: {} TFLOPS ({}; {})", row.value, row.description, row.source));
    }
    if let Some((flops, bytes)) = kernel {
        output.line("");
        output.line(format!("{flops:.4e} operations and {bytes:.4e} bytes: {:.3} FLOP/byte", flops / bytes));
        let mut rows = table(&["arithmetic", "bound by", "memory", "arithmetic alone", "at most"]);
        for (arithmetic, roofline) in &rooflines {
            let place = roofline.place(flops, bytes);
            rows.add_row([
                arithmetic.name().to_owned(),
                roof_name(&place).to_owned(),
                time(place.memory_us),
                time(place.compute_us),
                format!("{:.3} TFLOPS", place.attainable_tflops),
            ]);
        }
        output.line(rows.to_string());
        output
            .line("No kernel is faster than the roof; launches, latency and too few threads make it slower.");
    }
    Ok(())
}

fn configuration(chip: &Chip, cores: Option<u32>) -> Result<&Configuration, Failure> {
    let all = chip.configurations();
    let found = match cores {
        Some(cores) => all.iter().find(|it| it.gpu_cores == cores),
        None => all.last(),
    };
    found.ok_or_else(|| {
        let known: Vec<String> = all.iter().map(|it| it.gpu_cores.to_string()).collect();
        Failure::usage(format!(
            "{} was sold with {} GPU cores: use one of these",
            chip.name(),
            known.join(" or ")
        ))
    })
}

fn positive(name: &str, value: f64) -> Result<f64, Failure> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(Failure::usage(format!("`--{name} {value}`: write a number above 0")))
}

fn roof_name(place: &Placement) -> &'static str {
    match place.roof {
        Roof::Memory => "memory",
        Roof::Compute => "arithmetic",
    }
}

fn time(us: f64) -> String {
    match us {
        us if us < 1.0 => format!("{:.1} ns", us * 1e3),
        us if us < 1e3 => format!("{us:.2} µs"),
        us => format!("{:.3} ms", us / 1e3),
    }
}

fn document(
    chip: &Chip,
    configuration: &Configuration,
    rooflines: &[(Arithmetic, Roofline)],
    kernel: Option<(f64, f64)>,
    best_gemm: Option<&Measurement>,
) -> Value {
    let published = |row: Option<&Measurement>| {
        row.map(|row| json!({ "id": row.id, "value": row.value, "unit": row.unit, "what": row.description, "source": row.source }))
    };
    let roofs: Vec<Value> = rooflines
        .iter()
        .map(|(arithmetic, roofline)| {
            let place = kernel.map(|(flops, bytes)| {
                let place = roofline.place(flops, bytes);
                json!({
                    "flop_per_byte": place.flop_per_byte,
                    "bound_by": roof_name(&place),
                    "attainable_tflops": place.attainable_tflops,
                    "memory_us": place.memory_us,
                    "compute_us": place.compute_us,
                })
            });
            json!({
                "arithmetic": arithmetic.name(),
                "peak_tflops": roofline.compute_tflops.value,
                "peak_confidence": roofline.compute_tflops.confidence.to_string(),
                "bandwidth_gb_per_s": roofline.bandwidth_gb_per_s.value,
                "bandwidth_confidence": roofline.bandwidth_gb_per_s.confidence.to_string(),
                "ridge_flop_per_byte": roofline.ridge_flop_per_byte(),
                "kernel": place,
            })
        })
        .collect();
    json!({
        "chip": chip.slug(),
        "gpu_cores": configuration.gpu_cores,
        "roofs": roofs,
        "published_bandwidth": published(rooflines.first().and_then(|(_, roofline)| roofline.measured_bandwidth)),
        "published_gemm": published(best_gemm),
    })
}
