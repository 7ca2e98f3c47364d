//! Dates as S3 writes and reads them: HTTP dates in all three spellings of RFC 9110 section 5.6.7,
//! ISO 8601 for XML, and the basic form of `x-amz-date`. Fixed width, no allocation to write one.

use openlake_types::Timestamp;

const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const SECS_PER_DAY: u64 = 86_400;

/// A fixed-width text of ASCII.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DateText<const N: usize>([u8; N]);

impl<const N: usize> DateText<N> {
    /// `None` if it is of another length, or not ASCII.
    pub fn from_ascii(text: &[u8]) -> Option<Self> {
        text.try_into().ok().filter(|text: &[u8; N]| text.is_ascii()).map(Self)
    }

    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("dates are written in ASCII")
    }

    pub const fn as_bytes(&self) -> &[u8; N] {
        &self.0
    }
}

impl<const N: usize> std::fmt::Display for DateText<N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<const N: usize> std::fmt::Debug for DateText<N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`, for Last-Modified and Date.
pub fn http_date(at: Timestamp) -> DateText<29> {
    let time = CivilTime::of(at);
    let mut text = *b"Ddd, 00 Mmm 0000 00:00:00 GMT";
    let weekday = (at.secs() / SECS_PER_DAY + 3) % 7;
    text[0..3].copy_from_slice(DAYS[weekday as usize].as_bytes());
    digits(&mut text[5..7], time.day);
    text[8..11].copy_from_slice(MONTHS[time.month as usize - 1].as_bytes());
    digits(&mut text[12..16], time.year);
    digits(&mut text[17..19], time.hour);
    digits(&mut text[20..22], time.minute);
    digits(&mut text[23..25], time.second);
    DateText(text)
}

/// `1994-11-06T08:49:37.000Z`, for XML documents.
pub fn iso_date(at: Timestamp) -> DateText<24> {
    let time = CivilTime::of(at);
    let mut text = *b"0000-00-00T00:00:00.000Z";
    digits(&mut text[0..4], time.year);
    digits(&mut text[5..7], time.month);
    digits(&mut text[8..10], time.day);
    digits(&mut text[11..13], time.hour);
    digits(&mut text[14..16], time.minute);
    digits(&mut text[17..19], time.second);
    digits(&mut text[20..23], (at.0 % 1000) as u32);
    DateText(text)
}

/// `19941106T084937Z`, as in `x-amz-date`.
pub fn amz_date(at: Timestamp) -> DateText<16> {
    let time = CivilTime::of(at);
    let mut text = *b"00000000T000000Z";
    digits(&mut text[0..4], time.year);
    digits(&mut text[4..6], time.month);
    digits(&mut text[6..8], time.day);
    digits(&mut text[9..11], time.hour);
    digits(&mut text[11..13], time.minute);
    digits(&mut text[13..15], time.second);
    DateText(text)
}

/// Reads `x-amz-date`.
pub fn parse_amz_date(text: &[u8]) -> Option<Timestamp> {
    if text.len() != 16 || text[8] != b'T' || text[15] != b'Z' {
        return None;
    }
    CivilTime {
        year: number(&text[0..4])?,
        month: number(&text[4..6])?,
        day: number(&text[6..8])?,
        hour: number(&text[9..11])?,
        minute: number(&text[11..13])?,
        second: number(&text[13..15])?,
    }
    .timestamp()
}

/// Reads an HTTP date in any of its three spellings; `None` for anything else, which callers treat
/// as an absent header (RFC 9110 sections 13.1.3 and 13.1.4).
pub fn parse_http_date(text: &[u8]) -> Option<Timestamp> {
    let text = text.trim_ascii();
    match text.iter().position(|&byte| byte == b',') {
        Some(3) => parse_imf_fixdate(text),
        Some(comma) => parse_rfc850(&text[comma..]),
        None => parse_asctime(text),
    }
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`.
fn parse_imf_fixdate(text: &[u8]) -> Option<Timestamp> {
    if text.len() != 29 || &text[25..] != b" GMT" || &text[3..5] != b", " {
        return None;
    }
    if text[7] != b' ' || text[11] != b' ' || text[16] != b' ' {
        return None;
    }
    let (hour, minute, second) = clock(&text[17..25])?;
    let (year, month, day) = (number(&text[12..16])?, month(&text[8..11])?, number(&text[5..7])?);
    CivilTime { year, month, day, hour, minute, second }.timestamp()
}

/// `, 06-Nov-94 08:49:37 GMT`: what follows the full name of the day.
fn parse_rfc850(text: &[u8]) -> Option<Timestamp> {
    if text.len() != 24 || &text[20..] != b" GMT" || &text[..2] != b", " {
        return None;
    }
    if text[4] != b'-' || text[8] != b'-' || text[11] != b' ' {
        return None;
    }
    let (hour, minute, second) = clock(&text[12..20])?;
    let short = number(&text[9..11])?;
    // Object storage holds no dates before 1970, so a two-digit year is read around that.
    let year = if short < 70 { 2000 + short } else { 1900 + short };
    let (month, day) = (month(&text[5..8])?, number(&text[2..4])?);
    CivilTime { year, month, day, hour, minute, second }.timestamp()
}

