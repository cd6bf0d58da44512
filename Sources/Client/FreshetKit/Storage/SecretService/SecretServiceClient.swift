// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    /// Runs operations of the Secret Service with a timeout.
    struct SecretServiceClient: Sendable {
        var timeout = Duration.seconds(1)
        var library = Libsecret.standardName

        /// Runs an operation on the shared queue, and stops waiting for it after the timeout.
        ///
        /// - Parameters:
        ///   - lock: Released when the operation has ended, even if that is after the timeout.
        ///   - body: The calls to make; it may run twice.
        /// - Returns: The result of `body`.
        /// - Throws: The error of `body`; one of kind `locked` after the timeout.
        func withConnection<Value: Sendable>(
            holding lock: FileLock? = nil,
            _ body: @escaping @Sendable (SecretService) throws(SecretServiceError) -> Value
        ) throws(SessionStoreError) -> Value {
            let library: Libsecret
            let cancellable: GLibObject
            do throws(SessionStoreError) {
                library = try Libsecret.named(self.library)
                guard let made = library.newCancellable() else {
                    throw SessionStoreError(.failed, "out of memory")
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
