//! CN5: bytes that went bad on the drive never reach a client as if they were good.

use std::fs::{File, read_dir};
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::harness::TestServer;
use crate::life::pattern;

const SIZE: usize = 6 << 20;

/// Flips one bit of the only blob that has `expected` at its start.
fn damage(directory: &Path, expected: &[u8], at: u64) {
    let mut damaged = 0;
    for folder in read_dir(directory.join("blobs")).expect("a large object was put").flatten() {
        let Ok(files) = read_dir(folder.path()) else { continue };
        for file in files.flatten() {
            let file = File::options().read(true).write(true).open(file.path()).expect("ours");
            let mut start = vec![0; 64];
            let is_it = file.read_exact_at(&mut start, 0).is_ok() && start == expected[..64];
            if is_it {
                let mut byte = [0];
                file.read_exact_at(&mut byte, at).expect("inside the object");
                file.write_all_at(&[byte[0] ^ 1], at).expect("writable");
                damaged += 1;
            }
        }
    }
    assert_eq!(damaged, 1, "the object is one blob, its payload at the start");
}

#[test]
fn cn5_damage_in_the_middle_cuts_the_answer() {
    let server = TestServer::start();
    let body = pattern(SIZE, 1);
    assert_eq!(server.client().put("/bucket/k", &body).status, 200);
    let at = SIZE as u64 - 100_000;
    let server = server.restart_after(|directory| damage(directory, &body, at));
    let mut client = server.client();
    let cut = client.get("/bucket/k");
    assert_eq!(cut.header("content-length"), Some(SIZE.to_string().as_str()));
    assert!(cut.body.len() < SIZE && cut.body == body[..cut.body.len()], "a true beginning");
    assert!(client.is_closed());
    assert_eq!(server.counter("answers_cut_total"), 1);
}

#[test]
fn damage_at_the_start_is_an_error_document() {
    let server = TestServer::start();
    let body = pattern(SIZE, 2);
    assert_eq!(server.client().put("/bucket/k", &body).status, 200);
    let server = server.restart_after(|directory| damage(directory, &body, 5000));
    let mut client = server.client();
    assert_eq!(client.get("/bucket/k").refusal(), (500, "InternalError".to_owned()));
    let undamaged =
        crate::client::Request::get("/bucket/k").header("range", "bytes=2000000-2999999");
    assert!(client.call(&undamaged).body == body[2_000_000..3_000_000], "the rest can be read");
}
