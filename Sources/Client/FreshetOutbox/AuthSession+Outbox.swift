// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
public import FreshetKit

extension AuthSession {
    /// Opens the outbox in a folder, which is made for this user alone if need be, and begins to send what waits there.
    ///
    /// Keep it as long as it is to send. Several processes may share the folder, and so may several accounts: each one's
    /// requests are sent as itself.
    ///
    /// - Parameters:
    ///   - directory: A folder of its own; for an app with extensions, in the app group's container.
    ///   - configuration: What differs from the defaults.
    /// - Returns: The outbox.
    /// - Throws: ``OutboxError/storeUnavailable(_:)`` if the folder cannot be made, or others may write to it.
    public func outbox(
        directory: URL,
        configuration: OutboxConfiguration = OutboxConfiguration()
    ) throws(OutboxError) -> Outbox {
        try Outbox(self, directory: directory, configuration: configuration)
    }
}
