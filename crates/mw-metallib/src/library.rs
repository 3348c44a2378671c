//! [`Library`]: the functions of a metallib, listed without reading their code.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;
use sha2::{Digest as _, Sha256};

use crate::bytes::Bytes;
use crate::container::locate::{Contents, locate};
use crate::container::{ContainerConstant, ExtensionTag, FunctionKind, Header, Layout, Record};
use crate::error::LibraryError;

/// A Metal library: `.metallib` file, library inside a Mach-O file, or a plain bitcode module (`.air`).
///
/// Clones are cheap and share the bytes.
///
/// # Examples
/// ```no_run
/// let library = mw_metallib::Library::open("mlx.metallib")?;
/// for function in library.functions() {
///     let (major, minor) = function.air_version();
///     assert!(major == 2, "{} is AIR {major}.{minor}", function.name());
/// }
/// # Ok::<(), mw_metallib::LibraryError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Library {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    bytes: Bytes,
    form: Form,
    /// Name to position, made when the first function is looked up.
    by_name: OnceLock<FxHashMap<String, usize>>,
}

#[derive(Debug)]
enum Form {
    Container(Layout),
    /// Entry points of a single module; their name ranges are of no use, so names are kept here.
    Module(Vec<ModuleFunction>),
}

#[derive(Debug)]
pub(crate) struct ModuleFunction {
    pub(crate) name: String,
    pub(crate) kind: FunctionKind,
    pub(crate) air_version: (u16, u16),
    pub(crate) language_version: (u16, u16),
}

impl Library {
    /// Opens the one library in a file.
    ///
    /// The file is mapped, not read: it must not be changed or truncated while the library is in use.
    ///
    /// # Errors
    /// The file cannot be read, is of another kind, is damaged, or holds several libraries
    /// ([`Library::open_all`] takes those).
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LibraryError> {
        only(Self::all_in(&Bytes::open(path.as_ref())?)?)
    }

    /// Opens every library in a file, in file order. The condition of [`Library::open`] holds here too.
    pub fn open_all(path: impl AsRef<Path>) -> Result<Vec<Self>, LibraryError> {
        Ok(Self::all_in(&Bytes::open(path.as_ref())?)?.into_iter().map(|(_, library)| library).collect())
    }

    /// The one library in these bytes.
    pub fn from_bytes(bytes: impl Into<Arc<[u8]>>) -> Result<Self, LibraryError> {
        only(Self::all_in(&Bytes::from_memory(bytes.into()))?)
    }

    /// Libraries with their offsets.
    fn all_in(bytes: &Bytes) -> Result<Vec<(usize, Self)>, LibraryError> {
        match locate(bytes)? {
            Contents::Libraries(ranges) => ranges
                .into_iter()
                .map(|range| {
                    let offset = range.start;
                    let bytes = bytes.slice(range);
                    let form = Form::Container(Layout::parse(&bytes)?);
                    Ok((offset, Self::new(bytes, form)))
                })
                .collect(),
            Contents::Bitcode => {
                let functions = crate::reflection::entry_points(&crate::bitcode::read_module(bytes)?);
                Ok(vec![(0, Self::new(bytes.clone(), Form::Module(functions)))])
            }
        }
    }

    fn new(bytes: Bytes, form: Form) -> Self {
        Self { shared: Arc::new(Shared { bytes, form, by_name: OnceLock::new() }) }
    }

    /// The container's header; `None` for a plain bitcode module.
    pub fn header(&self) -> Option<&Header> {
        self.layout().map(|layout| &layout.header)
    }

    /// The tags of the header extension (`RLST`, `UUID`, `HDYN`, `HSRC`, …).
    pub fn extension(&self) -> &[ExtensionTag] {
        self.layout().map_or(&[], |layout| &layout.extension)
    }

    /// The library's `UUID`, if it has one.
    pub fn uuid(&self) -> Option<[u8; 16]> {
        let tag = self.extension().iter().find(|tag| tag.tag == *b"UUID")?;
        self.shared.bytes.get(tag.payload.clone())?.try_into().ok()
    }

    /// All bytes of the library.
    pub fn bytes(&self) -> &[u8] {
        &self.shared.bytes
    }

    /// How many functions there are.
    pub fn len(&self) -> usize {
        match &self.shared.form {
            Form::Container(layout) => layout.records.len(),
            Form::Module(functions) => functions.len(),
        }
    }

    /// Whether there is no function.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The functions in the order of the list.
    pub fn functions(&self) -> impl ExactSizeIterator<Item = FunctionEntry<'_>> + Clone {
        (0..self.len()).map(|index| FunctionEntry { library: self, index })
    }

    /// The function at a position of the list.
    pub fn function_at(&self, index: usize) -> Option<FunctionEntry<'_>> {
        (index < self.len()).then_some(FunctionEntry { library: self, index })
    }

    /// The function of this name; the first one, should a library hold several.
    pub fn function(&self, name: &str) -> Option<FunctionEntry<'_>> {
        let by_name = self.shared.by_name.get_or_init(|| {
            let mut map = FxHashMap::with_capacity_and_hasher(self.len(), rustc_hash::FxBuildHasher);
            for (index, function) in self.functions().enumerate() {
                map.entry(function.name().to_owned()).or_insert(index);
            }
            map
        });
        by_name.get(name).map(|&index| FunctionEntry { library: self, index })
    }

    fn layout(&self) -> Option<&Layout> {
        match &self.shared.form {
            Form::Container(layout) => Some(layout),
            Form::Module(_) => None,
        }
    }
}

