// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if GRPC
    public import FreshetKit

    extension AuthSession {
        /// Binds the gRPC calls of an operation, with their retries, to the session of the first call.
        ///
        /// A client that outlives a session needs this method: outside of it, an interceptor serves only the first
        /// session whose token it sends. Calls of the operation after another sign-in fail with `UNAUTHENTICATED`,
        /// caused by ``FreshetKit/SessionError/signedOut(_:)`` with `replaced`.
        ///
        /// - Parameter operation: Makes calls through clients with a ``SessionInterceptor`` for this session, including
        ///   in child tasks.
        /// - Returns: The operation's result.
        /// - Throws: The operation's error.
        public nonisolated(nonsending) func bindingCalls<Value>(
            _ operation: nonisolated(nonsending) () async throws -> Value
        ) async rethrows -> Value {
            try await CallBinding.with(self, operation)
        }
    }
#endif
