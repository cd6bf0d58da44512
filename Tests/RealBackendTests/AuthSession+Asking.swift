// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension AuthSession {
    /// The status of the answer to a request.
    func status(of request: URLRequest) async throws -> Int {
        try await data(for: request).1.statusCode
    }

    /// Refreshes, and says why that did not work, if it did not.
    var refreshFault: SessionError? {
        get async {
            do throws(SessionError) {
                try await refresh()
                return nil
            } catch {
                return error
            }
        }
    }

    /// Tries to sign in with a password, and says why that did not work, if it did not.
    func signInFault(_ user: String, _ password: String) async -> SessionError? {
        do throws(SessionError) {
            try await signIn(.password(email: user, password: password))
            return nil
        } catch {
            return error
        }
    }
}

extension SessionError {
    /// The server cannot be reached; the session is intact.
    var isOffline: Bool { if case .offline = self { true } else { false } }
    /// The server does not do as the contract says; the session is intact.
    var isInvalidResponse: Bool { if case .invalidResponse = self { true } else { false } }
}
