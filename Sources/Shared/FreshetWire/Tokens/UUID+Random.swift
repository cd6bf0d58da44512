// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation

extension UUID {
    /// Generates a UUID of version 4 (RFC 9562) with the system's secure random generator.
    ///
    /// `UUID()` is not used: it opens `/dev/urandom` on Linux, and if no descriptor is available it returns the same
    /// UUID each time.
    package static func random() -> UUID {
        var generator = SystemRandomNumberGenerator()
        var bits: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &bits) { bytes in
            bytes.storeBytes(of: generator.next(), as: UInt64.self)
            bytes.storeBytes(of: generator.next(), toByteOffset: 8, as: UInt64.self)
            bytes[6] = bytes[6] & 0x0f | 0x40
            bytes[8] = bytes[8] & 0x3f | 0x80
        }
        return UUID(uuid: bits)
    }
}
