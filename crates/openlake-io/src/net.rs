//! Sockets of a shard: a listener that shares its port, whole sends, receives into caller's memory.

use std::io;
use std::net::SocketAddr;

use compio::buf::{IoBufMut, IoVectoredBuf};
use compio::driver::op::{Recv, RecvFlags, Send, SendFlags, SendVectored};
use compio::runtime::submit;
use compio_driver::ToSharedFd;
use socket2::{Domain, Protocol, Socket, Type};

pub use compio::BufResult;
pub use compio::buf::{IntoInner, IoBuf};
pub use compio::net::{TcpListener, TcpStream};

const BACKLOG: i32 = 4096;

/// `count` sockets that listen on one address, over which the kernel spreads connections.
/// The first is bound while it still refuses to share, so a port that anyone else listens on, even
/// with SO_REUSEPORT, is an error and never silently shared.
pub fn listen(address: SocketAddr, count: usize) -> io::Result<Vec<std::net::TcpListener>> {
    assert!(count > 0, "somebody has to listen");
    let first = socket(address)?;
    first.bind(&address.into())?;
    first.set_reuse_port(true)?;
    let bound = first.local_addr()?;
    let mut sockets = vec![first];
    for _ in 1..count {
        let next = socket(address)?;
        next.set_reuse_port(true)?;
        next.bind(&bound)?;
        sockets.push(next);
    }
    for socket in &sockets {
        socket.listen(BACKLOG)?;
    }
    Ok(sockets.into_iter().map(Into::into).collect())
}

fn socket(address: SocketAddr) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    Ok(socket)
}

/// Sends the whole buffer: with `MSG_WAITALL` the kernel goes on after short sends.
pub async fn send_all<B: IoBuf>(stream: &TcpStream, buffer: B) -> io::Result<B> {
    let want = buffer.buf_len();
    let flags =
        SendFlags::from_bits_retain((libc::MSG_NOSIGNAL | libc::MSG_WAITALL).cast_unsigned());
    let BufResult(result, operation) =
        submit(Send::new(stream.to_shared_fd(), buffer, flags)).await;
    if result? != want {
        return Err(io::ErrorKind::WriteZero.into());
    }
    Ok(operation.into_inner())
}

/// Sends all buffers, in order, as one.
pub async fn send_all_vectored<B: IoVectoredBuf>(stream: &TcpStream, buffers: B) -> io::Result<B> {
    let want = buffers.total_len();
    let flags =
        SendFlags::from_bits_retain((libc::MSG_NOSIGNAL | libc::MSG_WAITALL).cast_unsigned());
    let operation = SendVectored::new(stream.to_shared_fd(), buffers, flags);
    let BufResult(result, operation) = submit(operation).await;
    if result? != want {
        return Err(io::ErrorKind::WriteZero.into());
    }
    Ok(operation.into_inner())
}

/// Receives into the buffer, from its first byte (give a slice to receive further on). With `all`
/// it completes when the buffer is full or the stream ends, else with what is there; 0: the end.
pub async fn receive<B: IoBufMut>(stream: &TcpStream, buffer: B, all: bool) -> BufResult<usize, B> {
    let flags = if all { libc::MSG_WAITALL } else { 0 };
    let flags = RecvFlags::from_bits_retain(flags.cast_unsigned());
    let BufResult(result, operation) =
        submit(Recv::new(stream.to_shared_fd(), buffer, flags)).await;
    BufResult(result, operation.into_inner())
}

#[cfg(test)]
mod tests {
    use std::future::Future;

    use super::*;

    #[test]
    fn the_sockets_of_one_call_share_a_port_and_nobody_else_does() {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let sockets = listen(any, 3).expect("a free port");
        let address = sockets[0].local_addr().expect("bound");
        assert!(sockets.iter().all(|socket| socket.local_addr().expect("bound") == address));
        let taken = listen(address, 2).expect_err("it is in use");
        assert_eq!(taken.kind(), io::ErrorKind::AddrInUse);
        drop(sockets);
        listen(address, 1).expect("free again");
    }

    #[test]
    fn bytes_arrive_whole_and_in_order() {
        crate::runtime::run_shard(None, || async {
            let sockets = listen(SocketAddr::from(([127, 0, 0, 1], 0)), 1).expect("a free port");
            let listener =
                TcpListener::from_std(sockets.into_iter().next().expect("one")).expect("a socket");
            let address = listener.local_addr().expect("bound");
            let content: Vec<u8> = (0..3_000_000u32).map(|number| number as u8).collect();
            let expected = content.clone();
            let sender = crate::runtime::spawn(async move {
                let stream = TcpStream::connect(address).await.expect("connected");
                let (head, tail) = (content[..10].to_vec(), content[10..].to_vec());
                send_all_vectored(&stream, [head, tail]).await.expect("sent");
            });
            let (stream, _) = listener.accept().await.expect("accepted");
            let space = Vec::with_capacity(expected.len());
            let BufResult(count, received) = receive(&stream, space, true).await;
            assert_eq!(count.expect("received"), expected.len());
            let mut received = received;
            // SAFETY: the kernel filled `count` bytes, which is the capacity.
            unsafe { received.set_len(expected.len()) };
            assert_eq!(received, expected);
            let BufResult(end, _) = receive(&stream, Vec::with_capacity(1), false).await;
            assert_eq!(end.expect("the end"), 0);
            sender.await.expect("the sender ends well");
        })
        .expect("a ring");
    }

    /// As for drives: the kernel may still write to memory that nobody waits for any more.
    #[test]
    fn a_buffer_outlives_its_cancelled_receive() {
        use crate::buffer::{BufferConfig, Buffers};
        crate::runtime::run_shard(None, || async {
            let config = BufferConfig { large_count: 1, small_count: 1 };
            let buffers = Buffers::new(config).expect("small arenas");
            let mut sockets = listen(SocketAddr::from(([127, 0, 0, 1], 0)), 1).expect("a port");
            let listener = TcpListener::from_std(sockets.remove(0)).expect("a socket");
            let address = listener.local_addr().expect("bound");
            let sender = TcpStream::connect(address).await.expect("connected");
            let (stream, _) = listener.accept().await.expect("accepted");
            {
                let mut waiting = std::pin::pin!(receive(&stream, buffers.small().await, false));
                let mut context = std::task::Context::from_waker(std::task::Waker::noop());
                assert!(waiting.as_mut().poll(&mut context).is_pending());
            }
            assert_eq!(buffers.stats().small_free, 0, "the operation holds it");
            let mut again = buffers.small().await;
            again.as_mut_slice().fill(7);
            send_all(&sender, vec![1; 4096]).await.expect("sent");
            assert!(again.as_mut_slice().iter().all(|byte| *byte == 7));
        })
        .expect("a ring");
    }
}
