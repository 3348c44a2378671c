//! `mw-bench peers`: our kernels beside PoCL, MLX's CPU back-end, NumPy and plain C loops, in turn.
//!
//! The peers are processes that are told what to do line by line (`python/reference/peers.py`,
//! `benches/roof.c`). Each round runs every contender once after a warm-up, so that a busy moment of the
//! machine hits all of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, ensure};
use metalworking::{Device, Engine, Library};
use mw_bench::report::{Machine, median, quantile, time, today};
use mw_bench::{Case, Prepared, mlx_library};
use serde_json::{Value, json};

/// Run our kernels, PoCL, MLX's CPU back-end, NumPy and plain C loops side by side.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only works whose name contains this.
    #[arg(long)]
    filter: Option<String>,
    /// Rounds; in each, every contender has a turn of a few calls.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Python with the peers' packages.
    #[arg(long, default_value = ".venv/bin/python")]
    python: PathBuf,
    /// The built `benches/roof.c`.
    #[arg(long)]
    roof: Option<PathBuf>,
    /// Print JSON in place of the table.
    #[arg(long)]
    json: bool,
    /// Write the table to this Markdown file.
    #[arg(long)]
    write: Option<PathBuf>,
}

const CONTENDERS: [&str; 5] = ["ours", "pocl", "mlx", "numpy", "roof"];
/// Calls of a contender in a round before those that are timed, and those.
const WARM: usize = 2;
const CALLS: usize = 7;
/// A contender's turn ends after this time.
const TURN: Duration = Duration::from_millis(700);

struct Work {
    name: &'static str,
    /// Memory that all contenders need together, in GiB.
    gib: u64,
    case: fn() -> Value,
}

const WORKS: &[Work] = &[
    Work { name: "vadd-4Mi", gib: 0, case: || vadd(4 << 20) },
    Work { name: "vadd-256Mi", gib: 13, case: || vadd(256 << 20) },
    Work { name: "gelu-4Mi", gib: 0, case: gelu },
    Work { name: "rms_norm-1024x4096", gib: 0, case: rms_norm },
    Work { name: "softmax-1024x4096", gib: 0, case: softmax },
    Work { name: "matmul-512", gib: 0, case: || matmul(512) },
    Work { name: "matmul-1024", gib: 0, case: || matmul(1024) },
    Work { name: "qmv-4bit-4096", gib: 0, case: qmv },
];

// The launches are those of `python/reference/launch`; here the data is generated in place.

fn case(buffers: &Value, step: &Value) -> Value {
    json!({ "family": "", "name": "", "buffers": buffers, "steps": [step], "outputs": [] })
}

fn vadd(size: usize) -> Value {
    let array = format!("uniform:-2,2:f32[{size}]");
    case(
        &json!({ "a": array, "b": array, "c": format!("zeros:f32[{size}]") }),
        &json!({ "kernel": "vvn_Addfloat32", "grid": [size / 2, 1, 1], "threadgroup": [1024, 1, 1],
                "args": { "0": "@a", "1": "@b", "2": "@c", "3": format!("u32:{size}") } }),
    )
}

fn gelu() -> Value {
    let size = 4 << 20;
    case(
        &json!({ "x": format!("randn:f32[{size}]"), "y": format!("zeros:f32[{size}]") }),
        &json!({ "kernel": "gelu", "grid": [size, 1, 1], "threadgroup": [1024, 1, 1],
                "args": { "0": "@x", "1": "@y" } }),
    )
}

fn rms_norm() -> Value {
    case(
        &json!({ "x": "randn:f32[1024,4096]", "w": "randn:f32[4096]", "y": "zeros:f32[1024,4096]" }),
        &json!({ "kernel": "rmsfloat32", "threadgroups": [1024, 1, 1], "threadgroup": [1024, 1, 1],
                "args": { "0": "@x", "1": "@w", "2": "@y", "3": "f32:1e-5", "4": "u32:4096", "5": "u32:1" } }),
    )
}

fn softmax() -> Value {
    case(
        &json!({ "x": "randn:f32[1024,4096]", "y": "zeros:f32[1024,4096]" }),
        &json!({ "kernel": "block_softmax_float32", "threadgroups": [1024, 1, 1], "threadgroup": [1024, 1, 1],
                "args": { "0": "@x", "1": "@y", "2": "i32:4096" } }),
    )
}

