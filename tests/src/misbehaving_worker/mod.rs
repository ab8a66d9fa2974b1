//! A stand-in of our Worker on a real socket that keeps the rules of its API until it is told to break one.
//!
//! The real Worker cannot be made to do most of this. Where it can take part, it does: `tests/crash.rs`, `ingest.rs`.

pub mod behaviours;
mod honest;

use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use shared::reading::document;
use shared::signature::HEADER_NOW;
use shared::vote::VoteBatch;

use crate::client::VOTES;
use crate::hostile::exchange::{Exchange, JSON};
use crate::hostile::request::Request;
pub use honest::Honest;

/// What it does about a request in place of the right thing.
pub type Act = fn(&mut Exchange<'_>, &Scene) -> io::Result<()>;

/// One request it had.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    pub at: Instant,
    /// Votes in it; None for a claim.
    pub votes: Option<usize>,
}

/// What a misbehaviour works with.
#[derive(Debug)]
pub struct Scene {
    pub honest: Honest,
    /// An address of somebody else, where nobody may ever call.
    trap: TcpListener,
}

impl Scene {
    /// The URL of somebody else.
    #[must_use]
    pub fn elsewhere(&self) -> String {
        self.trap.local_addr().map_or_else(|error| panic!("{error}"), |address| format!("http://{address}"))
    }

    /// The right answer.
    ///
    /// # Errors
    /// Where the client is gone.
    pub fn answer(&self, exchange: &mut Exchange<'_>) -> io::Result<()> {
        let (status, body) = self.honest.answer(&exchange.request);
        exchange.answer(status, &[JSON, (HEADER_NOW, &self.honest.now_ms().to_string())], body)
    }
}

/// A running one; it ends with the program.
#[derive(Debug)]
pub struct MisbehavingWorker {
    port: u16,
    state: Arc<State>,
}

#[derive(Debug)]
struct State {
    scene: Scene,
    act: Mutex<Option<Act>>,
    asked: Mutex<Vec<Asked>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl MisbehavingWorker {
    /// Starts one on a free port.
    ///
    /// # Panics
    /// Where the machine has none.
    #[must_use]
    pub fn start(act: Option<Act>) -> Self {
        let bind = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap_or_else(|error| panic!("{error}"));
        let (listener, trap) = (bind(), bind());
        let port = listener.local_addr().map_or_else(|error| panic!("{error}"), |address| address.port());
        let scene = Scene { honest: Honest::default(), trap };
        let state = Arc::new(State { scene, act: Mutex::new(act), asked: Mutex::default() });
        let served = state.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let served = served.clone();
                // A client that is gone is how some of these end.
                thread::spawn(move || drop(serve(stream, &served)));
            }
        });
        Self { port, state }
    }

    /// Its address.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What it knows.
    #[must_use]
    pub fn honest(&self) -> &Honest {
        &self.state.scene.honest
    }

    /// Does this from now on; None is the right thing.
    pub fn behave(&self, act: Option<Act>) {
        *lock(&self.state.act) = act;
    }

    /// Every request so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        lock(&self.state.asked).clone()
    }

    /// The address of somebody else.
    #[must_use]
    pub fn elsewhere(&self) -> String {
        self.state.scene.elsewhere()
    }

    /// Whether anybody called at the address of somebody else.
    #[must_use]
    pub fn called_elsewhere(&self) -> bool {
        let trap = &self.state.scene.trap;
        trap.set_nonblocking(true).is_err() || trap.accept().is_ok()
    }
}

fn serve(mut stream: TcpStream, state: &State) -> io::Result<()> {
    stream.set_nodelay(true)?;
    while let Some(request) = Request::read(&mut stream)? {
        let batch = || document::<VoteBatch>(&request.body).map_or(0, |batch| batch.votes.len());
        let votes = (request.target == VOTES).then(batch);
        lock(&state.asked).push(Asked { at: Instant::now(), votes });
        let act = *lock(&state.act);
        let mut exchange = Exchange::new(request, 0, &mut stream);
        match act {
            Some(act) => act(&mut exchange, &state.scene)?,
            None => state.scene.answer(&mut exchange)?,
        }
        if exchange.is_closed() {
            return Ok(());
        }
    }
    Ok(())
}
