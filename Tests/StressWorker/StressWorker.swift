// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetNIO

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A process that uses a session beside another one, until its standard input is closed or it is killed.
///
/// Each record that it has stored is a line on standard output.
///
///     StressWorker URL FOLDER RULE PLACE SEED
@main struct StressWorker {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 6, let base = URL(string: arguments[1]),
            let rule = RotationMode(rawValue: arguments[3]),
            let seed = UInt64(arguments[5])
        else { exit(64) }
        let isOver = Locked(false)
        Thread.detachNewThread {
            while !FileHandle.standardInput.availableData.isEmpty {}
            isOver.withLock { $0 = true }
        }
        var configuration = AuthSession.Configuration()
        configuration.refreshPolicy.backoff = RetryBackoff(first: .milliseconds(2), limit: .milliseconds(40))
        configuration.networkMonitor = nil
        let transport = LabellingTransport(base: NIOTransport(), place: arguments[4])
        let session = try AuthSession(
            contract: rule.contract(),
            baseURL: base,
            store: RecordingStore(base: FileStore(directory: URL(filePath: arguments[2]), name: "session")),
            configuration: configuration,
            transport: transport
        )
        let random = RandomStream(seed: seed)
        await withTaskGroup { group in
            for hand in 0..<2 {
                group.addTask {
                    var number = 0
                    while !isOver.withLock({ $0 }) {
                        number += 1
                        await LabellingTransport.$operation.withValue("\(arguments[4]).\(hand)#\(number)") {
                            try? await act(session, base, random)
                        }
                        try? await Task.sleep(for: random.pause(upTo: 10))
                    }
                }
            }
        }
        // A process that ended now would take the answers that are under way along.
        repeat { try? await Task.sleep(for: .milliseconds(100)) } while transport.openExchanges > 0
        _ = try? await session.accessToken()
    }

    private static func act(_ session: AuthSession, _ base: URL, _ random: RandomStream) async throws {
        switch random.int(0...19) {
        case 0: try await session.signIn(.password(email: random.element(of: ["ann", "bob"]), password: "secret"))
        case 1: try await session.signOut()
        case 2...4: try await session.refresh()
        case 5: await session.reload()
        default: _ = try await session.data(for: URLRequest(url: base.appending(path: "v1/me")))
        }
    }
}
