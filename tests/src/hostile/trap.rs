//! A listener on another address of this machine that nobody may ever reach: where behaviours lead a probe that follows
//! too far.

use std::io;
use std::net::{IpAddr, Ipv4Addr, TcpListener};

/// Where the trap is: the port of the behaviour, on this address.
pub const ADDRESS: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 9);
/// The path to which behaviours lead on their own address: no request may ever be for it.
pub const ASTRAY: &str = "astray";
/// Ports tried until one is free on both addresses.
const TRIES: usize = 100;

/// The listener.
pub struct Trap(TcpListener);

impl Trap {
    /// A listener for a behaviour, and the trap on the same port; none where a port that was asked for is taken there.
    ///
    /// # Errors
    /// Where the behaviour's port is taken.
    pub fn beside(address: IpAddr, port: u16) -> io::Result<(TcpListener, Option<Self>)> {
        for _ in 0..TRIES {
            let listener = TcpListener::bind((address, port))?;
            match TcpListener::bind((ADDRESS, listener.local_addr()?.port())) {
                Ok(trap) => return Ok((listener, Some(Self(trap)))),
                Err(_) if port != 0 => return Ok((listener, None)),
                Err(_) => {}
            }
        }
        Ok((TcpListener::bind((address, port))?, None))
    }

    /// A connection to a listener that accepts none waits with the system: one look at the end sees all there were.
    ///
    /// # Errors
    /// Where the system does not say.
    pub fn is_sprung(&self) -> io::Result<bool> {
        self.0.set_nonblocking(true)?;
        match self.0.accept() {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;

    use super::*;

    #[test]
    fn one_connection_springs_it() {
        let (listener, trap) = Trap::beside(Ipv4Addr::LOCALHOST.into(), 0).unwrap();
        let trap = trap.expect("a port free on both addresses");
        assert!(!trap.is_sprung().unwrap());
        drop(TcpStream::connect((ADDRESS, listener.local_addr().unwrap().port())).unwrap());
        assert!(trap.is_sprung().unwrap());
    }
}
