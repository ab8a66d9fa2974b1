//! A stream that counts what it has read, so that "closed without a byte" can be told from "closed half-way", and
//! that stops where more came than any honest answer needs.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Bytes read so far, and how many may be.
#[derive(Debug, Clone)]
pub(super) struct Meter(Arc<Counters>);

#[derive(Debug)]
struct Counters {
    read: AtomicU64,
    /// Of all bytes ever read; nothing more is read beyond.
    allowed: AtomicU64,
}

impl Meter {
    fn new() -> Self {
        Self(Arc::new(Counters { read: AtomicU64::new(0), allowed: AtomicU64::new(u64::MAX) }))
    }

    pub(super) fn read(&self) -> u64 {
        self.0.read.load(Ordering::Relaxed)
    }

    /// From now on this many bytes may be read, and what is in the reader's hands by then.
    pub(super) fn allow(&self, bytes: u64) {
        self.0.allowed.store(self.read().saturating_add(bytes), Ordering::Relaxed);
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
}

impl<S> Metered<S> {
    pub(super) fn new(stream: S) -> (Self, Meter) {
        let meter = Meter::new();
        (Self { stream, meter: meter.clone() }, meter)
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
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
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
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }
}
