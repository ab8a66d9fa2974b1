//! Every rule of the settings, and their order of precedence.

use super::*;

const SECRET: &str = "0123456789abcdef0123456789abcdef-secret";

fn complete() -> RunArguments {
    RunArguments {
        worker: Some("https://worker.example".into()),
        network: Some("tools-centralindia".into()),
        outbox: Some("outbox.sqlite".into()),
        ..RunArguments::default()
    }
}

fn faults(arguments: RunArguments, secret: Option<&str>) -> Vec<String> {
    match RunConfig::load(arguments, secret.map(str::to_owned)) {
        Ok(_) => Vec::new(),
        Err(faults) => faults.iter().map(ToString::to_string).collect(),
    }
}

/// A folder of its own for one test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("isitstillup-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn complete_settings_are_taken_with_their_defaults() {
    let config = RunConfig::load(complete(), Some(SECRET.into())).unwrap();
    assert_eq!(config.worker.as_str(), "https://worker.example/");
    assert_eq!(
        (config.concurrency, config.allow_private, config.verbose),
        (DEFAULT_CONCURRENCY, false, false)
    );
    assert!(!config.holder.is_empty());
    assert!(!format!("{config:?}").contains("secret"), "the key must not show");
}

#[test]
fn every_missing_setting_is_named_at_once() {
    let told = faults(RunArguments::default(), None);
    for field in ["worker:", "network:", "outbox:", "key-file:"] {
        assert!(told.iter().any(|fault| fault.starts_with(field)), "{field} not in {told:?}");
    }
}

#[test]
fn each_rule_names_its_field() {
    type Change = fn(&mut RunArguments);
    let cases: &[(&str, &str, Change)] = &[
        ("worker", "must be a URL", |settings| settings.worker = Some("not a url".into())),
        ("worker", "must be https", |settings| settings.worker = Some("http://worker.example".into())),
        ("worker", "scheme \"ftp\"", |settings| settings.worker = Some("ftp://worker.example".into())),
        ("worker", "without path", |settings| settings.worker = Some("https://worker.example/api".into())),
        ("worker", "user name", |settings| {
            settings.worker = Some("https://me:hunter2@worker.example".into());
        }),
        ("network", "1 to 64", |settings| settings.network = Some("Has Space".into())),
        ("network", "1 to 64", |settings| settings.network = Some(String::new())),
        ("outbox", "not a folder", |settings| settings.outbox = Some(std::env::temp_dir())),
        ("concurrency", "1 to 1000, got 0", |settings| settings.concurrency = Some(0)),
        ("concurrency", "got 1001", |settings| settings.concurrency = Some(1001)),
        ("nameserver", "an IP address", |settings| settings.nameserver = vec!["dns.example".into()]),
        ("nameserver", "got \"192.0.2.53:0\"", |settings| settings.nameserver = vec!["192.0.2.53:0".into()]),
        ("nameserver", "such as 192.0.2.53", |settings| settings.nameserver = vec![String::new()]),
        ("holder", "1 to 64", |settings| settings.holder = Some("a b".into())),
    ];
    for (field, rule, change) in cases {
        let mut settings = complete();
        change(&mut settings);
        let told = faults(settings, Some(SECRET));
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with(&format!("{field}: ")) && told[0].contains(rule), "{told:?}");
        assert!(!told[0].contains("hunter2"));
    }
}

#[test]
fn a_plain_worker_is_for_this_machine_or_on_request() {
    for (url, allow_private, usable) in [
        ("http://127.0.0.1:8787", false, true),
        ("http://[::1]:8787", false, true),
        ("http://localhost:8787", false, true),
        ("http://10.0.0.1:8787", false, false),
        ("http://10.0.0.1:8787", true, true),
    ] {
        let settings =
            RunArguments { worker: Some(url.into()), allow_private: Some(allow_private), ..complete() };
        assert_eq!(faults(settings, Some(SECRET)).is_empty(), usable, "{url}");
    }
}

#[test]
fn a_key_is_long_and_is_never_quoted() {
    for bad in ["short", "", "                                          "] {
        let told = faults(complete(), Some(bad));
        assert_eq!(told.len(), 1);
        assert!(told[0].starts_with("ISU_KEY: the key must have at least 32 characters"), "{told:?}");
    }
    let spaced = faults(complete(), Some("0123456789abcdef 0123456789abcdef"));
    assert_eq!(spaced, ["ISU_KEY: the key must be one line without spaces"]);
}

#[test]
fn the_file_speaks_where_flags_are_silent_and_its_paths_start_at_its_folder() {
    let folder = Folder::new("config-file");
    folder.file("key", &format!("{SECRET}\n"));
    let path = folder.file(
        "prober.toml",
        "worker = \"https://file.example\"\nnetwork = \"from-file\"\noutbox = \"votes.sqlite\"\nkey_file = \"key\"\n\
         concurrency = 7\nallow_private = true\nnameserver = [\"192.0.2.53\", \"[2001:db8::53]:5353\"]\n",
    );
    let arguments =
        RunArguments { network: Some("from-flag".into()), config: Some(path), ..RunArguments::default() };
    let config = RunConfig::load(arguments, None).unwrap();
    assert_eq!(config.worker.as_str(), "https://file.example/");
    assert_eq!((config.network.as_str(), config.concurrency, config.allow_private), ("from-flag", 7, true));
    assert_eq!(config.outbox, folder.0.join("votes.sqlite"));
    let servers: Vec<String> = config.name_servers.iter().map(ToString::to_string).collect();
    assert_eq!(servers, ["192.0.2.53:53", "[2001:db8::53]:5353"]);
    assert_eq!(config.key.bytes(), SECRET.as_bytes());
}

#[test]
fn a_file_that_cannot_be_one_of_ours_is_told_by_its_field() {
    let endless = || Some(PathBuf::from("/dev/zero"));
    for (settings, secret, field) in [
        (RunArguments { config: endless(), ..complete() }, Some(SECRET), "config: "),
        (RunArguments { key_file: endless(), ..complete() }, None, "key-file: "),
    ] {
        let told = faults(settings, secret);
        assert!(told.len() == 1 && told[0].starts_with(field), "{told:?}");
        assert!(told[0].contains("/dev/zero is larger than 1048576 bytes"), "{told:?}");
    }
}

#[test]
fn a_bad_file_is_told_by_line_and_field() {
    let folder = Folder::new("config-bad");
    for (text, told) in [
        ("worker = \"https://a.example\"\nnetwrok = \"x\"\n", "line 2: unknown field `netwrok`"),
        ("concurrency = \"many\"\n", "line 1: invalid type"),
        ("worker = \n", "line 1:"),
        ("key = \"0123456789abcdef0123456789abcdef\"\n", "`key` does not belong into this file"),
    ] {
        let path = folder.file("prober.toml", text);
        let found = faults(RunArguments { config: Some(path), ..complete() }, Some(SECRET));
        assert!(found.len() == 1 && found[0].starts_with("config: ") && found[0].contains(told), "{found:?}");
        assert!(!found[0].contains("0123456789abcdef"));
    }
    let missing =
        faults(RunArguments { config: Some(folder.0.join("none.toml")), ..complete() }, Some(SECRET));
    assert!(missing[0].starts_with("config: cannot read"), "{missing:?}");
}
