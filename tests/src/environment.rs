//! Where the prepared parts are, as `cargo xtask env` prints it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, process};

/// A prepared part.
#[derive(Debug, Clone, Copy)]
pub enum Part {
    /// The checkout.
    Root,
    /// The executable of the pinned Node.
    Node,
    /// The `node_modules` folder.
    NodeModules,
    /// The `bin` folder of the Python environment with `fastmcp`.
    PythonCurrent,
    /// The `bin` folder of the Python environment with the older `mcp`.
    PythonOlder,
    /// The built Worker.
    Worker,
    /// The built Worker that runs vectors.
    VectorsWorker,
    /// The prober's executable.
    Prober,
}

impl Part {
    const fn variable(self) -> &'static str {
        match self {
            Self::Root => "ISU_ROOT",
            Self::Node => "ISU_NODE",
            Self::NodeModules => "ISU_NPM",
            Self::PythonCurrent => "ISU_PYTHON_FASTMCP",
            Self::PythonOlder => "ISU_PYTHON_OLD",
            Self::Worker => "ISU_WORKER_BUILD",
            Self::VectorsWorker => "ISU_VECTORS_BUILD",
            Self::Prober => "ISU_PROBER",
        }
    }

    /// Its path.
    ///
    /// # Panics
    /// With a sentence that says what to run, where the variable is missing or names nothing.
    #[must_use]
    pub fn path(self) -> PathBuf {
        let variable = self.variable();
        let path = env::var_os(variable).map(PathBuf::from).unwrap_or_else(|| {
            panic!("{variable} is not set: run `cargo xtask test`, or `eval \"$(cargo xtask env)\"` first")
        });
        assert!(
            path.exists(),
            "{variable} names {}, which is not there: run `cargo xtask env`",
            path.display()
        );
        path
    }
}

/// A folder for one test, removed when dropped.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// A new empty folder under the temporary folder of the machine.
    ///
    /// # Panics
    /// Where it cannot be made.
    #[must_use]
    pub fn new(name: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("isitstillup-{name}-{}-{number}", process::id()));
        fs::create_dir_all(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self(path)
    }

    /// A path inside.
    #[must_use]
    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder left behind is no fault of the test that used it.
        let _ = fs::remove_dir_all(&self.0);
    }
}
