//! Lines of the source: `-g` writes them, every engine runs what has them, and faults name them.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use snapbox::cmd::Command;

/// Squares, and beside it a kernel that writes past its buffer and one that branches on what nobody wrote.
const SOURCE: &str = "\
kernel void square(device float *x, uint i [[thread_position_in_grid]]) {
  float y = x[i];
  if (y > 1)
    x[i] = y * y;
}
kernel void stray(device float *x, uint i [[thread_position_in_grid]]) {
  x[i + 2] = 1;
}
kernel void unset(device float *x) {
  float y[2];
  if (y[0] > 0)
    x[0] = 1;
}
";

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("mw-lines-{name}-{}", std::process::id()));
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("k.metal"), SOURCE).expect("write");
        Self(folder)
    }

    fn mw(&self, words: &str) -> Output {
        let mut command = Command::new(snapbox::cmd::cargo_bin!("mw")).current_dir(&self.0);
        for variable in ["MW_CHIP", "MW_ENGINE", "MW_CPU", "MW_THREADS", "CLICOLOR_FORCE"] {
            command = command.env_remove(variable);
        }
        command.env("MW_CACHE_DIR", "off").args(words.split_whitespace()).output().expect("runs")
    }

    fn ok(&self, words: &str) {
        let output = self.mw(words);
        assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).expect("written")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

#[test]
fn the_flag_writes_lines_and_changes_nothing_else() {
    let folder = Folder::new("flag");
    folder.ok("compile k.metal -o plain.ll");
    folder.ok("compile k.metal -g -o lines.ll");
    let (plain, lines) = (folder.read("plain.ll"), folder.read("lines.ll"));
    assert!(!plain.contains("!dbg"), "{plain}");
    assert!(lines.contains("!DILocation(line: 4, column: 12, "), "{lines}");
    assert!(lines.contains("!DIFile(filename: \"k.metal\""), "{lines}");
    for file in ["lines.ll", "lines.air", "lines.metallib"] {
        folder.ok(&format!("compile k.metal -g -o {file}"));
        for engine in ["cpu", "interp", "checked"] {
            folder.ok(&format!(
                "run {file} square --engine {engine} --grid 4 --threadgroup 4 -a x=f32:[0.5,2,3,1] --expect x=f32:[0.5,4,9,1]"
            ));
        }
    }
}

#[test]
fn lines_survive_the_optimiser() {
    let folder = Folder::new("optimised");
    folder.ok("compile k.metal -g -O2 -o lines.ll");
    let text = folder.read("lines.ll");
    assert!(text.contains("!DILocation(line: 4, "), "{text}");
    folder.ok("run lines.ll square --grid 2 --threadgroup 2 -a x=f32:[3,0] --expect x=f32:[9,0]");
}

#[test]
fn faults_name_the_line() {
    let folder = Folder::new("faults");
    let fault = |words: &str| {
        let output = folder.mw(words);
        assert!(!output.status.success(), "{words}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let stray = fault("run k.metal stray --engine interp --grid 4 --threadgroup 4 -a x=zeros:f32[4]");
    assert!(stray.contains("k.metal:7:3"), "{stray}");
    let unset = fault("run k.metal unset --engine checked --grid 1 --threadgroup 1 -a x=zeros:f32[1]");
    assert!(unset.contains("k.metal:11:"), "{unset}");
    // Also out of a file that was compiled with lines.
    folder.ok("compile k.metal -g -o k.metallib");
    let stray = fault("run k.metallib stray --engine interp --grid 4 --threadgroup 4 -a x=zeros:f32[4]");
    assert!(stray.contains("k.metal:7:3"), "{stray}");
}