fn only(mut libraries: Vec<(usize, Library)>) -> Result<Library, LibraryError> {
    if libraries.len() > 1 {
        let offsets: Vec<_> = libraries.iter().map(|(offset, _)| offset.to_string()).collect();
        return Err(LibraryError::SeveralLibraries { count: libraries.len(), offsets: offsets.join(", ") });
    }
    libraries.pop().map(|(_, library)| library).ok_or(LibraryError::NoEmbeddedLibrary)
}

/// One function of a library.
#[derive(Debug, Clone, Copy)]
pub struct FunctionEntry<'lib> {
    library: &'lib Library,
    index: usize,
}

/// What a function entry is backed by.
enum Backing<'lib> {
    Record(&'lib Layout, &'lib Record),
    Module(&'lib ModuleFunction),
}

impl<'lib> FunctionEntry<'lib> {
    fn backing(&self) -> Backing<'lib> {
        match &self.library.shared.form {
            Form::Container(layout) => Backing::Record(layout, &layout.records[self.index]),
            Form::Module(functions) => Backing::Module(&functions[self.index]),
        }
    }

    fn file(&self) -> &'lib [u8] {
        &self.library.shared.bytes
    }

    /// Its position in the list.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Its name.
    pub fn name(&self) -> &'lib str {
        match self.backing() {
            Backing::Record(_, record) => record.name(self.file()),
            Backing::Module(function) => &function.name,
        }
    }

    /// What it is.
    pub fn kind(&self) -> FunctionKind {
        match self.backing() {
            Backing::Record(_, record) => record.kind,
            Backing::Module(function) => function.kind,
        }
    }

    /// AIR version, major and minor.
    pub fn air_version(&self) -> (u16, u16) {
        match self.backing() {
            Backing::Record(_, record) => record.air_version,
            Backing::Module(function) => function.air_version,
        }
    }

    /// Metal language version, major and minor.
    pub fn language_version(&self) -> (u16, u16) {
        match self.backing() {
            Backing::Record(_, record) => record.language_version,
            Backing::Module(function) => function.language_version,
        }
    }

    /// The SHA-256 that the library states for the padded bitcode; not checked, see [`Self::verify_hash`].
    pub fn hash(&self) -> Option<[u8; 32]> {
        match self.backing() {
            Backing::Record(_, record) => record.hash,
            Backing::Module(_) => None,
        }
    }

    /// Its bitcode, with wrapper and padding, as it lies in the file.
    ///
    /// # Errors
    /// Stubs and external functions have none.
    pub fn bitcode(&self) -> Result<&'lib [u8], LibraryError> {
        match self.backing() {
            Backing::Record(layout, record) => match &record.bitcode {
                Some(range) => Ok(&self.file()[range.clone()]),
                None => Err(LibraryError::NoBitcode {
                    name: self.name().to_owned(),
                    why: if layout.header.is_stub { "the library is a stub" } else { "it has no `MDSZ` tag" },
                }),
            },
            Backing::Module(_) => Ok(self.file()),
        }
    }

    /// Checks the bitcode against [`Self::hash`]; a function without a hash passes.
    pub fn verify_hash(&self) -> Result<(), LibraryError> {
        let Some(expected) = self.hash() else { return Ok(()) };
        if Sha256::digest(self.bitcode()?)[..] == expected {
            Ok(())
        } else {
            Err(LibraryError::HashMismatch { name: self.name().to_owned() })
        }
    }

    /// The function constants that the container lists; empty for a plain bitcode module, whose constants
    /// [`crate::reflect`] finds.
    pub fn function_constants(&self) -> Result<Vec<ContainerConstant<'lib>>, LibraryError> {
        match self.backing() {
            Backing::Record(layout, record) => layout.constants(self.file(), record),
            Backing::Module(_) => Ok(Vec::new()),
        }
    }

    /// Source line and path, in libraries built with debug information.
    pub fn source_location(&self) -> Result<Option<(u32, &'lib str)>, LibraryError> {
        match self.backing() {
            Backing::Record(layout, record) => layout.source_location(self.file(), record),
            Backing::Module(_) => Ok(None),
        }
    }

    /// Apple's own reflection buffer (`FlatBuffers`, identifier `AIRR`), as raw bytes.
    pub fn reflection_buffer(&self) -> Result<Option<&'lib [u8]>, LibraryError> {
        match self.backing() {
            Backing::Record(layout, record) => layout.reflection_buffer(self.file(), record),
            Backing::Module(_) => Ok(None),
        }
    }

    /// Reads the bitcode into AIR.
    pub fn read_module(&self) -> Result<mw_air::Module, LibraryError> {
        Ok(crate::bitcode::read_module(self.bitcode()?)?)
    }
}
