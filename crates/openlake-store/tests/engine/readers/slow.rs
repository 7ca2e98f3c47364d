//! SEC31: readers whose clients stand still leave buffers to others.

use openlake_io::{BufferConfig, Buffers, LARGE_BYTES};
use openlake_store::GetObject;
use openlake_types::ByteRange;

use crate::support::{Directory, bucket, content, create_bucket, get, key, open_with, put, run};

const LARGE_COUNT: usize = 64;

#[test]
fn stalled_readers_leave_buffers_to_a_writer() {
    let directory = Directory::new();
    let config = openlake_store::StoreConfig { cache_bytes: 0, ..directory.config(1) };
    let disk = directory.fault_disk();
    run(async move {
        let sizes = BufferConfig { large_count: LARGE_COUNT, small_count: LARGE_COUNT };
        let buffers = Buffers::new(sizes).unwrap();
        let store = open_with(config, disk, buffers.clone()).await.unwrap().remove(0);
        create_bucket(&store).await;
        let bytes = content(1, 8 * LARGE_BYTES);
        put(&store, "read", &bytes).await.unwrap();
        let handle =
            store.get_object(GetObject { bucket: bucket(), key: key("read") }).await.unwrap();
        let mut stalled = Vec::new();
        // Each with one piece at its client: 14 at full depth take 56 of 64, four more one each.
        for _ in 0..18 {
            let mut reader = handle.body(ByteRange { start: 0, end: handle.info.size });
            let first = reader.next().await.unwrap().unwrap();
            assert_eq!(first[..], bytes[..LARGE_BYTES]);
            stalled.push((reader, first));
        }
        // At a depth of one from the start, 46 would be free.
        assert!((2..16).contains(&buffers.stats().large_free), "{:?}", buffers.stats());
        let written = content(2, 3 * LARGE_BYTES);
        put(&store, "written", &written).await.unwrap();
        assert_eq!(get(&store, "written").await.unwrap(), written);
        drop(stalled);
    });
}
