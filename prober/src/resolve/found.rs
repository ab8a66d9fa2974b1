//! The addresses of a name, of which one family may come later than the other.

use std::net::IpAddr;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};

/// Addresses that are known, and those that may still come. One lookup, whoever waits for its rest and however often.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// At least one.
    pub(crate) first: Vec<IpAddr>,
    /// The other family's, where it had not answered yet; possibly none.
    pub(crate) late: Option<Shared<BoxFuture<'static, Vec<IpAddr>>>>,
}

impl Found {
    /// Nothing more will come.
    pub(crate) const fn all(first: Vec<IpAddr>) -> Self {
        Self { first, late: None }
    }

    pub(super) fn first(
        first: Vec<IpAddr>,
        late: impl Future<Output = Vec<IpAddr>> + Send + 'static,
    ) -> Self {
        Self { first, late: Some(late.boxed().shared()) }
    }

    /// With what `pick` leaves of each part. Where it leaves nothing of the first, the late ones are waited for.
    pub(crate) async fn only(self, pick: impl Fn(Vec<IpAddr>) -> Vec<IpAddr> + Send + 'static) -> Self {
        let Self { first, late } = self;
        let first = pick(first);
        match late {
            None => Self::all(first),
            Some(late) if first.is_empty() => Self::all(pick(late.await)),
            Some(late) => Self::first(first, late.map(pick)),
        }
    }
}

/// One of each family in turn, IPv6 first (RFC 8305, section 4).
pub(crate) fn interleaved<T: PartialEq>(v6: Vec<T>, v4: Vec<T>) -> Vec<T> {
    let mut mixed = Vec::with_capacity(v6.len() + v4.len());
    let (mut v6, mut v4) = (v6.into_iter(), v4.into_iter());
    loop {
        let pair = [v6.next(), v4.next()];
        if pair == [None, None] {
            return mixed;
        }
        mixed.extend(pair.into_iter().flatten());
    }
}
