// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetWire

/// A position in the order in which sessions ended.
package struct SessionEndPosition: Sendable {
    package var at: Timestamp
    package var session: SessionID

    package init(at: Timestamp, session: SessionID) {
        self.at = at
        self.session = session
    }

    /// Returns the position before all sessions that ended at or after a time.
    package static func before(_ moment: Timestamp) -> SessionEndPosition {
        SessionEndPosition(at: moment, session: SessionID(first))
    }

    /// The ID before all others.
    private static let first = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}

extension SessionEndPosition: Comparable {
    package static func < (one: Self, other: Self) -> Bool {
        // The text of an ID has the order of its bytes, which is that of the database.
        one.at == other.at ? one.session.description < other.session.description : one.at < other.at
    }
}
