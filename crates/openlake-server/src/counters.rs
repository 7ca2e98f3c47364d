//! A shard's figures under their names in `/metrics`; sums over the shards make the server's.

use openlake_store::StoreStats;

pub(crate) type Named = Vec<(&'static str, u64)>;

/// `is_first`: what every shard knows alike is counted by the first only.
pub(crate) fn of_store(stats: &StoreStats, is_first: bool) -> Named {
    let StoreStats {
        objects,
        buckets,
        journal_live_bytes,
        compactions_failed,
        rewriting_old_layout,
        journal,
        blobs,
        cache,
    } = stats;
    vec![
        ("objects", *objects),
        ("buckets", if is_first { *buckets } else { 0 }),
        ("journal_live_bytes", *journal_live_bytes),
        ("journal_compactions_failed_total", *compactions_failed),
        ("journals_of_old_layout", u64::from(*rewriting_old_layout)),
        ("journal_commits_total", journal.commits),
        ("journal_records_total", journal.records),
        ("journal_written_bytes_total", journal.bytes_written),
        ("journal_segments_in_use", journal.segments_in_use),
        ("journal_segments_free", journal.segments_free),
        ("journal_segments_compacted_total", journal.segments_compacted),
        ("journals_poisoned", u64::from(journal.poisoned)),
        ("journals_starved", u64::from(journal.starved)),
        ("blobs_sealed_total", blobs.blobs_sealed),
        ("blobs_sealed_bytes_total", blobs.bytes_sealed),
        ("blob_files_created_total", blobs.files_created),
        ("blob_files_recycled_total", blobs.files_recycled),
        ("blob_files_discarded_total", blobs.files_discarded),
        ("blob_discards_failed_total", blobs.discards_failed),
        ("blob_files_free", blobs.free_files),
        ("blob_files_free_bytes", blobs.free_bytes),
        ("blob_corrupt_total", blobs.corrupt),
        ("cache_hits_total", cache.hits),
        ("cache_misses_total", cache.misses),
        ("cache_insertions_total", cache.insertions),
        ("cache_evictions_total", cache.evictions),
        ("cache_refusals_total", cache.refusals),
        ("cache_entries", cache.entries),
        ("cache_bytes", cache.bytes),
    ]
}
