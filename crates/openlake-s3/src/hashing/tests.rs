//! Digests against one stream alone, and rounds that never wait for a stream that does not come.

use bytes::Bytes;
use futures_util::FutureExt;
use openlake_io::runtime::{run_shard, spawn};

use super::*;

fn alone(data: &[u8]) -> [u8; 16] {
    let mut state = Md5State::new();
    state.update(data);
    state.finish()
}

fn buffer(bytes: usize, fill: u8) -> Buffer {
    Buffer::from(Bytes::from(vec![fill; bytes]))
}

#[test]
fn streams_of_many_connections_get_their_own_digests() {
    let digests = run_shard(None, || async {
        let hasher = Hasher::new();
        spawn(hasher.clone().run()).detach();
        let tasks: Vec<_> = (0..70u32)
            .map(|number| {
                let stream = hasher.stream();
                spawn(async move {
                    for _ in 0..number % 7 {
                        stream.update(buffer(number as usize * 5000, number as u8)).await;
                    }
                    stream.finish().await
                })
            })
            .collect();
        let mut digests = Vec::new();
        for task in tasks {
            digests.push(task.await.expect("no panic"));
        }
        digests
    })
    .expect("a ring");
    for (number, digest) in digests.into_iter().enumerate() {
        let bytes = vec![number as u8; number * 5000 * (number % 7)];
        assert_eq!(digest, alone(&bytes), "stream {number}");
    }
}

#[test]
fn a_stream_that_stands_still_keeps_no_other_one_waiting() {
    run_shard(None, || async {
        let hasher = Hasher::new();
        spawn(hasher.clone().run()).detach();
        let _silent = hasher.stream();
        let started = hasher.stream();
        started.update(buffer(100, 1)).await;
        let stream = hasher.stream();
        for _ in 0..3 * BACKLOG_MAX {
            stream.update(buffer(1000, 2)).await;
        }
        stream.flush().await;
        assert!(stream.inner.pending.borrow().is_empty(), "nothing is held after a flush");
        assert_eq!(stream.finish().await, alone(&vec![2; 3000 * BACKLOG_MAX]));
        assert_eq!(started.finish().await, alone(&[1; 100]));
    })
    .expect("a ring");
}

#[test]
fn a_dropped_stream_leaves_nothing_behind() {
    run_shard(None, || async {
        let hasher = Hasher::new();
        let dropped = hasher.stream();
        assert!(dropped.update(buffer(100, 1)).now_or_never().is_some(), "nothing to wait for");
        assert!(dropped.flush().now_or_never().is_none(), "nobody hashes");
        drop(dropped);
        assert_eq!((hasher.streams.get(), hasher.urgent.get()), (0, 0));
        assert!(hasher.queue.borrow().is_empty());
        spawn(hasher.clone().run()).detach();
        let stream = hasher.stream();
        stream.update(buffer(100, 3)).await;
        assert_eq!(stream.finish().await, alone(&[3; 100]));
    })
    .expect("a ring");
}
