//! The envelope rules, line by line.

use proptest::prelude::*;
use serde_json::json;

use super::*;

const ID: u32 = 7;

fn result(value: Value, violations: &[Violation]) -> Incoming {
    Incoming::Answer(Answer { payload: Payload::Result(value), violations: violations.to_vec() })
}

fn error(code: Option<i64>, message: &str, violations: &[Violation]) -> Incoming {
    let error = RpcError { code, message: message.to_owned(), data: None };
    Incoming::Answer(Answer { payload: Payload::Error(error), violations: violations.to_vec() })
}

fn check(table: Vec<(Value, Incoming)>) {
    for (message, expected) in table {
        assert_eq!(read(message.clone(), ID), expected, "{message}");
    }
}

#[test]
fn results_are_ours_by_their_id() {
    check(vec![
        (json!({"jsonrpc":"2.0","id":7,"result":{"a":1}}), result(json!({"a":1}), &[])),
        (json!({"jsonrpc":"2.0","id":7.0,"result":{}}), result(json!({}), &[Violation::IdType])),
        (json!({"jsonrpc":"2.0","id":"7","result":{}}), result(json!({}), &[Violation::IdType])),
        (json!({"jsonrpc":"2.0","id":"7.0","result":{}}), result(json!({}), &[Violation::IdType])),
        (json!({"jsonrpc":"2.0","id":8,"result":{}}), Incoming::OtherAnswer),
        (json!({"jsonrpc":"2.0","id":-7,"result":{}}), Incoming::OtherAnswer),
        (json!({"jsonrpc":"2.0","id":7.5,"result":{}}), Incoming::OtherAnswer),
        (json!({"jsonrpc":"2.0","id":"seven","result":{}}), Incoming::OtherAnswer),
        (json!({"jsonrpc":"2.0","id":" 7","result":{}}), Incoming::OtherAnswer),
        (json!({"jsonrpc":"2.0","id":[7],"result":{}}), Incoming::OtherAnswer),
        (json!({"jsonrpc":"2.0","id":true,"result":{}}), Incoming::OtherAnswer),
        // The placeholder id belongs to errors alone.
        (json!({"jsonrpc":"2.0","id":"server-error","result":{}}), Incoming::OtherAnswer),
        (json!({"jsonrpc":"2.0","result":{}}), Incoming::Broken),
        (json!({"jsonrpc":"2.0","id":null,"result":{}}), Incoming::Broken),
        // Any result is an answer; what it must hold is the handshake's business.
        (json!({"jsonrpc":"2.0","id":7,"result":"ok"}), result(json!("ok"), &[])),
        (json!({"jsonrpc":"2.0","id":7,"result":false}), result(json!(false), &[])),
    ]);
}

#[test]
fn errors_may_lack_an_id() {
    let body = json!({"code":-32600,"message":"no"});
    check(vec![
        (json!({"jsonrpc":"2.0","id":7,"error":body}), error(Some(-32600), "no", &[])),
        (json!({"jsonrpc":"2.0","id":null,"error":body}), error(Some(-32600), "no", &[])),
        (json!({"jsonrpc":"2.0","error":body}), error(Some(-32600), "no", &[])),
        (json!({"jsonrpc":"2.0","id":"server-error","error":body}), error(Some(-32600), "no", &[])),
        (json!({"jsonrpc":"2.0","id":"7","error":body}), error(Some(-32600), "no", &[Violation::IdType])),
        (json!({"jsonrpc":"2.0","id":8,"error":body}), Incoming::OtherAnswer),
        (json!({"jsonrpc":"2.0","id":"other","error":body}), Incoming::OtherAnswer),
    ]);
}

#[test]
fn errors_without_integer_code_have_none() {
    for code in [json!(null), json!("-32600"), json!(-32600.5), json!(1e300), json!({})] {
        let message = json!({"jsonrpc":"2.0","id":7,"error":{"code":code,"message":5}});
        assert_eq!(read(message, ID), error(None, "", &[]), "{code}");
    }
    assert_eq!(read(json!({"jsonrpc":"2.0","id":7,"error":{}}), ID), error(None, "", &[]));
}

#[test]
fn error_data_is_kept_and_null_is_absent() {
    let data_of = |data: Value| match read(json!({"jsonrpc":"2.0","error":{"code":-32022,"data":data}}), ID) {
        Incoming::Answer(Answer { payload: Payload::Error(error), .. }) => error.data,
        other => panic!("{other:?}"),
    };
    assert_eq!(data_of(json!({"supported":["2026-07-28"]})), Some(json!({"supported":["2026-07-28"]})));
    assert_eq!(data_of(json!(null)), None);
}

#[test]
fn null_members_count_as_absent() {
    check(vec![
        (json!({"jsonrpc":"2.0","id":7,"result":{},"error":null}), result(json!({}), &[])),
        (json!({"jsonrpc":"2.0","id":7,"result":null,"error":{"code":1}}), error(Some(1), "", &[])),
        (json!({"jsonrpc":"2.0","id":7,"result":null}), Incoming::Broken),
        (json!({"jsonrpc":null,"id":7,"result":{}}), result(json!({}), &[Violation::JsonrpcMember])),
    ]);
}

