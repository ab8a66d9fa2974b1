//! The whole site on this machine: workerd, its database, and the means to stop it, look inside, and start it again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use shared::vote::{ClaimAnswer, Rejection, Vote, VoteAnswers, VoteStatus};

use crate::client::{self, CLAIMS, Signer, VOTES};
use crate::database::Database;
use crate::environment::Folder;
use crate::sample;
use crate::workerd::{Workerd, WorkerdSettings};

/// What became of one vote.
pub type Status = (VoteStatus, Option<Rejection>);

/// A site with a database of its own.
#[derive(Debug)]
pub struct Site {
    settings: WorkerdSettings,
    workerd: Option<Workerd>,
    folder: Folder,
}

impl Site {
    /// Starts one with an empty database.
    #[must_use]
    pub fn start(name: &str) -> Self {
        let folder = Folder::new(name);
        let settings = WorkerdSettings::site(&folder, &client::secrets());
        settings.migrate();
        let workerd = Some(settings.start());
        Self { settings, workerd, folder }
    }

    /// Starts one with these listings (slug and URL), each added `age_minutes` ago; gives their numbers by slug.
    #[must_use]
    pub fn with_listings(
        name: &str,
        listings: &[(String, String)],
        age_minutes: u32,
    ) -> (Self, BTreeMap<String, u32>) {
        let mut site = Self::start(name);
        for (slug, url) in listings {
            client::add_listing(site.url(), slug, url);
        }
        let database = site.stop();
        database.age(age_minutes);
        let numbers = database.listings();
        drop(database);
        site.restart();
        (site, numbers)
    }

    /// Starts another with a copy of this one's database, which must be stopped.
    ///
    /// # Panics
    /// Where this one runs, or somebody else has its database open, or the copy fails.
    #[must_use]
    pub fn copy(&self, name: &str) -> Self {
        assert!(self.workerd.is_none(), "stop a site before its database is copied");
        let folder = Folder::new(name);
        let settings = WorkerdSettings::site(&folder, &client::secrets());
        settings.copy_database(&self.settings);
        let workerd = Some(settings.start());
        Self { settings, workerd, folder }
    }

    /// Its address, without a slash at the end; the same after every start.
    #[must_use]
    pub fn url(&self) -> &str {
        self.settings.url()
    }

    /// A path in its folder.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// What workerd printed.
    #[must_use]
    pub fn log(&self) -> String {
        self.workerd.as_ref().map(Workerd::log).unwrap_or_default()
    }

    /// `kill -9` of workerd.
    pub fn kill(&mut self) {
        if let Some(mut workerd) = self.workerd.take() {
            workerd.kill();
        }
    }

    /// `kill -9` of workerd, and its database.
    #[must_use]
    pub fn stop(&mut self) -> Database {
        self.kill();
        Database::open(&self.settings.database())
    }

    /// Starts workerd again.
    pub fn restart(&mut self) {
        self.workerd = Some(self.settings.start());
    }

    /// Posts a signed body and gives the answer's.
    fn post(&self, path: &str, body: &str) -> String {
        let answer = Signer::right().post(self.url(), path, body).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(answer.status, 200, "{path}: {}\n{}", answer.body, self.log());
        answer.body
    }

    /// Claims slots.
    ///
    /// # Panics
    /// Where the Worker refuses it.
    #[must_use]
    pub fn claim(&self, holder: &str, capacity: u32) -> ClaimAnswer {
        let answer = self.post(CLAIMS, &client::claim_body(holder, capacity));
        serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {answer}"))
    }

    /// Delivers votes as one batch, with the shapes of the samples.
    ///
    /// # Panics
    /// Where the Worker refuses the batch, or its answer misses a vote.
    pub fn deliver(&self, votes: &[Vote]) -> Vec<Status> {
        let body = serde_json::to_string(&sample::batch(votes.to_vec())).unwrap_or_default();
        let answer = self.post(VOTES, &body);
        let answers: VoteAnswers =
            serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {answer}"));
        let answered: BTreeSet<_> =
            answers.results.iter().map(|result| (result.listing, result.slot)).collect();
        let sent: BTreeSet<_> = votes.iter().map(|vote| (vote.listing, vote.slot)).collect();
        assert_eq!(answered, sent, "every vote has an answer by its key");
        answers.results.iter().map(|result| (result.status, result.reason)).collect()
    }
}
