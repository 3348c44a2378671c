//! What every report says about the machine, and how numbers are written.

use std::fmt;
use std::time::Duration;

/// The machine that numbers were taken on.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Machine {
    /// Name of the CPU.
    pub cpu: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// Vector extensions that matter here.
    pub features: Vec<&'static str>,
    /// Memory in GiB.
    pub memory_gib: u64,
    /// Kernel of the operating system.
    pub system: String,
}

impl Machine {
    /// This machine.
    pub fn this() -> Self {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let cpuinfo = read("/proc/cpuinfo");
        let field = |key: &str| {
            let line = cpuinfo.lines().find(|line| line.starts_with(key))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        let named = field("model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
        // Virtual machines often hide the model; family and model numbers still tell the generation.
        let cpu = match (field("cpu family"), field("model\t")) {
            (Some(family), Some(model)) => format!("{named} (family {family}, model {model})"),
            _ => named,
        };
        let flags = field("flags").unwrap_or_default();
        let features = ["avx2", "fma", "avx512f", "avx512bw", "avx512_bf16", "avx512_fp16", "asimd", "sve"]
            .into_iter()
            .filter(|feature| flags.split_whitespace().any(|flag| flag == *feature))
            .collect();
        let memory = read("/proc/meminfo");
        let kib = memory
            .lines()
            .find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        Self {
            cpu,
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            features,
            memory_gib: kib.unwrap_or(0).div_ceil(1 << 20),
            system: read("/proc/sys/kernel/osrelease").trim().to_owned(),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cpu, cores, features, memory_gib, system } = self;
        write!(f, "{cpu}, {cores} cores, {}, {memory_gib} GiB, Linux {system}", features.join(" "))
    }
}

/// The date today, UTC, as `2026-01-31`.
pub fn today() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    date_of(since.as_secs() / 86_400)
}

/// The civil date of a day counted from 1970-01-01.
fn date_of(day: u64) -> String {
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let (mut year, mut rest) = (1970, day);
    while rest >= 365 + u64::from(is_leap(year)) {
        rest -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if rest < length {
            break;
        }
        rest -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", rest + 1)
}

/// A time with three significant digits.
pub fn time(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    match seconds {
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 0.1 => format!("{:.0} ms", s * 1e3),
        s if s >= 0.01 => format!("{:.1} ms", s * 1e3),
        s if s >= 0.001 => format!("{:.2} ms", s * 1e3),
        s if s >= 1e-4 => format!("{:.0} µs", s * 1e6),
        s => format!("{:.1} µs", s * 1e6),
    }
}

/// Time that all threads of this process have spent on a processor, in steps of 10 ms; `None` where the
/// system does not say.
pub fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in brackets, may hold anything; times are the 12th and 13th field behind it.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10))
}

/// The middle of some times; zero of none.
pub fn median(times: &[Duration]) -> Duration {
    quantile(times, 0.5)
}

/// The time that a part of all times stays under.
pub fn quantile(times: &[Duration], part: f64) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let Some(last) = sorted.len().checked_sub(1) else { return Duration::ZERO };
    sorted[((last as f64 * part).round() as usize).min(last)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_civil() {
        assert_eq!(date_of(0), "1970-01-01");
        assert_eq!(date_of(59), "1970-03-01");
        assert_eq!(date_of(11_016), "2000-02-29");
        assert_eq!(date_of(20_818), "2026-12-31");
    }

    #[test]
    fn quantiles_of_few() {
        let times: Vec<Duration> = (1..=5).map(Duration::from_millis).collect();
        assert_eq!(median(&times), Duration::from_millis(3));
        assert_eq!(quantile(&times, 1.0), Duration::from_millis(5));
        assert_eq!(median(&[]), Duration::ZERO);
        assert_eq!(time(Duration::from_micros(1500)), "1.50 ms");
    }
}
