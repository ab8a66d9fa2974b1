//! Opening an outbox: the lock, the check of the file, and the way aside for a damaged one.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::schema::{self, Kind};
use super::write_ahead::{WriteAhead, judge};
use super::{Counts, Outbox, OutboxFault, OutboxFaultKind};

/// The file and the companions SQLite keeps beside it. The file goes last: while it is there, not all is moved.
const COMPANIONS: [&str; 3] = ["-shm", WRITE_AHEAD, ""];
const WRITE_AHEAD: &str = "-wal";
/// How long a lock of another program (a backup, a shell) is waited for.
const BUSY: Duration = Duration::from_secs(5);

/// A damaged file was renamed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{damage}. It is kept as {}; {then}", to.display())]
pub(crate) struct MovedAside {
    pub(crate) to: PathBuf,
    pub(crate) damage: String,
    then: &'static str,
}

/// What follows for the votes of an outbox, and of a write-ahead file alone.
const BEGUN_ANEW: &str = "votes in it were not delivered, and a new outbox is begun";
const WITHOUT_THE_LAST: &str = "votes that were written last may be in it, and the others are delivered";

impl Outbox {
    /// Opens the file, or begins one. A damaged file is moved aside, never deleted, and told in the second value.
    ///
    /// # Errors
    /// Where another process uses it, where it cannot be written, or where it is a database of something else.
    pub(crate) fn open(path: &Path) -> Result<(Self, Option<MovedAside>), OutboxFault> {
        let path = &resolved(path);
        is_one_file(path)?;
        let lock = lock(path)?;
        let with = |connection| Self { connection, damage: None, _lock: lock };
        let write_ahead = keep_damaged_write_ahead(path)?;
        match open_file(path) {
            Ok(connection) => Ok((with(connection), write_ahead)),
            Err(fault) if fault.kind == OutboxFaultKind::Corrupt => {
                let to = move_aside(path)?;
                let damage = match write_ahead {
                    Some(before) => format!("{before}; {fault}"),
                    None => fault.to_string(),
                };
                let moved = MovedAside { to, damage, then: BEGUN_ANEW };
                // Else nobody would learn where the votes are.
                let connection = open_file(path).map_err(|fault| {
                    OutboxFault::new(fault.kind, format!("{moved}, which fails: {fault}"))
                })?;
                Ok((with(connection), Some(moved)))
            }
            Err(fault) => Err(fault),
        }
    }

    /// After damage that showed while running: `self.damage` says which. Moves the file aside, says so to `tell`, and
    /// begins a new one under the same lock. May be called again where it failed half-way.
    pub(crate) fn begin_anew(
        &mut self,
        path: &Path,
        tell: impl FnOnce(&MovedAside),
    ) -> Result<(), OutboxFault> {
        let path = &resolved(path);
        // The damaged file is let go as it is before it is renamed.
        close_as_it_is(&self.connection, true)?;
        self.connection = Connection::open_in_memory()?;
        if path.exists() {
            let to = move_aside(path)?;
            tell(&MovedAside { to, damage: self.damage.clone().unwrap_or_default(), then: BEGUN_ANEW });
        }
        self.connection = open_file(path)?;
        self.damage = None;
        Ok(())
    }
}

/// What `check` finds at an outbox's path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Examined {
    /// None where there is no file yet, and one could be made.
    pub(crate) counts: Option<(Counts, Vec<(String, i64)>)>,
}

