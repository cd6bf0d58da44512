// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    /// Why a conversation with the Secret Service broke off.
    enum SecretServiceFault: Error {
        /// A new conversation would end like this one.
        case final(StoreUnavailable)
        /// The service may have been restarted since, and know nothing of this conversation.
        case broken(StoreUnavailable)

        var unavailable: StoreUnavailable {
            switch self {
            case .final(let fault), .broken(let fault): fault
            }
        }
    }
#endif
