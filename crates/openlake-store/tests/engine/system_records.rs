//! Records of the control plane are as durable as objects.

use bytes::Bytes;

use crate::support::{Directory, live};

#[test]
fn they_survive_crashes_and_changes_of_the_number_of_shards() {
    let directory = Directory::new();
    let disk = directory.fault_disk();
    let value = |text: &'static str| Bytes::from_static(text.as_bytes());
    live(directory.config(2), disk.clone(), async |stores| {
        let store = &stores[1];
        store.put_system_record("user", "bob", value("1")).await.unwrap();
        store.put_system_record("user", "alice", value("2")).await.unwrap();
        store.put_system_record("user", "alice", value("3")).await.unwrap();
        store.put_system_record("policy", "alice", value("4")).await.unwrap();
        store.put_system_record("user", "carol", value("5")).await.unwrap();
        assert!(store.delete_system_record("user", "carol").await.unwrap());
        assert!(!store.delete_system_record("user", "carol").await.unwrap());
    });
    let disk = disk.crash(1);
    live(directory.config(3), disk, async |stores| {
        for store in &stores {
            let users = store.list_system_records("user").await.unwrap();
            let want = [("alice".to_owned(), value("3")), ("bob".to_owned(), value("1"))];
            assert_eq!(users, want);
            assert_eq!(store.list_system_records("use").await.unwrap(), []);
        }
    });
}
