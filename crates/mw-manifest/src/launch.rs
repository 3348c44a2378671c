//! [`Launch`]: everything that a launch needs, as data.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use crate::compare::Tolerance;
use crate::constant::ConstantText;
use crate::value::Value;

/// How many threads, and how they are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GridSize {
    /// `grid`: threads.
    Threads([usize; 3]),
    /// `threadgroups`: whole threadgroups.
    Threadgroups([usize; 3]),
}

/// An argument or a function constant: by index or by name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Key {
    /// Binding index.
    Index(u32),
    /// Name in the source.
    Name(String),
}

impl Key {
    /// Digits are an index, anything else is a name.
    pub fn parse(text: &str) -> Self {
        text.parse().map_or_else(|_| Self::Name(text.to_owned()), Self::Index)
    }

    /// Whether it means the thing of this index and name.
    pub fn means(&self, index: u32, name: &str) -> bool {
        match self {
            Self::Index(own) => *own == index,
            Self::Name(own) => own == name,
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index(index) => index.fmt(f),
            Self::Name(name) => f.write_str(name),
        }
    }
}

/// A launch. What is not said is absent: it has a default, or the tool asks for it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Launch {
    /// Library or source file.
    pub library: Option<PathBuf>,
    /// Kernel name.
    pub kernel: Option<String>,
    /// Grid.
    pub grid: Option<GridSize>,
    /// Threads per threadgroup.
    pub threadgroup: Option<[usize; 3]>,
    /// Arguments.
    pub args: BTreeMap<Key, Value>,
    /// Function constants.
    pub constants: BTreeMap<Key, ConstantText>,
    /// Bytes of dynamic threadgroup memory by threadgroup index.
    pub threadgroup_memory: BTreeMap<u32, usize>,
    /// Contents that arguments must have afterwards.
    pub expect: BTreeMap<Key, Value>,
    /// Files that arguments are written to afterwards.
    pub save: BTreeMap<Key, PathBuf>,
    /// How far results may be from what is expected.
    pub tolerance: Option<Tolerance>,
    /// Tolerances of single arguments.
    pub tolerances: BTreeMap<Key, Tolerance>,
    /// Seed that shuffles threadgroups.
    pub schedule: Option<u64>,
    /// Chip whose limits hold.
    pub chip: Option<String>,
    /// Seed of random arguments.
    pub seed: Option<u64>,
}

impl Launch {
    /// This launch with everything that `other` says put over it.
    #[must_use]
    pub fn overridden_by(mut self, other: Self) -> Self {
        self.library = other.library.or(self.library);
        self.kernel = other.kernel.or(self.kernel);
        self.grid = other.grid.or(self.grid);
        self.threadgroup = other.threadgroup.or(self.threadgroup);
        self.args.extend(other.args);
        self.constants.extend(other.constants);
        self.threadgroup_memory.extend(other.threadgroup_memory);
        self.expect.extend(other.expect);
        self.save.extend(other.save);
        self.tolerance = other.tolerance.or(self.tolerance);
        self.tolerances.extend(other.tolerances);
        self.schedule = other.schedule.or(self.schedule);
        self.chip = other.chip.or(self.chip);
        self.seed = other.seed.or(self.seed);
        self
    }

    /// The tolerance for an argument.
    pub fn tolerance_of(&self, index: u32, name: &str) -> Tolerance {
        let own = self.tolerances.iter().find(|(key, _)| key.means(index, name)).map(|(_, it)| *it);
        own.or(self.tolerance).unwrap_or_default()
    }
}
