//! Loads the vectors and puts bases and recorded exchanges in place.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use shared::outcome::Phase;
use vector_runner::{Answer, End, FaultSpec, FaultWord, Rule, Vector};

/// Files of the folder that hold no vectors.
const NO_VECTORS: [&str; 2] = ["bases.json", "exchanges.json"];
/// curl's code for an open stream that was cut after some seconds.
const CURL_TIMED_OUT: i32 = 28;

/// One recorded exchange with a real server.
#[derive(Debug, Deserialize)]
pub struct Exchange {
    dir: String,
    name: String,
    #[serde(default)]
    request_body: Option<String>,
    status: Option<u16>,
    #[serde(default)]
    headers: Option<Vec<(String, String)>>,
    #[serde(default)]
    body: Option<String>,
    curl_rc: i32,
}

impl Exchange {
    /// `DIRECTORY/NAME`.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{}/{}", self.dir, self.name)
    }

    /// The body with `{{id}}` where the server gave the recorded request's id back.
    fn body(&self) -> String {
        let body = self.body.clone().unwrap_or_default();
        let request: serde_json::Value =
            self.request_body.as_deref().and_then(|body| serde_json::from_str(body).ok()).unwrap_or_default();
        match request.get("id") {
            Some(id) => [',', '}'].iter().fold(body, |body, after| {
                body.replace(&format!("\"id\":{id}{after}"), &format!("\"id\":{{{{id}}}}{after}"))
            }),
            None => body,
        }
    }

    /// Takes the place of `answer`, whose own end and duration stay.
    fn fill(&self, answer: &mut Answer) {
        answer.exchange = None;
        let Some(status) = self.status else {
            answer.fault =
                Some(FaultSpec { kind: FaultWord::ConnectionRefused, phase: Some(Phase::Connect) });
            return;
        };
        answer.status = Some(status);
        answer.headers = self.headers.clone().unwrap_or_default();
        answer.body = Some(self.body());
        if self.curl_rc == CURL_TIMED_OUT && answer.end == End::Complete {
            answer.end = End::Timeout;
        }
    }
}

/// All vectors, ready to run.
#[derive(Debug)]
pub struct Vectors {
    pub vectors: Vec<Vector>,
    /// Recorded exchanges that no vector plays back.
    pub unused_exchanges: BTreeSet<String>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors")
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

impl Vectors {
    /// Reads `tests/vectors`.
    ///
    /// # Errors
    /// A sentence that names the file, and the vector where one is to blame.
    pub fn load() -> Result<Self, String> {
        let bases: BTreeMap<String, Vec<Rule>> = read(&folder().join("bases.json"))?;
        let exchanges: Vec<Exchange> = read(&folder().join("exchanges.json"))?;
        let exchanges: BTreeMap<String, Exchange> =
            exchanges.into_iter().map(|exchange| (exchange.key(), exchange)).collect();
        let mut unused: BTreeSet<String> = exchanges.keys().cloned().collect();
        let mut names = BTreeSet::new();
        let mut vectors = Vec::new();
        for path in files()? {
            for mut vector in read::<Vec<Vector>>(&path)? {
                let name = vector.name.clone();
                let say = |what: String| format!("{}: vector {name:?}: {what}", path.display());
                expand(&mut vector, &bases, &exchanges, &mut unused).map_err(&say)?;
                if !names.insert(name.clone()) {
                    return Err(say("the name is taken".to_owned()));
                }
                vectors.push(vector);
            }
        }
        Ok(Self { vectors, unused_exchanges: unused })
    }
}

fn files() -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder()).map_err(|error| format!("{}: {error}", folder().display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| {
        path.extension().is_some_and(|extension| extension == "json")
            && !path.file_name().is_some_and(|name| NO_VECTORS.iter().any(|other| name == *other))
    });
    files.sort();
    Ok(files)
}

fn expand(
    vector: &mut Vector,
    bases: &BTreeMap<String, Vec<Rule>>,
    exchanges: &BTreeMap<String, Exchange>,
    unused: &mut BTreeSet<String>,
) -> Result<(), String> {
    if let Some(base) = vector.base.take() {
        let rules = bases.get(&base).ok_or_else(|| format!("no base is named {base:?}"))?;
        vector.script.extend(rules.iter().cloned());
    }
    for rule in &mut vector.script {
        if let Some(key) = rule.answer.exchange.clone() {
            let exchange = exchanges.get(&key).ok_or_else(|| format!("no exchange is named {key:?}"))?;
            exchange.fill(&mut rule.answer);
            unused.remove(&key);
        }
    }
    Ok(())
}
