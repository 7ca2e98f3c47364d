//! Writes the XML documents of the hot verbs. Text is escaped, never replaced: a key comes back as
//! the bytes that were put, or, where XML 1.0 has no way to write them, as a character reference.

/// Of every S3 answer document.
pub const NAMESPACE: &str = "http://s3.amazonaws.com/doc/2006-03-01/";

pub struct XmlWriter {
    text: String,
}

impl XmlWriter {
    /// Starts a document whose root element has the S3 name space.
    pub fn document(root: &str, size_hint_bytes: usize) -> Self {
        let mut text = String::with_capacity(size_hint_bytes);
        text.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<");
        text.push_str(root);
        text.push_str(" xmlns=\"");
        text.push_str(NAMESPACE);
        text.push_str("\">");
        Self { text }
    }

    pub fn open(&mut self, name: &str) {
        self.text.push('<');
        self.text.push_str(name);
        self.text.push('>');
    }

    pub fn close(&mut self, name: &str) {
        self.text.push_str("</");
        self.text.push_str(name);
        self.text.push('>');
    }

    pub fn element(&mut self, name: &str, text: &str) {
        self.open(name);
        push_escaped(&mut self.text, text);
        self.close(name);
    }

    /// Numbers, booleans and other values that need no escaping.
    pub fn value(&mut self, name: &str, value: impl std::fmt::Display) {
        use std::fmt::Write as _;
        self.open(name);
        write!(self.text, "{value}").expect("writing to a String never fails");
        self.close(name);
    }

    pub fn finish(mut self, root: &str) -> String {
        self.close(root);
        self.text
    }
}

fn push_escaped(out: &mut String, text: &str) {
    use std::fmt::Write as _;
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' => out.push(character),
            // A bare CR would be read as LF (XML 1.0 section 2.11). The others have no legal form
            // at all; a reference keeps them apart, and `encoding-type=url` is the way to ask.
            '\0'..='\u{1f}' | '\u{7f}' | '\u{fffe}' | '\u{ffff}' => {
                write!(out, "&#{};", character as u32).expect("writing to a String never fails");
            }
            _ => out.push(character),
        }
    }
}

/// `encoding-type=url`: every byte but the unreserved ones and `/` is percent-encoded.
pub fn url_encoded(text: &str) -> String {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/*".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(char::from(HEX[usize::from(byte >> 4)]));
            out.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ls19_text_is_escaped_and_never_replaced() {
        let mut xml = XmlWriter::document("R", 64);
        xml.element("Key", "a<b>&\"\r\n\u{1}\u{2028}é");
        xml.value("Size", 7);
        let expected = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<R xmlns=\"{NAMESPACE}\">\
             <Key>a&lt;b&gt;&amp;&quot;&#13;\n&#1;\u{2028}é</Key><Size>7</Size></R>"
        );
        assert_eq!(xml.finish("R"), expected);
    }

    #[test]
    fn url_encoding_is_that_of_the_list_answers() {
        // As the public conformance suite expects of a listing with encoding-type=url.
        for (key, expected) in [
            ("foo+1/", "foo%2B1/"),
            ("quux ab/", "quux%20ab/"),
            ("asdf+b", "asdf%2Bb"),
            ("é\n", "%C3%A9%0A"),
        ] {
            assert_eq!(url_encoded(key), expected);
        }
    }
}
