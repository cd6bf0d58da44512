// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    internal import CFreshetKeyring
    internal import Foundation

    /// The kernel's keyring of the current user: one key per session, lost at a restart of the system.
    enum UserKeyring {
        private static let type = "user"
        private static let keyring = Int32(KEY_SPEC_USER_KEYRING)
        /// The kernel's limit for keys of this type.
        static let largestPayload = 32_767

        /// Reads a key; `nil` only if it does not exist, or was revoked or has expired.
        static func read(_ description: String) throws(SessionStoreError) -> Data? {
            guard let key = try search(description) else { return nil }
            return try payload(of: key)
        }

        /// Adds a key, or replaces its payload atomically.
        static func write(_ bytes: Data, as description: String) throws(SessionStoreError) {
            guard bytes.count <= largestPayload else {
                let limit = "the limit is \(largestPayload) bytes"
                throw SessionStoreError(.failed, "the session is too large for a kernel key: \(limit)")
            }
            let added = try asPossessor("store a kernel key") {
                bytes.withUnsafeBytes { freshet_add_key(type, description, $0.baseAddress, $0.count, keyring) }
            }
            // A key that cannot be read back would be lost without an error.
            guard let key = added, try payload(of: key) == bytes else {
                throw SessionStoreError(.failed, "the kernel returns another key than the one stored")
            }
        }

        static func remove(_ description: String) throws(SessionStoreError) {
            guard let key = try search(description) else { return }
            _ = try asPossessor("remove a kernel key") { freshet_key_unlink(key, keyring) }
        }

        /// Returns the descriptions of all keys in the keyring that have the type used here.
        static func descriptions() throws(SessionStoreError) -> [String] {
            guard let list = try payload(of: keyring) else { return [] }
            let keys = list.withUnsafeBytes { bytes in
                stride(from: 0, to: bytes.count - 3, by: 4).map {
                    bytes.loadUnaligned(fromByteOffset: $0, as: Int32.self)
                }
            }
            var descriptions: [String] = []
            for key in keys {
                guard let text = try text(of: key) else { continue }
                let parts = text.unicodeScalars.split(separator: ";", maxSplits: 4, omittingEmptySubsequences: false)
                    .map(String.init)
                if parts.count == 5, parts[0] == type { descriptions.append(parts[4]) }
            }
            return descriptions
        }

        private static func search(_ description: String) throws(SessionStoreError) -> Int32? {
            try asPossessor("find a kernel key") { freshet_key_search(keyring, type, description) }
        }

        private static func payload(of key: Int32) throws(SessionStoreError) -> Data? {
            try filled("read a kernel key") { freshet_key_read(key, $0, $1) }
        }

        private static func text(of key: Int32) throws(SessionStoreError) -> String? {
            guard let bytes = try filled("describe a kernel key", { freshet_key_describe(key, $0, $1) }) else {
                return nil
            }
            return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }

        /// Repeats a call with a larger buffer until the whole result fits.
        private static func filled(
            _ operation: String,
            _ call: (UnsafeMutableRawPointer, Int) -> Int
        ) throws(SessionStoreError) -> Data? {
            var buffer = [UInt8](repeating: 0, count: 4_096)
            for _ in 0..<8 {
                let count = try asPossessor(operation) {
                    buffer.withUnsafeMutableBytes { bytes in bytes.baseAddress.map { call($0, bytes.count) } ?? 0 }
                }
                guard let count = count.map(Int.init) else { return nil }
                if count <= buffer.count { return Data(buffer[..<count]) }
                buffer = [UInt8](repeating: 0, count: count)
            }
            throw SessionStoreError(.locked, "other processes keep changing the kernel key")
        }

        /// Makes a call, and repeats it as a possessor of the user's keyring if it fails.
        ///
        /// A key's permissions allow reading only to a process that can reach the key from its process or session
        /// keyring. In services and some logins, the user's keyring is linked to neither. "No such key" is trusted only
        /// after the second call.
        ///
        /// - Returns: `nil` if the key does not exist, was revoked or has expired.
        private static func asPossessor(_ operation: String, _ call: () -> Int) throws(SessionStoreError) -> Int32? {
            var result = call()
            if result < 0, errno == EACCES || errno == ENOKEY {
                // The session's keyring may refuse the link, for example because it belongs to another user or was
                // revoked.
                if freshet_key_link(keyring, Int32(KEY_SPEC_SESSION_KEYRING)) < 0 {
                    _ = freshet_key_link(keyring, Int32(KEY_SPEC_PROCESS_KEYRING))
                }
                result = call()
            }
            guard result < 0 else { return Int32(clamping: result) }
            switch errno {
            case ENOKEY, ENOENT, EKEYREVOKED, EKEYEXPIRED: return nil
            default: throw fault(operation, errno)
            }
        }

        /// Maps an error of the kernel to a store error.
        static func fault(_ operation: String, _ code: Int32) -> SessionStoreError {
            switch code {
            case ENOSYS:
                SessionStoreError(.failed, "this kernel has no keyrings")
            case EPERM:
                SessionStoreError(.denied, "the kernel's keyrings are not permitted here, as in most containers")
            case EACCES:
                SessionStoreError(.denied, "cannot \(operation): the kernel does not permit it")
            case EDQUOT:
                SessionStoreError(
                    .failed,
                    "cannot \(operation): this user's share of the kernel's keyrings is used up (/proc/key-users)"
                )
            default:
                SessionStoreError(.failed, "cannot \(operation): \(String(cString: strerror(code)))")
            }
        }
    }
#endif
