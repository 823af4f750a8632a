//! One guarded write, and which of its failures are worth another attempt.

use etcd_client::{Client, Compare, CompareOp, Error, KeyValue, Txn, TxnOp, TxnOpResponse};
use std::fmt;
use undaunted::convert::grpc::StatusCodes;

/// Where a write goes: the object that several clients change, and the record of this change alone.
pub(crate) struct Place {
    /// The object, as kubeadm's status of the cluster.
    pub(crate) status: String,
    /// Who writes, and which of its writes it is: the record's key.
    pub(crate) record: String,
}

/// When it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// By an attempt before this one, whose answer was lost.
    Before,
    /// By this attempt.
    Now,
}

#[derive(Debug)]
pub(crate) enum Failed {
    /// Somebody else changed the object in between.
    Conflict,
    Etcd(Error),
}

/// A guarded write may be tried again when its answer was lost: if it was done, it is recognised.
const RETRIED: StatusCodes = StatusCodes::TRANSIENT.or(StatusCodes::LOST);

impl Failed {
    pub(crate) fn is_worth_it(&self) -> bool {
        match self {
            Failed::Conflict => true,
            Failed::Etcd(Error::GRpcStatus(status)) => RETRIED.contains_number(status.code() as i32),
            Failed::Etcd(Error::IoError(_) | Error::TransportError(_)) => true,
            Failed::Etcd(_) => false,
        }
    }

    /// What it was, for a table.
    pub(crate) fn kind(&self) -> String {
        match self {
            Failed::Conflict => "conflict".into(),
            Failed::Etcd(Error::GRpcStatus(status)) => format!("{:?}", status.code()),
            Failed::Etcd(_) => "no gRPC status".into(),
        }
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failed::Conflict => f.write_str("somebody else was faster"),
            Failed::Etcd(error) => error.fmt(f),
        }
    }
}

impl From<Error> for Failed {
    fn from(error: Error) -> Failed {
        Failed::Etcd(error)
    }
}

/// Reads the object and changes it, unless somebody else did so in between; in the same transaction leaves its record, unless
/// it is there already. So it is done once, however often it is tried.
pub(crate) async fn write(client: &Client, place: &Place, attempt: u32) -> Result<Written, Failed> {
    let Place { status, record } = place;
    let mut kv = client.kv_client();
    let seen = kv.get(&**status, None).await?.kvs().first().map_or(0, KeyValue::mod_revision);
    let guard = [
        Compare::mod_revision(&**status, CompareOp::Equal, seen),
        Compare::create_revision(&**record, CompareOp::Equal, 0),
    ];
    let change =
        [TxnOp::put(&**status, &**record, None), TxnOp::put(&**record, format!("attempt {attempt}"), None)];
    let txn = Txn::new().when(guard).and_then(change).or_else([TxnOp::get(&**record, None)]);
    let answer = kv.txn(txn).await?;
    match answer.op_responses().first() {
        _ if answer.succeeded() => Ok(Written::Now),
        Some(TxnOpResponse::Get(found)) if !found.kvs().is_empty() => Ok(Written::Before),
        _ => Err(Failed::Conflict),
    }
}