/// Tries the path as `run` would, changes nothing and leaves nothing behind.
///
/// # Errors
/// As [`Outbox::open`], and for a damaged file, which stays where it is.
pub(crate) fn examine(path: &Path) -> Result<Examined, OutboxFault> {
    let path = &resolved(path);
    is_one_file(path)?;
    let existed = path.exists();
    let missing =
        COMPANIONS.map(|companion| with_suffix(path, companion)).into_iter().filter(|file| !file.exists());
    let missing: Vec<_> = missing.collect();
    let lock_existed = with_suffix(path, ".lock").exists();
    let lock = lock(path)?;
    let opened = match write_ahead_damage(path) {
        Some(found) => Err(OutboxFault::new(OutboxFaultKind::Corrupt, found.damage)),
        None => open_file(path).map(|connection| Outbox { connection, damage: None, _lock: lock }),
    };
    let examined = opened.and_then(|outbox| {
        let counts = existed.then(|| Ok::<_, OutboxFault>((outbox.counts()?, outbox.rejections()?)));
        Ok(Examined { counts: counts.transpose()? })
    });
    // What was not there before was made by this look.
    if !existed {
        missing.iter().for_each(|file| drop(std::fs::remove_file(file)));
    }
    if !lock_existed {
        let _ = std::fs::remove_file(with_suffix(path, ".lock"));
    }
    examined
}

/// The path without symbolic links: one file has one lock, whichever way leads to it, as SQLite's own companions of it.
fn resolved(path: &Path) -> PathBuf {
    let folder = || {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(parent.canonicalize().ok()?.join(path.file_name()?))
    };
    path.canonicalize().ok().or_else(folder).unwrap_or_else(|| path.to_owned())
}

/// Refuses what is no file, before anything is made beside it, and a file with a second name (a hard link). SQLite
/// keeps beside the name what is not in the file yet, and the lock is there as well: under another name the votes of a
/// killed prober would be missing, and a second prober could write at the same time.
fn is_one_file(path: &Path) -> Result<(), OutboxFault> {
    // What is not there is made; what cannot be looked at is told when it is opened.
    let Ok(found) = std::fs::metadata(path) else { return Ok(()) };
    let message = if !found.is_file() {
        format!("the outbox {} is no file but a folder or a device: choose another path", path.display())
    } else if found.nlink() > 1 {
        format!(
            "the outbox {0} has {names} names (hard links), and votes under one are not seen under another: \
             find them with `find -samefile {0}` and remove all but the one the prober used before",
            path.display(),
            names = found.nlink()
        )
    } else {
        return Ok(());
    };
    Err(OutboxFault::new(OutboxFaultKind::NotOurs, message))
}

/// Takes the lock beside the file; the system releases it when the process ends, however it ends.
fn lock(path: &Path) -> Result<File, OutboxFault> {
    let beside = with_suffix(path, ".lock");
    let unwritable = |error: std::io::Error| {
        let message = format!(
            "the outbox cannot be opened: check that the folder of {} exists and may be written ({error})",
            beside.display()
        );
        OutboxFault::new(OutboxFaultKind::Unwritable, message)
    };
    let file =
        OpenOptions::new().create(true).truncate(false).write(true).open(&beside).map_err(unwritable)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            let message = format!("another process uses the outbox {}", path.display());
            Err(OutboxFault::new(OutboxFaultKind::InUse, message))
        }
        Err(TryLockError::Error(error)) => Err(unwritable(error)),
    }
}

fn open_file(path: &Path) -> Result<Connection, OutboxFault> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    is_one_file(path)?;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    // Should it turn out damaged, both files are kept as they are.
    close_as_it_is(&connection, judge(&with_suffix(path, WRITE_AHEAD)) != WriteAhead::Empty)?;
    if connection.is_readonly("main")? {
        let message =
            format!("the outbox {} may not be written: check the rights of the file", path.display());
        return Err(OutboxFault::new(OutboxFaultKind::Unwritable, message));
    }
    let foreign =
        |what: String| OutboxFault::new(OutboxFaultKind::NotOurs, format!("{}: {what}", path.display()));
    match schema::kind(&connection)? {
        Kind::Foreign => {
            return Err(foreign(
                "is a database of another program; choose another path for the outbox".into(),
            ));
        }
        Kind::Newer(version) => {
            return Err(foreign(format!("was written by a later version (tables {version}); use that one")));
        }
        Kind::Ours => check(&connection)?,
        Kind::Empty => {}
    }
    // Readers and the writer do not wait for each other, and a commit is on the disk when it returns.
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "full")?;
    if matches!(schema::kind(&connection)?, Kind::Empty) {
        schema::create(&mut connection)?;
    }
    close_as_it_is(&connection, false)?;
    Ok(connection)
}

