// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetWire

/// A position in the order in which sessions ended.
package struct SessionEndPosition: Equatable, Sendable {
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
