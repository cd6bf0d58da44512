// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetEngine
import FreshetWire
import NIOConcurrencyHelpers

/// Hashes passwords with scrypt, off the event loops and with a bounded queue.
///
/// Hashes are PHC strings, `$scrypt$ln=15,r=8,p=1$salt$hash`, so that stronger parameters do not invalidate stored
/// ones.
package final class PasswordHasher: Sendable {
    /// The maximum length of a password; longer ones are refused, not truncated.
    package static let maximumLength = 256
    static let minimumLength = 8

    private let cost: PasswordCost
    private let executor: BlockingExecutor
    private let tarpit: Tarpit
    private let underWay = NIOLockedValueBox(0)
    private let hashCount = NIOLockedValueBox(0)
    private let roundCount = NIOLockedValueBox(0)

    /// The number of passwords hashed or verified, for tests and measurements.
    var hashes: Int { hashCount.withLockedValue { $0 } }
    /// The number of scrypt's rounds, to which the time is proportional, for tests and measurements.
    var rounds: Int { roundCount.withLockedValue { $0 } }

    /// Creates a hasher.
    ///
    /// - Parameters:
    ///   - cost: The parameters of new hashes, and the limits of concurrent ones.
    ///   - tarpit: Delays the refusals of an overloaded hasher.
    ///   - executor: Computes the hashes; by default, on threads of the hasher's own.
    package init(_ cost: PasswordCost, tarpit: Tarpit = Tarpit(), executor: BlockingExecutor? = nil) {
        self.cost = cost
        self.tarpit = tarpit
        self.executor = executor ?? .threads(cost.workers)
    }

    /// The number of running and queued hashes.
    package var count: Int { underWay.withLockedValue { $0 } }

    /// Stops the threads.
    package func shutDown() async throws { try await executor.shutDown() }

    /// Returns the PHC string of a new password.
    ///
    /// - Throws: `tooManyRequests` if the queue is full.
    package func hash(_ password: String) async throws -> String {
        try await runQueued { [self] in
            let salt = SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }
            return try phc(of: password, ScryptParameters(logN: cost.logN, salt: salt))
        }
    }

    /// The result of verifying a password.
    package struct Verdict: Equatable, Sendable {
        package var isRight: Bool
        /// Whether the stored hash has other parameters than new ones.
        var isOutdated: Bool
    }

    /// Verifies a password; without a stored hash, it takes the same time and fails.
    ///
    /// A wrong password takes this time, too, if the stored hash was cheaper than new ones are.
    ///
    /// - Throws: `tooManyRequests` if the queue is full.
    package func verify(_ password: String, against phc: String?) async throws -> Verdict {
        try await runQueued { [self] in
            guard let phc, let parameters = ScryptParameters(phc: phc) else {
                _ = try self.phc(
                    of: password,
                    ScryptParameters(logN: cost.logN, salt: [UInt8](repeating: 0, count: 16))
                )
                return Verdict(isRight: false, isOutdated: false)
            }
            let isRight = Self.areEqual(try self.phc(of: password, parameters), phc)
            // 2^m rounds are done: 2^m + 2^(m + 1) + … + 2^(n - 1) further ones make 2^n.
            for logN in min(parameters.logN, cost.logN)..<cost.logN where !isRight {
                _ = try self.phc(of: password, ScryptParameters(logN: logN, salt: parameters.salt))
            }
            return Verdict(isRight: isRight, isOutdated: parameters.logN != cost.logN)
        }
    }

    private func phc(of password: String, _ parameters: ScryptParameters) throws -> String {
        roundCount.withLockedValue { $0 += 1 << parameters.logN }
        return try parameters.phc(of: password)
    }

    private func runQueued<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        do { try acquireSlot() } catch {
            await tarpit.wait()
            throw error
        }
        defer { releaseSlot() }
        hashCount.withLockedValue { $0 += 1 }
        return try await executor.run(body)
    }

    /// Takes a slot of a worker or of the queue.
    ///
    /// - Throws: `tooManyRequests` if there is none.
    func acquireSlot() throws(APIError) {
        let isFull = underWay.withLockedValue { count in
            guard count < cost.workers + cost.queue else { return true }
            count += 1
            return false
        }
        if isFull { throw APIError(.tooManyRequests, "too many logins at once", retryAfter: .seconds(1)) }
    }

    /// Releases the slot.
    func releaseSlot() { underWay.withLockedValue { $0 -= 1 } }

    private static func areEqual(_ left: String, _ right: String) -> Bool {
        // HMACs of the two hashes are compared, so that the time does not depend on the position of a difference.
        let key = SymmetricKey(size: .bits256)
        let code = HMAC<SHA256>.authenticationCode(for: Data(left.utf8), using: key)
        return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: Data(right.utf8), using: key)
    }
}
