// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    /// The reason that an operation of the Secret Service failed.
    enum SecretServiceError: Error {
        /// A retry would fail with the same error.
        case permanent(SessionStoreError)
        /// The connection was lost, for example because the service was restarted; a retry may succeed.
        case connectionLost(SessionStoreError)

        var storeError: SessionStoreError {
            switch self {
            case .permanent(let fault), .connectionLost(let fault): fault
            }
        }
    }
#endif
