// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetWire
import NIOCore

/// The environment of the demo's acts: real components with independent counters.
struct DemoEnvironment: Sendable {
    let server: DemoServer
    let network: FaultyNetwork
    let view: DemoView
    let session: AuthSession
    let callers: Callers
    let address: URL
    let folder: URL
    let profile: Profile

    init(folder: URL, server: DemoServer, network: FaultyNetwork, view: DemoView) throws {
        self.server = server
        self.network = network
        self.view = view
        self.folder = folder
        guard let address = URL(string: "http://127.0.0.1:\(network.port)") else {
            throw ToolError.network("no address for the demo's network")
        }
        self.address = address
        profile = Profile(name: "demo", base: folder)
        // The thief must be able to read the token, and the demo must not use the user's secret store.
        try profile.save(Profile.Settings(server: address, store: .plainFile))
        var configuration = AuthSession.Configuration()
        configuration.device.name = "the owner's phone"
        configuration.refreshPolicy.backoff.first = .milliseconds(50)
        configuration.refreshPolicy.minimumInterval = .seconds(1)
        session = try AuthSession(baseURL: address, store: profile.store(.plainFile), configuration: configuration)
        callers = Callers(session, server: address)
    }

    var acts: [(String, @Sendable () async throws -> ActResult)] {
        [
            ("a  Sign up, and sign in", signIn),
            ("b  200 callers while a 3-second token expires several times", manyCallers),
            ("c  The server commits a refresh, and its response is lost", lostAnswers),
            ("d  The server is killed with -9 in the middle of refreshes", killedServer),
            ("e  A duplicate of an old refresh arrives late", replayedRefresh),
            ("f  Two processes share one store, and refresh at the same time", twoProcesses),
            ("g  A thief copies the refresh token, and uses it first", thief),
            ("h  Sign-out while a refresh is in flight", signOutInFlight),
        ]
    }

    // MARK: - Counting

    func counters() async -> DemoView.Counters {
        let counts = callers.counts
        let left = session.status.accessTokenExpiresAt?.timeIntervalSinceNow ?? 0
        let serverLog = server.serverLog.counts()
        let state: String =
            switch session.state {
            case .unknown: "unknown"
            case .recordUnusable: "stored record unusable"
            case .signedOut: "signed out"
            case .active: "signed in"
            case .refreshing: "refreshing"
            case .offline: "offline"
            case .ending: "ending"
            }
        return DemoView.Counters(
            calls: counts.answered,
            requests: serverLog.requests,
            refreshes: serverLog.refreshesServed,
            dropped: network.counts.answersLost,
            unauthorized: counts.unauthorized,
            freshness: max(0, min(1, left / 3)),
            state: state
        )
    }

    func verdict(_ acts: [DemoReport.Act]) async -> DemoReport {
        let serverLog = server.serverLog.counts()
        let counts = callers.counts
        // Two sessions were signed out by their owners, and the theft had to end one session; no other session may have
        // ended.
        let thefts = EndReason.allCases.filter(\.isTheft).reduce(0) { $0 + serverLog.ends[$1.rawValue, default: 0] }
        let logouts = serverLog.ends["logout", default: 0]
        let ends = serverLog.ends.values.reduce(0, +)
        let unwanted = max(0, ends - min(logouts, 2) - min(thefts, 1)) + counts.signedOut
        return DemoReport(
            acts: acts,
            requests: serverLog.requests,
            refreshes: serverLog.refreshesServed,
            answersDropped: network.counts.answersLost,
            callsAnswered: counts.answered,
            unauthorizedReachingCallers: counts.unauthorized,
            unwantedSignOuts: unwanted,
            theftsUnnoticed: max(0, 1 - thefts)
        )
    }

    // MARK: - Helpers

    func tool(_ arguments: [String]) throws -> ChildProcess {
        try ChildProcess(
            arguments + ["--profile", profile.name],
            environment: ["XDG_CONFIG_HOME": folder.path, "XDG_STATE_HOME": folder.path]
        )
    }

    /// Returns the refresh token that a thief with access to the owner's files finds.
    func stolenToken() throws -> String {
        struct Stored: Decodable {
            struct Session: Decodable { var refreshToken: String }
            var session: Session?
        }
        let file = folder.appending(path: "freshet/demo.session")
        let stored = try JSONDecoder().decode(Stored.self, from: try Data(contentsOf: file))
        guard let token = stored.session?.refreshToken else { throw CocoaError(.fileReadNoSuchFile) }
        return token
    }
}

extension Callers.Counts {
    /// The result of callers to whom ``isClean`` applies.
    static let clean = "no 401, sign-out or unexpected result at a caller"

    /// Whether no caller was rejected.
    var isClean: Bool { unauthorized == 0 && signedOut == 0 && unexpected == 0 }
}
