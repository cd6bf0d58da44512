// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
package import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Breached passwords in a file, searched in place; no network request reveals a password.
///
/// Each line starts with a SHA-1 in hex; the lines are sorted by hash, and the text after a colon is ignored. Have I
/// Been Pwned publishes its list in this format.
package final class BreachedPasswords: Sendable {
    private static let digits = 40
    private static let alphabet = Array("0123456789ABCDEF".utf8)
    /// The maximum length of a line: a hash, a colon, a count and a line ending.
    private static let longestLine = 64

    private let descriptor: Int32
    private let size: Int

    package init(_ file: URL) throws {
        descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw IdentityStartupError.unreadablePasswordList(file.path) }
        size = Int(lseek(descriptor, 0, Int32(SEEK_END)))
        guard let first = hash(at: 0), first.allSatisfy(Self.alphabet.contains) else {
            throw IdentityStartupError.unreadablePasswordList(file.path)
        }
        // Lines that are too long are detected at startup, and not when a user chooses a password.
        do { _ = try line(from: 1) } catch { throw IdentityStartupError.unreadablePasswordList(file.path) }
    }

    deinit { close(descriptor) }

    /// Whether a password is on the list.
    ///
    /// - Throws: An error if the file can no longer be read, so that the result is unknown.
    func contains(_ password: String) throws -> Bool {
        let wanted = Insecure.SHA1.hash(data: Data(password.utf8)).flatMap { byte in
            [byte >> 4, byte & 15].map { Self.alphabet[Int($0)] }
        }
        // The match, if any, starts at or after `low` and before `high`.
        var (low, high) = (0, size)
        while low < high {
            let middle = low + (high - low) / 2
            let start = try line(from: middle)
            guard start < high, let found = hash(at: start) else {
                high = middle
                continue
            }
            if found == wanted { return true }
            if found.lexicographicallyPrecedes(wanted) { low = start + Self.digits } else { high = middle }
        }
        return false
    }

    /// Returns the start of the first line at or after `offset`; the size if there is none.
    private func line(from offset: Int) throws -> Int {
        if offset == 0 { return 0 }
        let bytes = read(Self.longestLine, at: offset - 1)
        guard !bytes.isEmpty else { throw POSIXError(.EIO) }
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
            // Only the last line may lack a line ending. A longer line would hide all lines after it.
            guard bytes.count < Self.longestLine else { throw POSIXError(.EINVAL) }
            return size
        }
        return offset + end
    }

    /// Returns the hash at the start of a line, in upper case.
    private func hash(at offset: Int) -> [UInt8]? {
        let bytes = read(Self.digits, at: offset)
        return bytes.count == Self.digits ? Array(String(decoding: bytes, as: UTF8.self).uppercased().utf8) : nil
    }

    private func read(_ count: Int, at offset: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let got = pread(descriptor, &bytes, count, off_t(offset))
        return got > 0 ? Array(bytes[..<got]) : []
    }
}
