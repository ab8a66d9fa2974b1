//! A DNS server on loopback, over UDP and TCP, that answers by a table and keeps what it was asked.
//!
//! Names of the table stand for what a recursive resolver would say of them. The root is alive unless the table says
//! otherwise; every other name that is not in the table does not exist.

mod zone;

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use hickory_proto::op::Message;

pub use hickory_proto::rr::RecordType;
pub use zone::{Answer, Question, ResponseCode, Zone};

/// The largest UDP question read.
const QUESTION_BYTES: usize = 4_096;
/// Ports tried until one is free for both transports.
const TRIES: usize = 100;

/// A running server. Its threads end with the test program.
pub struct NameServer {
    address: SocketAddr,
    asked: Arc<Asked>,
}

/// The table, and every question that came.
struct Asked {
    zone: Zone,
    questions: Mutex<Vec<Question>>,
}

impl NameServer {
    /// Serves the table on a free port of 127.0.0.1.
    ///
    /// # Panics
    /// Where no port can be had.
    #[must_use]
    pub fn start(zone: Zone) -> Self {
        let (udp, tcp, address) =
            (0..TRIES).find_map(|_| sockets().ok()).expect("a port free for UDP and TCP");
        let asked = Arc::new(Asked { zone, questions: Mutex::default() });
        let (by_udp, by_tcp) = (asked.clone(), asked.clone());
        thread::spawn(move || serve_udp(&udp, &by_udp));
        thread::spawn(move || serve_tcp(&tcp, &by_tcp));
        Self { address, asked }
    }

    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Every question for this name so far, in the order they came.
    #[must_use]
    pub fn asked(&self, name: &str) -> Vec<Question> {
        let all = self.asked.questions();
        all.iter().filter(|question| question.name == name).cloned().collect()
    }
}

impl Asked {
    fn questions(&self) -> std::sync::MutexGuard<'_, Vec<Question>> {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the question and gives the answer's bytes; None for no answer.
    fn answer(&self, bytes: &[u8], tcp: bool) -> Option<Vec<u8>> {
        let message = Message::from_vec(bytes).ok()?;
        let query = message.queries.first()?;
        let question = {
            let mut all = self.questions();
            let (name, kind) = (zone::text(query.name()), query.query_type());
            let number =
                1 + all.iter().filter(|earlier| earlier.name == name && earlier.kind == kind).count();
            all.push(Question { name, kind, tcp, number });
            all.last()?.clone()
        };
        self.zone.answer(&message, query, &question)
    }
}

fn sockets() -> io::Result<(UdpSocket, TcpListener, SocketAddr)> {
    let udp = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = udp.local_addr()?;
    Ok((udp, TcpListener::bind(address)?, address))
}

fn serve_udp(socket: &UdpSocket, asked: &Arc<Asked>) {
    let mut bytes = [0; QUESTION_BYTES];
    while let Ok((length, from)) = socket.recv_from(&mut bytes) {
        let question = bytes[..length].to_vec();
        let (Ok(socket), asked) = (socket.try_clone(), asked.clone()) else { return };
        // A slow answer holds up no other.
        thread::spawn(move || {
            if let Some(answer) = asked.answer(&question, false) {
                let _ = socket.send_to(&answer, from);
            }
        });
    }
}

fn serve_tcp(listener: &TcpListener, asked: &Arc<Asked>) {
    for stream in listener.incoming().flatten() {
        let asked = asked.clone();
        thread::spawn(move || drop(converse(stream, &asked)));
    }
}

/// Questions and answers with their lengths in front (RFC 1035, section 4.2.2).
fn converse(mut stream: TcpStream, asked: &Asked) -> io::Result<()> {
    loop {
        let mut length = [0; 2];
        stream.read_exact(&mut length)?;
        let mut question = vec![0; usize::from(u16::from_be_bytes(length))];
        stream.read_exact(&mut question)?;
        if let Some(answer) = asked.answer(&question, true) {
            let length = u16::try_from(answer.len()).map_err(io::Error::other)?;
            stream.write_all(&length.to_be_bytes())?;
            stream.write_all(&answer)?;
        }
    }
}
