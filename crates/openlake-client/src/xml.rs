//! Just enough XML to read S3's answers: elements and text, entities, no attributes kept.

/// One element with its children, or a leaf with its text.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Element {
    pub name: String,
    pub text: String,
    pub children: Vec<Element>,
}

/// Answers nest four deep; more is not an answer of S3.
const DEPTH_MAX: usize = 16;

impl Element {
    /// Reads a document; `None` if it is not well formed enough to trust.
    pub fn parse(document: &str) -> Option<Self> {
        let mut rest = document.trim();
        // The last element of the stack is the innermost open one; the first holds the root.
        let mut stack = vec![Self::default()];
        while let Some(at) = rest.find('<') {
            stack.last_mut()?.text.push_str(&unescape(&rest[..at])?);
            let (tag, after) = rest[at + 1..].split_once('>')?;
            rest = after;
            if tag.starts_with('?') {
                continue;
            }
            if tag.starts_with('!') {
                return None;
            }
            if let Some(name) = tag.strip_prefix('/') {
                let closed = stack.pop()?;
                if closed.name != name.trim() {
                    return None;
                }
                stack.last_mut()?.children.push(closed);
                continue;
            }
            let alone = tag.ends_with('/');
            let name = tag.trim_end_matches('/').split_ascii_whitespace().next()?;
            let element = Self { name: name.to_owned(), ..Self::default() };
            if alone {
                stack.last_mut()?.children.push(element);
            } else if stack.len() < DEPTH_MAX {
                stack.push(element);
            } else {
                return None;
            }
        }
        let holder = stack.pop()?;
        let complete = stack.is_empty() && rest.trim().is_empty() && holder.children.len() == 1;
        if complete { holder.children.into_iter().next() } else { None }
    }

    pub fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The text of a child; empty if there is none.
    pub fn text_of(&self, name: &str) -> &str {
        self.child(name).map_or("", |child| &child.text)
    }

    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.name == name)
    }
}

fn unescape(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let (entity, after) = rest[at + 1..].split_once(';')?;
        out.push(match entity {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "quot" => '"',
            "apos" => '\'',
            _ => {
                let number = entity.strip_prefix('#')?;
                let code = match number.strip_prefix('x') {
                    Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                    None => number.parse().ok()?,
                };
                char::from_u32(code)?
            }
        });
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

/// Appends `text` as the content of an element.
pub fn escape(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_with_its_entities() {
        let document = "<?xml version=\"1.0\"?>\n<R xmlns=\"http://x/\">\n <K>a&amp;b&#xA;&lt;</K>\
             <K/><P><Q>1</Q></P></R>\n";
        let root = Element::parse(document).expect("well formed");
        assert_eq!(root.name, "R");
        let keys: Vec<_> = root.all("K").map(|key| key.text.as_str()).collect();
        assert_eq!(keys, ["a&b\n<", ""]);
        assert_eq!(root.child("P").map(|p| p.text_of("Q")), Some("1"));
        assert_eq!(root.text_of("none"), "");
    }

    #[test]
    fn what_is_cut_or_strange_is_refused() {
        let deep = "<a>".repeat(40);
        for bad in ["", "<a>", "<a></b>", "<a/><b/>", "<a>&x;</a>", "<!DOCTYPE a><a/>", "x", &deep]
        {
            assert_eq!(Element::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn escaping_is_undone_by_reading() {
        let mut text = "<e>".to_owned();
        escape(&mut text, "a<b>&\"c\"");
        text.push_str("</e>");
        assert_eq!(Element::parse(&text).expect("well formed").text, "a<b>&\"c\"");
    }
}
