//! Protocol: what the newest counted success says of the server's conformance. (section 3)

use crate::methodology::score::{
    PROTOCOL_DOOR_BARE, PROTOCOL_DOOR_OK, PROTOCOL_DOOR_PARTIAL, PROTOCOL_TOOLS_FAILED, PROTOCOL_UP,
    PROTOCOL_VIOLATION,
};
use crate::outcome::{Class, FrontDoor, Reason};

/// The table value of a success, in thousandths; none for what is no success. `front_door` is what the vote observed,
/// or what was last observed within seven days of it.
#[must_use]
pub const fn value(class: Class, reason: Option<Reason>, front_door: Option<FrontDoor>) -> Option<u32> {
    match class {
        Class::Up => Some(PROTOCOL_UP),
        Class::Degraded => Some(match reason {
            Some(
                Reason::ToolsFailed
                | Reason::NoCommonVersion
                | Reason::SessionLost
                | Reason::StickyCookie
                | Reason::BudgetEnded,
            ) => PROTOCOL_TOOLS_FAILED,
            _ => PROTOCOL_VIOLATION,
        }),
        Class::AuthRequired => Some(match front_door {
            Some(FrontDoor::Ok) | None => PROTOCOL_DOOR_OK,
            Some(FrontDoor::Partial) => PROTOCOL_DOOR_PARTIAL,
            Some(FrontDoor::Bare) => PROTOCOL_DOOR_BARE,
        }),
        _ => None,
    }
}
