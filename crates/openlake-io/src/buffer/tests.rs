use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Wake, Waker};

use super::*;

/// A task that counts how often it is woken.
#[derive(Default)]
struct Counted(AtomicUsize);

impl Wake for Counted {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Counted {
    fn wakes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

fn buffers() -> Buffers {
    Buffers::new(BufferConfig { large_count: 2, small_count: 4 }).expect("small arenas")
}

#[test]
fn a_slot_returns_when_its_last_view_drops() {
    let buffers = buffers();
    let mut filling = buffers.try_large().expect("two are free");
    assert_eq!(filling.append(b"hello"), 5);
    let whole = filling.freeze();
    let part = whole.view(1..3);
    drop(whole);
    assert_eq!(buffers.stats().large_free, 1);
    assert_eq!(&*part, b"el");
    drop(part);
    assert_eq!(buffers.stats().large_free, 2);
}

#[test]
fn slots_are_page_aligned_and_padded_with_zeros() {
    let buffers = buffers();
    let mut first = buffers.try_small().expect("free");
    first.as_mut_slice().fill(7);
    first.set_filled(5);
    first.pad_to(4096);
    assert_eq!(first.len(), 4096);
    assert!(first.filled()[5..].iter().all(|byte| *byte == 0));
    assert_eq!(first.filled().as_ptr() as usize % 4096, 0);
}

#[test]
fn waiters_on_other_threads_are_woken_in_turn() {
    let buffers = buffers();
    let held: Vec<_> = (0..2).map(|_| buffers.try_large().expect("free")).collect();
    assert!(buffers.try_large().is_none());
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let buffers = buffers.clone();
            std::thread::spawn(move || {
                for _ in 0..200 {
                    drop(futures_util::FutureExt::now_or_never(buffers.large()));
                    compio::runtime::Runtime::new()
                        .expect("a ring")
                        .block_on(async { drop(buffers.large().await) });
                }
            })
        })
        .collect();
    drop(held);
    for thread in threads {
        thread.join().expect("no thread is left waiting");
    }
    assert_eq!(buffers.stats().large_free, 2);
}

#[test]
fn heap_bytes_are_buffers_too() {
    let buffer = Buffer::from(bytes::Bytes::from_static(b"inline"));
    assert_eq!(&*buffer.view(2..4), b"li");
    assert_eq!(buffer.view(2..4).into_bytes(), &b"li"[..]);
}

#[test]
fn prefaulted_slots_are_memory_and_still_free() {
    let buffers = Buffers::new(BufferConfig { large_count: 8, small_count: 1 }).expect("small");
    buffers.prefault(u64::MAX);
    assert_eq!(buffers.stats().large_free, 8);
    let slot = buffers.try_large().expect("free").freeze().extended_to(LARGE_BYTES);
    let mut resident = [0u8; LARGE_BYTES / 4096];
    let start = slot.as_ptr().cast_mut().cast();
    // SAFETY: the slot is mapped and the vector has one byte a page of it (mincore(2)).
    assert_eq!(unsafe { libc::mincore(start, LARGE_BYTES, resident.as_mut_ptr()) }, 0);
    assert!(resident.iter().all(|page| page & 1 == 1));
}

#[test]
fn a_waiter_woken_in_vain_wakes_nobody() {
    let buffers = Buffers::new(BufferConfig { large_count: 1, small_count: 1 }).expect("small");
    let held = buffers.try_large().expect("free");
    let [first, second] = [Arc::new(Counted::default()), Arc::new(Counted::default())];
    let [first_waker, second_waker] = [&first, &second].map(|task| Waker::from(task.clone()));
    let (mut first_take, mut second_take) = (pin!(buffers.large()), pin!(buffers.large()));
    assert!(first_take.as_mut().poll(&mut Context::from_waker(&first_waker)).is_pending());
    assert!(second_take.as_mut().poll(&mut Context::from_waker(&second_waker)).is_pending());
    drop(held);
    assert_eq!((first.wakes(), second.wakes()), (1, 0));
    let overtaker = buffers.try_large().expect("it came back");
    assert!(first_take.as_mut().poll(&mut Context::from_waker(&first_waker)).is_pending());
    assert_eq!((first.wakes(), second.wakes()), (1, 0), "nothing came back");
    drop(overtaker);
    assert_eq!((first.wakes(), second.wakes()), (1, 1), "now it is the second's turn");
    let got = second_take.as_mut().poll(&mut Context::from_waker(&second_waker));
    assert!(got.is_ready());
    drop(got);
    assert_eq!((first.wakes(), second.wakes()), (2, 1));
}

#[test]
fn a_waiter_that_gives_up_after_it_was_woken_passes_the_slot_on() {
    let buffers = Buffers::new(BufferConfig { large_count: 1, small_count: 1 }).expect("small");
    let held = buffers.try_large().expect("free");
    let [first, second] = [Arc::new(Counted::default()), Arc::new(Counted::default())];
    let [first_waker, second_waker] = [&first, &second].map(|task| Waker::from(task.clone()));
    let mut first_take = Box::pin(buffers.large());
    let mut second_take = pin!(buffers.large());
    assert!(first_take.as_mut().poll(&mut Context::from_waker(&first_waker)).is_pending());
    assert!(second_take.as_mut().poll(&mut Context::from_waker(&second_waker)).is_pending());
    drop(held);
    drop(first_take);
    assert_eq!((first.wakes(), second.wakes()), (1, 1));
    assert!(second_take.as_mut().poll(&mut Context::from_waker(&second_waker)).is_ready());
}
