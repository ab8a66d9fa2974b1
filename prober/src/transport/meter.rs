//! A stream that counts what it has read, so that "closed without a byte" can be told from "closed half-way"; that
//! stops where more came than any honest answer needs; and that keeps the TLS fault it ended with, of which HTTP/2
//! hands on the words alone.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::connect::raised;
use super::fault;

/// Bytes read so far, and how many may be.
#[derive(Debug, Clone)]
pub(super) struct Meter(Arc<Counters>);

#[derive(Debug)]
struct Counters {
    read: AtomicU64,
    /// Of all bytes ever read; nothing more is read beyond.
    allowed: AtomicU64,
    tls: OnceLock<rustls::Error>,
}

impl Meter {
    fn new() -> Self {
        Self(Arc::new(Counters {
            read: AtomicU64::new(0),
            allowed: AtomicU64::new(u64::MAX),
            tls: OnceLock::new(),
        }))
    }

    pub(super) fn read(&self) -> u64 {
        self.0.read.load(Ordering::Relaxed)
    }

    /// From now on this many bytes may be read, and what is in the reader's hands by then.
    pub(super) fn allow(&self, bytes: u64) {
        self.0.allowed.store(self.read().saturating_add(bytes), Ordering::Relaxed);
    }

    /// The TLS fault that ended the stream.
    pub(super) fn tls_fault(&self) -> Option<&rustls::Error> {
        self.0.tls.get()
    }

    fn note(&self, error: &io::Error) {
        if let Some(tls) = fault::find::<rustls::Error>(error) {
            let _ = self.0.tls.set(tls.clone());
        }
    }

    /// All that may be read was read.
    pub(super) fn is_used_up(&self) -> bool {
        self.read() >= self.0.allowed.load(Ordering::Relaxed)
    }
}

/// The stream under a meter.
pub(super) struct Metered<S> {
    stream: S,
    meter: Meter,
    asked: Arc<AtomicBool>,
    /// A write that failed, while we still look for the reason.
    failed: Option<io::Error>,
}

impl<S> Metered<S> {
    pub(super) fn new(stream: S) -> (Self, Meter) {
        Self::secured(stream, Arc::default())
    }

    /// A stream over TLS, with the flag that is raised where the server asked for a client certificate.
    pub(super) fn secured(stream: S, asked: Arc<AtomicBool>) -> (Self, Meter) {
        let meter = Meter::new();
        (Self { stream, meter: meter.clone(), asked, failed: None }, meter)
    }
}

impl<S: AsyncRead + Unpin> Metered<S> {
    /// Where we have no certificate to show, a server says so in an alert and closes, and our next bytes meet a closed
    /// door before we have read why. What it said is still there: it is read before the write is called failed.
    fn unless_failed<T>(&mut self, cx: &mut Context<'_>, wrote: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        let Poll::Ready(Err(error)) = wrote else {
            return wrote;
        };
        let mut bytes = [0; 256];
        if raised(&self.asked) {
            match Pin::new(&mut self.stream).poll_read(cx, &mut ReadBuf::new(&mut bytes)) {
                Poll::Pending => {
                    self.failed = Some(error);
                    return Poll::Pending;
                }
                Poll::Ready(Err(alert)) => self.meter.note(&alert),
                Poll::Ready(Ok(())) => {}
            }
        }
        Poll::Ready(Err(error))
    }

    /// The write that failed, once more looked at; else what `write` does.
    fn written<T>(
        &mut self,
        cx: &mut Context<'_>,
        write: impl FnOnce(&mut S, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let wrote = match self.failed.take() {
            Some(error) => Poll::Ready(Err(error)),
            None => write(&mut self.stream, cx),
        };
        self.unless_failed(cx, wrote)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.meter.is_used_up() {
            return Poll::Ready(Err(io::ErrorKind::QuotaExceeded.into()));
        }
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(cx, buffer);
        let read = buffer.filled().len().saturating_sub(before);
        self.meter.0.read.fetch_add(read as u64, Ordering::Relaxed);
        if let Poll::Ready(Err(error)) = &polled {
            self.meter.note(error);
        }
        polled
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.written(cx, |stream, cx| Pin::new(stream).poll_write(cx, bytes))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.written(cx, |stream, cx| Pin::new(stream).poll_flush(cx))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.written(cx, |stream, cx| Pin::new(stream).poll_write_vectored(cx, slices))
    }
}