#[test]
fn a_broken_envelope_is_broken() {
    check(vec![
        (json!({"jsonrpc":"2.0","id":7,"result":{},"error":{"code":1}}), Incoming::Broken),
        (json!({"jsonrpc":"2.0","id":7,"error":"no"}), Incoming::Broken),
        (json!({"jsonrpc":"2.0","id":7,"error":[1]}), Incoming::Broken),
        (json!({"jsonrpc":"2.0","error":false}), Incoming::Broken),
        (json!({"jsonrpc":"2.0","id":7}), Incoming::Broken),
        (json!({"id":7}), Incoming::Broken),
        (json!({"id":7,"error":"no"}), Incoming::Broken),
        (json!({"jsonrpc":"2.0"}), Incoming::Broken),
        (json!({"jsonrpc":"2.0","status":"ok"}), Incoming::Broken),
        (json!({"jsonrpc":"2.0","id":7,"method":5}), Incoming::Broken),
    ]);
}

#[test]
fn a_missing_or_other_jsonrpc_member_with_the_rest_right_is_named() {
    let named = &[Violation::JsonrpcMember];
    check(vec![
        (json!({"id":7,"result":{}}), result(json!({}), named)),
        (json!({"id":7,"error":{"code":1}}), error(Some(1), "", named)),
        (json!({"jsonrpc":"1.0","id":7,"result":{}}), result(json!({}), named)),
        (json!({"jsonrpc":2.0,"id":7,"result":{}}), result(json!({}), named)),
        (json!({"jsonrpc":"1.0","error":{"code":1}}), error(Some(1), "", named)),
        (json!({"id":"7","result":{}}), result(json!({}), &[Violation::IdType, Violation::JsonrpcMember])),
    ]);
}

#[test]
fn other_json_is_not_json_rpc() {
    check(vec![
        (json!({}), Incoming::NotJsonRpc),
        (json!({"status":"ok"}), Incoming::NotJsonRpc),
        (json!({"error":"invalid_token","error_description":"x"}), Incoming::NotJsonRpc),
        (json!({"error":{"code":404,"message":"Not found"}}), Incoming::NotJsonRpc),
        (json!({"id":8,"result":{}}), Incoming::NotJsonRpc),
        (json!({"method":"ping"}), Incoming::NotJsonRpc),
        (json!("2.0"), Incoming::NotJsonRpc),
        (json!(7), Incoming::NotJsonRpc),
        (json!(null), Incoming::NotJsonRpc),
        (json!([]), Incoming::NotJsonRpc),
        (json!([7, "x", null]), Incoming::NotJsonRpc),
    ]);
}

#[test]
fn requests_and_notifications_are_told_by_their_method_even_with_our_id() {
    check(vec![
        (
            json!({"jsonrpc":"2.0","method":"notifications/message","params":{}}),
            Incoming::RequestOrNotification,
        ),
        (json!({"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}), Incoming::RequestOrNotification),
        (json!({"jsonrpc":"2.0","id":7,"method":"roots/list"}), Incoming::RequestOrNotification),
        (json!({"jsonrpc":"2.0","id":null,"method":"x"}), Incoming::RequestOrNotification),
    ]);
}

#[test]
fn a_batch_gives_our_answer() {
    let ours = json!({"jsonrpc":"2.0","id":7,"result":{}});
    let other = json!({"jsonrpc":"2.0","id":8,"result":{}});
    let note = json!({"jsonrpc":"2.0","method":"x"});
    let nobodys = json!({"jsonrpc":"2.0","error":{"code":1}});
    let broken = json!({"jsonrpc":"2.0"});
    check(vec![
        (json!([ours]), result(json!({}), &[])),
        (json!([note, other, nobodys, broken, ours, 5]), result(json!({}), &[])),
        (json!([other, nobodys, broken]), error(Some(1), "", &[])),
        (json!([note, broken, other]), Incoming::Broken),
        (json!([note, other]), Incoming::OtherAnswer),
        (json!([note, {"a":1}]), Incoming::RequestOrNotification),
        // Batches do not nest.
        (json!([[ours]]), Incoming::NotJsonRpc),
    ]);
}

proptest! {
    #[test]
    fn our_id_in_any_spelling_of_its_number_is_ours(id in 1_u32..=i32::MAX as u32) {
        for (spelling, oddly) in [(json!(id), false), (json!(f64::from(id)), true), (json!(id.to_string()), true)] {
            let violations = if oddly { vec![Violation::IdType] } else { vec![] };
            let expected = Incoming::Answer(Answer { payload: Payload::Result(json!({})), violations });
            prop_assert_eq!(read(json!({"jsonrpc":"2.0","id":spelling,"result":{}}), id), expected);
        }
        for other in [json!(id + 1), json!(f64::from(id) + 0.5), json!((id + 1).to_string()), json!(format!("x{id}"))] {
            prop_assert_eq!(read(json!({"jsonrpc":"2.0","id":other,"result":{}}), id), Incoming::OtherAnswer);
        }
    }
}
