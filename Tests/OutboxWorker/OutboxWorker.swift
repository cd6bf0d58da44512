// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetOutbox

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A process with an outbox, for tests to kill.
///
///     OutboxWorker run URL FOLDER LANES FIRST COUNT     puts items down, tells of each on standard output, sends all
///     OutboxWorker fill URL FOLDER                      has the disk refuse the last item of a batch
@main struct OutboxWorker {
    let base: URL
    let session: AuthSession
    let outbox: RequestOutbox

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4, let base = URL(string: arguments[2]) else { exit(64) }
        // The test that started the worker holds the other end: the worker does not outlive it.
        Thread.detachNewThread {
            while !FileHandle.standardInput.availableData.isEmpty {}
            exit(1)
        }
        let worker = try OutboxWorker(base, URL(filePath: arguments[3]))
        switch arguments[1] {
        case "run":
            guard arguments.count == 7, let first = Int(arguments[5]), let count = Int(arguments[6]) else { exit(64) }
            try await worker.putDown(first..<(first + count), in: arguments[4])
            await worker.sendAll()
        case "fill": try await worker.fill()
        default: exit(64)
        }
    }

    private init(_ base: URL, _ folder: URL) throws {
        var configuration = OutboxConfiguration()
        configuration.backoff = RetryBackoff(first: .milliseconds(2), limit: .milliseconds(20))
        configuration.maximumItems = 100_000
        configuration.pollInterval = .milliseconds(200)
        self.base = base
        let store = FileStore(directory: folder, name: "session")
        session = try AuthSession(contract: .named("creatist"), baseURL: base, store: store)
        outbox = try session.outbox(directory: folder.appending(path: "outbox"), configuration: configuration)
    }

    /// Each item's text tells its lane and its number; the numbers of a lane grow.
    private func putDown(_ numbers: Range<Int>, in lanes: String) async throws {
        var rest = numbers
        while let number = rest.first {
            // Some by themselves, some in batches of several lanes.
            let taken = rest.prefix(number % 3 == 0 ? 1 : 32)
            rest = rest.dropFirst(taken.count)
            for (lane, group) in Dictionary(grouping: taken, by: { "\(lanes)\($0 % 4)" }) {
                try await outbox.enqueue(contentsOf: group.map { request($0, lane) }, lane: lane)
                write(group.map { "\(lane) \($0)\n" }.joined())
            }
        }
    }

    private func request(_ number: Int, _ lane: String) -> URLRequest {
        var request = URLRequest(url: base.appending(path: "items"))
        request.httpMethod = "POST"
        request.httpBody = Data("\(lane) \(number) \(String(repeating: "x", count: number % 200)).".utf8)
        return request
    }

    /// Polls: other processes enqueue and send items in the same folder, and their outboxes announce nothing to this one.
    private func sendAll() async {
        repeat {
            await outbox.flush()
            try? await Task.sleep(for: .milliseconds(10))
        } while outbox.counts.waiting + outbox.counts.sending > 0
    }

    private func fill() async throws {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: 4_096, rlim_max: 4_096)
        #if canImport(Darwin)
            setrlimit(RLIMIT_FSIZE, &limit)
        #else
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #endif
        var large = request(1, "a")
        large.httpBody = Data(repeating: 1, count: 10_000)
        do throws(OutboxError) {
            try await outbox.enqueue(contentsOf: [request(1, "a"), request(2, "a"), large], lane: "a", userID: "u")
            write("accepted\n")
        } catch { write("\(error)\n") }
        try await outbox.enqueue(request(3, "a"), lane: "a", userID: "u")
        write("accepted\n")
    }

    /// Tells the test at once, whatever happens next.
    private func write(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) }
}
