//! Ring operations that compio does not ship, written against its public `OpCode`.

use std::os::fd::{AsFd, AsRawFd};

use compio::buf::{IntoInner, IoBuf};
use compio::driver::{OpCode, OpEntry};
use io_uring::opcode;
use io_uring::types::Fd;

/// `pwrite` with `RWF_*` flags in one submission.
pub(super) struct WriteFlags<B, S> {
    pub file: S,
    pub offset: u64,
    pub buffer: B,
    pub flags: i32,
}

// SAFETY: the submission points into `buffer`, which this struct owns until completion.
unsafe impl<B: IoBuf, S: AsFd> OpCode for WriteFlags<B, S> {
    type Control = ();

    fn create_entry(&mut self, (): &mut ()) -> OpEntry {
        let bytes = self.buffer.as_init();
        let file = Fd(self.file.as_fd().as_raw_fd());
        opcode::Write::new(file, bytes.as_ptr(), bytes.len() as u32)
            .offset(self.offset)
            .rw_flags(self.flags)
            .build()
            .into()
    }
}

impl<B, S> IntoInner for WriteFlags<B, S> {
    type Inner = B;

    fn into_inner(self) -> B {
        self.buffer
    }
}

/// `fallocate` with mode 0: space is reserved and the size grows.
pub(super) struct Fallocate<S> {
    pub file: S,
    pub offset: u64,
    pub len: u64,
}

// SAFETY: no memory is referenced.
unsafe impl<S: AsFd> OpCode for Fallocate<S> {
    type Control = ();

    fn create_entry(&mut self, (): &mut ()) -> OpEntry {
        opcode::Fallocate::new(Fd(self.file.as_fd().as_raw_fd()), self.len)
            .offset(self.offset)
            .build()
            .into()
    }
}
