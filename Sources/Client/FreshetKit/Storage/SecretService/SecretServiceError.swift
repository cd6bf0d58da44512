// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    /// Why a conversation with the Secret Service broke off.
    enum SecretServiceError: Error {
        /// A new conversation would end like this one.
        case permanent(SessionStoreError)
        /// The service may have been restarted since, and know nothing of this conversation.
        case connectionLost(SessionStoreError)

        var storeError: SessionStoreError {
            switch self {
            case .permanent(let fault), .connectionLost(let fault): fault
            }
        }
    }
#endif
