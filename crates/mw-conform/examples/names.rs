//! Prints name and family of every kernel: `names LIBRARY`.
#![expect(clippy::print_stdout, reason = "a command-line tool")]

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: names LIBRARY")?;
    for job in mw_conform::sweep::kernels(path.as_ref())? {
        println!("{} {}", job.name, mw_conform::families::family(&job.name));
    }
    Ok(())
}
