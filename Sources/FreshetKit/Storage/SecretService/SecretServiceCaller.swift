// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    /// Speaks with the Secret Service for as long as there is patience.
    struct SecretServiceCaller: Sendable {
        var patience = Duration.seconds(1)
        var library = SecretLibrary.standardName

        /// Holds a conversation on the lane, and gives it up when patience is over.
        ///
        /// - Parameters:
        ///   - lock: Released when the conversation has ended, even if that is after it was given up.
        ///   - body: What to say; it may be said twice.
        /// - Returns: What `body` does.
        /// - Throws: What `body` does; a fault of kind `locked` when patience is over.
        func converse<Value: Sendable>(
            holding lock: FileLock? = nil,
            _ body: @escaping @Sendable (SecretService) throws(SecretServiceFault) -> Value
        ) throws(StoreUnavailable) -> Value {
            let library: SecretLibrary
            let cancellable: GLibObject
            do throws(StoreUnavailable) {
                library = try SecretLibrary.named(self.library)
                guard let made = library.newCancellable() else {
                    throw StoreUnavailable(.failed, "there is no memory left")
                }
                cancellable = GLibObject(made, library.unref)
            } catch {
                lock?.release()
                throw error
            }
            return try BoundedLane.shared.run(
                within: patience,
                holding: lock,
                cancel: { library.cancel(cancellable.pointer) },
                { () throws(StoreUnavailable) in try SecretService.converse(library, cancellable, body) }
            )
        }
    }
#endif