/// `Sun Nov  6 08:49:37 1994`.
fn parse_asctime(text: &[u8]) -> Option<Timestamp> {
    if text.len() != 24 || text[3] != b' ' || text[7] != b' ' {
        return None;
    }
    if text[10] != b' ' || text[19] != b' ' {
        return None;
    }
    let (hour, minute, second) = clock(&text[11..19])?;
    let day = number(text[8..10].trim_ascii_start())?;
    let (year, month) = (number(&text[20..24])?, month(&text[4..7])?);
    CivilTime { year, month, day, hour, minute, second }.timestamp()
}

fn clock(text: &[u8]) -> Option<(u32, u32, u32)> {
    if text[2] != b':' || text[5] != b':' {
        return None;
    }
    Some((number(&text[0..2])?, number(&text[3..5])?, number(&text[6..8])?))
}

fn month(text: &[u8]) -> Option<u32> {
    let at = MONTHS.iter().position(|name| name.as_bytes() == text)?;
    Some(at as u32 + 1)
}

/// At most four digits come here, so the sum cannot overflow.
fn number(text: &[u8]) -> Option<u32> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(text.iter().fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0')))
}

fn digits(text: &mut [u8], mut value: u32) {
    for byte in text.iter_mut().rev() {
        *byte = b'0' + (value % 10) as u8;
        value /= 10;
    }
}

struct CivilTime {
    year: u32,
    month: u32,
    day: u32,
    hour: u32,
    minute: u32,
    second: u32,
}

impl CivilTime {
    /// Gregorian date of a day number, counted in 400-year eras that begin on 1 March.
    fn of(at: Timestamp) -> Self {
        let (days, rest) = (at.secs() / SECS_PER_DAY, (at.secs() % SECS_PER_DAY) as u32);
        let days = days + 719_468;
        let (era, day_of_era) = (days / 146_097, days % 146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * day_of_year + 2) / 153;
        let day = (day_of_year - (153 * shifted + 2) / 5 + 1) as u32;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 } as u32;
        let year = (era * 400 + year_of_era) as u32 + u32::from(month <= 2);
        Self { year, month, day, hour: rest / 3600, minute: rest / 60 % 60, second: rest % 60 }
    }

    fn timestamp(&self) -> Option<Timestamp> {
        let leap = self.year.is_multiple_of(4)
            && (!self.year.is_multiple_of(100) || self.year.is_multiple_of(400));
        let days_in_month = match self.month {
            4 | 6 | 9 | 11 => 30,
            2 => 28 + u32::from(leap),
            1..=12 => 31,
            _ => return None,
        };
        // A leap second is legal in a date; it counts as the second after.
        let in_range = (1..=days_in_month).contains(&self.day)
            && self.hour < 24
            && self.minute < 60
            && self.second <= 60;
        if self.year < 1970 || !in_range {
            return None;
        }
        let year = u64::from(self.year) - u64::from(self.month <= 2);
        let shifted = (u64::from(self.month) + 9) % 12;
        let day_of_year = (153 * shifted + 2) / 5 + u64::from(self.day) - 1;
        let (era, year_of_era) = (year / 400, year % 400);
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        let days = era * 146_097 + day_of_era - 719_468;
        let clock = u64::from(self.hour * 3600 + self.minute * 60 + self.second);
        Some(Timestamp::from_secs(days * SECS_PER_DAY + clock))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The example of RFC 9110 section 5.6.7.
    const RFC_EXAMPLE: Timestamp = Timestamp(784_111_777_000);

    #[test]
    fn cd12_the_three_spellings_are_one_instant() {
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
        ] {
            assert_eq!(parse_http_date(text.as_bytes()), Some(RFC_EXAMPLE), "{text}");
        }
    }

    #[test]
    fn cd12_unreadable_dates_are_none() {
        for text in [
            "",
            "yesterday",
            "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1969 08:49:37 GMT",
            "1994-11-06T08:49:37Z",
            "784111777",
        ] {
            assert_eq!(parse_http_date(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn dates_are_written_as_their_formats_say() {
        assert_eq!(http_date(RFC_EXAMPLE).as_str(), "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(iso_date(Timestamp(784_111_777_042)).as_str(), "1994-11-06T08:49:37.042Z");
        assert_eq!(amz_date(RFC_EXAMPLE).as_str(), "19941106T084937Z");
        // `date -u -d @951782400`: a leap day of a century that has one.
        assert_eq!(
            http_date(Timestamp::from_secs(951_782_400)).as_str()[..16],
            *"Tue, 29 Feb 2000"
        );
        assert_eq!(iso_date(Timestamp(0)).as_str(), "1970-01-01T00:00:00.000Z");
    }

    proptest! {
        #[test]
        fn every_second_until_9999_reads_back(secs in 0u64..253_402_300_800) {
            let at = Timestamp::from_secs(secs);
            prop_assert_eq!(parse_http_date(http_date(at).as_bytes()), Some(at));
            prop_assert_eq!(parse_amz_date(amz_date(at).as_bytes()), Some(at));
        }

        #[test]
        fn no_input_panics(text in proptest::collection::vec(any::<u8>(), 0..40)) {
            let _ = (parse_http_date(&text), parse_amz_date(&text));
        }

        #[test]
        fn no_damaged_date_panics(at in 0usize..29, byte in any::<u8>()) {
            for text in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
                         "Monday, 06-Nov-94 08:49:37 GMT", "19941106T084937Z"] {
                let mut text = text.as_bytes().to_vec();
                let place = at % text.len();
                text[place] = byte;
                let _ = (parse_http_date(&text), parse_amz_date(&text));
            }
        }
    }
}