fn matmul(n: usize) -> Value {
    let square = format!("randn:f32[{n},{n}]");
    let (tiles, tile_elements) = (n / 64, n * n);
    let params = format!(
        "{{i32:{n},i32:{n},i32:{n},i32:{n},i32:{n},i32:{n},i32:{tiles},i32:{tiles},\
         i64:{tile_elements},i64:{tile_elements},i64:{tile_elements},i32:1,i32:{},i32:1}}",
        n / 16
    );
    case(
        &json!({ "a": square, "b": square, "y": format!("zeros:f32[{n},{n}]") }),
        &json!({ "kernel": "steel_gemm_fused_nn_float32_float32_bm64_bn64_bk16_wm2_wn2",
                "threadgroups": [tiles * 2, tiles / 2, 1], "threadgroup": [32, 2, 2],
                "constants": { "10": "false", "100": "false", "110": "false",
                               "200": "true", "201": "true", "202": "true" },
                "args": { "0": "@a", "1": "@b", "3": "@y", "4": params } }),
    )
}

fn qmv() -> Value {
    case(
        &json!({ "w": "randint:0,4294967296:u32[4096,512]", "s": "randn:f32[4096,64]",
                 "z": "randn:f32[4096,64]", "x": "randn:f32[4096]", "y": "zeros:f32[4096]" }),
        &json!({ "kernel": "affine_qmv_fast_float_gs_64_b_4_batch_0_pr_0_hgs_0_r_4",
                "threadgroups": [1, 512, 1], "threadgroup": [32, 2, 1],
                "args": { "0": "@w", "1": "@s", "2": "@z", "3": "@x", "4": "@y", "5": "i32:4096", "6": "i32:4096",
                          "7": "i32:0", "8": "i32:[1,4096]", "9": "i64:[4096,1]", "10": "i32:0", "11": "i32:[1]",
                          "12": "i64:[0]", "13": "i64:[0]", "14": "i64:[0]" } }),
    )
}

/// A process that answers each line with a line.
struct Peer {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Peer {
    fn start(command: &mut Command) -> Result<Self> {
        // Some systems set these for OpenBLAS, and then it uses code for another CPU.
        command.env_remove("OPENBLAS_CORETYPE").env_remove("OPENBLAS_L2_SIZE");
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", command.get_program().display()))?;
        let to = child.stdin.take().context("the peer has no input")?;
        let from = BufReader::new(child.stdout.take().context("the peer has no output")?);
        Ok(Self { child, to, from })
    }

