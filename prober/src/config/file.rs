//! The TOML file with settings of `run`.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::ConfigFault;
use crate::cli::RunArguments;
use crate::small_file::whole_text;

/// Exactly the settings a file may hold.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct SettingsFile {
    worker: Option<String>,
    network: Option<String>,
    outbox: Option<PathBuf>,
    key_file: Option<PathBuf>,
    allow_private: Option<bool>,
    concurrency: Option<u32>,
    holder: Option<String>,
    trust: Option<PathBuf>,
    #[serde(default)]
    nameserver: Vec<String>,
    verbose: Option<bool>,
}

/// Reads the file. Relative paths in it start at the file's own folder, wherever the prober was started.
pub(super) fn read(path: &Path) -> Result<RunArguments, ConfigFault> {
    let text = whole_text(path).map_err(|fault| ConfigFault::new("config", fault))?;
    let file =
        parse(&text).map_err(|rule| ConfigFault::new("config", format!("{}: {rule}", path.display())))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let rooted = |inner: Option<PathBuf>| inner.map(|inner| folder.join(inner));
    Ok(RunArguments {
        worker: file.worker,
        network: file.network,
        outbox: rooted(file.outbox),
        key_file: rooted(file.key_file),
        allow_private: file.allow_private,
        concurrency: file.concurrency,
        holder: file.holder,
        trust: rooted(file.trust),
        nameserver: file.nameserver,
        config: None,
        verbose: file.verbose,
    })
}

fn parse(text: &str) -> Result<SettingsFile, String> {
    // A key written into the file would be quoted by the parser's own message: look for it first.
    if let Ok(table) = text.parse::<toml::Table>()
        && table.contains_key("key")
    {
        return Err(
            "`key` does not belong into this file: use ISU_KEY, or key_file with the path of another file"
                .into(),
        );
    }
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let line = error.span().map(|span| text.get(..span.start).unwrap_or("").matches('\n').count() + 1);
        match line {
            Some(line) => format!("line {line}: {}", error.message()),
            None => error.message().to_owned(),
        }
    })
}
