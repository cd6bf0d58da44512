// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FreshetKit
    import FreshetWire
    import SimulatedFiles

    /// A user's device: some processes of an app that share a store.
    final class Device: AppDevice, @unchecked Sendable {
        let name: String
        let clock: DeviceClock
        let record = SharedRecord()
        /// The refresh token that is stored.
        var lastToken: RefreshToken?
        let generation: StoredGeneration
        /// The session that was stored last; it may have ended.
        var lastSession: String?
        /// The volume of the files; `nil` without files.
        var volume: SimulatedVolume?
        /// The file of the record on the volume; `nil` if the record is kept in memory.
        var files: DeviceFiles?
        /// The contract of the app's version.
        var contract = Contract.freshet {
            didSet { isNative = contract == .freshet }
        }
        /// Whether the app's version has the native contract; comparing two contracts takes as long as a request.
        private(set) var isNative = true
        /// The time at which the app went back to a version without intents.
        var rolledBackAt: Duration?
        /// The version of the native client; empty for the present one.
        var olderClient: OlderClient = []
        var processes: [SimulatedProcess] = []
        /// The account that is signed in; `nil` while the user changes it.
        var account: String?
        /// The account whose session has ended with a reason that the invariants expect.
        var endedAccount: String?
        /// The sessions that the user has signed out of, and that the device does not get again.
        var signedOut: Set<String> = []
        /// The session of the last response with tokens that a process has received.
        var lastReceived: String?
        /// The number of times that the store was unavailable.
        var storeFaults = 0
        /// The number of sign-ins that began.
        var signIns = 0
        /// The number of sign-ins that succeeded.
        var signInsDone = 0
        /// The number of sign-ins under way, of which the last one that stores its session decides who is signed in.
        var signInsUnderWay = 0
        /// The process of the last sign-in that succeeded; `nil` if it has ended since.
        var signedInBy: Int?
        /// The account of the last sign-in, which may not have succeeded yet.
        var chosenAccount: String?
        /// The last code that the user has; a server accepts it again for a while, and returns the same session.
        var code: UsedCode?
        /// The session of the last sign-in that succeeded; `nil` if it ended before it was stored.
        var adopted: String?
        /// The time of the last sign-in that succeeded.
        var signedInAt = Duration.zero
        /// The accounts of the sessions that it had.
        var accounts: [String: String] = [:]

        /// The WebSockets of the history; `nil` if the app has none.
        var sockets: SimulatedSockets?
        /// The folder on the volume of the outbox that its processes share; `nil` without one.
        var outboxFolder: String?
        /// The user who was signed in last, as far as the app knows.
        var lastUser: String?
        /// The addresses of the users, by ID.
        var emails: [String: String] = [:]

        /// A code with which the user has signed in.
        struct UsedCode {
            var email: String
            var attempt: EmailCodeAttempt
            var code: String
        }

        init(_ name: String, clock: DeviceClock = DeviceClock()) {
            self.name = name
            self.clock = clock
            generation = StoredGeneration { [record] in record.wasSlow(inLast: $0) }
        }

        /// The parts of the stored record that invariants and thieves use.
        struct Stored: Decodable {
            struct Session: Decodable {
                var id: String
                var generation: UInt64
                var refreshToken: String?
                var accessToken: String?
                var intent: String?
            }

            struct PendingLogout: Decodable { var refreshToken: String? }

            var session: Session?
            var pendingLogouts: [PendingLogout]

            /// All refresh tokens: of the session, and of sign-outs that are not delivered yet.
            var refreshTokens: [String] {
                ([session?.refreshToken] + pendingLogouts.map(\.refreshToken)).compactMap(\.self)
            }
        }

        /// Whether the stored record has a sign-out that was not delivered to the server.
        var hasPendingLogout: Bool { record.current?.stored?.pendingLogouts.isEmpty == false }

        /// Returns the stored session.
        ///
        /// Its ID is the server's: served contracts do not tell it.
        var session: Stored.Session? {
            guard var session = record.current?.stored?.session else { return nil }
            if let token = try? session.refreshToken.map(RefreshToken.init) { session.id = token.session.description }
            return session
        }

        /// Records that a sign-out of a session has been stored, and checks that the session is not.
        func signedOut(of ended: String, _ journal: Journal) {
            signedOut.insert(ended)
            if session?.id == ended { journal.violation("\(name) has session \(ended) after its sign-out") }
        }

        /// Whether a refresh token has ever been stored.
        func hasStored(_ token: String) -> Bool {
            record.versions.contains { $0.stored?.session?.refreshToken == token }
        }

        /// Whether a session, or its sign-out, has ever been stored.
        func hasStoredSession(_ session: String) -> Bool {
            record.versions.contains { version in
                version.stored?.refreshTokens.contains { (try? RefreshToken($0))?.session.description == session }
                    ?? false
            }
        }

        /// Checks that a pair of token and intent is presented only after it was stored (PROTOCOL.md, client rules 2 and 3).
        func checkStored(_ presented: TokenBody, by process: String, _ journal: Journal) {
            let isStored = record.versions.reversed().lazy.compactMap(\.stored?.session).contains {
                session in
                session.refreshToken == presented.refreshToken
                    && (presented.intent == nil || session.intent == presented.intent)
            }
            if !isStored { journal.violation("\(process) presents a token or an intent that was not stored") }
        }
    }
#endif
