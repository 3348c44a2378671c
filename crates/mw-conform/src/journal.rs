//! The journal of a sweep: one outcome a line, as JSON. A sweep that was stopped goes on where it was.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::Path;

use crate::outcome::Outcome;

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    file: File,
}

impl Journal {
    /// Opens or makes a journal, and reads what it holds, by kernel name: the last line of a kernel counts.
    /// A line that was cut off by a stop is left out.
    pub fn open(path: &Path) -> io::Result<(Self, BTreeMap<String, Outcome>)> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let mut known = BTreeMap::new();
        let mut ends_in_newline = true;
        for line in BufReader::new(&file).split(b'\n') {
            let line = line?;
            ends_in_newline = false;
            if let Ok(outcome) = serde_json::from_slice::<Outcome>(&line) {
                known.insert(outcome.name.clone(), outcome);
                ends_in_newline = true;
            }
        }
        if !ends_in_newline {
            file.write_all(b"\n")?;
        }
        Ok((Self { file }, known))
    }

    /// Adds an outcome.
    pub fn add(&mut self, outcome: &Outcome) -> io::Result<()> {
        let mut line = serde_json::to_vec(outcome)?;
        line.push(b'\n');
        self.file.write_all(&line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Class;

    #[test]
    fn the_last_line_counts_and_half_a_line_does_not() {
        let folder = std::env::temp_dir().join(format!("mw-journal-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("journal");
        let _ = std::fs::remove_file(&path);
        {
            let (mut journal, known) = Journal::open(&path).unwrap();
            assert!(known.is_empty());
            journal.add(&Outcome::new("a", "00", Class::Mismatch, "first")).unwrap();
            journal.add(&Outcome::new("a", "00", Class::Ok, "")).unwrap();
            journal.file.write_all(b"{\"name\": \"b").unwrap();
        }
        let (mut journal, known) = Journal::open(&path).unwrap();
        assert_eq!(known.len(), 1);
        assert_eq!(known["a"].class, Class::Ok);
        journal.add(&Outcome::new("c", "00", Class::Ok, "")).unwrap();
        assert_eq!(Journal::open(&path).unwrap().1.len(), 2);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
