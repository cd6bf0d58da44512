// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A type that contains a secret, and prints a mask instead.
///
/// `print`, string interpolation, `String(reflecting:)`, `dump`, a debugger's summary and a failing `#expect` show only
/// the mask, whose text conforming types choose.
package protocol Masked: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text shown in place of the value. It must not depend on the secret part.
    var mask: String { get }
}

extension Masked {
    package var description: String { mask }
    package var debugDescription: String { mask }
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection(), displayStyle: .struct) }
}
