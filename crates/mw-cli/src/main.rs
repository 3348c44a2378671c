//! The binary `mw`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(mw_cli::run(std::env::args_os()))
}
