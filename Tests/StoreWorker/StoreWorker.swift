// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetTesting

/// A process with a store, for tests that need one of its own: it does what it is told, and answers in a line.
///
///     StoreWorker file DIRECTORY NAME
///     StoreWorker secret-service APPLICATION NAME LOCKS [TIMEOUT]
///     StoreWorker kernel-keyring APPLICATION NAME LOCKS
///     StoreWorker new-login PROGRAM ARGUMENT...           becomes that program, as after a login of its own
@main
enum StoreWorker {
    static func main() async {
        let arguments = CommandLine.arguments
        if arguments.dropFirst().first == "new-login", arguments.count > 2 {
            WorkerStore.becomeInNewLogin(Array(arguments.dropFirst(2)))
        }
        guard let store = WorkerStore(CommandLine.arguments.dropFirst()) else {
            say("usage: see StoreWorker.swift")
            exit(64)
        }
        while let line = readLine() {
            let arguments = line.split(separator: " ").map(String.init)
            do { say(try await answer(arguments, store)) } catch let fault as SessionStoreError {
                say("unavailable \(fault.kind) \(fault.reason)")
            } catch { say("error \(error)") }
        }
    }

    private static func say(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8))
    }

    private static func answer(_ arguments: [String], _ store: WorkerStore) async throws -> String {
        switch (arguments.first, arguments.dropFirst().first, arguments.dropFirst(2).first) {
        case ("read", nil, nil):
            guard let record = try store.store.read() else { return "absent" }
            return "record \(try SessionStoreContract.number(record))"
        case ("replace", let old?, let new?):
            return "\(try store.store.replace(record(old), with: record(new)))"
        case ("overwrite", let new?, nil):
            try store.store.overwrite(with: record(new))
            return "done"
        case ("marked-replace", let old?, let new?):
            // The marks by which a trace of the system calls is cut.
            let (old, new) = (try record(old), try record(new))
            access("/freshet-begin", F_OK)
            defer { access("/freshet-end", F_OK) }
            return "\(try store.store.replace(old, with: new))"
        case ("large", let bytes?, nil):
            let filler = String(repeating: "x", count: Int(bytes) ?? 0)
            let text = #"{"version":1,"origin":"https://\#(filler).example","pendingLogouts":[]}"#
            try store.store.overwrite(with: try SessionRecord(decoding: Data(text.utf8)))
            return "done"
        case ("chain", nil, nil):
            return try store.firstUsable()
        case ("names", nil, nil):
            return "names \(try store.stores.names().joined(separator: ","))"
        case ("clean", nil, nil):
            for name in try store.stores.names() { try store.stores.store(named: name).overwrite(with: nil) }
            return "done"
        case ("name", nil, nil):
            return store.store.name
        case ("contract", nil, nil):
            var places: Set<String> = []
            defer { for place in places { try? store.stores.store(named: place).overwrite(with: nil) } }
            try SessionStoreContract.check { place in
                places.insert(place)
                return store.stores.store(named: place)
            }
            return "kept"
        case ("refresh-lock", nil, nil):
            return store.store.processLock == nil ? "none" : "there"
        case ("crashes", nil, nil):
            let arguments = Array(CommandLine.arguments.dropFirst())
            try await SessionStoreContract.checkCrashes(of: store.store) {
                let writer = Process()
                writer.executableURL = URL(filePath: CommandLine.arguments[0])
                writer.arguments = arguments
                let input = Pipe()
                writer.standardInput = input
                try input.fileHandleForWriting.write(contentsOf: Data("write\n".utf8))
                try input.fileHandleForWriting.close()
                return writer
            }
            return "kept"
        case ("write", nil, nil):
            try SessionStoreContract.writeUntilKilled(to: store.store)
        default:
            return try store.kernelDeed(arguments)
        }
    }

    private static func record(_ number: String) throws -> SessionRecord? {
        try Int(number).map(SessionStoreContract.record)
    }
}
