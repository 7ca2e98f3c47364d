//! HTTP/1.1 as S3 needs it: heads, bodies, answers, connections, their time limits.

pub mod head_parser;
