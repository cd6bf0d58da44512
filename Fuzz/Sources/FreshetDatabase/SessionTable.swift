// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
package import FreshetWire

/// What the readers need of the database's module, without the database.
package enum SessionTable {
    package struct EndPosition: Equatable, Sendable {
        package var at: Timestamp
        package var session: SessionID

        package init(at: Timestamp, session: SessionID) {
            self.at = at
            self.session = session
        }
    }
}
