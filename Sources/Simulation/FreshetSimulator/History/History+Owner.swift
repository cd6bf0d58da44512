// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetKit
    import FreshetWire

    /// The owner of an address with which another user may have signed up.
    extension History {
        /// Whether an account signs in with mailed codes, and otherwise with a password.
        func usesCodes(_ email: String) -> Bool {
            plan.app?.usesCodes ?? (claimed.contains(email) || SignInCounters.usesCodes(email))
        }

        /// The owner proves by a code that the address of a device's account is his: its password is removed, and all its
        /// sessions end.
        func claimAddress(of device: Device, _ size: Int) async {
            guard plan.app == nil, let email = device.chosenAccount, !usesCodes(email) else { return }
            guard claims.insert(email).inserted else { return }
            // Until then, devices sign in with the password: the first code ends all sessions.
            defer { claimed.insert(email) }
            let end = expectedEnds.begin(.revokedByUser, of: email)
            defer { expectedEnds.finish(end, of: email, at: SimulationExecutor.shared.now) }
            for _ in 0..<10 {
                do { if try await claim(email, bodyDelay: .milliseconds(size)) { return } } catch {
                    // The server has ended.
                }
                await pause(.seconds(10))
            }
        }

        private func claim(_ email: String, bodyDelay: Duration) async throws -> Bool {
            let (data, head) = try await post(NativePath.loginCode, CodeRequest(email: email))
            guard head.statusCode == 202, let code = backend.mailbox.code(for: email) else { return false }
            let attempt = try JSONDecoder().decode(CodeAttempt.self, from: data).attempt
            ledger.claims.insert(attempt)
            let proof = CodeVerification(attempt: attempt, code: code)
            let (grant, verified) = try await post(NativePath.loginCodeVerify, proof, bodyDelay: bodyDelay)
            guard verified.statusCode == 200 else { return false }
            journal.note("the owner of \(email) proves that it is his")
            let tokens = try JSONDecoder().decode(TokenBody.self, from: grant)
            _ = try await post(NativePath.logout, TokenBody(refreshToken: tokens.refreshToken))
            return true
        }

        private func post(
            _ path: String,
            _ body: some Encodable,
            bodyDelay: Duration = .zero
        ) async throws -> (Data, HTTPURLResponse) {
            guard let url = URL(string: SimulatedProcess.baseURL + path) else { throw URLError(.badURL) }
            var request = URLRequest(url: url)
            request.httpMethod = "POST"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try JSONEncoder().encode(body)
            return try await network.deliver(request, of: "the owner", as: .owner, bodyDelay: bodyDelay)
        }
    }
#endif
