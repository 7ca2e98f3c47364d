//! What a shard counts, and the copy of it that may leave the shard.

use std::cell::Cell;

use crate::router::{HotVerb, Route};

#[derive(Default)]
pub(crate) struct Counter(Cell<u64>);

impl Counter {
    pub fn add(&self, count: u64) {
        self.0.set(self.0.get() + count);
    }
}

#[derive(Default)]
pub(crate) struct Counters {
    pub connections: Counter,
    pub requests_hot: [Counter; HotVerb::ALL.len()],
    pub requests_control: Counter,
    pub answers_client_error: Counter,
    pub answers_server_error: Counter,
    pub received_bytes: Counter,
    pub sent_bytes: Counter,
    pub cut_answers: Counter,
}

impl Counters {
    pub fn routed(&self, route: Route) {
        match route {
            Route::Hot(verb) => self.requests_hot[verb as usize].add(1),
            Route::Control => self.requests_control.add(1),
        }
    }

    pub fn answered(&self, status: u16) {
        match status {
            400..500 => self.answers_client_error.add(1),
            500.. => self.answers_server_error.add(1),
            _ => {}
        }
    }

    pub fn snapshot(&self, open_connections: u64) -> ServiceMetrics {
        let mut named = vec![
            ("connections_open", open_connections),
            ("connections_accepted_total", self.connections.0.get()),
            ("requests_control_total", self.requests_control.0.get()),
            ("answers_client_error_total", self.answers_client_error.0.get()),
            ("answers_server_error_total", self.answers_server_error.0.get()),
            ("answers_cut_total", self.cut_answers.0.get()),
            ("body_received_bytes_total", self.received_bytes.0.get()),
            ("body_sent_bytes_total", self.sent_bytes.0.get()),
        ];
        for verb in HotVerb::ALL {
            named.push((metric_name(verb), self.requests_hot[verb as usize].0.get()));
        }
        ServiceMetrics { named }
    }
}

const fn metric_name(verb: HotVerb) -> &'static str {
    match verb {
        HotVerb::GetObject => "requests_get_object_total",
        HotVerb::HeadObject => "requests_head_object_total",
        HotVerb::PutObject => "requests_put_object_total",
        HotVerb::DeleteObject => "requests_delete_object_total",
        HotVerb::UploadPart => "requests_upload_part_total",
        HotVerb::ListObjects => "requests_list_objects_total",
        HotVerb::ListObjectsV2 => "requests_list_objects_v2_total",
    }
}

/// One shard's counters at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServiceMetrics {
    named: Vec<(&'static str, u64)>,
}

impl ServiceMetrics {
    /// Names as Prometheus writes them, without the prefix of the program.
    pub fn named(&self) -> Vec<(&'static str, u64)> {
        self.named.clone()
    }
}
