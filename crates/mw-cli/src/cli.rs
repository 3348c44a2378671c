//! The command line as clap understands it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use metalworking::Engine;
use mw_conform::command::{Conform, ConformWorker};

use crate::commands::{
    check::CheckArgs, compile::CompileArgs, explain::ExplainArgs, occupancy::OccupancyArgs,
    roofline::RooflineArgs,
};
use crate::exit;

/// Metal kernels on any machine: look into libraries, run kernels, compare engines.
#[derive(Debug, Parser)]
#[command(name = "mw", version, propagate_version = true, after_help = exit::HELP, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compile Metal source to a library, to AIR bitcode or to AIR text
    Compile(CompileArgs),
    /// Compile all Metal sources of a tree and say what is wrong
    Check(CheckArgs),
    /// Explain a diagnostic, or a term of the glossary
    Explain(ExplainArgs),
    /// List the kernels of a library, or tell everything about one
    Inspect(InspectArgs),
    /// Print a kernel's code at a stage of compilation
    Disassemble(DisassembleArgs),
    /// Run a kernel
    Run(Box<RunArgs>),
    /// Run every kernel of a library on both engines and compare
    #[command(after_help = exit::HELP)]
    Conform(Conform),
    /// Serve kernels to `mw conform` over standard input and output
    #[command(hide = true)]
    ConformWorker(ConformWorker),
    /// List the chips whose limits can be asked for, or tell everything about one
    Chips(ChipsArgs),
    /// How many simdgroups of a kernel a core holds, what decides it, and what would change it
    #[command(after_help = exit::HELP)]
    Occupancy(OccupancyArgs),
    /// The roofs of a chip, and where a kernel lies under them
    #[command(after_help = exit::HELP)]
    Roofline(RooflineArgs),
    /// Print the completion script of a shell
    Completions(CompletionsArgs),
}

impl Command {
    pub(crate) fn is_json(&self) -> bool {
        match self {
            Self::Compile(args) => args.json,
            Self::Check(args) => args.json,
            Self::Explain(args) => args.json,
            Self::Inspect(args) => args.json,
            Self::Disassemble(args) => args.json,
            Self::Run(args) => args.json,
            Self::Conform(args) => args.json,
            Self::Chips(args) => args.json,
            Self::Occupancy(args) => args.json,
            Self::Roofline(args) => args.json,
            Self::ConformWorker(_) | Self::Completions(_) => false,
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = exit::HELP)]
pub(crate) struct InspectArgs {
    /// A .metallib, a .metal source, an .air or .ll module, or a program with a library inside
    #[arg(value_name = "LIB", value_hint = ValueHint::FilePath)]
    pub(crate) path: PathBuf,
    /// The kernel to tell everything about
    pub(crate) kernel: Option<String>,
    /// List only functions whose name matches this regular expression
    #[arg(long, value_name = "RE", conflicts_with = "kernel")]
    pub(crate) filter: Option<String>,
    /// Which library, where the file holds several
    #[arg(long, value_name = "N")]
    pub(crate) library: Option<usize>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = exit::HELP)]
