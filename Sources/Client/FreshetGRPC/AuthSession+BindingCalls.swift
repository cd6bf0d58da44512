// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if GRPC
    public import FreshetKit

    extension AuthSession {
        /// Binds the gRPC calls of an operation, with all their retries, to the session that the first of them begins in.
        ///
        /// A client that lives longer than a session needs it: without it, an interceptor serves the first session whose token
        /// it sends, and no other. Calls of the operation that come after another sign-in end with `UNAUTHENTICATED`, caused by
        /// ``FreshetKit/SessionError/signedOut(_:)`` with `replaced`.
        ///
        /// - Parameter operation: Makes calls through clients with a ``SessionInterceptor`` for this session, also in child tasks.
        /// - Returns: What the operation returns.
        /// - Throws: What the operation throws.
        public nonisolated(nonsending) func bindingCalls<Value>(
            _ operation: nonisolated(nonsending) () async throws -> Value
        ) async rethrows -> Value {
            try await CallBinding.with(self, operation)
        }
    }
#endif