/// Whether the end of the connection leaves both files as they are. Else the one is moved into the other, whatever that
/// holds, and deleted.
fn close_as_it_is(connection: &Connection, as_it_is: bool) -> Result<(), OutboxFault> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, as_it_is)?;
    Ok(())
}

/// Reads the whole file once; the outbox is small.
fn check(connection: &Connection) -> Result<(), OutboxFault> {
    let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if found == "ok" {
        return Ok(());
    }
    let found = found.lines().collect::<Vec<_>>().join(" ");
    Err(OutboxFault::new(OutboxFaultKind::Corrupt, format!("the outbox file is damaged ({found})")))
}

/// Renames the file and its companions to a name that is free.
fn move_aside(path: &Path) -> Result<PathBuf, OutboxFault> {
    let to = free_name(path);
    for companion in COMPANIONS {
        let from = with_suffix(path, companion);
        if companion.is_empty() || from.exists() {
            rename(&from, &with_suffix(&to, companion))?;
        }
    }
    Ok(to)
}

/// What is wrong with the write-ahead file. SQLite would say nothing, and overwrite or delete it.
fn write_ahead_damage(path: &Path) -> Option<WriteAheadDamage> {
    let is_alone = std::fs::metadata(path).map_or(0, |file| file.len()) == 0;
    let (damage, keep, then) = match judge(&with_suffix(path, WRITE_AHEAD)) {
        WriteAhead::Empty => return None,
        WriteAhead::Unusable => ("is damaged", Keep::Itself, WITHOUT_THE_LAST),
        _ if is_alone => ("is there, but the outbox is missing or empty", Keep::Itself, BEGUN_ANEW),
        WriteAhead::CutShort => ("is damaged behind its beginning", Keep::Copy, WITHOUT_THE_LAST),
        WriteAhead::Whole => return None,
    };
    Some(WriteAheadDamage { damage: format!("the write-ahead file of the outbox {damage}"), keep, then })
}

struct WriteAheadDamage {
    damage: String,
    keep: Keep,
    then: &'static str,
}

/// How a damaged write-ahead file is kept.
enum Keep {
    /// It is moved away: nothing of it can be used.
    Itself,
    /// Its beginning is used, and all of it is copied before.
    Copy,
}

/// Keeps a write-ahead file of which SQLite would lose a part.
fn keep_damaged_write_ahead(path: &Path) -> Result<Option<MovedAside>, OutboxFault> {
    let Some(WriteAheadDamage { damage, keep, then }) = write_ahead_damage(path) else { return Ok(None) };
    let from = with_suffix(path, WRITE_AHEAD);
    let to = with_suffix(&free_name(path), WRITE_AHEAD);
    match keep {
        Keep::Itself => rename(&from, &to)?,
        Keep::Copy => {
            let copied = std::fs::copy(&from, &to).and_then(|_| File::open(&to)?.sync_all());
            copied.map_err(|error| not_kept(&from, &error))?;
        }
    }
    Ok(Some(MovedAside { to, damage, then }))
}

fn free_name(path: &Path) -> PathBuf {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let mut free = (0..).map(|number: u64| with_suffix(path, &format!(".damaged-{}", seconds + number)));
    let is_free = |name: &PathBuf| COMPANIONS.iter().all(|companion| !with_suffix(name, companion).exists());
    free.find(is_free).unwrap_or_else(|| with_suffix(path, ".damaged"))
}

fn rename(from: &Path, to: &Path) -> Result<(), OutboxFault> {
    std::fs::rename(from, to).map_err(|error| not_kept(from, &error))
}

fn not_kept(from: &Path, error: &std::io::Error) -> OutboxFault {
    let message = format!(
        "the damaged outbox {} cannot be kept aside: check the rights and the room of its folder ({error})",
        from.display()
    );
    OutboxFault::new(OutboxFaultKind::Unwritable, message)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
