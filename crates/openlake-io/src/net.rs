//! Sockets of a shard: a listener that shares its port, whole sends, receives into caller's memory.

use std::io;
use std::net::SocketAddr;

use compio::BufResult;
use compio::buf::{IntoInner, IoBuf, IoBufMut, IoVectoredBuf};
use compio::driver::op::{Recv, RecvFlags, Send, SendFlags, SendVectored};
use compio::runtime::submit;
use compio_driver::ToSharedFd;
use socket2::{Domain, Protocol, Socket, Type};

pub use compio::net::{TcpListener, TcpStream};

const BACKLOG: i32 = 4096;

/// A listening socket. `share_port`: other sockets of this process listen on the same port and the
/// kernel spreads connections over them; without it a port that is in use is an error.
pub fn listen(address: SocketAddr, share_port: bool) -> io::Result<std::net::TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    socket.set_reuse_port(share_port)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
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
