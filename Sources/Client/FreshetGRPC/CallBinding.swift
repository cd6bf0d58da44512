// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if GRPC
    internal import FreshetKit

    /// The session in which calls began, and the state of its tokens.
    final class CallBinding: Sendable {
        private let tokens = Locked(CallTokenPolicy())

        /// The bindings by ``FreshetKit/AuthSession/bindingCalls(_:)``, by session object.
        @TaskLocal private static var bindings: [ObjectIdentifier: CallBinding] = [:]

        static func current(for session: AuthSession) -> CallBinding? { bindings[ObjectIdentifier(session)] }

        /// Runs an operation whose calls with a session have a separate binding.
        nonisolated(nonsending) static func with<Value>(
            _ session: AuthSession,
            _ operation: nonisolated(nonsending) () async throws -> Value
        ) async rethrows -> Value {
            var all = bindings
            all[ObjectIdentifier(session)] = CallBinding()
            return try await $bindings.withValue(all) { try await operation() }
        }

        func admits(_ token: AccessToken) -> Bool { tokens.withLock { $0.admits(token) } }

        func accepted(_ token: AccessToken) { tokens.withLock { $0.accepted(token) } }

        func replaced(_ token: AccessToken, by newer: AccessToken) { tokens.withLock { $0.replaced(token, by: newer) } }

        func mayReplace(_ token: AccessToken, ofRetry isRetry: Bool) -> Bool {
            tokens.withLock { $0.mayReplace(token, ofRetry: isRetry) }
        }
    }
#endif
