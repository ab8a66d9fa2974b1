//! HTTP/1.1 servers within this process.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpSocket};

/// Connections that may wait to be accepted: more than any run opens at a time.
const BACKLOG: u32 = 4_096;
/// Before the next try to accept, where the machine has no more files.
const PAUSE: Duration = Duration::from_millis(10);

/// A socket on a free port, for connections to this address.
///
/// # Errors
/// Where the machine gives none.
pub fn listener(address: Ipv4Addr) -> io::Result<(TcpListener, u16)> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::from((address, 0)))?;
    let listener = socket.listen(BACKLOG)?;
    let port = listener.local_addr()?.port();
    Ok((listener, port))
}

/// Has `answer` answer every request, as long as the runtime lives.
pub fn serve<F>(listener: TcpListener, answer: impl Fn(Request<Incoming>) -> F + Clone + Send + 'static)
where
    F: Future<Output = Response<Full<Bytes>>> + Send + 'static,
{
    tokio::spawn(async move {
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            let _ = stream.set_nodelay(true);
            let answer = answer.clone();
            let service = service_fn(move |request| {
                let answering = answer(request);
                async move { Ok::<_, Infallible>(answering.await) }
            });
            // A connection that the other side ends is no fault of a server's.
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
}

/// The whole body; empty where the other side broke off.
pub async fn whole(body: Incoming) -> Bytes {
    body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default()
}

/// An answer with a JSON text, or with none.
#[must_use]
pub fn json(status: StatusCode, text: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    let json = hyper::header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(hyper::header::CONTENT_TYPE, json);
    response
}