    fn ask(&mut self, line: &str) -> Result<String> {
        writeln!(self.to, "{line}")?;
        let mut answer = String::new();
        ensure!(self.from.read_line(&mut answer)? > 0, "a peer ended at `{line}`");
        Ok(answer.trim().to_owned())
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It ends by itself when its input closes; a stuck one is not waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Contest {
    device: Device,
    apple: Library,
    own: Library,
    python: Peer,
    roof: Option<Peer>,
}

/// Times of each contender.
type Times = BTreeMap<&'static str, Vec<Duration>>;

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let mut contest = Contest {
        device: Engine::Cpu.device(None)?,
        apple: Library::open(&mlx_library()?)?,
        own: Library::from_air_text(include_str!("../benches/kernels/gelu.ll"))?,
        python: Peer::start(
            Command::new(&args.python).args(["-m", "reference", "peers"]).env("PYTHONPATH", "python"),
        )?,
        roof: args.roof.as_ref().map(|path| Peer::start(&mut Command::new(path))).transpose()?,
    };
    let versions: BTreeMap<String, String> = serde_json::from_str(&contest.python.ask("versions")?)?;
    let mut results = Vec::new();
    for work in WORKS.iter().filter(|work| args.filter.as_deref().is_none_or(|part| work.name.contains(part)))
    {
        if available_gib() < work.gib {
            eprintln!("{}: left out, it needs {} GiB of memory", work.name, work.gib);
            continue;
        }
        eprintln!("{}", work.name);
        results.push((work.name, contest.work(work, args.rounds)?));
    }
    let table = table(&results);
    if args.json {
        println!("{}", serde_json::to_string_pretty(&to_json(&results, &versions))?);
    } else {
        println!("{}\n{}", heading(&versions), table);
    }
    if let Some(path) = &args.write {
        write_page(path, &versions, &table, args.rounds)?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Contest {
    fn work(&mut self, work: &Work, rounds: usize) -> Result<Times> {
        let case: Case = serde_json::from_value((work.case)())?;
        let library = if case.steps[0].kernel == "gelu" { &self.own } else { &self.apple };
        let ours = Prepared::new(&self.device, library, &case, Path::new("."))?;
        self.python.ask(&format!("prepare {}", work.name))?;
        if let Some(roof) = &mut self.roof {
            roof.ask(&format!("prepare {}", work.name))?;
        }
        let mut times = Times::new();
        for round in 0..=rounds {
            for contender in CONTENDERS {
                // The first round compiles, touches memory and is not counted.
                let counted = round > 0;
                let start = Instant::now();
                for call in 0..WARM + CALLS {
                    let Some(time) = self.call(contender, work.name, &ours)? else { break };
                    let is_late = start.elapsed() > TURN;
                    if counted && (call >= WARM || is_late) {
                        times.entry(contender).or_default().push(time);
                    }
                    if is_late || !counted {
                        break;
                    }
                }
            }
        }
        self.python.ask(&format!("release {}", work.name))?;
        if let Some(roof) = &mut self.roof {
            roof.ask(&format!("release {}", work.name))?;
        }
        Ok(times)
    }

    fn call(&mut self, contender: &str, work: &str, ours: &Prepared) -> Result<Option<Duration>> {
        let answer = match contender {
            "ours" => return Ok(Some(ours.run()?)),
            "roof" => match &mut self.roof {
                Some(roof) => roof.ask(&format!("run {work}"))?,
                None => return Ok(None),
            },
            peer => self.python.ask(&format!("run {peer} {work}"))?,
        };
        if answer == "null" {
            return Ok(None);
        }
        let seconds: f64 =
            answer.parse().map_err(|_| anyhow!("{contender} answered `{answer}` to `run {work}`"))?;
        Ok(Some(Duration::from_secs_f64(seconds)))
    }
}

fn available_gib() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|rest| rest.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kib.map_or(u64::MAX, |kib| kib >> 20)
}

fn heading(versions: &BTreeMap<String, String>) -> String {
    let versions: Vec<String> = versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
    format!("{}; {}", Machine::this(), versions.join(", "))
}

/// Markdown: median and spread (first to last tenth) of each contender, and their times over ours.
fn table(results: &[(&str, Times)]) -> String {
    let mut text = String::from(
        "| work | ours | PoCL | MLX CPU | NumPy | plain C | PoCL/ours | MLX/ours | NumPy/ours | C/ours |\n",
    );
    text.push_str("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (name, times) in results {
        let mut row = format!("| {name} |");
        for contender in CONTENDERS {
            let cell = times.get(contender).map_or_else(
                || "–".to_owned(),
                |own| {
                    format!(
                        "{} ({}–{})",
                        time(median(own)),
                        time(quantile(own, 0.1)),
                        time(quantile(own, 0.9))
                    )
                },
            );
            let _ = write!(row, " {cell} |");
        }
        for contender in &CONTENDERS[1..] {
            let _ =
                write!(row, " {} |", ratio(times, contender).map_or("–".to_owned(), |it| format!("{it:.2}")));
        }
        text.push_str(&row);
        text.push('\n');
    }
    text
}

/// A contender's median time over ours.
fn ratio(times: &Times, contender: &str) -> Option<f64> {
    Some(median(times.get(contender)?).as_secs_f64() / median(times.get("ours")?).as_secs_f64())
}

fn to_json(results: &[(&str, Times)], versions: &BTreeMap<String, String>) -> Value {
    let works: Vec<Value> = results
        .iter()
        .map(|(name, times)| {
            let of = |contender: &&str| {
                let own = times.get(*contender)?;
                let seconds = |part| quantile(own, part).as_secs_f64();
                let row = json!({ "median": seconds(0.5), "p10": seconds(0.1), "p90": seconds(0.9),
                                  "samples": own.len(), "over_ours": ratio(times, contender) });
                Some(((*contender).to_owned(), row))
            };
            json!({ "work": name, "seconds": CONTENDERS.iter().filter_map(of).collect::<serde_json::Map<_, _>>() })
        })
        .collect();
    json!({ "machine": Machine::this(), "date": today(), "versions": versions, "works": works })
}

fn write_page(path: &Path, versions: &BTreeMap<String, String>, table: &str, rounds: usize) -> Result<()> {
    let page = format!(
        "# Side by side\n\nWritten by `cargo xtask bench peers --write` on {}.\n\n{}.\n\n\
         Median (first to last tenth) of {rounds} interleaved rounds, in each of which a contender makes up to {CALLS} calls after {WARM} to warm \
         the caches; a ratio above 1 \
         means that ours is faster. Ours are Apple's kernels out of `mlx.metallib`, but for GELU, which is AIR \
         text in `crates/mw-bench/benches/kernels`. Every contender uses all cores where it can: MLX's own \
         loops use one.\n\n{table}",
        today(),
        heading(versions)
    );
    std::fs::write(path, page).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use mw_bench::Case;

    use super::WORKS;

    #[test]
    fn every_work_is_a_case() {
        for work in WORKS {
            let case: Case = serde_json::from_value((work.case)()).unwrap();
            assert_eq!(case.steps.len(), 1, "{}", work.name);
        }
    }
}
