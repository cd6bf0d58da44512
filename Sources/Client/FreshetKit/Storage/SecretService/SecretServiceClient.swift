// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    /// Speaks with the Secret Service for as long as there is timeout.
    struct SecretServiceClient: Sendable {
        var timeout = Duration.seconds(1)
        var library = Libsecret.standardName

        /// Holds a conversation on the lane, and gives it up when timeout is over.
        ///
        /// - Parameters:
        ///   - lock: Released when the conversation has ended, even if that is after it was given up.
        ///   - body: What to say; it may be said twice.
        /// - Returns: What `body` does.
        /// - Throws: What `body` does; a fault of kind `locked` when timeout is over.
        func withConnection<Value: Sendable>(
            holding lock: FileLock? = nil,
            _ body: @escaping @Sendable (SecretService) throws(SecretServiceError) -> Value
        ) throws(SessionStoreError) -> Value {
            let library: Libsecret
            let cancellable: GLibObject
            do throws(SessionStoreError) {
                library = try Libsecret.named(self.library)
                guard let made = library.newCancellable() else {
                    throw SessionStoreError(.failed, "there is no memory left")
                }
                cancellable = GLibObject(made, library.unref)
            } catch {
                lock?.release()
                throw error
            }
            return try TimeLimitedQueue.shared.run(
                within: timeout,
                holding: lock,
                cancel: { library.cancel(cancellable.pointer) },
                { () throws(SessionStoreError) in try SecretService.withConnection(library, cancellable, body) }
            )
        }
    }
#endif
