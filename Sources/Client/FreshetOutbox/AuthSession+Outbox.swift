// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
public import FreshetKit

extension AuthSession {
    /// Opens the outbox in a folder, and starts sending the stored requests.
    ///
    /// The folder is created, accessible to the current user only, if needed. Keep the outbox as long as it should
    /// send. Several processes and several accounts may share the folder: each account's requests are sent as that
    /// account.
    ///
    /// - Parameters:
    ///   - directory: A folder for the outbox only; for an app with extensions, in the app group's container.
    ///   - configuration: The outbox's configuration.
    /// - Returns: The outbox.
    /// - Throws: ``OutboxError/storeUnavailable(_:)`` if the folder cannot be created, or other users may write to it.
    public func outbox(
        directory: URL,
        configuration: OutboxConfiguration = OutboxConfiguration()
    ) throws(OutboxError) -> RequestOutbox {
        try outbox(directory: directory, configuration: configuration, executor: .dispatchQueue())
    }

    /// Opens an outbox whose file operations an executor runs, by the system calls of an environment.
    package func outbox(
        directory: URL,
        configuration: OutboxConfiguration,
        executor: OutboxExecutor,
        environment: FileEnvironment = .current
    ) throws(OutboxError) -> RequestOutbox {
        try RequestOutbox(
            self,
            directory: directory,
            configuration: configuration,
            executor: executor,
            environment: environment
        )
    }
}
