//! `aws-chunked` is how a body travels, not how the object is encoded; it is never stored.

/// The Content-Encoding of the object whose upload carried `value`; `None` when nothing remains.
pub fn without_aws_chunked(value: &str) -> Option<String> {
    let codings = value.split(',').map(str::trim);
    let kept: Vec<_> = codings
        .filter(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case("aws-chunked"))
        .collect();
    (!kept.is_empty()).then(|| kept.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn st2_only_the_encoding_of_the_object_remains() {
        assert_eq!(without_aws_chunked("aws-chunked"), None);
        assert_eq!(without_aws_chunked("aws-chunked, gzip").as_deref(), Some("gzip"));
        assert_eq!(without_aws_chunked("gzip,AWS-Chunked,").as_deref(), Some("gzip"));
        assert_eq!(without_aws_chunked("gzip, br").as_deref(), Some("gzip,br"));
    }
}
