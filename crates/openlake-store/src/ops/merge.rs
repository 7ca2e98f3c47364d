//! One page from the ordered halves of all shards: each gives a share and a little more, and is
//! asked again only when its share is used up.

use std::collections::VecDeque;
use std::future::Future;

use bytes::Bytes;
use futures_util::future::try_join_all;
use openlake_types::ShardIndex;

use crate::error::StoreError;

/// One line of a listing: an item of one key, or all keys with a common prefix.
pub trait Line: Clone {
    type Position: Clone;

    /// Lines of all shards are ordered by this. A common prefix may come from several shards.
    fn order(&self) -> (&[u8], u128);
    fn common_prefix(&self) -> Option<&Bytes>;
    /// What a page that ends with this line goes on after.
    fn position(&self) -> Self::Position;
}

/// What one shard has after a position.
pub struct Slice<L> {
    pub lines: Vec<L>,
    /// There is nothing after these.
    pub is_last: bool,
}

struct Source<L: Line> {
    shard: ShardIndex,
    lines: VecDeque<L>,
    is_last: bool,
    after: Option<L::Position>,
}

/// Lines that a shard is asked for beyond its even share.
const SHARE_EXTRA: usize = 16;

/// Up to `count` lines after a position, and whether there are more.
pub async fn merge<L: Line, F: Future<Output = Result<Slice<L>, StoreError>>>(
    shards: impl Iterator<Item = ShardIndex>,
    after: Option<L::Position>,
    count: usize,
    fetch: impl Fn(ShardIndex, Option<L::Position>, usize) -> F,
) -> Result<(Vec<L>, bool), StoreError> {
    let start =
        |shard| Source { shard, lines: VecDeque::new(), is_last: false, after: after.clone() };
    let mut sources: Vec<Source<L>> = shards.map(start).collect();
    let share = count.div_ceil(sources.len()) + SHARE_EXTRA;
    let mut page: Vec<L> = Vec::new();
    loop {
        refill(&mut sources, share, &fetch).await?;
        let heads = sources.iter_mut().filter(|source| !source.lines.is_empty());
        let first = heads.min_by(|a, b| a.lines[0].order().cmp(&b.lines[0].order()));
        let Some(line) = first.and_then(|source| source.lines.pop_front()) else {
            return Ok((page, false));
        };
        let seen = page.last().and_then(Line::common_prefix);
        if seen.is_some() && seen == line.common_prefix() {
            continue;
        }
        if page.len() == count {
            return Ok((page, true));
        }
        page.push(line);
    }
}

async fn refill<L: Line, F: Future<Output = Result<Slice<L>, StoreError>>>(
    sources: &mut [Source<L>],
    share: usize,
    fetch: &impl Fn(ShardIndex, Option<L::Position>, usize) -> F,
) -> Result<(), StoreError> {
    let dry = sources.iter_mut().filter(|source| source.lines.is_empty() && !source.is_last);
    let fetched = dry.map(|source| async move {
        let slice = fetch(source.shard, source.after.clone(), share).await?;
        source.is_last = slice.is_last;
        source.after = slice.lines.last().map(Line::position).or(source.after.take());
        source.lines = slice.lines.into();
        Ok(())
    });
    try_join_all(fetched).await.map(drop)
}

/// The smallest bytes that no key with this prefix reaches; none when there is no such.
pub fn after_prefix(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte < u8::MAX)?;
    let mut bound = prefix[..=last].to_vec();
    bound[last] += 1;
    Some(bound)
}

/// The part of the key up to the first delimiter after the prefix.
pub fn common_prefix<'a>(
    key: &'a [u8],
    prefix: &[u8],
    delimiter: Option<&Bytes>,
) -> Option<&'a [u8]> {
    let delimiter = delimiter?;
    let rest = &key[prefix.len()..];
    let at = rest.windows(delimiter.len()).position(|window| window == &delimiter[..])?;
    Some(&key[..prefix.len() + at + delimiter.len()])
}
