//! Drift: what changed in the tools that a listing advertises, and how much that matters. (section 3)
//!
//! [`differences`] compares two shapes of one tool, [`sightings`] turns the listings of one network into confirmed
//! events, [`events`] brings the networks together and says what is scored.

pub mod differences;
pub mod events;
pub mod sightings;

use crate::words::word_enum;

pub use differences::Side;
pub use events::{Event, Standing, detect};
pub use sightings::{Sighting, Sightings};

word_enum! {
    /// What changed.
    Kind {
        ToolRemoved = 1 "tool_removed",
        StoppedOfferingTools = 2 "stopped_offering_tools",
        /// Removed and added with equal digests.
        ToolRenamed = 3 "tool_renamed",
        RequiredParameterAdded = 4 "required_parameter_added",
        ParameterRemoved = 5 "parameter_removed",
        ParameterTypeChanged = 6 "parameter_type_changed",
        OutputChanged = 7 "output_changed",
        /// Another change of a parameter, or of the input schema around them.
        InputChanged = 8 "input_changed",
        ToolAdded = 9 "tool_added",
        OptionalParameterAdded = 10 "optional_parameter_added",
        /// Title or description alone.
        DescriptionChanged = 11 "description_changed",
    }
}

impl Kind {
    /// Severity in thousandths, before the halving.
    #[must_use]
    pub const fn severity(self) -> u32 {
        match self {
            Self::ToolRemoved | Self::StoppedOfferingTools => 1_000,
            Self::ToolRenamed
            | Self::RequiredParameterAdded
            | Self::ParameterRemoved
            | Self::ParameterTypeChanged => 600,
            Self::OutputChanged | Self::InputChanged => 300,
            Self::ToolAdded | Self::OptionalParameterAdded => 150,
            Self::DescriptionChanged => 50,
        }
    }

    /// Clients that worked before may fail.
    #[must_use]
    pub const fn is_breaking(self) -> bool {
        self.severity() >= crate::methodology::score::DRIFT_BREAKING
    }

    /// Words for a person.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::ToolRemoved => "tool removed",
            Self::StoppedOfferingTools => "no tools offered any more",
            Self::ToolRenamed => "tool renamed",
            Self::RequiredParameterAdded => "required parameter added",
            Self::ParameterRemoved => "parameter removed",
            Self::ParameterTypeChanged => "type of a parameter changed",
            Self::OutputChanged => "output schema changed",
            Self::InputChanged => "input schema changed",
            Self::ToolAdded => "tool added",
            Self::OptionalParameterAdded => "optional parameter added",
            Self::DescriptionChanged => "title or description changed",
        }
    }
}

#[cfg(test)]
mod tests;
