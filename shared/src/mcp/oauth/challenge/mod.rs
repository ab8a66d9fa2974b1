//! `WWW-Authenticate`: finds the Bearer challenge and the document it names (RFC 9110 section 11, RFC 9728 section 5.1).

#[cfg(test)]
mod tests;

/// What the `WWW-Authenticate` values of one response say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Challenges {
    /// There is such a header, whatever it holds.
    pub present: bool,
    /// One challenge is Bearer.
    pub bearer: bool,
    /// The first `resource_metadata` of a Bearer challenge that is not empty; not checked in any way.
    pub resource_metadata: Option<String>,
    /// The first `error` of a Bearer challenge that is not empty.
    pub error: Option<String>,
    /// Some part could not be read; the rest was.
    pub unparsable: bool,
}

/// Reads every `WWW-Authenticate` value of a response, in order. One value may hold several challenges.
#[must_use]
pub fn read(values: &[&str]) -> Challenges {
    let mut challenges = Challenges { present: !values.is_empty(), ..Challenges::default() };
    for value in values {
        read_value(value, &mut challenges);
    }
    challenges
}

/// Challenges and parameters are both separated by commas: what has `=` behind its first token is a parameter of the
/// challenge before it, anything else begins a challenge.
fn read_value(value: &str, challenges: &mut Challenges) {
    let mut cursor = Cursor { rest: value };
    let mut in_bearer = false;
    let mut in_challenge = false;
    loop {
        cursor.skip(|character| character.is_ascii_whitespace() || character == ',');
        if cursor.rest.is_empty() {
            break;
        }
        let token = cursor.take(is_token);
        if token.is_empty() {
            challenges.unparsable = true;
            // Some separate parameters as cookies are: the challenge goes on behind the semicolon.
            if cursor.take(|next| next == ';').is_empty() {
                cursor.skip_to_comma();
            }
        } else if cursor.equals_sign() {
            let value = cursor.value();
            challenges.unparsable |= value.is_none() || !in_challenge;
            if let (Some(value), true) = (value, in_bearer) {
                parameter(token, value, challenges);
            }
        } else {
            in_challenge = true;
            in_bearer = token.eq_ignore_ascii_case("Bearer");
            challenges.bearer |= in_bearer;
            // `Bearer:` and the like.
            challenges.unparsable |=
                !cursor.take(|next| !next.is_ascii_whitespace() && next != ',').is_empty();
            cursor.skip_credentials();
        }
    }
}

fn parameter(name: &str, value: String, challenges: &mut Challenges) {
    let slot = if name.eq_ignore_ascii_case("resource_metadata") {
        &mut challenges.resource_metadata
    } else if name.eq_ignore_ascii_case("error") {
        &mut challenges.error
    } else {
        return;
    };
    if slot.is_none() && !value.is_empty() {
        *slot = Some(value);
    }
}

/// `tchar` of RFC 9110 section 5.6.2.
fn is_token(character: char) -> bool {
    character.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(character)
}

struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|character| !wanted(character)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn skip(&mut self, unwanted: impl Fn(char) -> bool) {
        self.take(unwanted);
    }

    fn skip_to_comma(&mut self) {
        self.skip(|character| character != ',');
    }

    /// Takes `=` with white space around it (RFC 9110 calls that bad white space and has it accepted). Two in a row
    /// are the padding of a token68, no parameter.
    fn equals_sign(&mut self) -> bool {
        let Some(rest) = self.rest.trim_start().strip_prefix('=').filter(|rest| !rest.starts_with('='))
        else {
            return false;
        };
        self.rest = rest.trim_start();
        true
    }

    /// A quoted text or a token; None where a quote does not end. Addresses are often sent without quotes, which the
    /// grammar forbids: everything up to white space or a comma is taken.
    fn value(&mut self) -> Option<String> {
        match self.rest.strip_prefix('"') {
            None => {
                Some(self.take(|character| !character.is_ascii_whitespace() && character != ',').to_owned())
            }
            Some(rest) => {
                self.rest = rest;
                self.quoted()
            }
        }
    }

    /// Behind an opening quote.
    fn quoted(&mut self) -> Option<String> {
        let mut value = String::new();
        let mut characters = self.rest.char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.rest = self.rest.get(at + 1..).unwrap_or("");
                    return Some(value);
                }
                '\\' => value.extend(characters.next().map(|(_, escaped)| escaped)),
                _ => value.push(character),
            }
        }
        self.rest = "";
        None
    }

    /// Behind a scheme: skips a token68 (`Negotiate YII==`), leaves parameters.
    fn skip_credentials(&mut self) {
        let mut ahead = Cursor { rest: self.rest };
        ahead.skip(|character| character.is_ascii_whitespace());
        let word = ahead.take(|character| is_token(character) || character == '/');
        if word.is_empty() || ahead.equals_sign() && !ahead.rest.is_empty() && !ahead.rest.starts_with(',') {
            return;
        }
        self.skip_to_comma();
    }
}
