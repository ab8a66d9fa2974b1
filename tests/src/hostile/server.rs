//! Serves behaviours on loopback, a thread for each connection, and keeps what it was asked.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::{fs, io};

use name_server::NameServer;

use super::behaviour::{Behaviour, Serve};
use super::certificates;
use super::exchange::Exchange;
use super::request::Request;
use super::trap::Trap;
use crate::environment::Folder;

/// The file with the root that the prober is to trust.
const TRUST: &str = "root.pem";

/// A port with one or more behaviours. It is served for as long as the program runs.
pub struct Server {
    port: u16,
    log: Log,
    trap: Option<Trap>,
    /// What the behaviour's scene wants besides.
    names: Option<NameServer>,
    trust: Option<Folder>,
}

/// Every request, in the order in which they were read.
type Log = Arc<Mutex<Vec<Request>>>;
type Named = HashMap<String, Behaviour>;

impl Server {
    /// Serves one behaviour on a port of its own.
    ///
    /// # Errors
    /// Where the port is taken.
    pub fn of(behaviour: &Behaviour, port: u16) -> io::Result<Self> {
        let scene = &behaviour.scene;
        let mut server = match &behaviour.serve {
            Serve::Exchanges(_) => Self::of_named(std::slice::from_ref(behaviour), scene.listens_on, port)?,
            Serve::Connections(raw) => {
                let raw = raw.clone();
                Self::listen(scene.listens_on, port, move |stream, _| raw(stream))?
            }
        };
        server.names = scene.zone.as_ref().map(|zone| NameServer::start(zone()));
        if scene.secure {
            let folder = Folder::new("hostile");
            fs::write(folder.join(TRUST), certificates::trusted().root.pem())?;
            server.trust = Some(folder);
        }
        Ok(server)
    }

    /// Serves every behaviour that answers requests, each under its name.
    ///
    /// # Errors
    /// Where the port is taken.
    pub fn of_all(behaviours: &[Behaviour], port: u16) -> io::Result<Self> {
        Self::of_named(behaviours, Ipv4Addr::LOCALHOST.into(), port)
    }

    fn of_named(behaviours: &[Behaviour], address: IpAddr, port: u16) -> io::Result<Self> {
        let named: Named =
            behaviours.iter().map(|behaviour| (behaviour.name.clone(), behaviour.clone())).collect();
        Self::listen(address, port, move |stream, log| serve(stream, &named, log))
    }

    fn listen(
        address: IpAddr,
        port: u16,
        connection: impl Fn(TcpStream, &Log) -> io::Result<()> + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let (listener, trap) = Trap::beside(address, port)?;
        let port = listener.local_addr()?.port();
        let log = Log::default();
        let (connection, noted) = (Arc::new(connection), log.clone());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (connection, noted) = (connection.clone(), noted.clone());
                thread::spawn(move || {
                    // A client that has had enough is how most of these end.
                    let _ = connection(stream, &noted);
                });
            }
        });
        Ok(Self { port, log, trap, names: None, trust: None })
    }

    /// Where a behaviour is served.
    #[must_use]
    pub fn url(&self, behaviour: &Behaviour) -> String {
        let scheme = if behaviour.scene.secure { "https" } else { "http" };
        format!("{scheme}://{}:{}/{}", behaviour.scene.host, self.port, behaviour.name)
    }

    /// What the prober must be told to meet it.
    #[must_use]
    pub fn options(&self, behaviour: &Behaviour) -> Vec<String> {
        let mut options = Vec::new();
        if !behaviour.scene.guarded {
            options.push("--allow-private".to_owned());
        }
        if let Some(names) = &self.names {
            options.extend(["--nameserver".to_owned(), names.address().to_string()]);
        }
        if let Some(folder) = &self.trust {
            options.extend(["--trust".to_owned(), folder.join(TRUST).display().to_string()]);
        }
        options
    }

    /// Whether a connection came to where none may go.
    ///
    /// # Errors
    /// Where the system does not say.
    pub fn is_trap_sprung(&self) -> io::Result<bool> {
        self.trap.as_ref().map_or(Ok(false), Trap::is_sprung)
    }

    /// What it was asked so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Request> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn serve(mut stream: TcpStream, named: &Named, log: &Log) -> io::Result<()> {
    stream.set_nodelay(true)?;
    while let Some(request) = Request::read(&mut stream)? {
        let number = {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            log.push(request.clone());
            log.iter().filter(|earlier| earlier.behaviour() == request.behaviour()).count()
        };
        // One behaviour alone has the whole port, documents at the root included.
        let alone = named.values().next().filter(|_| named.len() == 1);
        let act = named.get(request.behaviour()).or(alone).map(|behaviour| behaviour.serve.clone());
        let mut exchange = Exchange::new(request, number, &mut stream);
        match act {
            Some(Serve::Exchanges(act)) => act(&mut exchange)?,
            _ => exchange.answer(404, &[("Content-Type", "text/plain")], "no behaviour of this name")?,
        }
        if exchange.is_closed() {
            return Ok(());
        }
    }
    Ok(())
}
