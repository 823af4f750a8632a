//! gRPC's status codes, and sets of them.

use core::fmt;

/// Makes the enum and the table of names from one list.
macro_rules! codes {
    ($($code:ident = $number:literal $name:literal)+) => {
        /// A status code of gRPC, by its name and number there. `OK` is not among them: it is no failure.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "gRPC documents its codes")]
        pub enum StatusCode {
            $($code = $number,)+
        }

        const CODES: &[(StatusCode, &str)] = &[$((StatusCode::$code, $name),)+];
    };
}

codes! {
    Cancelled = 1 "CANCELLED"
    Unknown = 2 "UNKNOWN"
    InvalidArgument = 3 "INVALID_ARGUMENT"
    DeadlineExceeded = 4 "DEADLINE_EXCEEDED"
    NotFound = 5 "NOT_FOUND"
    AlreadyExists = 6 "ALREADY_EXISTS"
    PermissionDenied = 7 "PERMISSION_DENIED"
    ResourceExhausted = 8 "RESOURCE_EXHAUSTED"
    FailedPrecondition = 9 "FAILED_PRECONDITION"
    Aborted = 10 "ABORTED"
    OutOfRange = 11 "OUT_OF_RANGE"
    Unimplemented = 12 "UNIMPLEMENTED"
    Internal = 13 "INTERNAL"
    Unavailable = 14 "UNAVAILABLE"
    DataLoss = 15 "DATA_LOSS"
    Unauthenticated = 16 "UNAUTHENTICATED"
}

impl StatusCode {
    /// The code of that name, whatever its case.
    ///
    /// ```
    /// use undaunted::convert::grpc::StatusCode;
    ///
    /// assert_eq!(StatusCode::named("unavailable"), Some(StatusCode::Unavailable));
    /// assert_eq!(StatusCode::named("OK"), None);
    /// ```
    pub fn named(name: &str) -> Option<StatusCode> {
        CODES.iter().find(|code| code.1.eq_ignore_ascii_case(name)).map(|code| code.0)
    }

    /// The code of that number, 1 to 16.
    pub fn numbered(number: i32) -> Option<StatusCode> {
        CODES.iter().find(|code| code.0.number() == number).map(|code| code.0)
    }

    /// Its number.
    pub const fn number(self) -> i32 {
        self as i32
    }
}

/// By its name in gRPC: `UNAVAILABLE`.
impl fmt::Display for StatusCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = CODES.iter().find(|code| code.0 == *self).map_or("", |code| code.1);
        f.pad(name)
    }
}

/// A set of status codes.
///
/// ```
/// use undaunted::convert::grpc::{StatusCode, StatusCodes};
///
/// const CODES: StatusCodes = StatusCodes::of(&[StatusCode::Unavailable, StatusCode::Aborted]);
/// assert!(CODES.contains(StatusCode::Aborted));
/// assert!(CODES.contains_number(14));
/// assert_eq!(CODES.to_string(), "ABORTED, UNAVAILABLE");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct StatusCodes(u32);

impl StatusCodes {
    /// `ABORTED`, `RESOURCE_EXHAUSTED` and `UNAVAILABLE`: the server was reached or not, and says that another attempt may
    /// help.
    ///
    /// gRPC's documentation of the codes (`google/rpc/code.proto`) says to retry the call alone after `UNAVAILABLE`, and what it
    /// is a part of after `ABORTED` (read again, then write); `FAILED_PRECONDITION` is not among them, since nothing will
    /// change by itself. `RESOURCE_EXHAUSTED` is a server's too many requests, and may be a quota of the day as well, which
    /// no retry helps. `UNAVAILABLE` may come after the call has been done, so that a call that must not be done twice
    /// needs a guard here too.
    pub const TRANSIENT: StatusCodes =
        StatusCodes::of(&[StatusCode::Aborted, StatusCode::ResourceExhausted, StatusCode::Unavailable]);

    /// `CANCELLED`, `DEADLINE_EXCEEDED`, `INTERNAL` and `UNKNOWN`: what clients make of a connection that broke, or of an
    /// answer that came too late. Whether the call was done is not known.
    ///
    /// Only for calls that may be done twice, or that a guard keeps from it (a revision, an id of the request): for those
    /// a proxy that restarts is no failure.
    ///
    /// ```
    /// use undaunted::convert::grpc::{StatusCode, StatusCodes};
    ///
    /// const GUARDED: StatusCodes = StatusCodes::TRANSIENT.or(StatusCodes::LOST);
    /// assert!(GUARDED.contains(StatusCode::Unavailable) && GUARDED.contains(StatusCode::Unknown));
    /// assert!(!GUARDED.contains(StatusCode::InvalidArgument));
    /// // `.when(|status| GUARDED.contains_number(status.code() as i32))`
    /// ```
    pub const LOST: StatusCodes = StatusCodes::of(&[
        StatusCode::Cancelled,
        StatusCode::DeadlineExceeded,
        StatusCode::Internal,
        StatusCode::Unknown,
    ]);

    /// The codes of both sets.
    pub const fn or(self, other: StatusCodes) -> StatusCodes {
        StatusCodes(self.0 | other.0)
    }

    /// The set of these.
    pub const fn of(mut codes: &[StatusCode]) -> StatusCodes {
        let mut set = 0;
        while let [code, rest @ ..] = codes {
            set |= 1 << *code as u32;
            codes = rest;
        }
        StatusCodes(set)
    }

    /// Whether it has this code.
    pub const fn contains(self, code: StatusCode) -> bool {
        (self.0 >> code as u32) & 1 == 1
    }

    /// Whether it has the code of that number; false for a number that is none.
    pub fn contains_number(self, number: i32) -> bool {
        StatusCode::numbered(number).is_some_and(|code| self.contains(code))
    }

    /// Whether it has none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Its codes, by number.
    pub fn iter(self) -> impl Iterator<Item = StatusCode> {
        CODES.iter().map(|code| code.0).filter(move |code| self.contains(*code))
    }
}

impl fmt::Display for StatusCodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, code) in self.iter().enumerate() {
            write!(f, "{}{code}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}
