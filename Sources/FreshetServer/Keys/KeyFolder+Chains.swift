// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetEngine
import FreshetWire

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension KeyFolder {
    /// What is known of the keys beside their files: `keys/chains.json`, written by the first change.
    private var file: URL { url.appending(path: "chains.json") }

    /// The chain of a kind, with a planned change carried out if its time has come.
    func chain(_ kind: KeyKind, now: Timestamp) throws -> KeyChain {
        let ids = try ids(of: kind)
        guard let known = try chains()[kind] else {
            guard let chain = KeyChain(ids: ids, now: now) else { throw StartupError.unreadableKeyFile(url.path) }
            return chain
        }
        // A key that is named and not there would leave its tokens without anybody who knows them.
        guard Set(known.members.map(\.id)).isSubset(of: ids) else { throw StartupError.unreadableKeyFile(file.path) }
        return known.advanced(to: now)
    }

    /// Changes a chain, one process at a time; a new key's file is there before anybody reads of it, and a retired one's
    /// is gone after that.
    func change<Value>(_ kind: KeyKind, now: Timestamp, _ body: (inout KeyChain) throws -> Value) throws -> Value {
        let lock = try locked()
        defer { close(lock) }
        var all = try chains()
        let before = try chain(kind, now: now)
        var chain = before
        let value = try body(&chain)
        let (old, new) = (Set(before.members.map(\.id)), Set(chain.members.map(\.id)))
        for id in new.subtracting(old) { try createKey(kind, id) }
        all[kind] = chain
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        try PrivateFiles.replace(file, with: Array(try encoder.encode(all)) + Array("\n".utf8))
        for id in old.subtracting(new) {
            try FileManager.default.removeItem(at: url.appending(path: "\(kind.rawValue)-\(id)\(kind.suffix)"))
        }
        return value
    }

    /// Whether anything was ever written down.
    func hasChain(_ kind: KeyKind) throws -> Bool { try chains()[kind] != nil }

    private func chains() throws -> [KeyKind: KeyChain] {
        guard FileManager.default.fileExists(atPath: file.path) else { return [:] }
        guard try PrivateFiles.isPrivateFile(file) else { throw StartupError.unsafeKeyFile(file.path) }
        do { return try JSONDecoder().decode([KeyKind: KeyChain].self, from: try Data(contentsOf: file)) } catch {
            throw StartupError.unreadableKeyFile(file.path)
        }
    }

    /// The system lets go of it when the process ends, however that comes about.
    private func locked() throws -> Int32 {
        let descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else {
            throw POSIXError(.init(rawValue: errno) ?? .EIO)
        }
        return descriptor
    }
}
