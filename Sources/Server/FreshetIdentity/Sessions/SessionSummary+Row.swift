// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
import FreshetWire

extension SessionSummary {
    /// A session as its user sees it.
    package init(_ row: SessionRow, isCurrent: Bool) {
        self.init(
            id: row.id,
            current: isCurrent,
            device: row.device,
            createdAt: row.createdAt.seconds,
            lastUsedAt: row.lastUsedAt.seconds,
            expiresAt: row.end.seconds,
            place: row.place,
            signedInBy: row.method
        )
    }
}
