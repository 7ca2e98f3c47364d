//! HTTP/1.1 as S3 needs it: heads, bodies, answers, connections.

pub mod answer;
pub mod connection;
pub mod date;
pub mod head_parser;
pub mod request_body;