pub(crate) struct DisassembleArgs {
    /// A .metallib, a .metal source, an .air or .ll module, or a program with a library inside
    #[arg(value_name = "LIB", value_hint = ValueHint::FilePath)]
    pub(crate) path: PathBuf,
    /// The kernel
    pub(crate) kernel: String,
    /// Which stage of compilation
    #[arg(long, value_enum, default_value_t = StageName::Air)]
    pub(crate) stage: StageName,
    /// Value of a function constant, by index or name: `200=true`, `scale=f32:0.5`
    #[arg(short, long = "constant", value_name = "KEY=VALUE")]
    pub(crate) constants: Vec<String>,
    /// Threadgroup size that the code is made for: simd and asm differ where a row is no multiple of 32
    #[arg(long, value_name = "X,Y,Z", default_value = "32")]
    pub(crate) threadgroup: String,
    /// Which library, where the file holds several
    #[arg(long, value_name = "N")]
    pub(crate) library: Option<usize>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum StageName {
    /// As it lies in the library, with the constants that are given
    Air,
    /// One thread's code after the scalar clean-up
    Scalar,
    /// One simdgroup's code: 32 lanes in vectors
    Simd,
    /// Assembly of this machine, or of the CPU that `MW_CPU` names
    Asm,
}

/// The settings of a launch have one grammar, in a file (`--manifest`), in `// run:` comments and here; what
/// stands here counts most.
///
/// Values of arguments: `f32:1.5`, `i32:[1,2]`, `zeros:f32[4,8]`, `ones:…`, `full:3:…`, `arange:i32[8]`,
/// `randn:f32[8]`, `uniform:-1,1:f32[8]`, `randint:0,9:i32[8]`, `{i32:7,f32:1}` (a structure), `file.npy`.
#[derive(Debug, Args)]
#[command(after_help = exit::HELP)]
pub(crate) struct RunArgs {
    /// A .metallib, a .metal source, an .air or .ll module, a program with a library inside, or a manifest (.toml)
    #[arg(value_name = "LIB", value_hint = ValueHint::FilePath)]
    pub(crate) path: Option<PathBuf>,
    /// The kernel
    pub(crate) kernel: Option<String>,
    /// File with the settings of one or several launches
    #[arg(short, long, value_name = "TOML", value_hint = ValueHint::FilePath)]
    pub(crate) manifest: Option<PathBuf>,
    /// Size of the grid in threads
    #[arg(short, long, value_name = "X,Y,Z")]
    pub(crate) grid: Option<String>,
    /// Size of the grid in threadgroups
    #[arg(long, value_name = "X,Y,Z", conflicts_with = "grid")]
    pub(crate) threadgroups: Option<String>,
    /// Threads of a threadgroup
    #[arg(short, long, value_name = "X,Y,Z")]
    pub(crate) threadgroup: Option<String>,
    /// Argument, by name or buffer index
    #[arg(short, long = "arg", value_name = "KEY=VALUE")]
    pub(crate) args: Vec<String>,
    /// Function constant, by name or index: `200=true`
    #[arg(short, long = "constant", value_name = "KEY=VALUE")]
    pub(crate) constants: Vec<String>,
    /// Dynamic threadgroup memory, by threadgroup index
    #[arg(long, value_name = "INDEX=BYTES")]
    pub(crate) threadgroup_memory: Vec<String>,
    /// What an argument must hold afterwards: a value or a .npy file
    #[arg(short, long = "expect", value_name = "KEY=VALUE")]
    pub(crate) expect: Vec<String>,
    /// Write an argument to a .npy file afterwards
    #[arg(short = 'o', long = "save", value_name = "KEY=FILE")]
    pub(crate) save: Vec<String>,
    /// How far results may be off: `1e-5`, `rtol=1e-5,atol=1e-6,ulp=4`, or for one argument `KEY:ulp=4`
    #[arg(long, value_name = "TOLERANCE")]
    pub(crate) tolerance: Vec<String>,
    /// Shuffle the order of threadgroups
    #[arg(long, value_name = "SEED")]
    pub(crate) schedule: Option<u64>,
    /// Seed of random arguments
    #[arg(long, value_name = "SEED")]
    pub(crate) seed: Option<u64>,
    /// Chip whose limits hold (default: `MW_CHIP`, or m2)
    #[arg(long, value_name = "CHIP")]
    pub(crate) chip: Option<String>,
    /// What runs the kernel
    #[arg(long, value_parser = ["cpu", "interp", "checked"], default_value = Engine::default().name(), env = "MW_ENGINE")]
    pub(crate) engine: String,
    /// Count instructions, operations and bytes of memory, by line of the source (`--engine interp`)
    #[arg(long)]
    pub(crate) counts: bool,
    /// Launch this many times and report the times; arguments keep what the launches before left in them
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) repeat: u32,
    /// Print only these arguments afterwards, by name or index (default: all that the kernel writes)
    #[arg(short, long = "print", value_name = "KEY")]
    pub(crate) print: Vec<String>,
    /// Print no contents
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Which library, where the file holds several
    #[arg(long, value_name = "N")]
    pub(crate) library: Option<usize>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ChipsArgs {
    /// The chip to tell everything about, in any usual spelling: `m4-max`, `M4 Max`
    pub(crate) name: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}
