//! A data directory is used by one server, of one deployment, in a format that it knows.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use openlake_store::{Deployment, OpenError};

use crate::support::Directory;

fn open(directory: &Directory) -> Result<(), OpenError> {
    Deployment::open(directory.config(1)).map(drop)
}

#[test]
fn the_identity_is_made_once_and_kept() {
    let directory = Directory::new();
    let first = Deployment::open(directory.config(1)).unwrap().id();
    assert_eq!(Deployment::open(directory.config(4)).unwrap().id(), first);
    let other = Directory::new();
    assert_ne!(Deployment::open(other.config(1)).unwrap().id(), first);
}

#[test]
fn a_second_server_is_refused_while_the_first_runs() {
    let directory = Directory::new();
    let first = Deployment::open(directory.config(1)).unwrap();
    assert!(matches!(open(&directory), Err(OpenError::InUse { .. })));
    drop(first);
    open(&directory).unwrap();
}

#[test]
fn what_is_not_ours_is_left_alone() {
    let directory = Directory::new();
    fs::write(directory.path().join("thesis.txt"), "precious").unwrap();
    assert!(matches!(open(&directory), Err(OpenError::Foreign { .. })));
    assert!(!directory.path().join("identity").exists());

    let directory = Directory::new();
    fs::create_dir(directory.path().join("journal")).unwrap();
    assert!(matches!(open(&directory), Err(OpenError::Corrupt { .. })));

    let directory = Directory::new();
    fs::write(directory.path().join("identity"), "something else entirely").unwrap();
    assert!(matches!(open(&directory), Err(OpenError::Foreign { .. })));
}

#[test]
fn a_newer_format_and_a_damaged_identity_are_named() {
    let directory = Directory::new();
    open(&directory).unwrap();
    let path = directory.path().join("identity");
    let good = fs::read(&path).unwrap();
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1;
        fs::write(&path, &bad).unwrap();
        match (at, open(&directory)) {
            (0..8, Err(OpenError::Foreign { .. }))
            | (8..10, Err(OpenError::NewerFormat { .. }))
            | (10.., Err(OpenError::Corrupt { .. })) => {}
            (_, result) => panic!("byte {at}: {:?}", result.err()),
        }
    }
    fs::write(&path, &good).unwrap();
    open(&directory).unwrap();
}

#[test]
fn a_file_in_place_of_the_directory_is_told() {
    let directory = Directory::new();
    let path = directory.path().join("file");
    fs::write(&path, "").unwrap();
    let mut config = directory.config(1);
    config.data_dir = path;
    let result = Deployment::open(config).map(drop);
    assert!(matches!(result, Err(OpenError::Directory { .. })));
    let mode = fs::metadata(directory.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o400, 0o400);
}

#[test]
fn limits_of_the_configuration_are_checked() {
    let directory = Directory::new();
    let refused = |config| matches!(Deployment::open(config), Err(OpenError::Config { .. }));
    for shards in [0, 257] {
        assert!(refused(directory.config(shards)), "{shards}");
    }
    for bytes in [0, 4096, (4 << 20) + 1, 2 << 30] {
        let mut config = directory.config(1);
        config.journal_segment_bytes = bytes;
        assert!(refused(config), "{bytes}");
    }
    let mut config = directory.config(1);
    config.inline_bytes_max = 65_537;
    assert!(refused(config));
}
